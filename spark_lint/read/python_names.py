"""The names of a Python file: what is bound to them, and the dotted names that they stand for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import libcst as cst

from spark_lint.read.python_options import Default
from spark_lint.read.python_strings import value_of
from spark_lint.text import UNKNOWN

_DEEPEST: Final = 8
"""Names that stand for names that are followed; a file with more is made by a machine, or hostile."""

ANY_KEY: Final = ""
"""Stands for every key of a dictionary."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One thing that is bound to a name.

    kind: `import` (of `dotted`), `value` (of `node`), `each` (one element of `node` after the other), `more` (`node` is added),
        `default` (of a command line option), `definition` (a function or class) or `other`.
    place: where a default is written; of a definition, its node. block: the block it stands in. names: the scope in which its value is
        worked out; of a definition, the scope inside it.
    """

    kind: Literal["import", "value", "each", "more", "default", "definition", "other"]
    names: "Names"
    dotted: str = ""
    node: cst.BaseExpression | None = None
    place: cst.CSTNode | None = None
    block: int = 0


@dataclass(slots=True, eq=False)
class Names:
    """One scope.

    changed: names of dictionaries whose items are set later, with the keys; an empty key stands for any.
    added: names of lists to which something is added later.
    options: the defaults of the file's command line options, by destination. parsed: variables that hold the parsed command line.
    """

    parent: "Names | None" = None
    is_class: bool = False
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    changed: dict[str, set[str]] = field(default_factory=dict)
    added: dict[str, list[Binding]] = field(default_factory=dict)
    outer: "dict[str, Names]" = field(default_factory=dict)
    options: dict[str, list[Default | None]] = field(default_factory=dict)
    parsed: set[str] = field(default_factory=set)

    @property
    def module(self) -> "Names":
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def find(self, name: str) -> list[Binding]:
        """Everything bound to a name in the scope in which it is looked up from here; nothing for a builtin."""
        scope: Names | None = self
        while scope is not None:
            if name in scope.bindings and (scope is self or not scope.is_class):
                return scope.bindings[name]
            scope = scope.parent
        return []

    def value(self, name: str) -> Binding | None:
        """The one value that a name has, None if it has none, several, or one that cannot be known."""
        found = self.find(name)
        return found[0] if len(found) == 1 and found[0].kind in ("value", "default") else None

    def bound(self, given: "Mapping[str, Binding]") -> "Names":
        """The scope with some of its names bound to something else, as in one call of a function or one round of a loop."""
        scope = Names(self.parent, self.is_class, {}, self.changed, {}, self.outer, self.options, self.parsed)
        for own, made in ((self.bindings, scope.bindings), (self.added, scope.added)):
            made.update(
                {
                    name: [replace(each, names=scope) if each.names is self else each for each in found]
                    for name, found in own.items()
                }
            )
        scope.bindings.update({name: [binding] for name, binding in given.items()})
        return scope

    def is_changed(self, name: str, key: str) -> bool:
        """Whether a dictionary's item is, or may be, set after the dictionary is made."""
        changed = [scope.changed[name] for scope in self._inward_of(name) if name in scope.changed]
        return any(key in keys or ANY_KEY in keys for keys in changed)

    def imports(self, module: str) -> bool:
        """Whether the file imports something of the package that a module belongs to."""
        package = module.lstrip(".").partition(".")[0]
        found = (each for bindings in self.module.bindings.values() for each in bindings if each.kind == "import")
        return any(each.dotted.lstrip(".").partition(".")[0] == package for each in found)

    def additions(self, name: str) -> list[Binding]:
        """What is added to a list after it is made, in the order of the file within a scope."""
        return [each for scope in self._inward_of(name) for each in scope.added.get(name, ())]

    def made(self, name: str) -> Binding | None:
        """The one list that a name starts as, whatever is added to it."""
        found = [each for each in self.find(name) if each.kind != "more"]
        return found[0] if len(found) == 1 and found[0].kind == "value" else None

    def _inward_of(self, name: str) -> "Iterator[Names]":
        """The scopes from here to the one that binds a name."""
        scope: Names | None = self
        while scope is not None:
            yield scope
            if name in scope.bindings:
                return
            scope = scope.parent

    def path(self, node: cst.CSTNode, depth: int = 0) -> str:
        """The dotted name an expression stands for, through imports and aliases; empty if it is no name.

        Methods go by the class of what they are called on (`LLM(…).generate` is `vllm.LLM.generate`). A base that has no name is
        UNKNOWN: `pipes[0].to` is UNKNOWN and `.to`.
        """
        attributes: list[str] = []
        while isinstance(node, cst.Attribute):
            attributes.append(node.attr.value)
            node = node.value
        if isinstance(node, cst.Name):
            base = self._root(node.value, bool(attributes), depth)
        elif not attributes:
            return ""
        else:
            base = self._class(node, depth) or UNKNOWN
        return ".".join([base, *reversed(attributes)])

    def _root(self, name: str, has_attributes: bool, depth: int) -> str:
        found = self.find(name)
        if imported := next((each.dotted for each in found if each.kind == "import"), ""):
            return imported
        if depth < _DEEPEST and len(found) == 1 and found[0].kind == "value" and found[0].node is not None:
            node, names = found[0].node, found[0].names
            if has_attributes and (made := names._class(node, depth + 1)):
                return made
            if isinstance(node, (cst.Name, cst.Attribute)) and names.is_known(node, depth + 1):
                return names.path(node, depth + 1)
        return name

    def _class(self, node: cst.CSTNode, depth: int) -> str:
        """The class that a call makes an object of: up to the last part that is written as a class; empty if there is none."""
        while isinstance(node, (cst.Await, cst.NamedExpr)):
            node = node.expression if isinstance(node, cst.Await) else node.value
        if not isinstance(node, cst.Call) or depth >= _DEEPEST:
            return ""
        parts = self.path(node.func, depth + 1).split(".")
        last = max((at for at, part in enumerate(parts) if part.lstrip("_")[:1].isupper()), default=-1)
        return ".".join(parts[: last + 1])

    def is_known(self, node: cst.CSTNode, depth: int = 0) -> bool:
        """Whether an expression is a name of something imported, defined in the file or built in: not a variable."""
        while isinstance(node, cst.Attribute):
            node = node.value
        if not isinstance(node, cst.Name):
            return False
        found = self.find(node.value)
        if not found:
            return True
        if any(each.kind in ("import", "definition") for each in found):
            return True
        aliased = found[0].node if len(found) == 1 and found[0].kind == "value" else None
        return aliased is not None and depth < _DEEPEST and found[0].names.is_known(aliased, depth + 1)

    def elements(self, name: str) -> tuple[Sequence[cst.BaseElement], "Names"] | None:
        """What a loop variable stands for, one after the other: `for module in (a, b)`."""
        found = self.find(name)
        if len(found) != 1 or found[0].kind != "each" or not isinstance(found[0].node, (cst.List, cst.Tuple)):
            return None
        return found[0].node.elements, found[0].names


