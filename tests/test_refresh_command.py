"""`python -m spark_lint.knowledge refresh`, with package clients that say what the real ones said."""

import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import tomli
from click.testing import CliRunner, Result
from recorded_clients import RecordedClients

from spark_lint.refresh import command, run
from spark_lint.refresh.writing import table_text

TODAY = date.today()
PACKAGES = """
[package.sgl-kernel]
[package.decord]
[package.hqq]
[package.no-such-package-at-all]
"""
SGL_KERNEL = [["<0.3.12", "none"], [">=0.3.12", "wheel"]]
OUT_OF_REACH = "Could not fetch URL https://mirror.example/simple/decord/: connection error: refused - skipping\n"
NOTHING = "ERROR: No matching distribution found for decord\n"


class Refresh:
    """A table, a list of packages and recorded clients in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clients = RecordedClients(folder / "bin")
        self.table = folder / "wheels.toml"
        self.packages = folder / "packages.toml"
        self.packages.write_text(PACKAGES)
        self.write({})

    def write(self, rows: dict[str, Any], day: date = date(2026, 1, 2)) -> None:
        self.table.write_text(table_text({"as_of": day, "package": rows}))

    def read(self) -> dict[str, Any]:
        return tomli.loads(self.table.read_text())

    def __call__(self, *arguments: str) -> Result:
        paths = ("--table", str(self.table), "--packages", str(self.packages), "--cache", str(self.folder / "cache"))
        return CliRunner().invoke(
            command.cli, ["refresh", *paths, "--pip", self.clients.pip, "--uv", self.clients.uv, "--no-elf", *arguments]
        )


@pytest.fixture
def refresh(tmp_path: Path) -> Refresh:
    return Refresh(tmp_path)


def old_row(versions: str, aarch64: list[list[str]], **others: object) -> dict[str, object]:
    return {"aarch64": aarch64, "evidence": "file-list", "checked": versions.split()[-1:], "versions": versions, **others}


def test_from_nothing(refresh: Refresh) -> None:
    result = refresh()
    assert result.exit_code == 0, result.output
    table = refresh.read()
    assert table["as_of"] == TODAY
    assert list(table["package"]) == ["sgl-kernel", "decord", "hqq"]
    kernel = table["package"]["sgl-kernel"]
    assert kernel["aarch64"] == SGL_KERNEL
    assert kernel["checked"] == ["0.3.11", "0.3.12", "0.3.21"]
    assert kernel["newest_day"] == date(2026, 1, 14)
    assert kernel["versions"].split()[-1] == "0.3.21"
    assert "as_of" not in kernel
    assert table["package"]["decord"]["aarch64"] == [[">=0", "none"]]
    assert table["package"]["hqq"]["aarch64"] == [[">=0", "sdist"]]
    assert "no-such-package-at-all: no stable release on the index" in result.output
    assert "Asked for 4 packages: " in result.output.splitlines()[-1]


def test_a_second_run_asks_nothing_and_changes_nothing(refresh: Refresh) -> None:
    refresh()
    text, asked = refresh.table.read_text(), len(refresh.clients.asked())
    result = refresh()
    assert result.exit_code == 0
    assert refresh.table.read_text() == text
    assert len(refresh.clients.asked()) == asked
    assert "Asked for 4 packages: 0 client calls" in result.output
    assert result.output.splitlines()[1] == "Nothing is different."
    assert result.output.count("\n") == 3  # the package that is not there comes first


def test_one_package(refresh: Refresh) -> None:
    refresh.write({"decord": old_row("0.6.0", [[">=0", "none"]])})
    assert refresh("sgl-kernel").exit_code == 0
    table = refresh.read()
    assert table["as_of"] == date(2026, 1, 2)
    assert table["package"]["sgl-kernel"]["as_of"] == TODAY
    assert "as_of" not in table["package"]["decord"]
    assert table["package"]["decord"]["versions"].split() == ["0.6.0"]


def test_a_package_that_cannot_be_asked_stays_as_it_was(refresh: Refresh) -> None:
    refresh.write({"decord": old_row("0.6.0", [[">=0", "none"]])})
    refresh.clients.answer({"pip --only-binary=:all: --python-version=3.12 decord": [1, OUT_OF_REACH, NOTHING]})
    result = refresh()
    assert result.exit_code == 1
    assert "decord: could not be asked, its row stays as it was: connection error: refused" in result.output
    assert "mirror.example" not in result.output
    table = refresh.read()
    assert table["as_of"] == TODAY
    assert table["package"]["decord"]["as_of"] == date(2026, 1, 2)
    assert table["package"]["decord"]["versions"].split() == ["0.6.0"]
    assert table["package"]["sgl-kernel"]["aarch64"] == SGL_KERNEL
    # The next run goes on from there.
    refresh.clients.answer({})
    before = len(refresh.clients.asked())
    again = refresh()
    assert again.exit_code == 0, again.output
    assert {args[-1] for program, args, _ in refresh.clients.asked()[before:] if program == "pip"} == {"decord"}
    assert "as_of" not in refresh.read()["package"]["decord"]


@pytest.mark.parametrize(
    ("name", "row", "said"),
    [
        (
            "decord",
            old_row("0.6.0", [[">=0", "wheel"]]),
            "refused: decord 0.6.0: wheel -> none: now pip finds no matching distribution",
        ),
        ("hqq", old_row("0.2.8", [[">=0", "wheel"]]), "refused: hqq 0.2.8: wheel -> sdist"),
        ("hqq", old_row("0.0.1 0.2.8", [[">=0", "sdist"]]), "refused: hqq 0.0.1: not on the index any more"),
        ("no-such-package-at-all", old_row("1.0", [[">=0", "wheel"]]), "refused: no-such-package-at-all is dropped"),
        ("not-listed", old_row("1.0", [[">=0", "wheel"]]), "refused: not-listed is dropped"),
    ],
)
def test_nothing_is_taken_away_unasked(refresh: Refresh, name: str, row: dict[str, object], said: str) -> None:
    refresh.write({name: row})
    result = refresh()
    assert result.exit_code == 1
    assert said in result.output
    assert f"--accept {name}" in result.output
    kept = refresh.read()["package"]
    assert kept[name]["as_of"] == date(2026, 1, 2)
    assert kept[name]["aarch64"] == row["aarch64"]
    assert kept["sgl-kernel"]["aarch64"] == SGL_KERNEL  # the rest is written
    accepted = refresh("--accept", name)
    assert accepted.exit_code == 0, accepted.output
    assert "refused" not in accepted.output
    assert refresh.read()["package"].get(name) != kept[name]


def test_accept_another(refresh: Refresh) -> None:
    refresh.write({"decord": old_row("0.6.0", [[">=0", "wheel"]])})
    assert refresh("--accept", "hqq").exit_code == 1
    assert refresh("--accept", "all").exit_code == 0


def test_check_writes_nothing(refresh: Refresh) -> None:
    text = refresh.table.read_text()
    result = refresh("--check")
    assert result.exit_code == 1
    assert "decord is new in the table" in result.output
    assert refresh.table.read_text() == text
    refresh()
    text = refresh.table.read_text()
    assert refresh("--check").exit_code == 0
    assert refresh.table.read_text() == text


def test_what_was_read_in_libraries_stays_without_them(refresh: Refresh) -> None:
    refresh.packages.write_text('[package.sgl-kernel]\ncuda = "elf"\n')
    cuda = [[">=0.3.12,<=0.3.21", "cu12"]]
    refresh.write({"sgl-kernel": old_row("0.3.12 0.3.20", SGL_KERNEL, evidence="elf", cuda=cuda, checked=["0.3.20"])})
    assert refresh().exit_code == 0
    row = refresh.read()["package"]["sgl-kernel"]
    assert (row["cuda"], row["evidence"]) == (cuda, "elf")
    # The newest was not opened, so that it does not count as looked at.
    assert row["checked"] == ["0.3.11", "0.3.20"]
    assert row["versions"].split()[-1] == "0.3.21"


def test_an_interruption_leaves_the_table_and_keeps_the_answers(refresh: Refresh, monkeypatch: pytest.MonkeyPatch) -> None:
    text = refresh.table.read_text()

    def interrupted(bar: object, *_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("click._termui_impl.ProgressBar.update", interrupted)
        result = refresh("--workers", "1")
    assert result.exit_code == 1
    assert refresh.table.read_text() == text
    before = len(refresh.clients.asked())
    assert before > 0
    assert list((refresh.folder / "cache").glob("*.json"))
    assert refresh().exit_code == 0
    asked = [tuple(args) for program, args, _ in refresh.clients.asked() if program == "pip"]
    assert len(asked) - len(set(asked)) <= 1  # only the one that was under way


def test_an_unknown_package_is_said(refresh: Refresh) -> None:
    result = refresh("flash-attn")
    assert result.exit_code == 2
    assert "neither in packages.toml nor in wheels.toml: flash-attn" in result.output


def test_a_package_that_is_listed_no_more_goes_when_it_is_asked_for_and_accepted(refresh: Refresh) -> None:
    row = old_row("1.0", [[">=0", "wheel"]])
    refresh.write({"gone": row})
    result = refresh("gone")
    assert result.exit_code == 1
    assert "refused: gone is dropped" in result.output
    assert "gone" in refresh.read()["package"]
    assert refresh("Gone", "--accept", "gone").exit_code == 0
    assert "package" not in refresh.read()


def test_an_unknown_name_to_accept_is_said(refresh: Refresh) -> None:
    assert "nonsense" in refresh("decord", "--accept", "nonsense").output


@pytest.mark.parametrize(
    ("packages", "said"),
    [
        pytest.param("[package.hqq]\ncuda = 'elff'\n", "package.hqq: cuda is 'elff'", id="unknown way"),
        pytest.param('[package."jaraco.text"]\n', "package.jaraco.text is not written as it is looked up", id="name with a dot"),
        pytest.param("[package.HQQ]\n", "package.HQQ is not written", id="capitals"),
        pytest.param("[package]\nhqq = 'x'\n", "package.hqq: it is no table", id="no row"),
        pytest.param("[package", "packages.toml: ", id="broken"),
    ],
)
def test_a_broken_list_of_packages_is_said_before_anything_is_asked(refresh: Refresh, packages: str, said: str) -> None:
    refresh.packages.write_text(packages)
    result = refresh()
    assert result.exit_code == 1
    assert said in result.output
    assert not refresh.clients.asked()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        pytest.param("", "as_of is missing", id="empty"),
        pytest.param("as_of = 2026-01-01\n<<<<<<< HEAD\n", "wheels.toml: ", id="conflict"),
        pytest.param("as_of = 2026-01-01\n[package.hqq]\nversions = '1.0'\n", "package.hqq: aarch64 is missing", id="half a row"),
        pytest.param(
            "as_of = 2026-01-01\n[package.hqq]\naarch64 = [['>>1', 'wheel']]\nevidence = 'elf'\nchecked = []\nversions = '1.0'\n",
            "package.hqq: Invalid specifier",
            id="bad range",
        ),
        pytest.param(
            "as_of = 2026-01-01\n[package.hqq]\naarch64 = []\nevidence = 'elf'\nchecked = []\nversions = ''\n",
            "there is no version in it",
            id="no version",
        ),
    ],
)
def test_a_broken_table_is_said_before_anything_is_asked(refresh: Refresh, table: str, said: str) -> None:
    refresh.table.write_text(table)
    result = refresh()
    assert result.exit_code == 1
    assert said in result.output
    assert refresh.table.read_text() == table
    assert not refresh.clients.asked()


def test_answers_that_cannot_be_kept_are_said(refresh: Refresh) -> None:
    (refresh.folder / "file").write_text("")
    result = refresh("decord", "--cache", str(refresh.folder / "file" / "cache"))
    assert result.exit_code == 1
    assert "answers cannot be kept" in result.output


def test_a_table_that_somebody_else_writes_is_left_alone(refresh: Refresh, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(*arguments: Any, **options: Any) -> run.Outcome:
        refresh.write({"hqq": old_row("1.0", [[">=0", "sdist"]])})
        return run.refreshed(*arguments, **options)

    monkeypatch.setattr(command, "refreshed", meanwhile)
    result = refresh("decord")
    assert result.exit_code == 1
    assert "was changed meanwhile" in result.output
    assert list(refresh.read()["package"]) == ["hqq"]


def test_a_link_is_followed(refresh: Refresh) -> None:
    real = refresh.folder / "real.toml"
    refresh.table.rename(real)
    refresh.table.symlink_to(real)
    assert refresh("decord").exit_code == 0
    assert refresh.table.is_symlink()
    assert "decord" in tomli.loads(real.read_text())["package"]


def test_what_no_finding_shows_is_said_too(refresh: Refresh) -> None:
    refresh("decord")
    right = refresh.table.read_text()
    refresh.table.write_text(right.replace("newest_day = 2021-06-14", "newest_day = 2020-01-01"))
    result = refresh("decord", "--check")
    assert result.exit_code == 1
    assert "decord differs in newest_day, which changes no finding" in result.output
    refresh("decord")
    assert refresh.table.read_text() == right


def test_an_old_pip_is_said(refresh: Refresh) -> None:
    refresh.clients.version("23.2.1")
    result = refresh()
    assert result.exit_code == 1
    assert "too old" in result.output


def test_a_lint_run_does_not_load_it() -> None:
    code = "import sys, spark_lint.cli, spark_lint.check, spark_lint.knowledge; print([name for name in sys.modules if 'refresh' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_it_is_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spark_lint.knowledge", "refresh", "--help"], capture_output=True, text=True, check=True
    )
    assert "--accept NAME" in done.stdout


def test_workers_do_not_change_the_table(refresh: Refresh) -> None:
    refresh("--workers", "4")
    text = refresh.table.read_text()
    refresh.write({})
    refresh("--workers", "1")
    assert refresh.table.read_text() == text


def test_traps(refresh: Refresh) -> None:
    refresh.packages.write_text('[package.decord]\n[trap]\n"jax[cuda12]==0.7.2" = "CUDA 12"\n"decord==0.6.0" = ""\n')
    result = refresh()
    assert result.exit_code == 0, result.output
    traps = refresh.read()["trap"]
    assert traps["jax[cuda12]==0.7.2"]["cuda"] == "cu12"
    assert "nvidia-cublas-cu12" in traps["jax[cuda12]==0.7.2"]["cu12"]
    assert traps["decord==0.6.0"]["error"].startswith("decord==0.6.0 has no wheels")
    assert any(line.startswith("jax[cuda12]==0.7.2: cu12, ") for line in result.output.splitlines())
    assert refresh("--check").exit_code == 0
    # A look at one package leaves them alone.
    refresh.packages.write_text("[package.decord]\n[package.hqq]\n")
    refresh("hqq")
    assert refresh.read()["trap"] == traps


def test_options_accept() -> None:
    assert run.Options(("a",), accept={"a"}).accepts("a")
    assert not run.Options(("a",), accept={"b"}).accepts("a")
