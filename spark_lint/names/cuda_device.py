"""`cuda:1`: a GPU by its number, where a program is told what to run on."""

import re
from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Argument, Call, Fact, Setting, Value
from spark_lint.names.tables import fold

# The first GPU is there on every machine.
_DEVICE: Final = re.compile(r"cuda:([1-9]\d{0,3})")
_MOVES: Final = frozenset({"to", "device", "set_device"})


def of_value(fact: Fact, name: str, value: Value, place: Argument | None = None, launched: bool = False) -> Iterator[Setting]:
    """The setting `device` of a value that names a GPU other than the first.

    name: what is set, a flag, keyword or key (`--device`, `map_location`); for an argument without one, the function (`model.to`).
    """
    folded = fold(name.rpartition(".")[2])
    if not isinstance(value, str) or not ("device" in folded or folded == "map-location" or folded in _MOVES):
        return
    if match := _DEVICE.fullmatch(value):
        at = place or fact
        yield Setting(
            name="device",
            value=match[1],
            launched=launched,
            span=at.span,
            origin=at.origin,
            written=at.written,
            context=fact.context,
        )


def of_call(call: Call) -> Iterator[Setting]:
    """The same of `torch.cuda.set_device(1)`."""
    given = call.argument("device", 0) if call.name == "torch.cuda.set_device" else None
    if given is not None and isinstance(given.value, int) and given.value > 0 and not isinstance(given.value, bool):
        value, span, origin = str(given.value), call.span, given.origin
        yield Setting(name="device", value=value, span=span, origin=origin, written=call.written, context=call.context)
