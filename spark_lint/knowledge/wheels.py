"""What the default package index holds for a Spark, as it was measured: typed access to `wheels.toml`."""

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from spark_lint.knowledge.tables import table
from spark_lint.known import Known
from spark_lint.text import UNKNOWN

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

_LOCAL_CUDA: Final = re.compile(r"cu(\d\d)\d+$")


@dataclass(frozen=True, slots=True)
class Range:
    """What is said of some versions, `>=2.2,<2.11`. by_python: see `PackageFacts.by_python`."""

    versions: str
    verdict: str
    by_python: bool = False


@dataclass(frozen=True, slots=True)
class PackageFacts:
    """What is known of one package.

    versions: its stable releases, newest last. None after `newest_checked` was looked at. checked: those looked at. newest_day: when the
    newest release was uploaded; empty where the index does not say. as_of: the day it was asked for. note: what else there is to know,
    for people. availability, builds: what `aarch64` and `cuda` say, by ranges of versions.
    """

    name: str
    versions: tuple[str, ...]
    newest_checked: str
    checked: tuple[str, ...]
    newest_day: str
    as_of: str
    evidence: str
    source: str
    note: str
    availability: tuple[Range, ...]
    builds: tuple[Range, ...]
    _aarch64: "tuple[tuple[SpecifierSet, str], ...]" = field(repr=False)
    _by_python: "tuple[SpecifierSet, ...]" = field(repr=False)
    _cuda: "tuple[tuple[SpecifierSet, str], ...]" = field(repr=False)

    def aarch64(self, version: str) -> str:
        """What there is to install: `wheel`, `sdist` (source only), `none`, `foreign` (x86-64 code in a wheel for every machine).

        Empty where it is not known, and for a local version (`2.6.0+cu124`), which the default index does not hold.
        """
        return "" if "+" in version else _row(self._aarch64, version)

    def by_python(self, version: str) -> bool:
        """Whether there is something of it for another Python than CPython 3.12, which the files may choose."""
        return version_of(version) is not None and any(version in wanted for wanted in self._by_python)

    def cuda(self, version: str) -> str:
        """What it is built for: `cpu`, `cu12`, `cu13`; empty where that is not known. A local version says it itself."""
        local = version.partition("+")[2]
        if local == "cpu":
            return "cpu"
        if local:
            tag = _LOCAL_CUDA.match(local)
            return f"cu{tag[1]}" if tag else ""
        return _row(self._cuda, version)

    def first(self, cuda: str) -> str:
        """The first known version from which on each is built for a CUDA major, `cu13`; empty for none. One before may have been too."""
        late = list(takewhile(lambda version: self.cuda(version) == cuda, reversed(self.versions)))
        return late[-1] if late else ""

    def first_wheel(self, after: str = "0") -> str:
        """The first known version after a given one that has a wheel for a Spark; empty for none."""
        from packaging.version import Version

        late = (version for version in self.versions if Version(version) > (version_of(after) or Version("0")))
        return next((version for version in late if self.aarch64(version) == "wheel"), "")

    def matching(self, specifier: str) -> tuple[str, ...]:
        """The known versions that a specifier admits, newest last, and the one it pins, known or not.

        Nothing where the specifier is invalid or holds a part that is not known.
        """
        if UNKNOWN in specifier:
            return ()
        wanted = _specifiers(specifier)
        if wanted is None:
            return ()
        found = tuple(version for version in self.versions if version in wanted)
        pins = [part.version for part in wanted if part.operator in ("==", "===") and not part.version.endswith(".*")]
        return found or tuple(pin for pin in pins[:1] if version_of(pin) and wanted.contains(pin, prereleases=True))

    def known(self, version: str, *, cuda: bool = False) -> Known:
        """What stands behind what is said of a version. cuda: of what it is built for, not of which files there are."""
        evidence = self.evidence if cuda else "file-list"
        return Known(self.as_of, evidence, self.source, assumed=self.assumed(version))

    def assumed(self, version: str) -> bool:
        """Whether nobody looked at it: it is newer than everything that was looked at, or among these and not known as a release.

        Of those before the first known one the ranges speak: they are for Pythons that nobody asked for.
        """
        from packaging.version import Version

        asked = version_of(version.partition("+")[0])
        if asked is None or asked < _releases(self.versions)[0]:
            return False
        return asked > Version(self.newest_checked) or asked not in _releases(self.versions)


