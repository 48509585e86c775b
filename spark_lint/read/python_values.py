"""What Python expressions amount to without running them: literals, and names that are set once to a literal.

Everything else is UNKNOWN. Strings are texts, so that each character leads back to the place where it is written.
"""

from dataclasses import dataclass
from typing import Final

import libcst as cst

from spark_lint.facts import Value
from spark_lint.read.expansion import LONGEST, Budget
from spark_lint.read.python_names import Names, literal_key
from spark_lint.read.python_options import Default, given_default, keyword
from spark_lint.read.python_places import Places
from spark_lint.read.python_strings import Field, brace_formatted, joined, percent_formatted, text_of, value_of
from spark_lint.text import UNKNOWN, Span, Text

INTERPRETER: Final = "sys.executable"
"""In a command it is the program `python`."""

DEEPEST: Final = 8
"""Names that stand for names, and dictionaries within dictionaries, that are followed."""

_CONSTANTS: Final[dict[str, Value]] = {"True": True, "False": False, "None": None}
_ARGUMENTS: Final = frozenset({"args", "opt", "opts", "options"})
_READS_ENVIRONMENT: Final = frozenset({"os.environ.get", "os.getenv"})


@dataclass(frozen=True, slots=True)
class Known:
    """What an expression amounts to. origin: where the deciding literal is written if that is elsewhere."""

    value: Value
    origin: Span | None = None


