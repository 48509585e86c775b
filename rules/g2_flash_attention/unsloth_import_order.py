from collections.abc import Iterator

from spark_lint.facts import Call, Condition, Import
from spark_lint.kinds import NOTEBOOK, PYTHON
from spark_lint.project import Project
from spark_lint.rule import WARNING, Advice, Related, rule

PATCHED = ("trl", "transformers", "peft")  # unsloth 2026.10.9, _gpu_init.py


@rule(on=Import, named=("unsloth", "unsloth.*"), severity=WARNING)
def unsloth_import_order(unsloth: Import, project: Project) -> Iterator[Advice]:
    # Pieces of code in a document are examples of their own more often than parts of one program.
    before = (each for each in project.before(unsloth, Import) if each.context.block == unsloth.context.block)
    earlier = [each for each in before if runs(each) and not excludes(each, unsloth)]
    if not runs(unsloth) or any(root(each) == "unsloth" for each in earlier):
        return
    first = next((each for each in earlier if root(each) in PATCHED), None)
    if first is not None and not only_looks(first, unsloth, project):
        message = (
            f"{unsloth.written} comes after {root(first)}, which it patches while it is imported: the patches miss what is loaded"
        )
        yield Advice(message, f"{unsloth.written}  # above {first.written}", related=[Related(first.span, "imported first")])


def only_looks(first: Import, unsloth: Import, project: Project) -> bool:
    """Whether it is code within a script that takes nothing out of them and calls nothing: it shows which versions there are."""
    whole = "." not in first.name + unsloth.name
    if not whole or project.documents[unsloth.span.path].kind in (PYTHON, NOTEBOOK) or unsloth.context.fenced:
        return False
    calls = (each for each in project.near(unsloth, Call) if each.context.block == unsloth.context.block)
    return not any(each.name.partition(".")[0] in ("unsloth", *PATCHED) for each in calls)


def root(each: Import) -> str:
    return each.name.partition(".")[0]


def runs(each: Import) -> bool:
    """Whether it runs with the file: not in a function, and not for type checkers alone."""
    checked = any(each.text.endswith("TYPE_CHECKING") and not each.negated for each in each.context.conditions)
    return each.top_level and not checked


def excludes(one: Import, other: Import) -> bool:
    """Whether one runs only where the other does not: `if` and `else`."""
    opposite = {Condition(each.text, not each.negated) for each in one.context.conditions}
    return bool(opposite & set(other.context.conditions))
