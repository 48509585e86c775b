"""Markers that ask for extras and groups, taken apart: for whom a package is, and where it is installed for them.

`"gpu" in extras and sys_platform == "linux"` is for the extra `gpu`, on Linux, and so is `extra == "gpu" and …`:
https://packaging.python.org/en/latest/specifications/dependency-specifiers/
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

from spark_lint.read.toml_packages import asked_for, group

_LONGEST: Final = 10_000
_MOST_STEPS: Final = 20_000
"""Words of one marker that are looked at, once for each extra and group."""
_DEEPEST: Final = 50
_TOKEN: Final = re.compile(r"""(?P<string>"[^"]*"|'[^']*')|(?P<sign>[()])|(?P<word>[^\s()"']+)|(?P<other>["'])""")
_LISTS: Final = {"extras": asked_for, "dependency_groups": group}
_ASKING: Final = ("extra", "dependency_groups")


@dataclass(frozen=True, slots=True)
class _Asks:
    """A question for an extra or group; negated: that it must not be asked for."""

    label: str
    negated: bool


@dataclass(frozen=True, slots=True)
class _Joined:
    word: str
    parts: list["_Node"] = field(default_factory=list)


_Node: TypeAlias = "str | _Asks | _Joined"


class _Fault(Exception):
    """The text is no marker, or one that nobody writes."""


def asked(marker: str, defaults: frozenset[str] = frozenset()) -> Iterator[tuple[frozenset[str], str]]:
    """For whom a package with that marker is installed (as `Locked.asked` says it), each with the marker that is left for them.

    defaults: the groups that are installed unasked. A marker that cannot be taken apart stays whole, for everybody.
    """
    yield from _asked(marker, defaults)


def barred(marker: str) -> frozenset[str]:
    """The extras and groups with which a marker never holds, while it may without them: `cuda` of `extra != "cuda"`."""
    if len(marker) > _LONGEST or not any(name in marker for name in _ASKING):
        return frozenset()
    try:
        parser = _Parser(marker)
        node = parser.whole()
    except _Fault:
        return frozenset()
    labels = _labels(node)
    if _left(node, frozenset()) is False or len(labels) * len(parser.tokens) > _MOST_STEPS:
        return frozenset()
    return frozenset(label for label in labels if _left(node, frozenset({label})) is False)


@lru_cache(maxsize=1024)
def _asked(marker: str, defaults: frozenset[str]) -> tuple[tuple[frozenset[str], str], ...]:
    everybody = ((frozenset({""}), marker),)
    if len(marker) > _LONGEST or not any(name in marker for name in _ASKING):
        return everybody
    try:
        parser = _Parser(marker)
        node = parser.whole()
    except _Fault:
        return everybody
    labels = sorted(_labels(node) - defaults)
    if len(labels) * len(parser.tokens) > _MOST_STEPS:
        return everybody
    found: dict[str, set[str]] = {}
    always = _left(node, defaults)
    for label in ("", *labels):
        left = _left(node, defaults | {label}) if label else always
        if left is not False and (not label or left != always):
            found.setdefault("" if left is True else left, set()).add(label)
    if not found and (left := _left(node, defaults | set(labels))) is not False:
        return ((frozenset(labels), "" if left is True else left),)  # only for who asks for several at once
    return tuple((frozenset(labels), left) for left, labels in found.items())


def _labels(node: _Node) -> frozenset[str]:
    if isinstance(node, _Asks):
        return frozenset({node.label})
    return frozenset[str]().union(*map(_labels, node.parts)) if isinstance(node, _Joined) else frozenset()


def _left(node: _Node, given: frozenset[str]) -> bool | str:
    """What is left of a marker where these are asked for."""
    if isinstance(node, _Asks):
        return (node.label in given) != node.negated
    if isinstance(node, str):
        return node
    decided = node.word == "or"  # what decides an `or` is one that holds, an `and` one that does not
    left: list[tuple[str, bool]] = []
    for part in node.parts:
        found = _left(part, given)
        if found is decided:
            return decided
        if isinstance(found, str):
            left.append((found, isinstance(part, _Joined) and found not in part.parts))
    if len(left) == 1:
        return left[0][0]
    return f" {node.word} ".join(f"({text})" if joined else text for text, joined in left) if left else not decided


class _Parser:
    """marker = all ("or" all)*; all = one ("and" one)*; one = "(" marker ")" or words up to the next of these."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.tokens = list(_TOKEN.finditer(text))
        self._at = 0

    def whole(self) -> _Node:
        node = self._joined("or", 0)
        if self._at < len(self.tokens):
            raise _Fault
        return node

    def _next(self) -> str:
        return self.tokens[self._at][0] if self._at < len(self.tokens) else ""

    def _joined(self, word: str, depth: int) -> _Node:
        parts: list[_Node] = []
        while True:
            parts.append(self._joined("and", depth) if word == "or" else self._one(depth))
            if self._next() != word:
                return _Joined(word, parts) if len(parts) > 1 else parts[0]
            self._at += 1

    def _one(self, depth: int) -> _Node:
        if self._next() == "(":
            if depth == _DEEPEST:
                raise _Fault
            self._at += 1
            node = self._joined("or", depth + 1)
            if self._next() != ")":
                raise _Fault
            self._at += 1
            return node
        first = self._at
        while self._next() not in ("and", "or", "(", ")", ""):
            self._at += 1
        words = self.tokens[first : self._at]
        if not words or any(word.lastgroup == "other" for word in words):
            raise _Fault
        return _asks(words) or self._text[words[0].start() : words[-1].end()]


def _asks(words: list[re.Match[str]]) -> _Asks | None:
    """The question that some words are: `"gpu" in extras`, `"dev" not in dependency_groups`, `extra == "gpu"`."""
    texts = [word[0] for word in words]
    if len(texts) == 3 and words[0].lastgroup == "word":
        texts.reverse()  # `extra == "gpu"`; nothing that is in a list stands behind it
    name, *between, asking = texts if len(texts) > 2 else ["", "", ""]
    if not name.startswith(("'", '"')):
        return None
    if asking == "extra" and between in (["=="], ["!="]):
        return _Asks(asked_for(name[1:-1]), between == ["!="])
    if asking in _LISTS and words[0].lastgroup == "string" and between in (["in"], ["not", "in"]):
        return _Asks(_LISTS[asking](name[1:-1]), len(between) > 1)
    return None
