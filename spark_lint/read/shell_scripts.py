"""Scripts in and around scripts: what they ask of a batch system, and the scripts that they write."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from spark_lint.facts import Command, Context
from spark_lint.kinds import MARKDOWN, kind_of
from spark_lint.read import batch
from spark_lint.read.reference import enroot
from spark_lint.text import Text

_PROGRAMS: Final = {"SBATCH": "sbatch", "PBS": "qsub", "BSUB": "bsub", "flux:": "flux"}
_DIRECTIVE: Final = re.compile(r"#(SBATCH|PBS|BSUB|flux:)[ \t]+(\S[^\r\n]*)")
_LINE: Final = re.compile(r"[ \t]*([^\r\n]*)(?:\r\n|\n|\r|\Z)")
# What follows a # is a comment, as behind a command.
_WORD: Final = re.compile(r"#.*|(?:\"[^\"]*\"|'[^']*'|[^\s\"'])+|\S+")
_QUOTE: Final = re.compile("[\"']")
_CONTAINER: Final = "--container-image"
"""Slurm's, with the plugin Pyxis: github.com/NVIDIA/pyxis."""
_MOST_CONDITIONS: Final = 20
_HEAD: Final = 128
"""Characters of a file in which its first line is looked for."""


def submitted(text: Text, context: Context) -> tuple[list[Command], Context]:
    """What a script asks of a batch system, as commands, and the context of all that is in it: on those nodes, in that image."""
    asked = [*_directives(text, context)]
    found = (condition for each in asked for condition in batch.nodes(each.words))
    conditions = tuple(dict.fromkeys(found))[:_MOST_CONDITIONS]
    if conditions:
        context = replace(context, conditions=(*context.conditions, *conditions))
        asked = [replace(each, context=context) for each in asked]
    images = [value for each in asked for option, value in batch.given(each.words) if option == _CONTAINER]
    if images and images[-1].known and context.image is None:
        context = replace(context, image=enroot(images[-1], context))
    return asked, context


def _directives(text: Text, context: Context) -> Iterator[Command]:
    """`#SBATCH --nodes=2` as the command that it is to `sbatch`. As there, only what stands before the first command counts."""
    at = 0
    while at < len(text.value):
        line = _LINE.match(text.value, at)
        if line is None or (line[1] and not line[1].startswith("#")):
            return
        at = line.end()
        if directive := _DIRECTIVE.match(line[1]):
            start = line.start(1)
            place = text[start : start + len(line[1].rstrip())]
            rest = text[start + directive.start(2) : start + len(line[1].rstrip())]
            found = (rest[word.start() : word.end()] for word in _WORD.finditer(rest.value))
            words = [word.without(_QUOTE) for word in found if not word.value.startswith("#")]
            program = _PROGRAMS[directive[1]]
            marker = text[start : start + len(directive[1]) + 1].as_value(program)
            if words:
                span = place.span
                yield Command(
                    name=program, words=tuple(batch.resources((marker, *words))), span=span, origin=span, written=place.written, context=context
                )  # fmt: skip


def written(command: Command, targets: Sequence[Text]) -> tuple[str, str]:
    """The name and the kind of the file that a command writes its here-document to (`cat > run.sh <<EOF`, `sudo tee /opt/run.sh <<EOF`).

    Both are empty where it writes none, or one that says nothing here.
    """
    programs = [word.value.rsplit("/", 1)[-1] for word in command.words[:3]]
    if "tee" in programs:
        targets = command.words[programs.index("tee") + 1 :]
    elif programs[0] != "cat":
        return "", ""
    head = b"" if command.stdin is None else command.stdin.value[:_HEAD].encode()
    kinds = ((target.value, kind_of(target.value, head)) for target in targets)
    return next((each for each in kinds if each[1] not in ("", MARKDOWN)), ("", ""))
