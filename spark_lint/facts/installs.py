"""What is installed: packages, where they come from, and the projects and locks that ask for them."""

from dataclasses import dataclass

from spark_lint.facts.fact import LONGEST_VERSION, Fact
from spark_lint.text import UNKNOWN, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Package(Fact):
    """One requested package. `name` is canonical (PEP 503): `flash-attn`.

    specifier: as written, `==2.9.1`, `>=2.4,<3`, empty for none; UNKNOWN where it holds a variable.
    manager: pip, uv, conda ... role: `requirement`, `constraint` (limits a version, requests nothing) or `build` (is there while the
        project around it is built, and not afterwards).
    flags: options of the install that change its outcome (`--no-deps`, `--no-build-isolation`); of a constraint, `--override` where
        it replaces what others ask for, and `--build-constraint` where it is for builds alone.
    environment: build variables set for this install alone (`MAX_JOBS`).
    marker: PEP 508 marker as written. url: a direct reference. extras: canonical names.
    locked: of what a lock installs, its entry there, with the files there are. through: who asks for it, of a lock from the project's own
        requirement on (`accelerate`, `torch`), of a compiled file all who do; empty for a requirement of the project itself.
    """

    specifier: str = ""
    extras: frozenset[str] = frozenset()
    marker: str = ""
    url: str = ""
    manager: str = "pip"
    role: str = "requirement"
    flags: frozenset[str] = frozenset()
    environment: tuple[tuple[str, str], ...] = ()
    locked: "Locked | None" = None
    through: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """The one version asked for, with its local tag (`2.6.0+cu124`); empty where there is none or it is unknown."""
        pin = self.specifier.removeprefix("===").removeprefix("==").strip()
        is_pin = self.specifier.startswith("==") and not any(sign in pin for sign in ("*", ",", UNKNOWN))
        is_pin = is_pin and len(pin) <= LONGEST_VERSION
        return pin if is_pin else ""

    @property
    def local(self) -> str:
        """The local version tag of the pin: `cu124`; empty for none."""
        return self.specifier.partition("+")[2].partition(",")[0].strip() if "+" in self.specifier else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index(Fact):
    """A package index, a find-links page or uv's `--torch-backend`.

    `name` is the accelerator tag at the end of its address, lower case: `cu124`, `cpu`, `rocm6.3`; empty where there is none.
    role: `index`, `extra-index`, `find-links` or `torch-backend`.
    lasting: it is in force for every later install too (an environment variable, `pip config set`), not for one command.
    label: how its file calls it (`pytorch-cu130`), for a Binding. explicit: only what is bound to it comes from it.
    """

    url: str
    role: str = "index"
    lasting: bool = False
    label: str = ""
    explicit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding(Fact):
    """A package that a project takes from one place alone: uv's `[tool.uv.sources]`, Poetry's `source =`, PDM's `include_packages`.

    `name` is the package, canonical. index: the label of an Index of the same file; url: an address (`git+https://…`, a wheel) or a
    path instead. marker: where it holds, as written. `context.extra`: for whom.
    """

    index: str = ""
    url: str = ""
    marker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution(Fact):
    """The project that a packaging file describes. `name` is canonical; empty where it has none.

    python: the specifier of the Pythons it runs on, `>=3.10,<3.13`; empty for any.
    groups: the groups that its manager installs unasked (uv's `default-groups`, Poetry's groups that are not optional), without `group:`.
    static: what the file leaves to no other one beside it, `dependencies` and `optional-dependencies`: setuptools passes over what
        setup.py and setup.cfg say of these (setuptools.pypa.io/en/latest/userguide/pyproject_config.html, "Dynamic Metadata").
    """

    python: str = ""
    groups: frozenset[str] = frozenset()
    static: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Need:
    """What a locked package asks for. `name` is canonical.

    version: which of several locked ones; empty where the lock holds one. extras: what is asked for of it, canonical. marker: as written.
    extra: for whom: an extra of the package that asks (`gpu`), a group of the project (`group:dev`); empty for always.
    specifier: the version asked for, where the lock says it; url: the address or repository instead. span: where it is written.
    """

    name: str
    span: Span
    version: str = ""
    extras: frozenset[str] = frozenset()
    marker: str = ""
    extra: str = ""
    specifier: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked(Fact):
    """One entry of a lock. `name` is canonical, `conda/name` for a package of conda's; span and origin are its name and version.

    root: it is a project of the repository, in the folder `url` beside the lock, and `needs` is what it asks for.
    index: the address of the index it comes from, empty where the lock does not say. url: a repository, an address or a path instead.
    marker: where it is installed, as the lock says it, empty for everywhere.
    asked: for whom it is installed, of locks that say it: empty text for everybody, `gpu` for an extra, `group:dev` for a group, where
        it suffices that one of them is asked for. Nothing where only a walk along `needs` tells.
    barred: the extras and groups with which it is not installed, though others get it.
    wheels: the names of the wheels there are; None where the lock does not list its files. sdist: whether there is a source archive.
    offered: what that comes to for a Spark: `wheel`, `sdist` (source only) or `none`; empty where it is not known. chosen: the wheel that
        is installed there. through: who asks for it, as in `Package.through`. These are set by the project.
    """

    version: str = ""
    root: bool = False
    index: str = ""
    url: str = ""
    marker: str = ""
    asked: frozenset[str] = frozenset()
    barred: frozenset[str] = frozenset()
    needs: tuple[Need, ...] = ()
    wheels: tuple[str, ...] | None = None
    sdist: bool = False
    offered: str = ""
    chosen: str = ""
    through: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock(Fact):
    """A lock: which version of each package is installed. `name` is its format: `uv`, `pylock`, `poetry`, `pdm`, `pipenv`, `pixi`.

    python: the specifier of the Pythons it is for. environments: the markers of which one has to hold where it is installed, empty where
    it is for every machine; platforms: the same of locks that name platforms instead (`linux-aarch64`, `manylinux_2_17_x86_64`).
    """

    python: str = ""
    environments: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale(Fact):
    """A requirement that the lock beside it does not meet any more. `name` is the package, canonical.

    lock: where the lock holds it, or where that begins. held: what it holds, `torch==2.8.0`; empty where it holds no such package.
    """

    lock: Span
    held: str = ""
