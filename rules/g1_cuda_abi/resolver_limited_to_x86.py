from collections.abc import Iterator

from spark_lint.facts import Entry
from spark_lint.names.machines import marker_holds
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule

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
