"""What is different between two tables, and what each difference means for those who run spark-lint: a refresh is read before it is kept."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, TypeAlias

from packaging.version import Version

from spark_lint import knowledge
from spark_lint.refresh.ranges import BY_PYTHON, in_order, row_about, verdict
from spark_lint.refresh.writing import versions_of

Row: TypeAlias = Mapping[str, Any]

_MEANS: Final = {
    "wheel": "`pip install` finds a wheel",
    "sdist": "pip compiles it on the Spark",
    "none": "pip finds no matching distribution",
    f"none {BY_PYTHON}": "pip finds it with another Python alone, so no rule speaks of it",
    "foreign": "it installs, with libraries for x86-64",
    "cpu": "a CPU build, so that nothing of it runs on the GPU",
    "cu11": "built for CUDA 11, which does not see the Spark's GPU",
    "cu12": "built for CUDA 12, which does not go with a torch for CUDA 13",
    "cu13": "built for CUDA 13, which a Spark has",
}
# What is left of a package where the index, or a mirror of it, was half there: so a person looks at these.
_LESS: Final = {
    ("wheel", "sdist"),
    ("wheel", "foreign"),
    *((was, none) for was in ("wheel", "sdist") for none in ("none", f"none {BY_PYTHON}")),
}
# Which rule looks at a package, where that is not one for every package.
RULES_OF: Final = {
    "torch": "G1/torch-cpu-only-on-aarch64",
    "torchvision": "G1/torch-index-split",
    "torchaudio": "G1/torch-index-split",
    "bitsandbytes": "G1/bitsandbytes-too-old",
    "vllm": "G1/vllm-before-cuda13",
    "sglang": "G1/sglang-before-cuda13",
    "unsloth": "G1/unsloth-caps-torch",
    "flash-attn": "G2/flash-attn-requirement",
    "xformers": "G2/xformers-attention",
}
RULES_BY: Final = {"none": "G1/package-without-aarch64-wheel", "sdist": "G1/source-build-only-on-aarch64"}
_MOST_NAMED: Final = 6


@dataclass(frozen=True, slots=True)
class Change:
    """A difference in the row of a package, and what it means for users. refused: it is written only where a person says so."""

    name: str
    text: str
    refused: bool = False

    def __str__(self) -> str:
        return f"{self.name} {self.text}"


def changes(name: str, old: Row | None, new: Row | None) -> Iterator[Change]:
    """What is different between two rows of one package, of which one may not be there; nothing for two that are the same."""
    found = list(_changes(name, old, new))
    yield from found
    if not found and old is not None and new is not None:
        keys = [key for key in dict.fromkeys((*old, *new)) if key not in ("as_of", "versions") and old.get(key) != new.get(key)]
        if keys:
            yield Change(name, f"differs in {', '.join(keys)}, which changes no finding")


def _changes(name: str, old: Row | None, new: Row | None) -> Iterator[Change]:
    if old is None or new is None:
        if new is not None:
            said = _said(new, versions_of(new)[-1])
            yield Change(
                name, f"is new in the table, with {_counted(versions_of(new))}; the newest, {versions_of(new)[-1]}: {said}"
            )
        elif old is not None:
            yield Change(name, "is dropped: nothing is known of it any more, and no rule that asks says anything", refused=True)
        return
    before, after = versions_of(old), versions_of(new)
    both = [version for version in after if version in set(before)]
    if gone := in_order(set(before) - set(after)):
        yield Change(
            name,
            f"{_listed(gone)}: not on the index any more (yanked?), so a pin of it is only assumed to be like its neighbours",
            refused=True,
        )
    for span, (was, now) in _moved(after, both, old["aarch64"], new["aarch64"]):
        yield Change(name, f"{span}: {_availability(name, was, now)}", refused=(was, now) in _LESS)
    built = [version for version in both if verdict(new["aarch64"], version) == "wheel"]
    for span, (was, now) in _moved(after, built, old.get("cuda", []), new.get("cuda", [])):
        yield Change(name, f"{span}: {_cuda(name, was, now)}", refused=not now)
    yield from _releases(name, old, new)
    if old["evidence"] != new["evidence"]:
        yield Change(name, f"is known in another way: {old['evidence']} -> {new['evidence']}, which ends each message about it")
    if list(old["checked"]) != list(new["checked"]):
        lost = in_order(set(old["checked"]) - set(new["checked"]))
        came = in_order(set(new["checked"]) - set(old["checked"]))
        parts = [f"also {_listed(came)}"] * bool(came) + [f"no longer {_listed(lost)}"] * bool(lost)
        yield Change(name, f"counts as looked at: {', '.join(parts)}")


def _releases(name: str, old: Row, new: Row) -> Iterator[Change]:
    """The versions that the old row does not hold: newer ones, and those that it left out."""
    known = set(versions_of(old))
    fresh = [version for version in versions_of(new) if version not in known]
    newest = versions_of(old)[-1]
    later = [version for version in fresh if Version(version) > Version(newest)]
    earlier = [version for version in fresh if version not in later]
    for versions in filter(None, (later, earlier)):
        as_said = [version for version in versions if _said(old, version) == _said(new, version)]
        if as_said:
            text = "as assumed, so findings on them count in full now" if versions is later else "as the ranges said"
            yield Change(name, f"{_listed(as_said)}: {'released' if versions is later else 'older, now listed'}, {text}")
        others = [version for version in versions if version not in as_said]
        after = versions_of(new)
        for span, (was, now) in _moved(after, others, old["aarch64"], new["aarch64"]):
            yield Change(name, f"{span}: {_availability(name, was, now)}")
        for span, (was, now) in _moved(after, others, old.get("cuda", []), new.get("cuda", [])):
            yield Change(name, f"{span}: {_cuda(name, was, now)}")


def _moved(
    every: Sequence[str], some: Collection[str], old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Of some versions, the spans of which two sets of ranges say different things, and what they say; none spans one that differs not."""
    wanted = set(some)
    for (was, now), group in groupby(every, lambda version: (_verdict(old, version), _verdict(new, version))):
        versions = [version for version in group if version in wanted]
        if was != now and versions:
            yield _span(versions, every), (was, now)


