"""The wheel that an installer takes on a Spark, against `packaging`'s own reading of names, and pip's order of preference."""

import pytest
from packaging.utils import parse_wheel_filename

from spark_lint.text import UNKNOWN
from spark_lint.wheel_tags import best, for_another_python, runs_elsewhere

TAKEN = [
    "torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl",
    "x-1-py3-none-any.whl",
    "x-1-py2.py3-none-any.whl",
    "x-1-cp39-abi3-manylinux_2_17_aarch64.manylinux2014_aarch64.whl",
    "x-1-cp312-cp312-manylinux_2_39_aarch64.whl",
    "x-1-cp312-cp312-linux_aarch64.whl",
    "x-1-1-cp312-none-manylinux2014_aarch64.whl",
    "x-1-py3-none-manylinux_2_27_aarch64.manylinux_2_28_aarch64.whl",
    "X-1-CP312-CP312-Linux_AArch64.whl",
]
LEFT = [
    "x-1-cp311-cp311-manylinux_2_28_aarch64.whl",
    "x-1-cp313-abi3-manylinux_2_28_aarch64.whl",
    "x-1-cp312-cp312t-manylinux_2_28_aarch64.whl",
    "x-1-cp312-cp312-manylinux_2_28_x86_64.whl",
    "x-1-cp312-cp312-manylinux_2_40_aarch64.whl",
    "x-1-cp312-cp312-musllinux_1_2_aarch64.whl",
    "x-1-cp312-cp312-macosx_11_0_arm64.whl",
    "x-1-cp312-cp312-win_arm64.whl",
    "x-1-pp310-pypy310_pp73-manylinux_2_28_aarch64.whl",
    "x-1-py2-none-any.whl",
]


@pytest.mark.parametrize("wheel", TAKEN)
def test_what_a_spark_takes(wheel: str) -> None:
    parse_wheel_filename(wheel)  # it is a wheel's name
    assert best([wheel], "3.12") == wheel


@pytest.mark.parametrize("wheel", LEFT)
def test_what_is_for_another_machine_or_python(wheel: str) -> None:
    parse_wheel_filename(wheel)
    assert best([wheel], "3.12") == ""


def test_the_most_fitting_one_is_taken() -> None:
    wheels = [
        "x-1-py3-none-any.whl",
        "x-1-cp39-abi3-manylinux_2_17_aarch64.whl",
        "x-1-cp312-cp312-manylinux_2_17_aarch64.whl",
        "x-1-cp312-cp312-manylinux_2_28_aarch64.whl",
    ]
    assert best(wheels, "3.12") == wheels[3]
    assert best(wheels[:3], "3.12") == wheels[2]
    assert best(wheels[:2], "3.12") == wheels[1]
    assert best(wheels, "3.13") == wheels[1]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x",
        "x.whl",
        "x-1.tar.gz",
        "-.whl",
        "a-b-c-d-e-f.whl",
        f"x-{UNKNOWN}-py3-none-any.whl",
        "x-1-" + "a." * 50_000 + "any.whl",
    ],
)
def test_no_wheel_at_all(name: str) -> None:
    assert best([name], "3.12") == ""


def test_who_compiles_nothing() -> None:
    assert runs_elsewhere(["x-1-cp312-cp312-manylinux_2_28_x86_64.whl"])
    assert runs_elsewhere(["x-1-cp312-cp312-linux_x86_64.whl"])
    assert not runs_elsewhere(["x-1-cp312-cp312-macosx_11_0_x86_64.whl", "x-1-cp312-cp312-win_amd64.whl"])


def test_who_has_another_python() -> None:
    arm, x86 = "x-1-cp310-cp310-manylinux_2_28_aarch64.whl", "x-1-cp310-cp310-manylinux_2_28_x86_64.whl"
    assert for_another_python([arm, x86], "3.12")
    assert not for_another_python([arm, x86], "3.10")
    assert not for_another_python([arm, "x-1-cp312-cp312-manylinux_2_28_x86_64.whl"], "3.12")
    assert not for_another_python(
        [x86, "x-1-cp310-cp310-musllinux_1_2_aarch64.whl", "x-1-pp310-pypy310_pp73-manylinux_2_28_aarch64.whl"], "3.12"
    )
