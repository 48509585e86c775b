"""Which commands are given code of another language: `python - <<EOF`, `kubectl apply -f - <<EOF`, `docker build - <<EOF`, `python -c "…"`."""

from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Code, Command
from spark_lint.kinds import DOCKERFILE, PYTHON, YAML
from spark_lint.text import Text

_INPUT: Final = "-"
"""What stands for the standard input in place of a file."""
_FILES: Final = {"kubectl": YAML, "docker": DOCKERFILE, "docker-compose": YAML}
"""What programs take from `-f -`."""


def of_command(command: Command) -> Iterator[Code]:
    """The code that a command gets as its standard input or as an argument."""
    kind, text = _given(command)
    if kind and text is not None:
        span = text.span
        yield Code(name=kind, text=text, span=span, origin=span, written=command.written, context=command.context)


def _given(command: Command) -> tuple[str, Text | None]:
    arguments = [argument.value for argument in command.arguments]
    if command.name == "ray":  # the environment of a job, as a file of YAML would say it
        return YAML, command.option("--runtime-env-json")
    if command.name == "python":
        if command.has("-c"):
            return PYTHON, command.option("-c")
        return (PYTHON, command.stdin) if not command.has("-m") and arguments[:1] in ([], [_INPUT]) else ("", None)
    kind = _FILES.get(command.name, "")
    if not kind or command.stdin is None:
        return "", None
    file = command.option("--file", "--filename", "-f")
    if command.name == "docker":
        built = "build" in arguments[:2]
        kind = YAML if arguments[:1] == ["compose"] else DOCKERFILE if built else ""
        named = (file is not None and file.value == _INPUT) or (built and arguments[-1] == _INPUT)
    else:
        named = file is not None and file.value == _INPUT
    return (kind, command.stdin) if named else ("", None)
