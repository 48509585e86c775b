"""The two schemas that ship with the package say what the code does."""

import json
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from nasty import REPORT

from spark_lint.config import Config, ConfigError, load_config
from spark_lint.findings import Report
from spark_lint.keys import KEYS
from spark_lint.known import EVIDENCE
from spark_lint.report import json as json_report
from spark_lint.rule import Confidence, Severity

CONFIG_SCHEMA = json.loads(files("spark_lint").joinpath("config.schema.json").read_text("utf-8"))
REPORT_SCHEMA = json.loads(files("spark_lint").joinpath("report/report.schema.json").read_text("utf-8"))
CONFIG = Draft202012Validator(CONFIG_SCHEMA)
REPORTS = Draft202012Validator(REPORT_SCHEMA)


@pytest.mark.parametrize("schema", [CONFIG_SCHEMA, REPORT_SCHEMA], ids=["config", "report"])
def test_schema_is_one(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)


def test_configuration_schema_has_the_accepted_keys() -> None:
    assert list(CONFIG_SCHEMA["properties"]) == list(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_configuration_schema_has_the_defaults(key: str) -> None:
    value: Any = getattr(Config(), key.replace("-", "_"))
    default = CONFIG_SCHEMA["properties"][key].get("default", value or None)
    plain = str(value) if isinstance(value, (Severity, Confidence)) else list(value) if isinstance(value, tuple) else value
    assert default == (plain if plain != "" else None)


@pytest.mark.parametrize(
    ("settings", "accepted"),
    [
        pytest.param({}, True, id="nothing"),
        pytest.param({"select": ["G1", "lint"], "ignore": []}, True, id="selectors"),
        pytest.param({"select": "G1"}, False, id="string for list"),
        pytest.param({"select": [""]}, False, id="empty selector"),
        pytest.param({"per-file-ignores": {"a/*": ["G1"]}}, True, id="per-file"),
        pytest.param({"per-file-ignores": {"a/*": "G1"}}, False, id="per-file string"),
        pytest.param({"severity": {"G1": "info"}}, True, id="severity"),
        pytest.param({"severity": {"G1": "never"}}, False, id="severity never"),
        pytest.param({"fail-on": "never"}, True, id="fail-on never"),
        pytest.param({"fail-on": "likely"}, False, id="fail-on likely"),
        pytest.param({"min-confidence": "possible"}, True, id="confidence"),
        pytest.param({"strict": 1}, False, id="number for flag"),
        pytest.param({"sparks": 2, "python": "3.12", "image": "a"}, True, id="machine"),
        pytest.param({"sparks": 0}, False, id="no Spark"),
        pytest.param({"sparks": True}, False, id="flag for number"),
        pytest.param({"python": "3"}, False, id="python without minor"),
        pytest.param({"python": "3.123"}, False, id="python with a long minor"),
        pytest.param({"max-file-size": 0}, False, id="no size"),
        pytest.param({"fail_on": "error"}, False, id="underscore"),
    ],
)
def test_schema_and_code_accept_the_same(tmp_path: Path, settings: dict[str, Any], accepted: bool) -> None:
    assert CONFIG.is_valid(settings) is accepted

    known, unknown = ({key: value for key, value in settings.items() if (key in KEYS) is wanted} for wanted in (True, False))
    (tmp_path / "spark-lint.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in unknown.items()))
    try:
        load_config(tmp_path, overrides=known, codes={"G1/a", "lint/b"})
    except ConfigError:
        assert not accepted
    else:
        assert accepted


@pytest.mark.parametrize("report", [pytest.param(REPORT, id="nasty"), pytest.param(Report(), id="empty")])
def test_report_is_as_its_schema_says(report: Report) -> None:
    out = StringIO()
    json_report.write(report, out, knowledge="2026-11-30")
    REPORTS.validate(json.loads(out.getvalue()))


def test_the_schema_of_reports_has_every_evidence() -> None:
    knowledge = REPORT_SCHEMA["$defs"]["finding"]["properties"]["knowledge"]
    assert knowledge["properties"]["evidence"]["enum"] == list(EVIDENCE)


def test_report_with_a_fix_has_a_place_in_the_schema() -> None:
    out = StringIO()
    json_report.write(REPORT, out)
    whole = json.loads(out.getvalue())
    edit = {"path": "a", "line": 1, "column": 1, "end_line": 1, "end_column": 2, "text": ""}
    whole["findings"][0]["fix"] = {"safe": True, "edits": [edit]}
    REPORTS.validate(whole)
    edit["extra"] = 1
    with pytest.raises(ValidationError):
        REPORTS.validate(whole)
