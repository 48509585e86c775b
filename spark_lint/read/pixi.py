"""pixi.toml, and the same tables under `[tool.pixi]`: packages of conda and of PyPI, by feature and by platform.

https://pixi.sh/latest/reference/pixi_manifest/
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Condition, Context, Distribution, Include, Read
from spark_lint.read.pyproject_uv import OVERRIDE
from spark_lint.read.toml_packages import (
    Builds,
    Place,
    Wanted,
    address,
    binding,
    group,
    indexed,
    named,
    names,
    package,
    whole,
)
from spark_lint.read.toml_tree import Array, Node, Scalar, Table
from spark_lint.text import Text

_CONDA: Final = {
    "dependencies": "requirement",
    "host-dependencies": "requirement",
    "build-dependencies": "requirement",
    "constraints": "constraint",
}
_BUILT: Final = {"build-dependencies": "build", "host-dependencies": "build", "run-dependencies": "requirement"}
_MANAGER: Final = "pixi"
SPARK: Final = "linux-aarch64"
"""What conda calls the platform of a Spark."""
DEFAULT: Final = "default"
"""The environment that is used where none is named."""


@dataclass(frozen=True, slots=True)
class _Workspace:
    """What holds for all tables.

    platforms: conda's name of each platform by the workspace's own; for_spark: whether a Spark is one of them. pool: what
    `workspace = true` stands for.
    """

    platforms: Mapping[str, str]
    for_spark: bool
    pool: Table


def pixi(root: Table, context: Context, *, project: str = "", described: bool = False) -> Iterator[Read]:
    """The project (unless it is described elsewhere), its packages and indexes."""
    about = root.table("workspace") if "workspace" in root.pairs else root.table("project")
    place = Place(context, project)
    name = about.string("name")
    unasked = _unasked(root)
    if name is not None and not described:
        groups = frozenset(canonicalize_name(feature) for feature in unasked)
        yield Distribution(
            name=canonicalize_name(name.value),
            span=name.span,
            origin=name.origin,
            written=name.written,
            context=context,
            groups=groups,
        )
    about.table("dependencies").told = True
    platforms = _platforms(about)
    builds = _builds(root.table("pypi-options"), Builds())
    workspace = _Workspace(platforms, SPARK in platforms.values(), about.table("dependencies"))
    parts = [(root, place)]
    features, environments = root.table("feature"), root.table("environments")
    for feature in features.pairs:
        own = place if feature in unasked else place.asked(group(feature))
        parts.append((features.table(feature), own))
    for environment in environments.pairs:
        own = place if environment == DEFAULT else place.asked(group(environment))
        parts.append((environments.table(environment), own))
        if environment != DEFAULT:
            yield from _brought(environments, environment, own)
    for table, own in parts:
        own = _limited(own, [text.value for text in table.strings("platforms")], workspace)
        yield from _builds(table.table("pypi-options"), builds).applied(_part(table, own, workspace))
    yield from _package(root.table("package"), place, workspace)


def _unasked(root: Table) -> frozenset[str]:
    """The features of the environment that is used where none is named."""
    environments = root.table("environments")
    return frozenset(text.value for text in _features(environments, DEFAULT))


def _features(environments: Table, name: str) -> Iterator[Text]:
    return environments.strings(name) if isinstance(environments.get(name), Array) else environments.strings(name, "features")


def _brought(environments: Table, name: str, own: Place) -> Iterator[Include]:
    """An environment brings its features; one that is called like it is the same group."""
    for text in _features(environments, name):
        if group(text.value) != group(name):
            yield Include("extra", text, own.context, extras=frozenset({group(text.value)}))


def _platforms(about: Table) -> dict[str, str]:
    found = {text.value: text.value for text in about.strings("platforms")}
    for each in about.tables("platforms"):
        name, platform = each.string("name"), each.string("platform")
        known = platform if platform is not None else name
        if known is not None:
            found[known.value] = known.value
            found[name.value if name is not None else known.value] = known.value
    return found


def _limited(place: Place, platforms: list[str], workspace: _Workspace) -> Place:
    """The same for a feature of some platforms only. Where the workspace is for no Spark at all, it says nothing about the feature."""
    own = [workspace.platforms.get(each, each) for each in platforms]
    return _on(place, own) if own and SPARK not in own and workspace.for_spark else place


def _on(place: Place, platforms: list[str]) -> Place:
    conditions = (*place.context.conditions, Condition(f"platform {' '.join(platforms)}"))
    return replace(place, context=replace(place.context, conditions=conditions))


def _part(table: Table, place: Place, workspace: _Workspace) -> Iterator[Read]:
    """What stands at the top, in a feature or in an environment, and the same for each platform below it."""
    yield from _packages(table, place, workspace, _CONDA)
    yield from _options(table.table("pypi-options"), place)
    targets = table.table("target")
    for target in targets.pairs:
        there = _on(place, [workspace.platforms.get(target, target)])
        yield from _packages(targets.table(target), there, workspace, _CONDA)
        yield from _options(targets.table(target, "pypi-options"), there)


def _packages(table: Table, place: Place, workspace: _Workspace, roles: Mapping[str, str]) -> Iterator[Read]:
    for key, role in roles.items():
        yield from _of_conda(table.table(key), place, workspace, role)
    for name, pair in named(table.table("pypi-dependencies")):
        text = whole(pair)
        if text is not None:
            yield package(canonicalize_name(name), text, _wanted(pair.value), place, manager=_MANAGER)
            if isinstance(pair.value, Table) and (url := pair.value.string("index")) is not None:
                yield indexed(url, "extra-index", place, label=url.value, explicit=True)
                yield binding(name, text, place, index=url.value)


def _of_conda(table: Table, place: Place, workspace: _Workspace, role: str) -> Iterator[Read]:
    for name, pair in named(table):
        text, wanted = whole(pair), pair.value
        if isinstance(wanted, Table) and wanted.says("workspace"):
            wanted = workspace.pool.get(name) or wanted
        if text is not None:
            yield package(f"conda/{name.lower()}", text, _wanted(wanted, conda=True), place, manager="conda", role=role)


def _wanted(node: Node, *, conda: bool = False) -> Wanted:
    """What is asked for: a version alone, or a table. A build of conda's stands behind its version, as in `2.7.* cuda126*`."""
    if isinstance(node, Scalar):
        return Wanted(_version(node.string.value) if node.quotes else "")
    if not isinstance(node, Table):
        return Wanted()
    version, build = node.string("version"), node.string("build")
    specifier = _version(version.value) if version is not None else ""
    if conda and build is not None:
        specifier = f"{specifier or '*'} {build.value}"
    marker = node.string("env-markers")
    return Wanted(specifier, names(node, "extras"), marker.value if marker is not None else "", address(node))


