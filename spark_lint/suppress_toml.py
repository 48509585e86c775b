"""The comments and statements of TOML, in files and in the headers of scripts."""

from collections.abc import Iterator

from spark_lint.read import template
from spark_lint.read.toml_scanner import tree
from spark_lint.suppress_layouts import Comment, Layout, Lines, by_line
from spark_lint.text import Source, Text


def layout(source: Source) -> Iterator[Layout]:
    """A statement is a key with its value, an item of a list, or a header. A comment above a key so covers its whole list."""
    text = template.literal(Text.of(source))
    found = tree(text)
    comments = []
    for start, stop in found.comments:
        first, last = text.bounds(start, stop)
        comments.append(Comment(first, source.text[first:last]))
    statements = [_lines(text, start, stop) for start, stop in found.stretches]
    # What could not be read goes line by line.
    yield Layout(source, comments, [*statements, *by_line(source, comments, statements)])


def _lines(text: Text, start: int, stop: int) -> Lines:
    first, last = text.bounds(start, stop)
    return text.source.position(first)[0], text.source.position(max(first, last - 1))[0]
