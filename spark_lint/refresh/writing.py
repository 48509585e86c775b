"""The text of `wheels.toml`: the same for the same knowledge, so that a diff shows what changed and nothing else."""

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

_WIDTH: Final = 118

_HEAD: Final = """\
# What a Spark gets from the default package index: Linux, aarch64, glibc 2.39, CPython 3.12.
#
# Written by `python -m spark_lint.knowledge refresh`, from ordinary package clients and by opening wheels; no wheel was run. Never edit it
# by hand: what people know of a package is in packages.toml. Ranges, not releases: a row changes only where a boundary moves.
#
# aarch64: `wheel` (a pure Python one counts), `sdist` (source only: built on the Spark), `none` (nothing to install),
#     `foreign` (a wheel for every machine that carries x86-64 libraries). A third item, `python`: another CPython,
#     of 3.8 to 3.13, finds something for the machine.
# cuda: what its own code, or the torch it brings, is built for: `cpu`, `cu11`, `cu12`, `cu13`. No row: it says nothing, or was not looked at.
# evidence, for `cuda`: `requires-dist` (its metadata), `resolution` (what a client would install), `elf` (its libraries), `name`, `manual`
#     (see packages.toml); `file-list` where only the files were looked at.
# checked: the versions looked at: both sides of each boundary, and the newest. as_of: of a row that is older or newer than the table.
# newest_day: when the newest release was uploaded. versions: the stable releases, oldest first.
schema = 1
as_of = {day}
target = {{ machine = "aarch64", glibc = "2.39", python = "3.12" }}
source = "metadata and files of the default package index, read {day}"
"""
_TRAPS: Final = """\
# What a client installs on a Spark for some requirements, from wheels alone. picked: of those whose version was left open. torch: its version.
# cuda: what that one is built for, or without it the CUDA of the libraries. cu12: the packages for CUDA 12 or older. error: why nothing is.
"""
_KEYS: Final = ("as_of", "aarch64", "cuda", "evidence", "checked", "newest_day", "versions")


def table_text(table: Mapping[str, Any]) -> str:
    """The file for a table: its rows under `package`, in their order, and those under `trap`. The rest of it is always the same."""
    rows = [_package(name, row) for name, row in table["package"].items()]
    traps = [_table(f"trap.{json.dumps(asked, ensure_ascii=False)}", row) for asked, row in table.get("trap", {}).items()]
    if traps:
        traps[0] = _TRAPS + traps[0]
    return "\n".join([_HEAD.format(day=table["as_of"].isoformat()), *rows, *traps])


def versions_of(row: Mapping[str, Any]) -> list[str]:
    """The versions in a row, which the file holds as one text."""
    versions = row["versions"]
    return versions.split() if isinstance(versions, str) else list(versions)


def _package(name: str, row: Mapping[str, Any]) -> str:
    values = {key: row[key] for key in _KEYS if key in row and key != "versions"}
    # As a text, which fills its lines: a list of them is four times as long.
    lines = textwrap.fill(" ".join(versions_of(row)), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return f'{_table(f"package.{name}", values)}versions = """\n{lines}\n"""\n'


def _table(header: str, values: Mapping[str, Any]) -> str:
    return "".join(
        f"{line}\n" for line in (f"[{header}]", *(line for key, value in values.items() for line in _lines(key, value)))
    )


def _lines(key: str, value: Any) -> Iterator[str]:
    whole = f"{key} = {_value(value)}"
    if not isinstance(value, list | tuple) or len(whole) <= _WIDTH:
        yield whole
        return
    yield f"{key} = ["
    yield from _filled(f"{_value(each)}," for each in value)
    yield "]"


def _filled(words: Iterable[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + len(word) >= _WIDTH - 4:
            yield f"    {line}"
            line = ""
        line = f"{line} {word}".lstrip()
    if line:
        yield f"    {line}"


def _value(value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)  # texts, numbers and booleans are written as in JSON
