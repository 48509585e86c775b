"""Where does each file of a repository end up? Images by build stage and by who installs a file, machines, indexes, Sparks."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from spark_lint.distributions import GROUP, Projects
from spark_lint.documents import Document, surroundings
from spark_lint.facts import Image, Include, Index, Package
from spark_lint.kinds import DOCKERFILE, JENKINSFILE, LOCK, MARKDOWN, REQUIREMENTS
from spark_lint.links import Repository
from spark_lint.names import headings, machines
from spark_lint.narrowing import most, narrowed
from spark_lint.scope import Assumed, Scope
from spark_lint.sources import MOST_INDEXES, Installs, both

_BY_COMMANDS: Final = frozenset({"run", "requirement", "constraint"})
_HOW: Final = {"run": "run", "env": "loaded"}

MOST_SCOPES: Final = 100
"""Places in which one file ends up."""
MOST_PULLS: Final = 50_000
"""How often in one repository a file hands on one of its places to a file that it names."""


class Scopes:
    """Where each file of a repository ends up, worked out once."""

    def __init__(self, documents: Mapping[str, Document], repository: Repository, assumed: Assumed) -> None:
        self.documents = documents
        self.repository = repository
        self.assumed = assumed
        self.pulled: dict[str, list[Scope]] = defaultdict(list)
        self._pulled_alike: dict[str, set[Scope]] = defaultdict(set)
        self._images: dict[str, set[Image | None]] = defaultdict(set)
        self._by_extras: dict[str, dict[Scope, int]] = defaultdict(dict)
        self.constraints: dict[str, bool] = {}
        self.built: dict[tuple[str, int], Scope] = {}
        self.around = {path: surroundings(each.facts) for path, each in documents.items()}
        self._stages: dict[tuple[str, int], Scope] = {}
        self._targets: dict[str, tuple[tuple[Include, str], ...]] = {}
        self._own: dict[str, tuple[Index, ...]] = {}
        self.installs = Installs(documents)
        self.projects = Projects(documents, repository)
        self._groups = {id(include): group for each in documents.values() for group in each.groups for include in group.includes}
        for path, each in documents.items():
            if each.kind == DOCKERFILE:
                self._from_dockerfile(path, each)
        for path, each in documents.items():
            if each.kind != DOCKERFILE:
                self._from_builds(path, each)
        for path, each in documents.items():
            self._from_names(path, each)
        self._onwards()

    # ---- what pulls a file in ---------------------------------------------------------------------------------------------

    def stage_scope(self, document: Document, stage: int) -> Scope:
        """The scope of a Dockerfile's build stage."""
        place = (document.path, stage)
        if place not in self._stages:
            lineage = document.lineage(stage)
            image = document.stages[lineage[-1]].image
            names = [self.repository.within(document.path), *(document.stages[number].name for number in lineage)]
            found = (each for number in sorted(lineage) for each in self.installs.of_stage(document, number))
            elsewhere = any(machines.named_elsewhere(name) for name in names)
            self._stages[place] = Scope(image=image, elsewhere=elsewhere, indexes=tuple(islice(found, MOST_INDEXES)), stage=place)
        return self._stages[place]

    def _from_dockerfile(self, path: str, document: Document) -> None:
        copies = [each for each in document.includes if each.kind in ("copy", "mount")]
        lineages = [frozenset(document.lineage(number)) for number in range(len(document.stages))]
        last = lineages[-1] if lineages else ()
        copied: set[tuple[str, str]] = set()
        # What is run comes first: that a file is copied says nothing more then.
        for include in sorted(document.includes, key=lambda include: include.kind == "copy"):
            stage = include.context.stage
            if stage is None or not document.stages or include.kind == "mount":
                continue
            scope = self.stage_scope(document, stage)
            if include.kind == "copy":
                # Only what the final image holds can run in it.
                source = (include.path.value, include.from_stage)
                if stage in last and source not in copied:
                    copied.add(source)
                    here = replace(scope, via=include.path.span, how="copied")
                    for target in self.repository.copied(path, include):
                        # That requirements, a project or instructions for people lie in an image installs and runs nothing.
                        idle = self.documents[target].kind in (REQUIREMENTS, MARKDOWN, LOCK) or self.projects.describes(target)
                        if not idle and here.image not in self._images[target]:
                            self._pull(target, here)
                continue
            by = self._by(include, scope, document)
            if include.kind == "editable":
                self._pull_project(document, include, by)
                continue
            earlier = [each for each in copies if each.context.stage in lineages[stage]]
            found = self.repository.in_image(path, include, earlier)
            if found is not None and found in self.documents:
                self._pull(found, by, include.kind == "constraint")

    def _pull_project(self, document: Document, include: Include, scope: Scope) -> list[str]:
        """Give the packaging files of a project the place where it is installed, with what is asked for; those to which it is new."""
        folder = self.projects.installed(document, include)
        if folder is None:
            return []
        bare = "--no-deps" in scope.flags
        extras = self.projects.asked(folder, include.extras)
        # On how many machines it is installed is all the same to what is installed.
        here = replace(scope, extras=extras, optional=scope.optional or bare, sparks=None, cluster=False)
        files = self.projects.files(folder, installer=scope.installer)
        return [path for path in files if path != document.path and self._pull(path, here)]

    def _from_names(self, path: str, document: Document) -> None:
        """`pip install "trl[vllm]"` in the repository of trl: people there ask for that extra."""
        for fact in document.facts:
            if not isinstance(fact, Package) or not fact.extras or fact.role != "requirement":
                continue
            folder = self.projects.folder_of(fact.name)
            if folder is not None and not self.projects.describes(path):
                stage = fact.context.stage
                place = self.default(document) if stage is None else self.stage_scope(document, stage)
                found = narrowed(fact, place, self.around[path], (), self.assumed.python, self.assumed.sparks)
                here = replace(found, via=fact.span, how="installed", extras=self.projects.asked(folder, fact.extras))
                for target in self.projects.files(folder):
                    self._pull(target, here)

    def _from_builds(self, path: str, document: Document) -> None:
        """`build: .` of a compose service: what the service runs, runs in the last stage of that Dockerfile, or in the one it names."""
        for include in document.includes:
            target = self.repository.beside(path, include) if include.kind == "build" else None
            if include.kind == "build" and target is None and document.kind == JENKINSFILE:
                target = self.repository.run_from(path, include)  # seen from where the repository is checked out
            dockerfile = self.documents.get(target or "")
            if dockerfile is not None and dockerfile.stages:
                named = [stage.number for stage in dockerfile.stages if stage.name.lower() == include.from_stage.lower()]
                number = named[-1] if include.from_stage and named else len(dockerfile.stages) - 1
                scope = self.stage_scope(dockerfile, number)
                self.built[path, include.context.block] = replace(scope, via=include.path.span, how="built")

    def _by(self, include: Include, scope: Scope, document: Document) -> Scope:
        """The scope of what a command pulls in: its place, its indexes, its options, and what is known around it."""
        command, around = include.command, self.around[document.path]
        # `uv run` installs along the way; what stands around it is for what it runs.
        runs = include.kind == "editable" and command is not None and command.subcommand == "run"
        indexes = self.installs.in_force(document, include.context, self._groups.get(id(include)))
        return replace(
            scope,
            image=include.context.image or scope.image,
            elsewhere=(
                scope.elsewhere or machines.elsewhere(include.context.conditions) or headings.for_another(include.context.section)
            ),
            sparks=most(scope.sparks, around.sparks),
            cluster=scope.cluster or around.cluster,
            indexes=both(scope.indexes, indexes),
            flags=frozenset(option.name for option in command.options) if command and not runs else frozenset(),
            environment=tuple((name, value.value) for name, value in command.environment) if command and not runs else (),
            via=command.span if command else include.path.span,
            how=_HOW.get(include.kind, "installed"),
            installer=command.name if command and include.kind == "editable" else "",
        )

    def _pull(self, target: str, scope: Scope, constraint: bool = False) -> bool:
        """Give a file one more scope; whether it is new. Files that include each other in a circle would come to ever more."""
        new, full = False, len(self.pulled[target]) == MOST_SCOPES
        if scope.extras or not full:
            likeness = _likeness(scope)
            apart = replace(likeness, extras=frozenset(), via=None)
            if not full and likeness not in self._pulled_alike[target]:
                new = True
                self._by_extras[target][apart] = len(self.pulled[target])
                self._pulled_alike[target].add(likeness)
                self._images[target].add(scope.image)
                self.pulled[target].append(scope)
            elif full and (at := self._by_extras[target].get(apart)) is not None:
                # One place more for other extras of a project would be one too many: they count as installed along with the last ones.
                known = self.pulled[target][at]
                self.pulled[target][at] = replace(known, extras=known.extras | scope.extras)
        self.constraints[target] = self.constraints.get(target, True) and constraint
        return new

    def _onwards(self) -> None:
        """What pulls in a file pulls in the files it names: `-r base.txt`, the scripts a script runs and what they install."""
        waiting = [path for path, document in self.documents.items() if document.kind != DOCKERFILE and document.includes]
        done: Counter[str] = Counter()
        left = MOST_PULLS
        while waiting and left > 0:
            changed = []
            for path in waiting:
                document, first = self.documents[path], path not in done
                places = self.pulled.get(path, [])[done[path] :] or ([self.default(document)] if first else [])
                done[path] = len(self.pulled.get(path, ()))
                for include, target in self._named(document):
                    constraint = include.kind == "constraint" or self.constraints.get(path, False)
                    built = self.built.get((path, include.context.block))
                    scopes = places if built is None else [built] if first else []
                    scopes = self.asking(document, scopes, include.context.extra)
                    left -= len(scopes)
                    if left > 0 and include.kind == "editable":
                        for scope in scopes:
                            changed += self._pull_project(document, include, self._through(document, include, scope))
                    elif left > 0:
                        new = [self._pull(target, self._through(document, include, scope), constraint) for scope in scopes]
                        changed += [target] * any(new)
            waiting = list(dict.fromkeys(changed))

    def _named(self, document: Document) -> tuple[tuple[Include, str], ...]:
        """The other files read that a file names, if it is no Dockerfile."""
        if document.path not in self._targets:
            meant = ((each, self._meant(document, each)) for each in document.includes)
            found = ((each, target) for each, target in meant if target is not None and target != document.path)
            known = (each for each in found if each[0].kind == "editable" or each[1] in self.documents)
            self._targets[document.path] = tuple(known)
        return self._targets[document.path]

    def _meant(self, document: Document, include: Include) -> str | None:
        """The file that is meant; of a project that is installed, the folder."""
        if include.kind == "editable":
            return self.projects.installed(document, include)
        if include.kind == "env":
            return self.repository.environment(document.path, include.path.value)
        if document.kind == REQUIREMENTS:
            return self.repository.beside(document.path, include)
        return self.repository.run_from(document.path, include) if include.kind in _BY_COMMANDS else None

    def _through(self, document: Document, include: Include, scope: Scope) -> Scope:
        """The scope of a file that another one pulls in, in one of that one's scopes."""
        if document.kind != REQUIREMENTS and (include.command or not self.projects.describes(document.path)):
            found = self._by(include, scope, document)
            # An example in a document that adds nothing is not worth a mention.
            plain = replace(found, via=scope.via, how=scope.how, flags=scope.flags, environment=scope.environment)
            return scope if include.context.fenced and plain == scope else found
        scope = replace(scope, indexes=both(scope.indexes, self.own_indexes(document)), extras=frozenset())
        return scope if scope.via else replace(scope, via=include.path.span, how="included")

    # ---- what is asked about a file -------------------------------------------------------------------------------------------

    def default(self, document: Document) -> Scope:
        """The scope of a file nothing pulls in: the host, or the image the user names."""
        path = self.repository.within(document.path)
        return Scope(image=self.assumed.image, elsewhere=document.only_tests(path) or machines.named_elsewhere(path))

    def places(self, document: Document) -> list[Scope]:
        """The places of a whole file. Where only other machines pull it in and its name names none, people here use it too."""
        default = self.default(document)
        pulled = self.pulled.get(document.path, [])
        if default.elsewhere or not pulled:
            return [default]
        others = all(scope.elsewhere for scope in pulled)
        if self.projects.describes(document.path) and any(isinstance(fact, Index) for fact in document.facts):
            others = others or all(scope.elsewhere or scope.installer == "pip" for scope in pulled)
        return [*pulled, default] if others else list(pulled)

    def asking(self, document: Document, scopes: list[Scope], extra: str) -> list[Scope]:
        """Those of a project's places where an extra is asked for; it is optional everywhere else."""
        if not extra:
            return scopes
        if machines.named_elsewhere(extra.removeprefix(GROUP)):
            return [replace(scope, elsewhere=True) for scope in scopes]
        asking = [scope for scope in scopes if extra in scope.extras]
        others = [] if any(not scope.elsewhere for scope in asking) else [replace(self.default(document), optional=True)]
        return [*asking, *others]

    def own_indexes(self, document: Document) -> tuple[Index, ...]:
        """The indexes a requirements file names, itself or through the files it includes: pip uses them for all its lines."""
        if document.kind != REQUIREMENTS:
            return ()
        if document.path not in self._own:
            found: list[Index] = []
            waiting, seen = [document.path], set()
            while waiting and len(found) < MOST_INDEXES:
                path = waiting.pop()
                if path not in seen:
                    seen.add(path)
                    found += (fact for fact in self.documents[path].facts if isinstance(fact, Index))
                    waiting += (target for each, target in self._named(self.documents[path]) if each.kind != "editable")
            self._own[document.path] = tuple(found[:MOST_INDEXES])
        return self._own[document.path]


def _likeness(scope: Scope) -> Scope:
    """What tells scopes apart: a hundred scripts that run one file alike are one scope."""
    if scope.stage is not None and (scope.via is None or scope.via.path == scope.stage[0]):
        return scope  # in a Dockerfile it matters which line comes first
    alike = replace(scope, via=None)
    return replace(alike, flags=frozenset(), environment=()) if scope.how == "run" else alike
