"""The lines of a Makefile: continued ones as one, without comments, and what stands outside of `$(…)` in them."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from spark_lint.text import Text

_LINE: Final = re.compile(r"(?:[^\\\n]+|\\(?:\n|.|\Z))*(?:\n|\Z)")
_CONTINUED: Final = re.compile(r"(?<![ \t])[ \t]*\\\n[ \t]*")
_SIGN: Final = re.compile(r"\$[({]?|\\.|[(){}#:=;,]", re.DOTALL)
_CLOSES: Final = {"(": ")", "{": "}"}
_OPERATORS: Final = frozenset("?+!")
_MODIFIER: Final = re.compile(r"(?:export|override|private)[ \t]+(?![:?+!]*=)")
_BLANKS: Final = re.compile(r"\s+")


class Assignment(NamedTuple):
    """`NAME := value`: the operator is `=`, `:=`, `?=`, `+=` or `!=`. modifiers: `export`, `override` and `private` before it."""

    name: Text
    operator: str
    value: Text
    modifiers: frozenset[str] = frozenset()


class Header(NamedTuple):
    """`targets: prerequisites ; recipe`, or with a variable for these targets in place of what follows the colon."""

    targets: Text
    prerequisites: Text
    recipe: Text | None = None
    variable: Assignment | None = None


def logical(value: str) -> Iterator[tuple[int, int]]:
    """Where each line begins and ends, its line end left out; a line that ends in a backslash goes on with the next one."""
    at = 0
    while at < len(value):
        match = _LINE.match(value, at)
        end = match.end() if match else len(value)
        yield at, end - (value[end - 1] == "\n")
        at = end


def joined(text: Text) -> Text:
    """A line as make reads it outside of recipes: each continuation a blank, no comment, no blanks around it."""
    parts, at = [], 0
    for match in _CONTINUED.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(" ")]
        at = match.end()
    text = Text.join([*parts, text[at:]]) if parts else text
    comment = outside(text.value, "#")
    return stripped(text if comment < 0 else text[:comment])


def stripped(text: Text) -> Text:
    """A text without the blanks around it."""
    start = len(text.value) - len(text.value.lstrip())
    return text[start : max(start, len(text.value.rstrip()))]


def words(text: Text) -> list[Text]:
    """What stands between the blanks."""
    found, at = [], 0
    for blank in _BLANKS.finditer(text.value):
        found.append(text[at : blank.start()])
        at = blank.end()
    return [word for word in (*found, text[at:]) if word.value]


def outside(value: str, signs: str, start: int = 0) -> int:
    """Where the first of these signs stands outside of `$(…)` and `${…}`; -1 if nowhere."""
    open_: list[str] = []
    for match in _SIGN.finditer(value, start):
        sign = match[0]
        if len(sign) == 2 and sign[0] == "$":
            open_.append(sign[1])
        elif open_ and sign == open_[-1]:
            open_.append(sign)
        elif open_ and sign == _CLOSES[open_[-1]]:
            open_.pop()
        elif not open_ and sign in signs:
            return match.start()
    return -1


def closing(value: str, at: int) -> int:
    """Where the `$(` that was opened before `at` ends, its closing sign left out; -1 if nowhere."""
    sign = value[at - 1]
    depth = 1
    for match in re.compile(f"[{re.escape(sign + _CLOSES[sign])}]").finditer(value, at):
        depth += 1 if match[0] == sign else -1
        if not depth:
            return match.start()
    return -1


def assignment(text: Text) -> Assignment | None:
    """A line that gives a variable a value; None for any other one."""
    modifiers: set[str] = set()
    while match := _MODIFIER.match(text.value):
        modifiers.add(match[0].strip())
        text = text[match.end() :]
    at = outside(text.value, ":=")
    if at < 0:
        return None
    stop = at
    while text.value[stop : stop + 1] == ":":
        stop += 1
    if text.value[stop : stop + 1] != "=" or stop - at > 3:
        return None
    before = at - 1 if at == stop and text.value[at - 1 : at] in _OPERATORS else at
    operator = text.value[before] + "=" if before < at else ":=" if stop > at else "="
    name = stripped(text[:before])
    return Assignment(name, operator, stripped(text[stop + 1 :]), frozenset(modifiers)) if name.value else None


def header(text: Text) -> Header | None:
    """A line that begins a rule; None for any other one."""
    colon = outside(text.value, ":")
    if colon < 0:
        return None
    targets = stripped(text[:colon].without(_GROUPED) if text.value[colon - 1 : colon] == "&" else text[:colon])
    rest = stripped(text[colon + 1 + (text.value[colon + 1 : colon + 2] == ":") :])
    semicolon, equals = outside(rest.value, ";"), outside(rest.value, "=")
    if equals >= 0 and not 0 <= semicolon < equals:
        return Header(targets, rest[:0], variable=assignment(rest))
    recipe = None if semicolon < 0 else rest[semicolon + 1 :]
    names = rest if semicolon < 0 else rest[:semicolon]
    pattern = outside(names.value, ":")  # targets: pattern: prerequisites
    return Header(targets, stripped(names[pattern + 1 :]), recipe)


_GROUPED: Final = re.compile(r"&\Z")
