"""A repository's facts, each with the scopes in which it runs, and the questions rules may ask about its neighbours."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from spark_lint.documents import Document, Surroundings, as_constraint, surroundings, workload_of
from spark_lint.facts import Call, Command, EnvVar, Fact, Image, Include, Index, Package, Setting
from spark_lint.files import DOCKERFILE, REQUIREMENTS
from spark_lint.knowledge_images import describe
from spark_lint.links import Repository
from spark_lint.names import machines
from spark_lint.scope import Scope
from spark_lint.text import Span

F = TypeVar("F", bound=Fact)


@dataclass(frozen=True, slots=True)
class Assumed:
    """What the user says about where everything runs: the image, the number of Sparks, the Python."""

    image: Image | None = None
    sparks: int | None = None
    python: str = "3.12"


@dataclass(frozen=True, slots=True)
class Project:
    """The documents of one repository, their facts with scopes. Made by `project()`."""

    documents: Mapping[str, Document]
    facts: Mapping[str, tuple[Fact, ...]]
    assumed: Assumed = field(default=Assumed())

    def every(self, kind: type[F], *names: str) -> Iterator[F]:
        """All facts of a type and these names (any name where none is given)."""
        for facts in self.facts.values():
            yield from _of(facts, kind, names)

    def near(self, fact: Fact, kind: type[F], *names: str) -> Iterator[F]:
        """Facts in the same surroundings: the same file; in an image the build stage, those it starts from, and what they install.

        For a fact that is pulled in (a requirements file in an image), those of the stage that pulls it in as well.
        """
        here = self.documents[fact.span.path]
        for other in _of(self.facts[fact.span.path], kind, names):
            if here.same_place(fact, other):
                yield other
        if fact.scope.stage is not None:
            yield from self._in_stage(*fact.scope.stage, fact.span.path, kind, names)

    def _in_stage(self, dockerfile: str, stage: int, apart: str, kind: type[F], names: Sequence[str]) -> Iterator[F]:
        """What a build stage and those it starts from hold, in the Dockerfile and the requirements files they install, but not in `apart`."""
        stages = {(dockerfile, number) for number in self.documents[dockerfile].lineage(stage)}
        for path, document in self.documents.items():
            if path != apart and (path == dockerfile or document.kind == REQUIREMENTS):
                facts = _of(self.facts[path], kind, names)
                yield from (each for each in facts if any(scope.stage in stages for scope in each.scopes))

    def before(self, fact: Fact, kind: type[F], *names: str) -> Iterator[F]:
        """Those of `near` that come before it: earlier in its file, or before the line that pulls it in.

        What is copied into an image runs when all of it is built.
        """
        for other in self.near(fact, kind, *names):
            via = fact.scope.via if other.span.path != fact.span.path else None
            limit = via or fact.span
            copied = via is not None and fact.scope.how == "copied"
            if copied or any(_start(place) < _start(limit) for place in _places(other, limit.path)):
                yield other

    def launch_gpus(self, setting: Setting) -> int:
        """How many GPUs a tensor parallel size asks for: times the pipeline stages beside it in a command or call. 0 where it is unknown."""
        launches = [*self.near(setting, Command), *self.near(setting, Call)]
        spans = [launch.span for launch in launches if launch.span.covers(setting.span)]
        stages = (
            each.number
            for each in self.near(setting, Setting, "pipeline_parallel_size")
            if _owner(each) == _owner(setting) and any(span.covers(each.span) for span in spans)
        )
        return int(setting.number * max(stages, default=1))

    def installed_before(self, fact: Fact, *names: str) -> Iterator[Package]:
        """What is installed on a Spark before it; for a package, by an earlier install and not along with it."""
        for other in self.before(fact, Package, *names):
            here = any(not scope.elsewhere for scope in other.scopes)
            if here and other.role == "requirement" and not self._one_install(fact, other):
                yield other

    def _one_install(self, one: Fact, other: Package) -> bool:
        """Whether one command, or one requirements file, asks for both."""
        if one.span.path != other.span.path:
            return any(scope.via is not None and scope.via.covers(one.span) for scope in other.scopes)
        document = self.documents[one.span.path]
        asked = [{each.span for each in group.packages} for group in document.groups]
        return document.kind == REQUIREMENTS or any({one.span, other.span} <= spans for spans in asked)

    def variable(self, package: Package, name: str) -> str:
        """The value of an environment variable while a package is installed; empty where it is not set."""
        given = dict([*package.scope.environment, *package.environment])
        return given.get(name) or next((each.value for each in reversed([*self.before(package, EnvVar, name)])), "")

    def ships(self, fact: Fact, name: str) -> bool:
        """Whether a package is known to be in the image in which a fact runs, and no line before it uninstalls it."""
        image = fact.scope.image
        if image is None or not describe(image).ships(name):
            return False
        return not any(_uninstalls(command, name) for command in self.before(fact, Command, "pip", "uv"))


def _owner(setting: Setting) -> str:
    """What a dotted spelling belongs to: `actor.megatron` of `actor.megatron.tensor_model_parallel_size=2`."""
    return re.split(r"[=\s]", setting.written, maxsplit=1)[0].rpartition(".")[0]


def _start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _places(fact: Fact, path: str) -> list[Span]:
    """Where a fact takes effect in a file: where it stands there, or where that file pulls it in."""
    if fact.span.path == path:
        return [fact.span]
    return [scope.via for scope in fact.scopes if scope.via is not None and scope.via.path == path]


def _uninstalls(command: Command, name: str) -> bool:
    words = [argument.value.lower().replace("_", "-") for argument in command.arguments]
    return "uninstall" in words[:2] and name in words


def _of(facts: Iterable[Fact], kind: type[F], names: Sequence[str]) -> Iterator[F]:
    return (fact for fact in facts if isinstance(fact, kind) and (not names or fact.name in names))


def project(documents: Iterable[Document], repository: Repository, assumed: Assumed) -> Project:
    """Give every fact of the documents its scopes."""
    by_path = {each.path: each for each in documents}
    scopes = _Scopes(by_path, repository, assumed)
    facts = {path: tuple(scopes.attached(each)) for path, each in by_path.items()}
    return Project(by_path, facts, assumed)


class _Scopes:
    """Where each file of a repository ends up, worked out once."""

    def __init__(self, documents: Mapping[str, Document], repository: Repository, assumed: Assumed) -> None:
        self.documents = documents
        self.repository = repository
        self.assumed = assumed
        self.pulled: dict[str, list[Scope]] = defaultdict(list)
        self.constraints: dict[str, bool] = {}
        for path, each in documents.items():
            if each.kind == DOCKERFILE:
                self._from_dockerfile(path, each)
        self._through_requirements()

    # ---- what pulls a file in ---------------------------------------------------------------------------------------------

    def stage_scope(self, document: Document, stage: int) -> Scope:
        """The scope of a Dockerfile's build stage."""
        lineage = document.lineage(stage)
        image = document.stages[lineage[-1]].image
        names = [self.repository.within(document.path), *(document.stages[number].name for number in lineage)]
        indexes = tuple(
            fact for fact in document.facts if isinstance(fact, Index) and fact.lasting and fact.context.stage in lineage
        )
        elsewhere = any(machines.named_elsewhere(name) for name in names)
        return Scope(image=image, elsewhere=elsewhere, indexes=indexes, stage=(document.path, stage))

    def _from_dockerfile(self, path: str, document: Document) -> None:
        copies = [each for each in document.includes if each.kind == "copy"]
        last = document.lineage(len(document.stages) - 1) if document.stages else ()
        # What is run comes first: that a file is copied says nothing more then.
        for include in sorted(document.includes, key=lambda include: include.kind == "copy"):
            stage = include.context.stage
            if stage is None or not document.stages:
                continue
            scope = self.stage_scope(document, stage)
            if include.kind == "copy":
                # Only what the final image holds can run in it.
                if stage in last:
                    here = replace(scope, via=include.path.span, how="copied")
                    for target in self.repository.copied(path, include):
                        run = any(other.image == here.image for other in self.pulled[target])
                        if self.documents[target].kind != REQUIREMENTS and not run:
                            self._pull(target, here)
                continue
            earlier = [each for each in copies if each.context.stage in document.lineage(stage)]
            found = self.repository.in_image(path, include, earlier)
            if found is not None and found in self.documents:
                self._pull(found, self._by(include, scope, document), include.kind == "constraint")

    def _by(self, include: Include, scope: Scope, document: Document) -> Scope:
        """The scope of what a command pulls in: its place, its indexes, its options."""
        command = include.command
        group = next((group for group in document.groups if include in group.includes), None)
        return replace(
            scope,
            indexes=(*scope.indexes, *(group.indexes if group else ())),
            flags=frozenset(option.name for option in command.options) if command else frozenset(),
            environment=tuple((name, value.value) for name, value in command.environment) if command else (),
            via=command.span if command else include.path.span,
            how="run" if include.kind == "run" else "installed",
        )

    def _pull(self, target: str, scope: Scope, constraint: bool = False) -> None:
        if scope not in self.pulled[target]:
            self.pulled[target].append(scope)
        self.constraints[target] = self.constraints.get(target, True) and constraint

    def _through_requirements(self) -> None:
        """`-r base.txt`: what pulls in a file pulls in the files it names."""
        waiting = [path for path, document in self.documents.items() if document.kind == REQUIREMENTS]
        rounds = len(waiting) + 1
        while waiting and rounds:
            rounds -= 1
            changed = []
            for path in waiting:
                for include in self.documents[path].includes:
                    target = self.repository.beside(path, include)
                    if target is None or target == path or target not in self.documents:
                        continue
                    own = tuple(fact for fact in self.documents[path].facts if isinstance(fact, Index))
                    for scope in self.pulled.get(path) or [self._default(self.documents[path])]:
                        scope = replace(scope, indexes=tuple(dict.fromkeys((*scope.indexes, *own))))
                        scope = scope if scope.via else replace(scope, via=include.path.span, how="included")
                        if scope not in self.pulled[target]:
                            changed.append(target)
                        self._pull(target, scope, include.kind == "constraint" or self.constraints.get(path, False))
            waiting = list(dict.fromkeys(changed))

    # ---- a fact's scopes --------------------------------------------------------------------------------------------------

    def _default(self, document: Document) -> Scope:
        """The scope of a file nothing pulls in: the host, or the image the user names."""
        return Scope(
            image=self.assumed.image,
            elsewhere=document.only_tests or machines.named_elsewhere(self.repository.within(document.path)),
        )

    def attached(self, document: Document) -> Iterator[Fact]:
        """The document's facts with their scopes."""
        around = surroundings(document.facts)
        own = self._own_indexes(document)
        stages = [self.stage_scope(document, number) for number in range(len(document.stages))]
        file = self._file_scopes(document)
        constraint = self.constraints.get(document.path, "constraint" in document.path.rpartition("/")[2].lower())
        groups = {id(package): group for group in document.groups for package in group.packages}
        for fact in document.facts:
            if document.kind == REQUIREMENTS and isinstance(fact, Package) and constraint:
                group = groups.get(id(fact))
                fact = as_constraint(fact)
            else:
                group = groups.get(id(fact))
            stage = fact.context.stage
            base = [stages[stage]] if stage is not None and stage < len(stages) else file
            indexes = own if document.kind == REQUIREMENTS else group.indexes if group else ()
            yield replace(fact, scopes=tuple(dict.fromkeys(self._narrowed(fact, scope, around, indexes) for scope in base)))

    def _own_indexes(self, document: Document) -> tuple[Index, ...]:
        """The indexes a requirements file names, itself or through the files it includes: pip uses them for all its lines."""
        found: list[Index] = []
        waiting, seen = [document.path], set()
        while waiting:
            path = waiting.pop()
            if path in seen or path not in self.documents:
                continue
            seen.add(path)
            found += (fact for fact in self.documents[path].facts if isinstance(fact, Index))
            targets = (self.repository.beside(path, include) for include in self.documents[path].includes)
            waiting += (target for target in targets if target)
        return tuple(found)

    def _file_scopes(self, document: Document) -> list[Scope]:
        """The scopes of a whole file. Where only other machines pull it in and its name names none, people here use it too."""
        default = self._default(document)
        pulled = self.pulled.get(document.path, [])
        if default.elsewhere or not pulled:
            return [default]
        return [*pulled, default] if all(scope.elsewhere for scope in pulled) else list(pulled)

    def _narrowed(self, fact: Fact, scope: Scope, around: Surroundings, indexes: tuple[Index, ...]) -> Scope:
        """The scope as the fact's own surroundings limit it."""
        marker = fact.marker if isinstance(fact, Package) else ""
        elsewhere = (
            scope.elsewhere
            or machines.elsewhere(fact.context.conditions)
            or (bool(marker) and machines.marker_holds(marker, self.assumed.python) is False)
        )
        sparks = around.sparks if self.assumed.sparks is None else self.assumed.sparks
        return replace(
            scope,
            image=fact.context.image or scope.image,
            elsewhere=elsewhere,
            workload=workload_of(fact, around),
            sparks=sparks,
            cluster=around.cluster,
            indexes=tuple(dict.fromkeys((*scope.indexes, *indexes))),
        )
