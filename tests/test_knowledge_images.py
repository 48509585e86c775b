"""What is known of an image: its grade, its processor, what it ships, what to use instead."""

import pytest

from spark_lint import knowledge
from spark_lint.facts import Image
from spark_lint.knowledge.tables import table
from spark_lint.rule import ERROR, INFO, WARNING, Severity
from spark_lint.text import UNKNOWN, Span

SPAN = Span("a", 1, 1, 1, 1)


def image(reference: str) -> Image:
    name, _, digest = reference.partition("@")
    name, _, tag = name.partition(":")
    return Image(name=name, span=SPAN, origin=SPAN, written=reference, tag=tag, digest=digest)


@pytest.mark.parametrize(
    ("reference", "grade", "assumed"),
    [
        ("nvcr.io/nvidia/pytorch:22.12-py3", ERROR, False),
        ("nvcr.io/nvidia/pytorch:24.10-py3", ERROR, False),
        ("nvcr.io/nvidia/pytorch:25.01-py3", WARNING, False),
        ("nvcr.io/nvidia/pytorch:25.06-py3", WARNING, False),
        ("nvcr.io/nvidia/pytorch:25.07-py3", WARNING, True),
        ("nvcr.io/nvidia/pytorch:25.08-py3", INFO, False),
        ("nvcr.io/nvidia/pytorch:25.09-py3", None, False),
        ("nvcr.io/nvidia/pytorch:25.12-py3", None, False),
        ("nvcr.io/nvidia/pytorch:26.10-py3", None, True),
        ("nvcr.io/nvidia/jax:26.06-py3", None, False),
        ("nvcr.io/nvidia/jax:26.09-py3", None, True),
        ("nvidia/cuda:12.4.1-devel-ubuntu22.04", ERROR, False),
        ("nvidia/cuda:12.8.1-devel-ubuntu22.04", WARNING, False),
        ("nvidia/cuda:13.0.2-devel-ubuntu24.04", None, False),
        ("rapidsai/base:26.06-cuda12-py3.13", WARNING, False),
        ("unsloth/unsloth:latest", INFO, False),
        ("deepspeed/deepspeed:latest", ERROR, False),
        ("hiyouga/llamafactory:latest", ERROR, False),
        ("huggingface/transformers-pytorch-gpu:latest", WARNING, True),
        ("vllm/vllm-openai:v0.99.0", None, True),
        ("vllm/vllm-openai:v0.99.0-cu129", WARNING, False),
        ("python:3.12", None, False),
        ("org/app:1.0", None, False),
    ],
)
def test_grade_of_an_image(reference: str, grade: Severity | None, assumed: bool) -> None:
    facts = knowledge.describe(image(reference))
    assert (facts.grade, facts.known.assumed) == (grade, assumed)


@pytest.mark.parametrize(
    ("reference", "arm64"),
    [
        ("nvcr.io/nvidia/pytorch:25.11-py3", True),
        (f"nvcr.io/nvidia/pytorch:{UNKNOWN}", True),
        ("nvidia/cuda:13.0.2-devel-ubuntu24.04", True),
        ("pytorch/pytorch:2.9.1-cuda13.0-cudnn9-runtime", False),
        (f"pytorch/pytorch:{UNKNOWN}", False),
        ("ghcr.io/pytorch/pytorch-nightly:latest", False),
        ("vllm/vllm-openai:v0.10.1", False),
        ("vllm/vllm-openai:v0.10.2", True),
        ("vllm/vllm-openai:latest", None),
        ("vllm/vllm-openai:v0.31.0-x86_64", False),
        ("vllm/vllm-openai:v0.31.0-aarch64", True),
        ("nvcr.io/nvidia/isaac-sim:4.5.0", False),
        ("nvcr.io/nvidia/isaac-sim:5.1.0", True),
        ("rayproject/ray:2.9.3-py310-cu121", False),
        ("rayproject/ray:2.50.0-py312-aarch64", True),
        ("rayproject/ray-ml:2.9.0-gpu", False),
        (f"rayproject/ray:{UNKNOWN}", None),
        ("ghcr.io/huggingface/text-generation-inference:3.3", False),
        ("slimerl/slime:latest", False),
        ("slimerl/sglang:v0.5.9", None),
        ("ghcr.io/huggingface/text-embeddings-inference:1.9", False),
        ("ghcr.io/huggingface/text-embeddings-inference:89-1.9", False),
        ("ghcr.io/huggingface/text-embeddings-inference:121-1.9", True),
        ("ghcr.io/huggingface/text-embeddings-inference:cpu-arm64-1.9", True),
        ("ghcr.io/huggingface/text-embeddings-inference:cpu-1.9", None),
        ("localai/localai:latest", True),
        ("localai/localai:latest-gpu-nvidia-cuda-13", False),
        ("localai/localai:v3.1.0-nvidia-l4t-arm64-cuda-13", True),
        ("localai/localai:latest-aio-cpu", None),
        ("xprobe/xinference:v2.7.0", False),
        ("xprobe/xinference:v2.7.0-aarch64", True),
        ("xprobe/xinference:v2.7.0-cpu", None),
        ("kserve/huggingfaceserver:v0.15.2-gpu", False),
        ("openmmlab/lmdeploy:v0.9.0-cu12.8", False),
        ("openmmlab/lmdeploy:latest-ascend", None),
        ("ghcr.io/invoke-ai/invokeai", False),
        ("ghcr.io/prefix-dev/pixi:noble-cuda-13.0.0", True),
        ("mcr.microsoft.com/devcontainers/python:3.12", True),
        ("mcr.microsoft.com/devcontainers/universal:2", None),
        ("node:20-alpine", True),
        ("763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:2.10.0-gpu-py313-cu130-ubuntu22.04-ec2", False),
        ("public.ecr.aws/deep-learning-containers/vllm-arm64:0.10.2-gpu-py312-cu129-ubuntu22.04-ec2", True),
        ("verlai/verl:vllm020.aarch64.dev1", True),
        ("axolotlai/axolotl:main-py3.12-cu130-2.12.0", True),
        ("axolotlai/axolotl:main-py3.11-cu126-2.7.1", None),
        ("nvcr.io/nim/qwen/qwen3-32b-dgx-spark:1", True),
        ("nvcr.io/nim/meta/llama-3.1-8b-instruct:1", None),
        ("python:3.12-slim", True),
        ("amd64/ubuntu:24.04", False),
        ("arm64v8/ubuntu:24.04", True),
        ("org/app:1.0", None),
    ],
)
def test_whether_an_image_exists_for_arm64(reference: str, arm64: bool | None) -> None:
    assert knowledge.describe(image(reference)).arm64 is arm64


