"""What pip finds on a Spark for one line: which release of the default index, and whether there is a wheel of it."""

import re
from dataclasses import dataclass
from posixpath import basename
from typing import Final
from urllib.parse import unquote

from spark_lint import knowledge
from spark_lint.facts import Command, Package
from spark_lint.kinds import MARKDOWN, REQUIREMENTS, SETUP_CFG
from spark_lint.known import Known
from spark_lint.names.machines import guarded, may_fail
from spark_lint.project import Project
from spark_lint.text import UNKNOWN

# On a Spark it is not there yet: such a test lets every install through.
_PRESENCE: Final = re.compile(r"\bimport \w|find_spec|is_installed|pip3? (?:show|list|freeze)|conda list")
# A wheel's name ends with the machines it is for: https://packaging.python.org/en/latest/specifications/platform-compatibility-tags/
_MACHINES: Final = (
    ("x86_64", "x86-64"),
    ("amd64", "Windows"),
    ("win32", "Windows"),
    ("macosx", "macOS"),
    ("i686", "32-bit x86"),
)
_ARCHIVE: Final = re.compile(r"\.(?:zip|tar|tgz|tar\.(?:gz|bz2|xz))$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Supply:
    """What there is for a line. kind: `wheel`, `sdist` (source only), `none`, `foreign`, as `knowledge.package` says; version: the
    newest that the line admits and that can be installed, of `none` the newest at all. known: what stands behind it.
    """

    kind: str
    version: str
    known: Known | None = None


def supply(package: Package, project: Project) -> Supply | None:
    """What the default index has for a line on a Spark; None where that is not known, or where the line takes nothing from it.

    It takes nothing where it only limits a version, where the package is there already, and where another place may have it.
    """
    facts = knowledge.package(package.name)
    if package.locked is not None and package.locked.offered and not package.url and package.version == package.locked.version:
        return _held(package, project)
    if facts is None or package.url or package.local or not taken(package, project):
        return None
    admitted = facts.matching(package.specifier)
    for version in reversed(admitted):
        kind = facts.aarch64(version)
        if kind == "none" and facts.by_python(version) and not _of_the_table(package):
            return None  # as numpy 1.21: for another Python, which the files may choose, there is one
        if kind != "none":  # pip passes over a release that has nothing for the machine
            return Supply(kind, version, facts.known(version)) if kind else None
    return Supply("none", admitted[-1], facts.known(admitted[-1])) if admitted else None


def _of_the_table(package: Package) -> bool:
    """Whether an image settles that it is the Python of which the table speaks."""
    image = package.scope.image
    return image is not None and image.name == "python" and image.tag.partition("-")[0].startswith("3.12")


def _held(package: Package, project: Project) -> Supply | None:
    """What a lock has for a Spark. That there is a wheel for every machine says nothing of what is in it."""
    facts, offered = knowledge.package(package.name), package.locked.offered if package.locked else ""
    if package.scope.image is not None and machine_of_image(package) not in ("", "x86-64"):
        return None
    known = facts.aarch64(package.version) if facts is not None else ""
    return Supply("foreign" if offered == "wheel" and known == "foreign" else offered, package.version)


def from_source(package: Package) -> bool:
    """Whether a line gives an address of source code: a repository or an archive."""
    address = package.url.partition("#")[0]
    return UNKNOWN not in address and (address.startswith("git+") or bool(_ARCHIVE.search(address)))


def wheel_for(package: Package) -> str:
    """The other machine that the wheel a line gives the address of is for: `x86-64`; empty where it gives none, or one for a Spark."""
    wheel = unquote(basename(package.url.partition("#")[0].partition("?")[0]))
    tags = wheel.removesuffix(".whl").rpartition("-")[2]
    if not wheel.endswith(".whl") or UNKNOWN in tags:
        return ""
    if any(tag == "any" or (tag.endswith("_aarch64") and "linux" in tag) for tag in tags.split(".")):
        return ""
    return next((machine for sign, machine in _MACHINES if sign in tags), "")


def taken(package: Package, project: Project) -> bool:
    """Whether a line makes pip fetch something from the default index, or from the address that it gives."""
    image = package.scope.image
    served = (knowledge.serves(index, package.name, package.specifier) for index in package.scope.indexes)
    if package.role != "requirement" or any(served):
        return False
    if image is not None and (project.ships(package, package.name) or machine_of_image(package) not in ("", "x86-64")):
        return False
    names = (package.name, f"conda/{package.name}")
    # Most files have no such line, and the order of two lines costs more than a look at each.
    found = any(_from_elsewhere(other) for other in project.near(package, Package, *names))
    return not (found and any(_from_elsewhere(other) for other in project.installed_before(package, *names)))


def _from_elsewhere(package: Package) -> bool:
    return package.manager == "conda" or bool(package.url or package.local)


def machine_of_image(package: Package) -> str:
    """The machine that the image is made for where a package is installed, if it is another one than a Spark."""
    image = package.scope.image
    return knowledge.describe(image).other_machine if image is not None else ""


def may_be_shipped(package: Package) -> bool:
    """Whether it is installed in an image of which nothing is known, so that it may be there already."""
    image = package.scope.image
    return image is not None and not knowledge.describe(image).family


def on_request(package: Package) -> bool:
    """Whether an install may fail by design (`|| true`), or runs only where a switch says so, or a test other than that it is missing.

    Of what is switched off, or an extra, the engine itself makes an info.
    """
    asked = (condition for condition in package.context.conditions if not _PRESENCE.search(condition.text))
    return not package.scope.optional and (may_fail(package.context.conditions) or guarded(asked))


def in_command(package: Package, project: Project) -> bool:
    """Whether a package stands in a command, where no marker can be written without quotes, and not in a line of a file."""
    return any(isinstance(each, Command) for each in project.around(package))


def without(name: str, manager: str) -> str:
    """How a manager is told to leave a package out on a Spark that something else asks for.

    docs.astral.sh/uv/reference/settings/#override-dependencies; the others have nothing of the kind.
    """
    if manager == "uv":
        return f"override-dependencies = [\"{name}; platform_machine != 'aarch64'\"]  # in [tool.uv]"
    return f"leave {name} out on aarch64"


def elsewhere_only(package: Package, project: Project) -> str:
    """The line for every machine but a Spark; in TOML, Python and YAML it stands in quotes already, mostly double ones."""
    if package.locked is not None and package.origin.path == package.locked.span.path:
        return without(package.name, package.manager)
    if package.manager in ("poetry", "pixi", "pipenv"):
        return f"leave {package.name} out on aarch64"  # a key of a table takes no marker behind it
    marker = f"({package.marker}) and " if package.marker else ""
    quote = '"' if project.documents[package.span.path].kind in (REQUIREMENTS, SETUP_CFG, MARKDOWN) else "'"
    return f"{package.written}{' ' if package.url else ''}; {marker}platform_machine != {quote}aarch64{quote}"
