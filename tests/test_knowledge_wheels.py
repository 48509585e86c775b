"""What the default package index holds for a Spark, as it was measured."""

import pytest

from spark_lint import knowledge
from spark_lint.facts import Index
from spark_lint.text import UNKNOWN, Span

SPAN = Span("a", 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("name", "version", "cuda"),
    [
        pytest.param("torch", "2.7.1", "cpu", id="torch before CUDA on aarch64"),
        pytest.param("torch", "2.10.0", "cpu", id="last CPU torch"),
        pytest.param("torch", "2.11.0", "cu13", id="first CUDA torch"),
        pytest.param("torch", "2.15.0", "cu13", id="newest torch"),
        pytest.param("torch", "2.6.0+cu124", "cu12", id="local version says it"),
        pytest.param("torch", "2.9.1+cu130", "cu13", id="local version for CUDA 13"),
        pytest.param("torch", "2.9.1+cpu", "cpu", id="local version for the CPU"),
        pytest.param("torch", "1.13.1+cu117", "cu11", id="local version for CUDA 11"),
        pytest.param("torch", "2.9.1+rocm6.3", "", id="local version of another vendor"),
        pytest.param("torch", "not a version", "", id="no version"),
        pytest.param("torchvision", "0.25.0", "cpu", id="last CPU torchvision"),
        pytest.param("torchvision", "0.26.0", "cu13", id="first CUDA torchvision"),
        pytest.param("torchaudio", "2.10.0", "cpu", id="last CPU torchaudio"),
        pytest.param("torchaudio", "2.11.0", "cu13", id="first CUDA torchaudio"),
        pytest.param("bitsandbytes", "0.47.0", "cu12", id="bitsandbytes without a CUDA 13 library"),
        pytest.param("bitsandbytes", "0.48.0", "cu13", id="first bitsandbytes with one"),
        pytest.param("vllm", "0.19.1", "cu12", id="last vllm for CUDA 12"),
        pytest.param("vllm", "0.20.0", "cu13", id="first vllm for CUDA 13"),
        pytest.param("vllm", "0.9.1", "", id="vllm built from source"),
        pytest.param("unsloth", "2026.7.6", "cpu", id="unsloth that caps torch"),
        pytest.param("unsloth", "2026.9.14", "cu13", id="unsloth that does not"),
        pytest.param("triton", "3.6.0", "", id="metadata says nothing"),
        pytest.param("cupy-cuda12x", "14.2.0", "cu12", id="the name says it"),
        pytest.param("ctranslate2", "4.8.5", "cpu", id="CPU build"),
    ],
)
def test_cuda_of_a_version(name: str, version: str, cuda: str) -> None:
    facts = knowledge.package(name)
    assert facts is not None
    assert facts.cuda(version) == cuda


@pytest.mark.parametrize(
    ("name", "version", "aarch64"),
    [
        pytest.param("torch", "2.1.2", "none", id="no wheel for Python 3.12"),
        pytest.param("torch", "2.9.1", "wheel", id="torch"),
        pytest.param("torch", "2.9.1+cu130", "", id="local versions are not on the default index"),
        pytest.param("bitsandbytes", "0.42.0", "foreign", id="x86-64 libraries in a wheel for every machine"),
        pytest.param("bitsandbytes", "0.43.0", "none", id="bitsandbytes gap starts"),
        pytest.param("bitsandbytes", "0.45.5", "none", id="bitsandbytes gap ends"),
        pytest.param("bitsandbytes", "0.46.0", "wheel", id="first bitsandbytes wheel"),
        pytest.param("triton", "3.4.0", "none", id="triton before aarch64"),
        pytest.param("triton", "3.5.0", "wheel", id="first triton wheel"),
        pytest.param("vllm", "0.10.1", "sdist", id="vllm before aarch64"),
        pytest.param("vllm", "0.10.2", "wheel", id="first vllm wheel"),
        pytest.param("flash-attn", "2.8.3.post2", "sdist", id="flash-attn is always source"),
        pytest.param("xformers", "0.0.35", "sdist", id="xformers is always source"),
        pytest.param("onnxruntime-gpu", "1.28.0", "none", id="onnxruntime-gpu before aarch64"),
        pytest.param("onnxruntime-gpu", "1.29.0", "wheel", id="first onnxruntime-gpu wheel"),
        pytest.param("torchcodec", "0.10.0", "none", id="torchcodec before aarch64"),
        pytest.param("torchcodec", "0.11.0", "wheel", id="first torchcodec wheel"),
        pytest.param("decord", "0.6.0", "none", id="decord"),
        pytest.param("faiss-gpu", "1.15.1", "none", id="faiss-gpu"),
        pytest.param("mamba-ssm", "2.3.2.post1", "sdist", id="mamba-ssm"),
        pytest.param("open3d", "0.20.0", "wheel", id="first open3d wheel"),
        pytest.param("ray", "2.60.0", "wheel", id="ordinary package"),
    ],
)
def test_what_there_is_to_install(name: str, version: str, aarch64: str) -> None:
    facts = knowledge.package(name)
    assert facts is not None
    assert facts.aarch64(version) == aarch64


