"""What of a project its manager installs: the extras, groups and environments that a command asks for.

Each option as the tool has it, 2026-11: uv-cli's `src/lib.rs` (github.com/astral-sh/uv), `docs/cli.md` of Poetry (github.com/python-poetry/poetry),
`cli/options.py` and `cli/filters.py` of PDM (github.com/pdm-project/pdm), `cli/options.py` of Pipenv (github.com/pypa/pipenv), pixi.prefix.dev/latest/reference/cli, hatch.pypa.io/latest/environment.
"""

import re
from collections.abc import Iterator
from typing import Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Command, Include
from spark_lint.text import UNKNOWN, Text

PROJECT_FILES: Final = ("pyproject.toml", "setup.cfg", "setup.py", "pixi.toml", "Pipfile")
"""What stands for the project in its folder."""

LOCKED_BY: Final = {"uv": "uv", "poetry": "poetry", "pdm": "pdm", "pipenv": "pipenv", "pixi": "pixi"}
"""Which program makes and reads a lock, by its format; any may read a pylock.toml that it is given."""

_EVERY: Final = "*"
_GROUP: Final = "group:"
_DEFAULT: Final = "group:default"

_UV: Final = frozenset({"sync", "run", "export"})
_POETRY: Final = frozenset({"install", "sync", "update", "export"})
_PDM: Final = frozenset({"install", "sync", "update", "export"})
_PIPENV: Final = frozenset({"install", "sync", "update", "requirements"})
_PIPENV_CATEGORIES: Final = {"packages": "", "default": "", "dev-packages": "dev", "develop": "dev"}
"""What Pipenv's own categories are called, in the Pipfile and in its lock."""
_PIXI: Final = frozenset({"install", "run", "shell", "shell-hook"})
_SETUP: Final = frozenset({"install", "develop"})
_NO_PROJECT: Final = frozenset({"--no-project", "--script", "--no-sync", "--only-root", "--help"})
"""Options with which nothing that the project asks for is installed."""
_FOLDERS: Final = ("--project", "--directory", "--manifest-path")
_BLANK: Final = re.compile(r"[\s,]+")


def of_command(command: Command) -> Iterator[Include]:
    """The project that `uv sync`, `poetry install`, `pdm install`, `pixi run`, `hatch run` or `python setup.py install` installs."""
    words = [argument.value for argument in command.arguments[:3]]
    first, second = [*words, "", ""][:2]
    if command.has(*_NO_PROJECT):
        return
    if command.name == "uv" and first in _UV:
        yield _project(command, _of_uv(command))
    elif command.name == "poetry" and first in _POETRY:
        yield _project(command, _of_poetry(command, default=first != "export"))
    elif command.name == "pdm" and first in _PDM:
        yield _project(command, _of_pdm(command))
    elif command.name == "pipenv" and first in _PIPENV and not second and not command.has("--requirement"):
        yield _project(command, _of_pipenv(command))
    elif command.name == "pixi" and first in _PIXI:
        yield _project(command, _of_pixi(command))
    elif command.name == "hatch" and (first in ("run", "shell") or (first, second) in (("env", "run"), ("env", "create"))):
        yield _project(command, _of_hatch(command, words))
    elif command.name.endswith("setup.py") and first in _SETUP:
        yield Include("editable", folder(command.words[0]), command.context, command=command)


def folder(text: Text) -> Text:
    """The folder of a project, where one of its files is named: `sub` for `sub/pyproject.toml`, `.` for `setup.py`."""
    path, slash, name = text.value.rpartition("/")
    if name not in PROJECT_FILES:
        return text
    return text[: len(path)] if path else text.as_value(slash or ".")


def names(text: Text | str) -> list[str]:
    """The canonical names in a list with blanks or commas; what is unknown is none of them."""
    value = text if isinstance(text, str) else text.value
    return [canonicalize_name(name) for name in _BLANK.split(value) if name and UNKNOWN not in name]


