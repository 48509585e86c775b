from collections.abc import Iterator
from posixpath import basename
from urllib.parse import unquote

from spark_lint import knowledge
from spark_lint.facts import Command, Package
from spark_lint.names.machines import may_fail
from spark_lint.project import Project
from spark_lint.rule import ERROR, INFO, Advice, rule
from spark_lint.text import UNKNOWN

OTHERS = (
    ("x86_64", "x86-64"),
    ("amd64", "Windows"),
    ("win32", "Windows"),
    ("macosx", "macOS"),
    ("i686", "32-bit x86"),
)


# A path into these was built by the machine itself, which calls its own wheels by its own name.
BUILT_HERE = {"dist", "build", "target"}
# `flash-attention` is what the repository of flash-attn is called.
SAID_ELSEWHERE = {"flash-attn", "flash-attention"}


@rule(on=Package, named="*", severity=ERROR, holds=".whl")
def x86_wheel_url(package: Package, project: Project) -> Iterator[Advice]:
    wheel = unquote(basename(package.url.partition("#")[0].partition("?")[0]))
    tags = wheel.removesuffix(".whl").rpartition("-")[2]
    if not wheel.endswith(".whl") or UNKNOWN in tags or package.role == "constraint" or package.name in SAID_ELSEWHERE:
        return
    if any(tag == "any" or (tag.endswith("_aarch64") and "linux" in tag) for tag in tags.split(".")):
        return
    if "://" not in package.url and BUILT_HERE & set(package.url.split("/")[:-1]):
        return
    other = next((name for sign, name in OTHERS if sign in tags), "")
    if not other:
        return
    severity = INFO if may_fail(package.context.conditions) else None
    yield Advice(
        f"{wheel.replace(UNKNOWN, '…')} is a wheel for {other}: a Spark cannot install it", instead(package, project), severity
    )


def instead(package: Package, project: Project) -> str:
    """In a file of requirements a marker keeps it off a Spark; a command has to name another wheel, or the release PyPI has for it."""
    known = knowledge.package(package.name)
    first = known.first("cu13") if known else ""
    if first:
        return f"{package.name}>={first}"
    if any(isinstance(each, Command) for each in project.around(package)):
        return f"{package.name} from an index that has a wheel for aarch64, or built from source"
    marker = f"({package.marker}) and " if package.marker else ""
    return f"{package.written} ; {marker}platform_machine == 'x86_64'"
