r"""Words of a unit's values: quotes and escapes, specifiers, and the variables that systemd itself puts in, without a shell.

https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html#Command%20lines (2026-11)
"""

import re
from collections.abc import Mapping
from typing import Final

from spark_lint.read.expansion import LONGEST, MOST_WORDS, Budget
from spark_lint.text import UNKNOWN, Text

_WORD: Final = re.compile(r"""(?:[^\s"'\\]+|\\(?:.|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)+""", re.DOTALL)
_QUOTED: Final = re.compile(r"""\"((?:[^"\\]|\\.)*)"?|'((?:[^'\\]|\\.)*)'?|((?:[^"'\\]+|\\(?:.|$))+)""", re.DOTALL)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([abfnrtvs\\\"']))"
)  # any other is left as it is
_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "s": " ", "\\": "\\", '"': '"', "'": "'",
}  # fmt: skip
_SPECIFIER: Final = re.compile(r"%([%A-Za-z])")
_VARIABLE: Final = re.compile(r"\$\$|\$\{([A-Za-z_]\w*)\}")
_ALONE: Final = re.compile(r"\$([A-Za-z_]\w*)")


def unquoted(text: Text) -> list[Text]:
    """The words of a value: separated by blanks outside of quotes, without these, escapes decoded."""
    words = []
    for match in _WORD.finditer(text.value):
        word = text[match.start() : match.end()]
        if word.value == "\\;":
            words.append(word.as_value(";"))
        elif any(sign in word.value for sign in "\"'\\"):
            parts = [
                word[part.start(part.lastindex or 0) : part.end(part.lastindex or 0)] for part in _QUOTED.finditer(word.value)
            ]
            decoded = [_decoded(part) for part in parts if part.value]
            words.append(Text.join(decoded) if decoded else word.as_value(""))
        else:
            words.append(word)
    return words


def _decoded(text: Text) -> Text:
    parts, at = [], 0
    for match in _ESCAPE.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(_character(match))]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text


def _character(match: re.Match[str]) -> str:
    if match[5]:
        return _ESCAPES[match[5]]
    number = int(match[4], 8) if match[4] else int(match[1] or match[2] or match[3], 16)
    return chr(number) if 0 < number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else UNKNOWN


def specified(text: Text) -> Text:
    """The text with its specifiers (`%i`, `%h`), which only the machine or the instance knows, as UNKNOWN."""
    parts, at = [], 0
    for match in _SPECIFIER.finditer(text.value):
        parts += [
            text[at : match.start()],
            text[match.start() : match.end()].as_value("%" if match[1] == "%" else UNKNOWN),
        ]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text


def substituted(word: Text, variables: Mapping[str, Text], budget: Budget) -> list[Text]:
    """The words that a word of a command line stands for: `$ARGS` alone is split at blanks, `${NAME}` stays within its word."""
    if alone := _ALONE.fullmatch(word.value):
        found = variables.get(alone[1])
        if found is None or len(found.value) > LONGEST or not budget.allows(found.value):
            return [word.as_value(UNKNOWN)]
        inner = unquoted(found)[:MOST_WORDS]
        return [word.as_value(each.value, each.origin) for each in inner]
    parts, at = [], 0
    for match in _VARIABLE.finditer(word.value):
        site = word[match.start() : match.end()]
        parts += [word[at : match.start()], _put(site, match[1], variables, budget)]
        at = match.end()
    return [Text.join([*parts, word[at:]])] if parts else [word]


def _put(site: Text, name: str | None, variables: Mapping[str, Text], budget: Budget) -> Text:
    if name is None:
        return site.as_value("$")
    found = variables.get(name)
    if found is None or len(found.value) > LONGEST or not budget.allows(found.value):
        return site.as_value(UNKNOWN)
    return site.as_value(found.value, found.origin)
