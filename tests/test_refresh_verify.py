"""`python -m spark_lint.knowledge verify`: the table against what the clients say now."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from recorded_clients import RecordedClients

from spark_lint.refresh import command
from spark_lint.refresh.verify import sampled
from spark_lint.refresh.writing import table_text


def row(versions: str, *aarch64: list[str]) -> dict[str, Any]:
    return {"aarch64": list(aarch64), "evidence": "file-list", "checked": versions.split()[-1:], "versions": versions}


RIGHT = {
    "sgl-kernel": row("0.3.11 0.3.21", ["<0.3.12", "none"], [">=0.3.12", "wheel"]),
    "decord": row("0.6.0", [">=0", "none"]),
    "hqq": row("0.2.8.post1", [">=0", "sdist"]),
}


def verify(folder: Path, rows: dict[str, Any], *arguments: str) -> Result:
    recorded, table = RecordedClients(folder / "bin"), folder / "wheels.toml"
    table.write_text(table_text({"as_of": date(2026, 1, 2), "package": rows}))
    clients = ("--pip", recorded.pip, "--uv", recorded.uv)
    return CliRunner().invoke(command.cli, ["verify", "--table", str(table), *clients, *arguments])


def test_a_table_that_is_right(tmp_path: Path) -> None:
    run = verify(tmp_path, RIGHT)
    assert run.exit_code == 0
    assert run.output.splitlines()[-1] == "Asked for 3 releases: 0 differ."
    decord, hqq, kernel, _ = run.output.splitlines()
    assert decord.startswith(
        "decord 0.6.0: agrees: table none, pip none, uv no wheel (decord==0.6.0 has no wheels with a matching platform tag"
    )
    assert hqq.startswith("hqq 0.2.8.post1: agrees: table sdist, pip sdist, uv no wheel (hqq==0.2.8.post1 has no usable wheels")
    assert kernel.startswith("sgl-kernel 0.3.")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("decord", row("0.6.0", [">=0", "wheel"])),
        ("decord", row("0.6.0", [">=0", "sdist"])),
        ("hqq", row("0.2.8.post1", [">=0", "none"])),
    ],
)
def test_a_table_that_is_wrong(tmp_path: Path, name: str, wrong: dict[str, Any]) -> None:
    run = verify(tmp_path, {**RIGHT, name: wrong})
    assert run.exit_code == 1
    assert run.output.splitlines()[-1] == "Asked for 3 releases: 1 differ."
    assert [line.split()[0] for line in run.output.splitlines() if "DIFFERS" in line] == [name]


def test_an_index_out_of_reach_is_said(tmp_path: Path) -> None:
    run = verify(tmp_path, {"never-recorded": row("1.0", [">=0", "wheel"])})
    assert (run.exit_code, run.output.startswith("Error: ")) == (1, True)


def test_a_sample_is_the_same_for_the_same_seed_and_no_larger_than_the_table() -> None:
    assert sampled(RIGHT, 2, 7) == sampled(RIGHT, 2, 7)
    assert len(sampled(RIGHT, 2, 7)) == 2
    assert len(sampled(RIGHT, 40, 0)) == 3


def test_a_range_of_few_releases_counts_as_much_as_one_of_many() -> None:
    many = " ".join(f"1.{minor}" for minor in range(1000))
    rows = {"some": row(f"0.9 {many}", ["<1", "none"], [">=1", "wheel"])}
    drawn = {sampled(rows, 1, seed)[0][1] for seed in range(20)}
    assert "0.9" in drawn
    assert len(drawn) > 2
