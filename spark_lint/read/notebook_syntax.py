"""IPython's own syntax as the Python that IPython makes of it: `!pip install x` is `get_ipython().system("pip install x")`.

So a command keeps the tests it stands under, and the names that it uses are those of the code around it.
https://ipython.readthedocs.io/en/stable/interactive/reference.html and `core/inputtransformer2.py` of IPython 9 (2026-11)
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from spark_lint.text import Text

SYSTEM: Final = "!"
"""The name of what `!` and `!!` do."""

SHELL_MAGICS: Final = frozenset({"bash", "sh", "shell", "zsh", "script", "system", "sx", SYSTEM})
"""Magics whose text is for a shell."""
SHELL_PROGRAMS: Final = frozenset({"bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/usr/bin/bash"})
PROGRAMS: Final = frozenset({"pip", "conda", "mamba", "micromamba", "uv", "poetry"})
"""Magics that run a program of that name."""
# Their body is Python like that of other cells.
_PYTHON_MAGICS: Final = frozenset(
    {"capture", "time", "timeit", "prun", "memit", "python", "python3", "pypy", "debug", "px", "local", "snakeviz", "scalene", "wandb", "wurlitzer"}
)  # fmt: skip
_FILE_MAGICS: Final = frozenset({"writefile", "file"})
# Databricks writes the language of a cell on its first line.
_LANGUAGES: Final = frozenset(
    {"sql", "md", "md-sandbox", "sh", "scala", "r", "fs", "html", "javascript", "latex", "markdown", "svg"}
)
_MEASURES: Final = frozenset({"time", "timeit", "prun", "memit", "lprun", "mprun"})
_MOST_NESTED: Final = 4

# What IPython takes off code that is pasted from a session.
_PROMPTED: Final = re.compile(r"\s*(?:>>>|In \[\d*\]:) ")
_PROMPTS: Final = re.compile(r"(?m)^[ \t]*(?:>>>|\.\.\.|In \[\d*\]:)(?:[ ]|$)")
_HEAD: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*")
_CELL_MAGIC: Final = re.compile(r"%%(?P<name>!|[A-Za-z_][\w.-]*)?(?P<line>[^\n]*)(?:\n|\Z)")
_LANGUAGE_LINE: Final = re.compile(r"%(?P<name>[a-z][\w-]*)(?P<line>[ \t]*)\n")
_END: Final = re.compile(r"[^\n\\]*(?:\\[\s\S]?[^\n\\]*)*")
_INDENT: Final = re.compile(r"[ \t]*")
_MAGIC: Final = re.compile(r"%(?P<name>[A-Za-z_][\w.-]*)[ \t]*")
_ASSIGNED: Final = re.compile(r"[A-Za-z_][\w.,\[\]'\" \t*]{0,200}?=[ \t]*(?=!(?!=)|%[A-Za-z_])")
# ?x and x? tell about x; ,f a and /f a call f.
_HELP: Final = re.compile(r"(?:\?[^\n]*|%{0,2}[A-Za-z_*][\w.*\[\]'\"-]*\?{1,2}[ \t;]*(?:#[^\n]*)?|[,;/][A-Za-z_][^\n]*)(?=\n|\Z)")
# Without its sign; none of these is Python.
_AUTOMATIC: Final = re.compile(
    r"(?P<name>pip|conda|mamba|uv)3?[ \t]+(?=(?:install|uninstall|create|pip|add|sync|list|show|freeze|config|download)\b(?![ \t]*[=(.,\[]))"
)
# In a cell of one line IPython takes these for itself, too.
_ALIAS: Final = re.compile(
    r"(?P<name>cd|ls|ll|cat|cp|mv|rm|mkdir|rmdir|less|more|man)[ \t]+(?![=(.,\[+*%<>|&^:]|-[ \t]|(?:if|in|is|and|or|not)\b)"
)
_OPTIONS: Final = re.compile(r"(?:-[A-Za-z]+(?:[ \t]*\d+)?[ \t]+)*")
# %run -i train.py --epochs 3
_RUNS: Final = re.compile(r"(?:[ \t]*-(?:[indeGp]|[tN][ \t]*\d+)(?=[ \t]))*[ \t]*(?=-m[ \t]|(?P<file>[^\s\"']))")
_NOTEBOOK: Final = re.compile(r"\S+\.ipynb\b")
# %%writefile -a "run.sh"
_PATH: Final = re.compile(r"(?:[ \t]*(?:-a|--append)(?=[ \t]))?[ \t]*[\"']?(?P<path>[^\s\"']+)")
_SUPPRESSES: Final = re.compile(r"(?<=\s)#[ \t]*spark-lint:[^\n]*\Z")
_TOKEN: Final = re.compile(
    r'"""[^"\\]*(?:(?:\\[\s\S]?|"(?!""))[^"\\]*)*(?:"""|\Z)'
    r"|'''[^'\\]*(?:(?:\\[\s\S]?|'(?!''))[^'\\]*)*(?:'''|\Z)"
    r'|"[^"\\\n]*(?:\\[\s\S]?[^"\\\n]*)*"?'
    r"|'[^'\\\n]*(?:\\[\s\S]?[^'\\\n]*)*'?"
    r"|#[^\n]*|\\[\s\S]?|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<line>\n)|[^\"'#\\()\[\]{}\n]+"
)