@pytest.mark.parametrize(
    ("reference", "package", "ships", "version"),
    [
        ("nvcr.io/nvidia/pytorch:25.11-py3", "flash-attn", True, "2.7.4.post1"),
        ("nvcr.io/nvidia/pytorch:25.04-py3", "flash-attn", True, "2.7.3"),
        ("nvcr.io/nvidia/pytorch:26.09-py3", "flash-attn", True, ""),
        ("nvcr.io/nvidia/pytorch:26.06-py3", "flash-attn", True, ""),
        ("nvcr.io/nvidia/pytorch:23.10-py3", "flash-attn", None, ""),
        (f"nvcr.io/nvidia/pytorch:{UNKNOWN}", "flash-attn", None, ""),
        ("nvcr.io/nvidia/pytorch:25.11-py3", "torchao", True, "0.14.0"),
        ("nvcr.io/nvidia/pytorch:25.12-py3", "torchao", True, "0.15.0"),
        ("nvcr.io/nvidia/pytorch:26.04-py3", "torchao", True, "0.17.0"),
        ("nvcr.io/nvidia/pytorch:26.02-py3", "torchao", None, ""),
        ("nvcr.io/nvidia/pytorch:25.11-py3", "torch", True, "2.10.0a0+b558c986e8"),
        (f"nvcr.io/nvidia/pytorch:{UNKNOWN}", "torch", True, ""),
        ("nvcr.io/nvidia/pytorch:25.11-py3", "xformers", False, ""),
        ("nvcr.io/nvidia/pytorch:25.11-py3", "unsloth", False, ""),
        ("nvcr.io/nvidia/pytorch:25.11-py3", "transformers", None, ""),
        ("nvcr.io/nvidia/vllm:26.02-py3", "vllm", True, "0.15.1"),
        ("nvcr.io/nvidia/vllm:26.03.post1-py3", "vllm", True, "0.17.1"),
        ("vllm/vllm-openai:v0.28.0", "vllm", True, "0.28.0"),
        ("vllm/vllm-openai:latest", "vllm", True, ""),
        ("lmsysorg/sglang:v0.5.10.post1-cu130", "sglang", True, "0.5.10.post1"),
        ("pytorch/pytorch:2.9.1-cuda13.0-cudnn9-devel", "flash-attn", False, ""),
        ("nvidia/cuda:13.0.2-devel-ubuntu24.04", "torch", False, ""),
        ("python:3.12-slim", "flash-attn", False, ""),
        ("org/app:cu130", "torch", None, ""),
    ],
)
def test_what_an_image_ships(reference: str, package: str, ships: bool | None, version: str) -> None:
    facts = knowledge.describe(image(reference))
    assert (facts.ships(package), facts.version_shipped(package)) == (ships, version)


@pytest.mark.parametrize(
    ("reference", "for_gpu", "stack"),
    [
        ("nvcr.io/nvidia/pytorch:25.11-py3", True, True),
        (f"nvcr.io/nvidia/pytorch:{UNKNOWN}", True, True),
        ("nvidia/cuda:13.0.2-devel-ubuntu24.04", True, False),
        ("org/app:1.0-cu130", True, True),
        ("mambaorg/micromamba:2.3.0-cuda12.9.1-ubuntu24.04", True, False),
        ("mambaorg/micromamba:2.3.0", False, False),
        ("mambaorg/micromamba:cuda", True, False),
        ("rayproject/ray:2.50.0-gpu-aarch64", True, True),
        ("rayproject/ray:2.50.0-aarch64", False, False),
        ("quay.io/jupyter/tensorflow-notebook:cuda-latest", True, True),
        ("quay.io/jupyter/pytorch-notebook:cuda13-latest", True, True),
        ("quay.io/jupyter/pytorch-notebook:latest", False, False),
        ("python:3.12", False, False),
        ("org/app:1.0", False, False),
    ],
)
def test_gpu_images(reference: str, for_gpu: bool, stack: bool) -> None:
    facts = knowledge.describe(image(reference))
    assert (facts.for_gpu, facts.has_gpu_stack) == (for_gpu, stack)


