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
        ("time A=1 pip install torch", ["time", "pip"]),
        ("flock -n /lock vllm serve m", ["flock", "vllm"]),
        ("xvfb-run -a -s '-screen 0' python x.py", ["xvfb-run", "python", "x.py"]),
        ("nsys profile -o x -t cuda,nvtx python x.py", ["nsys", "python", "x.py"]),
        ("ncu --nvtx -o x python x.py", ["ncu", "python", "x.py"]),
        ("uvx --from vllm vllm serve m", ["uvx", "vllm"]),
        ("uv tool run --with a vllm serve m", ["uv", "vllm"]),
        ("su - me -c 'pip install torch'", ["su", "pip"]),
        ("ssh -p 22 me@host 'cd x && pip install torch'", ["ssh", "cd", "pip"]),
        ("ssh host pip install torch", ["ssh", "pip"]),
        ("ssh host", ["ssh"]),
        ("watch -n 1 nvidia-smi", ["watch", "nvidia-smi"]),
        ("tmux new-session -d -s a 'vllm serve m'", ["tmux", "vllm"]),
        ("tmux send-keys -t a 'vllm serve m' C-m", ["tmux", "vllm"]),
        ("screen -dmS a vllm serve m", ["screen", "vllm"]),
        ("docker run -itp 80:80 img vllm serve m", ["docker", "vllm"]),
        ("docker container run --rm img vllm serve m", ["docker", "vllm"]),
        ("docker run --entrypoint vllm img serve m", ["docker", "vllm"]),
        ("docker exec -it -e A=1 box pip install torch", ["docker", "pip"]),
        ("docker compose -f a.yml exec app pip install torch", ["docker", "pip"]),
        ("docker-compose run --rm app pip install torch", ["docker-compose", "pip"]),
        ("docker ps -a", ["docker"]),
        ("kubectl exec -it pod -c x -- pip install torch", ["kubectl", "pip"]),
        ("kubectl run a --image=img -- nvidia-smi", ["kubectl", "nvidia-smi"]),
        ("kubectl get pods", ["kubectl"]),
        ("apptainer exec --nv --bind a:b x.sif python x.py", ["singularity", "python", "x.py"]),
        ("enroot start --env A=1 box pip install torch", ["enroot", "pip"]),
        ("enroot import docker://img", ["enroot"]),
        ("srun -N2 --mpi=pmix torchrun --nnodes 2 x.py", ["srun", "torchrun", "x.py"]),
        ("mpirun -np 2 --mca btl tcp,self -x A=1 -host a,b python x.py", ["mpirun", "python", "x.py"]),
        ("mpirun -n 2 trtllm-llmapi-launch trtllm-serve m", ["mpirun", "trtllm-llmapi-launch", "trtllm"]),
        ("ray job submit --address a --working-dir . -- python x.py", ["ray", "python", "x.py"]),
        ("accelerate launch --use_fsdp --mixed_precision bf16 -m pkg.train --lr 1", ["accelerate", "pkg.train"]),
        ("accelerate config", ["accelerate"]),
        ("python -m accelerate.commands.launch --num_processes=2 x.py", ["python", "accelerate", "x.py"]),
        ("colossalai run --nproc_per_node 2 x.py", ["colossalai", "x.py"]),
        ("horovodrun -np 2 -H a,b python x.py", ["horovodrun", "python", "x.py"]),
        ("composer -n 2 x.py", ["composer", "x.py"]),
        ("trl vllm-serve --model m", ["vllm"]),
        ("sbatch -c 8 --wrap 'python x.py'", ["sbatch", "python", "x.py"]),
        ("sbatch -N 2 <<EOF\n#!/bin/bash\nsrun python x.py\nEOF", ["sbatch", "srun", "python", "x.py"]),
        ("sbatch job.sh", ["sbatch"]),
        ("parallel -j 2 'python x.py {}' ::: 1 2", ["parallel", "python", "x.py"]),
        ("python -m llamafactory.cli train x.yaml", ["python", "llamafactory-cli"]),
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
    assert not [fact for fact in facts(line) if isinstance(fact, Package) and fact.manager != "apt"]


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
    ("line", "program"),
    [
        ("docker run --gpus all vllm/vllm-openai:v0.12.0 --model org/m -tp 2", "vllm"),
        ("docker run --gpus all vllm/vllm-openai org/m", "vllm"),
        ("docker run registry.example/mirror/vllm-openai:v1 --model org/m", "vllm"),
        ("docker run --gpus all ghcr.io/ggml-org/llama.cpp:server-cuda13 -m m.gguf", "llama-server"),
        ("docker run ghcr.io/huggingface/text-generation-inference:3 --model-id m", "text-generation-launcher"),
        ("docker run --entrypoint /bin/sh vllm/vllm-openai -c 'pip list'", "pip"),
        ("docker run vllm/vllm-openai nvidia-smi", "nvidia-smi"),
        ("docker run vllm/vllm-openai ./scripts/run", "run"),
        ("docker run lmsysorg/sglang python3 -m sglang.launch_server", "sglang"),
        ("docker run org/app --model org/m", "--model"),
    ],
)
def test_words_behind_an_image_belong_to_its_own_program(line: str, program: str) -> None:
    found = facts(line)
    commands = [fact for fact in found if isinstance(fact, Command)]
    assert commands[-1].name == program
    assert commands[-1].context.image == next(fact for fact in found if isinstance(fact, Image))


