"""Facts of single Python nodes: imports, calls, values with a name."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import libcst as cst

from spark_lint.facts import Argument, Assign, Call, Condition, Context, Import, Read
from spark_lint.read.python_commands import RUNNERS, Commands
from spark_lint.read.python_ipython import Ipython, asks
from spark_lint.read.python_lists import A_FACT, Lists
from spark_lint.read.python_names import Names, literal_key, member, module_of
from spark_lint.read.python_options import Default, called, declared, given_default, keyword, option
from spark_lint.read.python_places import Places
from spark_lint.read.python_scope import parameters
from spark_lint.read.python_strings import value_of
from spark_lint.read.python_values import Item, Values
from spark_lint.text import UNKNOWN, Span

TRIED: Final = Condition("try: ImportError")
FAILED: Final = Condition("except ImportError")

_IMPORTERS: Final = frozenset({"importlib.import_module", "__import__"})


@dataclass(frozen=True, slots=True)
class Where:
    """Where the walk stands.

    top_level: it runs whenever the file runs. retried: packages that the handler of the `try` around it imports again. loops: those
        around it, outermost first.
    """

    names: Names
    top_level: bool = True
    conditions: tuple[Condition, ...] = ()
    retried: frozenset[str] = frozenset()
    loops: tuple[cst.For, ...] = ()

    def context(self, name: str = "") -> Context:
        """The context of a fact. What is imported again when its import fails has no other way, so that the `try` guards nothing."""
        if name.partition(".")[0] in self.retried:
            return Context(conditions=tuple(each for each in self.conditions if each != TRIED))
        return Context(conditions=self.conditions)


class Facts:
    """Makes the facts of one file."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.values = Values(places)
        self.lists = Lists(self.values)
        self.commands = Commands(self.lists)
        self.ipython = Ipython(self.values.budget)
        self._environments: set[cst.CSTNode] = set()

    def imports(self, node: cst.Import | cst.ImportFrom, where: Where) -> Iterator[Read]:
        """The modules and members that a statement imports."""
        if isinstance(node, cst.Import):
            for each in node.names:
                yield self._import(each.evaluated_name, each.evaluated_name, each if len(node.names) > 1 else node, where)
            return
        module = module_of(node)
        aliases = [] if isinstance(node.names, cst.ImportStar) else node.names
        for name in [each.evaluated_name for each in aliases] or ["*"]:
            yield self._import(member(module, name), module, node, where)

    def _import(self, name: str, module: str, place: cst.CSTNode, where: Where) -> Import:
        span, written = self.places.span(place), self.places.written(place)
        context = where.context(module)
        return Import(
            name=name, span=span, origin=span, written=written, context=context, module=module, top_level=where.top_level
        )

    def call(self, node: cst.Call, where: Where) -> Iterator[Read]:
        """A call, and what it imports, sets or runs."""
        names = where.names
        path = names.path(node.func)
        if asks(node, names):
            yield from self.ipython.of_call(node, names, self.lists, where.context())
            return
        if not path:
            return
        context = where.context(path)
        span, written = self.places.span(node), self.places.written(node)
        arguments = tuple(self._arguments(node.args, names))
        yield Call(name=path, span=span, origin=span, written=written, context=context, arguments=arguments)
        if (
            path in _IMPORTERS
            and arguments
            and isinstance(module := arguments[0].value, str)
            and module
            and UNKNOWN not in module
        ):
            yield self._import(module, module, node, where)
        elif path == "setattr" and len(node.args) == 3:
            for target in self._targets(node.args[0].value, names):
                yield from self._assigned(
                    f"{target}.{value_of(node.args[1].value)}", node.args[2].value, span, written, "name", where
                )
        elif path == "dict":
            yield from self._items(node, [each for each in node.args if each.keyword is not None], where)
        elif called(node) == "add_argument" and (found := option(node)):
            yield from self._default(*found, where)
        self._mark_environments(node, path, names)
        yield from self.commands.of_call(node, path, names, context)

    def _mark_environments(self, node: cst.Call, path: str, names: Names) -> None:
        """Remember dictionaries whose items are environment variables, which `commands` gives, and nothing else."""
        if path == "os.environ.update":
            self._environments.update(each.value for each in node.args)
        given = keyword(node, "env") if path in RUNNERS else None
        if given is not None and not self.commands.is_environment(given.value, names):
            self._environments.add(given.value)

    def _arguments(self, given: Iterable[cst.Arg], names: Names) -> Iterator[Argument]:
        starred = False
        for each in given:
            if each.star == "**":
                items = self.values.items(each.value, names) or []
                yield from (
                    self._argument(item.key, item.value, item.place, item.names) for item in items if self.values.afford(1)
                )
            elif each.keyword is not None:
                yield self._argument(each.keyword.value, each.value, each, names)
            elif not starred:  # behind a `*` the positions are unknown
                starred = bool(each.star)
                yield self._argument("", each.value, each if starred else each.value, names, known=not starred)

    def _argument(self, name: str, value: cst.BaseExpression, place: cst.CSTNode, names: Names, known: bool = True) -> Argument:
        found = self.values.known(value, names) if known else None
        span = self.places.span(place)
        if found is None:
            return Argument(name, UNKNOWN, span, span, self.places.written(place))
        dotted = names.path(value) if found.value == UNKNOWN and names.is_known(value) else ""
        return Argument(name, found.value, span, found.origin or span, self.places.written(place), dotted)

    def dictionary(self, node: cst.Dict, where: Where) -> Iterator[Read]:
        """The items of a dictionary display."""
        yield from self._items(node, [each for each in node.elements if isinstance(each, cst.DictElement)], where)

    def _items(self, node: cst.Dict | cst.Call, elements: Iterable[cst.DictElement | cst.Arg], where: Where) -> Iterator[Read]:
        if node in self._environments:
            return
        is_environment = self.commands.is_environment(node, where.names)
        for element in elements:
            key = (
                value_of(element.key)
                if isinstance(element, cst.DictElement)
                else element.keyword.value
                if element.keyword
                else ""
            )
            if key and is_environment:
                yield self.commands.of_item(Item(key, element.value, where.names, element), where.context())
            elif key:
                yield from self._assigned(
                    key, element.value, self.places.span(element), self.places.written(element), "item", where
                )

    def words(self, node: cst.List | cst.Tuple, where: Where) -> Iterator[Read]:
        """The words of a list that look like flags for a program (`["-O3", "arch=compute_90"]`), unless it is a command's."""
        if self.lists.is_command(node):
            return
        for element in node.elements:
            if isinstance(element.value, (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString)):
                text = self.values.text(element.value, where.names)
                if text is not None and (text.value.startswith("-") or "=" in text.value):
                    yield Assign(
                        name="", span=self.places.span(element.value), origin=text.origin, written=self.places.written(element.value),
                        context=where.context(), value=text.value, kind="word",
                    )  # fmt: skip

    def assignment(self, target: cst.CSTNode, value: cst.BaseExpression, where: Where) -> Iterator[Read]:
        """The values that one target of an assignment gets."""
        if isinstance(target, (cst.Tuple, cst.List)):
            if isinstance(value, (cst.Tuple, cst.List)) and len(value.elements) == len(target.elements):
                for left, right in zip(target.elements, value.elements, strict=True):
                    if not isinstance(left, cst.StarredElement) and not isinstance(right, cst.StarredElement):
                        yield from self.assignment(left.value, right.value, where)
            return
        start, stop = self.places.bounds(target)[0], self.places.end(value)
        stretch = self.places.stretch(start, stop)
        if isinstance(target, cst.Subscript):
            key = literal_key(target)
            if key and self.commands.is_environment(target.value, where.names):
                yield self.commands.setting(key, value, *stretch, where.names, where.context())
            elif key:
                yield from self._assigned(key, value, *stretch, "item", where)
        elif isinstance(target, (cst.Name, cst.Attribute)):
            kind = "default" if where.names.is_class else "name"
            for name in [target.value] if isinstance(target, cst.Name) else self._targets(target, where.names):
                yield from self._assigned(name, value, *stretch, kind if isinstance(target, cst.Name) else "name", where)

    def _targets(self, node: cst.BaseExpression, names: Names) -> list[str]:
        """What is meant by the target of an assignment: several things where it is a loop variable."""
        attributes: list[str] = []
        base = node
        while isinstance(base, cst.Attribute):
            attributes.append(base.attr.value)
            base = base.value
        looped = names.elements(base.value) if isinstance(base, cst.Name) else None
        if looped is None:
            return [names.path(node) or UNKNOWN]
        elements, scope = looped
        if not self.values.afford(A_FACT * len(elements)):
            return [names.path(node)]
        return [".".join([scope.path(element.value) or UNKNOWN, *reversed(attributes)]) for element in elements]

    def _assigned(
        self, name: str, value: cst.BaseExpression, span: Span, written: str, kind: str, where: Where
    ) -> Iterator[Read]:
        names = where.names
        found = self.values.known(value, names)
        dotted = names.path(value) if found.value == UNKNOWN and names.is_known(value) else ""
        if kind == "name" and "." not in name and found.value == UNKNOWN and not dotted:
            return
        default = given_default(value) if isinstance(value, cst.Call) else None
        origin = found.origin or (self.places.span(default.place) if default else span)
        context = where.context(dotted)
        yield Assign(
            name=name, span=span, origin=origin, written=written, context=context, value=found.value, kind=kind, dotted=dotted
        )

    def _default(self, name: str, default: Default | None, where: Where) -> Iterator[Read]:
        if default is not None:
            span, written = self.places.span(default.place), self.places.written(default.place)
            yield from self._assigned(name, default.value, span, written, "default", where)

    def defaults(self, node: cst.FunctionDef | cst.Lambda, where: Where) -> Iterator[Read]:
        """The default values of a function's parameters, those of its command line options included."""
        if isinstance(node, cst.FunctionDef):
            for name, default in declared(node):
                yield from self._default(name, default, where)
        given = parameters(node.params)
        kind = "parameter" if given and given[0].name.value in ("self", "cls") else "default"
        for each in given:
            if each.default is not None:
                span, written = self.places.span(each), self.places.written(each)
                yield from self._assigned(each.name.value, each.default, span, written, kind, where)
