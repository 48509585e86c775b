"""TOML files: every key with its value, and what packaging files (pyproject.toml, pixi.toml, uv.toml, Pipfile) install from where."""

import re
from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Context, Distribution, Entry, Include, ParseProblem, Read
from spark_lint.read import template
from spark_lint.read.expansion import TOO_DEEP
from spark_lint.read.flags import flags
from spark_lint.read.toml_scanner import Tree, tree
from spark_lint.read.toml_tree import Array, Node, Pair, Scalar, Table
from spark_lint.text import Source, Span, Text

_ANYWHERE: Final = Context()
_LONGEST_NAME: Final = 400
_LONGEST_WRITTEN: Final = 200
# pyproject_cpu.toml, pyproject-cu130.toml: the one that is copied to its place before it is used.
_PYPROJECT: Final = re.compile(r"(?:.*[-_.])?pyproject(?:[-_.].*)?\.toml")
_PIXI: Final = re.compile(r"(?:.*[-_.])?pixi(?:[-_.].*)?\.toml")
_UV: Final = re.compile(r"(?:.*[-_.])?uv\.toml")
_PIPFILE: Final = "pipfile"


SCRIPT: Final = "/// script"
"""What stands for the name of a file, for the header of a script (PEP 723)."""


def read(source: Source) -> Iterator[Read]:
    """The facts of a TOML file."""
    yield from facts(Text.of(source), name=source.path.rpartition("/")[2].lower())


def facts(text: Text, context: Context = _ANYWHERE, name: str = "") -> Iterator[Read]:
    """What TOML text installs, if its name says that it does, each value as an `Entry`, and a problem where it is not TOML."""
    literal = template.literal(text)
    found = tree(literal)
    installed = sorted(_packaging(found.root, context, name), key=_place)
    yield from (each for each in installed if not isinstance(each, ParseProblem))
    yield from entries(found.root, literal, context)
    # What a template leaves open need not be TOML.
    if literal.value == text.value:
        yield from _faults(text, found)
        yield from (each for each in installed if isinstance(each, ParseProblem))


def _place(read: Read) -> tuple[bool, Span]:
    """In the order of the file, but the project first."""
    return not isinstance(read, Distribution), read.path.span if isinstance(read, Include) else read.span


def _packaging(root: Table, context: Context, name: str) -> Iterator[Read]:
    if _PYPROJECT.fullmatch(name):
        from spark_lint.read.pyproject import pyproject

        yield from pyproject(root, context)
    elif _PIXI.fullmatch(name):
        from spark_lint.read.pixi import pixi

        yield from pixi(root, context)
    elif name == SCRIPT:
        from spark_lint.read.pyproject_script import script

        yield from script(root, context)
    elif _UV.fullmatch(name):
        from spark_lint.read.pyproject_uv import uv
        from spark_lint.read.toml_packages import Place

        yield from uv(root, Place(context))
    elif name == _PIPFILE:
        from spark_lint.read.pipfile import pipfile

        yield from pipfile(root, context)


def _faults(text: Text, found: Tree) -> Iterator[ParseProblem]:
    import tomli

    try:
        tomli.loads(text.value)
    except tomli.TOMLDecodeError as error:
        # It knows a place of all its faults but a few, and names it in the message.
        at = min(max(getattr(error, "pos", 0), 0), max(len(text.value) - 1, 0))
        at -= text.value[max(0, at - 1) : at + 1] == "\r\n"
        if found.open is not None and found.open < at:
            at = found.open  # it looks for the end of a string up to that of the file
        message = getattr(error, "msg", "") or str(error)
        yield ParseProblem(text[at:at].span, f"not valid TOML: {message[:1].lower()}{message[1:]}")
    except (ValueError, RecursionError) as error:
        at = found.deep or 0
        yield ParseProblem(text[at:at].span, TOO_DEEP if isinstance(error, RecursionError) else f"not valid TOML: {error}")
    else:
        if found.deep is not None:
            yield ParseProblem(text[found.deep : found.deep].span, TOO_DEEP)


def entries(root: Table, text: Text, context: Context) -> Iterator[Entry]:
    """Each value of a table under the path of its keys, but for tables that are told in other facts."""
    beside = frozenset(root.pairs)
    waiting: list[tuple[str, Pair | None, Node]] = [("", None, root)]
    while waiting:
        path, pair, node = waiting.pop()
        if isinstance(node, Table):
            below = f"{path}." if path else ""
            if not node.told and len(below) <= _LONGEST_NAME:
                waiting += [(below + key, own, own.value) for key, own in reversed(node.pairs.items())]
        elif isinstance(node, Array):
            scalars = [item if isinstance(item, Scalar) else None for item in node.items]
            yield from flags(path, scalars, context, beside)
            waiting += [(path, None, item) for item in reversed(node.items)]
        else:
            yield _entry(path, text[pair.start : pair.stop] if pair else node.text, node, context, beside)


def _entry(path: str, whole: Text, value: Scalar, context: Context, beside: frozenset[str]) -> Entry:
    written = whole.written if len(whole.value) <= _LONGEST_WRITTEN else value.text.written[:_LONGEST_WRITTEN]
    span = whole.span
    return Entry(
        name=path, value=value.value, span=span, origin=span, written=written, context=context, beside=beside
    )  # fmt: skip
