"""Small projects in memory, for tests that ask what the whole tool makes of them."""

from collections.abc import Mapping
from typing import TypeVar

from spark_lint.check import Run, check_texts
from spark_lint.config import Config
from spark_lint.facts import Fact
from spark_lint.load import load

F = TypeVar("F", bound=Fact)


def run(files: Mapping[str, str], **settings: object) -> Run:
    """The run over files that are given by name and text."""
    return check_texts(files, Config(**settings), rules=load())  # type: ignore[arg-type]


def found(files: Mapping[str, str], **settings: object) -> list[tuple[str, int, str, str]]:
    """What is found, as (path, line, code, severity)."""
    report = run(files, **settings).report()
    return [(each.span.path, each.span.line, each.code, str(each.severity)) for each in report.findings]


def facts(files: Mapping[str, str], path: str, kind: type[F], name: str = "", **settings: object) -> list[F]:
    """The facts of a type (and name) in one file, with their scopes."""
    facts = run(files, **settings).projects[0].facts[path]
    return [each for each in facts if isinstance(each, kind) and (not name or each.name == name)]
