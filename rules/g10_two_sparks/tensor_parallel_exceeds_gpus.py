import re
from collections.abc import Iterator

from spark_lint.facts import Setting
from spark_lint.project import Project
from spark_lint.rule import ERROR, WARNING, Advice, rule

# Code that asks how many GPUs there are chooses by itself.
COUNTS = re.compile(r"device_count|world_size|n(?:um)?_?gpus?\b|nvidia-smi", re.IGNORECASE)


@rule(on=Setting, named="tensor_parallel_size", severity=ERROR)
def tensor_parallel_exceeds_gpus(setting: Setting, project: Project) -> Iterator[Advice]:
    wanted, scope = project.launch_gpus(setting), setting.scope
    enough = scope.has_gpus(wanted)
    if setting.number <= 1 or enough or any(COUNTS.search(each.text) for each in setting.context.conditions):
        return
    if enough is None and not setting.launched:
        yield Advice(
            f"{setting.written} needs {wanted} GPUs, and a Spark has one: right only where it is started on {wanted} Sparks",
            setting.spelled("1"),
            WARNING,
        )
        return
    have = f"these {scope.sparks} Sparks have one each" if scope.sparks and scope.sparks > 1 else "a Spark has one"
    yield Advice(
        f"{setting.written} needs {wanted} GPUs, and {have}; if there are more Sparks, say so: --nnodes {wanted}, "
        f"--distributed-executor-backend ray, or sparks = {wanted} in spark-lint's configuration",
        setting.spelled("1"),
    )
