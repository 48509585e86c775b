"""Which versions go together: typed access to `pairs.toml`."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from spark_lint.knowledge.tables import dated, table
from spark_lint.knowledge.wheels import package
from spark_lint.known import Known

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet


@dataclass(frozen=True, slots=True)
class Cap:
    """What a package's own cap on torch leads to. cap: `<2.11`. pip, uv: the torch that each of them chooses below it."""

    cap: str
    pip: str
    uv: str


def paired_names() -> tuple[str, ...]:
    """The packages of which each release goes with certain releases of torch."""
    return tuple(table("pairs")["pair"])


def capping_names() -> tuple[str, ...]:
    """The packages whose own cap on torch decides which build of it is installed."""
    return tuple(table("pairs")["cap"])


@cache
def torch_pinning_names() -> frozenset[str]:
    """The packages with another release of which comes another torch: those of which each asks for certain releases of it."""
    return frozenset((*paired_names(), *capping_names(), *table("pairs")["pinning"]))


@lru_cache(maxsize=4096)
def torch_for(name: str, version: str) -> str:
    """The torch that a release asks for, as a specifier: `==2.9.1` for torchvision 0.24.1; empty where it is not known."""
    return next((torch for wanted, torch in _pairs(name) if public(version) in wanted), "")


@lru_cache(maxsize=4096)
def goes_with(name: str, version: str, torch: str) -> bool | None:
    """Whether a release and a torch go together, whatever they are built for; None where nothing is known of the release."""
    from packaging.specifiers import SpecifierSet

    wanted = torch_for(name, version)
    return public(torch) in SpecifierSet(wanted) if wanted else None


def partner(name: str, torch: str) -> str:
    """The newest known release that goes with a torch; empty for none."""
    known = package(name)
    versions = reversed(known.versions) if known else ()
    return next((version for version in versions if goes_with(name, version, torch)), "")


@lru_cache(maxsize=4096)
def brought_by_torch(name: str, torch: str) -> str:
    """What a torch asks for of a package, as a specifier: `==3.6.0` of triton for torch 2.11.0; empty for nothing that is known."""
    from packaging.specifiers import SpecifierSet

    rows = table("pairs")["brought"].get(name, ())
    return next((own for wanted, own in rows if public(torch) in SpecifierSet(wanted)), "")


def torch_cap(name: str, version: str) -> Cap | None:
    """What a release's own cap on torch leads to; None where it has none, or it does no harm."""
    return next((cap for wanted, cap in _caps(name) if version in wanted), None)


def pairs_of(name: str) -> tuple[tuple[str, str], ...]:
    """The releases of a package, and the torch that they ask for, both as specifiers; the first that holds counts."""
    return tuple((own, torch) for own, torch in table("pairs")["pair"].get(name, ()))


def caps_of(name: str) -> tuple[tuple[str, Cap], ...]:
    """The releases of a package that cap torch, as specifiers, and what comes of that."""
    return tuple((own, Cap(cap, pip, uv)) for own, cap, pip, uv in table("pairs")["cap"].get(name, ()))


def pair_known() -> Known:
    """What stands behind which releases go together."""
    return dated("pairs", "requires-dist")


def cap_known() -> Known:
    """What stands behind what a cap on torch leads to."""
    return dated("pairs", "resolution")


def public(version: str) -> str:
    """A version without its local tag: `2.9.1` of `2.9.1+cu130`."""
    return version.partition("+")[0]


@cache
def _pairs(name: str) -> "tuple[tuple[SpecifierSet, str], ...]":
    from packaging.specifiers import SpecifierSet

    return tuple((SpecifierSet(own), torch) for own, torch in table("pairs")["pair"].get(name, ()))


@cache
def _caps(name: str) -> "tuple[tuple[SpecifierSet, Cap], ...]":
    from packaging.specifiers import SpecifierSet

    return tuple((SpecifierSet(own), Cap(cap, pip, uv)) for own, cap, pip, uv in table("pairs")["cap"].get(name, ()))
