from collections.abc import Iterator

from spark_lint.facts import Assign, Call
from spark_lint.project import Project
from spark_lint.rule import WARNING, Advice, rule

MODULES = ("unsloth.models._utils", "unsloth.utils.attention_dispatch")
PATCHES = tuple(f"{module}.HAS_FLASH_ATTENTION" for module in MODULES)
LOADS = tuple(f"unsloth.{name}.from_pretrained" for name in ("FastLanguageModel", "FastModel", "FastVisionModel"))


@rule(on=Assign, named=PATCHES, severity=WARNING)
def unsloth_flash_patch_incomplete(patch: Assign, project: Project) -> Iterator[Advice]:
    if patch.value is not False:
        return
    other = next(name for name in PATCHES if name != patch.name)
    if not any(each.value is False for each in project.near(patch, Assign, other)):
        yield Advice(f"{patch.written} leaves flash-attn on: Unsloth keeps a copy of the switch in {other.rpartition('.')[0]}", f"{other} = False")
    elif any(project.before(patch, Call, *LOADS)):
        yield Advice(f"{patch.written} comes after from_pretrained, which has already chosen flash-attn", "set it before from_pretrained")
