import re
from collections.abc import Iterator
from typing import Final

from spark_lint import knowledge
from spark_lint.facts import Command, Entry, Package
from spark_lint.kinds import TOML
from spark_lint.knowledge.gpu import cuda_release
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.rule import WARNING, Advice, rule
from spark_lint.text import UNKNOWN

# Packages of the toolkit whose version is CUDA's own; libcublas, cudnn and others count by themselves.
NAMED: Final = [
    f"conda/{name}"
    for name in (
        "cuda", "cuda-toolkit", "cuda-version", "cuda-nvcc", "cuda-compiler", "cuda-cudart", "cuda-cudart-dev", "cuda-nvrtc", "cuda-runtime",
        "cuda-libraries", "cuda-libraries-dev", "cuda-minimal-build", "cuda-tools", "cuda-command-line-tools",
    )
]  # fmt: skip
LABEL: Final = re.compile(r"nvidia/label/cuda-(\d+\.\d+)")
PIN: Final = re.compile(r"(?:={1,2}|~=)?\s*(\d+(?:\.\d+)*)(?:\.?\*)?(?:=.*)?$")  # =12.8, ==12.8.1, =12.*, 12.4, =12.4=0
CAP: Final = re.compile(r"(<=?)\s*(\d{1,4})(?:\.(\d{1,4}))?(?!\d)")


@rule(on=Package, named=NAMED, severity=WARNING)
def conda_cuda12_toolkit(package: Package, project: Project) -> Iterator[Advice]:
    command = next((each for each in project.around(package) if isinstance(each, Command) and each.name == "conda"), None)
    listed = [str(entry.value) for entry in project.near(package, Entry, "channels")]  # of an environment.yml
    cuda = cuda_of(package, command, listed)
    if knowledge.grade(cuda) is None or chosen_by_gpu(package.context.conditions):
        return
    if command is not None:  # one toolkit, one finding
        parts = (each for each in project.near(package, Package, *NAMED) if command in project.around(each))
        if next(part.span for part in parts if knowledge.grade(cuda_of(part, command, listed)) is not None) != package.span:
            return
    limits = "does not know its GPU, of compute capability 12.1" if too_old(cuda) else "makes code that does not load beside them"
    message = f"{package.written} is CUDA {cuda}: a Spark's torch and extensions are CUDA 13, and a compiler of {cuda} {limits}"
    name = package.name.removeprefix("conda/")
    instead = " ".join(dict.fromkeys((name, "cuda-version"))) + "=13.0"
    if project.documents[package.span.path].kind == TOML:  # a key of pixi's
        instead = f'{name if name.startswith("cuda") else "cuda-version"} = "13.0.*"'
    yield Advice(message, instead, known=knowledge.toolkit_known() if too_old(cuda) else knowledge.cuda_known(cuda))


def cuda_of(package: Package, command: Command | None, listed: list[str]) -> str:
    """The newest CUDA that is asked for, by version or by channel; empty where nothing limits it."""
    if found := release(package.specifier):
        return found
    channels = (
        [option.value.value for option in command.options if option.name == "--channel" and option.value] if command else listed
    )
    places = [package.written] if "::" in package.written else channels
    return next((label[1] for place in places if (label := LABEL.search(place))), "")


def release(specifier: str) -> str:
    """The newest CUDA that a conda specifier admits: `12.8` of `=12.8.*`, `12` of `>=12.1,<13`; empty where nothing limits it."""
    for part in specifier.strip("[]'\" ").split(",") if UNKNOWN not in specifier else ():
        if pin := PIN.match(part.strip()):
            return pin[1]
        if cap := CAP.match(part.strip()):
            minor = cap[3] and int(cap[3])
            if cap[1] == "<=":
                return cap[2] + (f".{minor}" if minor else "")
            return f"{cap[2]}.{minor - 1}" if minor else str(int(cap[2]) - 1)
    return ""


def too_old(cuda: str) -> bool:
    """Whether its compiler came before the Spark's GPU: nvcc knows it from CUDA 12.9 on."""
    major, minor = cuda_release(cuda) or (12, None)
    return (major, 9 if minor is None else minor) < (12, 9)
