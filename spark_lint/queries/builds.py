"""What a package finds around it where it is installed: isolation, build variables, torch, the Python."""

import re
from typing import Final

from spark_lint.facts import Command, EnvVar, Package
from spark_lint.kinds import LOCK, TOML
from spark_lint.knowledge.images import describe
from spark_lint.project import Project

# None of these brings torch along, so an install of them alone leaves a build without it.
_TOOLS = frozenset({"build", "cmake", "einops", "ninja", "packaging", "pip", "psutil", "setuptools", "uv", "wheel"})
_INSTALLERS = ("pip", "uv", "conda", "poetry", "pdm", "pixi", "make", "bash", "sh")

# `uv venv --python 3.9`, `python3.9 -m venv`, `conda create python=3.9`
_OLD_PYTHON: Final = re.compile(r"\bpython(?:[\s=]+)?[\"']?3\.[6-9](?:\.\d+)?\b")


def old_python(package: Package, project: Project) -> bool:
    """Whether the files choose a Python before 3.10, for which there is no torch for CUDA 13: 2.9.0 and later ask for 3.10."""
    image = package.scope.image
    if image is not None and image.name == "python" and re.match(r"3\.[6-9]\b", image.tag):
        return True
    chosen = [*project.near(package, Command, "uv", "python", "conda"), *project.near(package, Package, "conda/python")]
    return any(_OLD_PYTHON.search(each.written) for each in chosen)


def isolated(package: Package, project: Project) -> bool:
    """Whether it is built in an environment of its own, which holds only what it declares and not the torch that is installed."""
    given = (package.flags | package.scope.flags) & {"--no-build-isolation", "--no-build-isolation-package"}
    return not given and not any(variable(package, project, f"{tool}_NO_BUILD_ISOLATION") for tool in ("PIP", "UV"))


def variable(package: Package, project: Project, name: str) -> str:
    """The value of an environment variable while it is built; empty where it is not set."""
    given = dict([*package.scope.environment, *package.environment])
    return given.get(name) or next((each.value for each in reversed([*project.before(package, EnvVar, name)])), "")


def lacks_torch(package: Package, project: Project) -> bool:
    """Whether torch, which its setup.py imports, cannot be there: the image has none, and nothing before may have brought it."""
    image = package.scope.image
    if image is not None and describe(image).ships("torch") is not False:
        return False
    if project.documents[package.span.path].kind in (TOML, LOCK):
        return False  # uv installs what it may build without isolation last: https://docs.astral.sh/uv/concepts/projects/config/
    earlier = {other.name for other in project.installed_before(package)}
    if earlier - _TOOLS or any(_hides(command) for command in project.before(package, Command, *_INSTALLERS)):
        return False
    return image is not None or any(project.near(package, Package, "torch"))


def _hides(command: Command) -> bool:
    """Whether a command may install what it does not name."""
    paths = any(argument.value.startswith((".", "/")) for argument in command.arguments)
    return (
        paths or command.has("--requirement", "--editable") or command.name not in ("pip", "uv") or command.subcommand == "sync"
    )
