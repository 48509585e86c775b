"""Lists of words in Python code: what is given to a program without a shell."""

from typing import Final

import libcst as cst

from spark_lint.read.python_names import Binding, Names
from spark_lint.read.python_strings import joined, split, split_shell
from spark_lint.read.python_values import DEEPEST, INTERPRETER, Values, summands
from spark_lint.text import UNKNOWN, Text

A_FACT: Final = 100
"""What a word or fact counts, in characters, that is made of something written elsewhere."""


class Lists:
    """Works out the word lists of one file. again: what it is asked for was read before, for other words."""

    def __init__(self, values: Values, again: bool = False) -> None:
        self.values = values
        self._again = again
        self.places = values.places
        self._used: set[cst.CSTNode] = set()
        self._commands: set[cst.CSTNode] = set()

    def is_command(self, node: cst.List | cst.Tuple) -> bool:
        """Whether a list was found to be words of a command."""
        return node in self._commands

    def word(self, node: cst.BaseExpression, names: Names) -> Text:
        """An expression as one word of a command."""
        if names.path(node) == INTERPRETER:
            return self.places.text(node).as_value("python")
        text = self.values.text(node, names)
        if text is not None:
            return text
        found = self.values.known(node, names)
        known = found.value is not None and found.value != UNKNOWN
        return self.places.text(node).as_value(str(found.value) if known else UNKNOWN, found.origin)

    def script(self, node: cst.BaseExpression, names: Names) -> Text | None:
        """A string as a text; a name for one gives the text where it is written, so that its parts can be found there."""
        defined, scope = self.values.defined(node, names)
        text = self._put_together(defined, scope) or self.values.text(defined, scope)
        if text is None or (defined is node and not self._again):
            return text
        if (defined in self._used or self._again) and not self.values.repeat(len(text.value)):
            return None
        self._used.add(defined)
        return text

    def _put_together(self, node: cst.BaseExpression, names: Names) -> Text | None:
        """The words of `" ".join([…])` as one text."""
        match node:
            case cst.Call(
                func=cst.Attribute(value=separator, attr=cst.Name(value="join")), args=[cst.Arg(value=listed, star="")]
            ):
                words = self.words(listed, names)
                between = self.values.text(separator, names)
                if words and between:
                    parts = [part for word in words for part in (between, word)]
                    return joined(self.places.source, self.places.bounds(node)[0], parts[1:])
        return None

    def words(self, node: cst.BaseExpression, names: Names, depth: int = 0) -> list[Text] | None:
        """The words of a list, None if it is no list for all one can see. Parts that cannot be known are one UNKNOWN word each."""
        if depth > DEEPEST:
            return None
        match node:
            case cst.List() | cst.Tuple():
                self._commands.add(node)
                found: list[Text] = []
                for element in node.elements:
                    if isinstance(element, cst.StarredElement):
                        found += self._some(element.value, names, depth)
                    else:
                        found.append(self.word(element.value, names))
                return found
            case cst.BinaryOperation(operator=cst.Add()):
                return self._sum(node, names, depth)
            case cst.Name(value=name):
                return self._named(name, names, depth)
            case cst.Call():
                return self._called(node, names, depth)
        return None

    def _some(self, node: cst.BaseExpression, names: Names, depth: int) -> list[Text]:
        words = self.words(node, names, depth + 1)
        return [self.places.text(node).as_value(UNKNOWN)] if words is None else words

    def _sum(self, node: cst.BinaryOperation, names: Names, depth: int) -> list[Text] | None:
        operands = summands(node)
        parts = [self.words(each, names, depth + 1) for each in operands]
        if all(part is None for part in parts):
            return None
        found: list[Text] = []
        for part, operand in zip(parts, operands, strict=True):
            found += [self.places.text(operand).as_value(UNKNOWN)] if part is None else part
        return found

    def _named(self, name: str, names: Names, depth: int) -> list[Text] | None:
        made = names.made(name)
        if made is None or made.node is None or not self.values.afford(A_FACT):
            return None
        words = self.words(made.node, made.names, depth + 1)
        if words is None:
            return None
        words = [*words, *(word for more in names.additions(name) for word in self._added(more, made, depth))]
        return words if self.values.afford(A_FACT * len(words)) else None

    def _added(self, more: Binding, made: Binding, depth: int) -> list[Text]:
        """The words that are added to a list; what is added in another block may not be."""
        if more.node is None:
            return []
        if more.block != made.block or more.names is not made.names:
            place = (
                more.node.elements[0].value if isinstance(more.node, (cst.List, cst.Tuple)) and more.node.elements else more.node
            )
            return [self.places.text(place).as_value(UNKNOWN)]
        return self._some(more.node, more.names, depth)

    def _called(self, node: cst.Call, names: Names, depth: int) -> list[Text] | None:
        path = names.path(node.func)
        first = node.args[0].value if len(node.args) == 1 and not node.args[0].star else None
        if path in ("list", "tuple") and first is not None:
            return self.words(first, names, depth + 1)
        if path == "shlex.split" and node.args:
            text = self.script(node.args[0].value, names)
            return None if text is None else split_shell(text)
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "split" and not node.args:
            text = self.script(node.func.value, names)
            return None if text is None else split(text)
        return None
