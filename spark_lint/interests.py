"""What a Python file must hold for some rule to have anything to say about it: derived from the rules and the spelling tables.

No rule declares it by hand, so that a new rule cannot be filtered away.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from spark_lint.facts import Binding, Command, Entry, Fact, Image, Index, Lock, Locked, Package, Setting, Stale
from spark_lint.names.installs import INDEX_VARIABLES
from spark_lint.names.meanings import PYTHON_TOOLS, spellings
from spark_lint.read.funnel import Interests, fold, fold_text
from spark_lint.rule import Rule

_COMMANDS: Final = frozenset({Command, Package, Index, Image, Entry})
"""Facts that Python code holds only in the words of a command, or an environment variable, that it sets."""

_NEVER: Final = (Binding, Lock, Locked, Stale)
"""Facts that no Python code holds; a binding stands in the header of a script, which is read in any case."""

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
# What a setup.py holds that reads its requirements from a file, folded.
_LISTS: Final = (b"-txt", b"requirements")
_RUNS_IMAGES: Final = (b"docker", b"podman", b"nerdctl")
# What takes YAML, which has keys, from a here-document.
_TAKES_KEYS: Final = (b"docker", b"kubectl")
_LITERALS: Final = re.compile(r"\[[^\]]*\]|[*?]+")


def interests(rules: Iterable[Rule[Any]]) -> Interests:
    """The clauses (an OR of ANDs of folded literals) and words that these rules look for in Python files."""
    clauses: dict[tuple[bytes, ...], None] = {}
    words: set[str] = set()
    commands: set[str] = set()
    packages: dict[tuple[bytes, ...], None] = {(literal,): None for literal in _LISTS}
    for rule in rules:
        if rule.on in _NEVER:
            continue
        asked = rule.named
        if rule.on is Package:
            asked |= rule.reads  # what a rule about packages looks at are other packages
            packages.update({tuple(_literals(name)) or (fold(rule.holds.encode()),): None for name in sorted(asked)})
        else:
            clauses.update({(fold(name.encode()),): None for name in sorted(rule.reads)})
            words |= {fold(name.encode()).decode() for name in rule.reads}
        for name in sorted(asked):
            for clause in _clauses(rule.on, name):
                clauses[(fold(rule.holds.encode()), *clause) if rule.holds else clause] = None
                in_commands = rule.on in _COMMANDS or (rule.on is Setting and _is_of_a_program(clause))
                (commands if in_commands else words).add(clause[-1].decode())
        if rule.on is Index:
            words.update(fold(name.encode()).decode() for name in INDEX_VARIABLES)
    return Interests(tuple(clauses), frozenset(words), frozenset(commands), tuple(packages))


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
    elif kind is Entry:
        yield from ((program, *parts) for program in _TAKES_KEYS)
    elif kind is Package:
        yield from ((word, *_literals(name)) for word in _INSTALLS)
    elif kind is Index:
        yield from ((word, *parts) for word in (*_INSTALLS, *(fold(name.encode()) for name in INDEX_VARIABLES)))
    else:
        yield tuple(parts) or (b"",)


def _literals(package: str) -> list[bytes]:
    """What a text that names a package holds. The name is one word, dots and all."""
    return [fold(literal.encode()) for literal in _LITERALS.split(package.rpartition("/")[2]) if literal]
