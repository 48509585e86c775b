"""Code of another language inside a file: what a script writes to a file, what is given to `python -c` or to the standard input of a program."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Code, Fact, Image, Include, ParseProblem, Read, Stage
from spark_lint.files import DOCKERFILE, DOTENV, JSON, PYTHON, REQUIREMENTS, SHELL, SYSTEMD, TOML, YAML
from spark_lint.read import template
from spark_lint.read.funnel import Interests
from spark_lint.read.markdown_embedded import Embedded, placed
from spark_lint.text import Text

_OWN: Final = 1_000_000
"""Numbers of such blocks begin above those that other parts of a file have."""


def facts(code: Code, interests: Interests | None = None) -> Iterator[Read]:
    """What the code says, each piece as a part of its file that runs by itself. That it cannot be read is no problem of the file around it.

    interests: what Python code must hold to be read.
    """
    context = replace(code.context, block=_OWN * (code.context.block + 1) + code.span.line)
    found: Iterator[Read] = iter(())
    if code.name == PYTHON:
        from spark_lint.read.markdown_python import python

        found = python(code.text, context, interests)
    elif code.name == YAML:
        from spark_lint.read.yaml import facts as yaml

        found = yaml(code.text, context)
    elif code.name == JSON:
        from spark_lint.read.json import facts as json

        found = json(code.text, context)
    elif code.name == REQUIREMENTS:
        from spark_lint.read.requirements import requirements

        found = requirements(code.text, context)
    elif code.name == SHELL:
        from spark_lint.read.shell import commands

        found = commands(template.literal(code.text), context)
    elif code.name == TOML:
        from spark_lint.read.toml import SCRIPT
        from spark_lint.read.toml import facts as toml

        found = toml(code.text, context, code.path.rpartition("/")[2].lower() or SCRIPT)
    elif code.name == SYSTEMD:
        from spark_lint.read.systemd import facts as unit

        found = unit(code.text, context)
    elif code.name == DOTENV:
        from spark_lint.read.dotenv import facts as environment

        found = environment(code.text, context)
    elif code.name == DOCKERFILE:
        found = _dockerfile(code.text, context.block, code)
    yield from (each for each in found if not isinstance(each, ParseProblem))


def _dockerfile(text: Text, block: int, code: Code) -> Iterator[Read]:
    """A Dockerfile that is no file yet: it has no stages that others could start from, so each is a block that runs in its image."""
    from spark_lint.read.dockerfile import read

    images: dict[int, Image | None] = {}
    for each in read(Embedded(text)):
        if isinstance(each, Stage):
            images[each.number] = images.get(each.parent) if each.parent is not None else each.image
        elif isinstance(each, (Fact, Include)):
            stage = each.context.stage
            around = replace(code.context, block=block if stage is None else block * 1000 + stage)
            image = images.get(stage) if stage is not None else None
            own = replace(each.context, stage=None, image=each.context.image or image)
            yield placed(replace(each, context=own), around)
