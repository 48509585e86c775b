"""The cells of a notebook file, each with the place of its every character.

The values around the code, saved images above all, are most of a notebook: Python's own JSON parser, which Jupyter reads notebooks
with too, passes over them. https://nbformat.readthedocs.io/en/latest/format_description.html (2026-11)
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from spark_lint.read.json_tree import Scalar
from spark_lint.text import Source, Text

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_CARRIAGE_RETURN: Final = re.compile(r"\r\n?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_OTHER_KERNELS: Final = re.compile(
    r"ir\b|r\b|julia|deno|javascript|typescript|ruby|rust|evcxr|scala|spylon|\.net|xcpp|xeus-cling|go\b|gophernotes|octave|matlab|sql|sas",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. number: from 1, cells of all kinds counted. kind: `code`, `markdown` or another, of which nothing is read."""

    number: int
    kind: str
    text: Text


@dataclass(slots=True)
class Notebook:
    """What a notebook holds, as far as it can be read.

    language: of the code, as its metadata name it, lower case; `python` where they say nothing. fault: what is wrong with the file and
    at which character; empty where nothing is.
    """

    cells: list[Cell] = field(default_factory=list)
    language: str = "python"
    fault: str = ""
    at: int = 0


def notebook(source: Source) -> Notebook:
    """The notebook that a file holds. Of one that is cut off, what stands before."""
    found = Notebook()
    reader = _Reader(source, found)
    try:
        reader.top()
    except _FaultError as fault:
        found.fault, found.at = fault.message, fault.at
    except RecursionError:
        found.fault, found.at = "nested too deeply to be read", reader.at
    return found


class _FaultError(Exception):
    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


@dataclass(slots=True)
class _Parts:
    """What a cell says, in whatever order."""

    kind: str = ""
    text: Text | None = None
    level: int = 0
    language: str = ""


