"""Which file a command runs: `python train.py`, `torchrun --nnodes 2 train.py`, `bash install.sh`, `sbatch train.slurm`."""

from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Command, Include
from spark_lint.text import Text

SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ash", "ksh", "source", "."})
BATCHES: Final = frozenset({"sbatch", "qsub"})
"""Programs that run a script later, on the machines that it asks for."""
SCRIPTS: Final = (".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".pbs")


def of_command(command: Command) -> Iterator[Include]:
    """The script among the arguments of a program that runs scripts, or the program itself where it is one (`./run.sh`)."""
    program = command.words[0]
    if program.value.endswith((".py", *SCRIPTS)):
        # What python, torchrun or accelerate run is a command of its own by now.
        yield Include("run", program, command.context, command=command)
    elif command.name in SHELLS | BATCHES and not command.has("-c") and (script := _script(command.arguments)):
        yield Include("run", script, command.context, command=command)


def _script(arguments: tuple[Text, ...]) -> Text | None:
    """The first argument, if it looks like a script."""
    return arguments[0] if arguments and arguments[0].value.endswith(SCRIPTS) else None
