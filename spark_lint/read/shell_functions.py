"""The functions of a shell script: a body is read where it is called, with the words it is called with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from spark_lint.read import shell_tests as tests
from spark_lint.read.expansion import Budget
from spark_lint.read.shell_simple import Simple
from spark_lint.read.shell_tests import Conditions
from spark_lint.read.shell_values import FOLDER, PARAMETERS, Changes, Variable, array
from spark_lint.text import Text

_MOST: Final = 8
"""Definitions of one name, each under tests of its own, that a call may mean."""


@dataclass(slots=True)
class _Function:
    """A definition, and what holds where it stands. calls: how often it was read. running: it is being read."""

    name: str
    body: Node
    conditions: Conditions
    folder: Variable | None
    calls: int = 0
    running: bool = False


class Functions:
    """The functions of one script. under: reads statements that run under conditions, and says what they change.

    quits: the names of those that end the script, as `exit` does.
    """

    def __init__(self, simple: Simple, under: Callable[[Conditions, Iterable[Node]], Changes], budget: Budget) -> None:
        self._simple = simple
        self._under = under
        self._budget = budget
        self._all: list[_Function] = []
        self._by_name: dict[str, list[_Function]] = {}
        self.quits: set[str] = set()

    def define(self, node: Node) -> None:
        """`f() { … }`: nothing runs yet."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        folder = self._simple.variables.get(FOLDER)
        function = _Function(self._simple.code.raw(name), body, self._simple.conditions, folder)
        self._all.append(function)
        others = self._by_name.setdefault(function.name, [])
        if not function.conditions or len(others) >= _MOST:
            others.clear()
        others.append(function)
        if tests.leaves([body], self._simple.code, self.quits | {"exit"}):
            self.quits.add(function.name)

    def __contains__(self, name: str) -> bool:
        """Whether a function of this name is defined so far."""
        return name in self._by_name

    def call(self, name: str, words: list[Text] | None) -> None:
        """Read what a call runs. words: what it is called with, None where that is not known."""
        for function in list(self._by_name[name]):
            if function.running or (function.calls and not self._budget.repeats(self._size(function))):
                continue
            own = tuple(each for each in function.conditions if each not in self._simple.conditions)
            changes = self._read(function, words, own)
            if own:
                self._simple.variables.merge([changes], complete=False)
            else:
                for variable, value in changes.items():
                    self._simple.variables.set(variable, value)

    def uncalled(self) -> None:
        """Read what the script itself does not call: another one that sources it may, a trap, or `xargs`."""
        folder = self._simple.variables.get(FOLDER)
        for function in self._all:
            if not function.calls:
                self._simple.conditions = function.conditions
                self._simple.variables.set(FOLDER, function.folder)
                self._read(function, None, ())
        self._simple.variables.set(FOLDER, folder)

    @property
    def repeated(self) -> bool:
        """Whether a body was read more than once, so that facts may be there twice."""
        return any(function.calls > 1 for function in self._all)

    def _size(self, function: _Function) -> int:
        return function.body.end_byte - function.body.start_byte

    def _read(self, function: _Function, words: list[Text] | None, conditions: Conditions) -> Changes:
        """Read a body; what it changes outside itself."""
        function.calls += 1
        function.running = True
        self._simple.locals.append({PARAMETERS})
        self._simple.variables.enter()
        self._simple.variables.set(PARAMETERS, None if words is None else array(words))
        inner = self._under(conditions, [function.body])
        for name, value in inner.items():
            self._simple.variables.set(name, value)
        changes = self._simple.variables.leave()
        own = self._simple.locals.pop()
        function.running = False
        return {name: value for name, value in changes.items() if name not in own}
