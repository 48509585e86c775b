"""YAML documents as trees, from the events of PyYAML's parser.

Trees are built here and not by `yaml.compose`: events take a fifth of its time, anchors and merge keys can be bounded, and every
node knows its place. An alias to a collection is the same node again, so a tree is a graph that may stand for very much: whoever
walks it counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

import yaml

from spark_lint.facts import ParseProblem, Value
from spark_lint.read.expansion import DEEPEST, TOO_DEEP
from spark_lint.read.yaml_text import scalar_text
from spark_lint.text import UNKNOWN, Bytes, Span, Text

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVERS: Final[dict[str, list[tuple[str, Any]]]] = yaml.SafeLoader.yaml_implicit_resolvers
_CONSTRUCTOR: Final = yaml.constructor.SafeConstructor()
_TYPES: Final[dict[str, Any]] = {
    "tag:yaml.org,2002:int": _CONSTRUCTOR.construct_yaml_int,
    "tag:yaml.org,2002:float": _CONSTRUCTOR.construct_yaml_float,
    "tag:yaml.org,2002:bool": _CONSTRUCTOR.construct_yaml_bool,
    "tag:yaml.org,2002:null": lambda _: None,
}
_LONGEST_NUMBER: Final = 100
_MOST_MERGED: Final = 100_000
"""Keys that `<<` may bring in, in one file."""

_TOO_MANY_KEYS: Final = "merge keys (<<) bring in too many keys: the rest is not read"


@dataclass(slots=True, eq=False)
class Scalar:
    """One value. plain: without quotes and tag, so that `2` is a number. origin: where it is written, for an alias."""

    document: Text = field(repr=False)
    start: int
    stop: int
    value: str
    style: str = ""
    plain: bool = True
    origin: Span | None = None
    _text: Text | None = field(default=None, repr=False)

    @property
    def text(self) -> Text:
        """The value with its place."""
        if self._text is None:
            if self.origin is not None:
                self._text = self.document[self.start : self.stop].as_value(self.value, self.origin)
            else:
                self._text = scalar_text(self.document, self.start, self.stop, self.value, self.style)
        return self._text

    @property
    def typed(self) -> Value:
        """The value as YAML 1.1 types it."""
        return typed(self.value) if self.plain else self.value


def typed(value: str) -> Value:
    """What a plain scalar stands for: a number, a boolean, nothing, or the string it is."""
    for tag, pattern in _RESOLVERS.get(value[:1], ()) if len(value) <= _LONGEST_NUMBER else ():
        if pattern.match(value):
            try:
                found: Value = _TYPES[tag](yaml.ScalarNode(tag, value)) if tag in _TYPES else value
            except ValueError:  # `0o9`, `._`
                return value
            return found
    return value


@dataclass(slots=True, eq=False)
class Sequence:
    """A list."""

    start: int
    stop: int
    items: "list[Node]" = field(default_factory=list)

    @property
    def mappings(self) -> "list[Mapping]":
        """The items that have keys."""
        return [item for item in self.items if isinstance(item, Mapping)]

    @property
    def scalars(self) -> list[Scalar]:
        """The items that are values."""
        return [item for item in self.items if isinstance(item, Scalar)]


class Pair(NamedTuple):
    """A key of a mapping with its value."""

    key: Scalar
    value: "Node"


@dataclass(slots=True, eq=False)
class Mapping:
    """Keys with their values: merge keys resolved, of a key that stands there twice the last."""

    start: int
    stop: int
    pairs: dict[str, Pair] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        return key in self.pairs

    def get(self, key: str) -> "Node | None":
        """The value of a key, None where there is none."""
        pair = self.pairs.get(key)
        return None if pair is None else pair.value

    @property
    def mappings(self) -> "list[Mapping]":
        """The values that have keys themselves."""
        return [pair.value for pair in self.pairs.values() if isinstance(pair.value, Mapping)]

    def scalar(self, key: str) -> Scalar | None:
        """The value of a key if it is a scalar that says something."""
        found = self.get(key)
        return found if isinstance(found, Scalar) and found.value and found.typed is not None else None

    def string(self, key: str) -> str:
        """The value of a key if it is a scalar, else empty."""
        found = self.scalar(key)
        return found.value if found else ""

    def mapping(self, key: str) -> "Mapping":
        """The value of a key if it is a mapping, else an empty one."""
        found = self.get(key)
        return found if isinstance(found, Mapping) else Mapping(0, 0)

    def sequence(self, key: str) -> Sequence:
        """The value of a key if it is a list, else an empty one."""
        found = self.get(key)
        return found if isinstance(found, Sequence) else Sequence(0, 0)


Node: TypeAlias = Scalar | Sequence | Mapping


@dataclass(slots=True)
class _Open:
    """A collection that is being read. own: it has a tag of one's own. key: of a mapping, the one that waits for its value."""

    node: Sequence | Mapping
    anchor: str | None
    own: bool
    pairs: list[tuple[Scalar, Node]] = field(default_factory=list)
    key: Scalar | None = None


