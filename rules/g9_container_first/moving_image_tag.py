from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Command, Image
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.rule import INFO, WARNING, Advice, rule


@rule(on=Image, named="*", severity=INFO)
def moving_image_tag(image: Image, project: Project) -> Iterator[Advice]:
    known = knowledge.describe(image)
    # What is wrong with the image itself is said by other rules, and comes first; a remark about it does not.
    judged = (
        (known.grade is not None and known.grade > INFO)
        or known.arm64 is False
        or known.other_machine
        or (image.platform and "arm" not in image.platform)
    )
    if not (known.moving and known.for_gpu) or judged or chosen_by_gpu(image.context.conditions):
        return
    if project.only_fetched(image) or is_built(image, project):
        return
    # One line is enough for each file.
    if any(other.reference == image.reference for other in project.before(image, Image, image.name)):
        return
    message = f"{image.shown} names no release: the next pull may bring another image than the one that ran on the Spark"
    yield Advice(message, dated(image), WARNING if image.scope.workload == "train" else INFO)


def is_built(image: Image, project: Project) -> bool:
    """Whether the repository builds the image itself, under a name that a registry has too."""
    block = image.context.block
    if block and any(
        each.kind == "build" and each.context.block == block for each in project.documents[image.span.path].includes
    ):
        return True  # a compose service names what it builds
    builds = (each for each in project.every(Command, "docker") if "build" in [word.value for word in each.arguments[:2]])
    tags = (each.value for build in builds for each in build.options if each.name == "--tag" and each.value is not None)
    return any(tag.value.partition(":")[0] == image.name for tag in tags)


def dated(image: Image) -> str:
    """What to write: the image that is known to run, if it is of the same repository, or the digest of what is there."""
    instead = knowledge.describe(image).instead
    return instead if instead.partition(":")[0] == image.name else f"{image.name}@sha256:…  # docker images --digests"
