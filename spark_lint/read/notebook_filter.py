"""Is a notebook worth reading? Its cells are asked, as the bytes of a Python file are, and not what they printed.

Saved images and the states of widgets are most of a notebook, and hold every short word. Python's own parser takes them away for the
price of a few searches.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from spark_lint.read.funnel import Interests, fold

_ESCAPED: Final = re.compile(rb"\\(?:u00([2-7][0-9a-fA-F])|([\"/]))")
_INTERPRETER: Final = b"executable"
"""`sys.executable` in a command is the program `python`."""
_SHORT: Final = 4
# What writes a file in another language, whose words are not those of Python code.
_WRITES: Final = (b"%%writefile", b"%%file")


_CELLS: Final = b'"cells"'
_ESCAPED_LETTER: Final = re.compile(rb"\\u00(?:[46][1-9a-fA-F]|[57][0-9aA])")
"""What nobody writes but to hide a key: JSON needs no escape for a letter."""


def plain(data: bytes) -> bytes:
    """The bytes of a notebook without the escapes that JSON may have in a name or around it."""
    if b"\\" not in data:
        return data
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]) if found[1] else found[2], data)


@lru_cache(maxsize=1)
def spoken(data: bytes) -> bytes:
    """The bytes of a notebook in which a name may stand that says something: those of its cells, without saved images and widgets.

    All of them where that cannot be told without reading the file character by character: what is broken, or written to mislead.
    """
    if data.count(_CELLS) != 1 or _ESCAPED_LETTER.search(data):
        return plain(data)
    try:
        # A number of thousands of digits is no notebook's, and none of ours.
        found = json.loads(data, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return plain(data)
    found = found if isinstance(found, dict) else {}
    sheets = [found] if "cells" in found else found.get("worksheets")
    cells: list[Any] = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)] if isinstance(sheets, list) else []
    if not cells or not all(isinstance(each, list) for each in cells):
        return plain(data)
    said = "\n".join(chain.from_iterable(map(_lines, chain.from_iterable(cells))))
    return said.encode("utf-8", "replace")


def _lines(cell: Any) -> Iterator[str]:
    """The text of a cell, under whichever name, with its lines put together."""
    for key in ("source", "input") if isinstance(cell, dict) else ():
        text = cell.get(key)
        if isinstance(text, list):
            yield "".join(line for line in text if isinstance(line, str))
        elif isinstance(text, str):
            yield text


def worth_reading(data: bytes, interests: Interests) -> bool:
    """Whether a notebook's cells may hold what some rule looks for; a short word counts where a name begins, since every notebook says `nbformat`."""
    said = spoken(data)
    folded = fold(said)
    seen: dict[bytes, bool] = {}

    def holds(word: bytes) -> bool:
        if word not in seen:
            seen[word] = word in folded and (len(word) >= _SHORT or begins(word))
        return seen[word]

    def begins(word: bytes) -> bool:
        return not word[:1].isalnum() or re.search(rb"(?<![a-z0-9])" + re.escape(word), folded) is not None

    if _INTERPRETER in folded:
        folded += b"\npython"
    return any(word in said for word in _WRITES) or any(all(map(holds, clause)) for clause in interests.clauses)