@lru_cache(maxsize=512)
def _releases(versions: tuple[str, ...]) -> "tuple[Version, ...]":
    from packaging.version import Version

    return tuple(map(Version, versions))


def package_names() -> tuple[str, ...]:
    """Every package of which it is known what a Spark gets."""
    return tuple(table("wheels")["package"])


def lacking_names() -> tuple[str, ...]:
    """Every package of which some version has nothing for a Spark, whatever its Python, or nothing but code for x86-64."""
    rows = table("wheels")["package"].items()
    return tuple(name for name, row in rows if any(each[1:] in (["none"], ["foreign"]) for each in row["aarch64"]))


@cache
def package(name: str) -> PackageFacts | None:
    """The facts about a package, by any spelling of its name."""
    from packaging.version import Version

    name = canonical(name)
    row = table("wheels")["package"].get(name)
    if row is None:
        return None
    packages = table("packages")
    by_hand = packages.get("manual", {}).get(name)
    day = row.get("as_of", table("wheels")["as_of"])
    return PackageFacts(
        name,
        tuple(row["versions"].split()),
        max(row["checked"], key=Version),
        tuple(row["checked"]),
        row["newest_day"].isoformat() if "newest_day" in row else "",
        day.isoformat(),
        "manual" if by_hand else row["evidence"],
        by_hand["source"] if by_hand else "",
        packages["package"].get(name, {}).get("note", ""),
        tuple(Range(each[0], each[1], len(each) > 2) for each in row["aarch64"]),
        tuple(Range(*each) for each in (by_hand or row).get("cuda", [])),
        ranges(row["aarch64"]),
        tuple(wanted for (wanted, _), each in zip(ranges(row["aarch64"]), row["aarch64"], strict=True) if len(each) > 2),
        ranges((by_hand or row).get("cuda", [])),
    )


def package_known(name: str) -> Known | None:
    """What stands behind what is said of every version of a package; None where nothing is known of it."""
    facts = package(name)
    return facts.known(facts.newest_checked) if facts is not None else None


def specifiers(text: str) -> "SpecifierSet":
    """A version specifier, pre-releases admitted (NGC's torch is one); what cannot be read admits every version."""
    from packaging.specifiers import SpecifierSet

    return (None if UNKNOWN in text else _specifiers(text, prereleases=True)) or SpecifierSet(prereleases=True)


_LONGEST_SPECIFIER: Final = 1000


def _specifiers(text: str, prereleases: bool | None = None) -> "SpecifierSet | None":
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return SpecifierSet(text, prereleases=prereleases) if len(text) <= _LONGEST_SPECIFIER else None
    except InvalidSpecifier:
        return None


def version_of(text: str) -> "Version | None":
    from packaging.version import Version

    try:
        return Version(text)
    except ValueError:  # InvalidVersion, and more digits than Python makes a number of
        return None


def ranges(rows: list[list[str]]) -> "tuple[tuple[SpecifierSet, str], ...]":
    from packaging.specifiers import SpecifierSet

    return tuple((SpecifierSet(row[0], prereleases=True), row[1]) for row in rows)


def _row(ranges: "tuple[tuple[SpecifierSet, str], ...]", version: str) -> str:
    if version_of(version) is None:
        return ""
    return next((value for wanted, value in ranges if version in wanted), "")


def canonical(name: str) -> str:
    """The PEP 503 spelling, without importing packaging for it."""
    return re.sub(r"[-_.]+", "-", name).lower()
