"""Broken and hostile input costs one problem with file and line; everything else is still linted, and the exit status says so."""

import subprocess
import sys
from pathlib import Path

import pytest

GOOD = "torch==2.9.1\n"
FINDING = "good/requirements.txt:1:1: error G1/torch-cpu-only-on-aarch64"


def lint(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "spark_lint", "check", "--isolated", "--output-format", "concise", *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    return run.returncode, run.stdout + run.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "requirements.txt").write_text(GOOD)
    return tmp_path


# Python that every rule would like to look at, so that the byte filter lets it through.
ASKED = "from unsloth import FastLanguageModel\nimport trl\n"

BROKEN = {
    "python-syntax": ("train.py", f"{ASKED}def f(:\n", 3),
    "nested-parentheses": ("train.py", f"{ASKED}x = {'(' * 3000}1{')' * 3000}\n", 3),
    "not-utf-8": ("requirements.txt", b"torch\n\xff\xfe\xfa\n", 2),
    "latin-1-python": ("train.py", ASKED.encode() + b"# caf\xe9\n", 3),
    "nul": ("requirements.txt", b"torch\n\0\n", 2),
    "bad-requirement": ("requirements.txt", "torch\n===bad===\n", 2),
    "requirements-out-of-the-repository": ("requirements.txt", "torch\n-r ../../outside.txt\n", 2),
    "argument-cycle": ("Dockerfile", "FROM python:3.12\nARG C=$D\nARG D=$C\nENV X=$C\n", 3),
    "long-line": ("requirements.txt", "torch\n#" + "x" * (1 << 20) + "\n", 2),
    "large-file": ("requirements.txt", "torch\n" + "# filler\n" * (10 * 1024 * 1024 // 9 + 1), 0),
}


@pytest.mark.parametrize(("name", "content", "line"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_costs_one_problem(name: str, content: str | bytes, line: int | None, repository: Path) -> None:
    (repository / name).write_bytes(content.encode() if isinstance(content, str) else content)
    status, output = lint(repository, ".")
    assert FINDING in output
    assert "Traceback" not in output
    if line is not None:
        problems = [row for row in output.splitlines() if row.startswith(f"{name}:") and "problem" in row]
        assert len(problems) == 1
        assert problems[0].startswith(f"{name}:{line}:") or line == 0
        assert status == 1
        assert lint(repository, "--strict", ".")[0] == 2
        assert lint(repository, name)[0] == 2


def test_a_rule_looks_at_so_many_places_of_one_file_and_says_so(repository: Path) -> None:
    (repository / "requirements.txt").write_text("torch==2.9.1\n" * 1500)
    status, output = lint(repository, "requirements.txt")
    assert output.count("error G1/torch-cpu-only-on-aarch64") == 1000
    assert "requirements.txt: problem: G1/torch-cpu-only-on-aarch64 looked at the first 1,000 places only" in output
    assert status == 2


def test_a_folder_above_holds_what_lies_below_the_working_directory(repository: Path) -> None:
    (repository / "good" / "docker").mkdir()
    (repository / "good" / "docker" / "Dockerfile").write_text("FROM python:3.12\nCOPY good/r.txt .\nRUN pip install -r r.txt\n")
    (repository / "good" / "r.txt").write_text(GOOD)
    _, output = lint(repository / "good", "..")
    assert "\nrequirements.txt:1:1: error" in "\n" + output
    assert "\nr.txt:1:1: error" in "\n" + output


def test_a_directory_in_the_place_of_a_file_and_a_loop_of_links(repository: Path) -> None:
    (repository / "requirements.txt").mkdir()
    (repository / "loop.py").symlink_to("loop.py")
    status, output = lint(repository, ".")
    assert FINDING in output
    assert status == 1
    assert "is a directory" in output
    assert "too many levels of symbolic links" in output


@pytest.mark.parametrize("option", ["--max-file-size", "--max-line-length"])
def test_the_bounds_are_settings(option: str, repository: Path) -> None:
    (repository / "spark-lint.toml").write_text(f"{option.removeprefix('--')} = 4\n")
    run = subprocess.run([sys.executable, "-m", "spark_lint", "."], cwd=repository, capture_output=True, text=True)
    assert option.removeprefix("--") in run.stdout


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\xef\xbb\xbftorch==2.9.1\r\nvllm\r\n", b"\xff\xfe" + "torch==2.9.1\n".encode("utf-16-le"), b"torch==2.9.1"],
    ids=["empty", "blank", "bom-and-crlf", "utf-16", "no-newline"],
)
def test_odd_but_valid_files_are_fine(content: bytes, repository: Path) -> None:
    (repository / "requirements.txt").write_bytes(content)
    _, output = lint(repository, ".")
    assert "problem" not in output
    assert ("\nrequirements.txt:1:1: error" in "\n" + output) is (len(content) > 1)


def modules(folder: Path, *arguments: str) -> set[str]:
    script = "import sys; from spark_lint.cli import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_the_version_imports_no_parser(tmp_path: Path) -> None:
    loaded = modules(tmp_path, "--version")
    assert "click" in loaded
    assert not loaded & {
        "libcst",
        "tree_sitter",
        "tree_sitter_bash",
        "yaml",
        "packaging",
        "pip_requirements_parser",
    }


def test_a_run_without_python_files_never_imports_libcst(repository: Path) -> None:
    (repository / "Dockerfile").write_text("FROM python:3.12\nRUN pip install -r good/requirements.txt\n")
    loaded = modules(repository, "check", "--isolated", ".")
    assert "tree_sitter" in loaded
    assert "libcst" not in loaded


def test_python_that_no_rule_is_about_never_imports_libcst(repository: Path) -> None:
    (repository / "train.py").write_text("import math\nprint(math.pi)\n")
    assert "libcst" not in modules(repository, "check", "--isolated", ".")
