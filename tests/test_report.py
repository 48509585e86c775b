"""Reports as users see them. The golden files are read as prose: change one only when the new text is better."""

import json
import re
import unicodedata
from io import StringIO
from pathlib import Path

import pytest
from nasty import REPORT, TITLES, TRAIN

from spark_lint.findings import FileRead, Finding, Problem, Report
from spark_lint.report import FORMATS, writer
from spark_lint.report.terminal import excerpt, safe, safe_lines
from spark_lint.rule import CERTAIN, ERROR, INFO, WARNING, Related, Severity
from spark_lint.text import Source, Span

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(autouse=True)
def _no_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests may run in a job of GitHub Actions themselves."""
    for name in ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)


def written(name: str, report: Report, *, color: bool = False, quiet: bool = False, stale: str = "") -> str:
    out = StringIO()
    writer(name)(report, out, color=color, quiet=quiet, titles=TITLES, knowledge="2026-11-30", stale=stale)
    return out.getvalue()


@pytest.mark.parametrize("name", FORMATS)
def test_golden(name: str) -> None:
    expected = (GOLDEN / f"report.{name}").read_bytes().decode()
    actual = written(name, REPORT)
    if name == "json":
        version = json.loads(actual)["tool"]["version"]
        expected = expected.replace("VERSION", version)
    if name == "github":
        actual = re.sub("[0-9a-f]{32}", "TOKEN", actual)
    assert actual == expected


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("color", [False, True], ids=["plain", "color"])
def test_no_byte_of_a_file_reaches_the_terminal_as_a_command(name: str, color: bool) -> None:
    output = written(name, REPORT, color=color)
    allowed = "\n\x1b" if color else "\n"
    assert not [each for each in output if each not in allowed and unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert "\x1b[31m fails" not in output


def test_colour_changes_nothing_else() -> None:
    from click import unstyle

    colored = written("text", REPORT, color=True)
    assert "\x1b[" in colored
    assert unstyle(colored) == written("text", REPORT)


def test_quiet_leaves_out_the_summary() -> None:
    assert written("text", REPORT).startswith(written("text", REPORT, quiet=True))
    assert "Read 6 files" not in written("text", REPORT, quiet=True)
    assert "problem: '(' was never closed" in written("text", REPORT, quiet=True)


def test_knowledge_that_is_too_old_is_said_in_the_summary_alone() -> None:
    stale = "Update spark-lint: what it knows of images is of 2026-01-02, more than 180 days ago."
    for name in ("text", "github"):
        assert written(name, REPORT, stale=stale).endswith(f"for the why.\n{stale}\n")
    assert stale not in written("text", REPORT, stale=stale, quiet=True)
    assert json.loads(written("json", REPORT, stale=stale))["tool"]["stale"] == stale
    assert written("concise", REPORT, stale=stale) == written("concise", REPORT)


def test_json_keys_stand_in_the_documented_order() -> None:
    whole = json.loads(written("json", REPORT))
    assert list(whole) == ["schema", "tool", "columns", "findings", "problems", "summary"]
    keys = (
        "code gotcha rule severity confidence path line column end_line end_column cell message advice knowledge url related fix"
    )
    assert list(whole["findings"][0]) == keys.split()
    assert whole["findings"][5]["gotcha"] is None
    assert whole["findings"][1]["knowledge"] == {"as_of": "2026-09-30", "evidence": "file-list", "source": None, "assumed": True}
    assert whole["findings"][2]["knowledge"] is None
    assert whole["findings"][4]["path"] == TRAIN.path
    assert whole["summary"] == {"files": 6, "error": 3, "warning": 2, "info": 3, "seconds": 0.21}


@pytest.mark.parametrize(
    ("report", "last"),
    [
        pytest.param(Report(), "Found nothing to read.\nNothing was checked.\n", id="nothing to read"),
        pytest.param(
            Report(skipped=("a.xyz",)),
            "Not read: a.xyz: not a kind of file that spark-lint knows\nFound nothing to read.\nNothing was checked.\n",
            id="only a file of an unknown kind",
        ),
        pytest.param(
            Report(problems=(Problem("a.txt", 0, "no such file or directory", given=True),)),
            "a.txt: problem: no such file or directory\n\nFound nothing to read.\nNothing was checked; 1 problem.\n",
            id="nothing could be read",
        ),
        pytest.param(
            Report(files=(FileRead("a.py", "Python"),), assumptions=("Assumed one Spark.",)),
            "Read 1 file: 1 Python. Assumed one Spark.\nNothing found.\n",
            id="nothing found",
        ),
        pytest.param(
            Report(files=(FileRead("a.py", "Python"),), hidden=1),
            "Read 1 file: 1 Python.\nNothing found; 1 finding suppressed.\n",
            id="all suppressed",
        ),
        pytest.param(
            Report(files=(FileRead("a.py", "Python"),), problems=(Problem("b.py", 2, "bad"),)),
            "b.py:2: problem: bad\n\nRead 1 file: 1 Python.\n"
            "No findings in what could be read; 1 problem, so not everything could be checked.\n",
            id="not everything could be read",
        ),
        pytest.param(
            Report(files=(FileRead("a.py", "Python"),), skipped=("b.xyz",)),
            "Not read: b.xyz: not a kind of file that spark-lint knows\nRead 1 file: 1 Python.\n"
            "No findings in what could be read.\n",
            id="a given file was not read",
        ),
    ],
)
def test_nothing_found_is_said_only_when_everything_was_read(report: Report, last: str) -> None:
    assert written("text", report) == last


def found(code: str, severity: Severity, line: int) -> Finding:
    return Finding(code, severity, CERTAIN, Span("a", line, 1, line, 2), "m")


def first(*findings: Finding) -> str:
    lines = written("text", Report(findings=findings, files=(FileRead("a", "Python"),))).splitlines()
    return next((line for line in lines if line.startswith("Fix first")), "")


def test_causes_are_ordered_by_severity_then_places() -> None:
    many = [found("G2/b", WARNING, line) for line in range(9)]
    few = [found("G3/c", ERROR, 1), found("G4/d", ERROR, 1), found("G4/d", ERROR, 2), found("G4/d", ERROR, 2)]
    infos = [found("G5/e", INFO, 1), found("lint/unused-suppression", WARNING, 1)]
    assert first(*many, *few, *infos) == "Fix first: d (2 places), c (1 place), b (9 places)."


def test_worst_severity_of_a_cause_counts() -> None:
    assert first(found("G1/a", WARNING, 1), found("G2/b", WARNING, 1), found("G2/b", ERROR, 2)).startswith("Fix first: b (2")


def test_many_causes_are_cut() -> None:
    line = first(*(found(f"G1/{name}", ERROR, 1) for name in "abcdefgh"))
    assert line == "Fix first: a (1 place), b (1 place), c (1 place), d (1 place), e (1 place), and 3 more."


def test_one_cause_needs_no_order() -> None:
    assert first(found("G1/a", ERROR, 1), found("G1/a", ERROR, 2)) == ""


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        pytest.param("Torch from a CUDA 12 index", "torch from a CUDA 12 index", id="sentence"),
        pytest.param("CUDA 12 image", "CUDA 12 image", id="abbreviation"),
        pytest.param("PyTorch is CPU-only", "PyTorch is CPU-only", id="name"),
        pytest.param("`sdpa` is dropped", "`sdpa` is dropped", id="code"),
        pytest.param("", "x-y", id="no title"),
        pytest.param("A" * 61, "x-y", id="long title"),
    ],
)
def test_titles_stand_inside_a_sentence(title: str, shown: str) -> None:
    out = StringIO()
    report = Report(findings=(found("G1/x-y", ERROR, 1), found("G2/z", ERROR, 1)), files=(FileRead("a", "Python"),))
    writer("text")(report, out, titles={"G1/x-y": title})
    assert f"Fix first: {shown} (1 place), z (1 place)." in out.getvalue()


def test_span_beyond_the_source_has_no_excerpt() -> None:
    report = Report(findings=(found("G1/a", ERROR, 9),), sources={"a": Source("a", "x")})
    assert "|" not in written("text", report)


@pytest.mark.parametrize(
    ("line", "start", "stop", "shown", "carets"),
    [
        pytest.param("pip install x", 4, 11, "pip install x", "    ^^^^^^^", id="plain"),
        pytest.param("\t\tx y", 2, 3, "        x y", "        ^", id="tabs become blanks"),
        pytest.param("a\tb", 1, 2, "a    b", " ^^^^", id="tab under the caret"),
        pytest.param("模型 = 'x'", 5, 8, "模型 = 'x'", "       ^^^", id="wide characters take two cells"),
        pytest.param("模型 x", 0, 2, "模型 x", "^^^^", id="carets under wide characters"),
        pytest.param("##[x] y", 6, 7, r"\x23#[x] y", "         ^", id="command of a CI job becomes an escape"),
        pytest.param("e\u0301x", 2, 3, "e\u0301x", " ^", id="accent takes no cell"),
        pytest.param("a\x1bb", 2, 3, r"a\x1bb", "     ^", id="control becomes an escape"),
        pytest.param("a\u202eb", 1, 2, r"a\u202eb", " ^^^^^^", id="carets under an escape"),
        pytest.param("x", 1, 1, "x", " ^", id="empty span at the end"),
        pytest.param("", 0, 0, "", "^", id="empty line"),
        pytest.param("x", 7, 9, "x", " ^", id="span behind the line"),
        pytest.param("x" * 100, 0, 1, "x" * 100, "^", id="whole line fits"),
        pytest.param("x" * 101, 0, 1, "x" * 100 + "…", "^", id="cut at the end"),
        pytest.param("x" * 150 + "Y", 150, 151, "…" + "x" * 99 + "Y", " " * 100 + "^", id="cut at the start"),
        pytest.param(
            "x" * 150 + "Y" + "z" * 150, 150, 151, "…" + "x" * 30 + "Y" + "z" * 69 + "…", " " * 31 + "^", id="cut at both ends"
        ),
        pytest.param(
            "x" * 40 + "Y" * 300, 40, 340, "…" + "x" * 30 + "Y" * 70 + "…", " " * 31 + "^" * 70, id="span too long to show"
        ),
        pytest.param("型" * 200, 100, 101, "…" + "型" * 50 + "…", " " * 31 + "^^", id="cells are counted, not characters"),
    ],
)
def test_excerpt(line: str, start: int, stop: int, shown: str, carets: str) -> None:
    text, blanks, under = excerpt(line, start, stop)
    assert (text, blanks + under) == (shown, carets)


def test_line_of_a_million_accents_is_cut_too() -> None:
    shown, _, _ = excerpt("e" + "\u0301" * 1_000_000, 500_000, 500_001)
    assert len(shown) <= 102


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain `text` é 模 🙂", "plain `text` é 模 🙂", id="text"),
        pytest.param("a\nb\tc\r", r"a\nb\tc\r", id="line ends"),
        pytest.param("\x1b]0;x\x07\x7f\x9b", r"\x1b]0;x\x07\x7f\x9b", id="terminal commands, C1 too"),
        pytest.param("\u202a\u202e\u2066\u2069\u200f", r"\u202a\u202e\u2066\u2069\u200f", id="reading direction"),
        pytest.param("\u200b\ufeff\u00ad", r"\u200b\ufeff\xad", id="invisible"),
        pytest.param("\u2028\u2029\x85", r"\u2028\u2029\x85", id="line ends of Unicode"),
        pytest.param("\udcff", r"\udcff", id="byte of a file name that is not UTF-8"),
        pytest.param("\U000e0041", r"\U000e0041", id="tag"),
        pytest.param("::error::x", r"\x3a:error::x", id="command of a CI job"),
        pytest.param(" \t::error::x", r" \t::error::x", id="tab is no blank any more"),
        pytest.param("  ::error::x", r"  \x3a:error::x", id="indented command"),
        pytest.param("a ::error::x", "a ::error::x", id="no command behind other text"),
        pytest.param("a ##[error]x", r"a \x23#[error]x", id="command anywhere in a line"),
        pytest.param("##vso[task.complete]", r"\x23#vso[task.complete]", id="command of another CI"),
        pytest.param("###[error]", r"#\x23#[error]", id="command behind a sign of its own"),
        pytest.param("## [x] C#[0]", "## [x] C#[0]", id="no command"),
    ],
)
def test_unsafe_characters_become_escapes(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_no_line_of_a_text_is_a_command_of_a_ci_job() -> None:
    assert safe_lines("a\n::b::\n\t::c::\nd ##[e]") == "a\n\\x3a:b::\n\t\\x3a:c::\nd \\x23#[e]"


def test_text_of_several_lines_keeps_lines_and_tabs() -> None:
    assert safe_lines("a\r\n\tb\x1b\rc") == "a\n\tb\\x1b\\rc"


def test_a_finding_shows_its_first_related_places_and_counts_the_rest() -> None:
    related = tuple(Related(Span(f"run{number}.sh", 1, 1, 1, 5), "run here") for number in range(8))
    finding = Finding("G1/torch-index-cuda12", ERROR, CERTAIN, Span("train.py", 1, 1, 1, 5), "m", related=related)
    text = written("text", Report(findings=(finding,)), quiet=True)
    assert "run at run4.sh:1" in text
    assert "run5.sh" not in text
    assert "and 3 more places" in text
