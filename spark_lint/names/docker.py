"""Containers on the command line: which image runs, what its entry program is, which variables it is given."""

from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from spark_lint.facts import Command, EnvVar, Fact, Image
from spark_lint.names.options import shown
from spark_lint.names.tables import table
from spark_lint.names.tools import Tool, row_of, running_images, tool_of
from spark_lint.text import UNKNOWN, Text

_VARIABLES: Final = {
    "docker": ("--env", "--build-arg"),
    "mpirun": ("-x", "--genv", "-genv", "-env"),
    "singularity": ("--env",),
    "enroot": ("--env",),
}
"""Options that set a variable for what is run, or built."""

_PULLED: Final = ("docker://", "oras://", "library://")


def image_of(command: Command, tool: Tool) -> Image | None:
    """The image in which a command runs another: `docker run IMAGE …`, `srun --container-image=IMAGE …`, `apptainer exec IMAGE …`."""
    if not tool.image:
        return None
    at = len(command.arguments) - 1 if tool.image == "last" else tool.stop - 1
    given = command.option(tool.image) if tool.image.startswith("--") else _argument(command, at)
    if given is None or (tool.image == "last" and not given.value.startswith(_PULLED)):
        return None
    return _image(command, given, "pull" if tool.runs == "pull" else "run")


def _argument(command: Command, at: int) -> Text | None:
    return command.arguments[at] if len(command.arguments) > at else None


def _image(command: Command, given: Text, role: str = "run") -> Image | None:
    from spark_lint.read.reference import image

    scheme = next((each for each in _PULLED if given.value.startswith(each)), "")
    reference = given[len(scheme) :]
    if "#" in reference.value and command.name != "docker":
        reference = reference.as_value(reference.value.replace("#", "/", 1))  # enroot: nvcr.io#nvidia/pytorch:25.10-py3
    if reference.value == UNKNOWN:
        return None
    platform = command.option("--platform", "--arch")
    return image(reference, platform="" if platform is None else platform.value, role=role, context=command.context)


def started(image: Image | None, words: tuple[Text, ...], entrypoint: Text | None = None) -> tuple[Text, ...]:
    """The words of the program that a container starts: those given, behind the entry program of its image where they are arguments of it.

    `--model m -tp 2` behind vllm/vllm-openai are words of `vllm serve`. entrypoint: what is to run in place of the image's own.
    """
    if entrypoint is not None:
        return (entrypoint, *words) if entrypoint.value else words
    if not words or image is None or not _is_argument(words[0].value):
        return words
    program: str = next((row for pattern, row in table("entrypoints").items() if _matches(pattern, image)), "")
    start = words[0][0:0]
    return (*(start.as_value(word) for word in program.split()), *words)


def _matches(pattern: str, image: Image) -> bool:
    name, _, tag = pattern.partition(":")
    return fnmatchcase(image.name, name) and (not tag or fnmatchcase(image.tag, tag))


def _is_argument(word: str) -> bool:
    """Whether a first word is an option, or the name of a model, rather than a program."""
    model = word.count("/") == 1 and not word.startswith(("/", ".", "~")) and not word.endswith((".sh", ".py"))
    return word.startswith("-") or (model and tool_of(word.rpartition("/")[2]) is None)


def of_command(command: Command) -> Iterator[Fact]:
    """The image a command runs or pulls, and the variables it passes on."""
    tool = row_of(command.words[0].value.rpartition("/")[2], command.words) if command.name in running_images() else None
    found = None if tool is None else image_of(command, tool)
    if found is not None:
        yield found
    for option in command.options:
        if option.name in _VARIABLES.get(command.name, ()) and option.value is not None and "=" in option.value.value:
            yield _variable(command, option.value, None if option.name == "--build-arg" else found)
            if option.name == "--build-arg":
                from spark_lint.read.reference import base_image

                name = option.value.value.partition("=")[0]
                base = base_image(name, option.value[len(name) + 1 :], command.context)
                yield from [base] if base else []


def _variable(command: Command, text: Text, inside: Image | None) -> EnvVar:
    name, _, value = text.value.partition("=")
    rest = text[len(name) + 1 :]
    context = command.context if inside is None else replace(command.context, image=inside)
    return EnvVar(name=name, value=value, span=rest.span, origin=rest.origin, written=shown((text,)), context=context)
