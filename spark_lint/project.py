"""A repository's facts, each with the scopes in which it runs, and the questions rules may ask about its neighbours."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from spark_lint.documents import Document
from spark_lint.enclosing import Enclosing, enclosing
from spark_lint.facts import Call, Command, Fact, Package, Setting
from spark_lint.files import REQUIREMENTS
from spark_lint.knowledge_images import describe
from spark_lint.links import Repository
from spark_lint.scoping import Assumed, Scopes
from spark_lint.text import Span

F = TypeVar("F", bound=Fact)


@dataclass(frozen=True, slots=True)
class Project:
    """The documents of one repository, their facts with scopes, and those by file and name. Made by `project()`."""

    documents: Mapping[str, Document]
    facts: Mapping[str, tuple[Fact, ...]]
    assumed: Assumed = field(default=Assumed())
    named: Mapping[tuple[str, str], Sequence[Fact]] = field(default_factory=dict, repr=False)
    enclosing: Mapping[str, Enclosing] = field(default_factory=dict, repr=False)

    def every(self, kind: type[F], *names: str) -> Iterator[F]:
        """All facts of a type and these names (any name where none is given)."""
        for path in self.facts:
            yield from self._of(path, kind, names)

    def _of(self, path: str, kind: type[F], names: Sequence[str]) -> Iterator[F]:
        facts = [fact for name in names for fact in self.named.get((path, name), ())] if names else self.facts[path]
        if len(names) > 1:
            facts = sorted(facts, key=lambda fact: (fact.span.line, fact.span.column))
        return (fact for fact in facts if isinstance(fact, kind))

    def near(self, fact: Fact, kind: type[F], *names: str) -> Iterator[F]:
        """Facts in the same surroundings: the same file; in an image the build stage, those it starts from, and what they install.

        Parts of a file that run by themselves (services, containers) do not see each other; the fences of a document do. For a fact that is pulled in (a requirements file in an image), those of the stage that pulls it in as well.
        """
        stage = fact.context.stage
        stages = None if stage is None else {None, *self.documents[fact.span.path].lineage(stage)}
        for each in self._of(fact.span.path, kind, names):
            if _together(fact, each) and (stages is None or each.context.stage in stages):
                yield each
        if fact.scope.stage is not None:
            yield from self._in_stage(*fact.scope.stage, fact.span.path, kind, names)

    def _in_stage(self, dockerfile: str, stage: int, apart: str, kind: type[F], names: Sequence[str]) -> Iterator[F]:
        """What a build stage and those it starts from hold, in the Dockerfile and the requirements files they install, but not in `apart`."""
        stages = {(dockerfile, number) for number in self.documents[dockerfile].lineage(stage)}
        for path, document in self.documents.items():
            if path != apart and (path == dockerfile or document.kind == REQUIREMENTS):
                facts = self._of(path, kind, names)
                yield from (each for each in facts if any(scope.stage in stages for scope in each.scopes))

    def before(self, fact: Fact, kind: type[F], *names: str) -> Iterator[F]:
        """Those of `near` that come before it: in its file, before the line that pulls it in, in all of an image it is copied to."""
        return (other for other in self.near(fact, kind, *names) if _precedes(other, fact))

    def around(self, fact: Fact) -> list[Command | Call]:
        """The commands and calls that a fact stands in, as a word, an argument or a variable that is set for it."""
        return self.enclosing[fact.span.path].around(fact.span)

    def path(self, setting: Setting) -> str:
        """The dotted name that a setting is written under, in a file with all of its keys: `rollout.tensor_model_parallel_size`."""
        key = self.enclosing[setting.span.path].keys.get(setting.span)
        return re.split(r"[=\s]", setting.written, maxsplit=1)[0] if key is None else key

    def beside(self, setting: Setting, *names: str) -> Iterator[Setting]:
        """Settings of these names in the same launch: the same command or call, or the same part of a configuration file."""
        others = [each for each in self.near(setting, Setting, *names) if each.context.block == setting.context.block]
        keys = self.enclosing[setting.span.path].keys
        if others and (launches := self.around(setting)):
            yield from (each for each in others if any(launch.span.covers(each.span) for launch in launches))
        elif setting.span in keys:
            yield from (each for each in others if each.span in keys)

    def launch_gpus(self, setting: Setting) -> int:
        """How many GPUs a tensor parallel size asks for: times the pipeline stages of the same launch. 0 where it is unknown."""
        stages = self.beside(setting, "pipeline_parallel_size")
        same = (each.number for each in stages if self.path(each).rpartition(".")[0] == self.path(setting).rpartition(".")[0])
        return int(setting.number * max(same, default=1))

    def installed_before(self, fact: Fact, *names: str) -> Iterator[Package]:
        """What is installed on a Spark before it; for a package, by an earlier install and not along with it."""
        document, stage, along = self.documents[fact.span.path], fact.scope.stage, frozenset((fact.span,))
        if document.kind == REQUIREMENTS:  # all of it is one install
            near = self._in_stage(*stage, document.path, Package, names) if stage else iter(())
        else:
            near = self.near(fact, Package, *names)
            along = next((group.spans for group in document.groups if fact.span in group.spans), along)
        for other in near:
            if other.role != "requirement" or other.span in along:
                continue
            here = any(not scope.elsewhere for scope in other.scopes)
            pulled = any(scope.via is not None and scope.via.covers(fact.span) for scope in other.scopes)
            if here and not pulled and _precedes(other, fact):
                yield other

    def ships(self, fact: Fact, name: str) -> bool:
        """Whether a package is known to be in the image in which a fact runs, and no line before it uninstalls it."""
        image = fact.scope.image
        if image is None or not describe(image).ships(name):
            return False
        return not any(_uninstalls(command, name) for command in self.before(fact, Command, "pip", "uv"))


def _together(one: Fact, other: Fact) -> bool:
    blocks = {one.context.block, other.context.block}
    return one.context.fenced or len(blocks) == 1 or 0 in blocks


def _precedes(other: Fact, fact: Fact) -> bool:
    """Whether one fact comes before another that is near it."""
    via = fact.scope.via if other.span.path != fact.span.path else None
    limit = via or fact.span
    copied = via is not None and fact.scope.how in ("copied", "built")
    return copied or any((place.line, place.column) < (limit.line, limit.column) for place in _places(other, limit.path))


def _places(fact: Fact, path: str) -> list[Span]:
    """Where a fact takes effect in a file: where it stands there, or where that file pulls it in."""
    if fact.span.path == path:
        return [fact.span]
    return [scope.via for scope in fact.scopes if scope.via is not None and scope.via.path == path]


def _uninstalls(command: Command, name: str) -> bool:
    words = [argument.value.lower().replace("_", "-") for argument in command.arguments]
    return "uninstall" in words[:2] and name in words


def project(documents: Iterable[Document], repository: Repository, assumed: Assumed) -> Project:
    """Give every fact of the documents its scopes."""
    by_path = {each.path: each for each in documents}
    scopes = Scopes(by_path, repository, assumed)
    facts = {path: tuple(scopes.attached(each)) for path, each in by_path.items()}
    named: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for path, fact in ((path, fact) for path, each in facts.items() for fact in each):
        named[path, fact.name].append(fact)
    return Project(by_path, facts, assumed, named, {path: enclosing(each) for path, each in facts.items()})
