"""What the id of a model of the hub says by itself: whether it is one, how large the model is, how its weights are stored."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from spark_lint.text import UNKNOWN

# https://huggingface.co/docs/huggingface_hub/package_reference/utilities (validate_repo_id); behind a colon llama.cpp and Ollama name a file.
_ID: Final = re.compile(r"\w[\w.-]{0,95}/\w[\w.-]{0,95}(?::\w[\w.-]{0,40})?", re.ASCII)
_FOLDER: Final = re.compile(
    "cache|checkpoints?|ckpts?|content|data|datasets?|exp|experiments|home|local|logs|mnt|models?|opt|out|outputs?|path|pretrained|"
    "pretrained_models|results|root|runs|saved|saved_models|src|tests|tmp|usr|var|weights|work|workspace"
)
"""What is no owner but a folder of one's own, in which any model may be."""
_LONGEST: Final = 250
_FILE: Final = re.compile(r"\.(?:bin|ckpt|gguf|json|nemo|onnx|pth?|py|safetensors|tar|txt|ya?ml|zip)$")
_NO_WHOLE_MODEL: Final = re.compile(
    r"(?<![a-z])(?:[qd]?lora|lo[hk][ar]|adapters?|controlnet|medusa|dflash|draft(?:er)?|assistant|speculators?|tokenizers?|"
    r"mmproj|vae|random|pruned?|dummy|fake|debug|\d{1,3}l(?:ayers?)?|\d{1,3}-?layers?)(?![a-z])|eagle"
)
"""What is beside a model, and what was cut from one: the size in such a name is often another's."""

_SIZE: Final = re.compile(
    r"(?<![a-z0-9.])(?<![0-9]_)(?P<experts>\d{1,3}x)?(?P<number>\d{1,4}(?:\.\d{1,3})?|[01]_\d)(?P<unit>[bmt])(?P<tenth>\d)?"
    r"(?P<of>[-_x]\d{1,3}e)?(?![a-z0-9])(?![-_]?tok(?:en)?s?(?![a-z]))"
)
_ACTIVE: Final = re.compile(r"(?<![a-z0-9.])a(\d{1,3}(?:\.\d{1,3})?)b(?![a-z0-9])")
_SMALLEST: Final = 14
"""In millions: fewer may be a context (`-1M`, `UltraLong-4M`) as well."""
_NOT_ALL: Final = re.compile(r"omni|vila|blip|(?<![a-z])moe(?![a-z])|merge|franken|upscal")
"""Words beside which a size is that of a part, or of one of several."""
_DENOISER: Final = re.compile(
    r"(?<![a-z])(?:[ist]2v|ti2v|v2v|flf2v|[it]2i|diffusers|text2image|video2world|text2world)(?![a-z])|"
    r"^(?:auraflow|chroma|cogvideo|cogview|cosmos-(?:diffusion|predict|transfer)|flux|hunyuanvideo|kandinsky|ltx|lumina|mochi|pixart|"
    r"qwen-image|sana|sdxl|stable-diffusion|stable-video|wan|z-image)"
)

_OTHER: Final = re.compile(
    r"(?<![a-z])(?:lite|nano|micro|tiny|mini|small|medium|large|xl|xxl|air|flash|pro|max|vision|vl|omni|audio|video|moe|reap|distill\w*)"
    r"(?![a-z])|merge|franken|upscal"
)
"""Words behind a name in the table that make it another model's."""

_PUBLISHED: Final = re.compile(r"(?:-(?:instruct|thinking|reasoning|chat|it|pt|hf|base|diffusers|\d{4}))*")
"""How the makers' own uploads go on, which are stored alike. What others have trained may not be."""

_QUANT: Final = re.compile(r"(?<![a-z0-9])i?q([1-8])_(?:[01k]|xxs|xs|s|m|nl)(?![a-z0-9])")
_NUMBER: Final = re.compile(r"(?<![a-z0-9])(?<![0-9]\.)(?:w([2-8])a\d{1,2}|u?int([2-8])|([2-8])-?bits?)(?![a-z0-9])")
_METHODS: Final = tuple(
    (re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])"), quantisation, bits)
    for words, quantisation, bits in (
        ("nvfp4(?:a16)?", "nvfp4", 4),
        ("mxfp4", "mxfp4", 4),
        ("awq", "awq", 4),
        ("gptq(?:model|v2)?", "gptq", None),
        ("nf4|bnb-4-?bit", "bnb-4bit", 4),
        ("bnb-(?:8-?bit|int8)", "bnb-8bit", 8),
        ("gguf", "gguf", None),
        ("mlx", "mlx", None),
        ("fp8", "fp8", 8),
        ("fp4", "", 4),
        ("mxfp8", "", 8),
    )
)
_UNTOLD: Final = re.compile(r"(?:un|de|pre)quantized")
_FULL: Final = re.compile(r"(?<![a-z0-9])(?:(bf16|fp16|f16|bfloat16|float16)|(?:fp32|f32|float32))(?![a-z0-9])")


