"""How CUDA releases and GPU architectures fare on a Spark."""

import pytest

from spark_lint import knowledge
from spark_lint.rule import ERROR, WARNING, Severity
from spark_lint.text import UNKNOWN


@pytest.mark.parametrize(
    ("cuda", "severity"),
    [
        ("cu92", ERROR),
        ("cu118", ERROR),
        ("cu121", ERROR),
        ("cu124", ERROR),
        ("cu126", ERROR),
        ("cu126_full", ERROR),
        ("cu117.with.pypi.cudnn", ERROR),
        ("cu11", ERROR),
        ("cu12", WARNING),
        ("cu12torch2.8cxx11abitrue", WARNING),
        ("cu128", WARNING),
        ("cu1281", WARNING),
        ("cu129", WARNING),
        ("cu13", None),
        ("cu130", None),
        ("cu132", None),
        ("12", WARNING),
        ("12.4.1", ERROR),
        ("12.8", WARNING),
        ("12.9.1", WARNING),
        ("13.0.2", None),
        ("11.8", ERROR),
        ("cuda12.4", ERROR),
        ("2.11.0", None),
        ("cpu", None),
        ("rocm6.3", None),
        ("xpu", None),
        ("", None),
        (UNKNOWN, None),
        ("cudnn9", None),
    ],
)
def test_grade_of_a_cuda_release(cuda: str, severity: Severity | None) -> None:
    assert knowledge.grade(cuda) == severity


@pytest.mark.parametrize(
    ("written", "runs", "ptx", "toolkit"),
    [
        ("12.0", True, False, "12.8"),
        ("12.0+PTX", True, True, "12.8"),
        ("sm_120", True, False, "12.8"),
        ("120", True, True, "12.8"),
        ("120-real", True, False, "12.8"),
        ("120-virtual", False, True, "12.8"),
        ("compute_120", False, True, "12.8"),
        ("12.0a", False, False, "12.8"),
        ("12.0a+PTX", False, False, "12.8"),
        ("sm_120a", False, False, "12.8"),
        ("compute_120a", False, False, "12.8"),
        ("12.0f", True, False, "12.9"),
        ("sm_120f", True, False, "12.9"),
        ("12.1", True, False, "12.9"),
        ("sm_121", True, False, "12.9"),
        ("12.1a", True, False, "12.9"),
        ("121a", True, True, "12.9"),
        ("121a-real", True, False, "12.9"),
        ("SM_121A", True, False, "12.9"),
        ("12.1f", True, False, "12.9"),
        ("9.0", False, False, "11.8"),
        ("8.6", False, False, "11.1"),
        ("9.0+PTX", False, True, "11.8"),
        ("8.0+PTX", False, True, "11.0"),
        ("90-virtual", False, True, "11.8"),
        ("compute_90", False, True, "11.8"),
        ("9.0a", False, False, "12.0"),
        ("9.0a+PTX", False, False, "12.0"),
        ("10.0", False, False, "12.8"),
        ("10.0a", False, False, "12.8"),
        ("10.0f", False, False, "12.9"),
        ("10.3a", False, False, "12.9"),
        ("11.0", False, False, "13.0"),
        ("Hopper", False, True, "11.8"),
        ("Ada", False, True, "11.8"),
        ("Blackwell+Tegra", False, False, "13.0"),
        ("all", True, False, "12.8"),
        ("all-major", True, False, "12.8"),
        ("native", None, False, ""),
        ("OFF", None, False, ""),
    ],
)
def test_what_an_architecture_means_on_a_spark(written: str, runs: bool | None, ptx: bool, toolkit: str) -> None:
    (architecture,) = knowledge.architectures(written)
    assert (architecture.runs, architecture.ptx, architecture.needs_toolkit) == (runs, ptx, toolkit)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("8.0;8.6 9.0+PTX", ["8.0", "8.6", "9.0+PTX"]),
        ("80,90", ["80", "90"]),
        ("120;121a-real", ["120", "121a-real"]),
        ("-gencode arch=compute_90,code=sm_90", ["sm_90"]),
        ("-gencode=arch=compute_90,code=[sm_90,compute_90]", ["sm_90", "compute_90"]),
        ("-arch=sm_120a", ["sm_120a"]),
        ('"8.6"', ["8.6"]),
        ("Ampere", ["Ampere", "Ampere"]),
        (f"9.0;{UNKNOWN};12.1", ["9.0", "12.1"]),
        (f"9.{UNKNOWN}", []),
        ("$ARCHS", []),
        ("2.0", []),
        ("12", []),
        ("gfx942", []),
        ("", []),
    ],
)
def test_architectures_are_cut_out_where_they_stand(value: str, written: list[str]) -> None:
    found = knowledge.architectures(value)
    assert [each.written for each in found] == written
    assert all(value[each.start : each.stop] == each.written for each in found)


