"""Requirements and constraints files, line by line as pip takes them apart.

The options are those of pip-requirements-parser, and its parser judges them. Lines, words and requirements are split here: that
library knows no columns, reads from disk, follows `-r`, and refuses lines that pip takes (`tensorrt --extra-index-url URL`).
"""

import re
from collections.abc import Iterator
from functools import cache
from optparse import OptionParser, Values
from typing import Final

from pip_requirements_parser import LEGACY_OPTIONS, OptionParsingError, build_parser

from spark_lint.facts import Context, Include, ParseProblem, Read
from spark_lint.read.requirement import fault, index, project, project_extras, requirement
from spark_lint.read.requirements_via import with_askers
from spark_lint.text import UNKNOWN, Source, Text

_ANYWHERE: Final = Context()

_INDEXES = {"index_url": "index", "extra_index_urls": "extra-index", "find_links": "find-links"}
_FILES = {"requirements": "requirement", "constraints": "constraint"}

# What fills in the file before pip sees it (Jinja, envsubst), and the variables that pip itself replaces (`${TOKEN}`).
_STATEMENT = re.compile(r"\{%[^{}]*%\}|\{#[^{}]*#\}")
_EXPRESSION = re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|\$\w+|\{[\w.:]+\}")
_TEMPLATE_SIGNS = ("{{", "}}", "{%", "%}", "{#", "#}")

_COMMENT = re.compile(r"(?<!\S)#")
# The lock of a chart's dependencies, as Helm 2 called it (helm.sh/docs/topics/v2_v3_migration).
_OF_HELM = re.compile(r"dependencies:\s*\n", re.IGNORECASE)
_FIRST_OPTION = re.compile(r"(?:^| )(?=-)")
# Words as the shlex module splits them.
_WORD = re.compile(r"""(?:[^\s"'\\]+|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+""", re.DOTALL)
_KEPT = re.compile(r"""\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"'\\]+)""", re.DOTALL)


def read(source: Source) -> Iterator[Read]:
    """The packages, indexes and further files that a requirements file names, and a problem for each line that pip refuses."""
    yield from requirements(Text.of(source))


def requirements(text: Text, context: Context = _ANYWHERE) -> Iterator[Read]:
    """As `read`, for a requirements file that stands inside another file, such as a here-document."""
    yield from with_askers(_requirements(text, context), text)


def _requirements(text: Text, context: Context) -> Iterator[Read]:
    if _OF_HELM.match(text.value):
        return
    for line in _lines(text):
        is_template = any(sign in line.value for sign in _TEMPLATE_SIGNS)
        for fact in _facts(_plain(line), context):
            if not (is_template and isinstance(fact, ParseProblem)):
                yield fact


def _lines(text: Text) -> Iterator[Text]:
    """The lines that say something, those that end in a backslash joined with the next; a comment ends such a chain."""
    at = 0
    parts: list[Text] = []
    for physical in text.value.splitlines(keepends=True):
        line = physical.splitlines()[0]
        is_comment = line.lstrip().startswith("#")
        continues = line.endswith("\\") and not is_comment
        if line.strip() and not is_comment:
            parts.append(text[at : at + len(line.rstrip("\\"))])
        at += len(physical)
        if parts and not continues:
            yield Text.join(parts)
            parts = []
    if parts:
        yield Text.join(parts)


def _plain(line: Text) -> Text:
    """A line without its comment and the blanks around it; template statements are cut out, and what they print is unknown."""
    if "{" in line.value or "$" in line.value:
        line = _replaced(_replaced(line, _STATEMENT, ""), _EXPRESSION, UNKNOWN)
    if comment := _COMMENT.search(line.value):
        line = line[: comment.start()]
    return _stripped(line)


def _replaced(line: Text, pattern: re.Pattern[str], value: str) -> Text:
    parts, at = [], 0
    for found in pattern.finditer(line.value):
        parts += [line[at : found.start()], line[found.start() : found.end()].as_value(value)]
        at = found.end()
    return Text.join([part for part in (*parts, line[at:]) if part.value] or [line[:0]]) if at else line


def _stripped(text: Text) -> Text:
    start = len(text.value) - len(text.value.lstrip())
    return text[start : len(text.value.rstrip())]


