import re
from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Setting
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries import engines
from spark_lint.queries.engines import Release
from spark_lint.rule import LIKELY, WARNING, Advice, Related, rule

FP4 = re.compile(r"(?<![a-z0-9])nvfp4(?![a-z0-9])|^modelopt_fp4$", re.IGNORECASE)
LIBRARIES = ("flashinfer-python", "nvidia-cutlass-dsl")


@rule(on=Setting, named=("model", "quantization"), severity=WARNING, holds="fp4")
def nvfp4_on_old_stack(setting: Setting, project: Project) -> Iterator[Advice]:
    name = engines.engine(setting)
    if not name or not wants_fp4(setting):
        return
    # Said once, at the model.
    if setting.name == "quantization" and any(map(wants_fp4, project.beside(setting, "model"))):
        return
    for found in (engines.release(setting, project, package) for package in (name, *LIBRARIES)):
        says = defect(found) if found else ""
        if found and says:
            yield Advice(
                f"{setting.written} on {found.package} {found.version} ({found.shown}): {says}",
                found.instead or f"{found.package}>={newer(found)}",
                confidence=LIKELY if found.ngc or found.elsewhere else None,
                known=weakest(knowledge.fp4_known(found.package), found.known),
                related=[Related(found.span, "from here")],
            )
            return


def wants_fp4(setting: Setting) -> bool:
    """Whether a model or a quantization says that it is NVFP4; the folders above a model say nothing."""
    return FP4.search(setting.text.rstrip("/").rpartition("/")[2]) is not None


def defect(found: Release) -> str:
    """What is wrong with the NVFP4 kernels of a release."""
    return knowledge.fp4_defect(found.package, found.version, found.cuda13, found.ngc)


def newer(found: Release) -> str:
    """The release to ask for."""
    return {"vllm": "0.28", "flashinfer-python": "0.6.13"}.get(found.package, "4.5.1")
