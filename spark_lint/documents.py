"""One file's facts with their meaning, grouped by the install they belong to."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from spark_lint.facts import (
    Call,
    Code,
    Command,
    Entry,
    EnvVar,
    Fact,
    Import,
    Include,
    Index,
    Package,
    ParseProblem,
    Read,
    Setting,
    Stage,
)
from spark_lint.kinds import JSON, NOTEBOOK, PYTHON, REQUIREMENTS, SHELL, YAML
from spark_lint.names import named
from spark_lint.read.funnel import Interests
from spark_lint.scope import Workload
from spark_lint.text import Span

_TESTS: Final = frozenset({"test", "tests"})
# What hosted runners run; the workflows themselves say where, and their reader asks them.
_CI: Final = frozenset(
    {
        ".github",
        ".gitlab",
        ".circleci",
        ".azure-pipelines",
        ".travis",
        ".buildkite",
        ".gitea",
        ".forgejo",
        ".woodpecker",
        ".tekton",
        ".jenkins",
    }
)
_TEST_NAME: Final = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py")
SERVERS: Final = frozenset(
    {"vllm", "sglang", "trtllm", "tensorrt_llm", "llama-server", "lmdeploy", "text-generation-launcher", "ollama", "dynamo"}
)
TRAINERS: Final = frozenset(
    {"torchrun", "accelerate", "deepspeed", "axolotl", "llamafactory-cli", "swift", "trl", "tune", "megatron", "unsloth", "peft", "lightning",
     "pytorch_lightning", "nemo", "transformers.Trainer", "transformers.TrainingArguments", "transformers.Seq2SeqTrainer", "torchtitan", "verl", "openrlhf", "skyrl",
     "skyrl_train", "prime-rl", "prime_rl", "automodel", "nemo_automodel", "nemo_rl", "areal", "roll", "slime", "nanotron"}
)  # fmt: skip
# What trainers have for serving what they trained.
_SERVING: Final = frozenset(
    {*(f"swift {each}" for each in ("deploy", "rollout", "infer", "app", "eval")),
     *(f"llamafactory-cli {each}" for each in ("api", "chat", "webchat")), "axolotl inference", "tune generate"}
)  # fmt: skip

# The rank of the first of perhaps one machine, and an address that no other machine can reach.
_ALONE: Final = re.compile(r"(?:-1|0*)$|(?:localhost|127\.|\[?::1\b)")
# `ray start --address`, `--node-ip-address`; `mpirun -H one,two`
_CLUSTERS: Final = (
    ("ray", re.compile(r"^ray (?:start\b.*-address|status)\b")),
    # without a number of processes, it starts one for each place in a list of hosts that is given elsewhere
    *((name, re.compile(r"\s(?:-H|--?host)[\s=]\S*,|^(?!.*\s--?(?:np?|c)\s)", re.DOTALL)) for name in ("mpirun", "mpiexec")),
)
# Variables that only a start over several machines sets.
_CLUSTER_VARIABLES: Final = frozenset({"MN_IF_NAME", "OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"})
# Variables that only another maker's GPUs read.
_OTHER_GPUS: Final = re.compile(r"VLLM_ROCM_|PYTORCH_ROCM_ARCH$|(?:ASCEND_RT|HABANA|ROCR)_VISIBLE_DEVICES$|HSA_")
# Kinds of Kubernetes objects that are there to spread one piece of work over several machines.
_CLUSTER_KINDS: Final = frozenset({"LeaderWorkerSet", "RayCluster", "RayService", "RayJob", "MPIJob", "PyTorchJob"})
# Spellings of a tensor parallel size that only trainers have.
_TRAINS: Final = re.compile(
    r"tensor[-_](?:model[-_]parallel|parallel[-_](?:degree|dim))|autotp|parallelism_config|\b(?:actor|critic|ref)\.backend",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Group:
    """What belongs to one install: the command's, or the whole requirements file. spans: where its packages are written."""

    packages: tuple[Package, ...] = ()
    indexes: tuple[Index, ...] = ()
    includes: tuple[Include, ...] = ()
    spans: frozenset[Span] = frozenset()


