"""What a file's own functions run with the words they are given, and what its loops run for each of several words.

`def install(package): subprocess.check_call([sys.executable, "-m", "pip", "install", package])` says nothing by itself; what is
installed stands where it is called. Each call is read as if the function's body stood there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import libcst as cst

from spark_lint.facts import Condition, Context, Read
from spark_lint.read.python_commands import MAY_RUN, Commands, runner
from spark_lint.read.python_facts import Where
from spark_lint.read.python_lists import A_FACT, Lists
from spark_lint.read.python_names import Binding, Names
from spark_lint.read.python_options import called
from spark_lint.read.python_places import children
from spark_lint.read.python_scope import parameters
from spark_lint.read.python_values import Values

_DEEPEST: Final = 4
"""Functions that call functions which run something: `run_pip` calls `run`, which calls `subprocess.run`."""
_MOST: Final = 200
"""Rounds of one loop that are read."""
_ROUNDS: Final = (cst.List, cst.Tuple, cst.Set)


@dataclass(frozen=True, slots=True)
class _Called:
    """A call as the walk came by it."""

    node: cst.Call
    names: Names
    conditions: tuple[Condition, ...]
    loops: tuple[cst.For, ...]


class Functions:
    """The calls of one file that run something, for whatever their functions and loops are given."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._calls: dict[Names, list[_Called]] = {}
        self._running: dict[Names, bool] = {}

    def of_call(self, node: cst.Call, where: Where) -> Iterator[Read]:
        """What a call runs beyond what it says itself: nothing for most. To be gone through when the whole file was walked."""
        called = _Called(node, where.names, where.conditions, where.loops)
        if _runs(node, where.names):
            self._calls.setdefault(where.names, []).append(called)
            return chain.from_iterable(self._run(called, scope) for scope in self._rounds(called))
        if _defined(node, where.names) is not None:
            self._calls.setdefault(where.names, []).append(called)
            return self._of_function(called, 0)
        return iter(())

    def _run(self, called: _Called, names: Names) -> Iterator[Read]:
        if not self._values.afford(A_FACT):
            return
        values = Values(self._values.places, self._values.budget)
        context = Context(conditions=called.conditions)
        yield from Commands(Lists(values, again=True)).of_call(called.node, names.path(called.node.func), names, context)

    def _of_function(self, called: _Called, depth: int) -> Iterator[Read]:
        """What a function of the file runs when it is called so."""
        found = _defined(called.node, called.names)
        if found is None or depth >= _DEEPEST or not self._runs(found.names, depth):
            return
        for scope in self._rounds(called) or [called.names]:
            if not self._affords(found.names):
                return
            given = _given(called.node, found, scope)
            inner = found.names.bound(given)
            for each in self._calls.get(found.names, ()):
                tests = (test for test in each.conditions if test not in called.conditions)
                at = _Called(each.node, inner, (*called.conditions, *tests), each.loops)
                if not _used(each.node.args, inner, given):
                    continue  # it runs the same for whoever calls it
                if not _runs(each.node, inner):
                    yield from self._of_function(at, depth + 1)
                    continue
                for round_ in self._rounds(at) or [inner]:
                    yield from self._run(at, round_)

    def _runs(self, scope: Names, depth: int) -> bool:
        """Whether a function runs a program, by itself or through another one."""
        if scope not in self._running:
            self._running[scope] = False  # what only calls itself runs nothing
            calls = self._calls.get(scope, ())
            self._running[scope] = any(_runs(each.node, each.names) for each in calls) or any(
                depth < _DEEPEST and (found := _defined(each.node, each.names)) is not None and self._runs(found.names, depth + 1)
                for each in calls
            )
        return self._running[scope]

    def _affords(self, names: Names) -> bool:
        return self._values.afford(A_FACT + len(names.bindings) + len(names.added))

    def _rounds(self, called: _Called) -> list[Names]:
        """The scope of a call for each round of the loop whose variable it uses; none where it uses none, or nothing is known of it."""
        if not called.loops:
            return []
        names, used = called.names, set(_variables(called.node.args, called.names))
        for loop in reversed(called.loops):
            name = loop.target.value if isinstance(loop.target, cst.Name) else ""
            if name in used and all(each.kind == "each" for each in names.bindings[name]):
                elements, scope = _elements(loop.iter, names)
                words = [each.value for each in elements if isinstance(each, cst.Element)][:_MOST]
                return [names.bound({name: Binding("value", scope, node=word)}) for word in words if self._affords(names)]
        return []


def _runs(node: cst.Call, names: Names) -> bool:
    """Whether what is called runs a program, by its name."""
    return called(node) in MAY_RUN and runner(names.path(node.func), names) is not None


def _defined(node: cst.Call, names: Names) -> Binding | None:
    """The one function of the file that is called."""
    found = names.find(node.func.value) if isinstance(node.func, cst.Name) else []
    return found[0] if len(found) == 1 and isinstance(found[0].place, cst.FunctionDef) else None


def _given(node: cst.Call, function: Binding, names: Names) -> dict[str, Binding]:
    """The parameters of a function as a call gives them. One that the function sets again stays unknown."""
    if not isinstance(function.place, cst.FunctionDef):
        return {}
    params = function.place.params
    found = {
        each.name.value: Binding("value", function.names.parent or function.names, node=each.default)
        for each in parameters(params)
        if each.default is not None
    }
    slots = [each.name.value for each in (*params.posonly_params, *params.params)]
    rest: list[cst.BaseElement] = []
    for each in node.args:
        if each.keyword is not None:
            found[each.keyword.value] = Binding("value", names, node=each.value)
        elif each.star == "**":
            continue
        elif each.star or rest or not slots:
            rest.append(cst.StarredElement(each.value) if each.star else cst.Element(each.value))
        else:
            found[slots.pop(0)] = Binding("value", names, node=each.value)
    if isinstance(params.star_arg, cst.Param):
        found[params.star_arg.name.value] = Binding("value", names, node=cst.Tuple(rest))
    own = {each.name.value for each in parameters(params)}
    return {name: binding for name, binding in found.items() if name in own and len(function.names.bindings.get(name, ())) == 1}


def _variables(nodes: Sequence[cst.CSTNode], names: Names) -> Iterator[str]:
    """The names of this scope that expressions are made of, through other names of it; each once."""
    seen: set[str] = set()
    stack = [*nodes]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Name) and node.value not in seen and node.value in names.bindings:
            seen.add(node.value)
            yield node.value
            more = (*names.bindings[node.value], *names.added.get(node.value, ()))
            stack += [
                each.node
                for each in more
                if each.kind in ("value", "more", "each") and each.node is not None and each.names is names
            ]
        elif not isinstance(node, cst.Name):
            stack += children(node)


def _used(args: Sequence[cst.Arg], names: Names, given: Mapping[str, Binding]) -> bool:
    return any(name in given for name in _variables(args, names))


def _elements(node: cst.BaseExpression, names: Names) -> tuple[Sequence[cst.BaseElement], Names]:
    """The elements of a list that is written out, or of a name for one to which nothing is added, and their scope."""
    made = names.made(node.value) if isinstance(node, cst.Name) and not names.additions(node.value) else None
    if made is not None and made.node is not None:
        node, names = made.node, made.names
    return (node.elements if isinstance(node, _ROUNDS) else ()), names
