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
