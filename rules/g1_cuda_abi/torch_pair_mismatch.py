from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.project import Project
from spark_lint.queries import obtained
from spark_lint.rule import ERROR, Advice, Related, rule


@rule(on=Package, named=knowledge.paired_names(), reads={"torch"}, severity=ERROR)
def torch_pair_mismatch(package: Package, project: Project) -> Iterator[Advice]:
    own = [version for version in obtained.pinned(package) if knowledge.torch_for(package.name, version)]
    if not own or not obtained.asked_for(package, project):
        return
    torches = list(obtained.torches_along(package, project))
    pins = [obtained.pinned(torch) for torch in torches]
    if not torches or not all(pins):
        return
    if any(knowledge.goes_with(package.name, version, pin) for version in own for pin in sum(pins, ())):
        return
    torch, pin = torches[0], pins[0][-1]
    wanted = knowledge.torch_for(package.name, own[-1]).removeprefix("==")
    # What a lock holds together is installed together.
    follows = "its libraries do not load" if package.locked else "they are refused together, or torch is replaced"
    message = f"{obtained.shown(package)} goes with torch {wanted}, and not with {pin if torch.locked else obtained.shown(torch)}: {follows}"
    partner = knowledge.partner(package.name, pin)
    instead = f"{package.name}=={partner}" + (f"+{torch.local}" if package.local and torch.local else "")
    related = [Related(torch.span, "the torch it is installed with")]
    yield Advice(message, instead if partner else "", known=knowledge.pair_known(), related=related)
