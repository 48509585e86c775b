"""What files say, as values: the only thing rules ever see.

Readers (`spark_lint.read`) yield facts about what is written; `spark_lint.names` adds what it means; `spark_lint.project`
adds the scopes in which it runs. A fact is never changed, only replaced.
"""

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from spark_lint.scope import Scope
from spark_lint.text import UNKNOWN, Span, Text

LONGEST_VERSION: Final = 200
"""Characters of a version; of a number with thousands of digits Python makes none."""
LARGEST: Final = 10**15
"""What a number of anything, bytes included, stays under."""

Value: TypeAlias = str | int | float | bool | None
"""A literal as the file gives it. A string that holds UNKNOWN is known only in part, or not at all."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A test under which code runs: its text as written (`"$(uname -m)" = x86_64`), and whether it must fail."""

    text: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """Where in its file a fact stands, as its reader sees it.

    stage: number of the Dockerfile build stage, from 0; None outside one.
    conditions: the tests around it, outermost first (`if`, `case`, conditional expressions). A `try` whose handler for
        ImportError has another way is the condition `try: ImportError`.
    fenced: it is an example in a document, not code that runs as it stands.
    image: the image of a `docker run IMAGE …` around it.
    block: the number, from 1, of the part of its file that runs by itself: the fence of a document, the service of a compose file, the
        document or container of a YAML file; 0 where the file is one whole. Parts of fence n have the numbers from 1000n.
    section: in a document, the headings, tabs and labels above it, outermost first.
    workdir: the folder it runs in, as WORKDIR and `cd` before it say: absolute, or relative to where the script is started. It
        holds UNKNOWN where they say something that cannot be known; empty where they say nothing.
    extra: in a packaging file, what somebody has to ask for before it is installed: the extra `gpu`, the group `group:dev`; empty
        for what is always installed.
    """

    stage: int | None = None
    conditions: tuple[Condition, ...] = ()
    fenced: bool = False
    image: "Image | None" = None
    block: int = 0
    section: tuple[str, ...] = ()
    workdir: str = ""
    extra: str = ""

    @property
    def request(self) -> str:
        """What has to be asked for, in words: `the extra gpu`, `the group dev`; empty for what is always installed."""
        group = self.extra.removeprefix("group:")
        return "" if not self.extra else f"the extra {group}" if group == self.extra else f"the group {group}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Anything a file says.

    name: what rules are woken by, normalised as the subclass says.
    span: where it is written. origin: where its deciding value is written, which may be elsewhere (the `ARG` default).
    written: the author's own spelling, for messages.
    context: where in the file. scopes: where it runs (set by the project; a rule always sees exactly one, `scope`).
    """

    name: str
    span: Span
    origin: Span
    written: str
    context: Context = Context()
    scopes: tuple[Scope, ...] = ()

    @property
    def scope(self) -> Scope:
        """The scope being judged."""
        return self.scopes[0]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command: `name` as the tool's table spells it (`--index-url` for `-i`), `value` if it takes one."""

    name: str
    value: Text | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Fact):
    """One program run. `name` is the program without its folder: `pip`, `python`, `docker`.

    words: its own words, the program first; those of a program that it runs are that program's. environment: assignments before it (`MAX_JOBS=4 pip …`).
    options, arguments: the words after the program by the tool's option table, filled by `names`.
    exec_form: given as a list, not to a shell. stdin: the text of its here-document.
    """

    words: tuple[Text, ...]
    environment: tuple[tuple[str, Text], ...] = ()
    options: tuple[Option, ...] = ()
    arguments: tuple[Text, ...] = ()
    exec_form: bool = False
    stdin: Text | None = None

    def has(self, *names: str) -> bool:
        """Whether any of these options is given."""
        return any(option.name in names for option in self.options)

    def option(self, *names: str) -> Text | None:
        """The value of the last of these options that is given."""
        return next((option.value for option in reversed(self.options) if option.name in names), None)

    @property
    def subcommand(self) -> str:
        """The first argument that is no option: `install` of `pip install torch`; empty if there is none."""
        return self.arguments[0].value if self.arguments else ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock(Fact):
    """A lock: which version of each package is installed. `name` is its format: `uv`, `pylock`, `poetry`, `pdm`, `pipenv`, `pixi`.

    python: the specifier of the Pythons it is for. environments: the markers of which one has to hold where it is installed, empty where
    it is for every machine; platforms: the same of locks that name platforms instead (`linux-aarch64`, `manylinux_2_17_x86_64`).
    """

    python: str = ""
    environments: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()


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
class Stale(Fact):
    """A requirement that the lock beside it does not meet any more. `name` is the package, canonical.

    lock: where the lock holds it, or where that begins. held: what it holds, `torch==2.8.0`; empty where it holds no such package.
    """

    lock: Span
    held: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(Fact):
    """A container image. `name` is the repository, lower case, without Docker Hub's host and `library/`: `nvcr.io/nvidia/pytorch`.

    tag: without digest; empty for none. platform: `linux/amd64` where one is asked for.
    role: `base` (FROM), `run` (docker run, compose) or `pull` (docker pull). stage: name of the build stage it starts.
    """

    tag: str = ""
    digest: str = ""
    platform: str = ""
    role: str = "base"
    stage: str = ""

    @property
    def reference(self) -> str:
        """The image as one would pull it."""
        return self.name + (f":{self.tag}" if self.tag else "") + (f"@{self.digest}" if self.digest else "")

    @property
    def shown(self) -> str:
        """The image in a message: without its digest, and as the author wrote it where a part is not known."""
        known = self.name + (f":{self.tag}" if self.tag else "")
        return self.written.partition("@")[0] if UNKNOWN in known else known


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvVar(Fact):
    """An environment variable that is set. `name` keeps its case."""

    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Fact):
    """A meaning, the same over all spellings and tools: `tensor_parallel_size`, `attention`, `nodes`.

    tool: the program or library whose spelling it is (`vllm`), empty where the spelling is shared by several.
    launched: it stands in the command or call that starts the work, not in a file that something else reads.
    """

    value: Value
    tool: str = ""
    launched: bool = False

    @property
    def number(self) -> float:
        """The value as a number; 0 where it is none, unknown or beyond all measure, so that comparisons stay silent."""
        try:
            found = float(self.value) if isinstance(self.value, (str, int, float)) else 0
        except (ValueError, OverflowError):
            return 0
        return found if abs(found) <= LARGEST else 0

    @property
    def text(self) -> str:
        """The value as text; empty where it is no string or not known in full."""
        return self.value if isinstance(self.value, str) and UNKNOWN not in self.value else ""

    def spelled(self, value: str) -> str:
        """The author's spelling with another value: `--tp 1` for `--tp 2`; the value alone where it stands elsewhere (`--tp $TP`)."""
        written = self.written[self.written.rfind("default=") :] if " default=" in self.written else self.written
        before, own, after = written.rpartition(str(self.value) or "=")
        return f"{before}{value}{after}" if own == str(self.value) and not any(map(str.isalnum, after)) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Code(Fact):
    """A text in another language that a command runs (`python - <<EOF`), or writes to a file (`cat > compose.yaml <<EOF`).

    `name` is its kind, as `files` calls it. path: the file that it is written to; empty where it runs. No rule sees one: what is in it
    stands in its place.
    """

    text: Text
    path: str = ""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call: `name` is empty for a positional one. `dotted` is the resolved name where the value is one."""

    name: str
    value: Value
    span: Span
    origin: Span
    written: str
    dotted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Fact):
    """A Python call. `name` is dotted and resolved through the file's imports: `transformers.AutoModel.from_pretrained`.

    A command of CMake is one too, with all its arguments by position: `cmake.find_package`.
    """

    arguments: tuple[Argument, ...] = ()

    def argument(self, name: str, position: int | None = None) -> Argument | None:
        """The argument given by keyword, or at that position (from 0)."""
        positional = [argument for argument in self.arguments if not argument.name]
        by_name = next((argument for argument in self.arguments if argument.name == name), None)
        if by_name or position is None or position >= len(positional):
            return by_name
        return positional[position]


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Fact):
    """A Python import. `name` is the full dotted name: `from a.b import c` is `a.b.c`; `module` is `a.b`.

    top_level: it runs whenever the file is run or imported.
    """

    module: str
    top_level: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Assign(Fact):
    """A value with a name, of Python or CMake. `name` is the target, dotted and resolved through the imports where it is a name.

    kind: `name` (`X = 1`, `a.b.X = 1`), `item` (`d["X"] = 1`, `{"X": 1}`, `dict(X=1)`), `default` (a parameter's default value),
    `parameter` (the same of a method, whose caller knows better), `word` (a word without a name in a list of flags, `["-O3",
    "-arch=sm_90"]`, that is not known to be a command); of CMake, whose lists have `;` between their items, `variable` (`set(X 1)`),
    `added` (what is added to a variable that the file sets nowhere anew) or `property` (`target.CUDA_ARCHITECTURES`).
    dotted: the resolved name where the value is one (`torch.bfloat16`).
    """

    value: Value
    kind: str = "name"
    dotted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Fact):
    """One key of a configuration file (YAML, JSON, TOML) with its value. `name` is the path of its keys as written: `trainer.nnodes`.

    A list is given item by item, each under the path of its list. beside: the keys at the top of the same document, which tell whose
    configuration it is.
    """

    value: Value
    beside: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """The last key of the path; of a key with dots of its own (`nvidia.com/gpu`) what follows the last of them."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Include:
    """A file that another one pulls in.

    kind: `requirement` (`-r base.txt`), `constraint` (`-c`), `editable` (the project in a folder: `-e .`, `.[gpu]`, `uv sync`), `extra`
    (an extra or group that brings others of its project: `path` and `extras` name them), `copy` (`COPY requirements.txt .`),
    `mount` (`RUN --mount=type=bind,…`), `run` (`python train.py`), `env` (`env_file: gpu.env`: the variables of an environment file) or `build` (the Dockerfile of a
    compose service, from_stage its target).
    path: as written. extras: what is asked for of a project: `gpu`, `group:dev`, `*` and `group:*` for all of them. target: for a copy or mount, where it goes. from_stage: `COPY --from=NAME`, empty for the build context.
    command: the command that pulls it in, if any.
    """

    kind: str
    path: Text
    context: Context = Context()
    target: Text | None = None
    from_stage: str = ""
    command: Command | None = field(default=None, repr=False)
    extras: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stage:
    """One build stage of a Dockerfile. It starts from an image or from an earlier stage (`parent`), never both."""

    number: int
    name: str
    span: Span
    image: Image | None = None
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class ParseProblem:
    """What could not be read, and where."""

    span: Span
    message: str


Read: TypeAlias = Fact | Include | Stage | ParseProblem
"""What a reader yields."""
