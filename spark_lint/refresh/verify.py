"""A check of `wheels.toml` against the clients, on some of its releases: nothing from the cache, and each asked in two independent ways."""

import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from spark_lint.refresh.available import FOREIGN, NONE, SDIST, WHEEL
from spark_lint.refresh.clients import Clients
from spark_lint.refresh.cuda import looking
from spark_lint.refresh.opening import Opening
from spark_lint.refresh.ranges import verdict
from spark_lint.refresh.traps import short
from spark_lint.refresh.writing import versions_of

_ASKED: Final = ("name", "requires-dist", "resolution")
_GONE: Final = re.compile(r"not found in the package registry|there is no version of")
_INSTALLS: Final = (WHEEL, FOREIGN)  # of what is in a wheel, neither client says anything


@dataclass(frozen=True, slots=True)
class Verified:
    """A release, what the table says of it, and what each client says.

    table: `wheel`, `sdist`, `none`, `foreign`. pip: the first three, from what it lists for a Spark. uv: `wheel`, or why it installs
    nothing where it may not build. cuda: what the table says that it is built for, and what its metadata does; the same where that was
    not asked, since only its libraries tell.
    """

    name: str
    version: str
    table: str
    pip: str
    uv: str
    cuda: tuple[str, str] = ("", "")

    @property
    def agrees(self) -> bool:
        """Whether both say what the table says."""
        installs = self.table in _INSTALLS
        there = (self.pip == WHEEL) == installs == (self.uv == WHEEL) and (installs or self.pip == self.table)
        return there and self.cuda[0] == self.cuda[1] and not _GONE.search(self.uv)

    def __str__(self) -> str:
        said = f"table {self.table}, pip {self.pip}, uv {'wheel' if self.uv == WHEEL else f'no wheel ({self.uv})'}"
        built = [f"; built for {self.cuda[0] or 'unknown'}, now {self.cuda[1] or 'unknown'}"] if any(self.cuda) else []
        said += "".join(built)
        return f"{self.name} {self.version}: {'agrees' if self.agrees else 'DIFFERS'}: {said}"


def sampled(rows: Mapping[str, Mapping[str, Any]], size: int, seed: int) -> list[tuple[str, str]]:
    """Some packages, each with a release, oldest name first; the same for the same table and seed.

    First a package is drawn, then one of its ranges, then a release in that one: so that a range of few releases counts as much as one
    of many, and old failures are not drowned by new successes.
    """
    chance = random.Random(seed)  # noqa: S311 - a sample, and no secret
    names = chance.sample(sorted(rows), min(size, len(rows)))
    return sorted((name, _release(rows[name], chance)) for name in names)


def verified(
    rows: Mapping[str, Mapping[str, Any]], pairs: Sequence[tuple[str, str]], clients: Clients, harmless: Collection[str] = ()
) -> Iterator[Verified]:
    """Asks for releases. harmless: see `spark_lint.refresh.cuda`. Raises RegistryError where they cannot be asked for."""
    opening = Opening(clients, 0)  # nothing is downloaded
    for name, version in pairs:
        resolved = clients.resolved([f"{name}=={version}"], deps=False)
        listed = WHEEL if version in clients.wheel_versions(name) else SDIST if version in clients.versions(name) else NONE
        row = rows[name]
        cuda = ("", "")
        if listed == WHEEL and row["evidence"] in _ASKED:
            look, _ = looking(name, row["evidence"], clients, opening, harmless)
            cuda = (verdict(row.get("cuda", ()), version), look(version) or "")
        yield Verified(name, version, verdict(row["aarch64"], version), listed, short(resolved.error) or WHEEL, cuda)


def _release(row: Mapping[str, Any], chance: random.Random) -> str:
    rows = row["aarch64"]
    of_range = [[version for version in versions_of(row) if verdict([each], version)] for each in rows]
    return chance.choice(chance.choice([versions for versions in of_range if versions]))
