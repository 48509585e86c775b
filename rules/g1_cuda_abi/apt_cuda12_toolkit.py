import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from spark_lint import knowledge
from spark_lint.facts import Command, Package
from spark_lint.names.machines import chosen_by_gpu, may_fail
from spark_lint.project import Project
from spark_lint.rule import ERROR, INFO, WARNING, Advice, rule
from spark_lint.scope import Scope

# The distributions' own packages, which are not NVIDIA's, and the CUDA that each has; the Spark's own is the first one.
OWN, OWN_LIBRARIES = "nvidia-cuda-toolkit", "nvidia-cuda-dev"
OWN_CUDA: Final = {"Ubuntu 24.04": "12.0", "Ubuntu 22.04": "11.5", "Debian 12": "11.8", "Debian 13": "12.4"}
BUILT_ON: Final = (
    ("Ubuntu 24.04", re.compile(r"ubuntu:?24\.04|noble")),
    ("Ubuntu 22.04", re.compile(r"ubuntu:?22\.04|jammy")),
    ("Debian 12", re.compile(r"debian:12\b|bookworm")),
    ("Debian 13", re.compile(r"debian:13\b|trixie")),
)
NAMED: Final = [
    f"apt/{name}"
    for name in (
        OWN, OWN_LIBRARIES, "cuda", "cuda-1*", "cuda-toolkit-1*", "cuda-nvcc-1*", "cuda-compiler-1*", "cuda-minimal-build-1*",
        "cuda-command-line-tools-1*", "cuda-tools-1*", "cuda-runtime-1*", "cuda-libraries-*", "cuda-cudart-*", "cuda-nvrtc-*", "cuda-compat-1*",
        "cuda-cupti-*", "cuda-nvml-dev-1*", "cuda-nvtx-1*", "*cudnn*", "libnccl*", "libcublas*", "libcusparse*", "libcusolver*", "libcufft*",
        "libcurand*", "libcutensor*", "libnpp-*", "libnvjitlink-*", "libnvinfer*",
    )
]  # fmt: skip
# cuda-toolkit-12-4, cuda-12-8, cuda-nvcc-12-6: a compiler, alone or among the rest.
COMPILER: Final = re.compile(r"cuda(?:-(?:toolkit|nvcc|compiler|minimal-build|command-line-tools|tools))?-(1\d)-(\d|\*)")
# cuda-cudart-dev-12-4, libcublas-12-4; libcudnn9-cuda-12, cudnn-cuda-12, cudnn9-cuda-12-8
LIBRARY: Final = re.compile(r"(?:cuda-[a-z0-9-]+|lib(?:cu|nv|npp)[a-z0-9-]*)-(1\d)-(\d|\*)")
MADE_FOR: Final = re.compile(r"[a-z0-9-]+-cuda-(1\d)(?:-(\d|\*))?")
VERSION: Final = re.compile(r"\+cuda(\d\d)\.(\d)")  # libnccl2=2.27.3-1+cuda12.2
CROSS: Final = re.compile(r"-cross-|-config-|-repo-")
RELEASE: Final = re.compile(r"-(1\d)(?:-(?:\d|\*))?$")


class Found(NamedTuple):
    """The CUDA of a package, `12.4` or `12`, and whether a compiler comes with it."""

    cuda: str
    compiler: bool


@rule(on=Package, named=NAMED, severity=WARNING)
def apt_cuda12_toolkit(package: Package, project: Project) -> Iterator[Advice]:
    found = release(package, package.scope)
    if found is None or knowledge.grade(found.cuda) is None or chosen_by_gpu(package.context.conditions):
        return
    if of_the_image(package.scope) or first(package, project) != package:
        return
    own = f"in {distribution(package.scope)} {package.written}" if package.name.startswith("apt/nvidia-") else package.written
    message = f"{own} is CUDA {found.cuda}, and a Spark's driver, torch and extensions are for CUDA 13: "
    severity, known = INFO if may_fail(package.context.conditions) else None, knowledge.cuda_known(found.cuda)
    if found.compiler and knowledge.compiles(found.cuda, "12.8") is False:
        message += "its compiler does not know the GPU, of compute capability 12.1"
        severity, known = severity or ERROR, knowledge.toolkit_known()
    elif found.compiler and knowledge.compiles(found.cuda, "12.9") is False:
        message += "its compiler knows 12.0 and not 12.1, and what it makes does not load beside them"
    else:
        message += "they do not use it, and what is built with it does not load beside them"
    yield Advice(message, instead(package, found), severity, known=known)


def distribution(scope: Scope) -> str:
    """The distribution that a place has, as far as the image's name and tag tell; empty where they do not."""
    if scope.image is None:
        return "Ubuntu 24.04" if scope.stage is None else ""
    if knowledge.describe(scope.image).family.startswith("ngc-"):
        return "Ubuntu 24.04"
    return next((name for name, built in BUILT_ON if built.search(scope.image.shown)), "")


def release(package: Package, scope: Scope) -> Found | None:
    """The CUDA that an apt package belongs to; None where its name and version, or the distribution's, tell of none."""
    name = package.name.removeprefix("apt/")
    if CROSS.search(name):
        return None
    if name in (OWN, OWN_LIBRARIES):
        cuda = OWN_CUDA.get(distribution(scope), "")
        return Found(cuda, name == OWN) if cuda else None
    if version := VERSION.search(package.specifier):
        return Found(f"{version[1]}.{version[2]}", False)
    if name == "cuda" and (pinned := re.match(r"=(1\d)\.(\d)", package.specifier)):
        return Found(f"{pinned[1]}.{pinned[2]}", True)
    match = COMPILER.fullmatch(name) or MADE_FOR.fullmatch(name) or LIBRARY.fullmatch(name)
    if match is None:
        return None
    return Found(f"{match[1]}.{match[2]}" if (match[2] or "*") != "*" else match[1], match.re is COMPILER)


def of_the_image(scope: Scope) -> bool:
    """Whether it stands in an image that holds CUDA 12 itself, or is for another machine: that is said at the image."""
    image = knowledge.describe(scope.image) if scope.image else None
    return image is not None and (bool(image.other_machine) or knowledge.grade(image.cuda) is not None)


def first(package: Package, project: Project) -> Package:
    """What a command is judged by: the first package with a compiler, else the first of all that are for CUDA 12."""
    command = next((each for each in project.around(package) if isinstance(each, Command)), None)
    if command is None:
        return package
    beside = [each for each in project.near(package, Package) if command.span.covers(each.span) and each.manager == "apt"]
    graded = [
        (each, found) for each in beside if (found := release(each, package.scope)) and knowledge.grade(found.cuda) is not None
    ]
    chosen = next((each for each, found in graded if found.compiler), graded[0][0] if graded else package)
    return package if chosen.span == package.span else chosen


def instead(package: Package, found: Found) -> str:
    """The package for CUDA 13."""
    name = package.name.removeprefix("apt/")
    if "-compat-" in name:
        return "nothing: a Spark's driver is for CUDA 13"
    if name == OWN or (found.compiler and re.match(r"cuda(?:-\d|$)", name)):
        return "cuda-toolkit-13-0"
    if name == OWN_LIBRARIES:
        return "cuda-libraries-dev-13-0"
    if VERSION.search(package.specifier):
        return f"{name}, in the newest version, which is for CUDA 13"
    return RELEASE.sub(lambda match: "-13-0" if match[0].count("-") > 1 else "-13", name)
