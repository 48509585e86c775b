r"""TOML as a tree in which everything knows its place, as far as it can be read: with holes that a template fills in, from a broken file.

Whether it is TOML at all, tomli says; it knows no places, and reads nothing of a file with one fault. A grammar of tree-sitter's would
know them, but counts bytes, and sees no text that is put together (the header of a script, whose lines begin with `#`). This looks at each
character once and needs no stack of Python's.
"""

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from spark_lint.read.expansion import DEEPEST
from spark_lint.read.toml_tree import Array, Node, Pair, Scalar, Table
from spark_lint.text import Text

MOST_VALUES: Final = 150_000
"""Values of one file that are read: more than are looked at for any file."""

# Each string ends at the latest where its line or the text does, so that each character is looked at a bounded number of times.
_TOKEN: Final = re.compile(
    r"(?P<space>[ \t\ufeff]+)|(?P<line>[\r\n]+)|(?P<comment>#[^\r\n]*)"
    r'|(?P<string>"""[^"\\]*(?:(?:\\.?|"(?!""))[^"\\]*)*(?:"{3,5}|\Z)'
    r"|'''[^']*(?:'(?!'')[^']*)*(?:'{3,5}|\Z)"
    r'|"[^"\\\r\n]*(?:\\[^\r\n]?[^"\\\r\n]*)*"?'
    r"|'[^'\r\n]*'?)"
    r"|(?P<sign>[\[\]{},=])|(?P<word>\d{4}-\d\d-\d\d \d\d:[^\s#\"'\[\]{},=]*|[^\s#\"'\[\]{},=]+)|(?P<other>.)",
    re.DOTALL,
)


@dataclass(slots=True)
class Tree:
    """What a text holds. deep: the character at which it is nested too deeply to be read on; open: that of the first string without an end.

    comments, stretches: from where to where its comments, and its keys, items and headers reach.
    """

    root: Table = field(default_factory=Table)
    deep: int | None = None
    open: int | None = None
    comments: list[tuple[int, int]] = field(default_factory=list)
    stretches: list[tuple[int, int]] = field(default_factory=list)


def tree(text: Text) -> Tree:
    """The tree of a text."""
    return _Builder(text).tree


class _Token(NamedTuple):
    kind: str
    value: str
    start: int
    stop: int


class _Key(NamedTuple):
    parts: list[str]
    start: int
    stop: int


@dataclass(slots=True)
class _Open:
    """An inline table or a list that is being read. start: where it begins. key: waits for its value."""

    node: Array | Table
    start: int
    key: _Key | None = None


_END: Final = _Token("end", "", 0, 0)


class _Fault(Exception):
    """Here is no TOML: it goes on with the next line."""


