"""Shell code made readable for the grammar: what people leave for the reader to fill in, and valid code that it cannot parse."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from spark_lint.text import UNKNOWN, Text

_CARRIAGE_RETURN: Final = re.compile("\r(?=\n)")
# `--model <path to the model>`: to a shell this is a redirection, from a file and to another one.
_PLACEHOLDER: Final = re.compile(
    r"(?<![\w<>&\d])<(?=[^\W\d_])(?:[\w.,:/'-]|[ ](?=[\w(/'-])){0,80}(?<=[\w)'])>(?=[\s\"'/:,;)]|\Z)"
)
# An option list cut off behind its last line.
_OPEN_END: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\\s*\Z")
_NAME: Final = r"\$\{\w+(?:\[\w+\])?"
# Valid, and not known to the grammar (tree-sitter-bash 0.25): `${A:$K+1}`, `${A:-['x','y']}`, `${A:-$(( (a + b) * 2 ))}`.
_SUBSTRING: Final = re.compile(_NAME + r":[ (]*\$?\w[^{}\"'\n]{0,80}\}")
_LIST: Final = re.compile(_NAME + r":?[-=]\[[^]{}\n$]{0,200}\]\}")
# `${(s:,:)x}` of zsh.
_FLAGS: Final = re.compile(r"\$\{\([^)\n]{1,30}\)[^{}\n]{0,80}\}")
_ARITHMETIC: Final = re.compile(_NAME + r":?[-=+]\"?(?=\$\(\()")
_HEREDOC: Final = re.compile(r"<<-?[ \t]*(['\"\\]?)(\w{1,40})\1")
_LONGEST: Final = 300
_OTHER: Final = dict.fromkeys(range(ord("0"), ord("z") + 1), "_")
_MOST: Final = 50
"""Here-documents of which one is looked at more closely, in code that the grammar cannot read."""


def mended(text: Text) -> Text:
    """The code with placeholders as UNKNOWN, without what ends lines on Windows and without a backslash that nothing follows."""
    text = text.without(_CARRIAGE_RETURN)  # a continuation is one in a file from Windows too
    if open_end := _OPEN_END.search(text.value, max(0, len(text.value) - _LONGEST)):
        text = text[: open_end.end(1)]
    if "<" not in text.value:
        return text
    return _masked(text, (match.span() for match in _PLACEHOLDER.finditer(text.value)))


def simplified(text: Text) -> Text:
    """The code with the expansions that the grammar does not know as UNKNOWN, and with markers that it finds."""
    text = _marked(text)
    for pattern in (_SUBSTRING, _LIST, _FLAGS):
        text = _masked(text, (match.span() for match in pattern.finditer(text.value)))
    return _masked(text, _arithmetic(text.value))


def braced(text: Text, variables: Iterable[tuple[int, int]]) -> Text:
    """The code with `${B}` for each of these stretches that say `$B`."""
    parts, at = [], 0
    for start, stop in variables:
        parts += [text[at:start], text[start:stop].as_value(f"${{{text.value[start + 1 : stop]}}}")]
        at = stop
    return Text.join([*parts, text[at:]])


def _marked(text: Text) -> Text:
    """The code with another marker for each here-document that holds a line which only begins like it: `<<KEY`, and in it `KEY=1`."""
    for match in islice(_HEREDOC.finditer(text.value), _MOST):
        word = match[2]
        end = re.compile(rf"(?m)^\t*{word}$").search(text.value, match.end())
        if end and re.compile(rf"(?m)^[ \t]*{word}(?!$)").search(text.value, match.end(), end.start()):
            start, stop = match.span(2)
            marker, last = text[start:stop], text[end.end() - len(word) : end.end()]
            other = word.translate(_OTHER)
            parts = [text[:start], marker.as_value(other), text[stop : end.end() - len(word)], last.as_value(other)]
            text = Text.join([*parts, text[end.end() :]])
    return text


def _masked(text: Text, spans: Iterator[tuple[int, int]]) -> Text:
    parts, at = [], 0
    for start, stop in spans:
        parts += [text[at:start], text[start:stop].as_value(UNKNOWN)]
        at = stop
    return Text.join([*parts, text[at:]]) if parts else text


def _arithmetic(value: str) -> Iterator[tuple[int, int]]:
    """Where the arithmetic in defaults stands."""
    for match in _ARITHMETIC.finditer(value):
        depth = 0
        for at in range(match.end() + 1, min(len(value), match.end() + _LONGEST)):
            depth += (value[at] == "(") - (value[at] == ")")
            if depth == 0:
                yield match.end(), at + 1
                break
