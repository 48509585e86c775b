"""What the libraries in a wheel are: for which processor, for which CUDA, with code for a GPU. Read from the archive, never loaded.

https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html; a GPU's code is in sections that nvcc makes:
https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Final
from zipfile import BadZipFile, ZipFile, ZipInfo

AARCH64: Final = "EM_AARCH64"
X86_64: Final = "EM_X86_64"
_GPU: Final = "EM_CUDA"  # a file of code for GPUs alone

_FATBINS: Final = (".nv_fatbin", "__nv_relfatbin")

# Only these carry the number of their CUDA: libcusparse, libcufft and libcusolver of CUDA 13 end in .so.12 and .so.11. auditwheel and
# delvewheel put a part of a hash into a name: https://github.com/pypa/auditwheel
_CUDA: Final = re.compile(r"lib(?:cudart|cublas|cublasLt|nvrtc|nvJitLink)(?:[.-][0-9a-f]{8})?\.so\.(\d{1,3})(?!\d)")

# A wheel of PyTorch's holds some 15000 files, and its biggest library is smaller.
_MOST_ENTRIES: Final = 100_000
_BIGGEST: Final = 1 << 30
_IN_ALL: Final = 4 << 30
_MOST_NAMES: Final = 1000
_MOST_SECTIONS: Final = 65_536


class WheelError(Exception):
    """A wheel that cannot be read: broken, or bigger inside than any that is meant well."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library or program in a wheel.

    path: inside the wheel. machine: as in its header, `EM_AARCH64`. needed: the libraries that it asks for. gpu: it holds code for GPUs.
    """

    path: str
    machine: str
    needed: tuple[str, ...]
    gpu: bool


def libraries(wheel: Path) -> tuple[Library, ...]:
    """Every library in a wheel, in the order of their paths. Raises WheelError where that cannot be told."""
    try:
        with ZipFile(wheel) as archive:
            entries = archive.infolist()
            if len(entries) > _MOST_ENTRIES:
                raise WheelError(f"{wheel.name} holds {len(entries)} files")
            return tuple(sorted(_libraries(archive, entries), key=lambda library: library.path))
    # What zipfile raises for a file that is none, is cut off, is locked with a password or packed in a way that Python cannot read.
    except (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError) as error:
        raise WheelError(f"{wheel.name} cannot be read: {error}") from error


def cuda_major(libraries: Iterable[Library]) -> str:
    """What they are built for: `cu13` where there is one for it, whatever there is beside it, `cu12`, `cu11`; `cpu`.

    Empty where they do not tell: there is none, or code for GPUs and no name of CUDA's, which may be linked in.
    """
    found = tuple(libraries)
    # A bundled library counts by its own name: it may be opened and not asked for.
    names = (name for library in found for name in (PurePosixPath(library.path).name, *library.needed))
    majors = [int(match[1]) for name in names if (match := _CUDA.match(name))]
    if majors:
        return f"cu{max(majors)}"
    return "" if not found or any(library.gpu for library in found) else "cpu"


def foreign(libraries: Iterable[Library]) -> bool:
    """Whether they are for x86-64, and none is for a Spark."""
    machines = {library.machine for library in libraries}
    return X86_64 in machines and AARCH64 not in machines


def _libraries(archive: ZipFile, entries: Iterable[ZipInfo]) -> Iterator[Library]:
    left = _IN_ALL
    for entry in entries:
        with archive.open(entry) as packed:
            if packed.read(4) != b"\x7fELF":
                continue
        limit = min(_BIGGEST, left)
        with archive.open(entry) as packed:
            content = packed.read(limit + 1)  # whatever size the archive says it has
        if len(content) > limit:
            raise WheelError(f"{entry.filename} is too big to be read")
        left -= len(content)
        yield _library(entry.filename, content)


def _library(path: str, content: bytes) -> Library:
    from elftools.elf.dynamic import DynamicSegment
    from elftools.elf.elffile import ELFFile

    try:
        file = ELFFile(BytesIO(content))
        machine = str(file["e_machine"])
        if file.num_sections() > _MOST_SECTIONS:
            raise WheelError(f"{path} holds {file.num_sections()} sections")
        needed = [name for segment in file.iter_segments() if isinstance(segment, DynamicSegment) for name in _needed(segment)]
        gpu = machine == _GPU or any(section.name in _FATBINS for section in file.iter_sections())
    except WheelError:
        raise
    except Exception as error:  # pyelftools lets through whatever a broken file does to it, failed assertions too
        raise WheelError(f"{path} cannot be read: {str(error) or type(error).__name__}") from error
    return Library(path, machine, tuple(dict.fromkeys(needed)), gpu)


def _needed(segment: Any) -> Iterator[str]:
    for tag in islice(segment.iter_tags("DT_NEEDED"), _MOST_NAMES):
        yield str(tag.needed)
