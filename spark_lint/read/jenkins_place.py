"""Where the steps of a Jenkinsfile run, and what is known there: the agent, the container, the variables."""

import re
from collections import ChainMap
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from spark_lint.facts import Command, Condition, Context, EnvVar, Image, Include, Read
from spark_lint.read import jenkins_agents as agents
from spark_lint.read.expansion import DEEPEST, MOST, Budget
from spark_lint.read.groovy import Groovy
from spark_lint.read.jenkins_values import Range, Said, value
from spark_lint.read.reference import image as reference
from spark_lint.read.yaml_values import filled, split
from spark_lint.text import UNKNOWN, Span, Text

_A_USE: Final = 20
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a step stands: the agent, the container and the folder in which it runs, the tests around it, and what it knows.

    environment: variables that a shell sees too; said: those of them that the pipeline itself sets, with their places.
    variables: Groovy's own. calls: the functions around it.
    """

    runner: tuple[Condition, ...]
    conditions: tuple[Condition, ...] = ()
    image: Image | None = None
    block: int = 0
    workdir: str = ""
    environment: "ChainMap[str, Text]" = field(default_factory=ChainMap)
    said: "ChainMap[str, tuple[Span, str]]" = field(default_factory=ChainMap)
    variables: "ChainMap[str, Text]" = field(default_factory=ChainMap)
    depth: int = 0
    calls: frozenset[str] = frozenset()

    def under(self, *conditions: Condition) -> "Place":
        """The same under more tests."""
        return replace(self, conditions=(*self.conditions, *conditions)) if len(self.conditions) < DEEPEST else self


class Pipeline:
    """What one Jenkinsfile says, while it is read.

    code: its tokens. said: what the whole of it says about names. found: its facts so far. numbers: those of its parts that have an agent
    or a container of their own. budget: shared by all of it.
    """

    def __init__(self, code: Groovy) -> None:
        self.code = code
        self.budget = Budget(MOST + 4 * len(code.text.value))
        self.said = Said(code, self.budget)
        self.numbers = count(1)
        self.found: list[Read] = []

    def context(self, place: Place) -> Context:
        """The place as facts say it."""
        return Context(conditions=place.runner + place.conditions, image=place.image, block=place.block, workdir=place.workdir)

    def value(self, span: Range | None, place: Place) -> Text | None:
        """The value of an expression there; None where there is no expression."""
        if span is None:
            return None

        def lookup(name: str) -> Text | None:
            scope, _, rest = name.partition(".")
            if scope == "params" and rest:
                return self.said.parameters.get(rest)
            if scope == "env" and rest:
                return place.environment.get(rest)
            for known in (place.variables, self.said.constants, place.environment):
                if name in known:
                    return known[name]
            return None

        return value(self.code, span, lookup, self.budget)

    def filled(self, text: Text | None, place: Place) -> Text | None:
        """A setting in which Jenkins puts in `$NAME` by itself."""
        return None if text is None else filled(text, place.environment.get, bare=True)

    def spend(self, uses: int) -> bool:
        """Count work that blocks within blocks could multiply; whether it may be done."""
        self.budget.left -= _A_USE * uses
        return self.budget.left >= 0

    def set(self, place: Place, variables: Iterable[tuple[str, Text, Span, str]], *, fresh: bool) -> Place:
        """The place with these variables in its environment, which are said; with those around it too where it is a fresh one."""
        inner = replace(place, environment=place.environment.new_child(), said=place.said.new_child())
        for name, text, span, written in variables:
            inner.environment[name] = text
            inner.said[name] = (span, written)
        context = self.context(inner)
        names = inner.said if fresh else inner.said.maps[0]
        for name in names if self.budget.left >= 0 and self.spend(len(names)) else ():
            text, (span, written) = inner.environment[name], inner.said[name]
            self.found.append(
                EnvVar(name=name, value=text.value, span=span, origin=text.origin, written=written, context=context)
            )
        return inner

    def runner(self, span: Range | None, asked: Text | None, place: Place) -> tuple[Condition, ...]:
        """What the agent has to be. Of those that a matrix chooses from, the first that can be a Spark."""
        more = agents.asked_for("" if asked is None else asked.value)
        if span is None:
            return agents.runner(more or "any")
        written = self.code.cut(*span).value
        axes = [name for name in dict.fromkeys(_WORD.findall(written)) if name in self.said.axes]
        found: tuple[Condition, ...] = ()
        for choice in self.said.axes[axes[0]] if len(axes) == 1 else [None]:
            chosen = place if choice is None else replace(place, variables=place.variables.new_child({axes[0]: choice}))
            text = self.value(span, chosen)
            found = agents.runner(UNKNOWN if text is None else text.value, more)
            if not agents.is_other(found):
                break
        return found

    def in_image(self, named: Text, asked: Text | None, place: Place) -> Place:
        """The place inside the container that `docker run` starts for the steps."""
        if not named.value.strip(UNKNOWN + ":/ "):
            return replace(place, image=reference(named.as_value(UNKNOWN), role="run"))
        start = named[:0]
        options = [] if asked is None or asked.value == UNKNOWN else split(asked)
        self.command([start.as_value("docker"), start.as_value("run"), *options, named], named, place)
        return replace(place, image=reference(named, role="run"))

    def in_built(self, settings: dict[str, Range], place: Place) -> Place:
        """`dockerfile { filename 'Dockerfile.gpu' dir 'ci' }`, seen from the repository's root."""
        file, folder = (self.value(settings.get(name), place) for name in ("filename", "dir"))
        path = f"{'.' if folder is None else folder.value}/{'Dockerfile' if file is None else file.value}"
        where = file or folder or self.code.cut(*settings["dockerfile"])
        if UNKNOWN in path:
            return replace(place, image=reference(where.as_value(UNKNOWN), role="run"))
        self.found.append(Include("build", where.as_value(path), self.context(place)))
        options = self.value(settings.get("additionalBuildArgs"), place)
        if options is not None and options.value.strip(UNKNOWN):
            words = [options[:0].as_value("docker"), options[:0].as_value("build"), *split(options)]
            self.command([*words, options[:0].as_value(".")], options, place)
        return place

    def in_unknown(self, at: int, place: Place) -> Place:
        """The place inside a container of which nothing is known."""
        return replace(place, image=reference(self.code.cut(at, at + 1).as_value(UNKNOWN), role="run"))

    def command(self, words: list[Text], placed: Text, place: Place) -> None:
        """Say a command of docker that Jenkins runs for the file. placed: the word that gives the place."""
        self.found.append(
            Command(
                name="docker", words=tuple(words), exec_form=True, span=placed.span, origin=placed.origin,
                written=" ".join(word.written or word.value for word in words), context=self.context(place),
            )
        )  # fmt: skip
