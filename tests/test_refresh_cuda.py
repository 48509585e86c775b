"""For which CUDA a package is built: how many versions are asked for it, and what is made of the answers."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from spark_lint.refresh.answers import Answers
from spark_lint.refresh.clients import Clients, File, RegistryError, Resolution
from spark_lint.refresh.cuda import Cuda, cuda_in, established, major_of, torch_cuda
from spark_lint.refresh.elf import Library, WheelError
from spark_lint.refresh.opening import MB, Opening

CPU = Resolution({"torch": "2.10.0"}, {"torch": ()})
CU13 = Resolution({"torch": "2.11.0", "cuda-toolkit": "13.0.2"}, {"torch": (), "cuda-toolkit": ("torch",)})
NOT = Resolution({}, {}, "Because there is none")


class Index(Clients):
    """An index that is a dictionary. asked: the requirements and the downloads, in the order in which they were asked for."""

    def __init__(self, folder: Path, resolutions: Mapping[str, Resolution] | None = None, *, size: int = MB) -> None:
        self.answers = Answers(folder)
        self.resolutions = resolutions or {}
        self.size = size
        self.elsewhere: Sequence[str] = ()
        self.asked: list[str] = []

    def wheel_versions(self, name: str, python: str = "3.12") -> tuple[str, ...]:
        return tuple(self.elsewhere) if python == "3.10" else ()

    def files(self, name: str, version: str, python: str = "3.12") -> tuple[File, ...]:
        return (
            File(f"{name}-{version}-cp312-cp312-manylinux_2_28_aarch64.whl", self.size, "2026-01-01", False),
            File(f"{name}-{version}-cp312-cp312-manylinux_2_28_x86_64.whl", 9 * self.size, "2026-01-01", False),
            File(f"{name}-{version}.tar.gz", 1, "2026-01-01", True),
        )

    def resolved(self, requirements: Sequence[str]) -> Resolution:
        self.asked += requirements
        return self.resolutions[" ".join(requirements)]

    def fetched(self, name: str, version: str, folder: Path) -> Path | None:
        self.asked.append(version)
        wheel = folder / self.files(name, version)[0].name
        wheel.write_text(version)
        return wheel


def versions(*minors: int, patches: int = 3) -> list[str]:
    return [f"1.{minor}.{patch}" for minor in minors for patch in range(patches)]


def wheels(names: Sequence[str]) -> dict[str, str]:
    return dict.fromkeys(names, "wheel")


def reading(built: Mapping[str, str]) -> "type[Opening]":
    """Opens wheels whose content is their version, which asks for a libcudart of a CUDA, for none, or cannot be read."""

    def read(wheel: Path) -> tuple[Library, ...]:
        major = built[wheel.read_text()]
        if major == "broken":
            raise WheelError("it cannot be read")
        needed = () if major == "cpu" else (f"libcudart.so.{major}",)
        return (Library("p/a.so", "EM_AARCH64", needed, gpu=False),)

    class Reading(Opening):
        def __init__(self, clients: Clients, max_download: int = 3000) -> None:
            super().__init__(clients, max_download, read=read)

    return Reading


def torchs(index: Index, names: Sequence[str], old: Mapping[str, object] | None = None, how: str = "resolution") -> Cuda:
    return established("p", how, wheels(names), index, old, Opening(index))


@pytest.mark.parametrize(
    ("name", "major"),
    [
        ("cupy-cuda12x", 12), ("nvidia-dali-cuda130", 13), ("jax-cuda12-plugin", 12), ("spconv-cu126", 12), ("nixl-cu13", 13),
        ("nvidia-cublas-cu11", 11), ("faiss-gpu-cu13-cuvs", 13), ("mooncake-transfer-engine-cuda13", 13), ("nvidia-cublas", 0),
        ("focu13", 0), ("acu12b", 0), ("cuda-python", 0), ("torch", 0),
    ],
)  # fmt: skip
def test_the_cuda_in_a_name(name: str, major: int) -> None:
    assert major_of(name) == major


def test_the_cuda_of_the_toolkit_is_in_its_version() -> None:
    assert major_of("cuda-toolkit", "13.0.2") == 13
    assert major_of("nvidia-cublas", "13.1.0.3") == 13
    assert major_of("nvidia-cusparse", "12.6.3.3") == 0  # of CUDA 13
    assert major_of("cuda-bindings", "13.5.0") == 0  # beside any


def test_the_cuda_among_packages() -> None:
    cutlass = {"torch": "2.10.0", "nvidia-cutlass-dsl-libs-cu12": "4.8.1"}
    assert cuda_in(cutlass) == "cu12"
    assert cuda_in(cutlass, ["nvidia-cutlass-dsl-libs-cu12"]) == "cpu"
    assert cuda_in({"torch": "2.11.0", "nvidia-cudnn-cu13": "9", "nvidia-cublas-cu12": "12"}) == "cu13"
    assert cuda_in({"numpy": "2"}) == ""
    assert torch_cuda(Resolution(cutlass, {"torch": ("p",), "nvidia-cutlass-dsl-libs-cu12": ("nvidia-cutlass-dsl",)})) == "cpu"
    assert torch_cuda(CU13) == "cu13"
    assert torch_cuda(NOT) == ""


def test_by_name_nothing_is_asked(tmp_path: Path) -> None:
    index = Index(tmp_path)
    found = established("cupy-cuda12x", "name", wheels(["12.0", "13.0", "14.0"]), index, None, Opening(index))
    assert found == Cuda(((">=0", "cu12"),), "name", ("12.0", "14.0"))
    assert index.asked == []


def test_by_resolution_one_of_each_minor_and_then_to_the_boundary(tmp_path: Path) -> None:
    names = versions(*range(6), patches=4)
    index = Index(tmp_path, {f"p=={name}": CPU if name < "1.3.2" else CU13 for name in names})
    found = torchs(index, names)
    assert found == Cuda((("<1.3.2", "cpu"), (">=1.3.2", "cu13")), "resolution", ("1.0.0", "1.3.1", "1.3.2", "1.5.3"))
    minors = {"1.0.3", "1.1.3", "1.2.3", "1.3.3", "1.4.3", "1.5.3"}
    assert {asked.removeprefix("p==") for asked in index.asked} == {"1.0.0", *minors, "1.3.1", "1.3.2"}
    assert len(index.asked) == len(set(index.asked))


def test_what_changes_and_changes_back(tmp_path: Path) -> None:
    names = versions(*range(5))
    index = Index(tmp_path, {f"p=={name}": CPU if name.startswith(("1.1.", "1.2.")) else CU13 for name in names})
    assert torchs(index, names).rows == (("<1.1", "cu13"), (">=1.1,<1.3", "cpu"), (">=1.3", "cu13"))


def test_a_version_that_does_not_resolve_says_nothing(tmp_path: Path) -> None:
    names = versions(0, 1)
    index = Index(tmp_path, {f"p=={name}": NOT if name < "1.1" else CU13 for name in names})
    assert torchs(index, names) == Cuda(((">=1.1", "cu13"),), "resolution", ("1.0.0", "1.0.2", "1.1.0", "1.1.2"))


def test_what_a_client_would_install_is_asked_again(tmp_path: Path) -> None:
    old = {"cuda": [[">=0", "cu13"]], "evidence": "resolution", "checked": ["1.0.0"]}
    index = Index(tmp_path, {"p==1.0.0": CPU})
    assert torchs(index, ["1.0.0"], old) == Cuda(((">=0", "cpu"),), "resolution", ("1.0.0",))


def test_a_wheel_that_was_opened_is_not_opened_again(tmp_path: Path) -> None:
    names = versions(*range(6))
    built = {name: "12" if name < "1.2" else "13" for name in names}
    first, again = Index(tmp_path / "1"), Index(tmp_path / "2")
    before = established("p", "elf", wheels(names[:-3]), first, None, reading(built)(first))
    old = {"cuda": before.rows, "evidence": before.evidence, "checked": before.checked}
    now = established("p", "elf", wheels(names), again, old, reading(built)(again))
    assert again.asked == ["1.5.2"]
    assert now.rows == before.rows == (("<1.2", "cu12"), (">=1.2", "cu13"))


def test_another_way_of_knowing_is_asked_again(tmp_path: Path) -> None:
    index = Index(tmp_path, {"p==1.0.0": CU13})
    old = {"cuda": [[">=0", "cpu"]], "evidence": "file-list", "checked": ["1.0.0"]}
    assert torchs(index, ["1.0.0"], old) == Cuda(((">=0", "cu13"),), "resolution", ("1.0.0",))


def test_versions_for_another_python_go_with_their_neighbours(tmp_path: Path) -> None:
    index = Index(tmp_path, {"p==2.2": CPU, "p==2.11": CU13})
    index.elsewhere = ("1.13", "2.1")
    available = {"1.9": "sdist", "1.13": "none", "2.1": "none", "2.2": "wheel", "2.11": "wheel"}
    found = established("p", "requires-dist", available, index, None, Opening(index))
    assert found.rows == ((">=1.13,<2.11", "cpu"), (">=2.11", "cu13"))
    assert found.checked == ("2.2", "2.11")


def test_what_has_no_wheel_says_nothing(tmp_path: Path) -> None:
    index = Index(tmp_path)
    available = {"0.42": "foreign", "0.45": "none", "0.46": "wheel", "0.47": "sdist", "0.48": "wheel"}
    found = established("p", "elf", available, index, None, reading({"0.46": "12", "0.48": "13"})(index))
    assert found.rows == ((">=0.46,<0.47", "cu12"), (">=0.48", "cu13"))
    assert established("p", "elf", {"1": "none"}, index, None, Opening(index)) == Cuda((), "elf", ())


def test_by_libraries_only_the_ends_and_the_boundary_are_opened(tmp_path: Path) -> None:
    names = versions(*range(9))
    index = Index(tmp_path)
    opening = reading({name: "12" if name < "1.4.1" else "13" for name in names})(index)
    found = established("p", "elf", wheels(names), index, None, opening)
    assert found.rows == (("<1.4.1", "cu12"), (">=1.4.1", "cu13"))
    assert found.checked == ("1.0.0", "1.4.0", "1.4.1", "1.8.2")
    assert len(index.asked) <= 2 + 5  # two ends, and the logarithm of 27
    assert opening.downloaded == len(index.asked) * MB
    once = len(index.asked)
    assert established("p", "elf", wheels(names), index, None, opening) == found
    assert len(index.asked) == once  # a file whose name is known is not downloaded again


def test_what_is_too_big_keeps_what_was_known_of_it(tmp_path: Path) -> None:
    names = ["1.0", "1.1", "1.2", "1.3"]
    old = {"cuda": [["<1.2", "cu12"], [">=1.2", "cu13"]], "evidence": "elf", "checked": ["1.1", "1.2"]}
    index = Index(tmp_path, size=451 * MB)
    opening = reading(dict.fromkeys(names, "13"))(index)
    found = established("p", "elf", wheels(names), index, old, opening)
    assert found == Cuda((("<1.2", "cu12"), (">=1.2", "cu13")), "elf", ("1.1", "1.2"))
    assert index.asked == []
    assert opening.left_out == [f"p {each} was not looked into: 451 MB are too many" for each in ("1.3", "1.0")]
    assert established("p", "elf", wheels(names), index, None, opening) == Cuda((), "elf", ())


def test_downloads_are_bounded(tmp_path: Path) -> None:
    names = ["1.0", "1.1", "1.2"]
    index = Index(tmp_path, size=400 * MB)
    opening = reading({"1.0": "12", "1.1": "13", "1.2": "13"})(index, 1000)
    found = established("p", "elf", wheels(names), index, None, opening)
    assert opening.downloaded == 800 * MB
    assert opening.left_out == ["p 1.1 was not looked into: 400 MB are more than is left of --max-download"]
    assert found == Cuda((("<1.1", "cu12"), (">=1.2", "cu13")), "elf", ("1.0", "1.2"))


def test_a_wheel_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    index = Index(tmp_path)
    opening = reading({"1.0": "broken"})(index)
    assert established("p", "elf", wheels(["1.0"]), index, None, opening) == Cuda((), "elf", ())
    assert opening.left_out == ["p 1.0 was not looked into: it cannot be read"]
    with pytest.raises(RegistryError, match="it cannot be read"):
        opening.foreign("p", "1.0")


def test_foreign_is_asked_of_the_wheel(tmp_path: Path) -> None:
    index = Index(tmp_path)

    def read(wheel: Path) -> tuple[Library, ...]:
        return (Library("p/a.so", "EM_X86_64" if wheel.read_text() == "1" else "EM_AARCH64", (), gpu=False),)

    opening = Opening(index, read=read)
    assert opening.foreign("p", "1")
    assert not opening.foreign("p", "2")
