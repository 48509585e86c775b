"""What a container image's name and tag say by themselves: its CUDA release, its machine, its version and month."""

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from spark_lint.knowledge.gpu import cuda_release
from spark_lint.text import UNKNOWN

if TYPE_CHECKING:
    from packaging.version import Version

# --- CUDA. The first form that names a release that exists wins; numbers of cudnn, torch, Python and Ubuntu do not.
_PATCHED: Final = r"(?P<major>\d{1,2})\.(?P<minor>\d{1,2})(?:\.(?P<patch>\d{1,2}))?"
_DIGITS: Final = r"(?:(?P<major>9|1\d)(?P<minor>\d)?(?P<patch>\d)?)"
_FORMS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), repository)
    for pattern, repository in (
        (rf"(?<![a-z0-9{UNKNOWN}])cu(?:da)?[-_]?v?{_PATCHED}(?![\d{UNKNOWN}])", ""),  # cuda12.4.1, cu12.8
        (rf"(?<![a-z0-9{UNKNOWN}])cu(?:da)?-?{_DIGITS}(?![\d.{UNKNOWN}])", ""),  # cu124, cuda13, cu1281
        (rf"^{_PATCHED}-(?:cudnn\d*-)?(?:base|runtime|devel)\b", ""),  # 12.4.1-devel-ubuntu22.04
        # torch's version first: 1.12.0-11.3.0
        (rf"^(?:v|pytorch|torch|th)?[12]\.\d{{1,2}}(?:\.\d{{1,2}})?[-_]{_PATCHED}(?=$|[-_])", "torch|cuda"),
        (rf"^{_PATCHED}(?=$|-)", "cuda"),  # 12.1
    )
)


_WORDS: Final = _FORMS[:2]
"""The forms that stand in repositories' names too: `openmpi5.0-cuda12.4-ubuntu22.04`, `cuda-13.0-el9.6`."""


def cuda_in(name: str, tag: str) -> str:
    """The CUDA release that a tag names, or else the end of the repository's name: `12.4.1`, `12.4`, `12`; empty for none."""
    written = (*((tag, *form) for form in _FORMS), *((name.rpartition("/")[2], *form) for form in _WORDS))
    for text, form, repository in written:
        match = form.search(text)
        if match and (not repository or re.search(repository, name)):
            found = ".".join(part for part in (match["major"], match["minor"], match["patch"]) if part)
            if cuda_release(found):
                return found
    return ""


# --- Machines.
_START: Final = r"(?<![a-z0-9])"
_ARM: Final = re.compile(rf"aarch64|{_START}(?:arm64(?:v8)?|sbsa|graviton|gh200|gb10|dgx-?spark)(?![a-z0-9])", re.IGNORECASE)
_MACHINES: Final = tuple(
    (machine, re.compile(_START + pattern, re.IGNORECASE))
    for machine, pattern in (
        ("Jetson", r"(?:igpu|l4t|jetson|jetpack|jp[4-7]\d?|tegra|r3[2-9]\.)"),
        ("AMD", r"(?:rocm\d*|hip(?:blas)?|mi\d{2,3}x?)(?![a-z])"),
        ("Huawei Ascend", r"(?:npu|910b|cann|ascend)(?![a-z])"),
        ("Intel", r"(?:xpu|hpu|gaudi|intel)(?![a-z])"),
        ("Moore Threads", r"musa(?![a-z])"),
        ("MetaX", r"maca(?![a-z])"),
        ("Google TPU", r"tpu(?![a-z])"),
        ("AWS Neuron", r"neuronx?(?![a-z])"),
        ("Hygon", r"(?:dcu|dtk[\d.]*)(?![a-z])"),
        # Last: an x86-64 image for another maker's accelerator is about that accelerator.
        ("x86-64", r"(?:x86[-_]?64|amd64|linux[-_]?64|x64)(?![a-z0-9])"),
    )
)


def other_machine(reference: str) -> str:
    """The machine that a word in an image's name or tag means, if it is not a Spark."""
    return next((machine for machine, word in _MACHINES if word.search(reference)), "")


def names_arm64(reference: str) -> bool:
    """Whether a word in an image's name or tag says that it is for arm64."""
    return _ARM.search(reference) is not None


# --- Versions and months.
_MONTH: Final = re.compile(r"(2\d\.(?:0[1-9]|1[0-2]))(?:\.post\d+|\.\d{2})?(?:-[a-z0-9.]+)*-py3(?:-(?:min|sdk|igpu))?$")
_VERSION: Final = re.compile(r"v?(\d+(?:\.\d+)+(?:\.post\d+|rc\d+)?)(?=$|[-_+]|\.[a-z])", re.ASCII)
_MOVING: Final = re.compile(r"(?:stable|main|master|edge|dev|nightly|cuda|(?:.*[-_.])?latest(?:[-_.].*)?)$", re.IGNORECASE)
_FLAVOUR: Final = re.compile(r"(cudnn)?\d*-?(base|runtime|devel)")


@cache
def version_of(text: str) -> "Version":
    """A version that is known to be one."""
    from packaging.version import Version

    return Version(text)


def version_in(tag: str) -> "Version | None":
    """The version that a tag starts with: `v0.12.0-cu129`, `26.04.00`."""
    match = _VERSION.match(tag)
    return version_of(match[1]) if match else None


def month_in(tag: str) -> str:
    """The month of an NGC image: `25.11` of `25.11-py3`."""
    match = _MONTH.match(tag)
    return match[1] if match else ""


def moves(tag: str) -> bool:
    """Whether a tag is of a kind that is pushed again and again, in most repositories."""
    return _MOVING.match(tag) is not None


def flavour_of(tag: str) -> str:
    """Which of NVIDIA's CUDA images: `cudnn-devel`, `base`; `devel` where the tag does not say."""
    match = _FLAVOUR.search(tag)
    return "-".join(word for word in match.groups() if word) if match else "devel"
