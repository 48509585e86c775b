from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Setting
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.queries.compiled import together, usable
from spark_lint.rule import ERROR, WARNING, Advice, rule

# PyTorch's CMake files ignore CMAKE_CUDA_ARCHITECTURES and take this instead, as vLLM's do.
TORCH = "TORCH_CUDA_ARCH_LIST"


@rule(on=Setting, named="cuda_archs", severity=ERROR)
def arch_list_without_12x(setting: Setting, project: Project) -> Iterator[Advice]:
    found = together(setting, project)
    image = setting.scope.image
    if chosen_by_gpu(setting.context.conditions):
        return  # code that asks for the GPU or for CUDA first chooses by itself
    if not found or any(each.usable for each in found) or (image and knowledge.describe(image).other_machine):
        return
    if setting.tool != TORCH and any(usable(each) for each in project.near(setting, Setting, setting.name) if each.tool == TORCH):
        return
    if any(each.ptx for each in found):
        yield Advice(
            f"{setting.written} compiles nothing for a Spark (12.1): its kernels are made from PTX at the first start, slowly",
            knowledge.with_spark(setting.text),
            WARNING,
            known=knowledge.architectures_known(),
        )
    # 10.0a or 12.0a look right for Blackwell: they have a rule of their own.
    elif not any(each.other_chip and each.major >= 10 for each in found):
        yield Advice(
            f'{setting.written} compiles nothing that a Spark (12.1) can run: "no kernel image is available"',
            knowledge.with_spark(setting.text),
            known=knowledge.architectures_known(),
        )
