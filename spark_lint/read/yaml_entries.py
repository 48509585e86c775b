"""The keys of a YAML document with their values."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from spark_lint.facts import Context, Entry
from spark_lint.read.yaml_document import Document
from spark_lint.read.yaml_tree import Mapping, Node, Pair, Scalar, Sequence, typed
from spark_lint.read.yaml_values import filled
from spark_lint.text import UNKNOWN, Text

_MOST: Final = 10_000
"""Nodes of one document that are looked at. A configuration has hundreds; what has more is data, or an alias of aliases."""
_SCHEMAS: Final = frozenset({"openapi", "swagger", "asyncapi"})
_DEEPEST: Final = 80
_LONGEST_NAME: Final = 1000
_LONGEST_PATH: Final = 20
_MOST_STEPS: Final = 10
"""Values that use values that use values."""


def entries(document: Document) -> Iterator[Entry]:
    """Each scalar under a key, in the order of the file. A description of keys has none that anything reads."""
    if _SCHEMAS & document.root.pairs.keys() or document.root.string("kind") == "CustomResourceDefinition":
        return
    beside = frozenset(document.root.pairs)
    stack: list[tuple[Node, str, Pair | None, Context, int]] = [(document.root, "", None, document.context, 0)]
    for _ in range(_MOST):
        if not stack:
            return
        node, name, pair, context, depth = stack.pop()
        if id(node) in document.skipped or depth > _DEEPEST or len(name) > _LONGEST_NAME:
            continue
        context = document.contexts.get(id(node), context)
        if isinstance(node, Mapping):
            prefix = name + "." if name else ""
            below = [(each.value, prefix + key, each, context, depth + 1) for key, each in node.pairs.items()]
            stack += reversed(below)
        elif isinstance(node, Sequence):
            for flag, given in flags(node.items):
                span, written = document.of(flag).span, f"{flag.value} {given.value}"
                yield Entry(name=name, value=written, span=span, origin=span, written=written, beside=beside, context=context)
            stack += [(item, name, None, context, depth + 1) for item in reversed(node.items)]
        else:
            place = document.whole(pair) if pair else document.first_line(node.start, node.stop)
            span = place.span
            value, origin = node.typed, node.origin
            if isinstance(value, str) and "$" in value:
                text = _filled(node, document)
                value = typed(text.value) if node.plain else text.value
                origin = next((piece.origin for piece in text.pieces if piece.origin), origin)
            yield Entry(
                name=name, value=value, span=span, origin=origin or span, written=place.written, beside=beside, context=context
            )


def flags(items: list[Node]) -> Iterator[tuple[Scalar, Scalar]]:
    """A flag and its value that are two items of a list: `[--tensor-parallel-size, "2"]`."""
    for one, other in pairwise(items):
        if not isinstance(one, Scalar) or not isinstance(other, Scalar) or not one.value.startswith("--") or "=" in one.value:
            continue
        if other.value and not other.value.startswith("-"):
            yield one, other


def _filled(scalar: Scalar, document: Document, depth: int = 0) -> Text:
    """A value with what it uses of others put in."""
    text = scalar.text
    if text.value[:1] == "$" and (text.value[1:].isidentifier() or (text.value[1:2] == "(" and text.value[-1] == ")")):
        return text.as_value(UNKNOWN)  # $TP, $(TP)

    def lookup(name: str) -> Text | None:
        keys = name.split(".", _LONGEST_PATH)
        node: Node | None = document.root
        pair: Pair | None = None
        for key in keys:
            pair = node.pairs.get(key) if isinstance(node, Mapping) else None
            node = pair.value if pair is not None else None
        if pair is None or not isinstance(node, Scalar) or depth >= _MOST_STEPS:
            return None
        found = _filled(node, document, depth + 1)
        # what is wrong with it is said once, at the key that holds it
        return found if any(piece.origin for piece in found.pieces) else found.as_value(found.value, document.whole(pair).span)

    if id(scalar) not in document.values:
        document.values[id(scalar)] = text.as_value(UNKNOWN)  # as long as it waits for itself
        document.values[id(scalar)] = filled(text, lookup)
    return document.values[id(scalar)]
