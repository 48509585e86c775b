from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Package, named="torch", severity=ERROR)
def torch_cpu_only_on_aarch64(package: Package, project: Project) -> Iterator[Advice]:
    if package.url or package.local or not knowledge.only_pypi(package.scope.indexes):
        return
    if package.scope.image and knowledge.describe(package.scope.image).has_gpu_stack:
        return
    # A constraint installs nothing: it bites where something asks for torch.
    if package.role == "constraint" and not any(other.role == "requirement" for other in project.every(Package, "torch")):
        return
    torch = knowledge.package("torch")
    if torch is None:
        return
    reachable = torch.matching(package.specifier)
    if reachable and {torch.cuda(version) for version in reachable} == {"cpu"}:
        yield Advice(
            f"{package.written} from PyPI is a CPU-only build on aarch64: torch.cuda.is_available() will be False",
            "torch>=2.11  # the first release whose aarch64 wheels on PyPI are built for CUDA 13",
        )
