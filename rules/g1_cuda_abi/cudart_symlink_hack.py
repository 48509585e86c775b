import re
from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Command
from spark_lint.project import Project
from spark_lint.rule import CERTAIN, ERROR, LIKELY, Advice, rule

# libcudart.so.12, libcublasLt.so.13.1.0, libnvrtc-builtins.so.13.0
LIBRARY: Final = re.compile(r"(?:.*/)?(lib(?:cu|nv|npp|nccl)[\w-]*\.so)\.(\d+)(?:\.\d+)*$")
# Files of these are called by the driver (libcuda.so.580.95) or by a number of their own, so that they are linked to another one rightly:
# libcufile.so.0 -> libcufile.so.1.15, libcupti.so.13 -> libcupti.so.2025.3.
OTHER_NUMBERS: Final = re.compile(r"lib(?:cuda|cudadebugger|cufile\w*|cupti|nvidia-[\w-]*|nvcuvid|nvperf\w*|nvoptix)\.so$")
# Their symbols carry the number (`cudaMalloc@libcudart.so.12`), so that the loader refuses: read in the aarch64 wheels of 12.8 and 13.5.
VERSIONED: Final = ("libcudart.so", "libcublas.so", "libcublasLt.so")


@rule(on=Command, named=("ln", "cp"), severity=ERROR, holds=".so")
def cudart_symlink_hack(command: Command, project: Project) -> Iterator[Advice]:
    paths = [word.value for word in command.words[1:] if not word.value.startswith("-")]
    source, target = (LIBRARY.match(path) for path in paths) if len(paths) == 2 else (None, None)
    if source is None or target is None or source[1] != target[1] or source[2] == target[2] or OTHER_NUMBERS.match(source[1]):
        return
    library, there, asked = source[1], source[2], target[2]
    versioned = library in VERSIONED
    happens = (
        f"asks for symbols of {asked}, and the loader refuses"
        if versioned
        else "meets another interface, and stops or fails later"
    )
    message = f"{library}.{there} called {library}.{asked}: what is built for {asked} {happens}"
    yield Advice(message, f"a build that asks for {library}.{there}", confidence=CERTAIN if versioned else LIKELY)
