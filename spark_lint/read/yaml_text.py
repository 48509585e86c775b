r"""YAML scalars as texts: what a scalar says, and for every character of it the place in the file.

The parser gives a scalar's value and where it begins and ends. How the one becomes the other (quotes, `\n`, folded lines, the
indentation of a block) is done here once more, piece by piece, and the parser's own value is the check.
"""

import re
from typing import Final

from spark_lint.text import Text

_PROPERTIES: Final = re.compile(r"(?:[&!]\S*(?:\s+|$)|#[^\r\n]*(?:\s+|$))*")
_BREAK: Final = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_BLANKS: Final = re.compile("[ \t\r\n\x85\u2028\u2029]*")
_PLAIN: Final = re.compile("(?P<escape>(?!))|(?P<fold>[\r\n\x85\u2028\u2029])")
_SINGLE: Final = re.compile("(?P<escape>'')|(?P<fold>[\r\n\x85\u2028\u2029])")
_DOUBLE: Final = re.compile(
    r"(?P<escape>\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r\n|(?s:.)))|(?P<fold>[" + "\r\n\x85\u2028\u2029])"
)
_ESCAPES: Final = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_KEPT: Final = "\u2028\u2029"  # the only breaks that are not normalised to a newline


def scalar_text(text: Text, start: int, stop: int, value: str, style: str) -> Text:
    """The scalar with this value between two characters of `text`. style: its first character where it is quoted or a block."""
    whole = text[start:stop]
    if whole.value == value:
        return whole
    if (properties := _PROPERTIES.match(whole.value)) and properties.end():
        whole = whole[properties.end() :]
    if style in ("|", ">"):
        found = _block(whole, value, literal=style == "|")
    elif style:
        found = _flow(whole[1:-1], _SINGLE if style == "'" else _DOUBLE)
    else:
        found = _flow(whole, _PLAIN)
    return found if found is not None and found.value == value else whole.as_value(value)


def _flow(raw: Text, pattern: re.Pattern[str]) -> Text | None:
    """A scalar whose lines are folded: a line end is a blank, more than one are one newline less."""
    parts: list[Text] = []
    at, value = 0, raw.value
    while match := pattern.search(value, at):
        start, stop = match.span()
        if match["escape"] is not None and not _BREAK.match(match["escape"], 1):
            parts += [raw[at:start], raw[start:stop].as_value(_decoded(match["escape"]))]
            at = stop
            continue
        escaped = match["escape"] is not None
        first = start
        while not escaped and first > at and value[first - 1] in " \t":
            first -= 1
        blanks = _BLANKS.match(value, start + 1 if escaped else start)
        stop = blanks.end() if blanks else stop
        breaks = [each[0] if each[0] in _KEPT else "\n" for each in _BREAK.finditer(value, start + escaped, stop)]
        rest = "".join(breaks[1:])
        folded = rest if escaped or breaks[0] in _KEPT else rest or " "
        parts += [raw[at:first], raw[first:stop].as_value(folded)]
        at = stop
    parts.append(raw[at:])
    parts = [part for part in parts if part.value]
    return Text.join(parts) if parts else None


def _decoded(escape: str) -> str:
    r"""What `\n`, `''` or `\x41` stands for."""
    sign = escape[1:2]
    if escape[0] == "\\" and sign in "xuU" and len(escape) > 2:
        number = int(escape[2:], 16)
        return chr(number) if number <= 0x10FFFF else escape
    return _ESCAPES.get(sign, sign) if escape[0] == "\\" else sign


def _block(raw: Text, value: str, *, literal: bool) -> Text | None:
    """A literal (`|`) or folded (`>`) block below its header. The value says how deep it is indented."""
    header = _BREAK.search(raw.value)
    if header is None or not value:
        return None
    lines: list[tuple[int, int, int]] = []  # where a line starts, its text ends, its line end ends
    at = header.end()
    while match := _BREAK.search(raw.value, at):
        lines.append((at, *match.span()))
        at = match.end()
    if at < len(raw.value):
        lines.append((at, len(raw.value), len(raw.value)))
    indent = _indent(raw.value, lines, value)
    parts: list[Text] = []
    length = 0
    breaks: list[tuple[int, int]] = []
    before = True  # the line before begins with a blank, so that its line end stays
    for start, end, stop in lines:
        if end - start <= indent and not raw.value[start:end].strip(" "):
            breaks.append((end, stop))
            continue
        first = min(start + indent, end)
        blank = raw.value[first : first + 1] in (" ", "\t")
        folds = not literal and not before and not blank and bool(breaks) and raw.value[breaks[0][0]] not in _KEPT
        parts += _separators(raw, breaks, folds=folds)
        parts.append(raw[first:end])
        breaks = [(end, stop)] if stop > end else []
        before = blank
    parts += _separators(raw, breaks, folds=False)
    for number, part in enumerate(parts):  # chomping: what is cut off the end is no part of the value
        length += len(part.value)
        if length >= len(value):
            parts[number] = part[: len(part.value) - (length - len(value))]
            return Text.join(parts[: number + 1])
    return None


def _separators(raw: Text, breaks: list[tuple[int, int]], *, folds: bool) -> list[Text]:
    """What line ends between two lines of a block stand for."""
    if folds and len(breaks) == 1:
        return [raw[breaks[0][0] : breaks[0][1]].as_value(" ")]
    kept = breaks[1:] if folds else breaks
    found = []
    for start, stop in kept:
        end = raw[start:stop]
        found.append(end if end.value == "\n" or end.value in _KEPT else end.as_value("\n"))
    return found


def _indent(raw: str, lines: list[tuple[int, int, int]], value: str) -> int:
    """The blanks before each line that are no part of its text: those that the value's first line does not have."""
    first = next((line for line in value.split("\n") if line.strip(" ")), "")
    own = next(((start, end) for start, end, _ in lines if raw[start:end].strip(" ")), (0, 0))
    line = raw[own[0] : own[1]]
    return (len(line) - len(line.lstrip(" "))) - (len(first) - len(first.lstrip(" ")))
