"""What the formats written in YAML run: compose, Kubernetes, CI, jobs, environments of conda."""

import pytest

from spark_lint.facts import Command, Context, Entry, EnvVar, Fact, Image, Include, Package, ParseProblem, Read
from spark_lint.names import named
from spark_lint.names.machines import elsewhere
from spark_lint.read.yaml import facts, read
from spark_lint.text import UNKNOWN, Source, Text

U = UNKNOWN


def reads(text: str, path: str = "job.yaml") -> list[Read]:
    found = list(read(Source(path, text)))
    assert not [each for each in found if isinstance(each, ParseProblem)]
    return found


def ran(text: str, path: str = "job.yaml") -> list[Command]:
    return [fact for fact in reads(text, path) if isinstance(fact, Command)]


def words(text: str, path: str = "job.yaml") -> list[list[str]]:
    return [[word.value for word in command.words] for command in ran(text, path)]


def images(text: str, path: str = "job.yaml") -> list[tuple[str, str]]:
    return [(fact.reference, fact.platform) for fact in reads(text, path) if isinstance(fact, Image)]


def variables(text: str, path: str = "job.yaml") -> list[tuple[str, str]]:
    return [(fact.name, fact.value) for fact in reads(text, path) if isinstance(fact, EnvVar)]


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


def service(body: str) -> str:
    return "services:\n  llm:\n    image: org/server:1\n    " + body


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        case("text", "command: serve org/m --size 2", ["serve", "org/m", "--size", "2"]),
        case("list", 'command: [serve, "org/m", --size, 2]', ["serve", "org/m", "--size", "2"]),
        case("options for the image's own program", "command: --model org/m -tp 2", ["--model", "org/m", "-tp", "2"]),
        case("folded", "command: >\n      serve\n      --size 2", ["serve", "--size", "2"]),
        case("lines", "command: |\n      serve\n      --size 2", ["serve", "--size", "2"]),
        case("continued lines", "command: |\n      serve \\\n      --size 2", ["serve", "--size", "2"]),
        case("quotes", """command: serve "a b" 'c d' e\\ f""", ["serve", "a b", "c d", "e f"]),
        case("default", "command: serve --size ${SIZE:-2} ${X}", ["serve", "--size", "2", U]),
        case("default with blanks", "command: serve ${ARGS:---size 2}", ["serve", "--size", "2"]),
        case("entrypoint and command", "entrypoint: [serve]\n    command: --size 2", ["serve", "--size", "2"]),
        case("entrypoint alone", "entrypoint: serve --size 2", ["serve", "--size", "2"]),
        case("code for a shell", 'command: bash -c "serve --size 2"', ["serve", "--size", "2"]),
        case("code in the command", 'entrypoint: ["/bin/sh", "-c"]\n    command: ["serve --size 2"]', ["serve", "--size", "2"]),
        case("options of the shell", "command: [bash, -euo, pipefail, -c, 'serve --size 2']", ["serve", "--size", "2"]),
        case("a script for a shell", "command: [bash, -x, serve.sh]", ["bash", "-x", "serve.sh"]),
        case("variables of the service", "environment: {SIZE: 2}\n    command: sh -c 'serve --size $$SIZE'", ["serve", "--size", "2"]),
        case("variables of the host", "environment: {SIZE: 2}\n    command: sh -c 'serve --size $SIZE'", ["serve", "--size", U]),
    ],
)  # fmt: skip
def test_compose_commands(body: str, expected: list[str]) -> None:
    (command,) = ran(service(body))
    assert [word.value for word in command.words] == expected
    assert command.context.image is not None
    assert (command.context.image.reference, command.context.block) == ("org/server:1", 1)


COMPOSE = """\
x-common: &common
  environment: &env
    A: "1"
    B: two
services:
  llm:
    <<: *common
    image: ${REGISTRY:-org}/server:${TAG:-1.0}
    platform: linux/amd64
    command: ["--model", "m", "--size", "2"]
    environment:
      <<: *env
      B: three
      DEVICES: 0,1
      PASSED_ON:
    deploy:
      resources:
        reservations:
          devices:
            - count: 2
              device_ids: ["0", "1"]
  built:
    image: mine
    build:
      context: ./server
      dockerfile: docker/Dockerfile.gpu
      target: final
      args:
        - CUDA=12.4
    environment:
      - C=d
      - PASSED_ON
  bigger:
    extends: {service: llm}
    command: --size 4
    environment: {B: four}
"""


