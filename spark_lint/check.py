"""The whole run: discover, read, name, give scopes, ask the rules, suppress, sort."""

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from spark_lint import files, kinds, reading
from spark_lint.causes import by_cause
from spark_lint.config import Config
from spark_lint.documents import Document
from spark_lint.facts import Fact, Image, Locked, Package
from spark_lint.files import Discovery, Found
from spark_lint.findings import FileRead, Finding, Problem, Report
from spark_lint.interests import interests
from spark_lint.links import Repository, inside
from spark_lint.load import RuleSet
from spark_lint.project import Project, project
from spark_lint.rule import Dispatch, Related, Verdict, judge
from spark_lint.scope import Assumed
from spark_lint.suppress import apply, suppressions
from spark_lint.text import Source, Span

MOST_FACTS: Final = 1000
"""Facts of one file that one rule is asked about."""
MOST_JUDGED: Final = 5000
"""How often one rule is asked about the facts of one file, each of them once for each place where it runs."""
MORE_LOCKED: Final = 20
"""How many times more of both in a lock, of which every package is a fact."""


def check(paths: Sequence[str], config: Config, *, rules: RuleSet, stdin: tuple[str, bytes] | None = None) -> Report:
    """Lint `paths` and say everything there is to say.

    stdin: a file name and its content, linted as if it lay there.
    """
    if stdin is None:
        return Run(files.discover(paths, config), config, rules).report()
    return Run(_pretended(stdin, config), config, rules, {files.shown(Path(stdin[0])): stdin[1]}).report()


def check_texts(texts: Mapping[str, str], config: Config, *, rules: RuleSet) -> "Run":
    """Lint a small project that is not on disk: file names and their contents."""
    found = tuple(Found(path, kind, given=True) for path in sorted(texts) if (kind := kinds.kind_of(path)))
    contents = {path: text.encode() for path, text in texts.items()}
    return Run(Discovery(found, roots=(os.curdir,)), config, rules, contents, on_disk=False)


class Run:
    """One run's files, documents and projects."""

    def __init__(
        self,
        discovery: Discovery,
        config: Config,
        rules: RuleSet,
        contents: Mapping[str, bytes] | None = None,
        *,
        on_disk: bool = True,
    ) -> None:
        self.started = time.perf_counter()
        self.config = config
        self.rules = rules
        wanted = [each for each in rules.rules if config.wants(each.code)]
        self.active = frozenset(each.code for each in wanted)
        self.dispatch = Dispatch(wanted)
        self.discovery = discovery
        self.assumed = _assumed(config)
        self._contents = contents or {}
        self._on_disk = on_disk
        self.documents: dict[str, Document] = {}
        self.sources: dict[str, Source] = {}
        self._problems: list[Problem] = list(discovery.problems)
        self._included: list[Found] = []
        reader = reading.Reader(config, interests(wanted), self._contents)
        self.projects = [self._project(root, reader) for root in discovery.roots]

    def _exists(self, path: str) -> bool:
        return path in self._contents or (self._on_disk and files.is_file(Path(path)))

    def report(self) -> Report:
        """The run as a report."""
        findings, hidden = self.findings()
        looked_at = (*self.discovery.files, *self._included)
        read = [FileRead(each.path, each.kind, each.neighbour) for each in looked_at if each.path in self.documents]
        return Report(
            findings=tuple(sorted(findings, key=lambda finding: finding.order)),
            problems=tuple(sorted(self.problems(), key=lambda problem: (problem.path, problem.line, problem.message))),
            files=tuple(read),
            skipped=self.discovery.skipped,
            assumptions=tuple(self.assumptions()),
            hidden=hidden,
            seconds=time.perf_counter() - self.started,
            sources=self.sources,
        )

    def _project(self, root: str, reader: reading.Reader) -> Project:
        """Read the files of one repository, then those they name that discovery did not know by their names."""
        own = [
            each for each in self.discovery.files if each.path not in self.documents and (root == "." or inside(each.path, root))
        ]
        given = {each.path for each in own if each.given}
        read = {}
        repository = Repository(root, self._exists, [each.path for each in own])
        waiting = own
        while waiting:
            for found in waiting:
                read[found.path] = reader.read(found, repository)
                self.sources[found.path] = reader.sources[found.path]
            more = reading.unread([read[found.path] for found in waiting], read, repository)
            waiting = [Found(path, kinds.REQUIREMENTS) for path in more if not self.config.excluded(path)]
            self._included += waiting
        self.documents |= read
        repository.paths = tuple(read)
        for path, document in read.items():
            problems = [*document.problems, *reading.leaving(document, repository)]
            self._problems += (Problem(path, each.span.line, each.message, path in given) for each in problems)
        self._problems += (replace(each, given=each.given or each.path in given) for each in reader.failed)
        reader.failed.clear()
        whole = project(read.values(), repository, self.assumed)
        self._problems += (
            Problem(each.span.path, each.span.line, each.message, each.span.path in given) for each in whole.problems
        )
        return whole

    def problems(self) -> Iterator[Problem]:
        """What could not be read, except in neighbours: nobody asked about those."""
        neighbours = {each.path for each in self.discovery.files if each.neighbour}
        return (each for each in dict.fromkeys(self._problems) if each.path not in neighbours)

    def findings(self) -> tuple[list[Finding], int]:
        """The findings that remain, and how many an inline suppression took out."""
        found: list[Finding] = []
        for each in self.projects:
            found += merged(by_cause(verdict for path in each.facts for verdict in self._judged(path, each)))
        found = [each for each in found if self._reported(each)]
        marks = {
            path: marks for path, source in self.sources.items() if (marks := suppressions(source, self.documents[path].kind))
        }
        known = self.rules.codes | self.rules.gotchas.keys()
        partial = {problem.path for problem in self._problems}
        kept, hidden = apply(found, marks, known, self.active, partial)
        return [self._overridden(each) for each in kept if self._shown(each) and self._reported(each)], hidden

    def _overridden(self, finding: Finding) -> Finding:
        """The tool's own findings take the user's severity too; those of rules have it already."""
        severity = self.config.override(finding.code) if finding.gotcha is None else None
        return finding if severity is None else replace(finding, severity=severity)

    def _judged(self, path: str, around: Project) -> Iterator[Verdict]:
        """What the rules say about a file's facts. A rule that looks at all others for each of too many would take for ever."""
        asked: Counter[str] = Counter()
        judged: Counter[str] = Counter()
        cut: dict[str, None] = {}
        more = MORE_LOCKED if around.documents[path].kind == kinds.LOCK else 1
        for fact in around.facts[path]:
            for rule in self.dispatch.woken(fact):
                if asked[rule.code] >= MOST_FACTS * more or judged[rule.code] >= MOST_JUDGED * more:
                    cut[rule.code] = None
                    continue
                asked[rule.code] += 1
                judged[rule.code] += len(fact.scopes)
                try:
                    yield from judge(rule, fact, around, self.config.override(rule.code))
                except Exception as error:
                    # A rule that fails on one file must not cost the others; that it failed is said once, and exits with 2.
                    if os.environ.get("SPARK_LINT_DEBUG"):
                        raise
                    asked[rule.code], failed = MOST_FACTS * more, f"{rule.code} failed: {type(error).__name__}: {error}"
                    self._problems.append(Problem(path, fact.span.line, failed, given=True))
        if cut and not any(problem.path == path for problem in self._problems):
            given = any(each.path == path and each.given for each in self.discovery.files)
            most = max(asked[code] for code in cut)
            message = f"too many places: {', '.join(cut)} looked at no more than the first {most:,}"
            self._problems.append(Problem(path, 0, message, given))

    def _shown(self, finding: Finding) -> bool:
        return finding.confidence >= self.config.min_confidence and self.config.wants(finding.code, finding.span.path)

    def _reported(self, finding: Finding) -> bool:
        """Neighbours are read for their scopes: a finding counts when it, or a place it names, lies in a file asked about."""
        neighbours = {each.path for each in self.discovery.files if each.neighbour}
        places = [finding.span.path, *(each.span.path for each in finding.related)]
        return any(path not in neighbours for path in places)

    def assumptions(self) -> Iterator[str]:
        """Sentences about what no file says."""
        if not self.documents:
            return
        if self.assumed.sparks is None:
            named = [scope.sparks for each in self.projects for fact in _facts(each) for scope in fact.scopes if scope.sparks]
            many = f"as many Sparks as the files name, up to {max(named)}, and one where they name none" if named else "one Spark"
            yield f"Assumed {many}."
        if self.assumed.image is not None:
            yield f"Assumed {self.assumed.image.shown} where no container is named."
        elif any(scope.image is None for each in self.projects for fact in _facts(each) for scope in fact.scopes):
            yield "Assumed no container where none is named."


