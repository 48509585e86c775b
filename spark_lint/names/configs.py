"""Whose configuration is a file, by the keys at its top: Accelerate's, axolotl's, compose's …"""

import re
from functools import cache
from typing import Final

from spark_lint.facts import Entry
from spark_lint.names import machines
from spark_lint.names.tables import table

UNREAD: Final = ""
"""Whose configuration a file is that starts nothing: a schema, a report."""

# Parts of a configuration that are about another program than the rest: the engine that generates for a trainer.
_ENGINES: Final = {"rollout": "vllm", "vllm": "vllm", "vllm_cfg": "vllm", "sglang": "sglang"}
_CONTAINERS: Final = frozenset({"compose", "kubernetes"})
"""Files in which such a part is a container that somebody called so."""
_FLAGS: Final = ("args", "arguments", "flags")
FLAGS: Final = ("_ARGS", "_FLAGS", "_OPTS", "_OPTIONS")
"""How variables end that hold flags: `VLLM_ARGS`, `NIM_PASSTHROUGH_ARGS`."""
_LISTS: Final = frozenset(
    {
        "matrix",
        "sweep",
        "search_space",
        "param_grid",
        "grid",
        "choices",
        "results",
        "benchmarks",
        "metrics",
        "measurements",
        "expected",
        "ci",
    }
)
"""Parts that list what might be set, or was, or what is set where the repository is tested."""
# Files in which a run has written down what it did.
_RECORDS: Final = re.compile(
    r"(?:^|/)(?:results?|outputs?|wandb|mlruns|lightning_logs|fixtures|testdata)/|(?:^|[/_.-])(?:results?|metrics|measurements|trainer_state)\.(?:jsonl?|ya?ml)$",
    re.IGNORECASE,
)


@cache
def owner(beside: frozenset[str]) -> str | None:
    """The tool whose configuration has these keys at its top; UNREAD for one that starts nothing, None where it is not known."""
    rows = table("configs").items()
    return next((tool for tool, row in rows if any(beside.issuperset(keys) for keys in row["keys"])), None)


def tool_of(entry: Entry) -> str | None:
    """The tool that an entry sets something for: the file's owner, or the engine that a part of it is about; as `owner`."""
    parts = entry.name.split(".")[:-1]
    if _RECORDS.search(entry.span.path) or not _LISTS.isdisjoint(parts):
        return UNREAD
    if any(map(machines.names_model, parts)):
        return UNREAD  # a part for another machine: `presets: {h100: …}`
    found = owner(entry.beside)
    engine = next((_ENGINES[part] for part in reversed(parts) if part in _ENGINES), None)
    return engine if engine is not None and found != UNREAD and found not in _CONTAINERS else found


def passes_on(entry: Entry) -> bool:
    """Whether a text is flags for a program that is started elsewhere: `extra_args: --tensor-parallel-size 2`."""
    return entry.key.lower().endswith(_FLAGS) and entry.key != "args" and owner(entry.beside) not in _CONTAINERS
