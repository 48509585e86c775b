"""What a requirement gets a Spark from the default package index, and what torch it finds there."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Final

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.knowledge.images import describe
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.rule import WARNING
from spark_lint.scope import Scope

MOST_TORCHES: Final = 30
"""Requests for torch that are looked at for one package."""
MOST_EARLIER: Final = 30
"""Earlier installs of a package that are looked at for a later one."""
_FAMILY: Final = ("torch", "torchvision", "torchaudio")
_TORCHES: Final = ("torch", "conda/pytorch", "conda/pytorch-gpu")


def releases(package: Package, project: Project) -> tuple[str, ...]:
    """The known releases that it may get from the default index, newest last.

    Nothing where it comes from elsewhere (an address, a local version, an index of one's own, the image, an earlier install), where
    nothing asks for it, and where the files choose by GPU.
    """
    known = knowledge.package(package.name)
    if known is None or package.url or package.local or package.role == "build" or chosen_by_gpu(package.context.conditions):
        return ()
    if from_elsewhere(package, package.scope) or not asked_for(package, project):
        return ()
    if project.ships(package, package.name) or any(
        brought(islice(project.installed_before(package, package.name), MOST_EARLIER))
    ):
        return ()
    return known.matching(package.specifier)


def from_elsewhere(package: Package, scope: Scope) -> bool:
    """Whether an index in force there may hold another build of it, or is one for other devices. PyTorch's own holds little beside torch."""
    if package.name in _FAMILY:
        return not knowledge.only_pypi(scope.indexes)
    return any(
        knowledge.serves(index, package.name, package.specifier)
        or "nightly" in index.url
        or index.name in ("cpu", "xpu")
        or index.name.startswith("rocm")
        for index in scope.indexes
    )


def asked_for(package: Package, project: Project) -> bool:
    """Whether something installs it: a constraint alone installs nothing."""
    if package.role == "requirement":
        return True
    asking = (other for other in project.every(Package, package.name) if other.role == "requirement")
    return any(not scope.elsewhere for other in asking for scope in other.scopes)


def brought(packages: Iterable[Package]) -> Iterator[Package]:
    """Those of the packages that come from somewhere else than the default index."""
    for each in packages:
        here = [scope for scope in each.scopes if not scope.elsewhere]
        elsewhere = any(from_elsewhere(each, scope) for scope in here)
        if here and (each.manager == "conda" or each.url or each.local or elsewhere):
            yield each


def torches(package: Package, project: Project) -> Iterator[Package]:
    """The requests for torch in its surroundings, on a Spark, and no more of them than are looked at."""
    return islice(filter(_here, project.near(package, Package, *_TORCHES)), MOST_TORCHES)


def _here(torch: Package) -> bool:
    return torch.role != "build" and any(not scope.elsewhere for scope in torch.scopes)


def cuda12_torch(package: Package, project: Project) -> bool:
    """Whether the torch around it is a build for CUDA 12 that runs on a Spark, 12.8 or 12.9: by an index, a local version, or the image."""
    image = package.scope.image
    if image is not None and describe(image).cuda.startswith("12") and project.ships(package, "torch"):
        return True
    around = [package, *torches(package, project)]
    indexes = (index for each in around for scope in each.scopes if not scope.elsewhere for index in scope.indexes)
    tags = {*(each.local for each in around), *(index.name for index in indexes)}
    return any(tag.startswith("cu12") and knowledge.grade(tag) is WARNING for tag in tags)


def unknown_image(package: Package) -> bool:
    """Whether it is installed in an image that no table knows, which may bring anything."""
    image = package.scope.image
    return not describe(image).family if image else package.scope.stage is not None


def torches_along(package: Package, project: Project) -> list[Package]:
    """The requests for torch that go with it: those of the same install; where it has none, those around it under the same conditions.

    The examples of a document are for different readers.
    """
    group = next(iter(project.documents[package.span.path].installs(package.span)), None)
    near = filter(_here, project.near(package, Package, "torch"))
    along = list(islice((each for each in near if group is not None and each.span in group.spans), MOST_TORCHES))
    if along:
        own = [each for each in along if each.context.extra == package.context.extra]
        return own or along
    block, conditions = package.context.block if package.context.fenced else None, package.context.conditions
    found = chain(filter(_here, project.near(package, Package, "torch")), project.installed_before(package, "torch"))
    around = (
        each
        for each in found
        if block in (None, each.context.block) and each.context.conditions == conditions[: len(each.context.conditions)]
    )
    return list({each.span: each for each in islice(around, MOST_TORCHES)}.values())


def admitted(package: Package) -> tuple[str, ...]:
    """The known releases that its specifier admits, without local tags."""
    return _admitted(package.name, package.specifier)


def pinned(package: Package) -> tuple[str, ...]:
    """Those that a pin admits: `==2.9.1+cu130`, `==2.9.*`, `~=2.9.0` and `>=2.9,<2.10`, but not `>=2.9`."""
    clauses = package.specifier.replace(" ", "").split(",")
    found = admitted(package)
    capped = any(clause.startswith("<") for clause in clauses) and len({version.split(".")[1] for version in found}) == 1
    return found if capped or any(clause.startswith(("==", "~=")) for clause in clauses) else ()


@lru_cache(maxsize=1024)
def _admitted(name: str, specifier: str) -> tuple[str, ...]:
    known = knowledge.package(name)
    versions = (knowledge.public(version) for version in known.matching(specifier)) if known else ()
    return tuple(version for version in versions if known is not None and version in known.versions)


def follows(version: str, other: str) -> bool:
    """Whether one version comes after another."""
    from packaging.version import Version

    return Version(version) > Version(other)


def shown(package: Package) -> str:
    """A package in a message: the author's own spelling, or what it comes to where that is the name of a variable."""
    written = package.written.lower().replace("_", "-").replace(".", "-")
    variable = any(sign in written for sign in "${%") or (package.specifier and package.written.isidentifier())
    literal = package.name in written and not variable
    return package.written if literal else f"{package.name}{package.specifier}"
