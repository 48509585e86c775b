"""Suppressions in the files: `# spark-lint: ignore[G2/flash-attn-requirement] reason`. `suppress.md` is what users read."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final, NamedTuple

from spark_lint.findings import Finding
from spark_lint.rule import CERTAIN, WARNING
from spark_lint.selectors import (
    LINT_CODES,
    MALFORMED_SUPPRESSION,
    UNKNOWN_SUPPRESSION,
    UNUSED_SUPPRESSION,
    is_broad,
    nearest,
)
from spark_lint.suppress_layouts import Layout, Lines, layouts
from spark_lint.text import Source, Span

_MARK: Final = "spark-lint:"
_COMMENT: Final = re.compile(r"(?:#|//|<!--|\{/\*)[ \t]*spark-lint:")
_BODY: Final = re.compile(r"ignore\s*\[(?P<codes>[^\]]*)\]\s*(?P<reason>.*)", re.DOTALL)
_ENDS: Final = {"<!--": " -->", "{/*": " */}"}
_CODE: Final = re.compile(r"[^\s,](?:[^,]*[^\s,])?")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment that hides findings.

    codes: what it names, each with its place: codes, gotchas or names of rules; none where it is malformed.
    reason: the author's words. span: the comment. first_line, last_line: what it covers; 0 where nothing follows it.
    sign: what makes it a comment (`#`).
    """

    codes: tuple[tuple[str, Span], ...]
    reason: str
    span: Span
    first_line: int
    last_line: int
    sign: str = "#"

    def hides(self, code: str, line: int) -> bool:
        """Whether it hides a finding of this code that begins on this line."""
        named = {word for word, _ in self.codes}
        return self.first_line <= line <= self.last_line and not named.isdisjoint((code, *code.split("/")))


def suppressions(source: Source, kind: str) -> tuple[Suppression, ...]:
    """The suppressions in a file of a kind (`Python`). Text that only looks like a comment, in a string, is none."""
    if _MARK not in source.text:
        return ()
    found = [mark for layout in layouts(source, kind) for mark in _of_layout(layout)]
    return tuple(sorted(found, key=lambda mark: mark.span))


def _of_layout(layout: Layout) -> Iterator[Suppression]:
    source = layout.source
    lines = [source.position(comment.start)[0] for comment in layout.comments]
    covered = _covered(layout, lines)
    for comment, line in zip(layout.comments, lines, strict=True):
        if found := _COMMENT.search(comment.text):
            yield _suppression(source, comment.start, comment.text, found.span(), _home(source, covered[line]))


def _home(source: Source, covered: Lines) -> Lines:
    """These lines of a text as lines of the file it stands in."""
    first, last = covered
    if not first:
        return covered
    end = source.offset(last, len(source.lines[last - 1]) + 1)
    return source.span(source.starts[first - 1], end).line, source.span(end, end).line


def _suppression(source: Source, at: int, text: str, mark: tuple[int, int], covered: tuple[int, int]) -> Suppression:
    """at: where the comment begins in the file. mark: where `# spark-lint:` stands in its text."""
    words = text[mark[1] :]
    body = words.strip()
    begin = at + mark[1] + len(words) - len(words.lstrip())
    span = source.span(at + mark[0], begin + len(body))
    sign = text[mark[0] :].partition("spark-lint:")[0].rstrip()
    match = _BODY.fullmatch(body)
    if match is None:
        return Suppression((), "", span, *covered, sign)
    inside = begin + match.start("codes")
    codes = [(code[0], source.span(inside + code.start(), inside + code.end())) for code in _CODE.finditer(match["codes"])]
    # `ALL` and globs would also hide what nobody has seen yet.
    named = () if any(is_broad(code) for code, _ in codes) else tuple(codes)
    return Suppression(named, match["reason"], span, *covered, sign)


def _covered(layout: Layout, lines: Sequence[int]) -> dict[int, Lines]:
    """What a comment on each of these lines belongs to: the statement around it, else the next if only comments lie between.

    Statements may hold statements: of those around it, it is the innermost; a comment with a line of its own may belong to the next
    one inside that.
    """
    nested = _Nested(layout.statements)
    covered: dict[int, Lines] = {}
    for line in sorted(set(lines), reverse=True):
        around = next(nested.around(line), None)
        below = nested.by_first.get(line + 1) or covered.get(line + 1)
        if around is None:
            covered[line] = below or (0, 0)
        elif below and around[0] < below[0] <= below[1] <= around[1] and line in layout.alone:
            covered[line] = below
        else:
            covered[line] = around
    return covered


