"""Flags, keywords, keys and environment variables become settings: one `Setting` for the spellings of many tools."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Argument, Assign, Call, Command, Condition, Entry, EnvVar, Fact, Setting, Value
from spark_lint.names import compilers, configs, cuda_device, devices
from spark_lint.names.meanings import MODEL, PYTHON_TOOLS, SHARED, Meaning, meaning, positions, variables
from spark_lint.names.options import Given, flags, given, shown
from spark_lint.text import UNKNOWN

ENGINES: Final = frozenset(
    {"vllm.LLM", "vllm.entrypoints.llm.LLM", "vllm.AsyncLLMEngine.from_engine_args", "vllm.AsyncEngineArgs", "vllm.EngineArgs",
     "vllm.engine.arg_utils.AsyncEngineArgs", "vllm.engine.arg_utils.EngineArgs", "sglang.Engine", "sglang.Runtime",
     "sglang.srt.entrypoints.engine.Engine", "sglang.srt.server_args.ServerArgs", "tensorrt_llm.LLM", "tensorrt_llm.llmapi.LLM",
     "tensorrt_llm._tensorrt_engine.LLM", "lmdeploy.TurbomindEngineConfig", "lmdeploy.PytorchEngineConfig"}
)  # fmt: skip
"""Calls that start the work themselves, so that their keywords are launched, not read by something else."""


def _setting(fact: Fact, found: Meaning, value: Value, place: Argument | None, tool: str, launched: bool) -> Setting | None:
    """The setting, at the argument's place where there is one. A switch that is off, or unknown, is no setting."""
    read = found.read(value)
    if read is None:
        return None
    at = place or fact
    return Setting(
        name=read[0], value=read[1], tool=tool, launched=launched, span=at.span, origin=at.origin, written=at.written,
        context=fact.context,
    )  # fmt: skip


def of_command(command: Command) -> Iterator[Setting]:
    """The settings among a command's words: `--tensor-parallel-size 2`, `-tp=2`, `trainer.nnodes=2`, `--attn_implementation=sdpa`."""
    if command.name.startswith("-") and command.context.fenced and command.context.image is None:
        return  # a document lists flags; what starts with them, and with which others, it does not say
    for each in given(command):
        found = meaning(each.name, command.name, each.option)
        if found is not None and (setting := _given(command, found, each)):
            yield setting
        elif each.value is not None:
            yield from cuda_device.of_value(command, each.name, each.value.value, _argument(each), launched=True)
    yield from _positional(command)
    yield from compilers.of_command(command)


def _positional(command: Command) -> Iterator[Setting]:
    """The model that a command is given without a flag: `vllm serve m`."""
    arguments = [argument.value for argument in command.arguments]
    for key, at in positions().get(command.words[0].value.rpartition("/")[2], ()):
        if arguments[: len(key)] == list(key) and len(arguments) > at:
            word = command.arguments[at]
            place = Argument("", word.value, word.span, word.origin, shown((word,)))
            if setting := _setting(command, MODEL, word.value, place, command.name, launched=True):
                yield setting
            return


def _given(command: Command, found: Meaning, each: Given) -> Setting | None:
    value, words, place = each.value, each.words, each.place
    if found.switch and value is not None and len(words) > 1 and value.value.lower() not in _SWITCHED:
        value, words, place = None, words[:1], words[0]  # the next word is none of its own
    if value is None and not found.switch:
        return None
    argument = _argument(replace(each, value=value, words=words, place=place))
    return _setting(command, found, argument.value, argument, command.name, launched=True)


def _argument(each: Given) -> Argument:
    value = each.value
    origin = value.origin if value is not None and value.origin != value.span else each.place.span
    return Argument("", True if value is None else value.value, each.place.span, origin, shown(each.words))


_SWITCHED: Final = frozenset({"true", "false", "0", "1", "yes", "no", "on", "off"})
_VARIABLE: Final = re.compile(r"([A-Z][A-Z0-9_]{2,60})=(.*)", re.DOTALL)
_SIZES: Final = frozenset({"processes_per_node", "processes", "gpus", "tensor_parallel_size", "pipeline_parallel_size", "nodes"})
"""Settings for which a class has a default that whoever makes one of it replaces by what there is."""
_LISTED: Final = frozenset({"visible_devices", "gpus"})
"""Settings whose value is a list, or that stand in one."""


_NODES: Final = {
    "partition": "runs-on", "slurm_partition": "runs-on", "nodelist": "runs-on", "instance_type": "runs-on", "machine_type": "runs-on",
    "accelerators": "gpu", "gpus": "gpu", "gpu_type": "gpu",
}  # fmt: skip
"""Keywords of calls that start work on other machines, and how the condition begins that their value is: names/machines.py."""


def _on_nodes(call: Call) -> Call:
    """The call under the conditions that its keywords name: `SlurmExecutor(partition="a100", gpus_per_node=8)`."""
    asked = [(_NODES[each.name], each.value) for each in call.arguments if each.name in _NODES and isinstance(each.value, str)]
    found = tuple(Condition(f"{kind} {value}") for kind, value in asked if UNKNOWN not in value)
    return replace(call, context=replace(call.context, conditions=(*call.context.conditions, *found))) if found else call


