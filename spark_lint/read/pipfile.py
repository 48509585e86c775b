"""Pipfile: packages a key each, in categories, and the indexes that they come from.

https://pipenv.pypa.io/en/latest/pipfile.html, https://pipenv.pypa.io/en/latest/indexes.html
"""

import re
from collections.abc import Iterator
from typing import Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Context, Distribution, Include, Read
from spark_lint.read.toml_packages import Place, Wanted, binding, group, indexed, named, names, package, whole
from spark_lint.read.toml_tree import Node, Scalar, Table
from spark_lint.text import UNKNOWN, Text

_MANAGER: Final = "pipenv"
_TABLES: Final = frozenset({"source", "requires", "scripts", "pipenv"})
"""Tables that are no category of packages."""
_CATEGORIES: Final = {"packages": "", "dev-packages": group("dev")}
_VERSIONED: Final = ("git", "hg", "svn", "bzr")
_ARCHIVES: Final = (".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_MARKERS: Final = (
    "os_name", "sys_platform", "platform_machine", "platform_python_implementation", "platform_release", "platform_system",
    "platform_version", "python_version", "python_full_version", "implementation_name", "implementation_version",
)  # fmt: skip
"""Keys that are a marker each: `platform_machine = "== 'x86_64'"`."""
# Set when it is used: `https://${TOKEN}@host/simple`.
_VARIABLE: Final = re.compile(r"\$\{\w+\}|\$\w+")


def pipfile(root: Table, context: Context) -> Iterator[Read]:
    """The project, its indexes, its packages by category, and what they are bound to."""
    place = Place(context)
    yield from _project(root, place)
    everywhere = root.says("pipenv", "install_search_all_sources")
    for number, source in enumerate(root.tables("source")):
        url, label = source.string("url"), source.string("name")
        if url is not None:
            # The first one is everybody's, the others only for what names them.
            yield indexed(
                _unknown(url), "extra-index" if number else "index", place, label=label.value if label is not None else "",
                explicit=number > 0 and not everywhere,
            )  # fmt: skip
    for category, pair in root.pairs.items():
        if isinstance(pair.value, Table) and category not in _TABLES:
            yield from _packages(pair.value, place.asked(_CATEGORIES.get(category, group(category))))


def _project(root: Table, place: Place) -> Iterator[Read]:
    """The project, which has no name, where the file says for which Python it is."""
    full, short = root.string("requires", "python_full_version"), root.string("requires", "python_version")
    text = full if full is not None else short
    if text is not None:
        python = f"=={text.value}" if full is not None else f"=={text.value}.*"
        yield Distribution(
            name="", span=text.span, origin=text.origin, written=text.written, context=place.context, python=python
        )  # fmt: skip


def _packages(table: Table, place: Place) -> Iterator[Read]:
    for name, pair in named(table):
        text, said = whole(pair), pair.value
        if text is None:
            continue
        folder = _folder(said)
        if folder is not None:
            yield Include(
                "editable", folder, place.context, extras=names(said, "extras") if isinstance(said, Table) else frozenset()
            )
            continue
        wanted = _wanted(said)
        yield package(canonicalize_name(name), text, wanted, place, manager=_MANAGER)
        if isinstance(said, Table) and (index := said.string("index")) is not None:
            yield binding(name, text, place, index=index.value, marker=wanted.marker)


def _folder(said: Node) -> Text | None:
    """The folder of a project, if that is what a package is; under `file` it stood in old versions."""
    found = [said.string(key) for key in ("path", "file")] if isinstance(said, Table) else []
    text = next((each for each in found if each is not None), None)
    return text if text is not None and "://" not in text.value and not text.value.lower().endswith(_ARCHIVES) else None


def _wanted(said: Node) -> Wanted:
    if isinstance(said, Scalar):
        return Wanted(_specifier(said.string.value) if said.quoted else "")
    if not isinstance(said, Table):
        return Wanted()
    version = said.string("version")
    return Wanted(_specifier(version.value) if version is not None else "", names(said, "extras"), _marker(said), _address(said))


def _specifier(version: str) -> str:
    """A version as PEP 440 has it: none for `*`, `==3.*` for `3.*`."""
    version = "".join(version.split())
    if version in ("", "*"):
        return ""
    return version if version[0] in "=<>~!" else f"=={version}"


def _marker(said: Table) -> str:
    own = said.string("markers")
    parts = [own.value] if own is not None and own.value.strip() else []
    parts += [f"{key} {text.value.strip()}" for key in _MARKERS if (text := said.string(key)) is not None]
    return parts[0] if len(parts) == 1 else " and ".join(f"({each})" if " or " in each else each for each in parts)


def _address(said: Table) -> str:
    """The repository, address or archive that stands in place of a version."""
    for kind in _VERSIONED:
        if (repository := said.string(kind)) is not None:
            reference = said.string("ref")
            start = "" if repository.value.startswith(f"{kind}+") else f"{kind}+"
            return start + repository.value + (f"@{reference.value}" if reference is not None else "")
    found = next((text for key in ("file", "path") if (text := said.string(key)) is not None), None)
    return found.value if found is not None else ""


def _unknown(text: Text) -> Text:
    """An address with what is not known in place of its variables."""
    parts, at = [], 0
    for match in _VARIABLE.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(UNKNOWN)]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text
