"""What CMake's variables, properties and commands mean: the GPUs that code is compiled for, flags of the compiler, downloads."""

import re
from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Assign, Call, Fact, Setting
from spark_lint.names import compilers, downloads
from spark_lint.names.meanings import variables
from spark_lint.text import UNKNOWN

KINDS: Final = frozenset({"variable", "added", "property"})
"""The kinds of assignments that CMake has."""
COMMAND: Final = "cmake."
"""How the names of its commands begin."""

_ARCHITECTURES: Final = "cuda_archs"
# What CMake itself hands to the compilers; flags in other variables may be meant for any.
_HANDED_ON: Final = re.compile(
    r"CMAKE_(?:C|CXX|CUDA|ASM)_FLAGS(?:_(?:DEBUG|RELEASE|RELWITHDEBINFO|MINSIZEREL|INIT))?|COMPILE_(?:FLAGS|OPTIONS)"
)
# One target or file of several, for the processors that its name says: faiss_avx2, dot_sse41.cpp.
_ONE_OF_SEVERAL: Final = re.compile(r"avx|sse|x86|amd64|amx|bmi|fma|f16c|haswell|skylake|znver|icelake|simd", re.IGNORECASE)
# FindCUDA's function: the name of a variable, then the architectures (cmake.org/cmake/help/latest/module/FindCUDA.html).
_SELECTS: Final = "cuda_select_nvcc_arch_flags"
# They ask or tell, and compile nothing.
_TELLS: Final = re.compile(r"message|.*check.*|configure_file|file|install|include|.*get.*")
_FETCHES: Final = frozenset({"externalproject_add", "fetchcontent_declare", "file"})


def of_assign(assign: Assign) -> Iterator[Setting]:
    """`set(CMAKE_CUDA_ARCHITECTURES 80 90)`, a property of a target, flags in a variable.

    Of what is added to a list that something else begins, a part is unknown.
    """
    value = str(assign.value)
    whose, _, name = assign.name.rpartition(".")
    meaning = variables().get(name)
    if meaning is not None and meaning.setting == _ARCHITECTURES:
        yield _architectures(assign, f"{UNKNOWN};{value}" if assign.kind == "added" else value, name)
        return
    handed_on = _HANDED_ON.fullmatch(name) and not _ONE_OF_SEVERAL.search(whose)
    for setting in compilers.of_value(assign, value.replace(";", " ")):
        if handed_on or setting.name != "x86_flag":
            yield setting


def of_call(call: Call) -> Iterator[Setting]:
    """`cuda_select_nvcc_arch_flags(FLAGS 8.0 9.0)`, flags for a target, what `ExternalProject_Add` and `file(DOWNLOAD …)` fetch."""
    name = call.name.removeprefix(COMMAND)
    values = [str(each.value) for each in call.arguments]
    if name == _SELECTS and len(values) > 1:
        yield _architectures(call, ";".join(values[1:]), _SELECTS)
    if not _TELLS.fullmatch(name):
        for argument, value in zip(call.arguments, values, strict=True):
            yield from (each for each in compilers.of_value(call, value, argument) if each.name != "x86_flag")
    if name in _FETCHES and (name != "file" or values[:1] == ["DOWNLOAD"]):
        for argument in call.arguments:
            yield from downloads.of_argument(call, argument)


def _architectures(fact: Fact, value: str, tool: str) -> Setting:
    return Setting(
        name=_ARCHITECTURES,
        value=value,
        tool=tool,
        span=fact.span,
        origin=fact.origin,
        written=fact.written,
        context=fact.context,
    )
