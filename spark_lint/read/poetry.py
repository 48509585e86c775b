"""Poetry's tables of pyproject.toml: packages a key each, extras, groups and sources.

https://python-poetry.org/docs/dependency-specification/, https://python-poetry.org/docs/repositories/
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Include, Read
from spark_lint.read.funnel import fold_text
from spark_lint.read.poetry_versions import markers, specifier
from spark_lint.read.toml_packages import (
    Place,
    Wanted,
    address,
    asked_for,
    binding,
    group,
    indexed,
    labelled,
    named,
    names,
    package,
    whole,
)
from spark_lint.read.toml_tree import Array, Node, Scalar, Table

_MANAGER: Final = "poetry"


def poetry(table: Table, place: Place, stated: frozenset[str]) -> Iterator[Read]:
    """The packages, what they are bound to, and the sources. stated: packages of `[project]`, of which these tables say only where from."""
    members: dict[str, list[str]] = defaultdict(list)
    for extra in table.table("extras").pairs:
        for name in sorted(names(table.table("extras"), extra)):
            members[name].append(asked_for(extra))
    yield from _packages(table.table("dependencies"), place, stated, members)
    yield from _packages(table.table("dev-dependencies"), place.asked(group("dev")), frozenset(), {})
    groups = table.table("group")
    for name in groups.pairs:
        own = place.asked(group(name))
        yield from _packages(groups.table(name, "dependencies"), own, frozenset(), {})
        yield from _included(groups.table(name), own)
    for source in table.tables("source"):
        yield from _source(source, place)


def poetry_groups(table: Table, standard: frozenset[str]) -> frozenset[str]:
    """The groups that are installed unasked: all but those that are optional. standard: those of `[dependency-groups]`."""
    groups = table.table("group")
    own = frozenset(canonicalize_name(name) for name in groups.pairs)
    optional = frozenset(canonicalize_name(name) for name in groups.pairs if groups.says(name, "optional"))
    return (own | standard | frozenset({"dev"} if "dev-dependencies" in table.pairs else ())) - optional


def poetry_python(table: Table) -> str:
    """The specifier of the Pythons a project runs on: `>=3.10,<4` for `^3.10`; empty for any."""
    found = table.get("dependencies", "python")
    text = found.string if isinstance(found, Scalar) else table.string("dependencies", "python", "version")
    return specifier(text.value) if text is not None else ""


def _included(table: Table, own: Place) -> Iterator[Read]:
    for text in table.strings("include-groups"):
        yield Include("extra", text, own.context, extras=frozenset({group(text.value)}))


def _packages(table: Table, place: Place, stated: frozenset[str], members: Mapping[str, Sequence[str]]) -> Iterator[Read]:
    for name, pair in named(table):
        canonical = canonicalize_name(name)
        if canonical == "python":
            continue
        several = isinstance(pair.value, Array)
        for each in pair.value.items if isinstance(pair.value, Array) else [pair.value]:
            text = (each.inline if isinstance(each, Table) else None) if several else whole(pair)
            if text is None:
                continue
            wanted = _wanted(each)
            optional = isinstance(each, Table) and each.says("optional")
            asked = members.get(canonical, ()) if optional else [place.context.extra]
            for extra in asked:
                if canonical not in stated:
                    yield package(canonical, text, wanted, place.asked(extra), manager=_MANAGER)
            if isinstance(each, Table) and (source := each.string("source")) is not None:
                yield binding(name, text, place, index=source.value, marker=wanted.marker)


def _wanted(node: Node) -> Wanted:
    if isinstance(node, Scalar):
        return Wanted(specifier(node.string.value) if node.quotes else "")
    if not isinstance(node, Table):
        return Wanted()
    given = {key: text.value for key in ("version", "markers", "python", "platform") if (text := node.string(key)) is not None}
    return Wanted(
        specifier(given.get("version", "*")),
        names(node, "extras"),
        markers(given.get("markers", ""), given.get("python", ""), given.get("platform", "")),
        address(node),
    )


def _source(table: Table, place: Place) -> Iterator[Read]:
    """A source: primary unless it says otherwise, and then in place of PyPI; secondary ones were until Poetry 2."""
    url, label, priority = table.string("url"), table.string("name"), table.string("priority")
    kind = fold_text(priority.value) if priority is not None else "secondary" if table.says("secondary") else "primary"
    role = "index" if kind in ("primary", "default") else "extra-index"
    if url is not None:
        yield indexed(url, role, place, label=label.value if label is not None else "", explicit=kind == "explicit")
    elif label is not None and fold_text(label.value) == "pypi":
        yield labelled(label, place, role)
