from collections.abc import Iterator

from spark_lint.facts import EnvVar
from spark_lint.project import Project
from spark_lint.rule import INFO, WARNING, Advice, Related, rule
from spark_lint.unconstrained import FILE, empties, is_unset, let_loose


@rule(on=EnvVar, named="PIP_CONSTRAINT", severity=WARNING)
def pip_constraint_disabled(variable: EnvVar, project: Project) -> Iterator[Advice]:
    loose = let_loose(variable, project) if empties(variable) else None
    if loose is None:
        return
    how = f"unset {variable.name}" if is_unset(variable) else variable.written.strip()
    kept = f"{how} switches off the constraint file of {loose.image}, which keeps its torch"
    instead = f"sed -i '/^NAME/d' {FILE}  # only what is in the way"
    if loose.replaces is None:
        yield Advice(f"{kept}: nobody is told if {loose.install.written.strip()} replaces it", instead, INFO)
    else:
        related = (Related(loose.replaces.span, "replaces NVIDIA's torch"),)
        yield Advice(f"{kept}: {loose.replaces.written} then replaces it without a word", instead, related=related)
