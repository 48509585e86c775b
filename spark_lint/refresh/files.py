"""The two tables about packages as a maintainer has them, looked at before anything is asked: what is wrong is said with the file."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click
import tomli
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from spark_lint.refresh.rows import MEASURED
from spark_lint.refresh.writing import versions_of

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""A name as it is looked up: https://packaging.python.org/en/latest/specifications/name-normalization/"""


def packages_table(path: Path) -> dict[str, Any]:
    """`packages.toml`. Raises ClickException where it cannot be read."""
    return _table(path, _about)


def measured_table(path: Path) -> dict[str, Any]:
    """`wheels.toml`. Raises ClickException where it cannot be read."""
    return _table(path, _row)


def _table(path: Path, wrong: Any) -> dict[str, Any]:
    try:
        table = {"package": {}, **tomli.loads(path.read_text("utf-8"))}
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{path}: {error}") from error
    if not isinstance(table["package"], dict):
        raise click.ClickException(f"{path}: package is no table")
    if wrong is _row and "as_of" not in table:
        raise click.ClickException(f"{path}: as_of is missing")
    for name, row in table["package"].items():
        if not _NAME.fullmatch(name):
            raise click.ClickException(
                f"{path}: package.{name} is not written as it is looked up: small letters, digits and single -"
            )
        for why in wrong(row) if isinstance(row, dict) else ["it is no table"]:
            raise click.ClickException(f"{path}: package.{name}: {why}")
    return table


def _about(row: Mapping[str, Any]) -> Iterator[str]:
    if row.get("cuda", "manual") not in (*MEASURED, "manual"):
        yield f"cuda is {row['cuda']!r}, and not one of {', '.join((*MEASURED, 'manual'))}"


def _row(row: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{key} is missing" for key in ("aarch64", "evidence", "checked", "versions") if key not in row)
    try:
        for version in (*versions_of(row), *row["checked"]):
            Version(version)
        for each in (*row["aarch64"], *row.get("cuda", ())):
            SpecifierSet(each[0])
            str(each[1])
    except (InvalidVersion, InvalidSpecifier, IndexError, KeyError, TypeError, AttributeError) as error:
        yield f"{error}"
    if "versions" in row and not versions_of(row):
        yield "there is no version in it"
