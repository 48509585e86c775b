"""Traps in what packages ask for: what a Spark really installs for some requirements, asked of uv and never installed."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final, TypeAlias

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from spark_lint.refresh.clients import Clients, RegistryError, Resolution
from spark_lint.refresh.cuda import cuda_in, major_of, torch_cuda

Trap: TypeAlias = Mapping[str, Any]

_LONGEST: Final = 200


def measured(
    asked: Iterable[str], clients: Clients, harmless: Collection[str], old: Mapping[str, Trap], old_day: date
) -> tuple[dict[str, Trap], dict[str, str]]:
    """Resolves sets of requirements, each a text with blanks between. Gives their rows, and why some could not be asked.

    A row has no key for what it has nothing to say of. picked: `vllm==0.11.0`, of those asked for whose version was left open. torch: its
    version. cuda: what that one is built for, or without it the CUDA of the libraries: `cpu`, `cu12`, `cu13`. cu12: the packages for CUDA
    12 or older among them, but `harmless` ones. error: why nothing can be installed from wheels. as_of: of a row that is older than the
    others, since it could not be asked: those in `old` are of `old_day`.
    """
    rows: dict[str, Trap] = {}
    errors: dict[str, str] = {}
    for each in asked:
        try:
            rows[each] = _row(each.split(), clients.resolved(each.split()), harmless)
        except RegistryError as error:
            errors[each] = str(error)
            if each in old:
                rows[each] = {"as_of": old_day, **old[each]}
    return rows, errors


def changed(old: Mapping[str, Trap], new: Mapping[str, Trap]) -> Iterator[str]:
    """What is different, a line for each set of requirements."""
    for asked in dict.fromkeys((*new, *old)):
        before, now = (_said(rows[asked]) if asked in rows else "not asked for" for rows in (old, new))
        if before != now:
            yield f"{asked}: {now} (was: {before})"


def _row(asked: list[str], resolution: Resolution, harmless: Collection[str]) -> Trap:
    packages = resolution.packages
    wanted = [Requirement(each) for each in asked]
    names = [canonicalize_name(each.name) for each in wanted if not any(part.operator == "==" for part in each.specifier)]
    row = {
        "picked": [f"{name}=={packages[name]}" for name in names if name in packages],
        "torch": packages.get("torch", ""),
        "cuda": torch_cuda(resolution) or cuda_in(packages, harmless),
        "cu12": sorted(name for name in packages if name not in harmless and 0 < major_of(name, packages[name]) < 13),
        "error": short(resolution.error),
    }
    return {key: value for key, value in row.items() if value}


def short(error: str) -> str:
    """The cause alone: `vllm==0.8.5 has no usable wheels`, and no list of all that follows from it."""
    cause = re.split(r",? we can conclude| and you require", error.removeprefix("Because "))[0]
    return cause if len(cause) <= _LONGEST else f"{cause[:_LONGEST].rsplit(' ', 1)[0]} ..."


def _said(row: Trap) -> str:
    if "error" in row:
        return f"not to be installed: {row['error']}"
    torch = [f"torch {row['torch']}"] if "torch" in row else []
    return ", ".join([*torch, row.get("cuda", "no CUDA"), *row.get("picked", ()), *row.get("cu12", ())])
