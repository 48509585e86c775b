"""What a Spark really installs for some requirements, as it was measured: typed access to the traps in `wheels.toml`."""

from dataclasses import dataclass
from functools import cache

from spark_lint.knowledge.tables import dated, table
from spark_lint.knowledge.wheels import canonical
from spark_lint.known import Known


@dataclass(frozen=True, slots=True)
class Trap:
    """What comes of some requirements from the default index, from wheels alone.

    asked: the requirements. note: what that means, for people; empty where there is nothing wrong with it. picked: the releases that were
    taken where the version was left open, `vllm==0.11.0`. torch: its version, empty where there is none. cuda: what that torch is built
    for, or without it the CUDA of the libraries: `cpu`, `cu12`, `cu13`; empty where there is none. cu12: packages for CUDA 12 or older.
    error: why it cannot be installed; empty where it can.
    """

    asked: tuple[str, ...]
    note: str
    picked: tuple[str, ...]
    torch: str
    cuda: str
    cu12: tuple[str, ...]
    error: str
    known: Known


@cache
def traps() -> tuple[Trap, ...]:
    """Every set of requirements that was asked for, in the order of the table."""
    notes = table("packages")["trap"]
    return tuple(
        Trap(
            tuple(asked.split()),
            notes.get(asked, ""),
            tuple(row.get("picked", ())),
            row.get("torch", ""),
            row.get("cuda", ""),
            tuple(row.get("cu12", ())),
            row.get("error", ""),
            dated("wheels", "resolution", row),
        )
        for asked, row in table("wheels").get("trap", {}).items()
    )


def brings(requirement: str) -> Trap | None:
    """What a single requirement brings, by any spelling of it: `jax[cuda]`, `torchvision<0.26`; None where it was not asked for."""
    wanted = _spelled(requirement)
    return (
        next((trap for trap in traps() if len(trap.asked) == 1 and _spelled(trap.asked[0]) == wanted), None) if wanted else None
    )


def traps_with(name: str) -> tuple[Trap, ...]:
    """Every set of requirements that names a package."""
    return tuple(trap for trap in traps() if canonical(name) in {(_spelled(each) or ("",))[0] for each in trap.asked})


def _spelled(requirement: str) -> tuple[str, frozenset[str], str] | None:
    """The package, its extras and its specifier, in one spelling; None for what is no requirement."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        found = Requirement(requirement)
    except InvalidRequirement:
        return None
    return canonical(found.name), frozenset(map(canonical, found.extras)), str(found.specifier)
