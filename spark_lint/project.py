"""A repository's facts, each with the scopes in which it runs, and the questions rules may ask about its neighbours."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, TypeAlias, TypeVar

from spark_lint.attaching import attached
from spark_lint.documents import Document
from spark_lint.enclosing import Enclosing, enclosing
from spark_lint.facts import Binding, Call, Command, Entry, Fact, Image, Index, Package, ParseProblem, Setting
from spark_lint.kinds import LOCK, REQUIREMENTS, SETUP_CFG, TOML
from spark_lint.knowledge.images import describe
from spark_lint.links import Repository
from spark_lint.locking import Locks
from spark_lint.queries.environments import apart
from spark_lint.scope import Assumed
from spark_lint.scoping import Scopes
from spark_lint.text import Span

F = TypeVar("F", bound=Fact)
Key: TypeAlias = tuple[str, type[Fact], str, int | None]
"""Where facts are looked up: the file (empty: all), their type, their name (empty: all), their block (None: all)."""

_ENGINE: Final = re.compile(r"(?:vllm|sglang|rollout)(?=[-_])", re.IGNORECASE)
_PARTS: Final = 1000
"""The parts of fence n are numbered from so many times n (`facts.Context`)."""
MOST_NEIGHBOURS: Final = 1000
"""Facts of one type and name in one file, or one part of it, that are looked at for another one."""
MOST_ASKING: Final = 300
"""Packages in their places that are looked at for one index."""
MOST_INSTALLED: Final = 100
"""Requirements files of one build stage that are looked at for what it installs."""


@dataclass(frozen=True, slots=True)
class Project:
    """The documents of one repository, their facts with scopes, and those by what they are looked up by. Made by `project()`.

    installed: the requirements files that a build stage installs. problems: what of the locks was too much.
    """

    documents: Mapping[str, Document]
    facts: Mapping[str, tuple[Fact, ...]]
    assumed: Assumed = field(default=Assumed())
    found: Mapping[Key, Sequence[Fact]] = field(default_factory=dict, repr=False)
    installed: Mapping[tuple[str, int], Sequence[str]] = field(default_factory=dict, repr=False)
    enclosing: Mapping[str, Enclosing] = field(default_factory=dict, repr=False)
    problems: Sequence[ParseProblem] = ()
    _asking: dict[tuple[str, ...], Mapping[Span, Sequence[Package]]] = field(default_factory=dict, repr=False)

    def every(self, kind: type[F], *names: str) -> Iterator[F]:
        """All facts of a type and these names (any name where none is given) that run on a Spark somewhere."""
        found = self._named(kind, names) if names else (fact for path in self.facts for fact in self._of(path, kind, ()))
        return (fact for fact in found if not all(scope.elsewhere for scope in fact.scopes))

    def _named(self, kind: type[F], names: Sequence[str]) -> Iterator[F]:
        return (fact for name in names for fact in self.found.get(("", kind, name, None), ()) if isinstance(fact, kind))

    def _of(self, path: str, kind: type[F], names: Sequence[str], block: int = 0) -> Iterator[F]:
        """Those of one file, in order. block: those in this part of it or in none; 0 for all."""
        blocks = (block, 0) if block else (None,)
        parts = [self.found.get((path, kind, name, each), ()) for name in names or ("",) for each in blocks]
        parts = [part for part in parts if part]
        facts = parts[0] if len(parts) == 1 else sorted(chain.from_iterable(parts), key=lambda fact: fact.span)
        return (fact for fact in facts if isinstance(fact, kind))

    def asking(self, index: Index, *names: str) -> Sequence[Package]:
        """The packages of these names for which an index is in force, each in one place where it is, on a Spark or elsewhere."""
        if names not in self._asking:
            found: dict[Span, list[Package]] = defaultdict(list)
            for package in self._named(Package, names):
                for scope in package.scopes:
                    here = replace(package, scopes=(scope,))
                    for each in scope.indexes:
                        if len(found[each.span]) < MOST_ASKING:
                            found[each.span].append(here)
            self._asking[names] = found
        return self._asking[names].get(index.span, ())

    def near(self, fact: Fact, kind: type[F], *names: str) -> Iterator[F]:
        """Facts in the same surroundings: the same file; in an image the build stage, those it starts from, and what they install.

        Parts of a file that run by themselves (services, containers) do not see each other; the fences of a document do, but for the keys
        of configuration files, each of which is a file of its own. For a fact that is pulled in (a requirements file in an image), those of the stage that pulls it in as well.
        """
        stage = fact.context.stage
        stages = None if stage is None else {None, *self.documents[fact.span.path].lineage(stage)}
        for each in self._of(fact.span.path, kind, names, 0 if fact.context.fenced else fact.context.block):
            if (stages is None or each.context.stage in stages) and _together(each, fact) and _in_one_file(each, fact):
                yield each
        if fact.scope.stage is not None:
            yield from self._in_stage(*fact.scope.stage, fact.span.path, kind, names)

    def _in_stage(self, dockerfile: str, stage: int, apart: str, kind: type[F], names: Sequence[str]) -> Iterator[F]:
        """What a build stage and those it starts from hold, in the Dockerfile and the requirements files they install, but not in `apart`."""
        stages = {(dockerfile, number) for number in self.documents[dockerfile].lineage(stage)}
        paths = {dockerfile, *(path for place in stages for path in self.installed.get(place, ()))}
        for path in sorted(paths - {apart}):
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
        same = (each.number for each in stages if self._part(each) == self._part(setting))
        return int(setting.number * max(same, default=1))

    def _part(self, setting: Setting) -> tuple[str, str]:
        """What a setting is about: the part of its configuration, and the engine of a trainer (`--vllm-tensor-parallel-size`)."""
        part, _, name = self.path(setting).strip("-").rpartition(".")
        engine = _ENGINE.match(name)
        return part, engine[0].lower() if engine else ""

    def only_fetched(self, image: Image) -> bool:
        """Whether an image is fetched by one line of a file and run by another, which says it, or handed on to other machines."""
        if image.role != "pull":
            return False
        run = any(other.role != "pull" and other.reference == image.reference for other in self.near(image, Image))
        return run or any(each.subcommand in ("push", "save", "tag") for each in self.near(image, Command, "docker"))

    def installed_before(self, fact: Fact, *names: str) -> Iterator[Package]:
        """What is installed on a Spark before it; for a package, by an earlier install and not along with it."""
        document, stage, along = self.documents[fact.span.path], fact.scope.stage, frozenset((fact.span,))
        if document.kind in (REQUIREMENTS, TOML, SETUP_CFG, LOCK):  # all of it is one install
            via = fact.scope.via
            on_the_host = self._of(via.path, Package, names) if via and via.path != document.path else iter(())
            near = self._in_stage(*stage, document.path, Package, names) if stage else on_the_host
        else:
            near = self.near(fact, Package, *names)
            along = next((group.spans for group in document.installs(fact.span)), along)
        for other in near:
            if other.role != "requirement" or other.span in along:
                continue
            here = any(not scope.elsewhere and scope.image == fact.scope.image for scope in other.scopes)
            pulled = any(scope.via is not None and scope.via.covers(fact.span) for scope in other.scopes)
            if here and not pulled and _precedes(other, fact):
                yield other

    def ships(self, fact: Fact, name: str) -> bool:
        """Whether a package is known to be in the image in which a fact runs, no line before it uninstalls it, and the fact sees it.

        What is installed into an environment of its own does not.
        """
        image = fact.scope.image
        if image is None or not describe(image).ships(name) or (isinstance(fact, Package) and apart(fact, self)):
            return False
        return not any(_uninstalls(command, name) for command in self.before(fact, Command, "pip", "uv"))


def _in_one_file(other: Fact, fact: Fact) -> bool:
    """Whether a key stands in the same fence as another fact of a document, and there in no other part. Of anything else that is not asked."""
    if not fact.context.fenced or not (isinstance(other, (Entry, Binding)) or isinstance(fact, (Entry, Binding))):
        return True
    own, others = fact.context.block, other.context.block
    return own == others or own == others // _PARTS or others == own // _PARTS


def _together(other: Fact, fact: Fact) -> bool:
    """Whether one is there where the other is: an extra of a project comes to what is always installed, but not to other extras."""
    extra = other.context.extra if isinstance(fact, Package) else ""
    return extra in ("", fact.context.extra) or extra in fact.scope.extras


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
    locks = Locks(scopes)
    facts = {path: tuple(attached(scopes, locks, each)) for path, each in by_path.items()}
    installed: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
    for path, pulled in scopes.pulled.items():
        for scope in pulled:
            if scope.stage is not None and by_path[path].kind == REQUIREMENTS and len(installed[scope.stage]) < MOST_INSTALLED:
                installed[scope.stage][path] = None
    around = {path: enclosing(each) for path, each in facts.items()}
    return Project(
        by_path, facts, assumed, _by_key(facts), {place: tuple(each) for place, each in installed.items()}, around, locks.problems
    )


def _by_key(facts: Mapping[str, Sequence[Fact]]) -> dict[Key, list[Fact]]:
    """The facts by what they are looked up by; those of a file that has too many of a name are all that is looked at."""
    found: dict[Key, list[Fact]] = defaultdict(list)
    for path, each in facts.items():
        for fact in each:
            kind, block = type(fact), fact.context.block
            for key in (
                (path, kind, fact.name, None),
                (path, kind, fact.name, block),
                (path, kind, "", None),
                (path, kind, "", block),
            ):
                if len(found[key]) < MOST_NEIGHBOURS:
                    found[key].append(fact)
            found["", kind, fact.name, None].append(fact)
    return found
