"""`explain --why PATH:LINE`: what the tool sees at a line, where it runs, and what each rule that looked decided."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from spark_lint import files, kinds, knowledge
from spark_lint.check import Run
from spark_lint.config import Config
from spark_lint.documents import Document
from spark_lint.facts import Binding, Entry, Fact, Lock, Locked, Package
from spark_lint.kinds import LOCK
from spark_lint.load import RuleSet
from spark_lint.project import Project
from spark_lint.rule import Dispatch, judge
from spark_lint.suppress import Suppression, suppressions

LONGEST_SHOWN: Final = 200
"""Characters of what is written that are shown: a command may fill a page."""


def why(path: str, line: int, config: Config, *, rules: RuleSet) -> Iterator[str]:
    """What the tool sees at a line: the facts there, their scopes, and what each rule that looked decided."""
    name = files.shown(Path(path))
    run = Run(files.discover([name] if name.startswith("..") else [os.curdir], config), config, rules)
    everything = Dispatch(rules.rules)
    line = _entry(run.documents[name], line) if name in run.documents else line
    marks = suppressions(run.sources[name], run.documents[name].kind) if name in run.documents else ()
    found = False
    for around in run.projects:
        here = [fact for fact in around.facts.get(name, ()) if _at(fact, name, line)]
        # The key under which a package stands says nothing more.
        told = [fact for fact in here if not isinstance(fact, Entry) or everything.woken(fact)]
        for fact in told or here:
            found = True
            # Rules of one page may say the same.
            yield from dict.fromkeys(_explained(fact, around, everything, config, marks))
    if not found and name in run.documents:
        left = [
            fact for fact in run.documents[name].facts if isinstance(fact, Locked) and not fact.root and _at(fact, name, line)
        ]
        yield from (
            f"{fact.written} is not installed on a Spark: nothing that is leads to it, or its marker does not hold."
            for fact in left
        )
        found = bool(left)
    if not found:
        known = name in run.documents
        yield (
            f"Nothing that a rule could look at stands at {name}:{line}."
            if known
            else f"{name} was not read: {_unread(name, config)}"
        )


def _entry(document: Document, line: int) -> int:
    """Of a lock, the line at which the package begins in whose entry a line stands; any other line as it is."""
    if document.kind != LOCK or any(_at(fact, document.path, line) for fact in document.facts):
        return line
    # The header of an entry stands one line above its name.
    return max(
        (fact.span.line for fact in document.facts if isinstance(fact, Locked) and fact.span.line <= line + 1), default=line
    )


def _at(fact: Fact, name: str, line: int) -> bool:
    return fact.span.line <= line <= fact.span.end_line or (fact.origin.path == name and fact.origin.line == line)


def _unread(name: str, config: Config) -> str:
    if not files.is_file(Path(name)):
        return "no such file"
    if not kinds.kind_of(name):
        return "a kind of file that is not read"
    return "excluded by the settings" if config.excluded(name) else "ignored by git, or outside the repository"


def _explained(fact: Fact, around: Project, dispatch: Dispatch, config: Config, marks: Sequence[Suppression]) -> Iterator[str]:
    written = fact.written if len(fact.written) <= LONGEST_SHOWN else f"{fact.written[:LONGEST_SHOWN]}…"
    yield f"{type(fact).__name__} {fact.name}: {written}"
    for condition in fact.context.conditions:
        yield f"  under: {'not ' if condition.negated else ''}{condition.text}"
    if fact.context.section:
        yield f"  below: {' / '.join(fact.context.section)}"
    if fact.context.request:
        yield f"  in {fact.context.request}"
    if isinstance(fact, (Binding, Package)) and fact.marker:
        yield f"  only where {fact.marker}"
    if isinstance(fact, Lock):
        yield f"  {_comes_to(fact, around)}"
    if isinstance(fact, Package) and fact.locked is not None and fact.locked.offered:
        yield f"  a Spark gets {_gets(fact, fact.locked)}"
    for scope in fact.scopes:
        yield f"  scope: {scope.described}"
    woken = dispatch.woken(fact)
    if not woken:
        yield "  no rule looks at it"
    for rule in woken:
        if not config.wants(rule.code, fact.origin.path):
            yield f"  {rule.code}: ignored by the settings"
            continue
        said = list(judge(rule, fact, around, config.override(rule.code)))
        if not said:
            yield f"  {rule.code}: {_reason(fact)}"
        mark = next((mark for mark in marks if mark.hides(rule.code, fact.origin.line)), None)
        hidden = f" (hidden by the comment at line {mark.span.line})" if mark else ""
        for verdict in said:
            where = verdict.fact.scope.described
            yield f"  {rule.code}: {verdict.severity} ({verdict.confidence}) in {where}: {verdict.advice.message}{hidden}"


def _reason(fact: Fact) -> str:
    """Why a rule says nothing about a fact."""
    if not all(scope.elsewhere for scope in fact.scopes):
        return "nothing to say"
    lock = next((scope.locked for scope in fact.scopes if scope.locked), "")
    return f"{lock} is judged in its place" if lock else "it runs elsewhere"


def _gets(package: Package, entry: Locked) -> str:
    """What there is of a locked package for a Spark, and for which CUDA it is built, as far as that is known."""
    facts = knowledge.package(package.name)
    cuda = facts.cuda(package.version) if facts is not None else ""
    built = {"": "", "cpu": ", a build for the CPU"}.get(cuda, f", a build for CUDA {cuda.removeprefix('cu')}")
    built += f" ({facts.known(package.version, cuda=True)})" if facts is not None and cuda else ""
    offered = {
        "wheel": f"the wheel {entry.chosen}",
        "sdist": "its source alone, to compile",
        "none": "nothing: no wheel, no source",
    }
    return offered[entry.offered] + (built if entry.offered != "none" else "")


def _comes_to(lock: Lock, around: Project) -> str:
    """What a lock installs on a Spark, in numbers."""
    entries = [
        each.locked
        for each in around.near(lock, Package)
        if each.locked is not None and not all(s.elsewhere for s in each.scopes)
    ]
    offered = Counter(each.offered for each in entries)
    told = {"wheel": "as wheels", "sdist": "from source", "none": "with nothing to install", "": "of which it lists no files"}
    return f"a Spark gets {len(entries)} packages from it: " + ", ".join(
        f"{offered[key]} {how}" for key, how in told.items() if offered[key]
    )
