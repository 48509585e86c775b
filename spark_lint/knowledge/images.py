"""What is known of a container image: typed access to `images.toml`, and how a tag names its CUDA release and its machine."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from spark_lint.facts import Image
from spark_lint.knowledge.gpu import cuda_release, grade
from spark_lint.knowledge.tables import Table, table
from spark_lint.known import Known
from spark_lint.rule import Severity
from spark_lint.text import UNKNOWN

if TYPE_CHECKING:
    from packaging.version import Version


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """One image, as far as it is known.

    family: `ngc-pytorch`, `nvidia-cuda`, `vllm`, `python` ...; empty for an image no row is about.
    cuda: `12.4.1`, `12.4` or `12`; empty where it has none or that is not known. grade: how bad that is on a Spark.
    arm64: whether it exists for the Spark's kind of processor; None where that is not known.
    month: of an NGC image, `25.11`. moving: the same tag is pushed again and again.
    for_gpu: it is made for use with a GPU. has_gpu_stack: it brings a GPU build of torch, or of another framework or engine.
    other_machine: what it is made for instead of a Spark: `x86-64`, `Jetson`, `AMD` ...
    drawback: what is worse in it than its CUDA release. instead: what to use in its place. note: what else there is to know.
    known: what stands behind what is said of its CUDA and its machine; assumed where it is newer than what was looked at, or taken for
    likely.
    nvidia_torch: its torch is NVIDIA's own build, which no index has.
    """

    family: str
    cuda: str
    grade: Severity | None
    arm64: bool | None
    month: str
    moving: bool
    for_gpu: bool
    has_gpu_stack: bool
    other_machine: str
    drawback: str
    instead: str
    note: str
    known: Known
    nvidia_torch: bool
    _present: tuple[tuple[str, str], ...]
    _absent: tuple[str, ...]
    _bare: bool

    def ships(self, package: str) -> bool | None:
        """Whether a package is in the image (canonical name); None where that is not known."""
        if any(name == package for name, _ in self._present):
            return True
        return False if self._bare or package in self._absent else None

    @property
    def shipped(self) -> tuple[tuple[str, str], ...]:
        """The packages that are known to be in the image, each with its version; empty where that is not known."""
        return tuple({name: self.version_shipped(name) for name, _ in self._present}.items())

    def version_shipped(self, package: str) -> str:
        """The version of a package in the image; empty where it is not known. NGC's torch is a pre-release: `2.10.0a0+b558c9`."""
        return next((version for name, version in self._present if name == package and version), "")


LONGEST_TAG: Final = 128
"""Characters that a registry takes: https://github.com/opencontainers/distribution-spec/blob/main/spec.md (2026-11)."""


def describe(image: Image) -> ImageFacts:
    """What is known of an image, from its repository and its tag. No tag is `latest`; a digest alone says nothing."""
    tag = image.tag or ("" if image.digest else "latest")
    return _describe(image.name.lower(), tag, bool(image.digest))


def image_instead(image: Image) -> str:
    """The image to use in its place; empty where none is known."""
    return describe(image).instead


@lru_cache(maxsize=4096)
def _describe(name: str, tag: str, pinned: bool) -> ImageFacts:
    known_tag = bool(tag) and UNKNOWN not in tag and len(tag) <= LONGEST_TAG
    rows: list[Table] = table("images")["image"]
    row: Table = next((row for row in rows if _about(row, name, tag if known_tag else None)), {})
    version = _version_in(tag) if known_tag else None
    month = _month_in(tag) if row.get("cuda") == "month" else ""
    written = cuda_in(name, tag)
    machine = row.get("machine") or other_machine(f"{name}:{tag}")
    cuda, severity, guessed = written, grade(written), False
    if not written and month:
        cuda, severity, guessed = _month_row(month, row["newest"])
    elif not written and known_tag and row.get("cuda") != "month" and machine in _WITH_CUDA:
        cuda = _since(row.get("cuda", ""), version)
        severity = Severity[row["severity"].upper()] if "severity" in row else grade(cuda)
        guessed = _newer(version, row.get("newest"))
    bare, for_gpu = row.get("bare", False), row.get("gpu", bool(cuda))
    return ImageFacts(
        family=row.get("family", ""),
        cuda=cuda,
        grade=severity,
        arm64=_arm64(row, f"{name}:{tag}", version, machine),
        month=month,
        moving=known_tag and not pinned and _moves(row, tag),
        for_gpu=for_gpu,
        has_gpu_stack=for_gpu and not bare,
        other_machine=machine,
        drawback=_since(row.get("drawback", ""), version),
        instead=_instead(row, name, tag),
        note=row.get("note", ""),
        known=_known(row, month, bool(written), guessed or row.get("assumed", False)),
        nvidia_torch=row.get("nvidia_torch", False),
        _present=tuple(_present(row, month, version)),
        _absent=tuple(row.get("never", ())),
        _bare=bare,
    )


