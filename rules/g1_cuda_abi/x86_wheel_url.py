from collections.abc import Iterator
from posixpath import basename
from urllib.parse import unquote

from spark_lint import knowledge
from spark_lint.facts import Command, Package
from spark_lint.names.machines import may_fail
from spark_lint.project import Project
from spark_lint.queries.supply import wheel_for
from spark_lint.rule import ERROR, INFO, Advice, rule
from spark_lint.text import UNKNOWN

# A path into these was built by the machine itself, which calls its own wheels by its own name.
BUILT_HERE = {"dist", "build", "target"}
# `flash-attention` is what the repository of flash-attn is called.
SAID_ELSEWHERE = {"flash-attn", "flash-attention"}


@rule(on=Package, named="*", severity=ERROR, holds=".whl")
def x86_wheel_url(package: Package, project: Project) -> Iterator[Advice]:
    machine = wheel_for(package)
    if not machine or package.role == "constraint" or package.name in SAID_ELSEWHERE:
        return
    if "://" not in package.url and BUILT_HERE & set(package.url.split("/")[:-1]):
        return
    severity = INFO if may_fail(package.context.conditions) else None
    wheel = unquote(basename(package.url.partition("#")[0].partition("?")[0])).replace(UNKNOWN, "…")
    yield Advice(f"{wheel} is a wheel for {machine}: a Spark cannot install it", instead(package, project), severity)


def instead(package: Package, project: Project) -> str:
    """In a file of requirements a marker keeps it off a Spark; a command has to name another wheel, or the release PyPI has for it."""
    if renamed := knowledge.cuda13_name(package.name):
        return renamed
    known = knowledge.package(package.name)
    first = known.first("cu13") if known else ""
    if first:
        return f"{package.name}>={first}"
    if any(isinstance(each, Command) for each in project.around(package)):
        return f"{package.name} from an index that has a wheel for aarch64, or built from source"
    marker = f"({package.marker}) and " if package.marker else ""
    return f"{package.written} ; {marker}platform_machine == 'x86_64'"
