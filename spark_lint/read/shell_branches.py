"""`if` and `case` in shell code: what runs under which test, and what is known behind them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from tree_sitter import Node

from spark_lint.facts import Condition
from spark_lint.read import shell_tests as tests
from spark_lint.read.shell_simple import Simple
from spark_lint.read.shell_syntax import outermost
from spark_lint.read.shell_tests import MAY_FAIL, SWITCHED_OFF, Conditions, together
from spark_lint.read.shell_values import Changes, asked_for
from spark_lint.read.shell_verdicts import Verdicts
from spark_lint.text import Text

_GIVES_UP: Final = frozenset({"exit", "return", "false"})
_CHANGES: Final = re.compile(
    r"(\w+)(?:\[[^\]\n]*\])?(?:\+\+|--|[-+*/%]?=)|\b(?:read|getopts|mapfile|readarray|for|select|let)\b([^\n;|&]*)"
)
_PARAMETERS: Final = frozenset("123456789@*#")
_NOT_LITERAL: Final = frozenset("$`\"'\\")
_LONGEST: Final = 200


class _Branch(NamedTuple):
    """One way through an `if` or `case`.

    changes: what it does to the variables. taken, refused: what is known behind the whole where it was taken, and where neither
    it nor one before it was. leaves: nothing behind the whole runs after it. possible: the values in the script do not rule it out.
    """

    changes: Changes
    taken: Conditions
    refused: Conditions
    leaves: bool
    possible: bool


class Branches:
    """Reads the branches of one script.

    statements: reads statements. under: reads statements that run under conditions, and says what they change. quits: the
    functions of the script that end it, as `exit` does.
    """

    def __init__(
        self,
        simple: Simple,
        statements: Callable[[Iterable[Node]], None],
        under: Callable[[Conditions, Iterable[Node]], Changes],
        quits: set[str],
    ) -> None:
        self._simple = simple
        self._code = simple.code
        self._statements = statements
        self._under = under
        self._quits = quits
        self.verdicts = Verdicts(simple.words)

    def leaves(self, nodes: Sequence[Node]) -> bool:
        """Whether nothing behind a block runs after these statements."""
        return tests.leaves(nodes, self._code, tests.LEAVES | self._quits)

    def gives_up(self, nodes: Sequence[Node]) -> bool:
        """Whether these statements, which run where something has failed, end the script or fail too."""
        return tests.leaves(nodes, self._code, _GIVES_UP | self._quits, within=("subshell",))

    @contextmanager
    def changing(self, loop: str) -> Iterator[None]:
        """Code that runs again and again: what it finds in the variables that it changes is not what they begin with."""
        found = {name for match in _CHANGES.finditer(loop) for name in (match[1] or match[2]).split()}
        self.verdicts.changing.append(frozenset(found | _PARAMETERS if "shift" in loop else found))
        yield
        self.verdicts.changing.pop()

    @contextmanager
    def also_under(self, *conditions: Condition) -> Iterator[None]:
        """Code that surely runs, of which something more is known."""
        before = self._simple.conditions
        self._simple.conditions = together(before, conditions)
        yield
        self._simple.conditions = before

    def if_statement(self, node: Node) -> Conditions:
        """`if … then … elif … else … fi`; what is known behind it."""
        ways = list(tests.branches(node))
        complete = not ways[-1][0]
        branches: list[_Branch] = []
        so_far: Conditions = ()
        refused: Conditions = ()
        given: Conditions = ()
        decided = off = False
        for condition, body in ways:
            test = tests.last(condition)
            with self.also_under(*self._passed_over(test, body, ways[-1][1] if complete else None)):
                self._statements(condition)
            verdict = True if test is None else self.verdicts.of(test)
            switch = None if test is None else self.verdicts.of(test, switch=True)
            holds, fails = tests.outcomes(test, self._code)
            given = together(so_far, holds)
            switched = (SWITCHED_OFF,) if off or switch is False else ()
            changes, leaves = self._under(together(given, switched), body), self.leaves(body)
            so_far = together(so_far, fails)
            # A script that gives up without some program (`if ! command -v uv; then exit`) says nothing about what follows.
            if test is not None and not tests.is_test(test, self._code):
                holds = fails = ()
            branches.append(_Branch(changes, together(refused, holds), fails, leaves, not decided and verdict is not False))
            refused = together(refused, fails)
            decided |= verdict is True
            off |= switch is True
        unset = tests.unset(given) if len(branches) == 1 else frozenset[str]()
        return self._behind(branches, complete=complete, decided=decided, unset=unset)

    def _passed_over(self, test: Node | None, body: Sequence[Node], otherwise: Sequence[Node] | None) -> Conditions:
        """What holds for a command that is asked whether it succeeds: its failure stops nothing, unless the script gives up then."""
        if test is None or tests.is_test(test, self._code):
            return ()
        failed = body if tests.negated(test) else otherwise
        return () if failed is not None and self.gives_up(failed) else (MAY_FAIL,)

    def case_statement(self, node: Node) -> Conditions:
        """`case … in … esac`; what is known behind it."""
        value = node.child_by_field_name("value")
        word = self._code.line(value)[: tests.LONGEST] if value is not None else ""
        for each in outermost([value] if value is not None else []):
            self._simple.run(each)
        text, asked = self._chosen_by(value)
        branches: list[_Branch] = []
        so_far: Conditions = ()
        staying: list[str] = []
        complete = decided = False
        for item in (child for child in node.named_children if child.type == "case_item"):
            patterns = item.children_by_field_name("value")
            own = {each.id for each in patterns}
            body = [child for child in item.named_children if child.id not in own]
            pattern = "|".join(self._code.line(each) for each in patterns)
            otherwise = any(self._code.raw(each) == "*" for each in patterns)
            fails = () if otherwise else (Condition(f"{word} in {pattern}", negated=True),)
            given = so_far if otherwise else (Condition(f"{word} in {pattern}"),)
            verdict = True if otherwise else self._matches(text, patterns)
            changes = self._under(given, body)
            if asked and not otherwise:
                changes = asked_for(changes)
            branches.append(_Branch(changes, given, fails, self.leaves(body), not decided and verdict is not False))
            so_far = together(so_far, fails)
            complete |= otherwise
            decided |= verdict is True
            if not branches[-1].leaves:
                staying.append(pattern)
        known = self._behind(branches, complete=complete, decided=decided)
        everything_else_leaves = complete and branches[-1].leaves and bool(staying)
        return (Condition(f"{word} in {'|'.join(staying)}"),) if everything_else_leaves else known

    def _chosen_by(self, value: Node | None) -> tuple[Text | None, bool]:
        """The word of a `case` where it is known, and whether only the caller says what it is."""
        if value is None or any(outermost([value])):
            return None, False
        text = self._simple.words.value([value], self._code.start(value), self._code.stop(value))
        usable = text.known and len(text.value) <= _LONGEST and not self.verdicts.varies(self._code.raw(value))
        return text if usable else None, self._simple.words.given([value])

    def _matches(self, text: Text | None, patterns: Iterable[Node]) -> bool | None:
        if text is None:
            return None
        found = False
        for each in patterns:
            pattern = self._code.raw(each).strip("\"'")
            if len(pattern) > _LONGEST or set(pattern) & _NOT_LITERAL or pattern.count("*") > 2:
                return None
            found |= fnmatchcase(text.value, pattern)
        return found

    def _behind(
        self, branches: Sequence[_Branch], *, complete: bool, decided: bool, unset: frozenset[str] = frozenset()
    ) -> Conditions:
        """Go on behind an `if` or `case`; what holds there because some branches leave.

        complete: one of the branches is for everything else. decided: the values in the script say which of them runs.
        """
        staying = [branch for branch in branches if not branch.leaves]
        changes = [branch.changes for branch in staying if branch.possible]
        self._simple.variables.merge(changes, complete=complete or decided, unset=unset)
        if complete and len(staying) == 1:
            return staying[0].taken
        known: Conditions = ()
        for branch in branches:
            if not branch.leaves:
                break
            known = together(known, branch.refused)
        return known
