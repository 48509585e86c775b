"""Which server a setting is for, and which release of it or of a library is in force there."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from spark_lint.facts import Fact, Package, Setting
from spark_lint.knowledge.images import describe
from spark_lint.knowledge.wheels import package as wheels_of
from spark_lint.knowledge.wheels import specifiers
from spark_lint.known import Known
from spark_lint.project import Project
from spark_lint.scope import Scope
from spark_lint.text import Span

ENGINES: Final = ("vllm", "sglang")

_MOST: Final = 100
"""Requests for one package that are looked at."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release of a package that is in force somewhere.

    shown: what says so, for a message: a pin, or an image. span: where it stands. instead: an image to take in place of that one.
    cuda13: it is a build for CUDA 13. ngc: it is NVIDIA's own. elsewhere: it is pinned in another file, which need not belong to it.
    known: what stands behind that there is such a release, and what is in an image; assumed where it is newer than what was looked at.
    """

    package: str
    version: str
    shown: str
    span: Span
    instead: str = ""
    cuda13: bool = False
    ngc: bool = False
    elsewhere: bool = False
    known: Known | None = None

    def before(self, version: str) -> bool:
        """Whether it is older than a version."""
        return self.version.partition("+")[0] in specifiers(f"<{version}")


def engine(setting: Setting) -> str:
    """The server that reads a setting: `vllm` or `sglang`, by its spelling or by the image it runs in; empty for any other."""
    tool = "vllm" if setting.tool.startswith("VLLM_") else setting.tool
    image = setting.scope.image
    if tool or image is None:
        return tool if tool in ENGINES else ""
    return next((name for name in ENGINES if describe(image).ships(name)), "")


def release(fact: Fact, project: Project, package: str) -> Release | None:
    """The release of a package where a fact runs: as it is pinned there, as the image has it, or for the host as the repository pins it.

    None where nothing says it, or something leaves it open: a request without a version, a checkout. Of several pins the newest counts.
    """
    near = list(_some(project.near(fact, Package, package)))
    image = fact.scope.image
    if near or image is None:
        everywhere = (each for each in _some(project.every(Package, package)) if any(map(_on_a_host, each.scopes)))
        return _newest(near or list(everywhere), elsewhere=not near)
    known = describe(image)
    version = known.version_shipped(package)
    if not version:
        return None
    ngc, cuda13 = known.family.startswith("ngc-"), known.cuda.startswith("13")
    return Release(package, version, image.shown, image.span, known.instead, cuda13, ngc, known=known.known)


def _some(packages: Iterator[Package]) -> Iterator[Package]:
    return (each for each in islice(packages, _MOST) if each.role == "requirement")


def _on_a_host(scope: Scope) -> bool:
    return scope.image is None and not scope.elsewhere


def _newest(pins: list[Package], elsewhere: bool) -> Release | None:
    from packaging.version import Version

    if not pins or not all(each.version for each in pins):
        return None
    try:
        last = max(pins, key=lambda pin: Version(pin.version))
    except ValueError:  # InvalidVersion is one
        return None
    cuda13 = last.local.startswith("cu13") or any(index.name.startswith("cu13") for index in last.scope.indexes)
    facts = wheels_of(last.name)
    known = facts.known(last.version) if facts is not None else None
    return Release(last.name, last.version, last.written, last.span, cuda13=cuda13, elsewhere=elsewhere, known=known)
