import re
from collections.abc import Iterator
from typing import Final

from spark_lint import knowledge
from spark_lint.facts import Call, Package, Setting
from spark_lint.names.machines import guarded
from spark_lint.project import Project
from spark_lint.queries import builds
from spark_lint.rule import INFO, WARNING, Advice, Related, rule

VALUE: Final = re.compile(r"""(?<=["'\s=])(?:flash_attention_2|flash_attn_2|flash_attn|fa2)(?=["')]*$)""", re.IGNORECASE)
# LLaMA-Factory's `batching_strategy` and `cp_mode` among the switches.
PACKS: Final = frozenset({"on", "padding_free", "dynamic_padding_free", "ulysses", "ring"})
# Megatron still takes its switch, and nothing in it reads the value: megatron/training/arguments.py, 2026-08.
MEGATRON: Final = re.compile(r"--use-flash-attn\b|megatron")


@rule(on=Setting, named="attention", severity=WARNING)
def attn_flash_attention_2(setting: Setting, project: Project) -> Iterator[Advice]:
    if setting.text != "flash_attention_2" or guarded(setting.context.conditions) or dropped(setting, project):
        return
    if MEGATRON.search(setting.written):
        return
    instead = with_sdpa(setting)
    image = setting.scope.image
    # An install that another rule says must fail brings nothing.
    brought = project.installed_before(setting, "flash-attn", "conda/flash-attn")
    installed = any(each.manager == "conda" or not builds.isolated(each, project) for each in brought)
    if image is not None and project.ships(setting, "flash-attn"):
        message = f"{setting.written} needs flash-attn: {image.shown} has it, a Spark without that image does not"
        yield Advice(message, instead, INFO, known=knowledge.describe(image).known)
    elif image is not None and installed:
        message = f"{setting.written} needs flash-attn: it is built on {image.shown}, a Spark without that build does not have it"
        yield Advice(message, instead, INFO)
    elif lock := next((each for each in project.every(Package, "flash-attn") if each.locked and each.locked.chosen), None):
        message = f"{setting.written} needs flash-attn: {lock.span.path} has a wheel of it, a Spark without that install does not"
        yield Advice(message, instead, INFO, related=[Related(lock.span, "locked here")])
    elif packed := next(packs(setting, project), None):
        message = (
            f"{setting.written} needs flash-attn, which has no aarch64 wheel, and {packed.written} needs it too in most trainers"
        )
        own = knowledge.note("ngc-pytorch").text
        yield Advice(
            message,
            f"{own}, which has flash-attn; or {instead}, with packing off",
            known=knowledge.package_known("flash-attn"),
            related=[Related(packed.span, "samples are packed here")],
        )
    else:
        message = (
            f"{setting.written} needs flash-attn, which has no aarch64 wheel; PyTorch's own SDPA is about as fast on a Spark"
        )
        yield Advice(message, instead, known=knowledge.package_known("flash-attn"))


def packs(setting: Setting, project: Project) -> Iterator[Setting]:
    """The settings of the same launch or file that put samples together, or split them, in ways that attention has to know."""
    for other in project.beside(setting, "packing"):
        if other.text.lower() in PACKS:
            yield other


def with_sdpa(setting: Setting) -> str:
    """The author's spelling with SDPA; transformers' word for it where a switch is meant, which only a flag leaves out."""
    written = setting.written
    if VALUE.search(written):
        return VALUE.sub("sdpa", written)
    if written.startswith("-"):
        return f"no {re.split('[ =]', written)[0]}"
    return "attn_implementation: sdpa" if ": " in written else 'attn_implementation="sdpa"'


def dropped(setting: Setting, project: Project) -> bool:
    """Whether it stands in a call of Unsloth's llama-family loader, which drops it and takes what is there."""
    calls = project.near(setting, Call, "unsloth.FastLanguageModel.from_pretrained") if setting.tool == "unsloth" else ()
    for call in calls:
        given, model = call.argument("attn_implementation"), call.argument("model_name", 0)
        if given is not None and given.span == setting.span and model is not None and isinstance(model.value, str):
            return knowledge.unsloth_loader(model.value) == "llama"
    return False
