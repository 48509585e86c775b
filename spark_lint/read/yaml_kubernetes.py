"""Kubernetes manifests: the containers of every kind of object, with image, environment and command of each."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from spark_lint.facts import Condition, Read
from spark_lint.read.yaml_document import Document
from spark_lint.read.yaml_runners import HOSTED
from spark_lint.read.yaml_tree import Mapping, Node, Scalar, Sequence
from spark_lint.read.yaml_values import of_container
from spark_lint.text import UNKNOWN, Text

_ITEM: Final = "[]"
_LISTS: Final = frozenset(name + _ITEM for name in ("containers", "initContainers", "ephemeralContainers", "steps", "sidecars"))
_ONE: Final = frozenset({"container", "script", "model", "trainer", "mainContainer"})  # Argo, KServe, Kubeflow, Dynamo
_RUNS: Final = frozenset({"image", "command", "args"})
_CONFIGURATIONS: Final = ("serveConfigV2", "runtimeEnvYAML")
_PARTS: Final = frozenset({"spec", "template", "containers", "initContainers"})
_MOST_NODES: Final = 100_000
_DEEPEST: Final = 80
_MOST_VALUES: Final = 20
_MOST_PATCHES: Final = 1000
# Labels of a node that say what it is.
_LABELS: Final = frozenset(
    {
        "kubernetes.io/arch",
        "kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "nvidia.com/gpu.product",
        "nvidia.com/gpu.machine",
        "cloud.google.com/gke-accelerator",
        "node.kubernetes.io/instance-type",
    }
)


def is_manifest(root: Mapping, path: str, *, fenced: bool) -> bool:
    """Whether a document is an object of Kubernetes, or Kustomize's list of some; an example may be a part of one."""
    whole = root.scalar("apiVersion") is not None and root.scalar("kind") is not None
    whole = whole or path.rpartition("/")[2].lower() in ("kustomization.yaml", "kustomization.yml")
    return whole or (fenced and bool(_PARTS & root.pairs.keys()))


def facts(document: Document) -> Iterator[Read]:
    """What its containers are and run, whatever the object around them is called."""
    if "/.tekton/" in f"/{document.path}":  # the repository's own pipelines, in whatever cluster runs them
        document.context = replace(document.context, conditions=(*document.context.conditions, Condition(f"{HOSTED}of Tekton")))
    seen: set[int] = set()
    stack: list[tuple[str, Node, int, tuple[Condition, ...]]] = [("", document.root, 0, ())]
    while stack and len(seen) < _MOST_NODES:
        key, node, depth, nodes = stack.pop()
        if isinstance(node, Scalar) or id(node) in seen or depth > _DEEPEST:
            continue
        seen.add(id(node))
        if isinstance(node, Sequence):
            stack += [(key + _ITEM, item, depth + 1, nodes) for item in reversed(node.items)]
            continue
        nodes = (*nodes, *wanted_nodes(node))
        if key in _LISTS or (key in _ONE and _RUNS & node.pairs.keys()):
            yield from _container(document, node, nodes)
        if "rayClusterSpec" in node and (entrypoint := node.scalar("entrypoint")):
            yield from document.script(document.code(entrypoint), document.context, {})
        stack += [(name, pair.value, depth + 1, nodes) for name, pair in reversed(node.pairs.items())]


def wanted_nodes(pod: Mapping) -> Iterator[Condition]:
    """What the nodes have to be on which a pod may run, as its node selector and what it requires of them say."""
    selected = islice(pod.mapping("nodeSelector").pairs.items(), _MOST_VALUES)
    labels = [(name, [pair.value]) for name, pair in selected]
    required = pod.mapping("affinity").mapping("nodeAffinity").mapping("requiredDuringSchedulingIgnoredDuringExecution")
    terms = required.sequence("nodeSelectorTerms").mappings or pod.sequence("nodeSelectorTerms").mappings
    for each in terms[0].sequence("matchExpressions").mappings[:_MOST_VALUES] if len(terms) == 1 else ():
        key, values = each.string("key"), each.sequence("values").items
        if key and each.string("operator") == "In":
            labels.append((key, values))
    said = []
    for name, values in labels:
        words = [value.value for value in values if isinstance(value, Scalar)]
        if not 0 < len(words) == len(values) <= _MOST_VALUES or any(UNKNOWN in word for word in words):
            continue
        if name in _LABELS:
            said.append(f"{name} {' '.join(words)}")
        elif len(words) == 1:  # a label of one's own: `gpu-type: h100`
            yield Condition(f"runs-on {words[0]}")
    if said:
        yield Condition(f"node {' '.join(said)}")
    if "containers" in pod and (node := pod.string("nodeName")) and UNKNOWN not in node:
        yield Condition(f"runs-on {node}")


def files(document: Document) -> Iterator[tuple[str, Text]]:
    """Files that stand in an object, by name: those of a ConfigMap, and the configurations of Ray that are given as text."""
    root = document.root
    pairs = [*root.mapping("data").pairs.items()] if root.string("kind") == "ConfigMap" else []
    # Kustomize: an object in part, which is put over the whole one.
    pairs += [
        ("patch.yaml", each.pairs["patch"]) for each in root.sequence("patches").mappings[:_MOST_PATCHES] if "patch" in each
    ]
    places = [root.mapping("spec"), *(each.mapping("spec") for each in root.mapping("spec").mappings)]
    pairs += [(f"{key}.yaml", place.pairs[key]) for place in places for key in _CONFIGURATIONS if key in place]
    for name, pair in pairs:
        if isinstance(pair.value, Scalar) and pair.value.value:
            yield name, document.code(pair.value)


def _container(document: Document, container: Mapping, nodes: tuple[Condition, ...]) -> Iterator[Read]:
    values: dict[str, Text] = {}

    def fill(text: Text) -> Text:
        return of_container(text, values)

    image = document.image(container.scalar("image"), fill, document.context)
    context = replace(document.block(container, image), conditions=(*document.context.conditions, *nodes))
    document.contexts[id(container)] = context
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
