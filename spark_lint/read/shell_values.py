"""The variables of a shell script, as far as its text says what they hold."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from spark_lint.read.expansion import LONGEST, MOST_WORDS
from spark_lint.text import UNKNOWN, Text

FOLDER: Final = "PWD"
"""The variable that holds the working directory, as in every shell."""

_DIGITS: Final = frozenset("0123456789")
PARAMETERS: Final = "@"
"""The words that a script or function is called with, where they are known; `$1` is the first of them."""


@dataclass(frozen=True, slots=True)
class Variable:
    """What a variable holds: one text, or several where it is an array.

    given: only whoever starts the script says what it holds, and may say nothing: `TP=$1`, `TP=$FROM_OUTSIDE`.
    """

    words: tuple[Text, ...]
    array: bool = False
    given: bool = False

    @property
    def text(self) -> Text | None:
        """What it stands for without an index; None for an empty array."""
        return self.words[0] if self.words else None

    @property
    def empty(self) -> bool:
        """Whether it surely holds nothing."""
        return self.text is None or not self.text.value

    def element(self, index: str) -> "Variable | None":
        """One element of an array, where the array is known in full."""
        if not re.fullmatch("[0-9]{1,6}", index) or not all(word.known for word in self.words):
            return self.unknown()
        at = int(index)
        return Variable((self.words[at],)) if at < len(self.words) else None

    def says(self) -> tuple[bool, tuple[str, ...]]:
        """What can be compared: two branches may set the same value."""
        return self.array, tuple(word.value for word in self.words)

    def unknown(self) -> "Variable":
        """The same variable where its value depends on something that the files do not say."""
        return Variable((self.words[0].as_value(UNKNOWN),), given=self.given) if self.words else self


def array(words: list[Text]) -> Variable:
    """A variable with several values; one with too many is unknown."""
    return Variable(tuple(words) if len(words) <= MOST_WORDS else (words[0].as_value(UNKNOWN),), array=True)


def scalar(text: Text, given: bool = False) -> Variable:
    """A variable with one value; a value too long to be one is unknown."""
    return Variable((text if len(text.value) <= LONGEST else text.as_value(UNKNOWN),), given=given)


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
        if name[:1] in _DIGITS and name != "0":
            return self._parameter(name)
        if name in self._own:
            return self._own[name]
        text = self._given.get(name)
        return None if text is None else Variable((text,))

    def _parameter(self, name: str) -> Variable | None:
        words = self.get(PARAMETERS)
        at = int(name) - 1 if len(name) < 4 and name.isascii() and name.isdecimal() else MOST_WORDS
        return scalar(words.words[at]) if words is not None and 0 <= at < len(words.words) else None

    def names(self) -> frozenset[str]:
        """What is set."""
        return frozenset(self._given) | {name for name, variable in self._own.items() if variable is not None}

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
        gives them is their default. A default is a value: what only the caller can ask for (`--tp) TP=$2`) leaves what there was.
        """
        branches = list(branches)
        found: dict[str, list[Variable | None]] = {}
        for changes in branches:
            for name, variable in changes.items():
                found.setdefault(name, []).append(variable)
        for name, values in found.items():
            before = self.get(name)
            if name in unset:
                self.set(name, values[-1] if before is None or before.given or before.empty else before)
                continue
            if not complete or len(values) < len(branches):
                values.append(before)
            self.set(name, _agreed([value for value in values if value is None or not value.given] or values))


def asked_for(changes: Changes) -> Changes:
    """What a branch did to the variables, where only the caller can choose the branch."""
    return {name: variable and replace(variable, given=True) for name, variable in changes.items()}


def _agreed(values: list[Variable | None]) -> Variable | None:
    set_ones = [value for value in values if value is not None]
    if len(set_ones) == len(values) and len({value.says() for value in set_ones}) == 1:
        return set_ones[0]
    return next((value.unknown() for value in set_ones), None)


class Texts(Mapping[str, Text]):
    """The variables as they are now, by name: what code within the code begins with."""

    def __init__(self, variables: "Variables") -> None:
        self._variables = variables

    def __getitem__(self, name: str) -> Text:
        variable = self._variables.get(name)
        if variable is None or variable.text is None:
            raise KeyError(name)
        return variable.text

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables.names())

    def __len__(self) -> int:
        return len(self._variables.names())