NOTHING: Final = Known(UNKNOWN)


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a dictionary: the key, the expression, the scope in which it stands, and the node of the whole item."""

    key: str
    value: cst.BaseExpression
    names: Names
    place: cst.CSTNode


class Values:
    """Works out the expressions of one file."""

    def __init__(self, places: Places, budget: Budget | None = None) -> None:
        self.places = places
        self.budget = budget or Budget()
        self.too_much = False
        self._seen: dict[cst.CSTNode, Known] = {}
        self._dictionaries: dict[cst.CSTNode, list[Item] | None] = {}

    def afford(self, amount: int) -> bool:
        """Whether so many more characters may be taken from elsewhere in the file; they count as taken."""
        self.budget.left -= amount
        self.too_much = self.too_much or self.budget.left < 0
        return self.budget.left >= 0

    def repeat(self, length: int) -> bool:
        """Whether so long a script may be read again."""
        allowed = self.budget.repeats(length)
        self.too_much = self.too_much or not allowed
        return allowed

    def known(self, node: cst.BaseExpression, names: Names, depth: int = 0) -> Known:
        """The value of an expression."""
        if depth > DEEPEST:
            return NOTHING
        match node:
            case cst.SimpleString() | cst.ConcatenatedString() | cst.FormattedString() | cst.BinaryOperation():
                text = self.text(node, names, depth)
                return Known(text.value, next((piece.origin for piece in text.pieces if piece.origin), None)) if text else NOTHING
            case cst.Integer() | cst.Float():
                return Known(_number(node.value))
            case cst.UnaryOperation(operator=cst.Minus() | cst.Plus()):
                inner = self.known(node.expression, names, depth + 1)
                if isinstance(inner.value, (int, float)):
                    return Known(-inner.value if isinstance(node.operator, cst.Minus) else +inner.value, inner.origin)
            case cst.Name(value=name) if name in _CONSTANTS:
                return Known(_CONSTANTS[name])
            case cst.Name(value=name):
                return self._named(name, names, depth)
            case cst.Attribute(value=base, attr=cst.Name(value=name)) if self._holds_arguments(base, names):
                defaults = names.module.options.get(name, [])
                return self._default(defaults[0], names, depth) if len(defaults) == 1 else NOTHING
            case cst.Subscript():
                if item := self.item(node, names, depth):
                    return self._elsewhere(item.value, item.names, item.place, depth)
            case cst.Call():
                return self._called(node, names, depth)
        return NOTHING

    def _named(self, name: str, names: Names, depth: int) -> Known:
        found = names.value(name)
        if found is None or found.node is None:
            return NOTHING
        return self._elsewhere(found.node, found.names, found.place or found.node, depth)

    def _elsewhere(self, node: cst.BaseExpression, names: Names, place: cst.CSTNode, depth: int) -> Known:
        if node not in self._seen:
            self._seen[node] = self.known(node, names, depth + 1)
        found = self._seen[node]
        return found if found.value == UNKNOWN else Known(found.value, found.origin or self.places.span(place))

    def _default(self, default: Default | None, names: Names, depth: int) -> Known:
        return self._elsewhere(default.value, names.module, default.place, depth) if default else NOTHING

    def _holds_arguments(self, node: cst.BaseExpression, names: Names) -> bool:
        name = node.attr.value if isinstance(node, cst.Attribute) else node.value if isinstance(node, cst.Name) else ""
        return name in names.module.parsed or name in _ARGUMENTS

    def _called(self, node: cst.Call, names: Names, depth: int) -> Known:
        path = names.path(node.func)
        first = node.args[0] if node.args and node.args[0].keyword is None and not node.args[0].star else None
        if path in _READS_ENVIRONMENT:
            given = self._environment_default(node, names)
            return self.known(given.value, names, depth + 1) if given else NOTHING
        if path in ("str", "int", "float") and first and len(node.args) == 1:
            inner = self.known(first.value, names, depth + 1)
            return Known(_converted(path, inner.value), inner.origin)
        if default := given_default(node):
            return self.known(default.value, names, depth + 1)
        text = self.text(node, names, depth)
        return Known(text.value, None) if text else NOTHING

    def _environment_default(self, node: cst.Call, names: Names) -> cst.Arg | None:
        """What `os.environ.get("X", default)` gives where nobody sets the variable."""
        if names.path(node.func) not in _READS_ENVIRONMENT:
            return None
        return keyword(node, "default") or (node.args[1] if len(node.args) == 2 and not node.args[1].star else None)

    def defined(self, node: cst.BaseExpression, names: Names) -> tuple[cst.BaseExpression, Names]:
        """The string expression that a name stands for, and its scope; the node itself where that is none."""
        for _ in range(DEEPEST):
            found = names.value(node.value) if isinstance(node, cst.Name) else None
            if (
                found is None
                or found.node is None
                or not isinstance(found.node, (cst.BaseString, cst.BinaryOperation, cst.Call, cst.Name))
            ):
                break
            node, names = found.node, found.names
        return node, names

    def text(self, node: cst.BaseExpression, names: Names, depth: int = 0) -> Text | None:
        """A string expression as a text, with UNKNOWN for the parts that cannot be known. None for what is not known to be a string."""
        if depth > DEEPEST:
            return None
        match node:
            case cst.SimpleString(value=literal):
                return text_of(self.places.source, self.places.bounds(node)[0], literal)
            case cst.ConcatenatedString():
                parts: list[cst.BaseExpression] = []
                rest: cst.BaseExpression = node
                while isinstance(rest, cst.ConcatenatedString):
                    parts.append(rest.left)
                    rest = rest.right
                return self._joined([self.text(each, names, depth + 1) for each in (*parts, rest)], node)
            case cst.FormattedString():
                start, stop = self.places.bounds(node)
                fields = [
                    self._field(part, names, depth) for part in node.parts if isinstance(part, cst.FormattedStringExpression)
                ]
                return text_of(self.places.source, start, self.places.source.text[start:stop], fields)
            case cst.BinaryOperation(operator=cst.Add()):
                return self._sum(node, names, depth)
            case cst.BinaryOperation(operator=cst.Modulo(), left=left):
                template = self.text(left, names, depth + 1)
                return percent_formatted(template) if template else None
            case cst.Call(func=cst.Attribute(value=base, attr=cst.Name(value="format"))):
                template = self.text(base, names, depth + 1)
                return brace_formatted(template) if template else None
            case cst.Call() if default := self._environment_default(node, names):
                return self.text(default.value, names, depth + 1)
            case cst.Name() | cst.Attribute() if names.path(node) == INTERPRETER:
                return self.places.text(node).as_value("python")
        found = self.known(node, names, depth + 1) if isinstance(node, (cst.Name, cst.Attribute, cst.Subscript)) else NOTHING
        if isinstance(found.value, str) and found.value != UNKNOWN and self._fits(found.value):
            return self.places.text(node).as_value(found.value, found.origin)
        return None

    def _joined(self, parts: list[Text | None], node: cst.BaseExpression) -> Text | None:
        known = [part for part in parts if part is not None]
        return joined(self.places.source, self.places.bounds(node)[0], known) if len(known) == len(parts) else None

    def _field(self, part: cst.FormattedStringExpression, names: Names, depth: int) -> Field:
        start, stop = self.places.bounds(part)
        stretch = Text.of(self.places.source, start, stop)
        found = NOTHING if part.conversion or part.format_spec or part.equal else self.known(part.expression, names, depth + 1)
        value = str(found.value) if isinstance(found.value, (str, int, float)) else UNKNOWN
        if " " in value and (words := self._in_place(part.expression, start, stop, names, depth)):
            return start, stop, words
        value = "python" if names.path(part.expression) == INTERPRETER else value
        return start, stop, stretch.as_value(value if self._fits(value) else UNKNOWN, found.origin)

    def _in_place(self, node: cst.BaseExpression, start: int, stop: int, names: Names, depth: int) -> Text | None:
        """The words that a field of an f-string puts in, each where it is written, unless the field is only a part of its words."""
        around = self.places.source.text[start - 1 : start] + self.places.source.text[stop : stop + 1]
        if not all(each.isspace() or each in "\"'" for each in around):
            return None
        defined, scope = self.defined(node, names)
        text = self.text(defined, scope, depth + 1) if defined is not node else None
        return text if text is not None and self._fits(text.value) else None

    def _fits(self, value: str) -> bool:
        """Whether a value may be put into a text."""
        return len(value) <= LONGEST and self.afford(len(value))

    def _sum(self, node: cst.BinaryOperation, names: Names, depth: int) -> Text | None:
        """Strings put together with `+`: a string as soon as one part is known to be one."""
        operands = summands(node)
        texts = [self.text(each, names, depth + 1) for each in operands]
        if not any(texts):
            return None
        filled = [text or self.places.text(each).as_value(UNKNOWN) for text, each in zip(texts, operands, strict=True)]
        return self._joined([*filled], node)

    def item(self, node: cst.Subscript, names: Names, depth: int = 0) -> Item | None:
        """The item of a known dictionary that a subscript with a literal key stands for."""
        key = literal_key(node)
        if not key or (isinstance(node.value, cst.Name) and names.is_changed(node.value.value, key)):
            return None
        return next((each for each in reversed(self.items(node.value, names, depth) or ()) if each.key == key), None)

    def items(self, node: cst.BaseExpression, names: Names, depth: int = 0) -> list[Item] | None:
        """The items of a dictionary that have plain strings as keys: a display, `dict(…)`, or a name for one. None if it is none."""
        if depth > DEEPEST:
            return None
        match node:
            case cst.Dict():
                found: list[Item] = []
                for element in node.elements:
                    if isinstance(element, cst.StarredDictElement):
                        found += self.items(element.value, names, depth + 1) or ()
                    elif isinstance(element, cst.DictElement) and (key := value_of(element.key)):
                        found.append(Item(key, element.value, names, element))
                return found
            case cst.Call() if names.path(node.func) == "dict":
                found = []
                for argument in node.args:
                    if argument.keyword is not None:
                        found.append(Item(argument.keyword.value, argument.value, names, argument))
                    else:
                        found += self.items(argument.value, names, depth + 1) or ()
                return found
            case cst.Name(value=name):
                bound = names.value(name)
                if bound is not None and bound.node is not None:
                    if bound.node not in self._dictionaries:
                        self._dictionaries[bound.node] = self.items(bound.node, bound.names, depth + 1)
                    made = self._dictionaries[bound.node]
                    return (
                        [each for each in made if not names.is_changed(name, each.key)]
                        if made and self.afford(len(made))
                        else None
                    )
            case cst.Subscript():
                inner = self.item(node, names, depth + 1)
                return self.items(inner.value, inner.names, depth + 1) if inner else None
        return None


def _number(written: str) -> Value:
    try:
        return int(written, 0)
    except ValueError:
        pass
    try:
        return float(written)
    except ValueError:
        return UNKNOWN


def _converted(kind: str, value: Value) -> Value:
    if (isinstance(value, str) and UNKNOWN in value) or isinstance(value, bool) or value is None:
        return UNKNOWN
    try:
        return str(value) if kind == "str" else int(value) if kind == "int" else float(value)
    except (ValueError, OverflowError):
        return UNKNOWN


def summands(node: cst.BinaryOperation) -> list[cst.BaseExpression]:
    """What a chain of `+` adds up, in order. Not recursive: a hostile file adds up thousands."""
    found: list[cst.BaseExpression] = []
    rest: cst.BaseExpression = node
    while isinstance(rest, cst.BinaryOperation) and isinstance(rest.operator, cst.Add):
        found.append(rest.right)
        rest = rest.left
    return [rest, *reversed(found)]
