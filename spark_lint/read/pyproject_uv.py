"""uv's tables: `[tool.uv]` of pyproject.toml and of a script's header, and uv.toml, which has the same keys at its top.

https://docs.astral.sh/uv/reference/settings/
"""

from collections.abc import Iterator
from typing import Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Binding, Read
from spark_lint.read.toml_packages import (
    Builds,
    Place,
    address,
    asked_for,
    backend,
    binding,
    group,
    indexed,
    named,
    names,
    requirements,
    whole,
)
from spark_lint.read.toml_tree import Array, Scalar, Table
from spark_lint.text import UNKNOWN, Text

ALL: Final = "*"
"""Stands for all groups."""
OVERRIDE: Final = "--override"
"""The flag of a constraint that replaces what others ask for: it is the version that is installed."""

_LIMITS: Final = {
    "constraint-dependencies": frozenset[str](),
    "override-dependencies": frozenset({OVERRIDE}),
    "build-constraint-dependencies": frozenset({"--build-constraint"}),
}
_INDEXES: Final = {"index-url": "index", "extra-index-url": "extra-index", "find-links": "find-links"}


def uv(table: Table, place: Place) -> Iterator[Read]:
    """Development packages, limits, sources and indexes."""
    yield from requirements(table.strings("dev-dependencies"), place.asked(group("dev")), manager="uv")
    for key, flags in _LIMITS.items():
        yield from requirements(table.strings(key), place, manager="uv", role="constraint", flags=flags)
    for name, pair in named(table.table("sources")):
        for each in pair.value.items if isinstance(pair.value, Array) else [pair.value]:
            text = each.inline if isinstance(each, Table) and isinstance(pair.value, Array) else whole(pair)
            if isinstance(each, Table) and text is not None:
                yield _bound(name, each, text, place)
    for each in table.tables("index"):
        yield from _index(each, place)
    for settings in (table, table.table("pip")):
        for key, role in _INDEXES.items():
            yield from (indexed(text, role, place) for text in settings.strings(key))
        if (found := settings.string("torch-backend")) is not None:
            yield backend(found, place)


def _bound(name: str, source: Table, text: Text, place: Place) -> Binding:
    extra, of_group = source.string("extra"), source.string("group")
    asked = asked_for(extra.value) if extra is not None else group(of_group.value) if of_group is not None else ""
    index, marker = source.string("index"), source.string("marker")
    url = address(source)
    if index is None and not url:
        url = UNKNOWN  # a member of the workspace, wherever it lies
    return binding(
        name, text, place.asked(asked), index=index.value if index is not None else "", url=url, marker=marker.value if marker is not None else ""
    )  # fmt: skip


def _index(table: Table, place: Place) -> Iterator[Read]:
    url, name, form = table.string("url"), table.string("name"), table.string("format")
    if url is None:
        return
    role = "index" if table.says("default") else "extra-index"
    role = "find-links" if form is not None and form.value == "flat" else role
    yield indexed(url, role, place, label=name.value if name is not None else "", explicit=table.says("explicit"))


def builds(table: Table) -> Builds:
    """How packages are built. One that gets more to be built with does not lack torch either, as it does in an isolated build."""
    supplied = frozenset(canonicalize_name(name) for name in table.table("extra-build-dependencies").pairs)
    pip = table.table("pip")
    supplied |= frozenset(canonicalize_name(name) for name in pip.table("extra-build-dependencies").pairs)
    variables: dict[str, tuple[tuple[str, str], ...]] = {
        canonicalize_name(name): tuple(
            (key, each.value.string.value) for key, each in pair.value.pairs.items() if isinstance(each.value, Scalar)
        )
        for name, pair in table.table("extra-build-variables").pairs.items()
        if isinstance(pair.value, Table)
    }
    listed = names(table, "no-build-isolation-package") | names(pip, "no-build-isolation-package")
    return Builds(table.says("no-build-isolation") or pip.says("no-build-isolation"), listed | supplied, variables)


def default_groups(table: Table) -> frozenset[str]:
    """The groups that uv installs unasked: `dev`, unless the file says otherwise."""
    found = table.get("default-groups")
    if isinstance(found, Scalar) and found.value == "all":
        return frozenset({ALL})
    return names(table, "default-groups") if isinstance(found, Array) else frozenset({"dev"})
