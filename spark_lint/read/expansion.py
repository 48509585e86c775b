"""What bounds the text that variables expand to, for every language in which a value may use other values."""

from dataclasses import dataclass
from typing import Final

LONGEST: Final = 1 << 13
"""Characters of one value that are kept; a longer one is taken as unknown. Real option lists stay under a thousand."""
MOST: Final = 1 << 21
"""Characters that the uses of variables in one file may add up to."""
DEEPEST: Final = 80
"""Constructs within constructs that are followed (`if` in `if`, `$(` in `$(`). Real scripts stay under twenty."""

TOO_MUCH: Final = "variables stand for too much text: some are taken as unknown"
TOO_DEEP: Final = "nested too deeply: what lies further inside is not read"


@dataclass(slots=True)
class Budget:
    """How much text variables have been replaced with in one file. `A=$A$A`, repeated, doubles each time."""

    left: int = MOST

    def allows(self, value: str) -> bool:
        """Whether this value may be put in; it counts as put in."""
        self.left -= len(value) + 1
        return self.left >= 0
