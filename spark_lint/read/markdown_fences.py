"""The code of a Markdown document: fences, indented code and `<pre>`, each with the headings and tabs it stands under.

A line scanner, not a Markdown parser: it is several times faster than one, it gives the place of every line, and it reads what the
dialects add (the tabs of MkDocs, Docusaurus and MyST, whose indented fences are indented code to CommonMark). It follows CommonMark
on fences: at least three backticks or tildes, closed by as many of the same, in block quotes and list items, else open to the end.
https://spec.commonmark.org/0.31.2/#fenced-code-blocks (2026-11)
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from spark_lint.text import Source, Text

_LONGEST_TITLE: Final = 200
_TAB_STOP: Final = 4

_FENCE: Final = re.compile(r"(?P<prefix>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<marks>`{3,}|~{3,})(?P<info>.*)")
_QUOTED: Final = re.compile(r"[ \t]*>")
_HEADING: Final = re.compile(r"[ >]*(#{1,6})[ \t]+(.*?)[ \t#]*$")
_HTML_HEADING: Final = re.compile(r"[ \t]*<h([1-6])\b[^>]*>(.*?)</h[1-6]>", re.IGNORECASE)
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_LIST_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
# === "ROCm" (MkDocs), ??? note "Windows", !!! note "Windows"
_INDENTED_TAB: Final = re.compile(r"([ \t]*)(?:===[!+]?|\?\?\?\+?|!!!)[ \t]+(?:[\w-]+[ \t]+)?\"([^\"]*)\"")
_OPENS_TAB: Final = re.compile(
    r"[ \t]*(?:<(?P<tag>TabItem|Tab|hfoption|Accordion)\b(?P<attributes>[^>]*)>|(?P<colons>:{3,})[ \t]*\{tab-item\}[ \t]*(?P<title>.*)"
    r"|(?:<details\b[^>]*>[ \t]*)?<summary\b[^>]*>(?P<summary>.*))"
)
_CLOSES_TAB: Final = re.compile(
    r"[ \t]*(?:</(?P<tag>TabItem|Tab|hfoption|Accordion)>|(?P<colons>:{3,})[ \t]*$|(?P<details></details>))"
)
_ATTRIBUTE: Final = re.compile(r"\b(?:value|label|title|id)=[\"{]?[\"'`]?([^\"'`}>]*)")
_MARKUP: Final = re.compile(r"<[^<>]*>|[*`]{1,3}|(?<![^\W_])_{1,3}|_{1,3}(?![^\W_])|\[|\]\([^()]*\)")
_PRE: Final = re.compile(r"[ \t]*<pre\b[^>]*>(?:[ \t]*<code\b([^>]*)>)?", re.IGNORECASE)
_CLASS: Final = re.compile(r"\bclass=\"(?:[^\"]*[ ])?(?:language-|lang-)?([\w+-]+)\"")
_COMMENTS: Final = (("<!--", "-->"), ("{/*", "*/}"))
_ENTITY: Final = re.compile(r"&(lt|gt|amp|quot|#39|nbsp);|<[^<>\n]*>")
_ENTITIES: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "#39": "'", "nbsp": " "}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level, from 1, its words and its line."""

    level: int
    title: str
    line: int


@dataclass(frozen=True, slots=True)
class Fence:
    """One piece of code.

    info: the words behind the opening marks; None where nothing can be said of the code's language (indented code). text: its lines,
    without what contains them. headings: those above it, outermost first. tabs: titles of the tabs around it. lead: the line of
    prose right above it, empty where there is none.
    """

    info: str | None
    text: Text
    headings: tuple[Heading, ...]
    tabs: tuple[str, ...]
    lead: str


def fences(source: Source) -> Iterator[Fence]:
    """The pieces of code of a document, in order."""
    return _Scanner(source).fences()


def plain(line: str) -> str:
    """A line of prose without its markup."""
    return _MARKUP.sub("", line[:_LONGEST_TITLE]).strip(" \t>#")


