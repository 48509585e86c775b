"""Which programs a command line runs, under which names, with which options."""

import pytest

from spark_lint.facts import Command, EnvVar, Fact, Image, Include, Index, Package, Setting
from spark_lint.names import named
from spark_lint.read.shell import commands
from spark_lint.text import Source, Text


def facts(line: str) -> list[Fact | Include]:
    source = Source("run.sh", line)
    found = [fact for read in commands(Text.of(source)) for fact in named(read)]
    return [fact for fact in found if isinstance(fact, (Fact, Include))]


def programs(line: str) -> list[str]:
    return [fact.name for fact in facts(line) if isinstance(fact, Command)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pip install torch", ["pip"]),
        ("pip3.12 install torch", ["pip"]),
        ("/opt/venv/bin/pip install torch", ["pip"]),
        ("python -m pip install torch", ["python", "pip"]),
        ("python3.12 -u -m pip install torch", ["python", "pip"]),
        ("sudo -H -u me FOO=1 pip install torch", ["sudo", "pip"]),
        ("env A=1 B=2 pip install torch", ["env", "pip"]),
        ("time pip install torch", ["time", "pip"]),
        ("nohup python -m vllm.entrypoints.openai.api_server --model m &", ["nohup", "python", "vllm"]),
        ('bash -lc "pip install torch && vllm serve m"', ["bash", "pip", "vllm"]),
        ("uv run --with torch train.py", ["uv", "train.py"]),
        ("uv pip install --system torch", ["uv"]),
        ("conda run -n lab uv pip install torch", ["conda", "uv"]),
        ("poetry run pip install torch", ["poetry", "pip"]),
        ("timeout 5 pip install torch", ["timeout", "pip"]),
        ("docker run --gpus all -e A=1 nvcr.io/nvidia/vllm:26.02-py3 vllm serve m", ["docker", "vllm"]),
        ("torchrun --nnodes 2 --nproc_per_node=1 train.py --lr 1", ["torchrun", "train.py"]),
        ("accelerate launch --num_processes 2 train.py", ["accelerate", "train.py"]),
        ("/opt/nvidia/nvidia_entrypoint.sh vllm serve m", ["entrypoint.sh", "vllm"]),
        ("bash <<EOF\npip install torch\nEOF", ["bash", "pip"]),
        ("numactl -N 0 python -m sglang.launch_server --tp 2", ["numactl", "python", "sglang"]),
    ],
)
def test_wrappers_are_taken_off(line: str, expected: list[str]) -> None:
    assert programs(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        'echo "pip install torch"',
        "python -c 'import pip'",
        "git commit -m 'pip install torch'",
        "apt-get install -y python3-pip",
        "grep vllm x",
    ],
)
def test_text_that_only_mentions_a_program_runs_nothing(line: str) -> None:
    assert len(programs(line)) == 1
    assert not [fact for fact in facts(line) if isinstance(fact, Package)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pip install torch==2.9.1 'flash-attn>=2.8'", [("torch", "==2.9.1"), ("flash-attn", ">=2.8")]),
        ("pip install -U -q --no-deps unsloth", [("unsloth", "")]),
        ("pip install --index-url https://example.invalid/whl torch", [("torch", "")]),
        ("pip install torch --python-version 3.12 vllm", [("torch", ""), ("vllm", "")]),
        ("uv add torch flash_attn", [("torch", ""), ("flash-attn", "")]),
        ("uv run --with 'torch<2.11' x.py", [("torch", "<2.11")]),
        ("pip install -r requirements.txt", []),
        ("pip install .", []),
        ("pip uninstall -y flash-attn", []),
        ("pip show torch", []),
        ("conda install -y pytorch-cuda=12.1 -c nvidia", [("conda/pytorch-cuda", "=12.1")]),
        ("pip download torch", [("torch", "")]),
    ],
)
def test_packages_of_an_install(line: str, expected: list[tuple[str, str]]) -> None:
    assert [(fact.name, fact.specifier) for fact in facts(line) if isinstance(fact, Package)] == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pip install torch --index-url https://download.pytorch.org/whl/cu124", [("cu124", "index", False)]),
        ("pip install torch -i https://download.pytorch.org/whl/cu124", [("cu124", "index", False)]),
        ("pip install torch --extra-index-url=https://download.pytorch.org/whl/nightly/cu126", [("cu126", "extra-index", False)]),
        ("pip install torch -f https://download.pytorch.org/whl/cu118/torch_stable.html", [("cu118", "find-links", False)]),
        ("uv pip install torch --torch-backend=cu126", [("cu126", "torch-backend", False)]),
        ("uv pip install torch --torch-backend auto", [("", "torch-backend", False)]),
        ("uv pip install torch --index pytorch=https://download.pytorch.org/whl/cu128", [("cu128", "extra-index", False)]),
        ("pip config set global.index-url https://download.pytorch.org/whl/cu121", [("cu121", "index", True)]),
        ("export PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cu121", [("cu121", "extra-index", True)]),
        ("PIP_INDEX_URL=https://download.pytorch.org/whl/cu121 pip install torch", [("cu121", "index", False)]),
        ("curl https://download.pytorch.org/whl/cu121", []),
    ],
)
def test_indexes_of_an_install(line: str, expected: list[tuple[str, str, bool]]) -> None:
    found = [(fact.name, fact.role, fact.lasting) for fact in facts(line) if isinstance(fact, Index)]
    assert [each for each in found if each[0] or each[1] in ("find-links", "torch-backend")] == expected


