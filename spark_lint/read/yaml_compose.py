"""Compose files: the services, with the image, the environment and the command of each."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Code, Condition, Context, Image, Include, Read
from spark_lint.kinds import DOCKERFILE
from spark_lint.read.reference import base_image
from spark_lint.read.yaml_document import Document, Fill, Variable
from spark_lint.read.yaml_tree import Mapping, Node, Scalar, Sequence
from spark_lint.read.yaml_values import filled, split
from spark_lint.text import UNKNOWN, Text

_SERVICE: Final = frozenset({"image", "build", "extends"})
_OVERRIDE: Final = frozenset(
    {"command", "entrypoint", "environment", "deploy", "devices", "gpus", "ports", "profiles", "runtime", "volumes"}
)
_REMOTE: Final = re.compile(r"://|^git@")
_MOST_BASES: Final = 10


def services(root: Mapping, path: str, *, fenced: bool) -> Mapping | None:
    """The services of a compose file, None in any other document.

    One that changes another compose file is known by its name only; in the first format, and in examples, the services stand at the top.
    """
    by_name = "compose" in path.rpartition("/")[2].lower()
    found = root.mapping("services")
    marks = _SERVICE | _OVERRIDE if by_name else _SERVICE
    if any(marks & service.pairs.keys() for service in found.mappings):
        return found
    alone = any("image" in service and _OVERRIDE & service.pairs.keys() for service in root.mappings)
    return root if alone and (by_name or fenced) else None


def facts(document: Document, services: Mapping) -> Iterator[Read]:
    """What the services are and run."""
    for service in services.mappings:
        yield from _service(document, service, _bases(service, services))


def _fill(document: Document) -> Fill:
    """How compose puts in variables: those of the `.env` beside the file, or their defaults.

    https://docs.docker.com/compose/how-tos/environment-variables/variable-interpolation/ (2026-11)
    """
    variables = document.environments(".env")

    def lookup(name: str) -> Text | None:
        found = variables.get(name)
        return found if found is not None and document.budget.allows(found.value) else None

    return lambda text: filled(text, lookup, bare=True)


def _bases(service: Mapping, services: Mapping) -> list[Mapping]:
    """The service and those of this file that it extends, nearest first."""
    found = [service]
    while len(found) < _MOST_BASES:
        extends = found[-1].get("extends")
        name = extends.value if isinstance(extends, Scalar) else ""
        if isinstance(extends, Mapping) and "file" not in extends:
            name = extends.string("service")
        base = services.get(name)
        if not isinstance(base, Mapping) or any(base is each for each in found):
            break
        found.append(base)
    return found


def _first(bases: list[Mapping], key: str) -> Node | None:
    return next((each.pairs[key].value for each in bases if key in each), None)


def _service(document: Document, service: Mapping, bases: list[Mapping]) -> Iterator[Read]:
    built = _first(bases, "build")
    named = _first(bases, "image")
    platform = _first(bases, "platform")
    fill = _fill(document)
    image: Image | None = None
    if isinstance(named, Scalar) and built is None:
        asked = fill(document.of(platform)) if isinstance(platform, Scalar) else None
        image = document.image(named, fill, document.context, asked.value if asked is not None and asked.known else "")
    context = document.block(service, image)
    profiles = document.texts(_first(bases, "profiles"), fill)
    if len(profiles) == 1 and profiles[0].known:  # it is started only where that is asked for
        context = replace(context, conditions=(*context.conditions, Condition(f"tags {profiles[0].value}")))
        document.contexts[id(service)] = context
    if image is not None:
        yield document.run_image(image, context)
    if built is not None:
        yield from _build(document, built, context)
    variables: dict[str, Variable] = {}
    for each in reversed(bases):
        variables |= {variable.name: variable for variable in document.variables(each.get("environment"), fill)}
        yield from _files(document, each.get("env_file"), context)
    yield from document.environment(variables.values(), context)
    entrypoint = _words(document, _first(bases, "entrypoint"))
    command = _words(document, _first(bases, "command"))
    first = len(entrypoint) if command else 0
    values = {name: variable.value for name, variable in variables.items()}
    yield from document.started([*entrypoint, *command], context, values, first)


def _files(document: Document, node: Node | None, context: Context) -> Iterator[Include]:
    """`env_file: gpu.env`, or a list of such files, some as `path: gpu.env` with `required: false`."""
    document.said(node)
    listed = node.items if isinstance(node, Sequence) else [node]
    for each in listed:
        path = each.scalar("path") if isinstance(each, Mapping) else each
        if isinstance(path, Scalar) and path.value:
            yield Include("env", _fill(document)(document.of(path)), context)


def _words(document: Document, node: Node | None) -> list[Text]:
    """A command as a list, or as one text that compose itself splits into words."""
    texts = document.texts(node, _fill(document))
    return [word for text in texts for word in split(text)] if isinstance(node, Scalar) else texts


def _bases_given(arguments: list[Variable], context: Context) -> Iterator[Image]:
    """The images that arguments of a build give to `FROM ${BASE_IMAGE}`."""
    for each in arguments:
        if (found := base_image(each.name, each.value, context)) is not None:
            yield replace(found, span=each.span, written=each.written)


def _build(document: Document, build: Node, context: Context) -> Iterator[Read]:
    """`build: .`, `build: {context: ., dockerfile: docker/Dockerfile, args: …}`: the Dockerfile and what its ARGs are given."""
    where = build if isinstance(build, Scalar) else build.scalar("context") if isinstance(build, Mapping) else None
    file = build.scalar("dockerfile") if isinstance(build, Mapping) else None
    fill = _fill(document)
    place = file or where
    if isinstance(build, Mapping):
        arguments = document.variables(build.get("args"), fill)
        yield from document.environment(arguments, context)
        yield from _bases_given(arguments, context)
    inline = build.scalar("dockerfile_inline") if isinstance(build, Mapping) else None
    if inline is not None:
        text = document.code(inline)
        span = text.span
        yield Code(name=DOCKERFILE, text=text, span=span, origin=span, written="dockerfile_inline", context=context)
        return
    if place is None or (isinstance(build, Mapping) and "dockerfile_inline" in build):
        return
    folder = fill(document.of(where)).value if where is not None else "."
    name = fill(document.of(file)).value if file is not None else "Dockerfile"
    path = name if name.startswith("/") else f"{folder.rstrip('/') or '/'}/{name}"
    if UNKNOWN not in path and not _REMOTE.search(path):
        target = build.string("target") if isinstance(build, Mapping) else ""
        yield Include("build", document.of(place).as_value(path), context, from_stage=target)
