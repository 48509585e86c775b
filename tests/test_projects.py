"""Small whole projects and everything the tool prints about them. Reading tests/projects/*/expected.txt shows the product.

To renew one after a change, and then to read it as prose:
    cd tests/projects/NAME && spark-lint --isolated . > expected.txt
"""

import subprocess
import sys
from pathlib import Path

import pytest
from dates import undated

ROOT = Path(__file__).parent
EXAMPLES = ROOT.parent / "examples"
PROJECTS = sorted(path.parent for path in (ROOT / "projects").glob("*/expected.txt"))


def lint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "spark_lint", *arguments], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_a_project_gets_the_expected_output(project: Path) -> None:
    expected = (project / "expected.txt").read_text(encoding="utf-8")
    assert undated(lint(project, "--isolated", ".").stdout) == undated(expected)


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_every_format_gives_the_same_exit_status(project: Path) -> None:
    statuses = {lint(project, "--isolated", "--output-format", name, ".").returncode for name in ("text", "concise", "json")}
    assert len(statuses) == 1


def test_the_broken_example_shows_each_kind_of_failure_and_ends_in_success() -> None:
    run = lint(EXAMPLES, "--isolated", "--fail-on", "never", "broken-finetune")
    assert run.returncode == 0
    for gotcha in ("G1/", "G2/", "G7/", "G10/"):
        assert gotcha in run.stdout


def test_the_fixed_example_yields_nothing() -> None:
    run = lint(EXAMPLES, "--isolated", "--output-format", "concise", "fixed-finetune")
    assert (run.returncode, run.stdout) == (0, "")


def test_the_readme_shows_what_the_broken_example_prints() -> None:
    printed = lint(ROOT.parent, "--isolated", "--fail-on", "never", "examples/broken-finetune").stdout
    readme = (ROOT.parent / "README.md").read_text(encoding="utf-8")
    screen = readme.split("It prints, among others:\n\n```text\n")[1].split("\n```")[0]
    for block in screen.split("\n\n"):
        assert undated(block) in undated(printed)