class Line(NamedTuple):
    """A command or magic.

    name: without its sign; `!` for a command. sign: where that is written. rest: what follows on the line. body: the lines below it,
    where those are its own.
    """

    name: str
    sign: Text
    rest: Text
    body: Text | None = None


class File(NamedTuple):
    """A file that a cell writes: its name, and what is in it."""

    path: Text
    text: Text


@dataclass(slots=True)
class Code:
    """The code of a cell. python: as Python. lines: the commands and magics in it, in order. pure: there is nothing else in it.

    file: what the cell writes instead of running it.
    """

    python: Text
    lines: list[Line] = field(default_factory=list)
    pure: bool = True
    file: File | None = None


def translated(text: Text, command: Callable[[Text], Text] | None = None) -> Code:
    """The code of a cell. Code of another language than Python and the shell's is left out.

    command: what else is to be done to the text of each command.
    """
    text = text.without(_PROMPTS) if _PROMPTED.match(text.value) else text
    code = Code(text[:0])
    parts: list[Text] = [text[:0]]
    _Translator(code, parts, command).cell(text, 0)
    code.python = Text.join(parts)
    return code


class _Translator:
    def __init__(self, code: Code, parts: list[Text], command: Callable[[Text], Text] | None) -> None:
        self._code = code
        self._parts = parts
        self._command = command

    def cell(self, text: Text, depth: int) -> None:
        head = _HEAD.match(text.value)
        at = head.end() if head else 0
        magic = _CELL_MAGIC.match(text.value, at)
        if magic is None:
            magic = _LANGUAGE_LINE.match(text.value, at)
            magic = magic if magic and magic["name"] in _LANGUAGES else None
        if magic is None:
            self._python(_dedented(text, at))
            return
        self._kept(text[:at])
        name, body = magic["name"] or "", text[magic.end() :]
        line = text[magic.start("line") : magic.end("line")]
        words = line.value.split()
        if name == "script" and words:
            # `%%script false` switches a cell off.
            name = next((word for word in words if not word.startswith("-")), "")
            name = "bash" if name in SHELL_PROGRAMS else "python" if re.fullmatch(r"(?:\S*/)?python[\d.]*", name) else "?"
        if name in _PYTHON_MAGICS and depth < _MOST_NESTED:
            self._parts.append(text[magic.end() - 1 : magic.end()] if magic[0].endswith("\n") else text[:0])
            self.cell(body, depth + 1)
        elif name in _FILE_MAGICS:
            self._file(line, body)
        elif name in SHELL_MAGICS:
            body = self._command(body) if self._command else body
            sign = text[magic.start() : magic.start("line")]
            self._code.lines.append(Line(name, sign.as_value(name), line, body))
            self._call(sign, "run_cell_magic", name, [line, body])

    def _kept(self, head: Text) -> None:
        """What stands above a cell's magic: comments."""
        self._parts.append(head[: len(head.value.rstrip(" \t"))])

    def _file(self, line: Text, body: Text) -> None:
        path = _PATH.match(line.value)
        if path is not None:
            self._code.file = File(line[path.start("path") : path.end("path")], body)

    def _python(self, text: Text) -> None:
        """Python with commands and magics where statements begin."""
        value, at, kept = text.value, 0, 0
        single = "\n" not in value.strip()
        while at < len(value):
            start = at + len(_INDENT.match(value, at)[0])  # type: ignore[index]  # it matches everywhere
            stop = self._escaped(text, start, kept, single=single)
            if stop is not None:
                at = kept = stop
                continue
            at = self._statement(value, start)
        self._parts.append(text[kept:])

    def _statement(self, value: str, at: int) -> int:
        """Where the next logical line begins."""
        depth = 0
        says = False
        for token in _TOKEN.finditer(value, at):
            if token["open"]:
                depth += 1
            elif token["close"]:
                depth = max(0, depth - 1)
            elif token["line"]:
                if depth == 0:
                    self._code.pure = self._code.pure and not says
                    return token.end()
                continue
            says = says or (token[0][0] != "#" and bool(token[0].strip()))
        self._code.pure = self._code.pure and not says
        return len(value)

    def _escaped(self, text: Text, start: int, kept: int, *, single: bool) -> int | None:
        """Translate the line at `start`, if it is IPython's; where the next one begins. kept: what is taken over as it is so far."""
        value = text.value
        sign = value[start : start + 1]
        assigned = None
        if sign not in ("!", "%", "?", ",", ";", "/"):
            assigned = _ASSIGNED.match(value, start) if sign.isidentifier() else None
            if assigned is None:
                return self._unsigned(text, start, kept, single=single)
        at = assigned.end() if assigned else start
        self._parts.append(text[kept:at])
        line = _END.match(value, at)
        stop = line.end() if line else len(value)
        if value[at] == "!":
            behind = at + 1 + (value[at + 1 : at + 2] == "!")
            self._line(text[at:behind], SYSTEM, text[behind:stop], "getoutput" if assigned else "system")
            return stop
        magic = _MAGIC.match(value, at)
        if magic is None or _HELP.match(value, at):
            ends = value.find("\n", at)
            stop = len(value) if ends < 0 else ends
            self._parts.append(text[at:stop].as_value("pass" if stop > at else ""))
            return stop
        if magic["name"] in _MEASURES:
            return self._measured(text, magic, stop)
        self._line(text[at : magic.end()], magic["name"], text[magic.end() : stop])
        return stop

    def _measured(self, text: Text, magic: re.Match[str], stop: int) -> int:
        """`%time f(x)`: the statement behind it, which may be a command again."""
        begin, more = magic.end(), True
        while more:
            options = _OPTIONS.match(text.value, begin)
            begin = min(stop, options.end() if options else begin)
            again = _MAGIC.match(text.value, begin)
            more = again is not None and again["name"] in _MEASURES
            begin = again.end() if again and more else begin
        if not text.value[begin:stop].strip():
            self._parts.append(text[magic.start() : stop].as_value("pass"))
            return stop
        if (end := self._escaped(text, begin, begin, single=False)) is not None:
            return end
        end = self._statement(text.value, begin)
        self._parts.append(text[begin:end])
        return end

    def _unsigned(self, text: Text, start: int, kept: int, *, single: bool) -> int | None:
        """`pip install x`, and `x?`."""
        value = text.value
        line = _END.match(value, start)
        stop = line.end() if line else len(value)
        if found := _AUTOMATIC.match(value, start):
            self._parts.append(text[kept:start])
            self._line(text[start : found.end()], found["name"], text[found.end() : stop])
            return stop
        if single and (alias := _ALIAS.match(value, start)):
            self._parts.append(text[kept:start])
            moves = alias["name"] == "cd"
            begin = alias.end() if moves else start
            self._line(text[start : alias.end()], "cd" if moves else SYSTEM, text[begin:stop])
            return stop
        if _HELP.match(value, start):
            ends = value.find("\n", start)
            stop = len(value) if ends < 0 else ends
            self._parts += [text[kept:start], text[start:stop].as_value("pass")]
            return stop
        return None

    def _line(self, sign: Text, name: str, rest: Text, method: str = "run_line_magic") -> None:
        comment = _SUPPRESSES.search(rest.value)
        behind = rest[comment.start() :] if comment else None
        rest = rest[: comment.start()] if comment else rest
        rest = self._command(rest) if self._command else rest
        line = as_command(Line(name, sign.as_value(name), rest))
        self._code.lines.append(line)
        if line.name == SYSTEM:
            self._call(sign, "getoutput" if method == "getoutput" else "system", "", [line.rest])
        else:
            self._call(sign, method, name, [line.rest])
        if behind is not None:
            self._parts += [behind[:0].as_value("  "), behind]

    def _call(self, sign: Text, method: str, name: str, words: list[Text]) -> None:
        self._parts += [sign[:0].as_value(f"get_ipython().{method}("), *([sign.as_value(repr(name))] if name else [])]
        for number, word in enumerate(words):
            self._parts += [word[:0].as_value(", ")] if name or number else []
            self._parts += _literal(word)
        self._parts.append(words[-1][len(words[-1].value) :].as_value(")"))


