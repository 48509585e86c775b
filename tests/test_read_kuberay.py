"""Ray: clusters in Kubernetes, jobs with their environment, applications that serve, and clusters of its own launcher."""

import pytest

from spark_lint.documents import Document, document
from spark_lint.facts import Command, Entry, EnvVar, Fact, Image, Package, ParseProblem, Setting
from spark_lint.kinds import SHELL, YAML
from spark_lint.names.machines import elsewhere
from spark_lint.read import shell
from spark_lint.read.yaml import read
from spark_lint.text import Source


def named(text: str, path: str = "ray.yaml") -> Document:
    found = list(read(Source(path, text)))
    assert not [each for each in found if isinstance(each, ParseProblem)]
    return document(path, YAML, found, whole_file_is_one_install=False)


def packages(found: Document) -> list[tuple[str, str, str]]:
    return [(each.name, each.version, each.manager) for each in found.facts if isinstance(each, Package)]


JOB = """\
apiVersion: ray.io/v1
kind: RayJob
spec:
  entrypoint: python train.py
  runtimeEnvYAML: |
    pip: ["torch==2.4.0", x]
    env_vars: {A: "1"}
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {num-gpus: "4"}
      template:
        spec:
          containers: [{name: h, image: "org/ray:1", resources: {limits: {nvidia.com/gpu: 4}}}]
    workerGroupSpecs:
      - replicas: 2
        template:
          spec:
            nodeSelector: {gpu-type: h100}
            containers: [{name: w, image: "org/ray:2", resources: {limits: {nvidia.com/gpu: 8}}}]
"""


def test_a_job_in_kubernetes() -> None:
    found = named(JOB)
    assert packages(found) == [("torch", "2.4.0", "pip"), ("x", "", "pip")]
    assert [(each.name, each.value) for each in found.facts if isinstance(each, EnvVar)] == [("A", "1")]
    gpus = [(each.value, elsewhere(each.context.conditions)) for each in found.facts if isinstance(each, Setting)]
    assert gpus == [("4", False), (4, False), (8, True)]
    images = [(each.tag, elsewhere(each.context.conditions)) for each in found.facts if isinstance(each, Image)]
    assert images == [("1", False), ("2", True)]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ("pip: [torch==2.4.0]", [("torch", "2.4.0", "pip")]),
        ("pip: {packages: [torch==2.4.0], pip_check: false}", [("torch", "2.4.0", "pip")]),
        ("uv: [torch==2.4.0]", [("torch", "2.4.0", "uv")]),
        ("uv: {packages: [torch==2.4.0]}", [("torch", "2.4.0", "uv")]),
        (
            "conda: {dependencies: [python=3.12, {pip: [torch==2.4.0]}]}",
            [("conda/python", "", "conda"), ("torch", "2.4.0", "pip")],
        ),
        ("conda: base", []),
    ],
)
def test_environments(environment: str, expected: list[tuple[str, str, str]]) -> None:
    alone = named(f"working_dir: .\nenv_vars: {{A: b}}\n{environment}\n", "runtime_env.yaml")
    assert packages(alone) == expected
    serve = named(f"applications:\n- name: a\n  runtime_env:\n    env_vars: {{A: b}}\n    {environment}\n", "serve.yaml")
    assert packages(serve) == expected


def test_a_file_of_requirements_and_an_image() -> None:
    found = named("pip: ./requirements.txt\nimage_uri: org/ray:1\nenv_vars: {A: b}", "runtime_env.yaml")
    assert [(each.kind, each.path.value) for each in found.includes] == [("requirement", "./requirements.txt")]
    assert packages(found) == []
    (variable,) = [each for each in found.facts if isinstance(each, EnvVar)]
    assert variable.context.image is not None
    assert variable.context.image.reference == "org/ray:1"


def test_the_environment_on_the_command_line() -> None:
    line = """ray job submit --runtime-env-json='{"pip": ["torch==2.4.0"], "working_dir": ".", "env_vars": {"A": "1"}}' -- python t.py --size 2\n"""
    source = Source("job.sh", line)
    found = document("job.sh", SHELL, shell.read(source), whole_file_is_one_install=False)
    (package,) = [each for each in found.facts if isinstance(each, Package)]
    assert (package.name, package.version, source.cut(package.span)) == ("torch", "2.4.0", "torch==2.4.0")
    assert [(each.name, each.value) for each in found.facts if isinstance(each, EnvVar)] == [("A", "1")]
    assert "python" in [each.name for each in found.facts if isinstance(each, Command)]


@pytest.mark.parametrize("value", ["'{'", "'[1'", '"$ENV"', "'{\"pip\": 3}'", "''"])
def test_an_environment_that_cannot_be_read_is_no_problem(value: str) -> None:
    found = document(
        "a.sh", SHELL, shell.read(Source("a.sh", f"ray job submit --runtime-env-json {value} -- python t.py")), False
    )
    assert (packages(found), found.problems) == ([], ())


