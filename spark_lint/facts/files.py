"""What else a reader yields: the files that a file pulls in, the stages of a Dockerfile, and what could not be read."""

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from spark_lint.facts.fact import Context, Fact
from spark_lint.facts.runs import Command, Image
from spark_lint.text import Span, Text

_ANYWHERE: Final = Context()


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
    context: Context = _ANYWHERE
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
