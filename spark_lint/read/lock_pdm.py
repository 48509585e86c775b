"""pdm.lock: packages with the groups and extras that ask for them, and the machines that the lock is made for.

https://pdm-project.org/en/latest/usage/lockfile/, https://pdm-project.org/en/latest/usage/lock-targets/, and what PDM's
`project/lockfile/pdmlock.py` and `models/candidates.py` (github.com/pdm-project/pdm) write.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Lock, Locked, Need, ParseProblem, Read
from spark_lint.read.lock_blocks import MOST_NEEDS, Block, Blocks, basename, is_wheel, names, string, strings, table, tables
from spark_lint.read.toml_packages import asked_for, group
from spark_lint.text import Source

_DEFAULT: Final = "default"
_VERSIONED: Final = ("git", "hg", "svn", "bzr")
# Without a processor these are an x86 one's: https://pdm-project.org/en/latest/usage/lock-targets/
_MEANT: Final = {"linux": "manylinux_2_17_x86_64", "alpine": "musllinux_1_2_x86_64"}
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]*")
# One dependency a line: `    "torch>=2.4; python_version < \"3.11\"",`.
_LINE: Final = re.compile(r"""^[ \t]*(?P<whole>["'](?P<name>[\w.-]+)[^\r\n]*)""", re.MULTILINE)


def read(source: Source) -> Iterator[Read]:
    """The facts of a pdm.lock: the `Lock`, then each package."""
    blocks = Blocks(source, "package")
    metadata = table(blocks.values, "metadata")
    targets = tables(metadata, "targets")
    pythons = {string(each, "requires_python") for each in targets}
    platforms = [string(each, "platform") for each in targets]
    span = blocks.key("requires_python") if targets else blocks.key("lock_version")
    yield Lock(
        name="pdm", span=span, origin=span, written=source.cut(span), python=pythons.pop() if len(pythons) == 1 else "",
        platforms=tuple(dict.fromkeys(_MEANT.get(each, each) for each in platforms)) if all(platforms) else (),
    )  # fmt: skip
    yield from blocks.problems
    yield from _packages(blocks, table(metadata, "files"))


def _packages(blocks: Blocks, files: Mapping[str, Any]) -> Iterator[Read]:
    """The packages, each with what its extras need: an entry of its own, `requests` with `extras = ["socks"]`, that names no other files."""
    found: list[Locked] = []
    known: dict[tuple[str, str, str], int] = {}
    for block in blocks.packages():
        if isinstance(block, ParseProblem):
            yield block
        elif block.name:
            locked, extras = _package(block, files), names(block.values, "extras")
            key = (locked.name, locked.version, locked.url)
            if extras and key in known:
                found[known[key]] = _with(found[known[key]], locked, extras)
                continue
            known.setdefault(key, len(found))
            found.append(locked)
            if len(strings(block.values, "dependencies")) > MOST_NEEDS:
                yield ParseProblem(block.stated, f"more than {MOST_NEEDS:,} dependencies: the rest is not read")
    yield from found


def _with(own: Locked, other: Locked, extras: frozenset[str]) -> Locked:
    """A package with what is needed for its extras. A group that asks for it with extras asks for it."""
    needs = [replace(need, extra=extra) for extra in sorted(extras) for need in other.needs if need.name != own.name]
    asked = own.asked | other.asked if own.asked and other.asked else frozenset()
    return replace(own, needs=(*own.needs, *needs[: MOST_NEEDS - len(own.needs)]), asked=asked)


def _package(block: Block, files: Mapping[str, Any]) -> Locked:
    values = block.values
    url, folder = _place(values)
    listed = _files(values, files.get(f"{string(values, 'name')} {block.version}"), url, folder)
    wheels = None if listed is None else tuple(filter(is_wheel, listed))
    return Locked(
        name=block.name, span=block.stated, origin=block.stated, written=block.written, version=block.version, url=url,
        marker=string(values, "marker"), asked=frozenset(_asked(values)), needs=tuple(_needs(block)), wheels=wheels,
        sdist=folder or bool(listed and len(wheels or ()) < len(listed)),
    )  # fmt: skip


def _asked(values: Mapping[str, Any]) -> Iterator[str]:
    """For whom a package is installed. PDM makes no difference between a group and an extra of that name."""
    for name in strings(values, "groups"):
        yield from ("",) if name == _DEFAULT else (asked_for(name), group(name))


def _place(values: Mapping[str, Any]) -> tuple[str, bool]:
    """The repository, address or path that a package comes from; whether it is built from a folder of sources."""
    for kind in _VERSIONED:
        if repository := string(values, kind):
            revision = string(values, "revision") or string(values, "ref")
            return f"{kind}+{repository}" + (f"@{revision}" if revision else ""), True
    if path := string(values, "path"):
        return path, not _is_archive(path)
    return string(values, "url"), False


def _is_archive(path: str) -> bool:
    return path.lower().endswith((".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"))


def _files(values: Mapping[str, Any], at_the_end: object, url: str, folder: bool) -> list[str] | None:
    """The names of a package's files; None where the lock has none. Until lock version 4.2 they all stood under `[metadata.files]`."""
    if folder:
        return []
    listed = values.get("files", at_the_end)
    if not isinstance(listed, list) or not listed:
        return [basename(url)] if url else None
    return [string(each, "file") or basename(string(each, "url")) for each in tables({"": listed}, "")]


def _needs(block: Block) -> Iterator[Need]:
    places = block.places(_LINE)
    for text in strings(block.values, "dependencies")[:MOST_NEEDS]:
        name = _NAME.match(text)
        if name is None:  # `-e file:///…`
            continue
        wanted, _, marker = text[name.end() :].partition(" ;" if "@" in text.partition(";")[0] else ";")
        bracket, _, version = wanted.strip().rpartition("]")
        extras = (extra.strip() for extra in bracket.lstrip("[").split(","))
        yield Need(
            canonicalize_name(name[0]), places.next(name[0]), extras=frozenset(canonicalize_name(extra) for extra in extras if extra),
            marker=marker.strip(), specifier="" if "@" in version else "".join(version.split()),
        )  # fmt: skip
