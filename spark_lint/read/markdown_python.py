"""Python in documents: interpreter sessions, the commands of notebooks among the code, fragments."""

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Context, Read
from spark_lint.read.funnel import Interests, worth_parsing
from spark_lint.read.markdown_console import blanked
from spark_lint.read.markdown_embedded import Embedded, placed
from spark_lint.read.notebook_syntax import translated
from spark_lint.read.python_ipython import Ipython
from spark_lint.read.python_script import MARK, script
from spark_lint.text import Text

_PROMPT: Final = re.compile(r"[ \t]*(?:>>>|\.\.\.|In \[\d*\]:)(?:[ ]|(?=\r?\n|$))")
_FIRST_PROMPT: Final = re.compile(r"(?m)^[ \t]*(?:>>> |In \[\d*\]: )")


def python(text: Text, context: Context, interests: Interests | None) -> Iterator[Read]:
    """The facts of Python code, and of the commands and magics of IPython in it."""
    if _FIRST_PROMPT.search(text.value):
        text = _typed(text)
    if MARK.decode() in text.value:
        yield from (placed(each, context) for each in script(Embedded(text)))
    code = translated(text, blanked)
    if code.pure or not _is_valid(code.python.value):
        # Fragments are no code for a parser, and commands need none.
        ipython = Ipython()
        for line in code.lines:
            yield from ipython.run(line, context)
        if code.pure:
            return
    if interests is not None and not worth_parsing(code.python.value.encode("utf-8", "replace"), interests):
        return
    from spark_lint.read.python import read

    for each in read(Embedded(code.python), interests):
        yield placed(each, context)


def _is_valid(code: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _typed(text: Text) -> Text:
    """What is typed into an interpreter, without what it prints."""
    parts, at = [text[:0]], 0
    for line in text.value.splitlines(keepends=True):
        if prompt := _PROMPT.match(line):
            parts.append(text[at + prompt.end() : at + len(line)])
        at += len(line)
    return Text.join(parts)
