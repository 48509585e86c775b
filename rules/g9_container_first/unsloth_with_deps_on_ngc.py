from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries.over_images import Over, along, flags_of, over_nvidia_torch
from spark_lint.queries.supply import wheel_for
from spark_lint.rule import WARNING, Advice, rule

ALONE = "pip install --no-deps unsloth unsloth_zoo bitsandbytes"


@rule(on=Package, named=("unsloth", "unsloth-zoo"), severity=WARNING)
def unsloth_with_deps_on_ngc(package: Package, project: Project) -> Iterator[Advice]:
    over = over_nvidia_torch(package, project)
    if over is None or "--no-deps" in flags_of(package) or wheel_for(package):
        return
    # One line is enough for each install.
    if any(other.span < package.span for other in along(package, project, "unsloth", "unsloth-zoo")):
        return
    known = weakest(over.facts.known, knowledge.cap_known())
    yield Advice(message(package, over), instead(package, project), known=known)


def message(package: Package, over: Over) -> str:
    """What comes with it: read in the metadata of unsloth 2026.5.5 and 2026.10.9."""
    brings = "lets in its dependencies: a Triton over NVIDIA's own and, in releases that cap torch, another torch"
    return f"{package.written} without --no-deps in {over.image} {brings}"


def instead(package: Package, project: Project) -> str:
    """Its dependencies first, then itself without them."""
    others = [other.written for other in along(package, project) if other.name not in ("unsloth", "unsloth-zoo", "bitsandbytes")]
    first = f"pip install {' '.join(others)} && " if others and len(others) <= 6 else ""
    return f"{first}{ALONE}"
