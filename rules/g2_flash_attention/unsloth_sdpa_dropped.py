from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Assign, Call, Package
from spark_lint.project import Project
from spark_lint.rule import CERTAIN, INFO, LIKELY, WARNING, Advice, Related, rule

PATCHES = {"unsloth.models._utils.HAS_FLASH_ATTENTION", "unsloth.utils.attention_dispatch.HAS_FLASH_ATTENTION"}


@rule(on=Call, named="unsloth.FastLanguageModel.from_pretrained", severity=WARNING)
def unsloth_sdpa_dropped(call: Call, project: Project) -> Iterator[Advice]:
    attention = call.argument("attn_implementation")
    if attention is None or attention.value != "sdpa":
        return
    model = call.argument("model_name", 0)
    loader = knowledge.unsloth_loader(model.value) if model and isinstance(model.value, str) else ""
    patched = {each.name for each in project.before(call, Assign, *PATCHES) if each.value is False}
    if loader == "vision" or patched == PATCHES:
        return
    image = call.scope.image
    ships = image is not None and knowledge.describe(image).ships("flash-attn")
    installed = any(not all(scope.elsewhere for scope in each.scopes) for each in project.every(Package, "flash-attn"))
    yield Advice(
        f"Unsloth's FastLanguageModel drops {attention.written} and uses flash-attn wherever it can import it "
        f"({knowledge.note('unsloth-versions').text})",
        "FastModel.from_pretrained(…), or set HAS_FLASH_ATTENTION = False in unsloth.models._utils and "
        "unsloth.utils.attention_dispatch before it (spark-lint explain G2)",
        WARNING if ships or installed else INFO,
        CERTAIN if loader else LIKELY,
        related=[Related(attention.span, "dropped here")],
    )
