from collections.abc import Iterator
from itertools import islice

from packaging.version import Version

from spark_lint import knowledge
from spark_lint.facts import Binding, Index, Package
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.rule import ERROR, WARNING, Advice, rule

SERVED = ("torch", "torchvision", "torchaudio")
MOST = 200
"""Bindings of one file that are looked at."""


@rule(on=Index, named=("cu9*", "cu1*"), severity=ERROR)
def torch_index_cuda12(index: Index, project: Project) -> Iterator[Advice]:
    if chosen_by_gpu(index.context.conditions):
        return
    severity = knowledge.grade(index.name)
    asking = project.asking(index, *SERVED)
    here = [package for package in asking if takes_from(index, package)]
    if severity is None or (asking and not here):
        return
    of_torch = index.role == "torch-backend" or "pytorch" in index.url
    if of_torch and index.explicit and only_for_others(index, project):
        return
    message = f"{index.name} builds{' of torch' if of_torch else ''} {knowledge.drawback(index.name)}"
    known = knowledge.cuda_known(index.name)
    # Only uv and Poetry know an explicit one, and take what is bound to it from there.
    if index.role in ("extra-index", "find-links") and not index.explicit:
        if last := passed_over(index, here):
            if index.role == "find-links":
                return
            message = f"{index.name} ends with torch {last}: pip takes a newer one from PyPI, but uv takes the one from here"
            known = knowledge.packages_known()
        # Another project's index holds wheels for x86-64 as a rule: pip goes on to the next one.
        severity = WARNING if last or not of_torch else severity
    address = index.written if index.name in index.written else index.url
    instead = address.replace(index.name, "cu130")
    if any(too_old(package) for package in here):
        instead += f"  # with torch {knowledge.note('torch-first-on-cu130-index').text} or later: it has none before"
    yield Advice(message, instead if of_torch else "", severity, known=known)


def only_for_others(index: Index, project: Project) -> bool:
    """Whether a project takes something from an index alone, and nothing of it is torch."""
    bound = {each.name for each in islice(project.near(index, Binding), MOST) if each.index == index.label}
    return bool(bound) and bound.isdisjoint(SERVED)


def too_old(package: Package) -> bool:
    """Whether the index for CUDA 13 has no torch that its specifier admits."""
    known = knowledge.package(package.name) if package.name == "torch" else None
    newest = next(reversed(known.matching(package.specifier)), "") if known else ""
    return bool(newest) and Version(newest) < Version(knowledge.note("torch-first-on-cu130-index").text)


def takes_from(index: Index, package: Package) -> bool:
    """Whether a Spark may get a package from an index: it names no other build, and no CUDA 13 index stands beside."""
    beside = any(other.name.startswith("cu13") for other in package.scope.indexes)
    other_build = package.url or (package.local and package.local != index.name)
    return not (package.scope.elsewhere or other_build or (beside and not package.local))


def passed_over(index: Index, packages: list[Package]) -> str:
    """The last torch on an index, if pip finds a newer one for CUDA 13 on PyPI."""
    last = knowledge.last_torch(index.name)
    for package in packages:
        known = knowledge.package(package.name)
        newest = next(reversed(known.matching(package.specifier)), "") if known and package.manager == "pip" else ""
        older = package.name == "torch" and last and newest and Version(newest) <= Version(last)
        if known is None or known.cuda(newest) != "cu13" or package.local or older:
            return ""
    return last if any(package.name == "torch" for package in packages) else ""
