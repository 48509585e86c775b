import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from spark_lint import knowledge
from spark_lint.facts import Binding, Index, Package, Setting
from spark_lint.project import Project
from spark_lint.rule import LIKELY, WARNING, Advice, Related, rule

# Settings of a run on GPUs.
GPUS: Final = ("processes_per_node", "gpus", "visible_devices")
CPU_WHEEL: Final = re.compile(r"(?:\+|%2b)cpu[-.]|/whl/cpu/", re.IGNORECASE)


@rule(on=Package, named="torch", severity=WARNING)
def torch_index_cpu(package: Package, project: Project) -> Iterator[Advice]:
    image = package.scope.image
    # Where the image brings a torch that meets the line, pip leaves it alone.
    if package.role == "constraint" or not for_cpu(package) or project.ships(package, "torch"):
        return
    told = f"{package.written} is taken from the index of builds for the CPU: torch.cuda.is_available() will be False"
    instead = f"torch --index-url {knowledge.note('torch-index').text}"
    if image is not None and knowledge.describe(image).for_gpu:
        yield Advice(f"{told} in {image.shown}, an image for GPUs", instead)
    elif any(asks(each) for each in run_beside(package, project)):
        yield Advice(f"{told}, and what is run beside it asks for GPUs", instead, confidence=LIKELY)
    elif other := next(for_others(package, project), None):
        message = f"{told} on aarch64, while other machines get {other.name}; that index has builds for aarch64 too"
        yield Advice(
            message, f"{other.written} for every machine", confidence=LIKELY, related=[Related(other.span, "for others")]
        )


def for_cpu(package: Package) -> bool:
    """Whether it is a build for the CPU: by its address, its local version, or the one index it comes from."""
    if package.url:
        return CPU_WHEEL.search(package.url) is not None and "x86_64" not in package.url
    indexes = {index.name for index in package.scope.indexes}
    return package.local == "cpu" or (not package.local and indexes == {"cpu"})


def run_beside(package: Package, project: Project) -> Iterator[Setting]:
    """The settings of a training that stand beside it, or in the script that installs it."""
    via = package.scope.via
    script = project.facts.get(via.path, ()) if via is not None else ()
    beside = (each for each in script if isinstance(each, Setting) and each.name in GPUS)
    for each in chain(project.near(package, Setting, *GPUS), beside):
        if "train" in (package.scope.workload, *(scope.workload for scope in each.scopes)):
            yield each


def for_others(package: Package, project: Project) -> Iterator[Index]:
    """The CUDA 13 indexes from which the same project takes torch on other machines, whoever installs it."""
    bindings = [each for each in project.near(package, Binding, "torch") if each.marker and not each.context.extra]
    for index in project.near(package, Index):
        if index.name.startswith("cu13") and any(each.index == index.label for each in bindings):
            yield index


def asks(setting: Setting) -> bool:
    """Whether it asks for a GPU: `CUDA_VISIBLE_DEVICES=""` hides them."""
    return setting.text not in ("", "-1") if setting.name == "visible_devices" else setting.number > 0
