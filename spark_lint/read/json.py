"""JSON files."""

from collections.abc import Iterator

from spark_lint.facts import Read
from spark_lint.text import Source


def read(source: Source) -> Iterator[Read]:
    """The facts of a JSON file."""
    yield from ()