class _Scanner:
    """Goes through the lines once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = source.lines
        self._at = 0
        self._headings: list[Heading] = []
        self._indented_tabs: list[tuple[int, str]] = []
        self._tabs: list[tuple[str, str]] = []
        self._lead = ""
        self._blank = True  # the line before says nothing
        self._in_list = False

    def fences(self) -> Iterator[Fence]:
        self._front_matter()
        while self._at < len(self._lines):
            line = self._lines[self._at]
            stripped = line.lstrip(" \t>")
            if not stripped:
                self._blank = True
                self._at += 1
            elif self._skips_comment(stripped):
                pass
            elif fence := self._opens(line):
                yield self._fence(fence)
            elif stripped.startswith("<pre") and (pre := _PRE.match(line)):
                yield self._preformatted(pre)
            elif self._blank and not self._in_list and _indentation(line) >= _TAB_STOP and not self._in_tab(line):
                yield self._indented()
            else:
                self._prose(line, stripped)
                self._at += 1

    def _front_matter(self) -> None:
        if self._lines[0].rstrip() != "---":
            return
        end = next((at for at in range(1, min(len(self._lines), 500)) if self._lines[at].rstrip() in ("---", "...")), 0)
        self._at = end + 1 if end else 0

    def _skips_comment(self, stripped: str) -> bool:
        for begins, ends in _COMMENTS:
            if stripped.startswith(begins):
                rest = stripped[len(begins) :]
                while ends not in rest and self._at + 1 < len(self._lines):
                    self._at += 1
                    rest = self._lines[self._at]
                self._at += 1
                return True
        return False

    # What stands above the code.

    def _prose(self, line: str, stripped: str) -> None:
        if self._blank and _indentation(line) == 0:
            self._in_list = False
        if (self._blank or self._in_list or not self._lead) and _LIST_ITEM.match(line):
            self._in_list = True
        if self._indented_tabs:
            self._leave_tabs(line)
        first = stripped[0]
        if first == "#" and (heading := _HEADING.match(line)):
            self._heading(len(heading[1]), heading[2])
        elif first in "=-" and not self._blank and self._lead and _UNDERLINE.match(line):
            self._heading(1 if first == "=" else 2, self._lead)
        elif first == "<" and (heading := _HTML_HEADING.match(line)):
            self._heading(int(heading[1]), heading[2])
        elif first in "=?!" and (tab := _INDENTED_TAB.match(line)):
            self._indented_tabs.append((_indentation(line), plain(tab[2])))
            self._lead = ""
        elif first in "<:" and self._tab(line):
            self._lead = ""
        else:
            self._lead = line
        self._blank = False

    def _heading(self, level: int, title: str) -> None:
        while self._headings and self._headings[-1].level >= level:
            self._headings.pop()
        self._headings.append(Heading(level, plain(title), self._at + 1))
        self._lead = ""
        self._in_list = False

    def _leave_tabs(self, line: str) -> None:
        indentation = _indentation(line)
        while self._indented_tabs and indentation <= self._indented_tabs[-1][0]:
            self._indented_tabs.pop()

    def _in_tab(self, line: str) -> bool:
        self._leave_tabs(line)
        return bool(self._indented_tabs)

    def _tab(self, line: str) -> bool:
        """Open or close a tab that has an end of its own."""
        if opened := _OPENS_TAB.match(line):
            if opened["summary"] is not None:
                self._tabs.append(("details", plain(opened["summary"])))
            elif opened["colons"]:
                self._tabs.append((opened["colons"], plain(opened["title"])))
            else:
                title = " ".join(_ATTRIBUTE.findall(opened["attributes"]))
                self._tabs.append((opened["tag"], plain(title)))
            return True
        if closed := _CLOSES_TAB.match(line):
            kind = "details" if closed["details"] else closed["tag"] or closed["colons"]
            at = next((at for at in range(len(self._tabs) - 1, -1, -1) if self._tabs[at][0] == kind), None)
            if at is not None:
                del self._tabs[at:]
            return True
        return False

    # Code.

    def _opens(self, line: str) -> re.Match[str] | None:
        if "```" not in line and "~~~" not in line:
            return None
        fence = _FENCE.match(line)
        # ```pip install torch``` on one line is code in a sentence.
        return None if fence is None or (fence["marks"][0] == "`" and "`" in fence["info"]) else fence

    def _fence(self, opening: re.Match[str]) -> Fence:
        if self._indented_tabs:
            self._leave_tabs(opening[0])
        marks = opening["marks"]
        quotes = opening["prefix"].count(">")
        indentation = _width(opening["prefix"].rpartition(">")[2])
        first = self._at = self._at + 1
        parts: list[tuple[int, int]] = []
        closes = re.compile(rf"[ \t]*{re.escape(marks[0])}{{{len(marks)},}}[ \t]*$")
        while self._at < len(self._lines):
            line = self._lines[self._at]
            skipped = _containers(line, quotes)
            if skipped is None:
                break  # the block quote has ended
            self._at += 1
            if marks[0] in line and closes.match(line, skipped):
                break
            parts.append(self._part(self._at - 1, skipped + _cut(line, skipped, indentation)))
        return self._made(opening["info"].strip(), self._text(first, parts))

    def _indented(self) -> Fence:
        first = self._at
        indentation = _indentation(self._lines[first])
        parts: list[tuple[int, int]] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip() and _indentation(line) < _TAB_STOP:
                break
            parts.append(self._part(self._at, _cut(line, 0, indentation)))
            self._at += 1
        return self._made(None, self._text(first, parts))

    def _preformatted(self, opening: re.Match[str]) -> Fence:
        named = _CLASS.search(opening[1] or "") or _CLASS.search(opening[0])
        first = self._at
        start = self._source.starts[first] + opening.end()
        lower = "</pre"
        while self._at < len(self._lines) and lower not in self._lines[self._at].lower():
            self._at += 1
        if self._at < len(self._lines):
            stop = self._source.starts[self._at] + self._lines[self._at].lower().index(lower)
        else:
            stop = len(self._source.text)
        self._at += 1
        return self._made(named[1] if named else "", _unescaped(Text.of(self._source, start, max(start, stop))))

    def _part(self, at: int, skipped: int) -> tuple[int, int]:
        """The stretch of a line without its first characters, with its line end."""
        starts = self._source.starts
        return starts[at] + skipped, starts[at + 1] if at + 1 < len(starts) else len(self._source.text)

    def _text(self, first: int, parts: list[tuple[int, int]]) -> Text:
        if not parts:
            at = self._source.starts[first] if first < len(self._source.starts) else len(self._source.text)
            return Text.of(self._source, at, at)
        if all(one[1] == other[0] for one, other in pairwise(parts)):
            return Text.of(self._source, parts[0][0], parts[-1][1])
        return Text.join(Text.of(self._source, *part) for part in parts if part[0] < part[1])

    def _made(self, info: str | None, text: Text) -> Fence:
        tabs = (*(title for _, title in self._tabs), *(title for _, title in self._indented_tabs))
        lead, self._lead = self._lead, ""
        self._blank = True
        return Fence(info, text, tuple(self._headings), tuple(filter(None, tabs)), lead)


def _indentation(line: str) -> int:
    return _width(line[: len(line) - len(line.lstrip(" \t"))])


def _width(prefix: str) -> int:
    """The columns that the first characters of a line take up."""
    return len(prefix.expandtabs(_TAB_STOP))


def _containers(line: str, quotes: int) -> int | None:
    """The characters that so many block quotes take up; None where the line is not in all of them."""
    at = 0
    for _ in range(quotes):
        mark = _QUOTED.match(line, at)
        if mark is None:
            return None
        at = mark.end()
    return at


def _cut(line: str, start: int, indentation: int) -> int:
    """How many characters behind `start` are the indentation of the fence: no more than are blank."""
    at, width = start, 0
    while at < len(line) and width < indentation and line[at] in " \t":
        width += _TAB_STOP - width % _TAB_STOP if line[at] == "\t" else 1
        at += 1
    return at - start


def _unescaped(text: Text) -> Text:
    parts, at = [], 0
    for match in _ENTITY.finditer(text.value):
        parts.append(text[at : match.start()])
        if match[1]:
            parts.append(text[match.start() : match.end()].as_value(_ENTITIES[match[1]]))
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text
