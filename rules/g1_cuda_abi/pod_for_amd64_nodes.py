import re
from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Entry
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, Related, rule

AMD64: Final = {"amd64", "x86_64"}
SPARK: Final = re.compile(r"gb10|dgx[-_ ]?spark", re.IGNORECASE)


@rule(on=Entry, named="*nodeSelector.kubernetes.io/arch", severity=ERROR)
def pod_for_amd64_nodes(arch: Entry, project: Project) -> Iterator[Advice]:
    if str(arch.value).lower() not in AMD64:
        return
    # A pod for x86-64 nodes alone is no business of a Spark's; this one asks for a Spark as well.
    selector = arch.name.removesuffix("kubernetes.io/arch")
    for other in project.near(arch, Entry):
        if other.name.startswith(selector) and other.context.block == arch.context.block and SPARK.search(str(other.value)):
            message = f"{arch.written}: a Spark is an arm64 node, so no node has both this label and {other.written}"
            yield Advice(message, "kubernetes.io/arch: arm64", related=[Related(other.span, "a Spark is asked for")])
            return
