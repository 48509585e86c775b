"""Where does a fact run? A fact has a set of scopes, since one requirements file can be installed by two images and on the host."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from spark_lint.text import Span

if TYPE_CHECKING:  # facts hold scopes, and scopes hold the image and the indexes they come from
    from spark_lint.facts import Image, Index

Workload: TypeAlias = Literal["train", "serve", ""]


@dataclass(frozen=True, slots=True)
class Scope:
    """One place where a fact runs.

    image: the container image it runs in, the outermost base of its build stage; None on the host or where nothing is said.
    elsewhere: it runs on another kind of machine (marker, branch, name), or only in tests: no rule is asked about it.
    workload: `train`, `serve`, or empty where it cannot be told.
    sparks: how many Sparks the files or the configuration name; None where they say nothing.
    cluster: something shows that there is more than one, without a count.
    optional: it is installed only on request (an extra). extras: of a project, the extras and groups that are installed.
    installer: the program that installs it (`pip`, `uv`), empty where none is seen.
    indexes: the package indexes in force for it.
    flags, environment: options and variables of the command that installs it (`--no-build-isolation`, `MAX_JOBS`).
    via: where it is pulled in (the `RUN pip install -r`), None where it runs by itself. `how` says it in words: `installed`.
    stage: the Dockerfile and build stage it runs in.
    locked: the lock that decides there which version it is, and that is judged in its place.
    """

    image: "Image | None" = None
    elsewhere: bool = False
    workload: Workload = ""
    sparks: int | None = None
    cluster: bool = False
    optional: bool = False
    indexes: "tuple[Index, ...]" = ()
    flags: frozenset[str] = frozenset()
    environment: tuple[tuple[str, str], ...] = ()
    via: Span | None = None
    how: str = ""
    stage: tuple[str, int] | None = None
    extras: frozenset[str] = frozenset()
    installer: str = ""
    locked: str = ""

    def has_gpus(self, wanted: int) -> bool | None:
        """Whether the files show so many GPUs, one in each Spark; None where they say nothing about more than one Spark."""
        if self.sparks is None:
            return True if self.cluster else None
        return self.sparks >= wanted

    @property
    def label(self) -> str:
        """The scope in a few words: the image, or nothing."""
        return self.image.shown if self.image else ""

    @property
    def described(self) -> str:
        """The scope in words, for `explain --why`."""
        parts = [self.image.shown if self.image else "no container"]
        if self.stage:
            parts.append(f"stage {self.stage[1]} of {self.stage[0]}")
        if self.via:
            parts.append(f"{self.how} at {self.via.path}:{self.via.line}")
        if self.workload:
            parts.append({"train": "training", "serve": "serving"}[self.workload])
        if self.sparks is not None:
            parts.append(f"{self.sparks} Spark{'s' if self.sparks != 1 else ''}")
        elif self.cluster:
            parts.append("more than one Spark")
        if self.extras:
            parts.append(f"with {', '.join(sorted(self.extras))}")
        parts += [f"index {index.name or index.url}" for index in self.indexes]
        if self.optional:
            parts.append("optional")
        if self.locked:
            parts.append(f"decided by {self.locked}")
        elif self.elsewhere:
            parts.append("another machine, or only a test: no rule is asked")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Assumed:
    """What the user says about where everything runs: the image, the number of Sparks, the Python."""

    image: "Image | None" = None
    sparks: int | None = None
    python: str = "3.12"
