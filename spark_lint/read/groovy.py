r"""Groovy as Jenkinsfiles have it: words, strings and signs, and which bracket closes which. Nothing more of the language is known.

Strings and comments: https://groovy-lang.org/syntax.html#all-strings (2026-11). In those with double quotes, `/…/` and `$/…/$`
`${…}` and `$name` stand for values.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from spark_lint.text import UNKNOWN, Text

Fill: TypeAlias = Callable[[Text], Text | None]
"""The value of an expression in a string (`env.TAG`), None where it is not known."""

WORD: Final = "word"
STRING: Final = "string"
NUMBER: Final = "number"
END: Final = "end"
"""The kind of a token that ends a line or a statement. That of any other sign is the sign itself."""

_TOKEN: Final = re.compile(
    r"""(?P<blank>[ \t\f\v\ufeff]+|\\\r?\n)|(?P<end>\r\n|\n|\r|;)|(?P<comment>//[^\r\n]*|\A\#![^\r\n]*)|(?P<quote>\"\"\"|'''|"|'|\$/)"""
    r"""|(?P<word>(?:[^\W\d]|\$)[\w$]*)|(?P<number>\d\w*(?:\.\d\w*)?)|(?P<sign>[=!]=~?|=~|[+-]=|->|\?[.:]|&&|\|\||.)""",
    re.DOTALL,
)
_IN_STRING: Final = {
    "'''": re.compile(r"\\(?:\r\n|.)|'''", re.DOTALL),
    '"""': re.compile(r'\\(?:\r\n|.)|\$\{|"""', re.DOTALL),
    "'": re.compile(r"\\(?:\r\n|.)|['\r\n]", re.DOTALL),
    '"': re.compile(r'\\(?:\r\n|.)|\$\{|["\r\n]', re.DOTALL),
    "/": re.compile(r"\\/|\$\{|/", re.DOTALL),
    "$/": re.compile(r"\$[$/]|\$\{|/\$", re.DOTALL),
}
"""By how a string begins: what inside it has a meaning, and what ends it."""
_CLOSES: Final = {"$/": "/$"}
_IN_CODE: Final = re.compile(r"\\.|\"\"\"|'''|[\"'{}]|\$\{", re.DOTALL)
_SIGN: Final = re.compile(
    r"\\(?:u+[0-9a-fA-F]{4}|\r\n|[0-7]{1,3}|.)|\$\{|\$([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", re.DOTALL
)  # of a string with backslashes
_SLASHED: Final = re.compile(r"\\/|\$[$/]|\$\{|\$([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " ", "\n": "", "\r": "", "\r\n": ""}
_OPENING: Final = {"{": "}", "(": ")", "[": "]"}
# Behind these a slash begins a string; behind a value it divides.
_BEFORE_SLASH: Final = frozenset({END, "(", ",", "=", "[", "{", "=~", "==~", ":", "!", "&&", "||", "?:", "+", "->"})
_LONGEST_EXPRESSION: Final = 4000


class Token(NamedTuple):
    """A piece of Groovy: its kind, and where it stands in the text; of a string how it begins (`'''`)."""

    kind: str
    start: int
    stop: int
    quote: str = ""


class Groovy:
    """The tokens of a text. partners: for the number of an opening bracket that of the one that closes it. comments: where they stand.

    unclosed: where a string or a comment begins that does not end.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        self.comments: list[tuple[int, int]] = []
        self.unclosed: int | None = None
        self._nested = True
        self.tokens = list(self._tokens())
        self.partners = self._partners()

    def word(self, at: int) -> str:
        """The token of a number as written; empty where there is none."""
        return self.text.value[self.tokens[at].start : self.tokens[at].stop] if 0 <= at < len(self.tokens) else ""

    def kind(self, at: int) -> str:
        """The kind of the token of a number; that of an end where there is none."""
        return self.tokens[at].kind if 0 <= at < len(self.tokens) else END

    def cut(self, start: int, stop: int) -> Text:
        """The text of the tokens from `start` to `stop` (exclusive)."""
        return self.text[self.tokens[start].start : self.tokens[stop - 1].stop]

    def closing(self, at: int) -> int:
        """The number of the token that closes an opening bracket; behind the last one where none does."""
        return self.partners.get(at, len(self.tokens))

    def behind(self, at: int) -> int:
        """The number of what follows a token as a whole, a bracket with what is in it."""
        return self.closing(at) + 1 if self.kind(at) in _OPENING else at + 1

    def next(self, at: int) -> int:
        """The number of the first token from `at` on that is no end of a line."""
        while at < len(self.tokens) and self.tokens[at].kind == END:
            at += 1
        return at

    def string(self, at: int, fill: Fill) -> Text:
        """The value of the string with a number, with the values that `fill` knows."""
        token = self.tokens[at]
        low, high = token.start + len(token.quote), token.stop
        close = _CLOSES.get(token.quote, token.quote)
        if self.text.value.endswith(close, low, high):
            high -= len(close)
        inside = self.text[low:high]
        pattern = _SLASHED if token.quote in ("/", "$/") else _SIGN
        parts: list[Text] = []
        done = at_ = 0
        while match := pattern.search(inside.value, at_):
            start, stop = match.span()
            if match[0][0] == "$" and token.quote in ("'", "'''"):
                at_ = start + 1
                continue
            if match[0] == "${":
                stop = self._expression(inside.value, stop)
                expression = inside[start + 2 : stop - 1]
            else:
                expression = inside[start + 1 : stop]
            value = fill(expression) if match[0][0] == "$" and (match[1] or match[0] == "${") else _escaped(match[0])
            site = inside[start:stop]
            parts.append(inside[done:start])
            if isinstance(value, Text):
                parts.append(site.as_value(value.value, value.origin))
            else:
                parts.append(site.as_value(UNKNOWN if value is None else value))
            done = at_ = stop
        return Text.join([*parts, inside[done:]]) if parts else inside

    def _tokens(self) -> Iterator[Token]:
        value, at = self.text.value, 0
        before = END
        slashes = True
        while match := _TOKEN.match(value, at):
            start, at = match.span()
            kind = match.lastgroup or ""
            sign = match[0]
            if kind == "comment":
                self.comments.append((start, at))
                continue
            if sign == "/" and value.startswith("*", at):
                at = self._behind(value.find("*/", at + 1) + 2, start, 2)
                continue
            if kind == "blank":
                continue
            if sign == "/" and slashes and before in _BEFORE_SLASH:
                stop = self._end(at, "/")
                slashes = stop > 0  # none that begins further on would end either
                kind, sign, at = ("quote", "/", stop) if stop > 0 else (kind, sign, at)
            elif kind == "quote":
                at = self._behind(self._end(at, sign), start, 1)
            if kind == "quote":
                before = STRING
                yield Token(STRING, start, at, sign)
            else:
                before = kind if kind != "sign" else sign
                yield Token(before, start, at)

    def _behind(self, stop: int, start: int, shortest: int) -> int:
        """Where something ends that begins at `start`: at the end of the text where it does not."""
        if stop >= shortest:
            return stop
        self.unclosed = start if self.unclosed is None else self.unclosed
        return len(self.text.value)

    def _end(self, at: int, quote: str) -> int:
        """Where the string ends whose text begins at `at`; one of one line ends there at the latest. 0 where it does not."""
        value, pattern, close = self.text.value, _IN_STRING[quote], _CLOSES.get(quote, quote)
        while match := pattern.search(value, at):
            found, at = match[0], match.end()
            if found == close:
                return at
            if found in ("\n", "\r"):
                self.unclosed = match.start() if self.unclosed is None else self.unclosed
                return match.start()
            if found == "${":
                at = self._expression(value, at)
        return 0

    def _expression(self, value: str, at: int) -> int:
        """The place behind the brace that closes an expression, which may hold strings with expressions."""
        begin, inside = at, ["}"]
        while self._nested and (match := _IN_CODE.search(value, at, begin + _LONGEST_EXPRESSION)):
            found, at, top = match[0], match.end(), inside[-1]
            if top == "}" and found in ("{", "${"):
                inside.append("}")
            elif top == "}" and found[0] in "\"'":
                inside.append(found)
            elif top != "}" and top[0] == '"' and found == "${":
                inside.append("}")
            elif found.startswith(top) and found[0] != "\\":
                at = match.start() + len(top)
                inside.pop()
                if not inside:
                    return at
        # Where one does not end, others will hardly; that each is looked for to the end of the file would take quadratic time.
        self._nested = False
        return next((stop + 1 for stop in (value.find("}", begin, begin + 200),) if stop >= 0), begin)

    def _partners(self) -> dict[int, int]:
        found: dict[int, int] = {}
        waiting: list[int] = []
        for at, token in enumerate(self.tokens):
            if token.kind in _OPENING:
                waiting.append(at)
            elif token.kind == "}":  # it closes what was left open inside too
                while waiting and self.tokens[waiting[-1]].kind != "{":
                    found[waiting.pop()] = at
                if waiting:
                    found[waiting.pop()] = at
            elif waiting and token.kind == _OPENING[self.tokens[waiting[-1]].kind]:
                found[waiting.pop()] = at
        return found


def _escaped(sign: str) -> str:
    r"""What `\n`, `\u0041`, `\101` or `$$` stands for."""
    rest = sign[1:]
    if rest[:1] == "u" and len(rest) > 1:
        code = int(rest.lstrip("u"), 16)
        return UNKNOWN if 0xD800 <= code <= 0xDFFF else chr(code)  # half of a character
    if rest[:1] in "01234567" and rest:
        return chr(int(rest, 8))
    return _ESCAPES.get(rest, rest)
