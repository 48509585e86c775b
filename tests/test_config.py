"""Settings: where they are found, what is accepted, and which rules and paths they let through."""

import re
from pathlib import Path

import pytest

from spark_lint.config import Config, ConfigError, load_config, shown_settings
from spark_lint.rule import ERROR, INFO, POSSIBLE, WARNING, Severity
from spark_lint.selectors import LINT_CODES, strength

CODES = frozenset(
    {
        "G1/torch-index-cuda12",
        "G1/cuda12-base-image",
        "G2/flash-attn-requirement",
        "G10/tensor-parallel-training",
        "G7",
        *LINT_CODES,
    }
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(start: Path, text: str | None = None, name: str = "spark-lint.toml", **overrides: object) -> Config:
    if text is not None:
        (start / name).write_text(text, encoding="utf-8")
    given = {key.replace("_", "-"): value for key, value in overrides.items()}
    return load_config(start, overrides=given, codes=CODES)


@pytest.mark.parametrize(
    ("selector", "code", "expected"),
    [
        pytest.param("ALL", "G1/torch-index-cuda12", 1, id="ALL names everything"),
        pytest.param("ALL", "lint/unused-suppression", 1, id="ALL names the tool's own"),
        pytest.param("G1", "G1/torch-index-cuda12", 2, id="gotcha"),
        pytest.param("lint", "lint/unused-suppression", 2, id="lint"),
        pytest.param("G1/*-cuda12", "G1/torch-index-cuda12", 3, id="glob"),
        pytest.param("*-cuda12", "G1/torch-index-cuda12", 3, id="glob of a name"),
        pytest.param("G1/torch-index-cuda12", "G1/torch-index-cuda12", 4, id="code"),
        pytest.param("torch-index-cuda12", "G1/torch-index-cuda12", 4, id="name alone"),
        pytest.param("G1", "G10/tensor-parallel-training", 0, id="G1 is not G10"),
        pytest.param("G1/*", "G10/tensor-parallel-training", 0, id="glob in G1 is not G10"),
        pytest.param("G1*", "G10/tensor-parallel-training", 0, id="star does not cross from gotcha to name"),
        pytest.param("torch-index", "G1/torch-index-cuda12", 0, id="start of a name"),
        pytest.param("", "G7", 0, id="nothing"),
    ],
)
def test_selector_names_a_code(selector: str, code: str, expected: int) -> None:
    assert strength(selector, code) == expected


@pytest.mark.parametrize(
    ("select", "ignore", "wanted"),
    [
        pytest.param(("ALL",), (), True, id="everything by default"),
        pytest.param(("G1",), (), True, id="its gotcha"),
        pytest.param(("G10",), (), False, id="another gotcha"),
        pytest.param(("ALL",), ("G1",), False, id="gotcha ignored"),
        pytest.param(("G1",), ("G1",), False, id="ignore wins a tie"),
        pytest.param(("G1/torch-index-cuda12",), ("G1",), True, id="closer select wins"),
        pytest.param(("G1",), ("torch-index-cuda12",), False, id="closer ignore wins"),
        pytest.param((), (), False, id="nothing selected"),
    ],
)
def test_select_and_ignore(select: tuple[str, ...], ignore: tuple[str, ...], wanted: bool) -> None:
    assert Config(select=select, ignore=ignore).wants("G1/torch-index-cuda12", "a.py") is wanted


def test_per_file_ignores_apply_to_matching_files_only(here: Path) -> None:
    config = load(here, '[per-file-ignores]\n"tests/**" = ["G1"]\n')
    assert not config.wants("G1/torch-index-cuda12", "tests/deep/a.txt")
    assert config.wants("G2/flash-attn-requirement", "tests/deep/a.txt")
    assert config.wants("G1/torch-index-cuda12", "a.txt")
    assert config.wants("G1/torch-index-cuda12")


def test_closest_severity_wins() -> None:
    config = Config(severity={"ALL": WARNING, "G1/torch-index-cuda12": ERROR, "G1": INFO})
    assert config.override("G1/torch-index-cuda12") is ERROR
    assert config.override("G1/cuda12-base-image") is INFO
    assert config.override("G2/flash-attn-requirement") is WARNING
    assert Config(severity={"G1": INFO}).override("G10/tensor-parallel-training") is None


@pytest.mark.parametrize(
    ("pattern", "path", "excluded"),
    [
        pytest.param("expect.json", "a/b/expect.json", True, id="name at any depth"),
        pytest.param("build/", "build/x.py", True, id="in a folder"),
        pytest.param("build/", "build/", True, id="folder itself"),
        pytest.param("build/", "build", False, id="file named like the folder"),
        pytest.param("/top.py", "a/top.py", False, id="anchored"),
        pytest.param("*.txt", "a.py", False, id="other ending"),
    ],
)
def test_exclude(here: Path, pattern: str, path: str, excluded: bool) -> None:
    assert load(here, exclude=[pattern]).excluded(path) is excluded


def test_patterns_start_from_the_folder_of_the_configuration(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "src").mkdir()
    monkeypatch.chdir(here / "src")
    config = load(here, 'exclude = ["/src/old.py", "/new.py"]\n')
    assert config.excluded("old.py")
    assert not config.excluded("new.py")


def test_nearest_configuration_wins_and_foreign_pyprojects_are_passed_over(here: Path) -> None:
    deep = here / "a" / "b"
    deep.mkdir(parents=True)
    (here / "pyproject.toml").write_text('[tool.spark-lint]\nfail-on = "error"\n')
    (here / "a" / "pyproject.toml").write_text('[project]\nname = "other"\ndependencies = ["spark-lint"]\n')
    config = load(deep)
    assert config.fail_on is ERROR
    assert config.file == here / "pyproject.toml"
    (here / "a" / "spark-lint.toml").write_text('fail-on = "never"\n')
    assert load(deep).fail_on is None


def test_own_file_beats_pyproject_beside_it(here: Path) -> None:
    (here / "pyproject.toml").write_text('[tool.spark-lint]\nfail-on = "error"\n')
    assert load(here, 'fail-on = "info"\n').fail_on is INFO


def test_invalid_pyproject_that_does_not_name_the_tool_is_left_alone(here: Path) -> None:
    assert load(here, "[project\n", name="pyproject.toml") == Config(root=here)


def test_isolated_reads_nothing(here: Path) -> None:
    (here / "spark-lint.toml").write_text("nonsense")
    assert load_config(here, isolated=True, codes=CODES).file is None


def test_every_setting_is_read(here: Path) -> None:
    config = load(
        here,
        """\
select = ["G1", "lint"]
ignore = ["G1/cuda12-base-image"]
fail-on = "never"
min-confidence = "possible"
exclude = ["old/"]
force-exclude = true
strict = true
image = "nvcr.io/nvidia/pytorch:26.01-py3"
sparks = 2
python = "3.13"
max-file-size = 1000
max-line-length = 100

[severity]
G7 = "info"

[per-file-ignores]
"*.txt" = ["torch-index-cuda12"]
""",
    )
    assert config == Config(
        select=("G1", "lint"),
        ignore=("G1/cuda12-base-image",),
        per_file_ignores={"*.txt": ("torch-index-cuda12",)},
        severity={"G7": Severity.INFO},
        fail_on=None,
        min_confidence=POSSIBLE,
        exclude=("old/",),
        force_exclude=True,
        strict=True,
        image="nvcr.io/nvidia/pytorch:26.01-py3",
        sparks=2,
        python="3.13",
        max_file_size=1000,
        max_line_length=100,
        root=here,
        file=here / "spark-lint.toml",
        sources=config.sources,
    )
    assert set(config.sources.values()) == {"spark-lint.toml"}


def test_command_line_replaces_but_ignore_and_exclude_add(here: Path) -> None:
    text = 'fail-on = "error"\nignore = ["G1"]\nexclude = ["a"]\nsparks = 2\n'
    config = load(here, text, fail_on="info", ignore=["G2"], exclude=["b"])
    assert (config.fail_on, config.ignore, config.exclude, config.sparks) == (INFO, ("G1", "G2"), ("a", "b"), 2)
    assert config.sources["ignore"] == "spark-lint.toml and command line"


def test_select_on_the_command_line_starts_afresh(here: Path) -> None:
    config = load(here, 'ignore = ["G1"]\n', select=["G1"])
    assert config.wants("G1/torch-index-cuda12", "a")
    assert not load(here, select=["G1"], ignore=["torch-index-cuda12"]).wants("G1/torch-index-cuda12", "a")


HEADER = '[project]\nname = "x"\ndependencies = ["spark-lint"]\n# [tool.spark-lint] sparks = 1\n\n[tool.spark-lint]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('selct = ["G1"]', ":7: unknown setting `selct`; did you mean `select`?", id="unknown key"),
        pytest.param("fail_on = 1", ":7: unknown setting `fail_on`; did you mean `fail-on`?", id="underscore"),
        pytest.param("zzz = 1", ":7: unknown setting `zzz`", id="unknown key like no other"),
        pytest.param('select = "G1"', ":7: select: expected a list of strings, found a string", id="string for list"),
        pytest.param("exclude = [1]", ":7: exclude: expected strings only", id="numbers in list"),
        pytest.param(
            "select = [\n  'G1',\n  'G11',\n]", ":9: select: `G11` names no rule; did you mean `G1`?", id="unknown gotcha"
        ),
        pytest.param(
            "ignore = ['G2/flash-atn-requirement']",
            ":7: ignore: `G2/flash-atn-requirement` names no rule; did you mean `G2/flash-attn-requirement`?",
            id="misspelt rule",
        ),
        pytest.param("ignore = ['g7']", ":7: ignore: `g7` names no rule; did you mean `G7`?", id="lower case"),
        pytest.param("ignore = ['G9/*']", ":7: ignore: `G9/*` names no rule", id="glob that matches nothing"),
        pytest.param("ignore = ['']", ":7: ignore: `` names no rule", id="empty"),
        pytest.param('strict = "yes"', ":7: strict: expected true or false, found a string", id="string for flag"),
        pytest.param("sparks = 0", ":7: sparks: expected 1 or more, found 0", id="no Spark"),
        pytest.param("sparks = true", ":7: sparks: expected a whole number, found a boolean", id="flag for number"),
        pytest.param("max-file-size = 1.5", ":7: max-file-size: expected a whole number, found a number", id="fraction"),
        pytest.param("image = 2026-11-30", ":7: image: expected a string, found a date", id="date"),
        pytest.param("python = 3.12", ':7: python: expected a string such as "3.12"', id="python as a number"),
        pytest.param('fail-on = "bad"', ":7: fail-on: expected error, warning, info or never", id="fail-on"),
        pytest.param('min-confidence = "sure"', ":7: min-confidence: expected possible, likely or certain", id="confidence"),
        pytest.param('exclude = [\n"!",\n]', ":8: exclude: `!` is not a pattern as in .gitignore", id="pattern"),
        pytest.param("exclude = ['[z-a]']", ":7: exclude: `[z-a]` is not a pattern as in .gitignore", id="no range"),
        pytest.param("exclude = ['*a*a*a*b']", ":7: exclude: `*a*a*a*b` has too many `*`", id="too wild"),
        pytest.param(
            "severity = 1", ":7: severity: expected a table of rules and severities, found a number", id="severity no table"
        ),
        pytest.param(
            "\n[tool.spark-lint.severity]\nG1 = 'info'\nG7 = 'off'",
            ":10: severity: expected error, warning or info for `G7`; to switch a rule off, use `ignore`",
            id="severity off",
        ),
        pytest.param(
            "[tool.spark-lint.per-file-ignores]\n'a/*' = ['G1']\n'b/*' = ['G1', 'G77']",
            ":9: per-file-ignores: `G77` names no rule; did you mean `G7`?",
            id="per-file",
        ),
        pytest.param("strict = yes", ":7: not valid TOML: ", id="syntax"),
    ],
)
def test_mistake_is_one_line_with_place_and_suggestion(here: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(here, HEADER + text + "\n", name="pyproject.toml")
    assert str(raised.value).startswith(f"pyproject.toml{message}")
    assert "\n" not in str(raised.value)


def test_mistake_on_the_command_line_names_the_option(here: Path) -> None:
    with pytest.raises(ConfigError, match=r"^--select: `G11` names no rule; did you mean `G1`\?$"):
        load(here, select=["G11"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"select = ['\xff']", "spark-lint.toml: not UTF-8", id="not UTF-8"),
        pytest.param(b"x = " + b"[" * 5000 + b"]" * 5000, "spark-lint.toml: nested too deeply", id="nested"),
    ],
)
def test_broken_configuration_is_an_error(here: Path, content: bytes, message: str) -> None:
    (here / "spark-lint.toml").write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        load(here)


