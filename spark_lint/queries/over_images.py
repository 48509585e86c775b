"""What an install does to the torch that NVIDIA built for an image, as far as it is known."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from spark_lint.facts import Command, Package
from spark_lint.kinds import REQUIREMENTS
from spark_lint.knowledge.images import ImageFacts, describe
from spark_lint.knowledge.tables import Table, dated, table
from spark_lint.knowledge.wheels import package as wheels_of
from spark_lint.knowledge.wheels import specifiers
from spark_lint.known import Known
from spark_lint.project import Project
from spark_lint.queries.environments import apart
from spark_lint.rule import ERROR
from spark_lint.text import UNKNOWN

if TYPE_CHECKING:
    from packaging.version import Version

EXACT: Final = "exact"
"""What a package asks of torch that pins one final release of it."""

MOST_ALONG: Final = 50
"""Packages of one install that are looked at for another one of it."""

_UPGRADES: Final = frozenset(
    {"--upgrade", "--force-reinstall", "--ignore-installed", "--reinstall", "--reinstall-package", "--upgrade-package"}
)
_EDITORS: Final = frozenset({"sed", "grep", "egrep", "awk", "gawk", "perl", "python", "python3"})


@dataclass(frozen=True, slots=True)
class Over:
    """The torch of NVIDIA's that a package is installed over: the image as it is known, and as a message names it."""

    facts: ImageFacts
    image: str

    def version(self, name: str) -> str:
        """The version of a package in the image; empty where it is not known."""
        return self.facts.version_shipped(name)


def over_nvidia_torch(package: Package, project: Project) -> Over | None:
    """NVIDIA's image whose own torch is there when a package is installed beside it; None where that is not so or cannot be told.

    An image that does not run on a Spark is not worth a word about what is installed in it.
    """
    image = package.scope.image
    if image is None or package.role != "requirement":
        return None
    facts = describe(image)
    if not facts.nvidia_torch or facts.grade is ERROR or not project.ships(package, "torch"):
        return None
    return None if not _installs(package, project) or apart(package, project) else Over(facts, image.shown)


def flags_of(package: Package) -> frozenset[str]:
    """The options of the install, in the line itself and in the command that pulls it in."""
    return package.flags | package.scope.flags


def reinstalled(package: Package) -> bool:
    """Whether the install replaces even what meets its specifier: `--upgrade`, `--force-reinstall`."""
    return bool(flags_of(package) & _UPGRADES)


def along(package: Package, project: Project, *names: str) -> Iterator[Package]:
    """The packages of these names in the same install that are asked for in the same place, itself included; of very many the first."""
    for group in project.documents[package.span.path].installs(package.span):
        beside = (each for each in project.near(package, Package, *names) if each.span in group.spans)
        for other in islice(beside, MOST_ALONG):
            here = (each for each in other.scopes if each.stage == package.scope.stage and each.via == package.scope.via)
            if other.role == "requirement" and any(not scope.elsewhere for scope in here):
                yield other


def asked_of_torch(name: str, specifier: str) -> str:
    """What the newest release of a package that a specifier admits asks of torch, itself or by its torchaudio: a specifier, or `EXACT`.

    Empty where it asks for nothing, or that is not known.
    """
    row: Table = table("images")["requires"].get(name, {})
    version = _newest(name, specifier, row.get("checked", ())) if UNKNOWN not in specifier else None
    if version is None:
        return ""
    steps: list[list[str]] = row.get("torch", [])
    own = next((asked for start, asked in reversed(steps) if _version(start) <= version), "")
    by_audio = asked_of_torch("torchaudio", row["torchaudio"]) if "torchaudio" in row else ""
    return EXACT if EXACT in (own, by_audio) else ",".join(filter(None, (own, by_audio)))


def asked_known() -> Known:
    """What stands behind what packages ask of torch."""
    return replace(dated("images", "requires-dist"), source="")


def askers() -> tuple[str, ...]:
    """The packages of which it is known what they ask of torch."""
    return tuple(table("images")["requires"])


