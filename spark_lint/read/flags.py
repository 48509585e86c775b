"""Flags in the lists of configuration files, the same in JSON and TOML."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Protocol

from spark_lint.facts import Context, Entry
from spark_lint.text import Text

_LONGEST_WRITTEN: Final = 200


class Scalar(Protocol):
    """One value of a file."""

    @property
    def text(self) -> Text:
        """The value as written."""

    @property
    def string(self) -> Text:
        """The value without quotes and escapes."""

    @property
    def quoted(self) -> bool:
        """Whether it is a string."""


def flags(path: str, items: Sequence[Scalar | None], context: Context, beside: frozenset[str]) -> Iterator[Entry]:
    """A flag and its value that are two items of a list: `["--tensor-parallel-size", "2"]`. None stands for an item that is no scalar."""
    for one, other in pairwise(items):
        if one is None or other is None or not one.quoted:
            continue
        flag, value = one.string.value, other.string.value
        if flag.startswith("--") and "=" not in flag and value and not value.startswith("-"):
            span, written = one.text.span, f"{flag} {value}"[:_LONGEST_WRITTEN]
            yield Entry(name=path, value=written, span=span, origin=span, written=written, context=context, beside=beside)
