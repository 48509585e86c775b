from collections.abc import Iterator

from packaging.version import Version

from spark_lint import knowledge
from spark_lint.facts import Index, Package
from spark_lint.knowledge import PackageFacts
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries import builds
from spark_lint.rule import ERROR, LIKELY, WARNING, Advice, rule

# What turns a torch for the CPU into one for another maker's device, when it is installed along with it.
OTHER_DEVICES = {
    "torch-npu",
    "torch-xla",
    "torch-musa",
    "torch-mlu",
    "torch-neuronx",
    "intel-extension-for-pytorch",
    "habana-torch-plugin",
}


@rule(on=Package, named="torch", severity=ERROR)
def torch_cpu_only_on_aarch64(package: Package, project: Project) -> Iterator[Advice]:
    torch = knowledge.package("torch")
    if torch is None or package.url or package.local:
        return
    # pip takes the newest release that a specifier admits.
    newest = next(reversed(torch.matching(package.specifier)), "")
    late = [index for index in package.scope.indexes if begins_later(index, newest)]
    if not knowledge.only_pypi(index for index in package.scope.indexes if index not in late):
        return
    image = knowledge.describe(package.scope.image) if package.scope.image else None
    absent = torch.aarch64(newest) == "none"  # of the oldest, there is nothing for the machine with any Python
    if (not absent and torch.cuda(newest) != "cpu") or Version(newest).is_prerelease:
        return
    # Over the build of an image that brings one it does other harm, unless that build is uninstalled first.
    if image and image.has_gpu_stack and (project.ships(package, "torch") or not image.ships("torch")):
        return
    if not asked_for(package, project) or any(stays(other, package, torch) for other in earlier(package, project)):
        return
    if any(each.name in OTHER_DEVICES for each in along(package, project)):
        return
    message = f"{package.written} from PyPI is a CPU-only build on aarch64: torch.cuda.is_available() will be False"
    behind = torch.known(newest, cuda=not absent)
    if absent:
        older = ", and for an older Python a CPU-only one" if torch.by_python(newest) else ", and for no other Python either"
        message = f"{package.written} has no wheel for aarch64 and Python 3.12{older}"
    if late:
        first = knowledge.note("torch-first-on-cu130-index")
        behind = weakest(behind, first.known)
        begins = f"the index {late[0].name}, which begins with torch {first.text}"
        if late[0].role == "index":
            message = f"{package.written} is not on {begins}: nothing is installed"
        else:
            message = f"{package.written} is not on {begins}, and PyPI's is a CPU-only build on aarch64"
    # An image of one's own may bring a torch that meets the specifier.
    unknown = not image.family if image else package.scope.stage is not None
    severity = WARNING if unknown or far_behind(package) else None
    python = "Python 3.10 or later, with " if builds.old_python(package, project) else ""
    yield Advice(message, f"{python}torch>={torch.first('cu13')}", severity, LIKELY if unknown else None, behind)


def begins_later(index: Index, version: str) -> bool:
    """Whether an index of PyTorch's for CUDA 13 has no torch as old as this one."""
    known = index.name.startswith("cu13") and index.role != "find-links" and bool(version)
    return known and Version(version) < Version(knowledge.note("torch-first-on-cu130-index").text)


def far_behind(package: Package) -> bool:
    """Whether no package that the project names asks for it, only what these bring: it works on the CPU, more slowly than elsewhere."""
    return package.locked is not None and len(package.through) > 1


def along(package: Package, project: Project) -> Iterator[Package]:
    """What the same install brings."""
    for group in project.documents[package.span.path].installs(package.span):
        yield from group.packages


def asked_for(package: Package, project: Project) -> bool:
    """Whether something installs it from PyPI: a constraint alone installs nothing."""
    asking = (other for other in project.every(Package, "torch") if other.role == "requirement")
    return package.role == "requirement" or any(
        knowledge.only_pypi(scope.indexes) for other in asking for scope in other.scopes if not scope.elsewhere
    )


def earlier(package: Package, project: Project) -> Iterator[Package]:
    """The torch that is there already when a package is installed, where it is not one from PyPI."""
    for other in project.installed_before(package, "torch", "conda/pytorch", "conda/pytorch-gpu"):
        from_pypi = all(knowledge.only_pypi(scope.indexes) for scope in other.scopes if not scope.elsewhere)
        if other.manager == "conda" or other.url or other.local or not from_pypi:
            yield other


def stays(other: Package, package: Package, torch: PackageFacts) -> bool:
    """Whether what is installed meets the specifier, so that pip leaves it alone; where that is not known, it is taken to."""
    newest = next(reversed(torch.matching(other.specifier)), "") if other.manager != "conda" and not other.url else ""
    return not newest or newest in knowledge.specifiers(package.specifier)
