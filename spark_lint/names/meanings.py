"""What a flag, keyword, key or variable means: the spellings of many tools, looked up in settings.toml."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, Final

from spark_lint.facts import Value
from spark_lint.names import devices
from spark_lint.names.tables import fold, table
from spark_lint.names.tools import programs

SHARED: Final = ""
"""The tool of a spelling that belongs to no tool alone."""

_OPTION: Final = "--"
"""The tool of a spelling that is shared by the command lines of tools, and is no keyword or key."""

PYTHON_TOOLS: Final = {"vllm": "vllm", "sglang": "sglang", "tensorrt_llm": "trtllm", "lmdeploy": "lmdeploy", "trl": "trl", "transformers": "transformers",
                "unsloth": "unsloth", "accelerate": "accelerate", "deepspeed": "deepspeed", "peft": "peft", "lightning": "lightning",
                "pytorch_lightning": "lightning", "torch": "torch", "diffusers": "diffusers", "megatron": "megatron", "nemo": "nemo",
                "nemo_run.LocalExecutor": "nemo-run",  # what other executors start as tasks says nothing of GPUs, gpus_per_node does
                "ray": "ray"}  # fmt: skip
"""The tool whose spelling a call uses, by its whole name or by the package, the first part of that."""

_LONGEST: Final = 200
_PARTS: Final = 4
"""Parts of a dotted name that a spelling may have."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a spelling means: the setting, and the value it stands for if it is a switch.

    values: other spellings of its values. nothing: values that set nothing.
    """

    setting: str
    switch: str = ""
    spelling: str = ""
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    nothing: frozenset[str] = frozenset()

    def read(self, value: Value) -> tuple[str, Value] | None:
        """The setting and the value that a written value stands for; None where it sets nothing."""
        if self.switch:
            return (self.setting, self.switch) if _is_on(value) else None
        if value is None or str(value).strip().lower() in (*self.nothing, "none", "null", "~"):
            return None
        if isinstance(value, str):
            value = self.values.get(value.lower(), value)
        return devices.read(self.setting, self.spelling, value)


MODEL: Final = Meaning("model")
"""What is given without a name where only the model can be: `vllm serve m`, `LLM("m")`."""


@cache
def positions() -> dict[str, list[tuple[tuple[str, ...], int]]]:
    """By program: the subcommands, and the place of the argument behind them that is the model."""
    found: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for words, at in table("settings")["model"]["arguments"].items():
        program, *subcommands = words.split()
        found.setdefault(program, []).append((tuple(subcommands), at))
    return found


def _is_on(value: Value) -> bool:
    return value is True or str(value).strip().lower() in ("true", "1", "yes", "on")


@cache
def _spellings() -> dict[tuple[str, str], Meaning]:
    """(tool, folded spelling) -> meaning."""
    found: dict[tuple[str, str], Meaning] = {}
    for setting, row in table("settings").items():
        for tool, words in ((SHARED, row.get("words", ())), (_OPTION, row.get("options", ())), *row.get("tools", {}).items()):
            found |= {(tool, folded): _meaning(setting, row, folded) for folded in map(_folded, words)}
        for tool, switches in ((SHARED, row.get("switches", {})), *row.get("tool_switches", {}).items()):
            found |= {(tool, _folded(word)): Meaning(setting, value) for word, value in switches.items()}
    return found


def _meaning(setting: str, row: Mapping[str, Any], spelling: str) -> Meaning:
    return Meaning(setting, "", spelling, row.get("values", {}), frozenset(map(str.lower, row.get("nothing", ()))))


def _folded(spelling: str) -> str:
    return fold(spelling).strip("-")


@cache
def variables() -> dict[str, Meaning]:
    """What environment variables mean, by their names."""
    rows = table("settings").items()
    return {name: _meaning(setting, row, name) for setting, row in rows for name in row.get("environment", ())}


def spellings(setting: str) -> Iterator[tuple[str, ...]]:
    """Every spelling of a setting: what a file must hold for the setting to be in it.

    A spelling that only one tool has comes behind the tool's name, since a file that never names `sglang` has no `--tp` of its.
    Keys within keys (`trainer.devices`) are given as a command line writes them; in YAML and JSON they stand apart.
    """
    row = table("settings").get(setting, {})
    for kind in ("words", "options", "switches", "environment"):
        yield from ((spelling,) for spelling in row.get(kind, ()))
    yield from (tuple(sign.split()) for sign in row.get("signs", ()))
    for tool, words in (*row.get("tools", {}).items(), *row.get("tool_switches", {}).items()):
        for name in sorted({tool, *programs(tool), *(package for package, of in PYTHON_TOOLS.items() if of == tool)}):
            yield from ((name, word) for word in words)


@lru_cache(maxsize=4096)
def meaning(spelling: str, tool: str, option: bool = False) -> Meaning | None:
    """What a flag, keyword or key means in a tool, None if the tables do not know it.

    option: it is a flag of a command. Of a dotted name (`--vllm.tensor_parallel_size`, `actor.rollout.tp`) the last parts count.
    """
    if len(spelling) > _LONGEST:
        return None
    parts = spelling.strip("-").split(".")
    for at in range(max(0, len(parts) - _PARTS), len(parts)):
        folded = _folded(".".join(parts[at:]))
        for owner in (tool, SHARED, *([_OPTION] if option else [])):
            if found := _spellings().get((owner, folded)):
                return found
    return None
