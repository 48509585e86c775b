"""What pip may do where the constraint file of one of NVIDIA's images is switched off."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from spark_lint.facts import Command, EnvVar, Fact, Package
from spark_lint.knowledge.images import describe
from spark_lint.known import Known
from spark_lint.project import Project
from spark_lint.queries.over_images import over_nvidia_torch, replaces_torch
from spark_lint.rule import ERROR

FILE: Final = "/etc/pip/constraint.txt"
"""Where the images keep it; PIP_CONSTRAINT names it. From https://docs.nvidia.com/deeplearning/frameworks/pytorch-release-notes, 2026-11."""
_FIRST_MONTH: Final = "25.03"


@dataclass(frozen=True, slots=True)
class Loose:
    """An install without the constraints. replaces: what of it is known to replace torch; None where nobody can see what it installs.

    known: what stands behind what is said of the image.
    """

    image: str
    install: Command
    replaces: Package | None
    known: Known


def let_loose(fact: Fact, project: Project) -> Loose | None:
    """The first install that may replace NVIDIA's torch once `fact` has switched its constraints off; None where there is none.

    One that stands in a command (`PIP_CONSTRAINT= pip install …`) holds for that alone, and `unset` in a `RUN` for what follows it there.
    Of an install that nobody can see into, something is said only where they stay off.
    """
    image = fact.scope.image
    known = describe(image) if image is not None else None
    if image is None or known is None or not known.nvidia_torch or known.grade is ERROR or not project.ships(fact, "torch"):
        return None
    if known.month and known.month < _FIRST_MONTH:
        return None
    if any(empties(each) and not _alone(each, project) for each in project.before(fact, EnvVar, "PIP_CONSTRAINT")):
        return None  # they are off already
    unseen, passing = None, bool(_alone(fact, project)) or (fact.context.stage is not None and is_unset(fact))
    for install in islice(_installs(fact, project), 1 if passing else None):
        if not project.ships(install, "torch"):
            return unseen  # uninstalled in between: there is nothing left to keep
        packages = list(_packages(install, project))
        for package in packages:
            over = over_nvidia_torch(package, project)
            if over is not None and replaces_torch(package, over):
                if (package.span.path, package.span.line) == (fact.span.path, fact.span.line):
                    return None  # what it does to torch is said in this very line
                return Loose(image.shown, install, package, known.known)
        opaque = install.has("--requirement", "--editable") or any(
            word.value.startswith((".", "/", "git+")) for word in install.arguments
        )
        if unseen is None and not passing and opaque and not packages and not install.has("--no-deps", "--target", "--prefix"):
            unseen = Loose(image.shown, install, None, known.known)
    return unseen


def is_unset(fact: Fact) -> bool:
    """Whether a variable is unset, which is written as its name alone."""
    return isinstance(fact, EnvVar) and fact.written.strip() == fact.name


def empties(variable: EnvVar) -> bool:
    """Whether a value of PIP_CONSTRAINT means no constraints at all."""
    return variable.value.strip() in ("", "/dev/null")


def _installs(fact: Fact, project: Project) -> Iterator[Command]:
    alone = _alone(fact, project)
    earlier = {each.span for each in project.before(fact, Command, "pip")}
    for each in alone or project.near(fact, Command, "pip"):
        here = any(scope.image == fact.scope.image and not scope.elsewhere for scope in each.scopes)
        if each.subcommand == "install" and here and (alone or each.span not in earlier):
            yield each


def _alone(fact: Fact, project: Project) -> list[Command]:
    """The one command that a variable is set for."""
    return [each for each in project.around(fact) if isinstance(each, Command) and each.name == "pip"]


def _packages(install: Command, project: Project) -> Iterator[Package]:
    """What an install names, itself and in the files that it pulls in, each in the place where it does."""
    for package in project.every(Package):
        inside = install.span.covers(package.span)
        for scope in package.scopes:
            if (inside or scope.via == install.span) and not scope.elsewhere:
                yield replace(package, scopes=(scope,))
                break
