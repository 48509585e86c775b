"""What is run: commands, containers, their environment, and what their settings mean."""

from dataclasses import dataclass

from spark_lint.facts.fact import LARGEST, Fact, Value
from spark_lint.text import UNKNOWN, Span, Text


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