class Weights(NamedTuple):
    """How weights are stored. quantisation: one of QUANTISATIONS, or empty. bits: of most of them; None where that is not told."""

    quantisation: str
    bits: int | None


QUANTISATIONS: Final = ("awq", "gptq", "fp8", "nvfp4", "mxfp4", "bnb-4bit", "bnb-8bit", "gguf", "mlx")


def parted(written: str) -> tuple[str, str] | None:
    """Owner and name in an id as it is written, in lower case, no owner for a single word; None for a path, a variable, a part of a model."""
    whole = written.strip().lower()
    if UNKNOWN in whole or len(whole) > _LONGEST:
        return None
    owner, slash, name = whole.rpartition("/")
    if slash and (not _ID.fullmatch(whole) or _FOLDER.fullmatch(owner)):
        return None
    return None if _FILE.search(name) or _NO_WHOLE_MODEL.search(name) else (owner, name)


def same_model(rest: str) -> bool:
    """Whether a known name that goes on like this (`-instruct`) is still the same model's, or names another size or kind."""
    return not (_OTHER.search(rest) or _SIZE.search(rest) or _ACTIVE.search(rest))


def as_published(rest: str, bits: int | None) -> bool:
    """Whether what goes on like this is stored as its makers publish it, with so many bits. A base model has often more."""
    return _PUBLISHED.fullmatch(rest) is not None and not ("base" in rest and bits != 16)


def part(name: str) -> str:
    """What a size in a name is of, where it is not the whole: `denoiser`."""
    return "denoiser" if _DENOISER.search(name) else ""


def size(name: str) -> tuple[float | None, float | None, bool | None]:
    """Parameters, active ones, and whether it is a mixture of experts, as the name says."""
    found = list(_SIZE.finditer(name))
    actives = {float(match[1]) for match in _ACTIVE.finditer(name)}
    active = actives.pop() if len(actives) == 1 else None
    if any(match["experts"] for match in found):
        return None, active, True  # 8x7B: the experts share the rest, so that the product is not the total
    sizes = set(_billions(found, with_active=active is not None))
    total = sizes.pop() if len(sizes) == 1 else None
    if actives or any(match["of"] for match in found):
        return None, None, None
    if active is not None:
        return (total, active, True) if total is None or active < total else (None, None, None)
    return (None if _NOT_ALL.search(name) else total), None, None  # 30B alone may be a mixture too


def _billions(found: list[re.Match[str]], with_active: bool) -> Iterator[float]:
    in_billions = any(match["unit"] == "b" for match in found)
    for match in found:
        number = float(match["number"].replace("_", ".") + (f".{match['tenth']}" if match["tenth"] else ""))
        if match["unit"] == "b":
            yield number
        elif match["unit"] == "t" and with_active:  # of `1T` alone it may be trained
            yield number * 1000
        elif match["unit"] == "m" and number >= _SMALLEST and not in_billions:
            yield number / 1000


def weights(owner: str, name: str) -> Weights | None:
    """How an id says that its weights are stored; None where it says nothing of it."""
    if _UNTOLD.search(name):
        return Weights("", None)
    quant, number, full = _QUANT.search(name), _NUMBER.search(name), _FULL.search(name)
    if quant:
        return Weights("gguf", int(quant[1]))
    said = next((int(digit) for digit in number.groups() if digit), None) if number else None
    for words, quantisation, bits in _METHODS:
        if words.search(name):
            # NVIDIA's uploads that end in -FP4 are NVFP4. In a -FP16Mix some are, and nobody says how many.
            method = "nvfp4" if (owner, bits, quantisation) == ("nvidia", 4, "") else quantisation
            return Weights(method, None if "mix" in name else said if method in ("awq", "gptq", "mlx") and said else bits)
    if said or full:
        whole = 16 if full and full[1] else 32
        return Weights("mlx" if said and owner == "mlx-community" else "", said or whole)
    return None
