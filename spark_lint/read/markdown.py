"""Markdown files: the code in them, each piece read by the reader of its language.

Prose says nothing. What a document shows as wrong, or as history, is no advice; what stands under the name of another machine is
judged by that name (`Context.section`).
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from spark_lint.facts import Command, Context, EnvVar, Fact, Image, Include, ParseProblem, Read, Stage
from spark_lint.kinds import DOCKERFILE, DOTENV, JSON, PYTHON, SHELL, SYSTEMD, TOML, YAML
from spark_lint.read.funnel import Interests
from spark_lint.read.inner import of_kind
from spark_lint.read.markdown_code import Code, code_of, title_of
from spark_lint.read.markdown_console import blanked, typed
from spark_lint.read.markdown_embedded import Embedded, merged, placed
from spark_lint.read.markdown_fences import Fence, Heading, fences, plain
from spark_lint.read.markdown_python import python
from spark_lint.read.markdown_wrong import is_history, is_output, is_wrong, remarks
from spark_lint.text import UNKNOWN, Source, Text

_MOST_FENCES: Final = 5000
_LONGEST_FENCE: Final = 100_000
_STEP: Final = re.compile(r"(?:step|part|phase)?[ \t]*\(?\d", re.IGNORECASE)
_ASIDE: Final = re.compile(
    r"\b(?:another|new|second|separate|different|other)\b[^.]{0,20}\b(?:terminal|shell|window|tab|session|machine|node)\b|\bhost\b"
    r"|\boutside\b[^.]{0,20}\b(?:container|docker)\b|\b(?:exit|leave|stop)\b[^.]{0,20}\bcontainer\b",
    re.IGNORECASE,
)
# A heading below the one under which a container was started that leads out of it.
_NO_CONTAINER: Final = re.compile(
    r"\b(?:without|no|not in)\b[^.]{0,20}\b(?:docker|containers?)\b|\bbare[\s-]*metal\b|\bnative(?:ly)?\b|\b(?:on|from) (?:the|your) host\b|\b(?:conda|virtualenv|venv)\b",
    re.IGNORECASE,
)
_LABEL_WORDS: Final = 14
_DATA: Final = frozenset({YAML, JSON, TOML, SYSTEMD, DOTENV})
"""Kinds in which `<your model>` is no code."""


class Containers(Protocol):
    """Knows which commands lead into a container, and out of it."""

    def inside(self, command: Command, before: Image | None) -> Image | None:
        """The image of the container in which one is after a command; `before` is that of the one before it."""


def read(
    source: Source, interests: Interests | None = None, containers: Callable[[], Containers] | None = None
) -> Iterator[Read]:
    """The facts in the code of a document.

    interests: what Python code must hold to be read. containers: follows `docker run -it IMAGE`, behind which the next commands run
    in that image; nothing is followed where it is None.
    """
    if is_history(posixpath.basename(source.path)):
        return
    document = _Document(interests, containers() if containers else None)
    for number, fence in enumerate(fences(source), 1):
        if number > _MOST_FENCES:
            return
        yield from document.facts(fence, number)


@dataclass(frozen=True, slots=True)
class _Session:
    """A shell in a container: its image, and the headings above the fence in which it was started."""

    image: Image
    headings: tuple[Heading, ...]

    def reaches(self, fence: Fence) -> bool:
        """Whether a fence may be typed into it: up to the next heading of the same or a higher level, but for the next of its steps."""
        for own, other in zip(self.headings, fence.headings, strict=False):
            if own != other:
                return own.level == other.level and bool(_STEP.match(own.title) and _STEP.match(other.title))
        below = fence.headings[len(self.headings) :]
        return len(fence.headings) >= len(self.headings) and not any(_NO_CONTAINER.search(each.title) for each in below)


class _Document:
    """Reads the pieces of code of one document in order."""

    def __init__(self, interests: Interests | None, containers: Containers | None) -> None:
        self._interests = interests
        self._containers = containers
        self._session: _Session | None = None
        self._variables: dict[str, Text] = {}
        self._stages = 0

    def facts(self, fence: Fence, number: int) -> Iterator[Read]:
        """The facts of one piece of code."""
        lead = plain(fence.lead)
        title = title_of(fence.info)
        titles = tuple(heading.title for heading in fence.headings)
        if (
            is_wrong(title)
            or is_wrong(lead)
            or is_output(lead)
            or any(is_history(title) for title in titles)
            or (titles and is_wrong(titles[-1]))
        ):
            return
        code = code_of(fence)
        if not code.kind or len(code.text.value) > _LONGEST_FENCE:
            return
        if self._session is not None and not self._session.reaches(fence):
            self._session = None
        label = (lead,) if is_label(lead, fence.lead) else ()
        context = Context(fenced=True, block=number, section=(*titles, *fence.tabs, *filter(None, [title]), *label))
        comments = remarks(code.text)
        for each in self._read(code, context, fence, aside=bool(_ASIDE.search(lead))):
            if isinstance(each, ParseProblem):
                continue
            above = comments.get(_line(each), ())
            if isinstance(each, Stage) or not any(map(is_wrong, above)):  # the next stages are numbered after it
                yield _labelled(each, above)

    def _read(self, code: Code, context: Context, fence: Fence, *, aside: bool) -> Iterator[Read]:
        if code.kind == SHELL:
            yield from self._shell(code, context, fence, aside=aside)
            return
        if self._session is not None and not aside and code.kind != DOCKERFILE:
            context = replace(context, image=self._session.image)
        yield from self._other(code, context)

    def _shell(self, code: Code, context: Context, fence: Fence, *, aside: bool) -> Iterator[Read]:
        from spark_lint.read.shell import commands

        text = blanked(typed(code.text, console=code.console))
        for each in commands(text, context, self._variables):
            if isinstance(each, EnvVar):
                self._remember(each, text.source)
            before = self._session.image if self._session and not aside else None
            after = before
            if isinstance(each, Command) and self._containers is not None and not aside:
                after = self._containers.inside(each, before)
            if before is not None and before == after and isinstance(each, (Fact, Include)):
                each = replace(each, context=replace(each.context, image=before))
            yield each
            if after != before:
                self._session = None if after is None else _Session(after, fence.headings)

    def _remember(self, variable: EnvVar, source: Source) -> None:
        """What one piece of code exports is set in the next ones."""
        if UNKNOWN not in variable.value and not variable.context.conditions:
            self._variables[variable.name] = Text.of(source, 0, 0).as_value(variable.value, variable.origin)
        else:
            self._variables.pop(variable.name, None)

    def _other(self, code: Code, context: Context) -> Iterator[Read]:
        if code.kind == PYTHON:
            yield from python(code.text, context, self._interests)
        elif code.kind == DOCKERFILE:
            yield from self._dockerfile(code.text, context)
        elif code.kind:
            text = blanked(code.text, data=True) if code.kind in _DATA else code.text
            yield from of_kind(code.kind, text, context, code.path)

    def _dockerfile(self, text: Text, context: Context) -> Iterator[Read]:
        """A Dockerfile; its stages are numbered behind those before it in the document."""
        from spark_lint.read.dockerfile import read as dockerfile

        before = self._stages
        for each in dockerfile(Embedded(text)):
            if isinstance(each, Stage):
                self._stages = max(self._stages, before + each.number + 1)
                parent = None if each.parent is None else each.parent + before
                image = each.image and replace(each.image, context=merged(each.image.context, context, before))
                yield replace(each, number=each.number + before, parent=parent, image=image)
            else:
                yield placed(each, context, before)


def _line(read: Fact | Include | Stage) -> int:
    return (read.path.span if isinstance(read, Include) else read.span).line


def _labelled(read: Read, comments: Sequence[str]) -> Read:
    """A fact with the comments that may say for which machine it is."""
    labels = tuple(each for each in comments if len(each.split()) <= _LABEL_WORDS)
    if not labels or not isinstance(read, (Fact, Include)):
        return read
    return replace(read, context=replace(read.context, section=(*read.context.section, *labels)))


def is_label(lead: str, written: str) -> bool:
    """Whether the line above a piece of code is a label (`On Windows:`, `**ROCm**`), not a part of a longer text."""
    return len(lead.split()) <= _LABEL_WORDS and (lead.endswith((":", "：")) or written.strip().startswith(("**", "- ", "* ")))
