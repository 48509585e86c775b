"""What is known of a package, an image or a model, for `spark-lint explain NAME`: as values that JSON can hold."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from spark_lint import knowledge
from spark_lint.check import check_texts
from spark_lint.config import Config
from spark_lint.facts import Locked, Package
from spark_lint.knowledge import ImageFacts, PackageFacts
from spark_lint.known import Known
from spark_lint.load import RuleSet
from spark_lint.names.machines import marker_holds
from spark_lint.read.reference import image
from spark_lint.text import Source, Text

if TYPE_CHECKING:
    from packaging.requirements import Requirement

Object: TypeAlias = dict[str, Any]

SCHEMA: Final = 1
"""The version of the objects: a key may come, none goes or changes its meaning, without another one."""


def known_of(asked: str, rules: RuleSet) -> Object | None:
    """What is known of a requirement (`torch`, `jax[cuda12]`, `vllm>=0.9,<0.11`), of an image (`nvcr.io/nvidia/pytorch:25.11-py3`) or of a
    model (`Qwen/Qwen3-8B`).

    None for what is none of these, and for that of which nothing is known.
    """
    return _package(asked, rules) or _image(asked, rules) or _model(asked)


def names() -> set[str]:
    """Every package of which something is known."""
    return {*knowledge.package_names(), *knowledge.named_by_hand()}


def _package(asked: str, rules: RuleSet) -> Object | None:
    from packaging.utils import canonicalize_name

    requirement = _requirement(asked)
    name = canonicalize_name(requirement.name) if requirement is not None else ""
    if requirement is None or requirement.url or name not in names():
        return None
    facts = knowledge.package(name)
    by_hand = knowledge.packages_known()
    measured = _measured(facts) if facts is not None else {}
    wanted = _asked(facts, asked, requirement) if facts is not None else None
    says = list(_says("requirements.txt", f"{asked}\n", rules))
    advised = any(each["advice"].startswith(f"{name}>=") for each in says)
    return {
        "schema": SCHEMA,
        "kind": "package",
        "name": name,
        "as_of": facts.as_of if facts is not None else by_hand.as_of,
        "asked": wanted,
        **measured,
        "note": facts.note if facts is not None else "",
        "instead": list(_instead(name, requirement.extras, None if advised else facts, wanted)),
        "elsewhere": list(knowledge.hosts_of(name)),
        "harmless": knowledge.harmless(name),
        "build": _build(name, str(requirement.specifier), facts),
        "pairs": [
            {"versions": own, "torch": torch}
            for own, torch in knowledge.pairs_of(name)
            if not requirement.specifier or not wanted or wanted["version"] in knowledge.specifiers(own)
        ],
        "partners": _partners(name, str(requirement.specifier), facts),
        "caps": [{"versions": own, "torch": cap.cap, "pip": cap.pip, "uv": cap.uv} for own, cap in knowledge.caps_of(name)],
        "resolutions": list(_resolutions(name, requirement, wanted["version"] if wanted else "")),
        "rules": sorted({rule.code for rule in rules.rules if rule.on in (Package, Locked) and name in rule.named}),
        "says": says,
    }


def _requirement(written: str) -> "Requirement | None":
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        return Requirement(written)
    except InvalidRequirement:
        return None


def _measured(facts: PackageFacts) -> Object:
    known = facts.known(facts.newest_checked, cuda=True)
    return {
        "availability": [
            {"versions": each.versions, "verdict": each.verdict, "other_python": each.by_python} for each in facts.availability
        ],
        "cuda": [{"versions": each.versions, "built_for": each.verdict} for each in facts.builds],
        "evidence": known.evidence,
        "source": known.source,
        "checked": list(facts.checked),
        "newest": {"version": facts.versions[-1], "day": facts.newest_day},
    }


def _asked(facts: PackageFacts, asked: str, requirement: "Requirement") -> Object:
    """The release that a Spark gets of a requirement, and what is known of it; no version where no known one is admitted, or where its
    marker does not hold on a Spark.
    """
    elsewhere = requirement.marker is not None and marker_holds(str(requirement.marker), "3.12") is False
    version = "" if elsewhere else _chosen(facts, str(requirement.specifier))
    if not version:
        return {"requirement": asked, "elsewhere": elsewhere, "version": ""}
    return {
        "requirement": asked,
        "elsewhere": elsewhere,
        "version": version,
        "verdict": facts.aarch64(version),
        "other_python": facts.by_python(version),
        "built_for": facts.cuda(version),
        "known": _said(facts.known(version, cuda=bool(facts.cuda(version)))),
    }


def _chosen(facts: PackageFacts, specifier: str) -> str:
    """The newest release that is admitted and can be installed, else the newest that is admitted; empty for none."""
    admitted = list(reversed(facts.matching(specifier)))
    return next((version for version in admitted if facts.aarch64(version) != "none"), next(iter(admitted), ""))


def _instead(name: str, extras: set[str], facts: PackageFacts | None, asked: Object | None) -> Iterator[Object]:
    """What to write in its place, and why. facts: none where a finding names the release to take."""
    if other := knowledge.replacement(name):
        yield {"for": name, "write": other, "why": "nothing-for-aarch64"}
    if (renamed := knowledge.cuda13_name(name)) is not None and not knowledge.harmless(name):
        yield {"for": name, "write": renamed, "why": "cuda-13-name"}
    for extra, advice in knowledge.cuda12_extras(name).items():
        if not extras or extra in extras:
            yield {"for": f"{name}[{extra}]", "write": advice, "why": "cuda-12-extra"}
    first = facts.first("cu13") if facts is not None else ""
    if first and asked is not None and asked.get("built_for") in ("cpu", "cu11", "cu12"):
        yield {"for": name, "write": f"{name}>={first}", "why": "first-for-cuda-13"}


def _build(name: str, specifier: str, facts: PackageFacts | None) -> Object | None:
    """What it needs to be compiled on a Spark; None where it need not be."""
    source = knowledge.source(name)
    if source is None:
        return None
    version = _chosen(facts, specifier) if facts is not None else ""
    return {
        "needs_torch": source.torch,
        "one_of": list(source.unseen),
        "fails_without": source.stops,
        "cmake_args": list(source.cmake),
        "forced_by": source.forced(version) if version else "",
        "better": source.better,
        "repository": source.git,
        "note": source.note,
        "known": _said(knowledge.packages_known()),
    }


def _partners(name: str, specifier: str, facts: PackageFacts | None) -> list[str]:
    """The newest releases of the packages that go with the torch that was asked for, and the triton that it brings."""
    if name != "torch" or facts is None:
        return []
    torch = _chosen(facts, specifier)
    found = ((other, knowledge.partner(other, torch)) for other in knowledge.paired_names())
    triton = knowledge.brought_by_torch("triton", torch)
    return [*(f"{other}=={version}" for other, version in found if version), *([f"triton{triton}"] if triton else [])]


def _resolutions(name: str, requirement: "Requirement", version: str) -> Iterator[Object]:
    """What clients install for sets of requirements that ask for the same extras and, where some are asked for, for this release."""
    for trap in knowledge.traps_with(name):
        asked = next(
            each for each in map(_requirement, trap.asked) if each is not None and each.name.replace("_", "-").lower() == name
        )
        pinned = not requirement.specifier or (asked.specifier and version in knowledge.specifiers(str(asked.specifier)))
        if pinned and (not requirement.extras or requirement.extras & asked.extras):
            yield {
                "requirements": list(trap.asked),
                "picked": list(trap.picked),
                "torch": trap.torch,
                "built_for": trap.cuda,
                "cuda12": list(trap.cu12),
                "error": trap.error,
                "note": trap.note,
                "known": _said(trap.known),
            }


def _image(asked: str, rules: RuleSet) -> Object | None:
    reference = image(Text.of(Source("", asked)), role="run")
    facts = knowledge.describe(reference)
    if not _is_known(facts) or any(sign.isspace() for sign in asked):
        return None
    return {
        "schema": SCHEMA,
        "kind": "image",
        "name": reference.name,
        "as_of": facts.known.as_of,
        "tag": reference.tag,
        "family": facts.family,
        "cuda": facts.cuda,
        "severity": str(facts.grade) if facts.grade is not None else None,
        "arm64": facts.arm64,
        "month": facts.month,
        "moving": facts.moving,
        "for_gpu": facts.for_gpu,
        "made_for": facts.other_machine,
        "ships": [{"name": name, "version": version} for name, version in facts.shipped],
        "nvidia_torch": facts.nvidia_torch,
        "python": facts.python,
        "driver": facts.driver,
        "drawback": facts.drawback,
        "instead": facts.instead,
        "note": facts.note,
        "known": _said(facts.known),
        "arm64_known": _said(facts.arm64_known),
        "says": list(_says("Dockerfile", f"FROM {asked}\n", rules)),
    }


def _model(asked: str) -> Object | None:
    facts = knowledge.model(asked)
    if facts is None:
        return None
    return {
        "schema": SCHEMA,
        "kind": "model",
        "name": asked,
        "as_of": facts.known.as_of,
        "parameters": facts.parameters,
        "active": facts.active,
        "part": facts.part,
        "mixture_of_experts": facts.moe,
        "layers": facts.layers,
        "kv_heads": facts.kv_heads,
        "head_dim": facts.head_dim,
        "hidden": facts.hidden,
        "bits": facts.bits,
        "quantisation": facts.quantisation,
        "unsloth_loader": knowledge.unsloth_loader(asked),
        "known": _said(facts.known),
    }


def _is_known(facts: ImageFacts) -> bool:
    return bool(facts.family or facts.cuda or facts.other_machine or facts.arm64 is not None)


def _said(known: Known) -> Object:
    return {"as_of": known.as_of, "evidence": known.evidence, "source": known.source, "assumed": known.assumed}


def _says(path: str, text: str, rules: RuleSet) -> Iterator[Object]:
    """What spark-lint says of a file that asks for it and for nothing else."""
    for finding in check_texts({path: text}, Config(), rules=rules).report().findings:
        yield {
            "code": finding.code,
            "severity": str(finding.severity),
            "confidence": str(finding.confidence),
            "message": finding.message,
            "advice": finding.instead,
        }
