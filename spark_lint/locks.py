"""What a lock installs on a Spark: a walk from the projects it is for, by the markers of a Spark.

The locks of uv, Poetry, PDM and Pipenv hold every machine's packages, and say in markers who gets which.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple

from spark_lint.distributions import GROUP
from spark_lint.facts import Locked, Need
from spark_lint.names.machines import marker_holds
from spark_lint.wheel_tags import best, for_another_python

MOST_STEPS: Final = 1_000_000
"""Needs of locked packages that are followed in one lock, for all its projects, extras and groups; the largest real ones take a tenth."""
_CHARACTERS: Final = 100
"""Characters of a marker that cost as much as a step."""
LONGEST_CHAIN: Final = 8
"""Names that are told of who asks for a package."""
MOST_DIGITS: Final = 200
"""Characters of a version that is compared."""

# How uv's markers name the extras, groups and projects of which only one can be installed: `extra-7-trainer-cu130`, the number being the
# length of the project's name (github.com/astral-sh/uv, crates/uv-resolver/src/universal_marker.rs).
_CONFLICT: Final = re.compile(r"(?:extra|group|project)-\d{1,4}-.*")
_EXTRA: Final = re.compile(r"""\bextra\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)")""")
_TRUE, _FALSE = "python_version >= '0'", "python_version < '0'"


