from collections.abc import Iterator

from spark_lint.facts import Command, Package
from spark_lint.project import Project
from spark_lint.queries.over_images import flags_of
from spark_lint.rule import ERROR, Advice, rule

UPDATES = {"--upgrade", "--force-reinstall", "--ignore-installed"}


@rule(on=Package, named="unsloth", severity=ERROR)
def unsloth_zoo_missing(package: Package, project: Project) -> Iterator[Advice]:
    if "--no-deps" not in flags_of(package) or package.role != "requirement" or project.ships(package, "unsloth-zoo"):
        return
    # Outside an image that is known, an update is one of what was installed with everything that it needs.
    if flags_of(package) & UPDATES and package.scope.image is None:
        return
    if any(brings_zoo(other) for other in project.near(package, Package, "unsloth", "unsloth-zoo")):
        return
    if any(hides(command) for command in project.near(package, Command, "pip", "uv", "conda")):
        return
    yield Advice(
        f"{package.written} with --no-deps leaves unsloth_zoo out, which it imports: it stops at `import unsloth`",
        "pip install --no-deps unsloth unsloth_zoo bitsandbytes",
    )


def brings_zoo(other: Package) -> bool:
    """Whether it is the other half, or another install of unsloth together with what it needs."""
    return other.name == "unsloth-zoo" or not any("--no-deps" in (other.flags | scope.flags) for scope in other.scopes)


def hides(command: Command) -> bool:
    """Whether an install may bring what it does not name: a file, a folder."""
    paths = any(argument.value.startswith((".", "/")) or "$" in argument.value for argument in command.arguments)
    return "install" in [word.value for word in command.arguments[:2]] and (paths or command.has("--editable"))
