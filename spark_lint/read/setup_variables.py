"""What the statements of a setup.py do to its variables: set, added to, taken from, by name and by key."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import libcst as cst

from spark_lint.read.setup_values import Frame, Function, Several, Table, Value
from spark_lint.text import Text

if TYPE_CHECKING:
    from spark_lint.read.setup_expressions import Expressions

_ADDS: Final = frozenset({"append", "extend", "insert", "add", "update"})
_REMOVES: Final = frozenset({"remove", "discard"})
CHANGES: Final = _ADDS | _REMOVES
"""Methods that change what they are called on."""


class Variables:
    """Changes the variables of one file. at: what works out its expressions, and holds the state."""

    def __init__(self, at: "Expressions") -> None:
        self.at = at

    def bind(self, target: cst.BaseExpression, key: Value, value: Value, frame: Frame) -> None:
        """Set the variables of a loop."""
        if isinstance(target, (cst.Tuple, cst.List)):
            pair = (key, value) if key is not None and len(target.elements) == 2 else ()
            for at, each in enumerate(target.elements):
                self.bind(each.value, None, pair[at] if pair else None, frame)
        elif isinstance(target, cst.Name):
            self.at.state[frame, target.value] = value

    def store(self, target: cst.BaseExpression, value: Value, frame: Frame) -> None:
        """Set a variable, or an item of a dictionary."""
        if isinstance(target, cst.Name):
            outer = target.value in self.at.names(frame).outer and self.at.found(target.value, frame)
            self.at.state[outer[0] if outer else frame, target.value] = value
            return
        place = self._place(target, frame)
        if place is not None and place[1] is not None:
            table = place[2] if isinstance(place[2], Table) else Table()
            self.at.spend(len(table.entries))
            self.at.state[place[0]] = table.set(place[1], value)

    def _place(self, node: cst.BaseExpression, frame: Frame) -> tuple[tuple[Frame, str], Text | None, Value] | None:
        """The variable that is changed by changing an expression, the key in it, and what it holds: `extras["gpu"]`."""
        key: Text | None = None
        match node:
            case cst.Subscript(value=cst.Name(value=name)):
                key = self.at.key(node, frame)
                if key is None:
                    return None
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="setdefault")), args=[first, *_]):
                held = self.at.several(first.value, frame)
                if held is None or not held.one:
                    return None
                key = held.items[0].text
            case cst.Name(value=name):
                pass
            case _:
                return None
        found = self.at.found(name, frame)
        return ((found[0] if found else frame), name), key, (found[1] if found else None)

    def change(self, func: cst.Attribute, method: str, positional: Sequence[cst.Arg], frame: Frame) -> None:
        """`requirements.append("torch")`, `extras.update({…})`."""
        if positional:
            self.changed(func.value, self.at.value(positional[-1].value, frame), frame, removes=method in _REMOVES)

    def changed(self, node: cst.BaseExpression, value: Value, frame: Frame, *, removes: bool = False) -> None:
        """`extras["gpu"] += […]`: add to what an expression stands for, or take away from it."""
        place = self._place(node, frame)
        if place is None:
            return
        variable, key, held = place
        inside = held.get(key.value) if isinstance(held, Table) and key is not None else held if key is None else None
        changed: Value = None
        if isinstance(inside, Table) and isinstance(value, Table):
            changed = inside.updated(value)
        elif isinstance(value, Several) and not isinstance(inside, (Table, Function)):
            own = inside if isinstance(inside, Several) else Several()
            gone = {each.text.value for each in value.items} if removes else set()
            kept = Several(tuple(each for each in own.items if each.text.value not in gone or each.file))
            changed = kept if removes else self.at.combine((own, value))
        if changed is None:
            return
        if key is not None:
            changed = (held if isinstance(held, Table) else Table()).set(key, changed)
        self.at.state[variable] = changed
