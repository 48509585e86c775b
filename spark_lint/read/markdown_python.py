"""Python in documents: interpreter sessions, the commands of notebooks among the code, fragments."""

import re
from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Context, Read
from spark_lint.read.funnel import Interests, worth_parsing
from spark_lint.read.markdown_console import blanked
from spark_lint.read.markdown_embedded import Embedded, placed
from spark_lint.text import Text

_PROMPT: Final = re.compile(r"[ \t]*(?:>>>|\.\.\.|In \[\d*\]:)(?:[ ]|(?=\r?\n|$))")
_FIRST_PROMPT: Final = re.compile(r"(?m)^[ \t]*(?:>>> |In \[\d*\]: )")
# !pip install …, %pip install …, and a cell that is a shell script as a whole
_COMMAND: Final = re.compile(r"[ \t]*(?:!{1,2}|%(?=(?:pip|conda|mamba|uv)\b))(?P<command>.*)")
_SHELL_CELL: Final = re.compile(r"\s*%%(?:bash|sh)\b[^\n]*\n")


def python(text: Text, context: Context, interests: Interests | None) -> Iterator[Read]:
    """The facts of Python code, and of the shell commands in it."""
    from spark_lint.read.shell import commands

    if _FIRST_PROMPT.search(text.value):
        text = _typed(text)
    if cell := _SHELL_CELL.match(text.value):
        yield from commands(blanked(text[cell.end() :]), context)
        return
    code, scripts = _parted(text)
    for script in scripts:
        yield from commands(blanked(script), context)
    if interests is not None and not worth_parsing(code.value.encode("utf-8", "replace"), interests):
        return
    from spark_lint.read.python import read

    for each in read(Embedded(code), interests):
        yield placed(each, context)


def _typed(text: Text) -> Text:
    """What is typed into an interpreter, without what it prints."""
    parts, at = [text[:0]], 0
    for line in text.value.splitlines(keepends=True):
        if prompt := _PROMPT.match(line):
            parts.append(text[at + prompt.end() : at + len(line)])
        at += len(line)
    return Text.join(parts)


def _parted(text: Text) -> tuple[Text, list[Text]]:
    """The Python code, and the commands for a shell among it."""
    if "!" not in text.value and "%" not in text.value:
        return text, []
    code, scripts, at = [text[:0]], [], 0
    script: list[Text] = []
    for line in text.value.splitlines(keepends=True):
        whole = text[at : at + len(line)]
        at += len(line)
        command = None if script else _COMMAND.match(line)
        if command is None and not script:
            code.append(whole)
            continue
        script.append(whole[command.start("command") :] if command else whole)
        if not line.rstrip().endswith("\\"):
            scripts.append(Text.join(script))
            script = []
    return Text.join(code), scripts + ([Text.join(script)] if script else [])
