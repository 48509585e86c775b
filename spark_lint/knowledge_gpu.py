"""Which CUDA releases and which GPU architectures fit a Spark: typed access to `gpu.toml`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from spark_lint.knowledge_tables import Table, table
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
        return self.suffix == "a" and not self.runs


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
    bare = tool in table("gpu")["lists"]["compiled_only"]
    found: list[Architecture] = []
    for match in _TOKEN.finditer(value):
        name, sign, token = match[0].rpartition("=")
        # -gencode arch=compute_90,code=sm_90: only what `code` names ends up in the binary.
        if UNKNOWN in token or (sign and name.lower().endswith("arch") and "code=" in value):
            continue
        found += _read(token, match.end() - len(token), match.end(), bare)
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


def fp4_suffix_since(package: str) -> str:
    """The first release of a package that completes a plain 12.x by itself for its FP4 kernels; empty where none is known."""
    found: str = table("gpu")["fp4"]["adds_suffix"].get(package, "")
    return found


def _read(token: str, start: int, stop: int, bare: bool) -> Iterator[Architecture]:
    words = table("gpu")["words"]
    meaning: str | None = words.get(token.lower())
    if meaning == "":
        yield Architecture(token, start, stop, 0, 0, "", False, None, False, "")
    elif meaning:
        for part in meaning.split(";"):
            yield from _one(part, token, start, stop, bare)
    else:
        yield from _one(token, token, start, stop, bare)


def _one(text: str, written: str, start: int, stop: int, bare: bool) -> Iterator[Architecture]:
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
    up_to = tuple(map(int, gpu["runs"]["ptx_up_to"].split(".")))
    usable = f"{name}{suffix}" in gpu["runs"]["ptx"] if suffix else (major, minor) <= up_to
    toolkits = gpu["toolkit"].get(name, ["", "", ""])
    yield Architecture(
        written,
        start,
        stop,
        major,
        minor,
        suffix,
        ptx=with_ptx and usable,
        runs=not only_ptx and f"{name}{suffix}" in gpu["runs"]["code"],
        fp4=not only_ptx and f"{name}{suffix}" in gpu["fp4"]["code"],
        needs_toolkit=toolkits[("", "a", "f").index(suffix)],
    )
