"""What Python code says, and configuration files key by key."""

from dataclasses import dataclass

from spark_lint.facts.fact import Fact, Value
from spark_lint.text import Span


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call: `name` is empty for a positional one. `dotted` is the resolved name where the value is one."""

    name: str
    value: Value
    span: Span
    origin: Span
    written: str
    dotted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Fact):
    """A Python call. `name` is dotted and resolved through the file's imports: `transformers.AutoModel.from_pretrained`.

    A command of CMake is one too, with all its arguments by position: `cmake.find_package`.
    """

    arguments: tuple[Argument, ...] = ()

    def argument(self, name: str, position: int | None = None) -> Argument | None:
        """The argument given by keyword, or at that position (from 0)."""
        positional = [argument for argument in self.arguments if not argument.name]
        by_name = next((argument for argument in self.arguments if argument.name == name), None)
        if by_name or position is None or position >= len(positional):
            return by_name
        return positional[position]


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Fact):
    """A Python import. `name` is the full dotted name: `from a.b import c` is `a.b.c`; `module` is `a.b`.

    top_level: it runs whenever the file is run or imported.
    """

    module: str
    top_level: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Assign(Fact):
    """A value with a name, of Python or CMake. `name` is the target, dotted and resolved through the imports where it is a name.

    kind: `name` (`X = 1`, `a.b.X = 1`), `item` (`d["X"] = 1`, `{"X": 1}`, `dict(X=1)`), `default` (a parameter's default value),
    `parameter` (the same of a method, whose caller knows better), `word` (a word without a name in a list of flags, `["-O3",
    "-arch=sm_90"]`, that is not known to be a command); of CMake, whose lists have `;` between their items, `variable` (`set(X 1)`),
    `added` (what is added to a variable that the file sets nowhere anew) or `property` (`target.CUDA_ARCHITECTURES`).
    dotted: the resolved name where the value is one (`torch.bfloat16`).
    """

    value: Value
    kind: str = "name"
    dotted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Fact):
    """One key of a configuration file (YAML, JSON, TOML) with its value. `name` is the path of its keys as written: `trainer.nnodes`.

    A list is given item by item, each under the path of its list. beside: the keys at the top of the same document, which tell whose
    configuration it is.
    """

    value: Value
    beside: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """The last key of the path; of a key with dots of its own (`nvidia.com/gpu`) what follows the last of them."""
        return self.name.rpartition(".")[2]