SERVE = """\
applications:
- name: one
  import_path: ray.serve.llm:build_openai_app
  runtime_env: {pip: [x]}
  args:
    llm_configs:
    - model_loading_config: {model_id: a}
      accelerator_type: KIND
      engine_kwargs: {tensor_parallel_size: 8}
- name: two
  runtime_env: {pip: [y]}
"""


@pytest.mark.parametrize(("kind", "expected"), [("A10G", True), ("H100", True), ("GB10", False), ("null", False)])
def test_an_accelerator_that_an_application_asks_for(kind: str, expected: bool) -> None:
    found = [each for each in named(SERVE.replace("KIND", kind)).facts if isinstance(each, Fact)]
    sizes = [elsewhere(each.context.conditions) for each in found if each.name == "tensor_parallel_size"]
    installs = [elsewhere(each.context.conditions) for each in found if isinstance(each, Package)]
    assert (sizes, installs) == ([expected], [expected, False])


@pytest.mark.parametrize(("provider", "expected"), [("aws", True), ("gcp", True), ("local", False)])
def test_a_cluster_of_rays_own_launcher(provider: str, expected: bool) -> None:
    text = f"cluster_name: c\nprovider: {{type: {provider}}}\nsetup_commands: [pip install x]\nhead_start_ray_commands: [ray start --head]"
    assert [elsewhere(each.context.conditions) for each in named(text).facts if isinstance(each, Command)] == [expected] * 2


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ("{accelerators: 'H100:8'}", True),
        ("{accelerators: 'L4:1'}", True),
        ("{accelerators: {A100-80GB: 8}}", True),
        ("{accelerators: 'GB10:1'}", False),
        ("{accelerators: [H100, GB10]}", False),
        ("{any_of: [{accelerators: 'L40S:1'}, {accelerators: 'A100:1'}]}", True),
        ("{any_of: [{accelerators: 'L40S:1'}, {accelerators: 'GB10:1'}]}", False),
        ("{cloud: aws}", True),
        ("{infra: aws/us-east-1}", True),
        ("{infra: ssh/lab}", False),
        ("{instance_type: p4d.24xlarge}", True),
        ("{cpus: 8}", False),
    ],
)
def test_resources_of_skypilot(resources: str, expected: bool) -> None:
    found = named(f"resources: {resources}\nrun: pip install x\n", "task.yaml")
    assert [elsewhere(each.context.conditions) for each in found.facts if isinstance(each, Command)] == [expected]


@pytest.mark.parametrize(
    ("gpu", "expected"),
    [
        ("{name: A100, count: 8}", True), ("{name: [H100, H200]}", True), ("H100:8", True), ("24GB", False), ("24GB..:2", False), ("2", False),
        ("{memory: 24GB.., count: 2}", False), ("nvidia:1", False), ("GB10", False),
    ],
)  # fmt: skip
def test_resources_of_dstack(gpu: str, expected: bool) -> None:
    found = named(
        f"type: task\ncommands: [pip install x]\nresources: {{gpu: {gpu if gpu[0] == '{' else repr(gpu)}}}\n", "task.yaml"
    )
    assert [elsewhere(each.context.conditions) for each in found.facts if isinstance(each, Command)] == [expected]


TRAIN = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
spec:
  trainer:
    image: org/train:1
    numNodes: 2
    command: [torchrun, train.py]
    resourcesPerNode: {limits: {nvidia.com/gpu: 8}}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
spec:
  nprocPerNode: "8"
  pytorchReplicaSpecs:
    Worker:
      template: {spec: {nodeName: h100-3, containers: [{image: "org/train:2", command: [torchrun, t.py]}]}}
---
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
spec: {leaderWorkerTemplate: {size: 2, workerTemplate: {spec: {containers: [{image: "org/train:3"}]}}}}
"""


def test_kinds_for_training() -> None:
    found = named(TRAIN)
    assert [(each.name, each.value) for each in found.facts if isinstance(each, Setting)] == [
        ("nodes", 2), ("gpus", 8), ("processes_per_node", "8"), ("nodes", 2),
    ]  # fmt: skip
    images = [(each.tag, elsewhere(each.context.conditions)) for each in found.facts if isinstance(each, Image)]
    assert images == [("1", False), ("2", True), ("3", False)]


def test_entries_of_another_gpu_say_nothing_either() -> None:
    found = [each for each in named(SERVE.replace("KIND", "A10G")).facts if isinstance(each, Entry) and "args" in each.name]
    assert found
    assert all(elsewhere(each.context.conditions) for each in found)
