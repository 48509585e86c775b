from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Setting
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries import engines
from spark_lint.rule import ERROR, LIKELY, Advice, Related, rule

# vLLM 0.12 reads it, 0.20 no longer does; what is said of it in between is that it will go.
VARIABLE, LAST = "VLLM_ATTENTION_BACKEND", "0.13"


@rule(on=Setting, named=("attention_backend", "moe_backend"), severity=ERROR)
def sm100_only_backend(setting: Setting, project: Project) -> Iterator[Advice]:
    name = engines.engine(setting)
    refusal = knowledge.refusal(name, setting.name, setting.text, setting.written) if name else None
    if refusal is None:
        return
    found = engines.release(setting, project, name)
    until = LAST if setting.tool == VARIABLE else refusal.since
    if until and not (found and found.before(until)):
        return
    related = [Related(found.span, "from here")] if found else []
    where = f" on {found.shown}" if found else ""
    since = f" before {refusal.since}" if refusal.since else ""
    yield Advice(
        f"{setting.written}{where}: {name}{since} has it for {refusal.only} alone and refuses to start on a Spark, which has 12.1",
        setting.spelled(refusal.instead),
        confidence=LIKELY if found and found.elsewhere and until else None,
        known=weakest(refusal.known, found.known if found else None),
        related=related,
    )
