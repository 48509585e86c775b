"""For which CUDA the wheels of a package are built, or the torch that they bring: asked of as few versions as tell."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from packaging.version import Version

from spark_lint.refresh.clients import PYTHON, PYTHONS, Clients, Resolution
from spark_lint.refresh.elf import cuda_major
from spark_lint.refresh.opening import Opening
from spark_lint.refresh.ranges import NOTHING, Row, in_order, ranges, sides, verdict

WHEEL: Final = "wheel"

# `cupy-cuda12x`, `nvidia-dali-cuda130`, `jax-cuda12-plugin`, `spconv-cu126`, `nixl-cu13`
_IN_NAME: Final = re.compile(r"(?<![a-z0-9])cu(?:da)?(1\d)\d?x?(?![a-z0-9])")
# The libraries of CUDA 13 have no number in their name any more, and their version begins with it.
# https://docs.nvidia.com/cuda/cuda-installation-guide-linux/#pip-wheels
_TOOLKIT: Final = ("cuda-toolkit", "nvidia-cublas", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime", "nvidia-nvjitlink")

Look = Callable[[str], str | None]
"""What the wheel of a version is built for: empty where it does not tell, None where nobody could look."""


@dataclass(frozen=True, slots=True)
class Cuda:
    """What the wheels of a package are built for.

    rows: ranges of versions and what they are built for. evidence: how that was established. checked: the versions that were looked at:
    the oldest and the newest with a wheel, and both sides of each boundary.
    """

    rows: tuple[Row, ...]
    evidence: str
    checked: tuple[str, ...]


def established(
    name: str,
    how: str,
    available: Mapping[str, str],
    clients: Clients,
    old: Mapping[str, Any] | None,
    opening: Opening,
    harmless: Collection[str] = (),
) -> Cuda:
    """Looks at a package. Raises RegistryError where the index cannot be asked.

    how: `name`, `requires-dist`, `resolution` or `elf`. available: what there is of each version. old: its row before; a wheel that was
    opened for that one is not opened again, and where nobody can look, what it said stays. harmless: packages with a CUDA in their name
    that says nothing of those beside them.
    """
    wheels = in_order(version for version, there in available.items() if there == WHEEL)
    # A file never changes; what a client would install may, and costs little to ask.
    before = old if old is not None and how == old["evidence"] == "elf" else None
    look, cheap = looking(name, how, clients, opening, harmless)
    found = _looked_at(wheels, look, cheap=cheap, known=_known(wheels, before))
    spread = _spread(wheels, found, old)
    others = _elsewhere(name, available, clients) if wheels and len(wheels) < len(available) else ()
    rows = ranges(dict.fromkeys(available, NOTHING) | {version: _next(version, spread) for version in others} | spread)
    return Cuda(rows, how, _checked(wheels, spread, found))


def cuda_in(packages: Mapping[str, str], harmless: Collection[str] = ()) -> str:
    """The newest CUDA whose libraries are among some packages, `cu13`; `cpu` for a torch without; empty where there is neither."""
    majors = [major for name, version in packages.items() if name not in harmless and (major := major_of(name, version))]
    return f"cu{max(majors)}" if majors else "cpu" if "torch" in packages else ""


def torch_cuda(resolution: Resolution) -> str:
    """What the torch in a resolution is built for, by the libraries that it asks for; empty where there is no torch."""
    asked = {name: version for name, version in resolution.packages.items() if "torch" in (name, *resolution.via.get(name, ()))}
    return cuda_in(asked)


def major_of(name: str, version: str = "") -> int:
    """The CUDA that a package belongs to by its name, or by its version where it is one of the toolkit's; 0 where neither tells."""
    if match := _IN_NAME.search(name):
        return int(match[1])
    return Version(version).major if name in _TOOLKIT and version else 0


