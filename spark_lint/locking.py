"""The locks of a repository: what each of them installs where, and which requirements beside it it decides."""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from spark_lint.distributions import pythons
from spark_lint.documents import Document
from spark_lint.facts import Context, Fact, Index, Lock, Locked, Need, Package
from spark_lint.files import LOCK, REQUIREMENTS
from spark_lint.links import joined
from spark_lint.locks import Installed, Root, installed, judged
from spark_lint.names.managers import LOCKED_BY
from spark_lint.narrowing import narrowed
from spark_lint.read.requirement import accelerator_tag
from spark_lint.scope import Scope
from spark_lint.scoping import Scopes
from spark_lint.text import Span

COMPILED: Final = "requirements"
"""The format of a file that pip-compile or uv made of another one."""
_INPUT: Final = ".in"
_MOST_DIGITS: Final = 200
"""Characters of a version that is compared."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A requirement that a lock decides: by which lock (its path and format), and the entry it comes to, without a version where the lock has none."""

    path: str
    format: str
    entry: Locked

    def read(self, scope: Scope) -> bool:
        """Whether what installs there reads the lock. pip reads none but those that it is given itself."""
        return scope.via is None if self.format == COMPILED else _reads(self.format, scope)

    @property
    def stale(self) -> bool:
        """Whether the lock does not meet the requirement any more."""
        return not self.entry.version


