"""What people know of packages beside the measured table: what is compiled and how, other names, hosts. Typed access to `packages.toml`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from spark_lint.knowledge.tables import dated, table
from spark_lint.knowledge.wheels import canonical, package, ranges, specifiers, version_of
from spark_lint.known import Known
from spark_lint.text import UNKNOWN

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

    from spark_lint.facts import Index

_NAME: Final = re.compile(r"[a-z0-9-]+")
_PYTORCH: Final = "download.pytorch.org"


@dataclass(frozen=True, slots=True)
class Source:
    """What a package that is compiled where it is installed needs for that.

    torch: it is compiled for the torch that is installed. unseen: variables of which one has to be set where no GPU is seen, as in
    `docker build`; stops: without, the build fails, instead of leaving the GPU code out. cmake: what CMAKE_ARGS has to hold one of for
    GPU code. better: another way, which compiles nothing. git: the repository of one that the default index does not hold.
    x86: hosts that list it for x86-64 alone. note: what happens, where it is not compiled.
    """

    name: str
    torch: bool
    unseen: tuple[str, ...]
    stops: bool
    cmake: tuple[str, ...]
    better: str
    git: str
    x86: tuple[str, ...]
    note: str
    _foreign: "tuple[SpecifierSet, str] | None" = field(repr=False)

    def forced(self, version: str) -> str:
        """The variable without which this version fetches a wheel for x86-64 where it should compile; empty where it does not."""
        wanted, name = self._foreign or (None, "")
        return name if wanted is not None and version_of(version) is not None and version in wanted else ""

    def only_x86(self, index: "Index") -> bool:
        """Whether an index has it for x86-64 alone, without its source."""
        return (_PYTORCH if index.role == "torch-backend" else _host(index.url)) in self.x86


@cache
def source(name: str) -> Source | None:
    """What a package that has to be compiled on a Spark needs; None for any other."""
    row = table("packages")["build"].get(canonical(name))
    if row is None:
        return None
    foreign = ranges([row["foreign"]])[0] if "foreign" in row else None
    unseen, cmake = tuple(row.get("unseen", ())), tuple(row.get("cmake", ()))
    return Source(
        canonical(name),
        row.get("torch", True),
        unseen,
        row.get("stops", False),
        cmake,
        row.get("better", ""),
        row.get("git", ""),
        tuple(row.get("x86", ())),
        row.get("note", ""),
        foreign,
    )


def source_names() -> tuple[str, ...]:
    """Every package that has to be compiled on a Spark."""
    return tuple(table("packages")["build"])


def packages_known(evidence: str = "manual") -> Known:
    """What stands behind what people know of packages: names, extras, builds."""
    return dated("packages", evidence)


def replacement(name: str) -> str:
    """Another package in place of one of which there is nothing for a Spark; empty where none is known."""
    found: str = table("packages")["replacement"].get(canonical(name), "")
    return found


def serves(index: "Index", name: str, specifier: str = "") -> bool:
    """Whether an index may hold a build for a Spark, of a release that a specifier admits, of a package that the default index lacks."""
    if index.role != "torch-backend" and only_pypi([index]):
        return False
    host = _PYTORCH if index.role == "torch-backend" else _host(index.url)
    served: list[str] | None = table("packages")["served"].get(host)
    if served is None or UNKNOWN in index.url:
        return True
    facts = package(name)
    asked = facts.matching(specifier) if facts is not None else ()
    for entry in served:
        held = _NAME.match(entry)
        if held is not None and held[0] == canonical(name):
            bound = specifiers(entry[held.end() :])
            return not asked or any(version in bound for version in asked)
    return False


def cuda13_name(name: str) -> str | None:
    """The CUDA 13 name of a CUDA 12 package: empty where there is no counterpart, None where nothing is known of it."""
    found: str | None = table("packages")["rename"].get(canonical(name))
    return found


def cuda12_names() -> tuple[str, ...]:
    """Every package whose name, or one of whose extras, means CUDA 12."""
    packages = table("packages")
    return (*packages["rename"], *dict.fromkeys(written.partition("[")[0] for written in packages["extra"]))


def harmless(name: str) -> bool:
    """Whether it looks like a CUDA 12 package and does no harm beside CUDA 13."""
    return canonical(name) in table("packages")["allow"]


def extra_advice(package: str, extra: str) -> str | None:
    """What to write instead of an extra that brings CUDA 12 libraries: `jax[cuda13]` for `jax` and `cuda12`."""
    found: str | None = table("packages")["extra"].get(f"{canonical(package)}[{canonical(extra)}]")
    return found


def cuda12_extras(package: str) -> dict[str, str]:
    """The extras of a package that bring CUDA 12 libraries, and what to write instead of each: `cuda12` to `jax[cuda13]`."""
    rows: dict[str, str] = table("packages")["extra"]
    parts = {written: written.removesuffix("]").partition("[") for written in rows}
    return {extra: rows[written] for written, (name, _, extra) in parts.items() if name == canonical(package)}


def hosts_of(name: str) -> tuple[str, ...]:
    """The hosts of other indexes that hold builds of a package for a Spark that the default one lacks, each with its releases."""
    rows: dict[str, list[str]] = table("packages")["served"]
    named = ((host, _NAME.match(entry), entry) for host, entries in rows.items() for entry in entries)
    return tuple(
        f"{host}{entry[held.end() :] and f' ({entry[held.end() :]})'}"
        for host, held, entry in named
        if held and held[0] == canonical(name)
    )


def named_by_hand() -> tuple[str, ...]:
    """Every package of which something is known beside the measured table."""
    packages = table("packages")
    extras = (written.partition("[")[0] for written in packages["extra"])
    return tuple(dict.fromkeys((*packages["build"], *packages["rename"], *packages["allow"], *packages["replacement"], *extras)))


def last_torch(index: str) -> str:
    """The last torch on an index of PyTorch's that gets no new one, by its tag (`cu124`); empty for any other."""
    found: str = table("packages")["last_torch"].get(index, "")
    return found


def only_pypi(indexes: "Iterable[Index]") -> bool:
    """Whether packages come from the default index alone: none other is in force, or only mirrors of it."""
    hosts = table("packages")["hosts"]
    # A mirror's host may hold PyTorch's index too: `mirrors.aliyun.com/pytorch-wheels/cu130`.
    return not any(
        index.role == "torch-backend" or index.name or UNKNOWN in index.url or _host(index.url) not in hosts for index in indexes
    )


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
