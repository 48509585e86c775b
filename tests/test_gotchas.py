"""Each gotcha has its page: what one sees, why, how to check and repair it, and where it is from."""

import re
from pathlib import Path

import pytest

from spark_lint.load import rules_folder

FOLDERS = sorted(path for path in rules_folder().iterdir() if re.match(r"g\d+_", path.name))
SECTIONS = ["Symptom", "Cause", "Check", "Fix", "What is dated", "In logs", "Sources"]


def test_there_are_ten_gotchas() -> None:
    assert sorted(int(path.name[1:].partition("_")[0]) for path in FOLDERS) == list(range(1, 11))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_gotcha_page_has_its_title_and_its_sections(folder: Path) -> None:
    page = (folder / "README.md").read_text("utf-8")
    number = re.match(r"g(\d+)_", folder.name)
    assert number
    assert page.startswith(f"# G{number[1]} · ")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == SECTIONS


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_gotcha_page_has_something_to_paste_log_lines_and_addresses(folder: Path) -> None:
    page = (folder / "README.md").read_text("utf-8")
    sections = dict(zip(SECTIONS, re.split(r"^## .*$", page, flags=re.MULTILINE)[1:], strict=True))
    assert "```bash" in sections["Check"]
    assert all(line.startswith(("- `", "  ")) for line in sections["In logs"].strip().splitlines())
    assert "https://" in sections["Sources"]
    assert re.search(r"\b202[56]-\d\d", page)