@pytest.mark.parametrize(
    ("specifier", "newest"),
    [
        pytest.param("", "2.15.0", id="anything"),
        pytest.param(">=2.4", "2.15.0", id="no upper bound"),
        pytest.param(">=2.4,<2.11", "2.10.0", id="a cap"),
        pytest.param("~=2.6.0", "2.6.0", id="compatible release"),
        pytest.param("==2.9.*", "2.9.1", id="wildcard"),
        pytest.param("==2.9.1", "2.9.1", id="a pin"),
        pytest.param("==2.6.0+cu124", "2.6.0+cu124", id="a pin that is not on the index counts"),
        pytest.param("==2.99.0", "2.99.0", id="a pin that is not known counts"),
        pytest.param("===2.8.0", "2.8.0", id="arbitrary equality"),
        pytest.param("!=2.15.0", "2.14.1", id="an exclusion"),
    ],
)
def test_newest_version_a_specifier_admits(specifier: str, newest: str) -> None:
    torch = knowledge.package("torch")
    assert torch is not None
    assert torch.matching(specifier)[-1] == newest


@pytest.mark.parametrize("specifier", [f"=={UNKNOWN}", f">=2.4,<{UNKNOWN}", "^2.4", "latest", "==2.9.1,<2", ">99"])
def test_nothing_matches_what_is_invalid_unknown_or_impossible(specifier: str) -> None:
    torch = knowledge.package("torch")
    assert torch is not None
    assert torch.matching(specifier) == ()


def test_a_cap_below_cuda_leaves_only_cpu_builds() -> None:
    torch = knowledge.package("torch")
    assert torch is not None
    assert {torch.cuda(version) for version in torch.matching(">=2.4,<2.11")} == {"cpu"}
    assert {torch.cuda(version) for version in torch.matching(">=2.4")} == {"cpu", "cu13"}


@pytest.mark.parametrize(
    ("version", "assumed"), [("2.15.0", False), ("2.15.0+cu130", False), ("2.9.1", False), ("2.16.0", True), ("x", False)]
)
def test_versions_after_the_newest_checked_are_assumed(version: str, assumed: bool) -> None:
    torch = knowledge.package("torch")
    assert torch is not None
    assert torch.newest_checked == "2.15.0"
    assert torch.assumed(version) is assumed


@pytest.mark.parametrize(
    ("name", "after", "first"),
    [
        ("torchcodec", "0.10.0", "0.11.0"),
        ("onnxruntime-gpu", "1.23.2", "1.29.0"),
        ("mediapipe", "0.10.21", "1.0.0"),
        ("decord", "0.6.0", ""),
        ("torchcodec", "not a version", "0.11.0"),
    ],
)
def test_first_wheel_after_a_version(name: str, after: str, first: str) -> None:
    facts = knowledge.package(name)
    assert facts is not None
    assert facts.first_wheel(after) == first


def test_packages_of_which_some_version_has_nothing_for_a_spark_and_what_replaces_them() -> None:
    lacking = knowledge.lacking_names()
    assert {"decord", "triton", "torchcodec", "faiss-gpu-cu12"} <= set(lacking)
    assert "liger-kernel" not in lacking
    assert knowledge.replacement("Decord") == "decord2"
    assert knowledge.replacement("taichi") == ""


@pytest.mark.parametrize(
    ("version", "variable"), [("2.3.1", "MAMBA_FORCE_BUILD"), ("2.3.2.post1", ""), ("", ""), ("not a version", "")]
)
def test_old_releases_that_fetch_a_wheel_for_another_machine(version: str, variable: str) -> None:
    source = knowledge.source("mamba_ssm")
    assert source is not None
    assert source.forced(version) == variable


