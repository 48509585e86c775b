"""What a package that pip builds from source finds around it: isolation, build variables, torch."""

from spark_lint.facts import Command, EnvVar, Package
from spark_lint.knowledge_images import describe
from spark_lint.project import Project

# None of these brings torch along, so an install of them alone leaves a build without it.
_TOOLS = frozenset({"build", "cmake", "einops", "ninja", "packaging", "pip", "psutil", "setuptools", "uv", "wheel"})
_INSTALLERS = ("pip", "uv", "conda", "poetry", "pdm", "pixi", "make", "bash", "sh")


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
