"""`spark-lint explain NAME`: what is known of a package or an image, for people and for programs."""

import json
from typing import Any

import pytest

from spark_lint import knowledge
from spark_lint.cli import run
from spark_lint.explain import found, lines
from spark_lint.explain_known import names
from spark_lint.load import load

RULES = load()
PACKAGE = (
    "schema kind name as_of asked availability cuda evidence source checked newest note instead elsewhere harmless build pairs partners "
    "caps resolutions rules says"
)
MODEL = "schema kind name as_of parameters active part mixture_of_experts layers kv_heads head_dim hidden bits quantisation unsloth_loader known"
IMAGE = "schema kind name as_of tag family cuda severity arm64 month moving for_gpu made_for ships nvidia_torch python driver drawback instead note known arm64_known says"


def text(asked: str) -> str:
    """What is printed, each entry in one line."""
    return "\n".join(lines(found(asked, RULES))).replace("\n    ", " ")


def test_a_pin_is_answered_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "torch==2.7.1"]) == 0
    printed = capsys.readouterr().out
    first, second, *_ = printed.splitlines()
    facts = knowledge.package("torch")
    assert facts is not None
    assert first == f"torch, as of {facts.as_of}"
    assert second == "torch==2.7.1: a Spark gets a wheel, built for the CPU alone."
    assert "\nspark-lint says:\n  error G1/torch-cpu-only-on-aarch64: torch==2.7.1 from PyPI" in printed
    assert "  >=1.10,<2.11  the CPU alone\n" in printed
    assert "\nGoes with:\n  torchvision==0.22.1\n  torchaudio==2.7.1\n" in printed


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        pytest.param("torch<2.11", "torch<2.11: a Spark gets 2.10.0, a wheel, built for the CPU alone.", id="a cap"),
        pytest.param("torch==99.0", "torch==99.0: no such release is known; like those before it, it is taken to be a wheel, built for CUDA 13.", id="newer than everything"),
        pytest.param("torch==2.9.1+cu130", "a Spark gets nothing from the default index, which holds no such build, built for CUDA 13.", id="local"),
        pytest.param("torch==2.10.7", "no such release is known; like those before it, it is taken to be a wheel, built for the CPU alone.", id="never released"),
        pytest.param("torch>99", "torch>99: no known release meets that.", id="nothing meets it"),
        pytest.param("decord", "decord: a Spark gets nothing.", id="nothing for the machine"),
        pytest.param("decord", "decord2: instead of decord, of which there is nothing for aarch64", id="another package"),
        pytest.param("torch==2.1.2", "torch==2.1.2: a Spark gets nothing with CPython 3.12, something with another Python.", id="another Python"),
        pytest.param("ctransformers==0.2.27", "a wheel with libraries for x86-64, which do not load", id="foreign"),
        pytest.param("Flash_Attn", "source, which pip builds", id="another spelling"),
        pytest.param('torch; platform_machine == "x86_64"', ": nothing on a Spark, where its marker does not hold.", id="a marker"),
        pytest.param("jax[cuda12]", "jax[cuda13]: instead of jax[cuda12], which is for CUDA 12", id="an extra"),
        pytest.param("nvidia-cublas-cu12", "nvidia-cublas: the name of nvidia-cublas-cu12 for CUDA 13", id="a new name"),
        pytest.param("tinycudann", "What the default package index has for a Spark was not looked at.", id="not measured"),
        pytest.param("tinycudann", "from nvlabs/tiny-cuda-nn: the default index does not hold it", id="from a repository"),
        pytest.param("llama-cpp-python", "in CMAKE_ARGS: without, it comes out for the CPU", id="arguments of CMake"),
        pytest.param("mamba-ssm==2.3.1", "with MAMBA_FORCE_BUILD=TRUE: without, this version fetches a wheel for x86-64", id="a forced build"),
        pytest.param("onnxruntime-gpu", "aiinfra.pkgs.visualstudio.com", id="another index"),
        pytest.param("unsloth", "torch<2.12, so that pip takes 2.11.0 and uv 2.10.0", id="a cap of its own"),
        pytest.param("torchvision", ">=0.29.1,<0.30: torch>=2.14", id="pairs"),
        pytest.param("torch", "torch torchcodec==0.10.0: nothing, since torchcodec==0.10.0 has no wheels with a matching platform tag", id="a set that fails"),
    ],
)  # fmt: skip
def test_packages(asked: str, said: str) -> None:
    assert said in " ".join(text(asked).split())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        pytest.param("nvidia/cuda:12.4.1-devel-ubuntu22.04", "instead  nvidia/cuda:13.0.2-devel-ubuntu24.04", id="another tag"),
        pytest.param("nvidia/cuda:12.4.1-devel-ubuntu22.04", "error G1/cuda12-base-image", id="a finding"),
        pytest.param("pytorch/pytorch", "aarch64  no", id="not for the machine"),
        pytest.param("ubuntu:24.04", "CUDA     none", id="without CUDA"),
        pytest.param("localhost:5000/team/train:cu124", "CUDA     12.4", id="one's own, by its tag"),
        pytest.param("docker.io/library/python:3.12", "python:3.12, as of", id="a longer spelling"),
    ],
)
def test_images(asked: str, said: str) -> None:
    assert said in text(asked)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        pytest.param("openai/gpt-oss-120b", "a mixture of experts", id="of experts"),
        pytest.param("Qwen/Qwen3-30B-A3B", "3.3 billion for each token", id="active"),
        pytest.param(
            "unsloth/Llama-3.3-70B-Instruct-bnb-4bit", "4 bits, bnb-4bit, 35.3 GB of weights without their scales", id="stored"
        ),
        pytest.param("org/thing-13B-GGUF", "stored      gguf", id="nothing known of the bits"),
        pytest.param("org/thing-13B", "13 billion", id="by its name"),
        pytest.param("black-forest-labs/FLUX.1-dev", "(of the denoiser alone)", id="a part"),
    ],
)
def test_models(asked: str, said: str) -> None:
    assert said in text(asked)


