"""One cause, one finding: what a locked package brings along is told with the package that brings it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.rule import Advice, Related, Verdict


def by_cause(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts without those about what a package of the same lock, or compiled file, brings that is reported itself: with another release of it comes another.

    They become places that belong to its finding. What the project itself asks for stays, and so does what is worse than its cause.
    """
    verdicts = list(verdicts)
    reported: dict[tuple[str, str, str], list[Verdict]] = defaultdict(list)
    for each in verdicts:
        if isinstance(each.fact, Package):
            reported[each.fact.span.path, each.rule.gotcha, each.fact.name].append(each)
    causes = {id(each): _causes(each, reported) for each in verdicts}
    brought: dict[int, dict[Related, None]] = defaultdict(dict)
    kept = []
    for each in verdicts:
        if (first := _first(each, causes)) is None:
            kept.append(each)
        else:
            brought[id(first)][Related(each.fact.span, f"brings {each.fact.written}")] = None
    return [replace(each, advice=_with(each.advice, brought[id(each)])) if id(each) in brought else each for each in kept]


def _causes(verdict: Verdict, reported: Mapping[tuple[str, str, str], list[Verdict]]) -> list[Verdict]:
    """What is said of the packages that ask for one, if it weighs as much. Most of those that ask for torch take any release of it."""
    fact = verdict.fact
    if not isinstance(fact, Package):
        return []
    names = [name for name in fact.through if fact.name != "torch" or name in knowledge.torch_pinning_names()]
    places = ((fact.span.path, verdict.rule.gotcha, name) for name in names)
    return [each for place in places for each in reported.get(place, ()) if each.severity >= verdict.severity]


def _first(verdict: Verdict, causes: Mapping[int, list[Verdict]]) -> Verdict | None:
    """The cause that has none itself; None where there is no cause, or only a circle of them."""
    waiting, seen = list(causes[id(verdict)]), {id(verdict)}
    while waiting:
        each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        if not causes[id(each)]:
            return each
        waiting += causes[id(each)]
    return None


def _with(advice: Advice, places: Iterable[Related]) -> Advice:
    return replace(advice, related=(*advice.related, *places))
