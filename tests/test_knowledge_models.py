"""What is known of a model by its id: from the table, from the name itself, and nothing where neither tells."""

import pytest

from spark_lint import knowledge
from spark_lint.knowledge.model_names import QUANTISATIONS
from spark_lint.knowledge.tables import table
from spark_lint.known import EVIDENCE
from spark_lint.text import UNKNOWN

GROUPS = table("models")["group"]
ROWS = [row for group in GROUPS for row in group["models"]]
KEYS = {
    "names",
    "parameters",
    "active",
    "part",
    "moe",
    "layers",
    "kv_heads",
    "head_dim",
    "hidden",
    "bits",
    "quantisation",
    "alone",
}


def known_of(id: str) -> knowledge.ModelFacts:
    found = knowledge.model(id)
    assert found is not None, id
    return found


@pytest.mark.parametrize(
    ("id", "parameters", "active"),
    [
        pytest.param("Qwen/Qwen3-8B", 8.19, 8.19, id="dense"),
        pytest.param("Qwen/Qwen3-30B-A3B-Instruct-2507", 30.5, 3.3, id="a mixture, more exactly than its name"),
        pytest.param("mistralai/Mixtral-8x7B-Instruct-v0.1", 46.7, 12.9, id="not 8 times 7"),
        pytest.param("meta-llama/Llama-4-Scout-17B-16E-Instruct", 109, 17, id="the name has the active ones"),
        pytest.param("openai/gpt-oss-120b", 117, 5.1, id="the name rounds"),
        pytest.param("deepseek-ai/DeepSeek-R1-0528", 671, 37, id="the name has none"),
        pytest.param("zai-org/GLM-4.5-Air-FP8", 106, 12, id="the longer name first"),
        pytest.param("Qwen/Qwen2.5-Omni-7B", 11, 11, id="the name is that of a part"),
        pytest.param("google/gemma-3n-E4B-it", 8, 8, id="the name has the effective ones"),
        pytest.param("UNSLOTH/META-LLAMA-3.1-8B-Instruct", 8.03, 8.03, id="whoever uploaded it, in any case"),
        pytest.param("gpt2", 0.124, 0.124, id="a well-known one without an owner"),
        pytest.param("google-bert/bert-base-uncased", 0.11, 0.11, id="and with one"),
        pytest.param("openai/whisper-large-v3", 1.55, 1.55, id="speech"),
        pytest.param("openai/whisper-large-v3-turbo", 0.809, 0.809, id="its smaller sister"),
    ],
)
def test_the_size_of_a_model_in_the_table(id: str, parameters: float, active: float) -> None:
    found = known_of(id)
    assert (found.parameters, found.active) == (parameters, active)
    assert found.moe is (active != parameters)
    assert found.known.evidence == "manual"
    assert found.known.source.startswith("https://")


def test_a_mixture_whose_active_parameters_are_not_known() -> None:
    found = known_of("ai21labs/AI21-Jamba-1.5-Large")
    assert (found.parameters, found.active, found.moe) == (399, None, True)


@pytest.mark.parametrize(
    ("id", "shape"),
    [
        ("meta-llama/Llama-3.3-70B-Instruct", (80, 8, 128, 8192)),
        ("unsloth/gpt-oss-20b", (24, 8, 64, 2880)),
        pytest.param(
            "deepseek-ai/DeepSeek-V3", (61, None, None, 7168), id="latent attention has no keys and values for each head"
        ),
        ("someone/Great-Model-7B", (None, None, None, None)),
    ],
)
def test_the_shape_of_a_model(id: str, shape: tuple[int | None, ...]) -> None:
    found = known_of(id)
    assert (found.layers, found.kv_heads, found.head_dim, found.hidden) == shape


@pytest.mark.parametrize(
    "id", ["black-forest-labs/FLUX.1-dev", "runwayml/stable-diffusion-v1-5", "Wan-AI/Wan2.2-T2V-A14B-Diffusers", "x/Wan9-T2V-5B"]
)
def test_of_a_pipeline_the_denoiser_is_counted(id: str) -> None:
    assert known_of(id).part == "denoiser"


@pytest.mark.parametrize(
    ("id", "parameters", "active"),
    [
        ("someone/Great-Model-7B", 7, None),
        ("someone/great-0.5b-chat", 0.5, None),
        ("someone/great_70B_v2", 70, None),
        ("someone/New-235B-A22B-Instruct", 235, 22),
        ("someone/Huge-2.4T-A95B", 2400, 95),
        ("someone/small-350M", 0.35, None),
        ("internlm/internlm2-1_8b-reward", 1.8, None),
        ("bigscience/bloomz-7b1", 7.1, None),
        pytest.param("someone/Long-8B-Instruct-1M", 8, None, id="1M of context"),
        pytest.param("nvidia/Llama-3.1-Nemotron-8B-UltraLong-4M-Instruct", 8, None, id="a version and a context"),
        pytest.param("someone/Great-7B-300B-tokens", 7, None, id="what it was trained on"),
        pytest.param("axolotl-ai-co/tiny-qwen3-129m", 0.129, None, id="a small one named after a large one"),
        pytest.param("Cerebras/GLM-4.5-Air-REAP-82B-A12B", 82, 12, id="cut from one in the table"),
        pytest.param("moonshotai/Kimi-VL-A3B-Instruct", None, 3, id="only the active ones"),
        pytest.param("someone/Great-4x7B", None, None, id="the experts share the rest"),
    ],
)
def test_the_size_that_a_name_tells(id: str, parameters: float | None, active: float | None) -> None:
    found = known_of(id)
    assert (found.parameters, found.active) == (parameters, active)
    assert found.moe is (True if active or "x7B" in id else None)
    assert str(found.known) == f"as of {knowledge.model(id).known.month}"  # type: ignore[union-attr]  # nothing to say of how


