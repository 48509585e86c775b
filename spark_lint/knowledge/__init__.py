"""What is known about the Spark and the software for it: typed access to the dated tables in `rules/knowledge`.

Everything is read when it is first asked for, and once. What is not known stays unknown: None or an empty string.
"""

from dataclasses import dataclass
from functools import cache

from spark_lint.knowledge.gpu import (
    Architecture,
    Refusal,
    architectures,
    architectures_known,
    compiles,
    cuda_known,
    drawback,
    fp4_defect,
    fp4_known,
    fp4_suffix_since,
    grade,
    refusal,
    spark_gencode,
    spark_like,
    toolkit_known,
    with_spark,
)
from spark_lint.knowledge.images import ImageFacts, describe, image_instead
from spark_lint.knowledge.models import ModelFacts, model, unsloth_loader
from spark_lint.knowledge.packages import (
    Source,
    cuda12_extras,
    cuda12_names,
    cuda13_name,
    extra_advice,
    harmless,
    hosts_of,
    last_torch,
    named_by_hand,
    only_pypi,
    packages_known,
    replacement,
    serves,
    source,
    source_names,
)
from spark_lint.knowledge.pairs import (
    Cap,
    brought_by_torch,
    cap_known,
    capping_names,
    caps_of,
    goes_with,
    pair_known,
    paired_names,
    pairs_of,
    partner,
    public,
    torch_cap,
    torch_for,
    torch_pinning_names,
)
from spark_lint.knowledge.tables import as_of, dated, stale, table
from spark_lint.knowledge.traps import Trap, brings, traps_with
from spark_lint.knowledge.wheels import PackageFacts, Range, lacking_names, package, package_known, package_names, specifiers
from spark_lint.knowledge.x86 import Download, download
from spark_lint.known import Known

__all__ = [
    "Architecture",
    "Cap",
    "Download",
    "ImageFacts",
    "ModelFacts",
    "Note",
    "PackageFacts",
    "Range",
    "Refusal",
    "Source",
    "Trap",
    "architectures",
    "architectures_known",
    "as_of",
    "brings",
    "brought_by_torch",
    "cap_known",
    "capping_names",
    "caps_of",
    "compiles",
    "cuda12_extras",
    "cuda12_names",
    "cuda13_name",
    "cuda_known",
    "describe",
    "download",
    "drawback",
    "extra_advice",
    "fp4_defect",
    "fp4_known",
    "fp4_suffix_since",
    "goes_with",
    "grade",
    "harmless",
    "hosts_of",
    "image_instead",
    "lacking_names",
    "last_torch",
    "model",
    "named_by_hand",
    "note",
    "only_pypi",
    "package",
    "package_known",
    "package_names",
    "packages_known",
    "pair_known",
    "paired_names",
    "pairs_of",
    "partner",
    "public",
    "refusal",
    "replacement",
    "serves",
    "source",
    "source_names",
    "spark_gencode",
    "spark_like",
    "specifiers",
    "stale",
    "toolkit_known",
    "torch_cap",
    "torch_for",
    "torch_pinning_names",
    "traps_with",
    "unsloth_loader",
    "with_spark",
]


@dataclass(frozen=True, slots=True)
class Note:
    """A fact kept by hand: its text, and what stands behind it."""

    text: str
    known: Known


@cache
def note(key: str) -> Note:
    """A fact of `notes.toml`. Raises KeyError for a key that is not there."""
    row = table("notes")["note"][key]
    return Note(row["text"], dated("notes", "manual", row))
