"""From which package indexes is something installed? Those of its file, its install and its surroundings, and what a project binds."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from spark_lint.documents import Document, Group
from spark_lint.facts import Binding, Context, Fact, Index, Package
from spark_lint.names.machines import marker_holds
from spark_lint.scope import Scope

MOST_INDEXES: Final = 30
"""Package indexes in force in one place that are looked at; nobody has more than a few."""


def both(one: tuple[Index, ...], other: tuple[Index, ...]) -> tuple[Index, ...]:
    """The indexes of both, each once, and no more of them than are looked at."""
    if not one or not other:
        return (one or other)[:MOST_INDEXES]
    return tuple(dict.fromkeys((*one, *other[:MOST_INDEXES])))[:MOST_INDEXES]


def of_stages(document: Document) -> dict[int | tuple[None, int], tuple[Index, ...]]:
    """Indexes that stay in force, by build stage, or by block outside one."""
    found: dict[int | tuple[None, int], list[Index]] = defaultdict(list)
    for each in document.lasting:
        place = (None, each.context.block) if each.context.stage is None else each.context.stage
        if len(found[place]) < MOST_INDEXES:
            found[place].append(each)
    return {place: tuple(indexes) for place, indexes in found.items()}


class Installs:
    """The indexes in force for the installs of some documents, worked out once."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.lasting = {path: of_stages(each) for path, each in documents.items()}
        self._forced: dict[tuple[str, int, int], tuple[Index, ...]] = {}

    def of_stage(self, document: Document, stage: int) -> tuple[Index, ...]:
        """Those of a build stage itself."""
        return self.lasting[document.path].get(stage, ())

    def in_force(self, document: Document, context: Context, group: Group | None) -> tuple[Index, ...]:
        """The indexes in force for an install: its own, and those of the whole script or service (`export PIP_INDEX_URL=…`, `environment:`)."""
        lasting = self.lasting[document.path].get((None, context.block), ())
        if group is None or not group.indexes:
            return lasting
        place = (document.path, context.block, id(group))
        if place not in self._forced:
            self._forced[place] = both(lasting, group.indexes)
        return self._forced[place]


class Bound:
    """What a packaging file or a script's header says about where its packages come from. pip reads none of it."""

    def __init__(self, facts: Iterable[Fact], python: str, around: "Bound | None" = None) -> None:
        """facts: of the file or header. python: for which markers are judged. around: what the workspace says that it is a member of."""
        facts = list(facts)
        self.own = tuple(each for each in facts if isinstance(each, Index))
        inherited = around.own if around else ()
        self._labelled = {each.label: each for each in (*inherited, *reversed(self.own)) if each.label}
        self._python = python
        # Those that hold on a Spark, by package and by the extra or group for which they are.
        self._bindings: dict[str, dict[str, list[Binding]]] = {}
        self._asked: dict[tuple[str, frozenset[str]], tuple[Binding, ...]] = {}
        for each in facts:
            if isinstance(each, Binding):
                own = self._bindings.setdefault(each.name, {}).setdefault(each.context.extra, [])
                if len(own) < MOST_INDEXES and self._here(each):
                    own.append(each)
        for name, bindings in around._bindings.items() if around else ():
            self._bindings.setdefault(name, bindings)
        self._held = {each.index for bindings in self._bindings.values() for own in bindings.values() for each in own}
        self._general = tuple(each for each in (*self.own, *inherited) if not each.explicit)[:MOST_INDEXES]
        self.says_anything = bool(self._labelled or self._general or self._bindings)

    def of(self, package: Package) -> Package:
        """The package with the address that it is bound to, if it is to one that is no index."""
        for each in self._holding(package, frozenset()):
            if each.url:
                return replace(package, url=each.url, origin=each.origin)
        return package

    def places(self, package: Package, scopes: list[Scope]) -> list[Scope]:
        """Where a package is asked for. One that every extra takes from elsewhere is installed with one of them, if anybody does so."""
        chosen = self._bindings.get(package.name, {}).keys()
        return (chosen and "" not in chosen and [scope for scope in scopes if not chosen.isdisjoint(scope.extras)]) or scopes

    def indexes(self, package: Package, scope: Scope) -> tuple[Index, ...]:
        """Those from which a package may come: the one it is bound to, or all that are for every package."""
        if scope.installer == "pip":
            return ()
        holding = self._holding(package, scope.extras)
        bound = [self._labelled[each.index] for each in holding if each.index in self._labelled]
        return tuple(dict.fromkeys(bound))[:MOST_INDEXES] if bound else self._general

    def holds(self, label: str) -> bool:
        """Whether something is bound to an index on a Spark."""
        return label in self._held

    def always_holds(self, label: str) -> bool:
        """The same, without any extra or group that has to be asked for."""
        return any(each.index == label for bindings in self._bindings.values() for each in bindings.get("", ()))

    def _here(self, binding: Binding) -> bool:
        return not binding.marker or marker_holds(binding.marker, self._python) is not False

    def _holding(self, package: Package, extras: frozenset[str]) -> Iterator[Binding]:
        bindings, extra = self._bindings.get(package.name, {}), package.context.extra
        yield from bindings.get(extra, ())
        if extra:
            yield from bindings.get("", ())
        if extras and bindings:
            yield from self._of_others(package.name, extras)

    def _of_others(self, name: str, extras: frozenset[str]) -> tuple[Binding, ...]:
        """The bindings of a package for all of some extras."""
        if (name, extras) not in self._asked:
            found = (each for extra, own in self._bindings[name].items() if extra in extras for each in own)
            self._asked[name, extras] = tuple(islice(found, MOST_INDEXES))
        return self._asked[name, extras]
