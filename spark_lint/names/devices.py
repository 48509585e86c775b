"""How many GPUs, and which: the ways in which Docker, Slurm and DeepSpeed write it in one word."""

import re
from typing import Final

from spark_lint.facts import Value
from spark_lint.text import UNKNOWN

# docker --gpus: '"device=0,1"', device=0, '"device=0,1",capabilities=utility', count=2
_DEVICE: Final = re.compile(r"""device=([^\s"']*)""")
_COUNT: Final = re.compile(r"\bcount=(\d+|-1|all)")
# docker --device nvidia.com/gpu=1
_CDI: Final = re.compile(r"nvidia\.com/gpu=(\w+)$")
# Slurm: --gres=gpu:a100:4(S:0-1),nvme:1, --gres=gpu:3090:4, --gpus-per-node=a100:4
_GRES: Final = re.compile(r"(?:^|,)(?:gres[:/])?gpu(?::(?:[A-Za-z]\w*|\w+(?=:\d)))?(?::(\d+))?")
_TYPED: Final = re.compile(r"\w+:(\d+)$")
# Lightning: devices="0,1" and trainer.devices=[0,1] name GPUs, devices=2 counts them.
_NUMBERS: Final = re.compile(r"\[?\s{0,9}(\d+(?:\s{0,9},\s{0,9}\d+)+|(?<=\[)\d+|(?<=\[ )\d+)\s{0,9},?\s{0,9}\]?")
INDEXES: Final = frozenset({"devices", "trainer-devices", "gpus"})
"""Spellings whose lists name GPUs by their number."""
# AReaL: sglang:d4t2, megatron:d2p2t4, megatron:(attn:d4p2t2c2|ffn:d2p2t4e2), sglang:d4t2+fsdp:d8. The first size counts. Read in
# https://github.com/inclusionAI/AReaL, docs/en/reference/alloc_mode.md, 2026-05.
_ALLOCATES: Final = frozenset(
    {"actor-backend", "critic-backend", "ref-backend", "teacher-backend", "rollout-backend", "allocation-mode"}
)
_ALLOCATED: Final = re.compile(r":\(?(?:attn:)?(?:[dpce]\d{1,6}){0,4}t(\d{1,6})")
_ELASTIC: Final = re.compile(r"(\d+)-\d+$")


def read(setting: str, spelling: str, value: Value) -> tuple[str, Value] | None:
    """The setting and the value that a written value stands for: `'"device=0,1"'` after `--gpus` are visible devices; None for none.

    spelling: how the setting is written, folded.
    """
    if spelling in _ALLOCATES:
        match = _ALLOCATED.search(value) if isinstance(value, str) else None
        return (setting, match[1]) if match else None
    if not isinstance(value, str):
        return setting, value
    if setting == "gpus":
        listed = _NUMBERS.fullmatch(value) if spelling in INDEXES else None
        return ("visible_devices", listed[1]) if listed else _container(value)
    if spelling == "gres":
        match = _GRES.search(value)
        return (setting, match[1] or "1") if match else None
    if spelling == "include":
        return setting, _included(value)
    if setting in ("processes_per_node", "processes") and (match := _TYPED.match(value)):
        return setting, match[1]
    if setting == "visible_devices" and (spelling in ("device", "devices") or "nvidia.com/" in value):
        match = _CDI.match(value)
        return (setting, match[1]) if match and match[1] != "all" else None
    if spelling in ("host", "hosts"):
        hosts = {each.partition(":")[0] for each in value.split(",") if each}
        return None if UNKNOWN in value else (setting, str(len(hosts)))
    if setting == "nodes" and (match := _ELASTIC.match(value)):
        return setting, match[1]  # Slurm's least number of nodes
    return setting, value


def _container(value: str) -> tuple[str, Value] | None:
    text = value.strip("\"' ")
    if match := _DEVICE.search(text):
        found = match[1].partition(",capabilities")[0].strip(",")
        return None if found in ("all", "") else ("visible_devices", found)
    if match := _COUNT.search(text):
        return None if match[1] in ("all", "-1") else ("gpus", match[1])
    if match := _TYPED.match(text):
        return "gpus", match[1]
    return None if text in ("all", "") else ("gpus", text)


def _included(value: str) -> str:
    """The devices of `localhost:0,1`, those of the first machine of `one:0@two:0`; as it is written where it names none."""
    _, colon, devices = value.partition("@")[0].partition(":")
    return devices if colon else value