def literal_key(node: cst.Subscript) -> str:
    """The key of a subscript that is one plain string: `X` of `d["X"]`; empty for any other."""
    index = node.slice[0].slice if len(node.slice) == 1 else None
    return value_of(index.value) if isinstance(index, cst.Index) else ""


def imported_names(node: cst.Import | cst.ImportFrom) -> list[tuple[str, str]]:
    """The names that an import binds, with the dotted name of each."""
    if isinstance(node, cst.Import):
        return [
            (each.evaluated_alias or each.evaluated_name.partition(".")[0],
             each.evaluated_name if each.asname else each.evaluated_name.partition(".")[0])
            for each in node.names
        ]  # fmt: skip
    if isinstance(node.names, cst.ImportStar):
        return []
    module = module_of(node)
    return [(each.evaluated_alias or each.evaluated_name, member(module, each.evaluated_name)) for each in node.names]


def module_of(node: cst.ImportFrom) -> str:
    """The module of a `from` import, with its leading dots."""
    parts, module = [], node.module
    while isinstance(module, cst.Attribute):
        parts.append(module.attr.value)
        module = module.value  # type: ignore[assignment]  # a dotted name is made of attributes and one name
    if isinstance(module, cst.Name):
        parts.append(module.value)
    return "." * len(node.relative) + ".".join(reversed(parts))


def member(module: str, name: str) -> str:
    """The dotted name of something in a module: `.x` of `x` in `.`, `..a.x` of `x` in `..a`."""
    return module + name if not module.strip(".") else f"{module}.{name}"
