from collections.abc import Iterator

from spark_lint.facts import Setting
from spark_lint.project import Project
from spark_lint.rule import ERROR, WARNING, Advice, rule


@rule(on=Setting, named="tensor_parallel_size", severity=ERROR)
def tensor_parallel_exceeds_gpus(setting: Setting, project: Project) -> Iterator[Advice]:
    scope = setting.scope
    pipeline = max((each.number for each in project.near(setting, Setting, "pipeline_parallel_size")), default=1)
    wanted = int(setting.number * max(pipeline, 1))
    # A Spark has one GPU, so every rank beyond the first is another box.
    if setting.number <= 1 or scope.cluster or (scope.sparks is not None and scope.sparks >= wanted):
        return
    if scope.sparks is None and not setting.launched:
        message = f"{setting.written} needs {wanted} GPUs, and a Spark has one; it works only when it is launched over as many Sparks"
        yield Advice(message, severity=WARNING)
        return
    have = f"{scope.sparks} Spark{'s have one GPU each' if scope.sparks != 1 else ' has one GPU'}" if scope.sparks else "one Spark has one"
    yield Advice(
        f"{setting.written} needs {wanted} GPUs, and {have}; with more Sparks say so (--nnodes, a Ray cluster, or sparks = 2 in the configuration)",
        f"{setting.written.replace(str(setting.value), '1')}",
    )
