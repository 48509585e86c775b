"""For which GPUs code is compiled, among flags: nvcc's `-gencode arch=compute_90,code=sm_90`, CMake's `-DCMAKE_CUDA_ARCHITECTURES=90`."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from spark_lint.facts import Argument, Command, Fact, Setting
from spark_lint.names import processor_flags
from spark_lint.names.options import shown
from spark_lint.text import UNKNOWN, Text

_VALUE: Final = r"""(?:\\?"[^"\\]{0,500}\\?"|'[^']{0,500}'|[^\s"']{1,500})"""
# -DCMAKE_CUDA_ARCHITECTURES=90, -D CMAKE_CUDA_ARCHITECTURES:STRING="80;90", pip's -C cmake.define.CMAKE_CUDA_ARCHITECTURES=90
_DEFINITION: Final = re.compile(rf"(?:(?<![\w-])-D\s{{0,4}}|cmake\.define\.)CMAKE_CUDA_ARCHITECTURES(?::\w{{1,20}})?=({_VALUE})")
# -gencode arch=compute_90,code=sm_90, --generate-code=arch=…,code=[sm_90,compute_90], -arch=sm_90; clang's --cuda-gpu-arch=sm_90:
# docs.nvidia.com/cuda/cuda-compiler-driver-nvcc, llvm.org/docs/CompileCudaWithLLVM.html, read 2026-11.
_TARGET: Final = re.compile(
    r"""(?:(?<![\w-])--?gen(?:erate-)?code[=\s]\s{0,4})?(?<!\w)["']?(arch=compute_\w{1,8},\s?code=(?:\\?["'\[])?[\w,]{2,100})(?:\\?["'\]])?"""
    r"|(?<![\w-])(?:-arch|--gpu-architecture|--cuda-gpu-arch|--offload-arch)[=\s]\s{0,4}((?:sm|compute)_\w{1,8}|native|all-major|all)(?![\w-])"
)
# -arch=compute_90 -code=sm_90,compute_90: the first says what it goes by, the second what is kept.
_CODE: Final = re.compile(r"(?<![\w-])(?:-code|--gpu-code)[=\s]\s{0,4}[\"']?((?:sm|compute|lto)_[\w,]{2,100})")
_GENCODE: Final = "gencode"
_ARCHITECTURES: Final = "cuda_archs"
_FLAGS: Final = frozenset(
    {
        "-D",
        "-gencode",
        "--generate-code",
        "-arch",
        "--gpu-architecture",
        "-code",
        "--gpu-code",
        "--cuda-gpu-arch",
        "--offload-arch",
    }
)
_MOST: Final = 200
"""Targets in one text that are looked at."""
# What is handed on as flags begins with one, or with a variable; in help, messages and patches they stand within other text.
_HANDED_ON: Final = re.compile(rf"[\s\"'{UNKNOWN}]{{0,20}}(?:-|arch=)")
_SIGNS: Final = ("CMAKE_CUDA_ARCHITECTURES", "arch=", "-arch", "architecture", "-code")


def of_command(command: Command) -> Iterator[Setting]:
    """The GPUs that a compiler, a build, or an install that passes flags on is told to compile for."""
    yield from processor_flags.of_command(command)
    if not any(sign in word.value for word in command.words for sign in _SIGNS):
        return
    phrases = list(_phrases(command.words))
    coded = any(_CODE.search(text.value) for text in phrases)
    for text in phrases:
        for name, value, start, stop in _found(text.value, coded):
            place = text[start:stop]
            yield Setting(
                name=name, value=value, tool=_tool(name), launched=True, span=place.span, origin=place.origin, written=shown((place,)),
                context=command.context,
            )  # fmt: skip


def _phrases(words: tuple[Text, ...]) -> Iterator[Text]:
    """The words, with a flag and its value in one: `-D X=1`, `-gencode arch=…`, `-arch sm_90`."""
    joined = False
    for word, following in zip(words, (*words[1:], None), strict=True):
        if joined:
            joined = False
        elif following is not None and word.value in _FLAGS and word.source is following.source:
            joined = True
            yield Text.join([word, word[len(word.value) :].as_value(" "), following])
        else:
            yield word


def of_value(fact: Fact, value: str, place: Argument | None = None) -> Iterator[Setting]:
    """The same in a text that is handed on: `CMAKE_ARGS`, `NVCC_APPEND_FLAGS`, an argument of `extra_compile_args.append(…)`."""
    yield from processor_flags.of_value(fact, value, place)
    if not any(sign in value for sign in _SIGNS) or not _HANDED_ON.match(value):
        return
    at = place or fact
    for name, target, _, _ in _found(value, _CODE.search(value) is not None):
        yield Setting(
            name=name, value=target, tool=_tool(name), span=at.span, origin=at.origin, written=at.written, context=fact.context
        )


def _found(text: str, coded: bool) -> Iterator[tuple[str, str, int, int]]:
    """Setting, value, start and stop. coded: `-code` says what is kept, and `-arch` does not."""
    for match in islice(_DEFINITION.finditer(text), _MOST):
        yield _ARCHITECTURES, match[1].strip("\\\"'"), match.start(), match.end()
    for match in islice(_CODE.finditer(text), _MOST):
        yield _GENCODE, f"code={match[1]}", match.start(), match.end()
    for match in islice(_TARGET.finditer(text), _MOST):
        if coded and match[2]:
            continue
        yield _GENCODE, re.sub(r"""[\\"'\[\]\s]""", "", match[1] or match[2]), match.start(), match.end()


def _tool(name: str) -> str:
    return "cmake" if name == _ARCHITECTURES else "nvcc"
