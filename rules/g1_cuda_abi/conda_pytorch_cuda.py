from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Package, named=("conda/pytorch-cuda", "conda/cudatoolkit"), severity=ERROR)
def conda_pytorch_cuda(package: Package, project: Project) -> Iterator[Advice]:
    if chosen_by_gpu(package.context.conditions):
        return
    if package.name == "conda/pytorch-cuda":
        message = f"{package.written} exists for x86-64 only: conda finds no such package for a Spark (linux-aarch64)"
    else:
        # Its last release is 11.8, so no version is needed to know that it does not fit.
        message = f"{package.written} is CUDA 11 at best: it installs on a Spark, and holds no code for its GPU"
    yield Advice(message, knowledge.note("conda-torch").text)
