from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Setting
from spark_lint.project import Project
from spark_lint.rule import ERROR, WARNING, Advice, rule


@rule(on=Setting, named="cuda_archs", severity=ERROR)
def arch_list_without_12x(setting: Setting, project: Project) -> Iterator[Advice]:
    architectures = knowledge.architectures(setting.text)
    if not architectures or any(each.runs is not False for each in architectures) or any(each.other_chip for each in architectures):
        return
    if any(each.ptx for each in architectures):
        yield Advice(
            f"{setting.written} has no code for the Spark's GPU; its kernels are compiled from PTX at the first start", "12.1", WARNING
        )
    else:
        yield Advice(f"{setting.written} builds nothing that the Spark's GPU (12.1) can run: no kernel image is available", "12.1")
