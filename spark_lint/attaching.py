"""Each fact of a document with the places in which it runs: those of its file, stage or service, as far as it is asked for there."""

from collections.abc import Iterator
from dataclasses import replace

from spark_lint.documents import Document, as_constraint, workload_of
from spark_lint.facts import Binding, Fact, Index, Package
from spark_lint.files import REQUIREMENTS, TOML
from spark_lint.narrowing import narrowed
from spark_lint.scope import Scope
from spark_lint.scoping import Scopes
from spark_lint.sources import Bound, of_index


def attached(scopes: Scopes, document: Document) -> Iterator[Fact]:
    """The document's facts with their scopes."""
    around = scopes.around[document.path]
    own = scopes.own_indexes(document)
    stages = [scopes.stage_scope(document, number) for number in range(len(document.stages))]
    file = _of_file(scopes, document)
    python = scopes.projects.python(document.path, scopes.assumed.python)
    bound = _bound(scopes, document, python)
    constraint = scopes.constraints.get(document.path, "constraint" in document.path.rpartition("/")[2].lower())
    groups = {id(package): group for group in document.groups for package in group.packages}
    # Facts that stand alike run in the same places, which are worked out once.
    known: dict[tuple[object, ...], tuple[Scope, ...]] = {}
    taking: list[Scope] = []
    late: list[Index] = []
    for fact in document.facts:
        if isinstance(fact, Index) and fact.explicit:
            late.append(fact)
            continue
        group, stage = groups.get(id(fact)), fact.context.stage
        if document.kind == REQUIREMENTS and isinstance(fact, Package) and constraint:
            fact = as_constraint(fact)
        built = scopes.built.get((document.path, fact.context.block))
        base = [stages[stage]] if stage is not None and stage < len(stages) else [built] if built else file
        if fact.context.extra:
            base = scopes.asking(document, base, fact.context.extra)
        indexes = own if document.kind == REQUIREMENTS else ()
        if bound and isinstance(fact, Package):
            indexes, fact = bound.indexes(fact), bound.of(fact)
        elif group and document.kind != REQUIREMENTS:
            indexes = scopes.installs.in_force(document, fact.context, group)
        marker, workload = fact.marker if isinstance(fact, (Package, Binding)) else "", workload_of(fact, around)
        alike = (stage, id(built), id(fact.context), indexes, marker, workload)
        if alike not in known:
            placed = (narrowed(fact, scope, around, indexes, python, scopes.assumed.sparks) for scope in base)
            known[alike] = tuple(dict.fromkeys(placed) if len(base) > 1 else placed)
        if bound and isinstance(fact, Package):
            taking += known[alike]
        yield replace(fact, scopes=known[alike])
    yield from (replace(each, scopes=of_index(each, taking)) for each in late)


def _bound(scopes: Scopes, document: Document, python: str) -> Bound | None:
    """What a packaging file says of the indexes its packages come from, if it says anything."""
    bound = Bound(document, python) if document.kind == TOML and scopes.projects.describes(document.path) else None
    return bound if bound and bound.says_anything else None


def _of_file(scopes: Scopes, document: Document) -> list[Scope]:
    """The scopes of a whole file. Where only other machines pull it in and its name names none, people here use it too."""
    default = scopes.default(document)
    pulled = scopes.pulled.get(document.path, [])
    if default.elsewhere or not pulled:
        return [default]
    others = all(scope.elsewhere for scope in pulled)
    if scopes.projects.describes(document.path) and any(isinstance(fact, Index) for fact in document.facts):
        others = others or all(scope.elsewhere or scope.installer == "pip" for scope in pulled)
    return [*pulled, default] if others else list(pulled)
