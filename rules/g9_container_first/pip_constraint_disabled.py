from collections.abc import Iterator

from spark_lint.facts import Command, EnvVar
from spark_lint.project import Project
from spark_lint.queries.unconstrained import FILE, empties, is_unset, let_loose
from spark_lint.rule import INFO, WARNING, Advice, Related, rule


@rule(on=EnvVar, named="PIP_CONSTRAINT", severity=WARNING)
def switched_off(variable: EnvVar, project: Project) -> Iterator[Advice]:
    if empties(variable):
        how = f"unset {variable.name}" if is_unset(variable) else variable.written.strip()
        yield from told(variable, f"{how} switches off", project)


@rule(on=Command, named=("rm", "mv", "unlink", "truncate", "cp"), severity=WARNING, holds="constraint")
def taken_away(command: Command, project: Project) -> Iterator[Advice]:
    if removes(command):
        yield from told(command, f"{command.name} takes away", project)


def told(fact: Command | EnvVar, how: str, project: Project) -> Iterator[Advice]:
    """What is said where something that follows may replace the image's torch."""
    loose = let_loose(fact, project)
    if loose is None:
        return
    kept = f"{how} the constraint file of {loose.image}, which keeps its torch"
    instead = f"sed -i '/^NAME/d' {FILE}  # only what is in the way"
    if loose.replaces is None:
        yield Advice(f"{kept}: nobody is told if {loose.install.written.strip()} replaces it", instead, INFO, known=loose.known)
    else:
        related = (Related(loose.replaces.span, "replaces NVIDIA's torch"),)
        yield Advice(
            f"{kept}: {loose.replaces.written} then replaces it without a word", instead, known=loose.known, related=related
        )


def removes(command: Command) -> bool:
    """Whether the file is gone or empty afterwards: `rm`, `mv FILE …`, `cp /dev/null FILE`."""
    words = [word.value for word in command.arguments]
    if command.name == "cp":
        return words[:1] == ["/dev/null"] and words[-1:] == [FILE]
    return FILE in (words[:1] if command.name == "mv" else words)
