"""The Markdown cells of a notebook: the headings that its code stands under, and the examples in them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Fact, Image, Include, Read, Stage
from spark_lint.read.funnel import Interests
from spark_lint.read.markdown import is_label, read
from spark_lint.read.markdown_embedded import Embedded
from spark_lint.read.markdown_fences import Heading, fences, plain
from spark_lint.text import Source, Text

_BLOCKS: Final = 10_000
"""Numbers of blocks that the examples of one cell may have."""
_BELOW: Final = "\n\n```below\n```\n"
"""Code below a text, which shows what is above it."""


class Sections:
    """What stands above the next cell, as one goes through the cells in order."""

    def __init__(self) -> None:
        self._headings: list[Heading] = []
        self._label: tuple[str, ...] = ()

    @property
    def titles(self) -> tuple[str, ...]:
        """The headings above, outermost first, and the line right above where it is a label (`**On Colab**`)."""
        return (*(heading.title for heading in self._headings), *self._label)

    def enter(self, text: Text) -> None:
        """Go past a Markdown cell."""
        last = None
        for last in fences(Embedded(Text.join([text, text[len(text.value) :].as_value(_BELOW)]))):  # noqa: B007  the last is asked
            pass
        if last is None:
            return
        for heading in last.headings:
            while self._headings and self._headings[-1].level >= heading.level:
                self._headings.pop()
            self._headings.append(heading)
        lead = plain(last.lead)
        self._label = (lead,) if is_label(lead, last.lead) else ()

    def leave(self) -> None:
        """Go past a cell of code: a label is for the one below it."""
        self._label = ()


def examples(source: Source, number: int, titles: tuple[str, ...], interests: Interests | None) -> Iterator[Read]:
    """The facts of the examples in a Markdown cell. titles: those above it.

    The cells of a notebook are no Dockerfile together: what a stage runs, runs in its image.
    """
    if "```" not in source.text and "~~~" not in source.text and "<pre" not in source.text:
        return
    images: dict[int | None, Image | None] = {}
    for each in read(source, interests):
        if isinstance(each, Stage):
            images[each.number] = each.image if each.parent is None else images.get(each.parent)
        elif isinstance(each, (Fact, Include)):
            own = each.context
            image = own.image or images.get(own.stage)
            section = (*titles, *own.section)
            context = replace(own, block=own.block + _BLOCKS * number, section=section, stage=None, image=image)
            command = replace(each.command, context=context) if isinstance(each, Include) and each.command else None
            yield replace(each, context=context, command=command) if isinstance(each, Include) else replace(each, context=context)
