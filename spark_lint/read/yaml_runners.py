"""Runners of continuous integration: which can be a Spark, and what a job does on its own.

Hosted runners are other machines: their jobs are read under a condition that says so.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from spark_lint.facts import Condition, ParseProblem, Read
from spark_lint.read.yaml_document import Document, Fill, Variable
from spark_lint.read.yaml_tree import Mapping, Scalar
from spark_lint.text import UNKNOWN, Text

_WORD: Final = re.compile(r"[a-z0-9]+", re.IGNORECASE)
_HUMP: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
"""A part of a name such as `SparkPool`."""
# A label that says more than these names some machine that its owner knows.
_SPARK: Final = frozenset({"spark", "gb10"})
_ARM: Final = frozenset({"arm64", "aarch64", "sbsa"})
_ANY: Final = _ARM | {
    "self",
    "hosted",
    "linux",
    "gpu",
    "nvidia",
    "cuda",
    "docker",
    "runner",
    "runners",
    "pool",
    "agent",
    "agents",
}

HOSTED: Final = "runs on the hosted runner "
"""How the condition begins that jobs have whose runner cannot be a Spark."""


def own(labels: str) -> bool:
    """Whether a runner with these labels can be a Spark: it is one's own and an Arm, or says nothing that speaks against it."""
    return any(_own({word.lower() for word in words.findall(labels)}) for words in (_WORD, _HUMP))


def _own(words: set[str]) -> bool:
    mine = {"self", "hosted"} <= words
    return bool(words & _SPARK) or (mine and bool(words & _ARM)) or (words <= _ANY and (mine or "gpu" in words))


def conditions(key: str, labels: str) -> tuple[Condition, ...]:
    """What a job's runner has to be, a condition for each of its labels. key: how its service calls them."""
    if UNKNOWN not in labels and own(labels):
        return tuple(Condition(f"{key} {label}") for label in labels.split())
    return (Condition(HOSTED + labels.replace(UNKNOWN, "?")),)


def quiet(found: Iterator[Read], runner: tuple[Condition, ...]) -> Iterator[Read]:
    """What a job does. That some of it cannot be read is nobody's concern where its runner is a hosted one."""
    hosted = any(each.text.startswith(HOSTED) for each in runner)
    yield from (each for each in found if not hosted or not isinstance(each, ParseProblem))


@dataclass(slots=True)
class Job:
    """A part of a pipeline that has a runner. node: what says it. runner: what that runner has to be.

    image: the container it runs in, in which `fill` puts variables. code: what it does, in pieces that a shell of its own reads.
    more: what the code sees besides the variables.
    """

    node: Mapping
    runner: tuple[Condition, ...]
    image: Scalar | None = None
    fill: Fill = field(default=lambda text: text)
    variables: list[Variable] = field(default_factory=list)
    code: list[Text] = field(default_factory=list)
    more: dict[str, Text] = field(default_factory=dict)


def facts(document: Document, job: Job) -> Iterator[Read]:
    """What a job is and does."""
    yield from quiet(_facts(document, job), job.runner)


def _facts(document: Document, job: Job) -> Iterator[Read]:
    document.spend(len(job.variables))
    image = document.image(job.image, job.fill, document.context)
    context = document.block(job.node, image)
    context = replace(context, conditions=context.conditions + job.runner)
    document.contexts[id(job.node)] = context
    if image is not None:
        yield document.run_image(image, context)
    yield from document.environment(job.variables, context)
    values = {variable.name: variable.value for variable in job.variables} | job.more
    for each in job.code:
        document.spend(len(values))
        yield from document.script(each, context, values)
