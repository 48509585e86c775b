"""Which machine do the headings and tabs of a document name? The innermost one that names a machine decides."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from spark_lint.names.tables import table

_WORDS: Final = re.compile(r"x86[_-]64|[a-z0-9]+")
_CPU: Final = re.compile(
    r"\W*(?:(?:for|on|using|with|the|use|install(?:ation|ing)?|build)\s+)*cpus?(?:[\s-]*(?:only|backend|version|builds?|install(?:ation)?|wheels?))*\W*",
    re.IGNORECASE,
)
_INTEL: Final = re.compile(r"\bintel\b(?!.*\bcpus?\b)|\bxe\b|\barc\b.*\bgpus?\b", re.IGNORECASE)
_BOXES: Final = re.compile(r"\bdgx[\s-]+(?:station|[abhv]\d{3})\b", re.IGNORECASE)
# 8xH100, A100x4, H100-80GB
_MODEL: Final = re.compile(r"(?:\d+x)?(?P<model>[abghlv]\d{2,3}[a-z]?|gh?b\d{3})(?:x\d+)?")


@cache
def _words(*names: str) -> frozenset[str]:
    return frozenset(word for name in names for word in table("machines")[name])


def for_another(section: Sequence[str]) -> bool:
    """Whether what stands under these headings is for another machine than a Spark."""
    return next((found for found in map(_verdict, reversed(section)) if found is not None), False)


def _verdict(title: str) -> bool | None:
    """Whether a title names only other machines; None where it names none."""
    words = _folded(_WORDS.findall(title.lower()))
    if words & (_words("spark") - _words("this_processor")):
        return False
    processor = words & _words("other_processor") and not words & _words("this_processor")
    system = words & (_words("other_system") | _SYSTEMS) and not words & (_words("this_system") | _LINUX)
    # `NVIDIA and AMD` names both; a model of NVIDIA's is still another machine.
    models = _BOXES.search(title) or words & _NVIDIAS or any(_MODEL.fullmatch(word) for word in words & _words("path"))
    others = words & _accelerators() or _CPU.fullmatch(title) or _INTEL.search(title)
    if processor or system or models or (others and not words & _NVIDIA):
        return True
    return False if words & (_NVIDIA | _LINUX | _words("this_system", "this_processor")) else None


@cache
def _accelerators() -> frozenset[str]:
    return _words("path", "other_accelerator") - _words("other_processor", "other_system") - _SYSTEMS


_SYSTEMS: Final = frozenset(("win", "win64", "mac", "apple", "wsl", "wsl2"))
_LINUX: Final = frozenset(("ubuntu", "debian"))
_NVIDIAS: Final = frozenset(("jetson", "orin", "l4t", "jetpack", "tegra", "colab", "kaggle"))
_NVIDIA: Final = frozenset(("nvidia", "cuda", "blackwell"))


def _folded(words: Iterable[str]) -> frozenset[str]:
    found = set()
    for word in words:
        found.add(word)
        if model := _MODEL.fullmatch(word):
            found.add(model["model"])
    return frozenset(found)
