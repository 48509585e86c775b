"""When and how a statement about the Spark was established: what stands behind a finding, so that a reader can weigh it."""

from dataclasses import dataclass
from typing import Final

EVIDENCE: Final = {
    "file-list": "files on the index",
    "requires-dist": "its metadata",
    "resolution": "resolved for aarch64",
    "elf": "its libraries",
    "size": "its size",
    "name": "its name",
    "manual": "read by hand",
    "release-notes": "documented",
    "quoted": "reported",
    "interpolated": "from its neighbours",
}
"""How a statement can be established, and the words for it in a message; the stronger first. The first six were measured."""


@dataclass(frozen=True, slots=True)
class Known:
    """What stands behind a statement.

    as_of: the day it was true, `2026-11-30`. evidence: a key of EVIDENCE. source: an address, or what was read; empty where it is the
    package itself. assumed: nobody looked at this very version or tag, so it is taken from its neighbours and costs one level.
    """

    as_of: str
    evidence: str
    source: str = ""
    assumed: bool = False

    @property
    def month(self) -> str:
        """`2026-11`."""
        return self.as_of[:7]

    def __str__(self) -> str:
        """As it ends a message: `as of 2026-11, its metadata`. The message quotes a name, so that nothing has to be said of that one."""
        if self.assumed:
            return f"assumed: not checked as of {self.month}"
        return f"as of {self.month}" if self.evidence == "name" else f"as of {self.month}, {EVIDENCE[self.evidence]}"


def weakest(first: Known, *others: Known | None) -> Known:
    """Which of the statements that a message rests on it names: what is assumed, else the oldest, else the least well established."""
    ranks = list(EVIDENCE)
    statements = [first, *(each for each in others if each is not None)]
    return min(statements, key=lambda known: (not known.assumed, known.month, -ranks.index(known.evidence), known.as_of))
