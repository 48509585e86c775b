"""What the command line writes: reports, lists, pages; and the whole program once."""

import io
import json
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from engine import RULE, Lint, found

import spark_lint.cli
import spark_lint.knowledge
from spark_lint import __version__
from spark_lint.cli import run
from spark_lint.findings import Finding, Problem, Report
from spark_lint.rule import CERTAIN, ERROR, WARNING
from spark_lint.text import Source, Span

# What is written.


def test_report_goes_to_a_file(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    lint.report = Report(findings=(found(ERROR),), files=lint.report.files)
    assert run(["--output-format", "concise", "--output-file", "out.txt"]) == 1
    assert Path("out.txt").read_bytes() == b"a.txt:1:1: error G1/old-cuda: old\n"
    assert capsys.readouterr().out == ""


def test_report_file_that_cannot_be_written(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--output-file", "nowhere/out.txt"]) == 2
    assert capsys.readouterr().err == "spark-lint: nowhere/out.txt: No such file or directory\n"


def test_json_carries_the_date_of_the_knowledge(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--output-format", "json"]) == 0
    tool = json.loads(capsys.readouterr().out)["tool"]
    assert (tool["version"], tool["knowledge"]) == (__version__, spark_lint.knowledge.as_of())


def test_old_knowledge_changes_no_exit_status(
    lint: Lint, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lint.report = Report(files=lint.report.files)
    newest = date.fromisoformat(spark_lint.knowledge.as_of())
    monkeypatch.setattr(spark_lint.cli, "today", lambda: newest)
    assert run([]) == 0
    assert "Update spark-lint" not in capsys.readouterr().out
    monkeypatch.setattr(spark_lint.cli, "today", lambda: newest + timedelta(days=400))
    assert run([]) == 0
    expected = "\nUpdate spark-lint: what it knows of packages, of images and of versions that go together is of 20"
    assert expected in capsys.readouterr().out


def test_titles_of_pages_name_the_causes(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    other = Finding("G1/amd64", ERROR, CERTAIN, Span("a.txt", 2, 1, 2, 2), "x")
    lint.report = Report(findings=(found(WARNING), other), files=lint.report.files)
    assert run([]) == 1
    assert "Fix first: about amd64 (1 place), about old_cuda (1 place).\n" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["concise", "json"])
def test_what_was_not_read_is_said_in_every_format(lint: Lint, capsys: pytest.CaptureFixture[str], form: str) -> None:
    lint.report = Report(skipped=("a\n.xyz",))
    assert run(["--output-format", form]) == 0
    assert capsys.readouterr().err == "spark-lint: a\\n.xyz: not a kind of file that is read\nspark-lint: found nothing to read\n"


def test_annotations_and_what_was_not_read(
    lint: Lint, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    lint.report = Report(findings=(found(ERROR),), files=lint.report.files, skipped=("a.xyz",))
    assert run(["--output-format", "github"]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("::error file=a.txt,line=1,col=1,endLine=1,endColumn=1,title=G1/old-cuda::old\n")
    assert "\nNot read: a.xyz: not a kind of file that spark-lint knows\n" in shown.out
    assert shown.err == ""
    assert run(["--output-format", "github", "--quiet"]) == 1
    assert capsys.readouterr().err == "spark-lint: a.xyz: not a kind of file that is read\n"


@pytest.mark.parametrize(
    ("arguments", "variables", "colored"),
    [
        pytest.param([], {}, False, id="no terminal"),
        pytest.param(["--color", "always"], {"NO_COLOR": "1"}, True, id="always"),
        pytest.param(["--color", "never"], {"FORCE_COLOR": "1"}, False, id="never"),
        pytest.param([], {"FORCE_COLOR": "1"}, True, id="FORCE_COLOR"),
        pytest.param([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, id="NO_COLOR wins"),
        pytest.param([], {"FORCE_COLOR": "1", "NO_COLOR": ""}, True, id="empty NO_COLOR is none"),
    ],
)
def test_colour(
    lint: Lint,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    variables: dict[str, str],
    colored: bool,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    lint.report = Report(findings=(found(ERROR),), sources={"a.txt": Source("a.txt", "torch\n")})
    assert run(arguments) == 1
    assert ("\x1b[31m" in capsys.readouterr().out) is colored


def test_quiet(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    lint.report = Report(files=lint.report.files, skipped=("a.xyz",))
    assert run(["--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_what_an_encoding_lacks_is_escaped(lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    lint.report = Report(problems=(Problem("träin.py", 1, "模"),))
    assert run(["--quiet"]) == 0
    assert raw.getvalue() == b"tr\\xe4in.py:1: problem: \\u6a21\n"


def test_reader_that_leaves_is_no_error() -> None:
    code = "from spark_lint.console import write; write('x' * 1_000_000); write('y')"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ran:
        assert ran.stdout is not None
        assert ran.stderr is not None
        ran.stdout.close()
        assert (ran.stderr.read(), ran.wait()) == (b"", 0)


def test_files_are_listed(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    Path("requirements.txt").touch()
    Path("Dockerfile").touch()
    assert run(["--show-files"]) == 0
    assert capsys.readouterr().out == "Dockerfile: Dockerfile\nrequirements.txt: requirements\n"
    assert run(["--show-files", "requirements.txt"]) == 0
    shown = "Dockerfile: Dockerfile (only to see where the others run)\nrequirements.txt: requirements\n"
    assert capsys.readouterr().out == shown
    assert run(["--show-files", "gone.txt"]) == 2
    assert capsys.readouterr().err == "spark-lint: gone.txt: no such file or directory\nspark-lint: found nothing to read\n"


def test_settings_are_listed(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    Path("spark-lint.toml").write_text("sparks = 2\n")
    assert run(["--show-settings", "--fail-on", "error"]) == 0
    shown = capsys.readouterr().out
    assert 'fail-on = "error"  # command line\n' in shown
    assert "sparks = 2  # spark-lint.toml\n" in shown


# Rules and pages.


@pytest.mark.parametrize("code", ["G1/old-cuda", "old-cuda"])
def test_page_is_shown_as_written(lint: Lint, capsys: pytest.CaptureFixture[str], code: str) -> None:
    assert run(["explain", code]) == 0
    assert capsys.readouterr().out == "# About old_cuda\n\nWhy.\n"


def test_gotcha_is_shown_with_its_rules(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "G1"]) == 0
    expected = (
        "# G1: CUDA 12\n\nSymptom.\n\n## Rules\n\n- `G1/amd64` (warning): About amd64\n- `G1/old-cuda` (error): About old_cuda\n"
    )
    assert capsys.readouterr().out == expected
    assert run(["explain", "G3"]) == 0
    assert capsys.readouterr().out == "## Rules\n\nNone yet.\n"


@pytest.mark.parametrize("code", ["lint/unused-suppression", "unused-suppression", "lint"])
def test_own_codes_are_explained(lint: Lint, capsys: pytest.CaptureFixture[str], code: str) -> None:
    assert run(["explain", code]) == 0
    assert "`lint/unused-suppression`" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["a b.txt:3", "a b.txt:3:7"])
def test_why_is_asked_with_the_settings(lint: Lint, capsys: pytest.CaptureFixture[str], place: str) -> None:
    Path("a b.txt").write_text("\n\n\n")
    assert run(["explain", "--why", place, "--sparks", "2"]) == 0
    assert capsys.readouterr().out == "a b.txt 3 2 \\x1b[31m\n"


def test_why_of_a_file_that_is_not_there_is_a_wrong_usage(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "--why", "gone.txt:3"]) == 2
    assert "gone.txt: no such file" in capsys.readouterr().err


def test_rules_are_listed_in_columns(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    assert capsys.readouterr().out == (
        "G1/amd64     warning  certain  About amd64\n"
        "G1/old-cuda  error    certain  About old_cuda\n"
        "G10/tensor   info     certain  About tensor\n"
    )


def test_rules_are_listed_for_programs(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--output-format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["code"] for row in listed] == ["G1/amd64", "G1/old-cuda", "G10/tensor"]
    assert listed[0] == {
        "code": "G1/amd64",
        "gotcha": "G1",
        "rule": "amd64",
        "title": "About amd64",
        "severities": ["warning"],
        "confidence": "certain",
        "fix": None,
        "as_of": spark_lint.knowledge.as_of(),
    }


# The whole program.


def program(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", "from spark_lint.cli import main; main()", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_run_on_a_small_folder(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(
        "--index-url https://download.pytorch.org/whl/cu124\n"
        "flash-attn  # spark-lint: ignore[G2/flash-attn-requirement] built in CI\n"
        "numpy  # spark-lint: ignore[G2/flash-atn-requirement]\n"
    )
    ran = program(tmp_path, "--output-format", "concise")
    assert [line.split(": ")[:2] for line in ran.stdout.splitlines()] == [
        ["requirements.txt:1:13", "error G1/torch-index-cuda12"],
        ["requirements.txt:3:29", "warning lint/unknown-suppression"],
    ]
    assert (ran.returncode, ran.stderr) == (1, "")


PAGE = """\
# Mine

Why.

## Do instead

`other`

## Flagged

```text requirements.txt
mine ← G2/mine
```

## Fine

```text requirements.txt
mine; platform_machine == "x86_64"
```

and

```text requirements.txt
mine; sys_platform == "win32"
```

## Sources

https://example.org, 2026-11
"""


def test_pages_of_a_folder_are_run(tmp_path: Path) -> None:
    own = tmp_path / "g2_mine"
    own.mkdir()
    (own / "mine.py").write_text(RULE.format(name="mine", severity="ERROR"))
    (own / "mine.md").write_text(PAGE)
    ran = program(tmp_path, "test", ".")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "Pages: 1, fences: 3, failures: 0.\n", "")

    (own / "mine.md").write_text(PAGE.replace('; sys_platform == "win32"', ""))
    ran = program(tmp_path, "test", "g2_mine")
    shown = "g2_mine/mine.md:24: did not expect G2/mine\nPages: 1, fences: 3, failures: 1.\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, shown, "")
