from collections.abc import Iterator

from spark_lint.facts import Setting
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Setting, named=("tensor_parallel_size", "tensor_parallel_plan"), severity=ERROR)
def tensor_parallel_training(setting: Setting, project: Project) -> Iterator[Advice]:
    planned = setting.name == "tensor_parallel_plan"
    wanted = 2 if planned else project.launch_gpus(setting)
    splits = setting.text == "auto" if planned else setting.number > 1
    # trl's vllm_tensor_parallel_size splits the engine that generates, not the model that is trained.
    if not splits or "vllm" in setting.written.lower() or setting.scope.workload != "train" or not setting.scope.has_gpus(wanted):
        return
    yield Advice(
        f"{setting.written} splits every layer across the Sparks, so that each step waits for the cable: train with DDP or FSDP instead",
        "" if planned else setting.spelled("1"),
    )
