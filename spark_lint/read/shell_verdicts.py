"""How a test in shell code comes out, where what it compares is known from the text."""

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Final

from tree_sitter import Node

from spark_lint.read.expansion import DEEPEST
from spark_lint.read.shell_arithmetic import result
from spark_lint.read.shell_syntax import outermost
from spark_lint.read.shell_tests import chain
from spark_lint.read.shell_words import Words
from spark_lint.text import Text

_SWITCHES: Final = frozenset({"", "0", "1", "true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", "none"})
_NUMBERS: Final[dict[str, Callable[[int, int], bool]]] = {
    "-eq": int.__eq__, "-ne": int.__ne__, "-lt": int.__lt__, "-le": int.__le__, "-gt": int.__gt__, "-ge": int.__ge__,
}  # fmt: skip
_JUDGED: Final = frozenset({"negated_command", "list", "test_command", "compound_statement", "command"})
_FIRST_LETTERS: Final = frozenset('tf:$"')  # of `true`, `false`, `:`, `test` and `$SWITCH`
_NAME: Final = re.compile(r"\w+")
_LONGEST: Final = 500
"""Bytes of a test that is worked out."""


class Verdicts:
    """Works out the tests of one script. words: what knows its variables. changing: those that the loops around the code change."""

    def __init__(self, words: Words) -> None:
        self.changing: list[frozenset[str]] = []
        self._words = words
        self._code = words.code

    def varies(self, text: str) -> bool:
        """Whether a text uses a variable that a loop around it changes."""
        names = set(_NAME.findall(text)) if self.changing else set()
        return any(names & changed for changed in self.changing)

    def of(self, node: Node | None, *, switch: bool = False) -> bool | None:
        """Whether a statement succeeds; None where that is not known.

        switch: only a test that asks for something to be on, off, empty or a number counts. Any other text is one of several ways
        that people choose from, none of which is off.
        """
        if node is None or node.type not in _JUDGED or node.end_byte - node.start_byte > _LONGEST:
            return None
        if node.type == "command" and self._code.raw(node)[:1] not in _FIRST_LETTERS:
            return None
        if any(outermost([node])):
            return None
        if self.varies(self._code.raw(node)):
            return None
        return self._statement(node, switch, 0)

    def _statement(self, node: Node, switch: bool, depth: int) -> bool | None:
        if depth > DEEPEST:
            return None
        if node.type == "negated_command" and node.named_children:
            return opposite(self._statement(node.named_children[-1], switch, depth + 1))
        if node.type == "list":
            members = chain(node)
            found = self._statement(members[0][1], switch, depth + 1)
            for operator, each in members[1:]:
                found = combined(operator, found, self._statement(each, switch, depth + 1))
            return found
        if node.type == "test_command" and len(node.children) == 3:
            return self._expression(node.children[1], switch, self._code.raw(node.children[0]) == "[[", depth + 1)
        if node.type == "compound_statement" and node.children[0].type == "((":
            inside = self._words.value(node.children, self._code.stop(node.children[0]), self._code.start(node.children[-1]))
            number = result(inside.value, self._words.number)
            return None if number is None else number != 0
        return self._command(node, switch) if node.type == "command" else None

    def _command(self, node: Node, switch: bool) -> bool | None:
        """`true`, `$SWITCH`, `test … = …`."""
        if any(
            child.type not in ("command_name", "word", "string", "raw_string", "simple_expansion", "expansion")
            for child in node.children
        ):
            return None
        words = [word for child in node.children for word in self._words.word([child])]
        if not words or not words[0].known:
            return None
        if len(words) == 1:
            return {"true": True, ":": True, "false": False}.get(words[0].value)
        if words[0].value != "test" or not all(word.known for word in words):
            return None
        if len(words) == 4:
            return _compared(words[1].value, words[2].value, words[3].value, switch, pattern=False)
        return _asked(words[1].value, words[2].value) if len(words) == 3 else None

    def _expression(self, node: Node, switch: bool, patterns: bool, depth: int) -> bool | None:
        """What stands between brackets."""
        if depth > DEEPEST:
            return None
        children = [child for child in node.children if child.type != "comment"]
        if node.type == "parenthesized_expression" and len(children) == 3:
            return self._expression(children[1], switch, patterns, depth + 1)
        if node.type == "unary_expression" and len(children) == 2:
            if children[0].type == "!":
                return opposite(self._expression(children[1], switch, patterns, depth + 1))
            value = self._value(children[1:])
            return _asked(self._code.raw(children[0]), value.value) if value.known else None
        if node.type == "binary_expression" and len(children) >= 3:
            operator = self._code.raw(children[1])
            if operator in ("&&", "-a", "||", "-o"):
                left, right = (self._expression(each, switch, patterns, depth + 1) for each in (children[0], children[-1]))
                return combined("&&" if operator in ("&&", "-a") else "||", left, right)
            left_value, right_value = self._value(children[:1]), self._value(children[2:])
            if not left_value.known or not right_value.known:
                return None
            return _compared(left_value.value, operator, right_value.value, switch, patterns)
        if node.type in ("string", "simple_expansion", "expansion", "concatenation"):
            value = self._value([node])
            return value.value != "" if value.known else None
        return None

    def _value(self, nodes: Sequence[Node]) -> Text:
        return self._words.value(nodes, self._code.start(nodes[0]), self._code.stop(nodes[-1]))


def opposite(found: bool | None) -> bool | None:
    """How `! …` comes out."""
    return None if found is None else not found


def combined(operator: str, left: bool | None, right: bool | None) -> bool | None:
    """How `left && right` or `left || right` comes out."""
    decisive = operator == "||"
    if left is decisive or right is decisive:
        return decisive
    return None if left is None or right is None else not decisive


def _asked(operator: str, value: str) -> bool | None:
    return value == "" if operator == "-z" else value != "" if operator == "-n" else None


def _compared(left: str, operator: str, right: str, switch: bool, pattern: bool) -> bool | None:
    if operator in _NUMBERS:
        numbers = [result(each, lambda _: None) for each in (left, right)]
        return None if numbers[0] is None or numbers[1] is None else _NUMBERS[operator](numbers[0], numbers[1])
    if operator not in ("=", "==", "!=") or (switch and right.strip().lower() not in _SWITCHES):
        return None
    same = fnmatchcase(left, right) if pattern else left == right
    return same == (operator != "!=")