def test_byte_order_mark_and_crlf_are_fine(here: Path) -> None:
    (here / "spark-lint.toml").write_bytes(b"\xef\xbb\xbfsparks = 2\r\n")
    assert load(here).sparks == 2


def test_explicit_pyproject_without_a_section_is_an_error(here: Path) -> None:
    (here / "pyproject.toml").write_text("[project]\n")
    with pytest.raises(ConfigError, match=r"no section \[tool.spark-lint\]"):
        load_config(here, here / "pyproject.toml", codes=CODES)


def test_settings_are_shown_with_their_sources(here: Path) -> None:
    shown = list(shown_settings(load(here, 'sparks = 2\n[severity]\nG1 = "info"\n', fail_on="never")))
    assert shown == [
        "# configuration: spark-lint.toml",
        'select = ["ALL"]  # default',
        "ignore = []  # default",
        "per-file-ignores = {}  # default",
        'severity = { "G1" = "info" }  # spark-lint.toml',
        'fail-on = "never"  # command line',
        'min-confidence = "likely"  # default',
        "exclude = []  # default",
        "force-exclude = false  # default",
        "strict = false  # default",
        "# image is not set",
        "sparks = 2  # spark-lint.toml",
        "# python is not set",
        "max-file-size = 10485760  # default",
        "max-line-length = 1048576  # default",
    ]


def test_shown_settings_can_be_read_back(here: Path) -> None:
    shown = "\n".join(shown_settings(load(here, '[severity]\nG1 = "info"\n', ignore=["G7"], exclude=['a "b"\t'])))
    again = load(here, shown)
    assert (again.severity, again.ignore, again.exclude) == ({"G1": INFO}, ("G7",), ('a "b"\t',))


def test_configuration_above_the_working_directory_is_named_in_full(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "in").mkdir()
    monkeypatch.chdir(here / "in")
    with pytest.raises(ConfigError, match=f"^{re.escape(str(here / 'spark-lint.toml'))}:1: unknown setting"):
        load(here, "bad = 1\n")
