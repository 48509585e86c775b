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
_NAME: Final = r"\$\{\w+(?:\[(?:\w+|[@*])\])?"
# Valid, and not known to the grammar (tree-sitter-bash 0.25): `${A:$K+1}`, `${A:-['x','y']}`, `${A:-$(( (a + b) * 2 ))}`.
_SUBSTRING: Final = re.compile(_NAME + r":[ (]*\$?\w[^{}\"'\n]{0,80}\}")
_LIST: Final = re.compile(_NAME + r":?[-=]\[[^]{}\n$]{0,200}\]\}")
# `${(s:,:)x}` of zsh.
_FLAGS: Final = re.compile(r"\$\{\([^)\n]{1,30}\)[^{}\n]{0,80}\}")
# `${A:+$A; }`, and `${A:-<the default of ${B}>}` in a here-document.
_DEFAULT: Final = re.compile(_NAME + r":?[-=+](?:[^{}\"'\n;<>]|\$\{\w{1,80}\}){0,80}(;)[^{}\"'\n]{0,80}\}")
_BRACKETS: Final = re.compile(_NAME + r":?[-=+](<)[^{}<>\"'\n$]{0,80}\$\{\w{1,80}\}(>)\}")
# `${A:+ (not there: ${A})}`.
_PARENTHESES: Final = re.compile(
    _NAME + r":?[-=+][^{}()\"'\n$]{0,80}(\()[^{}()\"'\n$]{0,80}\$\{\w{1,80}\}[^{}()\"'\n$]{0,80}(\))[^{}()\"'\n$]{0,80}\}"
)
# `*[!$' \t']*)`, `*[!${A}]*)` and `*"/a"*--*)` of `case`, the expression of `[[ $A =~ ^\$\{.+\}$ ]]`.
_BLANKS: Final = re.compile(r"(?<=\[!)\$?'[^'\n]{0,40}'(?=\])")
_CLASS: Final = re.compile(r"(?<=\[!)\$\{\w{1,80}\}(?=\])")
_DASHES: Final = re.compile(r"\*?\"[^\"\n]{0,80}\"\*--[*\w]{0,80}(?=[)|])")
_EXPRESSION: Final = re.compile(r"(?<==~ )[^\s\"'();&|]{0,80}\\[{}][^\s\"';&]{0,80}(?= \]\])")
# `{command}` that a program fills in: to a shell no block but a word.
_FILLED: Final = re.compile(r"(?m)(?:^|(?<=[;&|(]))[ \t]{0,80}(\{[A-Za-z_]\w{0,80}\})(?![<>])")
_BOTH_WAYS: Final = re.compile(r"<>(?=[ \t]?[\w/\"$])")
# `if …; fi done`, `if { …; } then`: what ends a block needs nothing before the next word of its kind.
_JOINED: Final = re.compile(
    r"(?:\A|[;\n])(?:[ \t]|\\\n){0,80}(?:fi|done|esac|\})([ \t])(?=(?:[ \t]|\\\n){0,80}(?:(?:done|fi|then|do|else|elif|esac)\b|\}(?!\S)))"
)
_IN_BASE: Final = re.compile(r"(?<=\d#)\$[A-Za-z_]\w*")
_ARITHMETIC: Final = re.compile(_NAME + r":?[-=+]\"?(?=\$\(\()")
_HEREDOC: Final = re.compile(r"<<-?[ \t]*(['\"\\]?)(\w{1,40})\1")
# What follows a marker on its line and goes on behind the here-document: `a <<EOF || {`, `if a <<EOF; then`.
_GOES_ON: Final = re.compile(
    r"[ \t]*(?:;[ \t]*(then|do)|(?:\|\|?|&&)(?:[^\n<]{0,200}(?:[ \t][{(]|\b(?:do|then)|\||&&))?)[ \t]*\n"
)
_START: Final = re.compile(
    r"(?:\A|(?<!\\)\n)[ \t]*(?!(?:if|elif|while|until|then|do|else|for|case)\b)(?=[\w./\"$!])"
    r"(?:[^\n()]|\\\n|\([^()\n]{0,100}\)){0,300}\Z"
)
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
    """The code with what the grammar does not know as UNKNOWN or in another spelling, and with markers that it finds."""
    text = _closed(_marked(text))
    for pattern in (_SUBSTRING, _LIST, _FLAGS, _DEFAULT, _BRACKETS, _PARENTHESES, _BLANKS, _CLASS, _DASHES, _EXPRESSION, _FILLED):
        groups = range(1, pattern.groups + 1) or (0,)
        text = _masked(text, (match.span(group) for match in pattern.finditer(text.value) for group in groups))
    text = _masked(text, (match.span() for match in _BOTH_WAYS.finditer(text.value)), "<")
    text = _masked(text, (match.span(1) for match in _JOINED.finditer(text.value)), ";")
    text = braced(text, (match.span() for match in _IN_BASE.finditer(text.value)))
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


def _closed(text: Text) -> Text:
    """The code with what goes on behind a here-document there: `{ a <<EOF`, its lines and `} || {` for `a <<EOF || {`."""
    for match in [*islice(_HEREDOC.finditer(text.value), _MOST)][::-1]:  # from the last: the places of the others stay
        rest = _GOES_ON.match(text.value, match.end())
        end = re.compile(rf"(?m)^\t*{match[2]}\n").search(text.value, rest.end() - 1) if rest else None
        if rest is None or end is None:
            continue
        line = rest.end() - 1
        body, behind, moved = text[line : end.end()], text[end.end() :], text[match.end() : line]
        if rest[1]:
            word = text[rest.start(1) : rest.end(1)]
            text = Text.join([text[: match.end()], body, word, word.as_value("\n"), behind])
            continue
        if start := _START.search(text.value, max(0, match.start() - _LONGEST), match.start()):
            at = start.start() + (text.value[start.start()] == "\n")
            here = text[match.start() : match.end()]
            opened = [text[:at], here.as_value("{ "), text[at : match.end()]]
            text = Text.join([*opened, body, here.as_value("} "), moved, here.as_value("\n"), behind])
    return text


def _masked(text: Text, spans: Iterator[tuple[int, int]], value: str = UNKNOWN) -> Text:
    parts, at = [], 0
    for start, stop in spans:
        parts += [text[at:start], text[start:stop].as_value(value)]
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
