"""What is known of a container image: typed access to `images.toml`, joined with what its name and tag say."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from spark_lint.facts import Image
from spark_lint.knowledge import tags
from spark_lint.knowledge.gpu import grade
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
    known: what stands behind what is said of its CUDA and of what is in it; assumed where it is newer than what was looked at, or taken
    for likely. arm64_known: the same of whether it exists for arm64.
    python: the release of Python in it, `3.12`. driver: the driver it was built for; a newer one than a Spark's is made up for by the
    forward compatibility that the image brings. Both empty where that is not known.
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
    arm64_known: Known
    python: str
    driver: str
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
_WITH_CUDA: Final = ("", "x86-64", "Jetson")
"""The machines whose images may hold CUDA."""
_ON_THE_MONTH: Final = ("ngc-pytorch", "ngc-pyg")
"""The families that hold all that the months tell of the PyTorch image."""


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
    version = tags.version_in(tag) if known_tag else None
    month = tags.month_in(tag) if row.get("cuda") == "month" else ""
    written = tags.cuda_in(name, tag)
    machine = _machine(row, tags.other_machine(f"{name}:{tag}"))
    if written:
        cuda = _Cuda(written, grade(written), Known(_day(row), "name"))
    elif month:
        cuda = _of_month(month, row)
    else:
        cuda = _of_row(row, version, stated=known_tag and row.get("cuda") != "month" and machine in _WITH_CUDA)
    arm64, arm64_known = _arm64(row, f"{name}:{tag}", version, machine)
    inside: Table = table("images")["month"].get(month, {}) if row.get("family") in _ON_THE_MONTH else {}
    bare, for_gpu = row.get("bare", False), row.get("gpu", bool(cuda.release))
    return ImageFacts(
        family=row.get("family", ""),
        cuda=cuda.release,
        grade=cuda.grade,
        arm64=arm64,
        month=month,
        moving=known_tag and not pinned and _moves(row, tag),
        for_gpu=for_gpu,
        has_gpu_stack=for_gpu and not bare,
        other_machine=machine,
        drawback=_since(row.get("drawback", ""), version),
        instead=_instead(row, name, tag, version, usable=known_tag and grade(written) is None and not machine),
        note=row.get("note", ""),
        known=cuda.known,
        arm64_known=arm64_known,
        python=inside.get("python", ""),
        driver=inside.get("driver", ""),
        nvidia_torch=row.get("nvidia_torch", False),
        _present=tuple(_present(row, inside, month, version)),
        _absent=tuple(row.get("never", ())),
        _bare=bare,
    )


def _about(row: Table, name: str, tag: str | None) -> bool:
    if not any(fnmatchcase(name, pattern) for pattern in row["match"]):
        return False
    return "tag" not in row or (tag is not None and re.search(row["tag"], tag) is not None)


@dataclass(frozen=True, slots=True)
class _Cuda:
    """The CUDA release of an image, how bad it is, and what stands behind both."""

    release: str
    grade: Severity | None
    known: Known


def _of_month(month: str, row: Table) -> _Cuda:
    """What an NGC image holds by its month. Nothing is known yet of a month after the table."""
    images = table("images")
    months, day = images["month"], images["as_of"].isoformat()
    inside = months.get(month)
    if inside is None and month > max(months):
        return _Cuda("", None, Known(day, "interpolated", assumed=True))
    if inside is None:
        release, earliest = _since(images["before"], tags.version_of(month)), months[min(months)]["severity"]
        known = Known(day, "release-notes", images["before_source"], row.get("assumed", False))
        return _Cuda(release, Severity[earliest.upper()], known)
    evidence = inside["cuda_grade"]
    source = images["source"] if evidence == "release-notes" else ""
    assumed = inside.get("assumed", False) or row.get("assumed", False) or month > row["newest"]
    severity = None if inside["severity"] == "ok" else Severity[inside["severity"].upper()]
    known = Known(inside.get("checked", images["as_of"]).isoformat(), evidence, inside.get("source", source), assumed)
    return _Cuda(inside["cuda"], severity, known)


def _of_row(row: Table, version: "Version | None", stated: bool) -> _Cuda:
    """What a row says of an image by its version, where it says anything of this one."""
    release = _since(row.get("cuda", ""), version) if stated else ""
    severity = Severity[row["severity"].upper()] if stated and "severity" in row else grade(release)
    return _Cuda(release, severity, _known(row, "cuda", assumed=stated and _newer(row, version)))


def _machine(row: Table, named: str) -> str:
    """What it is made for instead of a Spark: what its row says, before what its name does; but no x86-64 image is for Jetson."""
    said: str = row.get("machine", named)
    return named if (said, named) == ("Jetson", "x86-64") else said


def _arm64(row: Table, reference: str, version: "Version | None", machine: str) -> tuple[bool | None, Known]:
    """Whether it exists for arm64, and what stands behind that."""
    if machine == "x86-64":
        return False, Known(_day(row), "name")
    if tags.names_arm64(reference):
        return True, Known(_day(row), "name")
    said = _since(row.get("arm64"), version)
    return said if isinstance(said, bool) else None, _known(row, "arm64", assumed=_newer(row, version))


def _newer(row: Table, version: "Version | None") -> bool:
    """Whether nobody looked at a version: it is newer than those that were looked at."""
    return version is not None and "newest" in row and version > tags.version_of(row["newest"])


def _known(row: Table, about: str, assumed: bool = False) -> Known:
    """What stands behind a statement of a row, which may be better or worse known than the rest of it."""
    evidence = row.get(f"{about}_grade", row.get("grade", "name"))
    source = row.get(f"{about}_source", row.get("sources", [""])[0])
    return Known(_day(row), evidence, source, assumed or row.get("assumed", False))


def _day(row: Table) -> str:
    day: str = row.get("checked", table("images")["as_of"]).isoformat()
    return day


def _since(said: Any, version: "Version | None") -> Any:
    """A value that holds for every version, or the one of the last step that a version has reached; empty for none."""
    if not isinstance(said, list):
        return said
    if version is None:
        return ""
    return next((value for start, value in reversed(said) if tags.version_of(start) <= version), "")


def _moves(row: Table, tag: str) -> bool:
    if "pinned" in row:
        return re.search(row["pinned"], tag) is None
    return tags.moves(tag)


def _instead(row: Table, name: str, tag: str, version: "Version | None", usable: bool) -> str:
    """What to use in its place. The reader's own tag is built on only where it is known, and not itself what is wrong."""
    written: str = _since(row.get("instead", ""), version)
    if "{tag}" in written and not usable:
        return ""
    return written.replace("{name}", name).replace("{tag}", tag).replace("{flavour}", tags.flavour_of(tag))


def _present(row: Table, inside: Table, month: str, version: "Version | None") -> Iterator[tuple[str, str]]:
    """The packages in an image with their versions, as far as known; the more exact first."""
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
