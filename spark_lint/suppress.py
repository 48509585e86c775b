"""Suppressions in the files: `# spark-lint: ignore[G2/flash-attn-requirement] reason`. `suppress.md` is what users read."""

import re
import sys
import tokenize
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from spark_lint.files import DOCKERFILE, PYTHON, REQUIREMENTS
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
from spark_lint.text import Source, Span, Text

_MARK: Final = "spark-lint:"
_COMMENT: Final = re.compile(r"#[ \t]*spark-lint:")
_BODY: Final = re.compile(r"ignore\s*\[(?P<codes>[^\]]*)\]\s*(?P<reason>.*)", re.DOTALL)
_CODE: Final = re.compile(r"[^\s,](?:[^,]*[^\s,])?")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment that hides findings.

    codes: what it names, each with its place: codes, gotchas or names of rules; none where it is malformed.
    reason: the author's words. span: the comment. first_line, last_line: what it covers; 0 where nothing follows it.
    """

    codes: tuple[tuple[str, Span], ...]
    reason: str
    span: Span
    first_line: int
    last_line: int

    def hides(self, code: str, line: int) -> bool:
        """Whether it hides a finding of this code that begins on this line."""
        named = {word for word, _ in self.codes}
        return self.first_line <= line <= self.last_line and not named.isdisjoint((code, *code.split("/")))


class _Comment(NamedTuple):
    """A comment: where its `#` stands in the file, and its text to the end of the line."""

    start: int
    text: str


_Statements: TypeAlias = list[tuple[int, int]]
"""The first and last line of each statement, in order."""


def suppressions(source: Source, kind: str) -> tuple[Suppression, ...]:
    """The suppressions in a file of a kind (`Python`). Text that only looks like a comment, in a string, is none."""
    if _MARK not in source.text or kind not in _LAYOUTS:
        return ()
    comments, statements = _LAYOUTS[kind](source)
    lines = [source.position(comment.start)[0] for comment in comments]
    covered = _covered(lines, statements)
    return tuple(
        _suppression(source, comment.start, comment.text, found.span(), covered[line])
        for comment, line in zip(comments, lines, strict=True)
        if (found := _COMMENT.search(comment.text))
    )


def _suppression(source: Source, at: int, text: str, mark: tuple[int, int], covered: tuple[int, int]) -> Suppression:
    """at: where the comment begins in the file. mark: where `# spark-lint:` stands in its text."""
    words = text[mark[1] :]
    body = words.strip()
    begin = at + mark[1] + len(words) - len(words.lstrip())
    span = source.span(at + mark[0], begin + len(body))
    match = _BODY.fullmatch(body)
    if match is None:
        return Suppression((), "", span, *covered)
    inside = begin + match.start("codes")
    codes = [(code[0], source.span(inside + code.start(), inside + code.end())) for code in _CODE.finditer(match["codes"])]
    # `ALL` and globs would also hide what nobody has seen yet.
    named = () if any(is_broad(code) for code, _ in codes) else tuple(codes)
    return Suppression(named, match["reason"], span, *covered)


def _covered(lines: Sequence[int], statements: _Statements) -> dict[int, tuple[int, int]]:
    """What a comment on each of these lines belongs to: the statement around it, else the next if only comments lie between."""
    by_first = dict(statements)
    firsts = sorted(by_first)
    covered: dict[int, tuple[int, int]] = {}
    for line in sorted(set(lines), reverse=True):
        at = bisect_right(firsts, line) - 1
        if at >= 0 and line <= by_first[firsts[at]]:
            covered[line] = firsts[at], by_first[firsts[at]]
        elif line + 1 in by_first:
            covered[line] = line + 1, by_first[line + 1]
        else:
            covered[line] = covered.get(line + 1, (0, 0))
    return covered


def _python(source: Source) -> tuple[list[_Comment], _Statements]:
    """Comments, and logical lines: simple statements and the headers of compound ones. Up to the first error, if there is one."""
    comments: list[_Comment] = []
    statements: _Statements = []
    begun = 0
    lines = iter([f"{line}\n" for line in source.lines])
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                comments.append(_Comment(source.offset(token.start[0], token.start[1] + 1), token.string))
            elif token.type == tokenize.NEWLINE:
                statements.append((begun, token.start[0]))
                begun = 0
            elif token.type not in _BLANK:
                begun = begun or token.start[0]
    except (tokenize.TokenError, SyntaxError, ValueError):  # the reader reports it
        pass
    return comments, statements


_BLANK: Final = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})
_REQUIREMENT_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#.*$")


def _requirements(source: Source) -> tuple[list[_Comment], _Statements]:
    """Comments, and lines with their continuations. As pip reads them, a line that is a comment ends a continuation."""
    comments: list[_Comment] = []
    statements: _Statements = []
    begun = 0
    for number, line in enumerate(source.lines, 1):
        comment = _REQUIREMENT_COMMENT.search(line)
        whole = comment is not None and not line[: comment.start()].strip()
        if comment:
            comments.append(_Comment(source.offset(number, comment.start() + 1), comment[0]))
        if line.endswith("\\") and not whole:
            begun = begun or number
        elif begun or (line.strip() and not whole):
            statements.append((begun or number, number))
            begun = 0
    return comments, statements + ([(begun, len(source.lines))] if begun else [])


def _dockerfile(source: Source) -> tuple[list[_Comment], _Statements]:
    """Comments, those between the lines of an instruction too, and instructions with their here-documents."""
    from spark_lint.read.dockerfile_lines import escape_directive, instructions

    text = Text.of(source)
    directive = escape_directive(text)
    statements: _Statements = []
    documents: set[int] = set()
    trailing: list[_Comment] = []
    for instruction in instructions(text, directive.value if directive else "\\"):
        spans = [instruction.place.span, *(heredoc.whole.span for heredoc in instruction.heredocs if heredoc.whole.value)]
        statements.append((spans[0].line, max(span.end_line for span in spans)))
        documents.update(number for span in spans[1:] for number in range(span.line, span.end_line + 1))
        # What follows the command of a RUN on its last line is a comment of the shell.
        last = spans[0].end_line
        if instruction.keyword == "RUN" and (behind := _BEHIND.search(source.lines[last - 1])):
            trailing.append(_Comment(source.starts[last - 1] + behind.start(1), behind[1]))
    comments = [
        _Comment(source.starts[number - 1] + line.index("#"), line[line.index("#") :])
        for number, line in enumerate(source.lines, 1)
        if line.lstrip().startswith("#") and number not in documents
    ]
    return comments + trailing, statements


_BEHIND: Final = re.compile(r"(?<=\S)[ \t]+(#[ \t]*spark-lint:.*)$")
_LAYOUTS: Final[Mapping[str, Callable[[Source], tuple[list[_Comment], _Statements]]]] = {
    PYTHON: _python,
    REQUIREMENTS: _requirements,
    DOCKERFILE: _dockerfile,
}
"""Kind of file → where its comments and its statements are."""


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
    statements = {path: sorted({(mark.first_line, mark.last_line) for mark in each}) for path, each in marks.items()}
    named = {(path, mark.first_line, word) for path, each in marks.items() for mark in each for word, _ in mark.codes}
    kept: list[Finding] = []
    used: set[tuple[str, int, str]] = set()
    hidden = 0
    for finding in findings:
        path, first = finding.span.path, _first_line(statements.get(finding.span.path, ()), finding.span.line)
        hits = named & {(path, first, word) for word in (finding.code, *finding.code.split("/"))} if first else set()
        used |= hits
        hidden += bool(hits)
        if not hits:
            kept.append(finding)
    for path, each in marks.items():
        for mark in each:
            hiding = {word for word, _ in mark.codes if path in partial or (path, mark.first_line, word) in used}
            # After so many nobody reads suggestions, and they cost the most.
            kept += _about(mark, meanings, ran, hiding, len(kept) < 1000)
    return kept, hidden


def _meanings(known: Collection[str]) -> Mapping[str, set[str]]:
    """Every word that a suppression may use → the codes of rules it stands for; none yet for a gotcha without rules."""
    meanings: dict[str, set[str]] = {}
    for code in (*known, *LINT_CODES):
        for word in {code, *code.split("/")}:
            meanings.setdefault(word, set()).update([code] if "/" in code else [])
    return meanings


def _first_line(statements: Sequence[tuple[int, int]], line: int) -> int:
    """The first line of the one of these statements in which a line lies; 0 for none."""
    at = bisect_right(statements, (line, sys.maxsize)) - 1
    return statements[at][0] if at >= 0 and line <= statements[at][1] else 0


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
        yield Finding(MALFORMED_SUPPRESSION, WARNING, CERTAIN, mark.span, message, "# spark-lint: ignore[CODE] reason")
    for word, place in mark.codes:
        if word not in meanings:
            near = nearest(word, meanings) if suggest else ""
            message = f"`{word}` names no rule{f'; did you mean `{near}`?' if near else ', so this hides nothing'}"
            yield Finding(UNKNOWN_SUPPRESSION, WARNING, CERTAIN, place, message, near)
        elif word not in hiding and meanings[word] and meanings[word] <= ran:
            why = f"`{word}` has nothing to say here" if mark.first_line else "no statement stands directly below it"
            yield Finding(UNUSED_SUPPRESSION, WARNING, CERTAIN, place, f"this suppression hides nothing: {why}")