def test_what_is_compiled_has_no_wheel_for_a_spark() -> None:
    for name in knowledge.source_names():
        facts, source = knowledge.package(name), knowledge.source(name)
        assert source is not None
        if facts is not None and not source.git:  # one with a repository of its own may be another project on the index
            assert facts.aarch64(facts.versions[-1]) in ("sdist", "none"), name


def test_an_index_that_has_a_package_for_x86_alone() -> None:
    xformers, mamba = knowledge.source("xformers"), knowledge.source("mamba-ssm")
    assert xformers is not None
    assert mamba is not None
    assert xformers.only_x86(index("https://download.pytorch.org/whl/cu130", "cu130"))
    assert xformers.only_x86(index("", "auto", "torch-backend"))
    assert not xformers.only_x86(index("https://pypi.org/simple"))
    assert not xformers.only_x86(index("https://pkg.example.com/whl/cu130", "cu130"))
    assert not mamba.only_x86(index("https://download.pytorch.org/whl/cu130", "cu130"))


def test_what_a_build_needs_where_no_gpu_is_seen() -> None:
    scatter, sage = knowledge.source("torch-scatter"), knowledge.source("sageattention")
    assert scatter is not None
    assert sage is not None
    assert (scatter.unseen, scatter.stops) == (("FORCE_CUDA",), False)
    assert (sage.unseen, sage.stops, sage.git) == (("TORCH_CUDA_ARCH_LIST",), True, "thu-ml/sageattention")


def test_what_is_missing_on_every_machine_is_missing_for_want_of_a_python() -> None:
    torch, decord = knowledge.package("torch"), knowledge.package("decord")
    assert torch is not None
    assert decord is not None
    assert torch.by_python("2.1.2")
    assert not torch.by_python("2.9.1")
    assert not torch.by_python("not a version")
    assert not decord.by_python("0.6.0")


@pytest.mark.parametrize(
    ("url", "name", "serves"),
    [
        ("https://pypi.org/simple", "decord", False),
        ("https://download.pytorch.org/whl/cu130", "decord", False),
        ("https://download.pytorch.org/whl/cu130", "triton", True),
        ("https://download.pytorch.org/whl/cu121", "xformers", False),
        ("https://data.pyg.org/whl/torch-2.11.0+cu130.html", "torch_scatter", True),
        ("https://data.pyg.org/whl/torch-2.11.0+cu130.html", "mamba-ssm", False),
        ("https://pkg.example.com/simple", "decord", True),
        (f"https://{UNKNOWN}/simple", "decord", True),
        ("https://[broken/simple", "decord", True),
    ],
)
def test_indexes_that_may_have_what_the_default_one_lacks(url: str, name: str, serves: bool) -> None:
    assert knowledge.serves(index(url), name) is serves


def test_a_torch_backend_moves_the_packages_of_pytorch_alone() -> None:
    assert knowledge.serves(index("", "cu130", "torch-backend"), "triton")
    assert not knowledge.serves(index("", "cu130", "torch-backend"), "xformers")
    assert not knowledge.serves(index("", "cu130", "torch-backend"), "decord")


@pytest.mark.parametrize(
    ("specifier", "serves"),
    [("==3.2.0", False), ("<3.3", False), ("==3.3.1", True), (">=3.2", True), ("", True), (f"=={UNKNOWN}", True)],
)
def test_an_index_that_has_some_releases_of_a_package(specifier: str, serves: bool) -> None:
    assert knowledge.serves(index("https://download.pytorch.org/whl/cu130", "cu130"), "triton", specifier) is serves


def test_names_are_compared_by_their_canonical_form() -> None:
    assert knowledge.package("Flash_Attn") == knowledge.package("flash-attn")
    assert knowledge.package("no-such-package") is None


@pytest.mark.parametrize(
    ("name", "better"),
    [
        pytest.param("nvidia-cublas-cu12", "nvidia-cublas", id="the suffix is dropped"),
        pytest.param("nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime", id="the runtime too"),
        pytest.param("nvidia-cudnn-cu12", "nvidia-cudnn-cu13", id="the suffix is swapped"),
        pytest.param("nvidia-nccl-cu12", "nvidia-nccl-cu13", id="nccl is swapped"),
        pytest.param("nvidia_nvshmem_cu12", "nvidia-nvshmem-cu13", id="any spelling"),
        pytest.param("cupy-cuda12x", "cupy-cuda13x", id="another spelling of CUDA"),
        pytest.param("jax-cuda12-plugin", "jax-cuda13-plugin", id="CUDA in the middle"),
        pytest.param("nvidia-dali-cuda120", "nvidia-dali-cuda130", id="three digits"),
        pytest.param("faiss-gpu-cu12", "", id="no counterpart"),
        pytest.param("vllm-nccl-cu12", "", id="obsolete"),
        pytest.param("torch", None, id="no CUDA package"),
        pytest.param("made-up-cu12", None, id="never by swapping the suffix"),
    ],
)
def test_cuda13_name(name: str, better: str | None) -> None:
    assert knowledge.cuda13_name(name) == better


