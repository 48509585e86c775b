"""Locks: the reader of a format by the name of the file."""

from collections.abc import Iterator
from importlib import import_module
from typing import Final

from spark_lint.facts import Read
from spark_lint.text import Source

_FORMATS: Final = {
    "uv.lock": "lock_uv",
    "poetry.lock": "lock_poetry",
    "pdm.lock": "lock_pdm",
    "pipfile.lock": "lock_pipenv",
    "pixi.lock": "lock_pixi",
}
# pylock.toml and pylock.NAME.toml: https://packaging.python.org/en/latest/specifications/pylock-toml/
_PYLOCK: Final = "lock_pylock"


def read(source: Source) -> Iterator[Read]:
    """The facts of a lock: the `Lock` first, then what it holds."""
    name = source.path.rpartition("/")[2].lower()
    module = import_module(f"spark_lint.read.{_FORMATS.get(name, _PYLOCK)}")
    reads: Iterator[Read] = module.read(source)
    return reads
