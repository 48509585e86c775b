"""Which names are bound to what, and where.

Scopes are Python's, approximately: functions, lambdas and classes have their own, comprehensions do not.
"""

from typing import Final, Literal

import libcst as cst

from spark_lint.read.python_names import ANY_KEY, Binding, Names, imported_names, literal_key
from spark_lint.read.python_options import Default, called, declared, given_default, option
from spark_lint.read.python_places import children

_CHANGES: Final = frozenset({"update", "setdefault", "pop", "clear", "popitem"})
_GROWS: Final = frozenset({"append", "extend"})
_BINDS: Final = frozenset(
    {cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.IndentedBlock, cst.SimpleStatementSuite, cst.Import, cst.ImportFrom, cst.Assign,
     cst.AnnAssign, cst.NamedExpr, cst.AugAssign, cst.For, cst.CompFor, cst.WithItem, cst.ExceptHandler, cst.ExceptStarHandler, cst.Del,
     cst.MatchAs, cst.MatchStar, cst.MatchMapping, cst.Global, cst.Nonlocal, cst.Call}
)  # fmt: skip


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
        inner = self._open(node, names)
        _add(names, node.name.value, Binding("definition", inner, place=node, block=block))
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
                names.changed.setdefault(name, set()).add(literal_key(target) or ANY_KEY)
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
                names.changed.setdefault(name, set()).add(ANY_KEY)
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
    found = names.outer.get(name, names).bindings.setdefault(name, [])
    # Two of a kind say that a name has no one value; a name that is set thousands of times is still looked up fast.
    if sum(each.kind == binding.kind for each in found) < 2:
        found.append(binding)


def parameters(params: cst.Parameters) -> list[cst.Param]:
    """The parameters of a function in their order."""
    starred = [each for each in (params.star_arg, params.star_kwarg) if isinstance(each, cst.Param)]
    return [*params.posonly_params, *params.params, *starred, *params.kwonly_params]
