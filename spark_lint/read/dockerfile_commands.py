"""What RUN, CMD and ENTRYPOINT run: a list of words, a line for the shell, or a here-document."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from spark_lint.facts import Command, Context, Read
from spark_lint.read import shell
from spark_lint.read.dockerfile_lines import Heredoc
from spark_lint.read.dockerfile_words import json_words
from spark_lint.read.expansion import Budget
from spark_lint.text import UNKNOWN, Text

SHELLS: Final = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh"})
"""Programs whose language is read here, by name."""
_CONTROL: Final = re.compile(r"&&|\|\|?|;|$")
_INTERPRETER: Final = re.compile(r"#!\s*(\S+)[ \t]*([^\n]*)")


class Setting(NamedTuple):
    """What surrounds a command. posix: the stage's shell is one whose language is read here."""

    context: Context
    variables: Mapping[str, Text]
    budget: Budget
    posix: bool


def program(word: Text) -> str:
    """The name of the program that a first word runs."""
    name = word.value.rsplit("/", 1)[-1] or word.value
    return UNKNOWN if UNKNOWN in name else name


def shell_code(words: Sequence[Text]) -> Text | None:
    """The code in `bash -lc "…"`, `bash -eo pipefail -c "…"`; None for any other command."""
    if program(words[0]) not in SHELLS:
        return None
    at = 1
    while at + 1 < len(words) and words[at].value.startswith(("-", "+")):
        option = words[at].value
        if option.endswith("c") and not option.startswith("--"):
            return words[at + 1]
        at += 2 if option.endswith(("o", "O")) else 1
    return None


def either_form(text: Text, heredocs: Sequence[Heredoc], around: Setting) -> Iterator[Read]:
    """The commands of an instruction that takes a list or a line."""
    words = None if heredocs else json_words(text)
    if words:
        written = " ".join(word.written for word in words)
        span = text.span
        yield Command(
            name=program(words[0]),
            words=tuple(words),
            exec_form=True,
            span=span,
            origin=span,
            written=written,
            context=around.context,
        )
    elif words is None and around.posix:
        yield from _line(text, heredocs, around)


def _command(words: Sequence[Text], place: Text, context: Context) -> Command:
    written = " ".join(word.written for word in words)
    span = place.span
    return Command(name=program(words[0]), words=tuple(words), span=span, origin=span, written=written, context=context)


def joined(entrypoint: tuple[Text, ...], command: Command) -> Command:
    """ENTRYPOINT and CMD as lists: the one command that starts, at the place of CMD."""
    words = (*entrypoint, *command.words)
    return replace(command, name=program(words[0]), words=words, written=" ".join(word.written for word in words))


def _line(text: Text, heredocs: Sequence[Heredoc], around: Setting) -> Iterator[Read]:
    """A line for the shell, with the here-document behind it as in any script."""
    if len(heredocs) == 1 and text.value == heredocs[0].marker.value:
        yield from _here_script(heredocs[0].body, around)
        return
    if len(heredocs) == 1 and heredocs[0].closed:
        text = Text.join([_command_first(text, heredocs[0].marker), heredocs[0].whole])
    else:
        text = _without(text, [heredoc.marker.value for heredoc in heredocs])
    yield from _shell(text, around)


def _without(text: Text, markers: Sequence[str]) -> Text:
    """The line without its markers: the grammar knows one on a line, so of several none is given to its command."""
    parts, at = [], 0
    for marker in markers:
        start = text.value.index(marker, at)
        parts.append(text[at:start])
        at = start + len(marker)
    return Text.join([*parts, text[at:]])


def _command_first(text: Text, marker: Text) -> Text:
    """`<<EOF python - && next` as `python - <<EOF && next`, which is the same to a shell and known to the grammar."""
    length = len(marker.value)
    if not text.value.startswith(marker.value):
        return text
    blank, rest = text[length : length + 1], text[length:]
    control = _CONTROL.search(rest.value)
    end = control.start() if control else len(rest.value)
    return Text.join([rest[:end], blank, marker, blank, rest[end:]])


def _here_script(body: Text, around: Setting) -> Iterator[Read]:
    """`RUN <<EOF`: the text is the script, for the program that its first line names or for the shell."""
    first = _INTERPRETER.match(body.value)
    words = [body[start:stop] for start, stop in (first.span(1), first.span(2)) if start < stop] if first else []
    if words and not any(program(word) in SHELLS for word in words):
        span = body[: len(body.value.partition("\n")[0].rstrip())].span
        written = " ".join(word.written for word in words)
        yield Command(
            name=program(words[0]),
            words=tuple(words),
            stdin=body,
            span=span,
            origin=span,
            written=written,
            context=around.context,
        )
    else:
        yield from _shell(body, around)


def _shell(text: Text, around: Setting) -> Iterator[Read]:
    return shell.commands(text, around.context, around.variables, around.budget)
