"""Versions that do not fit a Spark: what the rules say together, and where they leave the word to another."""

import pytest
from projects import found, run

RULES = {
    "G1/vllm-before-cuda13", "G1/sglang-before-cuda13", "G1/bitsandbytes-too-old", "G1/unsloth-caps-torch",
    "G1/torch-pair-mismatch", "G1/torch-index-split", "G1/torch-cpu-only-on-aarch64",
}  # fmt: skip
CU130 = "--index-url https://download.pytorch.org/whl/cu130"
UV = """\
[[tool.uv.index]]
name = "torch-gpu"
url = "https://download.pytorch.org/whl/cu130"
explicit = true
[tool.uv.sources]
torch = { index = "torch-gpu" }
"""


def lines(files: dict[str, str]) -> list[tuple[str, int, str]]:
    """(path, line, rule) of what these rules find."""
    return [(path, line, code.partition("/")[2]) for path, line, code, _ in found(files) if code in RULES]


def test_a_line_is_found_in_each_place_it_is_installed_in_by_the_worst_one() -> None:
    docker = "FROM vllm/vllm-openai:v0.11.0\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n"
    assert lines({"requirements.txt": "vllm==0.11.0\n", "Dockerfile": docker}) == []
    docker += "FROM python:3.12\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n"
    assert lines({"requirements.txt": "vllm==0.11.0\n", "Dockerfile": docker}) == [("requirements.txt", 1, "vllm-before-cuda13")]


def test_a_torch_in_a_script_counts_for_the_list_that_it_installs() -> None:
    script = f"pip install torch==2.9.1 {CU130}\npip install -r requirements.txt\n"
    files = {"setup.sh": script, "requirements.txt": "torchvision==0.24.1\n"}
    assert lines(files) == [("requirements.txt", 1, "torch-index-split")]
    files["requirements.txt"] = "torchvision==0.25.0\n"
    assert lines(files) == [("requirements.txt", 1, "torch-pair-mismatch")]


@pytest.mark.parametrize(
    ("dependencies", "rules"),
    [
        pytest.param('"torch==2.9.1", "torchvision"', ["torch-index-split"], id="it follows the pin"),
        pytest.param('"torch<2.11", "torchvision"', ["torch-index-split"], id="it follows the cap"),
        pytest.param('"torch>=2.9", "torchvision>=0.20"', [], id="nothing keeps them back"),
        pytest.param('"torch>=2.9", "torchvision<0.26"', ["torch-index-split"], id="torch follows its cap"),
        pytest.param('"torch==2.11.0", "torchvision==0.26.0"', [], id="PyPI's is for CUDA 13"),
        pytest.param('"torch==2.9.1", "torchvision==0.25.0"', ["torch-pair-mismatch"], id="no pair at all"),
    ],
)
def test_what_uv_takes_from_where(dependencies: str, rules: list[str]) -> None:
    project = f'[project]\nname = "x"\nversion = "1"\ndependencies = [{dependencies}]\n{UV}'
    assert [rule for _, _, rule in lines({"pyproject.toml": project})] == rules


def test_pip_reads_no_table_of_uv_and_people_on_the_host_may_use_either() -> None:
    project = f'[project]\nname = "x"\nversion = "1"\ndependencies = [\n"torch==2.9.1",\n"torchvision==0.24.1"]\n{UV}'
    files = {"pyproject.toml": project, "Dockerfile": "FROM python:3.12\nCOPY . .\nRUN pip install .\n"}
    pip, uv = ("pyproject.toml", 5, "torch-cpu-only-on-aarch64"), ("pyproject.toml", 6, "torch-index-split")
    assert lines(files) == [pip, uv]
    assert lines({"pyproject.toml": project}) == [uv]


@pytest.mark.parametrize(
    "install",
    [
        f"pip install torch==2.8.0 {CU130}",
        "pip install torch==2.8.0 --extra-index-url https://download.pytorch.org/whl/cu132",
        "uv pip install torch==2.8.0 --torch-backend cu130",
    ],
)
def test_a_torch_before_the_index_for_cuda_13_is_one_finding(install: str) -> None:
    rule = ("torch-cpu-only-on-aarch64",)
    assert [each[2:] for each in lines({"setup.sh": f"{install}\n"})] == [rule]
    assert [each[2:] for each in lines({"Dockerfile": f"FROM python:3.12\nRUN {install}\n"})] == [rule]


def test_a_torch_before_the_index_for_cuda_13_in_a_list_and_in_a_project() -> None:
    listed = f"{CU130}\ntorch==2.7.1\n"
    assert lines({"requirements.txt": listed}) == [("requirements.txt", 2, "torch-cpu-only-on-aarch64")]
    project = f'[project]\nname = "x"\nversion = "1"\ndependencies = ["torch==2.8.0"]\n{UV}'
    assert lines({"pyproject.toml": project}) == [("pyproject.toml", 4, "torch-cpu-only-on-aarch64")]


@pytest.mark.parametrize(
    "mirror", ["https://mirrors.aliyun.com/pytorch-wheels/cu130", "https://mirror.sjtu.edu.cn/pytorch-wheels/cu130"]
)
def test_a_mirror_of_pytorchs_index_is_no_mirror_of_pypi(mirror: str) -> None:
    assert lines({"setup.sh": f"pip install torch==2.9.1 torchvision==0.24.1 -f {mirror}\n"}) == []


def test_a_variable_is_shown_as_what_it_comes_to() -> None:
    script = 'import subprocess\nSPEC = "vllm==0.11.2"\nsubprocess.run(["pip", "install", SPEC])\n'
    messages = [each.message for each in run({"serve.py": script}).report().findings if each.code in RULES]
    assert [message.split(" from PyPI")[0] for message in messages] == ["vllm==0.11.2"]


def test_many_lines_are_read_and_judged() -> None:
    listed = "torch==2.9.1\n" * 300 + "torchvision==0.25.0\n" * 300
    assert lines({"requirements.txt": listed})[-1] == ("requirements.txt", 600, "torch-pair-mismatch")
