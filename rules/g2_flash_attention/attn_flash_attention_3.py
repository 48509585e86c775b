import re
from collections.abc import Iterator

from spark_lint.facts import Setting
from spark_lint.names.machines import guarded
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule

# flash_attention_3, kernels-community/flash-attn3, kernels-community/vllm-flash-attn3
FLASH_ATTENTION_3 = re.compile(r"flash[-_]?att(?:ention|n)[-_]?3\b", re.IGNORECASE)


@rule(on=Setting, named="attention", severity=ERROR)
def attn_flash_attention_3(setting: Setting, project: Project) -> Iterator[Advice]:
    if FLASH_ATTENTION_3.search(setting.text) and not guarded(setting.context.conditions):
        message = f"{setting.written}: FlashAttention 3 holds code for Hopper and Ampere GPUs only, none that runs on a Spark"
        sdpa = setting.written.replace(setting.text, "sdpa") if setting.text in setting.written else 'attn_implementation="sdpa"'
        yield Advice(message, f'{sdpa}  # "eager" for gpt-oss, which has no SDPA')
