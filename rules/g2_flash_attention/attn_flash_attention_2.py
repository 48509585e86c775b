from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package, Setting
from spark_lint.names.machines import guarded
from spark_lint.project import Project
from spark_lint.rule import INFO, WARNING, Advice, rule


@rule(on=Setting, named="attention", severity=WARNING)
def attn_flash_attention_2(setting: Setting, project: Project) -> Iterator[Advice]:
    if setting.text != "flash_attention_2" or guarded(setting.context.conditions):
        return
    image = setting.scope.image
    ships = image is not None and knowledge.describe(image).ships("flash-attn")
    installed = setting.scope.stage and any(project.near(setting, Package, "flash-attn"))
    message = f"{setting.written} needs the flash-attn package, which has no aarch64 wheel; PyTorch's own SDPA is about as fast on a Spark"
    yield Advice(message, 'attn_implementation="sdpa"', INFO if ships or installed else None)