def _known(row: Table, month: str, written: bool, assumed: bool) -> Known:
    images = table("images")
    day = row.get("checked", images["as_of"]).isoformat()
    inside = images["month"].get(month) if month and not written else None
    evidence = inside["cuda_grade"] if inside else "name" if written or "grade" not in row else row["grade"]
    sources = row.get("sources") or ([images["source"]] if inside else [""])
    return Known(day, evidence, sources[0], assumed)


def _about(row: Table, name: str, tag: str | None) -> bool:
    if not any(fnmatchcase(name, pattern) for pattern in row["match"]):
        return False
    return "tag" not in row or (tag is not None and re.search(row["tag"], tag) is not None)


# --- CUDA in a tag. The first form that names a release that exists wins; numbers of cudnn, torch, Python and Ubuntu do not.
_PATCHED: Final = r"(?P<major>\d{1,2})\.(?P<minor>\d{1,2})(?:\.(?P<patch>\d{1,2}))?"
_DIGITS: Final = r"(?:(?P<major>9|1\d)(?P<minor>\d)?(?P<patch>\d)?)"
_FORMS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), repository)
    for pattern, repository in (
        (rf"(?<![a-z0-9{UNKNOWN}])cuda[-_]?v?{_PATCHED}(?![\d{UNKNOWN}])", ""),  # cuda12.4.1
        (rf"(?<![a-z0-9{UNKNOWN}])cu(?:da)?-?{_DIGITS}(?![\d.{UNKNOWN}])", ""),  # cu124, cuda13, cu1281
        (rf"^{_PATCHED}-(?:cudnn\d*-)?(?:base|runtime|devel)\b", ""),  # 12.4.1-devel-ubuntu22.04
        # torch's version first: 1.12.0-11.3.0
        (rf"^(?:v|pytorch|torch|th)?[12]\.\d{{1,2}}(?:\.\d{{1,2}})?[-_]{_PATCHED}(?=$|[-_])", "torch|cuda"),
        (rf"^{_PATCHED}(?=$|-)", "cuda"),  # 12.1
    )
)


def cuda_in(name: str, tag: str) -> str:
    """The CUDA release a tag names, as far as it does: `12.4.1`, `12.4`, `12`; empty for none."""
    for form, repository in _FORMS:
        match = form.search(tag)
        if match and (not repository or re.search(repository, name)):
            found = ".".join(part for part in (match["major"], match["minor"], match["patch"]) if part)
            if cuda_release(found):
                return found
    return ""


# --- Machines in a name or tag.
_START: Final = r"(?<![a-z0-9])"
_ARM: Final = re.compile(rf"aarch64|{_START}(?:arm64(?:v8)?|sbsa|graviton|gh200|gb10|dgx-?spark)(?![a-z0-9])", re.IGNORECASE)
_MACHINES: Final = tuple(
    (machine, re.compile(_START + pattern, re.IGNORECASE))
    for machine, pattern in (
        ("Jetson", r"(?:igpu|l4t|jetpack|jp[4-7]\d?|tegra|r3[2-9]\.)"),
        ("AMD", r"(?:rocm\d*|hip|mi\d{2,3}x?)(?![a-z])"),
        ("Huawei Ascend", r"(?:npu|910b|cann|ascend)(?![a-z])"),
        ("Intel", r"(?:xpu|hpu|gaudi|intel)(?![a-z])"),
        ("Moore Threads", r"musa(?![a-z])"),
        ("MetaX", r"maca(?![a-z])"),
        ("Google TPU", r"tpu(?![a-z])"),
        # Last: an x86-64 image for another maker's accelerator is about that accelerator.
        ("x86-64", r"(?:x86[-_]?64|amd64|linux[-_]?64|x64)(?![a-z0-9])"),
    )
)
_WITH_CUDA: Final = ("", "x86-64", "Jetson")


