"""CMake's syntax: the commands of a file, with the arguments that they are written with.

https://cmake.org/cmake/help/latest/manual/cmake-language.7.html, read 2026-11.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from spark_lint.facts import ParseProblem
from spark_lint.text import Source, Text

BRACKET: Final = "bracket"
QUOTED: Final = "quoted"
UNQUOTED: Final = "unquoted"
PARENTHESIS: Final = "parenthesis"

_BLANK: Final = re.compile(r"[\s\ufeff]+")
_OPENING: Final = re.compile(r"\[(=*)\[")
_LINE: Final = re.compile(r"[^\r\n]*")
# `@PACKAGE_INIT@`, a line that CMake fills in: https://cmake.org/cmake/help/latest/module/CMakePackageConfigHelpers.html
_FILLED: Final = re.compile(r"@\w+@[ \t]*(?=[\r\n]|\Z)")
_COMMAND: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*\(")
_QUOTED: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
# Flags of old files hold quotes (-Da="b c") and variables of make ($(MAKE)).
_UNQUOTED: Final = re.compile(r'(?:\$\(\w*\)|[^\s()#"\\]|\\.|(?<!\s)"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*")+', re.DOTALL)
# Where a comment begins, and what may hold a # that begins none.
_MARK: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|\\.|(?P<comment>#(?!\[=*\[)[^\r\n]*)|\[(?P<level>=*)\[', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as it is written: without its quotes or brackets, with its escapes and variables. kind: how it is quoted."""

    text: Text
    kind: str = UNQUOTED

    def is_word(self, *words: str) -> bool:
        """Whether it is one of these keywords: a quoted word is none."""
        return self.kind == UNQUOTED and self.text.value in words


@dataclass(frozen=True, slots=True)
class Invocation:
    """One command: its name in lower case, all of it, and its arguments."""

    name: str
    place: Text
    arguments: tuple[Argument, ...]


def invocations(source: Source) -> Iterator[Invocation | ParseProblem]:
    """The commands of a file in their order, and what CMake would refuse: a line that is no command, and an end that is missing."""
    text, at, fault = source.text, 0, False
    while True:
        at = _skipped(text, at)
        if at >= len(text):
            return
        command = _COMMAND.match(text, at)
        if command is None:
            line = _LINE.match(text, at)
            if not fault and not _FILLED.match(text, at):
                yield ParseProblem(source.span(at, at), "not valid CMake: here a command should begin")
                fault = True
            at = max(line.end() if line else 0, at + 1)
            continue
        arguments, at = _arguments(source, command.end())
        if arguments is None:
            span = source.span(command.start(), command.end())
            yield ParseProblem(span, f"not valid CMake: the end of {command[1]}(… is missing")
            return
        yield Invocation(command[1].lower(), Text.of(source, command.start(), at), tuple(arguments))


def _arguments(source: Source, at: int) -> tuple[list[Argument] | None, int]:
    """The arguments of a command, and where it ends; none where it does not."""
    text, depth = source.text, 0
    found: list[Argument] = []
    while True:
        at = _skipped(text, at)
        sign = text[at : at + 1]
        if sign == ")" and not depth:
            return found, at + 1
        if sign and sign in "()":
            depth += 1 if sign == "(" else -1
            found.append(Argument(Text.of(source, at, at + 1), PARENTHESIS))
            at += 1
        elif bracket := _OPENING.match(text, at):
            end = text.find(f"]{bracket[1]}]", bracket.end())
            if end < 0:
                return None, at
            found.append(Argument(Text.of(source, bracket.end(), end), BRACKET))
            at = end + len(bracket[1]) + 2
        elif sign == '"':
            quoted = _QUOTED.match(text, at)
            if quoted is None:
                return None, at
            found.append(Argument(Text.of(source, at + 1, quoted.end() - 1), QUOTED))
            at = quoted.end()
        elif word := _UNQUOTED.match(text, at):
            found.append(Argument(Text.of(source, at, word.end())))
            at = word.end()
        else:
            return None, at


def _skipped(text: str, at: int) -> int:
    """Where the next thing begins that is no blank and no comment."""
    while at < len(text):
        if blank := _BLANK.match(text, at):
            at = blank.end()
        elif text[at] != "#":
            return at
        elif bracket := _OPENING.match(text, at + 1):
            end = text.find(f"]{bracket[1]}]", bracket.end())
            at = len(text) if end < 0 else end + len(bracket[1]) + 2
        else:
            line = _LINE.match(text, at)
            at = line.end() if line else len(text)
    return at


def comments(source: Source) -> Iterator[tuple[int, int]]:
    """Where the comments of a file stand that reach to the end of their line, as offsets."""
    text, at = source.text, 0
    while match := _MARK.search(text, at):
        at = match.end()
        if match["comment"] is not None:
            yield match.span()
        elif match["level"] is not None:
            end = text.find(f"]{match['level']}]", at)
            if end < 0:
                return
            at = end