class _Reader:
    """Goes through a file once. Code is kept with its place, everything else is passed over."""

    def __init__(self, source: Source, found: Notebook) -> None:
        self.at = 0
        self._source = source
        self._text = source.text
        self._found = found
        # A number of thousands of digits is no notebook's, and none of ours.
        self._decoder = json.JSONDecoder(parse_int=str, parse_float=str)

    def top(self) -> None:
        """Read the whole file."""
        if self._next() != "{":
            self._value()
            raise _FaultError("not a notebook: it holds no cells", 0)
        has_cells = False
        for key in self._members():
            if key in ("cells", "worksheets") and self._next() == "[":
                has_cells = True
                self._cells() if key == "cells" else self._worksheets()
            elif key == "metadata":
                self._found.language = _language(self._value())
            else:
                self._value()
        if not has_cells:
            raise _FaultError("not a notebook: it holds no cells", 0)
        if self._next():
            raise _FaultError("not valid JSON: something follows its end", self.at)

    def _worksheets(self) -> None:
        """Before version 4 a notebook was made of sheets, of which each had one."""
        for _ in self._items():
            if self._next() != "{":
                self._value()
                continue
            for key in self._members():
                if key == "cells" and self._next() == "[":
                    self._cells()
                else:
                    self._value()

    def _cells(self) -> None:
        for number, _ in enumerate(self._items(), len(self._found.cells) + 1):
            parts = _Parts()
            if self._next() == "{":
                self._cell(parts)
            else:
                self._value()
            kind, text = parts.kind, parts.text or self._lines([])
            if kind == "code" and parts.language and not is_python(parts.language):
                kind = parts.language
            elif kind == "heading":
                kind = "markdown"
                text = Text.join([text[:0].as_value("#" * parts.level + " "), text])
            self._found.cells.append(Cell(number, kind, text))

    def _cell(self, parts: _Parts) -> None:
        for key in self._members():
            if key in ("source", "input"):
                parts.text = self._code()
                continue
            value = self._value()
            if key == "cell_type" and isinstance(value, str):
                parts.kind = value
            elif key == "level" and isinstance(value, str) and value in "123456":
                parts.level = int(value or "1")
            elif key == "language" and isinstance(value, str):
                parts.language = value.lower()
            elif key == "metadata":
                # Notebooks of several languages, as VS Code saves them.
                parts.language = _text(value, "vscode", "languageId").lower() or parts.language

    def _code(self) -> Text | None:
        """A text, or a list of its lines."""
        if self._next() == '"':
            return self._lines([self._string()])
        if self._next() != "[":
            self._value()
            return None
        lines: list[tuple[int, int]] = []
        for _ in self._items():
            if self._next() == '"':
                lines.append(self._string())
            else:
                self._value()
        return self._lines(lines)

    def _lines(self, strings: list[tuple[int, int]]) -> Text:
        at = strings[0][0] + 1 if strings else self.at
        parts = [Scalar(Text.of(self._source, start, stop), quoted=True).string for start, stop in strings]
        text = Text.join(parts or [Text.of(self._source, at, at)])
        text = _replaced(text, _CARRIAGE_RETURN, "\n") if "\r" in text.value else text
        # Half of a pair is no character, and no parser takes it.
        return _replaced(text, _SURROGATE, "\N{REPLACEMENT CHARACTER}")

    # JSON.

    def _next(self) -> str:
        """The character behind white space, where reading goes on; empty at the end."""
        space = _SPACE.match(self._text, self.at)
        self.at = space.end() if space else self.at
        return self._text[self.at : self.at + 1]

    def _sign(self, *signs: str) -> str:
        sign = self._next()
        if sign not in signs:
            what = f"{sign} does not belong here" if sign else "it ends before it is complete"
            raise _FaultError(f"not valid JSON: {what}", min(self.at, max(0, len(self._text) - 1)))
        self.at += 1
        return sign

    def _members(self) -> Iterator[str]:
        """The keys of an object; whoever asks reads the value of each before the next."""
        self._sign("{")
        if self._next() == "}":
            self.at += 1
            return
        while True:
            self._next()
            start, stop = self._string()
            self._sign(":")
            yield self._text[start + 1 : stop - 1]
            if self._sign(",", "}") == "}":
                return

    def _items(self) -> Iterator[None]:
        """Once for each item of a list; whoever asks reads it."""
        self._sign("[")
        if self._next() == "]":
            self.at += 1
            return
        while True:
            yield None
            if self._sign(",", "]") == "]":
                return

    def _string(self) -> tuple[int, int]:
        found = _STRING.match(self._text, self.at)
        if found is None:
            sign = self._text[self.at : self.at + 1]
            what = (
                "a string has no end"
                if sign == '"'
                else f"{sign} does not belong here"
                if sign
                else "it ends before it is complete"
            )
            raise _FaultError(f"not valid JSON: {what}", min(self.at, len(self._text) - 1))
        self.at = found.end()
        return found.span()

    def _value(self) -> Any:
        """The next value, whatever it is; numbers as they are written."""
        self._next()
        try:
            value, self.at = self._decoder.raw_decode(self._text, self.at)
        except json.JSONDecodeError as error:
            at = min(error.pos, max(0, len(self._text) - 1))
            ends = error.pos >= len(self._text)
            what = "it ends before it is complete" if ends else error.msg[:1].lower() + error.msg[1:]
            raise _FaultError(f"not valid JSON: {what}", at) from None
        return value


def is_python(language: str) -> bool:
    """Whether a language is Python, by whatever kernel."""
    return "python" in language or language == "pyspark"


def _language(metadata: Any) -> str:
    """The language that the metadata of a notebook name. What they do not name is nearly always Python."""
    named = _text(metadata, "language_info", "name") or _text(metadata, "kernelspec", "language")
    if named:
        return named.lower()
    kernel = _text(metadata, "kernelspec", "name")
    return kernel.lower() if kernel == "bash" or _OTHER_KERNELS.match(kernel) else "python"


def _text(value: Any, *keys: str) -> str:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _replaced(text: Text, pattern: re.Pattern[str], value: str) -> Text:
    parts, at = [], 0
    for match in pattern.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(value)]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text
