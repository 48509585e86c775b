"""What the variables of a setup.py hold, as far as requirements go: texts, lists of them, dictionaries, functions. Nothing is run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import libcst as cst
from packaging.utils import canonicalize_name

from spark_lint.facts import Condition
from spark_lint.read.requirement import requirement
from spark_lint.text import UNKNOWN, Text

_MOST_CONDITIONS: Final = 12
"""Tests that one requirement may stand under; a hostile file nests more."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One text. file: the path of a file whose lines are meant, as `open("requirements.txt").read()` leaves it to be."""

    text: Text
    file: bool = False
    conditions: tuple[Condition, ...] = ()

    def under(self, conditions: tuple[Condition, ...]) -> "Wanted":
        """The same where it is wanted only under further tests, which lie outside of its own."""
        if not conditions or self.conditions[: len(conditions)] == conditions:
            return self
        return replace(self, conditions=(*conditions, *self.conditions)[:_MOST_CONDITIONS])


@dataclass(frozen=True, slots=True)
class Several:
    """A list of texts, or one text (listed is False), of which there may be alternatives under different tests."""

    items: tuple[Wanted, ...] = ()
    listed: bool = True

    @property
    def one(self) -> str:
        """The one text that it is for certain; empty for any other."""
        known = len(self.items) == 1 and not self.items[0].file and UNKNOWN not in self.items[0].text.value
        return self.items[0].text.value if known else ""

    @property
    def of_files(self) -> bool:
        """Whether it holds what stands in a file."""
        return any(each.file for each in self.items)

    def each(self) -> Iterator["Several"]:
        """Its elements."""
        return (Several((item,), listed=False) for item in self.items)


@dataclass(frozen=True, slots=True)
class Table:
    """A dictionary. keys: the text of each key. by_name: made of a list of requirements, each under some form of its name."""

    entries: Mapping[str, "Value"] = field(default_factory=dict)
    keys: Mapping[str, Text] = field(default_factory=dict)
    by_name: bool = False

    def get(self, key: str) -> "Value":
        """The value under a key."""
        return self.entries.get(canonicalize_name(key) if self.by_name else key)

    def set(self, key: Text, value: "Value") -> "Table":
        """With another value under a key."""
        return Table({**self.entries, key.value: value}, {**self.keys, key.value: key}, self.by_name)

    def updated(self, other: "Table") -> "Table":
        """With what another dictionary holds."""
        return Table({**self.entries, **other.entries}, {**self.keys, **other.keys}, self.by_name)

    @property
    def values(self) -> Several:
        """All texts in its lists."""
        return combined(each for each in self.entries.values() if isinstance(each, Several))


@dataclass(frozen=True, slots=True)
class Row:
    """What a function gives as a tuple: `return requirements, links`."""

    values: tuple["Value", ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of the file. frame: where it is defined."""

    node: cst.FunctionDef
    frame: "Frame"


Value: TypeAlias = "Several | Table | Row | Function | None"
"""None is what nothing is known of."""


@dataclass(slots=True, eq=False)
class Frame:
    """Where code stands: a module or one call of a function.

    outer: tests around the call. conditions: those around the statement that is looked at, inside the function. given: what it returned.
    """

    scope: "cst.CSTNode"
    parent: "Frame | None" = None
    outer: tuple[Condition, ...] = ()
    conditions: tuple[Condition, ...] = ()
    given: list[Several | Table | Row] = field(default_factory=list)
    depth: int = 0


State: TypeAlias = "dict[tuple[Frame, str], Value]"
"""What every variable holds."""


def combined(parts: Iterable[Several]) -> Several:
    """One list of the elements of several, each once."""
    return Several(tuple(dict.fromkeys(item for part in parts for item in part.items)))


def under(value: Value, conditions: tuple[Condition, ...]) -> Value:
    """A value that is there only under some tests."""
    if not conditions:
        return value
    if isinstance(value, Several):
        return Several(tuple(each.under(conditions) for each in value.items), value.listed)
    if isinstance(value, Table):
        return replace(value, entries={key: under(each, conditions) for key, each in value.entries.items()})
    if isinstance(value, Row):
        return Row(tuple(under(each, conditions) for each in value.values))
    return value


def narrowed(before: Value, after: Value, conditions: tuple[Condition, ...]) -> Value:
    """What a variable holds behind a test of which one branch ends everything: what the other one adds is there only under its test."""
    if isinstance(after, Several):
        old = set(before.items) if isinstance(before, Several) else set()
        return Several(tuple(each if each in old else each.under(conditions) for each in after.items), after.listed)
    if isinstance(after, Table):
        old_entries = before.entries if isinstance(before, Table) else {}
        return replace(
            after, entries={key: narrowed(old_entries.get(key), each, conditions) for key, each in after.entries.items()}
        )
    return after


def size(value: Value) -> int:
    """How much there is to go through in a value."""
    if isinstance(value, Table):
        return 1 + sum(map(size, value.entries.values()))
    return len(value.items) + 1 if isinstance(value, Several) else 1


def together(given: Sequence["Several | Table | Row"]) -> Value:
    """What a function gives that returns these, each under its own tests."""
    if len(given) < 2:
        return given[0] if given else None
    rows = [each.values for each in given if isinstance(each, Row)]
    if rows:
        columns = [[each for each in column if isinstance(each, (Several, Table, Row))] for column in zip(*rows, strict=False)]
        return Row(tuple(together(column) for column in columns))
    lists = [each for each in given if isinstance(each, Several)]
    return combined(lists) if lists else given[0]


def is_empty(value: Value) -> bool:
    """Whether nothing is known of what a function gives."""
    if isinstance(value, Row):
        return all(map(is_empty, value.values))
    return value is None or (isinstance(value, Several) and not value.items)


def merged(one: Value, other: Value, first: tuple[Condition, ...], second: tuple[Condition, ...]) -> Value:
    """What a variable holds behind a test, of which the two branches left it these. first, second: the tests of the branches."""
    if one is other or one == other:
        return one
    if isinstance(one, Several) and isinstance(other, Several):
        here, there = set(one.items), set(other.items)
        items = [each if each in there else each.under(first) for each in one.items]
        items += [each.under(second) for each in other.items if each not in here]
        return Several(tuple(dict.fromkeys(items)), one.listed or other.listed)
    if isinstance(one, Table) and isinstance(other, Table):
        keys = dict.fromkeys((*one.entries, *other.entries))
        entries = {key: merged(one.entries.get(key), other.entries.get(key), first, second) for key in keys}
        return Table(entries, {**other.keys, **one.keys}, one.by_name or other.by_name)
    return under(one, first) if one is not None else under(other, second)


def by_name(listed: Several) -> Table:
    """The dictionary that looks requirements up by their names: `deps["torch"]`."""
    entries: dict[str, Value] = {}
    for each in listed.items:
        package = None if each.file else requirement(each.text)
        if package is not None:
            entries.setdefault(package.name, Several((each,), listed=False))
    return Table(entries, {}, by_name=True)
