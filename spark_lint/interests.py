"""What a Python file must hold for some rule to have anything to say about it: derived from the rules and the spelling tables.

No rule declares it by hand, so that a new rule cannot be filtered away.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from spark_lint.facts import Command, Fact, Image, Index, Package, Setting
from spark_lint.names.installs import INDEX_VARIABLES
from spark_lint.names.meanings import PYTHON_TOOLS, spellings
from spark_lint.read.funnel import Interests, fold, fold_text
from spark_lint.rule import Rule

_COMMANDS: Final = frozenset({Command, Package, Index, Image})
"""Facts that Python code holds only in the words of a command, or an environment variable, that it sets."""

# What stands before the name of a package, an index or an image in a command, folded.
_INSTALLS: Final = (
    b"install",
    b"conda create",
    b"mamba create",
    b'"create"',
    b"'create'",
    b'"uv"',
    b"'uv'",
    b"uv add",
    b"uv run",
)
_RUNS_IMAGES: Final = (b"docker", b"podman", b"nerdctl")
_LITERALS: Final = re.compile(r"\[[^\]]*\]|[*?]+")


def interests(rules: Iterable[Rule[Any]]) -> Interests:
    """The clauses (an OR of ANDs of folded literals) and words that these rules look for in Python files."""
    clauses: dict[tuple[bytes, ...], None] = {}
    words: set[str] = set()
    commands: set[str] = set()
    for rule in rules:
        for name in sorted(rule.reads):
            clauses[(fold(name.encode()),)] = None
            words.add(fold(name.encode()).decode())
        for name in sorted(rule.named):
            for clause in _clauses(rule.on, name):
                clauses[(fold(rule.holds.encode()), *clause) if rule.holds else clause] = None
                in_commands = rule.on in _COMMANDS or (rule.on is Setting and _is_of_a_program(clause))
                (commands if in_commands else words).add(clause[-1].decode())
        if rule.on is Index:
            words.update(fold(name.encode()).decode() for name in INDEX_VARIABLES)
    return Interests(tuple(clauses), frozenset(words), frozenset(commands))


def _is_of_a_program(clause: tuple[bytes, ...]) -> bool:
    """Whether a setting's spelling belongs to a program that is no Python package, so that only commands hold it: Docker's `--device`."""
    return len(clause) > 1 and clause[0].decode() not in map(fold_text, PYTHON_TOOLS)


def _clauses(kind: type[Fact], name: str) -> Iterator[tuple[bytes, ...]]:
    parts = [fold(part.encode()) for literal in _LITERALS.split(name) for part in literal.split(".") if part]
    if kind is Setting:
        for spelling in spellings(name):
            yield tuple(fold(part.strip("-_").encode()) for part in spelling)
    elif kind is Image:
        yield from ((program,) for program in _RUNS_IMAGES)
    elif kind is Package:
        # A package's name is one word, dots and all.
        literals = [fold(literal.encode()) for literal in _LITERALS.split(name.rpartition("/")[2]) if literal]
        yield from ((word, *literals) for word in _INSTALLS)
    elif kind is Index:
        yield from ((word, *parts) for word in (*_INSTALLS, *(fold(name.encode()) for name in INDEX_VARIABLES)))
    else:
        yield tuple(parts) or (b"",)