def test_a_compose_file() -> None:
    source = Source("compose.yaml", COMPOSE)
    found = reads(COMPOSE, "compose.yaml")
    assert images(COMPOSE) == [("org/server:1.0", "linux/amd64")] * 2
    assert [(each.name, each.value, each.context.block) for each in found if isinstance(each, EnvVar)] == [
        ("A", "1", 1), ("B", "three", 1), ("DEVICES", "0,1", 1), ("CUDA", "12.4", 2), ("C", "d", 2), ("A", "1", 3), ("B", "four", 3),
        ("DEVICES", "0,1", 3),
    ]  # fmt: skip
    assert [source.cut(each.span) for each in found if isinstance(each, EnvVar)][:5] == [
        'A: "1"',
        "B: three",
        "DEVICES: 0,1",
        "CUDA=12.4",
        "C=d",
    ]
    assert [source.cut(each.span) for each in found if isinstance(each, Command)] == ['--model", "m", "--size", "2', "--size 4"]
    image = next(each for each in found if isinstance(each, Image))
    assert (image.role, image.span.line, image.span.column, image.context.image) == ("run", 8, 12, None)
    (build,) = [each for each in found if isinstance(each, Include)]
    assert (build.kind, build.path.value, build.from_stage, build.context.block) == (
        "build",
        "./server/docker/Dockerfile.gpu",
        "final",
        2,
    )
    devices = [each for each in found if isinstance(each, Entry) and "devices" in each.name]
    assert [(each.key, each.value, each.context.block) for each in devices] == [
        ("count", 2, 1),
        ("device_ids", "0", 1),
        ("device_ids", "1", 1),
    ]


def test_a_built_service_does_not_run_in_the_image_it_is_named_after() -> None:
    text = "services: {a: {image: org/server, build: ., command: [run]}}"
    (command,) = ran(text)
    assert command.context.image is None
    assert [each.path.value for each in reads(text) if isinstance(each, Include)] == ["./Dockerfile"]


@pytest.mark.parametrize(
    "build", ["https://example.org/x.git", "'${WHERE}'", "{dockerfile_inline: 'FROM x'}", "{context: 'git@example.org:x/y.git'}"]
)
def test_a_build_elsewhere_names_no_file(build: str) -> None:
    assert not [each for each in reads(f"services: {{a: {{build: {build}}}}}") if isinstance(each, Include)]


def test_services_that_extend_each_other_end() -> None:
    assert words("services: {a: {image: x, extends: b, command: run}, b: {extends: {service: a}}}") == [["run"], ["run"]]


def test_an_override_of_a_compose_file() -> None:
    text = "services: {llm: {environment: {A: 1}, command: serve}}"
    assert words(text, "docker-compose.gpu.yml") == [["serve"]]
    assert words(text, "services.yml") == []


def test_services_at_the_top() -> None:
    text = "llm: {image: org/server, command: serve}"
    assert words(text, "docker-compose.yml") == [["serve"]]
    assert words(text, "values.yaml") == []


def example(text: str) -> list[list[str]]:
    found = facts(Text.of(Source("README.md", text)), Context(fenced=True, block=1))
    return [[word.value for word in fact.words] for fact in found if isinstance(fact, Command)]


def test_parts_of_files_as_examples() -> None:
    assert example("llm:\n  image: org/server\n  command: serve\n") == [["serve"]]
    assert example("  containers:\n  - image: org/server\n    args: [serve]\n") == [["serve"]]
    assert images("llm: {image: org/server, command: serve}") == []


@pytest.mark.parametrize(
    "body", ["command: serve --size 2", "command: [serve, --size, '2']", "environment: {SIZE: 2}", "environment: [SIZE=2]"]
)
def test_what_runs_or_is_set_is_said_once(body: str) -> None:
    found = reads(service(body))
    assert [each.name for each in found if isinstance(each, Entry)] == ["services.llm.image"]
    assert len([each for each in found if isinstance(each, (Command, EnvVar))]) == 1


@pytest.mark.parametrize("command", ["null", "~", "", "[]"])
def test_no_command(command: str) -> None:
    assert words(service(f"command: {command}")) == []


def test_services_of_something_else() -> None:
    assert variables("services: {mailer: {class: X, arguments: [a], environment: {A: 1}}}") == []


MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      nodeSelector: {kubernetes.io/arch: arm64}
      initContainers:
        - name: first
          image: busybox
          command: ["sh", "-c", "pip install x"]
      containers:
        - name: llm
          image: org/server:1
          args: ["--size", "$(SIZE)", "$(NONE)", "$$(SIZE)"]
          env:
            - {name: SIZE, value: "2"}
            - {name: MORE, value: "$(SIZE)1"}
            - {name: KEY, valueFrom: {secretKeyRef: {name: k, key: v}}}
          resources: {limits: {example.com/gpu: 2}}
---
apiVersion: batch/v1
kind: CronJob
spec: {jobTemplate: {spec: {template: {spec: {containers: [{image: b, command: [/bin/bash, -lc], args: ["serve $A"], env: [{name: A, value: c}]}]}}}}}
"""


def test_a_manifest() -> None:
    found = reads(MANIFEST)
    assert words(MANIFEST) == [["pip", "install", "x"], ["--size", "2", U, "$(SIZE)"], ["serve", "c"]]
    assert images(MANIFEST) == [("busybox", ""), ("org/server:1", ""), ("b", "")]
    assert variables(MANIFEST) == [("SIZE", "2"), ("MORE", "21"), ("KEY", U), ("A", "c")]
    blocks = [each.context.block for each in found if isinstance(each, Image)]
    assert len(set(blocks)) == 3
    (gpu,) = [each for each in found if isinstance(each, Entry) and each.name.endswith(".example.com/gpu")]
    assert (gpu.value, gpu.context.block, gpu.written) == (2, blocks[1], "example.com/gpu: 2")
    assert gpu.context.image is not None
    assert ("spec.template.spec.nodeSelector.kubernetes.io/arch", "arm64") in [
        (each.name, each.value) for each in found if isinstance(each, Entry)
    ]


def test_the_size_leads_to_its_variable() -> None:
    command = next(each for each in ran(MANIFEST) if each.words[0].value == "--size")
    assert (command.words[1].span.line, command.words[1].origin.line) == (14, 16)


def test_code_in_a_manifest_leads_home() -> None:
    text = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - command: [bash, -c]\n    args:\n    - |\n      set -e\n      serve \\\n        --size 2\n"
    command = next(each for each in ran(text) if each.name == "serve")
    assert [(word.span.line, word.span.column) for word in command.words] == [(9, 7), (10, 9), (10, 16)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("ray job", "apiVersion: ray.io/v1\nkind: RayJob\nspec: {entrypoint: python train.py, rayClusterSpec: {}}", [["python", "train.py"]]),
        case("ray cluster", "apiVersion: ray.io/v1\nkind: RayCluster\nspec: {workerGroupSpecs: [{template: {spec: {containers: [{image: a, args: [x]}]}}}]}", [["x"]]),
        case("leader and workers", "apiVersion: l/v1\nkind: LeaderWorkerSet\nspec: {leaderWorkerTemplate: {leaderTemplate: {spec: {containers: [{command: [a]}]}}, workerTemplate: {spec: {containers: [{command: [b]}]}}}}", [["a"], ["b"]]),
        case("steps of tekton", "apiVersion: tekton.dev/v1\nkind: Task\nspec: {steps: [{image: a, script: 'pip install x'}]}", [["pip", "install", "x"]]),
        case("python in a step", "apiVersion: tekton.dev/v1\nkind: Task\nspec: {steps: [{image: a, script: \"#!/usr/bin/env python\\nimport x\"}]}", []),
        case("argo", "apiVersion: argoproj.io/v1\nkind: Workflow\nspec: {templates: [{script: {image: a, command: [bash], source: 'pip install x'}}, {container: {image: a, command: [b]}}]}", [["pip", "install", "x"], ["b"]]),
        case("serving", "apiVersion: serving.kserve.io/v1\nkind: InferenceService\nspec: {predictor: {model: {args: [--size, '2']}}}", [["--size", "2"]]),
        case("definition of a kind", "apiVersion: a/v1\nkind: CustomResourceDefinition\nspec: {properties: {containers: {items: {properties: {image: {type: string}}}}}}", []),
    ],
)  # fmt: skip
def test_kinds_of_manifests(text: str, expected: list[list[str]]) -> None:
    assert words(text) == expected


FILES = """\
apiVersion: v1
kind: ConfigMap
data:
  run.sh: |
    set -e
    serve --size 2
  train.yaml: |
    trainer:
      nodes: 2
  requirements.txt: "torch==2.4"
  broken.yaml: "a: [1"
  notes.md: |
    pip install x
