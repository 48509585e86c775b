"""The dated tables in `rules/knowledge`, as parsed: each read once, when something first asks for it."""

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any, Final, TypeAlias

from spark_lint.load import rules_folder

Table: TypeAlias = Mapping[str, Any]

NAMES: Final = ("wheels", "images", "gpu", "models", "notes", "x86", "pairs")


@cache
def table(name: str) -> Table:
    """One table by its file name without `.toml`."""
    import tomli  # 80 ms that a run without findings does not need

    return tomli.loads((rules_folder() / "knowledge" / f"{name}.toml").read_text("utf-8"))


@cache
def as_of() -> str:
    """The date of the newest table: `2026-11-30`."""
    newest: date = max(table(name)["as_of"] for name in NAMES)
    return newest.isoformat()


def month() -> str:
    """The month of the newest table, as messages give it: `2026-11`."""
    return as_of()[:7]
