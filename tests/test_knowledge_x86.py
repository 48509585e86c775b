"""Downloads that exist for x86-64 and for aarch64."""

import pytest
from projects import run

from spark_lint import knowledge
from spark_lint.knowledge.tables import table

CUDA = "https://developer.download.nvidia.com/compute/cuda"


@pytest.mark.parametrize(
    ("address", "spark"),
    [
        ("https://repo.anaconda.com/miniconda/Miniconda3-py311_24.1.2-0-Linux-x86_64.sh", "aarch64"),
        ("https://github.com/conda-forge/miniforge/releases/latest/download/Miniforge3-Linux-x86_64.sh", "aarch64"),
        ("https://awscli.amazonaws.com/awscli-exe-linux-x86_64-2.15.0.zip", "aarch64"),
        (f"{CUDA}/repos/ubuntu2204/x86_64/cuda-keyring_1.1-1_all.deb", "/sbsa"),
        (f"{CUDA}/repos/ubuntu2204/x86_64", "/sbsa"),
        (f"{CUDA}/12.4.1/local_installers/cuda_12.4.1_550.54.15_linux.run", "_linux_sbsa.run"),
        (f"{CUDA}/redist/cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-12.4.131-archive.tar.xz", "linux-sbsa"),
    ],
)
def test_the_name_for_a_spark(address: str, spark: str) -> None:
    found = knowledge.download(address)
    assert found is not None
    assert found.spark == spark


@pytest.mark.parametrize(
    "address",
    [
        f"{CUDA}/13.0.2/local_installers/cuda_13.0.2_580.95.05_linux_sbsa.run",
        "https://repo.anaconda.com/miniconda/Miniconda3-latest-Linux-aarch64.sh",
        "https://example.com/tool-linux-x86_64.sh",
    ],
)
def test_nothing_is_known_of_others(address: str) -> None:
    assert knowledge.download(address) is None


def test_every_row_says_where_it_is_from() -> None:
    rows = table("x86")["download"]
    assert rows
    assert all(row["source"].startswith("https://") and row["from"].lower() in row["match"] for row in rows)


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("wget https://awscli.amazonaws.com/awscli-exe-linux-x86_64.zip", "awscli-exe-linux-$(uname -m).zip"),
        (f"wget {CUDA}/repos/ubuntu2404/x86_64/cuda-keyring_1.1-1_all.deb", "ubuntu2404/sbsa/cuda-keyring_1.1-1_all.deb"),
    ],
)
def test_the_advice_fits_where_it_is_pasted(line: str, instead: str) -> None:
    report = run({"a.sh": line}).report()
    (finding,) = [each for each in report.findings if each.code == "G1/x86-installer-download"]
    assert finding.instead.endswith(instead)


def test_where_no_shell_fills_it_in_the_name_is_given() -> None:
    dockerfile = "FROM ubuntu:24.04\nADD https://awscli.amazonaws.com/awscli-exe-linux-x86_64.zip /aws.zip\n"
    report = run({"Dockerfile": dockerfile}).report()
    (finding,) = [each for each in report.findings if each.code == "G1/x86-installer-download"]
    assert finding.instead.endswith("awscli-exe-linux-aarch64.zip")
