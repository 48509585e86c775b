"""Words of a Dockerfile instruction: quotes removed, escapes decoded, ARG and ENV put in, as the builder does before it acts."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from spark_lint.read.expansion import LONGEST, Budget
from spark_lint.text import UNKNOWN, Text

_FLAG: Final = re.compile(r"--([a-zA-Z-]+)=?(\S*)\s*")
_OPTION: Final = re.compile(r"([a-zA-Z-]+)=([^,\s]*)")
_VARIABLE: Final = re.compile(r"\$(?:([A-Za-z_]\w*|[0-9@*#?$!-])|\{(\w+)(:?[-+?])?)")
_STRING: Final = r'"(?:[^"\\\x00-\x1f]|\\.)*"'
_ARRAY: Final = re.compile(rf"\[\s*(?:{_STRING}\s*(?:,\s*{_STRING}\s*)*)?\]")
# Two halves of a character beyond U+FFFF are decoded together.
_JSON_ESCAPE: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")
_DEEPEST: Final = 20


@cache
def _word(escape: str) -> re.Pattern[str]:
    sign = re.escape(escape)
    return re.compile(rf"(?:{sign}(?:.|$)|\"(?:{sign}.|[^\"{sign}])*\"?|'[^']*'?|[^\s\"'{sign}])+", re.DOTALL)


@cache
def _plain(escape: str) -> re.Pattern[str]:
    return re.compile(rf"[^'\"${re.escape(escape)}]+")


def raw_words(text: Text, escape: str) -> list[Text]:
    """The words of a line, separated by blanks outside of quotes, as written."""
    return [text[match.start() : match.end()] for match in _word(escape).finditer(text.value)]


def flags_of(text: Text) -> tuple[dict[str, Text], Text]:
    """The flags (`--from=x`) at the beginning of an instruction, and what follows them."""
    flags: dict[str, Text] = {}
    at = 0
    while match := _FLAG.match(text.value, at):
        flags[match[1].lower()] = text[match.start(2) : match.end(2)]
        at = match.end()
    return flags, text[at:]


def mounts(text: Text) -> Iterator[dict[str, Text]]:
    """The options of each `--mount=type=bind,source=x,target=y` at the beginning of a RUN."""
    at = 0
    while match := _FLAG.match(text.value, at):
        at = match.end()
        if match[1].lower() == "mount":
            options = _OPTION.finditer(text.value, match.start(2), match.end(2))
            yield {option[1].lower(): text[option.start(2) : option.end(2)] for option in options}


class Expander:
    """Gives words their value. variables: what is set. escape: the escape character. budget: shared by the whole file."""

    def __init__(self, variables: Mapping[str, Text], escape: str, budget: Budget) -> None:
        self.variables = variables
        self.escape = escape
        self.budget = budget

    def value(self, text: Text, depth: int = 0) -> Text:
        """The value of a word, or of a whole line that is taken as one."""
        parts: list[Text] = []
        at, quoted, length = 0, False, len(text.value)
        plain = _plain(self.escape)
        while at < length:
            sign = text.value[at]
            if sign == "'" and not quoted:
                end = text.value.find("'", at + 1)
                end = length if end < 0 else end
                parts.append(text[at + 1 : end])
                at = end + 1
            elif sign == '"':
                quoted = not quoted
                at += 1
            elif sign == self.escape and at + 1 < length:
                following = text.value[at + 1]
                kept = quoted and following not in ('"', "$", self.escape)
                parts.append(text[at : at + 2] if kept else text[at : at + 2].as_value(following))
                at += 2
            elif sign == "$" and (match := _VARIABLE.match(text.value, at)):
                end = match.end() if match[1] else closing(text.value, match.end())
                parts.append(self._variable(text, match, end, depth))
                at = end
            else:
                run = plain.match(text.value, at)
                end = run.end() if run else at + 1
                parts.append(text[at:end])
                at = end
        found = parts[0] if len(parts) == 1 else Text.join(parts) if parts else text.as_value("")
        return found if len(found.value) <= LONGEST else text.as_value(UNKNOWN)

    def _variable(self, text: Text, match: re.Match[str], end: int, depth: int) -> Text:
        """`$X`, `${X}`, `${X:-default}`, `${X:+other}`; whatever else a builder may do to a value gives something unknown."""
        site = text[match.start() : end]
        found = self.variables.get(match[1] or match[2])
        known = found is not None and (not found.value or found.value.strip(UNKNOWN) != "")
        operator = match[3] or ""
        if (not match[1] and not operator and text.value[match.end() : end] != "}") or depth > _DEEPEST:
            return site.as_value(UNKNOWN)
        empty = found is not None and not found.value and operator.startswith(":")
        if (operator.endswith("-") and (not known or empty)) or (operator.endswith("+") and known and not empty):
            return self.value(text[match.end() : end - 1], depth + 1)
        if operator.endswith("+"):
            return site.as_value("" if known else UNKNOWN)
        if found is None or not self.budget.allows(found.value):
            return site.as_value(UNKNOWN)
        return site.as_value(found.value, None if found.value == UNKNOWN else found.origin)


def closing(value: str, at: int) -> int:
    """Where the `${` that was opened before `at` ends."""
    depth = 1
    for match in re.compile(r"\$\{|\}").finditer(value, at):
        depth += 1 if match[0] == "${" else -1
        if not depth:
            return match.end()
    return len(value)


def references(text: Text) -> set[str]:
    """The names of the variables that a value uses."""
    return {match[1] or match[2] for match in _VARIABLE.finditer(text.value)}


def json_words(text: Text) -> list[Text] | None:
    """The strings of a JSON array (`["pip", "install"]`), decoded; None where the text is not one: then a shell reads it."""
    if not _ARRAY.fullmatch(text.value.strip()):
        return None
    words = []
    for match in re.finditer(_STRING, text.value):
        try:
            json.loads(match[0])
        except ValueError:
            return None
        words.append(_decoded(text[match.start() + 1 : match.end() - 1], text[match.start() : match.end()]))
    return words


def _decoded(inside: Text, whole: Text) -> Text:
    parts, at = [], 0
    for escape in _JSON_ESCAPE.finditer(inside.value):
        parts.append(inside[at : escape.start()])
        at = escape.end()
        character = json.loads(f'"{escape[0]}"')
        parts.append(inside[escape.start() : at].as_value(UNKNOWN if "\ud800" <= character <= "\udfff" else character))
    if not inside.value:
        return whole.as_value("")
    return Text.join([*parts, inside[at:]]) if parts else inside
