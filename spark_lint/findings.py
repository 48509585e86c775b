"""What a run found: findings, problems, and what was read. Reports write these and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from spark_lint.known import Known
from spark_lint.rule import Confidence, Related, Severity
from spark_lint.text import Source, Span


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong at one place.

    code: `G1/torch-index-cuda12`, or `lint/…` for the tool's own. message: one line. instead: what to write, empty for none.
    known: what stands behind it, where it rests on a table.
    """

    code: str
    severity: Severity
    confidence: Confidence
    span: Span
    message: str
    instead: str = ""
    related: tuple[Related, ...] = ()
    known: Known | None = None

    @property
    def gotcha(self) -> str | None:
        """`G1`; None for findings of the tool itself."""
        head = self.code.partition("/")[0]
        return None if head == "lint" else head

    @property
    def rule(self) -> str:
        """`torch-index-cuda12`."""
        return self.code.partition("/")[2]

    @property
    def order(self) -> tuple[object, ...]:
        """The order of a report: by place, then code. Independent of how files were found."""
        return (self.span, self.code, self.message)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read or checked. `line` is 0 where the whole file is meant.

    given: the path was given, so that the exit status is 2.
    """

    path: str
    line: int
    message: str
    given: bool = False


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that was looked at. kind: `requirements`, `Dockerfile`, `Python`. neighbour: read for its scopes only."""

    path: str
    kind: str
    neighbour: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a run has to say.

    findings: in order, after suppression, selection and the minimum confidence. files: what was read.
    skipped: given paths of an unknown kind. assumptions: sentences for the summary (`Assumed one Spark …`).
    hidden: findings that inline suppressions took out. sources: the files findings point into, for excerpts.
    """

    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    files: tuple[FileRead, ...] = ()
    skipped: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    hidden: int = 0
    seconds: float = 0.0
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False)

    def count(self, severity: Severity) -> int:
        """How many findings have this severity."""
        return sum(finding.severity is severity for finding in self.findings)
