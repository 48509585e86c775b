"""Stands for the engine in tests of the command line."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

# Imported here, since `lint` replaces the folder of rules, which the tables are read from, and the engine, which `explain` asks.
import spark_lint.explain_known
import spark_lint.knowledge  # noqa: F401
from spark_lint.config import Config
from spark_lint.findings import FileRead, Finding, Report
from spark_lint.rule import CERTAIN, Severity
from spark_lint.text import Span

RULE = """\
from spark_lint.facts import Package
from spark_lint.rule import {severity}, Advice, rule


@rule(on=Package, named="{name}", severity={severity})
def check(package, project):
    yield Advice("no")
"""


class Lint:
    """Stands for the engine: keeps what it was asked and gives a report made by hand."""

    def __init__(self) -> None:
        self.report = Report(files=(FileRead("a.txt", "requirements"),))
        self.raises: BaseException | None = None
        self.paths: tuple[str, ...] = ()
        self.config = Config()
        self.stdin: tuple[str, bytes] | None = None

    def check(self, paths: list[str], config: Config, *, rules: Any, stdin: tuple[str, bytes] | None = None) -> Report:
        self.paths, self.config, self.stdin = tuple(paths), config, stdin
        if self.raises:
            raise self.raises
        return self.report

    def why(self, path: str, line: int, config: Config, *, rules: Any) -> list[str]:
        return [f"{path} {line} {config.sparks} \x1b[31m"]


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lint:
    """The engine replaced, three rules in two gotchas, and an empty working directory."""
    folder = tmp_path / "rules"
    for gotcha, name, severity in (
        ("g1_cuda", "old_cuda", "ERROR"),
        ("g1_cuda", "amd64", "WARNING"),
        ("g10_two", "tensor", "INFO"),
    ):
        (folder / gotcha).mkdir(parents=True, exist_ok=True)
        (folder / gotcha / f"{name}.py").write_text(RULE.format(name=name, severity=severity))
        (folder / gotcha / f"{name}.md").write_text(f"# About {name}\n\nWhy.\n")
    (folder / "g1_cuda" / "README.md").write_text("# G1: CUDA 12\n\nSymptom.\n")
    (folder / "g3_empty").mkdir()
    monkeypatch.setattr("spark_lint.load.rules_folder", lambda: folder)
    made = Lint()
    engine = ModuleType("spark_lint.check")
    engine.check = made.check  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spark_lint.check", engine)
    asked = ModuleType("spark_lint.why")
    asked.why = made.why  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spark_lint.why", asked)
    for name in ("NO_COLOR", "FORCE_COLOR", "SPARK_LINT_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return made


def found(severity: Severity) -> Finding:
    """A finding of a rule that there is, in line 1 of `a.txt`."""
    return Finding("G1/old-cuda", severity, CERTAIN, Span("a.txt", 1, 1, 1, 2), "old")
