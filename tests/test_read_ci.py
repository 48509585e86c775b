"""What the jobs of continuous integration do, and which of them can run on a Spark."""

import pytest

from spark_lint.facts import Command, Entry, EnvVar, Fact, Image, ParseProblem
from spark_lint.names.machines import elsewhere
from spark_lint.read.yaml import read
from spark_lint.text import UNKNOWN, Source

U = UNKNOWN
FILES = {
    "circle": ".circleci/config.yml",
    "azure": "azure-pipelines.yml",
    "buildkite": ".buildkite/pipeline.yml",
    "woodpecker": ".woodpecker/test.yaml",
    "drone": ".drone.yml",
    "gitlab": ".gitlab-ci.yml",
    "github": ".github/workflows/test.yml",
    "forgejo": ".forgejo/workflows/test.yml",
}


def facts(service: str, text: str) -> list[Fact]:
    source = Source(FILES[service], text)
    found = list(read(source))
    assert not [each for each in found if isinstance(each, ParseProblem)]
    for each in found:
        assert not isinstance(each, Fact) or (source.cut(each.span) and each.span.end_line <= len(source.lines))
    return [each for each in found if isinstance(each, Fact)]


def here(service: str, text: str) -> list[Fact]:
    """Those that can be for a Spark."""
    return [each for each in facts(service, text) if not elsewhere(each.context.conditions)]


def away(service: str, text: str) -> list[Fact]:
    """Those that are for other machines."""
    return [each for each in facts(service, text) if elsewhere(each.context.conditions)]


def words(found: list[Fact]) -> list[list[str]]:
    return [[word.value for word in each.words] for each in found if isinstance(each, Command)]


def images(found: list[Fact]) -> list[str]:
    return [each.reference for each in found if isinstance(each, Image)]


def variables(found: list[Fact]) -> list[tuple[str, str]]:
    return [(each.name, each.value) for each in found if isinstance(each, EnvVar)]


def cut(found: list[Fact], text: str) -> list[str]:
    source = Source("x", text)
    return [source.cut(each.span) for each in found if isinstance(each, Command)]


CIRCLE = """\
version: 2.1
executors:
  box: {machine: true, resource_class: lab/dgx-spark, environment: {A: "1", B: "1"}}
jobs:
  own:
    executor: box
    environment: {B: "2"}
    steps:
      - checkout
      - run: serve --size $B
      - run: {name: more, command: "serve << parameters.model >> --size 3"}
      - when: {condition: x, steps: [{run: serve --size 4}]}
  contained:
    docker: [{image: org/image:1}, {image: postgres:16}]
    resource_class: lab/gb10
    steps: [{run: pip install x}]
  hosted:
    docker: [{image: org/image:2}]
    steps: [{run: pip install y}]
  hosted-arm:
    machine: {image: "ubuntu-2204:current"}
    resource_class: arm.medium
    steps: [{run: pip install y}]
"""


def test_circle() -> None:
    found = here("circle", CIRCLE)
    assert words(found) == [
        ["serve", "--size", "2"], ["serve", U, "--size", "3"], ["serve", "--size", "4"], ["pip", "install", "x"],
    ]  # fmt: skip
    assert cut(found, CIRCLE)[:2] == ["serve --size $B", "serve << parameters.model >> --size 3"]
    assert images(found) == ["org/image:1"]
    assert variables(found) == [("A", "1"), ("B", "1"), ("B", "2")]
    assert [each.context.image is not None for each in found if isinstance(each, Command)] == [False] * 3 + [True]
    hosted = away("circle", CIRCLE)
    assert words(hosted) == [["pip", "install", "y"]] * 2
    assert {each.context.conditions[0].text for each in hosted} == {
        "runs on the hosted runner of CircleCI",
        "runs on the hosted runner arm.medium",
    }


AZURE = """\
trigger: [main]
pool: {name: lab, demands: [Agent.OSArchitecture -equals ARM64]}
variables: [{name: SIZE, value: "2"}]
resources: {containers: [{container: torch, image: "org/image:1"}]}
stages:
  - stage: a
    jobs:
      - job: own
        container: torch
        steps:
          - script: serve --size $(SIZE) $(Build.Id)
          - bash: |
              cd src
              pip install x
          - pwsh: pip install never
      - job: hosted
        pool: {vmImage: ubuntu-latest}
        steps: [{script: pip install y}]
      - deployment: box
        pool: spark-pool
        strategy: {runOnce: {deploy: {steps: [{script: pip install z}]}}}
"""


def test_azure() -> None:
    found = here("azure", AZURE)
    assert words(found) == [
        ["serve", "--size", "2", U], ["cd", "src"], ["pip", "install", "x"], ["pip", "install", "z"],
    ]  # fmt: skip
    assert images(found) == ["org/image:1"]
    assert variables(found) == [("SIZE", "2")] * 2
    blocks = [each.context.block for each in found if isinstance(each, Command)]
    assert blocks[0] == blocks[2] != blocks[3]
    # Each step starts in the folder of the job.
    assert [each.context.workdir for each in found if isinstance(each, Command)] == ["", "", "src", ""]