def of_call(call: Call) -> Iterator[Setting]:
    """The settings among a call's keywords: `LLM(tensor_parallel_size=2)`."""
    call = _on_nodes(call)
    tool = PYTHON_TOOLS.get(call.name) or PYTHON_TOOLS.get(call.name.partition(".")[0], SHARED)
    if call.name.endswith(".from_pretrained") or (call.name in ENGINES and not call.name.endswith("Config")):
        first = call.arguments[0] if call.arguments else None
        if first is not None and not first.name and isinstance(first.value, str):
            yield from filter(None, [_setting(call, MODEL, first.value, first, tool, call.name in ENGINES)])
    if call.name.endswith(".set_attn_implementation") and (given := call.argument("attn_implementation", 0)) and not given.name:
        found = meaning("attn_implementation", tool)
        yield from filter(None, [found and _setting(call, found, given.value, given, tool, False)])
    yield from cuda_device.of_call(call)
    accelerator = call.argument("accelerator")
    other = accelerator is not None and accelerator.value in ("cpu", "tpu", "mps", "hpu")
    for argument in call.arguments:
        found = meaning(argument.name, tool) if argument.name else None
        if found and found.setting == "gpus" and other:
            continue
        value = argument.value
        if found and found.setting == "gpus" and value == UNKNOWN:
            value = argument.written.partition("=")[2]  # devices=[0, 1]
        if found and (setting := _setting(call, found, value, argument, tool, call.name in ENGINES)):
            yield setting
        elif isinstance(argument.value, str):
            yield from compilers.of_value(call, argument.value, argument)
            yield from cuda_device.of_value(call, argument.name or call.name, argument.value, argument)


def of_assign(assign: Assign) -> Iterator[Setting]:
    """`kwargs["attn_implementation"] = …`, `config._attn_implementation = …`, `def f(attn_implementation="…")`."""
    if isinstance(assign.value, str):
        yield from compilers.of_value(assign, assign.value)
        if assign.kind != "name" or "." in assign.name:
            yield from cuda_device.of_value(assign, assign.name, assign.value)
    if assign.kind == "name" and "." not in assign.name:
        return  # a plain variable is only called like the setting; what uses it says more
    name = assign.name.rpartition(".")[2]
    found = meaning(name, SHARED)
    if assign.kind == "parameter" and found and found.setting in _SIZES:
        return
    if found and (setting := _setting(assign, found, assign.value, None, SHARED, False)):
        # `add_argument("--tensor-parallel-size", default=2)` stands at its default, which does not say of what.
        yield setting if name in setting.written else replace(setting, written=f"{name} {setting.written}")


def of_entry(entry: Entry) -> Iterator[Setting]:
    """A key of a configuration file: `tensor_parallel_size: 2`, `rollout: {tensor_model_parallel_size: 2}`."""
    tool = configs.tool_of(entry)
    if tool == configs.UNREAD:
        return
    found = meaning(entry.name, tool or SHARED)
    variable = _VARIABLE.match(f"{entry.key}={entry.value}" if found is None and entry.key.isupper() else str(entry.value))
    if found is not None:
        item = entry.key not in entry.written
        if item and found.setting == "gpus" and found.spelling in devices.INDEXES:
            found = replace(found, setting="visible_devices")  # devices: [0, 1] names them
        listed = item and found.setting not in _LISTED  # values to be tried
        setting = None if listed else _setting(entry, found, entry.value, None, tool or SHARED, False)
    elif variable is not None and variable[1] in variables():
        # an environment that no reader knows: `env: {NAME: value}`, `- NAME=value`
        setting = _setting(entry, variables()[variable[1]], variable[2], None, variable[1], False)
    elif isinstance(entry.value, str) and configs.passes_on(entry):
        yield from _handed_on(entry, entry.value, tool or SHARED)
        return
    else:
        yield from cuda_device.of_value(entry, entry.name, entry.value)
        return
    yield from [setting] if setting else []


def _handed_on(fact: Fact, text: str, tool: str) -> Iterator[Setting]:
    """The settings among flags that something else is started with."""
    for name, value in flags(text):
        found = meaning(name, tool, option=True)
        if found and (found.switch or value is not True):
            yield from filter(None, [_setting(fact, found, value, None, tool, False)])


def _in_container(variable: EnvVar) -> bool:
    """Whether a variable is given to a container, whose program reads it; a script's own stand in the words of its commands as well."""
    context = variable.context
    return context.image is not None or (context.block > 0 and not context.fenced)


def of_environment(variable: EnvVar) -> Iterator[Setting]:
    """`TORCH_CUDA_ARCH_LIST="8.0"`: what a program finds in its environment, if it looks."""
    found = variables().get(variable.name)
    if found and variable.value != UNKNOWN and (setting := _setting(variable, found, variable.value, None, variable.name, False)):
        yield setting
    elif found is None and variable.name.endswith(configs.FLAGS) and _in_container(variable):
        yield from _handed_on(variable, variable.value, SHARED)
    yield from compilers.of_value(variable, variable.value)
