"""Standard output and standard error: colours, encodings, pipes that close, and what is said when a run fails."""

import errno
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import click


def colored(choice: str, *, to_file: bool) -> bool:
    """https://no-color.org and https://force-color.org; then whether a terminal is there to show colours."""
    if choice != "auto":
        return choice == "always"
    if to_file or os.environ.get("NO_COLOR"):
        return False
    terminal = sys.stdout is not None and sys.stdout.isatty()  # Python gives none for a stream that is closed
    return bool(os.environ.get("FORCE_COLOR")) or (terminal and os.environ.get("TERM") != "dumb")


def show(lines: Iterable[str]) -> None:
    """Lines for standard output that may hold what files say."""
    from spark_lint.report.terminal import safe_lines

    write("".join(f"{safe_lines(line)}\n" for line in lines))


def write(text: str) -> None:
    """Write to standard output, in escapes what its encoding lacks. A reader that has had enough is no error."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except OSError as error:
        # Python would try to write what is left when it ends, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise


def say(message: str) -> None:
    """A line for standard error."""
    from spark_lint.report.terminal import safe

    click.echo(f"spark-lint: {safe(message)}", err=True)


def failed(error: Exception) -> int:
    """Say why the run ended: what the user can mend in their words, a mistake of ours with its place."""
    import traceback

    from spark_lint.config import ConfigError
    from spark_lint.load import RuleError

    if isinstance(error, (ConfigError, RuleError)):
        say(str(error))
    elif os.environ.get("SPARK_LINT_DEBUG"):
        traceback.print_exception(error)
    elif isinstance(error, OSError):
        say(f"{error.filename or 'standard output'}: {error.strerror}")
    else:
        frames = traceback.extract_tb(error.__traceback__)
        in_rules = (each for each in reversed(frames) if re.match(r"g\d+_", Path(each.filename).parent.name))
        place = next(in_rules, frames[-1])
        what = f"{type(error).__name__}: {error}"
        say(f"internal error at {place.filename}:{place.lineno}: {what} (SPARK_LINT_DEBUG=1 shows more)")
    return 2
