"""The GitHub Action: its steps as a runner runs them, on a hostile workspace, and what it installs."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version
from runner import Job, job

from spark_lint import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["id"]: step for step in ACTION["runs"]["steps"]}

WRONG = "Something is wrong with the settings, the inputs or a given path: the log says what"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the action is for runners with Linux")


def filled(text: str, context: dict[str, str]) -> str:
    """The text with its expressions, `${{ inputs.paths }}`, as values."""
    return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: context[match[1]], text)


@dataclass
class Runner:
    """A runner, as far as it runs composite actions: one folder for each thing it tells a step about."""

    home: Path
    python: str | None = sys.executable

    @property
    def workspace(self) -> Path:
        """The checked-out repository."""
        return self.home / "workspace"

    def step(self, step: dict[str, Any], context: dict[str, str], **variables: str) -> tuple[int, str, dict[str, str]]:
        """Exit status, output and outputs of a step."""
        script, outputs = self.home / "script.sh", self.home / "outputs"
        script.write_text(step["run"])
        outputs.write_text("")
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(self.home / "summary.md"),
            "RUNNER_TEMP": str(self.home / "temp"),
            "RUNNER_OS": "Linux",
            **({"SPARK_LINT_PYTHON": self.python} if self.python else {}),
            **variables,
            **{name: filled(value, context) for name, value in step.get("env", {}).items()},
        }
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        pairs = (line.partition("=") for line in outputs.read_text().splitlines())
        return ran.returncode, ran.stdout, {name: value for name, _, value in pairs}

    def action(self, **inputs: str) -> tuple[int, Job, dict[str, str]]:
        """Exit status, log and outputs of the action, with its inputs as the workflow gives them."""
        context = {
            f"inputs.{name}": inputs.get(name.replace("-", "_"), given["default"]) for name, given in ACTION["inputs"].items()
        }
        log = ""
        for name, step in STEPS.items():
            status, output, outputs = self.step(step, context)
            log += output
            context |= {f"steps.{name}.outputs.{key}": value for key, value in outputs.items()}
            if status:
                break
        unset = {key: "" for key in re.findall(r"\{\{ (steps\..*?) \}\}", str(ACTION["outputs"])) if key not in context}
        named = {name: filled(output["value"], context | unset) for name, output in ACTION["outputs"].items()}
        return status, job(log), named


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    made = Runner(tmp_path)
    made.workspace.mkdir()
    (tmp_path / "temp").mkdir()
    return made


FLASH = "flash-attn==2.8.3\n"


def files(ran: Job) -> list[str | None]:
    return [properties.get("file") for _, properties, _ in ran.annotations]


def test_finding_becomes_an_annotation(runner: Runner) -> None:
    (runner.workspace / "requirements.txt").write_text(FLASH)
    status, ran, outputs = runner.action()
    assert (status, outputs) == (1, {"findings": "1", "exit-status": "1"})
    ((level, properties, _),) = ran.annotations
    assert (level, properties["file"], properties["line"]) == ("error", "requirements.txt", "1")
    assert "<code>requirements.txt&#58;1</code>" in (runner.home / "summary.md").read_text()


def test_a_version_is_what_the_action_must_hold(runner: Runner) -> None:
    (runner.workspace / "requirements.txt").write_text("numpy\n")
    assert runner.action(version=__version__)[0] == 0
    status, ran, outputs = runner.action(version="99.0\n::error::forged")
    assert (status, outputs["exit-status"], ran.commands) == (2, "2", [("error", {"title": "spark-lint"}, WRONG)])
    assert f"spark-lint: this action holds version {__version__}, not 99.0\\n::error::forged" in ran.log


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", "# Serve\n\n```bash\nvllm serve x --tensor-parallel-size 2\n```\n"),
        ("serve.sh", "#!/bin/bash\n\n\nvllm serve x --tensor-parallel-size 2\n"),
        ("compose.yaml", "services:\n  a:\n    image: vllm/vllm-openai\n    command: vllm serve x --tensor-parallel-size 2\n"),
    ],
)
def test_annotation_stands_at_the_line_of_the_file(runner: Runner, name: str, text: str) -> None:
    (runner.workspace / name).write_text(text)
    _, ran, _ = runner.action(args="--select G10")
    assert [(properties["file"], properties["line"]) for _, properties, _ in ran.annotations] == [(name, "4")]


def test_clean_repository_passes(runner: Runner) -> None:
    (runner.workspace / "requirements.txt").write_text("numpy\n")
    status, ran, outputs = runner.action()
    assert (status, outputs, ran.annotations) == (0, {"findings": "0", "exit-status": "0"}, [])


def test_inputs_are_used(runner: Runner) -> None:
    (runner.workspace / "requirements.txt").write_text(FLASH)
    assert runner.action(fail_on="never")[2] == {"findings": "1", "exit-status": "0"}
    assert runner.action(args="--select 'G1, G7'  --sparks=2")[2] == {"findings": "0", "exit-status": "0"}


def test_paths_are_separated_by_blanks_or_lines(runner: Runner) -> None:
    for name in ("a-requirements.txt", "b-requirements.txt", "c d-requirements.txt"):
        (runner.workspace / name).write_text(FLASH)
    assert files(runner.action(paths=" a-requirements.txt  b-requirements.txt ")[1]) == [
        "a-requirements.txt",
        "b-requirements.txt",
    ]
    named = runner.action(paths="a-requirements.txt\n\n  c d-requirements.txt\n")[1]
    assert files(named) == ["a-requirements.txt", "c d-requirements.txt"]


@pytest.mark.parametrize(
    "inputs",
    [
        {"paths": "--rules=evil"},
        {"paths": "--rules evil"},
        {"paths": "-- --rules=evil"},
        {"paths": "$(touch pwned) `touch pwned` ; touch pwned"},
        {"paths": "a\n; touch pwned\n&& touch pwned"},
        {"paths": "* | touch pwned"},
        {"fail_on": "never --rules evil"},
        {"fail_on": "$(touch pwned)"},
        {"fail_on": "x\n::error::forged"},
        {"fail_on": "##[error]forged"},
        {"args": "--config '##[error]forged'"},
        {"args": "'--x\n::error::forged'"},
        {"paths": "##[error]forged ::error::forged"},
        {"args": "$(touch pwned); touch pwned"},
        {"args": "-- evil"},
        {"args": "'"},
    ],
    ids=str,
)
def test_input_is_neither_code_nor_another_option(runner: Runner, inputs: dict[str, str]) -> None:
    evil = runner.workspace / "evil" / "g1_evil"
    evil.mkdir(parents=True)
    (evil / "evil.py").write_text(f"open({str(runner.workspace / 'pwned')!r}, 'w')\n")
    (evil / "evil.md").write_text("# Evil\n")
    status, ran, outputs = runner.action(**inputs)
    assert (status, outputs["exit-status"]) == (2, "2")
    assert {name for name, _, _ in ran.commands} <= {"error", "group", "stop-commands", "endgroup"}
    assert not any(message == "forged" for _, _, message in ran.commands)
    assert not (runner.workspace / "pwned").exists()


def test_hostile_file_names_and_contents_command_nothing(runner: Runner) -> None:
    names = [
        "a::error::b%0A-requirements.txt",
        "::error::b-requirements.txt",
        "a\n::error::forged-requirements.txt",
        "a\r##[error]forged-requirements.txt",
        "$(touch pwned)-requirements.txt",
        "`touch pwned`-requirements.txt",
        "; touch pwned;-requirements.txt",
        "-rf x-requirements.txt",
        "--rules=evil-requirements.txt",
        "* x-requirements.txt",
        "\x1b[2J\x1b]0;x\x07-requirements.txt",
        "| `x` | <img src=x>-requirements.txt",
    ]
    for name in names:
        (runner.workspace / name).write_text(
            "flash-attn==2.8.3%0A::error::forged\nflash-attn==2.8.3+\x1b[31m##[error]forged\n::error::forged\n##[add-path]x\n"
            "torch==2.4.0 # spark-lint: ignore[::error::forged ##[error]forged]\nflash-attn # %0A::error::forged\n"
        )
    # Modules of these names are imported at the start, if they are found before those of Python.
    for name in ("shlex.py", "venv.py", "pip.py", "spark_lint.py", "click.py", "sitecustomize.py"):
        (runner.workspace / name).write_text("open('pwned', 'w')\n")
    status, ran, outputs = runner.action()
    assert (status, outputs["exit-status"]) == (1, "1")
    assert not (runner.workspace / "pwned").exists()
    assert {name for name, _, _ in ran.commands} <= {"error", "warning", "notice", "group", "stop-commands", "endgroup"}
    for level, properties, message in ran.commands:
        if level in ("error", "warning", "notice"):
            assert properties["title"].startswith(("G", "lint/", "spark-lint"))
            assert message != "forged"
    assert not any("\x1b" in line or "\x07" in line for line in ran.log)
    assert ran.stopped == ""
    assert "<img" not in (runner.home / "summary.md").read_text()
    assert any("a::error::b%0A-requirements.txt" in line for line in ran.log)


@pytest.mark.parametrize(
    "configuration",
    [
        pytest.param("[tool.spark-lint]\nrules = ['evil']\n", id="rules"),
        pytest.param("[tool.spark-lint]\n'\\n::error::forged' = 1\n", id="a setting as a command"),
        pytest.param("[tool.spark-lint]\n'##[error]forged' = 1\n", id="a setting as an old command"),
        pytest.param("[tool.spark-lint]\nimage = 'x\\n::error::forged'\n", id="an image as a command"),
    ],
)
def test_configuration_under_review_commands_nothing(runner: Runner, configuration: str) -> None:
    (runner.workspace / "pyproject.toml").write_text(configuration)
    _, ran, _ = runner.action()
    assert {message for name, _, message in ran.commands if name != "notice"} <= {WRONG}


# What it installs.


def test_expressions_stand_in_no_script() -> None:
    for step in STEPS.values():
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
        assert step["run"].startswith("set -euo pipefail\n")
        assert "uses" not in step


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        pytest.param({"RUNNER_OS": "Windows"}, "This action runs on Linux runners only.", id="Windows"),
        pytest.param({"PATH": "empty"}, "This action needs python3, 3.10 or newer", id="no Python"),
    ],
)
def test_what_it_cannot_do_is_said(runner: Runner, variables: dict[str, str], message: str) -> None:
    runner.python = None
    for name in ("ensurepip.py", "venv.py", "sitecustomize.py"):
        (runner.workspace / name).write_text("open('pwned', 'w')\n")
    if "PATH" in variables:
        tools = runner.home / "tools"
        tools.mkdir()
        (tools / "bash").symlink_to(shutil.which("bash") or "")
        variables["PATH"] = str(tools)
    status, output, _ = runner.step(STEPS["install"], {}, **variables)
    ((level, _, said),) = job(output).annotations
    assert (status, level) == (2, "error")
    assert said.startswith(message)
    assert list((runner.home / "temp").iterdir()) == []
    assert not (runner.workspace / "pwned").exists()


def test_lock_satisfies_the_project() -> None:
    lines = (ROOT / "action" / "requirements.txt").read_text().replace("\\\n", " ").splitlines()
    locked: dict[str, Version] = {}
    for line in lines:
        if line.strip() and not line.startswith("#"):
            requirement, *hashes = re.split(r"\s+--hash=", line.strip())
            pin = Requirement(requirement)
            ((operator, version),) = ((each.operator, each.version) for each in pin.specifier)
            assert operator == "=="
            assert all(re.fullmatch("sha256:[0-9a-f]{64}", each.strip()) for each in hashes)
            assert hashes
            locked[pin.name] = Version(version)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for wanted in map(Requirement, [*project["project"]["dependencies"], *project["build-system"]["requires"]]):
        assert locked[wanted.name] in wanted.specifier, wanted
