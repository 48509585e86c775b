"""What a Python file must hold for some rule to have anything to say about it: derived from the rules and the spelling tables.

No rule declares it by hand, so that a new rule cannot be filtered away.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from spark_lint.facts import Fact, Image, Setting
from spark_lint.names.settings import spellings
from spark_lint.read.funnel import Interests, fold
from spark_lint.rule import Rule

CONTAINER_PROGRAMS: Final = (b"docker", b"podman", b"nerdctl")
_LITERALS: Final = re.compile(r"\[[^\]]*\]|[*?]+")


def interests(rules: Iterable[Rule[Any]]) -> Interests:
    """The clauses (an OR of ANDs of folded literals) and words that these rules look for in Python files."""
    clauses: set[tuple[bytes, ...]] = set()
    words: set[str] = set()
    for rule in rules:
        for name in (*rule.named, *rule.reads):
            for clause in _clauses(rule.on, name):
                clauses.add(clause)
                words.add(clause[-1].decode())
    return Interests(tuple(sorted(clauses)), frozenset(words))


def _clauses(kind: type[Fact], name: str) -> Iterator[tuple[bytes, ...]]:
    if kind is Setting:
        for spelling in sorted(spellings(name)):
            yield (fold(spelling.strip("-_").encode()),)
        return
    if kind is Image:
        # In Python an image stands in a command that runs it.
        for program in CONTAINER_PROGRAMS:
            yield (program,)
        return
    parts = [part for literal in _LITERALS.split(name) for part in literal.split(".")]
    yield tuple(fold(part.encode()) for part in parts if part) or (b"",)
