"""What a Spark gets of each version of a package: asked of pip, and looked up in the wheel where that may deceive."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from spark_lint.refresh.clients import PYTHON, PYTHONS, Clients
from spark_lint.refresh.ranges import in_order

WHEEL: Final = "wheel"
SDIST: Final = "sdist"
NONE: Final = "none"
FOREIGN: Final = "foreign"

_SMALLEST_FOREIGN: Final = 1_000_000  # bytes: Python alone is hardly ever bigger, libraries hardly ever smaller


@dataclass(frozen=True, slots=True)
class Available:
    """What there is of a package.

    verdicts: `wheel`, `sdist`, `none` or `foreign` by version, on CPython 3.12, oldest first. by_python: the versions of which another
    Python finds something for the machine. opened: the versions whose wheel was opened to tell. newest_day: when the newest version was
    uploaded, `2026-11-30`; empty where the index does not say.
    """

    verdicts: Mapping[str, str]
    by_python: frozenset[str]
    opened: tuple[str, ...]
    newest_day: str


def available(name: str, clients: Clients, foreign: Callable[[str], bool] | None = None) -> Available:
    """Asks what there is of a package. Raises RegistryError where that cannot be asked.

    foreign: whether the libraries in the wheel of a version are for x86-64, asked of as few versions as tell; None where the name is
    above suspicion.
    """
    wheels = set(clients.wheel_versions(name))
    versions = in_order({*clients.all_versions(name), *wheels})
    # Where there is a wheel of every version, it does not matter what there is in source.
    sources = set() if wheels.issuperset(versions) else set(clients.source_versions(name))
    found = {version: WHEEL if version in wheels else SDIST if version in sources else NONE for version in versions}
    lacking = {version for version in versions if found[version] == NONE}
    by_python = {
        version for python in PYTHONS if lacking and python != PYTHON for version in clients.versions(name, python)
    } & lacking
    opened: dict[str, bool] = {}
    if foreign is not None:
        suspects = [version for version in versions if found[version] == WHEEL and _suspect(name, version, clients)]
        opened = _looked_at(suspects, foreign)
        found |= dict.fromkeys(_spread(suspects, opened), FOREIGN)
    return Available(found, frozenset(by_python), tuple(opened), _day(name, versions[-1], clients) if versions else "")


def _suspect(name: str, version: str, clients: Clients) -> bool:
    """Whether what a Spark takes is a wheel for every machine, and bigger than Python alone."""
    wheels = [file for file in clients.files(name, version) if not file.is_source]
    return any(_for_any(file.name) and file.size > _SMALLEST_FOREIGN for file in wheels) and not any(
        "linux" in file.name and "aarch64" in file.name for file in wheels
    )


def _for_any(wheel: str) -> bool:
    try:
        return any(tag.platform == "any" for tag in parse_wheel_filename(wheel)[3])
    except InvalidWheelFilename:
        return False


def _looked_at(versions: list[str], foreign: Callable[[str], bool]) -> dict[str, bool]:
    """The answers for the oldest and the newest, and for those that tell where the answer changes between two."""
    found: dict[str, bool] = {}

    def look(place: int) -> bool:
        if versions[place] not in found:
            found[versions[place]] = foreign(versions[place])
        return found[versions[place]]

    spans = [(0, len(versions) - 1)] if versions else []
    while spans:
        low, high = spans.pop()
        if look(low) != look(high) and high - low > 1:
            middle = (low + high) // 2
            spans += [(low, middle), (middle, high)]
    return found


def _spread(versions: list[str], looked_at: Mapping[str, bool]) -> list[str]:
    """The versions that are foreign, each of the others taken to be as the one before it that was looked at."""
    result, current = [], False
    for version in versions:
        current = looked_at.get(version, current)
        if current:
            result.append(version)
    return result


def _day(name: str, version: str, clients: Clients) -> str:
    for python in (PYTHON, "3.9"):
        if days := [file.day for file in clients.files(name, version, python) if file.day]:
            return min(days)
    return ""
