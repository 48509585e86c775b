"""`ifeq … else … endif` in a Makefile: under which tests a line stands, and what is known of the variables behind them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from spark_lint.facts import Condition
from spark_lint.read.expansion import DEEPEST
from spark_lint.read.make_tests import SWITCHES, Test, condition
from spark_lint.read.make_values import Expander
from spark_lint.read.shell_tests import SWITCHED_OFF, Conditions, together
from spark_lint.read.shell_values import Changes, Variables
from spark_lint.text import Text

_LONGEST: Final = 1000
"""Characters of a test that is worked out."""


@dataclass(slots=True)
class _Open:
    """A conditional that is being read.

    refused: what is known where no branch so far was taken. decided: one of them surely is; off: by a switch that the file sets.
    """

    place: Text
    outer: Conditions
    refused: Conditions = ()
    branches: list[Changes] = field(default_factory=list)
    possible: bool = True
    decided: bool = False
    off: bool = False
    complete: bool = False


class Branches:
    """Follows the conditionals of one file. now: what puts in the values of the variables as they are. conditions: around the next line."""

    def __init__(self, variables: Variables, now: Callable[[], Expander]) -> None:
        self.conditions: Conditions = ()
        self.too_deep = False
        self._variables = variables
        self._now = now
        self._open: list[_Open] = []
        self._skipped = 0

    @property
    def depth(self) -> int:
        """How many conditionals are around the next line."""
        return len(self._open)

    def begin(self, keyword: str, asked: Test | None, place: Text) -> None:
        """`ifeq …`. What lies too deep counts as being there."""
        if len(self._open) >= DEEPEST:
            self.too_deep = True
            self._skipped += 1
            return
        self._open.append(_Open(place, self.conditions))
        self._enter(keyword, asked)

    def otherwise(self, keyword: str, asked: Test | None) -> bool:
        """`else`, `else ifeq …`; whether there is a conditional that it belongs to."""
        if self._skipped:
            return True
        if self._open:
            self._leave()
            self._enter(keyword, asked)
        return bool(self._open)

    def end(self) -> bool:
        """`endif`; whether there is a conditional that it belongs to."""
        if self._skipped:
            self._skipped -= 1
            return True
        if not self._open:
            return False
        self._leave()
        ended = self._open.pop()
        self._variables.merge(ended.branches, complete=ended.complete or ended.decided)
        self.conditions = ended.outer
        return True

    def unclosed(self) -> Iterator[Text]:
        """Where the conditionals begin that have no end, from the inside. They end with the file."""
        while self._open:
            yield self._open[-1].place
            self.end()

    def _enter(self, keyword: str, asked: Test | None) -> None:
        opened = self._open[-1]
        holds: Conditions = ()
        verdict, switch = (True, None) if not keyword else (None, None) if asked is None else self._verdict(keyword, asked)
        if asked is not None:
            named = keyword in ("ifdef", "ifndef")
            holds = (condition(asked, named, lambda text: self._now().value(text[:_LONGEST], "kept")),)
        opened.complete |= not keyword
        opened.possible = not opened.decided and verdict is not False
        switched = (SWITCHED_OFF,) if opened.off or switch is False else ()
        self.conditions = together(opened.outer, opened.refused, holds, switched)
        opened.refused = together(opened.refused, tuple(Condition(each.text, not each.negated) for each in holds))
        opened.decided |= verdict is True
        opened.off |= switch is True
        self._variables.enter()

    def _leave(self) -> None:
        changes = self._variables.leave()
        if self._open[-1].possible:
            self._open[-1].branches.append(changes)

    def _verdict(self, keyword: str, asked: Test) -> tuple[bool | None, bool | None]:
        """How a test comes out, and the same where it asks for something to be on or off; None where that is not known."""
        if len(asked.left.value) + len(asked.right.value) > _LONGEST:
            return None, None
        if keyword in ("ifdef", "ifndef"):
            variable = self._variables.get(asked.left.value)
            known = variable is not None and variable.text is not None and variable.text.known
            found = variable.empty != asked.negated if known and variable is not None else None
            return found, found
        left, right = (self._now().value(each) for each in (asked.left, asked.right))
        if not left.known or not right.known:
            return None, None
        found = (left.value.strip() == right.value.strip()) != asked.negated
        return found, found if {asked.left.value.lower(), asked.right.value.lower()} & SWITCHES else None
