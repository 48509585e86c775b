"""The dated tables in `rules/knowledge`, as parsed: each read once, when something first asks for it."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache
from typing import Any, Final, TypeAlias

from spark_lint.known import Known
from spark_lint.load import rules_folder

Table: TypeAlias = Mapping[str, Any]

NAMES: Final = ("wheels", "packages", "images", "gpu", "models", "notes", "x86", "pairs")

MOVING: Final = {"wheels": "packages", "images": "images", "pairs": "versions that go together"}
"""The tables about what changes from month to month, and what they are about."""
OLDEST: Final = timedelta(days=180)
"""How old these may be."""
_DAY: Final = re.compile(r"^as_of = (\d{4}-\d\d-\d\d)$", re.MULTILINE)
_HEAD: Final = 4000


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


def day_of(name: str) -> date:
    """The day of a table, from its head alone: parsing the large ones costs more than most runs."""
    with (rules_folder() / "knowledge" / f"{name}.toml").open(encoding="utf-8") as file:
        written = _DAY.search(file.read(_HEAD))
    return date.fromisoformat(written[1]) if written else table(name)["as_of"]


@cache
def as_of() -> str:
    """The date of the newest table: `2026-11-30`."""
    return max(map(day_of, NAMES)).isoformat()


def stale(today: date) -> str:
    """A sentence where a table about what moves was last brought up to date more than OLDEST ago; empty where none was."""
    old = {what: day for name, what in MOVING.items() if today - (day := day_of(name)) > OLDEST}
    if not old:
        return ""
    *most, last = old
    what = " and of ".join(filter(None, (", of ".join(most), last)))
    return f"Update spark-lint: what it knows of {what} is of {min(old.values())}, more than {OLDEST.days} days ago."
