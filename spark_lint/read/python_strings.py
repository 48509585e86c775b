"""Python string literals as texts: the value, and for each character of it the place where it is written."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import libcst as cst

from spark_lint.text import UNKNOWN, Source, Text

Field: TypeAlias = tuple[int, int, Text]
"""A replacement field of an f-string: where it starts and stops in the file, and the text it stands for."""

_LITERAL: Final = re.compile(r"(?P<prefix>[A-Za-z]*)(?P<quotes>\"\"\"|'''|\"|')")
_NEWLINE: Final = r"\r\n?|\n"
# Python reads every line end in a literal as \n. A backslash that starts no known escape stands for itself.
_ESCAPE: Final = re.compile(
    rf"\\(?:(?P<joined>{_NEWLINE})|(?P<octal>[0-7]{{1,3}})|x(?P<x>[0-9a-fA-F]{{2}})|u(?P<u>[0-9a-fA-F]{{4}})"
    rf"|U(?P<U>[0-9a-fA-F]{{8}})|N\{{(?P<named>[^}}\r\n]*)\}}|(?P<plain>[\\'\"abfnrtv]))|(?P<newline>\r\n?)"
)
_RAW_NEWLINE: Final = re.compile(r"(?P<newline>\r\n?)")
_BRACES: Final = re.compile(r"\{\{|\}\}")
_PLAIN: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CONVERSION: Final = re.compile(r"%%|%(?:\(\w*\))?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[a-zA-Z]")
_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_SHELL_PART: Final = re.compile(r"[^\s'\"\\]+|'[^']*'?|\"(?:\\.|[^\"\\])*\"?|\\.?", re.DOTALL)
_SHELL_WORD: Final = re.compile(rf"(?:{_SHELL_PART.pattern})+", re.DOTALL)
_WORD: Final = re.compile(r"\S+")


def text_of(source: Source, start: int, literal: str, fields: Sequence[Field] = ()) -> Text | None:
    """The value of one literal (with prefix and quotes) that begins at offset `start`. None for bytes and for what is no literal.

    fields: what the replacement fields of an f-string stand for, in order.
    """
    head = _LITERAL.match(literal)
    if head is None or "b" in head["prefix"].lower():
        return None
    quotes = len(head["quotes"])
    begin, end = start + head.end(), start + max(head.end(), len(literal) - quotes)
    prefix = head["prefix"].lower()
    pattern = _RAW_NEWLINE if "r" in prefix else _ESCAPE
    parts: list[Text] = []
    for field_start, field_stop, value in fields:
        parts += _stretch(source, begin, field_start, pattern, "f" in prefix)
        parts.append(value)
        begin = field_stop
    parts += _stretch(source, begin, end, pattern, "f" in prefix)
    return joined(source, start + head.end(), parts)


def value_of(node: cst.CSTNode) -> str:
    """The value of a node that is one plain string literal; empty for any other."""
    text = text_of(Source("", node.value), 0, node.value) if isinstance(node, cst.SimpleString) else None
    return text.value if text is not None else ""


def joined(source: Source, at: int, parts: Iterable[Text]) -> Text:
    """The parts behind each other; the empty text at offset `at` where there are none."""
    return Text.join([part for part in parts if part.value] or [Text.of(source, at, at)])


def _stretch(source: Source, start: int, stop: int, escape: "re.Pattern[str]", formatted: bool) -> Iterator[Text]:
    """The decoded pieces of a stretch of a literal."""
    at = start
    for match in escape.finditer(source.text, start, stop):
        if (value := _decoded(match)) is not None:
            yield from _braced(source, at, match.start(), formatted)
            yield Text.of(source, match.start(), match.end()).as_value(value)
            at = match.end()
    yield from _braced(source, at, stop, formatted)


def _decoded(match: "re.Match[str]") -> str | None:
    kind, written = match.lastgroup or "", match[match.lastgroup or 0]
    if kind == "joined":
        return ""
    if kind == "newline":
        return "\n"
    if kind == "plain":
        return _PLAIN.get(written, written)
    if kind == "named":
        try:
            return unicodedata.lookup(written)
        except KeyError:
            return UNKNOWN
    point = int(written, 8 if kind == "octal" else 16)
    # A surrogate is no character of any text file.
    return UNKNOWN if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF else chr(point)


def _braced(source: Source, start: int, stop: int, formatted: bool) -> Iterator[Text]:
    """A stretch without escapes; in an f-string `{{` stands for `{`."""
    at = start
    for match in _BRACES.finditer(source.text, start, stop) if formatted else ():
        yield Text.of(source, at, match.start())
        yield Text.of(source, match.start(), match.end()).as_value(match[0][0])
        at = match.end()
    if at < stop:
        yield Text.of(source, at, stop)


def percent_formatted(text: Text) -> Text:
    """The text with every conversion of the `%` operator unknown: `torch==%s` is `torch==` and UNKNOWN."""
    return _formatted(text, _CONVERSION)


def brace_formatted(text: Text) -> Text:
    """The text with every field of `str.format` unknown: `torch=={}` is `torch==` and UNKNOWN."""
    return _formatted(text, _PLACEHOLDER)


def _formatted(text: Text, field: "re.Pattern[str]") -> Text:
    parts, at = [], 0
    for match in field.finditer(text.value):
        parts.append(text[at : match.start()])
        doubled = len(match[0]) == 2 and match[0][0] == match[0][1]
        parts.append(text[match.start() : match.end()].as_value(match[0][0] if doubled else UNKNOWN))
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text


def split(text: Text) -> list[Text]:
    """The words of a text between white space, as `str.split` gives them."""
    return [text[match.start() : match.end()] for match in _WORD.finditer(text.value)]


def split_shell(text: Text) -> list[Text]:
    """The words of a text as `shlex.split` gives them: quotes taken off, nothing expanded."""
    words = []
    for word in _SHELL_WORD.finditer(text.value):
        parts = []
        for part in _SHELL_PART.finditer(text.value, *word.span()):
            cut = 1 if part[0][0] in "'\"\\" else 0
            closed = cut and len(part[0]) > 1 and part[0][0] == part[0][-1]
            parts.append(text[part.start() + cut : part.end() - (1 if closed else 0)])
        words.append(joined(text.source, text.bounds(*word.span())[0], parts))
    return words
