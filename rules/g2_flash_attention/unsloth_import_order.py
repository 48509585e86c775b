from collections.abc import Iterator

from spark_lint.facts import Import
from spark_lint.project import Project
from spark_lint.rule import WARNING, Advice, Related, rule

PATCHED = ("trl", "transformers", "peft")


@rule(on=Import, named=("unsloth", "unsloth.*"), severity=WARNING)
def unsloth_import_order(unsloth: Import, project: Project) -> Iterator[Advice]:
    earlier = [each for each in project.before(unsloth, Import) if runs(each)]
    if not runs(unsloth) or any(root(each) == "unsloth" for each in earlier):
        return
    if first := next((each for each in earlier if root(each) in PATCHED), None):
        yield Advice(
            f"{unsloth.written} comes after {root(first)}, which it patches while it is imported: the patches miss what is already loaded",
            f"move it above `{first.written}`",
            related=[Related(first.span, "imported first")],
        )


def root(each: Import) -> str:
    return each.name.partition(".")[0]


def runs(each: Import) -> bool:
    return each.top_level and not any("TYPE_CHECKING" in condition.text for condition in each.context.conditions)
