"""How people name rules: on the command line, in the configuration and in suppressions.

`G1` is one gotcha (never G10), `G1/torch-index-cuda12` one rule, `torch-index-cuda12` the same by its name alone,
`G1/*-cuda12` a glob, `lint` what the tool says about itself, `ALL` everything.
"""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Final

UNKNOWN_SUPPRESSION: Final = "lint/unknown-suppression"
UNUSED_SUPPRESSION: Final = "lint/unused-suppression"
MALFORMED_SUPPRESSION: Final = "lint/malformed-suppression"
LINT_CODES: Final = frozenset({UNKNOWN_SUPPRESSION, UNUSED_SUPPRESSION, MALFORMED_SUPPRESSION})
"""The codes of what the tool says about itself."""


def is_broad(selector: str) -> bool:
    """Whether it is `ALL` or a glob, which name no rule in particular."""
    return selector == "ALL" or any(sign in selector for sign in "*?[")


def strength(selector: str, code: str) -> int:
    """How closely a selector names a code: 0 not at all, 1 `ALL`, 2 its gotcha, 3 a glob, 4 the code or its name."""
    gotcha, _, name = code.partition("/")
    if selector and selector in (code, name):
        return 4
    if selector == gotcha:
        return 2
    if selector == "ALL":
        return 1
    first, slash, last = selector.rpartition("/")
    # Gotcha and name are compared apart, so that a `*` never runs from one into the other: `G1/*` is not G10.
    named = is_broad(selector) and fnmatchcase(name, last) and (not slash or fnmatchcase(gotcha, first))
    return 3 if named else 0


def strongest(selectors: Iterable[str], code: str) -> int:
    """The closest that any of these selectors names a code, as `strength` counts."""
    return max((strength(selector, code) for selector in selectors), default=0)


def nearest(word: str, choices: Iterable[str]) -> str:
    """The choice that a misspelt word most likely means; empty where none is near. Upper and lower case are the same here."""
    folded = {choice.casefold(): choice for choice in sorted(choices)}
    close = get_close_matches(word.casefold(), folded, n=1)
    return folded[close[0]] if close else ""


def meant(word: str, choices: Iterable[str]) -> str:
    """The end of an error message: `; did you mean G1?`, or nothing."""
    near = nearest(word, choices)
    return f"; did you mean `{near}`?" if near else ""


def is_known(selector: str, codes: Collection[str]) -> bool:
    """Whether a selector names any of these codes. A gotcha that has no rule yet stands among them as `G7`."""
    return any(strength(selector, code) for code in codes)


def spellings(codes: Iterable[str]) -> set[str]:
    """Everything one may write to name these codes: the codes, their gotchas, their names."""
    parts = (part for code in codes for part in (code, *code.split("/")))
    return {"ALL", *parts}
