"""The hook for pre-commit: which files it is given, and what it makes of them in a repository."""

import itertools
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from spark_lint.kinds import kind_of

(HOOK,) = yaml.safe_load((Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text("utf-8"))

SCRIPT = b"#!/usr/bin/env bash\n"
STEMS = [
    "requirements", "requirement", "constraints", "reqs", "requirements-dev", "gpu_requirements", "my.reqs", "requirements.lock", "xrequirements",
    "requirementsx", "Dockerfile", "dockerfile", "Containerfile", "Dockerfile.gpu", "Dockerfile-gpu", "Dockerfile_x", "Dockerfile.py", "Dockerfile.x.md",
    "gpu.Dockerfile", "Dockerfilex", "mydockerfile", "train", "Train", "a b", "a\nb", "é", "compose", "environment", ".x", "-x", "x.", "", "a.j2", "a.yaml",
    "pyproject", "pylock", "pylock.dev", "pylocks", "Cargo", "cargo.toml", "setup", "xsetup",
    "Jenkinsfile", "jenkinsfile.gpu", "gpu_Jenkinsfile", "xjenkinsfile", "Jenkinsfile_md",
    ".env", "gpu.env", "env", "env_gpu", ".envrc", "xenv", ".environment", "a@.service", "a.container", "a.timer",
]  # fmt: skip
ENDINGS = [
    "", ".txt", ".in", ".pip", ".py", ".PY", ".pyi", ".pyc", ".sh", ".bash", ".zsh", ".ksh", ".fish", ".slurm", ".sbatch", ".pbs", ".lsf", ".csh", ".yaml",
    ".yml", ".yamlx", ".json", ".jsonc", ".json5", ".jsonl", ".ipynb", ".md", ".mdx", ".markdown", ".mdown", ".mkd", ".rst", ".toml", ".lock", ".j2", ".sh.j2",
    ".yaml.jinja", ".yml.tmpl", ".json.j2", ".py.in", ".sh.example", ".dockerfile", ".containerfile", ".dockerignore", ".txt.bak", ".c", ".cfg",
    ".env", ".example", "-example", ".list", ".local", ".gpu", ".ts", ".d.ts", ".enc", ".service", ".service.in", ".container", ".conf", ".envrc", ".groovy", ".xml", ".properties", ".log", ".sub", ".job",
]  # fmt: skip
FOLDERS = [
    "",
    "a/",
    "requirements/",
    "requirement/",
    "a.py/",
    "Dockerfile/",
    "a b/requirements/",
    "xrequirements/",
    "é/",
    "x.service.d/",
]


def test_hook_is_given_exactly_what_is_read() -> None:
    pattern = re.compile(HOOK["files"])
    names = [folder + stem + ending for folder, stem, ending in itertools.product(FOLDERS, STEMS, ENDINGS) if stem + ending]
    # As it is for a script, since the name alone cannot tell of a file without an ending.
    wrong = {name for name in names if bool(pattern.search(name)) is not bool(kind_of(name, SCRIPT))}
    assert wrong == set()
    assert {kind_of(name, SCRIPT) for name in names} >= {
        "requirements",
        "Dockerfile",
        "Python",
        "shell",
        "YAML",
        "JSON",
        "Markdown",
        "TOML",
        "setup.cfg",
        "notebook",
        "systemd unit",
        "environment",
        "Jenkinsfile",
    }


@pytest.mark.parametrize("name", ["LICENSE", "a/README", "Procfile", "CHANGELOG", "VERSION"])
def test_hook_is_not_given_what_is_no_script(name: str) -> None:
    assert not re.search(HOOK["files"], name)


def test_hook_leaves_excluded_files_out_and_runs_once() -> None:
    assert HOOK["entry"] == "spark-lint check --force-exclude --"
    assert HOOK["language"] == "python"
    assert HOOK["require_serial"] is True
    assert "args" not in HOOK  # they would stand behind the `--`


FLASH = "flash-attn==2.8.3\n"
FILES = {
    "requirements.txt": FLASH,
    "vendor/requirements.txt": FLASH,
    "Dockerfile": "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n",
    "train.py": "from vllm import LLM\n\nllm = LLM('x', tensor_parallel_size=2)\n",
    "serve.sh": "vllm serve x --tensor-parallel-size 2\n",
    "run": "#!/bin/bash\nvllm serve x --tensor-parallel-size 2\n",
    "compose.yaml": "services: {a: {image: ubuntu}}\n",
    "config.json": "{}\n",
    "pyproject.toml": "[project]\nname = 'x'\ndependencies = ['flash-attn==2.8.3']\n",
    "setup.cfg": "[metadata]\nname = x\n",
    "a.ipynb": '{"cells": []}\n',
    "README.md": "```bash\nvllm serve x --tensor-parallel-size 2\n```\n",
    "notes.txt": FLASH,
    "LICENSE": FLASH,
    "-rf x-requirements.txt": FLASH,
    "rules": "#!/bin/bash\n",
}

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="pre-commit asks git for the files")


class Repository:
    """A git repository with the hook, run by pre-commit with the spark-lint of these tests."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> None:
        self.folder = folder
        for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "SKIP"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PRE_COMMIT_HOME", str(folder.parent / "cache"))
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)

    def run(self, program: str) -> "subprocess.CompletedProcess[str]":
        """What `pre-commit run --all-files` says. program: what stands for `spark-lint`."""
        hook: dict[str, Any] = {
            **HOOK,
            "language": "system",
            "entry": HOOK["entry"].replace("spark-lint", program),
            "verbose": True,
        }
        config = yaml.safe_dump({"repos": [{"repo": "local", "hooks": [hook]}]})
        (self.folder / ".pre-commit-config.yaml").write_text(config)
        for arguments in (["init", "--quiet"], ["add", "."]):
            subprocess.run(["git", *arguments], cwd=self.folder, check=True)
        command = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"]
        return subprocess.run(command, cwd=self.folder, capture_output=True, encoding="utf-8", check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "repository"
    made.mkdir()
    return made


@needs_git
def test_files_of_every_kind_are_passed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = Repository(folder, monkeypatch, FILES).run(f"{sys.executable} -c 'import sys; print(sorted(sys.argv[4:]))'")
    passed = sorted(set(FILES) - {"notes.txt", "LICENSE"} | {".pre-commit-config.yaml"})
    assert str(passed) in ran.stdout


@needs_git
def test_findings_fail_the_commit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"pyproject.toml": "[tool.spark-lint]\nexclude = ['vendor/']\n"}
    ran = Repository(folder, monkeypatch, FILES | settings).run(f"{sys.executable} -m spark_lint")
    assert ran.returncode == 1
    found = {line.split(":")[0] for line in ran.stdout.splitlines() if re.match(r"[^ ].*:\d+:\d+: (error|warning)", line)}
    assert found >= {"requirements.txt", "-rf x-requirements.txt", "Dockerfile", "train.py", "serve.sh", "run"}
    assert "vendor" not in ran.stdout
    assert "LICENSE" not in ran.stdout


@needs_git
def test_clean_repository_passes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = Repository(folder, monkeypatch, {"requirements.txt": "numpy\n"}).run(f"{sys.executable} -m spark_lint")
    assert (ran.returncode, "Nothing found." in ran.stdout) == (0, True)
