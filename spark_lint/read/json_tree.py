r"""JSON as a tree, as far as it can be read: with comments and trailing commas, with holes, from a file that is cut off.

Written by hand, since a grammar that stops at the first fault reads no fragment of a document, and its nodes count bytes. It looks at
each character once, needs no stack of Python's, and takes a bounded number of values from a file, so that data costs little.
"""

import re
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from spark_lint.facts import Value
from spark_lint.read.expansion import DEEPEST, TOO_DEEP
from spark_lint.text import UNKNOWN, Text

MOST_VALUES: Final = 5000
"""Values of one file that are read; a configuration has a few hundred, and what has more is data."""
MOST_ITEMS: Final = 200
"""Values of one list that are read."""
_LONGEST_NUMBER: Final = 40
_LONGEST_STRING: Final = 10_000
"""Characters of a string that is taken for a value; a longer one is data, and unknown."""

_TOKEN: Final = re.compile(
    r"(?P<space>[\s\ufeff]+|//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?)"
    r"|(?P<string>\"(?P<body>[^\"\\\n]*(?:\\.[^\"\\\n]*)*)\"?|'(?P<single>[^'\\\n]*(?:\\.[^'\\\n]*)*)'?)"
    rf"|(?P<word>[\w$+.{UNKNOWN}-]+)|(?P<sign>[{{}}\[\]:,])|(?P<other>.)",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(
    r"\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})|\\u(?P<code>[0-9a-fA-F]{4})|\\(?P<sign>.)",
    re.DOTALL,
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_WORDS: Final[dict[str, Value]] = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_INTEGER: Final = re.compile(r"[-+]?\d+")
_FLOAT: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(slots=True, eq=False)
class Scalar:
    """One value and where it is written; a string with its quotes."""

    text: Text
    quoted: bool

    @property
    def string(self) -> Text:
        """The value as text, escapes decoded."""
        if not self.quoted:
            return self.text
        inner = self.text[1 : len(self.text.value) - self.text.value[1:].endswith(self.text.value[0])]
        return _decoded(inner) if "\\" in inner.value else inner

    @property
    def value(self) -> Value:
        """The value as JSON types it. A word that is no value stands for something unknown."""
        written = self.text.value
        if self.quoted:
            return self.string.value if len(written) <= _LONGEST_STRING else UNKNOWN
        if written in _WORDS:
            return _WORDS[written]
        if len(written) <= _LONGEST_NUMBER:
            if _INTEGER.fullmatch(written):
                return int(written)
            if _FLOAT.fullmatch(written):
                return float(written)
        return UNKNOWN


@dataclass(slots=True, eq=False)
class Array:
    """A list."""

    items: "list[Node]" = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Object:
    """Keys with their values, in order."""

    pairs: "list[tuple[Scalar, Node]]" = field(default_factory=list)

    def get(self, name: str) -> "Node | None":
        """The value of the last key of this name."""
        return next((value for key, value in reversed(self.pairs) if key.string.value == name), None)


Node: TypeAlias = Scalar | Array | Object


@dataclass(slots=True)
class Tree:
    """What a text holds. fault: what is wrong with it and at which character, empty where nothing is. full: it holds more than is read."""

    root: Node | None = None
    fault: str = ""
    at: int = 0
    full: bool = False


def tree(text: Text, most: int = MOST_VALUES) -> Tree:
    """The first value of a text. most: the values in it that are read."""
    return _Builder(text, most).tree


@dataclass(slots=True)
class _Open:
    """A collection that is being read. key: waits for its value. colon: behind that key. full: a value stands there, no comma yet."""

    node: Array | Object
    key: Scalar | None = None
    colon: bool = False
    full: bool = False


class _Builder:
    def __init__(self, text: Text, most: int) -> None:
        self.tree = Tree()
        self._text = text
        self._most = most
        self._stack: list[_Open] = []
        self._values = 0
        self._last = 0
        for token in _TOKEN.finditer(text.value):
            kind = token.lastgroup
            if kind in ("body", "single"):
                kind = "string"
            if kind == "space":
                continue
            if self.tree.root is not None and not self._stack:
                return  # JSON lines: what follows is more of the same
            self._last = token.end()
            if not self._token(kind or "", token):
                return
        if self._stack or (self.tree.root is None and self._last):
            self._fault("it ends before it is complete", self._last)

    def _fault(self, message: str, at: int) -> None:
        if not self.tree.fault:
            self.tree.fault, self.tree.at = message, at

    def _token(self, kind: str, token: re.Match[str]) -> bool:
        """Take one token; whether to go on."""
        if kind in ("string", "word"):
            if kind == "string" and (len(token[0]) < 2 or token[0][-1] != token[0][0]):
                self._fault("a string has no end", token.start())
            return self._scalar(Scalar(self._text[token.start() : token.end()], kind == "string"), token.start())
        sign = token[0]
        opened = self._stack[-1] if self._stack else None
        if sign in "{[" and kind == "sign":
            if len(self._stack) >= DEEPEST:
                self._fault(TOO_DEEP, token.start())
                return False
            node: Array | Object = Object() if sign == "{" else Array()
            self._add(node, token.start())
            self._stack.append(_Open(node))
        elif sign in "}]" and kind == "sign":
            if opened is None or isinstance(opened.node, Object) != (sign == "}"):
                self._fault(f"{sign} closes nothing here", token.start())
                return opened is not None
            if opened.key is not None:
                self._fault("a key has no value", token.start())
            self._stack.pop()
        elif sign == ":" and opened is not None and opened.key is not None and not opened.colon:
            opened.colon = True
        elif sign == "," and opened is not None:
            if not opened.full:
                self._fault("a value is missing before this comma", token.start())
            opened.key, opened.colon, opened.full = None, False, False
        else:
            self._fault(f"{sign} does not belong here", token.start())
        return True

    def _scalar(self, scalar: Scalar, at: int) -> bool:
        opened = self._stack[-1] if self._stack else None
        if opened is not None and isinstance(opened.node, Object) and not opened.colon:
            if opened.key is not None or opened.full:
                self._fault("a comma or a colon is missing before this", at)
            opened.key, opened.full = scalar, False
            return True
        self._values += 1
        self._add(scalar, at)
        self.tree.full = self._values >= self._most
        return not self.tree.full

    def _add(self, node: Node, at: int) -> None:
        if not self._stack:
            self.tree.root = node
            return
        opened = self._stack[-1]
        if isinstance(opened.node, Array):
            if opened.full:
                self._fault("a comma is missing before this", at)
            if len(opened.node.items) < MOST_ITEMS:
                opened.node.items.append(node)
        elif opened.key is not None and opened.colon:
            opened.node.pairs.append((opened.key, node))
        else:
            self._fault("a key is missing before this", at)
        opened.key, opened.colon, opened.full = None, False, True


def _decoded(text: Text) -> Text:
    parts, at = [], 0
    for match in _ESCAPE.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(_character(match))]
        at = match.end()
    return Text.join([*parts, text[at:]])


def _character(escape: re.Match[str]) -> str:
    if escape["high"]:
        return chr(0x10000 + (int(escape["high"], 16) - 0xD800 << 10) + int(escape["low"], 16) - 0xDC00)
    return chr(int(escape["code"], 16)) if escape["code"] else _ESCAPES.get(escape["sign"], escape["sign"])
