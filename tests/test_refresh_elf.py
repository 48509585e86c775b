"""What the libraries in a wheel tell of it."""

import random
from pathlib import Path

import pytest
from elf_files import AARCH64, CUDA, X86_64, elf, wheel

from spark_lint.refresh import elf as elf_reader
from spark_lint.refresh.elf import Library, WheelError, cuda_major, foreign, libraries

pytest.importorskip("elftools", reason="needs spark-lint[refresh]")


def library(*needed: str, path: str = "p/lib.so", machine: str = "EM_AARCH64", gpu: bool = False) -> Library:
    return Library(path, machine, needed, gpu)


def test_libraries(tmp_path: Path) -> None:
    found = libraries(
        wheel(
            tmp_path / "p-1-py3-none-any.whl",
            {
                "p/z.so": elf(X86_64, ["libc.so.6", "libcudart.so.12", "libc.so.6"], [".text"]),
                "p/__init__.py": b"print(1)",
                "p/a.so.1": elf(AARCH64, [], [".text", ".nv_fatbin"]),
                "p/r.so": elf(AARCH64, ["libm.so.6"], ["__nv_relfatbin"]),
                "p/kernel.bin": elf(CUDA),
            },
        )
    )
    assert found == (
        Library("p/a.so.1", "EM_AARCH64", (), True),
        Library("p/kernel.bin", "EM_CUDA", (), True),
        Library("p/r.so", "EM_AARCH64", ("libm.so.6",), True),
        Library("p/z.so", "EM_X86_64", ("libc.so.6", "libcudart.so.12"), False),
    )


@pytest.mark.parametrize(
    ("needed", "major"),
    [
        (("libc.so.6",), "cpu"),
        (("libcudart.so.13",), "cu13"),
        (("libcudart.so.11.0",), "cu11"),
        (("libnvrtc.so.12",), "cu12"),
        (("libcublasLt.so.13", "libcublas.so.13"), "cu13"),
        (("libnvJitLink.so.13",), "cu13"),
        (("libcudart.faf08d9a.so.13",), "cu13"),
        (("libcudart-ae5a5fd1.so.13.0.96",), "cu13"),
        # Of CUDA 13, whatever their own number is.
        (("libcudart.so.13", "libcusparse.so.12", "libcufft.so.12", "libcusolver.so.12"), "cu13"),
        (("libcusparse.so.12", "libcufft.so.12"), "cpu"),
        (("libcudart.so", "libcudart_static.so.12", "notlibcudart.so.12", "libcudart.so.12345"), "cpu"),
    ],
)
def test_cuda_by_the_names_that_tell(needed: tuple[str, ...], major: str) -> None:
    assert cuda_major([library(*needed)]) == major


def test_one_library_for_13_is_enough() -> None:
    assert cuda_major([library("libcudart.so.11.0"), library("libcudart.so.12"), library("libcudart.so.13")]) == "cu13"
    assert cuda_major([library("libcudart.so.11.0"), library("libcudart.so.12")]) == "cu12"


def test_a_bundled_library_tells() -> None:
    assert cuda_major([library(path="nvidia/cuda_runtime/lib/libcudart.so.12")]) == "cu12"


def test_gpu_code_without_a_name_tells_nothing() -> None:
    assert cuda_major([library("libc.so.6", gpu=True)]) == ""
    assert cuda_major([library("libc.so.6", gpu=True), library("libnvrtc.so.13")]) == "cu13"
    assert cuda_major([]) == ""


def test_foreign() -> None:
    ours, other, kernel = library(), library(machine="EM_X86_64"), library(machine="EM_CUDA", gpu=True)
    assert foreign([other, other])
    assert foreign([other, kernel])
    assert not foreign([other, ours])
    assert not foreign([ours])
    assert not foreign([kernel])
    assert not foreign([])


def test_what_is_no_wheel(tmp_path: Path) -> None:
    path = tmp_path / "p-1-py3-none-any.whl"
    path.write_bytes(b"<html>Not Found</html>")
    with pytest.raises(WheelError, match=r"p-1-py3-none-any\.whl cannot be read"):
        libraries(path)


def test_a_wheel_that_is_cut_off(tmp_path: Path) -> None:
    path = wheel(tmp_path / "p-1-py3-none-any.whl", {"p/a.so": elf()})
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(WheelError, match="cannot be read"):
        libraries(path)


def test_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = elf() + bytes(100_000)
    path = wheel(tmp_path / "p-1-py3-none-any.whl", {"p/a.so": content, "p/b.so": content})
    assert len(libraries(path)) == 2
    monkeypatch.setattr(elf_reader, "_IN_ALL", 150_000)
    with pytest.raises(WheelError, match=r"p/b\.so is too big"):
        libraries(path)
    monkeypatch.setattr(elf_reader, "_BIGGEST", 50_000)
    with pytest.raises(WheelError, match=r"p/a\.so is too big"):
        libraries(path)
    monkeypatch.setattr(elf_reader, "_MOST_ENTRIES", 1)
    with pytest.raises(WheelError, match="holds 2 files"):
        libraries(path)


def test_a_broken_library_is_said(tmp_path: Path) -> None:
    path = wheel(tmp_path / "p-1-py3-none-any.whl", {"p/a.so": elf()[:40]})
    with pytest.raises(WheelError, match=r"p/a\.so cannot be read"):
        libraries(path)


def test_any_bytes_are_read_or_refused(tmp_path: Path) -> None:
    whole, chance = elf(AARCH64, ["libcudart.so.13"], [".nv_fatbin"]), random.Random(3)
    read = 0
    for _ in range(400):
        content = bytearray(whole[: chance.randrange(8, len(whole) + 200)])
        for _ in range(chance.randrange(6)):
            content[chance.randrange(4, len(content))] = chance.choice([0, 1, 0x7F, 0xFF, chance.randrange(256)])
        path = wheel(tmp_path / "p-1-py3-none-any.whl", {"p/a.so": bytes(content)})
        try:
            read += len(libraries(path))
        except WheelError:
            continue
    assert read
