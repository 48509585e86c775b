from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Command, Image
from spark_lint.project import Project
from spark_lint.rule import ERROR, LIKELY, WARNING, Advice, rule

SHELLS = {"bash", "sh"}


@rule(on=Image, named="*", severity=ERROR)
def cuda12_base_image(image: Image, project: Project) -> Iterator[Advice]:
    known = knowledge.describe(image)
    # An image that does not exist for arm64 has a worse problem, and a rule of its own.
    if known.grade is None or known.arm64 is False or known.other_machine or asks_the_driver(image, project):
        return
    if known.grade is ERROR:
        message = f"{image.shown} holds CUDA {known.cuda}, which has no code for the Spark's GPU"
    elif known.grade is WARNING:
        message = f"{image.shown} holds CUDA {known.cuda}: builds for it {knowledge.drawback(known.cuda)}"
    elif known.month:
        message = f"{image.shown} holds CUDA {known.cuda}, but the first framework images that NVIDIA names for a Spark are those of 25.09"
    else:
        message = f"{image.shown}: {known.note}"
    # What an image of one's own holds is known from its tag alone.
    yield Advice(message, known.instead, known.grade, None if known.family else LIKELY, assumed=known.assumed)


def asks_the_driver(image: Image, project: Project) -> bool:
    """`docker run nvidia/cuda:12.0.0-base nvidia-smi`: the program is the driver's, and shows any Spark."""
    commands = project.near(image, Command) if image.role == "run" else ()
    inside = {each.name for each in commands if each.context.image is not None and each.context.image.span == image.span}
    return inside - SHELLS == {"nvidia-smi"}
