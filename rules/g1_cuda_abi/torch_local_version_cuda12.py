from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.queries import builds
from spark_lint.queries.over_images import over_nvidia_torch
from spark_lint.rule import ERROR, Advice, rule

NAMED = (
    "torch*",
    "pytorch3d",
    "pyg-lib",
    "xformers",
    "vllm",
    "flashinfer*",
    "jaxlib",
    "dgl",
    "mmcv*",
    "kaolin",
    "lmdeploy",
    "sgl-kernel",
)


@rule(on=Package, named=NAMED, severity=ERROR)
def torch_local_version_cuda12(package: Package, project: Project) -> Iterator[Advice]:
    severity = knowledge.grade(package.local)
    # A constraint installs nothing: it bites where something asks for the package.
    asked = package.role == "requirement" or any(other.role == "requirement" for other in project.every(Package, package.name))
    if severity is None or not asked or chosen_by_gpu(package.context.conditions):
        return
    if package.name in ("torch", "torchvision") and over_nvidia_torch(package, project):
        return  # G9/ngc-torch-reinstall says it, and that the image brings a better one
    if package.locked is not None and any(index.name == package.local for index in package.scope.indexes):
        return  # G1/torch-index-cuda12 says it once for all that a lock takes from there
    if package.url.partition("#")[0].endswith("x86_64.whl"):
        return  # G1/x86-wheel-url says it: a Spark cannot install it at all
    known = knowledge.package(package.name)
    first = known.first("cu13") if known else ""
    message = f"{package.written}: {package.local} builds {knowledge.drawback(package.local)}"
    python = "Python 3.10 or later, with " if first and builds.old_python(package, project) else ""
    yield Advice(
        message, f"{python}{package.name}>={first}" if first else "", severity, known=knowledge.cuda_known(package.local)
    )
