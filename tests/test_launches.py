"""What one launch asks for, whatever kind of file it is written in: how loud the rules about GPUs and Sparks are."""

import pytest

from tests.projects import found

MULTI = "G6/multi-gpu-on-single-gpu-box"
VISIBLE = "G6/cuda-visible-devices-nonzero"
EXCEEDS = "G10/tensor-parallel-exceeds-gpus"
SERVING = "G10/tensor-parallel-serving"
TRAINING = "G10/tensor-parallel-training"

SERVE = "vllm serve m --gpu-memory-utilization 0.8"
COMPOSE = "services:\n  a:\n    image: vllm/vllm-openai:v0.28.0\n    command: --model m --gpu-memory-utilization 0.8 "
DEVICES = "    deploy:\n      resources:\n        reservations:\n          devices:\n            - driver: nvidia\n              "
ACCELERATE = "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\n"


def severities(files: dict[str, str], *codes: str, **settings: object) -> list[tuple[str, str]]:
    """What these rules say, as (code, severity)."""
    return [(code, severity) for _, _, code, severity in found(files, **settings) if code in codes]


def says(name: str, text: str, code: str, **settings: object) -> list[str]:
    return [severity for _, severity in severities({name: text}, code, **settings)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.sh", f"{SERVE} --tensor-parallel-size 2\n", [(EXCEEDS, "error")]),
        ("a.sh", f"{SERVE} --tensor-parallel-size 2 --nnodes 1\n", [(EXCEEDS, "error")]),
        ("a.sh", f"{SERVE} --tensor-parallel-size 4 --nnodes 2\n", [(EXCEEDS, "error")]),
        ("a.sh", f"{SERVE} --tensor-parallel-size 2 --nnodes 2\n", [(SERVING, "warning")]),
        ("a.sh", f"export NCCL_IB_HCA=a,b\n{SERVE} --tensor-parallel-size 2 --nnodes 2\n", [(SERVING, "info")]),
        ("a.sh", "torchrun train.py --tensor-model-parallel-size 2\n", [(EXCEEDS, "error")]),
        ("a.sh", "torchrun --nnodes 2 train.py --tensor-model-parallel-size 2\n", [(TRAINING, "error")]),
        ("a.sh", "torchrun --nnodes $N train.py --tensor-model-parallel-size 2\n", [(TRAINING, "error")]),
        ("compose.yaml", f"{COMPOSE} --tensor-parallel-size 2\n", [(EXCEEDS, "error")]),
        ("compose.yaml", f"{COMPOSE} --tensor-parallel-size 2 --nnodes 2\n", [(SERVING, "warning")]),
        ("README.md", f"```bash\n{SERVE} --tensor-parallel-size 2\n```\n", [(EXCEEDS, "warning")]),
        ("README.md", f"```bash\n{SERVE} --tensor-parallel-size 2 --nnodes 2\n```\n", [(SERVING, "info")]),
        ("ds.json", '{"train_batch_size": 8, "tensor_parallel": {"autotp_size": 2}}\n', [(EXCEEDS, "warning")]),
        ("a.yaml", f"{ACCELERATE}num_machines: 1\nparallelism_config_tp_size: 2\n", [(EXCEEDS, "warning")]),
        ("a.yaml", f"{ACCELERATE}num_machines: 2\nparallelism_config_tp_size: 2\n", [(TRAINING, "warning")]),
    ],
)
def test_tensor_parallelism_is_judged_alike_in_every_kind_of_file(name: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert severities({name: text}, EXCEEDS, SERVING, TRAINING) == expected


def test_a_value_in_a_file_is_an_error_where_the_user_says_how_many_sparks_there_are() -> None:
    files = {"engine.yaml": "tensor_parallel_size: 2\n"}
    assert severities(files, EXCEEDS) == [(EXCEEDS, "warning")]
    assert severities(files, EXCEEDS, sparks=1) == [(EXCEEDS, "error")]
    assert severities(files, EXCEEDS, sparks=2) == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.sh", "torchrun --nproc_per_node 8 train.py\n", ["error"]),
        ("a.sh", "NPROC_PER_NODE=8 swift sft --model m\n", ["error"]),
        ("a.sh", "export NPROC_PER_NODE=8\n", ["warning"]),
        ("a.sh", "accelerate launch --num_processes 2 train.py\n", ["error"]),
        ("a.sh", "accelerate launch --num_machines 2 --num_processes 2 train.py\n", []),
        ("a.sh", "accelerate launch --num_machines 2 --num_processes 4 train.py\n", ["error"]),
        ("a.sh", "accelerate launch --num_machines $N --num_processes 4 train.py\n", []),
        ("a.sh", "accelerate launch --cpu --num_processes 4 train.py\n", []),
        ("a.sh", "accelerate launch --num_cpu_threads_per_process 4 --num_processes 4 train.py\n", ["error"]),
        ("a.slurm", "#!/bin/bash\n#SBATCH --gres=gpu:2\n", ["error"]),
        ("a.slurm", "#!/bin/bash\n#SBATCH --gpus=2\n", []),
        ("compose.yaml", f"{COMPOSE}\n{DEVICES}count: 2\n", ["error"]),
        ("compose.yaml", f"{COMPOSE}\n{DEVICES}count: 1\n", []),
        ("a.yaml", f"{ACCELERATE}num_machines: 1\nnum_processes: 2\n", ["warning"]),
        ("a.yaml", f"{ACCELERATE}num_machines: 2\nnum_processes: 2\n", []),
        ("a.yaml", f"{ACCELERATE}use_cpu: true\nnum_machines: 1\nnum_processes: 2\n", []),
        ("a.yaml", f"{ACCELERATE}use_cpu: false\nnum_machines: 1\nnum_processes: 2\n", ["warning"]),
        ("README.md", "```bash\ntorchrun --nproc_per_node 8 train.py\n```\n", ["warning"]),
    ],
)
def test_more_processes_than_the_one_gpu(name: str, text: str, expected: list[str]) -> None:
    assert says(name, text, MULTI) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CUDA_VISIBLE_DEVICES=0 python a.py\n", []),
        ("CUDA_VISIBLE_DEVICES=1 python a.py\n", ["error"]),
        ("CUDA_VISIBLE_DEVICES=1,0 python a.py\n", ["error"]),
        ("CUDA_VISIBLE_DEVICES=0,1 python a.py\n", ["warning"]),
        ("CUDA_VISIBLE_DEVICES= python a.py\n", []),
        ("docker run -e NVIDIA_VISIBLE_DEVICES=0,1 example/image:1\n", ["error"]),
        ("docker run --gpus '\"device=0,1\"' example/image:1\n", ["error"]),
        ("deepspeed --include localhost:0,1 a.py\n", ["error"]),
        ("python a.py --device cuda:0\n", []),
        ("python a.py --device cuda:1\n", ["error"]),
        ("python a.py --name cuda:1\n", []),
    ],
)
def test_a_gpu_other_than_the_first(text: str, expected: list[str]) -> None:
    assert says("a.sh", text, VISIBLE) == expected


