"""When does Python code run? Tests that leave the block, and `try` around imports that has another way."""

from collections.abc import Iterator
from typing import Final, TypeAlias

import libcst as cst

from spark_lint.read.python_names import Names, module_of
from spark_lint.read.python_places import children

Block: TypeAlias = cst.BaseSuite | cst.Module
Handler: TypeAlias = cst.ExceptHandler | cst.ExceptStarHandler

_IMPORT_ERRORS: Final = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_EXITS: Final = frozenset({"sys.exit", "exit", "quit", "os._exit", "os.abort"})


def last_statement(block: Block) -> cst.CSTNode | None:
    """The statement that a block ends with."""
    statement = block.body[-1] if block.body else None
    return statement.body[-1] if isinstance(statement, cst.SimpleStatementLine) and statement.body else statement


def gives_up(block: Block, names: Names) -> bool:
    """Whether a block ends the program or raises."""
    statement = last_statement(block)
    if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        return names.path(statement.value.func) in _EXITS
    return isinstance(statement, cst.Raise)


def leaves(block: Block, names: Names) -> bool:
    """Whether nothing behind a block runs once the block has run."""
    statement = last_statement(block)
    if isinstance(statement, cst.If):
        return leaves(statement.body, names) and _else_leaves(statement.orelse, names)
    if isinstance(statement, cst.With):
        return leaves(statement.body, names)
    return isinstance(statement, (cst.Return, cst.Continue, cst.Break)) or gives_up(block, names)


def _else_leaves(orelse: cst.If | cst.Else | None, names: Names) -> bool:
    if isinstance(orelse, cst.If):
        return leaves(orelse.body, names) and _else_leaves(orelse.orelse, names)
    return orelse is not None and leaves(orelse.body, names)


def survived(node: cst.If, names: Names) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """The tests that hold, or must have failed (True), for what stands behind an `if` whose branches leave the block."""
    branch: cst.If | cst.Else | None = node
    while isinstance(branch, cst.If) and leaves(branch.body, names):
        yield branch.test, True
        branch = branch.orelse
    if isinstance(branch, cst.If) and isinstance(branch.orelse, cst.Else) and leaves(branch.orelse.body, names):
        yield branch.test, False


def catches_import_error(kind: cst.BaseExpression | None) -> bool:
    """Whether an `except` clause for this type catches a failed import; a bare one does."""
    if isinstance(kind, cst.Tuple):
        return any(catches_import_error(element.value) for element in kind.elements)
    if isinstance(kind, cst.Attribute):
        kind = kind.attr
    return kind is None or (isinstance(kind, cst.Name) and kind.value in _IMPORT_ERRORS)


def import_handler(node: cst.Try | cst.TryStar) -> Handler | None:
    """The handler that a failed import in the body ends up in."""
    return next((handler for handler in node.handlers if catches_import_error(handler.type)), None)


def imported_roots(node: cst.CSTNode) -> frozenset[str]:
    """The packages that code imports, those inside functions left out."""
    if isinstance(node, cst.Import):
        return frozenset(each.evaluated_name.partition(".")[0] for each in node.names)
    if isinstance(node, cst.ImportFrom):
        return frozenset([module_of(node).partition(".")[0]] if not node.relative else [])
    if isinstance(node, (cst.FunctionDef, cst.BaseExpression, cst.BaseSmallStatement)):
        return frozenset()
    return frozenset().union(*(imported_roots(child) for child in children(node)))