@pytest.mark.parametrize(
    ("line", "image", "tag"),
    [
        ("srun --container-image=nvcr.io#nvidia/pytorch:25.10-py3 python x.py", "nvcr.io/nvidia/pytorch", "25.10-py3"),
        ("apptainer exec docker://nvidia/cuda:12.4.1-devel nvcc", "nvidia/cuda", "12.4.1-devel"),
        ("kubectl run a --image nvidia/cuda:12.4.1-base -- nvidia-smi", "nvidia/cuda", "12.4.1-base"),
        ("docker container run nvidia/cuda:12.4.1-base nvidia-smi", "nvidia/cuda", "12.4.1-base"),
    ],
)
def test_images_in_which_a_command_runs(line: str, image: str, tag: str) -> None:
    found = facts(line)
    images = [fact for fact in found if isinstance(fact, Image)]
    assert [(each.name, each.tag) for each in images] == [(image, tag)]
    inner = [fact for fact in found if isinstance(fact, Command)][1:]
    assert {each.context.image for each in inner} == {images[0]}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("docker run -e A=1 --env B=2 img cmd", [("A", "1"), ("B", "2")]),
        ("docker build --build-arg A=1 .", [("A", "1")]),
        ("docker compose exec -e A=1 app cmd", [("A", "1")]),
        ("mpirun -x A=1 -x B cmd", [("A", "1")]),
        ("sudo env A=1 nohup cmd", [("A", "1")]),
    ],
)
def test_variables_for_what_is_run(line: str, expected: list[tuple[str, str]]) -> None:
    assert [(fact.name, fact.value) for fact in facts(line) if isinstance(fact, EnvVar)] == expected


def test_an_option_is_where_it_is_written() -> None:
    line = "docker run --gpus=device=0,1 vllm/vllm-openai --model m -tp 2"
    settings = [fact for fact in facts(line) if isinstance(fact, Setting)]
    assert [(fact.name, line[fact.span.column - 1 : fact.span.end_column - 1]) for fact in settings] == [
        ("visible_devices", "--gpus=device=0,1"),
        ("model", "--model m"),
        ("tensor_parallel_size", "-tp 2"),
    ]


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
    found = [(fact.name, fact.value, fact.written) for fact in facts(line) if isinstance(fact, Setting)]
    assert [each for each in found if each[0] != "model"] == expected


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


@pytest.mark.parametrize(
    "line",
    [
        "vllm serve m " + "--port 1 " * 20_000 + "--tensor-parallel-size 2",
        "x a=1," + "b=2," * 20_000 + "tensor_parallel_size=2",
        "x --json '{" + '"a": 1, ' * 20_000 + '"tensor_parallel_size": 2}\'',
        "x --" + "a." * 20_000 + "tensor_parallel_size 2",
    ],
    ids=["options", "pairs", "JSON", "dots"],
)
def test_what_nobody_writes_is_looked_at_in_part(line: str) -> None:
    assert [fact for fact in facts(line) if isinstance(fact, Setting) and fact.name == "tensor_parallel_size"] == []


def test_switches_in_one_word_are_bounded() -> None:
    command = next(fact for fact in facts("pip install -" + "q" * 100_000 + " torch") if isinstance(fact, Command))
    assert len(command.options) < 50


def test_a_variable_is_shown_whole() -> None:
    variable = next(fact for fact in facts("docker build --build-arg A='8.0 9.0' .") if isinstance(fact, EnvVar))
    assert (variable.value, variable.written) == ("8.0 9.0", "A=8.0 9.0")


@pytest.mark.parametrize(
    "line",
    [
        "ssh host pip install torch==2.6.0",
        "ssh host 'cd x && pip install torch==2.6.0'",
        "tmux send-keys -t a 'pip install torch==2.6.0' Enter",
        "sbatch --wrap='pip install torch==2.6.0'",
        "docker run img bash -c 'pip install torch==2.6.0'",
    ],
)
def test_what_runs_elsewhere_stands_where_it_is_written(line: str) -> None:
    package = next(fact for fact in facts(line) if isinstance(fact, Package))
    assert line[package.span.column - 1 : package.span.end_column - 1] == "torch==2.6.0"
