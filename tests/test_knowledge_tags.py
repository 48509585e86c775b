"""What is read from an image's name and tag: its CUDA release, its machine, whether it moves."""

import pytest

from spark_lint import knowledge
from spark_lint.facts import Image
from spark_lint.text import UNKNOWN, Span

SPAN = Span("a", 1, 1, 1, 1)


def image(reference: str) -> Image:
    name, _, digest = reference.partition("@")
    name, _, tag = name.partition(":")
    return Image(name=name, span=SPAN, origin=SPAN, written=reference, tag=tag, digest=digest)


@pytest.mark.parametrize(
    ("reference", "cuda"),
    [
        # NVIDIA's CUDA images: the release comes first.
        ("nvidia/cuda:12.1.1-devel-ubuntu22.04", "12.1.1"),
        ("nvidia/cuda:13.0.2-cudnn-runtime-ubuntu24.04", "13.0.2"),
        ("nvcr.io/nvidia/cuda:12.8.0-base-ubuntu24.04", "12.8.0"),
        ("nvidia/cuda:11.2-base", "11.2"),
        ("nvidia/cuda:10.1-cudnn7-devel-ubuntu18.04", "10.1"),
        ("mirror.example.com/cuda:12.6.3-devel-ubuntu24.04", "12.6.3"),
        # The release as a word.
        ("pytorch/pytorch:2.9.1-cuda13.0-cudnn9-devel", "13.0"),
        ("pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime", "12.1"),
        ("mambaorg/micromamba:2.3.0-cuda12.9.1-ubuntu24.04", "12.9.1"),
        ("nvcr.io/nvidia/cuda-dl-base:26.03-cuda13.2-devel-ubuntu24.04", "13.2"),
        ("org/train:ubuntu22.04-cuda13.0.3-py312-torch2.11.0-vllm0.25.1", "13.0.3"),
        ("org/train:py3.13.2-cuda-12.6", "12.6"),
        ("rapidsai/notebooks:24.10-cuda12.5-py3.11", "12.5"),
        # The release in digits.
        ("vllm/vllm-openai:v0.21.0-aarch64-cu129-ubuntu2404", "12.9"),
        ("vllm/vllm-openai:cu130-nightly", "13.0"),
        ("lmsysorg/sglang:v0.5.9-cu130", "13.0"),
        ("hiyouga/pytorch:th2.6.0-cu124-flashattn2.7.4-cxx11abi0-devel", "12.4"),
        ("verlai/verl:base-verl0.5-cu126-cudnn9.8-torch2.7.1-fa2.8.0-fi0.2.6", "12.6"),
        ("runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404", "12.8.1"),
        ("runpod/base:1.0.2-cuda1281-ubuntu2404", "12.8.1"),
        ("runpod/pytorch:1.0.2-cu1300-torch260-ubuntu2204", "13.0.0"),
        ("axolotlai/axolotl:main-20260701-py3.12-cu130-2.12.0", "13.0"),
        ("winglian/axolotl:main-py3.11-cu118-2.0.1", "11.8"),
        ("org/app:main-cu124-2.6.0", "12.4"),
        ("org/app:cu-124", "12.4"),
        ("org/app:py310-cu92", "9.2"),
        ("openmmlab/lmdeploy:latest-cu12.8", "12.8"),
        ("org/app:torch2.9-cu13.0.2-py312", "13.0.2"),
        ("mosaicml/pytorch:2.7.0_cu128-python3.12-ubuntu22.04", "12.8"),
        ("localai/localai:v3.1.0-nvidia-l4t-arm64-cuda-13", "13"),
        ("nvcr.io/nvidia/clara-holoscan/holoscan:v3.10.0-cuda12-dgpu", "12"),
        ("novaskyai/train-py3.12:cu13.0-megatron", "13.0"),
        ("rayproject/ray:2.9.3-py310-cu121", "12.1"),
        ("763104351884.dkr.ecr.eu-west-1.amazonaws.com/huggingface-pytorch-training:2.1.0-gpu-py310-cu121-ubuntu20.04", "12.1"),
        # Only the major number.
        ("lmsysorg/sglang:dev-cu13", "13"),
        ("rapidsai/base:26.06-cuda13-py3.13", "13"),
        ("quay.io/jupyter/pytorch-notebook:cuda12-python-3.13.14", "12"),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda13-b9001", "13"),
        # torch's version first, in a repository of that kind.
        ("org/pytorch-cuda:1.13.0-11.6.0", "11.6.0"),
        ("anibali/pytorch:1.12.0-11.3.0", "11.3.0"),
        ("org/torch:2.1.0-12.1.1-devel", "12.1.1"),
        ("org/cuda-conda:12.1", "12.1"),
        # Months and versions that the table knows.
        ("nvcr.io/nvidia/pytorch:24.10-py3", "12.6.2"),
        ("nvcr.io/nvidia/pytorch:25.11-py3", "13.0.2"),
        ("nvcr.io/nvidia/pytorch:26.08-py3", "13.4"),
        ("nvcr.io/nvidia/vllm:26.03.post1-py3", "13.2.0"),
        ("nvcr.io/nvidia/jax:25.10-maxtext-py3", "13.0.2"),
        ("nvcr.io/nvidia/tensorflow:25.02-tf2-py3", "12.8.0"),
        ("nvcr.io/nvidia/tritonserver:25.10-py3", "13.0.2"),
        ("nvcr.io/nvidia/tritonserver:25.10-trtllm-python-py3", "12.9"),
        ("nvcr.io/nvidia/tritonserver:26.01-trtllm-python-py3", "13.0.2"),
        ("nvcr.io/nvidia/tritonserver:24.10-trtllm-python-py3", "12.5.1"),
        ("nvcr.io/nvidia/nemo:25.11", "13.0"),
        ("nvcr.io/nvidia/nemo:26.04.00", "13.1"),
        ("nvcr.io/nvidia/nemo:25.04.nemotron", "12.8"),
        ("nvcr.io/nvidia/nemo:25.07", ""),
        ("nvcr.io/nvidia/tensorrt-llm/release:0.16.0", "12.6"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.0.0", "12.9.1"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.2.0rc6", "13"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc13", "13.1"),
        ("nvcr.io/nvidia/tensorrt-llm/release:spark-single-gpu-dev", ""),
        ("vllm/vllm-openai:v0.15.1", "12.9"),
        ("vllm/vllm-openai:v0.10.1", "12.8"),
        ("vllm/vllm-openai:v0.20.0", "13.0"),
        ("vllm/vllm-openai:v0.19.1-cu130", "13.0"),
        ("lmsysorg/sglang:v0.5.10.post1", "12"),
        ("lmsysorg/sglang:v0.5.11", "13.0"),
        ("unsloth/unsloth:latest", "12.8"),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda", "12"),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda-b9001", "12"),
        # Numbers that are no CUDA release.
        ("vllm/vllm-openai:gemma4", ""),
        ("org/app:v0.12.1", ""),
        ("org/app:acu124", ""),
        ("org/app:cp312-cudnn9", ""),
        ("org/app:cudnn9.8-cp312", ""),
        ("org/app:cu12.12", ""),
        ("org/app:accu12.4", ""),
        ("org/app:cu149", ""),
        ("org/cutlass:3.5.1", ""),
        ("verlai/verl:app-verl0.6-transformers4.56.1-sglang0.5.2-mcore0.13.0-te2.2", ""),
        ("axolotlai/axolotl:0.16.1", ""),
        ("tensorflow/tensorflow:2.12.0-gpu-jupyter", ""),
        ("quay.io/ascend/cann:8.5.0-910b-ubuntu22.04-py3.11", ""),
        ("lmsysorg/sglang:v0.4.5-rocm630", ""),
        ("ghcr.io/ggml-org/llama.cpp:server", ""),
        ("redis:12.8", ""),
        ("node:13.0", ""),
        ("python:3.12-slim", ""),
        ("ubuntu:24.04", ""),
        ("pytorch/pytorch:latest", ""),
        ("nvcr.io/nvidia/pytorch:latest", ""),
        # Unknown stays unknown, and what is written beside it is read.
        (f"nvidia/cuda:{UNKNOWN}-devel-ubuntu24.04", ""),
        (f"org/app:{UNKNOWN}-cu124", "12.4"),
        (f"org/app:{UNKNOWN}cu124", ""),
        (f"org/app:cu12{UNKNOWN}", ""),
        (f"org/app:cuda12.{UNKNOWN}", ""),
        (f"nvcr.io/nvidia/pytorch:25.11{UNKNOWN}", ""),
        (f"nvcr.io/nvidia/pytorch:{UNKNOWN}-py3", ""),
        (f"vllm/vllm-openai:v0.12.0{UNKNOWN}", ""),
        (f"{UNKNOWN}:12.4.1-devel-ubuntu22.04", "12.4.1"),
        ("vllm/vllm-openai@sha256:00", ""),
    ],
)
def test_cuda_of_an_image(reference: str, cuda: str) -> None:
    assert knowledge.describe(image(reference)).cuda == cuda


