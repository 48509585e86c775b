"""Reports in GitHub Actions: annotations, what a runner's limits leave out, the job's summary, and that no file commands a runner."""

import html
import re
from io import StringIO
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from runner import Job, job

from spark_lint.findings import FileRead, Finding, Problem, Report
from spark_lint.report import writer
from spark_lint.rule import CERTAIN, ERROR, INFO, WARNING, Related, Severity
from spark_lint.text import Span


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A step that runs at the top of its workspace."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    return folder


def found(severity: Severity = ERROR, path: str = "a.py", line: int = 1, message: str = "wrong", instead: str = "") -> Finding:
    return Finding("G1/old-cuda", severity, CERTAIN, Span(path, line, 3, line, 9), message, instead)


def output(*findings: Finding, problems: tuple[Problem, ...] = (), quiet: bool = False, **more: object) -> str:
    out = StringIO()
    report = Report(findings, problems, (FileRead("a.py", "Python"),), **more)  # type: ignore[arg-type]
    writer("github")(report, out, quiet=quiet)
    return out.getvalue()


def ran(*findings: Finding, problems: tuple[Problem, ...] = ()) -> Job:
    return job(output(*findings, problems=problems))


def table(tmp_path: Path) -> str:
    return (tmp_path / "summary.md").read_text("utf-8")


# Annotations.


def test_annotation() -> None:
    related = Related(Span("Dockerfile", 7, 1, 7, 9), "installed here (ubuntu)")
    finding = Finding("G1/old-cuda", ERROR, CERTAIN, Span("a, b%3A: 100%.py", 2, 3, 2, 9), "50%0A wrong", "x\ny", (related,))
    assert ran(finding).annotations == [
        (
            "error",
            {"file": "a, b%3A: 100%.py", "line": "2", "col": "3", "endLine": "2", "endColumn": "8", "title": "G1/old-cuda"},
            "50%0A wrong\ninstead:\nx\ny\ninstalled at Dockerfile:7 (ubuntu)",
        )
    ]


@pytest.mark.parametrize(
    ("span", "place"),
    [
        pytest.param(Span("a", 2, 3, 2, 4), {"line": "2", "col": "3", "endLine": "2", "endColumn": "3"}, id="one character"),
        pytest.param(Span("a", 2, 3, 2, 3), {"line": "2", "col": "3", "endLine": "2", "endColumn": "3"}, id="between two"),
        pytest.param(Span("a", 2, 3, 4, 2), {"line": "2", "endLine": "4"}, id="several lines have no columns"),
        pytest.param(Span("a", 2, 3, 4, 1), {"line": "2", "endLine": "3"}, id="up to the end of a line"),
    ],
)
def test_place_of_an_annotation(span: Span, place: dict[str, str]) -> None:
    (annotation,) = ran(Finding("G1/a", ERROR, CERTAIN, span, "m")).annotations
    assert annotation[1] == {"file": "a", **place, "title": "G1/a"}


def test_levels_stand_in_the_order_of_their_weight() -> None:
    levels = [each[0] for each in ran(found(INFO), found(WARNING), found(ERROR)).annotations]
    assert levels == ["error", "warning", "notice"]


def test_what_could_not_be_read_is_annotated() -> None:
    given = Problem("gone.txt", 0, "no such file or directory", given=True)
    annotations = ran(problems=(Problem("b.yaml", 3, "tabs: 100%"), given)).annotations
    title = "spark-lint: not everything could be read"
    assert annotations == [
        ("error", {"file": "gone.txt", "title": title}, "no such file or directory"),
        ("warning", {"file": "b.yaml", "line": "3", "title": title}, "tabs: 100%"),
    ]


