from collections.abc import Iterator

from packaging.version import Version

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.project import Project
from spark_lint.queries import obtained
from spark_lint.rule import ERROR, LIKELY, WARNING, Advice, rule

KERNELS = ("sgl-kernel", "sglang-kernel")


@rule(on=Package, named=("sglang", "sgl-kernel"), reads={"sglang-kernel", "torch"}, severity=WARNING)
def sglang_before_cuda13(package: Package, project: Project) -> Iterator[Advice]:
    known, sglang = knowledge.package(package.name), knowledge.package("sglang")
    newest = next(reversed(obtained.releases(package, project)), "")
    if known is None or sglang is None or not newest or kernels_apart(package, project):
        return
    if project.ships(package, "sglang") or obtained.cuda12_torch(package, project):
        return
    first, asked, severity = sglang.first("cu13"), obtained.shown(package), WARNING
    behind = known.known(newest, cuda=known.aarch64(newest) != "none")
    if package.name == "sglang":
        if Version(newest) >= Version(first):
            return
        message = f"{asked} is from before SGLang's stack for CUDA 13: its kernels ask for libcudart.so.12, which a Spark's torch does not bring"
    elif known.aarch64(newest) == "none":
        message, severity = f"{asked} has no wheel for aarch64, and the later ones are built for CUDA 12", ERROR
    else:
        message = f"{asked} from PyPI is built for CUDA 12: it stops at its import, without libcudart.so.12 and libnvrtc.so.12"
        severity = ERROR
    unknown = obtained.unknown_image(package)
    yield Advice(message, f"sglang>={first}", WARNING if unknown else severity, LIKELY if unknown else None, behind)


def kernels_apart(package: Package, project: Project) -> bool:
    """Whether kernels for CUDA 13 are installed from somewhere else, as SGLang's own index and releases hold them."""
    kernels = (each for each in project.near(package, Package, *KERNELS) if each.span != package.span)
    return any(obtained.brought(kernels))
