from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Setting
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule


@rule(on=Setting, named="cuda_archs", severity=ERROR)
def arch_specific_wrong_chip(setting: Setting, project: Project) -> Iterator[Advice]:
    architectures = knowledge.architectures(setting.text)
    wrong = next((each for each in architectures if each.other_chip), None)
    if wrong and not any(each.runs is not False for each in architectures):
        yield Advice(
            f"{wrong.written} in {setting.written} is code for one other chip: the `a` ties it to {wrong.major}.{wrong.minor}, the Spark is 12.1",
            "12.1a, or 12.0f for every 12.x chip",
        )