def _facts(around: Project) -> Iterator[Fact]:
    return (fact for facts in around.facts.values() for fact in facts)


def _pretended(stdin: tuple[str, bytes], config: Config) -> Discovery:
    """The neighbours of the working directory, and standard input as a file of the given name."""
    name = files.shown(Path(stdin[0]))
    kind = kinds.kind_of(name, stdin[1][:128])
    if not kind:
        return Discovery(skipped=(name,))
    around = files.discover([os.curdir], config)
    neighbours = [
        replace(each, neighbour=True) for each in around.files if kinds.sets_scopes(each.path, each.kind) and each.path != name
    ]
    return Discovery((*neighbours, Found(name, kind, given=True)), roots=(os.curdir,))


def _assumed(config: Config) -> Assumed:
    image: Image | None = None
    if config.image:
        from spark_lint.read.reference import image as reference
        from spark_lint.text import Text

        image = reference(Text.of(Source("configuration", config.image)), role="run")
    return Assumed(image, config.sparks, config.python or "3.12")


def merged(verdicts: Iterable[Verdict]) -> Iterator[Finding]:
    """One finding for each rule and origin: the worst scope decides, the other places are related."""
    by_place: dict[tuple[str, Span], list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_place[verdict.rule.code, verdict.fact.origin].append(verdict)
    for (code, span), group in by_place.items():
        worst = max(group, key=lambda verdict: (verdict.severity, verdict.confidence))
        yield Finding(
            code,
            worst.severity,
            worst.confidence,
            span,
            worst.advice.message,
            worst.advice.instead,
            tuple(_related(worst, group, span)),
            worst.advice.known,
        )


def _related(worst: Verdict, group: Sequence[Verdict], span: Span) -> Iterator[Related]:
    seen: set[tuple[str, int, str]] = set()
    for verdict in (worst, *group):
        scope = verdict.fact.scope
        places = [*verdict.advice.related]
        if verdict.fact.span.path != span.path or verdict.fact.span.line != span.line:
            locked = isinstance(verdict.fact, (Locked, Package)) and verdict.fact.span.path != span.path
            places.append(Related(verdict.fact.span, "locked here" if locked else "used here"))
        if scope.via is not None:
            places.append(Related(scope.via, f"{scope.how} here" + (f" ({scope.label})" if scope.label else "")))
        for place in places:
            shown = (place.span.path, place.span.line, place.message)
            if place.span != span and shown not in seen:
                seen.add(shown)
                yield place
