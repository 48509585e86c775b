"""Arithmetic in shell code (`$(( TP * PP ))`, `(( N > 1 ))`) with numbers that the text gives."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

_LONGEST: Final = 200
_LARGEST: Final = 1 << 62
_DEEPEST: Final = 20
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>[1-9][0-9]{0,17}|0(?![0-9xX]))(?![\w#])|(?P<name>[A-Za-z_]\w*)|(?P<sign>[<>=!]=|&&|\|\||[-+*/%<>()!]))"
)
_ASSIGNED: Final = re.compile(r"(\w+)(?:\[[^\]]*\])?\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*(\w+)")
_LEVELS: Final[tuple[Mapping[str, Callable[[int, int], int]], ...]] = (
    {"||": lambda left, right: bool(left) | bool(right)},
    {"&&": lambda left, right: bool(left) & bool(right)},
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge},
    {"+": operator.add, "-": operator.sub},
    {
        "*": operator.mul,
        "/": lambda left, right: _quotient(left, right),
        "%": lambda left, right: left - right * _quotient(left, right),
    },
)


class _Unclear(Exception):
    """Something that is no number, or not known."""


def result(expression: str, value_of: Callable[[str], str | None]) -> int | None:
    """What an expression comes to; None where that is not known. value_of: the text of a variable, None where it is not known."""
    if len(expression) > _LONGEST:
        return None
    try:
        tokens = [*_tokens(expression, value_of)][::-1]
        found = _level(tokens, 0, 0)
    except (_Unclear, ZeroDivisionError, IndexError, OverflowError):
        return None
    return None if tokens or abs(found) > _LARGEST else found


def assigned(expression: str) -> Iterator[str]:
    """The variables that an expression changes: `a += 1`, `i++`."""
    for match in _ASSIGNED.finditer(expression):
        yield match[1] or match[2]


def _quotient(left: int, right: int) -> int:
    """A division as C does it, towards zero."""
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _tokens(expression: str, value_of: Callable[[str], str | None]) -> Iterator[int | str]:
    at, stop = 0, len(expression.rstrip())
    while at < stop:
        match = _TOKEN.match(expression, at)
        if match is None:
            raise _Unclear
        at = match.end()
        text = match["number"] or (value_of(match["name"]) if match["name"] else None)
        if text is None and match["name"]:
            raise _Unclear
        if text is not None and not re.fullmatch(r"-?(?:0|[1-9][0-9]{0,17})", text):
            raise _Unclear
        yield match["sign"] if text is None else int(text)


def _level(tokens: list[int | str], level: int, depth: int) -> int:
    """The value of what stands at the end of the reversed tokens, up to an operator that binds less."""
    if level == len(_LEVELS):
        return _single(tokens, depth)
    found = _level(tokens, level + 1, depth)
    while tokens and isinstance(sign := tokens[-1], str) and sign in _LEVELS[level]:
        tokens.pop()
        found = int(_LEVELS[level][sign](found, _level(tokens, level + 1, depth)))
        if abs(found) > _LARGEST:
            raise _Unclear
    return found


def _single(tokens: list[int | str], depth: int) -> int:
    first = tokens.pop()
    if isinstance(first, int):
        return first
    if depth > _DEEPEST or first not in ("(", "-", "+", "!"):
        raise _Unclear
    if first == "(":
        found = _level(tokens, 0, depth + 1)
        if not tokens or tokens.pop() != ")":
            raise _Unclear
        return found
    found = _single(tokens, depth + 1)
    return -found if first == "-" else int(not found) if first == "!" else found
