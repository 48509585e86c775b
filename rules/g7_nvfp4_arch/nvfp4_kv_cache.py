from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Setting
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries import engines
from spark_lint.rule import ERROR, INFO, LIKELY, Advice, Related, rule


@rule(on=Setting, named="kv_cache_dtype", severity=INFO)
def nvfp4_kv_cache(setting: Setting, project: Project) -> Iterator[Advice]:
    # Other formats with the word in them are made for one model, some for 12.x alone (`nvfp4_ds_mla`).
    if setting.text.lower() not in ("nvfp4", "nvfp4_4over6"):
        return
    name = engines.engine(setting)
    found = engines.release(setting, project, name) if name else None
    refusal = knowledge.refusal(name, setting.name, setting.text)
    if refusal and not refusal.since:
        yield Advice(
            f"{setting.written}: {name} takes this for {refusal.only} alone and does not start on a Spark, which has 12.1",
            setting.spelled(refusal.instead),
            ERROR,
            known=refusal.known,
        )
    elif refusal and found and found.before(refusal.since):
        yield Advice(
            f"{setting.written}: {name} takes an NVFP4 cache on a Spark only from {refusal.since} on, and {found.shown} is {found.version}",
            setting.spelled(refusal.instead),
            ERROR,
            LIKELY if found.elsewhere else None,
            weakest(refusal.known, found.known),
            related=[Related(found.span, "from here")],
        )
    else:
        vllm = knowledge.refusal("vllm", setting.name, "nvfp4")
        yield Advice(
            f"{setting.written}: an NVFP4 cache is new on 12.x (vLLM from 0.32 on), faster to read and slower to fill than fp8; measure both",
            setting.spelled("fp8"),
            known=vllm.known if vllm else None,
        )
