"""The variables of a shell script, as far as its text says what they hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from spark_lint.read.expansion import LONGEST, MOST_WORDS
from spark_lint.text import UNKNOWN, Text

FOLDER: Final = "PWD"
"""The variable that holds the working directory, as in every shell."""


@dataclass(frozen=True, slots=True)
class Variable:
    """What a variable holds: one text, or several where it is an array."""

    words: tuple[Text, ...]
    array: bool = False

    @property
    def text(self) -> Text | None:
        """What it stands for without an index; None for an empty array."""
        return self.words[0] if self.words else None

    @property
    def known(self) -> bool:
        """Whether something of its text can be known from the files."""
        return self.text is None or not self.text.value or self.text.value.strip(UNKNOWN) != ""

    def says(self) -> tuple[bool, tuple[str, ...]]:
        """What can be compared: two branches may set the same value."""
        return self.array, tuple(word.value for word in self.words)

    def unknown(self) -> "Variable":
        """The same variable where its value depends on something that the files do not say."""
        return Variable((self.words[0].as_value(UNKNOWN),)) if self.words else self


def array(words: list[Text]) -> Variable:
    """A variable with several values; one with too many is unknown."""
    return Variable(tuple(words) if len(words) <= MOST_WORDS else (words[0].as_value(UNKNOWN),), array=True)


def scalar(text: Text) -> Variable:
    """A variable with one value; a value too long to be one is unknown."""
    return Variable((text if len(text.value) <= LONGEST else text.as_value(UNKNOWN),))


Changes: TypeAlias = dict[str, Variable | None]
"""What a branch did to the variables. None: unset."""


class Variables:
    """The variables at one point of the script.

    Code that may not run (a branch) or whose effects end with it (a subshell) stands between `enter` and `leave`. Only what it
    changes is recorded, so that thousands of branches cost no more than the assignments in them.
    """

    def __init__(self, given: Mapping[str, Text]) -> None:
        self._given = given
        self._own: Changes = {}
        self._frames: list[Changes] = []

    def get(self, name: str) -> Variable | None:
        """What the variable holds; None where the script has not set it."""
        if name in self._own:
            return self._own[name]
        text = self._given.get(name)
        return None if text is None else Variable((text,))

    def set(self, name: str, variable: Variable | None) -> None:
        """Give the variable a value; None unsets it."""
        if self._frames:
            self._frames[-1].setdefault(name, self.get(name))
        self._own[name] = variable

    def enter(self) -> None:
        """From here on, changes may end with `leave`."""
        self._frames.append({})

    def leave(self) -> Changes:
        """Undo everything since the last `enter`, and say what it was."""
        before = self._frames.pop()
        changes = {name: self._own[name] for name in before}
        self._own.update(before)
        return changes

    def merge(self, branches: Iterable[Changes], *, complete: bool, unset: frozenset[str] = frozenset()) -> None:
        """Go on after code of which one branch runs: what they agree on is known.

        complete: one of them surely runs. unset: variables that the branch has found to be unset before it ran, so that what it
        gives them is their default.
        """
        branches = list(branches)
        found: dict[str, list[Variable | None]] = {}
        for changes in branches:
            for name, variable in changes.items():
                found.setdefault(name, []).append(variable)
        for name, values in found.items():
            before = self.get(name)
            if name in unset:
                self.set(name, before if before and before.known and before.text and before.text.value else values[-1])
                continue
            if not complete or len(values) < len(branches):
                values.append(before)
            self.set(name, _agreed(values))


def _agreed(values: list[Variable | None]) -> Variable | None:
    given = [value for value in values if value is not None]
    if len(given) == len(values) and len({value.says() for value in given}) == 1:
        return given[0]
    return next((value.unknown() for value in given), None)
