"""setup.cfg: what setuptools takes from it. `setuptools.pypa.io/en/latest/userguide/declarative_config.html`.

The lines are split as Python's configparser does it, which knows no positions; setuptools reads with its RawConfigParser, so that
`%(x)s` stands for nothing. A fault in any section stops the build, so it is said even where the rest can be read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from packaging.utils import canonicalize_name

from spark_lint.facts import Context, Distribution, Include, Package, ParseProblem, Read
from spark_lint.read.requirement import requirement
from spark_lint.text import UNKNOWN, Source, Text

_SECTION: Final = re.compile(r"\[(.+)\]")
_SIGN: Final = re.compile(r"[=:]\s*")
_COMMENTS: Final = ("#", ";")
_FILE: Final = "file:"
_BEHIND: Final = re.compile(r"\s#.*$")
# What fills in the file before setuptools sees it (Jinja), and what a later interpolation would: `%(x)s`, `${section:x}`.
_TEMPLATE: Final = re.compile(r"\{\{|\}\}|\{%|%\}|\{#|#\}")
_INSERTED: Final = re.compile(r"\{\{[^{}]*\}\}|\{%[^{}]*%\}|%\([^()]*\)s|\$\{[^{}]*\}|@[A-Z_]+@")


@dataclass(slots=True)
class Section:
    """One section: where its name stands, and its options; the lines of each value, without the blanks around them."""

    header: Text
    options: dict[str, list[Text]] = field(default_factory=dict)


def read(source: Source) -> Iterator[Read]:
    """The project that a setup.cfg describes, with its packages by extra; nothing where it describes none."""
    found, fault = sections(source)
    metadata, options = found.get("metadata"), found.get("options")
    extras = found.get("options.extras_require")
    names = [each for each in _folded(metadata).get("name", []) if each.value]
    name = names[0] if len(names) == 1 and not names[0].value.startswith((_FILE, "attr:")) else None
    if name is not None or options is not None or extras is not None:
        place = name or next(each for each in (options, extras, metadata) if each is not None).header
        yield from _project(place, _filled(name).value if name else "", _folded(options), extras)
    if fault is not None:
        yield fault


def sections(source: Source) -> tuple[dict[str, Section], ParseProblem | None]:
    """The sections of a file as configparser splits it, and the first thing that it would refuse."""
    found: dict[str, Section] = {}
    section: Section | None = None
    values: list[Text] | None = None
    fault: ParseProblem | None = None
    indent = 0
    for number, line in enumerate(source.lines, 1):
        start = source.starts[number - 1]
        stripped = line.strip()
        if not stripped or stripped.startswith(_COMMENTS):
            continue
        first = start + len(line) - len(line.lstrip())
        text = Text.of(source, first, first + len(stripped))
        if section is not None and values is not None and first - start > indent:
            values.append(text)
            continue
        indent, complaint = first - start, ""
        if header := _SECTION.match(stripped):
            values = None
            if header[1] in found and header[1] != "DEFAULT":
                complaint = f"section [{header[1]}] stands here a second time"
            section = found.setdefault(header[1], Section(text))
        elif section is None:
            complaint = "no [section] stands above this line"
        else:
            sign = _SIGN.search(stripped)
            key = stripped[: sign.start()].rstrip() if sign else ""
            if sign and key and key not in section.options:
                values = section.options[key] = [text[sign.end() :]]
            else:
                complaint = f"`{key}` is set here a second time" if key else "neither a [section] nor `key = value`"
                values = [] if key else values
        if complaint and fault is None and not _TEMPLATE.search(stripped):
            fault = ParseProblem(text.span, f"not valid setup.cfg: {complaint}")
    return found, fault


def _folded(section: Section | None) -> dict[str, list[Text]]:
    """The options of a section by name; setuptools took `install-requires` for `install_requires` until 2025."""
    return {} if section is None else {key.lower().replace("-", "_"): value for key, value in section.options.items()}


def _filled(text: Text) -> Text:
    """A text with what is inserted later as UNKNOWN."""
    parts, at = [], 0
    for match in _INSERTED.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(UNKNOWN)]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text


def _project(place: Text, name: str, options: dict[str, list[Text]], extras: Section | None) -> Iterator[Read]:
    own = canonicalize_name(name) if name and UNKNOWN not in name else ""
    pythons = [_filled(each).value for each in options.get("python_requires", []) if each.value]
    yield Distribution(
        name=own, span=place.span, origin=place.span, written=place.written, python=pythons[0] if len(pythons) == 1 else ""
    )
    yield from _listed(options.get("setup_requires", []), Context(), own, "build")
    yield from _listed(options.get("install_requires", []), Context(), own)
    for key, values in extras.options.items() if extras is not None else ():
        yield from _listed(values, Context(extra=canonicalize_name(key)), own)


def _listed(lines: list[Text], context: Context, own: str, role: str = "requirement") -> Iterator[Read]:
    """The packages of one list, or the files that they stand in: one a line, or on one line with semicolons between them."""
    written = [line for line in lines if line.value]
    if written and written[0].value.startswith(_FILE):
        for path in _paths(written):
            yield Include("requirement", path, context)
        return
    items = _split(written[0], ";") if len(lines) == 1 and written else written
    for item in items:
        comment = _BEHIND.search(item.value)
        package = requirement(_filled(item[: comment.start()] if comment else item), context=context, role=role)
        if package is not None:
            yield from of_package(package, item, own)


def of_package(package: Package, item: Text, own: str, marker: str = "") -> Iterator[Read]:
    """A package that a project asks for, or what an extra of it brings: `gpu` in `all = mine[gpu]`. marker: that of the whole extra."""
    if own and package.name == own and package.extras:
        yield Include("extra", item, package.context, extras=package.extras)
        return
    both = f"({package.marker}) and ({marker})" if package.marker and marker else package.marker or marker
    yield replace(package, marker=both)


def _paths(lines: list[Text]) -> Iterator[Text]:
    """The files of `file: a.txt, b.txt`."""
    rest = [lines[0][len(_FILE) :], *lines[1:]]
    yield from (path for line in rest for path in _split(line, ","))


def _split(text: Text, sign: str) -> Iterator[Text]:
    """The parts of a text between signs, without blanks around them."""
    at = 0
    for part in text.value.split(sign):
        start = at + len(part) - len(part.lstrip())
        if part.strip():
            yield text[start : start + len(part.strip())]
        at += len(part) + len(sign)
