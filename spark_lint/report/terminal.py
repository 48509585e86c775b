"""What a terminal does with characters: which ones it may be given, how wide they are, and which stretch of a line to show."""

import re
import unicodedata
from typing import Final

WIDTH: Final = 100
"""Cells of a source line that are shown."""
BEFORE: Final = 30
"""Cells kept before a span in a line that is too long to show whole."""

_NAMED: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
# Controls, formats (the bidirectional ones among them, CVE-2021-42574), surrogates, private use, unassigned; separators of
# lines and paragraphs. Neither a terminal nor the reader's eye can be trusted with them.
_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# The log of a CI job is read for commands: `##[error]`, `##vso[` and `##teamcity[` wherever they stand, `::error::` at the start
# of a line (https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs, 2026-11).
_COMMAND: Final = re.compile(r"#(?=#[A-Za-z]*\[)|^([^\S\n]*):(?=:)", re.MULTILINE)


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE:
        return character
    code = ord(character)
    return _NAMED.get(character) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


def _disarmed(text: str) -> str:
    """The text with the first character of what a CI job takes for a command as an escape."""
    if "##" not in text and "::" not in text:
        return text
    return _COMMAND.sub(lambda match: rf"{match[1] or ''}\x{ord(match[0][-1]):02x}", text)


def safe(text: str) -> str:
    r"""The text on one line; what could move a cursor, turn the reading direction, hide or command is written as an escape (`\x1b`)."""
    return _disarmed(text if text.isascii() and text.isprintable() else "".join(map(_shown, text)))


def safe_lines(text: str) -> str:
    """The same for a text of several lines, which stay lines; tabs stay tabs."""
    return _disarmed("".join(character if character in "\n\t" else _shown(character) for character in text.replace("\r\n", "\n")))


def _cells(shown: str) -> int:
    if shown.isascii():
        return len(shown)
    return sum(
        0 if unicodedata.category(each) in ("Mn", "Me") else 2 if unicodedata.east_asian_width(each) in "WF" else 1
        for each in shown
    )


def excerpt(line: str, start: int, stop: int) -> tuple[str, str, str]:
    """A source line as shown; the blanks and the carets that go under it, for its characters from `start` to `stop` (from 0).

    Tabs become spaces, unsafe characters escapes; a line that is too long is cut around the span, with `…` at each cut. At
    least one caret.
    """
    start = min(start, len(line))
    first, last = _window(line, start)
    shown = ["    " if each == "\t" else _shown(each) for each in line[first:last]]
    for command in _COMMAND.finditer(line, first, last):
        if command[0] == "#":
            shown[command.start() - first] = r"\x23"
    ahead = "…" if first else ""
    left = _cells(ahead) + sum(map(_cells, shown[: start - first]))
    under = sum(map(_cells, shown[start - first : max(start, stop) - first]))
    return f"{ahead}{''.join(shown)}{'…' if last < len(line) else ''}", " " * left, "^" * max(1, under)


def _window(line: str, start: int) -> tuple[int, int]:
    """The part of a line that is shown. Every character counts as one cell at least, so a line of a million accents ends too."""
    last, used = _reach(line, start, WIDTH - BEFORE)
    first = start
    while first and used < WIDTH and (used := used + _cost(line[first - 1])) <= WIDTH:
        first -= 1
    used = sum(map(_cost, line[first:last]))
    return first, _reach(line, last, WIDTH - used)[0]


def _reach(line: str, start: int, cells: int) -> tuple[int, int]:
    """How far one gets from `start` in so many cells, and how many of them it took."""
    at, used = start, 0
    while at < len(line) and used + _cost(line[at]) <= cells:
        used += _cost(line[at])
        at += 1
    return at, used


def _cost(character: str) -> int:
    return 4 if character == "\t" else max(1, _cells(_shown(character)))
