"""Defaults that are given to a command line or a data class by a call: `add_argument("--x", default=1)`, `field(default=1)`."""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from spark_lint.read.python_strings import value_of

_KEYWORD_ONLY = frozenset({"field", "ib", "attrib"})
_POSITIONAL = frozenset({"Option", "Argument", "Field"})


@dataclass(frozen=True, slots=True)
class Default:
    """A default: the expression, and the argument that gives it."""

    value: cst.BaseExpression
    place: cst.Arg


def keyword(call: cst.Call, name: str) -> cst.Arg | None:
    """The argument that a call gives by this keyword."""
    return next((each for each in call.args if each.keyword is not None and each.keyword.value == name), None)


def option(call: cst.Call) -> tuple[str, Default | None] | None:
    """The destination of the option that `add_argument(…)` or `click.option(…)` declares, and its default; None if it is not known."""
    spellings = [value_of(each.value) for each in call.args if each.keyword is None and not each.star]
    named = keyword(call, "dest")
    explicit = [value_of(named.value)] if named else [word for word in spellings if word and not word.startswith("-")]
    long = [word for word in spellings if word and word.startswith("--")]
    destination = next((word for word in (*explicit, *long, *spellings) if word), "").lstrip("-").partition("/")[0]
    if not destination:
        return None
    default = keyword(call, "default")
    return destination.replace("-", "_"), Default(default.value, default) if default else None


def declared(decorators: cst.FunctionDef) -> Iterator[tuple[str, Default]]:
    """The options that click's decorators give a function, by parameter."""
    for decorator in decorators.decorators:
        call = decorator.decorator
        if isinstance(call, cst.Call) and called(call) == "option" and (found := option(call)) and found[1]:
            yield found[0], found[1]


def given_default(call: cst.Call) -> Default | None:
    """The default in `field(default=…)`, `Field(…)`, `typer.Option(…)` and their like; None where there is none."""
    name = called(call)
    if name not in _KEYWORD_ONLY | _POSITIONAL:
        return None
    place = keyword(call, "default")
    if place is None and name in _POSITIONAL and call.args and call.args[0].keyword is None and not call.args[0].star:
        place = call.args[0]
    return None if place is None or isinstance(place.value, cst.Ellipsis) else Default(place.value, place)


def called(call: cst.Call) -> str:
    """The last part of what is called: `add_argument` of `parser.add_argument(…)`."""
    func = call.func
    return func.attr.value if isinstance(func, cst.Attribute) else func.value if isinstance(func, cst.Name) else ""
