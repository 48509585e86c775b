"""Expressions of a justfile: strings put together, variables and defaults; what only running it would tell is UNKNOWN."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from spark_lint.read.expansion import LONGEST, Budget
from spark_lint.read.make_values import placed
from spark_lint.text import UNKNOWN, Text

# just.systems/man/en/strings.html: indented ones first, then x'…' and f'…', backticks, names and signs.
_TOKEN: Final = re.compile(
    r"\s+|(?P<prefix>[xf]?)(?P<string>'''(?:(?!''').)*'''|\"\"\"(?:\\.|(?!\"\"\").)*\"\"\"|'[^']*'|\"(?:\\.|[^\"\\])*\")"
    r"|(?P<code>```(?:(?!```).)*```|`[^`]*`)|(?P<name>[A-Za-z_][\w-]*)|(?P<sign>==|!=|=~|!~|&&|\|\||[^\s])",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(?:u\{[0-9a-fA-F]{1,6}\}|\n[ \t]*|.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_INDENT: Final = re.compile(r"(?m)^[ \t]+(?=\S)")
# Functions that stand for the folder of the justfile, in which its recipes run.
_FOLDERS: Final = frozenset(
    {"justfile_directory", "justfile_dir", "source_directory", "source_dir", "invocation_directory", "invocation_dir"}
)
_DEFAULTS: Final = frozenset({"env", "env_var_or_default"})
_DEEPEST: Final = 30


class Expressions:
    """Works out expressions. value_of: the expression that a variable is given, or a text that is its value; None for one that has none."""

    def __init__(self, value_of: Callable[[str], Text | None], budget: Budget) -> None:
        self._value_of = value_of
        self._budget = budget
        self._known: dict[str, Text | None] = {}
        self._open: set[str] = set()
        self._depth = 0

    def value(self, text: Text, given: Mapping[str, Text] | None = None) -> Text:
        """What an expression stands for. given: the values of a recipe's parameters, which come before variables."""
        if self._depth > _DEEPEST:
            return text.as_value(UNKNOWN)
        self._depth += 1
        found = _Expression(text, self, given or {}).value()
        self._depth -= 1
        return text.as_value(UNKNOWN) if found is None or len(found.value) > LONGEST else found

    def variable(self, name: str, site: Text, given: Mapping[str, Text]) -> Text | None:
        """What a name stands for; None where that is not known."""
        if name in given:
            return self._put(site, given[name])
        if name not in self._known:
            written = self._value_of(name)
            if written is None or name in self._open:
                return None
            self._open.add(name)
            self._known[name] = self.value(written)
            self._open.remove(name)
        known = self._known[name]
        return None if known is None else self._put(site, known)

    def _put(self, site: Text, value: Text) -> Text | None:
        """A value at the place where it is used; each word of it knows where it is written."""
        if value.value == UNKNOWN or not self._budget.allows(value.value):
            return None
        return placed(site, value)


class _Expression:
    """Reads one expression: parts joined by `+` and `/`, calls of functions; of `if` and tests the value is not known."""

    def __init__(self, text: Text, around: Expressions, given: Mapping[str, Text]) -> None:
        self._text = text
        self._around = around
        self._given = given
        self._tokens = [match for match in _TOKEN.finditer(text.value) if match[0].strip()]
        self._at = 0

    def value(self) -> Text | None:
        """The value of all of it; None where it is not known."""
        if not self._tokens:
            return None
        found = self._joined(0)
        return found if self._at == len(self._tokens) else None

    def _sign(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _joined(self, depth: int) -> Text | None:
        parts: list[Text | None] = []
        if self._sign() == "/":
            parts.append(None)
        else:
            parts.append(self._part(depth))
        while (sign := self._sign()) in ("+", "/"):
            token = self._tokens[self._at]
            self._at += 1
            if sign == "/":
                parts.append(self._text[token.start() : token.end()])
            parts.append(self._part(depth))
        if all(part is None for part in parts):
            return None
        return Text.join([self._text[:0].as_value(UNKNOWN) if part is None else part for part in parts])

    def _part(self, depth: int) -> Text | None:
        if self._at >= len(self._tokens) or depth > _DEEPEST:
            self._at = len(self._tokens) + 1
            return None
        token = self._tokens[self._at]
        site = self._text[token.start() : token.end()]
        self._at += 1
        if token["string"] is not None:
            return self._string(token) if token["prefix"] != "f" else None
        if token[0] == "(":
            found = self._joined(depth + 1)
            self._at += 1 if self._sign() == ")" else len(self._tokens) + 1
            return found
        if token["name"] is None or token[0] == "if":
            self._at += 0 if token["code"] is not None else len(self._tokens) + 1
            return None
        if self._sign() != "(":
            return self._around.variable(token[0], site, self._given)
        return self._call(token[0], site, depth)

    def _call(self, name: str, site: Text, depth: int) -> Text | None:
        arguments: list[Text | None] = []
        self._at += 1
        while self._sign() not in (")", ""):
            arguments.append(self._joined(depth + 1))
            self._at += self._sign() == ","
        self._at += 1
        if name in _FOLDERS:
            return site.as_value(".")
        return arguments[1] if name in _DEFAULTS and len(arguments) == 2 else None

    def _string(self, token: "re.Match[str]") -> Text | None:
        start, stop = token.span("string")
        marks = 3 if token["string"][:3] in ("'''", '"""') and len(token["string"]) >= 6 else 1
        inner = self._text[start + marks : stop - marks]
        if token["prefix"] == "x" and "$" in inner.value:
            return None
        if marks == 3:
            inner = inner.without(_INDENT)
            inner = inner[inner.value.startswith("\n") :]
        if token["string"].startswith("'") or "\\" not in inner.value:
            return inner if inner.value else self._text[start:stop].as_value("")
        parts, at = [], 0
        for escape in _ESCAPE.finditer(inner.value):
            code = escape[0][1:]
            value = "" if code[0] == "\n" else _ESCAPES.get(code, UNKNOWN)
            parts += [inner[at : escape.start()], inner[escape.start() : escape.end()].as_value(value)]
            at = escape.end()
        return Text.join([*parts, inner[at:]])
