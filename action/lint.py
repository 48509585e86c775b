"""The second step of `action.yml`: run spark-lint as its inputs say, and tell the runner how it ended."""

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from spark_lint import __version__
from spark_lint.cli import run
from spark_lint.report.terminal import safe


def arguments(environment: Mapping[str, str]) -> list[str]:
    """The command line. Raises ValueError for an input that cannot be one."""
    paths = environment["SPARK_LINT_PATHS"].strip()
    lines = [line.strip() for line in paths.split("\n")] if "\n" in paths else paths.split()
    fail_on = environment["SPARK_LINT_FAIL_ON"].strip()
    options = shlex.split(environment["SPARK_LINT_ARGS"])
    if "--" in options:
        raise ValueError("`--` in args: paths have an input of their own")
    chosen = [f"--fail-on={fail_on}"] if fail_on else []
    wanted = environment["SPARK_LINT_VERSION"].strip()
    if wanted and wanted != __version__:
        raise ValueError(f"this action holds version {__version__}, not {safe(wanted)}")
    return ["check", *chosen, *options, "--output-format=github", "--", *filter(None, lines)]


def main() -> int:
    """Run it; the exit status is that of spark-lint and the output `exit-status`."""
    try:
        status = run(arguments(os.environ))
    except ValueError as error:
        sys.stderr.write(f"spark-lint: {safe(str(error))}\n")
        status = 2
    if status == 2:
        print("::error title=spark-lint::Something is wrong with the settings, the inputs or a given path: the log says what")
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.write(f"exit-status={status}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
