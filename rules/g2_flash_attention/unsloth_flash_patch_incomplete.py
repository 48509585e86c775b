from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Assign, Call
from spark_lint.project import Project
from spark_lint.rule import LIKELY, WARNING, Advice, rule

# What goes into the model's configuration, and the copy that the forward pass goes by: unsloth 2026.10.9.
NEEDED = ("unsloth.models._utils.HAS_FLASH_ATTENTION", "unsloth.utils.attention_dispatch.HAS_FLASH_ATTENTION")
LOADS = tuple(f"unsloth.{name}.from_pretrained" for name in ("FastLanguageModel", "FastModel", "FastVisionModel"))


@rule(on=Assign, named="unsloth.*.HAS_FLASH_ATTENTION", severity=WARNING)
def unsloth_flash_patch_incomplete(patch: Assign, project: Project) -> Iterator[Advice]:
    if not switches_off(patch) or any(switches_off(each) for each in project.before(patch, Assign)):
        return
    patches = {each.name: each for each in project.near(patch, Assign) if switches_off(each)}
    missing = [name for name in NEEDED if name not in patches]
    loads = list(project.near(patch, Call, *LOADS))
    known = knowledge.note("unsloth-switches").known
    if missing:
        modules = " and in ".join(name.rpartition(".")[0] for name in missing)
        message = f"{patch.written} leaves flash-attn on: Unsloth keeps a copy of the switch in {modules}"
        yield Advice(message, f"{' = '.join(missing)} = False", known=known)
    elif any(True for name in NEEDED for _ in project.before(patches[name], Call, *LOADS)):
        message = f"{patch.written} comes after from_pretrained, which has put flash-attn into the model's configuration by then"
        yield Advice(message, f"{' = '.join(NEEDED)} = False  # before from_pretrained", confidence=LIKELY, known=known)
    elif any(loads_gemma_2(call) for call in loads):
        message = f"{patch.written} takes the cap off Gemma 2's attention logits: leave flash-attn on for it, or uninstall it"
        yield Advice(message, known=knowledge.note("unsloth-gemma2").known)


def switches_off(each: Assign) -> bool:
    return each.name.startswith("unsloth.") and each.name.endswith(".HAS_FLASH_ATTENTION") and each.value is False


def loads_gemma_2(call: Call) -> bool:
    model = call.argument("model_name", 0)
    return call.name == LOADS[0] and model is not None and "gemma-2-" in str(model.value).lower()
