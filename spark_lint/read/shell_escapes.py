r"""The escapes of `$'…'` strings in shell code: `$'a\tb'`."""

import re
from typing import Final

from spark_lint.text import UNKNOWN, Text

_ESCAPE: Final = re.compile(r"\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}


def decoded(text: Text) -> Text:
    """What stands between the quotes, decoded."""
    parts, at = [], 0
    for escape in _ESCAPE.finditer(text.value):
        parts += [text[at : escape.start()], text[escape.start() : escape.end()].as_value(_character(escape[0][1:]))]
        at = escape.end()
    return Text.join([*parts, text[at:]]) if parts else text


def _character(escape: str) -> str:
    """What an escape stands for, without its backslash."""
    if escape[0] in "xuU" and len(escape) > 1:
        number = int(escape[1:], 16)
    elif escape[0] in "01234567":
        number = int(escape, 8) & 0xFF
    elif escape[0] == "c" and len(escape) > 1:
        number = ord(escape[1]) & 0x1F
    else:
        return _LETTERS.get(escape, escape)
    return chr(number) if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else UNKNOWN