class _Refused(Exception):
    """The file asks for too much."""


def documents(text: Text, *, lists: bool = False) -> Iterator[Node | ParseProblem]:
    """The documents of a YAML file, in order; where it cannot be read any further, a problem. lists: those too that are a list."""
    try:
        yield from _Builder(text).documents(lists=lists)
    except _Refused as refusal:
        yield ParseProblem(text[:0].span, str(refusal))
    except yaml.MarkedYAMLError as error:
        at = min(error.problem_mark.index, len(text.value)) if error.problem_mark else 0
        yield ParseProblem(text[at:at].span, f"YAML syntax: {error.problem}")
    except yaml.reader.ReaderError as error:
        at = text.value.find(chr(error.character)) if isinstance(error.character, int) else -1
        at = Bytes(text.value).character(error.position) if at < 0 else at
        yield ParseProblem(text[at:at].span, f"YAML syntax: {error.reason}")
    except UnicodeEncodeError as error:
        yield ParseProblem(text[error.start : error.start].span, "YAML syntax: half of a character")


def _bounds(event: Any) -> tuple[int, int]:
    """Where an event begins and ends, in characters."""
    return event.start_mark.index, event.end_mark.index


def _is_own(tag: str | None) -> bool:
    """Whether a tag is one's own: `!secret name`, `!reference [.base, script]` stand for something that the file does not say."""
    return tag is not None and tag.startswith("!") and tag != "!"


class _Builder:
    """Builds the trees of one file."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._merged = 0

    def documents(self, *, lists: bool) -> Iterator[Node]:
        """The documents one after the other."""
        root: Node | None = None
        listed = 0  # how deep in a list that is a whole document, whose items are data
        for event in yaml.parse(self._text.value, Loader=_LOADER):
            if listed or (not lists and isinstance(event, yaml.SequenceStartEvent) and not self._stack):
                listed += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
                continue
            node = self._node(event)
            if node is not None and self._stack:
                self._add(node)
            elif node is not None:
                root = node
            elif isinstance(event, yaml.DocumentStartEvent):
                self._anchors, root = {}, None
            elif isinstance(event, yaml.DocumentEndEvent) and root is not None:
                yield root

    def _node(self, event: Any) -> Node | None:
        """The node that an event completes."""
        if isinstance(event, yaml.ScalarEvent):
            value = UNKNOWN if _is_own(event.tag) else event.value
            style = event.style or ""
            start, stop = _bounds(event)
            scalar = Scalar(self._text, start, stop, value, style, event.implicit[0] and not style)
            if event.anchor:
                self._anchors[event.anchor] = scalar
            return scalar
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            if len(self._stack) >= DEEPEST:
                raise _Refused(TOO_DEEP)
            start = _bounds(event)[0]
            node = Mapping(start, start) if isinstance(event, yaml.MappingStartEvent) else Sequence(start, start)
            self._stack.append(_Open(node, event.anchor, _is_own(event.tag)))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            return self._closed(self._stack.pop(), _bounds(event)[1])
        elif isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        return None

    def _closed(self, opened: _Open, stop: int) -> Node:
        node: Node = opened.node
        node.stop = stop
        if opened.own and isinstance(node, Sequence):
            node = Scalar(self._text, node.start, stop, UNKNOWN, plain=False)
        if isinstance(node, Mapping):
            own: dict[str, Pair] = {}
            for key, value in opened.pairs:
                if key.value == "<<" and key.plain:
                    self._merge(node, value)
                else:
                    own[key.value] = Pair(key, value)
            node.pairs |= own
        if opened.anchor:
            self._anchors[opened.anchor] = node
        return node

    def _merge(self, node: Mapping, value: Node) -> None:
        """`<<: *a`, `<<: [*a, *b]`: keys that are not there yet; the first of several has the last word."""
        for each in value.items if isinstance(value, Sequence) else [value]:
            if isinstance(each, Mapping):
                self._merged += len(each.pairs)
                if self._merged > _MOST_MERGED:
                    raise _Refused(_TOO_MANY_KEYS)
                for key, pair in each.pairs.items():
                    node.pairs.setdefault(key, pair)

    def _alias(self, event: Any) -> Node:
        """What an anchor names. A collection that is still open would hold itself: that says nothing."""
        found = self._anchors.get(event.anchor)
        start, stop = _bounds(event)
        if isinstance(found, Scalar):
            return Scalar(self._text, start, stop, found.value, found.style, found.plain, found.origin or found.text.span)
        return Scalar(self._text, start, stop, UNKNOWN, plain=False) if found is None else found

    def _add(self, node: Node) -> None:
        opened = self._stack[-1]
        if isinstance(opened.node, Sequence):
            opened.node.items.append(node)
        elif opened.key is None:
            # A collection as a key says nothing to anybody here, but its value must not be taken for a key.
            opened.key = node if isinstance(node, Scalar) else Scalar(self._text, node.start, node.start, UNKNOWN)
        else:
            opened.pairs.append((opened.key, node))
            opened.key = None
