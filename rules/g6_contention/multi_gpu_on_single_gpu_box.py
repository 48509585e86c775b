import re
from collections.abc import Iterator

from spark_lint.documents import SERVERS, TRAINERS
from spark_lint.facts import Call, Command, Entry, Setting
from spark_lint.names.machines import counted
from spark_lint.project import Project
from spark_lint.rule import ERROR, WARNING, Advice, rule

# Processes that use no GPU, or another maker's, may be as many as there are cores.
OTHER = r"(?:cpu|gloo|mpi|hccl|npu|xpu|hpu|mps|tpu|xla)\b"
ELSEWHERE = re.compile(
    rf"""--(?:use[-_])?cpu(?![-_\w])(?!["'=\s]+(?:false|no|0)\b)|(?<![-\w])use_cpu["']?\s*[:=]\s*["']?(?:true|yes)\b"""
    rf"""|(?:(?<![-\w])(?:accelerator|device)|backend)["']?[\s:=]+["']?{OTHER}|distributed_type["']?[\s:=]+["']?(?:MULTI_)?{OTHER}""",
    re.IGNORECASE,
)
KEYS = ("use_cpu", "distributed_type", "accelerator", "device", "backend")
GPU_PROGRAMS = SERVERS | TRAINERS
TRAINS = re.compile(r"train|finetune|_perf(?:_mpi)?$", re.IGNORECASE)  # train_gpt.py, NCCL's all_reduce_perf
LONGEST = 20_000  # characters of a command that are looked at


@rule(on=Setting, named=("processes_per_node", "processes", "gpus"), severity=ERROR)
def multi_gpu_on_single_gpu_box(setting: Setting, project: Project) -> Iterator[Advice]:
    launches = project.around(setting)
    machines = _machines(setting, launches, project)
    wanted = setting.number / machines if machines else 0
    if (
        wanted <= 1
        or (setting.tool == "mpirun" and not _on_gpus(launches, project))
        or counted(setting.context.conditions)
        or _elsewhere(setting, launches, project)
    ):
        return
    many = f"{setting.number:g} GPUs" if machines == 1 else f"{setting.number:g} GPUs on {machines:g} machines"
    # A container, pod or trainer that asks for too many does not start; what a file says may be overridden by the launch.
    starts = setting.launched or setting.name == "gpus" or any(isinstance(each, Command) for each in launches)
    yield Advice(
        f"{setting.written} asks for {many}{'' if starts else ' unless the launch says otherwise'}, and a Spark has one",
        setting.spelled(f"{machines:g}"),
        ERROR if starts else WARNING,
    )


def _machines(setting: Setting, launches: list[Command | Call], project: Project) -> float:
    """Over how many machines the processes are spread; 0 where that is not known."""
    if setting.name != "processes":
        return 1
    nodes = [each.number for each in project.beside(setting, "nodes")]
    if not nodes and (file := _configuration(launches)):
        nodes = [each.number for each in project.every(Setting, "nodes") if each.span.path.endswith(file)]
    if not nodes:  # Slurm takes as many machines as it needs where it is not told how many
        return setting.scope.sparks or (0 if setting.scope.cluster or setting.tool in ("sbatch", "srun") else 1)
    return max(nodes) if min(nodes) >= 1 else 0


def _on_gpus(launches: list[Command | Call], project: Project) -> bool:
    """Whether what MPI starts is known to take a GPU for each process: most of what it starts elsewhere has none."""
    return any(
        each.name in GPU_PROGRAMS or TRAINS.search(each.name)
        for launch in launches
        for each in project.near(launch, Command)
        if launch.span.covers(each.span)
    )


def _configuration(launches: list[Command | Call]) -> str:
    """The name of the file that holds the rest of the launch: `accelerate launch --config_file two.yaml`."""
    files = (each.option("--config-file") for each in launches if isinstance(each, Command))
    return next((file.value.rpartition("/")[2] for file in files if file is not None), "")


def _elsewhere(setting: Setting, launches: list[Command | Call], project: Project) -> bool:
    """Whether the launch, or the keys beside it, say that it uses no CUDA GPU."""
    for launch in launches:
        hidden = dict(launch.environment).get("CUDA_VISIBLE_DEVICES") if isinstance(launch, Command) else None
        if ELSEWHERE.search(launch.written[:LONGEST]) or (hidden is not None and hidden.value in ("", "-1")):
            return True
    owner = "".join(project.path(setting).rpartition(".")[:2])
    keys = project.near(setting, Entry, *(owner + key for key in KEYS))
    return any(ELSEWHERE.search(each.written) for each in keys if each.context.block == setting.context.block)
