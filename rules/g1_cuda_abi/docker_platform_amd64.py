from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Entry, Image
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, Related, rule

AMD64 = {"amd64", "x86_64", "x86-64", "386"}


@rule(on=Image, named="*", severity=ERROR)
def docker_platform_amd64(image: Image, project: Project) -> Iterator[Advice]:
    known = knowledge.describe(image)
    if AMD64 & set(image.platform.lower().split("/")):
        key = next(platform_keys(image, project), None)
        asked = key.written if key else f"--platform={image.platform}"
        instead = asked.replace(image.platform, "linux/arm64") if image.role == "run" else f"FROM {image.written}"
        if known.arm64 is False:
            instead = known.instead
        message = f"{asked} takes the x86-64 build of {image.shown}: a Spark starts it in an emulator at best, without its GPU"
        yield Advice(message, instead, related=[Related(key.span, "asked for here")] if key else ())
    elif known.other_machine == "x86-64":
        yield Advice(f"{image.shown} is an image for x86-64: a Spark starts it in an emulator at best, without its GPU")


def platform_keys(image: Image, project: Project) -> Iterator[Entry]:
    """The `platform: linux/amd64` of a compose service."""
    for entry in project.near(image, Entry) if image.role == "run" else ():
        if entry.key == "platform" and entry.context.block == image.context.block and entry.value == image.platform:
            yield entry