class Locks:
    """What the locks of a repository say, worked out once. Made of where its files end up."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
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
                meets = _meets(entry, each)
                decided = Decided(twin.path, COMPILED, entry if meets else replace(entry, version=""))
                self._decided.setdefault((document.path, each.name, ""), decided)
                if meets and _decides(each.specifier):
                    self._moved[pin.span] = each

    def _told(self, document: Document) -> Iterator[Fact]:
        lock = next((fact for fact in document.facts if isinstance(fact, Lock)), None)
        if lock is None:
            return
        entries = [fact for fact in document.facts if isinstance(fact, Locked)]
        yield replace(lock, scopes=tuple(self._places(document, lock, _beside(document.path), [])))
        sources = _Sources(entries, self._indexes(document, lock))
        found: dict[int, Package] = {}
        lacking: dict[int, Locked] = {}
        for root in self._roots(document, lock, entries):
            folder = joined(_beside(document.path), root.folder)
            requirements = list(self._requirements(folder, lock))
            places = self._places(document, lock, folder, requirements)
            python = self._python(folder, lock)
            late = self._decide(document, lock, entries, requirements)
            for each in installed(entries, root, python):
                if each.needs and each.entry.name in late:
                    continue
                place = id(each.entry)
                own = next((one for one in requirements if one.name == each.entry.name and each.needs), None)
                each = replace(each, entry=judged(each.entry, python))
                package = self._package(document, lock, each, places, own, sources)
                known = found.get(place)
                scopes = dict.fromkeys((*(known.scopes if known else ()), *package.scopes))
                # What a project asks for itself says more than what another one comes to.
                found[place] = package = replace(known if known and package.through else package, scopes=tuple(scopes))
                entry = package.locked or each.entry
                if entry.offered in ("none", "sdist"):
                    lacking[place] = replace(entry, scopes=package.scopes, origin=package.origin, context=package.context)
        packages = list(found.values())
        yield from sources.used(packages)
        yield from packages
        yield from lacking.values()

    def _roots(self, document: Document, lock: Lock, entries: Iterable[Locked]) -> list[Root]:
        """The projects that a lock is for. One that does not name them is for the one beside it."""
        roots = [Root(entry.url or ".", entry.needs) for entry in entries if entry.root]
        if roots:
            return roots
        requirements = self._requirements(_beside(document.path), lock)
        needs = [
            Need(each.name, each.span, extras=each.extras, marker=each.marker, extra=each.context.extra) for each in requirements
        ]
        return [Root(".", tuple(needs))]

    def _requirements(self, folder: str, lock: Lock) -> Iterator[Package]:
        """What the packaging files in a folder ask for."""
        for path in self._scopes.projects.files("" if folder == "." else folder, installer=lock.name):
            document = self._scopes.documents[path]
            for fact in document.facts:
                wanted = isinstance(fact, Package) and fact.role == "requirement" and not fact.name.startswith("conda/")
                if isinstance(fact, Package) and wanted and not self._scopes.projects.passed_over(path, fact.context.extra):
                    yield fact

    def _indexes(self, document: Document, lock: Lock) -> dict[str, Index]:
        """The indexes that the packaging files beside a lock name, by address."""
        files = self._scopes.projects.files("" if (folder := _beside(document.path)) == "." else folder, installer=lock.name)
        facts = (fact for path in files for fact in self._scopes.documents[path].facts)
        return {_address(fact.url): fact for fact in facts if isinstance(fact, Index) and fact.url}

    def _places(self, document: Document, lock: Lock, folder: str, requirements: list[Package]) -> list[Scope]:
        """Where what a lock holds is installed: where its project is by something that reads it, and where the lock itself is pulled in."""
        files = self._scopes.projects.files("" if folder == "." else folder, installer=lock.name)
        found = [scope for path in files for scope in self._scopes.places(self._scopes.documents[path])]
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
        self, document: Document, lock: Lock, each: Installed, places: list[Scope], own: Package | None, sources: "_Sources"
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
        self, document: Document, lock: Lock, entries: Iterable[Locked], requirements: Iterable[Package]
    ) -> frozenset[str]:
        """Note which requirements a lock decides; the packages of those that it does not meet any more, which it decides no more."""
        late: set[str] = set()
        named: dict[str, list[Locked]] = defaultdict(list)
        for entry in entries:
            named[entry.name].append(entry)
        for each in requirements:
            held = named.get(each.name, [])
            if any(entry.root or not entry.version for entry in held) or each.url:
                continue
            meeting = next((entry for entry in held if each.span.path == entry.span.path or _meets(entry, each)), None)
            none = replace(held[0], version="") if held else _nothing(lock, each.name)
            decided = Decided(document.path, lock.name, meeting or none)
            self._decided.setdefault((each.span.path, each.name, each.context.extra), decided)
            late |= {each.name} if decided.stale else set()
        return frozenset(late)


class _Sources:
    """Where the packages of a lock come from. The index of most of them stands for the default one, of which companies keep mirrors."""

    def __init__(self, entries: Iterable[Locked], named: dict[str, Index]) -> None:
        counted = Counter(_address(entry.index) for entry in entries if entry.index and not entry.root)
        self._main = next((url for url, _ in counted.most_common(1) if not accelerator_tag(url)), "")
        self._named = named
        self._known: dict[str, Index] = {}

    def of(self, entry: Locked) -> Index | None:
        """The index that a package comes from; None for the default one."""
        url = _address(entry.index)
        if not url or url == self._main:
            return None
        if url not in self._known:
            own = self._named.get(url)
            # Where the project's own file names it, that is where it is changed.
            self._known[url] = Index(
                name=accelerator_tag(url), span=entry.span, origin=own.origin if own else entry.span, written=own.written if own else url,
                context=Context(), url=entry.index, label=own.label if own else "", explicit=True,
            )  # fmt: skip
        return self._known[url]

    def used(self, packages: Iterable[Package]) -> Iterator[Index]:
        """The indexes that packages come from, with where these are installed."""
        taking: dict[str, dict[Scope, None]] = defaultdict(dict)
        for each in packages:
            for scope in each.scopes:
                for index in scope.indexes:
                    taking[_address(index.url)][replace(scope, indexes=())] = None
        for url, index in self._known.items():
            if url in taking:
                yield replace(index, scopes=tuple(taking[url]))


def _reads(format: str, scope: Scope) -> bool:
    return scope.installer in ("", LOCKED_BY.get(format, ""))


def _beside(path: str) -> str:
    return posixpath.dirname(path) or "."


def _address(url: str) -> str:
    return url.rstrip("/")


def _nothing(lock: Lock, name: str) -> Locked:
    return Locked(name=name, span=lock.span, origin=lock.origin, written="")


def _meets(entry: Locked, requirement: Package) -> bool:
    """Whether a locked version is one that a requirement admits; where that cannot be told, it is taken to."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion

    if len(requirement.specifier) > _MOST_DIGITS or len(entry.version) > _MOST_DIGITS:
        return True
    try:
        return SpecifierSet(requirement.specifier).contains(entry.version, prereleases=True)
    except (InvalidSpecifier, InvalidVersion, ValueError):
        return True


def _decides(specifier: str) -> bool:
    """Whether a requirement itself keeps the version from a newer one: it pins it, or caps it more closely than at a major version."""
    for clause in specifier.replace(" ", "").split(","):
        if clause.startswith(("==", "~=", "<=")) or (clause.startswith("<") and "." in clause.removesuffix(".0")):
            return True
    return False
