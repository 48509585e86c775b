"""The comments and statements of Makefiles and justfiles."""

import re
from collections.abc import Iterator
from typing import Final

from spark_lint.read.make_lines import logical
from spark_lint.suppress_layouts import Comment, Layout, Lines
from spark_lint.text import Source

_COMMENT: Final = re.compile(r"(?m)(?:^|(?<=[ \t]))#[^\r\n]*")
_BLANKS: Final = (" ", "\t")


def layout(source: Source) -> Iterator[Layout]:
    """A statement is a line with those that continue it, and a rule with all of its recipe, for a comment above it.

    In a recipe a comment is the shell's, and belongs to the next line of it.
    """
    statements: list[Lines] = []
    first, last = 0, 0
    text = source.text.replace("\\\r\n", " \\\n")  # of the same length
    for start, stop in logical(text):
        line = text[start:stop]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        begins, ends = source.position(start)[0], source.position(max(start, stop - 1))[0]
        statements.append((begins, ends))
        if line.startswith(_BLANKS) and first:
            last = ends
            continue
        if first:
            statements.append((first, last))
        first, last = begins, ends
    if first:
        statements.append((first, last))
    comments = [Comment(match.start(), match[0]) for match in _COMMENT.finditer(source.text)]
    yield Layout(source, comments, list(dict.fromkeys(statements)))