def _version(written: str) -> str:
    return "" if written.strip() == "*" else written.strip()


def _options(table: Table, place: Place) -> Iterator[Read]:
    """Indexes, pages of links, and versions that replace what others ask for."""
    for key, role in (("index-url", "index"), ("extra-index-urls", "extra-index")):
        yield from (indexed(text, role, place) for text in table.strings(key))
    for each in table.tables("find-links"):
        found = each.string("url") or each.string("path")
        if found is not None:
            yield indexed(found, "find-links", place)
    for name, pair in named(table.table("dependency-overrides")):
        if (text := whole(pair)) is not None:
            overridden = _wanted(pair.value)
            yield package(
                canonicalize_name(name), text, overridden, place, manager=_MANAGER, role="constraint", flags=frozenset({OVERRIDE})
            )


def _builds(table: Table, top: Builds) -> Builds:
    """How packages are built: the options of a feature are added to those at the top."""
    listed = names(table, "no-build-isolation")
    everything = top.everything or table.says("no-build-isolation")
    return Builds(everything, listed | top.open if listed else top.open)


def _package(table: Table, place: Place, workspace: _Workspace) -> Iterator[Read]:
    """What the package is built and run with that the file describes beside the workspace."""
    yield from _packages(table, place, workspace, _BUILT)
    targets = table.table("target")
    for target in targets.pairs:
        yield from _packages(targets.table(target), _on(place, [workspace.platforms.get(target, target)]), workspace, _BUILT)
