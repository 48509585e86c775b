"""pixi.lock: for each environment and platform the packages by their address, then each package with what is known of it.

https://pixi.sh/latest/workspace/lockfile/; versions 4 to 7 as rattler reads and writes them (github.com/conda/rattler,
`crates/rattler_lock/src/parse`). The files have megabytes, all in the one layout that a serialiser gives, so they are read line by line;
what is written otherwise (`{a: b}`, `&anchor`) is passed over.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from packaging.utils import canonicalize_name

from spark_lint.facts import LONGEST_VERSION, Lock, Locked, ParseProblem, Read
from spark_lint.read.lock_blocks import MOST_PACKAGES, basename, is_address, is_wheel
from spark_lint.read.pixi import DEFAULT, SPARK
from spark_lint.read.toml_packages import group
from spark_lint.text import Source, Span

# `name: value`, `- conda: value`, or a line at the margin that is neither and no comment.
_LINE: Final = re.compile(
    r"""^(?P<indent> *)(?P<dash>- +)?(?P<key>"[^"\n]*"|'[^'\n]*'|[\w.+-]+):(?=[ \t\r\n]|\Z)[ \t]*(?P<value>[^\r\n]*)|^(?P<other>[^\s#-][^\r\n]*)""",
    re.MULTILINE,
)
_VALUE: Final = re.compile(r"""(?P<quote>["'])(?P<quoted>(?:(?!(?P=quote)).)*)(?P=quote)|(?P<plain>(?:(?! #).)*)""")
_DOCUMENT: Final = re.compile(r"(?:---|\.\.\.|%).*")
_CONDA: Final = re.compile(r"(?P<name>.+)-(?P<version>[^-]+)-(?P<build>[^-]+?)(?:\.conda|\.tar\.bz2)")
_ARCHIVES: Final = (".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_KINDS: Final = ("conda", "pypi", "conda_source")
_ADDRESSES: Final = (*_KINDS, "url", "path")
_KEYS: Final = frozenset({*_ADDRESSES, "kind", "name", "version", "index"})
_DIRECT: Final = "direct+"
"""What stands before the address of a package that comes from no index."""


class _Value(NamedTuple):
    text: str
    start: int
    stop: int


class _Row(NamedTuple):
    """A line `key: value`. indent: of the line; column: of the key, which is further in where a dash stands before it; at: the key in the file."""

    indent: int
    column: int
    key: str
    value: _Value
    at: int

    @property
    def dash(self) -> bool:
        """Whether it begins an item of a list."""
        return self.column > self.indent


@dataclass(slots=True)
class _Package:
    """An item of the list of packages. said: what it says, with the place of each key."""

    said: dict[str, tuple[int, _Value]] = field(default_factory=dict)

    def value(self, *keys: str) -> str:
        """The value of the first of these keys that it has."""
        return next((self.said[key][1].text for key in keys if key in self.said), "")

    @property
    def conda(self) -> bool:
        """Whether it is a package of conda's. Until version 5 a key of its own says it."""
        return "pypi" not in self.said and self.value("kind") != "pypi"

    @property
    def address(self) -> str:
        """Where it comes from, by which the environments name it."""
        return self.value(*_ADDRESSES)


@dataclass(slots=True)
class _Contents:
    """What a lock holds.

    platforms: conda's name of each by the lock's own. environments: by name and platform, what each names: whether it is conda's, and the
    address. version: where that is written. fault: the first line that is none.
    """

    platforms: dict[str, str] = field(default_factory=dict)
    environments: dict[str, dict[str, list[tuple[bool, str]]]] = field(default_factory=dict)
    packages: list[_Package] = field(default_factory=list)
    version: tuple[int, int] = (0, 0)
    fault: int | None = None


def read(source: Source) -> Iterator[Read]:
    """The facts of a pixi.lock: the `Lock`, then each package that an environment of a Spark's platform names."""
    contents = _contents(source.text)
    environments = contents.environments
    named = environments.get(DEFAULT) or {name: [] for each in environments.values() for name in each}
    span = source.span(*contents.version)
    yield Lock(
        name="pixi", span=span, origin=span, written=source.cut(span),
        platforms=tuple(dict.fromkeys(contents.platforms.get(each, each) for each in named)),
    )  # fmt: skip
    if contents.fault is not None:
        yield ParseProblem(source.span(contents.fault, contents.fault), "this line is not YAML as pixi writes it")
    asked = _asked(contents)
    for package in contents.packages[:MOST_PACKAGES]:
        wanted = asked.pop((package.conda, package.address), None)
        # `./` is the project itself.
        if wanted is not None and package.address.rstrip("/") != ".":
            yield _locked(source, package, frozenset(wanted))
    if len(contents.packages) > MOST_PACKAGES:
        yield ParseProblem(span, f"more than {MOST_PACKAGES:,} packages: the rest is not read")


def _asked(contents: _Contents) -> dict[tuple[bool, str], set[str]]:
    """For whom each package is installed on a Spark."""
    asked: dict[tuple[bool, str], set[str]] = defaultdict(set)
    for environment, platforms in contents.environments.items():
        for platform, packages in platforms.items():
            if contents.platforms.get(platform, platform) == SPARK:
                for package in packages:
                    asked[package].add("" if environment == DEFAULT else group(environment))
    return asked


def _locked(source: Source, package: _Package, asked: frozenset[str]) -> Locked:
    name, version = package.value("name"), package.value("version")
    address = package.address.removeprefix(_DIRECT)
    file = basename(address)
    archive = file.lower().endswith(_ARCHIVES)
    if package.conda and (match := _CONDA.fullmatch(file)):
        name, version = name or match["name"], version or match["version"]
    elif package.conda:
        # One that is built from its source is `name[hash] @ path`.
        name = name or address.partition("[")[0].strip()
    version = version if len(version) <= LONGEST_VERSION else ""
    direct = not archive or not is_address(address) or address != package.address
    span = _span(source, package)
    return Locked(
        name=f"conda/{name.lower()}" if package.conda else canonicalize_name(name), span=span, origin=span,
        written=f"{name}=={version}" if version else name, version=version, index=package.value("index"), asked=asked,
        url=address if direct and not package.conda else "",
        wheels=None if package.conda else (file,) if is_wheel(file) else (), sdist=not package.conda and not is_wheel(file),
    )  # fmt: skip


def _span(source: Source, package: _Package) -> Span:
    """From the name to the end of the version, where they have lines of their own; the address otherwise."""
    if "name" not in package.said:
        key = next(key for key in _ADDRESSES if key in package.said)
        value = package.said[key][1]
        return source.span(value.start, value.stop)
    start, value = package.said["name"]
    after, version = package.said.get("version", (0, value))
    return source.span(start, version.stop if after > start else value.stop)


def _contents(text: str) -> _Contents:
    found, section = _Contents(), ""
    above: list[tuple[int, str]] = []
    platform, items, column = "", -1, 0
    for match in _LINE.finditer(text):
        if match["key"] is None:
            if found.fault is None and not _DOCUMENT.fullmatch(match["other"]):
                found.fault = match.start("other")
            continue
        row = _row(match)
        if not row.column:
            section, items, above = row.key, -1, []
            if section == "version":
                found.version = (row.at, row.value.stop)
        elif section == "environments":
            _of_environment(found, row, above)
        elif section in ("packages", "platforms"):
            if row.dash and items in (-1, row.indent):
                items, column, platform = row.indent, row.column, ""
                if section == "packages":
                    found.packages.append(_Package())
            if items < 0 or row.column != column:
                continue
            if section == "packages" and row.key in _KEYS:
                found.packages[-1].said.setdefault(row.key, (row.at, row.value))
            elif section == "platforms" and row.key == "name":
                platform = row.value.text
            if section == "platforms" and platform and row.key in ("name", "subdir"):
                found.platforms[platform] = row.value.text
    found.packages = [each for each in found.packages if each.address]
    return found


def _of_environment(found: _Contents, row: _Row, above: list[tuple[int, str]]) -> None:
    """A line among the environments. above: the keys under which it stands, each with its indent."""
    # The items of a list may begin below their key or behind it.
    while above and (above[-1][0] > row.indent or (above[-1][0] == row.indent and not row.dash)):
        above.pop()
    keys = [key for _, key in above]
    if not row.dash:
        above.append((row.indent, row.key))
        if len(keys) == 2 and keys[1] == "packages":
            found.environments.setdefault(keys[0], {}).setdefault(row.key, [])
    elif len(keys) == 3 and keys[1] == "packages" and row.key in _KINDS:
        found.environments[keys[0]][keys[2]].append((row.key != "pypi", row.value.text))


def _row(match: re.Match[str]) -> _Row:
    indent = len(match["indent"])
    return _Row(indent, indent + len(match["dash"] or ""), match["key"].strip("\"'"), _value(match), match.start("key"))


def _value(match: re.Match[str]) -> _Value:
    """A scalar without its quotes, or without the comment behind it."""
    text, at = match["value"] or "", match.start("value") if match["value"] else match.end()
    found = _VALUE.match(text)
    if found is None or found["plain"] is not None:
        plain = (found["plain"] if found else text).rstrip()
        return _Value(plain, at, at + len(plain))
    return _Value(found["quoted"].replace("''", "'"), at, at + found.end())