@dataclass(frozen=True, slots=True)
class Document:
    """A file as its reader and the names see it. facts: in source order, without scopes; lasting: the indexes among them that stay in force."""

    path: str
    kind: str
    facts: tuple[Fact, ...] = ()
    includes: tuple[Include, ...] = ()
    stages: tuple[Stage, ...] = ()
    groups: tuple[Group, ...] = ()
    lasting: tuple[Index, ...] = ()
    problems: tuple[ParseProblem, ...] = field(default=())
    _installs: Mapping[Span, list[Group]] = field(default_factory=dict, repr=False, compare=False)

    def installs(self, span: Span) -> Sequence[Group]:
        """The installs of which a package that is written at a place is a part; empty where there is none."""
        return self._installs.get(span, ())

    def only_tests(self, path: str) -> bool:
        """Whether it is there to test the repository, in which it lies at `path`: what it sets is to be checked, not to be trained with.

        `test_run.py` is also what people call a script that tries something out, so the name alone says little.
        """
        folders, _, name = path.rpartition("/")
        among = frozenset(folders.split("/"))
        if self.kind in (SHELL, YAML, JSON, NOTEBOOK):
            return not among.isdisjoint(_TESTS if self.kind in (YAML, NOTEBOOK) else _TESTS | _CI)
        if self.kind != PYTHON:
            return False
        frameworks = any(
            isinstance(fact, Import) and fact.name.partition(".")[0] in ("pytest", "unittest") for fact in self.facts
        )
        return not among.isdisjoint(_TESTS) or (frameworks and _TEST_NAME.fullmatch(name) is not None)

    def lineage(self, stage: int) -> tuple[int, ...]:
        """A build stage and the stages it starts from, nearest first."""
        found = {stage: None}
        while (parent := self.stages[stage].parent) is not None and parent not in found:
            found[parent] = None
            stage = parent
        return tuple(found)


def document(
    path: str, kind: str, reads: Iterable[Read], whole_file_is_one_install: bool, interests: Interests | None = None
) -> Document:
    """Name what a reader yielded and sort it. interests: what Python code within it must hold to be read."""
    facts: list[Fact] = []
    includes: list[Include] = []
    stages: list[Stage] = []
    problems: list[ParseProblem] = []
    groups: list[Group] = []
    listed: dict[tuple[int, str], list[Read]] = defaultdict(list)
    pieces = [(read, list(named(read, interests=interests))) for read in reads]
    for read, own, options in _installed(pieces):
        facts += (each for each in own if isinstance(each, Fact))
        includes += (each for each in own if isinstance(each, Include))
        stages += (each for each in own if isinstance(each, Stage))
        problems += (each for each in own if isinstance(each, ParseProblem))
        if isinstance(read, (Command, Code)):
            groups.append(_group([*own, *options]))
        elif isinstance(read, Package):
            listed[read.context.block, read.context.extra].append(read)
    if whole_file_is_one_install:
        groups = [_group([*facts, *includes])]
    else:
        groups += map(_group, listed.values())
    lasting = tuple(each for each in facts if isinstance(each, Index) and each.lasting)
    installs: dict[Span, list[Group]] = defaultdict(list)
    for group in groups:
        for span in group.spans:
            installs[span].append(group)
    return Document(
        path, kind, tuple(facts), tuple(includes), tuple(stages), tuple(groups), lasting, tuple(problems), dict(installs)
    )


def _installed(pieces: list[tuple[Read, list[Read]]]) -> Iterator[tuple[Read, list[Read], list[Index]]]:
    """What a file says; for requirements files that it writes, with the indexes of the installs that it runs of them.

    One that it does not install from may be installed from any index: nothing is said of it.
    """
    installs: dict[str, list[list[Read]]] = defaultdict(list)
    for _, own in pieces:
        for each in own:
            if isinstance(each, Include) and each.kind == "requirement":
                installs[each.path.value.rpartition("/")[2]].append(own)
    for read, own in pieces:
        if not isinstance(read, Code) or read.name != REQUIREMENTS:
            yield read, own, []
        elif found := installs.get(read.path.rpartition("/")[2]):
            yield read, own, [each for every in found for each in every if isinstance(each, Index)]


