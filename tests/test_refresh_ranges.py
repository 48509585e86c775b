"""Verdicts on versions, and the ranges that stand for them."""

from collections.abc import Mapping
from datetime import date
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from spark_lint import knowledge
from spark_lint.knowledge import PackageFacts, wheels
from spark_lint.refresh.available import available
from spark_lint.refresh.clients import RegistryError
from spark_lint.refresh.ranges import in_order, ranges, sides, verdict
from spark_lint.refresh.rows import Looking, row_of


def read(rows: tuple[tuple[str, ...], ...], versions: list[str]) -> PackageFacts:
    """A package as the linter reads it from a table with these rows."""
    row = {"aarch64": rows, "cuda": rows, "evidence": "elf", "checked": versions[-1:], "versions": " ".join(versions)}
    tables: dict[str, Mapping[str, Any]] = {
        "wheels": {"as_of": date(2026, 11, 30), "package": {"some": row}},
        "packages": {"as_of": date(2026, 11, 30), "package": {}},
    }
    with patch.object(wheels, "table", tables.__getitem__):
        found = wheels.package.__wrapped__("some")
    assert found is not None
    return found


VERSIONS = st.builds(
    lambda epoch, release, post: f"{epoch}{'.'.join(map(str, release))}{post}",
    st.sampled_from(["", "", "", "1!"]),
    st.lists(st.integers(0, 3), min_size=1, max_size=4),
    st.sampled_from(["", "", ".post0", ".post1", ".post2"]),
)


@given(
    st.dictionaries(VERSIONS, st.sampled_from(["wheel", "sdist", "none", ""]), min_size=1, max_size=12).filter(
        lambda verdicts: len(set(map(Version, verdicts))) == len(verdicts)
    )
)
def test_every_version_gets_back_its_verdict(verdicts: dict[str, str]) -> None:
    rows = ranges(verdicts)
    facts = read(rows, in_order(verdicts))
    for version, expected in verdicts.items():
        assert facts.aarch64(version) == expected, (version, rows)
        assert facts.cuda(version) == expected, (version, rows)
        assert verdict(rows, version) == expected, (version, rows)
    changes = sum(verdicts[a] != verdicts[b] for a, b in zip(in_order(verdicts), in_order(verdicts)[1:], strict=False))
    assert len(rows) <= changes + 1


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ({"1.0": "sdist", "2.0": "sdist"}, ((">=0", "sdist"),)),
        ({"2.1.2": "none", "2.2.0": "wheel", "2.15.0": "wheel"}, (("<2.2", "none"), (">=2.2", "wheel"))),
        (
            {"0.1": "wheel", "0.2": "none", "0.6": "none", "0.7.0": "wheel"},
            (("<0.2", "wheel"), (">=0.2,<0.7", "none"), (">=0.7", "wheel")),
        ),
        # A post-release of the bound belongs to the bound, and one that is the bound leaves the release before it out.
        ({"2.0": "wheel", "2.0.post1": "wheel", "1.9": "none"}, (("<2.0", "none"), (">=2.0", "wheel"))),
        ({"2.0": "none", "2.0.post1": "wheel"}, (("<2.0.post1", "none"), (">=2.0.post1", "wheel"))),
        ({"2024.1": "none", "1!1.0.0": "wheel"}, (("<1!1.0", "none"), (">=1!1.0", "wheel"))),
        ({"3": "none", "4": "wheel", "10.0": "wheel"}, (("<4", "none"), (">=4", "wheel"))),
        # Of the first and the last nothing is known.
        ({"1.0": "", "2.0": "cu12", "3.0": ""}, ((">=2.0,<3.0", "cu12"),)),
        # With the first and the one between any verdict goes.
        ({"1.0": None, "2.0": "cu12", "2.5": None, "3.0": "cu12", "4.0": "cu13"}, (("<4.0", "cu12"), (">=4.0", "cu13"))),
        ({"1.0": None}, ()),
        ({}, ()),
    ],
)
def test_fewest_ranges(verdicts: dict[str, str | None], expected: tuple[tuple[str, ...], ...]) -> None:
    assert ranges(verdicts) == expected


