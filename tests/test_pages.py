"""Every rule's page holds what it claims; and a page that does not is told so."""

from pathlib import Path

import pytest

from spark_lint.load import load
from spark_lint.pages import failed, outcome, page

RULES = load()
FILES = sorted({each.path for each in RULES.rules})
EXAMPLES = [
    pytest.param(path, example, id=f"{path.parent.name}/{path.stem}:{example.line}")
    for path in FILES
    if path.with_suffix(".md").is_file()
    for example in page(path.with_suffix(".md")).examples
]


@pytest.mark.parametrize(("path", "example"), EXAMPLES)
def test_an_example_gives_what_its_page_says(path: Path, example: object) -> None:
    code = next(each.code for each in RULES.rules if each.path == path)
    failures = failed(page(path.with_suffix(".md")), example, code, RULES)  # type: ignore[arg-type]
    assert [f"{failure.page.name}:{failure.line}: {failure.message}" for failure in failures] == []


@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES}), ids=lambda path: path.name)
def test_every_rule_has_a_whole_page(folder: Path) -> None:
    failures = outcome(RULES, folder).failures
    assert [f"{failure.page.name}:{failure.line}: {failure.message}" for failure in failures] == []


RULE = """
from collections.abc import Iterator

from spark_lint.facts import Package
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Package, named="decord", severity=ERROR)
def decord(package: Package, project: Project) -> Iterator[Advice]:
    yield Advice(f"{package.written} has no aarch64 wheel", "decord2")
"""

PAGE = """# decord has no build for a Spark

Nothing on PyPI can be installed.

## Do instead

`decord2`

## Flagged

```text requirements.txt
numpy
decord==0.6.0 ← G1/decord
```

## Fine

Another machine's line.

```text requirements.txt
decord; platform_machine == "x86_64"
```

Its tests never run here.

```text requirements-rocm.txt
decord
```

## Sources

- https://pypi.org/project/decord/, read 2026-11.
"""


def failures(tmp_path: Path, text: str | None) -> list[str]:
    folder = tmp_path / "g1_mine"
    folder.mkdir()
    (folder / "decord.py").write_text(RULE)
    if text is not None:
        (folder / "decord.md").write_text(text)
    return [f"{failure.line}: {failure.message}" for failure in outcome(load([tmp_path]), tmp_path).failures]


def test_a_newcomers_rule_is_two_files(tmp_path: Path) -> None:
    assert failures(tmp_path, PAGE) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (" ← G1/decord", "", ["13: did not expect G1/decord", "11: a Flagged example marks no G1/decord"]),
        ("numpy\n", "decord\n", ["12: did not expect G1/decord"]),
        ("decord==0.6.0 ←", "pillow ←", ["13: expected G1/decord, found nothing"]),
        ('decord; platform_machine == "x86_64"', "decord", ["21: did not expect G1/decord"]),
        ('decord; platform_machine == "x86_64"', "pillow", ["20: holds nothing that G1/decord looks at, so it proves nothing"]),
        ("numpy\n", "===\n", ["12: cannot be read"]),
        ("text requirements.txt\nnumpy", "text\nnumpy", ["11: the fence has no file name"]),
        ("## Fine\n\nAnother machine's line.\n\n", "", ["11: two fences stand for requirements.txt"]),
        ("← G1/decord", "← G1/nothing", ["11: marks G1/nothing, which is no rule"]),
        (", read 2026-11", "", ["0: 'Sources' needs an address and a date (2026-11)"]),
        ("`decord2`", "decord2", ["0: 'Do instead' has nothing to paste"]),
        ("Nothing on PyPI can be installed.", "", ["0: has no title or does not say what the problem is"]),
        ("## Sources", "## Notes", ["0: has no section 'Sources'"]),
        ("## Fine\n\nAnother", "Another", ["needs at least 2 'Fine' examples"]),
    ],
)
def test_a_page_that_is_wrong_is_told_where(old: str, new: str, expected: list[str], tmp_path: Path) -> None:
    assert old in PAGE
    told = failures(tmp_path, PAGE.replace(old, new, 1))
    for message in expected:
        assert any(message in each for each in told), told


def test_a_rule_without_a_page_is_told(tmp_path: Path) -> None:
    assert failures(tmp_path, None) == ["0: G1/decord has no page"]


def test_fences_behind_each_other_are_one_project(tmp_path: Path) -> None:
    together = "```text requirements.txt\nnumpy\ndecord==0.6.0\n```\n\n```dockerfile Dockerfile.rocm\nFROM x\nRUN pip install decord\n```"
    text = PAGE.replace(
        "```text requirements.txt\nnumpy\ndecord==0.6.0 ← G1/decord\n```", together.replace("0.6.0", "0.6.0 ← G1/decord")
    )
    path = tmp_path / "decord.md"
    path.write_text(text)
    assert [[fence.file for fence in example.fences] for example in page(path).examples if example.section == "Flagged"] == [
        ["requirements.txt", "Dockerfile.rocm"]
    ]


def test_a_page_without_its_rule_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "g1_mine"
    folder.mkdir()
    (folder / "decord.py").write_text(RULE)
    (folder / "decord.md").write_text(PAGE)
    (folder / "lost.md").write_text(PAGE)
    told = outcome(load([tmp_path]), tmp_path).failures
    assert [(failure.page.name, failure.message) for failure in told] == [
        ("lost.md", "is the page of no rule: there is no function beside it")
    ]
