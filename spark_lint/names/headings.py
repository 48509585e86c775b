"""Which machine do the headings and tabs of a document name? The innermost one that names a machine decides."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from spark_lint.names.machines import CLOUD, machine_words
from spark_lint.names.tables import table

_CPU: Final = re.compile(
    r"\W*(?:(?:for|on|using|with|the|use|install(?:ation|ing)?|build)\s+)*cpus?(?:[\s-]*(?:only|backend|version|builds?|install(?:ation)?|wheels?))*\W*",
    re.IGNORECASE,
)
_INTEL: Final = re.compile(r"\bintel\b(?!.*\bcpus?\b)|\bxe\b|\barc\b.*\bgpus?\b", re.IGNORECASE)
# GeForce and workstation cards before Blackwell; code for an RTX 5090 (12.0) is code for a Spark, too.
_BOXES: Final = re.compile(
    r"\bdgx[\s-]+(?:station|[abhv]\d{3})\b"
    r"|\b(?:rtx|gtx)[\s-]*(?:quadro[\s-]*)?(?:(?:1[06]|[234]0)(?:\d0|xx)|a\d000)(?:[\s-]*(?:ti|super))?\b(?!.*\b50(?:\d0|xx)\b)",
    re.IGNORECASE,
)
_OTHER: Final = re.compile(
    r"\b(?:other|another|different) (?:machines?|gpus?|hardware|systems?|platforms?|architectures?)\b", re.IGNORECASE
)
_MODEL: Final = re.compile(r"[abghlv]\d{2,3}[a-z]?|gh?b\d{3}")


@cache
def _words(*names: str) -> frozenset[str]:
    return frozenset(word for name in names for word in table("machines")[name])


def for_another(section: Sequence[str]) -> bool:
    """Whether what stands under these headings is for another machine than a Spark."""
    made_by_nvidia = False
    for title in reversed(section):
        words = machine_words(title.lower())
        if words & (_words("spark") - _words("this_processor")):
            return False
        processor = words & _words("other_processor") and not words & _words("this_processor")
        system = words & (_words("other_system") | _SYSTEMS) and not words & (_words("this_system") | _LINUX)
        # `NVIDIA and AMD` names both; a model of NVIDIA's is still another machine.
        models = (
            _BOXES.search(title)
            or CLOUD.search(title)
            or _OTHER.search(title)
            or words & (_NVIDIAS | _words("cloud"))
            or any(_MODEL.fullmatch(word) for word in words & _words("other_model"))
        )
        # `CUDA` below `8 x H200` narrows it down; below `AMD` it takes it back.
        made_by_nvidia |= bool(words & _NVIDIA)
        others = words & _accelerators() or _CPU.fullmatch(title) or _INTEL.search(title)
        if processor or system or models or (others and not made_by_nvidia):
            return True
        if words & (_LINUX | _words("this_system", "this_processor")):
            return False
    return False


@cache
def _accelerators() -> frozenset[str]:
    return _words("path", "other_model", "other_accelerator") - _words("other_processor", "other_system") - _SYSTEMS - _VAGUE


_VAGUE: Final = frozenset(("station",))
"""Words that name a machine as a part of a path, but not in a title: of those a DGX Station is asked for."""
_SYSTEMS: Final = frozenset(("win", "win64", "mac", "apple", "wsl", "wsl2"))
_LINUX: Final = frozenset(("ubuntu", "debian"))
_NVIDIAS: Final = frozenset(("jetson", "orin", "l4t", "jetpack", "tegra", "colab", "kaggle"))
_NVIDIA: Final = frozenset(("nvidia", "cuda", "blackwell"))
