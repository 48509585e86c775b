"""What the default package index holds for a Spark: typed access to `wheels.toml`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from spark_lint.knowledge_tables import table
from spark_lint.text import UNKNOWN

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from spark_lint.facts import Index

_LOCAL_CUDA: Final = re.compile(r"cu(\d\d)\d+$")


@dataclass(frozen=True, slots=True)
class PackageFacts:
    """What is known of one package. `versions`: its stable releases, newest last. None after `newest_checked` was looked at."""

    name: str
    versions: tuple[str, ...]
    newest_checked: str
    _aarch64: "tuple[tuple[SpecifierSet, str], ...]" = field(repr=False)
    _cuda: "tuple[tuple[SpecifierSet, str], ...]" = field(repr=False)

    def aarch64(self, version: str) -> str:
        """What there is to install: `wheel`, `sdist` (source only), `none`, `foreign` (x86-64 code in a wheel for every machine).

        Empty where it is not known, and for a local version (`2.6.0+cu124`), which the default index does not hold.
        """
        return "" if "+" in version else _row(self._aarch64, version)

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
        """The first known version that is built for a CUDA major, `cu13`; empty for none."""
        return next((version for version in self.versions if self.cuda(version) == cuda), "")

    def first_wheel(self, after: str = "0") -> str:
        """The first known version after a given one that has a wheel for a Spark; empty for none."""
        from packaging.version import Version

        late = (version for version in self.versions if Version(version) > (_version(after) or Version("0")))
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
        return found or tuple(pin for pin in pins[:1] if _version(pin) and wanted.contains(pin, prereleases=True))

    def assumed(self, version: str) -> bool:
        """Whether it is newer than everything that was looked at."""
        from packaging.version import Version

        asked = _version(version.partition("+")[0])
        return asked is not None and asked > Version(self.newest_checked)


@dataclass(frozen=True, slots=True)
class Source:
    """What a package that is compiled where it is installed needs for that.

    torch: it is compiled for the torch that is installed. unseen: variables of which one has to be set where no GPU is seen, as in
    `docker build`. cmake: what CMAKE_ARGS has to hold one of for GPU code. better: another way, which compiles nothing.
    git: the repository of one that the default index does not hold. note: what happens, where it is not compiled.
    """

    name: str
    torch: bool
    unseen: tuple[str, ...]
    cmake: tuple[str, ...]
    better: str
    git: str
    note: str
    _foreign: "tuple[SpecifierSet, str] | None" = field(repr=False)

    def forced(self, version: str) -> str:
        """The variable without which this version fetches a wheel for x86-64 where it should compile; empty where it does not."""
        wanted, name = self._foreign or (None, "")
        return name if wanted is not None and _version(version) is not None and version in wanted else ""


@cache
def source(name: str) -> Source | None:
    """What a package that has to be compiled on a Spark needs; None for any other."""
    row = table("wheels")["build"].get(_canonical(name))
    if row is None:
        return None
    foreign = _ranges([row["foreign"]])[0] if "foreign" in row else None
    unseen, cmake = tuple(row.get("unseen", ())), tuple(row.get("cmake", ()))
    return Source(
        _canonical(name),
        row.get("torch", True),
        unseen,
        cmake,
        row.get("better", ""),
        row.get("git", ""),
        row.get("note", ""),
        foreign,
    )


def source_names() -> tuple[str, ...]:
    """Every package that has to be compiled on a Spark."""
    return tuple(table("wheels")["build"])


def package_names() -> tuple[str, ...]:
    """Every package of which it is known what a Spark gets."""
    return tuple(table("wheels")["package"])


def lacking_names() -> tuple[str, ...]:
    """Every package of which some version has nothing for a Spark."""
    rows = table("wheels")["package"].items()
    return tuple(name for name, row in rows if any(each[1] == "none" for each in row["aarch64"]))


def replacement(name: str) -> str:
    """Another package in place of one of which there is nothing for a Spark; empty where none is known."""
    found: str = table("wheels")["replacement"].get(_canonical(name), "")
    return found


def serves(index: "Index", name: str) -> bool:
    """Whether an index may hold a build of a package for a Spark that the default index lacks."""
    if index.role == "torch-backend":
        return _canonical(name) in table("wheels")["served"]["download.pytorch.org"]
    if only_pypi([index]):
        return False
    served: list[str] | None = table("wheels")["served"].get(_host(index.url))
    return served is None or UNKNOWN in index.url or _canonical(name) in served


@cache
def package(name: str) -> PackageFacts | None:
    """The facts about a package, by any spelling of its name."""
    from packaging.version import Version

    name = _canonical(name)
    row = table("wheels")["package"].get(name)
    if row is None:
        return None
    newest: str = max(row["checked"], key=Version)
    return PackageFacts(name, tuple(row["versions"]), newest, _ranges(row["aarch64"]), _ranges(row.get("cuda", [])))


def cuda13_name(name: str) -> str | None:
    """The CUDA 13 name of a CUDA 12 package: empty where there is no counterpart, None where nothing is known of it."""
    found: str | None = table("wheels")["rename"].get(_canonical(name))
    return found


def cuda12_names() -> tuple[str, ...]:
    """Every package whose name, or one of whose extras, means CUDA 12."""
    wheels = table("wheels")
    return (*wheels["rename"], *dict.fromkeys(written.partition("[")[0] for written in wheels["extra"]))


def harmless(name: str) -> bool:
    """Whether it looks like a CUDA 12 package and does no harm beside CUDA 13."""
    return _canonical(name) in table("wheels")["allow"]


def extra_advice(package: str, extra: str) -> str | None:
    """What to write instead of an extra that brings CUDA 12 libraries: `jax[cuda13]` for `jax` and `cuda12`."""
    found: str | None = table("wheels")["extra"].get(f"{_canonical(package)}[{_canonical(extra)}]")
    return found


def last_torch(index: str) -> str:
    """The last torch on an index of PyTorch's that gets no new one, by its tag (`cu124`); empty for any other."""
    found: str = table("wheels")["last_torch"].get(index, "")
    return found


def only_pypi(indexes: "Iterable[Index]") -> bool:
    """Whether packages come from the default index alone: none other is in force, or only mirrors of it."""
    hosts = table("wheels")["hosts"]
    # A mirror's host may hold PyTorch's index too: `mirrors.aliyun.com/pytorch-wheels/cu130`.
    return not any(
        index.role == "torch-backend" or index.name or UNKNOWN in index.url or _host(index.url) not in hosts for index in indexes
    )


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


def _version(text: str) -> "Version | None":
    from packaging.version import Version

    try:
        return Version(text)
    except ValueError:  # InvalidVersion, and more digits than Python makes a number of
        return None


def _ranges(rows: list[list[str]]) -> "tuple[tuple[SpecifierSet, str], ...]":
    from packaging.specifiers import SpecifierSet

    return tuple((SpecifierSet(row[0], prereleases=True), row[1]) for row in rows)


def _row(ranges: "tuple[tuple[SpecifierSet, str], ...]", version: str) -> str:
    if _version(version) is None:
        return ""
    return next((value for wanted, value in ranges if version in wanted), "")


def _canonical(name: str) -> str:
    """The PEP 503 spelling, without importing packaging for it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
