r"""Decoded text inside a file, with the way back to the file.

Shell inside a Dockerfile, a YAML scalar, a JSON string, a notebook cell or a Markdown fence is one idea: a value, and for
every character of it the place in the file where it is written. `Text` is that idea. Comments cut out of a continued
command, escapes (`\n`, `\"`) and substituted variables (`${TAG}`) are pieces whose length in the value differs from their
length in the file, so an embedded parser never sees them and every position it reports still leads home.
"""

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

UNKNOWN: Final = "\N{OBJECT REPLACEMENT CHARACTER}"
"""What stands in a value for a part that cannot be known from the files: `torch==${V}` reads as `torch==` + UNKNOWN."""

# \r alone still ends a line for every editor; str.splitlines() would also break at \x0b, \x0c, \x1c-\x1e, \x85, \u2028, \u2029.
_NEWLINE = re.compile(r"\r\n|\n|\r")
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
         (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a file. Lines and columns count from 1, columns in code points; the end is exclusive.

    `cell` is the number of the notebook cell (from 1), None in every other file.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None

    def covers(self, other: "Span") -> bool:
        """Whether `other` lies inside this span of the same file."""
        starts_before = (self.line, self.column) <= (other.line, other.column)
        ends_after = (other.end_line, other.end_column) <= (self.end_line, self.end_column)
        return self.path == other.path and starts_before and ends_after


def decode(data: bytes, encoding: str = "utf-8") -> str:
    """The text of a file's bytes, without its byte order mark, which decides the encoding where there is one.

    Raises UnicodeDecodeError where the bytes are not text in that encoding.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name)
    return data.decode(encoding)


class Source:
    """One file as read: `path` (relative, with `/`), `text` (as decoded, line ends kept) and where its lines begin."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each line begins."""
        return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their line ends."""
        return _NEWLINE.split(self.text)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of a character offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def span(self, start: int, stop: int) -> Span:
        """The span of the characters from `start` to `stop` (exclusive)."""
        return Span(self.path, *self.position(start), *self.position(max(start, stop)))

    def offset(self, line: int, column: int) -> int:
        """The character offset of a line and column, both from 1."""
        return self.starts[line - 1] + column - 1

    def cut(self, span: Span) -> str:
        """What the file says in `span`, to the letter."""
        return self.text[self.offset(span.line, span.column) : self.offset(span.end_line, span.end_column)]


class Piece(NamedTuple):
    """A run of a text's characters: `at` in the value, `start` to `stop` in the file.

    An exact piece stands in the file as it is; any other (an escape, a substituted variable) maps to its stretch as a whole.
    `origin` is where a substituted value is written.
    """

    at: int
    start: int
    stop: int
    exact: bool
    origin: Span | None


@dataclass(frozen=True, slots=True)
class Text:
    """A value and the place in `source` of each of its characters."""

    source: Source = field(repr=False)
    value: str
    pieces: tuple[Piece, ...] = field(repr=False)

    @staticmethod
    def of(source: Source, start: int = 0, stop: int | None = None) -> "Text":
        """The stretch of a file from `start` to `stop`, as it stands there."""
        stop = len(source.text) if stop is None else stop
        return Text(source, source.text[start:stop], (Piece(0, start, stop, True, None),))

    @staticmethod
    def join(parts: Iterable["Text"]) -> "Text":
        """Texts of one file behind each other; what lies between them in the file is no part of the value."""
        parts = list(parts)
        values, pieces, length = [], [], 0
        for part in parts:
            pieces += [piece._replace(at=piece.at + length) for piece in part.pieces]
            values.append(part.value)
            length += len(part.value)
        return Text(parts[0].source, "".join(values), tuple(pieces))

    def as_value(self, value: str, origin: Span | None = None) -> "Text":
        """The same stretch of the file standing for another value: an escape decoded, a variable substituted.

        `origin` is where the value is written, when that is elsewhere.
        """
        start, stop = self.bounds()
        return Text(self.source, value, (Piece(0, start, stop, False, origin),))

    def __getitem__(self, part: slice) -> "Text":
        """A part of the value, by its characters; the step of the slice must be 1."""
        start, stop, step = part.indices(len(self.value))
        if step != 1:
            raise ValueError("a text has no steps")
        if start >= stop:
            at = self.bounds(start, start)[0]
            return Text(self.source, "", (Piece(0, at, at, True, self._piece(start).origin),))
        pieces = []
        for index in range(self._index(start), len(self.pieces)):
            piece = self.pieces[index]
            if piece.at >= stop:
                break
            until = self.pieces[index + 1].at if index + 1 < len(self.pieces) else len(self.value)
            low, high = max(start, piece.at), min(stop, until)
            if low >= high:
                continue
            if piece.exact:
                first = piece.start + low - piece.at
                pieces.append(Piece(low - start, first, first + high - low, True, piece.origin))
            else:
                pieces.append(piece._replace(at=low - start))
        return Text(self.source, self.value[start:stop], tuple(pieces))

    def without(self, pattern: re.Pattern[str]) -> "Text":
        """The text without what a pattern matches."""
        parts, at = [], 0
        for match in pattern.finditer(self.value):
            parts.append(self[at : match.start()])
            at = match.end()
        return Text.join([*parts, self[at:]]) if parts else self

    def _index(self, at: int) -> int:
        return max(0, bisect_right(self.pieces, at, key=lambda piece: piece.at) - 1)

    def _piece(self, at: int) -> Piece:
        return self.pieces[self._index(at)]

    def bounds(self, start: int = 0, stop: int | None = None) -> tuple[int, int]:
        """The file offsets of the value's characters from `start` to `stop`."""
        stop = len(self.value) if stop is None else stop
        first = self._piece(start)
        if stop <= start:
            begin = min(first.start + start - first.at, first.stop) if first.exact else first.start
            return (begin, begin) if self.value else (first.start, first.stop)
        last = self._piece(stop - 1)
        begin = first.start + start - first.at if first.exact else first.start
        return begin, last.start + stop - last.at if last.exact else last.stop

    @property
    def span(self) -> Span:
        """Where the whole value is written."""
        return self.source.span(*self.bounds())

    @property
    def origin(self) -> Span:
        """Where the deciding part of the value is written: the definition of the variable it uses, else its own place."""
        return next((piece.origin for piece in self.pieces if piece.origin), None) or self.span

    @property
    def written(self) -> str:
        """The author's own spelling, on one line."""
        start, stop = self.bounds()
        return " ".join(self.source.text[start:stop].split())

    @property
    def known(self) -> bool:
        """Whether no part of the value is unknown."""
        return UNKNOWN not in self.value


class Bytes:
    """A text as UTF-8 for a parser that counts bytes, and the way back: the one place where bytes become characters."""

    def __init__(self, value: str) -> None:
        self.data = value.encode("utf-8", "surrogatepass")
        self._plain = len(self.data) == len(value)
        self._offsets = [] if self._plain else self._table(value)

    @staticmethod
    def _table(value: str) -> list[int]:
        offsets, total = [0], 0
        for character in value:
            total += len(character.encode("utf-8", "surrogatepass"))
            offsets.append(total)
        return offsets

    def character(self, offset: int) -> int:
        """The character at a byte offset."""
        return offset if self._plain else bisect_right(self._offsets, offset) - 1

    def byte(self, character: int) -> int:
        """The byte offset of a character."""
        return character if self._plain else self._offsets[character]
