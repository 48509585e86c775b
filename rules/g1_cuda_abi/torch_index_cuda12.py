from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Index, Package
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule

SERVED = ("torch", "torchvision", "torchaudio")


@rule(on=Index, named="cu1*", severity=ERROR)
def torch_index_cuda12(index: Index, project: Project) -> Iterator[Advice]:
    severity = knowledge.grade(index.name)
    served = list(project.near(index, Package, *SERVED))
    if severity is None or (served and all(scope.elsewhere for package in served for scope in package.scopes)):
        return
    if severity is ERROR:
        message = f"{index.name} builds of torch hold no code for the Spark's GPU (compute capability 12.1)"
    else:
        message = f"{index.name} builds of torch start on a Spark, but what they compile at run time fails, and CUDA 13 extensions do not load"
    yield Advice(message, index.written.replace(index.name, "cu130"), severity)