def met(asked: str, shipped: str) -> bool:
    """Whether a torch of NVIDIA's meets what is asked of it; where its version is not known, only a pin of a final release is not met."""
    if asked == EXACT:
        return False
    return not shipped or shipped in specifiers(asked)


def pins_final(specifier: str) -> bool:
    """Whether a specifier pins one final release, which no pre-release meets: `==2.9.1`, `==2.9.1+cu130`, and not `==2.9.*`."""
    from packaging.version import InvalidVersion, Version

    pins = [part.strip().lstrip("=").strip() for part in specifier.split(",") if part.strip().startswith("==")]
    try:
        return any(not Version(pin).is_prerelease for pin in pins if "*" not in pin and UNKNOWN not in pin and len(pin) < 100)
    except InvalidVersion:
        return False


@lru_cache(maxsize=1024)
def admits_newer_peft(specifier: str) -> bool:
    """Whether a specifier admits a peft that refuses the torchao of before 2026, which pip then takes."""
    if UNKNOWN in specifier:
        return False
    known: list[str] = table("images")["torchao"]["peft"]
    pinned = next((part.version for part in specifiers(specifier) if part.operator == "==" and "*" not in part.version), "")
    return any(each in specifiers(specifier) for each in known) or bool(pinned and _version(pinned) >= _version(known[0]))


def torchao_for_peft() -> str:
    """The first torchao that a new peft takes."""
    found: str = table("images")["torchao"]["minimum"]
    return found


def torchao_known() -> Known:
    """What stands behind which torchao a new peft takes."""
    return dated("images", "manual", table("images")["torchao"])


def replaces_torch(package: Package, over: Over) -> bool:
    """Whether an install is known to put another torch, torchvision or torchaudio in the place of NVIDIA's, by its name or along with it."""
    if package.url or (over.facts.ships(package.name) and package.name not in ("torch", "torchvision")):
        return False
    if package.name in ("torch", "torchvision"):
        shipped = over.version(package.name)
        unmet = shipped not in specifiers(package.specifier) if shipped else pins_final(package.specifier)
        own = bool(shipped) and package.version.startswith(shipped.partition("+")[0])
        return not own and (unmet or reinstalled(package))
    asked = asked_of_torch(package.name, package.specifier) if "--no-deps" not in flags_of(package) else ""
    return bool(asked) and not met(asked, over.version("torch"))


def older(version: str, other: str) -> bool:
    """Whether a version comes before another one."""
    return _version(version) < _version(other)


def _version(text: str) -> "Version":
    from packaging.version import InvalidVersion, Version

    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")


def _newest(name: str, specifier: str, checked: "list[str]") -> "Version | None":
    known = wheels_of(name)
    found = (*(known.matching(specifier) if known else ()), *(each for each in checked if each in specifiers(specifier)))
    return max(map(_version, found), default=None)


def _installs(package: Package, project: Project) -> bool:
    """Whether the line is installed as it stands: not fetched only, not left out by `--no-deps`, not taken out of its file before."""
    document = project.documents[package.span.path]
    commands = [each for each in project.around(package) if isinstance(each, Command)]
    if any(each.subcommand in ("download", "wheel") for each in commands if each.name == "pip"):
        return False
    if commands:
        return True
    if document.kind != REQUIREMENTS:
        # A project that is only copied into an image is not installed there.
        return package.scope.how == "installed" and "--no-deps" not in package.scope.flags
    file = document.path.rpartition("/")[2]
    return not any(_takes_out(each, file, package.name) for each in project.before(package, Command))


def _takes_out(command: Command, file: str, name: str) -> bool:
    """Whether a command rewrites a requirements file, or makes another one of it, with a word about this package: `sed -i '/torch/d' r.txt`."""
    words = [word.value for word in command.words]
    if any("use_existing_torch" in word for word in words):  # vLLM's own script for it
        return True
    if command.name not in _EDITORS or not any(word.rpartition("/")[2] == file or UNKNOWN in word for word in words):
        return False
    return any(stem in word for word in words for stem in (name[:5], UNKNOWN))
