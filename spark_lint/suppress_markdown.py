"""The comments of Markdown, which cover a piece of code, and those inside the pieces."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from spark_lint.kinds import SHELL
from spark_lint.read.markdown_code import code_of
from spark_lint.read.markdown_console import typed
from spark_lint.read.markdown_embedded import Embedded
from spark_lint.read.markdown_fences import fences
from spark_lint.suppress_layouts import Comment, Layout, Lines, layouts
from spark_lint.text import Source

_COMMENT: Final = re.compile(r"(?m)^[ \t>]*((?:<!--|\{/\*)[ \t]*spark-lint:[^\r\n]*?)(?:-->|\*/\}|\r?$)")
_MARK: Final = "spark-lint:"


def layout(source: Source) -> Iterator[Layout]:
    """`<!-- spark-lint: ignore[CODE] reason -->`, and as MDX writes it, covers the code below it; inside, its language's comments."""
    covered: list[Lines] = []
    for fence in fences(source):
        start, stop = fence.text.bounds()
        first, last = source.position(start)[0], source.position(max(start, stop - 1))[0]
        # The fence's opening line is part of it.
        covered.append((max(1, first - (fence.info is not None)), last))
        if _MARK in fence.text.value:
            code = code_of(fence)
            inside = Embedded(code.text)
            session = code.kind == SHELL and typed(code.text, console=code.console).value != code.text.value
            yield from [_session(inside)] if session else layouts(inside, code.kind)
    firsts = [first for first, _ in covered]
    comments: list[Comment] = []
    for found in _COMMENT.finditer(source.text):
        line = source.position(found.start(1))[0]
        at = bisect_right(firsts, line) - 1
        if at < 0 or line > covered[at][1]:
            comments.append(Comment(found.start(1), found[1]))
            # Formatters put a blank line behind it.
            while line < len(source.lines) and not source.lines[line].strip(" \t>"):
                comments.append(Comment(source.starts[line], ""))
                line += 1
    yield Layout(source, comments, covered)


def _session(source: Source) -> Layout:
    """What is typed at prompts, with comments between: a statement is a line with its continuations."""
    comments: list[Comment] = []
    statements: list[Lines] = []
    begun = 0
    for number, line in enumerate(source.lines, 1):
        if line.lstrip().startswith("#") and not begun and _MARK in line:
            comments.append(Comment(source.starts[number - 1] + line.index("#"), line[line.index("#") :]))
        elif line.endswith("\\"):
            begun = begun or number
        elif line.strip():
            statements.append((begun or number, number))
            begun = 0
    return Layout(source, comments, statements)
