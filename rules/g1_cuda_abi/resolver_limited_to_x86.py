from collections.abc import Iterator

from spark_lint.facts import Entry
from spark_lint.names.machines import marker_holds
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Entry, named="tool.uv.environments", severity=ERROR)
def resolver_limited_to_x86(environment: Entry, project: Project) -> Iterator[Advice]:
    # The list is one limit: it is said at its first item.
    first = next(project.near(environment, Entry, "tool.uv.environments"), environment)
    if first.span != environment.span:
        return
    listed = project.near(environment, Entry, "tool.uv.environments")
    if any(marker_holds(str(each.value), project.assumed.python) is not False for each in listed):
        return
    yield Advice(
        f"{environment.written} leaves a Spark out of uv.lock: uv sync and uv run stop before they install anything",
        "\"sys_platform == 'linux' and platform_machine == 'aarch64'\" beside it, or no environments at all",
    )
