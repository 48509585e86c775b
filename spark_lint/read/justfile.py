"""justfiles: the commands of the recipes, as the shell gets them, and the environment that just gives to them.

Which recipe is asked for is not in the file: each counts, under the condition `target NAME`. Defaults of variables, of parameters and
of `env('A', 'b')` are values. How just reads a file: https://just.systems/man/en/ and
https://github.com/casey/just/blob/master/GRAMMAR.md
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from spark_lint.facts import Code, Condition, Context, EnvVar, ParseProblem, Read
from spark_lint.kinds import PYTHON, kind_of
from spark_lint.read.expansion import TOO_MUCH, Budget, joined_path
from spark_lint.read.just_values import Expressions
from spark_lint.read.make_lines import logical, stripped
from spark_lint.read.recipes import Lines, asked_for, is_posix
from spark_lint.read.shell_tests import Conditions
from spark_lint.text import UNKNOWN, Source, Text

_CARRIAGE_RETURN: Final = re.compile("\r(?=\n)")
_NAME: Final = r"[A-Za-z_][\w-]*"
_ASSIGNMENT: Final = re.compile(rf"(export\s+)?({_NAME})\s*:=\s*")
_SETTING: Final = re.compile(r"set\s+([\w-]+)\s*(?::=\s*)?")
_HEADER: Final = re.compile(rf"@?({_NAME})(?=[\s:])")
# The last is a function of one's own: https://just.systems/man/en/user-defined-functions.html
_OTHER: Final = re.compile(rf"(?:alias|import\??|mod\??|unexport|eager|lazy)(?=\s)|{_NAME}\([^()\n]*\)\s*:=")
_PARAMETER: Final = re.compile(rf"\s*[*+]?(\$?)({_NAME})\s*(=)?\s*")
_ATTRIBUTES: Final = re.compile(r"\[((?:'[^']*'|\"[^\"]*\"|[^\]'\"])*)\]")
_ATTRIBUTE: Final = re.compile(rf"({_NAME})(?:\(([^)]*)\)|:\s*([^,\]]*))?")
_QUOTED: Final = (
    r"'''(?:(?!''').)*'''|\"\"\"(?:(?!\"\"\").)*\"\"\"|```(?:(?!```).)*```|'[^']*'|(?<!\\)\"(?:\\.|[^\"\\])*\"|`[^`]*`"
)
_COMMENT: Final = re.compile(rf"{_QUOTED}|(#[^\n]*)", re.DOTALL)
# A string may go on over several lines.
_STATEMENT: Final = re.compile(rf"(?:{_QUOTED}|#[^\n]*|[^\n])*", re.DOTALL)
# Comments, and what ends a list or a block that was begun on a line before.
_NOTHING: Final = ("#", "}", ")")
_SYSTEMS: Final = frozenset({"linux", "macos", "windows", "unix", "openbsd", "freebsd", "netbsd", "dragonfly", "android"})
_QUOTES: Final = re.compile("[\"']")
_STRING: Final = re.compile(r"\"((?:\\.|[^\"\\])*)\"|'([^']*)'")
_HEAD: Final = 128
_MOST_PROBLEMS: Final = 20
_MOST_PARAMETERS: Final = 50


def read(source: Source) -> Iterator[Read]:
    """The facts of a justfile, in its order."""
    yield from _Justfile(Text.of(source).without(_CARRIAGE_RETURN)).reads()


@dataclass(slots=True)
class _Recipe:
    """A recipe. header: its parameters and what it depends on. attributes: those above it, with their arguments. lines: its body, with the indentation."""

    name: Text
    header: Text
    attributes: list[tuple[str, str]]
    lines: list[Text] = field(default_factory=list)


@dataclass(slots=True)
class _Variable:
    written: Text
    name: str
    value: Text
    exported: bool


class _Justfile:
    """Reads a file line by line, and then works out what its recipes say."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._budget = Budget()
        self._found: list[_Recipe | _Variable | ParseProblem] = []
        self._settings: dict[str, Text] = {}
        self._attributes: list[tuple[str, str]] = []
        self._lines = Lines(self._budget)
        self._problems = 0
        self._parse()
        self._variables = {each.name: each.value for each in self._found if isinstance(each, _Variable)}
        self._values = Expressions(self._variables.get, self._budget)

    # The lines, from top to bottom.

    def _parse(self) -> None:
        recipe: _Recipe | None = None
        behind = 0
        for start, stop in logical(self._text.value):
            line = self._text[start:stop]
            if start < behind:
                continue
            if line.value[:1] in (" ", "\t") or (recipe is not None and not line.value):
                if recipe is not None:
                    recipe.lines.append(line)
            elif line.value and not line.value.startswith(_NOTHING):
                whole = _STATEMENT.match(self._text.value, start)
                behind = whole.end() if whole else stop
                recipe = self._statement(stripped(self._text[start : max(stop, behind)]))

    def _statement(self, line: Text) -> _Recipe | None:
        """One line that is not indented; the recipe that it begins."""
        value = line.value
        if value.startswith("["):
            listed = _ATTRIBUTES.match(value)
            self._attributes += [(each[1], each[2] or each[3] or "") for each in _ATTRIBUTE.finditer(listed[1] if listed else "")]
            return None
        attributes, self._attributes = self._attributes, []
        if given := _ASSIGNMENT.match(value):
            self._found.append(_Variable(line, given[2], _without_comment(line[given.end() :]), given[1] is not None))
        elif setting := _SETTING.match(value):
            self._settings[setting[1]] = _without_comment(line[setting.end() :])
        elif (named := _HEADER.match(value)) and not _OTHER.match(value) and ":" in value:
            recipe = _Recipe(line[named.start(1) : named.end(1)], line[named.end() :], attributes)
            self._found.append(recipe)
            return recipe
        elif not _OTHER.match(value):
            self._problem(line, "neither a recipe nor a variable nor a setting of just")
        return None

    def _problem(self, place: Text, message: str) -> None:
        self._problems += 1
        if self._problems <= _MOST_PROBLEMS:
            self._found.append(ParseProblem(place[: len(place.value.partition("\n")[0])].span, message))

    # What it says.

    def _on(self, setting: str) -> bool:
        return setting in self._settings and self._settings[setting].value != "false"

    def reads(self) -> Iterator[Read]:
        """Everything the file says."""
        every = self._on("export")
        exported = [each for each in self._found if isinstance(each, _Variable) and (each.exported or every)]
        environment = {each.name: self._values.value(each.value) for each in exported}
        for each in self._found:
            if isinstance(each, ParseProblem):
                yield each
            elif isinstance(each, _Recipe):
                yield from self._recipe(each, environment)
            elif each.name in environment:
                value, span = environment[each.name], each.written.span
                yield EnvVar(name=each.name, value=value.value, span=span, origin=value.origin, written=each.written.written)
        if self._budget.left < 0:
            yield ParseProblem(self._text[:0].span, TOO_MUCH)

    def _recipe(self, recipe: _Recipe, environment: Mapping[str, Text]) -> Iterator[Read]:
        given, exported = self._parameters(recipe.header)
        attributes = dict(recipe.attributes)
        context = Context(conditions=self._conditions(recipe), workdir=self._folder(attributes))
        around = {**environment, **exported} if exported else environment
        lines = recipe.lines
        first = lines[0].value.strip() if lines else ""
        if first.startswith("#!") or "script" in attributes:
            yield from self._script(recipe, first, attributes.get("script", ""), context, given, around)
            return
        program = self._settings.get("shell")
        if program is not None and (named := _STRING.search(program.value)) and not is_posix(named[0]):
            return
        for line in lines:
            yield from self._lines.line(self._filled(stripped(line), given), context, around)

    def _script(
        self, recipe: _Recipe, first: str, program: str, context: Context, given: Mapping[str, Text], around: Mapping[str, Text]
    ) -> Iterator[Read]:
        """A recipe that is one script: for the program that its first line names, or its attribute (`[script('python3')]`)."""
        end = self._text[:0].as_value("\n")
        indentation = re.compile(rf"(?m)^{re.escape(_indentation(recipe.lines))}")
        parts = [part for line in recipe.lines for part in (self._filled(line, given), line[len(line.value) :].as_value("\n"))]
        text = Text.join(parts or [end]).without(indentation)
        words = f"#!{_QUOTES.sub('', program).replace(',', ' ')}" if program else first
        kind = kind_of("", words[:_HEAD].encode("utf-8", "replace")) if words.startswith("#!") else ""
        if is_posix(words) or (not kind and not first.startswith("#!") and not program):
            yield from self._lines.script(text, context, around)
        elif kind == PYTHON:
            span = text.span
            yield Code(name=PYTHON, text=text, span=span, origin=span, written=words[:_HEAD], context=context)

    def _conditions(self, recipe: _Recipe) -> Conditions:
        """That the recipe is asked for, and the systems that it is for: `[linux]`, `[macos]`, each of which is another way in."""
        systems = [name for name, _ in recipe.attributes if name in _SYSTEMS]
        here = "unix" in systems or "linux" in systems
        return (*asked_for([recipe.name]), *([] if here or not systems else [Condition(f"os in {'|'.join(systems)}")]))

    def _folder(self, attributes: Mapping[str, str]) -> str:
        """Where a recipe runs, seen from the folder of the file."""
        own = attributes.get("working-directory")
        setting = self._settings.get("working-directory")
        folder = "" if setting is None else self._values.value(setting).value
        return folder if own is None else joined_path(folder, _QUOTES.sub("", own).strip())

    def _parameters(self, header: Text) -> tuple[dict[str, Text], dict[str, Text]]:
        """The values of a recipe's parameters: their defaults, or UNKNOWN; those of them that are exported (`$A`)."""
        given: dict[str, Text] = {}
        exported: dict[str, Text] = {}
        at = 0
        for _ in range(_MOST_PARAMETERS):
            parameter = _PARAMETER.match(header.value, at)
            if parameter is None:
                break
            at = parameter.end()
            value = header[parameter.start(2) : parameter.end(2)].as_value(UNKNOWN)
            if parameter[3]:
                end = _end_of_value(header.value, at)
                value, at = self._values.value(header[at:end], given), end
            given[parameter[2]] = value
            if parameter[1]:
                exported[parameter[2]] = value
        return given, exported

    def _filled(self, line: Text, given: Mapping[str, Text]) -> Text:
        """A line with `{{ expressions }}` put in."""
        parts, at = [], 0
        for start, stop in _interpolations(line.value):
            site = line[start:stop]
            parts.append(line[at:start])
            at = stop
            if site.value == "{{{{":
                parts.append(site.as_value("{{"))
                continue
            value = self._values.value(line[start + 2 : stop - 2], given)
            parts.append(_at(site, value))
        return Text.join([*parts, line[at:]]) if parts else line


