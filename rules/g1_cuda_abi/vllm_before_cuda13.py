from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.project import Project
from spark_lint.queries import builds, obtained
from spark_lint.rule import ERROR, LIKELY, WARNING, Advice, rule


@rule(on=Package, named="vllm", reads={"torch"}, severity=ERROR)
def vllm_before_cuda13(package: Package, project: Project) -> Iterator[Advice]:
    vllm = knowledge.package("vllm")
    newest = next(reversed(obtained.releases(package, project)), "")
    if vllm is None or not newest:
        return
    asked = obtained.shown(package)
    if vllm.aarch64(newest) == "sdist" and builds.isolated(package, project):
        message = f"{asked} has no wheel for aarch64: pip compiles it on the Spark, against a torch for the CPU"
        behind = vllm.known(newest)
    elif vllm.cuda(newest) == "cu12" and not obtained.cuda12_torch(package, project):
        message = (
            f"{asked} from PyPI is built for CUDA 12: it asks for libcudart.so.12 and for a torch that is CPU-only on aarch64"
        )
        behind = vllm.known(newest, cuda=True)
    else:
        return
    unknown = obtained.unknown_image(package)
    yield Advice(message, f"vllm>={vllm.first('cu13')}", WARNING if unknown else None, LIKELY if unknown else None, behind)
