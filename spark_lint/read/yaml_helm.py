"""Values of Helm charts: images that they name in parts, and what they give to containers. What becomes of them the chart says.

`image: {registry: nvcr.io, repository: nvidia/pytorch, tag: 25.09-py3}`, `args: [--size, "2"]`, `nodeSelector: {…}`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Condition, Context, Image, Read
from spark_lint.read.reference import image
from spark_lint.read.yaml_document import Document
from spark_lint.read.yaml_kubernetes import wanted_nodes
from spark_lint.read.yaml_tree import Mapping, Node, Scalar, Sequence
from spark_lint.text import UNKNOWN, Text

_MOST: Final = 10_000
_DEEPEST: Final = 40
_VALUES: Final = re.compile(r"(?:.*[-_.])?values(?:[-_.].*)?\.ya?ml(?:\.\w+)?")
_ENVIRONMENT: Final = re.compile(r"(?:extra|container|additional)?_?env(?:s|vars?|ironment)?", re.IGNORECASE)
_WHOLE: Final = re.compile(r"[\w.-]+(?::\d+)?(?:/[\w.-]+)+(?::[\w.-]+|@sha256:\w+)")


def facts(document: Document) -> Iterator[Read]:
    """The images of the keys that end in `image`, and in a file of values what is given to the container beside them."""
    values = _VALUES.fullmatch(document.path.rpartition("/")[2].lower()) is not None
    stack: list[tuple[str, Node, Context, int]] = [("", document.root, document.context, 0)]
    for _ in range(_MOST):
        if not stack:
            return
        key, node, context, depth = stack.pop()
        if depth > _DEEPEST or isinstance(node, Scalar):
            continue
        if isinstance(node, Sequence):
            stack += [(key, item, context, depth + 1) for item in reversed(node.items)]
            continue
        if values:
            context = _placed(document, node, context)
        if key.lower().endswith("image") and (found := _parts(document, node, context)):
            yield found
        elif values:
            yield from _container(document, node, context)
        stack += [(name, pair.value, context, depth + 1) for name, pair in reversed(node.pairs.items())]


def _placed(document: Document, node: Mapping, context: Context) -> Context:
    """The context of what is to run on the nodes that are asked for here."""
    asked: tuple[Condition, ...] = tuple(wanted_nodes(node))
    if asked:
        context = replace(context, conditions=(*context.conditions, *asked))
        document.contexts[id(node)] = context
    return context


def _container(document: Document, node: Mapping, context: Context) -> Iterator[Read]:
    """What values give to one container: those that name its image in the same place."""
    named = node.get("image")
    if isinstance(named, Scalar):
        if not _WHOLE.fullmatch(named.value):
            return
        found = document.image(named, lambda text: text, context)
    else:
        found = _parts(document, named if isinstance(named, Mapping) else node, context)
    if found is None:
        return
    if not isinstance(named, Mapping):  # that one is said where it stands
        yield document.run_image(found, context)
    if context.block == 0:
        context = replace(context, block=next(document.numbers))
    context = replace(context, image=found)
    document.contexts[id(node)] = context
    for name, pair in node.pairs.items():
        if _ENVIRONMENT.fullmatch(name) and not isinstance(pair.value, Scalar):
            yield from document.environment(document.variables(pair.value, lambda text: text), context)
    words = [
        document.texts(node.get(key), lambda text: text) for key in ("command", "args") if isinstance(node.get(key), Sequence)
    ]
    yield from document.started([word for each in words for word in each], context, {})


def _parts(document: Document, node: Mapping, context: Context) -> Image | None:
    """The image that has a repository here, with what else there is of its name."""
    repository, registry, tag = node.scalar("repository"), node.scalar("registry"), node.scalar("tag")
    if repository is None or not repository.value or node.string("digest"):
        return None
    name = document.of(repository)
    start = name[0:0]
    parts: list[Text] = [document.of(registry), start.as_value("/")] if registry is not None and registry.value else []
    return _tagged(document, [*parts, name], name, tag, context)


def _tagged(document: Document, parts: list[Text], name: Text, tag: Scalar | None, context: Context) -> Image:
    """The image with its tag. Where there is none, the chart has one of its own."""
    start = name[0:0]
    version = document.of(tag) if tag is not None and tag.value else start.as_value(UNKNOWN)
    text = Text.join([*parts, start.as_value(":"), version])
    written = text.value if version.known else name.value
    origin = version.span if version.known else name.span
    return replace(image(text, role="run", context=context), span=name.span, origin=origin, written=written)


def kustomized(document: Document) -> Iterator[Image]:
    """The images that Kustomize puts in place of others: `images: [{name: x, newName: nvcr.io/nvidia/pytorch, newTag: 25.09-py3}]`."""
    for each in document.root.sequence("images").mappings[:_MOST]:
        named, tag = each.scalar("newName") or each.scalar("name"), each.scalar("newTag")
        if named is not None and not each.string("digest") and (tag is not None or "newName" in each):
            name = document.of(named)
            yield _tagged(document, [name], name, tag, document.context)
