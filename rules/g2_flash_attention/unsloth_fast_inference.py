from collections.abc import Iterator

from spark_lint.facts import Call
from spark_lint.names.machines import guarded
from spark_lint.project import Project
from spark_lint.rule import WARNING, Advice, rule

LOADS = [f"unsloth.{name}.from_pretrained" for name in ("FastLanguageModel", "FastModel", "FastVisionModel")]


@rule(on=Call, named=LOADS, severity=WARNING)
def unsloth_fast_inference(call: Call, project: Project) -> Iterator[Advice]:
    given = call.argument("fast_inference")
    if given is None or given.value is not True or guarded(call.context.conditions):
        return
    # unsloth 2026.10.9, models/loader.py: it asks for vllm first, and only then looks at the name of the GPU.
    message = (
        f"{given.written}: on a Spark Unsloth turns vllm off, which only a notice in the log says, and GRPO generates without it"
    )
    yield Advice(message, "fast_inference=False")
