"""Which files are looked at."""

import os
from pathlib import Path

import pytest

from spark_lint.config import Config
from spark_lint.files import discover
from spark_lint.kinds import kind_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("requirements.txt", "requirements"),
        ("requirements-dev.txt", "requirements"),
        ("dev-requirements.txt", "requirements"),
        ("requirements_cu12.txt", "requirements"),
        ("requirements.gpu.in", "requirements"),
        ("requirements/base.txt", "requirements"),
        ("a/constraints.txt", "requirements"),
        ("requirements-a\nb.txt", "requirements"),
        ("requirements-dev.lock", "requirements"),
        ("a\nb.py", "Python"),
        ("Dockerfile", "Dockerfile"),
        ("Dockerfile.gpu", "Dockerfile"),
        ("docker/Dockerfile-cuda13", "Dockerfile"),
        ("app.dockerfile", "Dockerfile"),
        ("Containerfile", "Dockerfile"),
        ("train.py", "Python"),
        ("dockerfile_tools.py", "Python"),
        ("requirements.md", "Markdown"),
        ("Dockerfile.md", "Markdown"),
        ("run.sh", "shell"),
        ("job.slurm", "shell"),
        ("compose.yaml", "YAML"),
        ("values.yml.j2", "YAML"),
        ("ds_config.json", "JSON"),
        ("README.md", "Markdown"),
        ("cuda.cmake", "CMake"),
        ("config.h.cmake", ""),
        ("app-config.in.cmake", ""),
        ("Dockerfile.dockerignore", ""),
        ("dockerfile_lexer.go", ""),
        ("Makefile.cuda", "Makefile"),
        ("makefile_helper.py", "Python"),
        ("lexers/makefile.xml", ""),
        ("notes.txt", ""),
        ("train.pyc", ""),
        ("request.txt", ""),
        ("train.sub", ""),
    ],
)
def test_kinds_by_name(path: str, kind: str) -> None:
    assert kind_of(path) == kind


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"#!/usr/bin/env python3\n", "Python"),
        (b"#!/usr/bin/python\n", "Python"),
        (b"#!/bin/sh\n", "shell"),
        (b"#!/usr/bin/perl\n", ""),
        (b"", ""),
    ],
)
def test_a_script_without_ending_is_known_by_its_first_line(head: bytes, kind: str) -> None:
    assert kind_of("bin/train", head) == kind


def test_a_batch_script_is_read_where_its_first_line_names_a_shell(tree: Path) -> None:
    (tree / "slurm.sub").write_text("#!/bin/bash\n#SBATCH --nodes=1\n")
    (tree / "condor.sub").write_text("executable = train.sh\nrequest_gpus = 1\nqueue\n")
    found = {each.path: each.kind for each in discover(["."], Config()).files if each.path.endswith(".sub")}
    assert found == {"slurm.sub": "shell"}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("torch\n")


def paths(*given: str, **settings: object) -> list[str]:
    return [found.path for found in discover(given or ["."], Config(**settings)).files if not found.neighbour]  # type: ignore[arg-type]


def test_a_walk_finds_files_in_the_order_of_their_names(tree: Path) -> None:
    write(tree, "b/train.py", "a.py", "Dockerfile", "c/requirements.txt", "notes.txt")
    assert paths() == ["Dockerfile", "a.py", "b/train.py", "c/requirements.txt"]


def test_environments_caches_and_version_control_are_no_part_of_a_repository(tree: Path) -> None:
    write(tree, ".git/x.py", ".venv/x.py", "env/pyvenv.cfg", "env/x.py", "node_modules/x.py", "__pycache__/x.py", "src/x.py")
    assert paths() == ["src/x.py"]


def test_modules_that_go_has_put_there_are_no_part_of_it(tree: Path) -> None:
    write(tree, "vendor/modules.txt", "vendor/github.com/x/Makefile", "lib/vendor/x.py")
    assert paths() == ["lib/vendor/x.py"]


def test_what_macos_puts_beside_a_file_is_none(tree: Path) -> None:
    write(tree, "._train.py", "train.py", "._Dockerfile")
    assert paths() == ["train.py"]


def test_gitignore_is_honoured_with_its_negations_and_folders(tree: Path) -> None:
    write(tree, "out/x.py", "keep/x.py", "keep/y.py", "deep/out/x.py", "deep/z.py")
    (tree / ".gitignore").write_text("out/\n*.py\n!keep/x.py\n!deep/z.py\n")
    (tree / "deep" / ".gitignore").write_text("z.py\n")
    assert paths() == ["keep/x.py"]


def test_excludes_hold_for_the_walk_and_for_given_files_only_when_forced(tree: Path) -> None:
    write(tree, "a.py", "third_party/b.py")
    assert paths(exclude=("third_party/",)) == ["a.py"]
    assert paths("third_party/b.py", exclude=("third_party/",)) == ["third_party/b.py"]
    assert paths("third_party/b.py", exclude=("third_party/",), force_exclude=True) == []


