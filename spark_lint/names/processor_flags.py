"""Flags with which a compiler makes code for x86-64 alone: `-mavx2`, `-march=haswell`."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from spark_lint.facts import Argument, Assign, Call, Command, Fact, Setting
from spark_lint.names.machines import named_elsewhere
from spark_lint.text import UNKNOWN, Text

_SETTING: Final = "x86_flag"
# GCC's options for x86, and its names of x86 processors: https://gcc.gnu.org/onlinedocs/gcc-13.2.0/gcc/x86-Options.html, read 2026-11.
_FLAG: Final = re.compile(
    r"(?<![\w./-])-(?:m(?:no-)?(?:avx[\w.-]{0,20}|sse[\w.]{0,8}|ssse3|fma4?|bmi2?|f16c|amx-\w{2,8}|popcnt|lzcnt|pclmul|vpclmulqdq|vaes)"
    r"|mfpmath=\w{1,12}|m(?:arch|tune)=(?:x86-64(?:-v\d)?|haswell|broadwell|skylake(?:-avx512)?|cascadelake|cooperlake|cannonlake"
    r"|icelake-\w{4,8}|sapphirerapids|emeraldrapids|graniterapids\w{0,3}|alderlake|nehalem|westmere|sandybridge|ivybridge|core2|corei7(?:-avx)?"
    r"|core-avx\w{1,4}|knl|bdver\d|btver\d|znver\d))(?![\w=.-])"
)
_SIGNS: Final = ("-mavx", "-msse", "-mssse3", "-mfma", "-mbmi", "-mf16c", "-mamx", "-mpopcnt", "-mlzcnt", "-mpclmul", "-mv", "-mfpmath", "-mno-",
                 "-march=", "-mtune=")  # fmt: skip
# What is handed on as flags is nothing else, but for the names and values of some: -Xcompiler -mavx2, -I /opt/include -mavx2.
_FLAGS: Final = re.compile(rf"[\s\"'{UNKNOWN}]{{0,20}}-")
_PROSE: Final = re.compile(r"(?:^|\s)[A-Za-z][a-z]{1,20}(?:\s+[a-z]{1,20}){2}")
_VARIABLE: Final = re.compile(r"(?:-D\s?)?[A-Za-z_]\w{0,80}(?::\w{1,20})?\+?=")
# These look for a flag, show it or take it out.
_READERS: Final = frozenset({"echo", "printf", "grep", "egrep", "fgrep", "rg", "sed", "awk", "perl", "cat", "git", "test", "["})
_ADDS: Final = frozenset({"append", "insert", "extend", "add"})
_TAKES: Final = re.compile(r"flags|_args|options")
_MOST: Final = 20


def of_command(command: Command) -> Iterator[Setting]:
    """The flags among a command's words, as one: `gcc -O3 -mavx2 -mfma`, `cmake -DCMAKE_CXX_FLAGS="-mavx2"`."""
    if command.name in _READERS or not any(sign in word.value for word in command.words for sign in _SIGNS):
        return
    # The variables that make is given are facts of their own.
    words = [word for word in command.words[1:] if command.name != "make" or not _VARIABLE.match(word.value)]
    found = [word[match.start() : match.end()] for word in words for match in _in(_after_name(word))]
    if found:
        first = found[0]
        yield _setting(command, " ".join(flag.value for flag in found[:_MOST]), first)


def of_value(fact: Fact, value: str, place: Argument | None = None) -> Iterator[Setting]:
    """Those in a text that is handed on: `CFLAGS`, one of `extra_compile_args`."""
    if not any(sign in value for sign in _SIGNS) or not _FLAGS.match(value) or _PROSE.search(value):
        return
    if isinstance(fact, Assign) and named_elsewhere(fact.name):
        return  # {"x86_64": "-mavx2"}
    if isinstance(fact, Call) and place is not None and not _hands_on(fact, place):
        return
    flags = " ".join(match.group() for match in _in(value))
    if flags:
        yield _setting(fact, flags, place or fact)


def _hands_on(call: Call, place: Argument) -> bool:
    """Whether a call adds a flag to others, or compiles with it: `flags.append("-mavx2")`; not `has_flag("-mavx2")`."""
    return call.name.rpartition(".")[2] in _ADDS or _TAKES.search(place.name) is not None


def _after_name(word: Text) -> str:
    """The word, blank where it is no flag and sets no variable: a text that only speaks of flags."""
    is_flag = _FLAGS.match(word.value) or _VARIABLE.match(word.value)
    return word.value if is_flag and not _PROSE.search(word.value) else ""


def _in(text: str) -> Iterator[re.Match[str]]:
    return islice(_FLAG.finditer(text), _MOST)


def _setting(fact: Fact, flags: str, place: Text | Argument | Fact) -> Setting:
    return Setting(
        name=_SETTING, value=flags, launched=isinstance(fact, Command), span=place.span, origin=place.origin, written=place.written,
        context=fact.context,
    )  # fmt: skip
