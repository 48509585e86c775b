"""setup_cfg files."""

from collections.abc import Iterator

from spark_lint.facts import Read
from spark_lint.text import Source


def read(source: Source) -> Iterator[Read]:
    """What the file says."""
    yield from ()
