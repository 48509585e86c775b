"""The locks of a repository: what each of them installs where, and which requirements beside it it decides."""

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from spark_lint.distributions import pythons
from spark_lint.documents import Document
from spark_lint.facts import Fact, Index, Lock, Locked, Need, Package, ParseProblem
from spark_lint.kinds import LOCK, REQUIREMENTS
from spark_lint.links import joined
from spark_lint.lock_sources import Sources, address
from spark_lint.locks import MOST_STEPS, Graph, Installed, Root, admits, installed, judged
from spark_lint.names.machines import marker_holds
from spark_lint.names.managers import LOCKED_BY
from spark_lint.narrowing import narrowed
from spark_lint.read.pyproject_uv import OVERRIDE
from spark_lint.scope import Scope
from spark_lint.scoping import Scopes
from spark_lint.text import Span

COMPILED: Final = "requirements"
"""The format of a file that pip-compile or uv made of another one."""
_INPUT: Final = ".in"


@dataclass(frozen=True, slots=True)
class Decided:
    """A requirement that a lock decides: by which lock (its path and format), and the entry it comes to, without a version where the lock has none.

    left_out: the project's own overrides take the package out of the lock.
    """

    path: str
    format: str
    entry: Locked
    left_out: bool = False

    def read(self, scope: Scope) -> bool:
        """Whether what installs there reads the lock. pip reads none but those that it is given itself."""
        return scope.via is None if self.format == COMPILED else _reads(self.format, scope)

    @property
    def stale(self) -> bool:
        """Whether the lock does not meet the requirement any more."""
        return not self.entry.version and not self.left_out


