"""Where the scope decides: small projects, and what `spark-lint explain --why` says at their lines.

Each `why.txt` in tests/projects holds commands behind a `$`, each with what it prints. To renew one after a change, and then to read it:
    cd tests/projects/NAME && for place in $(sed -n 's/^\\$ .* //p' why.txt); do echo "\\$ spark-lint explain --why $place"; spark-lint explain --why $place; done
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dates import undated

PROJECTS = Path(__file__).parent / "projects"
COMMAND = "$ spark-lint "


def explained() -> Iterator[tuple[str, str, str]]:
    """The project, the command, and what it prints."""
    for path in sorted(PROJECTS.glob("*/why.txt")):
        for block in path.read_text(encoding="utf-8").split(COMMAND)[1:]:
            command, _, printed = block.partition("\n")
            yield path.parent.name, command, printed


@pytest.mark.parametrize(("project", "command", "printed"), list(explained()), ids=lambda text: text.partition("\n")[0])
def test_the_chain_from_the_fact_to_the_verdict_is_told(project: str, command: str, printed: str) -> None:
    arguments = [sys.executable, "-m", "spark_lint", *command.split()]
    run = subprocess.run(arguments, cwd=PROJECTS / project, capture_output=True, text=True)
    assert (run.returncode, undated(run.stdout)) == (0, undated(printed))


def test_there_are_ten_of_them() -> None:
    assert len({project for project, _, _ in explained()}) >= 10
