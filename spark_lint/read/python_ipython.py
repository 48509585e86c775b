"""What IPython is asked to do: commands for a shell and magics, written as a notebook writes them, or as one exported to Python does.

`!export X=1` sets X in a shell that ends with its line; `%env X=1` and `%cd folder` hold for everything behind them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

import libcst as cst

from spark_lint.facts import Code, Command, Context, EnvVar, Include, ParseProblem, Read
from spark_lint.read.expansion import LONGEST, Budget, joined_path
from spark_lint.read.notebook_syntax import SHELL_MAGICS, SHELL_PROGRAMS, SYSTEM, Line, as_command, translated
from spark_lint.read.python_lists import Lists
from spark_lint.read.python_names import Names
from spark_lint.read.python_values import INTERPRETER
from spark_lint.text import UNKNOWN, Text

Value: TypeAlias = Callable[[str, Text], Text | None]
"""What a Python expression in a command amounts to: its source, and where it stands. None where it is not Python's at all."""

_ENVIRONMENT: Final = frozenset({"env", "set_env"})
# {name}, {sys.executable}; not ${name} of the shell, and not JSON.
_FIELD: Final = re.compile(r"(?<!\$)\{(?![\s\"'{}])[^{}\n]*\}|(?<![\\$\w])\$(?P<name>[A-Za-z_]\w*)(?![\w{]|\.\w)")
_DOTTED: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,8}")
_SET: Final = re.compile(r"[ \t]*(?P<name>[A-Za-z_]\w*)(?:[ \t]*=[ \t]*|[ \t]+)(?P<value>\S(?:[^\n]*\S)?)")
_QUOTED: Final = re.compile(r"([\"']).*\1")
_MOVES: Final = re.compile(r"[ \t]*(?:-q[ \t]+)?(?P<quote>[\"']?)(?P<folder>[^\n]*?)(?P=quote)[ \t;]*")


def asks(node: cst.Call, names: Names) -> bool:
    """Whether a call is one of IPython's shell object, `get_ipython().system(…)`, or of the function that gives it."""
    if isinstance(node.func, cst.Attribute) and isinstance(node.func.value, cst.Call):
        node = node.func.value
    return names.path(node.func).rpartition(".")[2] == "get_ipython"


