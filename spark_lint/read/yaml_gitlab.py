"""Pipelines of GitLab: the jobs with what their scripts run. docs.gitlab.com/ci/yaml."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from spark_lint.facts import Condition, Read
from spark_lint.read import yaml_runners
from spark_lint.read.yaml_document import Document, Variable
from spark_lint.read.yaml_runners import Job
from spark_lint.read.yaml_tree import Mapping, Node, Scalar, Sequence
from spark_lint.read.yaml_values import filled
from spark_lint.text import UNKNOWN, Text

_FILE: Final = re.compile(r"(?:.*[-_.])?gitlab-ci(?:[-_.].*)?\.ya?ml")
_WORDS: Final = frozenset(
    {"stages", "include", "variables", "default", "workflow", "image", "services", "before_script", "after_script", "cache", "spec"}
)  # fmt: skip
_OF_JOBS: Final = frozenset({"stage", "tags", "needs", "extends", "artifacts"})
"""Keys of jobs in files that a pipeline includes."""
_REFERENCE: Final = re.compile(
    r"""(?:!reference\s{1,9})?\[["'\s]{0,9}([^\[\],"'\n]{1,200}?)["'\s]{0,9},["'\s]{0,9}(\w+)["'\s]{0,9}\]"""
)
_MOST_VALUES: Final = 64
_DEEPEST: Final = 10


def is_pipeline(root: Mapping, path: str) -> bool:
    """Whether a document is a pipeline of GitLab."""
    if _FILE.fullmatch(path.rpartition("/")[2].lower()):
        return True
    jobs = [job for job in root.mappings if "script" in job]
    return bool(jobs) and ("stages" in root or any(not _OF_JOBS.isdisjoint(job.pairs) for job in jobs))


def facts(document: Document) -> Iterator[Read]:
    """What the jobs do, each under what its runner's tags say."""
    root = document.root
    document.skipped.update(id(pair.value) for pair in root.pairs.values())
    shared = document.variables(root.get("variables"), filled)
    for name, pair in root.pairs.items():
        job = pair.value
        if not isinstance(job, Mapping) or name in _WORDS or name.startswith("."):
            continue
        bases = _bases(job, root)
        if any("script" in each for each in bases):
            yield from _job(document, job, [*bases, root.mapping("default"), root], shared)


def _bases(job: Mapping, root: Mapping) -> list[Mapping]:
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


def _job(document: Document, node: Mapping, places: list[Mapping], shared: list[Variable]) -> Iterator[Read]:
    document.spend(len(shared) + len(places))
    matrix = _matrix(document, places)
    variables = {variable.name: variable for variable in shared}
    for place in reversed(places[:-1]):  # those of the whole pipeline are there already
        variables |= {variable.name: variable for variable in document.variables(place.get("variables"), filled)}
    variables = {name: each for name, each in variables.items() if name not in matrix}
    values = {name: each.value for name, each in variables.items()}
    chosen = {name: choices[0] if len(choices) == 1 else choices[0].as_value(UNKNOWN) for name, choices in matrix.items()}
    values |= chosen

    def fill(text: Text) -> Text:
        return filled(text, values.get, bare=True)

    runner = _runner(document, _first(places, "tags"), values, matrix)
    if not any(each.text.startswith(yaml_runners.HOSTED) for each in runner):
        document.skipped.discard(id(node))
    named = _first(places, "image")
    named = named.scalar("name") if isinstance(named, Mapping) else named
    image = named if isinstance(named, Scalar) else None
    lines = [line for key in ("before_script", "script") for line in _lines(document, _first(places, key))]
    code = [document.joined(lines)] if lines else []
    yield from yaml_runners.facts(document, Job(node, runner, image, fill, [*variables.values()], code, chosen))
    services = _first(places, "services")
    for each in services.items if isinstance(services, Sequence) else ():
        service = each.scalar("name") if isinstance(each, Mapping) else each if isinstance(each, Scalar) else None
        if (beside := document.image(service, fill, document.context)) is not None:
            yield document.run_image(beside, replace(document.contexts[id(node)], image=None))


def _matrix(document: Document, places: list[Mapping]) -> dict[str, list[Text]]:
    """The values that `parallel: {matrix: …}` gives to variables, one job for each of them."""
    parallel = _first(places, "parallel")
    found: dict[str, list[Text]] = {}
    for each in parallel.sequence("matrix").mappings[:_MOST_VALUES] if isinstance(parallel, Mapping) else ():
        for name, pair in islice(each.pairs.items(), _MOST_VALUES):
            items = pair.value.scalars if isinstance(pair.value, Sequence) else [pair.value]
            texts = [document.of(item) for item in items[:_MOST_VALUES] if isinstance(item, Scalar)]
            found[name] = (found.get(name, []) + texts)[:_MOST_VALUES]
    return {name: texts for name, texts in found.items() if texts}


def _runner(
    document: Document, tags: Node | None, values: dict[str, Text], matrix: dict[str, list[Text]]
) -> tuple[Condition, ...]:
    """What the runner has to be. Of those that a matrix chooses from, the first that can be a Spark."""
    named = document.texts(tags, lambda text: text)
    chosen = [name for name in matrix if any(text.value in (f"${name}", f"${{{name}}}") for text in named)]
    tried = matrix[chosen[0]] if len(chosen) == 1 else [None]
    found: tuple[Condition, ...] = ()
    for each in tried:
        known = values if each is None else values | {chosen[0]: each}
        labels = " ".join(filled(text, known.get, bare=True).value for text in named)
        found = yaml_runners.conditions("tags", labels)
        if not found[0].text.startswith(yaml_runners.HOSTED):
            return found
    return found


def _lines(document: Document, node: Node | None, depth: int = 0) -> Iterator[Text]:
    """The lines of a script, with those of other jobs that it refers to: `- !reference [.setup, script]`."""
    items = node.items if isinstance(node, Sequence) else [node]
    for item in items:
        other = _referred(document, item) if depth < _DEEPEST else None
        if other is not None:
            document.spend()
            yield from _lines(document, other, depth + 1)
        else:
            yield from document.lines(item)


def _referred(document: Document, node: Node | None) -> Node | None:
    """What `!reference [job, key]` names. A list with a tag is no value: the tree has it as an unknown one."""
    if not isinstance(node, Scalar) or node.value != UNKNOWN or node.plain or node.origin is not None:
        return None
    match = _REFERENCE.match(document.text.value[node.start : node.stop])
    return document.root.mapping(match[1].strip()).get(match[2]) if match else None
