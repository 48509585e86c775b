"""Which CUDA releases and which GPU architectures fit a Spark: typed access to `gpu.toml`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from spark_lint.knowledge.tables import Table, dated, table
from spark_lint.known import Known
from spark_lint.rule import Severity
from spark_lint.text import UNKNOWN

# `cu124`, `cu12`, `cuda13`, `cu92`, `cu126_full`, `cu12torch2.8`, `pt25cu124`: two digits of the major from 10 on, one of minor and patch.
_TAG: Final = re.compile(r"(?:pt\d{2,3})?cu(?:da)?-?(9|1\d)(\d)?\d?(?!\d|\.\d)", re.IGNORECASE)
_DOTTED: Final = re.compile(r"(?:cu(?:da)?[-_]?v?)?(\d{1,2})(?:\.(\d{1,2}))?(?:\.\d+)*$", re.IGNORECASE)


def cuda_release(text: str) -> tuple[int, int | None] | None:
    """Major and minor of a CUDA tag or version (`cu124`, `cuda12.4`, `12.4.1`); no minor for `cu12`, None for anything else."""
    match = _TAG.match(text.strip()) or _DOTTED.match(text.strip())
    if match is None:
        return None
    major, minor = int(match[1]), int(match[2]) if match[2] else None
    known: list[int] | None = table("gpu")["releases"].get(str(major))
    return (major, minor) if known and (minor is None or known[0] <= minor <= known[1]) else None


def grade(cuda: str) -> Severity | None:
    """How a CUDA release fares on a Spark; None where it is fine, or is no CUDA release."""
    row = _graded(cuda)
    return Severity[row["severity"].upper()] if row else None


def drawback(cuda: str) -> str:
    """What is wrong with builds for a CUDA release, to go on after "cu124 builds"; empty where nothing is."""
    row = _graded(cuda)
    return row["reason"] if row else ""


def cuda_known(cuda: str) -> Known | None:
    """What stands behind the grade of a CUDA release; None where it is fine, or is no CUDA release."""
    row = _graded(cuda)
    return dated("gpu", "quoted", row) if row else None


def _graded(cuda: str) -> Table | None:
    release = cuda_release(cuda)
    if release is None:
        return None
    # Of `cu12` alone the best is assumed: a 12.9.
    at = (release[0], 99 if release[1] is None else release[1])
    return next((row for row in table("gpu")["grade"] if at < tuple(map(int, row["below"].split(".")))), None)


@dataclass(frozen=True, slots=True)
class Architecture:
    """One GPU architecture in a list of them.

    written: as it stands there, at `start` to `stop` of the value. major, minor, suffix: `12`, `1`, `a`.
    ptx: it holds intermediate code from which the driver can make code for a Spark, at the first start.
    runs: it holds compiled code that a Spark runs; None where that depends on the machine that builds (`native`).
    fp4: a Spark runs it, and it may hold the FP4 instructions (NVFP4, MXFP4).
    needs_toolkit: the first CUDA release that compiles it (`12.9`); empty where that is not known.
    """

    written: str
    start: int
    stop: int
    major: int
    minor: int
    suffix: str
    ptx: bool
    runs: bool | None
    fp4: bool
    needs_toolkit: str

    @property
    def other_chip(self) -> bool:
        """Whether an `a` ties it to a chip that is not the Spark's."""
        return self.suffix == "a" and f"{self.major}.{self.minor}" != table("gpu")["device"]["capability"]

    @property
    def usable(self) -> bool:
        """Whether it is there for a Spark, or may be: compiled code, or PTX that was asked for 12.x and not for something older."""
        return self.runs is not False or (self.ptx and self.major == 12 and not self.other_chip)


