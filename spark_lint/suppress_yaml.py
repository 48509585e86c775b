"""The comments and statements of YAML, and of the shell code in its blocks."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from spark_lint.kinds import SHELL, kind_of
from spark_lint.read import template
from spark_lint.read.markdown_embedded import Embedded
from spark_lint.read.yaml_text import scalar_text
from spark_lint.suppress_layouts import Comment, Layout, Lines, by_line, layouts
from spark_lint.text import Source, Text

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_COMMENT: Final = re.compile(r"(?m)(?:^|(?<=[ \t]))#[^\r\n]*")
_LINE_END: Final = re.compile(r"[^\r\n]*")
_MARK: Final = "spark-lint:"
_DEEPEST: Final = 8
"""Columns that a block in a block in a block ... takes up at least; files that nest deeper hold no code."""


def layout(source: Source) -> Iterator[Layout]:
    """A statement is a key with its value, an item of a list, or the key above a list or a mapping.

    A list of values is also one as a whole, for a comment above its key: a command is often written so. A literal block (`|`) is code
    in which comments are its own; one that is folded (`>`) or quoted has none.
    """
    text = template.literal(Text.of(source))
    walk = _Walk(text)
    comments = list(_comments(text, walk))
    # What could not be read goes line by line.
    yield Layout(source, comments, [*walk.statements, *by_line(source, comments, walk.statements)])
    for block in walk.blocks:
        if _MARK in block.text.value and not isinstance(source, _Block):
            yield from layouts(_Block(block.text), kind_of(block.key) or SHELL)


class _Block(Embedded):
    """A block of a YAML file. Those inside it are not looked into."""


@dataclass(frozen=True, slots=True)
class _Literal:
    """A literal block and the key it stands under."""

    key: str
    text: Text


@dataclass(slots=True)
class _Open:
    """A collection that is being read.

    key: where the key that waits for its value begins, and what it says. above: where the key above the collection begins.
    ends: where its last value ends; None where it holds more than values.
    """

    is_mapping: bool
    key: tuple[int, str] | None = None
    above: int | None = None
    ends: int | None = 0


@dataclass(slots=True)
class _Walk:
    """Goes through the parser's events once, up to where the file cannot be read any further."""

    text: Text
    statements: list[Lines] = field(default_factory=list)
    scalars: list[Lines] = field(default_factory=list)
    blocks: list[_Literal] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)

    def __post_init__(self) -> None:
        flow, begun = 0, 0
        events: Iterator[Any] = yaml.parse(self.text.value, Loader=_LOADER)
        try:
            for event in events:
                start, stop = event.start_mark.index, event.end_mark.index
                if isinstance(event, yaml.ScalarEvent):
                    self._scalar(event, start, stop)
                if isinstance(event, yaml.CollectionStartEvent):
                    if flow or event.flow_style:
                        begun = begun if flow else start
                        flow += 1
                    else:
                        self._open(isinstance(event, yaml.MappingStartEvent), start)
                elif isinstance(event, yaml.CollectionEndEvent):
                    if flow:
                        flow -= 1
                        if not flow:
                            self._value(begun, stop, "")
                    else:
                        self._close()
                elif isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent)) and not flow:
                    self._value(start, stop, event.value if isinstance(event, yaml.ScalarEvent) else "")
        except (yaml.YAMLError, UnicodeEncodeError):  # the reader reports it
            pass

    def _scalar(self, event: Any, start: int, stop: int) -> None:
        if event.style in ("|", ">"):
            # What follows the indicator on its line is a comment.
            header = _LINE_END.match(self.text.value, start)
            self.scalars.append((header.end() if header else start, stop))
            if event.style == "|":
                key = self.stack[-1].key if self.stack else None
                self.blocks.append(_Literal(key[1] if key else "", scalar_text(self.text, start, stop, event.value, event.style)))
        elif stop > start:
            self.scalars.append((start, stop))

    def _open(self, is_mapping: bool, start: int) -> None:
        above: int | None = None
        if self.stack:
            parent = self.stack[-1]
            parent.ends = None
            if parent.is_mapping and parent.key is not None:
                above, parent.key = parent.key[0], None
                self._statement(above, above)
            elif parent.is_mapping:
                parent.key = start, ""
        self.stack.append(_Open(is_mapping, above=above))

    def _close(self) -> None:
        opened = self.stack.pop()
        if not opened.is_mapping and opened.ends and opened.above is not None:
            self._statement(opened.above, opened.ends)

    def _value(self, start: int, stop: int, value: str) -> None:
        opened = self.stack[-1] if self.stack else None
        if opened is None or not opened.is_mapping:
            self._statement(start, stop)
            if opened is not None and opened.ends is not None:
                opened.ends = stop
        elif opened.key is None:
            opened.key = start, value
        else:
            self._statement(opened.key[0], stop)
            opened.key = None

    def _statement(self, start: int, stop: int) -> None:
        """Add a statement, without the line ends that the parser counts to it."""
        source = self.text.source
        first, last = self.text.bounds(start, start)[0], self.text.bounds(stop, stop)[0]
        while last > first and source.text[last - 1].isspace():
            last -= 1
        self.statements.append((source.position(first)[0], source.position(max(first, last - 1))[0]))


def _comments(text: Text, walk: _Walk) -> Iterator[Comment]:
    """The comments outside of scalars."""
    starts = [start for start, _ in walk.scalars]
    for found in _COMMENT.finditer(text.value):
        at = bisect_right(starts, found.start()) - 1
        if at < 0 or found.start() >= walk.scalars[at][1]:
            start, stop = text.bounds(found.start(), found.end())
            yield Comment(start, text.source.text[start:stop])