def looking(name: str, how: str, clients: Clients, opening: Opening, harmless: Collection[str]) -> tuple[Look, bool]:
    """How to look at a version, and whether that is cheap enough for one of each minor release."""

    def by_name(_: str) -> str:
        major = major_of(name)
        return f"cu{major}" if major else ""

    def by_dependencies(version: str) -> str:
        return cuda_in(clients.resolved([f"{name}=={version}"]).packages, harmless)

    def by_torch(version: str) -> str:
        return torch_cuda(clients.resolved([f"{name}=={version}"]))

    def by_libraries(version: str) -> str | None:
        found = opening.libraries(name, version)
        return None if found is None else cuda_major(found)

    ways: dict[str, tuple[Look, bool]] = {
        "name": (by_name, False),
        "requires-dist": (by_dependencies, True),
        "resolution": (by_torch, True),
        "elf": (by_libraries, False),
    }
    return ways[how]


def _known(wheels: Iterable[str], old: Mapping[str, Any] | None) -> dict[str, str]:
    """What the row before had looked at, and what it said of it."""
    if old is None:
        return {}
    checked = {Version(version) for version in old["checked"]}
    return {version: verdict(old.get("cuda", ()), version) for version in wheels if Version(version) in checked}


def _looked_at(wheels: Sequence[str], look: Look, *, cheap: bool, known: Mapping[str, str]) -> dict[str, str | None]:
    """What was found of the versions that tell; None where nobody could look.

    They are the oldest and the newest, where that is `cheap` the newest of each minor release, and those between two that differ. What
    lies between two that are known already is left alone where these agree.
    """
    found: dict[str, str | None] = dict(known)
    places = [place for place, version in enumerate(wheels) if version in known]
    first, last = (places[0], places[-1]) if places else (len(wheels), -1)
    minors = {Version(version).release[:2]: place for place, version in enumerate(wheels)} if cheap else {}
    outside = {place for place in minors.values() if not first <= place <= last}
    points = sorted({0, *outside, *places, len(wheels) - 1}) if wheels else []

    def at(place: int) -> str | None:
        if wheels[place] not in found:
            found[wheels[place]] = look(wheels[place])
        return found[wheels[place]]

    spans = list(pairwise(points)) or [(place, place) for place in points]
    while spans:
        low, high = spans.pop()
        before, after = at(low), at(high)
        # Where one of them could not be looked at, those in between are of no more help than the row before.
        if before != after and None not in (before, after) and high - low > 1:
            middle = (low + high) // 2
            spans += [(low, middle), (middle, high)]
    return found


def _spread(wheels: Sequence[str], found: Mapping[str, str | None], old: Mapping[str, Any] | None) -> dict[str, str]:
    """What each version is built for: what was found; between two that agree, the same; else what the row before says of it."""
    result: dict[str, str] = {}
    points = [place for place, version in enumerate(wheels) if found.get(version) is not None]
    for place, version in enumerate(wheels):
        known = found.get(version)
        if known is None:
            before = max((point for point in points if point < place), default=None)
            after = min((point for point in points if point > place), default=None)
            agreed = {found[wheels[point]] for point in (before, after) if point is not None}
            inside = before is not None and after is not None and len(agreed) == 1
            known = agreed.pop() if inside else verdict(old.get("cuda", ()), version) if old is not None else NOTHING
        result[version] = known or NOTHING
    return result


def _elsewhere(name: str, available: Mapping[str, str], clients: Clients) -> list[str]:
    """The versions of which only another Python finds a wheel."""
    found = {version for python in PYTHONS if python != PYTHON for version in clients.wheel_versions(name, python)}
    return [version for version in available if available[version] in ("none", "sdist") and version in found]


def _next(version: str, spread: Mapping[str, str]) -> str:
    """What the next version that could be looked at is built for, or the last one: what a version is taken to be that could not."""
    later = (known for wheel, known in spread.items() if Version(wheel) > Version(version))
    return next(later, list(spread.values())[-1])


def _checked(wheels: Sequence[str], spread: Mapping[str, str], found: Mapping[str, str | None]) -> tuple[str, ...]:
    looked_at = [version for version in wheels if found.get(version) is not None]
    told = {*sides({version: spread[version] for version in wheels}), *looked_at[:1], *looked_at[-1:]}
    return tuple(version for version in looked_at if version in told)
