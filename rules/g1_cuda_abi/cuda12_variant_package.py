from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.project import Project
from spark_lint.rule import WARNING, Advice, rule

NAMED = (*knowledge.cuda12_names(), "*-cu12", "*-cuda12x", "*-cuda12", "*-cuda120")


@rule(on=Package, named=NAMED, severity=WARNING)
def cuda12_variant_package(package: Package, project: Project) -> Iterator[Advice]:
    if knowledge.harmless(package.name):
        return
    extra = next((extra for extra in sorted(package.extras) if knowledge.extra_advice(package.name, extra)), None)
    if extra:
        wanted = knowledge.extra_advice(package.name, extra) or ""
        yield Advice(f"{package.name}[{extra}] brings the CUDA 12 libraries; a Spark's driver, torch and extensions are CUDA 13", wanted)
    elif (better := knowledge.cuda13_name(package.name)) is not None:
        yield Advice(f"{package.name} is built for CUDA 12 and does not load beside a CUDA 13 torch", better)
    elif "cu12" in package.name or "cuda12" in package.name:
        yield Advice(f"{package.name} is built for CUDA 12 and does not load beside a CUDA 13 torch")