def as_command(line: Line) -> Line:
    """`%pip install x` and `%run x.py` as the commands that they are; any other line as it is."""
    name, rest = line.name, line.rest
    if name == "run" and (runs := _RUNS.match(rest.value)) and not _NOTEBOOK.match(rest.value, runs.end()):
        name, rest = "python", rest[runs.end() :]
    elif name not in PROGRAMS:
        return line
    return Line(SYSTEM, line.sign, Text.join([line.sign.as_value(name), rest[:0].as_value(" "), rest]))


def _literal(text: Text) -> list[Text]:
    """A text as a Python literal: raw, so that it reads as it is written. The blank at its end keeps its last sign from ending it."""
    text = text[: len(text.value.rstrip("\\"))]
    for quotes in ("'''", '"""'):
        if quotes not in text.value:
            return [text[:0].as_value(f"r{quotes}"), text, text[len(text.value) :].as_value(f" {quotes}")]
    return [text.as_value(repr(text.value + " "))]


def _dedented(text: Text, at: int) -> Text:
    """The code without the indentation that all of a cell has, as IPython takes it off."""
    begin = text.value.rfind("\n", 0, at) + 1
    indent = text.value[begin:at]
    if not indent:
        return text
    parts, start = [], 0
    for line in text.value.splitlines(keepends=True):
        skipped = len(indent) if line.startswith(indent) else 0
        parts.append(text[start + skipped : start + len(line)])
        start += len(line)
    return Text.join(parts)
