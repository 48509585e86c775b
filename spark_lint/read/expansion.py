"""What bounds the text that variables expand to, for every language in which a value may use other values."""

import posixpath
from dataclasses import dataclass
from typing import Final

from spark_lint.text import UNKNOWN

LONGEST: Final = 1 << 13
"""Characters of one value that are kept; a longer one is taken as unknown. Real option lists stay under a thousand."""
LONGEST_PATH: Final = 1 << 10
"""Characters of a folder that `cd` after `cd` leads to; each command behind them holds it."""
MOST_WORDS: Final = 1 << 10
"""Words of one array that are kept; a longer one is taken as unknown."""
MOST: Final = 1 << 21
"""Characters that the uses of variables in one file may add up to."""
MOST_AGAIN: Final = 1 << 17
"""Characters of loops in one file that are read again, for another value of their variable."""
MOST_INSIDE: Final = 8
"""Scripts within scripts that are followed: written by a here-document, or the words of `eval`."""
DEEPEST: Final = 80
"""Constructs within constructs that are followed (`if` in `if`, `$(` in `$(`). Real scripts stay under twenty."""

_A_USE: Final = 8

TOO_MUCH: Final = "variables stand for too much text: some are taken as unknown"
TOO_DEEP: Final = "nested too deeply: what lies further inside is not read"


@dataclass(slots=True)
class Budget:
    """How much more text one file may stand for. `A=$A$A`, repeated, doubles each time; so do loops in loops.

    inside: how many scripts are around the code being read.
    """

    left: int = MOST
    again: int = MOST_AGAIN
    inside: int = 0

    def allows(self, value: str) -> bool:
        """Whether this value may be put in; it counts as put in."""
        self.left -= len(value) + _A_USE
        return self.left >= 0

    def repeats(self, length: int) -> bool:
        """Whether so much code may be read again; it counts as read."""
        if length > self.again:
            return False
        self.again -= length
        return True


def joined_path(folder: str, path: str) -> str:
    """The folder that a path leads to from another one; unknown where that cannot be told, or grows beyond all measure."""
    whole = posixpath.join(folder, path)
    found = posixpath.normpath(whole)
    lost = UNKNOWN in whole and UNKNOWN not in found  # `$X/..` is not where it started: $X may be several folders
    return UNKNOWN if lost or len(found) > LONGEST_PATH else found
