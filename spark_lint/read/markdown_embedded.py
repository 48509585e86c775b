"""Code of a language whose reader wants a file: a piece of a document as a file of its own."""

from dataclasses import replace

from spark_lint.facts import Context, Fact, Include, Read
from spark_lint.text import Source, Span, Text


class Embedded(Source):
    """A text inside a file as if it were a file: its offsets are its own, the spans it gives are those of the file around it."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.source.path, text.value)
        self._around = text

    def span(self, start: int, stop: int) -> Span:
        """Where the characters from `start` to `stop` are written in the file around it."""
        return self._around.source.span(*self._around.bounds(start, stop))


def merged(own: Context, around: Context, stages: int = 0) -> Context:
    """What a reader of files says about a place, with what is known about the piece of code around it.

    stages: build stages of the document before this piece.
    """
    stage = around.stage if own.stage is None else own.stage + stages
    image = own.image or around.image
    conditions = (*around.conditions, *own.conditions)
    return replace(around, stage=stage, conditions=conditions, workdir=own.workdir or around.workdir, image=image)


def placed(read: Read, around: Context, stages: int = 0) -> Read:
    """What a reader of files yielded, in the piece of code around it."""
    if not isinstance(read, (Fact, Include)):
        return read
    context = merged(read.context, around, stages)
    if isinstance(read, Include):
        command = None if read.command is None else replace(read.command, context=context)
        return replace(read, context=context, command=command)
    return replace(read, context=context)