def test_an_image_that_works_has_nothing_instead() -> None:
    printed = text("nvcr.io/nvidia/pytorch:25.11-py3")
    assert "torch 2.10.0a0" in printed
    assert "instead" not in printed
    assert "spark-lint says" not in printed


@pytest.mark.parametrize(
    "asked", ["my-registry.example/team/app:v3", "app", "", "a b", "a\nb", "torch==", "https://example.org/x.git"]
)
def test_of_what_nobody_knows_nothing_is_said(asked: str) -> None:
    with pytest.raises(LookupError, match="in the tables"):
        found(asked, RULES)


@pytest.mark.parametrize(
    ("asked", "keys"), [("vllm>=0.9,<0.11", PACKAGE), ("nvcr.io/nvidia/pytorch:25.11-py3", IMAGE), ("Qwen/Qwen3-8B", MODEL)]
)
def test_json_keys_stand_in_the_documented_order(asked: str, keys: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", asked, "--output-format", "json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert list(whole) == keys.split()
    assert whole["schema"] == 1


def test_a_name_for_cuda12_that_does_no_harm_is_not_replaced() -> None:
    whole = found("nvidia-cutlass-dsl-libs-cu12", RULES)
    assert whole["harmless"]
    assert not whole["instead"]


def test_what_is_to_be_written_lasts_and_says_what_the_findings_say() -> None:
    seen = 0
    for name in knowledge.package_names():
        facts = knowledge.package(name)
        assert facts is not None
        built = {each.verdict for each in facts.builds}
        for version in facts.checked if "cu13" in built and len(built) > 1 else ():
            whole = found(f"{name}=={version}", RULES)
            for each in whole["instead"]:
                if each["why"] != "first-for-cuda-13":
                    continue
                seen += 1
                assert {facts.cuda(later) for later in facts.matching(each["write"].removeprefix(name))} == {"cu13"}
                assert not [said for said in whole["says"] if said["advice"].startswith(f"{name}>=")]
    assert seen


def test_nothing_is_to_be_written_for_what_is_right_already() -> None:
    facts = knowledge.package("torch")
    assert facts is not None
    assert facts.cuda(facts.versions[-1]) == "cu13"
    assert not found("torch", RULES)["instead"]


def test_of_a_long_name_the_error_repeats_the_beginning() -> None:
    with pytest.raises(LookupError) as raised:
        found("a" * 5000, RULES)
    assert len(str(raised.value)) < 300


def test_a_rule_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "G1/torch-cpu-only-on-aarch64", "--output-format", "json"]) == 0
    whole: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (whole["kind"], whole["name"]) == ("rule", "G1/torch-cpu-only-on-aarch64")
    assert whole["text"].startswith("# ")


def test_what_is_asked_for_is_judged_as_in_a_file() -> None:
    whole = found("vllm>=0.9,<0.11", RULES)
    assert (whole["asked"]["version"], whole["asked"]["built_for"]) == ("0.10.2", "cu12")
    (said,) = whole["says"]
    assert (said["code"], said["advice"]) == ("G1/vllm-before-cuda13", f"vllm>={knowledge_first('vllm')}")


def knowledge_first(name: str) -> str:
    facts = knowledge.package(name)
    assert facts is not None
    return facts.first("cu13")


def test_everything_that_is_known_can_be_told() -> None:
    for name in sorted(names()):
        whole = found(name, RULES)
        assert whole["name"] == name
        json.dumps(whole)
        printed = list(lines(whole))
        assert printed[0].startswith(f"{name}, as of 20")
        assert all(len(line) <= 100 or len(line.split()) == 1 for line in printed)
