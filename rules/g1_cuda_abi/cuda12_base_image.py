from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Command, Image, Package
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.rule import ERROR, LIKELY, POSSIBLE, WARNING, Advice, rule
from spark_lint.scope import Scope

SHELLS = {"bash", "sh"}
FLAVOURS = ("cu", "base", "runtime", "devel")


@rule(on=Image, named="*", severity=ERROR)
def cuda12_base_image(image: Image, project: Project) -> Iterator[Advice]:
    known = knowledge.describe(image)
    # An image that does not exist for arm64 has a worse problem, and a rule of its own.
    if known.grade is None or known.arm64 is False or known.other_machine:
        return
    if chosen_by_gpu(image.context.conditions) or asks_the_driver(image, project) or project.only_fetched(image):
        return
    severity = known.grade
    if severity is ERROR and not known.has_gpu_stack and below_cuda13(image, project):
        severity = WARNING
        message = f"{image.shown} holds CUDA {known.cuda} below a CUDA 13 torch: what is compiled in it fits neither that torch nor the Spark's GPU"
    elif severity is ERROR:
        message = f"{image.shown} holds CUDA {known.cuda}, which has no code for the Spark's GPU"
    elif severity is WARNING:
        worse = known.drawback or f"builds for it {knowledge.drawback(known.cuda)}"
        message = f"{image.shown} holds CUDA {known.cuda}: {worse}"
    elif known.month:
        message = f"{image.shown} holds CUDA {known.cuda}, but the first framework images that NVIDIA names for a Spark are those of 25.09"
    else:
        message = f"{image.shown}: {known.note}"
    # What an image of one's own holds is known from its tag alone, and a bare number may be anything.
    guess = LIKELY if any(word in image.tag.lower() for word in FLAVOURS) else POSSIBLE
    yield Advice(message, known.instead, severity, None if known.family else guess, assumed=known.assumed)


def asks_the_driver(image: Image, project: Project) -> bool:
    """`docker run nvidia/cuda:12.0.0-base nvidia-smi`: the program is the driver's, and shows any Spark."""
    commands = project.near(image, Command) if image.role == "run" else ()
    inside = {each.name for each in commands if each.context.image is not None and each.context.image.span == image.span}
    return inside - SHELLS == {"nvidia-smi"}


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