def other_machine(reference: str) -> str:
    """The machine that a word in an image's name or tag means, if it is not a Spark."""
    return next((machine for machine, word in _MACHINES if word.search(reference)), "")


def _arm64(row: Table, reference: str, version: "Version | None", machine: str) -> bool | None:
    if machine == "x86-64":
        return False
    if _ARM.search(reference):
        return True
    said = _since(row.get("arm64"), version)
    return said if isinstance(said, bool) else None


# --- Versions and months.
_MONTH: Final = re.compile(r"(2\d\.(?:0[1-9]|1[0-2]))(?:\.post\d+|\.\d{2})?(?:-[a-z0-9.]+)*-py3(?:-(?:min|sdk|igpu))?$")
_VERSION: Final = re.compile(r"v?(\d+(?:\.\d+)+(?:\.post\d+|rc\d+)?)(?=$|[-_+]|\.[a-z])", re.ASCII)
_MOVING: Final = re.compile(r"(?:stable|main|master|edge|dev|nightly|cuda|(?:.*[-_.])?latest(?:[-_.].*)?)$", re.IGNORECASE)
_FLAVOUR: Final = re.compile(r"(cudnn)?\d*-?(base|runtime|devel)")


@cache
def _version(text: str) -> "Version":
    from packaging.version import Version

    return Version(text)


def _version_in(tag: str) -> "Version | None":
    match = _VERSION.match(tag)
    return _version(match[1]) if match else None


def _month_in(tag: str) -> str:
    match = _MONTH.match(tag)
    return match[1] if match else ""


def _month_row(month: str, newest: str) -> tuple[str, Severity | None, bool]:
    """CUDA and severity of an NGC month, and whether they are assumed: nothing is known yet of a month after the table."""
    months = table("images")["month"]
    row = months.get(month)
    if row:
        severity = None if row["severity"] == "ok" else Severity[row["severity"].upper()]
        return row["cuda"], severity, row.get("assumed", False) or month > newest
    if month > max(months):
        return "", None, True
    first = months[min(months)]["severity"].upper()
    return _since(table("images")["before"], _version(month)), Severity[first], False


def _since(said: Any, version: "Version | None") -> Any:
    """A value that holds for every version, or the one of the last step that a version has reached; empty for none."""
    if not isinstance(said, list):
        return said
    if version is None:
        return ""
    return next((value for start, value in reversed(said) if _version(start) <= version), "")


def _newer(version: "Version | None", newest: str | None) -> bool:
    return version is not None and newest is not None and version > _version(newest)


def _moves(row: Table, tag: str) -> bool:
    if "pinned" in row:
        return re.search(row["pinned"], tag) is None
    return _MOVING.match(tag) is not None


def _instead(row: Table, name: str, tag: str) -> str:
    flavour = _FLAVOUR.search(tag)
    words = "-".join(word for word in flavour.groups() if word) if flavour else "devel"
    written: str = row.get("instead", "")
    return written.replace("{name}", name).replace("{flavour}", words)


def _present(row: Table, month: str, version: "Version | None") -> Iterator[tuple[str, str]]:
    """The packages in an image with their versions, as far as known; the more exact first."""
    inside = table("images")["month"].get(month, {}) if row.get("family") in ("ngc-pytorch", "ngc-pyg") else {}
    if "torch" in inside:
        yield "torch", inside["torch"]
    yield from inside.get("ships", {}).items()
    for package, versions in row.get("version", {}).items():
        yield package, versions.get(month, "")
    if "own" in row and version:
        yield row["own"], str(version)
    for package in row.get("always", ()):
        yield package, ""
    for package, since in row.get("likely", {}).items():
        if month and month >= since:
            yield package, ""
