"""For GitHub Actions: annotations on the lines of a change, the full list in the log, and a table in the summary of the job.

Of what a step writes, the runner keeps 10 annotations of each level and drops the rest without a word, so the last of a level says
how many more there are. https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md#limitations and, for the length of a
message, `AddIssue` in https://github.com/actions/runner/blob/main/src/Runner.Worker/ExecutionContext.cs (2026-11).
"""

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from spark_lint.console import say
from spark_lint.findings import Finding, Problem, Report
from spark_lint.report.concise import finding_line, problem_line
from spark_lint.report.step_summary import add_summary
from spark_lint.report.terminal import safe
from spark_lint.report.text import advice, elsewhere, plural, summary
from spark_lint.rule import ERROR, INFO, WARNING, Severity
from spark_lint.text import Span

MOST: Final = 10
"""Annotations of one level in one step."""
LONGEST: Final = 2000
"""Characters of a message, so that its 4,096 UTF-16 units are never reached."""
LEVELS: Final = {ERROR: "error", WARNING: "warning", INFO: "notice"}


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
    """Annotations, errors first; then everything in a group of the log; then unless `quiet` the summary of the run.

    Where the runner says so (GITHUB_STEP_SUMMARY, GITHUB_OUTPUT), the job's summary gets a table and the step the outputs
    `findings`, `errors` and `warnings`.
    """
    for severity in sorted(LEVELS, reverse=True):
        out.writelines(f"{line}\n" for line in _annotations(report, severity))
    everything = list(_everything(report))
    if everything:
        # Between these no line is taken for a command, whatever it says.
        token = secrets.token_hex(16)
        heading = f"spark-lint: {plural(len(report.findings), 'finding')}, {plural(len(report.problems), 'problem')}"
        lines = [f"::group::{heading}", f"::stop-commands::{token}", *everything, f"::{token}::", "::endgroup::"]
        out.writelines(f"{line}\n" for line in lines)
    sentences = [] if quiet else list(summary(report, titles, stale))
    out.writelines(f"{line}\n" for line in sentences)
    _tell_runner(report, sentences)


@dataclass(frozen=True, slots=True)
class _Annotation:
    title: str
    message: str
    path: str
    span: Span | None = None
    line: int = 0


def _annotations(report: Report, severity: Severity) -> Iterator[str]:
    """The commands of one level, no more than are shown."""
    notes = [_of_problem(each) for each in report.problems if (ERROR if each.given else WARNING) is severity]
    notes += [_of_finding(each) for each in report.findings if each.severity is severity]
    shown = notes if len(notes) <= MOST else notes[: MOST - 1]
    yield from (_command(LEVELS[severity], each) for each in shown)
    if len(notes) > len(shown):
        more = plural(len(notes) - len(shown), f"more {LEVELS[severity]}")
        where = "the log of this step" + (" and the job's summary list" if os.environ.get("GITHUB_STEP_SUMMARY") else " lists")
        yield _command(
            LEVELS[severity], _Annotation("spark-lint", f"{more}: GitHub shows {MOST} of a step; {where} them all", "")
        )


def _of_finding(finding: Finding) -> _Annotation:
    lines = [finding.message]
    if finding.instead:
        lines += [f"instead: {finding.instead}"] if "\n" not in finding.instead else ["instead:", *finding.instead.splitlines()]
    lines += elsewhere(finding)
    return _Annotation(finding.code, "\n".join(map(safe, lines)), finding.span.path, finding.span)


def _of_problem(problem: Problem) -> _Annotation:
    return _Annotation("spark-lint: not everything could be read", safe(problem.message), problem.path, None, problem.line)


def _command(level: str, note: _Annotation) -> str:
    """`::error file=a.py,line=1,col=5,endLine=1,endColumn=9,title=CODE::message`."""
    message, properties = note.message, {}
    if note.path:
        path = _in_workspace(note.path)
        if path:
            properties = {"file": safe(path), **_place(note)}
        else:  # GitHub has no such file
            message = f"{safe(note.path)}: {message}"
    properties["title"] = safe(note.title)
    if len(message) > LONGEST:
        message = f"{message[:LONGEST]}…"
    return f"::{level} {','.join(f'{name}={_property(value)}' for name, value in properties.items())}::{_data(message)}"


def _place(note: _Annotation) -> dict[str, str]:
    """Columns only within one line, as GitHub takes no others. Ends are inclusive there: an `endColumn` that is not given is `col`.

    https://docs.github.com/en/rest/checks/runs#create-a-check-run and the runner's `ValidateLinesAndColumns` (2026-11).
    """
    span = note.span
    if span is None:
        return {"line": str(note.line)} if note.line else {}
    if span.line == span.end_line:
        last = max(span.column, span.end_column - 1)
        return {"line": str(span.line), "col": str(span.column), "endLine": str(span.line), "endColumn": str(last)}
    return {"line": str(span.line), "endLine": str(span.end_line - (span.end_column == 1))}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _in_workspace(path: str) -> str:
    """The path from the top of the checked-out repository; empty for one outside it."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if not workspace:
        return path
    here = os.path.realpath(os.curdir)
    found = os.path.relpath(os.path.normpath(Path(here, path)), os.path.realpath(workspace)).replace(os.sep, "/")
    return "" if found == ".." or found.startswith("../") else found


def _everything(report: Report) -> Iterator[str]:
    for finding in report.findings:
        yield finding_line(finding)
        yield from advice(finding)
    yield from map(problem_line, report.problems)


def _tell_runner(report: Report, sentences: Sequence[str]) -> None:
    counts = {"findings": len(report.findings), "errors": report.count(ERROR), "warnings": report.count(WARNING)}
    try:
        if outputs := os.environ.get("GITHUB_OUTPUT"):
            with Path(outputs).open("a", encoding="utf-8") as file:
                file.writelines(f"{name}={number}\n" for name, number in counts.items())
        if table := os.environ.get("GITHUB_STEP_SUMMARY"):
            add_summary(report, sentences, Path(table))
    except OSError as error:
        say(f"{error.filename}: {error.strerror}")
