"""What a block of a Jenkinsfile says about itself: `agent`, `environment` and `when`, in whatever order they stand."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Condition
from spark_lint.read import jenkins_agents as agents
from spark_lint.read.expansion import DEEPEST
from spark_lint.read.groovy import END, WORD
from spark_lint.read.jenkins_place import Pipeline, Place
from spark_lint.read.jenkins_values import end_of
from spark_lint.text import Span, Text

_BEFORE: Final = frozenset({"beforeAgent", "beforeInput", "beforeOptions"})
_LONGEST_TEST: Final = 500


def directives(pipeline: Pipeline, start: int, stop: int, place: Place) -> Place:
    """The place that a pipeline or a stage makes of the one around it: its agent, its environment, its tests."""
    found: dict[str, int] = {}
    at = start
    while at < stop:
        name = pipeline.code.word(at)
        if name in ("agent", "environment", "when") and pipeline.code.kind(at - 1) in (END, "{", "}"):
            if pipeline.code.kind(at + 1) == END:
                at = pipeline.code.next(at + 1) - 1
            if pipeline.code.kind(at + 1) == "{" or (name == "agent" and pipeline.code.kind(at + 1) == WORD):
                found.setdefault(name, at + 1)
        at = pipeline.code.behind(at)
    if "agent" in found:
        place = _agent(pipeline, found["agent"], place)
    if "environment" in found or "agent" in found:
        place = pipeline.set(place, _variables(pipeline, found.get("environment"), place), fresh="agent" in found)
    return place.under(*_when(pipeline, found["when"])) if "when" in found else place


def _agent(pipeline: Pipeline, at: int, place: Place) -> Place:
    """`agent any`, `agent { label 'gpu' }`, `agent { docker { image 'x' } }`."""
    if pipeline.code.kind(at) != "{":
        return replace(place, runner=agents.runner(pipeline.code.word(at)), image=None, block=next(pipeline.numbers))
    settings = agents.settings(pipeline.code, at)
    asked = pipeline.filled(pipeline.value(settings.get("args"), place), place)
    named = pipeline.value(settings.get("image"), place) or pipeline.value(settings.get("docker"), place)
    runner = place.runner
    if "kubernetes" in settings:
        runner = agents.runner("of Kubernetes")
    elif "reuseNode" not in settings or "label" in settings:
        runner = pipeline.runner(settings.get("label"), asked, place)
    inner = replace(place, runner=runner, image=None, block=next(pipeline.numbers))
    if named is not None and "kubernetes" not in settings:
        return pipeline.in_image(pipeline.filled(named, place) or named, asked, inner)
    if "dockerfile" in settings:
        return pipeline.in_built(settings, inner)
    return pipeline.in_unknown(at, inner) if "kubernetes" in settings else inner


def _variables(pipeline: Pipeline, brace: int | None, place: Place) -> Iterator[tuple[str, Text, Span, str]]:
    """`environment { NAME = 'value' }`, each of which sees those before it."""
    if brace is None:
        return
    seen = replace(place, environment=place.environment.new_child())
    at, stop = brace + 1, pipeline.code.closing(brace)
    while at < stop:
        end = end_of(pipeline.code, at + 2) if pipeline.code.kind(at) == WORD and pipeline.code.kind(at + 1) == "=" else 0
        text = pipeline.filled(pipeline.value((at + 2, end), seen), seen) if end > at + 2 else None
        if text is not None:
            name, whole = pipeline.code.word(at), pipeline.code.cut(at, end)
            seen.environment[name] = text
            yield name, text, whole.span, whole.written
        at = max(end, at + 1)


def _when(pipeline: Pipeline, brace: int, depth: int = 0) -> Iterator[Condition]:
    at, stop = pipeline.code.next(brace + 1), pipeline.code.closing(brace)
    while at < stop:
        name, inner = pipeline.code.word(at), pipeline.code.next(at + 1)
        nested = pipeline.code.kind(inner) == "{" and inner < stop
        end = pipeline.code.closing(inner) + 1 if nested else max(end_of(pipeline.code, at), at + 1)
        last = min(end, stop)
        if nested and name == "allOf" and depth < DEEPEST:
            yield from _when(pipeline, inner, depth + 1)
        elif nested:
            sign = " || " if name == "anyOf" else "; "
            yield Condition(as_written(pipeline, inner + 1, last - 1, sign), negated=name == "not")
        elif pipeline.code.kind(at) == WORD and name not in _BEFORE:
            yield Condition(as_written(pipeline, at, last))
        at = pipeline.code.next(end)


def as_written(pipeline: Pipeline, start: int, stop: int, sign: str = "; ") -> str:
    """A test as written, on one line."""
    start = pipeline.code.next(start)
    text = pipeline.code.cut(start, stop).value if start < stop else ""
    lines = (line.strip().removeprefix("return ").rstrip(";") for line in text[:_LONGEST_TEST].splitlines())
    return sign.join(line for line in lines if line)
