"""What there is to say about rules: the page of one, the README of a gotcha, the list of all; and where to ask for the rest."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from spark_lint.load import RuleSet
from spark_lint.rule import Rule, Severity
from spark_lint.selectors import LINT_CODES, meant, spellings

LONGEST: Final = 100
"""Characters of a name that an error repeats."""


def found(asked: str, rules: RuleSet) -> dict[str, Any]:
    """What there is to say of a rule, a gotcha, a package, an image or a model, as values that JSON can hold.

    Raises LookupError, with a suggestion, for anything else.
    """
    if text := page(asked, rules):
        return {"schema": 1, "kind": "gotcha" if asked in rules.gotchas else "rule", "name": asked, "text": text}
    from spark_lint.explain_known import known_of, names

    if known := known_of(asked, rules):
        return known
    choices = spellings([*rules.codes, *rules.gotchas, *LINT_CODES]) - {"ALL"} | names()
    shown = asked if len(asked) <= LONGEST else f"{asked[:LONGEST]}…"
    raise LookupError(f"`{shown}` is no rule or gotcha, and no package, image or model in the tables{meant(asked, choices)}")


def lines(known: dict[str, Any]) -> Iterator[str]:
    """What was found, for people."""
    if "text" in known:
        yield from known["text"].rstrip("\n").split("\n")
        return
    from spark_lint.explain_shown import shown

    yield from shown(known)


def page(code: str, rules: RuleSet) -> str:
    """The page of a rule (`G1/torch-index-cuda12`, or its name alone) as written; the README of a gotcha (`G1`) with its rules; empty for
    what is neither.
    """
    if code == "lint" or code in LINT_CODES or f"lint/{code}" in LINT_CODES:
        return Path(__file__).with_name("suppress.md").read_text("utf-8")
    if code in rules.gotchas:
        return _gotcha(code, rules)
    pages = {each.page for each in rules.rules if code in (each.code, each.name)}
    return "\n".join(_text(each) or f"{code} has no page.\n" for each in sorted(pages))


def _gotcha(gotcha: str, rules: RuleSet) -> str:
    own = {code: group for code, group in _by_code(rules).items() if group[0].gotcha == gotcha}
    listed = [f"- `{code}` ({', '.join(_severities(group))}): {title(group[0])}" for code, group in own.items()]
    readme = _text(rules.gotchas[gotcha] / "README.md").rstrip("\n")
    return "\n".join([readme, "", "## Rules", "", *(listed or ["None yet."]), ""]).lstrip("\n")


def listing(rules: RuleSet) -> Iterator[str]:
    """The rules for people: code, severities, confidence, title, in columns."""
    rows = [
        (code, "/".join(_severities(group)), str(group[0].confidence), title(group[0])) for code, group in _by_code(rules).items()
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for row in rows:
        yield "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])


def as_json(rules: RuleSet, as_of: str) -> str:
    """The rules for programs: an array, one object a code."""
    rows = [
        {
            "code": code,
            "gotcha": group[0].gotcha,
            "rule": group[0].name,
            "title": title(group[0]),
            "severities": _severities(group),
            "confidence": str(group[0].confidence),
            "fix": None,
            "as_of": as_of,
        }
        for code, group in _by_code(rules).items()
    ]
    return json.dumps(rows, indent=2) + "\n"


def title(rule: Rule[Any]) -> str:
    """The first heading of a rule's page; its name where there is no page. One line is read by hand: a parser costs 100 ms."""
    headings = (line[2:].strip() for line in _text(rule.page).splitlines() if line.startswith("# "))
    return next(headings, rule.name)


def _by_code(rules: RuleSet) -> Mapping[str, list[Rule[Any]]]:
    """Code → the functions under it, in the order of the gotchas' numbers."""
    groups: dict[str, list[Rule[Any]]] = {}
    for rule in sorted(rules.rules, key=lambda each: (int(each.gotcha[1:]), each.name)):
        groups.setdefault(rule.code, []).append(rule)
    return groups


def _severities(group: list[Rule[Any]]) -> list[str]:
    """What a rule can give, worst first: its own severity, and those that its file names for its advice."""
    named = (value for rule in group for value in rule.check.__globals__.values() if isinstance(value, Severity))
    return [str(severity) for severity in sorted({*named, *(rule.severity for rule in group)}, reverse=True)]


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError:
        return ""
