"""The table that a job in GitHub Actions shows: Markdown, of which nothing is left to what the linted files say."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final

from spark_lint.findings import Report
from spark_lint.report.terminal import safe
from spark_lint.report.text import plural

LIMIT: Final = 1024 * 1024
"""Bytes of a step's summary; of a larger one nothing is shown.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits (2026-11)
"""
_RESERVE: Final = 1024
_LONGEST: Final = 500
_SIGN: Final = re.compile(r"""[^\w ,;./'"()=?+%{}-]|_|(?<=www)\.""", re.IGNORECASE)


def add_summary(report: Report, lines: Sequence[str], file: Path) -> None:
    """Add the findings and problems, worst first, as a table behind what the file holds already.

    lines: sentences that stand above the table. Rows that would make it too large are left out, and it says how many.
    """
    size = file.stat().st_size if file.exists() else 0
    head = "\n## spark-lint\n\n" + "".join(f"{_text(line)}\n\n" for line in lines)
    rows = [f"| {' | '.join(row)} |\n" for row in _rows(report)]
    if rows:
        head += "| Severity | Where | Code | What | Instead |\n|---|---|---|---|---|\n"
    room = LIMIT - _RESERVE - size - len(head.encode())
    sizes = accumulate(len(row.encode()) for row in rows)
    fitting = bisect_right(list(sizes), room)
    if fitting < len(rows):
        more = plural(len(rows) - fitting, "more row")
        rows[fitting:] = [f"\n{more} would not fit here; the log of this step lists everything.\n"]
    if room > 0:
        with file.open("a", encoding="utf-8", newline="\n") as out:
            out.writelines([head, *rows])


def _rows(report: Report) -> Iterator[list[str]]:
    for problem in report.problems:
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        yield ["problem", _code(place), "", _text(problem.message), ""]
    for finding in sorted(report.findings, key=lambda each: -each.severity):
        place = f"{finding.span.path}:{finding.span.line}"
        instead = "<br>".join(map(_code, finding.instead.splitlines()))
        yield [str(finding.severity), _code(place), _code(finding.code), _text(finding.message), instead]


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


def _text(text: str) -> str:
    """The text with every sign that means something as an entity: no markup, no link, no mention, no cell that ends early."""
    text = safe(text)
    text = f"{text[:_LONGEST]}…" if len(text) > _LONGEST else text
    # A tag behind `@` keeps the parts of an address apart, which would become a link although its signs are entities.
    return _SIGN.sub(lambda match: f"&#{ord(match[0])};{'<wbr>' if match[0] == '@' else ''}", text)
