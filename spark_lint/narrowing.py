"""What a fact's own surroundings say about where it runs: its marker, the tests and headings around it, the work beside it."""

from dataclasses import replace

from spark_lint.documents import Surroundings, workload_of
from spark_lint.facts import Binding, Fact, Index, Package
from spark_lint.names import headings, machines
from spark_lint.scope import Scope
from spark_lint.sources import both


def narrowed(
    fact: Fact, scope: Scope, around: Surroundings, indexes: tuple[Index, ...], python: str, sparks: int | None
) -> Scope:
    """The scope of its file as the fact's own surroundings limit it.

    indexes: those of its install. python: for which markers are judged. sparks: as the user says.
    """
    marker = fact.marker if isinstance(fact, (Package, Binding)) else ""
    elsewhere = (
        scope.elsewhere
        or machines.elsewhere(fact.context.conditions)
        or headings.for_another(fact.context.section)
        or fact.context.block in around.elsewhere
        or (bool(marker) and machines.marker_holds(marker, python) is False)
    )
    known = most(around.sparks, scope.sparks)
    return replace(
        scope,
        image=fact.context.image or scope.image,
        elsewhere=elsewhere,
        optional=scope.optional or machines.switched_off(fact.context.conditions),
        workload=workload_of(fact, around) or scope.workload,
        sparks=known if sparks is None else sparks,
        cluster=around.cluster or scope.cluster,
        indexes=both(scope.indexes, indexes),
    )


def most(one: int | None, other: int | None) -> int | None:
    """The larger count of two, each of which may be unknown."""
    return max((each for each in (one, other) if each is not None), default=None)
