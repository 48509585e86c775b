"""spark-lint on the real locks of `tests/locks`, each with its manifest: silent on those that work, and what it says of those that break."""

from pathlib import Path

import pytest
from dates import undated

from spark_lint.check import check
from spark_lint.config import Config
from spark_lint.load import load

LOCKS = Path(__file__).parent / "locks"
RULES = load()
EXPECTED = LOCKS / "breaks" / "findings.txt"


def said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(folder)
    report = check(["."], Config(), rules=RULES)
    assert not report.problems
    return [f"{each.span.path}:{each.span.line} {each.severity} {each.code}: {each.message}" for each in report.findings]


@pytest.mark.parametrize("tool", sorted(path.name for path in (LOCKS / "works").iterdir() if path.is_dir()))
def test_nothing_is_said_of_what_works(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(LOCKS / "works" / tool, monkeypatch) == []


def test_what_is_said_of_what_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    """`findings.txt` is read by eye when it changes: it is what a person sees."""
    tools = sorted(path for path in (LOCKS / "breaks").iterdir() if path.is_dir())
    found = "".join(f"== {path.name}\n" + "".join(f"{line}\n" for line in said(path, monkeypatch)) for path in tools)
    assert undated(found) == undated(EXPECTED.read_text())
