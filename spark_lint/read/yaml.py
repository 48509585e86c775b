"""YAML files: their keys and values, and what the formats written in YAML (compose, Kubernetes, CI, jobs) run."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Final

from spark_lint import kinds
from spark_lint.facts import Code, Context, ParseProblem, Read
from spark_lint.read import (
    shell,
    template,
    yaml_compose,
    yaml_gitlab,
    yaml_helm,
    yaml_hosts,
    yaml_jobs,
    yaml_kubernetes,
    yaml_pipelines,
    yaml_workflow,
)
from spark_lint.read.dotenv import Environments, nothing
from spark_lint.read.expansion import MOST, TOO_MUCH, Budget
from spark_lint.read.yaml_document import Document, TooMuch
from spark_lint.read.yaml_entries import entries
from spark_lint.read.yaml_tree import Mapping, Node, Sequence, documents
from spark_lint.text import UNKNOWN, Source, Text

_ANYWHERE: Final = Context()
_INNER: Final = 1000
_HEAD: Final = 128
_TOO_MUCH: Final = "stands for more values than a file says: the rest is not read"
_LOCK: Final = re.compile(r"(?:.*[-_.])?lock\.ya?ml")
_TEMPLATE_NAME: Final = re.compile(r".*\.(?:j2|jinja2?|tmpl|tpl|in|template)")
_PLACEHOLDER: Final = re.compile(r"<[^<>\n]{1,80}>")
_ONLY_TEMPLATE: Final = re.compile(rf"(?m)^[ \t]*(?:- +)?{UNKNOWN}[ \t{UNKNOWN}]*(?=\r?$)")


def read(source: Source, environments: Environments = nothing) -> Iterator[Read]:
    """The facts of a YAML file. What a tool has locked is not what somebody wrote.

    environments: the variables of an environment file that is named, from which compose takes its own.
    """
    if not _LOCK.fullmatch(source.path.rpartition("/")[2].lower()):
        yield from facts(Text.of(source), environments=environments)


def facts(
    text: Text, context: Context = _ANYWHERE, *, inside: bool = True, environments: Environments = nothing
) -> Iterator[Read]:
    """The facts of YAML that may stand inside another file. context: what is around it. inside: files in it are read too."""
    if text.value.startswith("\ufeff"):
        text = text[1:]  # the parser would not count it
    literal, found = _parsed(text)
    several = sum(isinstance(each, Mapping) for each in found) > 1
    # Inside a fence, parts that run by themselves are numbered below the fence's own number.
    numbers = count(context.block * _INNER + 1)
    budget = Budget(MOST + 2 * len(text.value))
    for each in found:
        if isinstance(each, ParseProblem):
            yield each
        elif isinstance(each, Mapping):
            around = replace(context, block=next(numbers)) if several and not context.block else context
            try:
                yield from _facts(Document(each, literal, around, numbers, budget, environments=environments), inside=inside)
            except TooMuch:
                yield ParseProblem(literal[each.start : each.start].span, _TOO_MUCH)
                return
        elif isinstance(each, Sequence) and yaml_hosts.is_ansible(each, text.source.path):
            try:
                yield from yaml_hosts.ansible(Document(Mapping(each.start, each.stop), literal, context, numbers, budget), each)
            except TooMuch:
                yield ParseProblem(literal[each.start : each.start].span, _TOO_MUCH)
                return
    if budget.left < 0:
        yield ParseProblem(text[:0].span, TOO_MUCH)


def _parsed(text: Text) -> tuple[Text, list[Node | ParseProblem]]:
    """The documents, and the text that they are made of: where a template is not YAML yet, what it says literally."""
    literal = template.literal(text)
    lists = yaml_hosts.may_be_ansible(text)
    found = [*documents(literal, lists=lists)]
    if not _broken(found):
        return literal, found
    again, anew = literal, found
    for fill in (_without_actions, _without_placeholders):
        again = fill(again)
        anew = [*documents(again, lists=lists)]
        if not _broken(anew):
            return again, anew
    return (again, [each for each in anew if not isinstance(each, ParseProblem)]) if _is_template(text) else (literal, found)


def _broken(found: list[Node | ParseProblem]) -> bool:
    return bool(found) and isinstance(found[-1], ParseProblem)


def _is_template(text: Text) -> bool:
    """Whether something else fills in the file before it is YAML."""
    signs = ("{{", "{%", "<%", "{#")
    return any(sign in text.value for sign in signs) or _TEMPLATE_NAME.fullmatch(text.source.path.lower()) is not None


def _without_actions(text: Text) -> Text:
    """The text without the lines that hold nothing but what a template puts there: `{{- toYaml .Values.x | nindent 4 }}`."""
    parts, at = [], 0
    for start, stop in _actions(text.value):
        parts += [text[at:start], text[start:stop].as_value(UNKNOWN)]
        at = stop
    return Text.join([*parts, text[at:]]).without(_ONLY_TEMPLATE)


def _actions(value: str) -> Iterator[tuple[int, int]]:
    """Template actions that go over several lines."""
    at = 0
    while (start := value.find("{{", at)) >= 0 and (stop := value.find("}}", start)) >= 0:
        at = stop + 2
        yield start, at


def _without_placeholders(text: Text) -> Text:
    """The text with what its reader is to fill in as unknown: `main_process_ip: <address of the first machine>`."""
    parts, at = [], 0
    for match in _PLACEHOLDER.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(UNKNOWN)]
        at = match.end()
    return Text.join([*parts, text[at:]])


def _file(name: str, text: Text, context: Context) -> Iterator[Read]:
    """The facts of a file that stands in a value. That it cannot be read is no problem of the file around it."""
    found: Iterator[Read] = iter(())
    match kinds.kind_of(name, text.value[:_HEAD].encode("utf-8", "replace")):
        case kinds.YAML:
            found = facts(text, context, inside=False)
        case kinds.SHELL:
            found = shell.commands(template.literal(text), context)
        case kinds.REQUIREMENTS:
            from spark_lint.read.requirements import requirements

            found = requirements(text, context)
        case kind if kind not in ("", kinds.MARKDOWN):
            span = text.span
            yield Code(name=kind, text=text, path=name, span=span, origin=span, written=name, context=context)
    yield from (each for each in found if not isinstance(each, ParseProblem))


def _facts(document: Document, *, inside: bool) -> Iterator[Read]:
    root, path = document.root, document.path
    fenced = document.context.fenced
    if yaml_kubernetes.is_manifest(root, path, fenced=fenced):
        yield from yaml_kubernetes.facts(document)
        yield from yaml_helm.kustomized(document)
        for name, text in yaml_kubernetes.files(document) if inside else ():
            yield from _file(name, text, replace(document.context, block=next(document.numbers)))
    elif (pipeline := yaml_pipelines.reader(root, path)) is not None:
        yield from yaml_pipelines.facts(document, pipeline)
    elif (services := yaml_compose.services(root, path, fenced=fenced)) is not None:
        yield from yaml_compose.facts(document, services)
    elif yaml_workflow.is_workflow(root):
        yield from yaml_workflow.workflow(document)
    elif yaml_gitlab.is_pipeline(root, path):
        yield from yaml_gitlab.facts(document)
    elif yaml_hosts.is_cloud_init(root, document.text):
        yield from yaml_hosts.cloud_init(document)
        for name, text in yaml_hosts.files(document) if inside else ():
            yield from _file(name, text, replace(document.context, block=next(document.numbers)))
    elif yaml_jobs.is_conda(root):
        yield from yaml_jobs.conda(document)
    elif (kind := yaml_jobs.format_of(root)) is not None:
        yield from yaml_jobs.facts(document, kind)
    else:
        yield from yaml_helm.facts(document)
    yield from entries(document)
