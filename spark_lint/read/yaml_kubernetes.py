"""Kubernetes manifests: the containers of every kind of object, with image, environment and command of each."""

from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Read
from spark_lint.read.yaml_document import Document
from spark_lint.read.yaml_tree import Mapping, Node, Scalar, Sequence
from spark_lint.read.yaml_values import of_container
from spark_lint.text import Text

_ITEM: Final = "[]"
_LISTS: Final = frozenset(name + _ITEM for name in ("containers", "initContainers", "ephemeralContainers", "steps", "sidecars"))
_ONE: Final = frozenset({"container", "script", "model", "trainer"})  # Argo, KServe, Kubeflow
_RUNS: Final = frozenset({"image", "command", "args"})
_CONFIGURATIONS: Final = ("serveConfigV2", "runtimeEnvYAML")
_PARTS: Final = frozenset({"spec", "template", "containers", "initContainers"})
_MOST_NODES: Final = 100_000
_DEEPEST: Final = 80


def is_manifest(root: Mapping, *, fenced: bool) -> bool:
    """Whether a document is an object of Kubernetes; an example may be a part of one."""
    whole = root.scalar("apiVersion") is not None and root.scalar("kind") is not None
    return whole or (fenced and bool(_PARTS & root.pairs.keys()))


def facts(document: Document) -> Iterator[Read]:
    """What its containers are and run, whatever the object around them is called."""
    seen: set[int] = set()
    stack: list[tuple[str, Node, int]] = [("", document.root, 0)]
    while stack and len(seen) < _MOST_NODES:
        key, node, depth = stack.pop()
        if isinstance(node, Scalar) or id(node) in seen or depth > _DEEPEST:
            continue
        seen.add(id(node))
        if isinstance(node, Sequence):
            stack += [(key + _ITEM, item, depth + 1) for item in reversed(node.items)]
            continue
        if key in _LISTS or (key in _ONE and _RUNS & node.pairs.keys()):
            yield from _container(document, node)
        if "rayClusterSpec" in node and (entrypoint := node.scalar("entrypoint")):
            yield from document.script(document.code(entrypoint), document.context, {})
        stack += [(name, pair.value, depth + 1) for name, pair in reversed(node.pairs.items())]


def files(document: Document) -> Iterator[tuple[str, Text]]:
    """Files that stand in an object, by name: those of a ConfigMap, and the configurations of Ray that are given as text."""
    root = document.root
    pairs = [*root.mapping("data").pairs.items()] if root.string("kind") == "ConfigMap" else []
    places = [root.mapping("spec"), *(each.mapping("spec") for each in root.mapping("spec").mappings)]
    pairs += [(f"{key}.yaml", place.pairs[key]) for place in places for key in _CONFIGURATIONS if key in place]
    for name, pair in pairs:
        if isinstance(pair.value, Scalar) and pair.value.value:
            yield name, document.code(pair.value)


def _container(document: Document, container: Mapping) -> Iterator[Read]:
    values: dict[str, Text] = {}

    def fill(text: Text) -> Text:
        return of_container(text, values)

    image = document.image(container.scalar("image"), fill, document.context)
    context = document.block(container, image)
    if image is not None:
        yield document.run_image(image, context)
    variables = []
    for variable in document.variables(container.get("env"), lambda text: text):
        # A variable may use those before it.
        value = fill(variable.value)
        values[variable.name] = value
        variables.append(variable._replace(value=value))
    yield from document.environment(variables, context)
    command = document.texts(container.get("command"), fill)
    args = document.texts(container.get("args"), fill)
    code = container.scalar("script") or container.scalar("source")  # Tekton, Argo
    if code is not None:
        yield from document.program(command, document.code(code), context, values)
    else:
        yield from document.started([*command, *args], context, values, len(command) if args else 0)