def test_paths_start_at_the_workspace(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = workspace / "train" / "code"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    files = [each[1].get("file") for each in ran(found(path="a.py"), found(path="../b.py"), found(path="../../c.py")).annotations]
    assert files == ["train/code/a.py", "train/b.py", "c.py"]


def test_paths_start_at_the_workspace_behind_a_link(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (workspace / "train").mkdir()
    (workspace.parent / "link").symlink_to(workspace)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(workspace.parent / "link"))
    monkeypatch.chdir(workspace / "train")
    assert ran(found()).annotations[0][1]["file"] == "train/a.py"


def test_file_outside_the_workspace_is_named_in_the_message() -> None:
    ((_, properties, message),) = ran(found(path="../other/a.py")).annotations
    assert (properties, message) == ({"title": "G1/old-cuda"}, "../other/a.py: wrong")


def test_without_a_workspace_paths_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE")
    assert ran(found(path="../a.py")).annotations[0][1]["file"] == "../a.py"


def test_long_message_is_cut_by_us() -> None:
    ((_, _, message),) = ran(found(message="x" * 5000)).annotations
    assert message == "x" * 2000 + "…"


# Limits.


def test_ten_of_a_level_are_shown_without_a_word() -> None:
    assert [each[2] for each in ran(*(found(line=line) for line in range(1, 11))).annotations] == ["wrong"] * 10


def test_last_annotation_of_a_level_says_what_is_not_shown() -> None:
    many = [found(severity, line=line) for severity in (WARNING, ERROR) for line in range(1, 31)]
    shown = ran(*many, found(INFO), problems=(Problem("b.py", 0, "bad"),))
    for level, more in (("error", 21), ("warning", 22)):
        messages = [message for each, _, message in shown.annotations if each == level]
        assert len(messages) == 10
        assert (
            messages[-1]
            == f"{more} more {level}s: GitHub shows 10 of a step; the log of this step and the job's summary list them all"
        )
    issues = [each for each in shown.commands if each[0] in ("error", "warning", "notice")]
    assert len(issues) == len(shown.annotations) == 21


def test_log_is_named_alone_where_there_is_no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    last = ran(*(found(line=line) for line in range(1, 12))).annotations[-1]
    assert last[2] == "2 more errors: GitHub shows 10 of a step; the log of this step lists them all"


def test_log_lists_everything() -> None:
    shown = ran(*(found(line=line, instead="right") for line in range(1, 31)), problems=(Problem("b.py", 2, "bad"),))
    for line in range(1, 31):
        assert f"a.py:{line}:3: error G1/old-cuda: wrong" in shown.log
    assert shown.log.count("  instead: right") == 30
    assert "b.py:2: problem: bad" in shown.log
    names = [name for name, _, _ in shown.commands if name not in ("error", "warning")]
    assert names == ["group", "stop-commands", "endgroup"]
    assert shown.stopped == ""


def test_clean_run_says_so_and_commands_nothing(tmp_path: Path) -> None:
    assert output() == "Read 1 file: 1 Python.\nNothing found.\n"
    assert "Nothing found." in html.unescape(table(tmp_path))


def test_quiet_run_without_findings_is_silent() -> None:
    assert output(quiet=True) == ""


# What files say is no command.

HOSTILE = [
    "a::error::b%0A.txt",
    "::error file=x,line=1::forged",
    "  ::add-mask::e",
    "x\n::error::forged",
    "x\r::error::forged",
    "x%0A::error::forged",
    "x ##[error]forged",
    "##[stop-commands]x",
    "##[add-path]/tmp",
    "\ufeff::error::forged",
    "\u2028::error::forged",
    "\x1b[2K::error::forged",
    "::stop-commands::x",
    "::endgroup::",
    "| x | `y` | <script>z</script>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_file_commands_the_runner(text: str) -> None:
    finding = Finding("G1/a", ERROR, CERTAIN, Span(text, 1, 1, 1, 2), text, text, (Related(Span(text, 1, 1, 1, 2), text),))
    problem = Problem(text, 1, text)
    written = output(finding, problems=(problem,), skipped=(text,), assumptions=(text,))
    # Not even where nothing holds the runner back.
    for shown in (job(written), job(re.sub(".*stop-commands::[0-9a-f]{32}\n", "", written))):
        names = [each[0] for each in shown.commands if each[0] != "stop-commands"]
        assert names == ["error", "warning", "group", "endgroup"]
        assert shown.annotations[0][1].keys() == {"file", "line", "col", "endLine", "endColumn", "title"}
        assert not any("\x1b" in line or "\r" in line for line in shown.log)


@pytest.mark.parametrize("name", ["text", "concise", "json"])
@pytest.mark.parametrize("text", HOSTILE)
def test_no_file_commands_the_runner_in_another_format(name: str, text: str) -> None:
    out = StringIO()
    finding = Finding("G1/a", ERROR, CERTAIN, Span(text, 1, 1, 1, 2), text, text, (Related(Span(text, 1, 1, 1, 2), text),))
    writer(name)(Report((finding,), (Problem(text, 1, text),), skipped=(text,), assumptions=(text,)), out)
    assert job(out.getvalue()).commands == []


def test_token_that_lets_commands_pass_again_is_never_the_same() -> None:
    one, other = (re.search("stop-commands::(.*)", output(found())) for _ in range(2))
    assert one
    assert other
    assert one[1] != other[1]


# The job's summary.


def cells(text: str) -> list[list[str]]:
    """The table of a summary as a reader of Markdown sees it, row by row."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            assert {each.type for each in token.children or ()} <= {"text", "text_special", "html_inline"}
            tags = [each.content for each in token.children or () if each.type == "html_inline"]
            assert set(tags) <= {"<code>", "</code>", "<br>", "<wbr>"}
            rows[-1].append("".join(each.content for each in token.children or () if each.type != "html_inline"))
    return rows


def test_summary_lists_everything_worst_first(tmp_path: Path) -> None:
    output(found(INFO), found(WARNING, line=2), found(ERROR, line=3, instead="x\ny"), problems=(Problem("b.py", 2, "bad"),))
    assert cells(table(tmp_path)) == [
        ["Severity", "Where", "Code", "What", "Instead"],
        ["problem", "b.py:2", "", "bad", ""],
        ["error", "a.py:3", "G1/old-cuda", "wrong", "xy"],
        ["warning", "a.py:2", "G1/old-cuda", "wrong", ""],
        ["info", "a.py:1", "G1/old-cuda", "wrong", ""],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a | b",
        "a \\| b \\",
        "`a` ``b",
        "<img src=x onerror=alert(1)> <!-- </code>",
        "[a](https://example.org) ![b](x) <https://example.org>",
        "https://example.org www.example.org a@example.org @somebody #1",
        "*a* _b_ ~~c~~ $d$ :x: &lt; &#60;",
        "[^1] - [ ] # a",
    ],
)
def test_summary_shows_what_files_say_as_text(tmp_path: Path, text: str) -> None:
    output(found(message=text, instead=text, path=text))
    assert cells(table(tmp_path))[1] == ["error", f"{text}:1", "G1/old-cuda", text, text]
    # Linkifiers look for these in the source, and for addresses of mail in what it says.
    assert not re.search(r"://|www\.", table(tmp_path))
    assert not re.search(r"\w@\w", html.unescape(table(tmp_path)))


def test_summary_is_added_to_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("before\n")
    output(found())
    assert table(tmp_path).startswith("before\n\n## spark-lint\n\n")


def test_summary_stays_below_the_limit_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("x" * 900_000)
    output(*(found(line=line, message="|" * 400) for line in range(1, 1001)))
    written = table(tmp_path)
    assert 1_000_000 < len(written.encode()) < 1024 * 1024
    rows = written.count("\n| error |")
    assert written.endswith(f"\n{1000 - rows} more rows would not fit here; the log of this step lists everything.\n")


def test_summary_that_is_full_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("x" * 1024 * 1024)
    output(found())
    assert (tmp_path / "summary.md").stat().st_size == 1024 * 1024


def test_summary_that_cannot_be_written_fails_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "summary.md"))
    assert ran(found()).annotations
    assert capsys.readouterr().err.endswith("summary.md: No such file or directory\n")


def test_outputs_of_the_step(tmp_path: Path) -> None:
    (tmp_path / "output").write_text("a=b\n")
    output(found(), found(), found(WARNING), found(INFO))
    assert (tmp_path / "output").read_text() == "a=b\nfindings=4\nerrors=2\nwarnings=1\n"
