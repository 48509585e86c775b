"""Which files are looked at: the given ones, what a walk finds, and the neighbours that say where things run."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from spark_lint.findings import Problem
from spark_lint.keys import spec
from spark_lint.kinds import DOCKERFILE, DOTENV, LOCK, PROJECT_FILES, SUBMITTED, kind_of, sets_scopes
from spark_lint.links import inside

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from spark_lint.config import Config

NEIGHBOUR_LIMIT: Final = 50_000
"""Directory entries looked at for neighbours, so that a file in a home directory does not cost a walk of it."""

GITIGNORE_LIMIT: Final = 256 * 1024
"""Bytes of a .gitignore that are read."""

# Names that folders have too: `docker/dockerfile`, and `.env` for an environment of Python's.
_FOLDERS: Final = frozenset({DOCKERFILE, DOTENV})

# Never part of what one wrote: version control, environments, caches. A folder with a pyvenv.cfg is an environment too, and `vendor` with a
# modules.txt is Go's.
SKIPPED_FOLDERS: Final = frozenset(
    {".git", ".hg", ".svn", ".venv", ".tox", ".nox", ".eggs", "node_modules", "__pycache__", "__pypackages__", "site-packages", ".mypy_cache",
     ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints", ".direnv", ".pixi"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A file to look at. path: relative to the working directory, with `/`. given: named on the command line.

    neighbour: it is read for the scopes it gives to others; nothing is reported in it.
    """

    path: str
    kind: str
    given: bool = False
    neighbour: bool = False


@dataclass(frozen=True, slots=True)
class Discovery:
    """What discovery found. roots: the directories taken for repositories, `.` or a path; skipped: given files of no known kind."""

    files: tuple[Found, ...] = ()
    problems: tuple[Problem, ...] = ()
    skipped: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()


@dataclass(slots=True)
class _Collected:
    files: dict[str, Found] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)


def shown(path: Path) -> str:
    """A path as reports show it: relative to the working directory, with `/`."""
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:  # another drive on Windows
        return path.as_posix()


def discover(paths: Sequence[str], config: "Config") -> Discovery:
    """The files that `paths` stand for.

    A directory is walked (`.gitignore` honoured, links out of it not followed). A file is taken as it is, unless excludes are
    forced on it, and its repository (the working directory for files below it) is searched for the neighbours that set its scope.
    """
    found = _Collected()
    for given in dict.fromkeys(paths):
        path = Path(given)
        if path.is_dir() and (kind := kind_of(path.name)) and kind not in _FOLDERS:
            found.problems.append(Problem(shown(path), 0, f"is a directory, not a {kind} file", given=True))
        elif path.is_dir():
            found.roots.append(shown(path))
            for each in _walk(path, config, found.problems):
                found.files.setdefault(each.path, each)
        else:
            _take(given, config, found)
    # A lock is long, and decides nothing but what is installed.
    locks = any(each.kind == LOCK or each.path.rpartition("/")[2].lower() in PROJECT_FILES for each in found.files.values())
    for file in list(found.files):
        if not any(inside(file, root) for root in found.roots):
            found.roots.append("." if inside(file, ".") else _repository(file))
            for each in _walk(Path(found.roots[-1]), config, [], NEIGHBOUR_LIMIT):
                if each.kind == LOCK and not locks:
                    continue
                found.files.setdefault(each.path, Found(each.path, each.kind, neighbour=True))
    files = sorted(found.files.values(), key=lambda each: each.path)
    return Discovery(tuple(files), tuple(found.problems), tuple(found.skipped), tuple(found.roots))


def _take(given: str, config: "Config", found: _Collected) -> None:
    path = Path(given)
    name = shown(path)
    if config.force_exclude and config.excluded(name):
        return
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
        kind = kind_of(name, _head(path) if regular else b"")
    except OSError as error:
        option = " (behind `--`, where options are paths)" if given.startswith("-") else ""
        found.problems.append(Problem(given, 0, reason(error) + option, given=True))
        return
    if kind and not regular:
        # A pipe into which nobody writes would be waited for.
        found.problems.append(Problem(name, 0, "is not a regular file", given=True))
    elif kind:
        found.files[name] = Found(name, kind, given=True)
    else:
        found.skipped.append(name)