@pytest.mark.parametrize(
    "id",
    [
        "someone/model-v2b",
        "someone/model-32k",
        "someone/b4523",
        "someone/model-300B-tokens",
        "someone/RedPajama-Data-1T",
        "someone/Long-1M",
        "laion/CLIP-ViT-H-14-laion2B-s32B-b79K",
        "someone/llama-2_7b",
        "someone/distilled-8B-from-70B",
        "someone/Mini-Omni-7B",
        "Salesforce/blip2-opt-2.7b",
        "someone/MoE-0.8B-2E",
        "axolotl-ai-co/DeepSeek-V3-11M",
        "Qwen/Qwen3-4B-LoRA",
        "lmms-lab/llama-3.1-8b-medusa",
        "z-lab/Qwen3-4B-DFlash-b16",
        "yuhuili/EAGLE-llama3-instruct-8B",
        "diffusers/controlnet-canny-sdxl-1.0",
        "llamafactory/tiny-random-Llama-3",
        "google/gemma-3-xb-it",
        "someone/gpt2-small-res-jb",
    ],
)
def test_a_name_that_tells_no_size_or_that_of_something_else(id: str) -> None:
    assert knowledge.model(id) is None


@pytest.mark.parametrize(
    "id",
    [
        "./checkpoints/llama-3-8b",
        "./Qwen3-8B",
        "../Qwen/Qwen3-8B",
        "/data/models/Qwen3-8B",
        "~/models/Qwen3-8B",
        "models/Qwen3-8B",
        "output/Qwen3-8B",
        "a/b/Qwen3-8B",
        "Qwen3-8B",
        "gpt2-small",
        "Qwen/Qwen3-8B.safetensors",
        "Qwen/Qwen3-8B/",
        "Qwen/Qwen3 8B",
        f"{UNKNOWN}/Qwen3-8B",
        f"Qwen/{UNKNOWN}",
        "$OWNER/Qwen3-8B",
        "{owner}/Qwen3-8B",
        "",
        "/",
        "é/Qwen3-8B",
        "a/" + "7b-" * 100_000,
    ],
)
def test_what_is_no_id_of_the_hub(id: str) -> None:
    assert knowledge.model(id) is None


