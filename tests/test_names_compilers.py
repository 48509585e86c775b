"""For which GPUs compilers are told to compile, on command lines and in texts that are handed on."""

import pytest
from projects import facts, found

from spark_lint.facts import Package, Setting


def targets(line: str, path: str = "a.sh") -> list[tuple[str, str]]:
    return [(str(each.value), each.written) for each in facts({path: line}, path, Setting, "gencode")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("nvcc -arch=sm_90 a.cu", [("sm_90", "-arch=sm_90")]),
        ("nvcc -arch sm_90 a.cu", [("sm_90", "-arch sm_90")]),
        ("nvcc --gpu-architecture=compute_90 a.cu", [("compute_90", "--gpu-architecture=compute_90")]),
        ("nvcc --gpu-architecture sm_90 a.cu", [("sm_90", "--gpu-architecture sm_90")]),
        ("nvcc -gencode arch=compute_90,code=sm_90", [("arch=compute_90,code=sm_90", "-gencode arch=compute_90,code=sm_90")]),
        ("nvcc -gencode=arch=compute_90,code=sm_90", [("arch=compute_90,code=sm_90", "-gencode=arch=compute_90,code=sm_90")]),
        (
            "nvcc --generate-code arch=compute_90,code=[sm_90,compute_90]",
            [("arch=compute_90,code=sm_90,compute_90", "--generate-code arch=compute_90,code=[sm_90,compute_90]")],
        ),
        (
            "nvcc --generate-code=arch=compute_120f,code=sm_120f",
            [("arch=compute_120f,code=sm_120f", "--generate-code=arch=compute_120f,code=sm_120f")],
        ),
        ("nvcc -arch=compute_80 -code=sm_80,sm_90 a.cu", [("code=sm_80,sm_90", "-code=sm_80,sm_90")]),
        ("nvcc -arch compute_80 -code sm_80 a.cu", [("code=sm_80", "-code sm_80")]),
        ("nvcc --gpu-code=sm_80,compute_80 --gpu-architecture=compute_80 a.cu", [("code=sm_80,compute_80", "--gpu-code=sm_80,compute_80")]),
        ("nvcc -arch=native a.cu", [("native", "-arch=native")]),
        ("nvcc -arch=all-major a.cu", [("all-major", "-arch=all-major")]),
        ("clang++ --cuda-gpu-arch=sm_80 a.cu", [("sm_80", "--cuda-gpu-arch=sm_80")]),
        ("clang++ -x cuda --offload-arch=sm_80 a.cu", [("sm_80", "--offload-arch=sm_80")]),
        ("ccache /usr/local/cuda/bin/nvcc -arch=sm_90 a.cu", [("sm_90", "-arch=sm_90")]),
        ("hipcc --offload-arch=gfx942 a.cu", []),
        ("nvcc -arch=$ARCH a.cu", []),
        ("podman pull --arch all x", []),
        ("git commit --allow-empty -m 'arch=sm_90 is what -arch gives'", []),
    ],
)  # fmt: skip
def test_the_targets_of_a_compiler(line: str, expected: list[tuple[str, str]]) -> None:
    assert targets(line) == expected


def test_the_targets_in_an_image_and_in_lists_of_python() -> None:
    expected = [("sm_90", "-arch=sm_90"), ("arch=compute_80,code=sm_80", "-gencode arch=compute_80,code=sm_80")]
    line = "nvcc -arch=sm_90 -gencode arch=compute_80,code=sm_80 a.cu"
    assert targets(f"FROM ubuntu:24.04\nRUN {line}\n", "Dockerfile") == expected
    words = ", ".join(f'"{word}"' for word in line.split())
    found = targets(f"import subprocess\nsubprocess.run([{words}])\n", "a.py")
    assert [value for value, _ in found] == [value for value, _ in expected]


@pytest.mark.parametrize(
    ("flags", "severities"),
    [
        ("-arch=compute_90 -code=sm_90", ["error"]),
        ("-arch=compute_90 -code=sm_90,compute_90", ["warning"]),
        ("-arch=compute_90 -code=compute_90,sm_120", []),
        ("-arch=all", []),
        ("--cuda-gpu-arch=sm_80", ["warning"]),
    ],
)
def test_what_is_kept_decides(flags: str, severities: list[str]) -> None:
    assert [severity for *_, severity in found({"a.sh": f"nvcc {flags} a.cu\n"})] == severities


# ---- apt


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sudo apt-get install -y cuda-toolkit-12-4 gcc", [("apt/cuda-toolkit-12-4", ""), ("apt/gcc", "")]),
        ("apt -qqy -o Dpkg::Use-Pty=0 install -t noble x", [("apt/x", "")]),
        ("apt-get install libnccl2=2.27.3-1+cuda12.2", [("apt/libnccl2", "=2.27.3-1+cuda12.2")]),
        ("apt-get install 'cuda-toolkit-12-*' g++ x:arm64 y/noble", [("apt/cuda-toolkit-12-*", ""), ("apt/g++", ""), ("apt/x", ""), ("apt/y", "")]),
        ("apt-get install x- y:amd64 ./z.deb /tmp/z.deb $MORE cuda-$V", []),
        ("apt-get remove x && apt-get update && apt list --installed x", []),
    ],
)  # fmt: skip
def test_what_apt_installs(line: str, expected: list[tuple[str, str]]) -> None:
    packages = facts({"a.sh": line}, "a.sh", Package)
    assert [(each.name, each.specifier) for each in packages] == expected
    assert {each.manager for each in packages} <= {"apt"}


def test_what_apt_installs_is_no_package_of_pip() -> None:
    """A base image that is CUDA 12 is said though apt installs something over it that no rule knows."""
    dockerfile = (
        "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nRUN apt-get update && apt-get install -y build-essential\nCMD ./train\n"
    )
    assert [code for _, _, code, _ in found({"Dockerfile": dockerfile})] == ["G1/cuda12-base-image"]
