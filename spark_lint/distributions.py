"""The projects of a repository, as their packaging files describe them: which extras are installed, by whom, for which Python."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import translate
from typing import TYPE_CHECKING, Final

from spark_lint.documents import Document
from spark_lint.facts import Distribution, Entry, Include
from spark_lint.kinds import DOCKERFILE, REQUIREMENTS
from spark_lint.links import Repository, joined
from spark_lint.text import UNKNOWN

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

FILES: Final = ("pyproject.toml", "setup.cfg", "setup.py", "pixi.toml", "uv.toml", "Pipfile")
"""The files that may describe a project, in its folder."""
_OWN: Final = ("pixi.toml", "Pipfile")
_READ_BY: Final = {"pixi": ("pixi.toml", "pyproject.toml"), "pipenv": ("Pipfile",)}
GROUP: Final = "group:"
DEFAULT: Final = "group:default"
"""What stands among the extras for the groups that the manager installs unasked."""

_MEMBERS: Final = "tool.uv.workspace.members"
_EXCLUDED: Final = "tool.uv.workspace.exclude"
_SIGNS: Final = re.compile(r"[*?\[]")
_MOST_PATTERNS: Final = 100
"""Patterns of folders in one workspace that are compared with each project's."""
_MOST_ASKED: Final = 1_000_000
"""Extras that others bring, counted anew for each install of the repository; with more of them only what is named itself is known."""
_PYTHONS: Final = tuple(f"3.{minor}" for minor in range(14, 7, -1))
_PLAIN: Final = re.compile(r"[^a-z0-9]")


class Projects:
    """The packaging files of a repository by the folder they lie in."""

    def __init__(self, documents: Mapping[str, Document], repository: Repository) -> None:
        self._repository = repository
        self._files: dict[str, list[str]] = defaultdict(list)
        self._brings: dict[str, dict[str, set[str]]] = {}
        self._known: dict[str, set[str]] = defaultdict(set)
        self._left = _MOST_ASKED
        self._own: dict[str, list[Distribution]] = defaultdict(list)
        for path, document in documents.items():
            if posixpath.basename(path) in FILES:
                folder = posixpath.dirname(path)
                self._files[folder].append(path)
                self._own[folder] += (fact for fact in document.facts if isinstance(fact, Distribution))
                self._known[folder] |= {fact.context.extra for fact in document.facts} - {""}
                brings = self._brings.setdefault(folder, defaultdict(set))
                for include in document.includes:
                    if include.kind == "extra":
                        brings[include.context.extra] |= include.extras
                    self._known[folder] |= {include.context.extra} - {""}
        self._members = {
            posixpath.dirname(path): _Members(posixpath.dirname(path), document)
            for path, document in documents.items()
            if posixpath.basename(path) == "pyproject.toml"
        }
        self._names = {_plain(each.name): folder for folder, found in self._own.items() for each in found if _plain(each.name)}

    def describes(self, path: str) -> bool:
        """Whether a file is one of those that describe a project."""
        return path in self._files.get(posixpath.dirname(path), ())

    def is_workspace(self, path: str) -> bool:
        """Whether a file describes a workspace of uv's, whose members take packages from where it says."""
        own = self._members.get(posixpath.dirname(path))
        return own is not None and own.named_any

    def workspace(self, path: str) -> str:
        """The packaging file of the workspace of which a project is a member; empty where it is none's."""
        own = posixpath.dirname(path)
        for folder in _above(own):
            if (members := self._members.get(folder)) is not None and members.has(own):
                return posixpath.join(folder, "pyproject.toml")
        return ""

    def files(self, folder: str, *, installer: str = "") -> list[str]:
        """The packaging files in a folder that an install reads: pixi and pipenv their own, any other manager all but theirs."""
        found = self._files.get(folder, [])
        read = _READ_BY.get(installer) or tuple(name for name in FILES if name not in _OWN)
        return [path for path in found if posixpath.basename(path) in read]

    def folder_of(self, name: str) -> str | None:
        """The folder of the project of this name, None where the repository has none."""
        return self._names.get(_plain(name))

    def installed(self, document: Document, include: Include) -> str | None:
        """The folder of the project that an `editable` include of a document means."""
        member = include.command.option("--package") if include.command and include.path.value == UNKNOWN else None
        if member is not None:
            return self.folder_of(member.value)
        for name in FILES:
            found = self._found(document, replace(include, path=include.path.as_value(posixpath.join(_folder(include), name))))
            if found is not None and (folder := posixpath.dirname(found)) in self._files:
                return folder
        return self._cloned(document, include)

    def _found(self, document: Document, include: Include) -> str | None:
        if document.kind == DOCKERFILE:
            copies = [each for each in document.includes if each.kind in ("copy", "mount")]
            return self._repository.copied_to(document.path, include, _earlier(document, include, copies))
        if document.kind == REQUIREMENTS:
            return self._repository.beside(document.path, include)
        return self._repository.run_from(document.path, include)

    def _cloned(self, document: Document, include: Include) -> str | None:
        """`git clone …/OpenRLHF && cd OpenRLHF && pip install -e .`: the folder is called like the project."""
        first, _, rest = include.context.workdir.partition("/")
        folder = self._names.get(_plain(first)) if first and document.kind != DOCKERFILE else None
        if folder is None or UNKNOWN in include.path.value + rest:
            return None
        found = posixpath.normpath(posixpath.join(folder, rest, _folder(include)))
        return next((each for each in (found, "" if found == "." else found) if each in self._files), None)

    def asked(self, folder: str, extras: frozenset[str]) -> frozenset[str]:
        """The extras and groups that are installed where these are asked for, with those that they bring."""
        known, brings = self._known.get(folder, set()), self._brings.get(folder, {})
        waiting = list(extras)
        found: set[str] = set()
        while waiting:
            each = waiting.pop()
            if each in found:
                continue
            found.add(each)
            if self._left <= 0:
                continue
            brought = list(brings.get(each, ()))
            if each in ("*", f"{GROUP}*"):
                brought += (other for other in known if other.startswith(GROUP) == (each != "*"))
            elif each == DEFAULT:
                brought += (f"{GROUP}{name}" for own in self._own.get(folder, ()) for name in own.groups)
            self._left -= 1 + len(brought)
            waiting += brought
        return frozenset(found - {DEFAULT, "*", f"{GROUP}*"})

    def passed_over(self, path: str, extra: str) -> bool:
        """Whether what a setup.py or setup.cfg asks for is not read, since the pyproject.toml beside it says it."""
        if posixpath.basename(path) not in ("setup.py", "setup.cfg"):
            return False
        said = "optional-dependencies" if extra else "dependencies"
        return any(said in own.static for own in self._own.get(posixpath.dirname(path), ()))

    def python(self, path: str, assumed: str) -> str:
        """The Python for which the markers of a file are judged: the assumed one, or the newest that its project takes."""
        for own in self._own.get(posixpath.dirname(path), ()):
            if own.python and (found := next(pythons(own.python, assumed), "")):
                return found
        return assumed


