"""What stands behind what is said of an image: of its CUDA, and of whether it exists for arm64."""

import pytest

from spark_lint import knowledge
from spark_lint.facts import Image
from spark_lint.knowledge.tables import table
from spark_lint.text import Span

SPAN = Span("a", 1, 1, 1, 1)


def image(reference: str) -> Image:
    name, _, tag = reference.partition(":")
    return Image(name=name, span=SPAN, origin=SPAN, written=reference, tag=tag)


COMPATIBILITY = "https://github.com/triton-inference-server/server/blob/main/docs/introduction/compatibility.md"
TENSORFLOW_NOTES = "https://docs.nvidia.com/deeplearning/frameworks/tensorflow-release-notes/rel-23-01.html"


@pytest.mark.parametrize(
    ("reference", "evidence", "source", "assumed"),
    [
        pytest.param("nvcr.io/nvidia/pytorch:25.06-py3", "release-notes", COMPATIBILITY, False, id="month"),
        pytest.param("nvcr.io/nvidia/jax:25.10-py3", "release-notes", COMPATIBILITY, False, id="month of another family"),
        pytest.param("nvcr.io/nvidia/pytorch:23.12-py3", "interpolated", "", False, id="month between known ones"),
        pytest.param("nvcr.io/nvidia/pytorch:26.09-py3", "quoted", "", False, id="month that a container printed"),
        pytest.param("nvcr.io/nvidia/pytorch:25.07-py3", "interpolated", "", True, id="month that may not exist"),
        pytest.param("nvcr.io/nvidia/pytorch:29.01-py3", "interpolated", "", True, id="month after the table"),
        pytest.param("nvcr.io/nvidia/pytorch:22.05-py3", "release-notes", TENSORFLOW_NOTES, False, id="month before the table"),
        pytest.param("nvcr.io/nvidia/vllm:26.09-py3", "quoted", "", True, id="month after the newest of a family"),
        pytest.param("nvcr.io/nvidia/tensorrt:24.01-py3", "interpolated", "", True, id="month of a family taken for built on it"),
        pytest.param("pytorch/pytorch:2.9.1-cuda13.0-cudnn9-devel", "name", "", False, id="tag"),
        pytest.param("tensorflow/tensorflow:cuda11.8-gpu", "name", "", False, id="tag, where the rest is assumed"),
        pytest.param("org/app:cu124", "name", "", False, id="tag of one's own image"),
        pytest.param(
            "nvcr.io/nvidia/tritonserver:25.10-trtllm-python-py3", "release-notes", COMPATIBILITY, False, id="row with steps"
        ),
        pytest.param(
            "vllm/vllm-openai:v0.99.0",
            "release-notes",
            "https://github.com/vllm-project/",
            True,
            id="release after the newest of a row",
        ),
    ],
)
def test_what_stands_behind_the_cuda_of_an_image(reference: str, evidence: str, source: str, assumed: bool) -> None:
    known = knowledge.describe(image(reference)).known
    assert (known.evidence, known.assumed) == (evidence, assumed)
    assert known.source.startswith(source) if source else not known.source


@pytest.mark.parametrize(
    ("reference", "evidence", "source", "assumed"),
    [
        pytest.param(
            "pytorch/pytorch:2.9.1-cuda13.0-cudnn9-devel", "quoted", "https://github.com/pytorch/pytorch/", False, id="row"
        ),
        pytest.param("nvcr.io/nvidia/pytorch:25.06-py3", "quoted", "https://github.com/NVIDIA/dgx-spark", False, id="of its own"),
        pytest.param(
            "tensorflow/tensorflow:latest-gpu", "interpolated", "https://github.com/tensorflow/", True, id="assumed row"
        ),
        pytest.param("rayproject/ray:2.50.0", "release-notes", "https://github.com/ray-project/ray/", False, id="build file"),
        pytest.param("rayproject/ray:2.50.0-aarch64", "name", "", False, id="word in the tag"),
        pytest.param("vllm/vllm-openai:v0.31.0-x86_64", "name", "", False, id="word for x86-64"),
        pytest.param("amd64/python:3.12", "name", "", False, id="word in the name"),
        pytest.param("vllm/vllm-openai:v0.99.0", "release-notes", "https://github.com/vllm-project/", True, id="newer than seen"),
    ],
)
def test_what_stands_behind_whether_an_image_exists_for_arm64(reference: str, evidence: str, source: str, assumed: bool) -> None:
    known = knowledge.describe(image(reference)).arm64_known
    assert (known.evidence, known.assumed) == (evidence, assumed)
    assert known.source.startswith(source) if source else not known.source


def test_each_row_says_its_own_day() -> None:
    assert knowledge.describe(image("pytorch/pytorch:2.9.1-cuda13.0-cudnn9-devel")).arm64_known.as_of == "2026-09-17"
    assert knowledge.describe(image("nvcr.io/nvidia/pytorch:25.06-py3")).known.as_of == table("images")["as_of"].isoformat()
