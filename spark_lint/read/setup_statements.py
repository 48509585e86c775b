"""The way through a setup.py to its calls of `setup(…)`: what each statement sets, adds and tests. Nothing of it is run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

import libcst as cst

from spark_lint.facts import Condition
from spark_lint.read.python_guards import catches_import_error, gives_up, leaves, survived
from spark_lint.read.python_names import Names
from spark_lint.read.python_scope import Scopes, parameters
from spark_lint.read.python_values import Values
from spark_lint.read.setup_expressions import DEEPEST, Expressions, Test
from spark_lint.read.setup_values import (
    Frame,
    Function,
    Row,
    Several,
    State,
    Table,
    Value,
    combined,
    merged,
    narrowed,
    size,
    together,
    under,
)

KEYWORDS: Final = frozenset({"install_requires", "extras_require", "setup_requires", "python_requires"})
_SETUP: Final = frozenset({"name", "version", "packages", "py_modules", "ext_modules", "description", *KEYWORDS})
_MOST_CALLS: Final = 8
"""Functions within functions, and calls of `setup`, that are followed."""
_TRIED: Final = (Condition("try: ImportError"),)
_FAILED: Final = (Condition("except ImportError"),)


@dataclass(frozen=True, slots=True)
class Called:
    """One call of `setup`: what it is given by keyword, and the tests around it."""

    node: cst.Call
    given: Table
    conditions: tuple[Condition, ...]


class Statements:
    """Goes through one file."""

    def __init__(self, values: Values, scopes: Scopes, test: Test) -> None:
        self._scopes = scopes
        self.calls: list[Called] = []
        self.at = Expressions(values, self._names, test, self)
        self._invoked: set[cst.CSTNode] = set()

    def _names(self, scope: cst.CSTNode) -> Names:
        return self._scopes.module if isinstance(scope, cst.Module) else self._scopes.of(scope)

    def through(self, module: cst.Module) -> list[Called]:
        """The calls of `setup`; where the module itself makes none, those in its functions."""
        frame = Frame(module)
        self._block(module.body, frame, 0)
        functions = [each for each in self.at.state.values() if isinstance(each, Function)]
        for each in functions:
            if not self.calls and each.node not in self._invoked:
                self.invoke(each, None, frame)
        return self.calls

    # ---- calls ------------------------------------------------------------------------------------------------------------

    def is_setup(self, node: cst.Call, path: str, frame: Frame) -> bool:
        """Whether a call is that of setuptools or one of its kind, wherever it is imported from."""
        if path.rpartition(".")[2] != "setup":
            return False
        own = self.at.found(node.func.value, frame) if isinstance(node.func, cst.Name) else None
        given = {each.keyword.value for each in node.args if each.keyword is not None}
        return own is None and (bool(given & _SETUP) or any(each.star == "**" for each in node.args))

    def record(self, node: cst.Call, frame: Frame) -> None:
        """Keep a call of `setup`."""
        if len(self.calls) < _MOST_CALLS:
            self.calls.append(Called(node, self.given(node, frame), (*frame.outer, *frame.conditions)))

    def given(self, node: cst.Call, frame: Frame) -> Table:
        """The arguments that a call is given by keyword, or the dictionary that `dict(…)` makes of them."""
        table = Table()
        for each in node.args:
            value = self.at.value(each.value, frame)
            if each.keyword is not None:
                table = table.set(self.at.places.text(each.keyword), value)
            elif isinstance(value, Table):
                table = table.updated(value)
        return table

    def invoke(self, function: Function, node: cst.Call | None, frame: Frame) -> Value:
        """What a function of the file gives."""
        self._invoked.add(function.node)
        if frame.depth >= _MOST_CALLS or not self.at.spend(len(self.at.state)):
            return None
        inner = Frame(function.node, function.frame, (*frame.outer, *frame.conditions), depth=frame.depth + 1)
        self._pass(function.node.params, node, inner, frame)
        body = function.node.body
        self._block(body.body, inner, 0)
        self.at.forget(inner)
        return together(inner.given)

    def _pass(self, params: cst.Parameters, node: cst.Call | None, inner: Frame, frame: Frame) -> None:
        """Give a function's parameters what a call passes."""
        for each in parameters(params):
            default = None if each.default is None else self.at.value(each.default, inner)
            self.at.state[inner, each.name.value] = default
        if node is None:
            return
        positional = [each for each in node.args if each.keyword is None and not each.star]
        given = [self.at.value(each.value, frame) for each in positional]
        own = [each.name.value for each in (*params.posonly_params, *params.params)]
        for name, value in zip(own, given, strict=False):
            self.at.state[inner, name] = value
        if isinstance(params.star_arg, cst.Param):
            rest = [each for each in given[len(own) :] if isinstance(each, Several)]
            rest += [
                value for each in node.args if each.star == "*" and isinstance(value := self.at.value(each.value, frame), Several)
            ]
            self.at.state[inner, params.star_arg.name.value] = combined(rest)
        for name, value in self.given(
            cst.Call(node.func, [each for each in node.args if each.keyword is not None]), frame
        ).entries.items():
            self.at.state[inner, name] = value

    # ---- statements -------------------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[cst.CSTNode], frame: Frame, depth: int) -> None:
        before = frame.conditions
        for statement in body:
            if depth > DEEPEST or not self.at.spend() or not self._statement(statement, frame, depth):
                break
            if isinstance(statement, cst.If):
                for test, failed in survived(statement, self.at.names(frame)):
                    frame.conditions = (*frame.conditions, *self.at.conditions(test, frame)[failed])
        frame.conditions = before

    def _statement(self, node: cst.CSTNode, frame: Frame, depth: int) -> bool:
        """Go through one statement; whether what follows it is reached."""
        match node:
            case cst.SimpleStatementLine(body=small) | cst.SimpleStatementSuite(body=small):
                return all(self._small(each, frame) for each in small)
            case cst.BaseSmallStatement():  # behind the colon, on the line of an `if`
                return self._small(node, frame)
            case cst.FunctionDef(name=cst.Name(value=name)):
                self.at.state[frame, name] = Function(node, frame)
            case cst.If():
                self._if(node, frame, depth)
            case cst.For(target=target, iter=iterated, body=body):
                turns = list(self.at.pairs(iterated, frame)) or [(None, None)]
                for key, value in turns:
                    self.at.variables.bind(target, key, value, frame)
                    self._block(body.body, frame, depth + 1)
            case cst.While(body=body):
                self._block(body.body, frame, depth + 1)
            case cst.With(items=items, body=body):
                for item in items:
                    value = self.at.value(item.item, frame)
                    if item.asname is not None:
                        self.at.variables.bind(item.asname.name, None, value, frame)
                self._block(body.body, frame, depth + 1)
            case cst.Try() | cst.TryStar():
                self._try(node, frame, depth)
            case cst.Match():
                self._match(node, frame, depth)
        return True

    def _small(self, node: cst.CSTNode, frame: Frame) -> bool:
        match node:
            case cst.Assign(targets=targets, value=value):
                for each in targets:
                    self._assign(each.target, value, frame)
            case cst.AnnAssign(target=target, value=value) if value is not None:
                self._assign(target, value, frame)
            case cst.AugAssign(target=target, operator=cst.AddAssign() | cst.BitOrAssign(), value=value):
                self.at.variables.changed(target, self.at.value(value, frame), frame)
            case cst.Expr(value=cst.Yield(value=cst.From(item=item))):
                self._give(self.at.value(item, frame), frame)
            case cst.Expr(value=cst.Yield(value=cst.BaseExpression() as item)):
                self._give(self.at.value(item, frame), frame, listed=True)
            case cst.Expr(value=value):
                self.at.value(value, frame)
            case cst.Return(value=value):
                if isinstance(value, cst.Tuple):
                    self._give(Row(tuple(self.at.value(each.value, frame) for each in value.elements)), frame)
                elif value is not None:
                    self._give(self.at.value(value, frame), frame)
                return False
            case cst.Raise() | cst.Continue() | cst.Break():
                return False
        return True

    def _give(self, value: Value, frame: Frame, *, listed: bool = False) -> None:
        given = under(value, frame.conditions)
        if isinstance(given, Several):
            frame.given.append(Several(given.items, listed or given.listed))
        elif isinstance(given, (Table, Row)) and not listed:
            frame.given.append(given)

    def _assign(self, target: cst.BaseExpression, value: cst.BaseExpression, frame: Frame) -> None:
        if not isinstance(target, (cst.Tuple, cst.List)):
            self.at.variables.store(target, self.at.value(value, frame), frame)
            return
        targets = [each.value for each in target.elements]
        if isinstance(value, cst.Tuple) and len(targets) == len(value.elements):
            for left, right in zip(targets, value.elements, strict=True):
                self._assign(left, right.value, frame)
            return
        found = self.at.value(value, frame)
        # requirements, links = parse_requirements("requirements.txt")
        given = found.values if isinstance(found, Row) else [found] if isinstance(found, Several) and found.of_files else []
        for left, each in zip_longest(targets, given[: len(targets)]):
            self.at.variables.store(left, each, frame)

    def _if(self, node: cst.If, frame: Frame, depth: int) -> None:
        if self._is_main(node.test):
            self._block(node.body.body, frame, depth + 1)
            return
        passed, failed = self.at.conditions(node.test, frame)
        names = self.at.names(frame)
        start = self.at.state
        one = self._branch(node.body.body, start, frame, passed, depth)
        orelse = node.orelse
        rest: Sequence[cst.CSTNode] = [orelse] if isinstance(orelse, cst.If) else orelse.body.body if orelse is not None else []
        other = self._branch(rest, start, frame, failed, depth)
        if leaves(node.body, names):
            self.at.state = self._survived(start, other, failed)
        elif isinstance(orelse, cst.Else) and leaves(orelse.body, names):
            self.at.state = self._survived(start, one, passed)
        else:
            self.at.state = self._merged(one, other, passed, failed)

    def _is_main(self, test: cst.BaseExpression) -> bool:
        """`if __name__ == "__main__":`."""
        return isinstance(test, cst.Comparison) and isinstance(test.left, cst.Name) and test.left.value == "__name__"

    def _branch(
        self, body: Iterable[cst.CSTNode], start: State, frame: Frame, conditions: tuple[Condition, ...], depth: int
    ) -> State:
        """The state behind a branch."""
        before = frame.conditions
        self.at.state = dict(start) if self.at.spend(len(start)) else {}
        frame.conditions = (*before, *conditions)
        self._block(body, frame, depth + 1)
        frame.conditions = before
        return self.at.state

    def _merged(self, one: State, other: State, first: tuple[Condition, ...], second: tuple[Condition, ...]) -> State:
        if not self.at.spend(len(one) + len(other)):
            return one
        after = dict(one)
        for place in dict.fromkeys((*one, *other)):
            left, right = one.get(place), other.get(place)
            if left is not right and self.at.spend(size(left) + size(right)):
                after[place] = merged(left, right, first, second)
        return after

    def _survived(self, start: State, after: State, conditions: tuple[Condition, ...]) -> State:
        if not self.at.spend(len(after)):
            return after
        found = dict(after)
        for place, value in after.items():
            if value is not start.get(place) and self.at.spend(size(value)):
                found[place] = narrowed(start.get(place), value, conditions)
        return found

    def _try(self, node: cst.Try | cst.TryStar, frame: Frame, depth: int) -> None:
        start = self.at.state
        handlers = [each for each in node.handlers if not gives_up(each.body, self.at.names(frame))]
        imports = any(catches_import_error(each.type) for each in handlers)
        after = self._branch([*node.body.body, *(node.orelse.body.body if node.orelse else [])], start, frame, (), depth)
        for each in handlers:
            failed = _FAILED if catches_import_error(each.type) else ()
            other = self._branch(each.body.body, start, frame, failed, depth)
            after = self._merged(after, other, _TRIED if imports else (), failed)
        self.at.state = after
        if node.finalbody is not None:
            self._block(node.finalbody.body.body, frame, depth + 1)

    def _match(self, node: cst.Match, frame: Frame, depth: int) -> None:
        start = after = self.at.state
        subject = " ".join(self.at.places.text(node.subject).value.split())
        for case in node.cases:
            pattern = " ".join(self.at.places.text(case.pattern).value.split())
            test = (Condition(f"{subject} == {pattern}"),)
            after = self._merged(after, self._branch(case.body.body, start, frame, test, depth), (), test)
        self.at.state = after
