"""What the calls in a setup.py give, as far as requirements go: functions of the file, methods of lists, files that are read."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import libcst as cst

from spark_lint.read.python_places import children
from spark_lint.read.python_strings import split
from spark_lint.read.setup_values import Frame, Function, Several, Table, Value, Wanted, is_empty
from spark_lint.read.setup_variables import CHANGES
from spark_lint.text import UNKNOWN, Text

if TYPE_CHECKING:
    from spark_lint.read.setup_expressions import Expressions

_KEEPS: Final = frozenset(
    {"read", "read_text", "read_bytes", "readlines", "readline", "open", "strip", "rstrip", "lstrip", "decode", "copy", "resolve", "absolute",
     "expanduser", "replace", "lower", "as_posix", "union", "partition", "rpartition"}
)  # fmt: skip
"""Methods that give what they are called on: a file's path stands for the file, and that for its lines."""
_KEEPS_LITERALS: Final = _KEEPS - {"replace", "lower", "partition", "rpartition"}
_LISTS: Final = frozenset(
    {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "str", "dict.fromkeys", "copy.copy", "copy.deepcopy", "sum", "next",
     "itertools.chain", "itertools.chain.from_iterable", "map", "filter", "pkg_resources.parse_requirements", "pkg_resources.yield_lines"}
)  # fmt: skip
"""Functions that give what they are given."""
_SECOND: Final = frozenset({"map", "filter"})
_OPENS: Final = frozenset({"open", "io.open", "codecs.open"})
_PATHS: Final = frozenset(
    {"pathlib.Path", "pathlib.PurePath", "os.path.join", "os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath"}
)  # fmt: skip
_DICTIONARIES: Final = frozenset({"collections.defaultdict", "collections.OrderedDict", "dict"})
_READ: Final = frozenset({"read", "read_text", "read_bytes", "readline", "open"})
_EXISTS: Final = frozenset({"exists", "isfile", "is_file"})
# read_requirements("requirements.txt"), parse_reqs, get_install_requires, load_deps
_READS: Final = re.compile(r"req(?:uire|s\b|_|$)|(?:^|_)deps?(?:_|$)|dependenc", re.IGNORECASE)
_FILE: Final = re.compile(r"[\w./-]*(?:\.(?:txt|in|pip)|requirements?[\w-]*)")


