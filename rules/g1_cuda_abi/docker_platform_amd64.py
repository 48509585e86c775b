from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Image
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Image, named="*", severity=ERROR)
def docker_platform_amd64(image: Image, project: Project) -> Iterator[Advice]:
    if image.platform.lower() in ("linux/amd64", "linux/x86_64", "amd64", "x86_64"):
        yield Advice(
            f"--platform={image.platform} runs {image.reference} in an emulator on a Spark, without its GPU",
            f"{image.reference}  # without --platform, or with --platform=linux/arm64",
        )
    elif knowledge.describe(image).other_machine == "x86-64":
        yield Advice(f"{image.reference} is an x86-64 image: a Spark cannot start it")
