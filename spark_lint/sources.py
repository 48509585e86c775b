"""From which package indexes is something installed? Those of its file, its install and its surroundings, and what a project binds."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from spark_lint.documents import Document, Group
from spark_lint.facts import Binding, Context, Index, Package
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
    """What the packaging file of a project says about where its packages come from. pip reads none of it."""

    def __init__(self, document: Document, python: str) -> None:
        indexes = [each for each in document.facts if isinstance(each, Index)]
        self._labelled = {each.label: each for each in reversed(indexes) if each.label}
        self._python = python
        self._bindings: dict[str, list[Binding]] = defaultdict(list)
        for each in document.facts:
            if isinstance(each, Binding):
                self._bindings[each.name].append(each)
        self.general = tuple(each for each in indexes if not each.explicit)[:MOST_INDEXES]
        self.says_anything = bool(indexes or self._bindings)

    def of(self, package: Package) -> Package:
        """The package with the address that it is bound to, if it is to one that is no index."""
        for each in self._holding(package):
            if each.url:
                return replace(package, url=each.url, origin=each.origin)
        return package

    def indexes(self, package: Package) -> tuple[Index, ...]:
        """Those from which a package may come: the one it is bound to, or all that are for every package."""
        bound = [self._labelled[each.index] for each in self._holding(package) if each.index in self._labelled]
        return tuple(dict.fromkeys(bound))[:MOST_INDEXES] if bound else self.general

    def _holding(self, package: Package) -> Iterator[Binding]:
        for each in self._bindings.get(package.name, ()):
            extra = each.context.extra
            here = not each.marker or marker_holds(each.marker, self._python) is not False
            if here and extra in ("", package.context.extra):
                yield each


def of_index(index: Index, taking: list[Scope]) -> tuple[Scope, ...]:
    """Where an index that only serves what is bound to it is in force: wherever something takes from it. taking: the places of all packages."""
    found = [scope for scope in taking if index in scope.indexes]
    plain = (replace(scope, indexes=()) for scope in found)
    return tuple(dict.fromkeys(plain)) or (Scope(elsewhere=True),)