def asked(command: Command, *options: str) -> Iterator[str]:
    """The names that are given to these options."""
    for option in command.options:
        if option.name in options and option.value is not None:
            yield from names(option.value)


def groups(command: Command, *options: str) -> Iterator[str]:
    """The groups that are given to these options, as extras have them: `group:dev`."""
    return (_GROUP + name for name in asked(command, *options))


def _project(command: Command, extras: Iterator[str]) -> Include:
    place = command.option(*_FOLDERS)
    if command.name == "pipenv":  # https://pipenv.pypa.io/en/latest/configuration.html
        place = next((value for name, value in command.environment if name == "PIPENV_PIPFILE"), place)
    # Which folder a member of a workspace lies in, only the workspace says.
    unknown = command.words[0].as_value(UNKNOWN) if command.name == "uv" and command.has("--package") else None
    path = unknown or (command.words[0].as_value(".") if place is None else folder(place))
    return Include("editable", path, command.context, command=command, extras=frozenset(extras))


def _of_uv(command: Command) -> Iterator[str]:
    yield from asked(command, "--extra")
    yield from groups(command, "--group", "--only-group")
    # What is left of all, or of the unasked ones, when some are left out is not known here: nothing is said of any.
    if command.has("--all-extras") and not command.has("--no-extra"):
        yield _EVERY
    if command.has("--all-groups") and not command.has("--no-group"):
        yield f"{_GROUP}*"
    if command.has("--dev", "--only-dev"):
        yield f"{_GROUP}dev"
    if not command.has("--no-dev", "--only-dev", "--no-default-groups", "--only-group", "--no-group"):
        yield _DEFAULT


def _of_poetry(command: Command, *, default: bool) -> Iterator[str]:
    yield from asked(command, "--extras")
    only = set(asked(command, "--only"))
    yield from groups(command, "--with")
    yield from (_GROUP + name for name in only - {"main"})
    if command.has("--all-extras"):
        yield _EVERY
    if command.has("--all-groups") and not command.has("--without"):
        yield f"{_GROUP}*"
    if default and not only and not command.has("--without", "--no-dev"):
        yield _DEFAULT


def _of_pdm(command: Command) -> Iterator[str]:
    """`-G x` may be an extra or a group, with `-d` it is a group and the only one; `-G :all` is every extra."""
    wanted = list(asked(command, "--group"))
    for name in wanted:
        yield from (_EVERY,) if name == ":all" else (name, _GROUP + name)
    only = command.has("--dev") and wanted
    if not only and not command.has("--prod", "--without"):
        yield _DEFAULT


def _of_pipenv(command: Command) -> Iterator[str]:
    """`--categories "packages docs"` asks for categories, which are groups here. Where none is named, the packages of `[packages]` are meant."""
    for name in asked(command, "--categories", "--extras"):
        if found := _PIPENV_CATEGORIES.get(name, name):
            yield _GROUP + found
    if command.has("--all"):
        yield f"{_GROUP}*"
    if command.has("--dev", "--dev-only"):
        yield f"{_GROUP}dev"


def _of_pixi(command: Command) -> Iterator[str]:
    wanted = list(groups(command, "--environment"))
    yield from wanted
    if command.has("--all"):
        yield f"{_GROUP}*"
    if not wanted:
        yield _DEFAULT


def _of_hatch(command: Command, words: list[str]) -> Iterator[str]:
    """`hatch run test:cov`, `hatch -e test run cov`, `hatch shell test`. Its environments are no groups of the project's."""
    named = words[2:3] if words[0] == "env" and words[1] == "create" else words[1:2] if words[0] in ("run", "shell") else []
    wanted = named[0] if named else ""
    if words[0] == "run":
        wanted = wanted.partition(":")[0] if ":" in wanted else ""
    given = [*asked(command, "--env"), *names(wanted)]
    yield from (f"{_GROUP}hatch.{name}" for name in given or ("default",))
