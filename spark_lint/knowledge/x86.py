"""Downloads that exist for x86-64 and for aarch64: typed access to `x86.toml`."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from spark_lint.knowledge.tables import dated, table
from spark_lint.known import Known


@dataclass(frozen=True, slots=True)
class Download:
    """A download by its address: how it is called for x86-64 and for a Spark.

    asked: `uname -m` gives both names. instead: what to write where no other address is any help.
    known: what stands behind it.
    """

    match: str
    x86: str
    spark: str
    known: Known
    asked: bool = False
    instead: str = ""


@cache
def _downloads() -> tuple[Download, ...]:
    rows = table("x86")["download"]
    return tuple(
        Download(
            row["match"], row["from"], row["to"], dated("x86", "manual", row), row.get("asked", False), row.get("instead", "")
        )
        for row in rows
    )


def download(address: str) -> Download | None:
    """What is known of the download at an address; None where nothing is."""
    place = address.lower().partition("://")[2] or address.lower()
    return next((each for each in _downloads() if fnmatchcase(place, each.match)), None)
