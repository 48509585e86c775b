from collections.abc import Iterator
from dataclasses import replace

from packaging.version import Version

from spark_lint import knowledge
from spark_lint.facts import Command, Image, Package
from spark_lint.known import Known
from spark_lint.project import Project
from spark_lint.queries import builds, obtained
from spark_lint.queries.supply import elsewhere_only, on_request
from spark_lint.rule import ERROR, INFO, LIKELY, WARNING, Advice, rule
from spark_lint.text import UNKNOWN

REBUILDS = {"--force-reinstall", "--ignore-installed", "--reinstall", "--reinstall-package"}
# Extras that ask for flash-attn, and for which: in the metadata of axolotl 0.19.0.
EXTRAS = {"axolotl": {"flash-attn": "==2.8.3", "ring-flash-attn": "==2.8.3"}}
MOST_JOBS = 12  # its setup.py reckons with 8 to 9 GB for each, a Spark has 121 GiB


@rule(on=Package, named=("flash-attn", "flash-attention", *EXTRAS), severity=ERROR)
def flash_attn_requirement(package: Package, project: Project) -> Iterator[Advice]:
    if package.name in EXTRAS:
        extra = next((extra for extra in EXTRAS[package.name] if extra in package.extras), "")
        if not extra:
            return
        written = f"the flash-attn of {package.name}[{extra}]"
        package = replace(package, specifier=EXTRAS[package.name][extra], url="", written=written)
    if not asks_for_a_build(package, project):
        return
    image = package.scope.image
    faults = list(faults_of(package, project))
    if foreign(package):
        name = wheel(package).rpartition("/")[2]
        yield Advice(f"{name} is a wheel for another machine: a Spark cannot install it", instead(package, project))
    elif image is not None and project.ships(package, "flash-attn"):
        if faults and rebuilt(package, image):
            message = (
                f"{obtained.shown(package)} builds another flash-attn over the one that {image.reference} ships for its own torch"
            )
            yield Advice(message, severity=WARNING, known=knowledge.describe(image).known)
    elif builds.isolated(package, project):
        message = f"{obtained.shown(package)} has no aarch64 wheel: pip builds it from source, in an environment without torch, and fails"
        unknown = image is not None and not knowledge.describe(image).family  # it may bring flash-attn
        severity = INFO if on_request(package) else WARNING if unknown else None
        yield Advice(message, instead(package, project), severity, LIKELY if unknown else None, behind(package))
    elif faults:
        severity = INFO if on_request(package) else WARNING
        message = f"{obtained.shown(package)} is compiled on a Spark, and {'; '.join(faults)}"
        yield Advice(message, instead(package, project), severity, known=behind(package))


def asks_for_a_build(package: Package, project: Project) -> bool:
    """Whether pip gets flash-attn because of this line, and not where there may be a wheel of it for a Spark."""
    # `flash-attention` on PyPI is another project, but the repository of flash-attn is called that.
    if package.role == "constraint" or (package.name == "flash-attention" and not package.url.startswith("git+")):
        return False
    if foreign(package):
        return True
    others = [index for index in package.scope.indexes if index.role != "torch-backend" and "pytorch.org" not in index.url]
    if UNKNOWN in package.url or wheel(package).endswith("aarch64.whl") or not knowledge.only_pypi(others):
        return False
    return not any(project.installed_before(package, "flash-attn", "flash-attention", "conda/flash-attn"))


def wheel(package: Package) -> str:
    path = package.url.partition("#")[0]
    return path if path.endswith(".whl") else ""


def foreign(package: Package) -> bool:
    return bool(wheel(package)) and UNKNOWN not in package.url and not wheel(package).endswith(("aarch64.whl", "any.whl"))


def faults_of(package: Package, project: Project) -> Iterator[str]:
    """What hurts a source build on a Spark; read in the setup.py of flash-attn 2.6.3 to 2.8.3.post2."""
    if builds.isolated(package, project) or builds.lacks_torch(package, project):
        yield "torch is not there yet"
    if builds.variable(package, project, "FLASH_ATTENTION_SKIP_CUDA_BUILD").upper() == "TRUE":
        yield "FLASH_ATTENTION_SKIP_CUDA_BUILD leaves out its kernels"
        return
    jobs = builds.variable(package, project, "MAX_JOBS")
    if not jobs:
        yield "MAX_JOBS is not set: up to 10 compilers take 8 to 9 GB each"
    elif jobs.isdecimal() and float(jobs) > MOST_JOBS:
        yield f"MAX_JOBS={jobs} starts as many compilers, of 8 to 9 GB each"
    architectures = builds.variable(package, project, "FLASH_ATTN_CUDA_ARCHS")
    if architectures and UNKNOWN not in architectures and "120" not in architectures:
        yield f"FLASH_ATTN_CUDA_ARCHS={architectures} leaves out the Spark's GPU, which is 120"
    newest = newest_of(package)
    if newest and Version(newest) < Version(knowledge.note("flash-attn-first-sm120").text):
        yield f"{newest} holds no code for the Spark's GPU"


def behind(package: Package) -> Known | None:
    """What stands behind it that there is no wheel: nothing of ours where the line gives an address, or a lock has the files."""
    said = package.url or (package.locked is not None and package.locked.offered)
    known = None if said else knowledge.package("flash-attn")
    return known.known(newest_of(package) or known.newest_checked) if known is not None else None


def newest_of(package: Package) -> str:
    """The newest release that is asked for; empty where that is not known."""
    known = knowledge.package("flash-attn")
    found = known.matching(package.specifier) if known and not package.url else ()
    return found[-1] if found else ""


def rebuilt(package: Package, image: Image) -> bool:
    """Whether pip replaces the flash-attn of the image."""
    flags = package.flags | package.scope.flags
    if package.url or flags & REBUILDS:
        return True
    version = knowledge.describe(image).version_shipped("flash-attn")
    upgraded = "--upgrade" in flags and newest_of(package) not in ("", version)
    return bool(version) and (upgraded or version not in knowledge.specifiers(package.specifier))


def instead(package: Package, project: Project) -> str:
    """A build with care for a command, a marker for a line of a file."""
    if package.name in EXTRAS:
        return f"{package.name} without the extra, and attn_implementation: sdpa"
    if any(isinstance(each, Command) for each in project.around(package)):
        return knowledge.note("flash-attn-build").text
    return elsewhere_only(package, project)
