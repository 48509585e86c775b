"""The comments and statements of shell code."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tree_sitter import Node

from spark_lint.read import template
from spark_lint.read.shell_syntax import Code, Tangled
from spark_lint.suppress_layouts import Comment, Layout, Lines, by_line
from spark_lint.text import Source, Text

# Their parts are statements of their own, as are those of a list or a pipeline that holds one.
_COMPOUND: Final = frozenset({
    "program", "if_statement", "elif_clause", "else_clause", "case_statement", "case_item", "for_statement", "c_style_for_statement",
    "while_statement", "do_group", "compound_statement", "subshell", "function_definition", "ERROR",
})  # fmt: skip
_OUTER: Final = _COMPOUND | {"list", "pipeline", "negated_command", "redirected_statement"}
_DIRECTIVE: Final = re.compile(r"#(?:SBATCH|PBS|BSUB|flux:)[ \t]")


def layout(source: Source) -> Iterator[Layout]:
    """A statement is a command with what `&&`, `|` and continuations tie to it and its here-documents, or a directive of a scheduler.

    Of an `if`, a loop or a function the header is one, and each command inside.
    """
    try:
        code = Code(template.literal(Text.of(source)))
    except Tangled:  # the reader reports it
        return
    comments: list[Comment] = []
    statements: list[Lines] = []
    for node in _parts(code.root):
        start, stop = code.of(node).bounds()
        text = source.text[start:stop]
        lines = source.position(start)[0], source.position(max(start, stop - 1))[0]
        if node.type != "comment" or _DIRECTIVE.match(text):
            statements.append(lines)
        if node.type == "comment":
            comments.append(Comment(start, text))
    statements = list(_joined(statements))
    yield Layout(source, comments, [*statements, *by_line(source, comments, statements)])


def _parts(root: Node) -> Iterator[Node]:
    """Comments, and the largest parts that hold no compound statement. Without recursion: code may be as deep as it likes."""
    visited: list[tuple[Node, list[Node]]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = node.children if node.type in _OUTER else []
        visited.append((node, children))
        waiting += children
    compound: set[int] = set()
    for node, children in reversed(visited):
        if node.type in _COMPOUND or any(child.id in compound for child in children):
            compound.add(node.id)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.id in compound:
            waiting += node.children
        elif node.is_named:
            yield node


def _joined(statements: Iterable[Lines]) -> Iterator[Lines]:
    """The statements, with those as one that share a line."""
    begun: Lines | None = None
    for first, last in sorted(statements):
        if begun is None:
            begun = first, last
        elif first <= begun[1]:
            begun = begun[0], max(begun[1], last)
        else:
            yield begun
            begun = first, last
    if begun is not None:
        yield begun
