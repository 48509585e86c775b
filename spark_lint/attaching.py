"""Each fact of a document with the places in which it runs: those of its file, stage or service, as far as it is asked for there."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from spark_lint.documents import Document, as_constraint, workload_of
from spark_lint.facts import Binding, Fact, Index, Package, Stale
from spark_lint.kinds import LOCK, MARKDOWN, REQUIREMENTS, TOML
from spark_lint.locking import Decided, Locks
from spark_lint.narrowing import narrowed
from spark_lint.scope import Scope
from spark_lint.scoping import Scopes
from spark_lint.sources import Bound


def attached(scopes: Scopes, locks: Locks, document: Document) -> Iterator[Fact]:
    """The document's facts with their scopes."""
    if document.kind == LOCK:
        yield from locks.facts(document.path)
        return
    around = scopes.around[document.path]
    own = scopes.own_indexes(document)
    stages = [scopes.stage_scope(document, number) for number in range(len(document.stages))]
    file = scopes.places(document)
    python = scopes.projects.python(document.path, scopes.assumed.python)
    bounds = _bounds(scopes, document, python)
    constraint = scopes.constraints.get(document.path, "constraint" in document.path.rpartition("/")[2].lower())
    groups = {id(package): group for group in document.groups for package in group.packages}
    # Facts that stand alike run in the same places, which are worked out once.
    known: dict[tuple[object, ...], tuple[Scope, ...]] = {}
    taking: dict[tuple[int, Index], dict[Scope, None]] = defaultdict(dict)
    late: list[Index] = []
    for fact in document.facts:
        if isinstance(fact, Index) and fact.explicit:
            late.append(fact)
            continue
        bound = bounds.get(fact.context.block) if isinstance(fact, Package) else None
        group, stage = groups.get(id(fact)), fact.context.stage
        if document.kind == REQUIREMENTS and isinstance(fact, Package) and constraint:
            fact = as_constraint(fact)
        built = scopes.built.get((document.path, fact.context.block))
        base = [stages[stage]] if stage is not None and stage < len(stages) else [built] if built else file
        if isinstance(fact, Package) and scopes.projects.passed_over(document.path, fact.context.extra):
            base = [replace(scope, elsewhere=True) for scope in base]
        elif fact.context.extra:
            base = scopes.asking(document, base, fact.context.extra)
        indexes = own if document.kind == REQUIREMENTS else ()
        if bound and isinstance(fact, Package):
            base, fact = bound.places(fact, base), bound.of(fact)
        elif group and document.kind != REQUIREMENTS:
            indexes = scopes.installs.in_force(document, fact.context, group)
        marker, workload = fact.marker if isinstance(fact, (Package, Binding)) else "", workload_of(fact, around)
        alike = (stage, id(built), fact.context, type(fact) is Package, indexes, marker, workload, fact.name if bound else "")
        if alike not in known:
            placed = [
                narrowed(
                    fact,
                    scope,
                    around,
                    bound.indexes(fact, scope) if bound and isinstance(fact, Package) else indexes,
                    python,
                    scopes.assumed.sparks,
                )
                for scope in base
            ]
            known[alike] = tuple(dict.fromkeys(placed) if len(base) > 1 else placed)
        fact = replace(fact, scopes=known[alike])
        if isinstance(fact, Package) and (decided := locks.decided(fact)) is not None:
            if decided.stale:
                yield _stale(fact, decided)
            else:
                fact = _locked(fact, decided)
        if isinstance(fact, Package) and bound:
            for scope in fact.scopes:
                for index in scope.indexes:
                    if index.explicit and not scope.locked:
                        taking[fact.context.block, index][replace(scope, indexes=())] = None
        yield locks.moved(fact) if isinstance(fact, Package) else fact
    for index in late:
        bound = bounds.get(index.context.block)
        inherited = bound is not None and scopes.projects.is_workspace(document.path) and bound.holds(index.label)
        # What only serves what is bound to it is in force wherever something takes from it.
        used = tuple(taking.get((index.context.block, index), ())) or (Scope(elsewhere=True),)
        if document.kind == MARKDOWN and used[0].elsewhere and bound is not None and bound.always_holds(index.label):
            # An example shows a part of a project: who takes over what it binds has the package.
            used = (narrowed(index, file[0], around, (), python, scopes.assumed.sparks),)
        yield replace(index, scopes=(scopes.default(document),) if inherited else used)


def _locked(package: Package, decided: Decided) -> Package:
    """A requirement that a lock decides: wherever the lock is read, it is judged there."""
    scopes = [replace(scope, elsewhere=True, locked=decided.path) if decided.read(scope) else scope for scope in package.scopes]
    return replace(package, locked=decided.entry, scopes=tuple(dict.fromkeys(scopes)))


def _stale(package: Package, decided: Decided) -> Stale:
    entry = decided.entry
    scopes = tuple(scope if decided.read(scope) else replace(scope, elsewhere=True) for scope in package.scopes)
    return Stale(
        name=package.name, span=package.span, origin=package.origin, written=package.written, context=package.context, scopes=scopes,
        lock=entry.span, held=entry.written,
    )  # fmt: skip


def _bounds(scopes: Scopes, document: Document, python: str) -> dict[int, Bound]:
    """What a packaging file or a script's header says of the indexes its packages come from, by the part of the file that says it."""
    parts: dict[int, list[Binding | Index]] = defaultdict(list)
    for fact in document.facts:
        if isinstance(fact, (Binding, Index)):
            parts[fact.context.block].append(fact)
    if document.kind != TOML:
        headers = {block for block, facts in parts.items() if any(isinstance(each, Binding) or each.label for each in facts)}
        return {block: Bound(facts, python) for block, facts in parts.items() if block in headers}
    root = scopes.documents.get(scopes.projects.workspace(document.path))
    around = Bound(root.facts, python) if root and root.path != document.path else None
    bound = Bound(parts[0], python, around)
    return {0: bound} if bound.says_anything else {}
