"""The text of the table, and what is said of a change in it."""

from datetime import date
from pathlib import Path

import pytest
import tomli

from spark_lint.load import load, rules_folder
from spark_lint.refresh.answers import replace_file
from spark_lint.refresh.changes import RULES_BY, RULES_OF, changes
from spark_lint.refresh.writing import table_text

WHEELS = rules_folder() / "knowledge" / "wheels.toml"


def row(versions: str, aarch64: object, cuda: object = (), **others: object) -> dict[str, object]:
    found = {"aarch64": aarch64, "cuda": cuda, "evidence": "file-list", "checked": versions.split()[-1:], "versions": versions}
    return {key: value for key, value in {**found, **others}.items() if value}


def test_reading_and_writing_gives_the_same_bytes() -> None:
    text = WHEELS.read_text("utf-8")
    assert table_text(tomli.loads(text)) == text


def test_everything_comes_back() -> None:
    table = {
        "as_of": date(2026, 12, 24),
        "package": {
            "some": {
                "as_of": date(2026, 11, 30),
                "aarch64": [[f"<{number}", "none", "python"] for number in range(40)],
                "evidence": "elf",
                "checked": [f"1!{number}.0.post1" for number in range(60)],
                "newest_day": date(2026, 11, 1),
                "versions": " ".join(f"1.{number}" for number in range(100)),
            }
        },
        "trap": {
            'torch==2.8.0 "quoted" \\': {"torch": "2.8.0", "cu12": [f"nvidia-{number}-cu12" for number in range(20)], "error": ""}
        },
    }
    text = table_text(table)
    read = tomli.loads(text)
    read["package"]["some"]["versions"] = " ".join(read["package"]["some"]["versions"].split())
    assert {key: read[key] for key in table} == table
    assert max(len(line) for line in text.splitlines() if not line.startswith(("#", "source"))) <= 118


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("old")
    path.chmod(0o640)
    with pytest.raises(UnicodeEncodeError):
        replace_file(path, "new \udcff")
    assert path.read_text() == "old"
    replace_file(path, "new\n")
    assert path.read_text() == "new\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["some.toml"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (  # nothing new
            row("1.0 2.0", [[">=0", "wheel"]]),
            row("1.0 2.0", [[">=0", "wheel"]]),
            [],
        ),
        (  # a release, as the newest before it
            row("1.0 2.0", [[">=0", "wheel"]], checked=["2.0"]),
            row("1.0 2.0 2.1", [[">=0", "wheel"]], checked=["2.0"]),
            ["some 2.1: released, as assumed, so findings on them count in full now"],
        ),
        (  # the first wheels
            row("1.0 2.0", [[">=0", "none"]], checked=["2.0"]),
            row("1.0 2.0 2.1 2.2", [["<2.1", "none"], [">=2.1", "wheel"]], checked=["2.0"]),
            [
                "some 2.1 and later: none -> wheel: now `pip install` finds a wheel; "
                "G1/package-without-aarch64-wheel no longer reports it"
            ],
        ),
        (  # a boundary that moved: a wheel was added to an old release
            row("1.0 2.0", [["<2.0", "sdist"], [">=2.0", "wheel"]]),
            row("1.0 2.0", [[">=0", "wheel"]]),
            ["some 1.0: sdist -> wheel: now `pip install` finds a wheel"],
        ),
        (  # a wheel that is gone
            row("1.0 2.0 3.0", [[">=0", "wheel"]]),
            row("1.0 2.0 3.0", [["<2.0", "wheel"], [">=2.0", "none"]]),
            [
                "refused: some 2.0 and later: wheel -> none: now pip finds no matching distribution; "
                "G1/package-without-aarch64-wheel reports it now"
            ],
        ),
        (  # what the old ranges said of versions that they were not made from
            row("1.0 1.4 2.0", [[">=0", "wheel"]]),
            row(
                "1.0 1.1 1.2 1.3 1.4 2.0",
                [["<1.1", "wheel"], [">=1.1,<1.2", "none"], [">=1.2,<1.3", "wheel"], [">=1.3,<1.4", "none"], [">=1.4", "wheel"]],
            ),
            [
                "some 1.2: older, now listed, as the ranges said",
                "some 1.1: wheel -> none: now pip finds no matching distribution; G1/package-without-aarch64-wheel reports it now",
                "some 1.3: wheel -> none: now pip finds no matching distribution; G1/package-without-aarch64-wheel reports it now",
            ],
        ),
        (  # a version that is gone
            row("1.0 2.0", [[">=0", "wheel"]]),
            row("2.0", [[">=0", "wheel"]]),
            ["refused: some 1.0: not on the index any more (yanked?), so a pin of it is only assumed to be like its neighbours"],
        ),
        (  # another CUDA
            row("1.0 2.0", [[">=0", "wheel"]], [[">=0", "cu12"]], evidence="elf"),
            row("1.0 2.0", [[">=0", "wheel"]], [["<2.0", "cu12"], [">=2.0", "cu13"]], evidence="elf"),
            ["some 2.0: cu12 -> cu13: built for CUDA 13, which a Spark has"],
        ),
        (  # what was looked at, and how
            row("1.0 2.0", [[">=0", "wheel"]], [[">=0", "cu12"]], evidence="elf", checked=["1.0"]),
            row("1.0 2.0", [[">=0", "wheel"]], [[">=0", "cu12"]], evidence="requires-dist", checked=["2.0"]),
            [
                "some is known in another way: elf -> requires-dist, which ends each message about it",
                "some counts as looked at: also 2.0, no longer 1.0",
            ],
        ),
        (None, row("1.0 2.0", [[">=0", "sdist"]]), ["some is new in the table, with 2 versions; the newest, 2.0: sdist"]),
        (
            row("1.0", [[">=0", "sdist"]]),
            None,
            ["refused: some is dropped: nothing is known of it any more, and no rule that asks says anything"],
        ),
    ],
)
def test_changes(old: dict[str, object] | None, new: dict[str, object] | None, expected: list[str]) -> None:
    assert [f"{'refused: ' if each.refused else ''}{each}" for each in changes("some", old, new)] == expected


def test_changes_name_rules_that_there_are() -> None:
    assert {*RULES_OF.values(), *RULES_BY.values()} <= load().codes


@pytest.mark.parametrize(
    ("name", "was", "rule"),
    [("bitsandbytes", "none", "G1/bitsandbytes-too-old"), ("natten", "sdist", "G1/source-build-only-on-aarch64")],
)
def test_the_rule_that_looks_at_it_is_named(name: str, was: str, rule: str) -> None:
    (change,) = changes(name, row("1.0", [[">=0", was]]), row("1.0", [[">=0", "wheel"]]))
    assert str(change).endswith(f"; {rule} no longer reports it")
