"""Locks in TOML as blocks: a head, one table a package, a tail; what they hold, and where in the file it stands.

A lock is written by a machine and may hold tens of megabytes. It is cut once at its headers and parsed block by block, so that one block
that is no TOML costs no other, and no more than one is held as values at a time. `tomli` gives the values and knows no places; these are
looked up in the text of the block.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import unquote

import tomli
from packaging.utils import canonicalize_name

from spark_lint.facts import LONGEST_VERSION, ParseProblem
from spark_lint.read.expansion import TOO_DEEP
from spark_lint.text import Source, Span

MOST_PACKAGES: Final = 200_000
"""Packages of one lock that are read; real ones have hundreds."""
MOST_NEEDS: Final = 10_000
"""Needs of one package that are read."""

# A header begins its line. Inside of a list it would have to be one bare word in brackets, which locks do not hold.
_HEADER: Final = re.compile(r"^[ \t]*(\[\[?)[ \t]*([A-Za-z][A-Za-z0-9_-]*)[ \t]*([.\]])", re.MULTILINE)
_TABLE: Final = re.compile(r"\n[ \t]*\[")
_LINE: Final = re.compile(r"""^(name|version)[ \t]*=[ \t]*(?:"[^"\r\n]*"?|'[^'\r\n]*'?)""", re.MULTILINE)
# https://git-scm.com/docs/git-merge#_how_conflicts_are_presented
_OURS: Final = "<<<<<<<"
_CONFLICT: Final = "an unresolved merge conflict"
_MERGE: Final = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?=[ \r\n]|\Z)", re.MULTILINE)
_FURTHEST: Final = 3
"""Lines between name and version; where there are more, the name stands alone."""
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")

KEY: Final = re.compile(r"""^[ \t]*(?P<whole>["']?(?P<name>[A-Za-z0-9_.-]+)["']?[ \t]*=[^\r\n]*)""", re.MULTILINE)
"""A key at the beginning of its line, to the end of that line: `torch = ">=2.4"`."""
ITEM: Final = re.compile(r"""(?P<whole>["'](?P<name>[^"'\r\n]*)["'])""")
"""A string: `"torch"`."""
TABLE: Final = re.compile(r"""(?P<whole>\{[ \t]*name[ \t]*=[ \t]*["'](?P<name>[^"'\r\n]*)["'](?:[^{}\r\n]|\{[^{}\r\n]*\})*\}?)""")
"""An inline table that begins with its name: `{ name = "torch", marker = "…" }`."""


class Places:
    """Where in a block things are written, in the order in which they are asked for."""

    def __init__(self, block: "Block", pattern: re.Pattern[str], after: int) -> None:
        self._block = block
        self._found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for match in pattern.finditer(block.text, after):
            self._found[match["name"]].append(_stretch(match))
        for stretches in self._found.values():
            stretches.reverse()

    def next(self, name: str) -> Span:
        """The next match of that name; the block's own place where there is none."""
        stretches = self._found.get(name)
        return self._block.span(*stretches.pop()) if stretches else self._block.stated


class Block:
    """One table of a lock with the tables below it. start: its offset in the file; values: what is in it."""

    def __init__(self, source: Source, start: int, text: str, values: Mapping[str, Any]) -> None:
        self.source = source
        self.start = start
        self.text = text
        self.values = values

    def span(self, start: int, stop: int) -> Span:
        """The span of a stretch of the block's text."""
        return self.source.span(self.start + start, self.start + stop)

    def places(self, pattern: re.Pattern[str], after: int = 0) -> Places:
        """Where the matches of a pattern stand, by its group `name`, from an offset in the text on."""
        return Places(self, pattern, after)

    def key(self, name: str) -> Span | None:
        """The first line that begins with that key, to its end: `requires-python = ">=3.12"`."""
        return next((self.span(*_stretch(match)) for match in KEY.finditer(self.text) if match["name"] == name), None)

    @cached_property
    def stated(self) -> Span:
        """From the name to the end of its version; the block's first line where it has no name."""
        lines: dict[str, tuple[int, int]] = {}
        below = _TABLE.search(self.text, 1)
        for match in _LINE.finditer(self.text, 0, below.start() if below else len(self.text)):
            lines.setdefault(match[1], match.span())
        if "name" not in lines:
            return self.span(0, len(self.text.partition("\n")[0].rstrip()))
        start, stop = lines["name"]
        after, end = lines.get("version", (0, 0))
        near = after > start and self.text.count("\n", start, after) <= _FURTHEST
        return self.span(start, end if near else stop)

    @property
    def name(self) -> str:
        """The canonical name of the package; empty for none."""
        return canonicalize_name(string(self.values, "name"))

    @property
    def version(self) -> str:
        """The version of the package; empty for none."""
        found = string(self.values, "version")
        return found if len(found) <= LONGEST_VERSION else ""

    @property
    def written(self) -> str:
        """The package as one would ask for it: `torch==2.9.1`."""
        name = string(self.values, "name")
        return f"{name}=={self.version}" if self.version else name


@dataclass(frozen=True, slots=True)
class _Part:
    start: int
    stop: int


