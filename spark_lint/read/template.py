"""Files that a template engine (Jinja, Go templates, Helm) fills in first: what they say literally, the rest unknown."""

import re
from typing import Final

from spark_lint.text import UNKNOWN, Text

# `{% if x %}` and `{# … #}` alone on a line say nothing; elsewhere they choose between texts, like `{{ x }}` and `${{ x }}`.
_TAG: Final = re.compile(
    r"(?m)(?P<line>^[ \t]*(?:\{%(?:(?!\{%|%\})[^\n])*%\}[ \t]*|\{#(?:(?!\{#|#\})[^\n])*#\}[ \t]*)+(?=\r?$))"
    r"|\$?\{\{(?:(?!\{\{|\}\})[^\n])*\}\}|\{%(?:(?!\{%|%\})[^\n])*%\}"
)


def literal(text: Text) -> Text:
    """The text with each template value as UNKNOWN and without the lines that hold nothing but template tags."""
    if "}}" not in text.value and "%}" not in text.value and "#}" not in text.value:
        return text
    parts, at = [], 0
    for match in _TAG.finditer(text.value):
        parts.append(text[at : match.start()])
        if match.lastgroup != "line":
            parts.append(text[match.start() : match.end()].as_value(UNKNOWN))
        at = match.end()
    return Text.join([*parts, text[at:]])
