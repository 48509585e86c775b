"""Pipelines of CircleCI, Azure, Buildkite, Woodpecker and Drone: the jobs with their runner, their image and what they run.

Services that host all of their machines say nothing.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from spark_lint.facts import Read
from spark_lint.read import yaml_runners
from spark_lint.read.yaml_document import Document, Variable
from spark_lint.read.yaml_runners import Job
from spark_lint.read.yaml_tree import Mapping, Node, Scalar, Sequence
from spark_lint.read.yaml_values import of_container
from spark_lint.text import UNKNOWN, Text

_PARTS: Final = frozenset({"steps", "stages", "jobs", "pipeline"})
_HOSTED: Final = ("/.travis.yml", "/appveyor.yml", "/.appveyor.yml", "/.readthedocs.yaml", "/.readthedocs.yml")
_PARAMETER: Final = re.compile(r"<<[^<>\n]{1,200}>>")
_DOLLARS: Final = re.compile(r"\$\$")
_MOST: Final = 1000
"""Jobs or steps of one list."""
_DEEPEST: Final = 5

Reader = Callable[[Document], Iterator[Job]]


def reader(root: Mapping, path: str) -> Reader | None:
    """What reads a document's jobs; None where it is no pipeline."""
    file = "/" + path.lower()
    if file.endswith(_HOSTED):
        return _none
    if _PARTS.isdisjoint(root.pairs):
        return None
    name = file.rpartition("/")[2]
    if "/.circleci/" in file:
        return _circle
    if "/.buildkite/" in file:
        return _buildkite
    if "/.woodpecker/" in file or name in (".woodpecker.yml", ".woodpecker.yaml"):
        return _woodpecker
    if name in (".drone.yml", ".drone.yaml") or (root.string("kind") == "pipeline" and "steps" in root):
        return _woodpecker
    if "azure-pipelines" in file or "pool" in root or "trigger" in root:
        return _azure
    return _none if "cloudbuild" in name else None


def facts(document: Document, read: Reader) -> Iterator[Read]:
    """What the jobs do, each under what its runner has to be. Of what stands around them nothing is said."""
    document.skipped.update(id(pair.value) for pair in document.root.pairs.values())
    for job in islice(read(document), _MOST):
        yield from yaml_runners.facts(document, job)


def _none(_: Document) -> Iterator[Job]:
    return iter(())


def _as_written(text: Text) -> Text:
    return text


def _labels(document: Document, node: Node | None) -> str:
    """Values on one line: `{queue: spark, arch: arm64}`, `[queue=spark]`, `spark`."""
    if isinstance(node, Mapping):
        return " ".join(each.value.value for each in node.pairs.values() if isinstance(each.value, Scalar))
    return " ".join(text.value.rpartition("=")[2] for text in document.texts(node, _as_written))


def _scalars(node: Mapping, *keys: str) -> list[Scalar]:
    """The values of keys, those of lists one by one."""
    found: list[Scalar] = []
    for key in keys:
        each = node.get(key)
        found += each.scalars if isinstance(each, Sequence) else [each] if isinstance(each, Scalar) else []
    return [each for each in found if each.value]


# ---- CircleCI: circleci.com/docs/configuration-reference. A class with a slash is somebody's own. ------------------


def _circle(document: Document) -> Iterator[Job]:
    root = document.root
    for job in root.mapping("jobs").mappings[:_MOST]:
        named = job.get("executor")
        executor = named.string("name") if isinstance(named, Mapping) else job.string("executor")
        places = [job, root.mapping("executors").mapping(executor)]
        runner = next((found for each in places if (found := each.string("resource_class"))), "")
        namespace, slash, name = runner.partition("/")
        labels = f"self-hosted {name}" if slash and namespace else runner or "of CircleCI"
        docker = next((each for place in places for each in place.sequence("docker").mappings), Mapping(0, 0))
        variables = [variable for each in reversed(places) for variable in document.variables(each.get("environment"), _inserted)]
        code = [*_steps_of_circle(document, job.sequence("steps"))]
        yield Job(job, yaml_runners.conditions("runs-on", labels), docker.scalar("image"), _inserted, variables, code)


def _inserted(text: Text) -> Text:
    """A value with `<< parameters.x >>` as unknown, which a shell would take for a here-document."""
    parts, at = [], 0
    for match in _PARAMETER.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(UNKNOWN)]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text


def _steps_of_circle(document: Document, steps: Sequence, depth: int = 0) -> Iterator[Text]:
    for step in steps.mappings[:_MOST]:
        document.spend()
        run = step.get("run")
        code = run.scalar("command") if isinstance(run, Mapping) else run if isinstance(run, Scalar) else None
        if code is not None:
            yield _inserted(document.code(code))
        for key in ("when", "unless"):
            if key in step and depth < _DEEPEST:
                yield from _steps_of_circle(document, step.mapping(key).sequence("steps"), depth + 1)