class Ipython:
    """Reads what one notebook, or one piece of code in a document, asks for; what lasts is remembered."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget
        self._workdir = ""
        self._variables: dict[str, Text] = {}

    def run(self, line: Line, context: Context, value: Value | None = None) -> Iterator[Read]:
        """The facts of one command or magic. value: what the names of Python stand for; all are unknown without it."""
        line = line if line.body is not None else as_command(line)
        name, rest = line.name, line.rest
        known = value or _unknown
        if line.body is not None and name in SHELL_MAGICS:
            if name != "script" or SHELL_PROGRAMS.intersection(rest.value.split()):
                # IPython puts values into commands, but not into the body of a cell; `%%system` is a command.
                yield from self._shell(_filled(line.body, known) if name in ("system", "sx", SYSTEM) else line.body, context)
        elif line.body is not None:
            for each in translated(line.body).lines if _is_nested(name) else ():
                yield from self.run(each, context, value)
        elif name in SHELL_MAGICS:
            yield from self._shell(_filled(rest, known), context)
        elif name in _ENVIRONMENT:
            yield from self._environment(_filled(rest, known), context)
        elif name == "cd":
            yield from self._cd(line.sign, _filled(rest, known), context)

    def of_call(self, node: cst.Call, names: Names, lists: Lists, context: Context) -> Iterator[Read]:
        """The facts of `get_ipython().system("…")` and its like."""
        if not isinstance(node.func, cst.Attribute):
            return
        given = [lists.script(each.value, names) for each in node.args]
        texts = [text for text in given if text is not None]
        if len(texts) != len(given) or not texts:
            return

        def value(expression: str, place: Text) -> Text | None:
            return _value(expression, place, names, lists)

        match node.func.attr.value, texts:
            case (("system" | "getoutput"), [command, *_]):
                yield from self.run(Line(SYSTEM, command[:0], command), context, value)
            case (("run_line_magic" | "magic"), [line]):  # as it was before IPython 8
                head = len(line.value.partition(" ")[0])
                yield from self.run(Line(line.value[:head], line[:head], line[head:]), context, value)
            case (("run_line_magic" | "magic"), [name, rest, *_]):
                yield from self.run(Line(name.value, name, rest), context, value)
            case "run_cell_magic", [name, rest, body, *_]:
                yield from self.run(Line(name.value, name, rest, body), context, value)

    def _shell(self, text: Text, context: Context) -> Iterator[Read]:
        """The facts of a command. Where parts of it are unknown, it need not be whole: that is no problem of the file."""
        from spark_lint.read.shell import commands

        around = replace(context, workdir=self._workdir) if self._workdir else context
        found = list(commands(text, around, self._variables, self._budget))
        # What only sets variables sets them for nobody.
        runs = any(isinstance(each, (Command, Code, Include)) for each in found)
        for each in found:
            if isinstance(each, ParseProblem):
                if text.known:
                    yield each
            elif runs:
                yield each

    def _environment(self, text: Text, context: Context) -> Iterator[Read]:
        found = _SET.fullmatch(text.value.rstrip())
        if found is None:
            return
        name, whole = found["name"], text[found.start("name") : found.end()]
        value = text[found.start("value") : found.end()]
        if _QUOTED.fullmatch(value.value):
            value = value[1:-1]
        if value.known and not context.conditions:
            self._variables[name] = value
        else:
            self._variables.pop(name, None)
        yield EnvVar(
            name=name, value=value.value, span=whole.span, origin=value.origin if UNKNOWN not in value.value else whole.span,
            written=whole.written, context=context,
        )  # fmt: skip

    def _cd(self, sign: Text, text: Text, context: Context) -> Iterator[Read]:
        yield from self._shell(Text.join([sign, text[:0].as_value(" "), text]), context)
        found = _MOVES.fullmatch(text.value)
        folder = found["folder"] if found else UNKNOWN
        if not folder or folder.startswith(("-", "~", "$")) or UNKNOWN in folder or context.conditions:
            self._workdir = UNKNOWN
        else:
            self._workdir = joined_path(self._workdir, folder)


def _is_nested(name: str) -> bool:
    """Whether the body of a cell's magic is code like that of other cells, commands included."""
    return name in ("capture", "time", "timeit", "prun")


def _unknown(expression: str, place: Text) -> Text | None:
    if place.value.startswith("$"):
        return None
    return place.as_value("python" if expression == INTERPRETER else UNKNOWN)


def _filled(text: Text, value: Value) -> Text:
    """The text with what IPython fills in: `{version}`, and `$version` where Python has such a name."""
    if "{" not in text.value and "$" not in text.value:
        return text
    parts, at = [], 0
    for match in _FIELD.finditer(text.value):
        place = text[match.start() : match.end()]
        filled = value(match["name"] or match[0][1:-1].strip(), place)
        if filled is not None:
            parts += [text[at : match.start()], filled]
            at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text


def _value(expression: str, place: Text, names: Names, lists: Lists) -> Text | None:
    """What an expression in a command amounts to. A `$name` that Python does not have is the shell's."""
    if not _DOTTED.fullmatch(expression):
        return place.as_value(UNKNOWN)
    first, *rest = expression.split(".")
    if place.value.startswith("$") and not names.find(first):
        return None
    node: cst.Name | cst.Attribute = cst.Name(first)
    for each in rest:
        node = cst.Attribute(node, cst.Name(each))
    if names.path(node) == INTERPRETER:
        return place.as_value("python")
    found = lists.values.known(node, names)
    known = isinstance(found.value, (str, int, float)) and not isinstance(found.value, bool)
    written = str(found.value) if known else UNKNOWN
    if len(written) > LONGEST or not lists.values.afford(len(written)):
        written = UNKNOWN
    return place.as_value(written, found.origin if written != UNKNOWN else None)
