import re
from collections.abc import Iterator

from spark_lint.facts import Setting
from spark_lint.project import Project
from spark_lint.rule import ERROR, WARNING, Advice, rule

# trl's vllm_tensor_parallel_size and verl's rollout.… split the engine that generates, not the model that is trained.
GENERATES = re.compile(r"vllm|sglang|\brollout(?![a-z])", re.IGNORECASE)


@rule(on=Setting, named=("tensor_parallel_size", "tensor_parallel_plan"), severity=ERROR)
def tensor_parallel_training(setting: Setting, project: Project) -> Iterator[Advice]:
    planned = setting.name == "tensor_parallel_plan"
    splits = setting.text == "auto" if planned else setting.number > 1
    enough = setting.scope.has_gpus(2 if planned else project.launch_gpus(setting))
    if splits and enough and setting.scope.workload == "train" and not GENERATES.search(project.path(setting)):
        yield Advice(
            f"{setting.written} splits every layer across the Sparks, so that each step waits for the cable: train with DDP or FSDP instead",
            "" if planned else setting.spelled("1"),
            # What starts the work may give another size than a file does.
            None if setting.launched else WARNING,
        )
