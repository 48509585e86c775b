"""For people: each finding with its source line and what to write instead, then what was read and what to fix first."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TextIO

from spark_lint.findings import Finding, Report
from spark_lint.report.concise import problem_line
from spark_lint.report.terminal import excerpt, safe
from spark_lint.rule import Related, Severity
from spark_lint.text import Source

CAUSES: Final = 5
"""How many causes `Fix first` names."""
MOST_RELATED: Final = 5
"""How many related places a finding shows; machine-readable reports hold them all."""
SHORT: Final = 60
"""A page's title up to this length can stand in a list."""
PLURALS: Final = {"Dockerfile": "Dockerfiles", "notebook": "notebooks"}
"""Kinds of files that are counted by a noun; the others are adjectives (`3 requirements`, `6 Python`)."""
COLORS: Final = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


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
    """Findings in order, problems, and unless `quiet` the summary."""
    paint = _painter(color)
    blocks = [list(_finding(finding, report.sources.get(finding.span.path), paint)) for finding in report.findings]
    blocks.append([problem_line(problem) for problem in report.problems])
    if not quiet:
        blocks.append(list(summary(report, titles, stale)))
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    out.write(f"{text}\n" if text else "")


def _painter(color: bool) -> Callable[..., str]:
    if not color:
        return lambda text, **_: str(text)
    from click import style

    return style


def _finding(finding: Finding, source: Source | None, paint: Callable[..., str]) -> Iterator[str]:
    span, tint = finding.span, COLORS[finding.severity]
    place = paint(safe(f"{span.path}:{span.line}:{span.column}"), bold=True)
    place += f": cell {span.cell}" if span.cell else ""
    severity = paint(str(finding.severity), fg=tint, bold=True)
    yield f"{place}: {severity} {paint(safe(finding.code), bold=True)}: {safe(finding.message)}"
    if source and span.line <= len(source.lines):
        line = source.lines[span.line - 1]
        # Of a span over several lines the first is shown.
        stop = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
        shown, blanks, carets = excerpt(line, span.column - 1, stop)
        number = str(span.line)
        yield f"  {number} | {shown}".rstrip()
        yield f"  {' ' * len(number)} | {blanks}{paint(carets, fg=tint, bold=True)}"
    yield from advice(finding)


def advice(finding: Finding) -> Iterator[str]:
    """The lines below a finding: what to write instead, and the other places."""
    for number, line in enumerate(finding.instead.splitlines()):
        yield f"  {' ' * 9 if number else 'instead: '}{safe(line)}"
    yield from (f"  {safe(line)}" for line in elsewhere(finding))


def elsewhere(finding: Finding) -> Iterator[str]:
    """The other places, so many that one still reads them."""
    yield from map(_place, finding.related[:MOST_RELATED])
    more = len(finding.related) - MOST_RELATED
    if more > 0:
        yield f"and {plural(more, 'more place')}"


def _place(related: Related) -> str:
    """`installed here (IMAGE)` becomes `installed at Dockerfile:7 (IMAGE)`; without a `here` the place comes first."""
    place = f"{related.span.path}:{related.span.line}"
    sentence, here = re.subn(r"\bhere\b", lambda _: f"at {place}", related.message, count=1)
    return sentence if here else f"{place}: {related.message}"


def summary(report: Report, titles: Mapping[str, str], stale: str) -> Iterator[str]:
    """What was read and assumed, what to fix first, how much was found, and whether what is known is too old."""
    yield from (f"Not read: {safe(path)}: not a kind of file that spark-lint knows" for path in report.skipped)
    yield safe(" ".join([_read(report), *report.assumptions]))
    causes = _causes(report, titles)
    if len(causes) > 1:
        more = len(causes) - CAUSES
        yield f"Fix first: {', '.join(causes[:CAUSES])}{f', and {more} more' if more > 0 else ''}."
    yield _verdict(report)
    if stale:
        yield stale


def _read(report: Report) -> str:
    if not report.files:
        return "Found nothing to read."
    kinds = Counter(file.kind for file in report.files)
    ranked = sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))
    counts = ", ".join(f"{number} {kind if number == 1 else PLURALS.get(kind, kind)}" for kind, number in ranked)
    context = sum(file.neighbour for file in report.files)
    aside = f" ({context} of them only to see where the others run)" if context else ""
    return f"Read {plural(len(report.files), 'file')}{aside}: {counts}."


def _causes(report: Report, titles: Mapping[str, str]) -> list[str]:
    """What is wrong, worst first, then by the number of places."""
    worst: dict[str, Severity] = {}
    places: dict[str, set[tuple[str, int]]] = {}
    for finding in report.findings:
        if finding.severity > Severity.INFO and finding.gotcha:
            worst[finding.code] = max(finding.severity, worst.get(finding.code, finding.severity))
            places.setdefault(finding.code, set()).add((finding.span.path, finding.span.line))
    ranked = sorted(worst, key=lambda code: (-worst[code], -len(places[code]), code))
    return [f"{_cause(code, titles.get(code, ''))} ({plural(len(places[code]), 'place')})" for code in ranked]


def _cause(code: str, title: str) -> str:
    """The page's title as it stands inside a sentence, or the rule's name where it is too long for a list."""
    if not title or len(title) > SHORT:
        return code.partition("/")[2]
    word = title.split()[0]
    return title[0].lower() + title[1:] if word[1:] == word[1:].lower() and word.isalpha() else title


def _verdict(report: Report) -> str:
    unread = len(report.problems) + len(report.skipped)
    counts = [
        plural(report.count(severity), str(severity)) for severity in sorted(Severity, reverse=True) if report.count(severity)
    ]
    extra = []
    if report.problems:
        so = ", so not everything could be checked" if report.files else ""
        extra.append(f"{plural(len(report.problems), 'problem')}{so}")
    if report.hidden:
        extra.append(f"{plural(report.hidden, 'finding')} suppressed")
    if counts:
        return f"{'; '.join([', '.join(counts), *extra])}. `spark-lint explain CODE` for the why."
    if unread or not report.files:
        nothing = "No findings in what could be read" if report.files else "Nothing was checked"
        return "; ".join([nothing, *extra]) + "."
    return "; ".join(["Nothing found", *extra]) + "."


def plural(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
