from collections.abc import Iterator

from spark_lint.facts import Entry, Lock
from spark_lint.names.machines import marker_holds
from spark_lint.project import Project
from spark_lint.rule import ERROR, LIKELY, WARNING, Advice, rule

PYTHONS = tuple(f"3.{minor}" for minor in range(8, 16))


@rule(on=Entry, named="tool.uv.environments", severity=ERROR)
def resolver_limited_to_x86(environment: Entry, project: Project) -> Iterator[Advice]:
    # The list is one limit: it is said at its first item.
    first = next(project.near(environment, Entry, "tool.uv.environments"), environment)
    if first.span != environment.span:
        return
    listed = project.near(environment, Entry, "tool.uv.environments")
    # Which Python it is for is another question.
    if any(marker_holds(str(each.value), python) is not False for each in listed for python in PYTHONS):
        return
    yield Advice(
        f"{environment.written} leaves a Spark out of uv.lock: uv sync and uv run stop before they install anything",
        "\"sys_platform == 'linux' and platform_machine == 'aarch64'\" beside it, or no environments at all",
    )


@rule(on=Lock, named=("uv", "pylock"), severity=ERROR)
def lock_limited_to_x86(lock: Lock, project: Project) -> Iterator[Advice]:
    if not lock.environments or any(True for _ in project.every(Entry, "tool.uv.environments")):
        return  # the project's own file says so, and is where it is changed
    if any(marker_holds(each, python) is not False for each in lock.environments for python in PYTHONS):
        return
    yield Advice(
        f"the lock is for {' or '.join(lock.environments)} alone: on a Spark nothing is installed from it",
        "lock again for \"sys_platform == 'linux' and platform_machine == 'aarch64'\" as well",
    )


@rule(on=Lock, named="pdm", severity=WARNING, confidence=LIKELY)
def lock_of_other_platforms(lock: Lock, project: Project) -> Iterator[Advice]:
    if lock.platforms and not any("aarch64" in each or ("arm64" in each and "macos" not in each) for each in lock.platforms):
        yield Advice(
            f"the lock is for {', '.join(lock.platforms)} alone: PDM installs from it what fits another machine",
            "pdm lock --append --platform manylinux_2_39_aarch64",
        )