class Locks:
    """What the locks of a repository say, worked out once. Made of where its files end up. problems: where one was not followed to its end."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self.problems: list[ParseProblem] = []
        self._facts: dict[str, list[Fact]] = {}
        self._decided: dict[tuple[str, str, str], Decided] = {}
        self._moved: dict[Span, Package] = {}
        for path, document in scopes.documents.items():
            if document.kind == LOCK:
                self._facts[path] = list(self._told(document))
            elif document.kind == REQUIREMENTS and path.endswith(_INPUT):
                self._compiled(document)

    def facts(self, path: str) -> list[Fact]:
        """The facts of a lock, with where they run: the packages that it installs, the indexes they come from, and the lock itself."""
        return self._facts[path]

    def decided(self, package: Package) -> Decided | None:
        """What a lock says about a requirement of a packaging file beside it; None where none says anything."""
        if package.role != "requirement":
            return None
        return self._decided.get((package.span.path, package.name, package.context.extra))

    def moved(self, package: Package) -> Package:
        """The package of a compiled file, said where the file that it was compiled from keeps its version."""
        own = self._moved.get(package.span) if self._moved else None
        return replace(package, origin=own.origin, written=own.written) if own else package

    def _compiled(self, document: Document) -> None:
        """A requirements.in: what the requirements.txt beside it pins, which is made from it and installed in its place."""
        twin = self._scopes.documents.get(document.path.removesuffix(_INPUT) + ".txt")
        if twin is None:
            return
        pins = {fact.name: fact for fact in twin.facts if isinstance(fact, Package) and fact.version}
        for each in document.facts:
            pin = pins.get(each.name) if isinstance(each, Package) else None
            if pin is not None and isinstance(each, Package):
                entry = Locked(name=pin.name, span=pin.span, origin=pin.origin, written=pin.written, version=pin.version)
                meets = admits(each.specifier, entry.version)
                decided = Decided(twin.path, COMPILED, entry if meets else replace(entry, version=""))
                self._decided.setdefault((document.path, each.name, ""), decided)
                if meets and _decides(each.specifier):
                    self._moved[pin.span] = each

    def _told(self, document: Document) -> Iterator[Fact]:
        lock = next((fact for fact in document.facts if isinstance(fact, Lock)), None)
        if lock is None:
            return
        entries = [fact for fact in document.facts if isinstance(fact, Locked)]
        yield replace(lock, scopes=tuple(self._places(document, lock, _beside(document.path))))
        sources = Sources(entries, self._indexes(document, lock))
        found: dict[int, Package] = {}
        lacking: dict[int, Locked] = {}
        overridden = self._overridden(document, lock)
        graph = Graph(entries)
        told: set[tuple[object, ...]] = set()
        alike: dict[tuple[Scope, ...], int] = {}
        for root in self._roots(document, lock, entries):
            folder = joined(_beside(document.path), root.folder)
            python = self._python(folder, lock)
            asked = self._requirements(folder, lock)
            # `torch<2.9; sys_platform == 'darwin'` says nothing of what a Spark gets.
            requirements = [each for each in asked if not each.marker or marker_holds(each.marker, python) is not False]
            places = self._places(document, lock, folder)
            late = self._decide(document, lock, graph, requirements, overridden)
            # What those bring along is resolved anew as well.
            kept = replace(root, needs=tuple(need for need in root.needs if need.name not in late))
            own_ones = _ranked(requirements, places)
            where = alike.setdefault(tuple(places), len(alike))
            for each in installed(graph, kept, python):
                if each.entry.name in late:
                    continue
                here = [scope for scope in places if each.barred.isdisjoint(scope.extras)]
                if not here:
                    continue
                place = id(each.entry)
                mine = own_ones.get(each.entry.name, ()) if each.needs else ()
                own = next((one for one in mine if admits(one.specifier, each.entry.version)), None)
                # The members of a workspace mostly get the same in the same places.
                kind = (place, each.asked, each.barred, bool(each.through), python, where)
                if own is None and kind in told:
                    continue
                told.add(kind)
                each = replace(each, entry=judged(each.entry, python))
                package = self._package(document, lock, each, here, own, sources)
                known = found.get(place)
                scopes = dict.fromkeys((*(known.scopes if known else ()), *package.scopes))
                # What a project asks for itself says more than what another one comes to.
                more = known is not None and (bool(package.through) or (own is None and not known.through))
                found[place] = package = replace(known if known and more else package, scopes=tuple(scopes))
                entry = package.locked or each.entry
                if entry.offered in ("none", "sdist"):
                    lacking[place] = replace(
                        entry, scopes=package.scopes, origin=package.origin, context=package.context, through=package.through
                    )
        if graph.left <= 0:
            self.problems.append(
                ParseProblem(lock.span, f"more than {MOST_STEPS:,} steps from package to package: the rest is not followed")
            )
        packages = list(found.values())
        yield from sources.used(packages)
        yield from packages
        yield from lacking.values()

    def _roots(self, document: Document, lock: Lock, entries: Iterable[Locked]) -> list[Root]:
        """The projects that a lock is for. One that does not name them is for the one beside it."""
        roots = [Root(entry.url or ".", entry.needs, entry.name) for entry in entries if entry.root]
        if roots:
            return roots
        requirements = self._requirements(_beside(document.path), lock)
        needs = [
            Need(
                each.name, each.span, extras=each.extras, marker=each.marker, extra=each.context.extra, specifier=each.specifier, url=each.url
            )
            for each in requirements
        ]  # fmt: skip
        return [Root(".", tuple(needs))]

    def _requirements(self, folder: str, lock: Lock) -> Iterator[Package]:
        """What the packaging files in a folder ask for."""
        for document in self._manifests(folder, lock):
            for fact in document.facts:
                if not isinstance(fact, Package) or fact.role != "requirement" or fact.name.startswith("conda/"):
                    continue
                if not self._scopes.projects.passed_over(document.path, fact.context.extra):
                    yield fact

    def _manifests(self, folder: str, lock: Lock) -> list[Document]:
        """The packaging files in a folder, as the lock's manager reads them."""
        paths = self._scopes.projects.files("" if folder == "." else folder, installer=lock.name)
        return [self._scopes.documents[path] for path in paths]

    def _indexes(self, document: Document, lock: Lock) -> dict[str, Index]:
        """The indexes that the packaging files beside a lock name, by address."""
        facts = (fact for each in self._manifests(_beside(document.path), lock) for fact in each.facts)
        return {address(fact.url): fact for fact in facts if isinstance(fact, Index) and fact.url}

    def _overridden(self, document: Document, lock: Lock) -> frozenset[str]:
        """The packages of which the project beside a lock says itself what it takes, whatever else asks for.

        docs.astral.sh/uv/reference/settings/#override-dependencies, pdm-project.org/en/latest/usage/dependency/#dependency-overrides
        """
        facts = (fact for each in self._manifests(_beside(document.path), lock) for fact in each.facts)
        return frozenset(fact.name for fact in facts if isinstance(fact, Package) and OVERRIDE in fact.flags)

    def _places(self, document: Document, lock: Lock, folder: str) -> list[Scope]:
        """Where what a lock holds is installed: where its project is by something that reads it, and where the lock itself is pulled in."""
        found = [scope for each in self._manifests(folder, lock) for scope in self._scopes.places(each)]
        found += self._scopes.pulled.get(document.path, [])
        default = self._scopes.default(document)
        if default.elsewhere:
            return [default]
        reading = [scope for scope in found if _reads(lock.name, scope)]
        return list(dict.fromkeys(reading)) or [default]

    def _python(self, folder: str, lock: Lock) -> str:
        assumed = self._scopes.assumed.python
        own = self._scopes.projects.python(posixpath.join("" if folder == "." else folder, "pyproject.toml"), assumed)
        return next(iter(pythons(lock.python, own)), own) if lock.python else own

    def _package(
        self, document: Document, lock: Lock, each: Installed, places: list[Scope], own: Package | None, sources: Sources
    ) -> Package:
        entry = each.entry
        extra, scopes = self._asking(document, each.asked, places)
        index = sources.of(entry)
        around = self._scopes.around[document.path]
        decisive = own if own is not None and _decides(own.specifier) else None
        package = Package(
            name=entry.name, span=entry.span, origin=decisive.origin if decisive else entry.origin,
            written=decisive.written if decisive else entry.written, context=replace(entry.context, extra=extra),
            specifier=f"=={entry.version}" if entry.version else "", extras=each.extras, url=entry.url, locked=entry,
            manager="conda" if entry.name.startswith("conda/") else LOCKED_BY.get(lock.name, "pip"), through=each.through,
            flags=own.flags if own else frozenset(), environment=own.environment if own else (),
        )  # fmt: skip
        indexes = (index,) if index else ()
        sparks = self._scopes.assumed.sparks
        placed = (narrowed(package, replace(scope, indexes=()), around, indexes, "", sparks) for scope in scopes)
        return replace(package, scopes=tuple(dict.fromkeys(placed)))

    def _asking(self, document: Document, asked: frozenset[str], places: list[Scope]) -> tuple[str, list[Scope]]:
        """For whom a package is installed, and those of the places where somebody asks for it."""
        if "" in asked or not asked:
            return "", places
        wanted = [extra for extra in sorted(asked) if any(extra in scope.extras and not scope.elsewhere for scope in places)]
        extra = (wanted or sorted(asked, key=lambda extra: (extra.startswith("group:"), extra)))[0]
        return extra, self._scopes.asking(document, places, extra)

    def _decide(
        self,
        document: Document,
        lock: Lock,
        graph: Graph,
        requirements: Iterable[Package],
        overridden: frozenset[str],
    ) -> frozenset[str]:
        """Note which requirements a lock decides; the packages of those that it does not meet any more, which it decides no more."""
        late: set[str] = set()
        if not graph.named:
            return (
                frozenset()
            )  # it is empty, or it holds the packages of other platforms alone: whether it is up to date cannot be seen
        for each in requirements:
            held = graph.named.get(each.name, [])
            if not held and document.problems:
                continue  # it may stand in what could not be read
            if any(entry.root or not entry.version for entry in held) or each.url:
                continue
            free = each.name in overridden
            meeting = next(
                (entry for entry in held if free or each.span.path == entry.span.path or admits(each.specifier, entry.version)),
                None,
            )
            none = replace(held[0], version="") if held else _nothing(lock, each.name)
            decided = Decided(document.path, lock.name, meeting or none, left_out=free and not held)
            self._decided.setdefault((each.span.path, each.name, each.context.extra), decided)
            late |= {each.name} if decided.stale else set()
        return frozenset(late)


def _ranked(requirements: Iterable[Package], places: Iterable[Scope]) -> dict[str, list[Package]]:
    """A project's own requirements by name: first those that somebody installs, of these the ones that keep the version."""
    asked = {"", *(extra for scope in places if not scope.elsewhere for extra in scope.extras)}
    found: dict[str, list[Package]] = defaultdict(list)
    for each in sorted(requirements, key=lambda each: (each.context.extra not in asked, not _decides(each.specifier))):
        found[each.name].append(each)
    return found


def _reads(format: str, scope: Scope) -> bool:
    return scope.installer in ("", LOCKED_BY.get(format, ""))


def _beside(path: str) -> str:
    return posixpath.dirname(path) or "."


def _nothing(lock: Lock, name: str) -> Locked:
    return Locked(name=name, span=lock.span, origin=lock.origin, written="")


def _decides(specifier: str) -> bool:
    """Whether a requirement itself keeps the version from a newer one: it pins it, or caps it more closely than at a major version."""
    for clause in specifier.replace(" ", "").split(","):
        if clause.startswith(("==", "~=", "<=")) or (clause.startswith("<") and "." in clause.removesuffix(".0")):
            return True
    return False
