"""What stands around a place in a file: the commands and calls that it is a part of, and the key it is the value of."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from spark_lint.facts import Call, Command, Entry, Fact
from spark_lint.text import Span


@dataclass(frozen=True, slots=True)
class Enclosing:
    """The commands and calls of one file, in order of where they start; `reach` is the furthest end so far. Made by `enclosing()`.

    keys: the dotted name of each key of a configuration file, by where it is written.
    """

    launches: Sequence[tuple[Span, Command | Call]] = ()
    starts: Sequence[tuple[int, int]] = ()
    reach: Sequence[tuple[int, int]] = ()
    keys: Mapping[Span, str] = field(default_factory=dict)

    def around(self, span: Span) -> list[Command | Call]:
        """The commands and calls that a span lies in, outermost first; a variable that is set for a command lies in it."""
        found: dict[int, Command | Call] = {}
        at = bisect_right(self.starts, (span.line, span.column)) - 1
        while at >= 0 and self.reach[at] >= (span.end_line, span.end_column):
            place, launch = self.launches[at]
            if place.covers(span):
                found[id(launch)] = launch
            at -= 1
        return list(reversed(found.values()))


def _words(command: Command) -> Iterator[Span]:
    """The words of a command, two by two, where they stand elsewhere: in a list that has a name."""
    for one, other in pairwise(command.words) if command.exec_form else ():
        if not command.span.covers(one.span) and 0 <= other.span.line - one.span.line <= 1:
            yield replace(one.span, end_line=other.span.end_line, end_column=other.span.end_column)


def enclosing(facts: Iterable[Fact]) -> Enclosing:
    """The index over one file's facts."""
    launches: list[tuple[Span, Command | Call]] = []
    keys = {}
    for fact in facts:
        if isinstance(fact, (Command, Call)):
            launches.append((fact.span, fact))
        if isinstance(fact, Command):
            launches += ((value.span, fact) for _, value in fact.environment)
            launches += ((span, fact) for span in _words(fact))
        if isinstance(fact, Entry):
            keys[fact.span] = fact.name
    launches.sort(key=lambda each: (each[0].line, each[0].column))
    ends = [(span.end_line, span.end_column) for span, _ in launches]
    return Enclosing(launches, [(span.line, span.column) for span, _ in launches], list(accumulate(ends, max)), keys)
