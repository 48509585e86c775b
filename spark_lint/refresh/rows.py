"""The row of one package in `wheels.toml`: what the clients say of it, beside what is known from the row before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, TypeAlias

from spark_lint.refresh.available import FOREIGN, WHEEL, Available, available
from spark_lint.refresh.clients import Clients, RegistryError
from spark_lint.refresh.cuda import Cuda
from spark_lint.refresh.ranges import in_order, ranges, sides, verdict

Row: TypeAlias = Mapping[str, Any]

MEASURED: Final = ("name", "requires-dist", "resolution", "elf")
"""How the CUDA of a package can be established by a refresh; `manual` is for people."""


class NoReleaseError(Exception):
    """The index holds no stable release of a package, or no such package."""


@dataclass(frozen=True, slots=True)
class Looking:
    """How to look behind the names of files; None where this time nobody does, so that what was known stays.

    cuda: from a package, how it is established, what there is of each version, and the row before. elf: whether `elf` is a way, which
    downloads wheels. foreign: whether the libraries in the wheel of a package and a version are for x86-64.
    """

    cuda: Callable[[str, str, Mapping[str, str], Row | None], Cuda] | None = None
    foreign: Callable[[str, str], bool] | None = None
    elf: bool = True


def row_of(name: str, about: Mapping[str, Any], clients: Clients, old: Row | None, looking: Looking) -> dict[str, Any]:
    """Asks for a package. Raises RegistryError where it cannot be asked, and NoReleaseError where there is nothing of it.

    about: its row in `packages.toml`. old: its row in `wheels.toml`; what that one has looked at is not looked at again.
    """

    def foreign(version: str) -> bool:
        before = verdict(old["aarch64"], version) if old is not None and version in old["checked"] else ""
        if before in (WHEEL, FOREIGN):
            return before == FOREIGN
        if looking.foreign is None:
            raise RegistryError(f"the wheel of {version} has to be opened, which --no-elf forbids")
        return looking.foreign(name, version)

    there = available(name, clients, foreign if about.get("foreign") else None)
    if not there.verdicts:
        raise NoReleaseError(name)
    how = about.get("cuda", "")
    result: dict[str, Any] = {"aarch64": [list(row) for row in ranges(there.verdicts, there.by_python)], "evidence": "file-list"}
    looked_at: Sequence[str] | None = None
    if how in MEASURED and looking.cuda is not None and (looking.elf or how != "elf"):
        cuda = looking.cuda(name, how, there.verdicts, old)
        looked_at = [version for version in cuda.checked if version in there.verdicts]
        result |= {"cuda": [list(row) for row in cuda.rows], "evidence": cuda.evidence}
    elif how in MEASURED and old is not None:
        looked_at = [version for version in old["checked"] if version in there.verdicts]
        result |= {"cuda": old.get("cuda", []), "evidence": old["evidence"]}
    result["checked"] = _checked(there, looked_at)
    if there.newest_day:
        result["newest_day"] = date.fromisoformat(there.newest_day)
    result["versions"] = list(there.verdicts)
    return {key: result[key] for key in ("aarch64", "cuda", "evidence", "checked", "newest_day", "versions") if result.get(key)}


def _checked(there: Available, looked_at: Sequence[str] | None) -> list[str]:
    """The versions that a reader may take for looked at: both sides of each boundary and the newest.

    looked_at: those of which also the CUDA was established; None for a package where nobody asks for that. A wheel of which it was not is
    left out there: what is newer than all of these is only assumed, and a later refresh looks at it.
    """
    newest = list(there.verdicts)[-1]
    found = [*sides(there.verdicts), newest, *there.opened]
    if looked_at is not None:
        found = [version for version in found if there.verdicts[version] != WHEEL] + list(looked_at)
    return in_order(found) or [newest]