def test_given_files_bring_the_neighbours_that_set_their_scope(tree: Path) -> None:
    write(tree, "train.py", "other.py", "Dockerfile", "docker/requirements.txt")
    files = discover(["train.py"], Config()).files
    assert [(found.path, found.given, found.neighbour) for found in files] == [
        ("Dockerfile", False, True),
        ("docker/requirements.txt", False, True),
        ("train.py", True, False),
    ]


def test_a_given_file_of_no_known_kind_is_said_to_be_skipped(tree: Path) -> None:
    write(tree, "notes.txt")
    assert discover(["notes.txt"], Config()).skipped == ("notes.txt",)


def test_a_given_file_that_is_not_there_is_a_problem(tree: Path) -> None:
    problem = discover(["gone.py"], Config()).problems[0]
    assert (problem.path, problem.message, problem.given) == ("gone.py", "no such file or directory", True)


@pytest.mark.parametrize("given", [[], ["requirements.txt"]], ids=["walked", "given"])
def test_a_directory_called_requirements_txt_is_a_problem_and_the_rest_goes_on(given: list[str], tree: Path) -> None:
    write(tree, "requirements.txt/a.py", "b.py")
    found = discover([*given, "."], Config())
    assert "is a directory, not a requirements file" in {problem.message for problem in found.problems}
    assert [each.path for each in found.files] == ["b.py", "requirements.txt/a.py"]


def test_links_that_leave_the_repository_or_go_in_circles_are_not_followed(tree: Path) -> None:
    write(tree, "repo/a.py", "outside/secret.py")
    (tree / "repo" / "secret.py").symlink_to(tree / "outside" / "secret.py")
    (tree / "repo" / "outside").symlink_to(tree / "outside")
    (tree / "repo" / "loop").symlink_to("..")
    assert paths("repo") == ["repo/a.py"]


def test_a_link_to_itself_is_a_problem_and_the_rest_goes_on(tree: Path) -> None:
    write(tree, "a.py")
    (tree / "requirements.txt").symlink_to("requirements.txt")
    found = discover(["."], Config())
    assert [each.path for each in found.files] == ["a.py"]
    assert [(problem.path, problem.message) for problem in found.problems] == [
        ("requirements.txt", "too many levels of symbolic links")
    ]


def test_a_pipe_is_not_opened(tree: Path) -> None:
    os.mkfifo(tree / "train.py")
    found = discover(["."], Config())
    assert [problem.message for problem in found.problems] == ["is not a regular file"]


def test_a_pipe_that_is_given_is_not_opened(tree: Path) -> None:
    os.mkfifo(tree / "train.py")
    found = discover(["train.py"], Config())
    assert [(problem.message, problem.given) for problem in found.problems] == [("is not a regular file", True)]


@pytest.mark.parametrize("target", ["/dev/zero", "elsewhere", "pipe"])
def test_a_gitignore_that_is_no_plain_file_is_not_read(target: str, tree: Path) -> None:
    write(tree, "a.py")
    (tree / "elsewhere").write_text("*.py\n")
    os.mkfifo(tree / "pipe")
    (tree / ".gitignore").symlink_to(target)
    assert paths() == ["a.py"]


@pytest.mark.parametrize("line", ["[z-a]", "!", "*a" * 40 + "b", "**/a/" * 40 + "b"])
def test_a_line_of_a_gitignore_that_is_no_pattern_or_could_take_for_ever_costs_only_itself(line: str, tree: Path) -> None:
    long = "a" * 200 + ".py"
    write(tree, long, "out.py", "/".join("a" * 60) + "/x.py")
    (tree / ".gitignore").write_text(f"# ***** generated *****\n{line}\nout.py\n")
    found = discover(["."], Config())
    assert [each.path for each in found.files] == ["/".join("a" * 60) + "/x.py", long]
    assert [(problem.path, problem.line) for problem in found.problems] == [(".gitignore", 2)]


def test_a_file_beside_a_given_directory_is_looked_at_too(tree: Path) -> None:
    write(tree, "sub/a.py", "b.py", "Dockerfile")
    found = discover(["sub", "b.py"], Config())
    assert [each.path for each in found.files if not each.neighbour] == ["b.py", "sub/a.py"]
    assert found.roots == ("sub", ".")


def test_the_repository_is_the_directory_given(tree: Path) -> None:
    write(tree, "sub/a.py", "Dockerfile")
    found = discover(["sub"], Config())
    assert ([each.path for each in found.files], found.roots) == (["sub/a.py"], ("sub",))


def test_a_file_outside_the_working_directory_brings_its_own_repository(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "repo/.git/HEAD", "repo/Dockerfile", "repo/src/train.py", "cwd/Dockerfile")
    monkeypatch.chdir(tree / "cwd")
    found = discover(["../repo/src/train.py"], Config())
    assert [(each.path, each.neighbour) for each in found.files] == [
        ("../repo/Dockerfile", True),
        ("../repo/src/train.py", False),
    ]
    assert found.roots == ("../repo",)


def test_a_folder_that_may_not_be_entered_costs_only_itself(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "a.py", "pgdata/b.py")
    is_file = Path.is_file

    def refused(path: Path) -> bool:
        if path.parent.name == "pgdata":
            raise PermissionError(13, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refused)
    assert "a.py" in paths()
