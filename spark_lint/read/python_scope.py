"""The names of a Python file: what is bound to them where, and the dotted names that they stand for.

Scopes are Python's, approximately: functions, lambdas and classes have their own, comprehensions do not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import libcst as cst

from spark_lint.read.python_options import Default, called, declared, given_default, option
from spark_lint.read.python_places import children
from spark_lint.read.python_strings import value_of
from spark_lint.text import UNKNOWN

_DEEPEST: Final = 8
"""Names that stand for names that are followed; a file with more is made by a machine, or hostile."""

_ANY_KEY: Final = ""
_CHANGES: Final = frozenset({"update", "setdefault", "pop", "clear", "popitem"})
_GROWS: Final = frozenset({"append", "extend"})
_BINDS: Final = frozenset(
    {cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.IndentedBlock, cst.SimpleStatementSuite, cst.Import, cst.ImportFrom, cst.Assign,
     cst.AnnAssign, cst.NamedExpr, cst.AugAssign, cst.For, cst.CompFor, cst.WithItem, cst.ExceptHandler, cst.ExceptStarHandler, cst.Del,
     cst.MatchAs, cst.MatchStar, cst.MatchMapping, cst.Global, cst.Nonlocal, cst.Call}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Binding:
    """One thing that is bound to a name.

    kind: `import` (of `dotted`), `value` (of `node`), `each` (one element of `node` after the other), `more` (`node` is added),
        `default` (of a command line option), `definition` (a function or class) or `other`.
    place: where a default is written. block: the block it stands in. names: the scope in which its value is worked out.
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

    def is_changed(self, name: str, key: str) -> bool:
        """Whether a dictionary's item is, or may be, set after the dictionary is made."""
        changed = [scope.changed[name] for scope in self._inward_of(name) if name in scope.changed]
        return any(key in keys or _ANY_KEY in keys for keys in changed)

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

    def elements(self, name: str) -> tuple[list[cst.BaseExpression], "Names"] | None:
        """What a loop variable stands for, one after the other: `for module in (a, b)`."""
        found = self.find(name)
        if len(found) != 1 or found[0].kind != "each" or not isinstance(found[0].node, (cst.List, cst.Tuple)):
            return None
        return found[0].node.elements, found[0].names


