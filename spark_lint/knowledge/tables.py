"""The dated tables in `rules/knowledge`, as parsed: each read once, when something first asks for it."""

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any, Final, TypeAlias

from spark_lint.known import Known
from spark_lint.load import rules_folder

Table: TypeAlias = Mapping[str, Any]

NAMES: Final = ("wheels", "packages", "images", "gpu", "models", "notes", "x86", "pairs")


@cache
def table(name: str) -> Table:
    """One table by its file name without `.toml`."""
    import tomli  # 80 ms that a run without findings does not need

    return tomli.loads((rules_folder() / "knowledge" / f"{name}.toml").read_text("utf-8"))


def dated(name: str, evidence: str, row: Table | None = None) -> Known:
    """What stands behind a table, or behind a row of it that has a day, a source or an evidence of its own."""
    whole, own = table(name), row or {}
    days = (own.get(key) for key in ("checked", "as_of"))  # `checked` may name versions too
    day: date = next((day for day in days if isinstance(day, date)), whole["as_of"])
    sources = own.get("sources") or [own.get("source") or whole.get("source", "")]
    return Known(day.isoformat(), own.get("evidence", evidence), sources[0])


@cache
def as_of() -> str:
    """The date of the newest table: `2026-11-30`."""
    newest: date = max(table(name)["as_of"] for name in NAMES)
    return newest.isoformat()
