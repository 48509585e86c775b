import re
from collections.abc import Iterator

from spark_lint.facts import Setting
from spark_lint.names.machines import counted
from spark_lint.project import Project
from spark_lint.rule import ERROR, WARNING, Advice, rule

# Indexes; an empty list and -1 hide the GPU on purpose, UUIDs name one that is there.
INDEXES = re.compile(r"[0-9]{1,4}(?:\s*,\s*[0-9]{1,4})*")
# What reads the list up to the first GPU that does not exist; containers and DeepSpeed refuse it.
LENIENT = frozenset({"CUDA_VISIBLE_DEVICES", "accelerate"})


@rule(on=Setting, named=("visible_devices", "device"), severity=ERROR)
def cuda_visible_devices_nonzero(setting: Setting, project: Project) -> Iterator[Advice]:
    if not INDEXES.fullmatch(str(setting.value)) or counted(setting.context.conditions):
        return
    devices = [int(each) for each in str(setting.value).split(",")]
    missing = next((each for each in devices if each), 0)
    if not missing:
        return
    key = "" if any(map(str.isalpha, setting.written)) else project.path(setting).rpartition(".")[2] + ": "
    written, reads_on = key + setting.written, setting.tool in LENIENT
    if reads_on and devices[0] == 0:
        message = f"of the GPUs in {written} a Spark has only number 0: one is seen where {len(devices)} are meant"
    elif reads_on:
        message = f"{written} hides the only GPU of a Spark, which is number 0"
    else:
        end = "invalid device ordinal" if setting.name == "device" else "it does not start"
        message = f"{written} names GPU {missing}, and a Spark has only number 0: {end}"
    yield Advice(message, setting.spelled("0"), WARNING if reads_on and devices[0] == 0 else ERROR)
