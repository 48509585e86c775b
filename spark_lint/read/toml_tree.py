"""TOML as a tree in which every value knows its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from spark_lint.facts import Value
from spark_lint.text import UNKNOWN, Text

_LONGEST_NUMBER: Final = 40
_LONGEST_STRING: Final = 10_000
"""Characters of a string that is taken for a value; a longer one is data, and unknown."""

_ESCAPE: Final = re.compile(
    r"\\(?:x(?P<two>[0-9A-Fa-f]{2})|u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8})|(?P<fold>[ \t]*\r?\n\s*)|(?P<sign>.))|(?P<end>\r\n)",
    re.DOTALL,
)
_ESCAPES: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b", '"': '"', "\\": "\\"}
_LINE_END: Final = re.compile(r"\r\n")
_FIRST_LINE_END: Final = re.compile(r"\r?\n")
_WORDS: Final[dict[str, Value]] = {"true": True, "false": False, **{f"{sign}inf": float(f"{sign}inf") for sign in ("", "+", "-")},
                                   **dict.fromkeys(("nan", "+nan", "-nan"), float("nan"))}  # fmt: skip
_INTEGER: Final = re.compile(r"[-+]?\d+(?:_\d+)*|0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+")
_FLOAT: Final = re.compile(r"[-+]?\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][-+]?\d[\d_]*)?")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")


@dataclass(slots=True, eq=False)
class Scalar:
    """One value; a string with its quotes, from `start` to `stop` in its text."""

    whole: Text
    start: int
    stop: int
    quotes: str = ""

    @property
    def quoted(self) -> bool:
        """Whether it is a string."""
        return bool(self.quotes)

    @property
    def text(self) -> Text:
        """The value as written."""
        return self.whole[self.start : self.stop]

    @property
    def string(self) -> Text:
        """The value as text, without quotes and escapes."""
        if not self.quotes:
            return self.text
        value, quotes = self.whole.value, self.quotes
        start = self.start + len(quotes)
        stop = self.stop - len(quotes) if value.endswith(quotes, start, self.stop) else self.stop
        if len(quotes) > 1 and (first := _FIRST_LINE_END.match(value, start, stop)):
            start = first.end()
        inner = self.whole[start:stop]
        if '"' in quotes and "\\" in inner.value:
            return _decoded(inner, _ESCAPE)
        return _decoded(inner, _LINE_END) if "\r\n" in inner.value else inner

    @property
    def value(self) -> Value:
        """The value as TOML types it, a date as text. A word that is no value stands for something unknown."""
        if self.quotes:
            return self.string.value if self.stop - self.start <= _LONGEST_STRING else UNKNOWN
        written = self.whole.value[self.start : self.stop]
        if written in _WORDS:
            return _WORDS[written]
        if len(written) <= _LONGEST_NUMBER:
            try:
                if _INTEGER.fullmatch(written):
                    return int(written, 0 if written[:1] == "0" and written.strip("0_") else 10)
                if _FLOAT.fullmatch(written):
                    return float(written)
            except ValueError:  # 0x_, 007
                return UNKNOWN
        return written if _DATE.match(written) else UNKNOWN


@dataclass(slots=True, eq=False)
class Array:
    """A list, of values or (`[[x]]`) of tables."""

    items: "list[Node]" = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Pair:
    """A key with its value. start, stop: from the key, with the keys before it on its line, to the end of the value; of a table its name."""

    start: int
    stop: int
    value: "Node"


@dataclass(slots=True, eq=False)
class Table:
    """Keys with their values, in order.

    inline: what it says between braces; None for one that stands under a header, or whose keys do. told: its keys are names of something,
    and what it says is given in other facts.
    """

    pairs: dict[str, Pair] = field(default_factory=dict)
    inline: Text | None = None
    told: bool = False

    def get(self, *path: str) -> "Node | None":
        """The value under a path of keys."""
        node: Node | None = self
        for key in path:
            pair = node.pairs.get(key) if isinstance(node, Table) else None
            node = pair.value if pair else None
        return node

    def table(self, *path: str) -> "Table":
        """The table under a path of keys, an empty one where there is none."""
        found = self.get(*path)
        return found if isinstance(found, Table) else Table()

    def string(self, *path: str) -> Text | None:
        """The string under a path of keys."""
        found = self.get(*path)
        return found.string if isinstance(found, Scalar) and found.quotes else None

    def says(self, *path: str) -> bool:
        """Whether `true` stands under a path of keys."""
        found = self.get(*path)
        return isinstance(found, Scalar) and found.value is True

    def strings(self, *path: str) -> Iterator[Text]:
        """The strings in the list under a path of keys, or the one string there."""
        found = self.get(*path)
        for each in found.items if isinstance(found, Array) else [found]:
            if isinstance(each, Scalar) and each.quotes:
                yield each.string

    def tables(self, *path: str) -> "Iterator[Table]":
        """The tables in the list under a path of keys, or the one table there."""
        found = self.get(*path)
        for each in found.items if isinstance(found, Array) else [found]:
            if isinstance(each, Table):
                yield each


Node: TypeAlias = Scalar | Array | Table


def _decoded(text: Text, pattern: re.Pattern[str]) -> Text:
    parts, at = [], 0
    for match in pattern.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(_character(match))]
        at = match.end()
    return Text.join([*parts, text[at:]])


def _character(escape: re.Match[str]) -> str:
    found = escape.groupdict()
    if code := found.get("two") or found.get("four") or found.get("eight"):
        number = int(code, 16)
        return chr(number) if number < 0xD800 or 0xDFFF < number <= 0x10FFFF else UNKNOWN
    if found.get("fold"):
        return ""
    return _ESCAPES.get(found["sign"], escape[0]) if found.get("sign") else "\n"
