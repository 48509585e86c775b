"""Which file does a file mean? Paths in requirements files, in Dockerfiles (through COPY) and in scripts, inside the repository."""

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Final

from spark_lint.facts import Include
from spark_lint.text import UNKNOWN

MOST_COPIES: Final = 100
"""COPY lines that are looked at for where a path in an image comes from, the last ones."""
_EXAMPLES: Final = ("", ".example", ".sample", ".template", ".dist", "-example", ".defaults")
"""What the name of an environment file is followed by in a repository that leaves it to be copied."""
_EXAMPLES_OF_ENV: Final = ("env.example", "example.env", "env.sample", "sample.env", "env.template", "env.dist")
"""How the example of a `.env` is called too, where it is not to be hidden."""


def joined(folder: str, path: str) -> str:
    """A path seen from a folder, normalised; it begins with `..` where it leads out of the working directory."""
    found = posixpath.normpath(posixpath.join(folder, path))
    # `../here/train.py` is `train.py`
    return posixpath.relpath(found) if found.startswith("../") else found


def inside(path: str, root: str) -> bool:
    """Whether a normalised relative path is a directory or lies in it; `train.py` lies in `..` as well."""
    if root.endswith(".."):
        path, root = posixpath.relpath(path, root), "."
    if root == ".":
        return path != ".." and not path.startswith(("../", "/"))
    return path == root or path.startswith(root + "/")