@pytest.mark.parametrize(
    ("id", "quantisation", "bits"),
    [
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", "awq", 4),
        ("cyankiwi/MiniMax-M2.5-AWQ-8bit", "awq", 8),
        ("Qwen/Qwen2.5-VL-72B-Instruct-GPTQ-Int4", "gptq", 4),
        pytest.param("TheBloke/Llama-2-7B-GPTQ", "gptq", None, id="in branches of several widths"),
        ("Qwen/Qwen3-14B-FP8", "fp8", 8),
        ("neuralmagic/Qwen2.5-14B-Instruct-FP8-dynamic", "fp8", 8),
        ("nvidia/Llama-3.3-70B-Instruct-NVFP4", "nvfp4", 4),
        pytest.param("nvidia/Qwen3-235B-A22B-FP4", "nvfp4", 4, id="NVIDIA's own name for it"),
        ("someone/Great-7B-FP4", "", 4),
        ("amd/Kimi-K2.5-MXFP4", "mxfp4", 4),
        ("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "bnb-4bit", 4),
        ("axolotl-ai-co/SmolLM2-135M-bnb-nf4-bf16", "bnb-4bit", 4),
        ("mlx-community/gemma-2-9b-it-4bit", "mlx", 4),
        pytest.param("TheBloke/gpt-oss-20b-GGUF", "gguf", None, id="several files"),
        ("bartowski/Qwen3-8B-GGUF:Q4_K_M", "gguf", 4),
        ("someone/Great-7B-UD-IQ3_XXS", "gguf", 3),
        ("someone/Great-7B-w4a16", "", 4),
        ("RedHatAI/Llama-3.2-1B-Instruct-quantized.w8a8", "", 8),
        ("google/gemma-4-12B-it-qat-w4a16-ct", "", 4),
        ("unsloth/gpt-oss-20b-BF16", "", 16),
        ("casperhansen/llama-3-70b-fp16", "", 16),
        ("someone/Great-7B-fp32", "", 32),
        pytest.param("QuantTrio/GLM-4.5-Air-AWQ-FP16Mix", "awq", None, id="not all of it"),
        pytest.param("axolotl-ai-co/gpt-oss-120b-dequantized", "", None, id="no longer what it was"),
        pytest.param("rdtand/Qwen3.6-27B-PrismaQuant-5.5bit-vllm", "", None, id="no whole number"),
        pytest.param("openai/gpt-oss-20b", "mxfp4", 4, id="as published"),
        pytest.param("deepseek-ai/DeepSeek-V3", "fp8", 8, id="as published too"),
        pytest.param("Qwen/Qwen3.5-27B", "", 16, id="published in bf16"),
        pytest.param("someone/Qwen3.5-27B-my-finetune", "", None, id="what others trained may be stored in another way"),
        pytest.param("deepseek-ai/DeepSeek-V4-Flash-Base", "", None, id="the base model may be another"),
        pytest.param("Qwen/Qwen3-8B", "", None, id="not known"),
    ],
)
def test_how_the_weights_are_stored(id: str, quantisation: str, bits: int | None) -> None:
    found = known_of(id)
    assert (found.quantisation, found.bits) == (quantisation, bits)


def test_a_name_may_tell_nothing_but_how_the_weights_are_stored() -> None:
    found = known_of("Qwen/Qwen3-Coder-Next-FP8")
    assert (found.parameters, found.active, found.moe, found.bits) == (None, None, None, 8)


def test_every_row_is_well_formed() -> None:
    for row in ROWS:
        assert set(row) <= KEYS, row
        assert row["parameters"] > row.get("active", 0) > -1, row
        assert all(name == name.lower() and "*" not in name and "/" not in name for name in row["names"])
        assert row.get("quantisation", "awq") in QUANTISATIONS
        assert row.get("bits") in (None, 4, 8, 16)


def test_every_group_has_a_source_and_a_day() -> None:
    for group in GROUPS:
        assert group["source"].startswith("https://")
        assert group["checked"] <= table("models")["as_of"]
        assert group.get("evidence", "manual") in EVIDENCE


def test_no_name_stands_twice() -> None:
    names = [name for row in ROWS for name in row["names"]]
    assert len(names) == len(set(names))


def test_every_name_leads_to_its_row() -> None:
    for row in ROWS:
        for name in row["names"]:
            assert known_of(f"owner/{name}").parameters == row["parameters"], name


@pytest.mark.parametrize("name", table("models")["bare"])
def test_what_needs_no_owner_is_in_the_table(name: str) -> None:
    assert known_of(name) == known_of(f"owner/{name}")


@pytest.mark.parametrize(
    ("model", "loader"),
    [
        ("unsloth/Llama-3.1-8B", "llama"),
        ("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "llama"),
        ("meta-llama/Llama-3.2-3B-Instruct", "llama"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama"),
        ("NousResearch/Hermes-3-Llama-3.1-8B", "llama"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "llama"),
        ("unsloth/Mistral-Nemo-Instruct-2407", "llama"),
        ("google/gemma-2-9b-it", "llama"),
        ("google/gemma-7b", "llama"),
        ("Qwen/Qwen2.5-7B-Instruct", "llama"),
        ("Qwen/Qwen2.5-Coder-32B-Instruct", "llama"),
        ("Qwen/Qwen3-8B", "llama"),
        ("QWEN/QWEN3-0.6B-BASE", "llama"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "llama"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "llama"),
        ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "llama"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", "vision"),
        ("Qwen/Qwen3-Coder-480B-A35B-Instruct", "vision"),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", "vision"),
        ("Qwen/Qwen3.5-27B", "vision"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "vision"),
        ("unsloth/Qwen3-VL-8B-Instruct", "vision"),
        ("unsloth/gemma-3-4b-it", "vision"),
        ("google/gemma-3n-E4B-it", "vision"),
        ("meta-llama/Llama-3.2-11B-Vision-Instruct", "vision"),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "vision"),
        ("unsloth/gpt-oss-20b", "vision"),
        ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "vision"),
        ("mistralai/Mixtral-8x7B-v0.1", "vision"),
        ("llava-hf/llava-v1.6-mistral-7b-hf", "vision"),
        ("openai/whisper-large-v3", "vision"),
        ("unsloth/phi-4", ""),
        ("mistralai/Devstral-Small-2507", ""),
        ("someone/my-model", ""),
        ("./checkpoints/llama-3-8b", ""),
        ("/data/models/Qwen3-8B", ""),
        (f"{UNKNOWN}/Llama-3.1-8B", ""),
        (f"unsloth/{UNKNOWN}", ""),
        ("", ""),
    ],
)
def test_unsloth_loader(model: str, loader: str) -> None:
    assert knowledge.unsloth_loader(model) == loader


@pytest.mark.parametrize(
    ("written", "assumed"),
    [
        ("Qwen/Qwen3-4B", False),
        ("Qwen/Qwen3-4B-Instruct-2507", False),
        ("bartowski/Qwen3-4B-GGUF", False),
        ("someone/Qwen3-4B-Foo", True),
    ],
)
def test_what_others_made_of_a_model_is_assumed_to_be_as_large(written: str, assumed: bool) -> None:
    facts = knowledge.model(written)
    assert facts is not None
    assert (facts.parameters, facts.known.assumed) == (4.02, assumed)