def _verdict(rows: Sequence[Sequence[str]], version: str) -> str:
    return " ".join(row_about(rows, version)[1:])


def _span(versions: Sequence[str], every: Sequence[str]) -> str:
    first, last = versions[0], versions[-1]
    if first == every[0] and last == every[-1]:
        return "every version"
    if last == every[-1] and len(versions) > 1:
        return f"{first} and later"
    if first == every[0] and len(versions) > 1:
        return f"{last} and earlier"
    return first if len(versions) == 1 else f"{first} to {last}"


def _availability(name: str, was: str, now: str) -> str:
    meaning = _MEANS.get(now, "nothing is known of it")
    told = [f"{rule} no longer reports it"] if (rule := _rule(name, was)) else []
    told += [f"{rule} reports it now"] if (rule := _rule(name, now)) else []
    if len(told) == 2 and _rule(name, was) == _rule(name, now):
        told = [f"{_rule(name, now)} says so"]
    return "; ".join([f"{was or 'unknown'} -> {now or 'unknown'}: now {meaning}", *told])


def _cuda(name: str, was: str, now: str) -> str:
    meaning = _MEANS.get(now, "what it is built for is not known")
    told = f"; {RULES_OF[name]} says so" if name in RULES_OF else ""
    return f"{was or 'unknown'} -> {now or 'unknown'}: {meaning}{told}"


def _rule(name: str, availability: str) -> str:
    if availability == "sdist" and name not in RULES_OF and knowledge.source(name) is None:
        return ""  # what nobody has to compile with care is not reported
    special = RULES_OF.get(name, "")
    return (special or RULES_BY.get(availability, "")) if availability not in ("wheel", "") else ""


def _said(row: Row, version: str) -> str:
    return ", ".join(filter(None, (verdict(row["aarch64"], version), verdict(row.get("cuda", []), version))))


def _listed(versions: Sequence[str]) -> str:
    more = len(versions) - _MOST_NAMED
    return ", ".join([*versions[:_MOST_NAMED], *([f"and {more} more up to {versions[-1]}"] if more > 0 else [])])


def _counted(versions: Sequence[str]) -> str:
    return f"{len(versions)} {'version' if len(versions) == 1 else 'versions'}"
