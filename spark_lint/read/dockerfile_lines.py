r"""A Dockerfile's instructions: continued lines joined, comments cut out, here-documents taken off.

The format is one of lines, and BuildKit reads it line by line; so does this. An instruction that makes no sense costs itself
only. (tree-sitter-containerfile was tried: `<<<` in a RUN loses it the rest of the file, and a continued line that begins with
`[` or a `${X#y}` is an error to it.)
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from spark_lint.read.dockerfile_words import raw_words
from spark_lint.text import Text

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_DIRECTIVE: Final = re.compile(r"#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=\s*(.+)")
_HEREDOC: Final = re.compile(r"\d*<<(-?)(\"[^\"<]+\"|'[^'<]+'|[^<\s\"']+)")
_INDENT: Final = re.compile(r"(?m)^\t+")
_HAVE_HEREDOCS: Final = frozenset({"RUN", "COPY", "ADD", "ONBUILD"})


@dataclass(frozen=True, slots=True)
class Heredoc:
    """A here-document. marker: `<<EOF`. body: its text. whole: from the end of the marker's line to the end of the delimiter.

    closed: whether its delimiter was found.
    """

    marker: Text
    body: Text
    whole: Text
    closed: bool


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: the keyword in capitals, and the text behind it on one line. place: keyword and text as they stand."""

    keyword: str
    text: Text
    place: Text
    heredocs: tuple[Heredoc, ...] = ()


def escape_directive(text: Text) -> Text | None:
    """The value of `# escape=…`, which stands in the comments that a Dockerfile begins with; None where there is none."""
    for match in _LINE.finditer(text.value):
        line = match[0].strip()
        directive = _DIRECTIVE.fullmatch(line)
        if directive is None:
            return None
        if directive[1].lower() == "escape":
            at = match.start() + match[0].index(line)
            return text[at + directive.start(2) : at + directive.end(2)]
    return None


def instructions(text: Text, escape: str) -> Iterator[Instruction]:
    """The instructions of a Dockerfile. escape: the character that continues a line."""
    continued = re.compile(rf"(?:^|[^{re.escape(escape)}])({re.escape(escape)}[ \t]*)\r?\n?$")
    lines = list(_LINE.finditer(text.value))
    at = 0
    while at < len(lines):
        first = lines[at]
        start = first.start() + len(first[0]) - len(first[0].lstrip())
        if not first[0].strip() or first[0].lstrip().startswith("#"):
            at += 1
            continue
        parts: list[Text] = []
        stop = start
        while at < len(lines):
            line = lines[at]
            at += 1
            if parts and (not line[0].strip() or line[0].lstrip().startswith("#")):
                continue
            more = continued.search(line[0])
            stop = line.start() + (more.start(1) if more else len(line[0].rstrip("\r\n")))
            parts.append(text[max(start, line.start()) : stop])
            if not more:
                break
        instruction = _instruction(Text.join(parts), text[start:stop], escape)
        if "<<" in instruction.text.value and instruction.keyword in _HAVE_HEREDOCS:
            heredocs, at = _heredocs(instruction.text, text, lines, at, escape)
            instruction = Instruction(instruction.keyword, instruction.text, instruction.place, heredocs)
        yield instruction


def _instruction(joined: Text, place: Text, escape: str) -> Instruction:
    keyword = re.match(r"\S+", joined.value)
    at = keyword.end() if keyword else 0
    while at < len(joined.value) and joined.value[at].isspace():
        at += 1
    return Instruction(joined.value[: keyword.end() if keyword else 0].upper(), joined[at : len(joined.value.rstrip())], place)


def inner(instruction: Instruction) -> Instruction:
    """The instruction that ONBUILD keeps for later."""
    found = _instruction(instruction.text, instruction.place, "")
    return Instruction(found.keyword, found.text, found.place, instruction.heredocs)


def _heredocs(line: Text, text: Text, lines: list[re.Match[str]], at: int, escape: str) -> tuple[tuple[Heredoc, ...], int]:
    """The here-documents whose markers stand on an instruction's line, and the line behind them.

    As in BuildKit, a marker is a word of its own: `cat<<EOF` and `<<<` are none.
    """
    found: list[Heredoc] = []
    for word in raw_words(line, escape):
        marker = _HEREDOC.fullmatch(word.value)
        if marker is None:
            continue
        name = marker[2].strip("\"'")
        behind = lines[at - 1]
        before = behind.start() + len(behind[0].rstrip("\r\n"))
        start = stop = end = behind.end()
        closed = False
        while at < len(lines) and not closed:
            each = lines[at]
            at += 1
            content = each[0].rstrip("\r\n")
            closed = (content.lstrip("\t") if marker[1] else content) == name
            stop = stop if closed else each.end()
            end = each.start() + len(content)
        body = text[start:stop]
        found.append(Heredoc(word, body.without(_INDENT) if marker[1] else body, text[before:end], closed))
    return tuple(found), at
