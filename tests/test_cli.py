"""The command line: what is printed where, and the exit status."""

import io
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

# Imported here, since `lint` replaces the folder of rules, which the tables are read from.
import spark_lint.knowledge
from spark_lint import __version__
from spark_lint.cli import run
from spark_lint.config import Config
from spark_lint.findings import FileRead, Finding, Problem, Report
from spark_lint.rule import CERTAIN, ERROR, INFO, WARNING, Severity
from spark_lint.text import Source, Span

HEAVY = ("libcst", "tree_sitter", "yaml", "tomli", "packaging", "pathspec", "markdown_it", "identify", "pip_requirements_parser")

RULE = """\
from spark_lint.facts import Package
from spark_lint.rule import {severity}, Advice, rule


@rule(on=Package, named="{name}", severity={severity})
def check(package, project):
    yield Advice("no")
"""


class Lint:
    """Stands for the engine: keeps what it was asked and gives a report made by hand."""

    def __init__(self) -> None:
        self.report = Report(files=(FileRead("a.txt", "requirements"),))
        self.raises: BaseException | None = None
        self.paths: tuple[str, ...] = ()
        self.config = Config()
        self.stdin: tuple[str, bytes] | None = None

    def check(self, paths: list[str], config: Config, *, rules: Any, stdin: tuple[str, bytes] | None = None) -> Report:
        self.paths, self.config, self.stdin = tuple(paths), config, stdin
        if self.raises:
            raise self.raises
        return self.report

    def why(self, path: str, line: int, config: Config, *, rules: Any) -> list[str]:
        return [f"{path} {line} {config.sparks} \x1b[31m"]


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lint:
    """The engine replaced, three rules in two gotchas, and an empty working directory."""
    folder = tmp_path / "rules"
    for gotcha, name, severity in (
        ("g1_cuda", "old_cuda", "ERROR"),
        ("g1_cuda", "amd64", "WARNING"),
        ("g10_two", "tensor", "INFO"),
    ):
        (folder / gotcha).mkdir(parents=True, exist_ok=True)
        (folder / gotcha / f"{name}.py").write_text(RULE.format(name=name, severity=severity))
        (folder / gotcha / f"{name}.md").write_text(f"# About {name}\n\nWhy.\n")
    (folder / "g1_cuda" / "README.md").write_text("# G1: CUDA 12\n\nSymptom.\n")
    (folder / "g3_empty").mkdir()
    monkeypatch.setattr("spark_lint.load.rules_folder", lambda: folder)
    made = Lint()
    engine = ModuleType("spark_lint.check")
    engine.check, engine.why = made.check, made.why  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spark_lint.check", engine)
    for name in ("NO_COLOR", "FORCE_COLOR", "SPARK_LINT_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return made


def found(severity: Severity) -> Finding:
    return Finding("G1/old-cuda", severity, CERTAIN, Span("a.txt", 1, 1, 1, 2), "old")


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
        pytest.param(["--isolated", "--config", "c.toml"], "'c.toml' does not exist", id="no such configuration"),
        pytest.param(["--isolated", "--config", "present.toml"], "--isolated reads no configuration", id="contradiction"),
        pytest.param(["--rules", "nowhere"], "Directory 'nowhere' does not exist", id="no such rules"),
        pytest.param(["--rules", "."], "no folder of rules", id="no rules there"),
        pytest.param(["explain"], "Give a CODE", id="explain nothing"),
        pytest.param(["explain", "G1", "--why", "a:1"], "Give a CODE", id="explain two things"),
        pytest.param(["explain", "--why", "a"], "'a' is not PATH:LINE", id="why without a line"),
        pytest.param(["explain", "old-cda"], "no rule and no gotcha; did you mean `old-cuda`?", id="explain unknown"),
        pytest.param(["explain", "G4"], "`G4` is no rule and no gotcha\n", id="explain unknown gotcha"),
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
    assert "test_cli.py:" in message
    assert "KeyError: 'x\\x1b'" in message
    assert message.count("\n") == 1
    monkeypatch.setenv("SPARK_LINT_DEBUG", "1")
    assert run([]) == 2
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_broken_rule_is_named(lint: Lint, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules" / "g1_cuda" / "old_cuda.py").write_text("1 / 0\n")
    assert run([]) == 2
    assert capsys.readouterr().err == f"spark-lint: {tmp_path}/rules/g1_cuda/old_cuda.py: ZeroDivisionError: division by zero\n"


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
    assert run(["--quiet"]) == 0
    assert capsys.readouterr().out == ""


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
    assert run(["explain", "--why", place, "--sparks", "2"]) == 0
    assert capsys.readouterr().out == "a b.txt 3 2 \\x1b[31m\n"


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


def test_run_on_a_small_folder(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(
        "--index-url https://download.pytorch.org/whl/cu124\n"
        "flash-attn  # spark-lint: ignore[G2/flash-attn-requirement] built in CI\n"
        "numpy  # spark-lint: ignore[G2/flash-atn-requirement]\n"
    )
    command = [sys.executable, "-c", "from spark_lint.cli import main; main()"]
    ran = subprocess.run([*command, "--output-format", "concise"], cwd=tmp_path, capture_output=True, text=True, check=False)
    places = [line.split(": ")[:2] for line in ran.stdout.splitlines()]
    assert places == [
        ["requirements.txt:1:13", "error G1/torch-index-cuda12"],
        ["requirements.txt:3:29", "warning lint/unknown-suppression"],
    ]
    assert (ran.returncode, ran.stderr) == (1, "")
