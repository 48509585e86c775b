"""Spellings of settings: flags, keywords, keys and environment variables of many tools become one `Setting`."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from spark_lint.facts import Argument, Assign, Call, Command, Entry, EnvVar, Fact, Setting, Value
from spark_lint.names.tables import fold, table
from spark_lint.text import UNKNOWN, Text

SHARED = ""
"""The tool of a spelling that belongs to no tool alone."""

PYTHON_TOOLS = {"vllm": "vllm", "sglang": "sglang", "tensorrt_llm": "trtllm", "lmdeploy": "lmdeploy", "trl": "trl", "transformers": "transformers",
                "unsloth": "unsloth", "accelerate": "accelerate", "deepspeed": "deepspeed", "peft": "peft", "lightning": "lightning",
                "pytorch_lightning": "lightning", "torch": "torch", "diffusers": "diffusers", "megatron": "megatron", "nemo": "nemo"}  # fmt: skip
"""The tool whose spelling a call of this package uses, by the first part of the call's name."""

ENGINES = frozenset(
    {"vllm.LLM", "vllm.AsyncLLMEngine.from_engine_args", "vllm.AsyncEngineArgs", "vllm.EngineArgs", "vllm.engine.arg_utils.AsyncEngineArgs",
     "vllm.engine.arg_utils.EngineArgs", "sglang.Engine", "sglang.Runtime", "tensorrt_llm.LLM", "tensorrt_llm._tensorrt_engine.LLM"}
)  # fmt: skip
"""Calls that start the work themselves, so that their keywords are launched, not read by something else."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a spelling means: the setting, and the value it stands for if it is a switch."""

    setting: str
    switch: str = ""


@cache
def _spellings() -> dict[tuple[str, str], Meaning]:
    """(tool, folded spelling) -> meaning."""
    found: dict[tuple[str, str], Meaning] = {}
    for setting, row in table("settings").items():
        for word in row.get("words", ()):
            found[SHARED, fold(word).strip("-")] = Meaning(setting)
        for word, value in row.get("switches", {}).items():
            found[SHARED, fold(word)] = Meaning(setting, value)
        for tool, words in row.get("tools", {}).items():
            found |= {(tool, fold(word)): Meaning(setting) for word in words}
    return found


@cache
def _environment() -> dict[str, str]:
    return {name: setting for setting, row in table("settings").items() for name in row.get("environment", ())}


def spellings(setting: str) -> Iterator[tuple[str, ...]]:
    """Every spelling of a setting: what a file must hold for the setting to be in it.

    A spelling that only one tool has comes behind the tool's name, since a file that never names `sglang` has no `--tp` of its.
    """
    row = table("settings").get(setting, {})
    for spelling in (*row.get("words", ()), *row.get("switches", {}), *row.get("environment", ())):
        yield (spelling,)
    for tool, words in row.get("tools", {}).items():
        for name in sorted({tool, *(package for package, of in PYTHON_TOOLS.items() if of == tool)}):
            yield from ((name, word) for word in words)


def meaning(spelling: str, tool: str) -> Meaning | None:
    """What a flag, keyword or key means in a tool, None if the tables do not know it."""
    folded = fold(spelling).strip("-")
    if found := _spellings().get((tool, folded)) or _spellings().get((SHARED, folded)):
        return found
    last = fold(spelling.rpartition(".")[2]).strip("-")  # --vllm.tensor_parallel_size, rollout.tensor_model_parallel_size
    return _spellings().get((SHARED, last)) if last != folded else None


def _setting(fact: Fact, found: Meaning, value: Value, place: Argument | None, tool: str, launched: bool) -> Setting | None:
    """The setting, at the argument's place where there is one. A switch that is off, or unknown, is no setting."""
    if found.switch:
        if value is not True and str(value).lower() not in ("true", "1", "yes", "on"):
            return None
        value = found.switch
    elif isinstance(value, str):
        value = table("settings")[found.setting].get("values", {}).get(value.lower(), value)
    at = place or fact
    return Setting(
        name=found.setting,
        value=value,
        tool=tool,
        launched=launched,
        span=at.span,
        origin=at.origin,
        written=at.written,
        context=fact.context,
    )


def of_command(command: Command) -> Iterator[Setting]:
    """The settings among a command's words: `--tensor-parallel-size 2`, `-tp=2`, `--attn_implementation=sdpa`."""
    words = command.words
    for at, word in enumerate(words):
        name, equals, _ = word.value.partition("=")
        # Hydra: `trainer.nnodes=2`, `++model.attn_implementation=sdpa`
        named = name.startswith("-") or (bool(equals) and "." in name)
        if not named or not (found := meaning(name.lstrip("+"), command.name)):
            continue
        value: Text | None = word[len(name) + 1 :] if equals else None
        following = words[at + 1] if at + 1 < len(words) else None
        whole = word
        if value is None and following is not None and (not following.value.startswith("-") or following.value[1:2].isdigit()):
            value = following
            whole = Text.join([word, following]) if word.source is following.source else word
        if value is None and not found.switch:
            continue
        given: Value = True if value is None else value.value
        origin = value.origin if value is not None and value.origin != value.span else whole.span
        used = (word, following) if following is not None and value is following else (word,)
        # `${ENGINE_ARGS[@]}` holds the option itself: what it stands for says more. `-tp="2"` ends before its second quote.
        by_value = word.origin != word.span or any(word.written.count(quote) % 2 for quote in "\"'")
        written = " ".join(each.value if by_value else each.written for each in used)
        place = Argument("", given, whole.span, origin, written)
        if setting := _setting(command, found, given, place, command.name, launched=True):
            yield setting


def of_call(call: Call) -> Iterator[Setting]:
    """The settings among a call's keywords: `LLM(tensor_parallel_size=2)`."""
    tool = PYTHON_TOOLS.get(call.name.partition(".")[0], "")
    for argument in call.arguments:
        found = meaning(argument.name, tool) if argument.name else None
        if found and (setting := _setting(call, found, argument.value, argument, tool, call.name in ENGINES)):
            yield setting


def of_assign(assign: Assign) -> Iterator[Setting]:
    """`kwargs["attn_implementation"] = …`, `config._attn_implementation = …`, `def f(attn_implementation="…")`."""
    if assign.kind == "name" and "." not in assign.name:
        return  # a plain variable is only called like the setting; what uses it says more
    if (found := meaning(assign.name.rpartition(".")[2], "")) and (
        setting := _setting(assign, found, assign.value, None, "", False)
    ):
        yield setting


def of_entry(entry: Entry) -> Iterator[Setting]:
    """A key of a configuration file: `tensor_parallel_size: 2`, `rollout: {tensor_model_parallel_size: 2}`."""
    if (found := meaning(entry.name, "")) and (setting := _setting(entry, found, entry.value, None, "", False)):
        yield setting


def of_environment(variable: EnvVar) -> Iterator[Setting]:
    """`TORCH_CUDA_ARCH_LIST="8.0"`: what a program finds in its environment, if it looks."""
    if (name := _environment().get(variable.name)) and variable.value != UNKNOWN:
        yield Setting(
            name=name, value=variable.value, tool=variable.name, span=variable.span, origin=variable.origin,
            written=variable.written, context=variable.context,
        )  # fmt: skip
