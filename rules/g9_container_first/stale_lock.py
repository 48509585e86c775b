from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Stale
from spark_lint.project import Project
from spark_lint.rule import INFO, Advice, Related, rule

COMMANDS = {"uv": "uv lock", "poetry": "poetry lock", "pdm": "pdm lock", "pipfile": "pipenv lock", "pixi": "pixi lock"}


@rule(on=Stale, named=knowledge.package_names(), severity=INFO)
def stale_lock(stale: Stale, project: Project) -> Iterator[Advice]:
    path = stale.lock.path
    if any(other.lock.path == path and _said(other) for other in project.before(stale, Stale, stale.name)):
        return  # several extras ask for it, and one command mends it
    differs = (
        f"{stale.held}, and {stale.written} asks for another"
        if stale.held
        else f"no {stale.name}, which {stale.written} asks for"
    )
    command = COMMANDS.get(path.rpartition("/")[2].lower().removesuffix(".lock"), "")
    yield Advice(f"{path} is out of date: it holds {differs}", command, related=[Related(stale.lock, "locked here")])


def _said(stale: Stale) -> bool:
    return any(not (scope.elsewhere or scope.optional) for scope in stale.scopes)