class _Builder:
    def __init__(self, text: Text) -> None:
        self.tree = Tree()
        self._text = text
        self._tokens = _TOKEN.finditer(text.value)
        self._back: _Token | None = None
        self._values = 0
        self._current = self.tree.root
        while (token := self._next()) is not _END and self.tree.deep is None and self._values < MOST_VALUES:
            try:
                self._statement(token)
            except _Fault:
                self._skip()

    def _next(self, lines: bool = True) -> _Token:
        """The next token that says something. lines: what ends a line does too."""
        if self._back is not None:
            token, self._back = self._back, None
            return token
        for found in self._tokens:
            kind = found.lastgroup or ""
            if kind == "comment":
                self.tree.comments.append(found.span())
            elif kind != "space" and (lines or kind != "line"):
                return _Token(kind, found[0], *found.span())
        return _END

    def _skip(self) -> None:
        while (token := self._next()).kind not in ("line", "end"):
            pass
        self._back = token

    def _statement(self, token: _Token) -> None:
        if token.kind == "line":
            return
        if token.value == "[" and token.kind == "sign":
            self._header(token)
            return
        key = self._key(token)
        self._equals()
        value, stop = self._value(self._next())
        self._put(self._current, key, value, stop)
        if (after := self._next()).kind not in ("line", "end"):
            self._back = after  # two statements on one line; tomli says what is wrong
            raise _Fault

    def _header(self, opening: _Token) -> None:
        token = self._next()
        many = token.value == "[" and token.start == opening.stop
        key = self._key(self._next() if many else token)
        self._current = Table()
        if (token := self._next()).value != "]" or (many and self._next().value != "]"):
            self._back = token
            raise _Fault
        self.tree.stretches.append((opening.start, token.stop))
        *path, name = key.parts
        table = self._below(self.tree.root, path, key)
        known = table.pairs.get(name)
        if many:
            if known is None or not isinstance(known.value, Array):
                known = table.pairs[name] = Pair(key.start, key.stop, Array())
            if isinstance(known.value, Array):
                known.value.items.append(self._current)
        else:
            self._current = self._below(table, [name], key)

    def _key(self, token: _Token) -> _Key:
        """The key that begins with a token, up to what ends it."""
        parts: list[str] = []
        start = token.start
        while token.kind in ("word", "string"):
            stop = token.stop
            if token.kind == "word":
                parts += [part for part in token.value.split(".") if part]
            else:
                parts.append(self._scalar(token).string.value)
            token = self._next()
        self._back = token
        if not parts:
            raise _Fault
        if len(parts) > DEEPEST:
            self.tree.deep = start
            raise _Fault
        return _Key(parts, start, stop)

    def _equals(self) -> None:
        if (token := self._next()).value != "=":
            self._back = token
            raise _Fault

    def _scalar(self, token: _Token) -> Scalar:
        value = token.value
        quotes = value[:3] if value.startswith(('"""', "'''")) else value[:1] if token.kind == "string" else ""
        if quotes and self.tree.open is None and (len(value) < 2 * len(quotes) or not value.endswith(quotes)):
            self.tree.open = token.start
        return Scalar(self._text, token.start, token.stop, quotes)

    def _value(self, token: _Token) -> tuple[Node, int]:
        """The value that begins with a token, and where it ends."""
        stack: list[_Open] = []
        while True:
            node: Node | None = None
            top = stack[-1] if stack else None
            if token.kind == "sign" and token.value in "[{" and not self._wants_key(top):
                if len(stack) >= DEEPEST:
                    self.tree.deep = token.start
                    raise _Fault
                stack.append(_Open(Array() if token.value == "[" else Table(), token.start))
            elif token.kind == "sign" and token.value in "]}" and top and isinstance(top.node, Table) == (token.value == "}"):
                node, start = stack.pop().node, top.start
                if isinstance(node, Table):
                    node.inline = self._text[start : token.stop]
            elif token.kind in ("word", "string") and top and self._wants_key(top):
                top.key = self._key(token)
                self._equals()
            elif token.kind in ("word", "string"):
                node, start = self._scalar(token), token.start
                self._values += 1
            elif token.value != "," or top is None:
                self._back = token
                raise _Fault
            if node is not None:
                if not stack:
                    return node, token.stop
                self._add(stack[-1], node, start, token.stop)
            token = self._next(lines=False)

    @staticmethod
    def _wants_key(opened: _Open | None) -> bool:
        return opened is not None and isinstance(opened.node, Table) and opened.key is None

    def _add(self, opened: _Open, node: Node, start: int, stop: int) -> None:
        if isinstance(opened.node, Array):
            opened.node.items.append(node)
            self.tree.stretches.append((start, stop))
        elif opened.key is not None:
            self._put(opened.node, opened.key, node, stop)
            opened.key = None

    def _put(self, table: Table, key: _Key, value: Node, stop: int) -> None:
        *path, name = key.parts
        self._below(table, path, key).pairs[name] = Pair(key.start, stop, value)
        self.tree.stretches.append((key.start, stop))

    @staticmethod
    def _below(table: Table, path: list[str], key: _Key) -> Table:
        """The table under a path of keys, made where there is none; of several tables the last."""
        for name in path:
            pair = table.pairs.get(name)
            node = pair.value if pair else None
            if isinstance(node, Array) and node.items:
                node = node.items[-1]
            if not isinstance(node, Table):
                node = Table()
                table.pairs[name] = Pair(key.start, key.stop, node)
            table = node
        return table
