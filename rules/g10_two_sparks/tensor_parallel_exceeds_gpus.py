from collections.abc import Iterator

from spark_lint.facts import Setting
from spark_lint.names.machines import counted
from spark_lint.project import Project
from spark_lint.rule import ERROR, WARNING, Advice, rule


@rule(on=Setting, named="tensor_parallel_size", severity=ERROR)
def tensor_parallel_exceeds_gpus(setting: Setting, project: Project) -> Iterator[Advice]:
    wanted, scope = project.launch_gpus(setting), setting.scope
    enough = scope.has_gpus(wanted)
    if setting.number <= 1 or enough or counted(setting.context.conditions):
        return
    asks = f"{setting.written} times its pipeline stages" if wanted > setting.number else setting.written
    # What starts the work may be told of more Sparks, or of another size, than a file says; but not where the user says how many there are.
    if not setting.launched and project.assumed.sparks is None:
        yield Advice(
            f"{asks} needs {wanted} GPUs, and a Spark has one: right only where it is started on {wanted} Sparks",
            setting.spelled("1"),
            WARNING,
        )
        return
    have = f"these {scope.sparks} Sparks have one each" if scope.sparks and scope.sparks > 1 else "a Spark has one"
    yield Advice(
        f"{asks} needs {wanted} GPUs, and {have}; if there are more Sparks, say so: --nnodes {wanted}, "
        f"--distributed-executor-backend ray, or sparks = {wanted} in spark-lint's configuration",
        setting.spelled("1"),
    )
