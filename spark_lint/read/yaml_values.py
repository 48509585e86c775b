"""What values use of each other: `${TP:-2}` of compose, `${oc.env:TP,2}` and `${a.b}` of OmegaConf, `$(TP)` of Kubernetes."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from spark_lint.read.dockerfile_words import closing
from spark_lint.read.expansion import LONGEST
from spark_lint.text import UNKNOWN, Text

Lookup: TypeAlias = Callable[[str], Text | None]
"""The value of a name, None where the file does not say it."""

_DEEPEST: Final = 10
_SIGN: Final = re.compile(r"\$\$|\$\{|\$([A-Za-z_]\w*)")
_USE: Final = re.compile(r"(?:(?:oc\.)?env:)?([A-Za-z_][\w.]*)(?:(:?-|,\s*)|$)")
_KUBERNETES: Final = re.compile(r"\$\$\(|\$\(([A-Za-z_][\w.-]*)\)")
_EXPRESSION: Final = re.compile(r"\$\{\{\s*(\w+)\.([\w-]+)\s*\}\}")
_CONTINUED: Final = re.compile(r"\\\r?\n")
_WORD: Final = re.compile(r"""(?:[^\s"'\\]+|\\(?:.|$)|"(?:[^"\\]|\\.)*"?|'[^']*'?)+""", re.DOTALL)
_PART: Final = re.compile(r"""\\(.)|"((?:[^"\\]|\\.)*)"?|'([^']*)'?|([^\s"'\\]+)""", re.DOTALL)
_QUOTED_ESCAPE: Final = re.compile(r'\\([\\"$`\n])')


def nothing(_: str) -> Text | None:
    """The lookup that knows no name."""
    return None


def filled(text: Text, lookup: Lookup = nothing, *, bare: bool = False, depth: int = 0) -> Text:
    """The text with `${NAME}` put in: its value, its default, or UNKNOWN.

    bare: `$NAME` is one too, and `$$` stands for `$`, as in compose.
    """
    if "$" not in text.value or len(text.value) > LONGEST:
        return text
    parts: list[Text] = []
    at = length = 0
    while (match := _SIGN.search(text.value, at)) and length <= LONGEST:
        start, end = match.span()
        parts.append(text[at:start])
        if match[0] == "${":
            end = closing(text.value, end)
            parts.append(_used(text[start:end], lookup, bare, depth))
        elif not bare:
            parts.append(text[start:end])
        elif match[1]:
            parts.append(_put(text[start:end], lookup(match[1])))
        else:
            parts.append(text[start:end].as_value("$"))
        length += len(parts[-1].value)
        at = end
    return text.as_value(UNKNOWN) if length > LONGEST else Text.join([*parts, text[at:]])


def _used(site: Text, lookup: Lookup, bare: bool, depth: int) -> Text:
    """`${NAME}`, `${NAME:-default}`, `${oc.env:NAME,default}`; anything else is unknown."""
    match = _USE.match(site.value, 2, len(site.value) - 1)
    if match is None or depth > _DEEPEST:
        return site.as_value(UNKNOWN)
    found = lookup(match[1])
    if match[2] is None or (found is not None and found.value.strip(UNKNOWN)):
        return _put(site, found)
    default = site[match.end() : -1]
    return filled(default, lookup, bare=bare, depth=depth + 1) if default.value else site.as_value("")


def _put(site: Text, value: Text | None, left: int = LONGEST) -> Text:
    """A value in the place where it is used; unknown where it is longer than what is left of a value's length."""
    return site.as_value(UNKNOWN) if value is None or len(value.value) > left else site.as_value(value.value, value.origin)


def of_container(text: Text, variables: Mapping[str, Text]) -> Text:
    """The text with `$(NAME)` put in, as Kubernetes does it in the words and the environment of a container."""
    if "$(" not in text.value or len(text.value) > LONGEST:
        return text
    parts: list[Text] = []
    at, left = 0, LONGEST
    for match in _KUBERNETES.finditer(text.value):
        site = text[match.start() : match.end()]
        parts += [text[at : match.start()], _put(site, variables.get(match[1]), left) if match[1] else site.as_value("$(")]
        left -= len(parts[-1].value)
        at = match.end()
    return Text.join([*parts, text[at:]])


def of_workflow(text: Text, values: Mapping[tuple[str, str], Text]) -> Text:
    """The text with `${{ env.NAME }}` and `${{ matrix.NAME }}` put in where the workflow says them."""
    if text.known:
        return text
    parts: list[Text] = []
    at, left = 0, LONGEST
    for place in _unknowns(text.value):
        site = text[place : place + 1]
        match = _EXPRESSION.fullmatch(site.written)
        parts += [text[at:place], _put(site, values.get((match[1], match[2])), left) if match else site]
        left -= len(parts[-1].value)
        at = place + 1
    return Text.join([*parts, text[at:]])


def _unknowns(value: str) -> Iterator[int]:
    at = value.find(UNKNOWN)
    while at >= 0:
        yield at
        at = value.find(UNKNOWN, at + 1)


def split(text: Text) -> list[Text]:
    """The words of a command that no shell reads: separated by blanks, quotes and backslashes removed."""
    text = text.without(_CONTINUED)
    words = []
    for match in _WORD.finditer(text.value):
        word = text[match.start() : match.end()]
        if any(sign in word.value for sign in "\"'\\"):
            word = _unquoted(word)
        words.append(word)
    return words


def _unquoted(word: Text) -> Text:
    parts: list[Text] = []
    for match in _PART.finditer(word.value):
        part = word[match.start(match.lastindex or 0) : match.end(match.lastindex or 0)]
        if match.lastindex != 2:
            parts.append(part)
            continue
        at = 0
        for escape in _QUOTED_ESCAPE.finditer(part.value):
            parts += [part[at : escape.start()], part[escape.start(1) : escape.end(1)]]
            at = escape.end()
        parts.append(part[at:])
    parts = [part for part in parts if part.value]
    return Text.join(parts) if parts else word.as_value("")
