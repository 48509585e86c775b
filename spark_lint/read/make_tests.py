"""`ifeq`, `ifneq`, `ifdef` and `ifndef` of a Makefile: what they ask, in the words of a shell, and how they come out."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from spark_lint.facts import Condition
from spark_lint.read.make_lines import closing, outside, stripped
from spark_lint.text import Text

TESTS: Final = frozenset({"ifeq", "ifneq", "ifdef", "ifndef"})
SWITCHES: Final = frozenset({"", "0", "1", "true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", "none"})
"""What a variable is compared with to find out whether something is on."""
_QUOTED: Final = re.compile(r"""\s*("[^"]*"|'[^']*')\s*("[^"]*"|'[^']*')\s*""")
_LOOKED_FOR: Final = re.compile(r"\$[({](?:findstring|filter)\s+([^,]*),(.*)[)}]", re.DOTALL)
_SHELL: Final = re.compile(r"\$([({])shell\s+")
_LONGEST: Final = 200


class Test(NamedTuple):
    """One test. left, right: what is compared, as written; right is empty for `ifdef`. negated: it holds where they differ."""

    left: Text
    right: Text
    negated: bool


def test(keyword: str, rest: Text) -> Test | None:
    """What stands behind the keyword; None where make would not understand it."""
    negated = keyword in ("ifneq", "ifdef")
    if keyword in ("ifdef", "ifndef"):
        return Test(rest, rest[:0], negated) if rest.value else None
    if rest.value.startswith("("):
        end = closing(rest.value, 1)
        inner = rest[1 : len(rest.value) if end < 0 else end]
        comma = outside(inner.value, ",")
        return None if comma < 0 else Test(stripped(inner[:comma]), stripped(inner[comma + 1 :]), negated)
    quoted = _QUOTED.fullmatch(rest.value)
    if quoted is None:
        return None
    left, right = (rest[quoted.start(group) + 1 : quoted.end(group) - 1] for group in (1, 2))
    return Test(left, right, negated)


def condition(asked: Test, named: bool, later: Callable[[Text], Text]) -> Condition:
    """The test as a shell would write it: `"$(uname -m)" = x86_64`, `-n "$(GPU)"`, `$(ARCH) in x86_64`.

    named: it is about whether a variable has a value. later: puts values in, but for what the shell is asked.
    """
    if named:
        return Condition(f'-n "$({asked.left.value[:_LONGEST]})"', negated=not asked.negated)
    left, right = _shown(asked.left, later), _shown(asked.right, later)
    both = f"{left}{right}"
    if not left or not right:
        # What is empty where nothing was found.
        if looked := _LOOKED_FOR.fullmatch(both):
            return Condition(f"{looked[2].strip()} in {looked[1].strip()}"[:_LONGEST], negated=not asked.negated)
        return Condition(f'-n "{both}"'[:_LONGEST], negated=not asked.negated)
    return Condition(f'"{left}" {"!=" if asked.negated else "="} {right}'[:_LONGEST])


def _shown(text: Text, later: Callable[[Text], Text]) -> str:
    """What is compared, with the program asked for it where the file says which."""
    found = later(text).value
    return _SHELL.sub(r"$\1", found if _SHELL.search(found) else text.value)
