"""Does the `ast` of a Python file hold one of some words, as the name of something that it imports, calls, sets or passes?

Comments, docstrings and the texts of messages do not count; the words of a command do.
"""

import ast
from collections.abc import Iterator
from typing import Final

from spark_lint.read.funnel import begins_name, fold_text

_RUNS: Final = frozenset(
    {"run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput", "system", "popen", "create_subprocess_exec",
     "create_subprocess_shell", "posix_spawn", "posix_spawnp", "run_cell_magic", "run_line_magic", "magic"}
)  # fmt: skip
_RUN_PREFIXES: Final = ("exec", "spawn")
_TELLS: Final = frozenset(
    {"print", "warn", "warning", "info", "debug", "error", "exception", "critical", "log", "write", "echo", "fail", "skip"}
)
_TELLING_KEYWORDS: Final = frozenset({"help", "description", "epilog", "reason", "msg", "message"})
_CHAINS: Final = (ast.Name, ast.Attribute)


def holds_any(tree: ast.Module, words: frozenset[str], commands: frozenset[str] = frozenset(), *, runs: bool = False) -> bool:
    """Whether a name in the module holds one of the folded words, or a command one of either, as `Interests` has it.

    runs: any of its texts may be part of a command.
    """
    return "" in words or _Search(words, commands, runs).finds(tree)


class _Search:
    """texts: whether a word was seen in a text that is a command if the file runs commands. runs: whether it does."""

    def __init__(self, words: frozenset[str], commands: frozenset[str], runs: bool) -> None:
        self.words = words
        self.anywhere = words | commands
        self.seen: dict[str, bool] = {}
        self.texts = False
        self.runs = runs

    def finds(self, tree: ast.Module) -> bool:
        stack: list[tuple[ast.AST, bool]] = [(tree, False)]
        while stack:
            node, told = stack.pop()
            if any(self.matches(name) for name in _names(node)):
                return True
            if (text := _word_of_command(node)) and not told and self.says(text):
                self.texts = True
            self.runs = self.runs or _runs(node)
            if self.runs and self.texts:
                return True
            stack.extend((child, _is_told(node, child, told)) for child in ast.iter_child_nodes(node))
        return False

    def matches(self, name: str) -> bool:
        found = self.seen.get(name)
        if found is None:
            folded = fold_text(name)
            found = self.seen[name] = any(begins_name(word, folded) for word in self.words)
        return found

    def says(self, text: str) -> bool:
        """Whether a text, if it is a command, holds a word."""
        folded = fold_text(text)
        return any(begins_name(word, folded) for word in self.anywhere)


def _runs(node: ast.AST) -> bool:
    """Whether a node names a function that runs commands: called here, imported, or given another name."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    name = node.name.rpartition(".")[2] if isinstance(node, ast.alias) else name
    return name in _RUNS or name.startswith(_RUN_PREFIXES)


def _word_of_command(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return "python" if node.attr == "executable" else ""  # sys.executable
    return _text(node)


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_told(node: ast.AST, child: ast.AST, told: bool) -> bool:
    """Whether a text in `child` is for people to read, not for a program."""
    if isinstance(node, ast.Expr):
        return isinstance(child, ast.Constant)
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node, ast.keyword):
        return told or node.arg in _TELLING_KEYWORDS
    if isinstance(node, ast.Call):
        formats = isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "join")
        return _last(node.func) in _TELLS or (
            told and (formats or _last(node.func).endswith(("Error", "Exception", "Warning", "Exit")))
        )
    return told and isinstance(
        node, (ast.JoinedStr, ast.FormattedValue, ast.BinOp, ast.IfExp, ast.BoolOp, ast.Attribute, ast.Tuple)
    )


def _names(node: ast.AST) -> Iterator[str]:
    """The names of which a node may make facts."""
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=module, names=aliases):
            yield module or ""
            yield from (alias.name for alias in aliases)
        case ast.Call(func=func, args=args):
            yield from _chain(func)
            # "attn_implementation" of setattr(config, "attn_implementation", …), "--tp" of add_argument("--tp")
            for each in args:
                yield from _named(each)
        case ast.keyword(arg=str(name), value=value):
            yield name
            yield from _named(value)
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _targets(target)
            yield from _aliased(value)
            yield from _named(value)
        case ast.AnnAssign(target=target, value=annotated) | ast.NamedExpr(target=target, value=annotated):
            yield from _targets(target)
            yield from _aliased(annotated)
            yield from _named(annotated)
        case ast.For(iter=ast.Tuple(elts=elements) | ast.List(elts=elements)):
            for element in elements:
                yield from _aliased(element)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            # flags: ["-O3", "arch=compute_90,code=sm_90"]
            yield from (text for each in elements if (text := _text(each)).startswith("-") or "=" in text)
        case ast.Dict(keys=keys, values=values):
            yield from (_text(key) for key in keys)
            for each in values:
                yield from _named(each)
        case ast.arg(arg=name):
            yield name
        case ast.arguments(defaults=defaults, kw_defaults=others):
            for default in (*defaults, *others):
                yield from _named(default)
        case ast.withitem(context_expr=ast.Call(func=func)):
            yield from _chain(func)


def _named(node: ast.AST | None) -> Iterator[str]:
    """A text that may be a name or a value with a meaning (`cuda:1`), which prose is not."""
    if (text := _text(node)) and not any(character.isspace() for character in text):
        yield text


def _text(node: ast.AST | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _aliased(node: ast.expr | None) -> Iterator[str]:
    if isinstance(node, _CHAINS):
        yield from _chain(node)


def _targets(node: ast.expr) -> Iterator[str]:
    if isinstance(node, (ast.Tuple, ast.List)):
        for element in node.elts:
            yield from _targets(element)
    elif isinstance(node, ast.Starred):
        yield from _targets(node.value)
    elif isinstance(node, ast.Subscript):
        yield _text(node.slice)
        yield from _targets(node.value)
    else:
        yield from _chain(node)


def _chain(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Attribute):
        yield node.attr
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