@pytest.mark.parametrize(
    ("reference", "instead"),
    [
        ("nvcr.io/nvidia/pytorch:24.08-py3", "nvcr.io/nvidia/pytorch:25.11-py3"),
        ("pytorch/pytorch:2.9.1-cuda13.0-cudnn9-runtime", "nvcr.io/nvidia/pytorch:25.11-py3"),
        ("nvidia/cuda:12.4.1-devel-ubuntu22.04", "nvidia/cuda:13.0.2-devel-ubuntu24.04"),
        ("nvcr.io/nvidia/cuda:12.4.1-cudnn8-runtime-ubuntu22.04", "nvcr.io/nvidia/cuda:13.0.2-cudnn-runtime-ubuntu24.04"),
        ("vllm/vllm-openai:v0.15.1", "vllm/vllm-openai:v0.28.0"),
        ("rayproject/ray:2.50.0-py312-gpu", "rayproject/ray:2.50.0-py312-gpu-aarch64"),
        ("rayproject/ray", ""),  # whether there is such a tag was not seen
        ("rayproject/ray:1.9.0-gpu", ""),
        ("rayproject/ray:2.50.0-x86_64", ""),
        # The same tag for arm64 would hold a CUDA that a Spark cannot use.
        ("rayproject/ray:2.9.3-py310-cu121", ""),
        (f"rayproject/ray:{UNKNOWN}-gpu", ""),
        ("rayproject/ray-ml:2.9.0-gpu", ""),
        ("ghcr.io/huggingface/text-embeddings-inference:89-1.5", "ghcr.io/huggingface/text-embeddings-inference:121-1.9"),
        ("localai/localai:latest-gpu-nvidia-cuda-12", "localai/localai:latest-nvidia-l4t-arm64-cuda-13"),
        ("org/app:cu118", ""),
    ],
)
def test_image_to_use_instead(reference: str, instead: str) -> None:
    assert knowledge.image_instead(image(reference)) == instead


def test_every_recommended_image_is_itself_fine() -> None:
    rows = table("images")["image"]
    values = {"{flavour}": "devel", "{tag}": "2.50.0"}
    written = [(row["match"][0], row["instead"]) for row in rows if "instead" in row]
    named = {(said if isinstance(said, str) else said[-1][1]).replace("{name}", name) for name, said in written}
    for key, value in values.items():
        named = {each.replace(key, value) for each in named}
    for reference in named - {"rapidsai/*:26.06-cuda13-py3.12"}:
        facts = knowledge.describe(image(reference.replace("nvcr.io/nvidia/rapidsai/*", "rapidsai/base")))
        assert facts.grade is None, reference
        assert facts.arm64 is not False, reference
        assert not facts.other_machine, reference
        assert not facts.known.assumed, reference


@pytest.mark.parametrize(
    ("reference", "python", "driver"),
    [
        ("nvcr.io/nvidia/pytorch:24.10-py3", "3.10", "560.35.03"),
        ("nvcr.io/nvidia/pytorch:25.11-py3", "3.12", "580.95.05"),
        ("nvcr.io/nvidia/pyg:26.05-py3", "3.12", "595.58.03"),
        ("nvcr.io/nvidia/pytorch:29.01-py3", "", ""),
        ("nvcr.io/nvidia/tritonserver:25.11-py3", "", ""),
        ("python:3.12", "", ""),
    ],
)
def test_python_and_driver_of_a_month(reference: str, python: str, driver: str) -> None:
    facts = knowledge.describe(image(reference))
    assert (facts.python, facts.driver) == (python, driver)


def test_family_and_month() -> None:
    facts = knowledge.describe(image("nvcr.io/nvidia/vllm:25.12.post1-py3"))
    assert (facts.family, facts.month) == ("ngc-vllm", "25.12")
    facts = knowledge.describe(image("nvcr.io/nvidia/pytorch:25.13-py3"))
    assert (facts.family, facts.month) == ("ngc-pytorch", "")
    assert knowledge.describe(image("someone/something:25.11-py3")).month == ""


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ("v0.15.1", "Triton"),
        ("v0.12.0-aarch64", "Triton"),
        ("v0.19.1", "FP4"),
        ("v0.24.0-cu129", ""),
        ("v0.28.0", ""),
        ("latest", ""),
    ],
)
def test_what_is_worse_in_an_image_than_its_cuda(tag: str, said: str) -> None:
    drawback = knowledge.describe(image(f"vllm/vllm-openai:{tag}")).drawback
    assert (said in drawback) if said else not drawback
