"""setup.py: the project, the packages and the extras that its call of `setup(…)` declares, read without running it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import libcst as cst
from packaging.utils import canonicalize_name

from spark_lint.facts import Context, Distribution, Include, Read
from spark_lint.read.python_scope import Scopes
from spark_lint.read.python_values import Values
from spark_lint.read.requirement import requirement
from spark_lint.read.setup_cfg import of_package
from spark_lint.read.setup_expressions import Test
from spark_lint.read.setup_statements import KEYWORDS, Called, Statements
from spark_lint.read.setup_values import Several, Table, Value, Wanted
from spark_lint.text import UNKNOWN, Span, Text

NAME: Final = "setup.py"
_MOST: Final = 10_000
"""Packages of one file, counted once for each extra; nobody has thousands."""
# A program that sets something else up is called like it, too.
_CALLED: Final = re.compile(r"setuptools|distutils|skbuild|install_requires|extras_require|setup_requires|python_requires")
_ROLES: Final = {"setup_requires": "build", "install_requires": "requirement"}


def facts(module: cst.Module, values: Values, scopes: Scopes, test: Test) -> Iterator[Read]:
    """What a setup.py declares. values, scopes: those of the module; test: how a test is written as a condition."""
    if not _CALLED.search(values.places.source.text):
        return
    calls = Statements(values, scopes, test).through(module)
    declared = [each for each in calls if KEYWORDS & set(each.given.entries) or _name(each)]
    if not declared:
        return
    first = declared[0]
    own = next((name for each in declared if (name := _name(each))), "")
    place = first.given.keys.get("name") or values.places.text(first.node.func)
    yield Distribution(
        name=own, span=place.span, origin=place.span, written=place.written,
        python=next((python for each in declared if (python := _text(each.given.get("python_requires")))), ""),
    )  # fmt: skip
    seen: set[tuple[Span, str, str, str]] = set()
    for each in declared:
        yield from _of_call(each, own, seen)


def _of_call(called: Called, own: str, seen: set[tuple[Span, str, str, str]]) -> Iterator[Read]:
    for keyword, role in _ROLES.items():
        yield from _listed(called.given.get(keyword), Context(), role, called, own, "", seen)
    extras = called.given.get("extras_require")
    for key, value in extras.entries.items() if isinstance(extras, Table) else ():
        # `gpu:python_version<"3.12"` is the extra `gpu` under a marker, `:python_version<"3.12"` what is always there under it.
        extra, _, marker = key.partition(":")
        context = Context(extra=canonicalize_name(extra.strip()) if extra.strip() else "")
        yield from _listed(value, context, "requirement", called, own, marker.strip(), seen)


def _listed(
    value: Value, context: Context, role: str, called: Called, own: str, marker: str, seen: set[tuple[Span, str, str, str]]
) -> Iterator[Read]:
    """The packages of one list, each once, and the files in which they stand."""
    for wanted in value.items if isinstance(value, Several) else ():
        here = replace(context, conditions=wanted.under(called.conditions).conditions)
        for line in [wanted.text] if wanted.file else _lines(wanted):
            place = (line.span, line.value, context.extra, role)
            if place in seen or len(seen) >= _MOST:
                continue
            seen.add(place)
            if wanted.file and role == "requirement":
                yield Include("requirement", line, here)
            elif not wanted.file and (package := requirement(line, context=here, role=role)) is not None:
                yield from of_package(package, line, own, marker)


def _lines(wanted: Wanted) -> Iterator[Text]:
    """The requirements in one string, which may be several lines; what stands behind ` #` is a comment."""
    at = 0
    for line in wanted.text.value.split("\n"):
        said = line.partition(" #")[0]
        if said.strip() and not said.lstrip().startswith("#"):
            start = at + len(said) - len(said.lstrip())
            yield wanted.text[start : at + len(said.rstrip())]
        at += len(line) + 1


def _name(called: Called) -> str:
    name = _text(called.given.get("name"))
    return canonicalize_name(name) if name else ""


def _text(value: Value) -> str:
    """The one text that an argument is; empty for any other."""
    text = value.one if isinstance(value, Several) and not value.listed else ""
    return "" if UNKNOWN in text else text
