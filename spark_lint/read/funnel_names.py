"""Does the `ast` of a Python file hold one of some words, as the name of something that it imports, calls, sets or passes?

Comments, docstrings and the texts of messages do not count; the words of a command do.
"""

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from spark_lint.read.funnel import begins_name, fold_text

_RUNS: Final = frozenset(
    {"run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput", "system", "popen", "create_subprocess_exec",
     "create_subprocess_shell", "posix_spawn", "posix_spawnp", "run_cell_magic", "run_line_magic", "magic", "run_cmd", "run_command", "run_pip",
     "run_shell", "run_shell_command", "check_run", "shell", "sh", "pip", "conda"}
)  # fmt: skip
_RUN_PREFIXES: Final = ("exec", "spawn")
_TELLS: Final = frozenset(
    {"print", "warn", "warning", "info", "debug", "error", "exception", "critical", "log", "write", "echo", "fail", "skip"}
)
_TELLING_KEYWORDS: Final = frozenset({"help", "description", "epilog", "reason", "msg", "message"})
_CHAINS: Final = (ast.Name, ast.Attribute)


def holds_any(tree: ast.Module, words: frozenset[str], commands: Collection[tuple[str, ...]] = (), *, runs: bool = False) -> bool:
    """Whether a name in the module holds one of the folded words, or its commands one of them or all literals of a clause.

    commands: such clauses, each with its word at the end, as `Interests` has it. runs: any of its texts may be part of a command.
    """
    if "" in words:
        return True
    names: set[str] = set()
    texts: set[str] = set()
    for statement in tree.body:
        fresh: set[str] = set()
        runs = _collect(statement, fresh, texts) or runs
        fresh -= names
        # Most of what is looked for is imported, at the top.
        if fresh and _any_begins(words, _folded(fresh)):
            return True
        names |= fresh
    if not runs or not texts:
        return False
    said = _folded(texts)
    if _any_begins(words, said):
        return True
    # One text says `pip`, another one `install`; a name may stand for a variable that is set.
    anywhere = _folded(names) + said
    return any(
        begins_name(clause[-1], said) and all(literal in anywhere or _whole(literal) in anywhere for literal in clause[:-1])
        for clause in commands
    )


def _collect(statement: ast.stmt, names: set[str], texts: set[str]) -> bool:
    """Add a statement's names, and its texts that may be words of a command; whether it runs commands."""
    runs = False
    stack: list[tuple[ast.AST, bool]] = [(statement, False)]
    while stack:
        node, told = stack.pop()
        if isinstance(node, (ast.expr_context, ast.operator, ast.cmpop)):
            continue
        names.update(_names(node))
        if not told and (text := _word_of_command(node)):
            texts.add(text)
        runs = runs or _runs(node)
        stack.extend((child, _is_told(node, child, told)) for child in ast.iter_child_nodes(node))
    return runs


def _folded(parts: Iterable[str]) -> str:
    """Names or texts, folded, with a line between any two."""
    return fold_text("\n".join(("", *parts, "")))


def _any_begins(words: Iterable[str], folded: str) -> bool:
    return any(begins_name(word, folded) for word in words)


def _whole(literal: str) -> str:
    """A literal in quotes as a text of its own: the `"uv"` of `["uv", "add"]`."""
    return f"\n{literal[1:-1]}\n" if literal[:1] in ("'", '"') else literal


def _runs(node: ast.AST) -> bool:
    """Whether a node names a function that runs commands: called here, imported, or given another name."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    name = node.name.rpartition(".")[2] if isinstance(node, ast.alias) else name
    if isinstance(node, ast.ImportFrom):  # from pip._internal import main
        name = (node.module or "").partition(".")[0]
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
