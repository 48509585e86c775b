"""A rule's page: its prose for people, its fences as tests.

A page is Markdown: a title, the problem, `## Do instead`, `## Flagged`, `## Fine`, `## Sources`. The second word of a fence is the
name of the file it stands for; fences with nothing between them are the files of one small project. In a Flagged fence, every
line with a finding ends in ` ← G1/rule-name`; the mark is cut off before linting.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final

from spark_lint.check import check_texts
from spark_lint.config import Config
from spark_lint.load import RuleSet
from spark_lint.rule import POSSIBLE

SECTIONS: Final = ("Do instead", "Flagged", "Fine", "Sources")
_MARK: Final = re.compile(r"[ \t]*← (G(?:10|[1-9])/[a-z0-9-]+(?:, G(?:10|[1-9])/[a-z0-9-]+)*)[ \t]*$")
_URL: Final = re.compile(r"https?://")
_DATE: Final = re.compile(r"\b20\d\d-[01]\d")


@dataclass(frozen=True, slots=True)
class Fence:
    """One file of an example: its name, its text without marks, and the findings expected in it as (line, code).

    line: where the fence opens on the page.
    """

    file: str
    text: str
    marks: frozenset[tuple[int, str]]
    line: int


@dataclass(frozen=True, slots=True)
class Example:
    """A small project under `Flagged` or `Fine`."""

    section: str
    fences: tuple[Fence, ...]

    @property
    def line(self) -> int:
        """Where it begins on the page."""
        return self.fences[0].line


@dataclass(frozen=True, slots=True)
class Page:
    """A rule's page, taken apart. text: the Markdown as written. sections: the text of each section by its heading."""

    path: Path
    text: str = field(repr=False)
    title: str
    problem: str
    sections: dict[str, str] = field(repr=False)
    examples: tuple[Example, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Failure:
    """Something a page claims and the rules do not do. line: on the page, 0 for the page as a whole."""

    page: Path
    line: int
    message: str


@cache
def page(path: Path) -> Page:
    """Read a page. Raises OSError where there is none."""
    from markdown_it import MarkdownIt

    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    tokens = MarkdownIt("commonmark").parse(text)
    title, section, bounds = "", "", {"": 1}
    examples: list[Example] = []
    adjoining = False
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.map:
            heading = tokens[index + 1].content
            if token.tag == "h1":
                title = heading
                bounds[""] = token.map[1]
            else:
                section = heading
                bounds[section] = token.map[0]
        elif token.type == "fence" and token.map and section in ("Flagged", "Fine"):
            fence = _fence(token.info, token.content, token.map[0] + 1)
            if adjoining:
                examples[-1] = replace(examples[-1], fences=(*examples[-1].fences, fence))
            else:
                examples.append(Example(section, (fence,)))
        adjoining = token.type == "fence"
    ends = [*list(bounds.values())[1:], len(lines)]
    parts = {
        name: "\n".join(lines[start + (name != "") : end]).strip()
        for (name, start), end in zip(bounds.items(), ends, strict=True)
    }
    return Page(path, text, title, parts.pop(""), parts, tuple(examples))


def _fence(info: str, content: str, line: int) -> Fence:
    marks, kept = [], []
    for number, row in enumerate(content.split("\n"), 1):
        if match := _MARK.search(row):
            marks += [(number, code) for code in match[1].split(", ")]
            row = row[: match.start()]
        kept.append(row)
    words = info.split()
    return Fence(words[1] if len(words) > 1 else "", "\n".join(kept), frozenset(marks), line)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What testing the pages of some rules gave."""

    pages: int
    fences: int
    failures: tuple[Failure, ...]


def outcome(rules: RuleSet, folder: Path | None = None) -> Outcome:
    """Run the pages of every rule (below `folder`, if one is given)."""
    files = dict.fromkeys(each.path for each in rules.rules if folder is None or folder.resolve() in each.path.resolve().parents)
    failures: list[Failure] = []
    fences = 0
    for path in files:
        code = next(each.code for each in rules.rules if each.path == path)
        try:
            shown = page(path.with_suffix(".md"))
        except OSError:
            failures.append(Failure(path.with_suffix(".md"), 0, f"{code} has no page"))
            continue
        fences += sum(len(example.fences) for example in shown.examples)
        failures += [*_form(shown), *(failure for example in shown.examples for failure in failed(shown, example, code, rules))]
    folders = dict.fromkeys(path.parent for path in files) if folder is None else [folder, *sorted(folder.glob("g*_*"))]
    for lone in (page for each in folders for page in sorted(each.glob("*.md")) if page.name != "README.md"):
        if not lone.with_suffix(".py").is_file():
            failures.append(Failure(lone, 0, "is the page of no rule: there is no function beside it"))
    return Outcome(len(files), fences, tuple(failures))


def _form(shown: Page) -> Iterator[Failure]:
    """What every page has."""
    for heading in SECTIONS:
        if not shown.sections.get(heading):
            yield Failure(shown.path, 0, f"has no section '{heading}'")
    if not shown.title or not shown.problem:
        yield Failure(shown.path, 0, "has no title or does not say what the problem is")
    if "`" not in shown.sections.get("Do instead", "`"):
        yield Failure(shown.path, 0, "'Do instead' has nothing to paste")
    sources = shown.sections.get("Sources", "")
    if sources and not (_URL.search(sources) and _DATE.search(sources)):
        yield Failure(shown.path, 0, "'Sources' needs an address and a date (2026-11)")
    for section, least in (("Flagged", 1), ("Fine", 2)):
        if sum(example.section == section for example in shown.examples) < least:
            yield Failure(shown.path, 0, f"needs at least {least} '{section}' example{'s' if least > 1 else ''}")


def failed(shown: Page, example: Example, code: str, rules: RuleSet) -> Iterator[Failure]:
    """How an example differs from what the rules say, asking the page's own rule and those it marks."""
    marked = {(fence.file, line, mark) for fence in example.fences for line, mark in fence.marks}
    asked = {code, *(mark for _, _, mark in marked)}
    for unknown in sorted(asked - rules.codes):
        yield Failure(shown.path, example.line, f"marks {unknown}, which is no rule")
    for fence in example.fences:
        if not fence.file:
            yield Failure(shown.path, fence.line, "the fence has no file name: ```text requirements.txt")
        elif any(other.file == fence.file for other in example.fences if other is not fence):
            yield Failure(shown.path, fence.line, f"two fences stand for {fence.file}: put a sentence between two examples")
    selected = RuleSet(tuple(each for each in rules.rules if each.code in asked), rules.gotchas)
    run = check_texts({fence.file: fence.text for fence in example.fences}, Config(min_confidence=POSSIBLE), rules=selected)
    report = run.report()
    for problem in report.problems:
        yield Failure(shown.path, _on_page(example, problem.path, problem.line), f"cannot be read: {problem.message}")
    found = {(finding.span.path, finding.span.line, finding.code) for finding in report.findings}
    for path, line, wanted in sorted(marked - found):
        yield Failure(shown.path, _on_page(example, path, line), f"expected {wanted}, found nothing")
    for path, line, unwanted in sorted(found - marked):
        yield Failure(shown.path, _on_page(example, path, line), f"did not expect {unwanted}")
    if example.section == "Flagged" and code not in {mark for _, _, mark in marked}:
        yield Failure(shown.path, example.line, f"a Flagged example marks no {code}")
    facts = [fact for each in run.projects for row in each.facts.values() for fact in row]
    if example.section == "Fine" and not any(run.dispatch.woken(fact) for fact in facts):
        yield Failure(shown.path, example.line, f"holds nothing that {code} looks at, so it proves nothing")


def _on_page(example: Example, path: str, line: int) -> int:
    return next((fence.line + line for fence in example.fences if fence.file == path), example.line)
