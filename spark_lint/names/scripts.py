"""Which file a command runs: `python train.py`, `torchrun --nnodes 2 train.py`, `bash install.sh`."""

from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Command, Include
from spark_lint.text import Text

RUNNERS: Final = frozenset({"python", "torchrun", "accelerate", "deepspeed", "bash", "sh", "zsh", "dash", "source", ".", "uv"})


def of_command(command: Command) -> Iterator[Include]:
    """The script among the arguments of a program that runs scripts, or the program itself where it is one (`./run.sh`)."""
    program = command.words[0]
    if program.value.endswith((".py", ".sh")):
        yield Include("run", program, command.context, command=command)
    elif command.name in RUNNERS and not command.has("-c", "-m") and (script := _script(command.arguments)):
        yield Include("run", script, command.context, command=command)


def _script(arguments: tuple[Text, ...]) -> Text | None:
    """The first argument that looks like a script; `launch` and `run` stand before it."""
    return next((argument for argument in arguments[:2] if argument.value.endswith((".py", ".sh"))), None)
