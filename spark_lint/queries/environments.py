"""Is something installed into an environment of its own, where what the image or the system brings is not there?"""

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from spark_lint.facts import Command, EnvVar, Package
from spark_lint.kinds import PYTHON, YAML

if TYPE_CHECKING:  # a project asks it what is there
    from spark_lint.project import Project

_APART: Final = frozenset({"--target", "--prefix", "--root", "--python", "--dry-run"})
_SYSTEM: Final = frozenset({"--system", "--break-system-packages"})
# Managers that keep an environment of their own for a project.
_PROJECTS: Final = frozenset({"poetry", "pdm", "pipenv", "rye", "pixi", "conda", "uvx"})
_SYSTEM_FOLDERS: Final = frozenset({"", "/usr/bin", "/usr/local/bin", "/bin"})
_ENVIRONMENT_PATH: Final = re.compile(r"^[^:]*(?:env|conda|mamba)", re.IGNORECASE)


def apart(package: Package, project: "Project") -> bool:
    """Whether a package is installed into an environment or a folder of its own."""
    flags = package.flags | package.scope.flags
    commands = [each for each in project.around(package) if isinstance(each, Command)]
    path, kind = package.span.path, project.documents[package.span.path].kind
    if any(_sees_the_system(each) for each in project.before(package, Command, "python", "venv", "uv", "virtualenv")):
        return False
    if kind == PYTHON and not commands and posixpath.basename(path) != "setup.py":
        return True  # the header of a script, which gets an environment for itself
    if kind == YAML and any(_creates(each) for each in project.near(package, Command, "conda")):
        return True  # the pip part of an environment of conda
    if flags & _APART or {package.manager, package.scope.installer, *(each.name for each in commands)} & _PROJECTS:
        return True
    if any(_folder(each) not in _SYSTEM_FOLDERS for each in commands if each.words and each.name in ("pip", "python", "uv")):
        return True
    by_uv = [each for each in (*commands, *_pulling(package, project)) if each.name == "uv"]
    if any(each.subcommand != "pip" for each in by_uv):
        return True  # `uv sync`, `uv add`, `uv run` keep an environment beside the project
    if by_uv or "uv" in (package.manager, package.scope.installer):
        system = flags & _SYSTEM or any(_on(each.value) for each in project.before(package, EnvVar, "UV_SYSTEM_PYTHON"))
        return not system  # without it uv wants a virtual environment
    return any(_enters(each) for each in project.before(package, Command, ".", "source", "conda", "micromamba")) or any(
        _switches(each) for each in project.before(package, EnvVar, "VIRTUAL_ENV", "PATH", "CONDA_PREFIX")
    )


def _pulling(package: Package, project: "Project") -> Iterator[Command]:
    """The command that pulls a requirements file in, if it is uv's."""
    via = package.scope.via
    return (each for each in project.every(Command, "uv") if each.span == via)


def _folder(command: Command) -> str:
    program = command.words[0].value
    return program.rpartition("/")[0] if "/" in program else ""


def _on(value: str) -> bool:
    return value.strip().lower() not in ("", "0", "false", "no")


def _sees_the_system(command: Command) -> bool:
    return any(word.value == "--system-site-packages" for word in command.words)


def _creates(command: Command) -> bool:
    """Whether it is what a reader makes of an environment.yml: the packages of a list, and no command that somebody wrote."""
    return command.exec_form and bool(command.words) and command.words[0].written != command.words[0].value


def _enters(command: Command) -> bool:
    words = [argument.value for argument in command.arguments]
    return any(word.endswith("activate") for word in words)


def _switches(variable: EnvVar) -> bool:
    if variable.name != "PATH":
        return bool(variable.value)
    return _ENVIRONMENT_PATH.search(variable.value) is not None
