from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package, Setting
from spark_lint.project import Project
from spark_lint.rule import LIKELY, WARNING, Advice, rule

# Settings of a run on GPUs.
GPUS = ("processes_per_node", "gpus", "visible_devices")


@rule(on=Package, named="torch", severity=WARNING)
def torch_index_cpu(package: Package, project: Project) -> Iterator[Advice]:
    names = {index.name for index in package.scope.indexes}
    if package.role == "constraint" or package.url or not (package.local == "cpu" or (not package.local and names == {"cpu"})):
        return
    image = package.scope.image
    told = f"{package.written} is taken from the index of builds for the CPU: torch.cuda.is_available() will be False"
    instead = f"torch --index-url {knowledge.note('torch-index').text}"
    # Where the image brings a torch that meets the line, pip leaves it alone.
    if image is not None and knowledge.describe(image).for_gpu and not project.ships(package, "torch"):
        yield Advice(f"{told} in {image.shown}, an image for GPUs", instead)
    elif (
        image is None and package.scope.workload == "train" and any(asks(each) for each in project.near(package, Setting, *GPUS))
    ):
        yield Advice(f"{told}, and what is run beside it asks for GPUs", instead, confidence=LIKELY)


def asks(setting: Setting) -> bool:
    """Whether it asks for a GPU: `CUDA_VISIBLE_DEVICES=""` hides them."""
    return setting.text not in ("", "-1") if setting.name == "visible_devices" else setting.number > 0
