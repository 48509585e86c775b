"""Which file a command runs, and from which it takes variables: `python train.py`, `bash install.sh`, `. ./.env`, `docker run --env-file gpu.env`."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Command, Include
from spark_lint.kinds import DOTENV, kind_of
from spark_lint.names.docker import image_of
from spark_lint.names.tools import row_of
from spark_lint.text import Text

SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ash", "ksh", "source", "."})
BATCHES: Final = frozenset({"sbatch", "qsub"})
"""Programs that run a script later, on the machines that it asks for."""
SCRIPTS: Final = (".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".pbs", ".lsf")
_SOURCES: Final = frozenset({"source", "."})
_COMPOSE: Final = frozenset({"docker-compose", "podman-compose"})


def of_command(command: Command) -> Iterator[Include]:
    """The script among the arguments of a program that runs scripts, or the program itself where it is one (`./run.sh`)."""
    program = command.words[0]
    if program.value.endswith((".py", *SCRIPTS)):
        # What python, torchrun or accelerate run is a command of its own by now.
        yield Include("run", program, command.context, command=command)
    elif command.name in SHELLS | BATCHES and not command.has("-c") and (script := _script(command.arguments)):
        yield Include("run", script, command.context, command=command)
    else:
        yield from _environments(command)


def _environments(command: Command) -> Iterator[Include]:
    """The environment files whose variables a command, or what it runs, is given. What compose is given fills in its file."""
    if command.name in _SOURCES:
        yield from (Include("env", each, command.context) for each in command.arguments[:1] if kind_of(each.value) == DOTENV)
        return
    if command.name == "dotenv":  # python-dotenv's: `dotenv -f gpu.env run -- vllm serve m`
        yield Include("env", command.option("--file", "-e") or command.words[0].as_value(".env"), command.context)
        return
    if command.name in _COMPOSE or (command.name == "docker" and command.subcommand == "compose"):
        return
    tool = row_of(command.words[0].value.rpartition("/")[2], command.words)
    image = None if tool is None else image_of(command, tool)
    context = command.context if image is None else replace(command.context, image=image)
    for option in command.options:
        if option.name == "--env-file" and option.value is not None:
            yield Include("env", option.value, context)


def _script(arguments: tuple[Text, ...]) -> Text | None:
    """The first argument, if it looks like a script."""
    return arguments[0] if arguments and arguments[0].value.endswith(SCRIPTS) else None