@pytest.mark.parametrize(
    ("written", "other"), [("12.0a", True), ("9.0a", True), ("12.1a", False), ("12.0f", False), ("10.0f", False), ("9.0", False)]
)
def test_code_for_one_other_chip(written: str, other: bool) -> None:
    assert knowledge.architectures(written)[0].other_chip is other


def test_a_named_generation_has_every_architecture_of_it() -> None:
    found = knowledge.architectures("Blackwell")
    assert [(each.major, each.minor) for each in found] == [(10, 0), (10, 3), (12, 0), (12, 1)]
    assert [each.runs for each in found] == [False, False, True, True]


@pytest.mark.parametrize(
    ("written", "runs", "ptx"),
    [
        ("sm_90", False, True),
        ("sm_120", True, True),
        ("sm_120a", False, True),
        ("compute_90", False, True),
        ("arch=compute_90,code=sm_90", False, False),
        ("arch=compute_120a,code=sm_120a", False, False),
    ],
)
def test_nvcc_keeps_ptx_where_only_an_architecture_is_named(written: str, runs: bool, ptx: bool) -> None:
    (architecture,) = knowledge.architectures(written, "nvcc")
    assert (architecture.runs, architecture.ptx) == (runs, ptx)


@pytest.mark.parametrize(
    ("written", "usable"),
    [("120-virtual", True), ("121a-virtual", True), ("90", False), ("12.0a", False), ("native", True), ("12.0", True)],
)
def test_what_was_asked_for_12x_is_there_for_a_spark(written: str, usable: bool) -> None:
    assert knowledge.architectures(written)[0].usable is usable


@pytest.mark.parametrize(
    ("cuda", "toolkit", "compiles"),
    [
        ("12.8.1", "12.9", False),
        ("12.9", "12.9", True),
        ("13.0.2", "12.9", True),
        ("12.4", "12.8", False),
        ("12", "12.9", None),
        ("", "12.9", None),
        ("12.8", "", None),
        (UNKNOWN, "12.9", None),
    ],
)
def test_which_compiler_takes_an_architecture(cuda: str, toolkit: str, compiles: bool | None) -> None:
    assert knowledge.compiles(cuda, toolkit) is compiles


@pytest.mark.parametrize(
    ("package", "version", "cuda13", "ngc", "is_old"),
    [
        ("vllm", "0.12.0", False, False, True),
        ("vllm", "0.19.1", False, False, True),
        ("vllm", "0.20.0", False, False, False),
        ("vllm", "0.19.1+cu130", True, False, False),
        ("vllm", "0.15.0", True, False, True),
        ("vllm", "0.11.0", False, True, True),
        ("vllm", "0.11.1", False, True, True),
        ("vllm", "0.13.0", False, True, False),
        ("vllm", "0.17.0rc1.dev208+g9efc3bdcd.cu130", True, False, False),
        ("flashinfer-python", "0.6.6", False, False, True),
        ("flashinfer-python", "0.6.7", False, False, False),
        ("nvidia-cutlass-dsl", "4.5.0", False, False, True),
        ("nvidia-cutlass-dsl", "4.4.2", False, False, False),
        ("nvidia-cutlass-dsl", "4.5.1", False, False, False),
        ("vllm", "", False, False, False),
        ("torch", "2.9.0", False, False, False),
    ],
)
def test_releases_whose_nvfp4_kernels_do_not_run(package: str, version: str, cuda13: bool, ngc: bool, is_old: bool) -> None:
    assert bool(knowledge.fp4_defect(package, version, cuda13, ngc)) is is_old


@pytest.mark.parametrize(
    ("tool", "setting", "value", "written", "since"),
    [
        ("vllm", "attention_backend", "CUTLASS_MLA", "", ""),
        ("vllm", "moe_backend", "flashinfer_trtllm", "", ""),
        ("vllm", "kv_cache_dtype", "nvfp4", "", "0.32"),
        ("sglang", "attention_backend", "trtllm_mha", "--attention-backend trtllm_mha", "0.5.19"),
        ("sglang", "attention_backend", "trtllm_mla", "--decode-attention-backend trtllm_mla", "0.5.9"),
    ],
)
def test_what_a_server_refuses_on_a_spark(tool: str, setting: str, value: str, written: str, since: str) -> None:
    refusal = knowledge.refusal(tool, setting, value, written)
    assert refusal is not None
    assert refusal.since == since


@pytest.mark.parametrize(
    ("tool", "value", "written"),
    [
        ("vllm", "FLASHINFER", ""),
        ("vllm", "TRITON_MLA", ""),
        ("sglang", "cutlass_mla", ""),
        ("trtllm", "CUTLASS_MLA", ""),
        ("", "CUTLASS_MLA", ""),
        ("sglang", "trtllm_mha", "--decode-attention-backend trtllm_mha"),
    ],
)
def test_what_no_server_is_known_to_refuse(tool: str, value: str, written: str) -> None:
    assert knowledge.refusal(tool, "attention_backend", value, written) is None