def test_the_packages_options_and_build_variables_come_along() -> None:
    package = next(fact for fact in facts("MAX_JOBS=4 pip install flash-attn --no-build-isolation") if isinstance(fact, Package))
    assert package.flags == {"--no-build-isolation"}
    assert package.environment == (("MAX_JOBS", "4"),)


def test_a_docker_run_gives_its_image_to_what_runs_in_it() -> None:
    found = facts("docker run --rm --platform linux/amd64 -it nvidia/cuda:12.4.1-devel bash -c 'pip install flash-attn'")
    image = next(fact for fact in found if isinstance(fact, Image))
    assert (image.name, image.tag, image.platform, image.role) == ("nvidia/cuda", "12.4.1-devel", "linux/amd64", "run")
    package = next(fact for fact in found if isinstance(fact, Package))
    assert package.context.image == image


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("vllm serve m --tensor-parallel-size 2", [("tensor_parallel_size", "2", "--tensor-parallel-size 2")]),
        ("vllm serve m --tensor_parallel_size=2", [("tensor_parallel_size", "2", "--tensor_parallel_size=2")]),
        ("vllm serve m -tp 2", [("tensor_parallel_size", "2", "-tp 2")]),
        ('vllm serve m --tensor-parallel-size="2"', [("tensor_parallel_size", "2", "--tensor-parallel-size=2")]),
        ("python -m sglang.launch_server --port 1 --tp 2", [("tensor_parallel_size", "2", "--tp 2")]),
        (
            "python train.py --attn_implementation flash_attention_2",
            [("attention", "flash_attention_2", "--attn_implementation flash_attention_2")],
        ),
        ("torchrun --nnodes=2 train.py", [("nodes", "2", "--nnodes=2")]),
        ("tool -tp 2", []),
        ("vllm serve m --draft-tensor-parallel-size 2", []),
        ("vllm serve m --trust-remote-code", []),
    ],
)
def test_settings_among_the_options(line: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(fact.name, fact.value, fact.written) for fact in facts(line) if isinstance(fact, Setting)] == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pip install -r a.txt -c b.txt", [("requirement", "a.txt"), ("constraint", "b.txt")]),
        ("pip install -ra.txt", [("requirement", "a.txt")]),
        ("uv pip sync requirements.lock", [("requirement", "requirements.lock")]),
        ("python train.py", [("run", "train.py")]),
        ("accelerate launch src/train.py --lr 1", [("run", "src/train.py")]),
        ("./run.sh", [("run", "./run.sh")]),
        ("pip install -e .", [("editable", ".")]),
        ("cat train.py", []),
    ],
)
def test_files_a_command_pulls_in(line: str, expected: list[tuple[str, str]]) -> None:
    found = [(fact.kind, fact.path.value) for fact in facts(line) if isinstance(fact, Include)]
    assert list(dict.fromkeys(found)) == expected


def test_a_variable_before_a_command_is_in_its_environment() -> None:
    assert [(fact.name, fact.value) for fact in facts("TORCH_CUDA_ARCH_LIST=8.0 pip install x") if isinstance(fact, EnvVar)] == [
        ("TORCH_CUDA_ARCH_LIST", "8.0")
    ]


def test_shells_within_shells_come_to_an_end() -> None:
    line = "pip install torch"
    for _ in range(40):
        line = "sudo " + line
    assert programs(line).count("sudo") <= 20
