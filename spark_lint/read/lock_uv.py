"""uv.lock: what `uv sync` installs, of every machine, with who asks for what.

https://docs.astral.sh/uv/concepts/projects/layout/#the-lockfile; written by crates/uv-resolver/src/lock/serialize.rs of
https://github.com/astral-sh/uv.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qs

from packaging.utils import canonicalize_name

from spark_lint.facts import Lock, Locked, Need, ParseProblem, Read
from spark_lint.read.lock_blocks import (
    MOST_NEEDS,
    TABLE,
    Block,
    Blocks,
    Places,
    basename,
    either,
    is_address,
    is_wheel,
    names,
    string,
    strings,
    table,
    tables,
)
from spark_lint.read.toml_packages import asked_for, group
from spark_lint.text import Source

_VERSION: Final = 1
_EXTRA: Final = re.compile(r"""\bextra\s*==\s*["']([^"']*)["']""")
_HERE: Final = (".", "")
_GROUPS: Final = "[manifest.dependency-groups]"
_ANY: Final = "*"
"""All the extras of a project; all markers."""

_Specifiers: TypeAlias = Mapping[tuple[str, str], Mapping[str, str]]
"""By package and for whom: the specifier that holds under each marker."""


def read(source: Source) -> Iterator[Read]:
    """The lock, the projects that it is for, and the packages in the order of the file."""
    blocks = Blocks(source, "package")
    span = blocks.key("requires-python" if "requires-python" in blocks.values else "version")
    yield Lock(
        name="uv", span=span, origin=span, written=source.cut(span), python=string(blocks.values, "requires-python"),
        environments=tuple(strings(blocks.values, "supported-markers")),
    )  # fmt: skip
    yield from blocks.problems
    version = blocks.values.get("version", _VERSION)
    if isinstance(version, int) and version > _VERSION:
        yield ParseProblem(blocks.key("version"), f"version {version} of uv.lock is not known, not read")
        return
    manifest = table(blocks.values, "manifest")
    yield from _workspace(blocks.rest[0], table(manifest, "dependency-groups"))
    members = names(manifest, "members")
    for block in blocks.packages():
        if isinstance(block, ParseProblem):
            yield block
        elif not block.name:
            yield ParseProblem(block.stated, "a package without a name")
        else:
            yield from _entry(block, members)


def _workspace(head: Block, groups: Mapping[str, Any]) -> Iterator[Read]:
    """The groups of a workspace's own pyproject.toml, where that is no project."""
    if not groups:
        return
    at = max(head.text.find(_GROUPS), 0)
    places = head.places(TABLE, at)
    wanted = ((each, group(name)) for name in groups for each in tables(groups, name))
    needs = [_need(each, label, places, {}) for each, label in islice(wanted, MOST_NEEDS)]
    span = head.span(at, at + len(_GROUPS))
    yield Locked(name="", span=span, origin=span, written=_GROUPS, root=True, url=".", needs=tuple(needs))


def _entry(block: Block, members: frozenset[str]) -> Iterator[Read]:
    source = _Source.of(table(block.values, "source"))
    # A workspace names its members, unless its root is the only one (`Workspace` in crates/uv-resolver/src/lock/target.rs).
    root = block.name in members if members else source.project and source.url in _HERE
    listed = tables(block.values, "wheels")
    files = [basename(string(each, "url") or string(each, "path") or string(each, "filename")) for each in listed]
    own = basename(source.url) if is_wheel(basename(source.url)) else ""
    wheels = dict.fromkeys([*files, own])
    needs = list(islice(_needs(block), MOST_NEEDS + 1))
    yield Locked(
        name=block.name, span=block.stated, origin=block.stated, written=block.written, version=block.version, root=root,
        index=source.index, url=source.url, marker=either(strings(block.values, "resolution-markers")), needs=tuple(needs[:MOST_NEEDS]),
        wheels=tuple(name for name in wheels if name), sdist="sdist" in block.values or bool(source.url and not own),
    )  # fmt: skip
    if len(needs) > MOST_NEEDS:
        yield ParseProblem(needs[-1].span, f"more than {MOST_NEEDS:,} needs of one package: the rest is not read")


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a package comes from. project: a folder that is installed as it stands, or holds only what a project asks for."""

    index: str = ""
    url: str = ""
    project: bool = False

    @staticmethod
    def of(values: Mapping[str, Any]) -> "_Source":
        if (registry := string(values, "registry")) or "registry" in values:
            # A path is a folder of files, of which the lock has the names.
            return _Source(index=registry if is_address(registry) else "")
        if repository := string(values, "git"):
            return _Source(url=_git(repository))
        for kind in ("editable", "virtual"):
            if kind in values:
                return _Source(url=string(values, kind), project=True)
        return _Source(url=string(values, "url") or string(values, "path") or string(values, "directory"))


def _git(address: str) -> str:
    """A repository as a requirement has it: `git+https://…@COMMIT#subdirectory=…` for `https://…?subdirectory=…&rev=main#COMMIT`."""
    place, _, commit = address.partition("#")
    place, _, query = place.partition("?")
    folder = next(iter(parse_qs(query, max_num_fields=None).get("subdirectory", ())), "")
    return f"git+{place}" + (f"@{commit}" if commit else "") + (f"#subdirectory={folder}" if folder else "")


def _needs(block: Block) -> Iterator[Need]:
    """What a package asks for always, by extra and, of a project, by group."""
    asking = [("", tables(block.values, "dependencies"))]
    for key, label in (("optional-dependencies", asked_for), ("dev-dependencies", group)):
        by_name = table(block.values, key)
        asking += [(label(name), tables(by_name, name)) for name in by_name]
    if not any(each for _, each in asking):
        return
    places, specifiers = block.places(TABLE), _specifiers(table(block.values, "metadata"))
    for extra, dependencies in asking:
        for each in dependencies:
            if string(each, "name"):
                yield _need(each, extra, places, specifiers)


def _need(values: Mapping[str, Any], extra: str, places: Places, specifiers: _Specifiers) -> Need:
    name, marker = string(values, "name"), string(values, "marker")
    # An extra that is made of others of its project has their requirements, and the lock keeps these only once.
    stated = specifiers.get((name, extra)) or specifiers.get((name, _ANY)) or {}
    one = string(values, "specifier") or stated.get(_ANY, stated.get(marker, ""))
    return Need(
        canonicalize_name(name), places.next(name), version=string(values, "version"),
        extras=names(values, "extra") | names(values, "extras"), marker=marker, extra=extra, specifier=one,
    )  # fmt: skip


def _specifiers(metadata: Mapping[str, Any]) -> _Specifiers:
    """What a project's own requirements say, which the lock keeps to tell whether they have changed."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for each in tables(metadata, "requires-dist"):
        marker = string(each, "marker")
        extras = [asked_for(extra) for extra in _EXTRA.findall(marker)]
        for label in [*extras, _ANY] if extras else [""]:
            found[string(each, "name"), label][marker] = string(each, "specifier")
    groups = table(metadata, "requires-dev")
    for name in groups:
        for each in tables(groups, name):
            found[string(each, "name"), group(name)][string(each, "marker")] = string(each, "specifier")
    for stated in found.values():
        # The lock joins markers, so that where they differ in what they ask for, often it cannot be told which of them this is.
        if len(specifiers := set(stated.values())) == 1:
            stated[_ANY] = specifiers.pop()
    return found
