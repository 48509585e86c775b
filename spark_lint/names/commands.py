"""What a command runs: its program under a canonical name, its options by the tool's table, and the programs it wraps.

`sudo env A=1 python -m pip install torch` is four commands: sudo, env, python and pip, and rules ask about the last.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import Final

from spark_lint.facts import Command, Condition, Context, Option
from spark_lint.names import docker
from spark_lint.names.tools import Tool, parsed, reach, row_of
from spark_lint.read import batch
from spark_lint.text import UNKNOWN, Text

DEEPEST: Final = 12
"""Wrappers around a command that are followed; nobody writes so many, only a hostile file does."""
LONGEST_INSIDE: Final = 1 << 18
"""Characters of a script that a command is given as a word or as its input, and that is read."""

_BATCHES: Final = frozenset({"srun", "sbatch", "qsub", "bsub"})
"""Programs that have something run on the nodes that they are asked for."""
_SHELL: Final = re.compile(r"(?:sudo\s+)?(?:\S*/)?(?:ba|z|da|k)?sh(?:\s+-[a-z-]*)*(?:\s+--\s.*)?")
"""A shell that reads its commands from the standard input."""
_KEYS: Final = frozenset({"Enter", "C-m", "KPEnter", "ENTER"})
"""What `tmux send-keys` types behind a command."""
_INPUTS: Final = frozenset({":::", "::::", ":::+"})
"""What GNU parallel's command ends at."""


def unwrapped(command: Command, depth: int = 0) -> Iterator[Command | tuple[Text, Context]]:
    """The command under its canonical name and with its options, then each command inside it.

    A shell text (`bash -c "…"`) is yielded as the text with its context, for whoever can read shell.
    """
    if depth == 0 and command.context.image is not None and (command.exec_form or command.name.startswith("-")):
        words = docker.started(command.context.image, command.words)
        command = command if words is command.words else replace(command, name=words[0].value, words=words)
    if UNKNOWN in command.name and len(command.words) > 2 and command.words[1].value == "-m":
        command = replace(command, name="python")  # "$PYTHON" -m pip
    tool = row_of(command.name, command.words)
    if tool is None:
        yield replace(command, arguments=command.words[1:])
        return
    options, arguments, rest = parsed(command.words, tool)
    own = command.words[: len(command.words) - len(rest)]
    command = replace(
        command, name=command.name if tool.keeps_name else tool.name, words=own, options=options, arguments=arguments + rest
    )
    if tool.key in _BATCHES and (asked := batch.nodes(own)):
        conditions = dict.fromkeys((*command.context.conditions, *asked))
        command = replace(command, context=replace(command.context, conditions=tuple(conditions)))
    yield command
    if depth < DEEPEST and tool.runs not in ("", "pull"):
        yield from _inside(command, tool, arguments, rest, depth)


def _inside(
    command: Command, tool: Tool, arguments: tuple[Text, ...], rest: tuple[Text, ...], depth: int
) -> Iterator[Command | tuple[Text, Context]]:
    """What a command runs: another command, or shell text."""
    context = replace(command.context, image=docker.image_of(command, tool) or command.context.image)
    environment = command.environment
    if tool.runs == "text":
        # bash -c "…", bash <<EOF, bash -s -- a <<EOF, su - user <<EOF
        reads_input = not arguments or command.has("-s") or tool.key == "su"
        script = command.option(tool.script) or (command.stdin if reads_input else None)
        if script is not None:
            yield script, context
        return
    if tool.runs == "module" and (module := command.option("-m")) is not None:
        words: tuple[Text, ...] = (module, *rest)
    elif tool.runs == "module" and command.has("-c"):
        return
    elif tool.runs == "image":
        words = docker.started(context.image, rest, command.option("--entrypoint"))
        environment = ()
    else:
        words = (*arguments[max(0, tool.stop - 1) :], *rest)
    if tool.runs == "line":
        line = _line(words)
        if tool.key == "ssh" and command.stdin is not None and (line is None or _SHELL.fullmatch(line.value)):
            line = command.stdin  # ssh host <<EOF, ssh host 'bash -s' <<EOF
        if tool.key == "ssh" and arguments and UNKNOWN not in arguments[0].value:
            context = replace(context, conditions=(*context.conditions, Condition(f"runs-on {arguments[0].value}")))
        if line is not None:
            yield line, context
        return
    if tool.key in ("sudo", "env") or command.name == "time":
        environment, words = _assignments(environment, command.options, words)
    if words:
        yield from unwrapped(inner_command(replace(command, context=context), words, environment), depth + 1)


def _line(words: tuple[Text, ...]) -> Text | None:
    """The words as the one line that a shell elsewhere is given: `ssh host cd x '&&' run`."""
    parts: list[Text] = []
    for word in takewhile(lambda word: word.value not in _INPUTS, words):
        if word.value in _KEYS or (parts and word.source is not parts[0].source):
            continue
        parts += [word[0:0].as_value(" "), word] if parts else [word]
    return Text.join(parts) if parts else None


def _assignments(
    environment: tuple[tuple[str, Text], ...], options: tuple[Option, ...], words: tuple[Text, ...]
) -> tuple[tuple[tuple[str, Text], ...], tuple[Text, ...]]:
    """`env A=1 cmd`, `sudo A=1 cmd`: what precedes the program is its environment."""
    given = [option.value for option in options if option.name == "=" and option.value is not None]
    while words and "=" in words[0].value.partition(" ")[0] and not words[0].value.startswith("-"):
        given.append(words[0])
        words = words[1:]
    found = [(word.value.partition("=")[0], word[word.value.index("=") + 1 :]) for word in given]
    return (*environment, *found), words


def inner_command(command: Command, words: tuple[Text, ...], environment: tuple[tuple[str, Text], ...]) -> Command:
    """The command that consists of some of another's words."""
    program = words[0].value.rsplit("/", 1)[-1] if UNKNOWN not in words[0].value else UNKNOWN
    span = reach(words[0], words[-1])
    return replace(
        command, name=program, span=span, origin=span, written=" ".join(word.written for word in words if word.written), words=words,
        environment=environment, options=(), arguments=(),
    )  # fmt: skip
