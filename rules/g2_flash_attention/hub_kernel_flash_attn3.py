import re
from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Call
from spark_lint.names.machines import guarded
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule

NAMES = knowledge.note("flash-attn-3-names")
FLASH_ATTENTION_3 = re.compile(NAMES.text, re.IGNORECASE)
LOADS = ("get_kernel", "get_locked_kernel", "load_kernel", "install_kernel", "LayerRepository", "FuncRepository")


@rule(on=Call, named=[f"kernels.{name}" for name in LOADS], severity=ERROR)
def hub_kernel_flash_attn3(call: Call, project: Project) -> Iterator[Advice]:
    repository = call.argument("repo_id", 0)
    if repository is None or not isinstance(repository.value, str) or guarded(call.context.conditions):
        return
    if FLASH_ATTENTION_3.search(repository.value):
        message = f"{repository.value}: FlashAttention 3 holds code for Hopper and Ampere GPUs only, none that runs on a Spark"
        instead = "kernels-community/flash-attn2, or torch.nn.functional.scaled_dot_product_attention"
        yield Advice(message, instead, known=NAMES.known)