def test_pipeline_stages_count_only_in_the_launch_they_belong_to() -> None:
    one = f"{SERVE} --tensor-parallel-size 2 --nnodes 2\n"
    other = f"{SERVE} --pipeline-parallel-size 2 --nnodes 2\n"
    assert says("a.sh", one + other, EXCEEDS) == []
    assert says("a.sh", one.replace("\n", " --pipeline-parallel-size 2\n"), EXCEEDS) == ["error"]


def test_keys_of_a_file_belong_together_where_their_path_is_the_same() -> None:
    size = "  {}:\n    tensor_model_parallel_size: 2\n"
    stages = "  {}:\n    pipeline_model_parallel_size: 2\n"
    both = "  actor:\n    tensor_model_parallel_size: 2\n    pipeline_model_parallel_size: 2\n"
    apart = "trainer:\n  nnodes: 2\nworker:\n" + size.format("rollout") + stages.format("actor")
    assert says("a.yaml", apart, EXCEEDS) == []
    assert says("a.yaml", "trainer:\n  nnodes: 2\nworker:\n" + both, EXCEEDS) == ["warning"]


def test_the_machines_of_a_launch_may_be_named_in_its_configuration() -> None:
    launch = "accelerate launch --config_file conf/two.yaml --num_processes 2 train.py\n"
    configuration = f"{ACCELERATE}num_machines: {{}}\n"
    assert severities({"a.sh": launch, "conf/two.yaml": configuration.format(2)}, MULTI) == []
    assert severities({"a.sh": launch, "conf/two.yaml": configuration.format(1)}, MULTI) == [(MULTI, "error")]


@pytest.mark.parametrize("name", ["train_8xh100.sh", "a100x4/train.sh", "train_8gpu.sh", "4gpus/train.sh"])
def test_a_file_named_after_a_machine_with_many_gpus_is_for_that_machine(name: str) -> None:
    assert says(name, "torchrun --nproc_per_node 8 train.py\n", MULTI) == []


@pytest.mark.parametrize("name", ["train_1gpu.sh", "multi_gpu.sh", "train_spark_2gpu.sh", "8b.sh"])
def test_other_names_say_nothing_about_the_machine(name: str) -> None:
    assert says(name, "torchrun --nproc_per_node 8 train.py\n", MULTI) == ["error"]
