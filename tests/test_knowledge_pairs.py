"""Which torch each torchvision and torchaudio goes with, and what unsloth's cap on torch leads to."""

import pytest

from spark_lint import knowledge


@pytest.mark.parametrize(
    ("name", "version", "torch"),
    [
        pytest.param("torchvision", "0.24.1", "==2.9.1", id="one torch for each torchvision"),
        pytest.param("torchvision", "0.25.0+cu130", "==2.10.0", id="whatever it is built for"),
        pytest.param("torchvision", "0.29.0", "==2.14.0", id="the last that asks for exactly one"),
        pytest.param("torchvision", "0.29.2", ">=2.14", id="the first that take later ones"),
        pytest.param("torchaudio", "2.0.2", "==2.0.1", id="an old torchaudio has another number"),
        pytest.param("torchaudio", "2.11.1", ">=2.11", id="torchaudio stopped"),
        pytest.param("torchvision", "0.30.0", "", id="not seen"),
        pytest.param("torchvision", "0.14.1", "", id="too old to say"),
        pytest.param("torchtext", "0.18.0", "", id="another package"),
    ],
)
def test_the_torch_that_a_release_asks_for(name: str, version: str, torch: str) -> None:
    assert knowledge.torch_for(name, version) == torch


@pytest.mark.parametrize(
    ("torch", "triton"),
    [("2.10.0", ""), ("2.11.0", "==3.6.0"), ("2.12.1+cu130", "==3.7.1"), ("2.14.1", "~=3.8.0"), ("2.99.0", "")],
)
def test_the_triton_that_a_torch_asks_for(torch: str, triton: str) -> None:
    assert knowledge.brought_by_torch("triton", torch) == triton


@pytest.mark.parametrize(
    ("name", "version", "torch", "goes"),
    [
        ("torchvision", "0.24.1", "2.9.1", True),
        ("torchvision", "0.24.1", "2.9.1+cu130", True),
        ("torchvision", "0.24.0", "2.9.1", False),
        ("torchvision", "0.29.1", "2.15.0", True),
        ("torchaudio", "2.11.0", "2.14.1", True),
        ("torchaudio", "2.11.1", "2.10.0", False),
        ("torchvision", "0.30.0", "2.15.0", None),
    ],
)
def test_whether_two_releases_go_together(name: str, version: str, torch: str, goes: bool | None) -> None:
    assert knowledge.goes_with(name, version, torch) is goes


@pytest.mark.parametrize(
    ("name", "torch", "partner"),
    [
        ("torchvision", "2.9.1", "0.24.1"),
        ("torchvision", "2.12.0", "0.27.0"),
        ("torchvision", "2.15.0", "0.29.2"),
        ("torchaudio", "2.13.0", "2.11.1"),
        ("torchaudio", "2.8.0", "2.8.0"),
        ("torchvision", "1.13.1", ""),
    ],
)
def test_the_newest_partner_of_a_torch(name: str, torch: str, partner: str) -> None:
    assert knowledge.partner(name, torch) == partner


def test_every_known_release_from_torch_2_on_has_its_torch() -> None:
    for name, first in (("torchvision", "0.15.1"), ("torchaudio", "2.0.1")):
        known = knowledge.package(name)
        assert known is not None
        for version in known.versions[known.versions.index(first) :]:
            assert knowledge.torch_for(name, version), f"{name} {version}"


@pytest.mark.parametrize(
    ("version", "cap", "pip", "uv"),
    [
        ("2026.3.12", "<2.11", "2.10.0", "2.10.0"),
        ("2026.7.4", "<2.11", "2.10.0", "2.10.0"),
        ("2026.7.5", "<2.12", "2.11.0", "2.10.0"),
    ],
)
def test_what_a_cap_on_torch_leads_to(version: str, cap: str, pip: str, uv: str) -> None:
    found = knowledge.torch_cap("unsloth", version)
    assert found is not None
    assert (found.cap, found.pip, found.uv) == (cap, pip, uv)


@pytest.mark.parametrize("version", ["2026.3.11", "2026.9.3", "2026.10.9"])
def test_a_cap_that_does_no_harm_is_none(version: str) -> None:
    assert knowledge.torch_cap("unsloth", version) is None


def test_caps_agree_with_what_the_wheels_table_says_of_the_torch_they_lead_to() -> None:
    unsloth = knowledge.package("unsloth")
    assert unsloth is not None
    for version in unsloth.versions:
        assert (knowledge.torch_cap("unsloth", version) is not None) == (unsloth.cuda(version) == "cpu"), version
