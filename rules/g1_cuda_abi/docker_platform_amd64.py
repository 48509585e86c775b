from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Command, Entry, Image
from spark_lint.knowledge.tags import other_machine
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, Related, rule

AMD64 = {"amd64", "x86_64", "x86-64", "386"}


@rule(on=Image, named="*", severity=ERROR)
def docker_platform_amd64(image: Image, project: Project) -> Iterator[Advice]:
    if image.role == "pull" or keys(image, project) or only_copied_from(image, project):
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
        yield Advice(
            f"{image.shown} is an image for x86-64: a Spark starts it in an emulator at best, without its GPU",
            known=None if other_machine(image.shown) else known.arm64_known,
        )


@rule(on=Entry, named="services.*.platform", severity=ERROR)
def service_for_amd64(key: Entry, project: Project) -> Iterator[Advice]:
    if asks(str(key.value)):
        images = [each.shown for each in project.near(key, Image) if each.context.block == key.context.block]
        built = f"build of {images[0]}" if images else "build"
        yield Advice(
            f"{key.written} takes the x86-64 {built}: a Spark starts it in an emulator at best, without its GPU",
            key.written.replace(str(key.value), "linux/arm64"),
        )


@rule(on=Command, named=("docker", "podman", "nerdctl"), severity=ERROR, holds="platform")
def built_for_amd64(build: Command, project: Project) -> Iterator[Advice]:
    words = [word.value for word in build.arguments[:3]]
    asked, tag = build.option("--platform"), build.option("--tag")
    if "build" not in words or asked is None or tag is None or "," in asked.value or not asks(asked.value) or build.has("--push"):
        return
    # What is built for other machines is not started here.
    name = tag.value.partition(":")[0]
    for image in project.near(build, Image, name.lower()):
        if image.role == "run" and not image.platform and image.context.conditions == build.context.conditions:
            message = f"--platform={asked.value} builds {tag.value} for x86-64: a Spark starts it in an emulator at best, without its GPU"
            yield Advice(message, "leave --platform out", related=[Related(image.span, "started here")])
            return


def asks(platform: str) -> bool:
    """Whether a platform is x86-64: `linux/amd64`."""
    return not AMD64.isdisjoint(platform.lower().split("/"))


def keys(image: Image, project: Project) -> bool:
    """Whether a compose service asks for the platform by a key of its own."""
    services = project.near(image, Entry) if image.platform and image.role == "run" else ()
    return any(each.key == "platform" and each.context.block == image.context.block for each in services)


def only_copied_from(image: Image, project: Project) -> bool:
    """Whether files are taken out of a build stage in which nothing runs: that needs no processor of its kind."""
    document, number = project.documents[image.span.path], image.context.stage
    if number is None or number >= len(document.stages):
        return False
    called = {document.stages[number].name.lower(), str(number)} - {""}
    copied = any(each.kind == "copy" and each.from_stage in called for each in document.includes)
    built_on = any(number in document.lineage(stage.number) for stage in document.stages[number + 1 :])
    return copied and not built_on and not any(each.context.stage == number for each in project.near(image, Command))