@dataclass(frozen=True, slots=True)
class Root:
    """A project that a lock is for: its folder beside the lock, `.` for its own, what it asks for, and its canonical name if that is known."""

    folder: str
    needs: tuple[Need, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Installed:
    """A locked package that a Spark gets.

    asked: for whom, as in `Locked.asked`. barred: the extras and groups that take another one in its place.
    through: who asks for it, from the project's own requirement on; empty for one of these.
    extras: what is asked for of it. needs: the requirements of the project itself that it meets.
    """

    entry: Locked
    asked: frozenset[str]
    through: tuple[str, ...] = ()
    extras: frozenset[str] = frozenset()
    needs: tuple[Need, ...] = ()
    barred: frozenset[str] = frozenset()


def judged(entry: Locked, python: str) -> Locked:
    """A locked package with what there is of it for a Spark with this Python; as it is, where the lock does not list its files.

    Where another Python is needed on any machine, it is not known what there is for that one.
    """
    if entry.wheels is None:
        return entry
    chosen = best(entry.wheels, python)
    if not chosen and for_another_python(entry.wheels, python):
        return entry
    source = entry.sdist or (entry.url and not entry.wheels)
    return replace(entry, chosen=chosen, offered="wheel" if chosen else "sdist" if source else "none")


@lru_cache(maxsize=4096)
def admits(specifier: str, version: str) -> bool:
    """Whether a version is one that a specifier admits; where that cannot be told, it is taken to."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion

    if len(specifier) > MOST_DIGITS or len(version) > MOST_DIGITS:
        return True
    try:
        return SpecifierSet(specifier).contains(version, prereleases=True)
    except (InvalidSpecifier, InvalidVersion, ValueError):
        return True


class Graph:
    """The entries of a lock, by what leads to them. left: the steps that the walks of all its projects may still take."""

    def __init__(self, entries: Iterable[Locked]) -> None:
        self.left = MOST_STEPS
        self.order: dict[int, int] = {}
        self.said: list[Locked] = []
        self.named: dict[str, list[Locked]] = defaultdict(list)
        self.versions: dict[tuple[str, str], list[Locked]] = defaultdict(list)
        self._needs: dict[int, Mapping[str, list[Need]]] = {}
        conflicts: set[str] = set()
        for number, entry in enumerate(entries):
            self.order[id(entry)] = number
            self.named[entry.name].append(entry)
            self.versions[entry.name, entry.version].append(entry)
            if entry.asked and not entry.root:
                self.said.append(entry)
            conflicts.update(_conflicts(entry))
        self.conflicts = frozenset(conflicts)

    def asks(self, entry: Locked) -> Mapping[str, list[Need]]:
        """What an entry needs, by the extra of it."""
        if id(entry) not in self._needs:
            by_extra: dict[str, list[Need]] = defaultdict(list)
            for need in entry.needs:
                by_extra[need.extra].append(need)
            self._needs[id(entry)] = by_extra
        return self._needs[id(entry)]


def installed(lock: Graph, root: Root, python: str) -> list[Installed]:
    """What a lock installs for one of its projects on a Spark with this Python, each package once, in the order of the lock.

    Entries that say themselves for whom they are need no walk; the others are there where something leads to them.
    """
    walk = _Walk(lock, root, python)
    for entry in lock.said:
        if walk.holds(entry.marker, frozenset(entry.asked)):
            walk.found[id(entry)] = _Found(entry, set(entry.asked), barred=set(entry.barred))
    by_label: dict[str, list[Need]] = {"": []}
    for need in root.needs:
        by_label.setdefault(need.extra, []).append(need)
    for label in sorted(by_label):
        walk.go(label, by_label)
    return [walk.found[place].told() for place in sorted(walk.found, key=lambda place: lock.order[place])]


@dataclass(slots=True)
class _Found:
    entry: Locked
    asked: set[str]
    through: tuple[str, ...] = ()
    extras: frozenset[str] = frozenset()
    needs: tuple[Need, ...] = ()
    barred: set[str] = field(default_factory=set)

    def told(self) -> Installed:
        through = () if self.needs else self.through
        return Installed(self.entry, frozenset(self.asked), through, self.extras, self.needs, frozenset(self.barred))


class _Step(NamedTuple):
    """A need that is followed. direct: it is the project's own."""

    need: Need
    through: tuple[str, ...]
    direct: bool


class _Walk:
    """The walk of one project. found: what it came to, by entry."""

    def __init__(self, lock: Graph, root: Root, python: str) -> None:
        self.found: dict[int, _Found] = {}
        self._lock = lock
        self._root = root
        self._python = python
        self._always: set[tuple[int, str]] = set()
        self._held: dict[tuple[str, frozenset[str]], bool] = {}

    def go(self, label: str, needs: Mapping[str, list[Need]]) -> None:
        """Follow what is asked for by everybody (no label), or by an extra or group."""
        if self._lock.conflicts:
            self._go_anew(label, needs)
            return
        seen = set[tuple[int, str]]() if label else self._always
        for step, entry in self._steps(needs[label], {label} if label else set(), seen):
            self._take(step, entry, label)

    def _go_anew(self, label: str, needs: Mapping[str, list[Need]]) -> None:
        """The same where some extras keep out what others get: each of them is a walk of its own, and two, as uv takes them.

        Extras of packages on the way may be among them too, so that only the second one knows all.
        """
        first = [*needs[""], *(needs[label] if label else ())]
        kind, name = ("group", label.removeprefix(GROUP)) if label.startswith(GROUP) else ("extra", label)
        active = {_encoded(kind, self._root.name, name), _encoded("project", self._root.name)} & self._lock.conflicts
        deque(self._steps(first, active, set(), growing=True), maxlen=0)
        there = set()
        for step, entry in self._steps(first, active, set()):
            there.add(id(entry))
            self._take(step, entry, label)
        for place, found in self.found.items() if label and self._lock.left > 0 else ():
            if "" in found.asked and place not in there and not found.entry.asked:
                found.barred.add(label)

    def _steps(
        self, needs: Iterable[Need], active: set[str], seen: set[tuple[int, str]], *, growing: bool = False
    ) -> Iterator[tuple[_Step, Locked]]:
        """Each need that leads to an entry, with it, nearest first. growing: put the extras on the way among the active ones."""
        lock, always = self._lock, self._always
        waiting = deque(_Step(need, (), True) for need in needs)
        now = frozenset(active)
        while waiting and lock.left > 0:
            step = waiting.popleft()
            lock.left -= 1
            need, through, _ = step
            brought = self._brought(need) if growing and need.extras else frozenset[str]()
            if not self.holds(need.marker, now | brought if brought else now):
                continue
            if brought - now:
                active |= brought
                now = frozenset(active)
            for entry in self._meant(need, now):
                yield step, entry
                chain = through if entry.root else (*through, entry.name)[-LONGEST_CHAIN:]
                for extra in ("", *sorted(need.extras)) if need.extras else ("",):
                    place = (id(entry), extra)
                    if place not in seen and place not in always:
                        seen.add(place)
                        waiting += [_Step(each, chain, entry.root) for each in lock.asks(entry).get(extra, ())]

    def _brought(self, need: Need) -> frozenset[str]:
        return frozenset(_encoded("extra", need.name, extra) for extra in need.extras) & self._lock.conflicts

    def _take(self, step: _Step, entry: Locked, label: str) -> None:
        if entry.root:
            return
        need = step.need
        found = self.found.get(id(entry))
        if found is None:
            found = self.found[id(entry)] = _Found(entry, set(), step.through)
        found.through = found.through or step.through
        # What is always installed is not an extra's as well.
        if "" not in found.asked and (not entry.asked or step.direct):
            found.asked.add(label)
        if need.extras and label in found.asked:
            found.extras |= need.extras
        if step.direct and len(found.needs) < LONGEST_CHAIN and need not in found.needs:
            found.needs = (*found.needs, need)

    def _meant(self, need: Need, active: frozenset[str]) -> Sequence[Locked]:
        """The entries of a name that a need leads to: of several the one of its version or address, or those whose marker holds."""
        named = self._lock.named.get(need.name, ())
        if len(named) <= 1:
            return named
        if need.version:
            named = self._lock.versions.get((need.name, need.version), ())
        self._lock.left -= len(named)
        meant = [entry for entry in named if entry.url == need.url] if need.url else []
        meant = meant or [entry for entry in named if not need.specifier or admits(need.specifier, entry.version)]
        return [entry for entry in meant or named if self.holds(entry.marker, active)]

    def holds(self, marker: str, active: frozenset[str]) -> bool:
        """Whether a marker may hold on a Spark where these extras and groups are installed."""
        if not marker:
            return True
        place = (marker, active)
        if place not in self._held:
            self._lock.left -= len(marker) // _CHARACTERS
            asked = _EXTRA.sub(lambda match: _extra(match, active), marker) if "extra" in marker else marker
            self._held[place] = marker_holds(asked, self._python) is not False
        return self._held[place]


def _extra(clause: re.Match[str], active: frozenset[str]) -> str:
    """A marker's question for an extra, answered."""
    return _TRUE if ((clause[2] or clause[3]) in active) == (clause[1] == "==") else _FALSE


def _encoded(kind: str, project: str, name: str = "") -> str:
    return f"{kind}-{len(project)}-{project}" + (f"-{name}" if name else "")


def _conflicts(entry: Locked) -> Iterator[str]:
    """The extras, groups and projects that keep each other out, as the markers of what an entry needs name them."""
    for marker in {need.marker for need in entry.needs if "extra" in need.marker}:
        yield from (name for _, *names in _EXTRA.findall(marker) if _CONFLICT.fullmatch(name := "".join(names)))