@pytest.mark.parametrize(
    ("pool", "read"),
    [
        ("{vmImage: ubuntu-latest}", False), ("Default", False), ("lab", False), ("gb10-pool", True), ("{name: dgx-spark}", True), ("SparkPool", True), ("GPU-Runners", True), ("A100Pool", False),
        ("{name: x, demands: [Agent.OSArchitecture -equals ARM64]}", True), ("{name: gpu, demands: [Agent.OSArchitecture -equals X64]}", False),
        ("{name: spark, vmImage: ubuntu-latest}", False), ("server", False),
    ],
)  # fmt: skip
def test_pools_of_azure(pool: str, read: bool) -> None:
    assert words(here("azure", f"pool: {pool}\nsteps: [{{script: pip install x}}]")) == [["pip", "install", "x"]] * read


BUILDKITE = """\
agents: {queue: dgx-spark}
env: {A: b}
steps:
  - label: one
    command: serve --size 2 $$HOME
    plugins: [{"docker#v5.12.0": {image: "org/image:1"}}]
  - wait
  - group: more
    steps:
      - commands:
          - cd src
          - pip install x
      - {command: pip install y, agents: {queue: gpu_4_queue}}
  - {command: pip install z, agents: ["queue=gb10", "os=linux"], env: {C: d}}
"""


def test_buildkite() -> None:
    found = here("buildkite", BUILDKITE)
    assert words(found) == [["serve", "--size", "2", U], ["cd", "src"], ["pip", "install", "x"], ["pip", "install", "z"]]
    assert cut(found, BUILDKITE)[0] == "serve --size 2 $$HOME"
    assert images(found) == ["org/image:1"]
    assert variables(found) == [("A", "b")] * 3 + [("C", "d")]
    assert [each.context.workdir for each in found if isinstance(each, Command)] == ["", "", "src", ""]


@pytest.mark.parametrize(
    "agents", ["", "agents: {queue: default}\n", "agents: {queue: arm64_cpu_queue}\n", "agents: {queue: spark, arch: x86_64}\n"]
)
def test_agents_that_are_no_spark(agents: str) -> None:
    text = f"{agents}steps: [{{command: pip install x}}]"
    assert words(facts("buildkite", text)) == [["pip", "install", "x"]]
    assert here("buildkite", text) == []


WOODPECKER = """\
labels: {platform: linux/arm64, hostname: spark-1}
steps:
  - name: one
    image: org/image:1
    environment: {SIZE: 2}
    commands:
      - cd src
      - serve --size $${SIZE}
  - name: two
    image: org/image:2
    commands: pip install x
services:
  db: {image: postgres:16}
"""
DRONE = """\
kind: pipeline
type: docker
platform: {os: linux, arch: arm64}
node: {machine: gb10}
steps:
- name: one
  image: org/image:1
  commands: [pip install x]
"""


def test_woodpecker_and_drone() -> None:
    found = here("woodpecker", WOODPECKER)
    assert words(found) == [["cd", "src"], ["serve", "--size", "2"], ["pip", "install", "x"]]
    assert images(found) == ["org/image:1", "org/image:2"]
    assert [each.context.image.tag for each in found if isinstance(each, Command) and each.context.image] == ["1", "1", "2"]
    assert words(here("drone", DRONE)) == [["pip", "install", "x"]]
    # Whose hosted machines are Arms, too.
    assert here("drone", DRONE.replace("machine: gb10", "pool: fast")) == []
    assert here("woodpecker", WOODPECKER.replace("spark-1", "one").replace("arm64", "amd64")) == []


GITLAB = """\
variables: {SIZE: "2"}
.first:
  tags: [dgx-spark]
  variables: {MORE: "3"}
.base:
  extends: .first
  image: org/image:${TAG:-1}
  services: [{name: "org/db:1"}, "org/queue:2"]
  before_script:
    - pip install first
  script:
    - serve --size $MORE
train:
  extends: .base
  script:
    - !reference [.base, script]
    - serve --size $SIZE
    - !reference [nowhere, script]
    - |
      export A=1
      pip install second
hosted:
  script: [pip install third]
"""


def test_gitlab() -> None:
    found = here("gitlab", GITLAB)
    assert words(found) == [
        ["pip", "install", "first"], ["serve", "--size", "3"], ["serve", "--size", "2"], [U], ["pip", "install", "second"],
    ]  # fmt: skip
    assert cut(found, GITLAB)[:2] == ["pip install first", "serve --size $MORE"]
    assert images(found) == ["org/image:1", "org/db:1", "org/queue:2"]
    assert variables(found) == [("SIZE", "2"), ("MORE", "3"), ("A", "1")]
    assert {each.name.partition(".")[0] for each in facts("gitlab", GITLAB) if isinstance(each, Entry)} == {"train"}
    assert words(away("gitlab", GITLAB)) == [["pip", "install", "third"]]


