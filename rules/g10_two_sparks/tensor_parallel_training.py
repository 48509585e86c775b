from collections.abc import Iterator

from spark_lint.facts import Setting
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Setting, named=("tensor_parallel_size", "tensor_parallel_plan"), severity=ERROR)
def tensor_parallel_training(setting: Setting, project: Project) -> Iterator[Advice]:
    scope = setting.scope
    splits = setting.number > 1 if setting.name == "tensor_parallel_size" else setting.text == "auto"
    enough = scope.cluster or (scope.sparks is not None and scope.sparks >= max(2, setting.number))
    if splits and enough and scope.workload == "train":
        yield Advice(
            f"{setting.written} splits every layer across Sparks, so each step waits for the cable", "DDP or FSDP, one process on each Spark"
        )
