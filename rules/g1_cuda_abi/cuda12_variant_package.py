import re
from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.known import Known
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.queries import obtained
from spark_lint.queries.supply import supply, wheel_for
from spark_lint.rule import WARNING, Advice, rule

NAMED = (*knowledge.cuda12_names(), "*-cu1[0-2]", "*-cu1[0-2][0-9]", "*-cuda1[0-2]", "*-cuda1[0-2][0-9x]")


@rule(on=Package, named=NAMED, severity=WARNING)
def cuda12_variant_package(package: Package, project: Project) -> Iterator[Advice]:
    # A constraint installs nothing: it bites where something asks for the package; what is in a lock is judged there.
    asked = package.role == "requirement" or any(
        other.role == "requirement" and other.locked is None for other in project.every(Package, package.name)
    )
    if knowledge.harmless(package.name) or not asked or chosen_by_gpu(package.context.conditions):
        return
    if wheel_for(package):
        return  # x86-wheel-url says so
    if (found := supply(package, project)) is not None and found.kind == "none":
        return  # nothing is installed at all, which package-without-aarch64-wheel says
    if package.locked is not None and beside_cuda13(package, project):
        return
    tag = package.name.rpartition("-")[2]
    extra = next((extra for extra in sorted(package.extras) if knowledge.extra_advice(package.name, extra)), "")
    instead = knowledge.extra_advice(package.name, extra) if extra else knowledge.cuda13_name(package.name)
    severity = knowledge.grade(tag) if instead is None else WARNING
    known: Known | None = knowledge.packages_known("name" if re.search(r"-cu(?:da)?1", package.name) else "manual")
    if extra:
        message = f"{package.name}[{extra}] brings CUDA 12 builds: a Spark's torch and extensions are CUDA 13 and cannot share libraries with them"
        known = knowledge.packages_known()
    elif severity is WARNING and re.fullmatch("nvidia-.*-cu12", package.name):
        message = (
            f"{obtained.shown(package)} is a CUDA 12 library: a Spark's torch and extensions are CUDA 13 and load nothing from it"
        )
    elif severity is WARNING:
        message = f"{obtained.shown(package)} is a CUDA 12 build: a Spark's torch and extensions are CUDA 13 and cannot share libraries with it"
    else:
        message = f"{obtained.shown(package)}: {tag} builds {knowledge.drawback(tag)}"
        known = knowledge.cuda_known(tag)
    if severity is not None:
        yield Advice(message, instead or "", severity, known=known)


def beside_cuda13(package: Package, project: Project) -> bool:
    """Whether a lock holds what makes a CUDA 12 package of it right: its twin for CUDA 13, of which one is loaded, or a torch for CUDA 12."""
    if obtained.cuda12_torch(package, project):
        return True  # they belong together, and the torch is reported
    if package.manager == "pipenv" and re.fullmatch("nvidia-.*-cu12", package.name):
        return True  # G1/pipfile-lock-x86 says it once
    twin = knowledge.cuda13_name(package.name)
    return bool(twin) and any(True for _ in project.near(package, Package, twin or ""))