_TOKEN: Final = re.compile(r"[^\s;,\[\]\"']+")
_PREFIX: Final = re.compile(r"(?:sm|compute|lto)_?", re.IGNORECASE)
_ARCHITECTURE: Final = re.compile(
    r"(?:(?P<major>\d{1,2})\.(?P<minor>\d)|(?P<both>\d{2,3}))(?P<suffix>[af])?(?P<ptx>\+ptx)?(?:-(?P<kind>real|virtual))?$",
    re.IGNORECASE,
)

_MAJORS: Final = range(3, 20)
"""What may be an architecture: `12` or `2.0` is none that any compiler in use takes."""


def architectures(value: str, tool: str = "") -> tuple[Architecture, ...]:
    """The architectures in a list, in any tool's spelling: `8.0;9.0+PTX`, `121a-real`, `sm_120`, `arch=compute_90,code=sm_90`.

    tool: the variable or program that takes the list, since a plain `90` holds PTX for some and not for others.
    A word that stands for several (`Hopper`, `all`) gives each; what is no architecture, or not known, is left out.
    """
    # Plain numbers hold PTX for CMake, and not in these lists; a plain `sm_90` holds it only as nvcc's `-arch=sm_90`.
    bare = tool in table("gpu")["lists"]["compiled_only"]
    shorthand = tool == "nvcc" and "code=" not in value
    found: list[Architecture] = []
    for match in _TOKEN.finditer(value):
        name, sign, token = match[0].rpartition("=")
        # -gencode arch=compute_90,code=sm_90: only what `code` names ends up in the binary.
        if UNKNOWN in token or (sign and name.lower().endswith("arch") and "code=" in value):
            continue
        found += _read(token, match.end() - len(token), match.end(), bare, shorthand)
    return tuple(found)


def with_spark(value: str, suffix: str = "") -> str:
    """A list of architectures with a Spark's as well, in its own spelling: `8.0 9.0` becomes `8.0 9.0 12.1`, `80;90` becomes `80;90;120`."""
    kept = value.rstrip(" ;,")
    more = spark_like(kept, suffix)
    return f"{kept}{' ' if '.' in more and ';' not in kept else ';'}{more}"


def spark_like(value: str, suffix: str = "") -> str:
    """A Spark's architecture in the spelling of a list: `12.1`, `120`, or with a suffix `12.1a`, `121a`."""
    packed = "." not in value and any(map(str.isdigit, value))
    found: str = table("gpu")["lists"]["packed" if packed else "dotted"][1 if suffix else 0]
    return found + suffix


def architectures_known() -> Known:
    """What stands behind what runs on a Spark: the rules of binary compatibility."""
    return dated("gpu", "release-notes", table("gpu")["runs"])


def toolkit_known() -> Known:
    """What stands behind which compiler takes an architecture."""
    return dated("gpu", "release-notes", table("gpu")["toolkit"])


def spark_gencode() -> str:
    """What to add to nvcc's flags for a Spark."""
    found: str = table("gpu")["lists"]["gencode"]
    return found


def compiles(cuda: str, toolkit: str) -> bool | None:
    """Whether the compiler of a CUDA release (`12.8.1`) takes what needs that toolkit (`12.9`); None where either is not known."""
    release, needed = cuda_release(cuda), cuda_release(toolkit)
    if release is None or needed is None or release[1] is None or needed[1] is None:
        return None
    return (release[0], release[1]) >= (needed[0], needed[1])


@dataclass(frozen=True, slots=True)
class Refusal:
    """A value that a server refuses on a Spark. only: what it is for. since: the first release that takes it, empty for none. instead: one that starts.

    known: what stands behind it.
    """

    only: str
    since: str
    instead: str
    known: Known


def refusal(tool: str, setting: str, value: str, written: str = "") -> Refusal | None:
    """How a server (`vllm`) stands to a value of a setting on a Spark; None where it takes it, as far as is known.

    written: the option as it is spelled, since `--decode-attention-backend` is asked for less than `--attention-backend`.
    """
    for row in table("gpu")["refused"]:
        about = (row["tool"], row["setting"]) == (tool, setting) and value.lower() in row["values"]
        if about and not any(word in written for word in row.get("but", ())):
            return Refusal(row["only"], row["since"], row["instead"], dated("gpu", "manual", row))
    return None


