"""What is known about the Spark and the software for it: typed access to the dated tables in `rules/knowledge`.

Everything is read when it is first asked for, and once. What is not known stays unknown: None or an empty string.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from re import fullmatch

from spark_lint.knowledge_gpu import (
    Architecture,
    Refusal,
    architectures,
    compiles,
    drawback,
    fp4_defect,
    fp4_suffix_since,
    grade,
    refusal,
    spark_gencode,
    spark_like,
    with_spark,
)
from spark_lint.knowledge_images import ImageFacts, describe, image_instead
from spark_lint.knowledge_pairs import (
    Cap,
    capping_names,
    goes_with,
    paired_names,
    partner,
    public,
    torch_cap,
    torch_for,
    torch_pinning_names,
)
from spark_lint.knowledge_tables import as_of, month, table
from spark_lint.knowledge_wheels import (
    PackageFacts,
    Source,
    cuda12_names,
    cuda13_name,
    extra_advice,
    harmless,
    lacking_names,
    last_torch,
    only_pypi,
    package,
    package_names,
    replacement,
    serves,
    source,
    source_names,
    specifiers,
)
from spark_lint.knowledge_x86 import Download, download

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
    "as_of",
    "capping_names",
    "compiles",
    "cuda12_names",
    "cuda13_name",
    "describe",
    "download",
    "drawback",
    "extra_advice",
    "fp4_defect",
    "fp4_suffix_since",
    "goes_with",
    "grade",
    "harmless",
    "image_instead",
    "lacking_names",
    "last_torch",
    "month",
    "note",
    "only_pypi",
    "package",
    "package_names",
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
    "torch_cap",
    "torch_for",
    "torch_pinning_names",
    "unsloth_loader",
    "with_spark",
]


@dataclass(frozen=True, slots=True)
class Note:
    """A fact kept by hand: its text, the day it was true, and where it is from."""

    text: str
    as_of: str
    source: str


@cache
def note(key: str) -> Note:
    """A fact of `notes.toml`. Raises KeyError for a key that is not there."""
    row = table("notes")["note"][key]
    return Note(row["text"], row["as_of"].isoformat(), row["source"])


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
