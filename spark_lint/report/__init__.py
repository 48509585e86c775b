"""Reports: one module a format, each with `write`. A format's module is imported when it is asked for."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final, Protocol, TextIO, cast

from spark_lint.findings import Report

FORMATS: Final = ("text", "concise", "json", "github")
"""The formats, each the name of its module here."""


class Write(Protocol):
    """What every format has."""

    def __call__(
        self,
        report: Report,
        out: TextIO,
        *,
        color: bool = False,
        quiet: bool = False,
        titles: Mapping[str, str] = ...,
        knowledge: str = "",
        stale: str = "",
    ) -> None:
        """Write a report.

        color: for a terminal that shows colours. quiet: findings and problems only. titles: code → title of the rule's page.
        knowledge: the date of the tables, `2026-11-30`. stale: a sentence where some are too old. A format takes what it has a use for.
        """


def writer(name: str) -> Write:
    """The `write` of a format in FORMATS."""
    return cast("Write", import_module(f"spark_lint.report.{name}").write)
