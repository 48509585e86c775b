"""pyproject.toml: what the standards say of a project (PEP 518, 621, 735), what build backends add, and the tables of its manager."""

from collections.abc import Iterator

from packaging.utils import canonicalize_name

from spark_lint.facts import Context, Distribution, Include, Package, Read
from spark_lint.read.pixi import pixi
from spark_lint.read.poetry import poetry, poetry_groups, poetry_python
from spark_lint.read.pyproject_managers import flit, hatch, pdm, rye
from spark_lint.read.pyproject_uv import builds, default_groups, uv
from spark_lint.read.toml_packages import GROUP, Place, asked_for, group, requirements
from spark_lint.read.toml_tree import Array, Table
from spark_lint.text import Text


def pyproject(root: Table, context: Context) -> Iterator[Read]:
    """The project, its packages, and where they come from."""
    tools = root.table("tool")
    name = _name(root)
    place = Place(context, canonicalize_name(name.value) if name is not None and name.known else "")
    yield from _distribution(root, name, place)
    standard = [*_standard(root, place)]
    found = [*standard, *_dynamic(tools, place), *_of_tools(root, tools, place, standard)]
    yield from builds(tools.table("uv")).applied(iter(found))


def _name(root: Table) -> Text | None:
    paths = (
        ("project",),
        ("tool", "poetry"),
        ("tool", "flit", "metadata"),
        ("tool", "pixi", "workspace"),
        ("tool", "pixi", "project"),
    )
    return next((name for path in paths if (name := root.string(*path, "name")) is not None), None)


def _distribution(root: Table, name: Text | None, place: Place) -> Iterator[Distribution]:
    """The project, where the file describes one."""
    tools = root.table("tool")
    owners = [(root, "project"), (tools, "poetry"), (tools.table("flit"), "metadata"), (tools.table("pixi"), "workspace"),
              (tools.table("pixi"), "project")]  # fmt: skip
    first = next((table.pairs[key] for table, key in owners if key in table.pairs), None)
    if first is None or not isinstance(first.value, Table):
        return
    text = name if name is not None else _anything(first.value)
    if text is None:
        return
    requires = root.string("project", "requires-python") or tools.string("flit", "metadata", "requires-python")
    python = requires.value if requires is not None else poetry_python(tools.table("poetry"))
    written = text.written if name is not None else ""
    yield Distribution(
        name=place.project, span=text.span, origin=text.origin, written=written, context=place.context, python=python,
        groups=_groups(root, tools), static=_static(root),
    )  # fmt: skip


def _static(root: Table) -> frozenset[str]:
    """What `[project]` says itself, and does not call dynamic."""
    dynamic = {text.value for text in root.strings("project", "dynamic")}
    return frozenset({"dependencies", "optional-dependencies"} - dynamic if "project" in root.pairs else ())


def _anything(table: Table) -> Text | None:
    """The place of a project without a name: that of the first thing said of it."""
    from spark_lint.read.toml_packages import whole

    return next((text for pair in table.pairs.values() if (text := whole(pair)) is not None), None)


def _groups(root: Table, tools: Table) -> frozenset[str]:
    """The groups that the project's manager installs unasked. uv needs no table of its own to be that manager."""
    standard = frozenset(canonicalize_name(name) for name in root.table("dependency-groups").pairs)
    found: frozenset[str] = frozenset()
    if "poetry" in tools.pairs:
        found |= poetry_groups(tools.table("poetry"), standard)
    if "pdm" in tools.pairs:
        # pdm install takes every group of its own kind but in production (`--prod`)
        found |= standard | frozenset(canonicalize_name(name) for name in tools.table("pdm", "dev-dependencies").pairs)
    if tools.pairs.keys() & {"uv", "rye"} or not tools.pairs.keys() & {"poetry", "pdm"}:
        found |= default_groups(tools.table("uv"))
    return found


def _standard(root: Table, place: Place) -> Iterator[Read]:
    project = root.table("project")
    yield from requirements(project.strings("dependencies"), place)
    extras = project.table("optional-dependencies")
    for name in extras.pairs:
        yield from requirements(extras.strings(name), place.asked(asked_for(name)))
    groups = root.table("dependency-groups")
    for name in groups.pairs:
        own = place.asked(group(name))
        yield from requirements(groups.strings(name), own)
        for each in groups.tables(name):
            if (included := each.string("include-group")) is not None and included.known:
                yield Include("extra", included, own.context, extras=frozenset({group(included.value)}))
    yield from requirements(root.table("build-system").strings("requires"), place, role="build")


def _dynamic(tools: Table, place: Place) -> Iterator[Read]:
    """Dependencies that a build backend reads from requirements files.

    https://setuptools.pypa.io/en/latest/userguide/pyproject_config.html#dynamic-metadata, https://github.com/repo-helper/hatch-requirements-txt
    """
    setuptools = tools.table("setuptools", "dynamic")
    hook = tools.table("hatch", "metadata", "hooks", "requirements_txt")
    for table, path, optional in ((setuptools, ("dependencies", "file"), "file"), (hook, ("files",), "")):
        yield from (Include("requirement", text, place.context) for text in table.strings(*path))
        extras = table.table("optional-dependencies")
        for name in extras.pairs:
            own = place.asked(asked_for(name))
            texts = extras.table(name).strings(optional) if optional else extras.strings(name)
            yield from (Include("requirement", text, own.context) for text in texts)


def _of_tools(root: Table, tools: Table, place: Place, standard: list[Read]) -> Iterator[Read]:
    asking = [each for each in standard if isinstance(each, Package) and each.role == "requirement"]
    stated = frozenset(each.name for each in asking if not each.context.extra.startswith(GROUP))
    yield from uv(tools.table("uv"), place)
    yield from poetry(tools.table("poetry"), place, stated)
    yield from pdm(tools.table("pdm"), place, frozenset(each.name for each in asking))
    yield from hatch(tools.table("hatch"), place)
    yield from flit(tools.table("flit", "metadata"), place)
    yield from rye(tools.table("rye"), place)
    if "pixi" in tools.pairs:
        yield from _of_features(root, place)
        yield from pixi(tools.table("pixi"), place.context, project=place.project, described=True)


def _of_features(root: Table, place: Place) -> Iterator[Read]:
    """The extras and groups of the project that pixi's environment `default` has as features of the same name.

    https://pixi.sh/latest/python/pyproject_toml/
    """
    default = root.get("tool", "pixi", "environments", "default")
    environments = root.table("tool", "pixi", "environments")
    known = {canonicalize_name(name): name for name in root.table("project", "optional-dependencies").pairs}
    groups = {canonicalize_name(name) for name in root.table("dependency-groups").pairs}
    path = ("default",) if isinstance(default, Array) else ("default", "features")
    for text in environments.strings(*path):
        name = canonicalize_name(text.value)
        asked = frozenset({name} & known.keys()) | frozenset({group(name)} if name in groups else ())
        if asked:
            yield Include("extra", text, place.context, extras=asked)