"""


def test_files_in_a_manifest() -> None:
    found = reads(FILES)
    assert words(FILES) == [["set", "-e"], ["serve", "--size", "2"]]
    packages = [(each.name, each.version, each.span.line, each.span.column) for each in found if isinstance(each, Package)]
    assert packages == [("torch", "2.4", 10, 22)]
    (nodes,) = [each for each in found if isinstance(each, Entry) and each.name == "trainer.nodes"]
    assert (nodes.value, nodes.span.line, nodes.span.column, nodes.beside) == (2, 9, 7, {"trainer"})


UNITS = """\
apiVersion: v1
kind: ConfigMap
data:
  vllm.service: |
    [Service]
    ExecStart=/usr/bin/vllm serve m
  train.toml: |
    [model]
    attn = "x"
  gpu.env: "A=1"
  start: |
    #!/bin/sh
    pip install x
  Dockerfile: |
    FROM a
    RUN pip install y
"""
CLOUD = """\
#cloud-config
write_files:
  - path: /etc/systemd/system/vllm.service
    content: |
      [Service]
      ExecStart=/usr/bin/vllm serve m
  - path: /opt/start
    content: |
      #!/bin/sh
      pip install x
  - path: /opt/other.sh
    encoding: b64
    content: cGlwIGluc3RhbGwgeQ==
  - path: /opt/empty.sh
"""


def test_files_of_more_kinds_in_a_manifest() -> None:
    found = [each for read in reads(UNITS) for each in named(read)]
    commands = [(each.written, each.span.line, each.span.column) for each in found if isinstance(each, Command)]
    assert commands == [("/usr/bin/vllm serve m", 6, 15), ("pip install x", 13, 5), ("pip install y", 16, 9)]
    assert [(each.name, each.value, each.span.line) for each in found if isinstance(each, EnvVar)] == [("A", "1", 10)]
    assert [each.span.line for each in found if isinstance(each, Entry) and each.name == "model.attn"] == [9]


def test_files_that_a_machine_starts_with() -> None:
    found = [each for read in reads(CLOUD) for each in named(read)]
    commands = [(each.written, each.span.line, each.span.column) for each in found if isinstance(each, Command)]
    assert commands == [("/usr/bin/vllm serve m", 6, 17), ("pip install x", 10, 7)]
    assert len({each.context.block for each in found if isinstance(each, Command)}) == 2


def test_configurations_of_ray_in_a_manifest() -> None:
    serve = "apiVersion: ray.io/v1\nkind: RayService\nspec:\n  serveConfigV2: |\n    applications:\n    - runtime_env: {pip: [torch==2.4]}\n      args: {nodes: 2}\n"
    assert words(serve) == [["pip", "install", "torch==2.4"]]
    assert ("applications.args.nodes", 2) in [(each.name, each.value) for each in reads(serve) if isinstance(each, Entry)]


WORKFLOW = """\
on: [push]
env: {TOP: "1"}
defaults: {run: {working-directory: src}}
jobs:
  hosted:
    runs-on: ubuntu-latest
    env: {NODES: 2}
    steps:
      - run: pip install hosted
  own:
    runs-on: [self-hosted, Linux, ARM64]
    container: {image: org/image:1, env: {C: d}}
    strategy: {matrix: {version: ["2.9"], python: ["3.12", "3.13"]}}
    steps:
      - uses: actions/checkout@v4
      - env: {SIZE: 2}
        run: |
          pip install x==${{ matrix.version }} ${{ matrix.python }} "y${{ env.TOP }}"
          serve --size $SIZE ${{ inputs.more }}
      - shell: python
        run: import x
