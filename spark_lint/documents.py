"""One file's facts with their meaning, grouped by the install they belong to."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from spark_lint.facts import Call, Command, Fact, Import, Include, Index, Package, ParseProblem, Read, Setting, Stage
from spark_lint.names import named
from spark_lint.scope import Workload
from spark_lint.text import UNKNOWN

SERVERS: Final = frozenset(
    {"vllm", "sglang", "trtllm", "tensorrt_llm", "llama-server", "lmdeploy", "text-generation-launcher", "ollama"}
)
TRAINERS: Final = frozenset(
    {"torchrun", "accelerate", "deepspeed", "axolotl", "llamafactory-cli", "swift", "trl", "tune", "megatron", "unsloth", "peft", "lightning",
     "pytorch_lightning", "nemo", "transformers.Trainer", "transformers.TrainingArguments", "transformers.Seq2SeqTrainer", "torchtitan", "verl"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """What belongs to one install: the command's, or the whole requirements file."""

    packages: tuple[Package, ...] = ()
    indexes: tuple[Index, ...] = ()
    includes: tuple[Include, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A file as its reader and the names see it. facts: in source order, without scopes."""

    path: str
    kind: str
    facts: tuple[Fact, ...] = ()
    includes: tuple[Include, ...] = ()
    stages: tuple[Stage, ...] = ()
    groups: tuple[Group, ...] = ()
    problems: tuple[ParseProblem, ...] = field(default=())

    def lineage(self, stage: int) -> tuple[int, ...]:
        """A build stage and the stages it starts from, nearest first."""
        found = [stage]
        while (parent := self.stages[found[-1]].parent) is not None and parent not in found:
            found.append(parent)
        return tuple(found)

    def same_place(self, one: Fact, other: Fact) -> bool:
        """Whether two of its facts share their surroundings: the file, or in a Dockerfile a stage and those it starts from."""
        stage = one.context.stage
        return stage is None or other.context.stage is None or other.context.stage in self.lineage(stage)


def document(path: str, kind: str, reads: Iterable[Read], whole_file_is_one_install: bool) -> Document:
    """Name what a reader yielded and sort it."""
    facts: list[Fact] = []
    includes: list[Include] = []
    stages: list[Stage] = []
    problems: list[ParseProblem] = []
    groups: list[Group] = []
    for read in reads:
        own = list(named(read))
        facts += (each for each in own if isinstance(each, Fact))
        includes += (each for each in own if isinstance(each, Include))
        stages += (each for each in own if isinstance(each, Stage))
        problems += (each for each in own if isinstance(each, ParseProblem))
        if isinstance(read, Command):
            groups.append(_group(own))
    if whole_file_is_one_install:
        groups = [_group([*facts, *includes])]
    return Document(path, kind, tuple(facts), tuple(includes), tuple(stages), tuple(groups), tuple(problems))


def _group(reads: Iterable[Read]) -> Group:
    reads = list(reads)
    return Group(
        tuple(each for each in reads if isinstance(each, Package)),
        tuple(each for each in reads if isinstance(each, Index)),
        tuple(each for each in reads if isinstance(each, Include)),
    )


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a file as a whole says about the work in it: its kind, and how many Sparks there are."""

    workload: Workload = ""
    sparks: int | None = None
    cluster: bool = False


def surroundings(facts: Iterable[Fact]) -> Surroundings:
    """What these facts say together."""
    facts = list(facts)
    kinds = {kind for fact in facts for kind in _workloads(fact)}
    workload: Workload = kinds.pop() if len(kinds) == 1 else ""
    counts = [int(fact.number) for fact in facts if isinstance(fact, Setting) and fact.name == "nodes" and fact.number >= 1]
    return Surroundings(workload, max(counts, default=None), any(_shows_cluster(fact) for fact in facts))


def _workloads(fact: Fact) -> Iterator[Workload]:
    if not isinstance(fact, (Command, Import, Call)):
        return
    names = {fact.name, fact.name.partition(".")[0]} if not isinstance(fact, Command) else {fact.name}
    if names & SERVERS:
        yield "serve"
    if names & TRAINERS:
        yield "train"


def _shows_cluster(fact: Fact) -> bool:
    """Signs of more than one Spark that name no number."""
    if isinstance(fact, Setting):
        return (
            fact.name == "node_rank"
            or (fact.name == "executor_backend" and fact.value == "ray")
            or (fact.name == "nodes" and isinstance(fact.value, str) and UNKNOWN in fact.value)
        )
    return (
        isinstance(fact, Command) and fact.name == "ray" and fact.written.startswith("ray start") and "--address" in fact.written
    )


def workload_of(fact: Fact, around: Surroundings) -> Workload:
    """The work a fact belongs to: its tool decides, else its surroundings."""
    tool = fact.tool if isinstance(fact, Setting) else ""
    if tool in SERVERS:
        return "serve"
    return "train" if tool in TRAINERS else around.workload


def as_constraint(package: Package) -> Package:
    """The package as a limit on versions, which requests nothing."""
    return replace(package, role="constraint")
