from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Package, named=("torch", "torchvision", "torchaudio", "torchtext", "torch-*", "xformers", "vllm"), severity=ERROR)
def torch_local_version_cuda12(package: Package, project: Project) -> Iterator[Advice]:
    severity = knowledge.grade(package.local)
    if severity is ERROR:
        yield Advice(f"{package.written} is built for {package.local}, which holds no code for the Spark's GPU", "+cu130", severity)
    elif severity is not None:
        message = f"{package.written} starts on a Spark, but what it compiles at run time fails, and CUDA 13 extensions do not load"
        yield Advice(message, package.written.replace(package.local, "cu130"), severity)
