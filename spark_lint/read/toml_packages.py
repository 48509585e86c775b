"""What the tables of packaging files have in common: lists of requirements, tables with a package a key, and indexes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Binding, Context, Include, Index, Package, ParseProblem, Read
from spark_lint.read.requirement import accelerator_tag, fault, index, project, requirement
from spark_lint.read.toml_tree import Array, Node, Pair, Scalar, Table
from spark_lint.text import UNKNOWN, Text

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
# pip's `-e` in front of an address, as PDM's groups have it.
_EDITABLE: Final = re.compile(r"\s*(?:-e|--editable)[\s=]+")
_LONGEST_WRITTEN: Final = 200
GROUP: Final = "group:"
"""How a context names what a group installs."""
PYPI: Final = "https://pypi.org/simple"
"""Where a package comes from that is bound to the index called `pypi`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table of packages stands. context: that of its facts. project: the name of the project that the file describes."""

    context: Context = field(default_factory=Context)
    project: str = ""

    def asked(self, extra: str) -> "Place":
        """The same for what is installed on request: an extra `gpu`, a group `group:dev`."""
        return replace(self, context=replace(self.context, extra=extra))


def group(name: str) -> str:
    """A dependency group as contexts name it."""
    return GROUP + canonicalize_name(name)


def asked_for(name: str) -> str:
    """An extra as contexts name it."""
    return canonicalize_name(name)


def requirements(
    texts: Iterator[Text], place: Place, *, manager: str = "pip", role: str = "requirement", flags: frozenset[str] = frozenset()
) -> Iterator[Read]:
    """The packages of a list of requirements; for one that is the project itself with extras, that it brings these."""
    for whole in texts:
        editable = _EDITABLE.match(whole.value)
        text = whole[editable.end() :] if editable else whole
        package = requirement(text, context=place.context, manager=manager, role=role, flags=flags)
        if package is not None and package.name == place.project and not package.url and role == "requirement":
            yield Include("extra", text, place.context, extras=package.extras)
        elif package is not None:
            yield package
        elif folder := project(text):
            yield Include("editable", folder, place.context)
        if reason := fault(text.value):
            yield ParseProblem(text.span, f"no installer takes this requirement: {reason}")


def named(table: Table) -> Iterator[tuple[str, Pair]]:
    """The keys of a table that are names of packages, with what it says of them."""
    table.told = True
    for name, pair in table.pairs.items():
        if _NAME.fullmatch(name):
            yield name, pair


def whole(pair: Pair) -> Text | None:
    """The key with its value as the file has it; None for an empty table, which stands nowhere."""
    scalar = _first(pair.value)
    return scalar.whole[pair.start : pair.stop] if scalar else None


def _first(node: Node) -> Scalar | None:
    while not isinstance(node, Scalar):
        inner = node.items if isinstance(node, Array) else [pair.value for pair in node.pairs.values()]
        if not inner:
            return None
        node = inner[0]
    return node


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a table says of one package. The fields are those of Package."""

    specifier: str = ""
    extras: frozenset[str] = frozenset()
    marker: str = ""
    url: str = ""


def package(
    name: str,
    text: Text,
    wanted: Wanted,
    place: Place,
    *,
    manager: str,
    role: str = "requirement",
    flags: frozenset[str] = frozenset(),
) -> Package:
    """The package that a key stands for."""
    written = text.written if len(text.value) <= _LONGEST_WRITTEN else name
    return Package(
        name=name, span=text.span, origin=text.origin, written=written, context=place.context, specifier=wanted.specifier,
        extras=wanted.extras, marker=wanted.marker, url=wanted.url, manager=manager, role=role, flags=flags,
    )  # fmt: skip


def names(table: Table, *path: str) -> frozenset[str]:
    """The canonical names in a list."""
    return frozenset(canonicalize_name(text.value) for text in table.strings(*path) if text.known)


def binding(name: str, text: Text, place: Place, *, index: str = "", url: str = "", marker: str = "") -> Binding:
    """That a package comes from one place alone."""
    return Binding(
        name=canonicalize_name(name), span=text.span, origin=text.origin, written=text.written[:_LONGEST_WRITTEN], context=place.context,
        index=index, url=url, marker=marker,
    )  # fmt: skip


def address(table: Table) -> str:
    """The address or path that a package's table gives in place of a version; empty where it gives none."""
    if (git := table.string("git")) is not None:
        revision = next((found.value for key in ("rev", "tag", "branch") if (found := table.string(key))), "")
        return ("" if git.value.startswith("git+") else "git+") + git.value + (f"@{revision}" if revision else "")
    found = next((text for key in ("url", "path", "file") if (text := table.string(key))), None)
    return found.value if found is not None else ""


def indexed(text: Text, role: str, place: Place, *, label: str = "", explicit: bool = False) -> Index:
    """The index at an address."""
    return replace(index(text, role, place.context), label=label, explicit=explicit)


def labelled(label: Text, place: Place, role: str) -> Index:
    """PyPI, where a table only names it."""
    return Index(
        name=accelerator_tag(PYPI), span=label.span, origin=label.origin, written=label.written, context=place.context, url=PYPI, role=role,
        label=label.value,
    )  # fmt: skip


def backend(text: Text, place: Place) -> Index:
    """`torch-backend` of uv's: the index of that name; `auto` looks at the machine, so nothing is known."""
    name = "" if text.value == "auto" or UNKNOWN in text.value else text.value.lower()
    return replace(index(text, "torch-backend", place.context), name=name, url="")


@dataclass(frozen=True, slots=True)
class Builds:
    """How packages are built that have no wheel. open: those that see what is installed; everything: all do. variables: set for a build."""

    everything: bool = False
    open: frozenset[str] = frozenset()
    variables: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def applied(self, reads: Iterator[Read]) -> Iterator[Read]:
        """What was read, the packages with how they are built."""
        for each in reads:
            if isinstance(each, Package) and each.role == "requirement" and not each.name.startswith("conda/"):
                isolated = not self.everything and each.name not in self.open
                flags = each.flags if isolated else each.flags | {"--no-build-isolation"}
                variables = self.variables.get(each.name, ())
                yield each if isolated and not variables else replace(each, flags=flags, environment=each.environment + variables)
            else:
                yield each
