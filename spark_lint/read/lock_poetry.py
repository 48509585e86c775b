"""poetry.lock: packages with the groups that ask for them (Poetry 2), or only with what they need (Poetry 1).

Poetry documents no format; this is what its `packages/locker.py` (github.com/python-poetry/poetry) writes, and reads of older ones.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Lock, Locked, Need, ParseProblem, Read
from spark_lint.read.lock_asked import asked, barred
from spark_lint.read.lock_blocks import KEY, MOST_NEEDS, Block, Blocks, basename, is_wheel, names, string, strings, table, tables
from spark_lint.read.poetry_versions import markers, specifier
from spark_lint.read.toml_packages import asked_for, group
from spark_lint.text import Source

_MAIN: Final = "main"
_PLACES: Final = frozenset({"git", "directory", "file", "url"})
"""Types of a source that is no index."""


def read(source: Source) -> Iterator[Read]:
    """The facts of a poetry.lock: the `Lock`, then each package, once for each marker under which a group or an extra installs it."""
    blocks = Blocks(source, "package")
    metadata = table(blocks.values, "metadata")
    span = blocks.key("python-versions")
    yield Lock(
        name="poetry",
        span=span,
        origin=span,
        written=source.cut(span),
        python=specifier(string(metadata, "python-versions") or "*"),
    )
    yield from blocks.problems
    for block in blocks.packages():
        if isinstance(block, ParseProblem):
            yield block
        elif block.name:
            yield from _package(block, metadata)


def _package(block: Block, metadata: Mapping[str, Any]) -> Iterator[Read]:
    origin = table(block.values, "source")
    kind, address = string(origin, "type"), string(origin, "url")
    files = _files(block, metadata, kind)
    wheels = None if files is None else tuple(filter(is_wheel, files))
    if kind == "git" and (revision := string(origin, "resolved_reference") or string(origin, "reference")):
        address = f"git+{address}@{revision}"
    needs = _needs(block)
    for marker, (labels, never) in _asked(block.values).items():
        yield Locked(
            name=block.name, span=block.stated, origin=block.stated, written=block.written, version=block.version,
            index="" if kind in _PLACES else address, url=address if kind in _PLACES else "", marker=marker, asked=labels,
            barred=never, needs=needs[:MOST_NEEDS], wheels=wheels, sdist=kind in ("git", "directory") or bool(files and len(wheels or ()) < len(files)),
        )  # fmt: skip
    if len(needs) > MOST_NEEDS:
        yield ParseProblem(block.stated, f"more than {MOST_NEEDS:,} dependencies: the rest is not read")


def _files(block: Block, metadata: Mapping[str, Any], kind: str) -> list[str] | None:
    """The names of a package's files; None where the lock has only hashes, or nothing. Until 1.2 of Poetry they all stood at the end."""
    listed = block.values.get("files")
    if listed is None:
        listed = table(metadata, "files").get(string(block.values, "name"))
    if not listed and kind in ("url", "file"):
        return [basename(string(table(block.values, "source"), "url"))]
    if kind in ("git", "directory"):
        return []
    # Versions 1.1 of Poetry wrote empty lists (`anyio = []`) from the summer of 2022 on: github.com/python-poetry/poetry/issues/6045.
    return [string(each, "file") for each in tables({"": listed}, "")] if isinstance(listed, list) and listed else None


def _asked(values: Mapping[str, Any]) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """For whom a package is installed and with what never, by the marker that has to hold; where the lock does not say it, only a walk can."""
    said = values.get("markers")
    found: dict[str, set[str]] = {}
    never: dict[str, frozenset[str]] = {}
    for name in strings(values, "groups"):
        marker = string(said, name) if isinstance(said, Mapping) else string(values, "markers")
        if canonicalize_name(name) != _MAIN:
            found.setdefault(marker, set()).add(group(name))
            continue
        for extras, left in asked(marker):
            found.setdefault(left, set()).update(extras)
            if "" in extras:
                never[left] = barred(marker)
    nobody = frozenset[str]()
    return {marker: (frozenset(labels), never.get(marker, nobody)) for marker, labels in found.items()} or {"": (nobody, nobody)}


@dataclass(slots=True)
class _Wanted:
    """What a package says of one that it needs. The fields are those of Need."""

    specifier: str = ""
    extras: frozenset[str] = frozenset()
    marker: str = ""
    optional: bool = False


def _needs(block: Block) -> tuple[Need, ...]:
    places, extras = block.places(KEY), _extras(block.values)
    found: list[Need] = []
    for name, said in table(block.values, "dependencies").items():
        span, canonical = places.next(name), canonicalize_name(name)
        for each in said if isinstance(said, list) else [said]:
            wanted = _wanted(each)
            for extra, marker in _for_whom(extras.get(canonical, ()), wanted).items():
                found.append(Need(canonical, span, extras=wanted.extras, marker=marker, extra=extra, specifier=wanted.specifier))
            if len(found) > MOST_NEEDS:
                return tuple(found)
    return tuple(found)


def _wanted(said: object) -> _Wanted:
    if isinstance(said, str):
        return _Wanted(specifier(said))
    if not isinstance(said, Mapping):
        return _Wanted()
    marker = markers(string(said, "markers"), string(said, "python"), string(said, "platform"))
    return _Wanted(specifier(string(said, "version") or "*"), names(said, "extras"), marker, said.get("optional") is True)


def _for_whom(extras: Iterable[str], wanted: _Wanted) -> dict[str, str]:
    """The extras of a package for which it needs another one, each with the marker that has to hold; empty text for always.

    extras: those that list it, which tell where the marker names none.
    """
    found = {extra: left for labels, left in asked(wanted.marker) for extra in sorted(labels)}
    if not wanted.optional or any(found):
        return {extra: marker for extra, marker in found.items() if extra or not wanted.optional}
    return dict.fromkeys(extras, wanted.marker)


def _extras(values: Mapping[str, Any]) -> Mapping[str, list[str]]:
    """The extras of a package that list another one, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for extra in (said := table(values, "extras")):
        for requirement in strings(said, extra):
            found[_named(requirement)].append(asked_for(extra))
    return found


def _named(requirement: str) -> str:
    """The canonical name in `scipy (>=1.10,<2) ; python_version < "3.9"`."""
    return canonicalize_name(requirement.partition(";")[0].partition("(")[0].partition("[")[0].strip())
