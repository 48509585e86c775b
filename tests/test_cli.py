"""The command line: what it asks the engine for, and the exit status."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from engine import RULE, Lint, found

from spark_lint import __version__
from spark_lint.cli import run
from spark_lint.findings import Problem, Report
from spark_lint.rule import ERROR, INFO, WARNING, Severity

HEAVY = ("libcst", "tree_sitter", "yaml", "tomli", "packaging", "pathspec", "markdown_it", "identify", "pip_requirements_parser")

# What is asked.


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"spark-lint {__version__}\n"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["check", "--help"]], ids=" ".join)
def test_what_needs_no_engine_imports_none(arguments: list[str]) -> None:
    code = (
        f"import sys; from spark_lint.cli import run; run({arguments!r})\n"
        "print(sorted(name for name in sys.modules if name.startswith('spark_lint.')), file=sys.stderr)\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stderr == "['spark_lint.cli', 'spark_lint.console']\n[]\n"


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        pytest.param([], (".",), id="nothing is the working directory"),
        pytest.param(["a.txt"], ("a.txt",), id="default command"),
        pytest.param(["check", "a.txt", "b"], ("a.txt", "b"), id="check"),
        pytest.param(["--strict", "a.txt"], ("a.txt",), id="option first"),
        pytest.param(["--", "--strict"], ("--strict",), id="file named like an option"),
        pytest.param(["check", "--", "rules"], ("rules",), id="file named like a command"),
        pytest.param(["./rules"], ("./rules",), id="its path says so too"),
        pytest.param(["env"], ("env",), id="no command of that name"),
    ],
)
def test_paths_are_checked(lint: Lint, arguments: list[str], paths: tuple[str, ...]) -> None:
    assert run(arguments) == 0
    assert lint.paths == paths


def test_options_become_settings(lint: Lint) -> None:
    arguments = "--select G1,G10 --ignore amd64 --exclude a,b --exclude c --force-exclude --fail-on never --strict"
    more = "--min-confidence possible --image x/y:1 --sparks 2 --python 3.13"
    assert run([*arguments.split(), *more.split()]) == 0
    config = lint.config
    assert (config.select, config.ignore, config.exclude) == (("G1", "G10"), ("amd64",), ("a", "b", "c"))
    assert (config.force_exclude, config.strict, config.fail_on) == (True, True, None)
    assert (str(config.min_confidence), config.image, config.sparks, config.python) == ("possible", "x/y:1", 2, "3.13")


def test_gotcha_without_rules_can_be_named(lint: Lint) -> None:
    assert run(["--ignore", "G3"]) == 0


def test_configuration_is_looked_for_above_what_is_given(lint: Lint, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "work" / "x" / name).mkdir(parents=True)
        (tmp_path / "work" / "x" / name / "r.txt").touch()
    (tmp_path / "work" / "x" / "spark-lint.toml").write_text("sparks = 2\n")
    (tmp_path / "work" / "x" / "a" / "spark-lint.toml").write_text("sparks = 3\n")
    for paths, sparks in ((["x/a/r.txt"], 3), (["x/a"], 3), (["x/a/r.txt", "x/b/r.txt"], 2), (["x"], 2), (["."], None)):
        assert run(paths) == 0
        assert lint.config.sparks == sparks, paths
    assert run(["x/a", "--isolated"]) == 0
    assert lint.config.sparks is None
    assert run(["x/a", "--config", "x/spark-lint.toml"]) == 0
    assert lint.config.sparks == 2


def test_standard_input_is_read_as_the_named_file(lint: Lint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "work" / "x").mkdir()
    (tmp_path / "work" / "x" / "spark-lint.toml").write_text("sparks = 2\nmax-file-size = 4\n")
    for paths in (["-"], []):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"torch\xff and more")))
        assert run(["--stdin-filename", "x/r.txt", *paths]) == 0
        assert (lint.stdin, lint.paths, lint.config.sparks) == (("x/r.txt", b"torch"), (), 2)


@pytest.mark.parametrize(("closed", "said"), [("<&-", "no standard input"), (">&-", "standard output: Bad file descriptor")])
def test_a_closed_stream_is_no_internal_error(closed: str, said: str, tmp_path: Path) -> None:
    command = f"{sys.executable} -m spark_lint --isolated --stdin-filename requirements.txt {closed}"
    ran = subprocess.run(command, shell=True, input="", capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 2
    assert said in ran.stderr


def test_rules_folder_is_added(lint: Lint, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "own" / "g2_mine"
    own.mkdir(parents=True)
    (own / "mine.py").write_text(RULE.format(name="mine", severity="ERROR"))
    assert run(["--select", "G2/mine", "--rules", str(own.parent)]) == 0
    assert run(["--select", "G2/mine"]) == 2
    assert capsys.readouterr().err == "spark-lint: --select: `G2/mine` names no rule\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--nonsense"], "No such option", id="unknown option"),
        pytest.param(["--fail-on", "bad"], "Invalid value for '--fail-on'", id="choice"),
        pytest.param(["--sparks", "0"], "Invalid value for '--sparks'", id="no Spark"),
        pytest.param(["--python", "three"], '--python: expected a string such as "3.12"', id="python"),
        pytest.param(["--select", "G11"], "--select: `G11` names no rule; did you mean `G1`?", id="unknown rule"),
        pytest.param(["-"], "go together", id="standard input without a name"),
        pytest.param(["--stdin-filename", "a.txt", "b.txt"], "go together", id="a name with paths"),
        pytest.param([""], "A PATH is empty", id="empty path"),
        pytest.param(["--stdin-filename", ""], "A PATH is empty", id="empty name"),
        pytest.param(["--isolated", "--config", "c.toml"], "'c.toml' does not exist", id="no such configuration"),
        pytest.param(["--isolated", "--config", "present.toml"], "--isolated reads no configuration", id="contradiction"),
        pytest.param(["--rules", "nowhere"], "Directory 'nowhere' does not exist", id="no such rules"),
        pytest.param(["--rules", "."], "no folder of rules", id="no rules there"),
        pytest.param(["explain"], "Give a NAME", id="explain nothing"),
        pytest.param(["explain", "G1", "--why", "a:1"], "Give a NAME", id="explain two things"),
        pytest.param(["explain", "--why", "a"], "'a' is not PATH:LINE", id="why without a line"),
        pytest.param(["explain", "--why", "a:1", "--output-format", "json"], "--why has no JSON", id="why as JSON"),
        pytest.param(["explain", "torch", "--python", "3.11"], "--python is for --why", id="explain for another Python"),
        pytest.param(["explain", "old-cda"], "in the tables; did you mean `old-cuda`?", id="explain unknown"),
        pytest.param(
            ["explain", "G4"],
            "`G4` is no rule or gotcha, and no package, image or model in the tables",
            id="explain unknown gotcha",
        ),
        pytest.param(["explain", "tensorlfow"], "did you mean `tensorflow`?", id="explain unknown package"),
        pytest.param(["explain", "torch @ https://example.org/torch.whl"], "in the tables", id="explain an address"),
    ],
)
def test_usage_errors(lint: Lint, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    Path("present.toml").touch()
    assert run(arguments) == 2
    streams = capsys.readouterr()
    assert message in streams.err
    assert streams.out == ""


def test_configuration_error_is_one_safe_line(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    Path("spark-lint.toml").write_text('"bad\\u001b[31m" = 1\n')
    assert run([]) == 2
    assert capsys.readouterr().err == "spark-lint: spark-lint.toml:1: unknown setting `bad\\x1b[31m`\n"


# The exit status.


@pytest.mark.parametrize(
    ("severity", "fail_on", "status"),
    [
        (None, "info", 0),
        (ERROR, "never", 0),
        (ERROR, "error", 1),
        (WARNING, "error", 0),
        (WARNING, "warning", 1),
        (INFO, "warning", 0),
        (INFO, "info", 1),
        (ERROR, "info", 1),
    ],
)
@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_findings_fail_from_the_threshold_on_in_every_format(
    lint: Lint, severity: Severity | None, fail_on: str, status: int, form: str
) -> None:
    lint.report = Report(findings=(found(severity),) if severity is not None else (), files=lint.report.files)
    assert run(["--fail-on", fail_on, "--output-format", form]) == status


def test_warnings_fail_by_default(lint: Lint) -> None:
    lint.report = Report(findings=(found(WARNING),))
    assert run([]) == 1


@pytest.mark.parametrize(
    ("given", "arguments", "status"),
    [
        pytest.param(False, [], 0, id="found by walking"),
        pytest.param(False, ["--strict"], 2, id="strict"),
        pytest.param(True, [], 2, id="given"),
        pytest.param(True, ["--fail-on", "never"], 2, id="given, never fails"),
    ],
)
def test_problems(lint: Lint, given: bool, arguments: list[str], status: int) -> None:
    lint.report = Report(problems=(Problem("a.txt", 0, "not UTF-8", given),))
    assert run(arguments) == status


def test_a_file_that_could_not_be_read_beats_findings(lint: Lint) -> None:
    lint.report = Report(findings=(found(ERROR),), problems=(Problem("a.txt", 0, "not UTF-8", given=True),))
    assert run([]) == 2


def test_interrupt(lint: Lint) -> None:
    lint.raises = KeyboardInterrupt()
    assert run([]) == 130


def test_internal_error_is_one_line_with_its_place(
    lint: Lint, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lint.raises = KeyError("x\x1b")
    assert run([]) == 2
    message = capsys.readouterr().err
    assert message.startswith("spark-lint: internal error at ")
    assert "engine.py:" in message
    assert "KeyError: 'x\\x1b'" in message
    assert message.count("\n") == 1
    monkeypatch.setenv("SPARK_LINT_DEBUG", "1")
    assert run([]) == 2
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_internal_error_in_a_rule_names_the_rule(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        exec(compile("\n1 / 0", "rules/g1_cuda/old_cuda.py", "exec"))
    except ZeroDivisionError as error:
        lint.raises = error
    assert run([]) == 2
    assert "internal error at rules/g1_cuda/old_cuda.py:2: ZeroDivisionError" in capsys.readouterr().err


def test_broken_rule_is_named(lint: Lint, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules" / "g1_cuda" / "old_cuda.py").write_text("1 / 0\n")
    assert run([]) == 2
    assert capsys.readouterr().err == f"spark-lint: {tmp_path}/rules/g1_cuda/old_cuda.py: ZeroDivisionError: division by zero\n"
