"""Verdicts on single versions, as the fewest ranges that say the same.

The bounds are the first versions of a range and of the next one: `<2.2` with `>=2.2`. For released versions these two leave nothing out
and nothing in twice, whatever there is of post-releases, epochs or trailing zeros: `<2.0` admits `1.9.post1` and not `2.0.post1`, and
`<2.0.post1` admits `2.0`. Pre-releases of a bound are in neither, so nothing is said of them.
https://packaging.python.org/en/latest/specifications/version-specifiers/#exclusive-ordered-comparison
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from packaging.specifiers import SpecifierSet
from packaging.version import Version

Row: TypeAlias = tuple[str, ...]
Verdicts: TypeAlias = Mapping[str, str | None]

NOTHING: Final = ""
"""Of such a version nothing is known, and the ranges must not say anything; None is a version of which they may say what they like."""
BY_PYTHON: Final = "python"
"""The third item of a row about versions of which another Python than CPython 3.12 finds something for the machine."""


def ranges(verdicts: Verdicts, by_python: Collection[str] = ()) -> tuple[Row, ...]:
    """The fewest rows of a range and a verdict from which each version gets back its own.

    verdicts: by version. by_python: the versions that have theirs for want of a Python, which get rows of their own.
    """
    groups = _groups({version: f"{kind} {BY_PYTHON}" if version in by_python else kind for version, kind in verdicts.items()})
    rows: list[Row] = []
    for place, (verdict, versions) in enumerate(groups):
        if verdict == NOTHING:
            continue
        bounds = [f">={_short(versions[0])}"] if place else []
        bounds += [f"<{_short(groups[place + 1][1][0])}"] if place + 1 < len(groups) else []
        rows.append((",".join(bounds) or ">=0", *verdict.split()))
    return tuple(rows)


def verdict(rows: Iterable[Sequence[str]], version: str) -> str:
    """What rows say of a version; empty for nothing. As `spark_lint.knowledge` reads them."""
    return row_about(rows, version)[1]


def row_about(rows: Iterable[Sequence[str]], version: str) -> Sequence[str]:
    """The row of a version; one that says nothing where there is none."""
    return next((row for row in rows if SpecifierSet(row[0], prereleases=True).contains(version)), (">=0", NOTHING))


def sides(verdicts: Verdicts) -> tuple[str, ...]:
    """The versions on both sides of each boundary between two verdicts, oldest first."""
    groups = [versions for _, versions in _groups(verdicts)]
    found = [side for before, after in pairwise(groups) for side in (before[-1], after[0])]
    return tuple(dict.fromkeys(found))


def in_order(versions: Iterable[str]) -> list[str]:
    """Versions, oldest first, each once: of two spellings of one, the shorter."""
    found: dict[Version, str] = {}
    for version in sorted(versions, key=lambda version: (len(version), version)):
        found.setdefault(Version(version), version)
    return [found[version] for version in sorted(found)]


def _groups(verdicts: Verdicts) -> list[tuple[str, list[str]]]:
    """Neighbours with one verdict, oldest first. A version with which any verdict goes ends no group and begins none but the first."""
    groups: list[tuple[str, list[str]]] = []
    waiting: list[str] = []
    for version in in_order(verdicts):
        verdict = verdicts[version]
        if verdict is None and not groups:
            waiting.append(version)
        elif verdict is None or (groups and groups[-1][0] == verdict):
            groups[-1][1].append(version)
        else:
            groups.append((verdict, [*waiting, version]))
            waiting = []
    return groups


def _short(version: str) -> str:
    """A bound as people write it: `2.2` for `2.2.0`, which is the same version."""
    short = version
    while short.endswith(".0") and short.count(".") > 1 and Version(short.removesuffix(".0")) == Version(version):
        short = short.removesuffix(".0")
    return short
