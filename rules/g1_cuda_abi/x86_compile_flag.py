import re
from collections.abc import Iterator
from itertools import islice

from spark_lint import knowledge
from spark_lint.facts import Setting
from spark_lint.names.machines import tests
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule

MOST = 200
"""Flags of one file that are looked at for another."""
# Code that asks what the compiler or the processor knows decides by itself.
ASKS = re.compile(r"avx|sse|fma|f16c|simd|flag|cpu|march|machine|\barch|compiler|intel|\bmsvc", re.IGNORECASE)


@rule(on=Setting, named="x86_flag", severity=ERROR)
def x86_compile_flag(flag: Setting, project: Project) -> Iterator[Advice]:
    conditions = flag.context.conditions
    image = flag.scope.image
    if any(ASKS.search(condition.text) for condition in tests(conditions)):
        return
    if image is not None and (knowledge.describe(image).other_machine or "amd64" in image.platform):
        return  # said at the image
    # The flags of one list are one mistake.
    if any(follows(flag, other) for other in islice(project.near(flag, Setting, "x86_flag"), MOST)):
        return
    flags = str(flag.value)
    verb = "are flags" if " " in flags else "is a flag"
    yield Advice(
        f"{flags} {verb} for x86-64 processors: compilers for aarch64, as on a Spark, refuse to run with it",
        "-mcpu=native, or nothing",
    )


def follows(flag: Setting, other: Setting) -> bool:
    """Whether another flag stands just before in the same list, under the same tests."""
    place, before = (flag.span.line, flag.span.column), (other.span.line, other.span.column)
    listed = all(not each.launched and each.written.strip("\"'") == each.value for each in (flag, other))
    same = other.context.conditions == flag.context.conditions and other.context.block == flag.context.block
    return listed and same and before < place and flag.span.line - other.span.line <= 1
