"""Code of another language inside a file: what a script writes to a file, what is given to `python -c` or to the standard input of a program."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Final

from spark_lint.facts import Code, Context, Fact, Image, Include, ParseProblem, Read, Stage
from spark_lint.kinds import CMAKE, DOCKERFILE, DOTENV, JSON, JUSTFILE, MAKEFILE, PYTHON, REQUIREMENTS, SHELL, SYSTEMD, TOML, YAML
from spark_lint.read import template
from spark_lint.read.funnel import Interests
from spark_lint.read.markdown_embedded import Embedded, placed
from spark_lint.text import Source, Text

_FILES: Final = {MAKEFILE: "makefile", JUSTFILE: "justfile", CMAKE: "cmake"}
"""Kinds whose readers want a file."""
_OWN: Final = 1_000_000
"""Numbers of such blocks begin above those that other parts of a file have."""


def facts(code: Code, interests: Interests | None = None) -> Iterator[Read]:
    """What the code says, each piece as a part of its file that runs by itself. That it cannot be read is no problem of the file around it.

    interests: what Python code must hold to be read.
    """
    context = replace(code.context, block=_OWN * (code.context.block + 1) + code.span.line)
    if code.name == DOCKERFILE:
        found = _dockerfile(code.text, context.block, code)
    elif code.name == TOML and not code.path:
        from spark_lint.read.toml import SCRIPT
        from spark_lint.read.toml import facts as toml

        found = toml(code.text, context, SCRIPT)
    else:
        found = of_kind(code.name, code.text, context, code.path, interests)
    yield from (each for each in found if not isinstance(each, ParseProblem))


def of_kind(kind: str, text: Text, context: Context, path: str = "", interests: Interests | None = None) -> Iterator[Read]:
    """What a text of a kind says that stands inside a file of another one. path: the file that it stands for, as far as it has a name."""
    if kind == PYTHON:
        from spark_lint.read.markdown_python import python

        yield from python(text, context, interests)
    elif kind == YAML:
        from spark_lint.read.yaml import facts as yaml

        yield from yaml(text, context)
    elif kind == JSON:
        from spark_lint.read.json import facts as json

        yield from json(text, context)
    elif kind == REQUIREMENTS:
        from spark_lint.read.requirements import requirements

        yield from requirements(text, context)
    elif kind == SHELL:
        from spark_lint.read.shell import commands

        yield from commands(template.literal(text), context)
    elif kind == TOML:
        from spark_lint.read.toml import facts as toml

        yield from toml(text, context, path.rpartition("/")[2].lower())
    elif kind == SYSTEMD:
        from spark_lint.read.systemd import facts as unit

        yield from unit(text, context)
    elif kind == DOTENV:
        from spark_lint.read.dotenv import facts as environment

        yield from environment(text, context)
    elif kind in _FILES:
        read: Callable[[Source], Iterator[Read]] = import_module(f"spark_lint.read.{_FILES[kind]}").read
        for each in read(Embedded(text)):
            yield placed(each, context)


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
