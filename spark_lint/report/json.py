"""For programs. `report.schema.json` describes it; keys are only ever added while `schema` stays the same."""

import json
from collections.abc import Mapping
from typing import Any, Final, TextIO

from spark_lint import __version__
from spark_lint.findings import Finding, Report
from spark_lint.known import Known
from spark_lint.rule import Severity
from spark_lint.text import Span

SCHEMA: Final = 1


def write(
    report: Report,
    out: TextIO,
    *,
    color: bool = False,
    quiet: bool = False,
    titles: Mapping[str, str] = {},
    knowledge: str = "",
    stale: str = "",
) -> None:
    """One JSON object, ASCII only, so that no byte of it means anything to a terminal."""
    whole = {
        "schema": SCHEMA,
        "tool": {"name": "spark-lint", "version": __version__, "knowledge": knowledge or None, "stale": stale or None},
        "columns": "code points",
        "findings": [_finding(finding) for finding in report.findings],
        "problems": [{"path": each.path, "line": each.line, "message": each.message} for each in report.problems],
        "summary": {
            "files": len(report.files),
            **{str(severity): report.count(severity) for severity in sorted(Severity, reverse=True)},
            "seconds": round(report.seconds, 2),
        },
    }
    # `##[error]` in the log of a CI job is a command wherever it stands.
    out.write(json.dumps(whole, indent=2).replace("##", r"#\u0023") + "\n")


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "gotcha": finding.gotcha,
        "rule": finding.rule,
        "severity": str(finding.severity),
        "confidence": str(finding.confidence),
        **_place(finding.span),
        "cell": finding.span.cell,
        "message": finding.message,
        "advice": finding.instead,
        "knowledge": _known(finding.known),
        "url": None,
        "related": [{**_place(each.span), "message": each.message} for each in finding.related],
        "fix": None,
    }


def _known(known: Known | None) -> dict[str, Any] | None:
    """What stands behind a finding that rests on a table; null for one that does not."""
    if known is None:
        return None
    return {"as_of": known.as_of, "evidence": known.evidence, "source": known.source or None, "assumed": known.assumed}


def _place(span: Span) -> dict[str, Any]:
    return {
        "path": span.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
