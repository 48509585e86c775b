"""Pipfile.lock: JSON with the packages of each category, of which only those that the Pipfile asks for name an index.

https://pipenv.pypa.io/en/latest/pipfile.html#pipfile-lock. It has hashes, but no names of files.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from packaging.utils import canonicalize_name

from spark_lint.facts import LONGEST_VERSION, Lock, Locked, Need, ParseProblem, Read
from spark_lint.read.json_tree import Array, Node, Object, Scalar, tree
from spark_lint.read.lock_blocks import MOST_NEEDS, basename, is_wheel
from spark_lint.read.toml_packages import group
from spark_lint.text import Source, Span, Text

MOST_VALUES: Final = 500_000
"""Values of one lock that are read, nearly all of them hashes; the longest real ones have some ten thousand."""
_META: Final = "_meta"
_FOR_ALL: Final = "default"
_CATEGORIES: Final = {"develop": "dev"}
"""What the lock calls a category that commands and the Pipfile call otherwise."""
_SHORT: Final = 12
"""Lines from a name to its version; where hashes make it more, the name stands alone."""
_VERSIONED: Final = ("git", "hg", "svn", "bzr")


def read(source: Source) -> Iterator[Read]:
    """The facts of a Pipfile.lock: the `Lock`, the project with what it asks for itself, then each package."""
    text = Text.of(source)
    found = tree(text, MOST_VALUES)
    root = found.root if isinstance(found.root, Object) else Object()
    meta = _object(root.get(_META))
    yield _lock(text, meta)
    if found.fault:
        at = min(found.at, max(len(text.value) - 1, 0))
        yield ParseProblem(text[at:at].span, f"not valid JSON: {found.fault}")
    if found.full:
        yield ParseProblem(text[:0].span, f"more than {MOST_VALUES:,} values: the rest is not read")
    sources = [(_string(each, "name"), _string(each, "url")) for each in map(_object, _array(meta.get("sources")))]
    entries = [each for each in _entries(root) if each.key.string.value]
    yield from _projects(text, entries)
    yield from _locked(entries, dict(sources[1:]))


class _Entry:
    """A package of a category. asked: for whom it is installed, as `Locked` says it."""

    def __init__(self, key: Scalar, said: Mapping[str, Node], asked: str) -> None:
        self.key = key
        self.said = said
        self.asked = asked
        self.name = canonicalize_name(key.string.value)
        self.pin = _string(said, "version")
        pinned = self.pin.startswith("==") and len(self.pin) <= LONGEST_VERSION
        self.version = self.pin.removeprefix("==").strip() if pinned else ""
        self.path = _string(said, "path") or _string(said, "file")

    @property
    def direct(self) -> bool:
        """Whether the Pipfile asks for it: what only others need has no index."""
        return any(key in self.said for key in ("index", "path", "file", *_VERSIONED))

    @property
    def project(self) -> bool:
        """Whether it is the project in the folder of the lock itself."""
        return self.path.rstrip("/") == "."

    @property
    def url(self) -> str:
        """The repository, address or path that it comes from instead of an index."""
        for kind in _VERSIONED:
            if repository := _string(self.said, kind):
                revision = _string(self.said, "ref")
                repository = repository if repository.startswith(f"{kind}+") else f"{kind}+{repository}"
                return repository + (f"@{revision}" if revision else "")
        return self.path

    @property
    def span(self) -> Span:
        """From the name to the version, where that is short."""
        name, version = self.key.text.span, self.said.get("version")
        if not isinstance(version, Scalar) or not (found := version.text.span).line - name.line < _SHORT:
            return name
        return Span(name.path, name.line, name.column, found.end_line, found.end_column)

    def locked(self, sources: dict[str, str], asked: frozenset[str]) -> Locked:
        """The entry as a fact."""
        file = basename(self.path)
        wheels = None if not self.url else (file,) if is_wheel(file) else ()
        return Locked(
            name=self.name, span=self.span, origin=self.span, version=self.version, url=self.url, asked=asked,
            written=f"{self.key.string.value}=={self.version}" if self.version else self.key.string.value,
            index=sources.get(_string(self.said, "index"), ""), marker=_string(self.said, "markers"), wheels=wheels,
            sdist=bool(self.url) and not is_wheel(file),
        )  # fmt: skip


def _lock(text: Text, meta: Mapping[str, Node]) -> Lock:
    requires = _object(meta.get("requires"))
    full, short = _string(requires, "python_full_version"), _string(requires, "python_version")
    stated = next((value for value in requires.values() if isinstance(value, Scalar)), None)
    span = stated.text.span if stated else text[:0].span
    return Lock(
        name="pipenv", span=span, origin=span, written=stated.text.written if stated else "",
        python=f"=={full}" if full else f"=={short}.*" if short else "",
    )  # fmt: skip


def _entries(root: Object) -> Iterator[_Entry]:
    for key, packages in root.pairs:
        category = key.string.value
        if category == _META or not isinstance(packages, Object):
            continue
        asked = "" if category == _FOR_ALL else group(_CATEGORIES.get(category, category))
        for name, said in packages.pairs:
            if isinstance(said, Object):
                yield _Entry(name, _object(said), asked)


def _projects(text: Text, entries: list[_Entry]) -> Iterator[Read]:
    """The project that the lock is for, with what its Pipfile asks for."""
    needs = [
        Need(each.name, each.key.text.span, extras=_extras(each.said), marker=_string(each.said, "markers"), extra=each.asked, specifier=each.pin)
        for each in entries
        if each.direct and not each.project
    ]  # fmt: skip
    own = next((each for each in entries if each.project), None)
    if needs or own:
        span = own.span if own else text[:0].span
        yield Locked(
            name=own.name if own else "", span=span, origin=span, written=own.key.string.value if own else "", root=True, url=".",
            needs=tuple(needs[:MOST_NEEDS]),
        )  # fmt: skip
    if len(needs) > MOST_NEEDS:
        yield ParseProblem(
            needs[MOST_NEEDS].span, f"more than {MOST_NEEDS:,} packages that the Pipfile asks for: the rest is not read"
        )


def _locked(entries: list[_Entry], sources: dict[str, str]) -> Iterator[Locked]:
    """The packages, each once where several categories hold the same."""
    alike: dict[tuple[str, ...], list[_Entry]] = {}
    for each in entries:
        if not each.project:
            key = (each.name, each.version, each.url, _string(each.said, "markers"), _string(each.said, "index"))
            alike.setdefault(key, []).append(each)
    for found in alike.values():
        yield found[0].locked(sources, frozenset(each.asked for each in found))


def _extras(said: Mapping[str, Node]) -> frozenset[str]:
    return frozenset(canonicalize_name(each.string.value) for each in _array(said.get("extras")) if isinstance(each, Scalar))


def _object(node: Node | None) -> Mapping[str, Node]:
    return {key.string.value: value for key, value in node.pairs} if isinstance(node, Object) else {}


def _array(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, Array) else []


def _string(said: Mapping[str, Node], key: str) -> str:
    found = said.get(key)
    return found.string.value if isinstance(found, Scalar) and found.quoted else ""
