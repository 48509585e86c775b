import re
from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Lock, Package
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, Related, rule

LIBRARIES = re.compile(r"nvidia-.+-cu12")


@rule(on=Lock, named="pipenv", severity=ERROR)
def pipfile_lock_x86(lock: Lock, project: Project) -> Iterator[Advice]:
    packages = [each for each in project.near(lock, Package) if not all(scope.elsewhere for scope in each.scopes)]
    libraries = [each for each in packages if LIBRARIES.fullmatch(each.name)]
    torch = next((each for each in packages if each.name == "torch"), None)
    known = knowledge.package("torch")
    # A build of torch for CUDA 12 from PyTorch's index asks for them on aarch64 too; the default index's is for the CPU there.
    if torch is None or known is None or not libraries or known.cuda(torch.version) != "cpu" or torch.local:
        return
    if not all(knowledge.only_pypi(scope.indexes) for scope in torch.scopes):
        return
    message = (
        f"made on x86-64: Pipenv keeps no machine for the {len(libraries)} CUDA 12 libraries of torch {torch.version}, and a Spark installs them beside a "
        "torch for the CPU"
    )
    yield Advice(
        message,
        f'pipenv upgrade "torch>={known.first("cu13")}"',
        known=known.known(torch.version, cuda=True),
        related=[Related(libraries[0].span, "the first of them")],
    )