class Scopes:
    """The scopes of a module, by the node that opens them."""

    def __init__(self, module: cst.Module) -> None:
        self.module = Names()
        self._opened: dict[cst.CSTNode, Names] = {}
        self._block(module, self.module, 0)

    def of(self, node: cst.CSTNode) -> Names:
        """The scope inside a function, lambda or class."""
        return self._opened[node]

    def _block(self, node: cst.CSTNode, names: Names, block: int) -> None:
        for child in children(node):
            self._visit(child, names, block)

    def _open(self, node: cst.CSTNode, names: Names) -> Names:
        opened = self._opened[node] = Names(names, isinstance(node, cst.ClassDef))
        return opened

    def _visit(self, node: cst.CSTNode, names: Names, block: int) -> None:
        if type(node) not in _BINDS:  # most nodes: a look-up is far cheaper than `match`
            self._block(node, names, block)
            return
        match node:
            case cst.FunctionDef() | cst.ClassDef():
                self._definition(node, names, block)
                return
            case cst.Lambda():
                inner = self._open(node, names)
                self._parameters(node.params, names, inner, {}, block)
                self._visit(node.body, inner, block)
                return
            case cst.IndentedBlock() | cst.SimpleStatementSuite():
                block = id(node)
            case cst.Import() | cst.ImportFrom():
                for name, dotted in imported_names(node):
                    _add(names, name, Binding("import", names, dotted, block=block))
                return
            case cst.Assign(targets=targets, value=value):
                for each in targets:
                    self._target(each.target, value, names, block)
            case cst.AnnAssign(target=target, value=annotated) if annotated is not None:
                self._target(target, annotated, names, block)
            case cst.NamedExpr(target=target, value=value):
                self._target(target, value, names, block)
            case cst.AugAssign(target=cst.Name(value=name), value=value):
                more = Binding("more", names, node=value, block=block)
                _add(names, name, more)
                names.added.setdefault(name, []).append(more)
            case cst.For(target=target) | cst.CompFor(target=target):
                self._loop(target, node.iter, names, block)
            case cst.WithItem(item=item, asname=cst.AsName(name=target)):
                self._target(target, item, names, block)
            case cst.ExceptHandler(name=cst.AsName(name=target)) | cst.ExceptStarHandler(name=cst.AsName(name=target)):
                self._target(target, None, names, block)
            case cst.Del(target=target):
                self._target(target, None, names, block)
            case (
                cst.MatchAs(name=cst.Name(value=name))
                | cst.MatchStar(name=cst.Name(value=name))
                | cst.MatchMapping(rest=cst.Name(value=name))
            ):
                _add(names, name, Binding("other", names))
            case cst.Global(names=items) | cst.Nonlocal(names=items):
                where = names.module if isinstance(node, cst.Global) else names.parent
                names.outer |= {item.name.value: where for item in items if where is not None}
                return
            case cst.Call():
                self._call(node, names, block)
        self._block(node, names, block)

    def _definition(self, node: cst.FunctionDef | cst.ClassDef, names: Names, block: int) -> None:
        _add(names, node.name.value, Binding("definition", names, block=block))
        inner = self._open(node, names)
        for decorator in node.decorators:
            self._visit(decorator, names, block)
        if isinstance(node, cst.FunctionDef):
            self._parameters(node.params, names, inner, dict(declared(node)), block)
        else:
            for argument in (*node.bases, *node.keywords):
                self._visit(argument, names, block)
        self._visit(node.body, inner, block)

    def _parameters(self, params: cst.Parameters, names: Names, inner: Names, options: dict[str, Default], block: int) -> None:
        for param in parameters(params):
            name = param.name.value
            default = options.get(name)
            if isinstance(param.default, cst.Call):
                default = given_default(param.default) or default
            if default is None:
                _add(inner, name, Binding("other", inner))
            else:
                _add(inner, name, Binding("default", names, node=default.value, place=default.place))
            for inside in (param.annotation, param.default):
                if inside is not None:
                    self._visit(inside, names, block)

    def _target(self, target: cst.CSTNode, value: cst.BaseExpression | None, names: Names, block: int) -> None:
        match target:
            case cst.Name(value=name):
                kind: Literal["value", "other"] = "other" if value is None else "value"
                _add(names, name, Binding(kind, names, node=value, block=block))
                if isinstance(value, cst.Call) and _is_parsed(value):
                    names.module.parsed.add(name)
            case cst.Tuple() | cst.List():
                parts = (
                    value.elements
                    if isinstance(value, (cst.Tuple, cst.List)) and len(value.elements) == len(target.elements)
                    else None
                )
                parsed = isinstance(value, cst.Call) and _is_parsed(value)
                for at, element in enumerate(target.elements):
                    inner = element.value if isinstance(element, cst.StarredElement) else None
                    self._target(inner or element.value, parts[at].value if parts and inner is None else None, names, block)
                    if parsed and at == 0 and isinstance(element.value, cst.Name):
                        names.module.parsed.add(element.value.value)
            case cst.Subscript(value=cst.Name(value=name)):
                names.changed.setdefault(name, set()).add(literal_key(target) or _ANY_KEY)
            case cst.StarredElement(value=inner):
                self._target(inner, None, names, block)

    def _loop(self, target: cst.BaseExpression, iterated: cst.BaseExpression, names: Names, block: int) -> None:
        if isinstance(target, cst.Name):
            _add(names, target.value, Binding("each", names, node=iterated, block=block))
        else:
            self._target(target, None, names, block)

    def _call(self, node: cst.Call, names: Names, block: int) -> None:
        match node.func:
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=method)) if method in _CHANGES:
                names.changed.setdefault(name, set()).add(_ANY_KEY)
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=method)) if method in _GROWS and node.args:
                added: cst.BaseExpression = node.args[0].value
                if method == "append":
                    added = cst.List([cst.Element(added)])
                names.added.setdefault(name, []).append(Binding("more", names, node=added, block=block))
        if called(node) == "add_argument" and (found := option(node)):
            names.module.options.setdefault(found[0], []).append(found[1])


def _is_parsed(value: cst.Call) -> bool:
    return isinstance(value.func, cst.Attribute) and value.func.attr.value in ("parse_args", "parse_known_args")


def _add(names: Names, name: str, binding: Binding) -> None:
    names.outer.get(name, names).bindings.setdefault(name, []).append(binding)


def parameters(params: cst.Parameters) -> list[cst.Param]:
    """The parameters of a function in their order."""
    starred = [each for each in (params.star_arg, params.star_kwarg) if isinstance(each, cst.Param)]
    return [*params.posonly_params, *params.params, *starred, *params.kwonly_params]


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
