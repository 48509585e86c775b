from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Image
from spark_lint.project import Project
from spark_lint.rule import ERROR, WARNING, Advice, rule


@rule(on=Image, named="*", severity=ERROR)
def cuda12_base_image(image: Image, project: Project) -> Iterator[Advice]:
    known = knowledge.describe(image)
    # An image that does not exist for arm64 has a worse problem, and a rule of its own.
    if known.grade is None or known.arm64 is False or known.other_machine:
        return
    instead = knowledge.image_instead(image)
    if known.grade is ERROR:
        message = f"{image.reference} holds CUDA {known.cuda}, which has no code for the Spark's GPU"
    elif known.grade is WARNING:
        message = f"{image.reference} holds CUDA {known.cuda}: it starts on a Spark, but does not match its CUDA 13 driver, wheels and tools"
    else:
        message = f"{image.reference} is older than what NVIDIA names as the minimum for a Spark"
    yield Advice(message, instead, known.grade, assumed=known.assumed)
