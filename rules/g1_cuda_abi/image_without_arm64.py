from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Image
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Image, named="*", severity=ERROR)
def image_without_arm64(image: Image, project: Project) -> Iterator[Advice]:
    known = knowledge.describe(image)
    # Where amd64 is asked for, that is what is wrong, and another rule's business.
    asked = image.platform and "arm" not in image.platform
    if known.arm64 is False and not known.other_machine and not asked and not project.only_fetched(image):
        message = f"{image.shown} is published for amd64 only: a Spark cannot pull it"
        yield Advice(message, known.instead, known=known.arm64_known)
