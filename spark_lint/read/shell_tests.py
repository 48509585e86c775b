"""Tests in shell code (`[ … ]`, `[[ … ]]`, `test …`, `case`): what they say about the code that runs under them."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from tree_sitter import Node

from spark_lint.facts import Condition
from spark_lint.read.expansion import DEEPEST
from spark_lint.read.shell_syntax import Code

Conditions: TypeAlias = tuple[Condition, ...]

MAY_FAIL: Final = Condition("what fails here is passed over")
"""A command whose failure stops nothing: `pip install x || true`, `if ! pip install x; then …`."""
SWITCHED_OFF: Final = Condition("switched off here")
"""Code under a switch that the script itself turns off: `WITH_X=false`, `if [ "$WITH_X" = true ]`."""

MOST: Final = 64
"""Conditions around one command that are kept: a thousand `[ … ] || exit` in a row would each add one to all that follow."""
LONGEST: Final = 1000
"""Characters of the word of a `case` that are kept in the condition of each of its branches."""
LEAVES: Final = frozenset({"exit", "return", "continue", "break"})
"""The shell's own commands behind which nothing of their block runs."""
_LOOKS_INSIDE: Final = frozenset({"compound_statement", "redirected_statement"})
# `-z "$V"`, `-z "${V:-}"`, `-z ${V+x}`, `! -v V`
_NUMBER: Final = re.compile(r"(?:-(?:gt|ge|eq|ne|lt|le)|[<>]=?|[!=]=)\s*[\"']?[1-9]")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_UNSET: Final = re.compile(r'-z "?\$\{?(\w+)(?::?[-+][^}]*)?\}?"?')
_SET: Final = re.compile(r'-n "?\$\{?(\w+)(?::?[-+][^}]*)?\}?"?|-v "?(\w+)"?')


def together(*groups: Conditions) -> Conditions:
    """All of these conditions, each once, up to the bound."""
    return tuple(dict.fromkeys(condition for group in groups for condition in group))[:MOST]


def is_test(node: Node, code: Code) -> bool:
    """Whether a statement is a test, or tests joined by `&&` and `||`."""
    for _ in range(DEEPEST):
        if node.type != "negated_command" or not node.named_children:
            break
        node = node.named_children[0]
    if node.type == "test_command":
        return True
    if node.type == "command":
        return _program(node, code) == "test"
    return node.type == "list" and all(is_test(each, code) for _, each in chain(node) if each.type != "list")


def negated(node: Node) -> bool:
    """Whether a statement is `! …`."""
    return node.type == "negated_command" or (node.type == "redirected_statement" and node.children[0].type == "negated_command")


def chain(node: Node) -> list[tuple[str, Node]]:
    """The members of `a && b || c`, each behind its operator; thousands may be joined, so they are not visited one in another."""
    found: list[tuple[str, Node]] = []
    while node.type == "list":
        parts = [child for child in node.children if child.type not in ("comment", "\n")]
        if len(parts) < 3:
            break
        found += [(operator.type, each) for operator, each in zip(parts[-2:0:-2], parts[:0:-2], strict=False)]
        node = parts[0]
    return [("", node), *reversed(found)]


def assumed(node: Node, code: Code, holds: bool, depth: int = 0) -> Conditions:
    """What is known where a statement succeeded (`holds`) or failed."""
    if node.type == "negated_command" and node.named_children and depth < DEEPEST:
        return assumed(node.named_children[0], code, not holds, depth + 1)
    if node.type == "redirected_statement" and node.children[0].type == "negated_command" and node.children[0].named_children:
        return (Condition(code.written(code.start(node.children[0].named_children[0]), code.stop(node)), holds),)
    members = chain(node)
    if len(members) > 1 and depth < DEEPEST and all(operator in ("", "&&" if holds else "||") for operator, _ in members):
        return together(*(assumed(each, code, holds, depth + 1) for _, each in members))
    text = _inside(node, code)
    return (Condition(text, not holds),) if text else ()


def _inside(node: Node, code: Code) -> str:
    """A test as `_written`. Behind one of a number stands where a variable in it has it from."""
    text = _written(node, code)
    if not (text and _NUMBER.search(text) and code.programs):
        return text
    names = dict.fromkeys(_NAME.findall(text[:LONGEST]))
    return " # ".join([text, *(code.programs[name] for name in names if code.programs.get(name))])


def _written(node: Node, code: Code) -> str:
    """A test as written, without its brackets; any other statement as written."""
    if node.type == "test_command" and len(node.children) > 2:
        return code.written(code.stop(node.children[0]), code.start(node.children[-1]))
    if node.type == "command" and _program(node, code) == "test":
        return code.line(node).partition(" ")[2]
    return code.line(node)


def _program(node: Node, code: Code) -> str:
    name = node.child_by_field_name("name")
    return code.raw(name) if name is not None else ""


def outcomes(node: Node | None, code: Code) -> tuple[Conditions, Conditions]:
    """What is known where a statement succeeded, and where it failed."""
    return ((), ()) if node is None else (assumed(node, code, True), assumed(node, code, False))


def last(nodes: Sequence[Node]) -> Node | None:
    """The last statement of a block."""
    return next((each for each in reversed(nodes) if each.is_named and each.type != "comment"), None)


def leaves(nodes: Sequence[Node], code: Code, programs: Container[str] = LEAVES, within: Container[str] = ()) -> bool:
    """Whether statements end with one of these programs (`exit`, `die`), so that nothing behind the block runs after them.

    within: further kinds of node whose end counts as theirs.
    """
    for _ in range(DEEPEST):
        node = last(nodes)
        if node is None:
            return False
        if node.type == "command":
            return _program(node, code) in programs
        if node.type not in _LOOKS_INSIDE and node.type not in within:
            return False
        nodes = node.children[:1] if node.type == "redirected_statement" else node.children
    return False


def unset(conditions: Iterable[Condition]) -> frozenset[str]:
    """The variables that these tests have found to be empty or unset."""
    matches = ((_SET if each.negated else _UNSET).fullmatch(each.text) for each in conditions)
    return frozenset(match[1] or match[2] if match.re is _SET else match[1] for match in matches if match)


def branches(node: Node) -> Iterator[tuple[list[Node], list[Node]]]:
    """The tests and the body of each branch of an `if`; the tests of `else` are none."""
    condition: list[Node] = []
    body: list[Node] = []
    tested = False
    for child in node.children:
        if child.type in ("elif_clause", "else_clause"):
            continue
        if child.type == "then" and not tested:
            tested = True
        elif child.type not in ("if", "elif", "else", "fi"):
            (body if tested or node.type == "else_clause" else condition).append(child)
    yield condition, body
    for child in node.children:
        if child.type in ("elif_clause", "else_clause"):
            yield from branches(child)
