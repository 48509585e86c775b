import re
from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Entry
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, Related, rule

AMD64: Final = {"amd64", "x86_64"}
NAMES: Final = re.compile(r"(?:^|\.)metadata\.(?:name|generateName|labels\.[^:]+)$")
SPARK: Final = re.compile(r"gb10|dgx[-_ ]?spark", re.IGNORECASE)


@rule(on=Entry, named="*nodeSelector.kubernetes.io/arch", severity=ERROR)
def pod_for_amd64_nodes(arch: Entry, project: Project) -> Iterator[Advice]:
    if str(arch.value).lower() not in AMD64:
        return
    # A pod for x86-64 nodes alone is no business of a Spark's; this one asks for a Spark as well, or is called after one.
    selector = arch.name.removesuffix("kubernetes.io/arch")
    entries = list(project.near(arch, Entry))
    meant = [each for each in entries if each.context.block == arch.context.block and SPARK.search(str(each.value))]
    label = next((each for each in meant if each.name.startswith(selector)), None)
    name = next((each for each in meant if NAMES.search(each.name)), None)
    if label is not None:
        message = f"{arch.written}: a Spark is an arm64 node, so no node has both this label and {label.written}"
        yield Advice(message, "kubernetes.io/arch: arm64", related=[Related(label.span, "a Spark is asked for")])
    elif name is not None and takes_a_gpu(arch, entries):
        message = f"{arch.written}: a Spark is an arm64 node, so this never runs on the one that {name.written} means"
        yield Advice(message, "kubernetes.io/arch: arm64", related=[Related(name.span, "a Spark is meant")])


def takes_a_gpu(arch: Entry, entries: list[Entry]) -> bool:
    """Whether a container of the same object asks for a GPU. Containers are numbered after their object and before the next one."""
    own = arch.context.block
    following = min((each.context.block for each in entries if each.name == "kind" and each.context.block > own), default=None)
    return any(
        each.name.endswith("nvidia.com/gpu")
        and own <= each.context.block
        and (following is None or each.context.block < following)
        for each in entries
    )
