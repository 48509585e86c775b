"""JSON files: configurations (DeepSpeed, training arguments, models), and the few that hold commands (development containers, VS Code).

Most JSON is data, and says nothing: a list at the top is not looked into, of a file with thousands of values the first ones are read.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Condition, Context, Entry, ParseProblem, Read
from spark_lint.read import template
from spark_lint.read.flags import flags
from spark_lint.read.funnel import Interests, fold
from spark_lint.read.json_commands import launches
from spark_lint.read.json_devcontainer import devcontainer
from spark_lint.read.json_tree import Array, Node, Object, Scalar, tree
from spark_lint.text import UNKNOWN, Source, Text

_ANYWHERE: Final = Context()
_LONGEST_NAME: Final = 400
_LONGEST_WRITTEN: Final = 200
_SHORT: Final = 4
_DEVCONTAINER: Final = ("devcontainer.json", ".devcontainer.json")
_LAUNCH: Final = "launch.json"
_COMMANDS: Final = frozenset((*_DEVCONTAINER, _LAUNCH))
_ENVIRONMENTS: Final = {
    **dict.fromkeys(_DEVCONTAINER, frozenset({"containerEnv", "remoteEnv", "build.args"})),
    _LAUNCH: frozenset({"configurations.env"}),
}
_MANIFEST: Final = b'"apiversion"'
# One of these lists' items is asked for by its name: https://cmake.org/cmake/help/latest/manual/cmake-presets.7.html, read 2026-11.
_PRESETS: Final = dict.fromkeys(
    ("cmakepresets.json", "cmakeuserpresets.json"), frozenset({"configurePresets", "buildPresets", "testPresets"})
)
# Files of other tools, whose keys are names of packages, words or weights.
_OTHERS: Final = re.compile(
    r"package(?:-lock)?\.json|npm-shrinkwrap\.json|composer\.json|(?:ts|js)config(?:\..*)?\.json|.*\.index\.json|vocab\.json|tokenizer\.json"
    r"|.*\.geojson|.*\.ipynb|.*\.schema\.json|manifest\.json"
)


def read(source: Source) -> Iterator[Read]:
    """The facts of a JSON file."""
    if _OTHERS.fullmatch(posixpath.basename(source.path).lower()):
        return
    yield from facts(Text.of(source))


def facts(text: Text, context: Context = _ANYWHERE) -> Iterator[Read]:
    """The values in JSON text, each as an `Entry`, the commands in it, and a problem where it is not JSON."""
    literal = template.literal(text)
    if _begins(literal.value) == "[":
        return
    found = tree(literal)
    if isinstance(found.root, Object):
        yield from _document(literal, found.root, context)
    # What a template leaves open need not be JSON.
    if found.fault and literal.value == text.value:
        at = min(found.at, len(text.value) - 1)
        yield ParseProblem(text[at:at].span, f"not valid JSON: {found.fault}")


def worth_reading(path: str, data: bytes, interests: Interests) -> bool:
    """Whether a file's bytes may hold what some rule looks for.

    Keys within keys are one name (`parallelism_config: {tp_size: 2}`), so the parts of a spelling count wherever they stand; that a
    spelling belongs to one tool, the file need not say.
    """
    if path.rpartition("/")[2].lower() in _COMMANDS:
        return True
    folded = fold(data)
    if _MANIFEST in folded:
        return True
    seen: dict[bytes, bool] = {}
    for clause in interests.clauses:
        for part in clause[-1].split(b"-"):
            if part not in seen:
                seen[part] = _holds(folded, part)
            if not seen[part]:
                break
        else:
            return True
    return False


def _holds(folded: bytes, word: bytes) -> bool:
    """Whether a word is there; a short one only where a name begins (`tp` is not in `http`)."""
    if word not in folded:
        return False
    return len(word) >= _SHORT or re.search(rb"(?<![a-z0-9])" + re.escape(word), folded) is not None


def _begins(value: str) -> str:
    return value[:1000].lstrip("\ufeff \t\r\n")[:1]


def _document(text: Text, root: Object, context: Context) -> Iterator[Read]:
    name = text.source.path.rpartition("/")[2].lower()
    if name in _DEVCONTAINER:
        yield from devcontainer(root, context)
    elif name == _LAUNCH:
        yield from launches(root, context)
    if root.get("apiVersion") is not None and root.get("kind") is not None:
        # Kubernetes takes its manifests in JSON too, and JSON is YAML.
        from spark_lint.read.yaml import facts as yaml

        yield from (each for each in yaml(text, context) if not isinstance(each, ParseProblem))
        return
    yield from entries(text, root, context)


def entries(text: Text, root: Object, context: Context) -> Iterator[Entry]:
    """Each value of an object under the path of its keys, but for environments that are given as such."""
    file = text.source.path.rpartition("/")[2].lower()
    said, presets = _ENVIRONMENTS.get(file, frozenset()), _PRESETS.get(file, frozenset())
    beside = frozenset(key.string.value for key, _ in root.pairs)
    waiting: list[tuple[str, Scalar | None, Node, Context]] = [
        (key.string.value, key, value, context) for key, value in reversed(root.pairs)
    ]
    while waiting:
        path, key, node, around = waiting.pop()
        if len(path) > _LONGEST_NAME or path in said:
            continue
        if isinstance(node, Scalar):
            yield _entry(path, key, node, around, beside)
        elif isinstance(node, Array):
            scalars = [item if isinstance(item, Scalar) else None for item in node.items]
            yield from flags(path, scalars, around, beside)
            waiting += [(path, None, item, _asked(item, around) if path in presets else around) for item in reversed(node.items)]
        else:
            waiting += [(f"{path}.{own.string.value}", own, value, around) for own, value in reversed(node.pairs)]


def _asked(preset: Node, around: Context) -> Context:
    """What stands around the values of a preset: that it is asked for, as of a target of make."""
    written = preset.get("name") if isinstance(preset, Object) else None
    name = written.string.value if isinstance(written, Scalar) else ""
    if not name or UNKNOWN in name or len(name) > _LONGEST_NAME:
        return around
    return replace(around, conditions=(*around.conditions, Condition(f"target {name}")))


def _entry(path: str, key: Scalar | None, value: Scalar, context: Context, beside: frozenset[str]) -> Entry:
    start = (key or value).text.bounds()[0]
    whole = Text.of(value.text.source, start, value.text.bounds()[1])
    origin = value.text.origin
    written = whole.written if len(whole.value) <= _LONGEST_WRITTEN else value.text.written[:_LONGEST_WRITTEN]
    span = whole.span
    return Entry(
        name=path, value=value.value, span=span, origin=span if origin == value.text.span else origin, written=written, context=context,
        beside=beside,
    )  # fmt: skip