def test_cuda12_names_hold_renamed_packages_and_those_with_a_cuda12_extra() -> None:
    assert {"nvidia-cublas-cu12", "cupy-cuda12x", "faiss-gpu-cu12", "jax", "tensorflow", "numba-cuda"} <= set(
        knowledge.cuda12_names()
    )


def test_harmless_names() -> None:
    assert knowledge.harmless("nvidia_cutlass_dsl_libs_cu12")
    assert not knowledge.harmless("nvidia-cublas-cu12")


@pytest.mark.parametrize(
    ("package", "extra", "advice"),
    [
        ("jax", "cuda", "jax[cuda13]"),
        ("jax", "cuda12", "jax[cuda13]"),
        ("jax", "cuda12_local", "jax[cuda13-local]"),
        ("jax", "cuda13", None),
        ("jax", "cpu", None),
        ("tensorflow", "and-cuda", "tensorflow"),
        ("numba-cuda", "cu12", "numba-cuda[cu13]"),
        ("cupy-cuda12x", "ctk", "cupy-cuda13x[ctk]"),
        ("torch", "cuda", None),
    ],
)
def test_extra_advice(package: str, extra: str, advice: str | None) -> None:
    assert knowledge.extra_advice(package, extra) == advice


def index(url: str, name: str = "", role: str = "index") -> Index:
    return Index(name=name, span=SPAN, origin=SPAN, written=url, url=url, role=role)


@pytest.mark.parametrize(
    ("indexes", "only"),
    [
        pytest.param([], True, id="none named"),
        pytest.param([index("https://pypi.org/simple")], True, id="the default named"),
        pytest.param([index("https://pypi.tuna.tsinghua.edu.cn/simple/")], True, id="a mirror"),
        pytest.param([index("https://download.pytorch.org/whl/cu130", "cu130")], False, id="torch's own"),
        pytest.param(
            [index("https://pypi.org/simple"), index("https://pkg.example.com/simple", role="extra-index")],
            False,
            id="an extra one",
        ),
        pytest.param([index("", "cu130", "torch-backend")], False, id="uv's backend"),
        pytest.param([index(f"https://{UNKNOWN}/simple")], False, id="unknown"),
        pytest.param([index("https://[broken/simple")], False, id="no address"),
    ],
)
def test_only_the_default_index(indexes: list[Index], only: bool) -> None:
    assert knowledge.only_pypi(indexes) is only


@pytest.mark.parametrize(
    ("specifier", "met"),
    [
        (">=2.13", True),
        ("==2.14.*", True),
        ("<2.15", True),
        ("<=2.14", True),
        ("", True),
        (">=2.14", False),
        ("==2.14.0", False),
        ("~=2.14", False),
        ("<2.14", False),
        ("broken", True),
        (f">={UNKNOWN}", True),
    ],
)
def test_an_ngc_torch_is_a_prerelease(specifier: str, met: bool) -> None:
    assert ("2.14.0a0+4fdf77b940.nv26.8.63802676" in knowledge.specifiers(specifier)) is met


@pytest.mark.parametrize(
    ("version", "assumed"),
    [
        pytest.param("2.10.0", False, id="known"),
        pytest.param("2.10", False, id="another spelling"),
        pytest.param("2.10.0+cu130", False, id="local"),
        pytest.param("2.10.7", True, id="among the known ones, and none of them"),
        pytest.param("2.10.0.post1", True, id="post-release that is not known"),
        pytest.param("99", True, id="newer"),
        pytest.param("1.0.1", False, id="before the first that a later Python finds"),
        pytest.param("nonsense", False, id="no version"),
    ],
)
def test_of_a_release_that_nobody_looked_at_everything_is_assumed(version: str, assumed: bool) -> None:
    torch = knowledge.package("torch")
    assert torch is not None
    assert torch.assumed(version) is assumed