# ---- Azure: learn.microsoft.com/azure/devops/pipelines/yaml-schema ------------------------------------------------


def _azure(document: Document) -> Iterator[Job]:
    root = document.root
    aliases = {each.string("container"): each for each in root.mapping("resources").sequence("containers").mappings[:_MOST]}
    outer = document.variables(root.get("variables"), _as_written)
    for stage in [root, *root.sequence("stages").mappings[:_MOST]]:
        jobs = stage.sequence("jobs").mappings[:_MOST]
        for job in [stage] if "steps" in stage and not jobs else jobs:
            places = list({id(each): each for each in (job, stage, root)}.values())
            document.spend(len(outer))
            variables = list(outer)
            for each in reversed(places[:-1]):
                variables += document.variables(each.get("variables"), _as_written)
            deployed = job.mapping("strategy").mapping("runOnce").mapping("deploy")
            steps = [*job.sequence("steps").mappings[:_MOST], *deployed.sequence("steps").mappings[:_MOST]]
            values = {variable.name: variable.value for variable in variables}
            code = [of_container(document.code(line), values) for step in steps for line in _scalars(step, "script", "bash")]
            pool = next((each.get("pool") for each in places if "pool" in each), None)
            runner = yaml_runners.conditions("runs-on", _pool(document, pool))
            yield Job(job, runner, _container(job.get("container"), aliases), _as_written, variables, code)


def _pool(document: Document, pool: Node | None) -> str:
    """A pool's name is that of machines of one's own, unless an image of a hosted one is asked for."""
    if isinstance(pool, Mapping):
        demands = " ".join(text.value.rpartition(" ")[2] for text in document.texts(pool.get("demands"), _as_written))
        return pool.string("vmImage") or f"self-hosted {pool.string('name')} {demands}".strip()
    return f"self-hosted {pool.value}" if isinstance(pool, Scalar) and pool.value else "of Azure Pipelines"


def _container(node: Node | None, aliases: dict[str, Mapping]) -> Scalar | None:
    if isinstance(node, Mapping):
        return node.scalar("image")
    if not isinstance(node, Scalar):
        return None
    return aliases[node.value].scalar("image") if node.value in aliases else node


# ---- Buildkite: buildkite.com/docs/pipelines/configure ------------------------------------------------------------


def _buildkite(document: Document) -> Iterator[Job]:
    root = document.root
    yield from _steps_of_buildkite(
        document, root.sequence("steps"), root.get("agents"), document.variables(root.get("env"), _undoubled)
    )


def _steps_of_buildkite(
    document: Document, steps: Sequence, agents: Node | None, outer: list[Variable], depth: int = 0
) -> Iterator[Job]:
    for step in steps.mappings[:_MOST]:
        document.spend(1 + len(outer))
        own = step.get("agents") or agents
        if "steps" in step and depth < _DEEPEST:  # a group
            yield from _steps_of_buildkite(document, step.sequence("steps"), own, outer, depth + 1)
            continue
        variables = [*outer, *document.variables(step.get("env"), _undoubled)]
        lines = _scalars(step, "command", "commands")
        code = [document.joined([_undoubled(document.code(line)) for line in lines])] if lines else []
        if code:
            runner = yaml_runners.conditions("runs-on", _labels(document, own) or "of the default queue")
            yield Job(step, runner, _plugin(step), _undoubled, variables, code)


def _plugin(step: Mapping) -> Scalar | None:
    """The image of `plugins: [docker#v5.12.0: {image: …}]`."""
    plugins = step.get("plugins")
    found = plugins.mappings if isinstance(plugins, Sequence) else [plugins] if isinstance(plugins, Mapping) else []
    for each in found[:_MOST]:
        for name, pair in islice(each.pairs.items(), _MOST):
            if name.partition("#")[0] == "docker" and isinstance(pair.value, Mapping):
                return pair.value.scalar("image")
    return None


def _undoubled(text: Text) -> Text:
    """A value with `$$` as the `$` that is left of it for the shell."""
    parts, at = [], 0
    for match in _DOLLARS.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value("$")]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text


# ---- Woodpecker: woodpecker-ci.org/docs/usage/workflow-syntax; Drone: docs.drone.io/pipeline ----------------------


def _woodpecker(document: Document) -> Iterator[Job]:
    root = document.root
    platform = root.get("platform")
    places = [root.get("labels"), root.get("node"), platform]
    labels = " ".join(filter(None, (_labels(document, each) for each in places)))
    runner = yaml_runners.conditions("runs-on", labels or "of anybody")
    steps = root.get("steps") or root.get("pipeline")
    found = steps.mappings if isinstance(steps, (Mapping, Sequence)) else []
    for step in found[:_MOST]:
        variables = document.variables(step.get("environment"), _undoubled)
        lines = _scalars(step, "commands", "command")
        code = [document.joined([_undoubled(document.code(line)) for line in lines])] if lines else []
        yield Job(step, runner, step.scalar("image"), _undoubled, variables, code)
