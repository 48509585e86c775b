"""Notebooks exported as Python: `get_ipython().system("pip install torch")` and their magics."""

import re
from collections.abc import Iterator
from typing import Final

import libcst as cst

from spark_lint.read.python_lists import Lists
from spark_lint.read.python_names import Names
from spark_lint.text import UNKNOWN, Text

_SHELLS: Final = frozenset({"bash", "sh", "script", "system", "sx", "!"})
_PROGRAMS: Final = frozenset({"pip", "conda", "mamba", "micromamba", "uv"})
_COMMAND: Final = re.compile(
    r"^[ \t]*(?:!{1,2}|%(?=(?:pip|conda|mamba|micromamba|uv)\b))(?P<command>(?:[^\n\\]|\\[\s\S])*)", re.MULTILINE
)
_PYTHON_VALUE: Final = re.compile(r"(?<!\$)\{[^{}\n]*\}")


def scripts(node: cst.Call, names: Names, lists: Lists) -> Iterator[Text]:
    """The shell code that a call of IPython's shell object runs."""
    if not isinstance(node.func, cst.Attribute) or not isinstance(node.func.value, cst.Call):
        return
    if names.path(node.func.value.func).rpartition(".")[2] != "get_ipython":
        return
    texts = [lists.script(each.value, names) for each in node.args]
    given = [text for text in texts if text is not None]
    if len(given) != len(texts) or not given:
        return
    magic = given[0].value
    match node.func.attr.value:
        case "system" | "getoutput":
            yield _filled(given[0])
        case "run_line_magic" | "magic" if magic in _PROGRAMS and len(given) > 1:
            yield _filled(Text.join([given[0], given[0].as_value(" "), given[1]]))
        case "run_line_magic" | "run_cell_magic" if magic in _SHELLS:
            yield _filled(given[-1])
        case "run_cell_magic":
            for command in _COMMAND.finditer(given[-1].value):
                yield _filled(given[-1][slice(*command.span("command"))])


def _filled(text: Text) -> Text:
    """The text with what IPython fills in (`{version}`) unknown."""
    parts, at = [], 0
    for match in _PYTHON_VALUE.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(UNKNOWN)]
        at = match.end()
    return Text.join([*parts, text[at:]])
