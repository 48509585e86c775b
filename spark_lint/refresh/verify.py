"""A check of `wheels.toml` against the clients, on some of its releases: nothing from the cache, and each asked in two independent ways."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from spark_lint.refresh.available import FOREIGN, NONE, SDIST, WHEEL
from spark_lint.refresh.clients import Clients
from spark_lint.refresh.ranges import verdict
from spark_lint.refresh.traps import short
from spark_lint.refresh.writing import versions_of

_INSTALLS: Final = (WHEEL, FOREIGN)  # of what is in a wheel, neither client says anything


@dataclass(frozen=True, slots=True)
class Verified:
    """A release, what the table says of it, and what each client says.

    table: `wheel`, `sdist`, `none`, `foreign`. pip: the first three, from what it lists for a Spark. uv: `wheel`, or why it installs
    nothing where it may not build.
    """

    name: str
    version: str
    table: str
    pip: str
    uv: str

    @property
    def agrees(self) -> bool:
        """Whether both say what the table says."""
        installs = self.table in _INSTALLS
        return (self.pip == WHEEL) == installs == (self.uv == WHEEL) and (installs or self.pip == self.table)

    def __str__(self) -> str:
        said = f"table {self.table}, pip {self.pip}, uv {self.uv}"
        return f"{self.name} {self.version}: {'agrees' if self.agrees else 'DIFFERS'}: {said}"


def sampled(rows: Mapping[str, Mapping[str, Any]], size: int, seed: int) -> list[tuple[str, str]]:
    """Some packages, each with a release, oldest name first; the same for the same table and seed.

    First a package is drawn, then one of its ranges, then a release in that one: so that a range of few releases counts as much as one
    of many, and old failures are not drowned by new successes.
    """
    chance = random.Random(seed)  # noqa: S311 - a sample, and no secret
    names = chance.sample(sorted(rows), min(size, len(rows)))
    return sorted((name, _release(rows[name], chance)) for name in names)


def verified(rows: Mapping[str, Mapping[str, Any]], pairs: Sequence[tuple[str, str]], clients: Clients) -> Iterator[Verified]:
    """Asks for releases. Raises RegistryError where that cannot be done."""
    for name, version in pairs:
        resolved = clients.resolved([f"{name}=={version}"], deps=False)
        listed = WHEEL if version in clients.wheel_versions(name) else SDIST if version in clients.versions(name) else NONE
        yield Verified(name, version, verdict(rows[name]["aarch64"], version), listed, short(resolved.error) or WHEEL)


def _release(row: Mapping[str, Any], chance: random.Random) -> str:
    rows = row["aarch64"]
    of_range = [[version for version in versions_of(row) if verdict([each], version)] for each in rows]
    return chance.choice(chance.choice([versions for versions in of_range if versions]))
