from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Call, Setting
from spark_lint.names.machines import guarded
from spark_lint.project import Project
from spark_lint.rule import WARNING, Advice, rule

LOADS = {f"unsloth.{name}.from_pretrained" for name in ("FastLanguageModel", "FastModel", "FastVisionModel")}


@rule(on=Setting, named="fast_inference", severity=WARNING)
def unsloth_fast_inference(setting: Setting, project: Project) -> Iterator[Advice]:
    if not loads(setting, project) or setting.value is not True or guarded(setting.context.conditions):
        return
    # unsloth 2026.10.9, models/loader.py: it asks for vllm first, and only then looks at the name of the GPU.
    message = f"{setting.written}: on a Spark Unsloth turns vllm off, which only a notice in the log says, and GRPO generates without it"
    yield Advice(message, "fast_inference=False", known=knowledge.note("unsloth-versions").known)


def loads(setting: Setting, project: Project) -> bool:
    """Whether Unsloth is told so when it loads a model: in the call, or in a dictionary of a file with such a call (`**kwargs`)."""
    calls = {each.name for each in project.around(setting) if isinstance(each, Call)}
    collected = calls <= {"dict"} and any(project.near(setting, Call, *LOADS))
    return collected or not calls.isdisjoint(LOADS)
