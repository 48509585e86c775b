"""What the expressions of a setup.py amount to, as far as requirements go: lists put together, dictionaries, files that are read."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

import libcst as cst

from spark_lint.facts import Condition
from spark_lint.read.python_names import Names
from spark_lint.read.python_places import children
from spark_lint.read.python_values import Values, summands
from spark_lint.read.setup_calls import Calls
from spark_lint.read.setup_values import Frame, Several, State, Table, Value, Wanted, by_name, combined, merged, under
from spark_lint.read.setup_variables import Variables
from spark_lint.text import UNKNOWN, Text

if TYPE_CHECKING:
    from spark_lint.read.setup_statements import Statements

MOST: Final = 100_000
"""Steps that are taken in one file. Real ones need a few thousand."""
DEEPEST: Final = 60
"""Expressions within expressions, and statements within statements, that are followed."""

Test: TypeAlias = Callable[[cst.BaseExpression, Names, bool], Condition]


class Expressions:
    """Works out the expressions of one file. state: what its variables hold at the statement that is looked at."""

    def __init__(self, values: Values, scopes: Callable[[cst.CSTNode], Names], test: Test, run: "Statements") -> None:
        self.values = values
        self.places = values.places
        self.scopes = scopes
        self.test = test
        self.run = run
        self.variables = Variables(self)
        self.calls = Calls(self)
        self.state: State = {}
        self.left = MOST

    def spend(self, amount: int = 1) -> bool:
        """Whether so many more steps may be taken; they count as taken."""
        self.left -= amount
        self.values.too_much = self.values.too_much or self.left < 0
        return self.left >= 0

    def names(self, frame: Frame) -> Names:
        """The names of the scope in which code stands."""
        return self.scopes(frame.scope)

    def path(self, node: cst.BaseExpression, frame: Frame) -> str:
        """The dotted name that an expression stands for."""
        return self.names(frame).path(node)

    def found(self, name: str, frame: Frame) -> tuple[Frame, Value] | None:
        """The frame in which a variable is set, and what it holds."""
        at: Frame | None = frame
        while at is not None:
            if (at, name) in self.state:
                return at, self.state[at, name]
            at = at.parent
        return None

    def forget(self, frame: Frame) -> None:
        """Drop the variables of a function that has returned."""
        if self.spend(len(self.state)):
            self.state = {place: value for place, value in self.state.items() if place[0] is not frame}

    def several(self, node: cst.BaseExpression, frame: Frame) -> Several | None:
        """An expression that amounts to texts."""
        value = self.value(node, frame)
        return value if isinstance(value, Several) else None

    def value(self, node: cst.BaseExpression, frame: Frame, depth: int = 0) -> Value:
        """What an expression amounts to."""
        if depth > DEEPEST or not self.spend():
            return None
        match node:
            case cst.SimpleString() | cst.ConcatenatedString() | cst.FormattedString():
                return self._string(node, frame, depth)
            case cst.Name(value=name):
                found = self.found(name, frame)
                return found[1] if found else self.text(node, frame)
            case cst.List() | cst.Tuple() | cst.Set():
                return self._combined((element.value for element in node.elements), frame, depth)
            case cst.Dict():
                return self._dictionary(node, frame, depth)
            case cst.BinaryOperation(operator=cst.Add()):
                return self._sum(node, frame, depth)
            case cst.BinaryOperation(operator=cst.BitOr(), left=left, right=right):
                return self._joined(self.value(left, frame, depth + 1), self.value(right, frame, depth + 1))
            case cst.BinaryOperation(operator=cst.Divide(), left=left, right=right):
                return self.calls.of_path([cst.Arg(left), cst.Arg(right)], frame, depth)
            case cst.BinaryOperation():
                return self.text(node, frame)
            case cst.BooleanOperation(left=left, right=right):
                first = self.value(left, frame, depth + 1)
                return self.value(right, frame, depth + 1) if first is None else first
            case cst.IfExp(test=test, body=body, orelse=orelse):
                passed, failed = self.conditions(test, frame)
                return merged(self.value(body, frame, depth + 1), self.value(orelse, frame, depth + 1), passed, failed)
            case cst.Subscript():
                return self._item(node, frame, depth)
            case cst.ListComp() | cst.GeneratorExp() | cst.SetComp():
                return self._each(node.for_in, node.elt, frame, depth)
            case cst.DictComp():
                return self._table(node, frame, depth)
            case cst.NamedExpr(target=target, value=value):
                found_value = self.value(value, frame, depth + 1)
                self.variables.store(target, found_value, frame)
                return found_value
            case cst.Call():
                return self.calls.value(node, frame, depth)
        return None

    def conditions(self, test: cst.BaseExpression, frame: Frame) -> tuple[tuple[Condition, ...], tuple[Condition, ...]]:
        """The condition under which a test is passed, and under which it fails. A test of a file's lines, or if it is there, is none."""
        if self._of_lines(test, frame) or self.calls.asks_for_file(test, frame):
            return (), ()
        names = self.names(frame)
        return (self.test(test, names, False),), (self.test(test, names, True),)

    def _of_lines(self, node: cst.CSTNode, frame: Frame) -> bool:
        waiting: list[cst.CSTNode] = [node]
        while waiting and self.spend():
            each = waiting.pop()
            found = self.found(each.value, frame) if isinstance(each, cst.Name) else None
            if found and isinstance(found[1], Several) and found[1].of_files:
                return True
            waiting += children(each) if isinstance(each, (cst.BaseExpression, cst.Arg, cst.ComparisonTarget)) else ()
        return False

    # ---- texts ------------------------------------------------------------------------------------------------------------

    def text(self, node: cst.BaseExpression, frame: Frame) -> Several | None:
        """A string as Python code alone tells it, without the way that led here."""
        names = self.names(frame)
        text = self.values.text(node, names)
        if text is None and isinstance(node, cst.Call):
            known = self.values.known(node, names)
            found = known.value if isinstance(known.value, str) and known.value != UNKNOWN else ""
            text = self.places.text(node).as_value(found, known.origin) if found else None
        return None if text is None else Several((Wanted(text),), listed=False)

    def _string(self, node: cst.BaseExpression, frame: Frame, depth: int) -> Several | None:
        """A string; the fields of an f-string may be variables that only the way here has set."""
        found = self.text(node, frame)
        if found is None or found.one or not isinstance(node, cst.FormattedString):
            return found
        parts = [
            part.value if isinstance(part, cst.FormattedStringText) else self._plain(part, frame, depth) for part in node.parts
        ]
        whole = "".join(parts)
        return found if UNKNOWN in whole else self._placed(node, whole)

    def _plain(self, node: cst.CSTNode, frame: Frame, depth: int) -> str:
        """An expression as part of a string; UNKNOWN where it is not known."""
        expression = node.expression if isinstance(node, cst.FormattedStringExpression) else node
        value = self.value(expression, frame, depth + 1) if isinstance(expression, cst.BaseExpression) else None
        return (value.one if isinstance(value, Several) and not value.listed else "") or UNKNOWN

    def _placed(self, node: cst.CSTNode, value: str) -> Several | None:
        return (
            Several((Wanted(self.places.text(node).as_value(value)),), listed=False) if self.values.afford(len(value)) else None
        )

    def _sum(self, node: cst.BinaryOperation, frame: Frame, depth: int) -> Value:
        operands = summands(node)
        found = [self.value(each, frame, depth + 1) for each in operands]
        known = [each for each in found if isinstance(each, Several)]
        if any(each.listed for each in known):
            return self.combine(known)
        text, start = self.text(node, frame), found[0]
        if text is not None and (text.one or not known):
            return text
        of_files = text is None and any(each.of_files for each in known)
        if not isinstance(start, Several) or not start.one or of_files:
            return text if text is not None or not known else replace(self.combine(known), listed=False)
        whole = "".join(map(_said, found))
        if text is not None:
            return text if UNKNOWN in whole and not text.items[0].text.value.startswith(UNKNOWN) else self._placed(node, whole)
        # The name and the version of a requirement, which stand in two places.
        first = replace(start.items[0], text=start.items[0].text.as_value(whole))
        return Several((first,), listed=False) if self.values.afford(len(whole)) else None

    # ---- lists and dictionaries -------------------------------------------------------------------------------------------

    def combine(self, parts: Iterable[Several]) -> Several:
        """One list of the elements of several, each once."""
        parts = list(parts)
        return combined(parts) if self.spend(sum(len(each.items) for each in parts)) else Several()

    def _combined(self, nodes: Iterable[cst.BaseExpression], frame: Frame, depth: int) -> Several:
        found = (self.value(each, frame, depth + 1) for each in nodes)
        return self.combine(each for each in found if isinstance(each, Several))

    def _joined(self, one: Value, other: Value) -> Value:
        if isinstance(one, Table) and isinstance(other, Table):
            return one.updated(other)
        parts = [each for each in (one, other) if isinstance(each, Several)]
        return self.combine(parts) if parts else one or other

    def _dictionary(self, node: cst.Dict, frame: Frame, depth: int) -> Table:
        entries: dict[str, Value] = {}
        keys: dict[str, Text] = {}
        for element in node.elements:
            value = self.value(element.value, frame, depth + 1)
            if isinstance(element, cst.StarredDictElement) and isinstance(value, Table):
                entries.update(value.entries)
                keys.update(value.keys)
            elif isinstance(element, cst.DictElement) and (key := self.text_key(element.key, frame, depth)) is not None:
                entries[key.value], keys[key.value] = value, key
        return Table(entries, keys)

    def text_key(self, node: cst.BaseExpression, frame: Frame, depth: int = 0) -> Text | None:
        """The one text that an expression amounts to, None where it is not known for certain."""
        found = self.value(node, frame, depth + 1)
        known = isinstance(found, Several) and not found.listed and len(found.items) == 1 and not found.of_files
        return found.items[0].text if isinstance(found, Several) and known and found.items[0].text.known else None

    def key(self, node: cst.Subscript, frame: Frame) -> Text | None:
        """The key of a subscript, if it is known."""
        index = node.slice[0].slice if len(node.slice) == 1 else None
        return self.text_key(index.value, frame) if isinstance(index, cst.Index) else None

    def _item(self, node: cst.Subscript, frame: Frame, depth: int) -> Value:
        held = self.value(node.value, frame, depth + 1)
        if isinstance(held, Several):
            return held if held.of_files else None
        key = self.key(node, frame) if isinstance(held, Table) else None
        return held.get(key.value) if isinstance(held, Table) and key is not None else None

    def pairs(self, iterated: cst.BaseExpression, frame: Frame, depth: int = 0) -> Iterator[tuple[Value, Value]]:
        """What a loop goes over, one after the other; of the items of a dictionary the key and the value, else the value alone."""
        match iterated:
            case cst.Call(func=cst.Attribute(value=base, attr=cst.Name(value="items"))):
                table = self.value(base, frame, depth + 1)
                for key, text in table.keys.items() if isinstance(table, Table) else ():
                    yield Several((Wanted(text),), listed=False), table.entries[key] if isinstance(table, Table) else None
                return
        value = self.value(iterated, frame, depth + 1)
        if isinstance(value, Table):
            yield from ((None, Several((Wanted(text),), listed=False)) for text in value.keys.values())
        elif isinstance(value, Several):
            yield from ((None, each) for each in value.each())

    def _each(self, loop: cst.CompFor, element: cst.BaseExpression, frame: Frame, depth: int) -> Several | None:
        """The elements of a comprehension."""
        found: list[Several] = []
        inner = Frame(frame.scope, frame, frame.outer, frame.conditions, depth=frame.depth)
        for key, each in self.pairs(loop.iter, frame, depth):
            if not self.spend():
                break
            self.variables.bind(loop.target, key, each, inner)
            tests = [condition for test in loop.ifs for condition in self.conditions(test.test, inner)[0]]
            value = (
                self._each(loop.inner_for_in, element, inner, depth + 1)
                if loop.inner_for_in is not None and depth < DEEPEST
                else self.value(element, inner, depth + 1)
            )
            if value is None and isinstance(each, Several) and each.of_files:
                value = each
            if isinstance(value, Several) and isinstance(kept := under(value, tuple(tests)), Several):
                found.append(kept)
        self.forget(inner)
        return self.combine(found) if found else None

    def _table(self, node: cst.DictComp, frame: Frame, depth: int) -> Table | None:
        """`{name: reqs for name, reqs in extras.items()}`, or the requirements of a list by some form of their names."""
        entries: dict[str, Value] = {}
        keys: dict[str, Text] = {}
        inner = Frame(frame.scope, frame, frame.outer, frame.conditions, depth=frame.depth)
        for key, each in self.pairs(node.for_in.iter, frame, depth):
            self.variables.bind(node.for_in.target, key, each, inner)
            if (name := self.text_key(node.key, inner, depth)) is not None:
                entries[name.value], keys[name.value] = self.value(node.value, inner, depth + 1), name
        self.forget(inner)
        if entries:
            return Table(entries, keys)
        iterated: cst.BaseExpression = node.for_in.iter
        while isinstance(iterated, (cst.GeneratorExp, cst.ListComp)):
            iterated = iterated.for_in.iter
        listed = self.several(iterated, frame)
        return by_name(listed) if listed is not None and self.spend(len(listed.items)) else None


def _said(value: Value) -> str:
    """A value as part of a string; UNKNOWN where it is not one text."""
    known = isinstance(value, Several) and len(value.items) == 1 and not value.of_files
    return value.items[0].text.value if isinstance(value, Several) and known else UNKNOWN