class _Nested:
    """Stretches of lines, of which one may lie inside another."""

    def __init__(self, stretches: Iterable[Lines]) -> None:
        self._stretches = sorted(set(stretches), key=lambda each: (each[0], -each[1]))
        self._firsts = [first for first, _ in self._stretches]
        self._parents: list[int] = []
        open_: list[int] = []
        for at, (first, _) in enumerate(self._stretches):
            while open_ and self._stretches[open_[-1]][1] < first:
                open_.pop()
            self._parents.append(open_[-1] if open_ else -1)
            open_.append(at)
        self.by_first = {each[0]: each for each in reversed(self._stretches)}

    def around(self, line: int) -> Iterator[Lines]:
        """Those in which a line lies, from the inside."""
        at = bisect_right(self._firsts, line) - 1
        while at >= 0:
            if line <= self._stretches[at][1]:
                yield self._stretches[at]
            at = self._parents[at]


def apply(
    findings: Iterable[Finding],
    marks: Mapping[str, Sequence[Suppression]],
    known: Collection[str],
    active: Collection[str],
    partial: Collection[str] = (),
) -> tuple[list[Finding], int]:
    """The findings that are left, with those about the suppressions themselves, and how many were hidden.

    findings: before any is taken out by path or confidence, else their suppressions look unused. marks: path → suppressions.
    known: every code, and every gotcha (`G7`). active: the codes that ran; what did not run can't be called unused.
    partial: files that could not be read in full, for the same reason.
    """
    meanings, ran = _meanings(known), frozenset(active) - LINT_CODES
    statements = {path: _Nested((mark.first_line, mark.last_line) for mark in each) for path, each in marks.items()}
    named = {
        _Use(path, mark.first_line, mark.last_line, word)
        for path, each in marks.items()
        for mark in each
        for word, _ in mark.codes
    }
    kept: list[Finding] = []
    used: set[_Use] = set()
    hidden = 0
    for finding in findings:
        path = finding.span.path
        around = statements[path].around(finding.span.line) if path in statements else ()
        words = (finding.code, *finding.code.split("/"))
        hits = named & {_Use(path, *lines, word) for lines in around for word in words}
        used |= hits
        hidden += bool(hits)
        if not hits:
            kept.append(finding)
    for path, each in marks.items():
        for mark in each:
            hiding = {
                word for word, _ in mark.codes if path in partial or _Use(path, mark.first_line, mark.last_line, word) in used
            }
            # After so many nobody reads suggestions, and they cost the most.
            kept += _about(mark, meanings, ran, hiding, len(kept) < 1000)
    return kept, hidden


class _Use(NamedTuple):
    """A word of the suppressions for one statement."""

    path: str
    first_line: int
    last_line: int
    word: str


def _meanings(known: Collection[str]) -> Mapping[str, set[str]]:
    """Every word that a suppression may use → the codes of rules it stands for; none yet for a gotcha without rules."""
    meanings: dict[str, set[str]] = {}
    for code in (*known, *LINT_CODES):
        for word in {code, *code.split("/")}:
            meanings.setdefault(word, set()).update([code] if "/" in code else [])
    return meanings


def _about(
    mark: Suppression, meanings: Mapping[str, set[str]], ran: Set[str], hiding: Set[str], suggest: bool
) -> Iterator[Finding]:
    """What is wrong with one suppression. It may name `lint/…` to be left alone itself."""
    accepted = {code for word, _ in mark.codes for code in meanings.get(word, ()) if code in LINT_CODES}
    return (finding for finding in _wrong(mark, meanings, ran, hiding, suggest) if finding.code not in accepted)


def _wrong(
    mark: Suppression, meanings: Mapping[str, set[str]], ran: Set[str], hiding: Set[str], suggest: bool
) -> Iterator[Finding]:
    if not mark.codes:
        message = "this hides nothing: a suppression names its rules, `ignore[CODE]` or `ignore[CODE, CODE]`"
        instead = f"{mark.sign} spark-lint: ignore[CODE] reason{_ENDS.get(mark.sign, '')}"
        yield Finding(MALFORMED_SUPPRESSION, WARNING, CERTAIN, mark.span, message, instead)
    for word, place in mark.codes:
        if word not in meanings:
            near = nearest(word, meanings) if suggest else ""
            message = f"`{word}` names no rule{f'; did you mean `{near}`?' if near else ', so this hides nothing'}"
            yield Finding(UNKNOWN_SUPPRESSION, WARNING, CERTAIN, place, message, near)
        elif word not in hiding and meanings[word] and meanings[word] <= ran:
            why = f"`{word}` has nothing to say here" if mark.first_line else "no statement stands directly below it"
            yield Finding(UNUSED_SUPPRESSION, WARNING, CERTAIN, place, f"this suppression hides nothing: {why}")