def _interpolations(value: str) -> Iterator[tuple[int, int]]:
    """Where `{{ expressions }}` stand, and each `{{{{`, which is two braces."""
    at = 0
    while (start := value.find("{{", at)) >= 0:
        if value.startswith("{{{{", start):
            at = start + 4
        elif (stop := value.find("}}", start + 2)) >= 0:
            at = stop + 2
        else:
            return  # nothing behind it is closed either; only the escapes are left, which no command needs
        yield start, at


def _at(site: Text, value: Text) -> Text:
    """A value in the place of the `{{…}}` around it: each part of it keeps the place where it is written, or its origin."""
    if value.value == UNKNOWN:
        return site.as_value(UNKNOWN)
    start, stop = site.bounds()
    pieces = tuple(piece._replace(start=start, stop=stop, exact=False) for piece in value.pieces)
    return Text(site.source, value.value, pieces)


def _without_comment(text: Text) -> Text:
    comment = next((match.start() for match in _COMMENT.finditer(text.value) if match[1]), len(text.value))
    return stripped(text[:comment])


def _end_of_value(value: str, at: int) -> int:
    """Where the default of a parameter ends: behind a string, a name, or a parenthesis."""
    depth = 0
    for match in re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|[()]|[:\s]|[^'\"`()\s:]+").finditer(value, at):
        depth += (match[0] == "(") - (match[0] == ")")
        if depth == 0 and (match[0].isspace() or match[0] == ":"):
            return match.start()
    return len(value)


def _indentation(lines: list[Text]) -> str:
    first = next((line.value for line in lines if line.value.strip()), "")
    return first[: len(first) - len(first.lstrip())]
