"""What is known of a model of the hub by its id, OWNER/NAME: typed access to `models.toml`, and what a name itself says."""

import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from spark_lint.knowledge.tables import Table, dated, table
from spark_lint.known import Known

if TYPE_CHECKING:
    from spark_lint.knowledge.model_names import Weights


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model; None or empty where it is not.

    parameters, active: how many there are, and how many each token uses, in billions: 30.5 and 3.3. Of a dense model both are the same.
    part: what these figures are of, where it is not the whole: `denoiser` in a pipeline, whose text encoder and VAE come on top.
    moe: whether it is a mixture of experts.
    layers, kv_heads, head_dim, hidden: of the language model, as its configuration has them; head_dim of one key in the cache.
    bits: of most weights as this id has them, without their scales. quantisation: how they are stored in fewer than 16, `awq`, `gguf`.
    known: what stands behind all of this; assumed where the name only goes on from one that is known, as a finetune's does.
    """

    parameters: float | None
    active: float | None
    part: str
    moe: bool | None
    layers: int | None
    kv_heads: int | None
    head_dim: int | None
    hidden: int | None
    bits: int | None
    quantisation: str
    known: Known


class _Row(NamedTuple):
    group: Table
    values: Table


@lru_cache(maxsize=4096)
def model(written: str) -> ModelFacts | None:
    """What is known of a model; None for a path, a variable, and where neither the table nor the name says anything.

    written: the id as it stands there: `Qwen/Qwen3-8B`, `bartowski/Qwen3-8B-GGUF:Q4_K_M`. A single word may be a folder of one's own,
    so that of these only well-known ones (`gpt2`) are looked up.
    """
    from spark_lint.knowledge import model_names  # its patterns take 8 ms, which only this needs

    id = model_names.parted(written)
    if id is None or (not id[0] and id[1] not in table("models")["bare"]):
        return None
    owner, name = id
    found, weights = _row(name), model_names.weights(owner, name)
    if found is None:
        return _of_name(name, weights)
    row, rest = found
    # What somebody else has made of a model is most often as large, and nobody looked.
    assumed = weights is None and not model_names.as_published(rest, 16)
    if weights is None and model_names.as_published(rest, row.values.get("bits")):
        weights = model_names.Weights(row.values.get("quantisation", ""), row.values.get("bits"))
    return _of_row(row, weights, assumed)


@cache
def unsloth_loader(model: str) -> str:
    """Which of Unsloth's loaders takes a model of the hub: `llama` or `vision`; empty where its name does not tell."""
    name = model.lower()
    # An id of the hub is OWNER/NAME; a folder of one's own may hold any model.
    if not re.fullmatch(r"[\w.-]*\w/[\w.-]+", name):
        return ""
    for row in table("models")["unsloth"]:
        if any(fnmatchcase(name.partition("/")[2], pattern) for pattern in row["match"]):
            found: str = row["loader"]
            return found
    return ""


@cache
def _rows() -> dict[str, _Row]:
    return {name: _Row(group, row) for group in table("models")["group"] for row in group["models"] for name in row["names"]}


def _row(name: str) -> tuple[_Row, str] | None:
    """The row of the longest name that this one is, or goes on from as the same model's; and how it goes on."""
    from spark_lint.knowledge.model_names import same_model

    rows = _rows()
    for stop in range(len(name), 0, -1):
        row, rest = rows.get(name[:stop]), name[stop:]
        if row is not None and rest[:1] in ("", "-", "_", ":"):
            return None if rest and (row.values.get("alone") or not same_model(rest)) else (row, rest)
    return None


def _of_row(row: _Row, weights: "Weights | None", assumed: bool) -> ModelFacts:
    values = row.values
    total: float | None = values.get("parameters")
    moe = "active" in values or bool(values.get("moe"))
    return ModelFacts(
        total,
        values.get("active", None if moe else total),
        row.group.get("part", ""),
        moe,
        values.get("layers"),
        values.get("kv_heads"),
        values.get("head_dim"),
        values.get("hidden"),
        weights.bits if weights else None,
        weights.quantisation if weights else "",
        replace(dated("models", "manual", row.group), assumed=assumed),
    )


def _of_name(name: str, weights: "Weights | None") -> ModelFacts | None:
    from spark_lint.knowledge import model_names

    total, active, moe = model_names.size(name)
    quantisation, bits = weights or ("", None)
    if total is None and moe is None and bits is None and not quantisation:
        return None
    part = model_names.part(name) if total is not None else ""
    known = Known(table("models")["as_of"].isoformat(), "name")
    return ModelFacts(total, active, part, moe, None, None, None, None, bits, quantisation, known)
