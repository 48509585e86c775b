"""What a rule is, and which rules look at which fact.

A rule is a function over one fact (and the project) that yields advice. It says what wakes it: a type of fact and the names it
is about. Its code is its place: `rules/g10_two_sparks/tensor_parallel_training.py` is `G10/tensor-parallel-training`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from fnmatch import fnmatchcase
from inspect import isgeneratorfunction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from spark_lint.facts import Fact, Locked, Package
from spark_lint.known import Known
from spark_lint.relock import relocked
from spark_lint.text import Span

if TYPE_CHECKING:
    from spark_lint.project import Project

F = TypeVar("F", bound=Fact)


class Severity(IntEnum):
    """error: will not install, start or see the GPU. warning: runs, but slow, fragile or silently different. info: be aware."""

    INFO = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        return self.name.lower()

    def lowered(self, levels: int = 1) -> "Severity":
        """So many levels down; info is the floor."""
        return Severity(max(0, self - levels))


class Confidence(IntEnum):
    """How sure a finding is. `possible` is shown only on request (`--min-confidence possible`)."""

    POSSIBLE = 0
    LIKELY = 1
    CERTAIN = 2

    def __str__(self) -> str:
        return self.name.lower()


# What rules say of the installer of a requirement; a lock has one of its own.
_PIP = re.compile(r"\bpip(?= (?:builds|compiles|finds|fetches|installs|takes|passes|goes)\b)")

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a finding, and what happens there."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Advice:
    """What a rule says about a fact.

    message: what is wrong and where it bites, one line, quoting the author's spelling. instead: the text to write, if there is one.
    severity, confidence: where they differ from the rule's own. known: what stands behind it, where it rests on a table: it ends the
    message, and what is assumed costs one level. related: other places that belong to it.
    """

    message: str
    instead: str = ""
    severity: Severity | None = None
    confidence: Confidence | None = None
    known: Known | None = None
    related: Sequence[Related] = ()


Check: TypeAlias = Callable[[F, "Project"], Iterator[Advice]]


@dataclass(frozen=True, slots=True)
class Rule(Generic[F]):
    """A rule as loaded: what wakes it, how bad it is, the function, and (from its file) its code and page."""

    on: type[F]
    named: frozenset[str]
    severity: Severity
    confidence: Confidence
    reads: frozenset[str]
    holds: str
    check: "Check[F]" = field(repr=False)
    code: str = ""
    path: Path = Path()

    @property
    def gotcha(self) -> str:
        """`G10` of `G10/tensor-parallel-training`."""
        return self.code.partition("/")[0]

    @property
    def name(self) -> str:
        """`tensor-parallel-training` of `G10/tensor-parallel-training`."""
        return self.code.partition("/")[2]

    @property
    def page(self) -> Path:
        """The rule's page, beside it."""
        return self.path.with_suffix(".md")


def rule(
    *,
    on: type[F],
    named: str | Iterable[str],
    severity: Severity,
    confidence: Confidence = CERTAIN,
    reads: Iterable[str] = (),
    holds: str = "",
) -> Callable[[Check[F]], Rule[F]]:
    """Make a rule of a function.

    on: the type of fact that wakes it. named: the names it is about: one, several, a glob (`nvidia-*-cu12`) or the keys of a
    knowledge table. reads: names of other facts it looks at in the project (of other packages, where it is about packages); a Python
    file that holds only these is read too.
    holds: what every value that it speaks of holds, in any case: of a name that half of all files use, those without it are passed over.
    severity, confidence: unless the advice says otherwise.
    """
    names = frozenset([named] if isinstance(named, str) else named)
    if not isinstance(severity, Severity):
        raise TypeError(f"severity={severity!r} is not ERROR, WARNING or INFO")

    def made(check: Check[F]) -> Rule[F]:
        if not isgeneratorfunction(check):
            raise TypeError(f"{getattr(check, '__name__', check)} must yield its advice, not return it")
        return Rule(on, names, severity, confidence, frozenset(reads), holds, check)

    return made


