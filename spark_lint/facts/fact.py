"""What every fact has: where it stands, in which surroundings, and where it runs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from spark_lint.scope import Scope
from spark_lint.text import Span

if TYPE_CHECKING:
    from spark_lint.facts.runs import Image

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
