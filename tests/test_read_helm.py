"""Values of Helm charts, and Kustomize: images in parts, and what is given to containers."""

import pytest

from spark_lint.documents import Document, document
from spark_lint.facts import Command, EnvVar, Image, ParseProblem, Setting
from spark_lint.kinds import YAML
from spark_lint.names.machines import elsewhere
from spark_lint.read.yaml import read
from spark_lint.text import Source

VALUES = """\
image: {registry: nvcr.io, repository: nvidia/pytorch, tag: 24.01-py3}
server:
  image: vllm/vllm-openai:v0.8.0
  args: ["--model", "m", "--tensor-parallel-size", "2"]
  extraArgs: [--pipeline-parallel-size=2]
  env:
    - {name: CUDA_VISIBLE_DEVICES, value: "0,1"}
  resources: {limits: {nvidia.com/gpu: 2}}
big:
  nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
  image: {repository: org/big, tag: "1"}
  args: [--tensor-parallel-size, "8"]
  resources: {limits: {nvidia.com/gpu: 8}}
servingEngineSpec:
  modelSpec:
    - name: a
      repository: vllm/vllm-openai
      tag: v0.9.0
      requestGPU: 2
      vllmConfig: {tensorParallelSize: 2}
"""


def named(text: str, path: str) -> Document:
    found = list(read(Source(path, text)))
    assert not [each for each in found if isinstance(each, ParseProblem)]
    return document(path, YAML, found, whole_file_is_one_install=False)


def settings(found: Document) -> list[tuple[str, object, bool]]:
    return [(each.name, each.value, elsewhere(each.context.conditions)) for each in found.facts if isinstance(each, Setting)]


def images(found: Document) -> list[tuple[str, bool]]:
    return [(each.reference, elsewhere(each.context.conditions)) for each in found.facts if isinstance(each, Image)]


@pytest.mark.parametrize("path", ["values.yaml", "deploy/values-prod.yaml", "gpu.values.yml"])
def test_values(path: str) -> None:
    found = named(VALUES, path)
    assert images(found) == [
        ("nvcr.io/nvidia/pytorch:24.01-py3", False), ("vllm/vllm-openai:v0.8.0", False), ("org/big:1", True),
        ("vllm/vllm-openai:v0.9.0", False),
    ]  # fmt: skip
    assert settings(found) == [
        ("visible_devices", "0,1", False), ("model", "m", False), ("tensor_parallel_size", "2", False), ("tensor_parallel_size", "8", True),
        ("pipeline_parallel_size", "2", False), ("gpus", 2, False), ("gpus", 8, True), ("gpus", 2, False), ("tensor_parallel_size", 2, False),
    ]  # fmt: skip
    assert [(each.name, each.value) for each in found.facts if isinstance(each, EnvVar)] == [("CUDA_VISIBLE_DEVICES", "0,1")]
    assert [each.name for each in found.facts if isinstance(each, Command)] == ["vllm", "--tensor-parallel-size"]


def test_other_files_hold_images_in_parts_only() -> None:
    found = named(VALUES, "config.yaml")
    assert images(found) == [("nvcr.io/nvidia/pytorch:24.01-py3", False), ("org/big:1", False)]
    assert not [each for each in found.facts if isinstance(each, Command)]


@pytest.mark.parametrize(
    "values",
    [
        "image: photo.png", "image: assets/logo", "image: ''", "image: {repository: ''}", "image: [a]", "a: {repository: x, args: 3, env: y}",
        "dcgm: {repository: nvcr.io/nvidia/k8s, image: dcgm, version: 1}", "a: {image: {tag: x}, args: [--size, 2]}",
    ],
)  # fmt: skip
def test_what_names_no_whole_image(values: str) -> None:
    found = named(values, "values.yaml")
    assert [each for each in images(found) if "nvcr" not in each[0] and each[0].partition(":")[0] != "x"] == []
    assert not [each for each in found.facts if isinstance(each, Command)]


def test_places_of_values() -> None:
    source = Source("values.yaml", VALUES)
    found = named(VALUES, "values.yaml").facts
    assert [source.cut(each.span) for each in found if isinstance(each, Image)] == [
        "nvidia/pytorch", "vllm/vllm-openai:v0.8.0", "org/big", "vllm/vllm-openai",
    ]  # fmt: skip
    command = next(each for each in found if isinstance(each, Command))
    assert (command.span.line, command.context.image and command.context.image.tag) == (4, "v0.8.0")


KUSTOMIZATION = """\
resources: [deployment.yaml]
images:
  - {name: app, newName: nvcr.io/nvidia/pytorch, newTag: 24.01-py3}
  - {name: org/other, newTag: "2"}
  - {name: pinned, newName: org/pinned, digest: "sha256:0"}
  - {name: untouched}
patches:
  - target: {kind: Deployment}
    patch: |-
      - op: replace
        path: /spec/replicas
        value: 2
  - patch: |
      apiVersion: apps/v1
      kind: Deployment
      spec: {template: {spec: {containers: [{name: a, args: ["--tensor-parallel-size", "2"], resources: {limits: {nvidia.com/gpu: 2}}}]}}}
"""


def test_a_kustomization() -> None:
    found = named(KUSTOMIZATION, "overlays/kustomization.yaml")
    assert images(found) == [("nvcr.io/nvidia/pytorch:24.01-py3", False), ("org/other:2", False)]
    assert settings(found) == [("tensor_parallel_size", "2", False), ("gpus", 2, False)]
    assert [each.span.line for each in found.facts if isinstance(each, Setting)] == [16, 16]


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        ("nodeSelector: {gpu-type: a100}", True), ("nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}", True),
        ("nodeSelector: {pool: gpu}", False), ("nodeSelector: {node: dgx-spark-1}", False), ("nodeSelector: {disk: ssd, kind: rtx-4090}", True),
        ("nodeName: h100-1", True), ("nodeName: spark-1", False), ("nodeSelector: {'{{ .Values.label }}': x}", False),
        ("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: In, values: [h200]}]}]}}}", True),
        ("nvidia.com/gpu.product: NVIDIA-H100", False), ("tolerations: [{key: gpu, value: h100}]", False),
    ],
)  # fmt: skip
def test_nodes_of_a_pod(pod: str, expected: bool) -> None:
    found = named(f"apiVersion: v1\nkind: Pod\nspec:\n  {pod}\n  containers: [{{image: 'org/a:1'}}]\n", "pod.yaml")
    assert images(found) == [("org/a:1", expected)]