class Dispatch:
    """Which rules a fact wakes: by type and exact name in one look-up, by glob for the few rules that need it."""

    def __init__(self, rules: Iterable[Rule[Any]]) -> None:
        self.rules = tuple(rules)
        self._exact: dict[tuple[type[Fact], str], list[Rule[Any]]] = {}
        self._globs: dict[type[Fact], list[tuple[str, Rule[Any]]]] = {}
        for each in self.rules:
            for name in sorted(each.named):
                if any(sign in name for sign in "*?["):
                    self._globs.setdefault(each.on, []).append((name, each))
                else:
                    self._exact.setdefault((each.on, name), []).append(each)

    def woken(self, fact: Fact) -> list[Rule[Any]]:
        """The rules that look at this fact, each once."""
        found = list(self._exact.get((type(fact), fact.name), ()))
        for pattern, each in self._globs.get(type(fact), ()):
            if each not in found and fnmatchcase(fact.name, pattern):
                found.append(each)
        return found


@dataclass(frozen=True, slots=True)
class Verdict:
    """Advice with the rule and the fact (in one scope) that it is about, and the severity it amounts to."""

    rule: Rule[Any]
    fact: Fact
    advice: Advice
    severity: Severity
    confidence: Confidence


def judge(each: Rule[Any], fact: Fact, project: "Project", override: Severity | None = None) -> Iterator[Verdict]:
    """What one rule says about one fact, in each scope in which it runs on a Spark.

    The severity is computed here and nowhere else: the advice's own or the rule's; one level down for an example in a
    document, and for knowledge that is assumed, of which nothing is certain; the user's override last. What is installed only on request
    is worth an info where it would break, and nothing where it would only be worse.
    """
    for scope in fact.scopes:
        if scope.elsewhere:
            continue
        narrowed = replace(fact, scopes=(scope,))
        for advice in each.check(narrowed, project):
            severity = each.severity if advice.severity is None else advice.severity
            confidence = each.confidence if advice.confidence is None else advice.confidence
            if scope.optional:
                if severity < ERROR:
                    continue
                severity = INFO
            if isinstance(fact, Package) and fact.locked is not None:
                advice = _of_lock(advice, fact, fact.locked)
            if remarks := list(_remarks(advice.known, fact, scope.optional)):
                advice = replace(advice, message=f"{advice.message} ({'; '.join(remarks)})")
            severity = severity.lowered(fact.context.fenced)
            if advice.known is not None and advice.known.assumed:
                severity, confidence = severity.lowered(), min(confidence, LIKELY)
            yield Verdict(each, narrowed, advice, severity if override is None else override, confidence)


def _remarks(known: Known | None, fact: Fact, optional: bool) -> Iterator[str]:
    """What ends a message, in one pair of brackets: who asks for a locked package, when it is installed, what stands behind it all."""
    # Of an exported list of requirements the names stand beside the line.
    through = fact.through if isinstance(fact, Locked) or (isinstance(fact, Package) and fact.locked is not None) else ()
    if through:
        yield f"asked for by {' > '.join(through)}"
    if optional and fact.context.request:
        yield f"only with {fact.context.request}"
    if known is not None:
        yield str(known)


def _of_lock(advice: Advice, package: Package, entry: Locked) -> Advice:
    """The same about a locked package: the program that installs it, and how the lock is told to take another version."""
    message = advice.message
    if package.manager not in ("pip", "conda"):
        message = _PIP.sub(package.manager, message)
    in_lock = package.origin.path == entry.span.path
    instead = relocked(package.name, package.manager, advice.instead) if in_lock else advice.instead
    if in_lock and entry.url and instead != advice.instead:  # no newer version is taken as long as an address is given
        instead = f"{advice.instead}  # in the project's requirements, and no address for {package.name} beside it"
    return replace(advice, message=message, instead=instead)
