"""Rules are found the same way from a checkout, an editable install and a wheel, and a broken one is named."""

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from spark_lint.load import RuleError, load, rules_folder

ROOT = Path(__file__).parent.parent
RULE = """
from collections.abc import Iterator

from spark_lint.facts import Package
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Package, named="decord", severity=ERROR)
def decord(package: Package, project: Project) -> Iterator[Advice]:
    yield Advice(f"{package.written} has no aarch64 wheel")
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_every_rule_has_the_code_of_its_place() -> None:
    codes = load().codes
    assert "G1/torch-index-cuda12" in codes
    assert all(code.partition("/")[0] in load().gotchas for code in codes)


def test_all_ten_gotchas_have_a_folder_with_a_readme() -> None:
    gotchas = load().gotchas
    assert list(gotchas) == [f"G{number}" for number in range(1, 11)]
    assert all(
        (folder / "README.md").read_text(encoding="utf-8").startswith(f"# {gotcha} ") for gotcha, folder in gotchas.items()
    )


def test_a_checkout_loads_the_rules_beside_the_package() -> None:
    assert rules_folder() == ROOT / "rules"


def test_a_wheel_holds_every_rule_page_and_table(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in (ROOT / "rules").rglob("*"):
        if path.suffix in (".py", ".md", ".toml") and "__pycache__" not in path.parts:
            assert f"spark_lint/rules/{path.relative_to(ROOT / 'rules').as_posix()}" in names
    assert {"spark_lint/names/tools.toml", "spark_lint/config.schema.json", "spark_lint/py.typed"} <= names


@pytest.mark.parametrize("how", ["wheel", "editable"])
def test_an_install_finds_the_same_rules(how: str, wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    # The libraries come from the environment that runs the tests; only the project itself is installed.
    (next((tmp_path / "venv").glob("lib/python*/site-packages")) / "borrowed.pth").write_text(
        "\n".join(p for p in sys.path if "site-packages" in p)
    )
    # A copy, so that an editable install writes nothing into the checkout that is being tested.
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".*", "tests", "__pycache__", "*.egg-info"))
    what = [str(wheel)] if how == "wheel" else ["-e", str(checkout)]
    pip = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--force-reinstall",
        "--no-build-isolation",
        *what,
    ]
    subprocess.run(pip, check=True, capture_output=True)
    script = "from spark_lint.load import load, rules_folder; print(rules_folder()); print(*sorted(load().codes))"
    run = subprocess.run([str(python), "-c", script], check=True, capture_output=True, text=True, cwd=tmp_path)
    folder, codes = run.stdout.splitlines()
    assert Path(folder).is_relative_to(tmp_path / "venv" if how == "wheel" else checkout)
    assert codes.split() == sorted(load().codes)


def test_a_folder_of_ones_own_adds_its_rules(tmp_path: Path) -> None:
    own = tmp_path / "mine" / "g1_mine"
    own.mkdir(parents=True)
    (own / "decord_missing.py").write_text(RULE)
    assert load([tmp_path / "mine"]).codes - load().codes == {"G1/decord-missing"}
    assert load([own], builtin=False).codes == {"G1/decord-missing"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("broken.py", "def broken(:\n", "SyntaxError"),
        ("raises.py", "1 / 0\n", "ZeroDivisionError"),
        ("empty.py", "", "no function in it is decorated"),
        ("torch_index_cuda12.py", RULE, "is already the code of"),
        ("severity.py", RULE.replace("severity=ERROR", 'severity="bad"'), "is not ERROR, WARNING or INFO"),
        (
            "setting.py",
            RULE.replace("Package", "Setting").replace('named="decord"', 'named="kv_cache_dtyp"'),
            "did you mean `kv_cache_dtype`",
        ),
        ("returns.py", RULE.replace("    yield Advice", "    return Advice"), "must yield its advice"),
    ],
)
def test_a_rule_that_cannot_be_loaded_is_named(name: str, text: str, message: str, tmp_path: Path) -> None:
    folder = tmp_path / "g1_mine"
    folder.mkdir()
    (folder / name).write_text(text)
    with pytest.raises(RuleError, match=f"{name}.*{message}"):
        load([tmp_path])


def test_a_folder_without_gotchas_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="no folder of rules"):
        load([tmp_path])