def _group(reads: Iterable[Read]) -> Group:
    reads = list(reads)
    return Group(
        tuple(each for each in reads if isinstance(each, Package)),
        tuple(each for each in reads if isinstance(each, Index)),
        tuple(each for each in reads if isinstance(each, Include)),
        frozenset(each.span for each in reads if isinstance(each, Package)),
    )


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a file says about the work in it: its kind, as a whole and block by block, and how many Sparks there are.

    elsewhere: examples that set what only another maker's GPUs read.
    """

    workload: Workload = ""
    blocks: Mapping[int, Workload] = field(default_factory=dict)
    sparks: int | None = None
    cluster: bool = False
    elsewhere: frozenset[int] = frozenset()


def surroundings(facts: Iterable[Fact]) -> Surroundings:
    """What these facts say together."""
    facts = list(facts)
    kinds: dict[int, set[Workload]] = defaultdict(set)
    for fact in facts:
        for kind in _workloads(fact):
            kinds[fact.context.block].add(kind)
    workload = _only({kind for each in kinds.values() for kind in each})
    counts = [int(fact.number) for fact in facts if isinstance(fact, Setting) and fact.name == "nodes" and fact.number >= 1]
    return Surroundings(
        workload,
        {block: _only(each) for block, each in kinds.items()},
        max(counts, default=None),
        any(_shows_cluster(fact) for fact in facts),
        frozenset(each.context.block for each in facts if _for_other_gpus(each)),
    )


def _only(kinds: Collection[Workload]) -> Workload:
    return next(iter(kinds)) if len(kinds) == 1 else ""


def _workloads(fact: Fact) -> Iterator[Workload]:
    if not isinstance(fact, (Command, Import, Call)):
        return
    # `python -m verl.trainer.main_ppo` is verl; `tune.py` is no module
    file = isinstance(fact, Command) and fact.name.endswith((".py", ".sh"))
    names = {fact.name, fact.name if file else fact.name.partition(".")[0]}
    if isinstance(fact, Command) and f"{fact.name} {fact.subcommand}" in _SERVING:
        yield "serve"
        return
    if names & SERVERS:
        yield "serve"
    if names & TRAINERS:
        yield "train"


def _shows_cluster(fact: Fact) -> bool:
    """Signs of more than one Spark that name no number."""
    if isinstance(fact, Setting):
        return (
            (fact.name == "node_rank" and not _ALONE.match(str(fact.value or "")))
            or (fact.name == "executor_backend" and fact.value == "ray")
            or (fact.name == "nodes" and isinstance(fact.value, str) and not fact.number)
        )
    if isinstance(fact, Command):
        return any(fact.name == name and sign.search(fact.written) is not None for name, sign in _CLUSTERS)
    if isinstance(fact, Entry):
        return fact.name == "kind" and fact.value in _CLUSTER_KINDS
    return isinstance(fact, EnvVar) and fact.name in _CLUSTER_VARIABLES


def _for_other_gpus(fact: Fact) -> bool:
    # Scripts set them for whoever has such a GPU; an example that does is for those.
    return isinstance(fact, EnvVar) and fact.context.fenced and _OTHER_GPUS.match(fact.name) is not None


def workload_of(fact: Fact, around: Surroundings) -> Workload:
    """The work a fact belongs to: its tool decides, else its surroundings, else its spelling."""
    tool = fact.tool if isinstance(fact, Setting) else ""
    if tool in SERVERS:
        return "serve"
    known = around.blocks.get(fact.context.block, around.workload)
    if known or not isinstance(fact, Setting):
        return known
    return "train" if tool in TRAINERS or _TRAINS.search(fact.written) else ""


def as_constraint(package: Package) -> Package:
    """The package as a limit on versions, which requests nothing."""
    return replace(package, role="constraint")
