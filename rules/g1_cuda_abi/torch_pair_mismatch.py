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


@rule(on=Package, named="triton", reads={"torch"}, severity=ERROR)
def another_triton(package: Package, project: Project) -> Iterator[Advice]:
    triton, own = knowledge.package("triton"), obtained.pinned(package)
    # Of what has no wheel, package-without-aarch64-wheel says so. What a lock holds together its resolver has put together.
    if triton is None or not own or package.locked or not any(triton.aarch64(version) == "wheel" for version in own):
        return
    torches = list(obtained.torches_along(package, project))
    pins = [pin for torch in torches for pin in obtained.pinned(torch)]
    asked = [knowledge.brought_by_torch("triton", pin) for pin in pins]
    if not asked or not all(asked) or not all(obtained.pinned(torch) for torch in torches):
        return
    if any(version in knowledge.specifiers(each) for version in own for each in asked):
        return
    message = f"{obtained.shown(torches[0])} asks for triton{asked[-1]}, and not for {obtained.shown(package)}: they are refused together"
    related = [Related(torches[0].span, "the torch it is installed with")]
    yield Advice(message, f"triton{asked[-1]}", known=knowledge.pair_known(), related=related)
