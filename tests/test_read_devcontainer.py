"""Development containers: the image, what it is given, what runs in it and what before it."""

import pytest
from projects import facts as placed
from projects import found, run

from spark_lint.facts import Command, Entry, EnvVar, Image, Include, Package, ParseProblem
from spark_lint.read.json import read
from spark_lint.text import UNKNOWN, Source

PATH = ".devcontainer/devcontainer.json"

WHOLE = """{
  // of the team
  "name": "gpu",
  "image": "nvcr.io/nvidia/pytorch:25.11-py3",
  "features": {"ghcr.io/devcontainers/features/nvidia-cuda:1": {"cudaVersion": "12.4"}},
  "runArgs": ["--gpus", "all", "--platform=linux/amd64", "--env-file", "${localWorkspaceFolder}/gpu.env"],
  "containerEnv": {"A": "1", "B": "${localEnv:B}", "C": "${localEnv:C:3}", "D": null},
  "remoteEnv": {"E": "5"},
  "initializeCommand": "pip install before",
  "onCreateCommand": ["pip", "install", "one"],
  "updateContentCommand": "pip install two",
  "postCreateCommand": {"a": "pip install three", "b": ["pip", "install", "four"]},
  "postStartCommand": "pip install five",
  "postAttachCommand": "pip install six", /* done */
}
"""


def test_what_runs_in_the_container_and_what_before_it() -> None:
    packages = placed({PATH: WHOLE}, PATH, Package)
    assert [(each.name, each.scope.label) for each in packages] == [
        ("before", ""),
        *((name, "nvcr.io/nvidia/pytorch:25.11-py3") for name in ("one", "two", "three", "four", "five", "six")),
    ]
    assert run({PATH: WHOLE}).report().problems == ()


def test_its_environment_and_its_options() -> None:
    variables = placed({PATH: WHOLE}, PATH, EnvVar)
    assert [(each.name, each.value, each.scope.label != "") for each in variables] == [
        ("A", "1", True), ("B", UNKNOWN, True), ("C", "3", True), ("E", "5", True),
    ]  # fmt: skip
    (docker,) = placed({PATH: WHOLE}, PATH, Command, "docker")
    assert docker.has("--gpus")
    assert docker.scope.image is None
    assert {each.platform for each in placed({PATH: WHOLE}, PATH, Image)} == {"", "linux/amd64"}
    version = next(each for each in placed({PATH: WHOLE}, PATH, Entry) if each.key == "cudaVersion")
    assert version.value == "12.4"
    assert version.name.startswith("features.ghcr.io/devcontainers/features/nvidia-cuda:1.")


def test_places() -> None:
    source = Source(PATH, WHOLE)
    reads = list(read(source))
    image = next(each for each in reads if isinstance(each, Image))
    assert source.cut(image.span) == "nvcr.io/nvidia/pytorch:25.11-py3"
    spans = [source.cut(each.span) for each in reads if isinstance(each, Command)]
    assert spans[0] == "pip install before"
    assert 'pip", "install", "one' in spans
    assert not [each for each in reads if isinstance(each, ParseProblem)]


DOCKERFILE = "FROM nvcr.io/nvidia/pytorch:25.11-py3 AS dev\nFROM ubuntu:24.04\n"


@pytest.mark.parametrize(
    ("path", "build", "file", "label"),
    [
        (PATH, '"build": {"dockerfile": "Dockerfile", "target": "dev"}', ".devcontainer/Dockerfile", "nvcr.io/nvidia/pytorch:25.11-py3"),
        (PATH, '"build": {"dockerfile": "../docker/Dockerfile", "context": ".."}', "docker/Dockerfile", "ubuntu:24.04"),
        (PATH, '"dockerFile": "Dockerfile"', ".devcontainer/Dockerfile", "ubuntu:24.04"),
        (".devcontainer.json", '"build": {"dockerfile": "Dockerfile"}', "Dockerfile", "ubuntu:24.04"),
        (".devcontainer/gpu/devcontainer.json", '"build": {"dockerfile": "${localWorkspaceFolder}/Dockerfile"}', "Dockerfile", "ubuntu:24.04"),
        (PATH, '"build": {"dockerfile": "${localWorkspaceFolder}/.devcontainer/Dockerfile"}', ".devcontainer/Dockerfile", "ubuntu:24.04"),
        (PATH, '"build": {"dockerfile": "Nowhere"}', "Dockerfile", ""),
    ],
)  # fmt: skip
def test_a_dockerfile_says_where_its_commands_run(path: str, build: str, file: str, label: str) -> None:
    text = f'{{{build}, "initializeCommand": "pip install a", "postCreateCommand": "pip install b"}}'
    packages = placed({path: text, file: DOCKERFILE}, path, Package)
    assert [(each.name, each.scope.label) for each in packages] == [("a", ""), ("b", label)]


def test_arguments_of_a_build() -> None:
    text = '{"build": {"dockerfile": "D", "args": {"BASE_IMAGE": "nvidia/cuda:12.4.1-devel-ubuntu22.04", "X": "${localEnv:X}"}}}'
    reads = list(read(Source(PATH, text)))
    assert [(each.name, each.value) for each in reads if isinstance(each, EnvVar)] == [
        ("BASE_IMAGE", "nvidia/cuda:12.4.1-devel-ubuntu22.04"),
        ("X", UNKNOWN),
    ]
    assert [each.reference for each in reads if isinstance(each, Image)] == ["nvidia/cuda:12.4.1-devel-ubuntu22.04"]
    assert [(each.kind, each.path.value) for each in reads if isinstance(each, Include)] == [("build", "D")]


def test_the_image_of_a_compose_service_is_not_known_here() -> None:
    text = '{"dockerComposeFile": ["../compose.yaml"], "service": "app", "postCreateCommand": "pip install flash-attn"}'
    (package,) = placed({PATH: text}, PATH, Package)
    assert package.scope.image is not None
    assert UNKNOWN in package.scope.image.name


def test_it_loads_an_environment_file() -> None:
    (variable,) = placed({PATH: WHOLE, "gpu.env": "A=1\n"}, "gpu.env", EnvVar)
    assert [scope.described for scope in variable.scopes] == [f"nvcr.io/nvidia/pytorch:25.11-py3, loaded at {PATH}:6"]


def test_a_container_of_another_cuda_is_found() -> None:
    text = (
        '{\n  "image": "nvidia/cuda:12.4.1-devel-ubuntu22.04",\n  "containerEnv": {\n    "TORCH_CUDA_ARCH_LIST": "9.0"\n  }\n}\n'
    )
    codes = [(line, code) for _, line, code, _ in found({PATH: text})]
    assert codes == [(2, "G1/cuda12-base-image"), (4, "G7/arch-list-without-12x")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"image": 1, "build": [], "runArgs": {}, "containerEnv": [], "postCreateCommand": 3}',
        '{"image": "", "postCreateCommand": "pip install a"}',
        '{"runArgs": [[], {}, null]}',
        '{"build": {"dockerfile": null, "args": [1], "target": {}}}',
        '{"dockerComposeFile": [], "postCreateCommand": [["a"]]}',
        '{"postCreateCommand": {"a": {"b": "c"}}}',
        '{"onCreateCommand": "' + "${" * 3000 + '"}',
    ],
)
def test_broken_files_are_read(text: str) -> None:
    assert not [each for each in run({PATH: text}).report().problems if "could not be read" in each.message]