def test_references_that_go_in_a_circle_end() -> None:
    text = "a: {tags: [spark], script: [!reference [a, script], pip install x]}"
    assert ["pip", "install", "x"] in words(here("gitlab", text))


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ("[{TP: ['2'], RUNNER: [x86, dgx-spark]}]", [["serve", "--size", "2"]]),
        ("[{TP: ['1', '2'], RUNNER: dgx-spark}]", [["serve", "--size", U]]),
        ("[{TP: '2', RUNNER: [x86, saas-linux]}]", []),
    ],
)
def test_matrices_of_gitlab(matrix: str, expected: list[list[str]]) -> None:
    text = f"variables: {{TP: '8'}}\na:\n  parallel: {{matrix: {matrix}}}\n  tags: ['$RUNNER']\n  script: [serve --size $TP]"
    assert words(here("gitlab", text)) == expected


def test_a_file_that_a_pipeline_of_gitlab_includes() -> None:
    source = Source("ci/train.yml", "train: {stage: run, tags: [gb10], script: [pip install x]}")
    assert words([each for each in read(source) if isinstance(each, Fact)]) == [["pip", "install", "x"]]


@pytest.mark.parametrize("service", ["github", "forgejo"])
def test_what_stands_beside_and_in_the_steps_of_a_workflow(service: str) -> None:
    text = (
        "jobs:\n  a:\n    runs-on: dgx-spark\n    services: {db: {image: 'org/db:1'}}\n"
        "    steps: [{uses: 'docker://org/tool:2'}, {run: pip install x}]"
    )
    assert images(here(service, text)) == ["org/db:1", "org/tool:2"]
    assert words(here(service, text)) == [["pip", "install", "x"]]


@pytest.mark.parametrize(
    ("on", "runner", "expected"),
    [
        ("{workflow_call: {inputs: {runner: {default: dgx-spark}, size: {default: 2}}}}", "${{ inputs.runner }}", ["2"]),
        ("{workflow_dispatch: {inputs: {runner: {default: ubuntu-latest, options: [ubuntu-latest, gb10]}}}}", "${{ inputs.runner }}", [U]),
        ("{workflow_dispatch: {inputs: {runner: {default: ubuntu-latest}}}}", "${{ inputs.runner }}", []),
        ("{workflow_call: {inputs: {runner: {type: string}}}}", "${{ inputs.runner }}", []),
        ("{workflow_call: {inputs: {size: {default: 2}}}, workflow_dispatch: {inputs: {size: {default: 4}}}}", "gb10", [U]),
        ("push", "${{ matrix.box.runner }}", [U]),
    ],
)  # fmt: skip
def test_inputs_of_a_workflow(on: str, runner: str, expected: list[str]) -> None:
    text = (
        f"on: {on}\njobs:\n  a:\n    strategy: {{matrix: {{box: [{{runner: ubuntu-latest}}, {{runner: gb10}}]}}}}\n"
        f"    runs-on: {runner}\n    steps:\n      - run: serve --size ${{{{ inputs.size }}}}\n"
    )
    assert [each[2] for each in words(here("github", text))] == expected


def test_pipelines_of_tekton_run_in_a_cluster() -> None:
    text = "apiVersion: tekton.dev/v1\nkind: Task\nspec: {steps: [{image: a, script: 'pip install x'}]}"
    for path, expected in ((".tekton/task.yaml", True), ("deploy/task.yaml", False)):
        found = [each for each in read(Source(path, text)) if isinstance(each, Command)]
        assert [elsewhere(each.context.conditions) for each in found] == [expected]


@pytest.mark.parametrize("service", FILES)
@pytest.mark.parametrize(
    "text",
    [
        "jobs: [1, {steps: x}]\nsteps: 3\nstages: [a, {jobs: {}}]\npool: []", "jobs: {a: {docker: x, executor: [], steps: {run: []}}}",
        "steps: [{agents: [[]], plugins: [{docker: 1}], command: {a: b}}]", "a: {script: {b: c}, tags: {x: y}, parallel: {matrix: [1, {a: {}}]}}",
        "labels: 3\nplatform: [x]\nsteps: {a: {image: [x], commands: {a: b}}}", "a: {tags: [spark], script: [!reference [a], !reference b]}",
    ],
)  # fmt: skip
def test_wrong_shapes_say_nothing_and_do_not_fail(service: str, text: str) -> None:
    assert not [each for each in read(Source(FILES[service], text)) if isinstance(each, ParseProblem)]


def test_aliases_of_steps_are_bounded() -> None:
    lines = ["a: &a0 [{run: x}]"]
    lines += [f"b{n}: &a{n} [{', '.join([f'{{when: {{steps: *a{n - 1}}}}}'] * 60)}]" for n in range(1, 6)]
    text = "\n".join([*lines, "jobs: {j: {resource_class: lab/spark, steps: *a5}}"])
    found = list(read(Source(FILES["circle"], text)))
    assert len(found) < 100_000
    assert isinstance(found[-1], ParseProblem)