@pytest.mark.parametrize(
    ("reference", "machine"),
    [
        ("nvcr.io/nvidia/pytorch:26.01-py3-igpu", "Jetson"),
        ("nvcr.io/nvidia/l4t-pytorch:r35.2.1-pth2.0-py3", "Jetson"),
        ("dustynv/llama_cpp:r36.4.0", "Jetson"),
        ("localai/localai:latest-nvidia-l4t-arm64", "Jetson"),
        ("localai/localai:latest-nvidia-l4t-arm64-cuda-13", ""),  # made for a Spark
        ("rocm/pytorch:latest", "AMD"),
        ("lmsysorg/sglang:v0.5.17-rocm720-mi35x", "AMD"),
        ("vllm/vllm-openai-rocm:v0.30.0", "AMD"),
        ("ollama/ollama:rocm", "AMD"),
        ("registry.example.com/maca/trainer:3.10-maca3.3-torch2.6-ubuntu22.04-amd64", "MetaX"),
        ("quay.io/ascend/cann:8.5.0-910b-ubuntu22.04-py3.11", "Huawei Ascend"),
        ("org/app:1.0-npu", "Huawei Ascend"),
        ("org/app:1.0-xpu", "Intel"),
        ("vllm/vllm-tpu:nightly", "Google TPU"),
        ("vllm/vllm-openai:v0.31.0-x86_64", "x86-64"),
        ("quay.io/jupyter/pytorch-notebook:x86_64-cuda13-latest", "x86-64"),
        ("amd64/python:3.12", "x86-64"),
        ("nvcr.io/nvidia/pytorch:25.11-py3", ""),
        ("org/scanner:cannot-xpunge", ""),
        ("org/hipster:latest", ""),
        ("scitrera/dgx-spark-sglang:0.5.9", ""),
        ("python:3.12-slim", ""),
    ],
)
def test_images_for_other_machines(reference: str, machine: str) -> None:
    assert knowledge.describe(image(reference)).other_machine == machine


