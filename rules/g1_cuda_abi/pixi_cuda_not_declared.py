import re
from collections.abc import Iterator

from spark_lint.facts import Entry, Package
from spark_lint.project import Project
from spark_lint.rule import WARNING, Advice, rule
from spark_lint.text import UNKNOWN

PLATFORM = re.compile(r"(?:tool\.pixi\.)?(?:workspace|project)\.platforms(?:\.platform)?")
# [system-requirements] cuda, and of a feature; platforms = [{ cuda = "13.0" }], { cuda = { driver = "13.0" } }
DECLARED = re.compile(r"(?:.*\.)?(?:system-requirements\.cuda(?:\.\w+)?|platforms\.(?:cuda|__cuda)(?:\.driver)?)")
CUDA = ("*system-requirements.cuda", "*platforms.cuda", "*platforms.cuda.driver")
NUMBER = re.compile(r"\D*(\d{1,3})")
BUILT_FOR_GPUS = ("conda/pytorch", "conda/pytorch-gpu")


@rule(on=Package, named=BUILT_FOR_GPUS, severity=WARNING)
def pixi_cuda_not_declared(package: Package, project: Project) -> Iterator[Advice]:
    # One workspace, one mistake.
    first = next(project.near(package, Package, package.name), package)
    if first.span != package.span or (
        package.name == "conda/pytorch-gpu" and any(project.near(package, Package, "conda/pytorch"))
    ):
        return
    entries = list(project.near(package, Entry))
    if not for_spark(entries) or "cpu" in package.written or any(DECLARED.fullmatch(each.name) for each in entries):
        return
    yield Advice(
        f"{package.written}: the workspace says nothing of CUDA, so pixi takes the build for the CPU, or finds none",
        'platforms = [{ platform = "linux-aarch64", cuda = "13.0" }]',
    )


@rule(on=Entry, named=CUDA, severity=WARNING)
def pixi_cuda12_declared(entry: Entry, project: Project) -> Iterator[Advice]:
    first = next(project.near(entry, Entry, entry.name), entry)
    if first.span != entry.span:
        return
    entries = list(project.near(entry, Entry))
    declared = [NUMBER.match(str(each.value)) for each in entries if DECLARED.fullmatch(each.name)]
    if not for_spark(entries) or not any(project.near(entry, Package, *BUILT_FOR_GPUS)):
        return
    if all(number is not None and int(number[1]) < 13 for number in declared):
        yield Advice(
            f"{entry.written} is older than the CUDA 13 of a Spark: pixi takes no build for CUDA 13",
            entry.written.replace(str(entry.value), "13.0"),
        )


def for_spark(entries: list[Entry]) -> bool:
    """Whether they are of a pixi workspace that resolves for a Spark."""
    platforms = [str(each.value) for each in entries if PLATFORM.fullmatch(each.name)]
    return "linux-aarch64" in platforms and not any(UNKNOWN in each for each in platforms)
