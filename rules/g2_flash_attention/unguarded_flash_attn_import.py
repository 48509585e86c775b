import re
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import Final

from spark_lint import knowledge
from spark_lint.facts import Import, Package
from spark_lint.names.machines import IMPORT_GUARD
from spark_lint.project import Project
from spark_lint.queries import builds, imports
from spark_lint.queries.imports import root
from spark_lint.rule import CERTAIN, ERROR, INFO, LIKELY, WARNING, Advice, Related, rule

PACKAGES: Final = ("flash-attn", "conda/flash-attn")
FLASH_ATTENTION_2: Final = ("flash_attn", "flash_attn_2_cuda")
FLASH_ATTENTION_3: Final = ("flash_attn_interface", "flash_attn_3")
MODULES: Final = FLASH_ATTENTION_2 + FLASH_ATTENTION_3
MOST: Final = 50
"""Installs of flash-attn in one repository that are looked at."""
# Brought by the package flash-attn-4, which compiles its kernels where it runs.
FLASH_ATTENTION_4: Final = "flash_attn.cute."
# A module that is called after it is one of several ways, which whoever imports it chooses.
NAMED_AFTER_IT: Final = re.compile(r"flash|\bfa[234]?\b", re.IGNORECASE)


@rule(on=Import, named=[*MODULES, *(f"{module}.*" for module in MODULES)], severity=WARNING)
def unguarded_flash_attn_import(flash: Import, project: Project) -> Iterator[Advice]:
    if imports.is_check(flash, project):
        return
    if not breaks(flash, project) or any(breaks(each, project) for each in project.before(flash, Import) if is_flash(each)):
        return
    image = flash.scope.image
    if image is None and flash.scope.stage is not None:
        return  # FROM ${BASE}
    if may_ship(flash, project) or any(project.installed_before(flash, *PACKAGES)):
        return  # what it installs is judged where it does
    found = list(islice(careful_builds(project), MOST)) if image is None else []
    if any(ready(each) for each in found):
        return
    build = next(iter(found), None)
    started = imports.is_program(flash, project)
    severity = ERROR if started else INFO if NAMED_AFTER_IT.search(imports.last_names(flash)) else WARNING
    message = imports.fails(flash, project) + (f" in {image.shown}" if image is not None else "")
    related, known = [], knowledge.package_known("flash-attn")
    if root(flash) in FLASH_ATTENTION_3:
        message = f"{message}: {root(flash)} is FlashAttention 3, which holds code for Hopper GPUs only"
        known = knowledge.note("flash-attn-3-names").known
    elif build is not None:
        message = f"{message} until flash-attn is built on the Spark, since it has no aarch64 wheel"
        severity = severity.lowered()
        related = [Related(build.span, "built here")]
    else:
        message = f"{message} where flash-attn is not installed, and it has no aarch64 wheel"
    yield Advice(message, imports.another_way(flash), severity, CERTAIN if started else LIKELY, known, related)


def is_flash(each: Import) -> bool:
    return root(each) in MODULES and not f"{each.name}.".startswith(FLASH_ATTENTION_4)


def breaks(each: Import, project: Project) -> bool:
    """Whether a file stops at an import: it runs with the file, and nothing around it asks whether it can."""
    tests = imports.open_tests(each) if is_flash(each) else None
    if tests is None or own(each, project):
        return False
    return not tests or (tests == [imports.FAILED] and any(other_flash(other) for other in project.before(each, Import)))


def other_flash(other: Import) -> bool:
    """Whether an import is another flash-attn's, in a `try`: what is imported where it fails has no other way then."""
    return is_flash(other) and any(test.text == IMPORT_GUARD for test in other.context.conditions)


def own(each: Import, project: Project) -> bool:
    """Whether the repository holds the module itself, beside the file or in a folder above it."""
    above = ["", *(f"{folder}/" for folder in accumulate(each.span.path.split("/")[:-1], "{}/{}".format))]
    places = (f"{root(each)}.py", f"{root(each)}/__init__.py", f"src/{root(each)}/__init__.py")
    return any(f"{folder}{place}" in project.documents for folder in above for place in places)


def may_ship(flash: Import, project: Project) -> bool:
    """Whether flash-attn is in the image, as far as that is known: what an image of one's own holds is not."""
    image = flash.scope.image
    return image is not None and (knowledge.describe(image).ships("flash-attn") is None or project.ships(flash, "flash-attn"))


def careful_builds(project: Project) -> Iterator[Package]:
    """The installs of flash-attn on the host, for a Spark too, that can succeed there."""
    for each in project.every(Package, *PACKAGES):
        here = any(not scope.elsewhere and scope.image is None for scope in each.scopes)
        if each.role == "requirement" and here and (each.manager == "conda" or ready(each) or not builds.isolated(each, project)):
            yield each


def ready(flash: Package) -> bool:
    """Whether it is a wheel that somebody built for a Spark."""
    return flash.url.partition("#")[0].endswith("aarch64.whl")
