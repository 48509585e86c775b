"""One line a finding, for editors and for `grep`."""

from collections.abc import Mapping
from typing import TextIO

from spark_lint.findings import Finding, Problem, Report
from spark_lint.report.terminal import safe


def finding_line(finding: Finding) -> str:
    """`train.py:3:1: error G1/torch-index-cuda12: what is wrong`."""
    span = finding.span
    return safe(f"{span.path}:{span.line}:{span.column}: {finding.severity} {finding.code}: {finding.message}")


def problem_line(problem: Problem) -> str:
    """`broken.py:3: problem: what could not be read`."""
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    return safe(f"{place}: problem: {problem.message}")


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
    """`path:line:column: severity code: message` for every finding, then the problems."""
    for finding in report.findings:
        out.write(finding_line(finding) + "\n")
    for problem in report.problems:
        out.write(problem_line(problem) + "\n")
