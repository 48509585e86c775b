"""What a lock installs on a Spark: a walk from the projects it is for, by the markers of a Spark.

The locks of uv, Poetry, PDM and Pipenv hold every machine's packages, and say in markers who gets which.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from spark_lint.facts import Locked, Need
from spark_lint.names.machines import marker_holds
from spark_lint.wheel_tags import best

MOST_STEPS: Final = 1_000_000
"""Needs of locked packages that are followed in one lock."""
LONGEST_CHAIN: Final = 8
"""Names that are told of who asks for a package."""

# How uv's markers name the extras and groups of which only one can be installed: `extra-5-trainer-cu130`, the number being the length of
# the project's name (github.com/astral-sh/uv, crates/uv-pypi-types/src/conflicts.rs).
_CONFLICT: Final = re.compile(r"(extra|group)-(\d{1,4})-(.*)")
_EXTRA: Final = re.compile(r"""\bextra\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)")""")
_TRUE, _FALSE = "python_version >= '0'", "python_version < '0'"


@dataclass(frozen=True, slots=True)
class Root:
    """A project that a lock is for: its folder beside the lock, `.` for its own, and what it asks for."""

    folder: str
    needs: tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class Installed:
    """A locked package that a Spark gets.

    asked: for whom, as in `Locked.asked`. through: who asks for it, from the project's own requirement on; empty for one of these.
    extras: what is asked for of it. needs: the requirements of the project itself that it meets.
    """

    entry: Locked
    asked: frozenset[str]
    through: tuple[str, ...] = ()
    extras: frozenset[str] = frozenset()
    needs: tuple[Need, ...] = ()


def judged(entry: Locked, python: str) -> Locked:
    """A locked package with what there is of it for a Spark with this Python; as it is, where the lock does not list its files."""
    if entry.wheels is None:
        return entry
    chosen = best(entry.wheels, python)
    source = entry.sdist or (entry.url and not entry.wheels)
    return replace(entry, chosen=chosen, offered="wheel" if chosen else "sdist" if source else "none")


def installed(entries: Sequence[Locked], root: Root, python: str) -> list[Installed]:
    """What a lock installs for one of its projects on a Spark with this Python, each package once, in the order of the lock.

    Entries that say themselves for whom they are need no walk; the others are there where something leads to them.
    """
    walk = _Walk(entries, root, python)
    for entry in entries:
        if entry.asked and not entry.root and walk.holds(entry.marker, frozenset(entry.asked)):
            walk.found[id(entry)] = _Found(entry, set(entry.asked))
    for label in sorted({need.extra for need in root.needs} | {""}):
        walk.go(label)
    return [walk.found[id(entry)].told() for entry in entries if id(entry) in walk.found]


@dataclass(slots=True)
class _Found:
    entry: Locked
    asked: set[str]
    through: tuple[str, ...] = ()
    extras: frozenset[str] = frozenset()
    needs: tuple[Need, ...] = ()

    def told(self) -> Installed:
        return Installed(self.entry, frozenset(self.asked), () if self.needs else self.through, self.extras, self.needs)


class _Walk:
    """The walk of one project. found: what it came to, by entry."""

    def __init__(self, entries: Iterable[Locked], root: Root, python: str) -> None:
        self.found: dict[int, _Found] = {}
        self._root = root
        self._python = python
        self._left = MOST_STEPS
        self._named: dict[str, list[Locked]] = defaultdict(list)
        self._needs: dict[int, Mapping[str, list[Need]]] = {}
        self._always: set[tuple[int, str]] = set()
        self._held: dict[tuple[str, frozenset[str]], bool] = {}
        for entry in entries:
            self._named[entry.name].append(entry)

    def go(self, label: str) -> None:
        """Follow what is asked for by everybody (no label), or by an extra or group."""
        active = frozenset({label}) if label else frozenset()
        seen = self._always if not label else set(self._always)
        waiting: deque[tuple[Need, tuple[str, ...], bool]] = deque()
        waiting += ((need, (), True) for need in self._root.needs if need.extra == label)
        while waiting and self._left > 0:
            need, through, direct = waiting.popleft()
            self._left -= 1
            if not self.holds(need.marker, active):
                continue
            for entry in self._meant(need, active):
                if not entry.root:
                    self._take(entry, need, label, through, direct=direct)
                chain = through if entry.root else (*through, entry.name)[-LONGEST_CHAIN:]
                for extra in ("", *sorted(need.extras)):
                    if (id(entry), extra) not in seen:
                        seen.add((id(entry), extra))
                        waiting += ((each, chain, entry.root) for each in self._asks(entry).get(extra, ()))

    def _take(self, entry: Locked, need: Need, label: str, through: tuple[str, ...], *, direct: bool) -> None:
        found = self.found.setdefault(id(entry), _Found(entry, set(), through))
        found.through = found.through or through
        # What is always installed is not an extra's as well.
        if "" not in found.asked and (not entry.asked or direct):
            found.asked.add(label)
        found.extras |= need.extras
        if direct and len(found.needs) < LONGEST_CHAIN:
            found.needs = (*found.needs, need)

    def _asks(self, entry: Locked) -> Mapping[str, list[Need]]:
        if id(entry) not in self._needs:
            by_extra: dict[str, list[Need]] = defaultdict(list)
            for need in entry.needs:
                by_extra[need.extra].append(need)
            self._needs[id(entry)] = by_extra
        return self._needs[id(entry)]

    def _meant(self, need: Need, active: frozenset[str]) -> Iterator[Locked]:
        """The entries of a name that a need leads to: of several the one of its version, or those whose marker holds."""
        named = self._named.get(need.name, [])
        if len(named) == 1:
            yield from named
            return
        for entry in named:
            if need.version in ("", entry.version) and self.holds(entry.marker, active):
                yield entry

    def holds(self, marker: str, active: frozenset[str]) -> bool:
        """Whether a marker may hold on a Spark where these extras and groups are installed."""
        if not marker:
            return True
        place = (marker, active)
        if place not in self._held:
            asked = _EXTRA.sub(lambda match: _extra(match, active), marker) if "extra" in marker else marker
            self._held[place] = marker_holds(asked, self._python) is not False
        return self._held[place]


def _extra(clause: re.Match[str], active: frozenset[str]) -> str:
    """A marker's question for an extra, answered."""
    name = clause[2] or clause[3] or ""
    if conflict := _CONFLICT.fullmatch(name):
        rest = conflict[3][int(conflict[2]) + 1 :]
        name = rest if conflict[1] == "extra" else f"group:{rest}"
    return _TRUE if (name in active) == (clause[1] == "==") else _FALSE
