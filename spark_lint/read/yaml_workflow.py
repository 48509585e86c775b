"""Continuous integration: the jobs of GitHub and GitLab that can run on a Spark, with what each step runs.

Hosted runners are other machines: their jobs say nothing, nor do services that host all of theirs.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Condition, Context, ParseProblem, Read
from spark_lint.read.expansion import joined_path
from spark_lint.read.yaml_document import Document, Variable
from spark_lint.read.yaml_tree import Mapping, Node, Scalar, Sequence
from spark_lint.read.yaml_values import filled, of_workflow
from spark_lint.text import UNKNOWN, Text

_WORD: Final = re.compile(r"[a-z0-9]+")
# A label that says more than these names some machine that its owner knows.
_SPARK: Final = frozenset({"spark", "gb10"})
_ARM: Final = frozenset({"arm64", "aarch64", "sbsa"})
_ANY: Final = _ARM | {"self", "hosted", "linux", "gpu", "nvidia", "cuda", "docker"}
_SHELLS: Final = re.compile(r"(?:/\S*/)?(?:ba|z|da|k)?sh\b")
_MATRIX: Final = re.compile(r"\$\{\{\s*matrix\.([\w-]+)\s*\}\}")
_GITLAB_FILE: Final = re.compile(r"(?:.*[-_.])?gitlab-ci(?:[-_.].*)?\.ya?ml")
_GITLAB_WORDS: Final = frozenset(
    {"stages", "include", "variables", "default", "workflow", "image", "before_script", "after_script", "cache", "pages"}
)
_MOST_VALUES: Final = 64

HOSTED: Final = "runs on the hosted runner "
"""How the condition begins that jobs have whose runner cannot be a Spark."""


def is_workflow(root: Mapping) -> bool:
    """Whether a document is a workflow, or an action made of steps, of GitHub."""
    jobs = any({"runs-on", "uses"} & job.pairs.keys() for job in root.mapping("jobs").mappings)
    return jobs or "using" in root.mapping("runs")


def is_gitlab(root: Mapping, path: str) -> bool:
    """Whether a document is a pipeline of GitLab."""
    if _GITLAB_FILE.fullmatch(path.rpartition("/")[2].lower()):
        return True
    return "stages" in root and any("script" in job for job in root.mappings)


def is_hosted(root: Mapping, path: str) -> bool:
    """Whether a document is for a service whose machines are never a Spark."""
    file = "/" + path.lower()
    if "steps" in root or "stages" in root or "jobs" in root:
        azure = "pool" in root or "trigger" in root or "azure-pipelines" in file
        return azure or "/.circleci/" in file or "/.buildkite/" in file or "cloudbuild" in file
    return file.endswith(("/.travis.yml", "/appveyor.yml", "/.appveyor.yml", "/.readthedocs.yaml", "/.readthedocs.yml"))


def workflow(document: Document) -> Iterator[Read]:
    """What the jobs of a GitHub workflow do, those on hosted runners under a condition that says so."""
    document.said(document.root.get("runs"))  # an action's steps run wherever it is used
    values: dict[tuple[str, str], Text] = {}
    around = _variables(document, document.root.get("env"), values)
    for job in document.root.mapping("jobs").mappings:
        labels = list(_labels(document, job))
        if own := next(filter(_own, labels), ""):
            yield from _job(document, job, _conditions("runs-on", own), dict(values), around)
        elif labels:
            # What it does is told with where it does it; that some of it cannot be read is nobody's concern.
            hosted = (Condition(f"{HOSTED}{labels[0]}"),)
            found = _job(document, job, hosted, dict(values), around)
            yield from (each for each in found if not isinstance(each, ParseProblem))
        else:
            document.said(job)


def _own(labels: str) -> bool:
    """Whether a runner with these labels can be a Spark: it is one's own and an Arm, or says nothing that speaks against it."""
    words = set(_WORD.findall(labels.lower()))
    own = {"self", "hosted"} <= words
    return bool(words & _SPARK) or (own and bool(words & _ARM)) or (words <= _ANY and (own or "gpu" in words))


def _conditions(key: str, labels: str) -> tuple[Condition, ...]:
    return tuple(Condition(f"{key} {label}") for label in labels.split())


def _labels(document: Document, job: Mapping) -> Iterator[str]:
    """The labels of the runner, on one line; several where a matrix chooses."""
    runner = job.get("runs-on")
    if isinstance(runner, Mapping):
        runner = runner.get("labels")
    texts = document.texts(runner, _as_written)
    chosen = [match[1] for text in texts if (match := _MATRIX.fullmatch(text.written.strip("\"'")))]
    fixed = [text.value for text in texts if text.known or not chosen]
    for node in _choices(job, chosen[0]) if len(chosen) == 1 else [None]:
        labels = " ".join([*fixed, *(text.value for text in document.texts(node, _as_written))])
        if labels and UNKNOWN not in labels:
            yield labels


def _as_written(text: Text) -> Text:
    return text


def _choices(job: Mapping, name: str) -> list[Node]:
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
        choices = _choices(job, name)
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


def gitlab(document: Document) -> Iterator[Read]:
    """What the jobs of a GitLab pipeline do on runners of one's own, which their tags name."""
    root = document.root
    default = root.mapping("default")
    document.skipped.update(id(pair.value) for pair in root.pairs.values())
    shared = document.variables(root.get("variables"), filled)
    for name, pair in root.pairs.items():
        job = pair.value
        if not isinstance(job, Mapping) or name in _GITLAB_WORDS or name.startswith("."):
            continue
        bases = _templates(job, root)
        labels = " ".join(text.value for text in document.texts(_first([*bases, default], "tags"), _as_written))
        if _own(labels) and "script" in {key for each in bases for key in each.pairs}:
            document.skipped.discard(id(job))
            yield from _gitlab_job(document, job, [*bases, default, root], labels, shared)


def _templates(job: Mapping, root: Mapping) -> list[Mapping]:
    """The job and those it extends, nearest first."""
    found = [job]
    for each in found:  # which grows
        extends = each.get("extends")
        names = extends.scalars if isinstance(extends, Sequence) else [extends] if isinstance(extends, Scalar) else []
        for name in reversed(names):
            base = root.get(name.value)
            if isinstance(base, Mapping) and len(found) < _MOST_VALUES and not any(base is other for other in found):
                found.append(base)
    return found


def _first(places: list[Mapping], key: str) -> Node | None:
    return next((each.pairs[key].value for each in places if key in each), None)


def _gitlab_job(document: Document, job: Mapping, places: list[Mapping], labels: str, shared: list[Variable]) -> Iterator[Read]:
    document.spend(len(shared))
    variables = [*shared, *document.variables(job.get("variables"), filled)]
    values = {variable.name: variable.value for variable in variables}
    named = _first(places, "image")
    named = named.scalar("name") if isinstance(named, Mapping) else named

    def fill(text: Text) -> Text:
        return filled(text, values.get, bare=True)

    image = document.image(named if isinstance(named, Scalar) else None, fill, document.context)
    context = document.block(job, image)
    context = replace(context, conditions=context.conditions + _conditions("tags", labels))
    document.contexts[id(job)] = context
    if image is not None:
        yield document.run_image(image, context)
    yield from document.environment(variables, context)
    lines = [text for key in ("before_script", "script") for text in document.lines(_first(places, key))]
    if lines:
        yield from document.script(document.joined(lines), context, values)
