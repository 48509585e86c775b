from collections.abc import Iterator

from spark_lint.facts import Command
from spark_lint.project import Project
from spark_lint.rule import INFO, WARNING, Advice, Related, rule
from spark_lint.unconstrained import FILE, let_loose


@rule(on=Command, named=("rm", "mv", "unlink", "truncate", "cp"), severity=WARNING, holds="constraint")
def pip_constraint_removed(command: Command, project: Project) -> Iterator[Advice]:
    if not removes(command):
        return
    loose = let_loose(command, project)
    if loose is None:
        return
    kept = f"{command.name} takes away the constraint file of {loose.image}, which keeps its torch"
    instead = f"sed -i '/^NAME/d' {FILE}  # only what is in the way"
    if loose.replaces is None:
        yield Advice(f"{kept}: nobody is told if {loose.install.written.strip()} replaces it", instead, INFO)
    else:
        related = (Related(loose.replaces.span, "replaces NVIDIA's torch"),)
        yield Advice(f"{kept}: {loose.replaces.written} then replaces it without a word", instead, related=related)


def removes(command: Command) -> bool:
    """Whether the file is gone or empty afterwards: `rm`, `mv FILE …`, `cp /dev/null FILE`."""
    words = [word.value for word in command.arguments]
    if command.name == "cp":
        return words[:1] == ["/dev/null"] and words[-1:] == [FILE]
    return FILE in (words[:1] if command.name == "mv" else words)
