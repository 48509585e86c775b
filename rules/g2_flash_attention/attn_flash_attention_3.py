import re
from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Setting
from spark_lint.names.machines import guarded
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule

NAMES = knowledge.note("flash-attn-3-names")
FLASH_ATTENTION_3 = re.compile(NAMES.text, re.IGNORECASE)


@rule(on=Setting, named="attention", severity=ERROR)
def attn_flash_attention_3(setting: Setting, project: Project) -> Iterator[Advice]:
    if FLASH_ATTENTION_3.search(setting.text) and not guarded(setting.context.conditions):
        message = f"{setting.written}: FlashAttention 3 holds code for Hopper and Ampere GPUs only, none that runs on a Spark"
        # gpt-oss has no SDPA in transformers.
        gpt_oss = any("gpt-oss" in model.text.lower() for model in project.near(setting, Setting, "model"))
        value = "eager" if gpt_oss else "sdpa"
        written = (
            setting.written.replace(setting.text, value) if setting.text in setting.written else f'attn_implementation="{value}"'
        )
        comment = "" if gpt_oss or setting.span.path.endswith(".json") else '  # "eager" for gpt-oss, which has no SDPA'
        yield Advice(message, f"{written}{comment}", known=NAMES.known)
