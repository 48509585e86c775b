"""Is Python source nested so deeply that a parser may overflow its stack? A parser crash takes the whole process with it.

Measured with libcst 1.9 on x86-64: a level of brackets costs up to 7.3 KB of C stack, a `lambda` with a default as much again, and
each link of a chain (`a.b.c`, `a + b + c`, `not not a`, `"a" "b"`, `elif`) up to 2.5 KB. What stays under `_LIMIT` needs at most 2 MB.
CPython itself gives up at 200 brackets or 100 indentations.
"""

import re
from typing import Final

_BRACKET: Final = 5
_LEVEL: Final = 5
_LIMIT: Final = 1000

_STRING: Final = (
    r"(?P<prefix>[rRbBuUfFtT]{0,2})(?:"
    r'"""(?P<a>[^"\\]*(?:(?:\\.?|"(?!""))[^"\\]*)*)(?:"""|\Z)'
    r"|'''(?P<b>[^'\\]*(?:(?:\\.?|'(?!''))[^'\\]*)*)(?:'''|\Z)"
    r'|"(?P<c>[^"\\\r\n]*(?:\\(?:\r\n|.)?[^"\\\r\n]*)*)"?'
    r"|'(?P<d>[^'\\\r\n]*(?:\\(?:\r\n|.)?[^'\\\r\n]*)*)'?)"
)
# Strings and what may follow a line end end where they end: each character is looked at a bounded number of times.
_TOKEN: Final = re.compile(
    _STRING
    + r"|(?P<skip>\#[^\r\n]*|\\(?:\r\n?|\n))"
    + r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    + r"|(?P<line>(?:\r\n?|\n)(?P<indent>[ \t\f]*)(?=(?P<first>elif\b|else\b|[^\s\#\\])?))"
    + r"|(?P<word>\w+)|(?P<comma>[,;])|(?P<sign>[^\w\s,;()\[\]{}\"'\#\\]+)",
    re.DOTALL,
)
_FIELD: Final = re.compile(r"(?P<literal>\{\{|\}\})|(?P<open>[(\[{])|(?P<close>[)\]}])|'[^']*'|\"[^\"]*\"|(?P<sign>[^\w\s]+)|\w+")
_KEYWORDS: Final = ("not", "if", "else", "and", "or", "in", "is", "for", "await", "yield", "from", "as")
_LINKS: Final = {**dict.fromkeys(_KEYWORDS, 1), "lambda": 6}


def nesting(text: str) -> int | None:
    """The line (from 1) of the first statement that is nested too deeply to be parsed safely, None if there is none."""
    return _Depth().first_too_deep(text)


class _Depth:
    """One pass over the tokens. A frame is `[links in this element, deepest group in it, deepest element before it]`."""

    def __init__(self) -> None:
        self.frames = [[0, 0, 0]]
        self.indents = [0]
        self.elifs = [0]

    def first_too_deep(self, text: str) -> int | None:
        began = 0  # where the logical line begins
        previous = ""
        for token in _TOKEN.finditer(text):
            kind = token.lastgroup or ""
            if kind == "word":
                self.frames[-1][0] += _LINKS.get(token[0], 0)
            elif kind == "sign":
                self.frames[-1][0] += len(token[0])
            elif kind == "comma":
                self._element()
            elif kind == "open":
                self.frames.append([0, 0, 0])
            elif kind == "close":
                self._close()
            elif kind in ("line", "first"):
                if len(self.frames) > 1 or token["first"] is None:
                    continue  # inside brackets, or a line that holds nothing
                if self._total() > _LIMIT:
                    break
                began = token.end()
                self._begin(len(token["indent"]), token["first"])
            elif kind == "skip":
                continue
            else:  # a string behind a string makes one more link
                self.frames[-1][0] += (previous == kind) + _fields(token)
            previous = kind
        while len(self.frames) > 1:
            self._close()
        return 1 + len(re.findall(r"\r\n?|\n", text[:began])) if self._total() > _LIMIT else None

    def _element(self) -> None:
        links, group, deepest = self.frames[-1]
        self.frames[-1] = [0, 0, max(deepest, links + group)]

    def _close(self) -> None:
        if len(self.frames) == 1:
            return
        links, group, deepest = self.frames.pop()
        outer = self.frames[-1]
        outer[0] += 1
        outer[1] = max(outer[1], _BRACKET + max(deepest, links + group))

    def _begin(self, indent: int, first: str) -> None:
        """Begin a logical line: the branches of the statement it belongs to count too."""
        self.frames = [[0, 0, 0]]
        while self.indents and self.indents[-1] > indent:
            self.indents.pop()
            self.elifs.pop()
        if not self.indents or self.indents[-1] < indent:
            self.indents.append(indent)
            self.elifs.append(0)
        if first == "elif":
            self.elifs[-1] += 1
        elif first != "else":
            self.elifs[-1] = 0

    def _total(self) -> int:
        self._element()
        return self.frames[0][2] + _LEVEL * len(self.indents) + sum(self.elifs)


def _fields(token: "re.Match[str]") -> int:
    """How deep the expressions in an f-string or t-string go; 0 for any other string."""
    if token["prefix"].lower().strip("rbu") == "":
        return 0
    body = next(part for part in token.group("a", "b", "c", "d") if part is not None)
    depth = links = worst = 0
    for part in _FIELD.finditer(body) if "{" in body else ():
        kind = part.lastgroup
        opens = part[0] == "{{" if kind == "literal" else kind == "open"
        if opens and (depth or part[0] == "{"):
            depth += len(part[0])
            links += _BRACKET * len(part[0])
            worst = max(worst, links)
        elif depth and kind in ("close", "literal"):
            depth = max(0, depth - len(part[0]))
            links = links if depth else 0
        elif depth:
            links += len(part[0]) if kind == "sign" else _LINKS.get(part[0], 0)
            worst = max(worst, links)
    return worst