class Repository:
    """A repository's files, as links see them.

    root: its directory, relative to the working directory. exists: whether a path is a file there. paths: the files read so far.
    """

    def __init__(self, root: str, exists: Callable[[str], bool], paths: Sequence[str]) -> None:
        self.root = root
        self._exists = exists
        self.paths = paths

    @property
    def paths(self) -> Sequence[str]:
        """The files read so far, or to be read."""
        return self._paths

    @paths.setter
    def paths(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            self._by_name[posixpath.basename(path)].append(path)

    def within(self, path: str) -> str:
        """A path as seen from the repository's directory."""
        return posixpath.relpath(path, self.root)

    def has(self, path: str) -> bool:
        """Whether a path is a file of the repository."""
        return inside(path, self.root) and self._exists(path)

    def beside(self, path: str, include: Include) -> str | None:
        """The file that `-r other.txt` in `path` means; None where it is unknown, a URL, or not there."""
        wanted = include.path.value
        if not wanted or UNKNOWN in wanted or "://" in wanted:
            return None
        found = joined(posixpath.dirname(path), wanted)
        return found if self.has(found) else None

    def run_from(self, path: str, include: Include) -> str | None:
        """The file that a command in `path` means, seen from where it runs: the folder that `cd` led to, below the file's own folder or the repository's."""
        wanted, folder = include.path.value, include.context.workdir
        if not wanted or UNKNOWN in wanted + folder or "://" in wanted or wanted.startswith("/"):
            return None
        for start in dict.fromkeys((posixpath.dirname(path), self.root)):
            found = joined(joined(start, folder.lstrip("/")), wanted)
            if found != path and self.has(found):
                return found
        return None

    def environment(self, path: str, wanted: str) -> str | None:
        """The environment file that `path` names, or the example of it.

        Seen from the file's own folder, then from the repository's; of a path on the machine where it runs (`/etc/vllm/vllm.env`) only
        the name counts: the file beside the one that names it, else the only one of that name.
        """
        folder, name = posixpath.split(wanted)
        if not name or UNKNOWN in name or name in (".", ".."):
            return None
        own = posixpath.dirname(path)
        elsewhere = folder.startswith(("/", "~")) or UNKNOWN in folder
        places = (own,) if elsewhere else (joined(own, folder), joined(self.root, folder))
        for wanted in (*(name + end for end in _EXAMPLES), *(_EXAMPLES_OF_ENV if name == ".env" else ())):
            named = self._by_name.get(wanted, [])
            found = [each for place in places if (each := joined(place, wanted)) in named]
            if found or (elsewhere and len(named) == 1 and name != ".env"):
                return (found or named)[0]
        return None

    def leaves(self, path: str, include: Include) -> bool:
        """Whether `-r ../../other.txt` in `path` leads out of the repository."""
        wanted = include.path.value
        if not wanted or UNKNOWN in wanted or "://" in wanted:
            return False
        return not inside(joined(posixpath.dirname(path), wanted), self.root)

    def contexts(self, dockerfile: str) -> Iterator[str]:
        """The folders that may be a Dockerfile's build context: its own, then each one above, up to the repository."""
        folder = posixpath.dirname(dockerfile) or "."
        while True:
            yield folder
            if folder == self.root or not inside(folder, self.root):
                return
            folder = joined(folder, "..")

    def in_image(self, dockerfile: str, include: Include, copies: Sequence[Include]) -> str | None:
        """The repository's file that a path in an image means, by the stage's COPY lines, the latest first.

        Without a COPY that covers it, a path of that name in the build context is meant; but not where a COPY puts a file there that is
        not in the repository.
        """
        wanted = include.path.value
        if not wanted or UNKNOWN in wanted or "://" in wanted:
            return None
        found = self.copied_to(dockerfile, include, copies)
        if found is None and any(_names(copy, _absolute(include)) for copy in copies[-MOST_COPIES:]):
            return None
        return found or self._in_context(dockerfile, wanted.lstrip("/"))

    def copied_to(self, dockerfile: str, include: Include, copies: Sequence[Include]) -> str | None:
        """The repository's file that a COPY line, the latest that covers it, put where a path in an image leads."""
        absolute = _absolute(include)
        if UNKNOWN in absolute or "://" in include.path.value:
            return None
        for copy in reversed(copies[-MOST_COPIES:]):
            if (source := _copied(copy, absolute)) is not None and (found := self._in_context(dockerfile, source)):
                return found
        return None

    def _in_context(self, dockerfile: str, path: str) -> str | None:
        candidates = (joined(context, path) for context in self.contexts(dockerfile))
        return next((path for path in candidates if self.has(path)), None)

    def copied(self, dockerfile: str, copy: Include) -> Iterator[str]:
        """The files read so far that a COPY of the build context brings into the image."""
        source = copy.path.value
        if UNKNOWN in source or copy.from_stage:
            return
        for context in self.contexts(dockerfile):
            wanted = joined(context, source.lstrip("/"))
            found = [path for path in self.paths if _covers(wanted, path)]
            if found:
                yield from found
                return


def _covers(wanted: str, path: str) -> bool:
    return inside(path, wanted) or ("*" in wanted and fnmatchcase(path, wanted))


def _absolute(include: Include) -> str:
    """Where a path leads in an image."""
    return posixpath.normpath(posixpath.join(include.context.workdir or "/", include.path.value))


def _names(copy: Include, absolute: str) -> bool:
    """Whether a COPY puts this very file there: its source has the file's own name, and is no folder around it."""
    own = posixpath.basename(copy.path.value.rstrip("/"))
    return own == posixpath.basename(absolute) and _copied(copy, absolute) is not None


def _copied(copy: Include, absolute: str) -> str | None:
    """The context's path of what lies at `absolute` in the image, if this COPY put it there."""
    if copy.target is None or copy.from_stage:
        return None
    source, target = copy.path.value, copy.target.value
    if UNKNOWN in source + target:
        return None
    base = posixpath.normpath(posixpath.join(copy.context.workdir or "/", target))
    folder, name = posixpath.split(absolute)
    plain = source.rstrip("/") or "."
    if absolute == base and posixpath.basename(plain) == name:
        return plain
    if absolute == base and not target.endswith(("/", ".")):
        return plain  # a file renamed on the way
    if folder == base and fnmatchcase(name, posixpath.basename(plain)):
        return posixpath.join(posixpath.dirname(plain), name)
    below = posixpath.relpath(absolute, base)
    return None if below.startswith("..") or below == "." else posixpath.join(plain, below)