class _Members:
    """The members of a workspace: folders that it names, and patterns of them, but for those that it excludes."""

    def __init__(self, folder: str, document: Document) -> None:
        self._named: dict[str, set[str]] = {_MEMBERS: set(), _EXCLUDED: set()}
        self._patterns: dict[str, list[re.Pattern[str]]] = {_MEMBERS: [], _EXCLUDED: []}
        for fact in document.facts:
            if isinstance(fact, Entry) and fact.name in self._named:
                pattern = joined(folder, str(fact.value))
                if not _SIGNS.search(pattern):
                    self._named[fact.name].add(pattern)
                elif len(self._patterns[fact.name]) < _MOST_PATTERNS:
                    self._patterns[fact.name].append(re.compile(translate(pattern)))

    @property
    def named_any(self) -> bool:
        """Whether the file names any."""
        return bool(self._named[_MEMBERS] or self._patterns[_MEMBERS])

    def has(self, folder: str) -> bool:
        """Whether a folder is a member."""
        return self._holds(_MEMBERS, folder) and not self._holds(_EXCLUDED, folder)

    def _holds(self, key: str, folder: str) -> bool:
        return folder in self._named[key] or any(pattern.match(folder) for pattern in self._patterns[key])


def _above(folder: str) -> Iterator[str]:
    while folder and folder != posixpath.dirname(folder):
        folder = posixpath.dirname(folder)
        yield folder


def _earlier(document: Document, include: Include, copies: list[Include]) -> list[Include]:
    stage = include.context.stage
    lineage = () if stage is None or not document.stages else document.lineage(stage)
    return [each for each in copies if each.context.stage in lineage]


def _folder(include: Include) -> str:
    """The folder of a project: without the extras behind it, as an address of a file and with the name pip was once to be told."""
    path = include.path.value.partition("[")[0].partition("#egg=")[0].strip()
    return path.removeprefix("file:") or "."


def _plain(name: str) -> str:
    return _PLAIN.sub("", name.lower())


def pythons(specifier: str, assumed: str) -> Iterator[str]:
    """The Pythons that a specifier admits, the assumed one first; nothing where it cannot be read."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        wanted = SpecifierSet(specifier) if UNKNOWN not in specifier and len(specifier) < 1000 else None
    except (InvalidSpecifier, ValueError):
        return
    yield from (each for each in dict.fromkeys((assumed, *_PYTHONS)) if wanted is not None and _holds(wanted, each))


def _holds(wanted: "SpecifierSet", python: str) -> bool:
    # `<=3.12`, `>=3.12.4` and `==3.12.7` alike admit some release of 3.12
    return any(f"{python}.{patch}" in wanted for patch in range(31))
