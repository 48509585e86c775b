"""Broken and hostile input costs one problem with file and line; everything else is still linted, and the exit status says so."""

import subprocess
import sys
from pathlib import Path

import pytest

from spark_lint import reading
from spark_lint.check import check_texts
from spark_lint.config import Config
from spark_lint.load import load

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
    problems = [row for row in output.splitlines() if "problem:" in row]
    assert len(problems) == 1
    assert "requirements.txt: problem: too many places: G1/torch-cpu-only-on-aarch64" in problems[0]
    assert problems[0].endswith(" looked at no more than the first 1,000")
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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.yaml", "num_nodes: .inf\ntensor_parallel_size: 1e999\nnum_processes: .nan\n"),
        ("config.json", '{"tensor_parallel_size": 1e400, "num_nodes": Infinity, "num_processes": NaN}\n'),
        ("train.py", "from vllm import LLM\nLLM('m', tensor_parallel_size=" + "9" * 400 + ")\n"),
        ("run.sh", "export CUDA_VISIBLE_DEVICES=" + "9" * 5000 + "\nMAX_JOBS=" + "9" * 5000 + " pip install flash-attn\n"),
        ("docker.sh", "docker run nvidia/cuda:" + "9" * 5000 + ".1-base python a.py\npip install torch==" + "9" * 5000 + "\n"),
        ("digits.sh", "docker run nvidia/cuda:\u0663.1.0-base python a.py\npip install torch==\u0663.1\n"),
        ("conda.sh", "conda install 'cudatoolkit<" + "9" * 5000 + "'\n"),
    ],
)
def test_numbers_beyond_all_measure_are_unknown(name: str, content: str, repository: Path) -> None:
    (repository / name).write_text(content)
    status, output = lint(repository, ".")
    assert status == 1
    assert FINDING in output
    assert "problem" not in output
    assert "error:" not in output


def test_a_script_of_too_many_commands_is_read_as_far_as_anybody_writes_one(repository: Path) -> None:
    (repository / "run.sh").write_text("pip install torch==2.9.1\n" + "true\n" * 10_000 + "pip install torch==2.9.1\n")
    status, output = lint(repository, ".")
    problems = [row for row in output.splitlines() if "problem" in row]
    assert problems == ["run.sh:10001: problem: more than 10,000 commands, packages and the like: the rest is not read"]
    assert "run.sh:1:13: error G1/torch-cpu-only-on-aarch64" in output
    assert FINDING in output
    assert status == 1


def test_the_keys_of_all_examples_in_a_document_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_ENTRIES", 100)
    doubled = "".join(f"a{number}: &a{number} {{b: *a{number - 1}, c: *a{number - 1}}}\n" for number in range(1, 6))
    fence = f"```yaml\na0: &a0 {{tensor_parallel_size: 2}}\n{doubled}```\n"
    texts = {"README.md": fence * 20, "requirements.txt": "torch==2.9.1\n"}
    report = check_texts(texts, Config(), rules=load()).report()
    assert [(each.path, each.message) for each in report.problems] == [("README.md", "more than 100 keys: the rest is not read")]
    assert any(each.span.path == "requirements.txt" for each in report.findings)


def test_a_rule_that_fails_costs_one_problem(repository: Path) -> None:
    folder = repository / "rules" / "g1_broken"
    folder.mkdir(parents=True)
    (folder / "broken.py").write_text(
        "from collections.abc import Iterator\n"
        "from spark_lint.facts import Package\n"
        "from spark_lint.project import Project\n"
        "from spark_lint.rule import ERROR, Advice, rule\n\n\n"
        '@rule(on=Package, named="vllm", severity=ERROR)\n'
        "def broken(package: Package, project: Project) -> Iterator[Advice]:\n"
        '    yield Advice(str(int("x")))\n'
    )
    (folder / "broken.md").write_text("# Broken\n\nIt fails.\n")
    (repository / "requirements.txt").write_text("torch==2.9.1\nvllm\nvllm\n")
    status, output = lint(repository, "--rules", "rules", "good", "requirements.txt")
    problems = [row for row in output.splitlines() if "problem" in row]
    assert len(problems) == 1
    assert problems[0].startswith("requirements.txt:2: problem: G1/broken failed: ValueError")
    assert "requirements.txt:1:1: error G1/torch-cpu-only-on-aarch64" in output
    assert FINDING in output
    assert status == 2


def test_every_one_of_many_indexes_is_reported(repository: Path) -> None:
    lines = "".join(f"--extra-index-url https://mirror{number}.example/whl/cu121\n" for number in range(40))
    (repository / "requirements.txt").write_text(f"{lines}torch\n")
    _, output = lint(repository, "--select", "G1/torch-index-cuda12", ".")
    assert output.count("torch-index-cuda12") == 40


def test_scripts_that_run_each_other_in_circles(repository: Path) -> None:
    for number in range(30):
        others = "".join(f"V{number}={other} bash s{other}.sh\n" for other in range(30))
        (repository / f"s{number}.sh").write_text(f"{others}vllm serve m --tensor-parallel-size 2\n")
    status, output = lint(repository, ".")
    assert output.count("G10/tensor-parallel-exceeds-gpus") == 30
    assert "problem" not in output
    assert status == 1


def test_code_within_code_is_read_the_less_the_deeper_it_lies(repository: Path) -> None:
    (repository / "run.sh").write_text("ssh a vllm serve m --tensor-parallel-size 2\n" + "ssh a " * 40_000 + "true\n")
    status, output = lint(repository, ".")
    assert "run.sh:1:" in output
    assert status == 1


def test_an_endless_info_string_and_an_endless_folder(repository: Path) -> None:
    (repository / "README.md").write_text("```bash " + "/a.b" * 50_000 + "\nvllm serve m --tensor-parallel-size 2\n```\n")
    (repository / "run.sh").write_text("cd deeper\n" * 2000 + "pip install -r good/requirements.txt\n")
    _, output = lint(repository, ".")
    assert "README.md:2:" in output
    assert "problem" not in output


def test_a_line_in_another_encoding_costs_none_of_the_others(repository: Path) -> None:
    for name, text in (("requirements.txt", b"# caf\xe9\ntorch==2.9.1\n"), ("a.sh", b"# caf\xe9\npip install torch==2.9.1\n")):
        (repository / name).write_bytes(text)
    _, output = lint(repository, ".")
    assert "requirements.txt:1: problem: not text in UTF-8" in output
    assert "requirements.txt:2:1: error G1/torch-cpu-only-on-aarch64" in output
    assert "a.sh:2:13: error G1/torch-cpu-only-on-aarch64" in output
    assert lint(repository, "--strict", ".")[0] == 2


def test_what_a_template_leaves_open_is_no_problem(repository: Path) -> None:
    (repository / "run.sh.j2").write_text("{% if a %}\nif [ {{ b }} ]; then\n{% endif %}\npip install torch==2.9.1\n")
    (repository / "run.sh").write_text("if [ 1 ]; then\npip install torch==2.9.1\n")
    _, output = lint(repository, ".")
    assert "run.sh.j2:4:13: error" in output
    assert [row for row in output.splitlines() if "problem:" in row and "j2" in row] == []
    assert [row for row in output.splitlines() if "problem:" in row and "run.sh:" in row] != []
