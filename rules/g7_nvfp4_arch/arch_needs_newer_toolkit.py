import re
from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Command, Package, Setting
from spark_lint.known import Known, weakest
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, Related, rule
from spark_lint.text import Span

CONDA = (
    "conda/cuda-nvcc",
    "conda/cuda-compiler",
    "conda/cuda-toolkit",
    "conda/cudatoolkit-dev",
    "conda/cuda",
    "conda/cuda-version",
)
PINNED = re.compile(r"=?=?\s*(\d+\.\d+)")
# A toolkit of another release, put beside the image's own.
INSTALLS = re.compile(r"\bcuda-(?:toolkit|nvcc|compiler|minimal-build|\d)|cuda_\d[\d.]+_linux|nvidia-cuda-nvcc")


@rule(on=Setting, named=("cuda_archs", "gencode"), severity=ERROR)
def arch_needs_newer_toolkit(setting: Setting, project: Project) -> Iterator[Advice]:
    toolkit = compiler(setting, project)
    # `all` and the names of generations are what the compiler knows, whichever it is.
    named = [each for each in knowledge.architectures(setting.text, setting.tool) if each.written[-1:].isdigit() or each.suffix]
    if toolkit is None or chosen_by_gpu(setting.context.conditions):
        return
    cuda, shown, span, behind = toolkit
    late = [each for each in named if knowledge.compiles(cuda, each.needs_toolkit) is False]
    for each in late[-1:]:
        devel = knowledge.note("cuda-devel").text
        plain = each.major == 12 and knowledge.compiles(cuda, "12.8")
        yield Advice(
            f"{each.written} in {setting.written} needs the compiler of CUDA {each.needs_toolkit}, and {shown} has {cuda}: "
            '"Unsupported gpu architecture"',
            f"{devel}, or plain 12.0 code, which runs on a Spark" if plain else devel,
            known=weakest(knowledge.toolkit_known(), behind),
            related=[Related(span, "the compiler is from here")],
        )


def compiler(setting: Setting, project: Project) -> tuple[str, str, Span, Known | None] | None:
    """The CUDA release of nvcc where something is compiled, what says so, where, and what stands behind it; None where that is not known."""
    pinned = [each for each in project.near(setting, Package, *CONDA) if PINNED.match(each.specifier)]
    if pinned:
        last = pinned[-1]
        match = PINNED.match(last.specifier)
        return (match[1], last.written, last.span, None) if match else None
    image = setting.scope.image
    if image is None or any(INSTALLS.search(each.written) for each in project.near(setting, Command)):
        return None
    known = knowledge.describe(image)
    # Images without a compiler get one from somewhere else.
    has = "devel" in image.tag or known.family.startswith("ngc-")
    return (known.cuda, image.shown, image.span, known.known) if has and known.cuda else None
