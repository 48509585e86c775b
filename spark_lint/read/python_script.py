"""The header of a Python script that says what it needs (PEP 723): TOML in comments, between `# /// script` and `# ///`.

https://packaging.python.org/en/latest/specifications/inline-script-metadata/
"""

import re
from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Code
from spark_lint.kinds import TOML
from spark_lint.text import Source, Text

MARK: Final = b"# /// script"
"""What the bytes of a file with such a header hold."""
_FIRST: Final = re.compile(r"(?m)^# /// script[ \t]*(?=\r?$)")
_LAST: Final = "# ///"


def header(source: Source) -> Text | None:
    """The TOML in a script's header; None where it has none. As the specification says, it ends at the last `# ///` of its comments."""
    found = _FIRST.search(source.text)
    if found is None:
        return None
    first = source.position(found.start())[0]
    lines: list[Text] = []
    last = 0
    for number, line in enumerate(source.lines[first:], first):
        if line != "#" and not line.startswith("# "):
            break
        if line.rstrip() == _LAST:
            last = len(lines)
        start, stop = source.starts[number], source.starts[number + 1] if number + 1 < len(source.starts) else len(source.text)
        lines.append(Text.of(source, min(start + 2, start + len(line)), stop))
    return Text.join(lines[:last]) if last else None


def script(source: Source) -> Iterator[Code]:
    """The header of a script, as code of its own: what it names is one install."""
    text = header(source)
    if text is not None:
        span = text.span
        yield Code(name=TOML, text=text, span=span, origin=span, written=MARK.decode())
