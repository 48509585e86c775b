import re
from collections.abc import Iterator
from typing import Final

from spark_lint import builds, knowledge
from spark_lint.facts import Call, Setting
from spark_lint.names.machines import guarded
from spark_lint.project import Project
from spark_lint.rule import INFO, WARNING, Advice, rule

VALUE: Final = re.compile(r"""(?<=["'\s=])(?:flash_attention_2|flash_attn_2|flash_attn|fa2)(?=["')]*$)""", re.IGNORECASE)


@rule(on=Setting, named="attention", severity=WARNING)
def attn_flash_attention_2(setting: Setting, project: Project) -> Iterator[Advice]:
    if setting.text != "flash_attention_2" or guarded(setting.context.conditions) or dropped(setting, project):
        return
    instead = VALUE.sub("sdpa", setting.written) if VALUE.search(setting.written) else 'attn_implementation="sdpa"'
    image = setting.scope.image
    # An install that another rule says must fail brings nothing.
    brought = project.installed_before(setting, "flash-attn", "conda/flash-attn")
    installed = any(each.manager == "conda" or not builds.isolated(each, project) for each in brought)
    if image is not None and project.ships(setting, "flash-attn"):
        message = f"{setting.written} needs flash-attn: {image.shown} has it, a Spark without that image does not"
        yield Advice(message, instead, INFO)
    elif image is not None and installed:
        message = f"{setting.written} needs flash-attn: it is built on {image.shown}, a Spark without that build does not have it"
        yield Advice(message, instead, INFO)
    else:
        message = (
            f"{setting.written} needs flash-attn, which has no aarch64 wheel; PyTorch's own SDPA is about as fast on a Spark"
        )
        yield Advice(message, instead)


def dropped(setting: Setting, project: Project) -> bool:
    """Whether it stands in a call of Unsloth's llama-family loader, which drops it and takes what is there."""
    calls = project.near(setting, Call, "unsloth.FastLanguageModel.from_pretrained") if setting.tool == "unsloth" else ()
    for call in calls:
        given, model = call.argument("attn_implementation"), call.argument("model_name", 0)
        if given is not None and given.span == setting.span and model is not None and isinstance(model.value, str):
            return knowledge.unsloth_loader(model.value) == "llama"
    return False
