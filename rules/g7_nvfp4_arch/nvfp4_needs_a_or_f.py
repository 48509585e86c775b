import re
from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Command, EnvVar, Setting
from spark_lint.project import Project
from spark_lint.rule import WARNING, Advice, Related, rule

FP4 = re.compile(r"nvfp4|mxfp4|fp4", re.IGNORECASE)
# A source build: a folder, a clone or a git address of one of the projects that hold FP4 kernels.
BUILT = re.compile(r"(?:git\+\S*/|git clone .*/|\s\.{0,2}/\S*|-e\s+)(?:vllm|flashinfer|cutlass|llama\.cpp|sglang)(?:\.git|/|\[|\"|'|\s|@|$)", re.IGNORECASE)


@rule(on=Setting, named="cuda_archs", severity=WARNING)
def nvfp4_needs_a_or_f(setting: Setting, project: Project) -> Iterator[Advice]:
    running = [each for each in knowledge.architectures(setting.text) if each.runs and each.major == 12]
    if not running or any(each.suffix for each in running):
        return
    commands = project.near(setting, Command)
    reason = next((each for each in commands if FP4.search(each.written) or BUILT.search(each.written)), None)
    if reason or any(FP4.search(each.name) for each in project.near(setting, EnvVar)):
        yield Advice(
            f"{setting.written} builds without the FP4 instructions, which exist only in code for 12.1a or 12.0f: NVFP4 falls back to slow kernels",
            "12.1a",
            related=[Related(reason.span, "FP4 kernels are wanted here")] if reason else (),
        )
