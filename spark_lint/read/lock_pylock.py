"""pylock.toml, the lock that every installer is to understand: each package says itself where and for whom it is installed.

https://packaging.python.org/en/latest/specifications/pylock-toml/
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Lock, Locked, Need, ParseProblem, Read
from spark_lint.read.lock_asked import asked, barred
from spark_lint.read.lock_blocks import (
    MOST_NEEDS,
    TABLE,
    Block,
    Blocks,
    basename,
    is_wheel,
    string,
    strings,
    table,
    tables,
)
from spark_lint.read.toml_packages import group
from spark_lint.text import Source

_KNOWN: Final = re.compile(r"1(?:\.\d{1,9})?")
_HERE: Final = (".", "./", "")


def read(source: Source) -> Iterator[Read]:
    """The lock, then the packages in the order of the file; one that is installed elsewhere for some than for others, once for each."""
    blocks = Blocks(source, "packages")
    span = blocks.key("requires-python" if "requires-python" in blocks.values else "lock-version")
    yield Lock(
        name="pylock", span=span, origin=span, written=source.cut(span), python=string(blocks.values, "requires-python"),
        environments=tuple(strings(blocks.values, "environments")),
    )  # fmt: skip
    yield from blocks.problems
    version = string(blocks.values, "lock-version")
    if version and not _KNOWN.fullmatch(version):
        # "If a tool doesn't support a major version, it MUST raise an error."
        yield ParseProblem(blocks.key("lock-version"), f"version {version[:20]} of pylock.toml is not known, not read")
        return
    defaults = frozenset(map(group, strings(blocks.values, "default-groups")))
    for block in blocks.packages():
        if isinstance(block, ParseProblem):
            yield block
        elif not block.name:
            yield ParseProblem(block.stated, "a package without a name")
        else:
            yield from _entries(block, defaults)


def _entries(block: Block, defaults: frozenset[str]) -> Iterator[Read]:
    values = block.values
    url = _url(values)
    wheels = [_file(each) for each in tables(values, "wheels")]
    own = basename(url) if is_wheel(basename(url)) else ""
    folder = string(table(values, "directory"), "path")
    dependencies = tables(values, "dependencies")
    places = block.places(TABLE) if dependencies else None
    needs = [
        Need(canonicalize_name(name), places.next(name), version=string(each, "version"))
        for each in dependencies[:MOST_NEEDS]
        if places and (name := string(each, "name"))
    ]
    never = barred(string(values, "marker"))
    for labels, marker in asked(string(values, "marker"), defaults):
        yield Locked(
            name=block.name, span=block.stated, origin=block.stated, written=block.written, version=block.version,
            root="directory" in values and folder in _HERE, index=string(values, "index"), url=url, marker=marker, asked=labels,
            barred=never if "" in labels else frozenset(), needs=tuple(needs), wheels=tuple(name for name in dict.fromkeys([*wheels, own]) if name),
            sdist="sdist" in values or bool(url and not own),
        )  # fmt: skip
    if len(dependencies) > MOST_NEEDS:
        yield ParseProblem(block.stated, f"more than {MOST_NEEDS:,} needs of one package: the rest is not read")


def _file(values: Mapping[str, Any]) -> str:
    """The name of a file, which its address or path has where it has none of its own."""
    return string(values, "name") or basename(string(values, "url") or string(values, "path"))


def _url(values: Mapping[str, Any]) -> str:
    """What a package comes from in place of an index."""
    if vcs := table(values, "vcs"):
        commit, folder = string(vcs, "commit-id"), string(vcs, "subdirectory")
        place = f"{string(vcs, 'type') or 'git'}+{string(vcs, 'url') or string(vcs, 'path')}"
        return place + (f"@{commit}" if commit else "") + (f"#subdirectory={folder}" if folder else "")
    if "directory" in values:
        return string(table(values, "directory"), "path") or "."
    archive = table(values, "archive")
    return string(archive, "url") or string(archive, "path")
