"""Programs that Python code runs, and the environment variables it sets for itself and for them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import libcst as cst

from spark_lint.facts import Command, Context, EnvVar, ParseProblem, Read
from spark_lint.read.python_lists import Lists
from spark_lint.read.python_names import Names
from spark_lint.read.python_options import keyword
from spark_lint.read.python_places import one_line
from spark_lint.read.python_values import Item
from spark_lint.text import UNKNOWN, Span, Text


@dataclass(frozen=True, slots=True)
class _Runs:
    """How a function is told what to run.

    at: position of the command. script: it is given to a shell. spread: the words are arguments of their own, from `at` on.
    program: what the words are arguments of. installs: it is known by its name alone, so that only an install is taken for a command.
    """

    at: int = 0
    script: bool = False
    spread: bool = False
    keyword: str = "args"
    program: str = ""
    installs: bool = False


_SUBPROCESS: Final = _Runs()
_SHELL: Final = _Runs(script=True, keyword="cmd")
RUNNERS: Final[Mapping[str, _Runs]] = {
    **dict.fromkeys([f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen")], _SUBPROCESS),
    **dict.fromkeys(
        ["subprocess.getoutput", "subprocess.getstatusoutput", "os.popen", "asyncio.create_subprocess_shell"], _SHELL
    ),
    "os.system": _Runs(script=True, keyword="command"),
    "asyncio.create_subprocess_exec": _Runs(spread=True),
    **dict.fromkeys([f"os.{name}" for name in ("execv", "execve", "execvp", "execvpe", "posix_spawn", "posix_spawnp")], _Runs(1)),
    **dict.fromkeys([f"os.{name}" for name in ("execl", "execle", "execlp", "execlpe")], _Runs(1, spread=True)),
    **dict.fromkeys([f"os.{name}" for name in ("spawnv", "spawnve", "spawnvp", "spawnvpe")], _Runs(2)),
    **dict.fromkeys([f"os.{name}" for name in ("spawnl", "spawnle", "spawnlp", "spawnlpe")], _Runs(2, spread=True)),
    # pip as a library, which its authors ask nobody to use (pip.pypa.io/en/stable/user_guide, "Using pip from your program").
    **dict.fromkeys(
        ["pip.main", "pip._internal.main", "pip._internal.cli.main.main", "pip._internal.main.main"], _Runs(program="pip")
    ),
    "conda.cli.main": _Runs(spread=True),  # conda.cli.main("conda", "install", "-y", "numpy")
}
# Functions of other files that are called for what they do: `run_pip` and `run` of the web interfaces' launchers.
_NAMED: Final[Mapping[str, _Runs]] = {
    **dict.fromkeys(
        [
            "run",
            "run_cmd",
            "run_command",
            "run_shell",
            "run_shell_command",
            "execute",
            "execute_command",
            "exec_cmd",
            "check_run",
            "shell",
            "sh",
            "system",
        ],
        _Runs(script=True, keyword="command", installs=True),
    ),
    **dict.fromkeys(["run_pip", "pip"], _Runs(script=True, keyword="command", program="pip", installs=True)),
}
_INSTALL: Final = re.compile(
    rf"\s*(?:[\"']?(?:[^\s\"']*/)?(?:python[\d.]*|{UNKNOWN})[\"']?\s+-m\s+pip|pip[\d.]*|uv(?:\s+pip)?|conda|mamba)\s+(?:install|add)\s"
)
MAY_RUN: Final = frozenset(name.rpartition(".")[2] for name in (*RUNNERS, *_NAMED, "sudo"))
"""The last parts of names of functions that may run something."""
_INVOKES: Final = frozenset({"c", "ctx", "context"})
"""What tasks of invoke call their context (docs.pyinvoke.org/en/stable/getting-started.html)."""
_TASK: Final = _Runs(script=True, keyword="command")


def runner(path: str, names: Names) -> _Runs | None:
    """How a function is told what to run, None for one that runs nothing as far as its name says."""
    if path in RUNNERS:
        return RUNNERS[path]
    base, _, name = path.rpartition(".")
    if base in _INVOKES:
        return _TASK if name in ("run", "sudo") and names.imports("invoke") else None
    found = _NAMED.get(name) if base else None
    if found is None or UNKNOWN in base:
        return None
    return found if names.imports(base) else None


_COPIES: Final = frozenset({"copy.copy", "copy.deepcopy", "dict"})
_SETTERS: Final = frozenset({"os.environ.setdefault", "os.putenv", "os.environ.__setitem__"})


class Commands:
    """The commands and environment variables of one file."""

    def __init__(self, lists: Lists) -> None:
        self.lists = lists
        self.values = lists.values
        self.places = lists.values.places
        self._environments: dict[cst.CSTNode, bool] = {}

    def of_call(self, node: cst.Call, path: str, names: Names, context: Context) -> Iterator[Read]:
        """What a call runs or sets."""
        if path in _SETTERS and len(node.args) == 2:
            key = self.values.known(node.args[0].value, names).value
            if isinstance(key, str) and key and key != UNKNOWN:
                yield self.setting(key, node.args[1].value, *self.places.stretch(*self.places.bounds(node)), names, context)
        elif path == "os.environ.update":
            for argument in node.args:
                for item in self._given(argument, names):
                    yield self.of_item(item, context)
        elif found := runner(path, names):
            yield from self._run(node, found, names, context)

    def setting(self, name: str, value: cst.BaseExpression, span: Span, written: str, names: Names, context: Context) -> EnvVar:
        """An environment variable that is set to an expression."""
        found = self.values.known(value, names)
        known = "" if found.value is None else str(found.value)
        return EnvVar(name=name, value=known, span=span, origin=found.origin or span, written=written, context=context)

    def of_item(self, item: Item, context: Context) -> EnvVar:
        """The environment variable that an item of a dictionary stands for."""
        return self.setting(item.key, item.value, *self.places.stretch(*self.places.bounds(item.place)), item.names, context)

    def is_environment(self, node: cst.BaseExpression, names: Names) -> bool:
        """Whether an expression is the process's environment, or a copy of it."""
        if node not in self._environments:
            self._environments[node] = False  # what stands for itself is none
            self._environments[node] = self._is_environment(node, names)
        return self._environments[node]

    def _is_environment(self, node: cst.BaseExpression, names: Names) -> bool:
        if names.path(node) == "os.environ":
            return True
        match node:
            case cst.Dict():
                return any(
                    isinstance(each, cst.StarredDictElement) and self.is_environment(each.value, names) for each in node.elements
                )
            case cst.Call():
                path = names.path(node.func)
                return path == "os.environ.copy" or (
                    path in _COPIES and any(self.is_environment(each.value, names) for each in node.args)
                )
            case cst.Name(value=name):
                found = names.value(name)
                return found is not None and found.node is not None and self.is_environment(found.node, found.names)
        return False

    def environment(self, node: cst.Call) -> cst.BaseExpression | None:
        """The `env=` of a call."""
        found = keyword(node, "env")
        return found.value if found else None

    def _given(self, argument: cst.Arg, names: Names) -> list[Item]:
        if argument.keyword is not None:
            return [Item(argument.keyword.value, argument.value, names, argument)]
        return self.values.items(argument.value, names) or []

    def _run(self, node: cst.Call, runs: _Runs, names: Names, context: Context) -> Iterator[Read]:
        given = self.environment(node)
        items = self.values.items(given, names) or [] if given else []
        if given is not None and not self.is_environment(given, names):
            yield from (self.of_item(item, context) for item in items)
        environment = tuple((item.key, self.lists.word(item.value, item.names)) for item in items)
        for found in self._commands(node, runs, names, context):
            yield replace(found, environment=(*environment, *found.environment)) if isinstance(found, Command) else found

    def _commands(self, node: cst.Call, runs: _Runs, names: Names, context: Context) -> Iterator[Read]:
        positional = [each for each in node.args if each.keyword is None]
        named = keyword(node, runs.keyword)
        if runs.spread:
            words = list(chain.from_iterable(self._spread(each, names) for each in positional[runs.at :]))
            yield from self._exec(words, node, context)
            return
        argument = positional[runs.at] if len(positional) > runs.at else named
        if argument is None or argument.star:
            return
        listed = self.lists.words(argument.value, names)
        if runs.program and listed:
            listed = [listed[0][0:0].as_value(runs.program), *listed]
        shell = keyword(node, "shell")
        in_shell = runs.script or (shell is not None and self.values.known(shell.value, names).value is not False)
        if listed is not None and not in_shell:
            yield from self._exec(listed, node, context)
        elif text := listed[0] if listed else self.lists.script(argument.value, names):
            if runs.program:
                text = Text.join([text[0:0].as_value(runs.program + " "), text])
            if runs.installs and not _INSTALL.match(text.value):
                return
            if in_shell:
                yield from self.in_shell(text, context)
            else:
                yield from self._exec([text], node, context)

    def _spread(self, argument: cst.Arg, names: Names) -> list[Text]:
        if not argument.star:
            return [self.lists.word(argument.value, names)]
        words = self.lists.words(argument.value, names)
        return [self.places.text(argument).as_value(UNKNOWN)] if words is None else words

    def _exec(self, words: list[Text], node: cst.Call, context: Context) -> Iterator[Read]:
        """The command that a list of words runs, without a shell."""
        if not words or all(word.value == UNKNOWN for word in words):
            return
        span = self.places.span(node)
        written = one_line(" ".join(word.value if word.known else word.written for word in words))
        origin = span if span.covers(words[0].span) else words[0].span
        program = words[0].value.rpartition("/")[2]
        yield Command(
            name=program, span=span, origin=origin, written=written, context=context, words=tuple(words), exec_form=True
        )

    def in_shell(self, text: Text, context: Context) -> Iterator[Read]:
        """What shell code says. Where parts of it are unknown, it need not be whole: that is no problem of the file."""
        from spark_lint.read.shell import commands

        found = commands(text, context, budget=self.values.budget)
        yield from (each for each in found if text.known or not isinstance(each, ParseProblem))