@pytest.mark.parametrize(
    ("reference", "moving"),
    [
        ("vllm/vllm-openai", True),
        ("vllm/vllm-openai:latest", True),
        ("vllm/vllm-openai:cu130-nightly", True),
        ("vllm/vllm-openai:deploy", True),
        ("vllm/vllm-openai:nightly-0123456789abcdef0123456789abcdef01234567", False),
        ("vllm/vllm-openai:v0.28.0", False),
        ("vllm/vllm-openai:latest@sha256:00", False),
        ("unsloth/unsloth:dgxspark-latest", True),
        ("unsloth/unsloth:nightly-2026.11.02", False),
        ("lmsysorg/sglang:spark", True),
        ("lmsysorg/sglang:latest-cu130", True),
        ("lmsysorg/sglang:v0.5.18", False),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda13", True),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda13-b9001", False),
        ("nvcr.io/nvidia/tensorrt-llm/release:spark-single-gpu-dev", True),
        ("nvcr.io/nvidia/pytorch:25.11-py3", False),
        ("python:3.12-slim", False),
        ("org/app:main", True),
        ("org/app:main-latest", True),
        ("org/app:1.4.2", False),
        (f"org/app:{UNKNOWN}", False),
    ],
)
def test_moving_tags(reference: str, moving: bool) -> None:
    assert knowledge.describe(image(reference)).moving is moving
