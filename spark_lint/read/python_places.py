"""Where the nodes of a libcst tree are written."""

from dataclasses import fields
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from spark_lint.text import Source, Span, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from libcst.metadata import CodeRange

_LONGEST: Final = 200
_PUNCTUATION: Final = (
    "__slots__", "whitespace", "leading_lines", "lines_after", "header", "footer", "comma", "semicolon", "equal", "dot", "operator",
    "lpar", "rpar", "lbrace", "rbrace", "lbracket", "rbracket", "trailing", "asynchronous", "colon", "first_colon", "second_colon",
    "posonly_ind",
)  # fmt: skip

_LEAVES: Final = frozenset({cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Pass, cst.Break, cst.Continue})


@cache
def _code_fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    if kind in _LEAVES:
        return ()
    return tuple(field.name for field in fields(kind) if not field.name.startswith(_PUNCTUATION))


def children(node: cst.CSTNode) -> "Iterator[cst.CSTNode]":
    """The nodes directly below a node that are code, not space or punctuation (`node.children` rebuilds the node to find them)."""
    for name in _code_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (each for each in value if isinstance(each, cst.CSTNode))


class _Wrapper(MetadataWrapper):
    """Resolves positions alone. libcst goes through the tree once more for providers that visit it, of which there is none here."""

    def visit_batched(
        self,
        visitors: "Iterable[cst.BatchableCSTVisitor]",
        before_visit: "Callable[[cst.CSTNode], None] | None" = None,
        after_leave: "Callable[[cst.CSTNode], None] | None" = None,
    ) -> cst.CSTNode:
        """The module as it is: `visitors` is empty."""
        return self.module


class Places:
    """The places of a module's nodes in its file, worked out when the first is asked for: they cost more than the parse."""

    def __init__(self, source: Source, module: cst.Module) -> None:
        self.source = source
        self._module = module

    @cached_property
    def _ranges(self) -> "Mapping[cst.CSTNode, CodeRange]":
        return _Wrapper(self._module, unsafe_skip_copy=True).resolve(PositionProvider)

    def bounds(self, node: cst.CSTNode) -> tuple[int, int]:
        """The offsets of a node, parentheses around it left out; of a parameter, with its default."""
        place = self._ranges[node]
        start = self.source.offset(place.start.line, place.start.column + 1)
        if isinstance(node, cst.Param) and node.default is not None:
            return start, self.end(node.default)
        return start, self.source.offset(place.end.line, place.end.column + 1)

    def end(self, node: cst.BaseExpression) -> int:
        """The offset behind an expression and the parentheses around it."""
        return self.bounds(node.rpar[-1] if node.rpar else node)[1]

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node is written."""
        return self.source.span(*self.bounds(node))

    def text(self, node: cst.CSTNode) -> Text:
        """A node as it is written."""
        return Text.of(self.source, *self.bounds(node))

    def written(self, node: cst.CSTNode) -> str:
        """A node as it is written, on one line, cut where it is long."""
        return self.stretch(*self.bounds(node))[1]

    def stretch(self, start: int, stop: int) -> tuple[Span, str]:
        """A stretch of the file: where it is, and what is written there, on one line and cut where it is long."""
        return self.source.span(start, stop), one_line(self.source.text[start : min(stop, start + 4 * _LONGEST)])


def one_line(text: str) -> str:
    """A text with every white space as one space, at most 200 characters long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
