from collections.abc import Iterator
from itertools import islice
from typing import Final

from spark_lint import knowledge
from spark_lint.facts import Command, EnvVar, Package
from spark_lint.project import Project
from spark_lint.rule import WARNING, Advice, rule

BREAKS: Final = "--break-system-packages"
VARIABLES: Final = ("PIP_BREAK_SYSTEM_PACKAGES", "UV_BREAK_SYSTEM_PACKAGES")
ACTIVATE: Final = ("source", ".", "conda", "mamba", "micromamba")


@rule(on=Command, named=("pip", "uv"), severity=WARNING, holds="break-system-packages")
def told_to(install: Command, project: Project) -> Iterator[Advice]:
    how = BREAKS if install.has(BREAKS) else switched(install, project)
    # sudo takes the system's pip, whatever is activated.
    activated = any("activate" in each.written for each in project.before(install, Command, *ACTIVATE))
    if how and (not activated or by_root(install, project)):
        yield from judged(install, how, project)


@rule(on=Command, named="pip", severity=WARNING, holds="sudo")
def as_root(install: Command, project: Project) -> Iterator[Advice]:
    sudo = by_root(install, project)
    if sudo and not install.has(BREAKS):
        yield from judged(install, f"{sudo} {install.name} install", project)


def by_root(install: Command, project: Project) -> str:
    """The program that runs it as root; empty where none does."""
    return next((each.name for each in project.around(install) if each.name in ("sudo", "doas")), "")


def judged(install: Command, how: str, project: Project) -> Iterator[Advice]:
    """What is said of an install. In a container the system's Python is there for nothing else; a program by its path has its own."""
    program = install.words[0].value if install.words else ""
    outside = install.scope.image is None and install.scope.stage is None
    if outside and ("/" not in program or program.startswith("/usr/")) and "install" in words(install):
        for brought in islice(gpu_stack(install, project), 1):
            message = f"{how} puts {brought.name} into the system's Python, which belongs to DGX OS (PEP 668) and is shared by every project"
            yield Advice(message, f"python3 -m venv .venv && .venv/bin/pip install {brought.name}")


def words(install: Command) -> list[str]:
    return [word.value for word in install.arguments[:2]]


def switched(install: Command, project: Project) -> str:
    """The same by a variable, for this install or for the whole script."""
    given = {name: value.value for name, value in install.environment}
    for name in VARIABLES:
        value = given.get(name) or next((each.value for each in project.before(install, EnvVar, name)), "")
        if value and value.lower() not in ("0", "false", "no", "off"):
            return f"{name}={value}"
    return ""


def gpu_stack(install: Command, project: Project) -> Iterator[Package]:
    """The packages of the GPU's software that an install brings, by name or by a file. Other tools in there harm nobody's training."""
    for each in project.near(install, Package):
        if install.span.covers(each.span) and each.role == "requirement" and knowledge.package(each.name) is not None:
            yield each
    for each in project.every(Package, "torch", "vllm", "flash-attn", "triton"):
        if any(scope.via == install.span for scope in each.scopes):
            yield each
