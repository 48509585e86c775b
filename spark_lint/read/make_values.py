"""What `$(X)` stands for in a Makefile: values that the file gives, everything else UNKNOWN."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final, Literal, TypeAlias

from spark_lint.read.expansion import LONGEST, Budget
from spark_lint.read.make_lines import closing, outside, stripped
from spark_lint.text import UNKNOWN, Piece, Text

Shell: TypeAlias = Literal["kept", "code", "unknown"]
"""What `$(shell …)` becomes: itself, for later (`:=`), with the variables in it put in; `$(…)` of the shell (recipes); UNKNOWN."""

# gnu.org/software/make/manual/html_node/Implicit-Variables.html; the folder of the Makefile is that in which make is started.
_BUILT_IN: Final = {"MAKE": "make", "SHELL": "/bin/sh", "CC": "cc", "CXX": "g++", "RM": "rm -f", "CURDIR": ".", "PWD": "."}
_FUNCTION: Final = re.compile(r"[a-z][a-z-]*[ \t]")
_SHELL: Final = re.compile(r"shell\s+")
_CALLS: Final = re.compile(r"\$[({]shell\s")
_CALL: Final = re.compile(r"call\s+")
_STRIP: Final = re.compile(r"strip\s+")
# $(dir $(abspath $(lastword $(MAKEFILE_LIST)))), $(shell dirname $(realpath $(firstword $(MAKEFILE_LIST))))
_OWN_FOLDER: Final = re.compile(
    r"(?:patsubst %/,%, ?\$\(|realpath \$\(|abspath \$\(|strip \$\()?(?:dir|shell dirname) [\"']?"
    r"(?:\$\((?:abspath|realpath|lastword|firstword|word 1,|strip) ?)*\$\(MAKEFILE_LIST\)[)\"' ]*"
)
_WORD: Final = re.compile(r"\s*\S+")
_DEEPEST: Final = 40
"""Values within values that are followed."""
_MOST_ARGUMENTS: Final = 20
_MOST_WORDS: Final = 200
"""Words of a value each of which keeps its own place."""


class Expander:
    """Puts values in. value_of: the text that a variable was given, with its own variables still in it; None for one that has none.

    A variable's value is worked out once. used: gets the places in the file where the values begin
    that are put in.
    """

    def __init__(self, value_of: Callable[[str], Text | None], budget: Budget, used: set[int] | None = None) -> None:
        self._used = set() if used is None else used
        self._value_of = value_of
        self._budget = budget
        self._known: dict[tuple[str, bool], Text] = {}
        self._open: set[str] = set()
        self._arguments: Mapping[str, Text] = {}
        self._depth = 0

    def value(self, text: Text, shell: Shell = "unknown") -> Text:
        """The text with values put in, `$$` as `$` (unless it is for later)."""
        parts: list[Text] = []
        at, value = 0, text.value
        if self._depth > _DEEPEST and "$" in value:
            return text.as_value(UNKNOWN)
        self._depth += 1
        while (sign := value.find("$", at)) >= 0:
            parts.append(text[at:sign])
            if value[sign + 1 : sign + 2] in ("(", "{"):
                end = closing(value, sign + 2)
                at = len(value) if end < 0 else end + 1
                parts.append(text[sign:at].as_value(UNKNOWN) if end < 0 else self._reference(text[sign:at], shell))
            else:
                at = sign + 2
                parts.append(self._short(text[sign:at], shell))
        self._depth -= 1
        return Text.join([*parts, text[at:]]) if parts else text

    def _short(self, site: Text, shell: Shell) -> Text:
        """`$$`, `$X`, `$@`."""
        name = site.value[1:]
        if name == "$" or not name.strip():
            return site if shell == "kept" else site.as_value("$" if name == "$" else name)
        return self._variable(name, site, shell)

    def _reference(self, site: Text, shell: Shell) -> Text:
        """`$(X)`, `$(shell …)`; of the other functions little is known."""
        inner = site[2:-1]
        if _OWN_FOLDER.fullmatch(inner.value):
            return site.as_value("./" if inner.value.startswith("dir ") else ".")
        if called := _SHELL.match(inner.value):
            if shell == "unknown":
                return site.as_value(UNKNOWN)
            start = 2 + called.end()
            opening, end = site[:start], site[-1:]
            code = self.value(site[start:-1], shell)
            return Text.join([opening, code, end] if shell == "kept" else [opening.as_value("$("), code, end.as_value(")")])
        if called := _CALL.match(inner.value):
            return self._called(inner[called.end() :], site, shell)
        if called := _STRIP.match(inner.value):
            return stripped(self.value(inner[called.end() :], shell))
        if _FUNCTION.match(inner.value):
            return site.as_value(UNKNOWN)
        name = self.value(inner).value if "$" in inner.value else inner.value
        return site.as_value(UNKNOWN) if UNKNOWN in name else self._variable(name, site, shell)

    def _called(self, inner: Text, site: Text, shell: Shell) -> Text:
        """`$(call name,a,b)`: the value of the variable, in which `$(1)` is `a`."""
        pieces: list[Text] = []
        at = 0
        while (comma := outside(inner.value, ",", at)) >= 0 and len(pieces) < _MOST_ARGUMENTS:
            pieces.append(inner[at:comma])
            at = comma + 1
        name, *given = [self.value(piece) for piece in (*pieces, inner[at:])]
        before, self._arguments = self._arguments, {str(number): each for number, each in enumerate(given, 1)}
        found = self._variable(stripped(name).value, site, shell)
        self._arguments = before
        return found

    def _variable(self, name: str, site: Text, shell: Shell) -> Text:
        if name in self._arguments:
            return self._put(site, self._arguments[name])
        key = (name, shell == "kept")
        if self._arguments or key not in self._known:
            found = self._value_of(name)
            if found is None:
                return site.as_value(_BUILT_IN.get(name, UNKNOWN))
            if found.value == UNKNOWN or name in self._open or not self._budget.allows(""):
                return site.as_value(UNKNOWN)
            self._used.update(piece.start for piece in found.pieces)
            self._open.add(name)
            value = self.value(found, "kept" if shell == "kept" else "unknown")
            self._open.remove(name)
            if self._arguments:
                return self._put(site, value)
            self._known[key] = value if len(value.value) <= LONGEST else site.as_value(UNKNOWN)
        return self._put(site, self._known[key])

    def _put(self, site: Text, value: Text) -> Text:
        """A value at the place where it is used; each word of it knows where it is written."""
        if value.value == UNKNOWN or len(value.value) > LONGEST or not self._budget.allows(value.value):
            return site.as_value(UNKNOWN)
        return placed(site, value)


def placed(site: Text, value: Text) -> Text:
    """A value at the place where it is used; each word of it knows where it is written, or where the first variable in it was."""
    start, stop = site.bounds()
    words = [match.span() for match in islice(_WORD.finditer(value.value), _MOST_WORDS + 1)]
    if not 0 < len(words) <= _MOST_WORDS:
        return site.as_value(value.value, value.origin if value.value else None)
    pieces: list[Piece] = []
    at = 0
    for first, last in words:
        while at + 1 < len(value.pieces) and value.pieces[at + 1].at <= first:
            at += 1
        origin, here = None, at
        while origin is None and here < len(value.pieces) and value.pieces[here].at < last:
            origin, here = value.pieces[here].origin, here + 1
        if origin is None:
            begin, end = value.bounds(last - len(value.value[first:last].lstrip()), last)
            origin = value.source.span(begin, end)
        pieces.append(Piece(first, start, stop, False, origin))
    return Text(site.source, value.value, tuple(pieces))


def shells(text: Text) -> Iterator[Text]:
    """The code of each `$(shell …)` in a text, outermost ones only."""
    at = 0
    while called := _CALLS.search(text.value, at):
        start = called.start() + 2
        end = closing(text.value, start)
        if end < 0:
            return
        yield text[called.end() : end]
        at = end + 1
