"""From a found file to a document: bounds, bytes, text, the reader of its kind. Whatever goes wrong costs this one file."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from spark_lint.documents import Document, document
from spark_lint.facts import Entry, Include, ParseProblem, Read
from spark_lint.files import Found, reason
from spark_lint.findings import Problem
from spark_lint.kinds import (
    CMAKE,
    DOCKERFILE,
    DOTENV,
    JENKINSFILE,
    JSON,
    JUSTFILE,
    LOCK,
    MAKEFILE,
    MARKDOWN,
    NOTEBOOK,
    PYTHON,
    REQUIREMENTS,
    SETUP_CFG,
    SHELL,
    SYSTEMD,
    TOML,
    YAML,
    kind_of,
)
from spark_lint.links import Repository
from spark_lint.read.funnel import Interests, encoding, of_file, relevant, worth_parsing
from spark_lint.read.python_script import MARK as SCRIPT
from spark_lint.read.python_script import script
from spark_lint.text import Source, Text, decode

if TYPE_CHECKING:
    from spark_lint.config import Config

_ONE_INSTALL: Final = frozenset({REQUIREMENTS})

_LINE_BY_LINE: Final = frozenset(
    {REQUIREMENTS, DOCKERFILE, SHELL, MARKDOWN, SETUP_CFG, MAKEFILE, JUSTFILE, SYSTEMD, DOTENV, CMAKE, JENKINSFILE}
)
"""Kinds of which one line that is no text leaves the others readable."""

_TEMPLATES: Final = (".j2", ".jinja", ".jinja2", ".tmpl", ".tpl")

LARGER_LOCK: Final = 10
"""How much larger than any other file a lock may be: it holds every wheel of every package."""
MOST_READ: Final = 10_000
"""Commands, packages … of one file that are read; real files have hundreds. Not the calls of a Python file, each of which is one."""
MOST_ENTRIES: Final = 100_000
"""Keys of one configuration file, or of all the examples in a document, that are read."""


class Reader:
    """Reads found files. sources: what was read, by path. failed: files that could not be read at all."""

    def __init__(self, config: "Config", interests: Interests, contents: Mapping[str, bytes]) -> None:
        self.config = config
        self.interests = interests
        self.contents = contents
        self.sources: dict[str, Source] = {}
        self.failed: list[Problem] = []
        self._environments: dict[str, Mapping[str, Text]] = {}

    def read(self, found: Found, repository: Repository | None = None) -> Document:
        """The file as a document; an empty one, and a problem, where it could not be read.

        repository: where the environment files are from which it takes variables.
        """
        self.sources[found.path] = Source(found.path, "")
        try:
            data = self._bytes(found)
        except OSError as error:
            return self._failed(found, 0, reason(error))
        if not self._worth_reading(found, data):
            return Document(found.path, found.kind)
        if len(data) > (most := self._largest(found.kind)):
            return self._failed(found, 0, f"larger than {most:,} bytes, not read (max-file-size)")
        damaged = False
        try:
            text = decode(data, encoding(data) if found.kind == PYTHON else "utf-8")
        except (UnicodeDecodeError, LookupError) as error:
            empty = self._failed(found, _line(data, error), f"not text in {_encoding_name(error)}")
            if found.kind not in _LINE_BY_LINE or b"\0" in data:
                return empty
            damaged, text = True, data.decode("utf-8", "replace")  # the lines that are text may still say something
        if "\0" in text:
            return self._failed(found, text[: text.index("\0")].count("\n") + 1, "holds a NUL character: not a text file")
        if text.startswith(_POINTER):
            return self._failed(found, 0, "a pointer of Git LFS: the file itself is not here")
        source = self.sources[found.path] = Source(found.path, text)
        longest = 0 if found.kind == LOCK else self.config.max_line_length
        long = next((number for number, line in enumerate(source.lines, 1) if len(line) > longest), 0) if longest else 0
        if long and found.kind == JSON and not found.given:
            return Document(found.path, found.kind)
        if long and found.kind != NOTEBOOK:  # a saved image is one line
            return self._failed(
                found, long, f"line longer than {self.config.max_line_length:,} characters, not read (max-line-length)"
            )
        try:
            environments = partial(self._environment, found.path, repository)
            reads = _reader(found.kind, self._interests(found, data), environments)(source)
            # What fills in a template makes of it what can be read.
            quiet = damaged or found.path.lower().endswith(_TEMPLATES)
            reads = reads if found.kind in (PYTHON, NOTEBOOK, LOCK) else _bounded(reads)
            read = document(found.path, found.kind, reads, found.kind in _ONE_INSTALL, self.interests)
            return replace(read, problems=()) if quiet else read
        except RecursionError:
            return self._failed(found, 0, "nested too deeply to be read")
        except Exception as error:
            # A parser that fails on one file must not cost the others; that it failed is said, and exits with 2.
            # An error may hold a whole syntax tree, which takes for ever to be written out.
            said = next((f": {each}" for each in error.args if isinstance(each, str)), "")
            self.failed.append(Problem(found.path, 0, f"could not be read: {type(error).__name__}{said}", given=True))
            if os.environ.get("SPARK_LINT_DEBUG"):
                raise
            return Document(found.path, found.kind)

    def _environment(self, path: str, repository: Repository | None, wanted: str) -> Mapping[str, Text]:
        """The variables of the environment file that a file names, as far as it can be read."""
        from spark_lint.read.dotenv import variables

        target = repository.environment(path, wanted) if repository else None
        if target is None or kind_of(target) != DOTENV:
            return {}
        if target not in self._environments:
            try:
                data = self._bytes(Found(target, DOTENV))
                text = decode(data) if len(data) <= self.config.max_file_size else ""
            except (OSError, UnicodeDecodeError):  # it is said where the file itself is read
                text = ""
            self._environments[target] = variables(Source(target, text)) if "\0" not in text else {}
        return self._environments[target]

    def _worth_reading(self, found: Found, data: bytes) -> bool:
        """Whether some rule may have something to say. A given file that is broken is said to be, even where none has.

        Most JSON is data, and what is too large to be anything else is none of the linter's.
        """
        if found.given or len(data) > self._largest(found.kind):
            return found.given or found.kind != JSON
        if found.kind == JSON:
            from spark_lint.read.json import worth_reading

            return worth_reading(found.path, data, self.interests)
        if found.kind == NOTEBOOK:
            from spark_lint.read.notebook_filter import worth_reading as worth_reading_notebook

            return worth_reading_notebook(data, self.interests)
        return found.kind != PYTHON or worth_parsing(data, of_file(found.path, self.interests)) or SCRIPT in data

    def _interests(self, found: Found, data: bytes) -> Interests:
        if found.kind == NOTEBOOK:
            from spark_lint.read.notebook_filter import spoken

            return relevant(spoken(data), self.interests)
        return relevant(data, of_file(found.path, self.interests)) if found.kind == PYTHON else self.interests

    def _largest(self, kind: str) -> int:
        """The size up to which a file of a kind is read, in bytes. A lock is written by a machine, line by line."""
        return self.config.max_file_size * (LARGER_LOCK if kind == LOCK else 1)

    def _bytes(self, found: Found) -> bytes:
        if found.path in self.contents:
            return self.contents[found.path]
        with Path(found.path).open("rb") as file:
            return file.read(self._largest(found.kind) + 1)

    def _failed(self, found: Found, line: int, message: str) -> Document:
        self.failed.append(Problem(found.path, line, message))
        return Document(found.path, found.kind)


def _bounded(reads: Iterable[Read]) -> Iterator[Read]:
    """What a reader yields, as far as anybody could have written it."""
    number = entries = 0
    for read in reads:
        key = isinstance(read, Entry)
        number, entries = number + (not key), entries + key
        if number > MOST_READ or entries > MOST_ENTRIES:
            span = read.path.span if isinstance(read, Include) else read.span
            what = f"{MOST_ENTRIES:,} keys" if key else f"{MOST_READ:,} commands, packages and the like"
            yield ParseProblem(span, f"more than {what}: the rest is not read")
            return
        yield read


# https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
_POINTER: Final = "version https://git-lfs.github.com/spec/v"
_TAKES_VARIABLES: Final = frozenset({YAML, SYSTEMD})
"""Kinds of which some files take variables from an environment file."""

_READERS: Final = {
    REQUIREMENTS: "requirements",
    DOCKERFILE: "dockerfile",
    SHELL: "shell",
    YAML: "yaml",
    JSON: "json",
    TOML: "toml",
    SETUP_CFG: "setup_cfg",
    LOCK: "lock",
    MAKEFILE: "makefile",
    JUSTFILE: "justfile",
    SYSTEMD: "systemd",
    DOTENV: "dotenv",
    CMAKE: "cmake",
    JENKINSFILE: "jenkinsfile",
}


def _reader(
    kind: str, interests: Interests, environments: Callable[[str], Mapping[str, Text]]
) -> Callable[[Source], Iterator[Read]]:
    """The reader of a kind, imported when the first file of the kind appears. environments: the variables of a file that it names."""
    if kind == PYTHON:
        from spark_lint.read.python import read as read_python

        return lambda source: chain(script(source), read_python(source, interests))
    if kind == NOTEBOOK:
        from spark_lint.read.notebook import read as read_notebook

        return lambda source: read_notebook(source, interests)
    if kind == MARKDOWN:
        from spark_lint.names.containers import Containers
        from spark_lint.read.markdown import read as read_markdown

        return lambda source: read_markdown(source, interests, Containers)
    read: Callable[..., Iterator[Read]] = import_module(f"spark_lint.read.{_READERS[kind]}").read
    return partial(read, environments=environments) if kind in _TAKES_VARIABLES else read


def _line(data: bytes, error: Exception) -> int:
    return data[: error.start].count(b"\n") + 1 if isinstance(error, UnicodeDecodeError) else 1


def _encoding_name(error: Exception) -> str:
    return error.encoding.upper() if isinstance(error, UnicodeDecodeError) else "the encoding it names"


def unread(documents: Iterable[Document], known: Collection[str], repository: Repository) -> list[str]:
    """Requirements files that these name and that are not yet known, whatever they are called."""
    found: dict[str, None] = {}
    for each in documents:
        for include in each.includes:
            if include.kind not in ("requirement", "constraint"):
                continue
            if each.kind == DOCKERFILE:
                copies = [other for other in each.includes if other.kind in ("copy", "mount")]
                target = repository.in_image(each.path, include, copies)
            elif each.kind == REQUIREMENTS:
                target = repository.beside(each.path, include)
            else:
                target = repository.run_from(each.path, include)
            if target is not None and target not in known and not target.endswith((".toml", ".lock", ".cfg", ".py")):
                found[target] = None
    return list(found)


def leaving(each: Document, repository: Repository) -> Iterator[ParseProblem]:
    """Requirements files that lead out of the repository: they are not followed."""
    if each.kind != REQUIREMENTS:
        return
    for include in each.includes:
        if include.kind in ("requirement", "constraint") and repository.leaves(each.path, include):
            yield ParseProblem(include.path.span, f"{include.path.written} lies outside the repository and is not followed")
