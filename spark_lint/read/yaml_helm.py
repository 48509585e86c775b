"""Images that a file names in parts, as the values of Helm charts do: `image: {registry: nvcr.io, repository: nvidia/pytorch, tag: 25.09-py3}`."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Image
from spark_lint.read.reference import image
from spark_lint.read.yaml_document import Document
from spark_lint.read.yaml_tree import Mapping, Node, Scalar, Sequence
from spark_lint.text import UNKNOWN, Text

_MOST: Final = 10_000
_DEEPEST: Final = 40


def images(document: Document) -> Iterator[Image]:
    """The images of the keys that end in `image` and have a repository below them."""
    stack: list[tuple[str, Node, int]] = [("", document.root, 0)]
    for _ in range(_MOST):
        if not stack:
            return
        key, node, depth = stack.pop()
        if depth > _DEEPEST or isinstance(node, Scalar):
            continue
        if isinstance(node, Sequence):
            stack += [("", item, depth + 1) for item in reversed(node.items)]
            continue
        if key.lower().endswith("image"):
            yield from _image(document, node)
        stack += [(name, pair.value, depth + 1) for name, pair in reversed(node.pairs.items())]


def _image(document: Document, node: Mapping) -> Iterator[Image]:
    repository, registry, tag = node.scalar("repository"), node.scalar("registry"), node.scalar("tag")
    if repository is None or not repository.value or node.string("digest"):
        return
    name = document.of(repository)
    start = name[0:0]
    parts: list[Text] = [document.of(registry), start.as_value("/")] if registry is not None and registry.value else []
    # Where there is no tag, the chart has one of its own.
    version = document.of(tag) if tag is not None and tag.value else start.as_value(UNKNOWN)
    text = Text.join([*parts, name, start.as_value(":"), version])
    written = text.value if version.known else name.value
    origin = version.span if version.known else name.span
    yield replace(image(text, role="run", context=document.context), span=name.span, origin=origin, written=written)
