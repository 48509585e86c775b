"""A build stage of a Dockerfile while it is read."""

from dataclasses import dataclass, field

from spark_lint.facts import Context, Image, Read
from spark_lint.text import Text


@dataclass(slots=True)
class Start:
    """CMD or ENTRYPOINT. words: of the exec form, none for a shell. reads: what it gives, which later instructions may undo."""

    words: tuple[Text, ...]
    reads: list[Read]


@dataclass(slots=True)
class Build:
    """A build stage as far as it is read. number: None in a file without FROM.

    env, args: what is set. waits: for each ARG, the names it uses that are not set where it stands, or wait for such names. posix:
    RUN is for a POSIX shell. entrypoint: words of the exec form, its own or of the stage it starts from. image: what it is built on.
    """

    number: int | None = None
    env: dict[str, Text] = field(default_factory=dict)
    args: dict[str, Text] = field(default_factory=dict)
    waits: dict[str, frozenset[str]] = field(default_factory=dict)
    workdir: str = ""
    posix: bool = True
    entrypoint: tuple[Text, ...] = ()
    image: Image | None = None
    starts: dict[str, Start] = field(default_factory=dict)

    @property
    def context(self) -> Context:
        """Where what stands in it runs."""
        return Context(stage=self.number, workdir=self.workdir)