def test_of_a_release_candidate_of_a_bound_nothing_is_said() -> None:
    rows = ranges({"1.9": "none", "2.0": "wheel"})
    assert [verdict(rows, version) for version in ("1.9.post1", "2.0rc1", "2.0.post1", "2.1rc1")] == [
        "none",
        "",
        "wheel",
        "wheel",
    ]


def test_what_is_missing_for_want_of_a_python_has_a_range_of_its_own() -> None:
    verdicts = {"1.0": "none", "1.1": "none", "2.0": "wheel"}
    assert ranges(verdicts, {"1.0"}) == (("<1.1", "none", "python"), (">=1.1,<2.0", "none"), (">=2.0", "wheel"))


def test_sides() -> None:
    verdicts = {"1.0": "wheel", "1.1": "wheel", "2.0": "none", "3.0": "wheel", "10.0": "wheel"}
    assert sides(verdicts) == ("1.1", "2.0", "3.0")
    assert sides({"1.0": "wheel"}) == ()


def test_order() -> None:
    assert in_order(["1.10", "1.9", "1.9.0", "1.9.post1", "1!0.1"]) == ["1.9", "1.9.post1", "1.10", "1!0.1"]


class AnyWheels:
    """A package of ten versions in wheels for every machine."""

    versions = tuple(f"0.{minor}" for minor in range(10))
    size = 5_000_000

    def wheel_versions(self, name: str, python: str = "3.12") -> tuple[str, ...]:
        return self.versions

    def all_versions(self, name: str) -> tuple[str, ...]:
        return self.versions

    def files(self, name: str, version: str, python: str = "3.12") -> tuple[Any, ...]:
        from spark_lint.refresh.clients import File

        return (File(f"some-{version}-py3-none-any.whl", self.size, "2026-11-30", False),)


def test_foreign_libraries_are_looked_for_at_the_boundary() -> None:
    opened: list[str] = []

    def foreign(version: str) -> bool:
        opened.append(version)
        return Version(version) < Version("0.7")

    found = available("some", AnyWheels(), foreign)  # type: ignore[arg-type]
    assert [found.verdicts[version] for version in ("0.0", "0.6", "0.7", "0.9")] == ["foreign", "foreign", "wheel", "wheel"]
    assert set(found.opened) == set(opened)
    assert {"0.0", "0.6", "0.7", "0.9"} <= set(opened)
    assert len(opened) < len(AnyWheels.versions)


def test_a_wheel_that_has_to_be_opened_is_not_guessed() -> None:
    with pytest.raises(RegistryError, match="has to be opened, which --no-elf forbids"):
        row_of("some", {"foreign": True}, AnyWheels(), None, Looking())  # type: ignore[arg-type]


class OlderPythons:
    """A package of which one release has a wheel for an older Python alone, and one nothing for the machine at all."""

    def wheel_versions(self, name: str, python: str = "3.12") -> tuple[str, ...]:
        return ("3.0",)

    def source_versions(self, name: str, python: str = "3.12") -> tuple[str, ...]:
        return ()

    def versions(self, name: str, python: str = "3.12") -> tuple[str, ...]:
        return ("1.0",) if python == "3.9" else ()

    def all_versions(self, name: str) -> tuple[str, ...]:
        return ("1.0", "2.0", "3.0")

    files = AnyWheels.files
    size = 1


def test_what_another_python_finds_is_not_missing_for_the_machine() -> None:
    found = available("some", OlderPythons())  # type: ignore[arg-type]
    assert found.verdicts == {"1.0": "none", "2.0": "none", "3.0": "wheel"}
    assert found.by_python == {"1.0"}


def test_small_wheels_are_not_opened() -> None:
    wheels = AnyWheels()
    wheels.size = 40_000
    found = available("some", wheels, lambda version: pytest.fail(version))  # type: ignore[arg-type]
    assert set(found.verdicts.values()) == {"wheel"}


def test_the_table_reads_as_it_is_written() -> None:
    torch = knowledge.package("torch")
    assert torch is not None
    rows = ranges({version: torch.aarch64(version) for version in torch.versions})
    assert [verdict(rows, version) for version in torch.versions] == [torch.aarch64(version) for version in torch.versions]
