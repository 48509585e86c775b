"""What may be written for each setting, in a configuration file and on the command line alike."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from spark_lint.rule import Confidence, Severity
from spark_lint.selectors import is_known, meant, spellings

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


MOST_STARS: Final = 3
"""`*` in one part of a pattern, and twice `**` in all: each one more multiplies the time that a long name takes to match."""


@cache
def spec(patterns: tuple[str, ...]) -> "GitIgnoreSpec":
    """Patterns as in .gitignore, ready to match. Raises ValueError for one that is none, or that could take for ever."""
    from pathspec import GitIgnoreSpec

    for pattern in patterns:
        parts = pattern.strip().strip("/").split("/")
        wild = max(part.count("*") for part in parts) > MOST_STARS or parts[:-1].count("**") >= MOST_STARS
        if wild and not pattern.startswith("#"):
            raise ValueError(f"`{pattern}` has too many `*`")
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except (ValueError, re.error):
        raise ValueError(f"`{patterns[0]}` is not a pattern as in .gitignore") from None


class Wrong(Exception):
    """A value that is not accepted. trail: what to look for in the file, in order, to find its line."""

    def __init__(self, message: str, *trail: str) -> None:
        super().__init__(message)
        self.trail = trail


TYPES: Final = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "a table"}


def _expected(what: str, value: object) -> Wrong:
    return Wrong(f"expected {what}, found {TYPES.get(type(value), 'a date')}")


def _flag(value: object, _codes: Collection[str]) -> bool:
    if isinstance(value, bool):
        return value
    raise _expected("true or false", value)


def _count(value: object, _codes: Collection[str]) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 1:
            raise Wrong(f"expected 1 or more, found {value}")
        return value
    raise _expected("a whole number", value)


def _string(value: object, _codes: Collection[str]) -> str:
    if isinstance(value, str):
        return value
    raise _expected("a string", value)


def _python(value: object, _codes: Collection[str]) -> str:
    if isinstance(value, str) and re.fullmatch(r"3\.\d{1,2}", value):
        return value
    raise Wrong('expected a string such as "3.12"')


def _strings(value: object, _codes: Collection[str]) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if isinstance(value, list):
        raise Wrong("expected strings only")
    raise _expected("a list of strings", value)


def _patterns(value: object, codes: Collection[str]) -> tuple[str, ...]:
    return tuple(_pattern(each) for each in _strings(value, codes))


def _pattern(pattern: str) -> str:
    try:
        spec((pattern,))
    except ValueError as error:
        raise Wrong(str(error), pattern) from None
    return pattern


def _selector(selector: str, codes: Collection[str]) -> str:
    if is_known(selector, codes):
        return selector
    raise Wrong(f"`{selector}` names no rule{meant(selector, spellings(codes))}", selector)


def _selectors(value: object, codes: Collection[str]) -> tuple[str, ...]:
    return tuple(_selector(each, codes) for each in _strings(value, codes))


def _per_file(value: object, codes: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise _expected("a table of path patterns and rules", value)
    return {_pattern(pattern): _ignored(pattern, selectors, codes) for pattern, selectors in value.items()}


def _ignored(pattern: str, selectors: object, codes: Collection[str]) -> tuple[str, ...]:
    try:
        return _selectors(selectors, codes)
    except Wrong as wrong:
        raise Wrong(str(wrong), pattern, *wrong.trail) from None


def _severity(value: object, codes: Collection[str]) -> Mapping[str, Severity]:
    if not isinstance(value, dict):
        raise _expected("a table of rules and severities", value)
    severities = {}
    for selector, name in value.items():
        _selector(selector, codes)
        if name not in ("error", "warning", "info"):
            raise Wrong(f"expected error, warning or info for `{selector}`; to switch a rule off, use `ignore`", selector)
        severities[selector] = Severity[name.upper()]
    return severities


def _fail_on(value: object, _codes: Collection[str]) -> Severity | None:
    if value == "never":
        return None
    if value in ("error", "warning", "info"):
        return Severity[str(value).upper()]
    raise Wrong("expected error, warning, info or never")


def _confidence(value: object, _codes: Collection[str]) -> Confidence:
    if value in ("possible", "likely", "certain"):
        return Confidence[str(value).upper()]
    raise Wrong("expected possible, likely or certain")


KEYS: Final[Mapping[str, Callable[[object, Collection[str]], object]]] = {
    "select": _selectors,
    "ignore": _selectors,
    "per-file-ignores": _per_file,
    "severity": _severity,
    "fail-on": _fail_on,
    "min-confidence": _confidence,
    "exclude": _patterns,
    "force-exclude": _flag,
    "strict": _flag,
    "image": _string,
    "sparks": _count,
    "python": _python,
    "max-file-size": _count,
    "max-line-length": _count,
}
"""Every setting, and what makes its value of what was written. `config.schema.json` says the same to editors."""
