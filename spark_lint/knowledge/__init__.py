"""What is known about the Spark and the software for it: typed access to the dated tables in `rules/knowledge`.

Everything is read when it is first asked for, and once. What is not known stays unknown: None or an empty string.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from re import fullmatch

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
from spark_lint.knowledge.packages import (
    Source,
    cuda12_names,
    cuda13_name,
    extra_advice,
    harmless,
    last_torch,
    only_pypi,
    packages_known,
    replacement,
    serves,
    source,
    source_names,
)
from spark_lint.knowledge.pairs import (
    Cap,
    cap_known,
    capping_names,
    goes_with,
    pair_known,
    paired_names,
    partner,
    public,
    torch_cap,
    torch_for,
    torch_pinning_names,
)
from spark_lint.knowledge.tables import as_of, dated, table
from spark_lint.knowledge.wheels import PackageFacts, lacking_names, package, package_known, package_names, specifiers
from spark_lint.knowledge.x86 import Download, download
from spark_lint.known import Known

__all__ = [
    "Architecture",
    "Cap",
    "Download",
    "ImageFacts",
    "Note",
    "PackageFacts",
    "Refusal",
    "Source",
    "architectures",
    "architectures_known",
    "as_of",
    "cap_known",
    "capping_names",
    "compiles",
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
    "image_instead",
    "lacking_names",
    "last_torch",
    "note",
    "only_pypi",
    "package",
    "package_known",
    "package_names",
    "packages_known",
    "pair_known",
    "paired_names",
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
    "toolkit_known",
    "torch_cap",
    "torch_for",
    "torch_pinning_names",
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


@cache
def unsloth_loader(model: str) -> str:
    """Which of Unsloth's loaders takes a model of the hub: `llama` or `vision`; empty where its name does not tell."""
    name = model.lower()
    # An id of the hub is OWNER/NAME; a folder of one's own may hold any model.
    if not fullmatch(r"[\w.-]*\w/[\w.-]+", name):
        return ""
    for row in table("models")["family"]:
        if any(fnmatchcase(name.partition("/")[2], pattern) for pattern in row["match"]):
            found: str = row["loader"]
            return found
    return ""
