from collections.abc import Iterator
from itertools import islice

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries import obtained
from spark_lint.rule import ERROR, LIKELY, WARNING, Advice, rule

NO_DEPENDENCIES = {"--no-deps", "--no-dependencies"}


@rule(on=Package, named=knowledge.capping_names(), reads={"torch"}, severity=ERROR)
def unsloth_caps_torch(package: Package, project: Project) -> Iterator[Advice]:
    known, torch = knowledge.package(package.name), knowledge.package("torch")
    newest = next(reversed(obtained.releases(package, project)), "")
    cap = knowledge.torch_cap(package.name, newest) if newest else None
    if known is None or torch is None or cap is None or torch_is_settled(package, project):
        return
    installer = installer_of(package, project)
    torches = {name: version for name, version in (("pip", cap.pip), ("uv", cap.uv)) if installer in ("", name)}
    bad = {name: version for name, version in torches.items() if torch.cuda(version) == "cpu"}
    if not bad:
        return
    who = f" with {', '.join(bad)}" if len(bad) < len(torches) else ""
    message = (
        f"{obtained.shown(package)} asks for torch{cap.cap}: a Spark gets {[*bad.values()][-1]}{who}, a build for the CPU alone"
    )
    unknown = obtained.unknown_image(package)
    severity = WARNING if who or unknown else None
    first = next(
        each for each in known.versions if obtained.follows(each, newest) and not knowledge.torch_cap(package.name, each)
    )
    behind = weakest(knowledge.cap_known(), *(torch.known(version, cuda=True) for version in bad.values()))
    yield Advice(message, f"{package.name}>={first}", severity, LIKELY if unknown else None, behind)


def installer_of(package: Package, project: Project) -> str:
    """The program that resolves it, `pip` or `uv`; empty for the list in a file, which either may install, and for any other."""
    if package.scope.installer in ("pip", "uv"):
        return package.scope.installer
    return package.manager if package.manager == "uv" or (package.manager == "pip" and project.around(package)) else ""


def torch_is_settled(package: Package, project: Project) -> bool:
    """Whether torch comes from somewhere else, or its own line is the one to speak of."""
    image = package.scope.image
    if image is not None and knowledge.describe(image).ships("torch") and project.ships(package, "torch"):
        return True
    if not knowledge.only_pypi(package.scope.indexes) or NO_DEPENDENCIES & (package.flags | package.scope.flags):
        return True
    near = [*obtained.torches(package, project), *islice(project.installed_before(package, "torch"), obtained.MOST_EARLIER)]
    torch = knowledge.package("torch")
    newest = {next(reversed(obtained.admitted(each)), "") for each in near}
    return any(obtained.brought(near)) or any(torch is not None and torch.cuda(version) == "cpu" for version in newest)
