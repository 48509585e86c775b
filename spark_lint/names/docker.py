"""Containers on the command line: the image of `docker run`, its environment, the build arguments of `docker build`."""

from collections.abc import Iterator

from spark_lint.facts import Command, EnvVar, Fact, Image
from spark_lint.text import UNKNOWN, Text


def run_image(command: Command) -> Image | None:
    """The image of `docker run [OPTIONS] IMAGE [COMMAND]`, None for any other command."""
    arguments = command.arguments
    if (
        command.name != "docker"
        or len(arguments) < 2
        or arguments[0].value not in ("run", "create")
        or arguments[1].value == UNKNOWN
    ):
        return None
    from spark_lint.read.reference import image

    platform = command.option("--platform")
    return image(arguments[1], platform="" if platform is None else platform.value, role="run", context=command.context)


def of_command(command: Command) -> Iterator[Fact]:
    """The image a command runs or pulls, and the variables it passes on."""
    if command.name != "docker":
        return
    if found := run_image(command):
        yield found
    for option in command.options:
        if option.name in ("--env", "--build-arg") and option.value is not None and "=" in option.value.value:
            yield _variable(command, option.value)


def _variable(command: Command, text: Text) -> EnvVar:
    name, _, value = text.value.partition("=")
    rest = text[len(name) + 1 :]
    return EnvVar(name=name, value=value, span=rest.span, origin=rest.origin, written=text.written, context=command.context)
