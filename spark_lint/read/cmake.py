"""CMake files: the variables and properties they set, the programs they run, and the tests under which they do.

A variable is known where all the commands that set it say to what; what `list(APPEND …)` adds to it is a fact of its own. CMake's other
commands are calls by the name `cmake.…`. Generator expressions are unknown, but for those that choose by language or configuration,
whose content counts: https://cmake.org/cmake/help/latest/manual/cmake-generator-expressions.7.html, read 2026-11.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from spark_lint.facts import Argument as Given
from spark_lint.facts import Assign, Call, Command, Condition, Context, EnvVar, Fact, ParseProblem, Read
from spark_lint.read.cmake_syntax import PARENTHESIS, QUOTED, UNQUOTED, Argument, Invocation, invocations
from spark_lint.read.cmake_values import Conditions, Variables, Write, set_otherwise, written
from spark_lint.read.expansion import DEEPEST, TOO_DEEP
from spark_lint.text import UNKNOWN, Source, Span, Text

_MOST_BRANCHES: Final = 20
"""Branches of one `if` that are remembered as not taken."""
_LONGEST_TEST: Final = 300
_LONGEST_WRITTEN: Final = 300
_LONGEST_NAME: Final = 80
_MOST_OWNERS: Final = 4
_WORDS: Final = {"NOT": "not", "AND": "and", "OR": "or"}
_CONTROL: Final = frozenset({"while", "endwhile", "foreach", "endforeach", "endfunction", "endmacro", "function", "macro"})
_ENVIRONMENT: Final = re.compile(r"ENV\{(\w+)\}")
_OF_LANGUAGE: Final = r"\$<(?:COMPILE_LANGUAGE|COMPILE_LANG_AND_ID|CONFIG):[^<>$]*>"
_GENERATOR: Final = re.compile(
    rf"(?P<kept>\$<(?:{_OF_LANGUAGE}|\$<(?:AND|OR):(?:{_OF_LANGUAGE},?)+>|BUILD_INTERFACE|BUILD_LOCAL_INTERFACE|1):)|\$<|>"
)
_OPTIONS: Final = {"target_compile_options": 1, "add_compile_options": 0, "add_definitions": 0}
"""Commands that are given flags for the compiler, and how many words stand before them."""
_SCOPES: Final = ("PUBLIC", "PRIVATE", "INTERFACE", "BEFORE", "SYSTEM", "AFTER")
_OWNERS: Final = (
    "GLOBAL",
    "DIRECTORY",
    "TARGET",
    "SOURCE",
    "INSTALL",
    "TEST",
    "CACHE",
    "APPEND",
    "APPEND_STRING",
    "TARGET_DIRECTORY",
)
_RUNS: Final = frozenset({"execute_process", "add_custom_command", "add_custom_target"})
# What ends the words of a COMMAND: cmake.org/cmake/help/latest/command/execute_process.html, …/add_custom_command.html, …/add_custom_target.html
_ENDS: Final = frozenset(
    {"COMMAND", "WORKING_DIRECTORY", "TIMEOUT", "RESULT_VARIABLE", "RESULTS_VARIABLE", "OUTPUT_VARIABLE", "ERROR_VARIABLE", "INPUT_FILE",
     "OUTPUT_FILE", "ERROR_FILE", "OUTPUT_QUIET", "ERROR_QUIET", "COMMAND_ECHO", "OUTPUT_STRIP_TRAILING_WHITESPACE",
     "ERROR_STRIP_TRAILING_WHITESPACE", "ECHO_OUTPUT_VARIABLE", "ECHO_ERROR_VARIABLE", "ENCODING", "COMMAND_ERROR_IS_FATAL", "DEPENDS",
     "MAIN_DEPENDENCY", "BYPRODUCTS", "IMPLICIT_DEPENDS", "COMMENT", "DEPFILE", "JOB_POOL", "JOB_SERVER_AWARE", "VERBATIM", "APPEND",
     "USES_TERMINAL", "COMMAND_EXPAND_LISTS", "SOURCES", "DEPENDS_EXPLICIT_ONLY", "CODEGEN"}
)  # fmt: skip


def read(source: Source) -> Iterator[Read]:
    """The facts of a CMake file. What CMake would refuse is a problem, and what stands before it is read."""
    commands: list[tuple[Invocation, Conditions]] = []
    problems: list[ParseProblem] = []
    for each in _under_tests(invocations(source)):
        if isinstance(each, ParseProblem):
            problems.append(each)
        else:
            commands.append(each)
    writes = [write for command, tests in commands if (write := written(command, tests)) is not None]
    otherwise = {each.text.value for command, _ in commands for each in set_otherwise(command)}
    variables = Variables(writes, otherwise)
    for command, tests in commands:
        yield from _facts(command, tests, variables)
    yield from problems


def _under_tests(found: Iterable[Invocation | ParseProblem]) -> Iterator[tuple[Invocation, Conditions] | ParseProblem]:
    """The commands other than `if` and its like, each with the tests around it."""
    stack: list[tuple[Conditions, Conditions]] = []  # of each `if`: the tests around it, and those of its branches
    now: Conditions = ()
    told = False
    for each in found:
        if isinstance(each, ParseProblem):
            yield each
        elif each.name == "if":
            test = _condition(each.arguments)
            stack.append((now, (test,)))
            if len(stack) <= DEEPEST:
                now = (*now, test)
            elif not told:
                told = True
                yield ParseProblem(each.place.span, TOO_DEEP)
        elif each.name in ("elseif", "else") and stack:
            around, before = stack[-1]
            refused = tuple(Condition(test.text, not test.negated) for test in before[:_MOST_BRANCHES])
            own = (_condition(each.arguments),) if each.name == "elseif" else ()
            stack[-1] = around, (*before, *own) if len(before) < _MOST_BRANCHES else before
            if len(stack) <= DEEPEST:
                now = (*around, *refused, *own)
        elif each.name == "endif":
            now = stack.pop()[0] if stack else now
        elif len(stack) <= DEEPEST:
            yield each, now


def _condition(arguments: Iterable[Argument]) -> Condition:
    """A test as written, with its words `not`, `and` and `or` as other languages spell them."""
    parts, length = [], 0
    for each in arguments:
        word = each.text.written if each.kind in (UNQUOTED, PARENTHESIS) else f'"{each.text.written}"'
        parts.append(_WORDS.get(word, word))
        length += len(word) + 1
        if length > _LONGEST_TEST:
            break
    return Condition(" ".join(parts)[:_LONGEST_TEST])


def _facts(command: Invocation, tests: Conditions, variables: Variables) -> Iterator[Fact]:
    name, given, context = command.name, command.arguments, Context(conditions=tests)
    if name in _CONTROL:
        return
    write = written(command, tests)
    variable = _ENVIRONMENT.fullmatch(given[0].text.value) if name == "set" and given else None
    if variable is not None:
        yield from _environment(variable[1], command, context, variables)
    elif write is not None:
        yield _assigned(write, context, variables)
    elif name in ("set", "option", "list", "string"):
        yield from _changed(command, context, variables)
    elif name in ("set_target_properties", "set_source_files_properties", "set_property"):
        yield from _properties(command, context, variables)
    elif name in _OPTIONS:
        values = [each for each in given[_OPTIONS[name] :] if not each.is_word(*_SCOPES)]
        yield from _property(_named(given[: _OPTIONS[name]], "COMPILE_OPTIONS"), None, values, context, variables)
    else:
        yield _call(command, context, variables)
        yield from _changed(command, context, variables)
        if name in _RUNS:
            yield from _commands(command, context, variables)


def _assigned(write: Write, context: Context, variables: Variables) -> Assign:
    """A variable that is set, or what is added to one that the file does not set anew."""
    name = write.name.text.value
    place = _reach([write.name, *write.values])
    return Assign(
        name=name, value=variables.value(write), kind="variable" if variables.starts(name) else "added", span=place.span,
        origin=_origin(variables.texts(write.values, context.conditions), place.span), written=_shown(place), context=context,
    )  # fmt: skip


def _changed(command: Invocation, context: Context, variables: Variables) -> Iterator[Assign]:
    """The variables of the file that a command sets to what cannot be known."""
    for each in set_otherwise(command):
        if each.text.value in variables.names:
            span = each.text.span
            yield Assign(
                name=each.text.value, value=UNKNOWN, kind="variable", span=span, origin=span, written=_shown(command.place),
                context=context,
            )  # fmt: skip


def _environment(name: str, command: Invocation, context: Context, variables: Variables) -> Iterator[EnvVar]:
    texts = variables.texts(command.arguments[1:2], context.conditions)
    if texts:
        place = _reach(command.arguments[:2])
        yield EnvVar(
            name=name,
            value=texts[0].value,
            span=place.span,
            origin=_origin(texts, place.span),
            written=_shown(place),
            context=context,
        )


def _properties(command: Invocation, context: Context, variables: Variables) -> Iterator[Assign]:
    """`set_target_properties(a b PROPERTIES X 1 Y 2)`, `set_property(TARGET a APPEND PROPERTY X 1 2)`."""
    mark = "PROPERTY" if command.name == "set_property" else "PROPERTIES"
    at = next((at for at, each in enumerate(command.arguments) if each.is_word(mark)), None)
    words = command.arguments[at + 1 :] if at is not None else ()
    whose = [each for each in command.arguments[:at] if not each.is_word(*_OWNERS)]
    if command.name == "set_property":
        pairs = [(words[0], words[1:])] if words else []
    else:
        pairs = [(name, (value,)) for name, value in zip(words[::2], words[1::2], strict=False)]
    for name, values in pairs:
        yield from _property(_named(whose, name.text.value), name, values, context, variables)


def _named(whose: Sequence[Argument], name: str) -> str:
    """A property by its name and that of the targets or files that have it."""
    return ".".join([*(each.text.value[:_LONGEST_NAME] for each in whose[:_MOST_OWNERS]), name])


def _property(
    name: str, place: Argument | None, values: Sequence[Argument], context: Context, variables: Variables
) -> Iterator[Assign]:
    texts = list(_without_generators(variables.texts(values, context.conditions)))
    if texts:
        whole = _reach([place, *values] if place else values)
        yield Assign(
            name=name, value=";".join(each.value for each in texts), kind="property", span=whole.span,
            origin=_origin(texts, whole.span), written=_shown(whole), context=context,
        )  # fmt: skip


def _without_generators(texts: Iterable[Text]) -> Iterator[Text]:
    """Texts with the content of generator expressions that choose by language or configuration, and UNKNOWN for the others.

    One may begin in one argument and end in another.
    """
    kept = lost = 0
    for text in texts:
        parts, at = [], 0
        for match in _GENERATOR.finditer(text.value):
            if lost:
                lost += -1 if match[0] == ">" else 1
                at = match.end()
                continue
            if match["kept"] is None and match[0] == ">" and not kept:
                continue
            parts.append(text[at : match.start()])
            at = match.end()
            if match["kept"] is not None:
                kept += 1
            elif match[0] == ">":
                kept -= 1
            else:
                parts.append(text[match.start() : at].as_value(UNKNOWN))
                lost = 1
        if not lost:
            parts.append(text[at:])
        found = Text.join(parts) if parts else None
        if found is not None and found.value:
            yield found


def _call(command: Invocation, context: Context, variables: Variables) -> Call:
    values = _without_generators(variables.texts(command.arguments, context.conditions))
    arguments = tuple(Given("", each.value, each.span, _origin([each], each.span), _shown(each)) for each in values)
    span = command.place.span
    return Call(
        name=f"cmake.{command.name}", arguments=arguments, span=span, origin=span, written=_shown(command.place), context=context
    )


def _commands(command: Invocation, context: Context, variables: Variables) -> Iterator[Command]:
    """The programs that are run while CMake configures (`execute_process`) or builds."""
    words: list[Argument] | None = None
    lines: list[list[Argument]] = []
    for each in command.arguments:
        if each.is_word("COMMAND"):
            words = []
            lines.append(words)
        elif each.is_word(*_ENDS):
            words = None
        elif words is not None and not (each.is_word("ARGS") and len(words) == 1):
            words.append(each)
    for line in lines:
        texts = list(_without_generators(variables.texts(line, context.conditions)))
        if texts:
            place = _reach(line)
            program = texts[0].value.rpartition("/")[2] if texts[0].known else UNKNOWN
            yield Command(
                name=program, words=tuple(texts), exec_form=True, span=place.span, origin=place.span, written=_shown(place),
                context=context,
            )  # fmt: skip


def _reach(arguments: Sequence[Argument]) -> Text:
    """From one argument to the last of them, quotes and all."""
    first, last = arguments[0].text, arguments[-1].text
    source = first.source
    start, stop = first.bounds()[0], last.bounds()[1]
    return Text.of(source, start - (arguments[0].kind == QUOTED), stop + (arguments[-1].kind == QUOTED))


def _shown(place: Text) -> str:
    return place[:_LONGEST_WRITTEN].written


def _origin(texts: Iterable[Text], place: Span) -> Span:
    """Where a value is written: at the variable, where all of it is taken from one, else in its own place."""
    pieces = [piece for each in texts for piece in each.pieces if each.value]
    return (pieces[0].origin if pieces and all(piece.origin for piece in pieces) else None) or place