def fp4_defect(package: str, version: str, cuda13: bool = False, ngc: bool = False) -> str:
    """What is wrong with the NVFP4 kernels of a release on a Spark, to go on after a colon; empty where nothing is known to be.

    A build between two releases (`0.17.0rc1.dev208`) holds what its day had, which is not known.
    cuda13: it is a build for CUDA 13. ngc: it is from one of NVIDIA's own images.
    """
    from spark_lint.knowledge.wheels import specifiers

    row: Table = table("gpu")["fp4"]["first"].get(package, {})
    first = row.get("ngc" if ngc else "cuda13" if cuda13 else "release") or row.get("release", "")
    old = f"<{first}" if first else f"=={row['wrong']}" if row else ""
    if not old or not version or ".dev" in version or version.partition("+")[0] not in specifiers(old):
        return ""
    says: str = row["says"]
    return says.replace("{first}", first)


def fp4_known(package: str = "") -> Known:
    """What stands behind what is said of the FP4 kernels of a package, or without one of who adds their suffix."""
    fp4 = table("gpu")["fp4"]
    return dated("gpu", "manual", fp4["first"].get(package, fp4["adds_suffix"]))


def fp4_suffix_since(package: str) -> str:
    """The first release of a package that completes a plain 12.x by itself for its FP4 kernels; empty where none is known."""
    found: str = table("gpu")["fp4"]["adds_suffix"].get(package, "")
    return found


def _read(token: str, start: int, stop: int, bare: bool, shorthand: bool) -> Iterator[Architecture]:
    words = table("gpu")["words"]
    meaning: str | None = words.get(token.lower())
    if meaning == "":
        yield Architecture(token, start, stop, 0, 0, "", False, None, False, "")
    elif meaning:
        for part in meaning.split(";"):
            yield from _one(part, token, start, stop, bare, shorthand)
    else:
        yield from _one(token, token, start, stop, bare, shorthand)


def _one(text: str, written: str, start: int, stop: int, bare: bool, shorthand: bool) -> Iterator[Architecture]:
    prefix = _PREFIX.match(text)
    match = _ARCHITECTURE.match(text[prefix.end() :] if prefix else text)
    if match is None or int(match["major"] or match["both"][:-1]) not in _MAJORS:
        return
    gpu = table("gpu")
    major, minor = int(match["major"] or match["both"][:-1]), int(match["minor"] or match["both"][-1])
    suffix = (match["suffix"] or "").lower()
    kind = (match["kind"] or "").lower()
    # CMake's `90` is both kinds of code, nvcc's compute_90 only PTX, sm_90 and torch's 9.0 only compiled code.
    only_ptx = kind == "virtual" or bool(prefix and prefix[0].lower().startswith("compute"))
    with_ptx = only_ptx or bool(match["ptx"]) or (bool(match["both"]) and not prefix and kind != "real" and not bare)
    name = f"{major}.{minor}"
    plain = (major, minor) <= tuple(map(int, gpu["runs"]["ptx_up_to"].split(".")))
    usable = f"{name}{suffix}" in gpu["runs"]["ptx"] if suffix else plain
    # `-arch=sm_120a` brings the PTX of plain 12.0 too, as nvcc 13.0 shows with --dryrun.
    in_shorthand = shorthand and not only_ptx and plain
    toolkits = gpu["toolkit"].get(name, ["", "", ""])
    yield Architecture(
        written,
        start,
        stop,
        major,
        minor,
        suffix,
        ptx=(with_ptx and usable) or in_shorthand,
        runs=not only_ptx and f"{name}{suffix}" in gpu["runs"]["code"],
        fp4=not only_ptx and f"{name}{suffix}" in gpu["fp4"]["code"],
        needs_toolkit=toolkits[("", "a", "f").index(suffix)],
    )
