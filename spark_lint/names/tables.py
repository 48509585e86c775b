"""The tables of this folder: option tables and spellings, as TOML beside the code that uses them."""

from functools import cache
from pathlib import Path
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """The rows of `names/NAME.toml`, in the file's order."""
    import tomli  # 15 ms that a run without commands does not need

    return tomli.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def fold(name: str) -> str:
    """A name as names are compared: lower case, `_` and `.` as `-`."""
    return name.lower().replace("_", "-").replace(".", "-")
