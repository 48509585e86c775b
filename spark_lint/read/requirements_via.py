"""Who asks for the packages of a compiled requirements file: the `# via` comments of pip-compile and of uv.

github.com/jazzband/pip-tools, piptools/writer.py; docs.astral.sh/uv/reference/cli/#uv-pip-compile--annotation-style.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Package, Read
from spark_lint.text import Text

_VIA: Final = re.compile(r"(?:^|\s)#\s+via\b:?(.*)$")
_MORE: Final = re.compile(r"\s+#\s{2,}(\S.*)$")
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[^\]]*\])?")
_MOST: Final = 100
"""Names in one comment that are read."""


def with_askers(reads: Iterable[Read], text: Text) -> Iterator[Read]:
    """The same, the packages with who asks for them, where all of these are packages of the file: those that people wrote have others."""
    asked = _asked(text.value)
    if not asked:
        yield from reads
        return
    found = list(reads)
    names = {each.name for each in found if isinstance(each, Package)}
    starts = dict(_lines(text, asked))
    for each in found:
        askers = starts.get((each.span.line, each.span.column), ()) if isinstance(each, Package) else ()
        yield replace(each, through=askers) if isinstance(each, Package) and askers and names.issuperset(askers) else each


def _lines(text: Text, asked: dict[int, list[str]]) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    """Where each commented requirement begins in the file, with the names in its comment."""
    for start, names in asked.items():
        span = text[start : start + 1].span
        yield (span.line, span.column), tuple(names)


def _asked(value: str) -> dict[int, list[str]]:
    """The names in the comments, by where the requirement before them begins."""
    found: dict[int, list[str]] = {}
    at, start, within = 0, -1, False
    for line in value.splitlines(keepends=True):
        bare = line.strip()
        comment = _VIA.search(line.rstrip())
        if bare and not bare.startswith(("#", "-")):
            start, within = at + len(line) - len(line.lstrip()), False
        if comment is not None and start >= 0:
            found.setdefault(start, []).extend(_names(comment[1]))
            within = True
        elif within and (more := _MORE.match(line.rstrip())):
            found[start].extend(_names(more[1]))
        elif bare and bare.startswith("#"):
            within = False
        at += len(line)
    return found


def _names(comment: str) -> Iterator[str]:
    """The names in a comment. A file, as in `-r requirements.in`, is none of the packages: it stands as it is."""
    for word in comment.replace(",", " ").split()[:_MOST]:
        yield canonicalize_name(word.partition("[")[0]) if _NAME.fullmatch(word) else word
