import re
from collections.abc import Iterator
from itertools import islice

from spark_lint import knowledge
from spark_lint.facts import Command, Image, Package
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.rule import ERROR, INFO, LIKELY, POSSIBLE, WARNING, Advice, rule
from spark_lint.scope import Scope

SHELLS = {"bash", "sh"}
LOOKS = {"nvidia-smi", "ls", "cat", "echo", "head", "grep", "test", "true", "uname", "id", "whoami", "hostname", "env"}
"""Programs that show what there is and load nothing of the image's CUDA."""
COMPILERS = {"cmake", "make", "ninja", "nvcc"}
INSTALLERS = {"pip", "uv", "conda", "mamba", "micromamba", "poetry", "pdm", "pixi", "python"}
MOST = 2000
"""Commands of one Dockerfile, and packages of one repository, that are looked at."""
FLAVOURS = ("cu", "base", "runtime", "devel")


@rule(on=Image, named="*", severity=ERROR)
def cuda12_base_image(image: Image, project: Project) -> Iterator[Advice]:
    known = knowledge.describe(image)
    # An image that does not exist for arm64 has a worse problem, and a rule of its own.
    if known.grade is None or known.arm64 is False or known.other_machine:
        return
    if chosen_by_gpu(image.context.conditions) or asks_the_driver(image, project) or project.only_fetched(image):
        return
    if newest_of_12(known.cuda) and only_compiles(image, project):
        return
    if image.role == "base" and "base" in re.split(r"[-.]", image.tag) and only_shows(image, project):
        return
    severity = known.grade
    if severity is ERROR and not known.has_gpu_stack and below_cuda13(image, project):
        severity = WARNING
        message = f"{image.shown} holds CUDA {known.cuda} below a CUDA 13 torch: what is compiled in it fits neither that torch nor the Spark's GPU"
    elif severity is ERROR:
        message = f"{image.shown} holds CUDA {known.cuda}, which has no code for the Spark's GPU"
    elif severity is WARNING:
        worse = known.drawback or f"builds for it {knowledge.drawback(known.cuda)}"
        if image.role == "run" and known.has_gpu_stack and not known.drawback and newest_of_12(known.cuda):
            severity = INFO  # started as it is, it holds all that it loads
        message = f"{image.shown} holds CUDA {known.cuda}: {worse}"
    elif known.month:
        message = f"{image.shown} holds CUDA {known.cuda}, but the first framework images that NVIDIA names for a Spark are those of 25.09"
    else:
        message = f"{image.shown}: {known.note}"
    # What an image of one's own holds is known from its tag alone, and a bare number may be anything.
    guess = LIKELY if any(word in image.tag.lower() for word in FLAVOURS) else POSSIBLE
    yield Advice(message, known.instead, severity, None if known.family else guess, known=known.known)


def asks_the_driver(image: Image, project: Project) -> bool:
    """`docker run nvidia/cuda:12.0.0-base nvidia-smi`: the program is the driver's, and shows any Spark; so do `ls` and the like."""
    commands = project.near(image, Command) if image.role == "run" else ()
    inside = {each.name for each in commands if each.context.image is not None and each.context.image.span == image.span}
    return bool(inside - SHELLS) and inside - SHELLS <= LOOKS


def newest_of_12(cuda: str) -> bool:
    """Whether a CUDA 12 release has a compiler that knows the GPU of a Spark."""
    return knowledge.drawback(cuda) == knowledge.drawback("12.9")


def only_compiles(image: Image, project: Project) -> bool:
    """Whether a Dockerfile over CUDA 12.9, whose compiler knows a Spark, builds a program and no Python is there that would mix with it."""
    if image.role != "base" or knowledge.describe(image).has_gpu_stack:
        return False
    facts = islice((each for each in project.facts[image.span.path] if isinstance(each, Command)), MOST)
    programs = {re.sub(r"[\d.]+$", "", each.name) for each in facts}
    return not programs.isdisjoint(COMPILERS) and programs.isdisjoint(INSTALLERS)


def only_shows(image: Image, project: Project) -> bool:
    """Whether what is installed over a bare image is seen, and nothing of it computes: a dashboard that runs the driver's nvidia-smi."""
    every = list(islice((each for each in project.every(Package) if each.manager != "apt"), MOST + 1))
    found = [each.name for each in every if any(scope.image and scope.image.span == image.span for scope in each.scopes)]
    return len(every) <= MOST and bool(found) and all(knowledge.package(name) is None for name in found)


def below_cuda13(image: Image, project: Project) -> bool:
    """Whether a CUDA 13 torch is installed in an image; it brings its own libraries."""
    return any(
        scope.image is not None and scope.image.span == image.span and for_cuda13(package, scope)
        for package in project.every(Package, "torch", "vllm", "sglang")
        for scope in package.scopes
    )


def for_cuda13(package: Package, scope: Scope) -> bool:
    """Whether it is a CUDA 13 build, by its local version, its index, or what PyPI has."""
    if package.local or package.url:
        return package.local.startswith("cu13")
    known = knowledge.package(package.name)
    newest = next(reversed(known.matching(package.specifier)), "") if known else ""
    from_pypi = knowledge.only_pypi(scope.indexes) and known is not None and known.cuda(newest) == "cu13"
    return from_pypi or any(index.name.startswith("cu13") for index in scope.indexes)
