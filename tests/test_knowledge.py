"""The tables are well formed: every row is dated, graded and readable."""

from datetime import date, timedelta

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from spark_lint import knowledge
from spark_lint.knowledge import tables
from spark_lint.knowledge.tables import NAMES, dated, day_of, table
from spark_lint.rule import Severity

AARCH64 = {"wheel", "sdist", "none", "foreign"}
CUDA = {"cpu", "cu11", "cu12", "cu13"}
PACKAGES = table("wheels")["package"]


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_dated_and_versioned(name: str) -> None:
    assert table(name)["schema"] == 1
    assert date(2026, 1, 1) <= table(name)["as_of"] <= date(2027, 12, 31)


@pytest.mark.parametrize("name", NAMES)
def test_the_day_of_a_table_is_read_from_its_head(name: str) -> None:
    assert day_of(name) == table(name)["as_of"]


@pytest.mark.parametrize("days", [180, 181])
def test_a_table_is_too_old_after_180_days(days: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "day_of", lambda name: date(2026, 1, 1) if name == "images" else date(2026, 6, 1))
    said = knowledge.stale(date(2026, 1, 1) + timedelta(days=days))
    assert said == ("Update spark-lint: what it knows of images is of 2026-01-01, more than 180 days ago." if days > 180 else "")


def test_the_newest_date_is_the_date_of_the_knowledge() -> None:
    assert knowledge.as_of() == max(table(name)["as_of"].isoformat() for name in NAMES)


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_row_is_well_formed(name: str) -> None:
    row = PACKAGES[name]
    assert name == name.lower()
    assert "_" not in name
    assert {value for _, value, *_ in row["aarch64"]} <= AARCH64
    assert {value for _, value, *_ in row.get("cuda", [])} <= CUDA
    assert row["evidence"] in {"requires-dist", "elf", "file-list", "resolution", "name"}
    versions = [Version(each) for each in row["versions"].split()]
    assert versions == sorted(set(versions))
    assert not any(each.is_prerelease for each in versions)
    assert set(row["checked"]) <= set(row["versions"].split())


@pytest.mark.parametrize("name", PACKAGES)
@pytest.mark.parametrize("column", ["aarch64", "cuda"])
def test_ranges_of_a_row_do_not_overlap(name: str, column: str) -> None:
    ranges = [SpecifierSet(each[0], prereleases=True) for each in PACKAGES[name].get(column, [])]
    for version in PACKAGES[name]["versions"].split():
        assert sum(version in wanted for wanted in ranges) <= 1, version


@pytest.mark.parametrize("name", PACKAGES)
def test_every_known_version_of_a_package_has_a_verdict_on_aarch64_or_lies_before_the_first_range(name: str) -> None:
    facts = knowledge.package(name)
    assert facts is not None
    known = [bool(facts.aarch64(version)) for version in facts.versions]
    assert known == sorted(known)
    assert known[-1]


def test_every_month_row_is_graded_and_in_order() -> None:
    months = table("images")["month"]
    assert list(months) == sorted(months)
    for row in months.values():
        assert row["severity"] in {"ok", "info", "warning", "error"}
        assert row["cuda_grade"] in {"release-notes", "quoted", "interpolated"}
        assert row.get("torch_grade", "quoted") in {"release-notes", "quoted", "interpolated"}
    releases = [Version(row["cuda"]).release[:2] for row in months.values()]
    assert releases == sorted(releases)


def test_every_image_row_has_a_grade_and_keys_that_are_read() -> None:
    keys = {
        "match",
        "tag",
        "family",
        "arm64",
        "cuda",
        "newest",
        "severity",
        "gpu",
        "machine",
        "assumed",
        "bare",
        "always",
        "drawback",
        "never",
    }
    keys |= {"likely", "nvidia_torch", "own", "version", "pinned", "instead", "note", "grade", "sources", "checked"}
    keys |= {"arm64_grade", "arm64_source", "cuda_grade", "cuda_source"}
    for row in table("images")["image"]:
        assert set(row) <= keys, row["family"]
        assert row["grade"] in {"release-notes", "quoted", "interpolated", "name"}
        assert all(source.startswith("https://") for source in row.get("sources", ()))
        assert row.get("severity", "info").upper() in Severity.__members__
        assert all(pattern == pattern.lower() for pattern in row["match"])
        for column in ("arm64", "cuda", "drawback", "instead"):
            if isinstance(row.get(column), list):
                steps = [Version(start) for start, _ in row[column]]
                assert steps == sorted(steps)


def test_grades_are_severities_in_rising_order() -> None:
    rows = table("gpu")["grade"]
    assert [row["severity"] for row in rows] == ["error", "warning", "warning"]
    assert [Version(row["below"]) for row in rows] == sorted(Version(row["below"]) for row in rows)


def test_every_note_has_text_a_date_and_a_source() -> None:
    for key in table("notes")["note"]:
        note = knowledge.note(key)
        assert note.text
        assert note.known.source
        assert note.known.as_of <= knowledge.as_of()


@pytest.mark.parametrize("name", ["gpu", "pairs"])
def test_everything_kept_by_hand_has_a_day_and_a_source(name: str) -> None:
    groups = [group for value in table(name).values() for group in (value if isinstance(value, list) else [value])]
    for group in filter(lambda each: isinstance(each, dict), groups):
        known = dated(name, "manual", group)
        assert known.source
        assert known.as_of <= knowledge.as_of()


def test_a_note_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        knowledge.note("nothing-of-the-kind")


def test_renamed_packages_never_lead_to_another_cuda12_name() -> None:
    for old, new in table("packages")["rename"].items():
        assert "cu12" not in new, old
        assert "cuda12" not in new, old
    for old, new in table("packages")["extra"].items():
        assert "12" not in "".join(Requirement(new).extras), old
