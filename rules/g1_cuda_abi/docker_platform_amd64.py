from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Image
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule

AMD64 = {"amd64", "x86_64", "x86-64", "386"}


@rule(on=Image, named="*", severity=ERROR)
def docker_platform_amd64(image: Image, project: Project) -> Iterator[Advice]:
    known = knowledge.describe(image)
    if AMD64 & set(image.platform.lower().split("/")):
        instead = "--platform=linux/arm64" if image.role == "run" else f"FROM {image.written}"
        if known.arm64 is False:
            instead = known.instead
        message = f"--platform={image.platform} takes the x86-64 build of {image.shown}: a Spark starts it in an emulator at best, without its GPU"
        yield Advice(message, instead)
    elif known.other_machine == "x86-64":
        yield Advice(f"{image.shown} is an image for x86-64: a Spark starts it in an emulator at best, without its GPU")
