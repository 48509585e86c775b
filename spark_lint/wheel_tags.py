"""Which of a package's wheels an installer takes on a Spark: by the tags at the end of their names.

https://packaging.python.org/en/latest/specifications/platform-compatibility-tags/
"""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from typing import Final

from spark_lint.text import UNKNOWN

GLIBC: Final = 39
"""The glibc 2.x of DGX OS 7, which is Ubuntu 24.04: packages.ubuntu.com/noble/libc6."""
_OLDEST: Final = 17
"""manylinux2014, the first with an aarch64: PEP 599."""
_MOST_TAGS: Final = 1000


def best(wheels: Iterable[str], python: str, machine: str = "aarch64") -> str:
    """The wheel that an installer takes on a Spark with this CPython (`3.12`), by its file name; empty where it can take none.

    machine: that of another Linux instead (`x86_64`).
    """
    ranks = _ranks(python, machine)
    found = [(rank, wheel) for wheel in wheels if (rank := _rank(wheel, ranks)) is not None]
    return min(found)[1] if found else ""


def for_another_python(wheels: Iterable[str], python: str) -> bool:
    """Whether there are wheels for a Spark, and Linux on x86-64 has none for this CPython either: who installs them has another one."""
    wheels = list(wheels)
    return any(map(_runs_here, wheels)) and not best(wheels, python, "x86_64")


def _runs_here(wheel: str) -> bool:
    pythons, _, platforms = _tags(wheel)
    return any(each.startswith("cp") for each in pythons) and any(
        each.endswith("_aarch64") and each.startswith(("manylinux", "linux")) for each in platforms
    )


def runs_elsewhere(wheels: Iterable[str]) -> bool:
    """Whether some of the wheels are for Linux on x86-64, so that people there compile nothing."""
    return any("linux" in tag and tag.endswith("x86_64") for wheel in wheels for tag in _tags(wheel)[2])


def _rank(wheel: str, ranks: "Mapping[tuple[str, str, str], int]") -> int | None:
    """How early an installer would take it; None for a wheel of another machine."""
    pythons, abis, platforms = _tags(wheel)
    if not platforms or len(pythons) * len(abis) * len(platforms) > _MOST_TAGS:
        return None
    return min((rank for each in product(pythons, abis, platforms) if (rank := ranks.get(each)) is not None), default=None)


def _tags(wheel: str) -> tuple[list[str], list[str], list[str]]:
    """The Pythons, ABIs and platforms of a wheel: `cp312`, `cp312`, `manylinux_2_28_aarch64`. Nothing for a name that is none."""
    name, _, ending = wheel.lower().rpartition(".")
    parts = name.rsplit("-", 3)
    if ending != "whl" or len(parts) != 4 or UNKNOWN in wheel:
        return [], [], []
    return parts[1].split("."), parts[2].split("."), parts[3].split(".")


@cache
def _ranks(python: str, machine: str) -> dict[tuple[str, str, str], int]:
    """The tags that an installer looks for, each with its place in the order of preference."""
    from packaging.tags import compatible_tags, cpython_tags

    version = tuple(map(int, python.split(".")[:2]))
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in range(GLIBC, _OLDEST - 1, -1)]
    platforms += [f"manylinux2014_{machine}", f"linux_{machine}"]
    interpreter = f"cp{version[0]}{version[1]}"
    tags = [
        *cpython_tags(version, [interpreter], platforms),
        *compatible_tags(version, interpreter, platforms),
    ]
    return {(each.interpreter, each.abi, each.platform): number for number, each in reversed(list(enumerate(tags)))}