def _facts(line: Text, context: Context) -> Iterator[Read]:
    """A requirement with options of its own, or options alone; pip splits before the first word that starts with a hyphen."""
    first = _FIRST_OPTION.search(line.value)
    wanted = _stripped(line[: first.start()] if first else line)
    if wanted.value:
        package = requirement(wanted, context=context)
        folder = None if package else project(wanted)
        if package:
            yield package
        elif folder:
            # Whether its files are linked or copied, it is the project there that is installed.
            yield Include("editable", folder, context, extras=project_extras(folder)[1])
        if reason := fault(wanted.value):
            yield ParseProblem(wanted.span, f"pip refuses this requirement: {reason}")
    if first:
        yield from _options(_stripped(line[first.end() :]), context, alone=not wanted.value)


def _options(text: Text, context: Context, *, alone: bool) -> Iterator[Read]:
    try:
        words = list(_words(text))
        values, rest = _parser().parse_args([_numbered(number, word.value) for number, word in enumerate(words)], Values())
    except (ValueError, OptionParsingError) as error:
        yield ParseProblem(text.span, f"pip refuses these options: {str(error.args[0]).rpartition('error: ')[2].strip()}")
        return
    if not alone:
        # pip reads the options that belong to a requirement (hashes) and ignores any other, an index too, without a word.
        return
    given = [(int(number), name) for name, numbers in vars(values).items() for number in _texts(numbers) if number.isdigit()]
    for number, name in sorted(given):
        value = _value(words[number])
        if not value.value:
            continue
        if role := _INDEXES.get(name):
            yield index(value, role, context)
        elif kind := _FILES.get(name):
            yield Include(kind, value, context)
        elif name == "editables":
            yield from _editable(value, context)
    for word in (words[int(number)] for number in rest if number.isdigit()):
        if requirement(word):
            yield ParseProblem(word.span, f"pip ignores `{word.written}` behind an option; it needs a line of its own")


def _editable(value: Text, context: Context) -> Iterator[Read]:
    """`-e .` is a project in a folder, `-e git+https://…#egg=name` a package."""
    if "://" not in value.value or value.value.startswith("file:"):
        yield Include("editable", value, context, extras=project_extras(value)[1])
    elif package := requirement(value, context=context):
        yield package


def _words(text: Text) -> Iterator[Text]:
    """The words of the options without their quotes. Raises ValueError where a quote or a backslash is left open."""
    at = 0
    for found in _WORD.finditer(text.value):
        if text.value[at : found.start()].strip():
            break
        at = found.end()
        word = text[found.start() : at]
        if any(sign in word.value for sign in "\"'\\"):
            # A backslash inside double quotes is kept: no address or path has one there.
            kept = (each.span(each.lastindex or 0) for each in _KEPT.finditer(word.value))
            word = Text.join([word[start:stop] for start, stop in kept])
        yield word
    if text.value[at:].strip():
        raise ValueError("a quotation mark or a backslash is left open")


@cache
def _parser() -> OptionParser:
    """The options of a requirements file, those that pip gained and lost since the library was made set right."""
    parser: OptionParser = build_parser()
    for option in LEGACY_OPTIONS:
        parser.remove_option(option().get_opt_string())
    parser.add_option("-C", "--config-settings", dest="config_settings", action="append")
    parser.add_option("--all-releases", "--only-final", dest="release_control", action="append")
    parser.add_option("--no-require-hashes", dest="no_require_hashes", action="store_true")
    return parser


def _numbered(number: int, word: str) -> str:
    """A word as the option parser gets it: with its number for the value, so that each value it hands out has a position."""
    if word.startswith("--"):
        name, equals, _ = word.partition("=")
        return f"{name}={number}" if equals else name
    return f"{word[:2]}{number}" if len(word) > 2 and word.startswith("-") else word if word.startswith("-") else str(number)


def _value(word: Text) -> Text:
    """The value in a word: `URL`, `--index-url=URL`, `-iURL`."""
    if word.value.startswith("--"):
        return word[word.value.index("=") + 1 :]
    return word[2:] if word.value.startswith("-") else word


def _texts(values: object) -> list[str]:
    return [value for value in (values if isinstance(values, list) else [values]) if isinstance(value, str)]
