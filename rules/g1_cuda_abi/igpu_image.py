import re
from collections.abc import Iterator
from typing import Final

from spark_lint import knowledge
from spark_lint.facts import Image
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.rule import ERROR, LIKELY, Advice, rule

TAG: Final = re.compile(r"(?:^|-)igpu(?:-|$)", re.IGNORECASE)


@rule(on=Image, named="nvcr.io/nvidia/*", severity=ERROR)
def igpu_image(image: Image, project: Project) -> Iterator[Advice]:
    if not TAG.search(image.tag) or chosen_by_gpu(image.context.conditions) or project.only_fetched(image):
        return
    message = f"{image.shown} is built for the GPU of a Jetson Orin: it starts on a Spark, and holds no code for its GPU"
    plain = f"{image.name}:{TAG.sub('', image.tag)}"
    known = knowledge.describe(image)
    # Of a release, the build for servers may be called otherwise: v2.9.0-igpu, v2.9.0-dgpu.
    instead = plain if known.grade is None and (known.month or not known.instead) else known.instead
    # A log of 25.04-py3-igpu on a Jetson Thor says that later ones may hold more.
    yield Advice(message, instead, confidence=LIKELY)
