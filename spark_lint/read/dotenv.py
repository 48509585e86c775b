r"""Environment files: `.env`, `.env.example`, `gpu.env`, with what compose and python-dotenv take for a line of one.

`NAME=value`, `export NAME=value`, `NAME="a ${OTHER:-b}\n"  # comment`, `NAME='as it is'`; a quoted value may go over several lines.
https://docs.docker.com/compose/how-tos/environment-variables/env-file/ (2026-11). systemd's EnvironmentFile and `docker run --env-file`
read a part of this: what they see otherwise (`$`, quotes) no file means to hold.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from spark_lint.facts import Context, EnvVar, ParseProblem, Read
from spark_lint.read import shell, template
from spark_lint.read.expansion import MOST, TOO_MUCH, Budget
from spark_lint.read.yaml_values import filled
from spark_lint.text import UNKNOWN, Source, Text

Environments: TypeAlias = Callable[[str], Mapping[str, Text]]
"""The variables of an environment file that another file names, as far as it is known."""

_ANYWHERE: Final = Context()
_LONGEST_QUOTED: Final = 10_000
"""Characters of a quoted value; a quote that does not end before is none."""
_LONGEST_WRITTEN: Final = 200

_NAME: Final = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.]*)[ \t]*=[ \t]*")
_DOUBLE: Final = re.compile(rf'"((?:[^"\\]|\\.){{0,{_LONGEST_QUOTED}}})"', re.DOTALL)
_SINGLE: Final = re.compile(rf"'((?:[^'\\]|\\.){{0,{_LONGEST_QUOTED}}})'", re.DOTALL)
_PLAIN: Final = re.compile(r"[^\r\n]*")
_COMMENT: Final = re.compile(r"(?:^|(?<=[ \t]))#.*$")
_SCRIPT: Final = re.compile(r"#!.*\b(?:ba|da|z|k|a)?sh\b")
_COMMAND: Final = re.compile(r"\$\(|`")
_NEXT: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "'": "'", "$": "$$"}


class Variable(NamedTuple):
    """One variable: its name, its value, and the stretch from the name to the end of the value."""

    name: str
    value: Text
    place: Text


def nothing(_: str) -> Mapping[str, Text]:
    """No environment file is known."""
    return {}


def read(source: Source) -> Iterator[Read]:
    """The variables that an environment file sets."""
    yield from facts(Text.of(source))


def facts(text: Text, context: Context = _ANYWHERE) -> Iterator[Read]:
    """The variables that the text of an environment file sets. context: what is around it.

    One that begins as a script is one: some name so what their scripts read in with `.` or `source`.
    """
    if _SCRIPT.match(text.value):
        yield from shell.commands(text, context)
        return
    budget = Budget(MOST + 2 * len(text.value))
    for name, value, place in _variables(text, budget):
        span = place.span
        origin = next((piece.origin for piece in value.pieces if piece.origin), None) or span
        written = place.written if len(place.value) <= _LONGEST_WRITTEN else f"{name}="
        yield EnvVar(name=name, value=value.value, span=span, origin=origin, written=written, context=context)
    if budget.left < 0:
        yield ParseProblem(text[:0].span, TOO_MUCH)


def variables(source: Source) -> dict[str, Text]:
    """The values of the variables of an environment file, for a file that uses them. What is empty in an example is still to be said."""
    text = Text.of(source)
    return {each.name: each.value for each in _variables(text, Budget(MOST + 2 * len(text.value))) if each.value.value}


def _variables(text: Text, budget: Budget) -> Iterator[Variable]:
    """Each variable, with what it takes from those above it put in."""
    text = template.literal(text)
    value, known, at = text.value, dict[str, Text](), 0

    def lookup(name: str) -> Text | None:
        found = known.get(name)
        return found if found is not None and budget.allows(found.value) else None

    while at < len(value):
        named = _NAME.match(value, at)
        if named is None:
            at = _end_of_line(value, at)
            continue
        start = named.end()
        if double := _DOUBLE.match(value, start):
            stop, raw = double.end(), filled(_decoded(text[double.start(1) : double.end(1)]), lookup, bare=True)
        elif single := _SINGLE.match(value, start):
            stop, raw = single.end(), text[single.start(1) : single.end(1)]
        else:
            plain = _PLAIN.match(value, start)
            line = _COMMENT.sub("", value[start : plain.end() if plain else start]).rstrip()
            stop = start + len(line)
            raw = filled(text[start:stop], lookup, bare=True)
        if _COMMAND.search(raw.value) and not value.startswith("'", start):
            raw = raw.as_value(UNKNOWN)  # only a shell that reads the file in runs what it says
        found = raw if raw.value else text[start:stop].as_value("")
        known[named[1]] = found
        yield Variable(named[1], found, text[named.start(1) : named.start(1) + len(value[named.start(1) : stop].rstrip())])
        at = _end_of_line(value, stop)


def _decoded(text: Text) -> Text:
    r"""The text between double quotes with its escapes decoded; `\$` is the `$$` of what is filled in next."""
    parts, at = [], 0
    for match in _ESCAPE.finditer(text.value):
        if match[1] in _ESCAPES:
            parts += [text[at : match.start()], text[match.start() : match.end()].as_value(_ESCAPES[match[1]])]
            at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text


def _end_of_line(value: str, at: int) -> int:
    match = _NEXT.match(value, at)
    return match.end() if match else len(value)
