"""What stands behind a finding: how it is said, and what it costs where nobody looked."""

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from projects import run

from spark_lint import knowledge
from spark_lint.check import check_texts
from spark_lint.config import Config
from spark_lint.findings import Finding
from spark_lint.known import EVIDENCE, Known, weakest
from spark_lint.load import RuleSet, load
from spark_lint.pages import page
from spark_lint.report import json as json_report
from spark_lint.rule import CERTAIN, ERROR, INFO, LIKELY, POSSIBLE, WARNING, Confidence, Severity

RULES = load()
NGC = "FROM nvcr.io/nvidia/pytorch:{}-py3\nRUN pip install torch==2.9.1\n"


def said(code: str, files: dict[str, str], **settings: object) -> Finding:
    """The one finding of a rule."""
    (finding,) = (each for each in run(files, **settings).report().findings if each.code == code)
    return finding


@pytest.mark.parametrize(
    ("known", "words"),
    [
        pytest.param(Known("2026-11-30", "requires-dist"), "as of 2026-11, its metadata", id="measured"),
        pytest.param(Known("2026-08-31", "manual", "https://example.invalid"), "as of 2026-08, read by hand", id="by hand"),
        pytest.param(Known("2026-11-30", "name"), "as of 2026-11", id="the message quotes the name"),
        pytest.param(Known("2026-11-30", "elf", assumed=True), "assumed: not checked as of 2026-11", id="assumed"),
    ],
)
def test_how_it_ends_a_message(known: Known, words: str) -> None:
    assert str(known) == words


METADATA, NEIGHBOURS = Known("2026-11-30", "requires-dist"), Known("2026-11-30", "interpolated")
EARLIER, OLD, ASSUMED = (
    Known("2026-11-02", "elf"),
    Known("2026-06-05", "file-list"),
    Known("2026-11-30", "file-list", assumed=True),
)


@pytest.mark.parametrize(
    ("statements", "weaker"),
    [
        pytest.param([METADATA], METADATA, id="alone"),
        pytest.param([METADATA, None], METADATA, id="the other rests on nothing"),
        pytest.param([METADATA, OLD], OLD, id="the older"),
        pytest.param([METADATA, NEIGHBOURS], NEIGHBOURS, id="the worse"),
        pytest.param([EARLIER, NEIGHBOURS], NEIGHBOURS, id="a day is not older"),
        pytest.param([OLD, ASSUMED, NEIGHBOURS], ASSUMED, id="what is assumed"),
    ],
)
def test_of_several_statements_the_weakest_is_named(statements: list[Known], weaker: Known) -> None:
    assert weakest(*statements) == weaker
    assert weakest(*[each for each in reversed(statements) if each is not None]) == weaker


def test_what_an_earlier_release_had_is_not_denied() -> None:
    facts = knowledge.package("mediapipe")
    assert facts is not None
    assert (facts.aarch64("0.10.18"), facts.aarch64("0.10.21")) == ("wheel", "none")
    finding = said("G1/package-without-aarch64-wheel", {"requirements.txt": "mediapipe==0.10.21\n"})
    assert finding.message.startswith("mediapipe==0.10.21 has no aarch64 wheel and no source archive")
    finding = said("G1/package-without-aarch64-wheel", {"requirements.txt": "torchcodec==0.10.0\n"})
    assert finding.message.startswith("torchcodec==0.10.0 has no aarch64 wheel before 0.11.0 and no source archive")


def test_what_was_looked_at_is_said_with_its_day_and_evidence() -> None:
    finding = said("G1/torch-cpu-only-on-aarch64", {"requirements.txt": "torch==2.9.1\n"})
    assert finding.known is not None
    assert (finding.known.evidence, finding.known.assumed) == ("requires-dist", False)
    assert finding.message.endswith(f" (as of {finding.known.month}, its metadata)")
    assert (finding.severity, finding.confidence) == (ERROR, CERTAIN)


@pytest.mark.parametrize(
    ("code", "files", "severity"),
    [
        pytest.param("G1/package-without-aarch64-wheel", {"requirements.txt": "decord==99.0\n"}, WARNING, id="package"),
        pytest.param(
            "G1/package-without-aarch64-wheel",
            {"README.md": "```bash\npip install decord==99.0\n```\n"},
            INFO,
            id="in a document",
        ),
        pytest.param(
            "G1/package-without-aarch64-wheel",
            {
                "Pipfile": '[packages]\ndecord = "*"\n',
                "Pipfile.lock": json.dumps(
                    {"_meta": {"sources": []}, "default": {"decord": {"version": "==99.0"}}, "develop": {}}
                ),
            },
            WARNING,
            id="lock that lists no files",
        ),
        pytest.param("G9/ngc-torch-reinstall", {"Dockerfile": NGC.format("29.12")}, WARNING, id="month after the newest"),
        pytest.param(
            "G1/image-without-arm64",
            {"Dockerfile": "FROM pytorch/pytorch:9.0.0-cuda15.0-cudnn12-devel\n"},
            WARNING,
            id="image after the newest",
        ),
        pytest.param(
            "G7/sm100-only-backend",
            {"requirements.txt": "vllm==99.0\n", "run.sh": "vllm serve org/m --attention-backend CUTLASS_MLA\n"},
            WARNING,
            id="release after the newest",
        ),
        pytest.param(
            "G1/image-without-arm64", {"Dockerfile": "FROM tensorflow/tensorflow:2.17.0-gpu\n"}, WARNING, id="row that is assumed"
        ),
    ],
)
def test_what_is_assumed_costs_a_level_and_is_never_certain(code: str, files: dict[str, str], severity: Severity) -> None:
    finding = said(code, files)
    assert finding.known is not None
    assert finding.known.assumed
    assert finding.message.endswith(f"assumed: not checked as of {finding.known.month})")
    assert (finding.severity, finding.confidence) == (severity, LIKELY)


