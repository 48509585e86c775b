"""Jupyter notebooks."""

from collections.abc import Iterator

from spark_lint.facts import Read
from spark_lint.read.funnel import Interests
from spark_lint.text import Source


def read(source: Source, interests: Interests | None = None) -> Iterator[Read]:
    """What the notebook says."""
    yield from ()
