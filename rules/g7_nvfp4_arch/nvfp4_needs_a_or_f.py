import re
from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Command, EnvVar, Fact, Package, Setting
from spark_lint.project import Project
from spark_lint.rule import INFO, WARNING, Advice, Related, rule

FP4 = re.compile(r"(?:nv|mx|[-_])fp4", re.IGNORECASE)
SWITCH = re.compile(r"(?:VLLM|SGLANG|FLASHINFER|TRTLLM)_\w*FP4")
ENGINES = ("vllm", "sglang", "trtllm", "llama-server")
# FlashInfer compiles when a model is first served; every other list counts only where something is built from source.
AT_RUN_TIME = ("FLASHINFER_CUDA_ARCH_LIST", "TVM_FFI_CUDA_ARCH_LIST")
BUILDS = re.compile(r"git\+|\bsetup\.py\b|--no-build-isolation|install .*(?:-e |\s\.{1,2}(?:/|\[|$))|^(?:cmake|git clone) ")


@rule(on=Setting, named="cuda_archs", severity=INFO)
def nvfp4_needs_a_or_f(setting: Setting, project: Project) -> Iterator[Advice]:
    running = [each for each in knowledge.architectures(setting.text, setting.tool) if each.runs]
    reason = next(_wanting_fp4(setting, project), None)
    if not running or reason is None or any(each.fp4 for each in running):
        return
    last = running[-1]
    instead = setting.text[: last.start] + knowledge.spark_like(last.written, "a") + setting.text[last.stop :]
    related, known = [Related(reason.span, "FP4 is wanted here")], knowledge.fp4_known()
    if old := next(_taking_it_literally(setting, project), None):
        message = f"{old.written} compiles {setting.written} to the letter, without the FP4 instructions; newer ones add them"
        yield Advice(message, instead, WARNING, known=known, related=[*related, Related(old.span, "installed here")])
    elif setting.tool in AT_RUN_TIME or any(BUILDS.search(each.written) for each in project.near(setting, Command)):
        message = (
            f"{setting.written} means code without the FP4 instructions; recent vLLM and FlashInfer add them, other builds do not"
        )
        yield Advice(message, instead, known=known, related=related)


def _wanting_fp4(setting: Setting, project: Project) -> Iterator[Fact]:
    for command in project.near(setting, Command):
        # `docker run IMAGE --model …` starts with an option
        if command.name in ENGINES or command.name.startswith("-"):
            yield from (command for word in command.words if FP4.search(word.value))
    yield from (each for each in project.near(setting, Setting, "model", "quantization") if FP4.search(each.text))
    yield from (each for each in project.near(setting, EnvVar) if SWITCH.match(each.name) and each.value not in ("0", "false"))


def _taking_it_literally(setting: Setting, project: Project) -> Iterator[Package]:
    if setting.tool in AT_RUN_TIME:
        for package in project.near(setting, Package, "flashinfer-python"):
            if package.version and package.version in knowledge.specifiers(f"<{knowledge.fp4_suffix_since(package.name)}"):
                yield package