class Blocks:
    """A lock whose packages are the tables `[[table]]`.

    rest: what is no package, the head first, as one block each; values: all that they hold together; problems: what of them is no TOML.
    """

    def __init__(self, source: Source, table: str) -> None:
        self._source = source
        self._text = source.text
        self._table = table
        merge = _MERGE.search(source.text) if _OURS in source.text else None
        if merge:
            # Both sides are read, the lines between them as comments.
            self._text = _MERGE.sub("#" * len(_OURS), source.text)
        self._packages: list[_Part] = []
        rest: list[_Part] = []
        self._cut(rest)
        read = [self._parsed(part) for part in rest]
        self.rest = [each for each in read if isinstance(each, Block)] or [Block(source, 0, "", {})]
        self.problems = [each for each in read if isinstance(each, ParseProblem)]
        self.values: dict[str, Any] = {}
        for block in self.rest:
            for key, value in block.values.items():
                if isinstance(value, dict) and isinstance(self.values.setdefault(key, {}), dict):
                    self.values[key].update(value)
                else:
                    self.values[key] = value
        if merge:
            self.problems.append(ParseProblem(source.span(merge.start(), merge.start()), _CONFLICT))
        if table in self.values:
            span = self.key(table)
            self.problems.append(ParseProblem(span, f"{table} is not written as [[{table}]], not read"))

    def _cut(self, rest: list[_Part]) -> None:
        """Where the blocks begin and end. A table below a package belongs to it."""
        start, inside = 0, False
        for match in _HEADER.finditer(self._text):
            own = match[2] == self._table
            begins = own and match[1] == "[[" and match[3] == "]"
            if not begins and own == inside:
                continue
            (self._packages if inside else rest).append(_Part(start, match.start()))
            start, inside = match.start(), own
        (self._packages if inside else rest).append(_Part(start, len(self._source.text)))

    def key(self, name: str) -> Span:
        """Where a key is written that belongs to no package; the beginning of the file where it is nowhere."""
        return next((span for block in self.rest if (span := block.key(name))), self._source.span(0, 0))

    def packages(self) -> Iterator[Block | ParseProblem]:
        """The packages in the order of the file; a problem for each that is no TOML."""
        for part in self._packages[:MOST_PACKAGES]:
            read = self._parsed(part)
            if isinstance(read, ParseProblem):
                yield read
                continue
            found = tables(read.values, self._table)
            yield Block(read.source, read.start, read.text, found[0] if found else {})
        if len(self._packages) > MOST_PACKAGES:
            at = self._packages[MOST_PACKAGES].start
            yield ParseProblem(self._source.span(at, at), f"more than {MOST_PACKAGES:,} packages: the rest is not read")

    def _parsed(self, part: _Part) -> Block | ParseProblem:
        text = self._text[part.start : part.stop]
        try:
            return Block(self._source, part.start, text, tomli.loads(text))
        except tomli.TOMLDecodeError as error:
            message = getattr(error, "msg", "") or str(error)
            message = f"not valid TOML: {message[:1].lower()}{message[1:]}"
            at = self._place(part, getattr(error, "lineno", 1), getattr(error, "colno", 1))
            if self._text is not self._source.text and (merge := _MERGE.search(self._source.text, part.start, part.stop)):
                message, at = _CONFLICT, merge.start()
        except (ValueError, RecursionError) as error:  # a number of thousands of digits, a list of thousands of levels
            message = TOO_DEEP if isinstance(error, RecursionError) else f"not valid TOML: {error}"
            at = part.start
        return ParseProblem(self._source.span(at, at), message)

    def _place(self, part: _Part, line: int, column: int) -> int:
        """The offset of a line and a column of a part, inside of it."""
        starts, first = self._source.starts, self._source.position(part.start)[0]
        at = starts[min(first + line - 2, len(starts) - 1)] + column - 1
        return min(at, part.stop)


def _stretch(match: re.Match[str]) -> tuple[int, int]:
    """From where to where a match reaches, without the comma and the blanks behind it."""
    start = match.start("whole")
    return start, start + len(match["whole"].rstrip(" \t,"))


def string(values: object, key: str) -> str:
    """The text under a key; empty where there is none."""
    found = values.get(key) if isinstance(values, Mapping) else None
    return found if isinstance(found, str) else ""


def table(values: object, key: str) -> Mapping[str, Any]:
    """The table under a key; an empty one where there is none."""
    found = values.get(key) if isinstance(values, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def listed(values: object, key: str) -> list[Any]:
    """The list under a key; an empty one where there is none."""
    found = values.get(key) if isinstance(values, Mapping) else None
    return found if isinstance(found, list) else []


def tables(values: object, key: str) -> list[Mapping[str, Any]]:
    """The tables of the list under a key."""
    return [each for each in listed(values, key) if isinstance(each, Mapping)]


def strings(values: object, key: str) -> list[str]:
    """The texts of the list under a key."""
    return [each for each in listed(values, key) if isinstance(each, str)]


def names(values: object, key: str) -> frozenset[str]:
    """The canonical names in the list under a key."""
    return frozenset(canonicalize_name(each) for each in strings(values, key))


def is_address(text: str) -> bool:
    """Whether this is an address (`https://…`), not a path."""
    return _ADDRESS.match(text) is not None


def basename(address: str) -> str:
    """The name of the file at an address or path: without query, fragment and escapes."""
    found = address.partition("#")[0].partition("?")[0] if is_address(address) else address
    return unquote(found.replace("\\", "/").rstrip("/").rpartition("/")[2])


def is_wheel(name: str) -> bool:
    """Whether a file of that name is a wheel."""
    return name.lower().endswith(".whl")


def either(markers: list[str]) -> str:
    """The marker that holds where one of these does; empty for none."""
    return markers[0] if len(markers) == 1 else " or ".join(f"({each})" for each in markers)
