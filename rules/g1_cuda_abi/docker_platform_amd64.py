from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Entry, Image
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule

AMD64 = {"amd64", "x86_64", "x86-64", "386"}


@rule(on=Image, named="*", severity=ERROR)
def docker_platform_amd64(image: Image, project: Project) -> Iterator[Advice]:
    if image.role == "pull" or keys(image, project):
        return  # for whatever machine it is fetched; or said at the key, below
    known = knowledge.describe(image)
    if asks(image.platform):
        asked = f"--platform={image.platform}"
        instead = asked.replace(image.platform, "linux/arm64") if image.role == "run" else f"FROM {image.written}"
        yield Advice(
            f"{asked} takes the x86-64 build of {image.shown}: a Spark starts it in an emulator at best, without its GPU",
            known.instead if known.arm64 is False else instead,
        )
    elif known.other_machine == "x86-64":
        yield Advice(f"{image.shown} is an image for x86-64: a Spark starts it in an emulator at best, without its GPU")


@rule(on=Entry, named="services.*.platform", severity=ERROR)
def service_for_amd64(key: Entry, project: Project) -> Iterator[Advice]:
    if asks(str(key.value)):
        images = [each.shown for each in project.near(key, Image) if each.context.block == key.context.block]
        built = f"build of {images[0]}" if images else "build"
        yield Advice(
            f"{key.written} takes the x86-64 {built}: a Spark starts it in an emulator at best, without its GPU",
            key.written.replace(str(key.value), "linux/arm64"),
        )


def asks(platform: str) -> bool:
    """Whether a platform is x86-64: `linux/amd64`."""
    return not AMD64.isdisjoint(platform.lower().split("/"))


def keys(image: Image, project: Project) -> bool:
    """Whether a compose service asks for the platform by a key of its own."""
    services = project.near(image, Entry) if image.platform and image.role == "run" else ()
    return any(each.key == "platform" and each.context.block == image.context.block for each in services)
