from collections.abc import Iterator

from packaging.version import Version

from spark_lint import knowledge
from spark_lint.facts import EnvVar, Package
from spark_lint.project import Project
from spark_lint.rule import ERROR, WARNING, Advice, rule

FIRST_WITH_SM120 = Version("2.8.3.post1")  # https://pypi.org/project/flash-attn/, read 2026-11


@rule(on=Package, named="flash-attn", severity=ERROR)
def flash_attn_requirement(package: Package, project: Project) -> Iterator[Advice]:
    if package.role == "constraint" or package.url.endswith("aarch64.whl"):
        return
    scope = package.scope
    shipped = knowledge.describe(scope.image) if scope.image else None
    if shipped and shipped.ships("flash-attn"):
        version = shipped.version_shipped("flash-attn")
        if package.url or (version and package.specifier and version not in knowledge.specifiers(package.specifier)):
            yield Advice(
                f"{scope.label} ships flash-attn {version} for its own torch; {package.written} builds another over it", "", WARNING
            )
        return
    if package.url.endswith("x86_64.whl"):
        yield Advice(f"{package.written} is a wheel for x86-64: a Spark cannot install it")
        return
    missing = list(missing_care(package, project))
    marked = f'{package.written.partition(";")[0].strip()}; platform_machine != "aarch64"'
    if "--no-build-isolation" in missing:
        yield Advice(
            f"{package.written} has no aarch64 wheel: pip builds it from source, in an environment without torch, and fails", marked
        )
    elif missing:
        yield Advice(f"{package.written} is built from source on a Spark, without {' and '.join(missing)}", "", WARNING)


def missing_care(package: Package, project: Project) -> Iterator[str]:
    """What a source build of flash-attn needs on a Spark and this one does not have."""
    scope = package.scope
    flags = package.flags | scope.flags
    if not flags & {"--no-build-isolation", "--no-build-isolation-package"}:
        yield "--no-build-isolation"
    jobs = {name for name, _ in (*package.environment, *scope.environment)}
    if "MAX_JOBS" not in jobs and not any(project.before(package, EnvVar, "MAX_JOBS")):
        # 20 compilers at several GB each exhaust the pool: knowledge note flash-attn-build.
        yield "MAX_JOBS=4"
    has_torch = scope.image is not None and knowledge.describe(scope.image).has_gpu_stack
    if not has_torch and not any(project.before(package, Package, "torch")):
        yield "torch installed before it"
    if package.version and Version(package.version) < FIRST_WITH_SM120:
        yield f"kernels for its GPU (first in {FIRST_WITH_SM120})"
