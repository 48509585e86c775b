"""Python files: imports, calls, values with a name, commands they run and environment variables they set."""

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from spark_lint.facts import ParseProblem, Read
from spark_lint.read.funnel import Interests, holds, nesting
from spark_lint.text import Source

_RECURSION: Final = 5000
"""Calls within calls that libcst's positions need for source that `nesting` lets through: three a level, and what is on the stack."""

PYTHON_2: Final = re.compile(r"Missing parentheses in call to '(print|exec)'|multiple exception types must be parenthesized")


def read(source: Source, interests: Interests | None = None) -> Iterator[Read]:
    """What a Python file says; nothing where it holds none of the names in `interests`. None reads every file.

    What cannot be read is one ParseProblem with its line.
    """
    import ast

    complaint, line = "", 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.text)
        if interests is not None and not holds(tree, interests):
            return
    except SyntaxError as error:  # libcst may know a newer Python than the one that runs
        complaint, line = error.msg, error.lineno or 1
        if PYTHON_2.match(complaint):
            yield _problem(source, line, f"Python 2 code: {complaint}")
            return
    except (ValueError, RecursionError, MemoryError) as error:  # NUL characters, nesting
        complaint = str(error)
    if (deep := nesting(source.text)) is not None:
        yield _problem(source, deep, "nested too deeply to be read")
        return
    yield from _read(source, complaint, line)


def _read(source: Source, complaint: str, line: int) -> list[Read]:
    """The facts, or the one problem; complaint and line are what `ast` found wrong."""
    import libcst

    from spark_lint.read.python_walk import Walk

    with _deep_recursion():
        try:
            module = libcst.parse_module(source.text)
        except libcst.ParserSyntaxError as error:
            line = line if complaint else error.raw_line  # libcst's own is often that of the token before
            return [_problem(source, line, f"not valid Python: {complaint or error.message}")]
        except Exception as error:  # what libcst finds wrong while it builds the tree: `"a" b"b"`
            return [_problem(source, line, f"not valid Python: {complaint or error}")]
        try:
            return Walk(source, module).found
        except (RecursionError, KeyError) as error:
            if not _ran_out(error):
                raise
            return [_problem(source, 1, "nested too deeply to be read")]


def _ran_out(error: BaseException) -> bool:
    """Whether there was no room for one call more. Python 3.12 has a limit of its own for some calls, which nothing raises, and on the way
    out libcst's positions make a KeyError of it.
    """
    first: BaseException | None = error
    while first is not None:
        if isinstance(first, RecursionError):
            return True
        first = first.__context__
    return False


@contextmanager
def _deep_recursion() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _problem(source: Source, line: int, message: str) -> ParseProblem:
    line = min(max(line, 1), len(source.lines))
    start = source.starts[line - 1]
    return ParseProblem(source.span(start, start + len(source.lines[line - 1])), " ".join(message.split())[:200])
