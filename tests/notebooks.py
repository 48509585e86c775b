"""Notebooks in memory, as Jupyter saves them."""

import json
from typing import Any, TypeAlias

Cell: TypeAlias = str | tuple[str, str]
"""The text of a code cell, or a kind (`markdown`) with the text."""


def saved(*cells: Cell, indent: int | None = 1, joined: bool = False, **metadata: Any) -> str:
    """The file of a notebook with these cells. joined: the text of each cell is one JSON string, not a list of lines."""
    found = []
    for each in cells:
        kind, text = ("code", each) if isinstance(each, str) else each
        cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": text if joined else text.splitlines(keepends=True)}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        found.append(cell)
    whole = {"cells": found, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=indent, ensure_ascii=False) + "\n"