"""


def test_a_workflow() -> None:
    everything = reads(WORKFLOW, ".github/workflows/test.yml")
    found = [each for each in everything if isinstance(each, Fact) and not elsewhere(each.context.conditions)]
    assert words(WORKFLOW) == [["pip", "install", "hosted"], ["pip", "install", "x==2.9", U, "y1"], ["serve", "--size", "2", U]]
    assert images(WORKFLOW) == [("org/image:1", "")]
    assert [(each.name, each.value) for each in found if isinstance(each, EnvVar)] == [("TOP", "1"), ("C", "d"), ("SIZE", "2")]
    commands = [each for each in found if isinstance(each, Command)]
    assert [(each.span.line, each.span.column) for each in commands] == [(18, 11), (19, 11)]
    assert {each.context.workdir for each in commands} == {"src"}
    assert all(each.context.image is not None and not elsewhere(each.context.conditions) for each in commands)
    assert not [each for each in found if isinstance(each, Entry) and each.name.startswith("jobs.hosted")]


@pytest.mark.parametrize(
    ("runner", "read"),
    [
        case("hosted", "ubuntu-latest", False),
        case("hosted arm", "ubuntu-24.04-arm", False),
        case("hosted windows", "windows-2022", False),
        case("own", "self-hosted", True),
        case("own arm", "[self-hosted, linux, ARM64]", True),
        case("own arm with a name", "[self-hosted, ARM64, lab-3]", True),
        case("spark", "dgx-spark", True),
        case("gpu", "[self-hosted, gpu]", True),
        case("own x86", "[self-hosted, linux, x64, gpu]", False),
        case("another machine", "[self-hosted, a6000]", False),
        case("a name that says nothing", "big-runner", False),
        case("group", "{group: g, labels: [self-hosted, arm64]}", True),
        case("expression", "${{ inputs.runner }}", False),
        case("matrix", "${{ matrix.os }}", True),
        case("matrix beside a label", "[self-hosted, '${{ matrix.arch }}']", True),
        case("unknown beside a label", "[self-hosted, '${{ inputs.arch }}']", False),
        case("matrix, only hosted", "${{ matrix.hosted }}", False),
    ],
)
def test_runners(runner: str, read: bool) -> None:
    matrix = "{os: [ubuntu-latest, [self-hosted, arm64]], hosted: [ubuntu-latest], arch: [x64, arm64]}"
    text = f"on: push\njobs: {{a: {{strategy: {{matrix: {matrix}}}, runs-on: '{runner}', steps: [{{run: pip install x}}]}}}}"
    text = text.replace(f"'{runner}'", runner) if runner[0] in "[{" else text
    here = [each for each in ran(text) if not elsewhere(each.context.conditions)]
    assert [each.written for each in here] == (["pip install x"] if read else [])


def test_a_broken_script_on_a_hosted_runner_is_no_problem() -> None:
    text = 'jobs: {a: {runs-on: RUNNER, steps: [{run: "if x; then ("}]}}'
    texts = [text.replace("RUNNER", runner) for runner in ("ubuntu-latest", "dgx-spark")]
    problems = [[each for each in read(Source("job.yaml", each)) if isinstance(each, ParseProblem)] for each in texts]
    assert [len(each) for each in problems] == [0, 1]


def test_a_runner_for_another_accelerator_is_elsewhere() -> None:
    text = "jobs: {a: {runs-on: [self-hosted, arm64, npu], steps: [{run: pip install x}]}}"
    assert [elsewhere(each.context.conditions) for each in ran(text)] == [True]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        case("travis", "language: python\ninstall: pip install x\nnodes: 2", ".travis.yml"),
        case("action", "name: a\nruns: {using: composite, steps: [{run: pip install x, shell: bash}]}", "action.yml"),
        case("cloud build", "steps: [{name: x, args: [pip, install, x]}]", "cloudbuild.yaml"),
    ],
)
def test_services_that_are_never_a_spark(text: str, path: str) -> None:
    assert not [each for each in reads(text, path) if not (isinstance(each, Entry) and each.name == "name")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("skypilot", "resources: {image_id: 'docker:org/i:1'}\nenvs: {N: 2}\nsetup: |\n  pip install x\nrun: serve --size $N", [["pip", "install", "x"], ["serve", "--size", "2"]]),
        case("dstack", "type: task\nimage: org/i:1\nenv: [N=2]\ncommands:\n- pip install x\n- serve --size $N", [["pip", "install", "x"], ["serve", "--size", "2"]]),
        case("ray launcher", "cluster_name: c\nprovider: {type: local}\ndocker: {image: 'org/i:1'}\nsetup_commands: [pip install x]\nhead_start_ray_commands: [ray start --head]", [["pip", "install", "x"], ["ray", "start", "--head"]]),
        case("beaker", "version: v2\ntasks: [{image: {docker: 'org/i:1'}, command: [sh, -c], arguments: ['serve --size 2']}]", [["serve", "--size", "2"]]),
        case("taskfile", "version: '3'\ntasks: {a: {cmds: [pip install x, {cmd: serve}, {task: b}]}}", [["pip", "install", "x"], ["serve"]]),
        case("determined", "entrypoint: python -m launch train.py\nsearcher: {}\nenvironment: {image: 'org/i:1'}", [["python", "-m", "launch", "train.py"]]),
        case("mosaicml", "name: n\nimage: org/i:1\ncompute: {gpus: 8}\ncommand: |\n  cd x\n  serve", [["cd", "x"], ["serve"]]),
        case("words in place of code", "name: n\nimage: org/i:1\ncommand: [serve, -x]", [["serve", "-x"]]),
        case("azure", "$schema: https://example.org/commandJob.schema.json\ncommand: >-\n  serve\n  -x\nenvironment: {image: 'org/i:1'}\ncompute: c", [["serve", "-x"]]),
        case("dvc", "stages: {a: {cmd: python train.py, deps: [x]}}", [["python", "train.py"]]),
        case("llama-swap", "macros: {s: 'server --port ${PORT}'}\nmodels:\n  m:\n    cmd: |\n      # ours\n      ${s}\n      -m 'a b' -n 9", [["server", "--port", U, "-m", "a b", "-n", "9"]]),
        case("cog", "build: {gpu: true, python_packages: [torch==2.4, '--extra-index-url https://example.org/x'], run: [apt-get update]}\npredict: p.py:P", [["pip", "install", "torch==2.4", "--extra-index-url", "https://example.org/x"], ["apt-get", "update"]]),
        case("truss", "model_name: m\nresources: {}\nrequirements: [torch==2.4]\nbase_image: {image: 'org/i:1'}\ndocker_server: {start_command: serve -x}", [["pip", "install", "torch==2.4"], ["serve", "-x"]]),
        case("environment of a ray job", "working_dir: .\nenv_vars: {A: b}\npip: [torch==2.4]", [["pip", "install", "torch==2.4"]]),
        case("recipe", "recipe_version: '1'\nmodel: m\ncontainer: org/i:1\ndefaults: {port: 80, tensor_parallel: 2}\nenv: {A: b}\ncommand: |\n  serve m --port {port} ${X:-1} \\\n    -tp {tensor_parallel} {nowhere}", [["serve", "m", "--port", "80", "1", "-tp", U, U]]),
        case("only called like a script", "run: pip install x", []),
        case("a training configuration", "setup: pip install x\nmodel: m", []),
        case("ansible", "- hosts: all\n  tasks: [{shell: pip install x}]", [["pip", "install", "x"]]),
    ],
)  # fmt: skip
def test_jobs(text: str, expected: list[list[str]]) -> None:
    assert words(text) == expected
    assert images(text) == ([("org/i:1", "")] if "org/i:1" in text else [])
    assert all(each.context.image is not None for each in ran(text)) or "org/i:1" not in text


def test_code_of_a_job_leads_home() -> None:
    text = "resources: {}\nsetup: 'pip install ''x'''\nrun: |\n  a\n  serve --size 2\n"
    places = [(word.value, word.span.line, word.span.column) for command in ran(text) for word in command.words]
    assert places == [
        ("pip", 2, 9),
        ("install", 2, 13),
        ("x", 2, 23),
        ("a", 4, 3),
        ("serve", 5, 3),
        ("--size", 5, 9),
        ("2", 5, 16),
    ]


CONDA = """\
name: x
channels: [pytorch, nvidia]
dependencies:
  - python=3.11
  - pytorch::pytorch=2.4
  - pip
  - pip:
    - torch==2.4.0 ; sys_platform == "linux"
    - --extra-index-url https://example.org/whl
    - -r requirements.txt
