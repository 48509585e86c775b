from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Setting
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.queries.compiled import together
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Setting, named="cuda_archs", severity=ERROR)
def arch_specific_wrong_chip(setting: Setting, project: Project) -> Iterator[Advice]:
    found = together(setting, project)
    image = setting.scope.image
    if chosen_by_gpu(setting.context.conditions):
        return  # code that asks for the GPU or for CUDA first chooses by itself
    if any(each.runs is not False or each.ptx for each in found) or (image and knowledge.describe(image).other_machine):
        return
    for each in [each for each in found if each.other_chip and each.major >= 10][-1:]:
        yield Advice(
            f"{each.written} is code for {each.major}.{each.minor} alone, by its `a`, so nothing in {setting.written} runs on a Spark, which has 12.1",
            knowledge.with_spark(setting.text, "a"),
            known=knowledge.architectures_known(),
        )