class Calls:
    """Works out the calls of one file. at: what works out everything else."""

    def __init__(self, at: "Expressions") -> None:
        self.at = at
        self.run = at.run

    def value(self, node: cst.Call, frame: Frame, depth: int) -> Value:
        """What a call gives."""
        path = self.at.path(node.func, frame)
        positional = [each for each in node.args if each.keyword is None]
        if self.run.is_setup(node, path, frame):
            self.run.record(node, frame)
            return None
        if (
            isinstance(node.func, cst.Name)
            and (found := self.at.found(node.func.value, frame))
            and isinstance(found[1], Function)
        ):
            result = self.run.invoke(found[1], node, frame)
            return (is_empty(result) and self._read_by(node, found[1].node, frame)) or result
        if path in _OPENS and positional:
            return self.file(self.at.value(positional[0].value, frame, depth + 1))
        if path in _PATHS and positional:
            return self.of_path(positional, frame, depth)
        if path in _DICTIONARIES:
            return self.run.given(node, frame)
        if path in _LISTS:
            given = [self.at.value(each.value, frame, depth + 1) for each in positional[path in _SECOND :]]
            tables = (each.values if isinstance(each, Table) and path != "list" else each for each in given)
            known = [each for each in tables if isinstance(each, Several)]
            # str(path) is a path still
            return known[0] if path == "str" and known else self.at.combine(known) if known else None
        method = self._method(node, node.func, positional, frame, depth) if isinstance(node.func, cst.Attribute) else None
        return method or self.at.text(node, frame) or self._read_by(node, None, frame)

    def _method(self, node: cst.Call, func: cst.Attribute, positional: list[cst.Arg], frame: Frame, depth: int) -> Value:
        """A method of a text, a list, a dictionary or a file."""
        name = func.attr.value
        if name in CHANGES:
            self.at.variables.change(func, name, positional, frame)
            if name == "update" and len(positional) < len(node.args):
                self.at.variables.changed(func.value, self.run.given(node, frame), frame)
            return None
        base = self.at.value(func.value, frame, depth + 1)
        first = positional[0].value if positional else None
        if isinstance(base, Table):
            if name == "values":
                return base.values
            if (
                name in ("get", "pop", "setdefault")
                and first is not None
                and (key := self.at.text_key(first, frame, depth)) is not None
            ):
                return base.get(key.value)
            return base if name == "copy" else None
        if name == "join" and first is not None:
            joined = self.at.value(first, frame, depth + 1)
            return joined if isinstance(joined, Several) else None
        if name == "joinpath":
            return self.of_path([cst.Arg(func.value), *positional], frame, depth)
        if not isinstance(base, Several):
            return None
        if name in _READ:
            return self.file(base)
        if name == "readlines" or (name in ("split", "splitlines") and base.of_files):
            found = self.file(base)
            return None if found is None else Several(found.items)
        if name in ("split", "splitlines"):
            lines = name == "splitlines" or bool(positional)
            return self.at.combine(Several(tuple(_parts(each, lines))) for each in base.each())
        keeps = name in (_KEEPS if base.of_files else _KEEPS_LITERALS)
        return base if keeps else None

    def _read_by(self, node: cst.Call, function: cst.FunctionDef | None, frame: Frame) -> Several | None:
        """`read_requirements("requirements.txt")`: by its name, a function that gives the lines of the file it is told, or holds."""
        name = node.func.attr.value if isinstance(node.func, cst.Attribute) else getattr(node.func, "value", "")
        if not isinstance(name, str) or not _READS.search(name):
            return None
        given = [self.at.value(each.value, frame) for each in node.args]
        named = [item for each in given if isinstance(each, Several) for item in each.items if _FILE.fullmatch(item.text.value)]
        if not named and function is not None:
            named = [Wanted(text) for text in self._literals(function, frame) if _FILE.fullmatch(text.value)]
        return self.file(Several(tuple(named)))

    def _literals(self, function: cst.FunctionDef, frame: Frame) -> Iterator[Text]:
        waiting: list[cst.CSTNode] = [function.body, function.params]
        while waiting and self.at.spend():
            each = waiting.pop()
            if isinstance(each, cst.SimpleString) and (text := self.at.values.text(each, self.at.names(frame))) is not None:
                yield text
            waiting += children(each)

    def asks_for_file(self, test: cst.BaseExpression, frame: Frame) -> bool:
        """Whether a test asks if a file of requirements is there, which it is: `if os.path.exists("requirements.txt"):`."""
        if isinstance(test, cst.UnaryOperation):
            test = test.expression
        if not isinstance(test, cst.Call) or self.at.path(test.func, frame).rpartition(".")[2] not in _EXISTS:
            return False
        asked = test.args[0].value if test.args else test.func.value if isinstance(test.func, cst.Attribute) else test.func
        found = self.at.several(asked, frame)
        return found is not None and bool(_FILE.fullmatch(found.one))

    # ---- files ------------------------------------------------------------------------------------------------------------

    def of_path(self, given: Sequence[cst.Arg], frame: Frame, depth: int) -> Several | None:
        """The parts of a path; a folder that is not known is that of the file."""
        parts: list[Value] = []
        for each in given:
            value = self.at.value(each.value, frame, depth + 1)
            parts += value.each() if each.star and isinstance(value, Several) else [value]
        last = parts[-1] if parts else None
        if not isinstance(last, Several) or last.of_files or not last.items:
            return None
        before = [each.one if isinstance(each, Several) else "" for each in parts[:-1]]
        if not all(before[1:]):
            return None
        folder = "/".join(each for each in before if each not in ("", "."))
        if not folder:
            return last
        texts = [each.text.as_value(f"{folder}/{each.text.value}") for each in last.items if self.at.values.afford(len(folder))]
        return Several(tuple(map(Wanted, texts)), listed=False)

    def file(self, path: Value) -> Several | None:
        """What stands in the files of these paths."""
        if not isinstance(path, Several):
            return None
        known = []
        for each in path.items:
            # f"{here}/requirements.txt"
            text = each.text[2:] if each.text.value.startswith((f"{UNKNOWN}/", "./")) else each.text
            if not each.file and text.value and UNKNOWN not in text.value:
                known.append(Wanted(text, True, each.conditions))
            elif each.file:
                known.append(each)
        return Several(tuple(known), listed=False) if known else None


def _parts(value: Several, lines: bool) -> Iterator[Wanted]:
    """The lines or the words of a text; what stands in a file is left as it is."""
    for each in value.items:
        if each.file:
            yield each
            continue
        at = 0
        for line in each.text.value.split("\n") if lines else ():
            if line.strip():
                yield Wanted(each.text[at : at + len(line)], False, each.conditions)
            at += len(line) + 1
        if not lines:
            yield from (Wanted(word, False, each.conditions) for word in split(each.text))