"""


def test_an_environment_of_conda() -> None:
    conda, pip = ran(CONDA, "environment.yml")
    assert [word.value for word in conda.words] == [
        "conda", "install", "--channel", "pytorch", "--channel", "nvidia", "python=3.11", "pytorch::pytorch=2.4", "pip",
    ]  # fmt: skip
    assert [word.value for word in pip.words] == [
        "pip", "install", 'torch==2.4.0 ; sys_platform == "linux"', "--extra-index-url", "https://example.org/whl", "-r", "requirements.txt",
    ]  # fmt: skip
    assert [(word.span.line, word.span.column) for word in pip.words[2:]] == [(8, 7), (9, 7), (9, 25), (10, 7), (10, 10)]


def test_dependencies_of_something_else() -> None:
    assert words("apiVersion: v2\nname: chart\ndependencies: [{name: x, version: 1, repository: y}]") == []
    assert words("dependencies: [a, b]") == []
    assert words("name: x\ndependencies: [a, b]") == []


def test_every_fact_lies_in_the_file() -> None:
    for text in (COMPOSE, MANIFEST, WORKFLOW, CONDA):
        source = Source("x.yaml", text)
        for each in read(source):
            span = each.span if isinstance(each, Fact) else each.path.span if isinstance(each, Include) else None
            assert span is None or (source.cut(span) and span.end_line <= len(source.lines))