def test_the_same_of_a_month_that_is_known() -> None:
    finding = said("G9/ngc-torch-reinstall", {"Dockerfile": NGC.format("25.11")})
    assert (finding.severity, finding.confidence) == (ERROR, CERTAIN)


def test_a_severity_of_ones_own_holds_for_what_is_assumed_too() -> None:
    files = {"requirements.txt": "decord==99.0\n"}
    finding = said("G1/package-without-aarch64-wheel", files, severity={"G1": ERROR})
    assert (finding.severity, finding.confidence) == (ERROR, LIKELY)


def test_what_a_lock_says_itself_rests_on_no_table() -> None:
    wheel = '{ url = "https://files.invalid/decord-99.0-py3-none-manylinux2010_x86_64.whl", hash = "sha256:00" }'
    lock = (
        'version = 1\nrequires-python = ">=3.12"\n\n'
        '[[package]]\nname = "app"\nversion = "0"\nsource = { virtual = "." }\ndependencies = [{ name = "decord" }]\n\n'
        '[[package]]\nname = "decord"\nversion = "99.0"\nsource = { registry = "https://pypi.org/simple" }\n'
        f"wheels = [{wheel}]\n"
    )
    project = '[project]\nname = "app"\nversion = "0"\nrequires-python = ">=3.12"\ndependencies = ["decord"]\n'
    finding = said("G1/package-without-aarch64-wheel", {"pyproject.toml": project, "uv.lock": lock})
    assert finding.known is None
    assert "as of" not in finding.message
    assert (finding.severity, finding.confidence) == (ERROR, CERTAIN)


def test_what_is_logic_alone_rests_on_no_table() -> None:
    finding = said("G6/cuda-visible-devices-nonzero", {"run.sh": "CUDA_VISIBLE_DEVICES=1 python train.py\n"})
    assert finding.known is None


def test_all_that_ends_a_message_stands_in_one_pair_of_brackets() -> None:
    project = '[project]\nname = "app"\nversion = "0"\n[project.optional-dependencies]\nold = ["torch==2.9.1"]\n'
    finding = said("G1/torch-cpu-only-on-aarch64", {"pyproject.toml": project})
    assert re.search(r" \(only with the extra old; as of 20\d\d-\d\d, its metadata\)$", finding.message)


def test_the_json_report_has_it() -> None:
    out = StringIO()
    json_report.write(run({"requirements.txt": "decord==99.0\n", "run.sh": "vllm serve m -tp 2\n"}).report(), out)
    first, second = json.loads(out.getvalue())["findings"]
    assert first["knowledge"] == {
        "as_of": knowledge.package("decord").as_of,  # type: ignore[union-attr]
        "evidence": "file-list",
        "source": None,
        "assumed": True,
    }
    assert second["knowledge"] is None


@pytest.mark.parametrize(
    ("known", "evidence"),
    [
        pytest.param(knowledge.cuda_known("cu124"), "quoted", id="CUDA release"),
        pytest.param(knowledge.architectures_known(), "release-notes", id="architectures"),
        pytest.param(knowledge.toolkit_known(), "release-notes", id="toolkits"),
        pytest.param(knowledge.fp4_known("vllm"), "manual", id="FP4 kernels of a release"),
        pytest.param(knowledge.fp4_known(), "manual", id="who adds the suffix"),
        pytest.param(knowledge.pair_known(), "requires-dist", id="pairs"),
        pytest.param(knowledge.cap_known(), "resolution", id="caps"),
        pytest.param(knowledge.packages_known(), "manual", id="packages"),
        pytest.param(knowledge.note("torch-index").known, "manual", id="note"),
        pytest.param(knowledge.note("ngc-pytorch-without-pins").known, "quoted", id="note with an evidence of its own"),
    ],
)
def test_every_table_says_what_stands_behind_it(known: Known | None, evidence: str) -> None:
    assert known is not None
    assert known.evidence == evidence
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", known.as_of)
    assert not known.assumed


def test_what_is_fine_needs_nothing_behind_it() -> None:
    assert knowledge.cuda_known("cu130") is None
    assert knowledge.package_known("nothing-of-the-kind") is None


def flagged(path: Path) -> list[Finding]:
    """What a rule's own page has flagged."""
    own = RuleSet(tuple(each for each in RULES.rules if each.path == path), RULES.gotchas)
    examples = [each for each in page(path.with_suffix(".md")).examples if each.section == "Flagged"]
    texts = [{fence.file: fence.text for fence in example.fences} for example in examples]
    config = Config(min_confidence=POSSIBLE)
    return [finding for files in texts for finding in check_texts(files, config, rules=own).report().findings]


@pytest.mark.parametrize("path", sorted({each.path for each in RULES.rules}), ids=lambda path: path.stem)
def test_every_message_reads_well_with_what_stands_behind_it(path: Path) -> None:
    for finding in flagged(path):
        assert "\n" not in finding.message
        assert len(re.findall(r"\bas of 20", finding.message)) == (finding.known is not None)
        if finding.known is not None:
            assert finding.message.endswith(f"{finding.known})")
            assert ") (" not in finding.message
            assert finding.known.evidence in EVIDENCE
            assert re.fullmatch(r"20\d\d-\d\d-\d\d", finding.known.as_of)
            assert not finding.known.assumed or finding.confidence < Confidence.CERTAIN
