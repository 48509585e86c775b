"""What CMake's variables hold: all the values that a file gives them, wherever that is certain."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from spark_lint.facts import Condition
from spark_lint.read.cmake_syntax import BRACKET, UNQUOTED, Argument, Invocation
from spark_lint.read.expansion import LONGEST, MOST_WORDS, Budget
from spark_lint.text import UNKNOWN, Span, Text

Conditions = tuple[Condition, ...]

_MOST_WRITES: Final = 50
"""Commands that set one variable; where there are more, its value is taken as unknown."""
_WORD: Final = re.compile(r"[A-Za-z_][\w.+/-]*")
_REFERENCE: Final = re.compile(r"\\(.)|(\$(?:ENV|CACHE)?\{)|(?<![\w@])@[A-Za-z_]\w*@", re.DOTALL)
_WORDS: Final = re.compile(r"[\w.+/-]+")
_BRACE: Final = re.compile(r"\$\w*\{|\}")
_NAME: Final = re.compile(r"\$(?:CACHE)?\{([\w.+/-]+)\}")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
_ENDS: Final = ("CACHE", "PARENT_SCOPE", "FORCE")

# Where CMake keeps the programs that it has found: cmake.org/cmake/help/latest/manual/cmake-variables.7.html and the modules
# FindPython3, FindPythonInterp, FindCUDAToolkit, FindCUDA.
_PROGRAMS: Final = {
    "CMAKE_COMMAND": "cmake", "CMAKE_CUDA_COMPILER": "nvcc", "CUDAToolkit_NVCC_EXECUTABLE": "nvcc", "CUDA_NVCC_EXECUTABLE": "nvcc",
    "Python_EXECUTABLE": "python3", "Python3_EXECUTABLE": "python3", "PYTHON_EXECUTABLE": "python3",
}  # fmt: skip

# Of list(), what only reads or shortens the list that it is given; and what adds to it, with the number of words before what is added.
_LIST_KEEPS: Final = frozenset(
    {"LENGTH", "GET", "JOIN", "SUBLIST", "FIND", "FILTER", "POP_BACK", "POP_FRONT", "REMOVE_ITEM", "REMOVE_AT", "REMOVE_DUPLICATES",
     "REVERSE", "SORT"}
)  # fmt: skip
_LIST_ADDS: Final = {"APPEND": 2, "PREPEND": 2, "INSERT": 3}
_READS: Final = frozenset(
    {"if", "elseif", "else", "endif", "while", "endwhile", "endforeach", "endfunction", "endmacro", "message", "mark_as_advanced", "unset",
     "return", "include", "project", "cmake_policy", "add_subdirectory", "target_link_libraries", "target_compile_definitions",
     "target_compile_options", "target_include_directories", "add_compile_options", "add_definitions", "add_library", "add_executable",
     "set_target_properties", "set_property", "install", "find_package", "enable_language"}
)  # fmt: skip
"""Commands that set none of the variables whose names they are given."""


@dataclass(frozen=True, slots=True)
class Write:
    """One command that sets a variable: its name, and what it is set to, as written; under which tests.

    texts: one behind another, not a list. whole: it replaces what the variable held.
    """

    name: Argument
    values: tuple[Argument, ...]
    conditions: Conditions
    texts: bool = False
    whole: bool = True


def written(invocation: Invocation, conditions: Conditions) -> Write | None:
    """What a command does to the variable that it sets, of the commands that say what to."""
    name, given = invocation.name, invocation.arguments
    if len(given) < 2:
        return None
    if name == "set" and _is_name(given[0]):
        values = given[1 : next((at for at, each in enumerate(given) if each.is_word(*_ENDS)), len(given))]
        return Write(given[0], values, conditions, whole=not _uses(values, given[0].text.value))
    if name == "option" and _is_name(given[0]):
        return Write(given[0], given[2:3], conditions)
    operation = given[0].text.value
    if name == "list" and operation in _LIST_ADDS and _is_name(given[1]):
        return Write(given[1], given[_LIST_ADDS[operation] :], conditions, whole=False)
    if name == "string" and operation in ("APPEND", "PREPEND", "CONCAT") and _is_name(given[1]):
        whole = operation == "CONCAT" and not _uses(given[2:], given[1].text.value)
        return Write(given[1], given[2:], conditions, texts=True, whole=whole)
    return None


def _is_name(argument: Argument) -> bool:
    return argument.kind == UNQUOTED and _WORD.fullmatch(argument.text.value) is not None


def _uses(values: Iterable[Argument], name: str) -> bool:
    return any(f"${{{name}}}" in each.text.value for each in values)


def set_otherwise(invocation: Invocation) -> Iterator[Argument]:
    """The variables that a command may set to what only running it would tell: `string(REPLACE . "" ARCHS "${LIST}")`."""
    name, given = invocation.name, invocation.arguments
    if name in _READS or name in ("set", "option"):
        return
    if name == "foreach":
        given = given[:1]
    elif name in ("function", "macro"):
        given = given[1:]
    elif name == "list" and given and given[0].text.value in _LIST_KEEPS:
        given = given[2:]
    elif (name == "list" and given and given[0].text.value in _LIST_ADDS) or (
        name == "string" and given and given[0].text.value in ("APPEND", "PREPEND", "CONCAT")
    ):
        return
    yield from (each for each in given if _is_name(each))


class Variables:
    """The variables of one file. writes: the commands that set them. otherwise: the names of those that something else sets too."""

    def __init__(self, writes: Iterable[Write], otherwise: Iterable[str]) -> None:
        self._writes: dict[str, list[Write]] = defaultdict(list)
        for write in writes:
            self._writes[write.name.text.value].append(write)
        self._begun = frozenset(name for name, each in self._writes.items() if any(write.whole for write in each))
        self._otherwise = frozenset(otherwise)
        self._required = {name: _required(name, each) for name, each in self._writes.items()}
        self._values: dict[str, tuple[str, Span | None]] = {}
        self._active: set[str] = set()
        self._budget = Budget()

    @property
    def names(self) -> Mapping[str, object]:
        """The variables that the file sets."""
        return self._writes

    def starts(self, name: str) -> bool:
        """Whether some command of the file sets a variable anew, instead of adding to what it held."""
        return name in self._begun

    def texts(self, arguments: Sequence[Argument], conditions: Conditions) -> list[Text]:
        """The values of some arguments, with the variables filled in and escapes decoded; of an unquoted one without a value none."""
        found = (self._filled(each, conditions) for each in arguments[:MOST_WORDS])
        texts = [text for each, text in zip(arguments, found, strict=False) if text.value or each.kind != UNQUOTED]
        return [*texts, arguments[MOST_WORDS].text.as_value(UNKNOWN)] if len(arguments) > MOST_WORDS else texts

    def _filled(self, argument: Argument, conditions: Conditions) -> Text:
        text = argument.text
        if argument.kind == BRACKET:
            return text
        parts, at = [], 0
        while match := _REFERENCE.search(text.value, at):
            parts.append(text[at : match.start()])
            if match[1] is not None:
                parts.append(text[match.start() : match.end()].as_value(_ESCAPED.get(match[1], match[1].strip("\r\n"))))
                at = match.end()
                continue
            at = _closing(text.value, match.end()) if match[2] else match.end()
            use = text[match.start() : at]
            name = _NAME.fullmatch(use.value)
            value, origin = self._value(name[1], conditions) if name else (UNKNOWN, None)
            parts.append(use.as_value(value, origin))
        return Text.join([*parts, text[at:]]) if parts else text

    def _value(self, name: str, conditions: Conditions) -> tuple[str, Span | None]:
        """What a variable holds where these tests hold, and where that is written."""
        if name in self._active:
            return "", None  # what it held before, which is added to
        if name not in self._writes:
            return (_PROGRAMS.get(name, UNKNOWN)), None
        required = self._required[name]
        if name in self._otherwise or required is None or not required.issubset(conditions):
            return UNKNOWN, None
        if name not in self._values:
            self._values[name] = self._collected(name)
        value, origin = self._values[name]
        return (value, origin) if self._budget.allows(value) else (UNKNOWN, None)

    def _collected(self, name: str) -> tuple[str, Span | None]:
        if len(self._active) >= _MOST_WRITES:
            return UNKNOWN, None
        self._active.add(name)
        writes = self._writes[name]
        values = [self.value(write) for write in writes]
        self._active.discard(name)
        text = values[0]
        for write, value in zip(writes[1:], values[1:], strict=True):
            text += value if write.texts else f";{value}"
        if not self.starts(name) or len(text) > LONGEST:
            return UNKNOWN, None
        return text.strip(";"), writes[0].values[0].text.span if writes[0].values else None

    def value(self, write: Write) -> str:
        """What a command sets a variable to, as one text; of what it held before nothing."""
        name = write.name.text.value
        outermost = name not in self._active
        self._active.add(name)
        parts = [text.value for text in self.texts(write.values, write.conditions)]
        if outermost:
            self._active.discard(name)
        value = ("" if write.texts else ";").join(parts)
        return value if len(value) <= LONGEST else UNKNOWN


def _required(name: str, writes: Sequence[Write]) -> frozenset[Condition] | None:
    """The tests under which the commands stand that set a variable, but for the one whether it is set; None where there are too many."""
    if len(writes) > _MOST_WRITES:
        return None
    asks = {name, "not", "DEFINED", "CACHE"}
    found = {each for write in writes for each in write.conditions}
    return frozenset(each for each in found if not asks.issuperset(_WORDS.findall(each.text)))


def _closing(text: str, at: int) -> int:
    """Where a reference ends whose name begins here; the end of the text where it does not."""
    depth = 1
    for match in _BRACE.finditer(text, at):
        depth += -1 if match[0] == "}" else 1
        if not depth:
            return match.end()
    return len(text)
