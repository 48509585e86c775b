"""One walk over the libcst tree of a Python file, which knows under which tests each part runs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import libcst as cst

from spark_lint.facts import Condition, ParseProblem, Read
from spark_lint.read import python_setup
from spark_lint.read.expansion import TOO_MUCH
from spark_lint.read.python_facts import FAILED, TRIED, Facts, Where
from spark_lint.read.python_functions import Functions
from spark_lint.read.python_guards import Block, catches_import_error, gives_up, import_handler, imported_roots, survived
from spark_lint.read.python_names import Names
from spark_lint.read.python_places import Places, children
from spark_lint.read.python_scope import Scopes
from spark_lint.text import Source

SWITCHED_OFF: Final = Condition("switched off here")
_MOST_CONDITIONS: Final = 100
"""Tests around one place that are kept: a function with thousands of early returns is made by a machine."""

_MOST_LOOPS: Final = 10
"""Loops around one place that are kept."""
_NAME: Final = re.compile(r"(?<![\w.\"'])[A-Za-z_]\w*(?![\w(.\"'=])")
_LONGEST_TEST: Final = 1000
"""Characters of a test in which names are looked up."""

_KNOWN: Final = frozenset(
    {cst.Call, cst.Import, cst.ImportFrom, cst.Dict, cst.Assign, cst.NamedExpr, cst.AnnAssign, cst.IndentedBlock, cst.SimpleStatementSuite,
     cst.If, cst.IfExp, cst.Try, cst.TryStar, cst.For, cst.With, cst.Match, cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.List, cst.Tuple}
)  # fmt: skip


class Walk:
    """Collects the facts of one file in `found`."""

    def __init__(self, source: Source, module: cst.Module) -> None:
        self.found: list[Read] = []
        self._places = Places(source, module)
        self._scopes = Scopes(module)
        self._facts = Facts(self._places)
        self._functions = Functions(self._facts.values)
        self._later: list[tuple[int, Iterator[Read]]] = []
        self._block(module, Where(self._scopes.module))
        self._add_later()
        if source.path.rpartition("/")[2] == python_setup.NAME:
            self.found += python_setup.facts(module, self._facts.values, self._scopes, self._test)
        if self._facts.values.too_much or self._facts.values.budget.left < 0:
            self.found.append(ParseProblem(source.span(0, 0), TOO_MUCH))

    def _add_later(self) -> None:
        """What is known only now: which lists of words are no commands, and what the functions of the file run."""
        found, self.found = self.found, []
        last = 0
        for at, reads in self._later:
            self.found += found[last:at]
            self.found += reads
            last = at
        self.found += found[last:]

    def _block(self, block: Block, where: Where) -> None:
        statements: Sequence[cst.CSTNode] = block.body
        for statement in statements:
            self._visit(statement, where)
            if isinstance(statement, cst.If):
                where = self._under(
                    where, *(self._test(test, where.names, failed) for test, failed in survived(statement, where.names))
                )

    def _visit(self, node: cst.CSTNode, where: Where) -> None:
        if type(node) not in _KNOWN:  # most nodes: a look-up is far cheaper than `match`
            self._all(children(node), where)
            return
        match node:
            case cst.Call():
                self.found += self._facts.call(node, where)
                self._later.append((len(self.found), self._functions.of_call(node, where)))
            case cst.Import() | cst.ImportFrom():
                self.found += self._facts.imports(node, where)
                return
            case cst.Dict(elements=elements):
                self.found += self._facts.dictionary(node, where)
                for element in elements:
                    self._element(element, where)
                return
            case cst.List() | cst.Tuple():
                self._later.append((len(self.found), self._facts.words(node, where)))
            case cst.Assign(targets=targets, value=value):
                for each in targets:
                    self.found += self._facts.assignment(each.target, value, where)
            case cst.NamedExpr(target=target, value=value):
                self.found += self._facts.assignment(target, value, where)
            case cst.AnnAssign(target=target, value=annotated) if annotated is not None:
                self.found += self._facts.assignment(target, annotated, where)
            case cst.IndentedBlock() | cst.SimpleStatementSuite():
                self._block(node, where)
                return
            case cst.If() | cst.IfExp():
                self._visit(node.test, where)
                self._visit(
                    node.body, self._under(where, self._test(node.test, where.names), *self._switch(node.test, where.names))
                )
                if node.orelse is not None:
                    self._visit(node.orelse, self._under(where, self._test(node.test, where.names, failed=True)))
                return
            case cst.Try() | cst.TryStar():
                self._try(node, where)
                return
            case cst.For():
                where = replace(where, loops=(*where.loops, node)[-_MOST_LOOPS:])
            case cst.With():
                self._all(node.items, where)
                self._visit(node.body, self._under(where, TRIED) if self._suppresses(node, where) else where)
                return
            case cst.Match():
                self._match(node, where)
                return
            case cst.FunctionDef() | cst.Lambda() | cst.ClassDef():
                self._definition(node, where)
                return
        self._all(children(node), where)

    def _all(self, nodes: Iterable[cst.CSTNode], where: Where) -> None:
        for node in nodes:
            self._visit(node, where)

    def _element(self, element: cst.BaseDictElement, where: Where) -> None:
        """An item of a dictionary. One that holds more is one of several to choose from: `{"h100": {…}, "spark": {…}}`."""
        match element:
            case cst.DictElement(
                key=cst.SimpleString() as key, value=(cst.Dict() | cst.Call() | cst.List() | cst.Tuple()) as value
            ):
                self._visit(value, self._under(where, Condition(f"key {self._places.written(key)}")))
            case _:
                self._all(children(element), where)

    def _test(self, node: cst.BaseExpression, names: Names, failed: bool = False) -> Condition:
        """A test as it is written; `n` is what it was set to: `n > 1` behind `n = count()` asks for the count."""

        def meant(name: re.Match[str]) -> str:
            binding = names.value(name[0])
            value = binding.node if binding else None
            return name[0] if not isinstance(value, cst.Call) or value.args else self._places.written(value)

        text = " ".join(self._places.text(node).value.split())
        return Condition(_NAME.sub(meant, text) if len(text) <= _LONGEST_TEST else text, failed)

    def _switch(self, node: cst.BaseExpression, names: Names) -> tuple[Condition, ...]:
        """What a test of a name adds that the file itself sets to False."""
        off = isinstance(node, cst.Name) and names.find(node.value) and self._facts.values.known(node, names).value is False
        return (SWITCHED_OFF,) if off else ()

    def _under(self, where: Where, *conditions: Condition) -> Where:
        room = _MOST_CONDITIONS - len(where.conditions)
        return replace(where, conditions=(*where.conditions, *conditions)) if conditions and room > 0 else where

    def _try(self, node: cst.Try | cst.TryStar, where: Where) -> None:
        handler = import_handler(node)
        tried = where
        if handler is not None and not gives_up(handler.body, where.names):
            again = imported_roots(node.body) & imported_roots(handler.body)
            tried = replace(self._under(where, TRIED), retried=where.retried | again)
        self._visit(node.body, tried)
        for each in node.handlers:
            self._visit(each.body, self._under(where, FAILED) if catches_import_error(each.type) else where)
        if node.orelse is not None:
            self._visit(node.orelse, tried)
        if node.finalbody is not None:
            self._visit(node.finalbody, where)

    def _suppresses(self, node: cst.With, where: Where) -> bool:
        calls = [each.item for each in node.items if isinstance(each.item, cst.Call)]
        suppressors = [call for call in calls if where.names.path(call.func) == "contextlib.suppress"]
        return any(catches_import_error(each.value) for call in suppressors for each in call.args)

    def _match(self, node: cst.Match, where: Where) -> None:
        self._visit(node.subject, where)
        subject = self._test(node.subject, where.names).text
        for case in node.cases:
            pattern = " ".join(self._places.text(case.pattern).value.split())
            literal = isinstance(case.pattern, cst.MatchValue)
            test = Condition(f"{subject} == {pattern}" if literal else f"match {subject}: case {pattern}")
            if case.guard is not None:
                self._visit(case.guard, where)
            self._visit(case.body, self._under(where, test))

    def _definition(self, node: cst.FunctionDef | cst.Lambda | cst.ClassDef, where: Where) -> None:
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self._all(node.decorators, where)
        if isinstance(node, cst.ClassDef):
            self._all((*node.bases, *node.keywords), where)
        else:
            self.found += self._facts.defaults(node, where)
            self._visit(node.params, where)
        runs = where.top_level and isinstance(node, cst.ClassDef)
        self._visit(node.body, replace(where, names=self._scopes.of(node), top_level=runs))
