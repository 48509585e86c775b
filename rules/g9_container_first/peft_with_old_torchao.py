from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Command, Package
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries.over_images import (
    Over,
    admits_newer_peft,
    along,
    flags_of,
    older,
    over_nvidia_torch,
    torchao_for_peft,
    torchao_known,
)
from spark_lint.rule import ERROR, LIKELY, WARNING, Advice, rule
from spark_lint.text import UNKNOWN

# Extras that ask for peft, without an upper bound: in the metadata of trl 1.16.0.
EXTRAS = {"trl": "peft"}
LAST_TOO_OLD = "25.12"  # of 26.01 to 26.03 it is not known


@rule(on=Package, named=("peft", *EXTRAS), severity=ERROR)
def peft_with_old_torchao(package: Package, project: Project) -> Iterator[Advice]:
    over = over_nvidia_torch(package, project)
    if over is None or not takes_newer_peft(package) or not too_old(over) or torchao_changes(package, project):
        return
    if package.name != "peft" and any(along(package, project, "peft")):
        return
    if any(bounds(other) for other in project.near(package, Package, "peft") if other.span != package.span):
        return
    version = over.version("torchao")
    what = (
        f"the torchao {version} of {over.image}"
        if version
        else f"the torchao of {over.image}, which is no newer than the 0.15 of 25.12"
    )
    message = f"{package.written} {'is' if package.name == 'peft' else 'brings peft'} 0.19 or later, which refuses {what}: ImportError where LoRA is attached"
    severity, confidence = (None, None) if version else (WARNING, LIKELY)
    yield Advice(
        message,
        f"peft<0.19, or torchao=={torchao_for_peft()} as well",
        severity,
        confidence,
        weakest(over.facts.known, torchao_known()),
    )


def takes_newer_peft(package: Package) -> bool:
    """Whether pip takes a peft that is new enough to refuse an old torchao."""
    if package.name in EXTRAS:
        return EXTRAS[package.name] in package.extras and "--no-deps" not in flags_of(package)
    return not package.url and admits_newer_peft(package.specifier)


def too_old(over: Over) -> bool:
    """Whether the image's torchao is older than a new peft takes; in the months between those that are known it is as well."""
    version = over.version("torchao")
    return older(version, torchao_for_peft()) if version else "" < over.facts.month <= LAST_TOO_OLD


def torchao_changes(package: Package, project: Project) -> bool:
    """Whether something around it brings a new torchao, or takes the old one away."""
    if any(uninstalls(command) for command in project.near(package, Command, "pip", "uv")):
        return True
    return any(replaces(other) for other in project.near(package, Package, "torchao", "ao") if other.role == "requirement")


def uninstalls(command: Command) -> bool:
    words = [word.value for word in command.arguments]
    return "uninstall" in words[:2] and any(word == "torchao" or UNKNOWN in word for word in words)


def replaces(torchao: Package) -> bool:
    """Whether an install ends with a torchao that is new enough: pip leaves the old one where it meets the line."""
    upgraded = any("--upgrade" in (torchao.flags | scope.flags) for scope in torchao.scopes)
    admitted = knowledge.specifiers(torchao.specifier)
    if torchao.name != "torchao":
        return "pytorch/ao" in torchao.url  # its repository has another name
    if torchao.url or UNKNOWN in torchao.specifier or (upgraded and not torchao.specifier):
        return True
    pinned = next((part.version for part in admitted if part.operator == "=="), "")
    if pinned:
        return not older(pinned.removesuffix(".*"), torchao_for_peft())
    return bool(torchao.specifier) and not any(version in admitted for version in ("0.14.0", "0.15.0"))


def bounds(other: Package) -> bool:
    """Whether another line, such as one of a constraints file, keeps peft old."""
    return not admits_newer_peft(other.specifier) and any(not scope.elsewhere for scope in other.scopes)
