"""Workflows of GitHub, and of Gitea and Forgejo, which read the same files: the jobs with what each step runs."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from spark_lint.facts import Condition, Context, Read
from spark_lint.read import yaml_runners
from spark_lint.read.expansion import joined_path
from spark_lint.read.yaml_document import Document, Variable
from spark_lint.read.yaml_tree import Mapping, Node, Scalar
from spark_lint.read.yaml_values import of_workflow
from spark_lint.text import UNKNOWN, Text

_SHELLS: Final = re.compile(r"(?:/\S*/)?(?:ba|z|da|k)?sh\b")
_CHOICE: Final = re.compile(r"\$\{\{\s*(matrix|inputs)\.([\w-]+)(?:\.([\w-]+))?\s*\}\}")
_IMAGE: Final = "docker://"
_MOST_VALUES: Final = 64


def is_workflow(root: Mapping) -> bool:
    """Whether a document is a workflow, or an action made of steps, of GitHub."""
    jobs = any({"runs-on", "uses"} & job.pairs.keys() for job in root.mapping("jobs").mappings)
    return jobs or "using" in root.mapping("runs")


def workflow(document: Document) -> Iterator[Read]:
    """What the jobs of a GitHub workflow do, those on hosted runners under a condition that says so."""
    document.said(document.root.get("runs"))  # an action's steps run wherever it is used
    values = {("inputs", name): document.of(given) for name, given in _defaults(document.root)}
    around = _variables(document, document.root.get("env"), values)
    for job in document.root.mapping("jobs").mappings:
        runners = [yaml_runners.conditions("runs-on", each) for each in _labels(document, job)]
        hosted = [each for each in runners if each[0].text.startswith(yaml_runners.HOSTED)]
        if runners:
            runner = next((each for each in runners if each not in hosted), runners[0])
            yield from yaml_runners.quiet(_job(document, job, runner, dict(values), around), runner)
        else:
            document.said(job)


def _inputs(root: Mapping) -> Iterator[tuple[str, Mapping]]:
    """What a workflow is started with: by hand, or by another one."""
    for way in ("workflow_call", "workflow_dispatch"):
        for name, pair in islice(root.mapping("on").mapping(way).mapping("inputs").pairs.items(), _MOST_VALUES):
            if isinstance(pair.value, Mapping):
                yield name, pair.value


def _defaults(root: Mapping) -> Iterator[tuple[str, Scalar]]:
    """What inputs are where nobody says otherwise; of one that may be given in two ways, if both say the same."""
    for name, given in _inputs(root):
        values = {each.string("default") for other, each in _inputs(root) if other == name}
        if len(values) == 1 and (default := given.scalar("default")):
            yield name, default


def _labels(document: Document, job: Mapping) -> Iterator[str]:
    """The labels of the runner, on one line; several where a matrix or an input chooses."""
    runner = job.get("runs-on")
    if isinstance(runner, Mapping):
        runner = runner.get("labels")
    texts = document.texts(runner, _as_written)
    chosen = [match for text in texts if (match := _CHOICE.fullmatch(text.written.strip("\"'")))]
    fixed = [text.value for text in texts if text.known or not chosen]
    for node in _choices(document, job, chosen[0]) if len(chosen) == 1 else [None]:
        labels = " ".join([*fixed, *(text.value for text in document.texts(node, _as_written))])
        if labels and UNKNOWN not in labels:
            yield labels


def _as_written(text: Text) -> Text:
    return text


def _choices(document: Document, job: Mapping, chosen: re.Match[str]) -> list[Node]:
    """The values that `${{ matrix.name }}`, `${{ matrix.name.key }}` or `${{ inputs.name }}` can have."""
    if chosen[1] == "matrix":
        found = _of_matrix(job, chosen[2])
        key = chosen[3]
        return found if key is None else [node for each in found if isinstance(each, Mapping) and (node := each.get(key))]
    given = [each for name, each in _inputs(document.root) if name == chosen[2]]
    defaults = [default for each in given if (default := each.scalar("default"))]
    return [*defaults, *(option for each in given for option in each.sequence("options").items)][:_MOST_VALUES]


def _of_matrix(job: Mapping, name: str) -> list[Node]:
    """The values that a matrix has for a name."""
    matrix = job.mapping("strategy").mapping("matrix")
    found = [*matrix.sequence(name).items]
    found += [pair.value for each in matrix.sequence("include").mappings if (pair := each.pairs.get(name))]
    return found[:_MOST_VALUES]


def _job(
    document: Document, job: Mapping, runner: tuple[Condition, ...], values: dict[tuple[str, str], Text], around: list[Variable]
) -> Iterator[Read]:
    document.spend(len(values) + len(around))
    for name in {*job.mapping("strategy").mapping("matrix").pairs} - {"include", "exclude"}:
        choices = _of_matrix(job, name)
        if len(choices) == 1 and isinstance(choices[0], Scalar):
            values["matrix", name] = document.of(choices[0])
    variables = [*around, *_variables(document, job.get("env"), values)]
    container = job.get("container")
    named = container.scalar("image") if isinstance(container, Mapping) else container if isinstance(container, Scalar) else None
    image = document.image(named, lambda text: of_workflow(text, values), document.context)
    context = document.block(job, image)
    context = replace(context, conditions=context.conditions + runner)
    document.contexts[id(job)] = context
    if image is not None:
        yield document.run_image(image, context)
    if isinstance(container, Mapping):
        variables += _variables(document, container.get("env"), values)
    yield from document.environment(variables, context)
    for service in job.mapping("services").mappings[:_MOST_VALUES]:
        beside = document.image(service.scalar("image"), lambda text: of_workflow(text, values), document.context)
        if beside is not None:
            yield document.run_image(beside, context)
    shells = [each.mapping("defaults").mapping("run") for each in (job, document.root)]
    for step in job.sequence("steps").mappings:
        yield from _step(document, step, context, dict(values), variables, shells)


def _step(
    document: Document,
    step: Mapping,
    context: Context,
    values: dict[tuple[str, str], Text],
    around: list[Variable],
    defaults: list[Mapping],
) -> Iterator[Read]:
    document.spend(len(values) + len(around))
    own = _variables(document, step.get("env"), values)
    yield from document.environment(own, context)
    used = step.scalar("uses")
    if used is not None and used.value.startswith(_IMAGE):
        image = document.image(used, lambda text: text[len(_IMAGE) :], document.context)
        yield from [document.run_image(image, context)] if image else []
    code = step.scalar("run")
    shell = next((found for each in (step, *defaults) if (found := each.string("shell"))), "bash")
    if code is None or not _SHELLS.match(shell):
        return
    folder = next((found for each in (step, *defaults) if (found := each.string("working-directory"))), "")
    inside = replace(context, workdir=joined_path(context.workdir, folder)) if folder and UNKNOWN not in folder else context
    variables = {variable.name: variable.value for variable in (*around, *own)}
    yield from document.script(of_workflow(document.code(code), values), inside, variables)


def _variables(document: Document, node: Node | None, values: dict[tuple[str, str], Text]) -> list[Variable]:
    """The variables of one `env:`, which the expressions below it see too."""
    found = document.variables(node, lambda text: of_workflow(text, values))
    for variable in found:
        values["env", variable.name] = variable.value
    return found
