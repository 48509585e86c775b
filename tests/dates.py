"""What is printed, whatever the month of the knowledge: a refresh of the tables moves it, and changes nothing else."""

import re


def undated(printed: str) -> str:
    """A text in which each `as of 2026-11` says `as of a month`."""
    return re.sub(r"\bas of 20\d\d-\d\d\b", "as of a month", printed)
