from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries.over_images import along, over_nvidia_torch
from spark_lint.queries.supply import in_command
from spark_lint.rule import INFO, Advice, rule
from spark_lint.text import UNKNOWN

PATCHED = ("transformers", "trl", "datasets")  # what Unsloth patches as it is imported
WITH_TORCH = ("transformers", "trl")  # what follows the newest torch
PINS = ("trl==0.26.1", "datasets==4.3.0")  # NVIDIA's playbook for Unsloth, 2026-07


@rule(on=Package, named=("unsloth", *PATCHED), severity=INFO)
def unsloth_stack_unpinned(package: Package, project: Project) -> Iterator[Advice]:
    if not loose(package) or project.ships(package, "unsloth"):
        return
    beside = any(belongs(other, package) for other in project.near(package, Package, "unsloth"))
    over = None if beside else over_nvidia_torch(package, project)
    if not beside and (over is None or over.facts.month >= needs_no_pins()):
        return
    names = ("unsloth", *PATCHED) if beside else WITH_TORCH
    here = sorted((each for each in along(package, project, *names) if loose(each)), key=lambda each: each.span)
    patched = [each for each in here if each.name != "unsloth"]
    others = [each.written for each in patched]
    # One line is enough for each install. Unsloth alone brings the rest as it wants it.
    if not others or here[0].span != package.span:
        return
    if beside:
        message = f"{', '.join(others)} without an upper bound beside unsloth, which patches them: one newer than it was made for breaks it"
        # A lower bound may ask for newer ones than NVIDIA's.
        yield Advice(message, "pin what ran" if any(each.specifier for each in patched) else pins(package, project))
    elif over is not None:
        message = f"{', '.join(others)} without an upper bound: the newest on the day of the build, for the torch and torchao of {over.image}"
        note = knowledge.note("ngc-pytorch-without-pins")
        yield Advice(message, f"pin what ran, or {note.text}, which needs no pins", known=weakest(over.facts.known, note.known))


def pins(package: Package, project: Project) -> str:
    """As words of a command, or as lines."""
    return " ".join(f'"{each}"' for each in PINS) if in_command(package, project) else " and ".join(PINS)


def needs_no_pins() -> str:
    """The month of the image with which the newest releases were seen to train."""
    return knowledge.note("ngc-pytorch-without-pins").text.rpartition(":")[2].partition("-")[0]


def loose(package: Package) -> bool:
    """Whether a line takes whatever is newest."""
    bounded = any(sign in package.specifier for sign in ("==", "<", "~=", UNKNOWN))
    return package.role == "requirement" and not package.url and not bounded


def belongs(unsloth: Package, package: Package) -> bool:
    """Whether a line of Unsloth's is for the same people: in the same example, under the same extra."""
    apart = package.context.fenced and unsloth.context.block != package.context.block
    here = any(not scope.elsewhere and scope.image == package.scope.image for scope in unsloth.scopes)
    return here and not apart and unsloth.role == "requirement" and unsloth.context.extra == package.context.extra