def is_file(path: Path) -> bool:
    """Whether there is such a file, as far as one may look: a folder of another user's holds none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _repository(file: str) -> str:
    """The repository of a file outside the working directory: the nearest folder above it with a `.git`, else its own."""
    folder = Path(file).parent
    above = (each for each in folder.absolute().parents if (each / ".git").exists())
    own = folder if (folder / ".git").exists() else next(above, folder)
    return shown(own)


def reason(error: OSError) -> str:
    """What the system says, in a few words: `no such file`, `too many levels of symbolic links`."""
    return (error.strerror or str(error)).lower()


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(128)


def _walk(root: Path, config: "Config", problems: list[Problem], limit: int = 0) -> Iterator[Found]:
    """The files below a directory, in the order of their names. Links are followed only to files inside it.

    limit: entries to look at, and then only for files that set scopes; 0 for all files.
    """
    home = root.resolve()
    stack: list[tuple[Path, _Ignored]] = [(root, _Ignored(()))]
    seen = 0
    while stack:
        folder, above = stack.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            problems.append(Problem(shown(folder), 0, reason(error)))
            continue
        ignored = above.with_file(folder, problems)
        folders = []
        for entry in entries:
            seen += 1
            if entry.name.startswith("._"):  # what macOS puts beside each file on other systems' disks: no text
                continue
            path = folder / entry.name
            if entry.is_dir(follow_symlinks=False):
                if (kind := kind_of(entry.name)) and kind not in _FOLDERS:
                    problems.append(Problem(shown(path), 0, f"is a directory, not a {kind} file"))
                if entry.name not in SKIPPED_FOLDERS and not _left_out(path, ignored, config, folder=True):
                    folders.append((path, ignored))
            elif (found := _found(path, entry, home, problems, only_scopes=limit > 0)) and not _left_out(
                path, ignored, config, folder=False
            ):
                yield found
        if limit and seen > limit:
            return
        stack += reversed(folders)


def _found(path: Path, entry: "os.DirEntry[str]", home: Path, problems: list[Problem], *, only_scopes: bool) -> Found | None:
    """The file behind a directory entry, if it is one that is read."""
    kind = kind_of(path.as_posix())
    try:
        if entry.is_symlink() and (not kind or not path.resolve(strict=True).is_relative_to(home)):
            return None
        if not kind and _may_be_a_script(entry):
            kind = kind_of(entry.name, _head(path))
        if not kind or (only_scopes and not sets_scopes(entry.name, kind)):
            return None
        if not entry.is_file():
            # A link to a folder, or a pipe: opening a pipe would wait for ever.
            problems.append(Problem(shown(path), 0, "is not a regular file"))
            return None
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError before Python 3.13
        problems.append(
            Problem(shown(path), 0, reason(error) if isinstance(error, OSError) else "too many levels of symbolic links")
        )
        return None
    return Found(shown(path), kind)


def _may_be_a_script(entry: "os.DirEntry[str]") -> bool:
    """Whether the first line of a file without a known name is worth a look."""
    submitted = SUBMITTED.fullmatch(entry.name.lower()) is not None
    return entry.is_file() and (submitted or ("." not in entry.name and bool(entry.stat().st_mode & 0o111)))


def _left_out(path: Path, ignored: "_Ignored", config: "Config", *, folder: bool) -> bool:
    # The second is how go fills a folder with other people's modules: https://go.dev/ref/mod#vendoring
    if folder and (is_file(path / "pyvenv.cfg") or (path.name == "vendor" and is_file(path / "modules.txt"))):
        return True
    return config.excluded(shown(path) + ("/" if folder else "")) or ignored.matches(path, folder=folder)


@dataclass(frozen=True, slots=True)
class _Ignored:
    """The .gitignore files that apply in a folder, outermost first, each with its folder."""

    specs: "tuple[tuple[Path, GitIgnoreSpec], ...]"

    def with_file(self, folder: Path, problems: list[Problem]) -> "_Ignored":
        """The same, with the folder's own .gitignore. Like git it follows no link, and passes over what is no pattern."""
        file = folder / ".gitignore"
        try:
            if file.is_symlink() or not file.is_file():
                return self
            with file.open("rb") as opened:
                data = opened.read(GITIGNORE_LIMIT + 1)
        except OSError as error:
            problems.append(Problem(shown(file), 0, reason(error)))
            return self
        if len(data) > GITIGNORE_LIMIT:
            problems.append(Problem(shown(file), 0, f"larger than {GITIGNORE_LIMIT:,} bytes, not used"))
            return self
        lines = data.decode("utf-8", "replace").splitlines()
        for number, line in enumerate(lines, 1):
            try:
                spec((line,))
            except ValueError as error:
                problems.append(Problem(shown(file), number, f"{error}: not used"))
                lines[number - 1] = ""
        return _Ignored((*self.specs, (folder, spec(tuple(lines)))))

    def matches(self, path: Path, *, folder: bool) -> bool:
        """Whether git would ignore the path: the innermost file with an opinion decides."""
        for base, patterns in reversed(self.specs):
            name = path.relative_to(base).as_posix() + ("/" if folder else "")
            verdict = patterns.check_file(name).include
            if verdict is not None:
                return bool(verdict)
        return False
