"""The tables of PDM, Hatch, Flit and Rye in pyproject.toml."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Include, Read
from spark_lint.read.funnel import fold_text
from spark_lint.read.pyproject_uv import OVERRIDE
from spark_lint.read.toml_packages import (
    GROUP,
    Place,
    Wanted,
    asked_for,
    binding,
    group,
    indexed,
    named,
    package,
    requirements,
    whole,
)
from spark_lint.read.toml_tree import Table

_MOST_BOUND: Final = 300
"""Packages that the patterns of sources are compared with."""
_MOST_PATTERNS: Final = 1000


def pdm(table: Table, place: Place, asked: frozenset[str]) -> Iterator[Read]:
    """Groups, overrides and sources. asked: the project's packages, to which the patterns of a source are compared.

    https://pdm-project.org/latest/usage/config/, https://pdm-project.org/latest/usage/dependency/
    """
    groups = table.table("dev-dependencies")
    for name in groups.pairs:
        yield from requirements(groups.strings(name), place.asked(group(name)), manager="pdm")
    overrides = table.table("resolution", "overrides")
    for name, pair in named(overrides):
        text, said = whole(pair), overrides.string(name)
        if text is not None and said is not None:
            yield package(
                canonicalize_name(name),
                text,
                _override(said.value),
                place,
                manager="pdm",
                role="constraint",
                flags=frozenset({OVERRIDE}),
            )
    left = _MOST_PATTERNS
    known = sorted(asked)[:_MOST_BOUND]
    for source in table.tables("source"):
        url, label, kind = source.string("url"), source.string("name"), source.string("type")
        if url is None:
            continue
        called = label.value if label is not None else ""
        role = "index" if fold_text(called) == "pypi" else "extra-index"
        role = "find-links" if kind is not None and fold_text(kind.value) == "find-links" else role
        yield indexed(url, role, place, label=called)
        for pattern in islice(source.strings("include_packages"), max(0, left)):
            matching = [name for name in known if fnmatchcase(name, canonicalize_name(pattern.value))]
            left -= 1 + len(matching)
            yield from (binding(name, pattern, place, index=called) for name in matching)


def _override(said: str) -> Wanted:
    """`>=1.2` is a specifier, `1.2` one version, anything with `://` an address."""
    if "://" in said:
        return Wanted(url=said)
    return Wanted(said if said[:1] in "<>=!~" else "" if said == "*" else f"=={said}")


def hatch(table: Table, place: Place) -> Iterator[Read]:
    """What its environments install. They are no groups of the project's, though they may be called like one: `group:hatch.NAME`.

    https://hatch.pypa.io/latest/config/environment/overview/
    """
    environments = table.table("envs")
    for name in environments.pairs:
        own = place.asked(f"{GROUP}hatch.{canonicalize_name(name)}")
        environment = environments.table(name)
        for key in ("dependencies", "extra-dependencies"):
            yield from requirements(environment.strings(key), own, manager="hatch")
        features = [(text, asked_for(text.value)) for text in environment.strings("features")]
        features += [(text, group(text.value)) for text in environment.strings("dependency-groups")]
        yield from (Include("extra", text, own.context, extras=frozenset({asked})) for text, asked in features)
    yield from requirements(table.strings("build", "dependencies"), place, role="build")


def flit(table: Table, place: Place) -> Iterator[Read]:
    """Flit's own metadata, from before `[project]`: https://flit.pypa.io/en/stable/pyproject_toml.html#old-style-metadata."""
    yield from requirements(table.strings("requires"), place)
    extras = table.table("requires-extra")
    for name in extras.pairs:
        yield from requirements(extras.strings(name), place.asked(asked_for(name)))


def rye(table: Table, place: Place) -> Iterator[Read]:
    """Development packages and sources: https://rye.astral.sh/guide/pyproject/."""
    yield from requirements(table.strings("dev-dependencies"), place.asked(group("dev")), manager="rye")
    for source in table.tables("sources"):
        url, label, kind = source.string("url"), source.string("name"), source.string("type")
        if url is not None:
            called = label.value if label is not None else ""
            role = "index" if called == "default" else "extra-index"
            yield indexed(url, "find-links" if kind is not None and kind.value == "find-links" else role, place, label=called)
