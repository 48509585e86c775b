"""Locks that the real tools made (tests/locks/README.md), against what uv and pixi's own library find for a Spark, and `packaging` of a pylock."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tomli
from packaging.utils import canonicalize_name

from spark_lint.check import check_texts
from spark_lint.config import Config
from spark_lint.facts import Package
from spark_lint.kinds import REQUIREMENTS, kind_of
from spark_lint.load import RuleSet, load

LOCKS = Path(__file__).parent / "locks"
RULES: RuleSet = load()
PROJECTS = ("breaks", "works")
KINDS = {
    "uv": "uv.lock",
    "pylock": "pylock.gpu.toml",
    "poetry": "poetry.lock",
    "poetry1": "poetry.lock",
    "pdm": "pdm.lock",
    "pylock-pdm": "pylock.toml",
    "pixi": "pixi.lock",
}
"""The locks that list their files."""
VERSIONS = {"pipenv": "Pipfile.lock", "pip-compile": "requirements.txt", "uv-export": "requirements.txt"}
LABELS = {"default": {""}, "gpu": {"gpu", "group:gpu"}, "dev": {"dev", "group:dev"}}
"""Pipenv's categories and pixi's features are groups; PDM makes no difference between a group and an extra."""


@cache
def expected(project: str) -> dict[str, Any]:
    return tomli.loads((LOCKS / project / "expected.toml").read_text(encoding="utf-8"))


def installed(project: str, tool: str, lock: str) -> dict[str, Package]:
    """What spark-lint says that a Spark gets from a lock, by name and version: of PyPI's."""
    folder = LOCKS / project / tool
    manifests = [path for path in folder.iterdir() if path.name in ("pyproject.toml", "Pipfile", "pixi.toml", "requirements.in")]
    texts = {path.name: path.read_text(encoding="utf-8") for path in (folder / lock, *manifests)}
    (seen,) = check_texts(texts, Config(), rules=RULES).projects
    packages = (fact for fact in seen.facts[lock] if isinstance(fact, Package) and not fact.name.startswith("conda/"))
    here = [each for each in packages if not all(scope.elsewhere for scope in each.scopes)]
    found = {f"{each.name}=={each.version}": each for each in here}
    assert len(found) == len(here), "each of them once"
    return found


def wanted(project: str, tool: str) -> dict[str, set[str]]:
    """Who gets which name and version: `gpu` and `dev` are what these add."""
    found: dict[str, set[str]] = {}
    for who, pins in expected(project)[tool].items():
        for pin in pins:
            found.setdefault(pin, set()).update(LABELS[who])
    return found


def agree(packages: Mapping[str, Package], wanted: Mapping[str, set[str]]) -> None:
    assert packages.keys() == wanted.keys()
    assert {pin: each.context.extra for pin, each in packages.items() if each.context.extra not in wanted[pin]} == {}


@pytest.mark.parametrize("project", PROJECTS)
@pytest.mark.parametrize("tool", KINDS)
def test_who_gets_which_package_and_what_there_is_of_it(project: str, tool: str) -> None:
    packages, who = installed(project, tool, KINDS[tool]), wanted(project, tool)
    if tool == "pylock":  # uv writes one for who is asked about, without saying whom
        who = {pin: {""} for pin in who}
    agree(packages, who)
    kinds = expected(project)["kinds"]
    found = {pin: each.locked.offered for pin, each in packages.items() if each.locked}
    assert found == {pin: kinds[pin] for pin in who}


@pytest.mark.parametrize("project", PROJECTS)
def test_a_pylock_without_the_extra(project: str) -> None:
    packages = installed(project, "pylock", "pylock.toml")
    assert packages.keys() == set(expected(project)["pylock"]["default"])


@pytest.mark.parametrize("project", PROJECTS)
@pytest.mark.parametrize("tool", VERSIONS)
def test_who_gets_which_version_where_no_files_are_listed(project: str, tool: str) -> None:
    who = wanted(project, tool)
    if kind_of(VERSIONS[tool]) == REQUIREMENTS:
        who = {pin: {""} for pin in expected(project)[tool]["default"]}
    packages = installed(project, tool, VERSIONS[tool])
    agree(packages, who)
    assert all(each.locked is None or each.locked.offered == "" for each in packages.values())


def test_every_kind_of_answer_is_among_them() -> None:
    for tool in ("uv", "pylock", "poetry", "poetry1", "pdm", "pylock-pdm"):
        pins = [pin for who in expected("breaks")[tool].values() for pin in who]
        assert {expected("breaks")["kinds"][pin] for pin in pins} == {"wheel", "sdist", "none"}
    assert "none" not in expected("works")["kinds"].values()


def selected(path: Path) -> Iterator[tuple[str, str]]:
    """What the reference implementation takes from a pylock for a Spark: name and version, and `wheel`, `sdist` or `none`."""
    from packaging.pylock import PackageSdist, Pylock, PylockSelectError
    from packaging.tags import compatible_tags, cpython_tags

    platforms = [f"manylinux_2_{minor}_aarch64" for minor in range(39, 16, -1)] + ["manylinux2014_aarch64", "linux_aarch64"]
    tags = [*cpython_tags((3, 12), ["cp312"], platforms), *compatible_tags((3, 12), "cp312", platforms)]
    spark: Any = {
        "implementation_name": "cpython", "implementation_version": "3.12.3", "os_name": "posix", "platform_machine": "aarch64",
        "platform_python_implementation": "CPython", "platform_release": "", "platform_system": "Linux", "platform_version": "",
        "python_full_version": "3.12.3", "python_version": "3.12", "sys_platform": "linux",
    }  # fmt: skip
    data = tomli.loads(path.read_text(encoding="utf-8"))
    for package in data["packages"]:
        # It stops at the first package of which there is nothing, so each is asked about by itself.
        alone = Pylock.from_dict({**data, "packages": [package]})
        pin = f"{canonicalize_name(package['name'])}=={package['version']}"
        try:
            for _, file in alone.select(environment=spark, tags=tags):
                yield pin, "sdist" if isinstance(file, PackageSdist) else "wheel"
        except PylockSelectError:
            yield pin, "none"


@pytest.mark.parametrize("project", PROJECTS)
@pytest.mark.parametrize(
    ("tool", "lock"), [("pylock", "pylock.toml"), ("pylock", "pylock.gpu.toml"), ("pylock-pdm", "pylock.toml")]
)
def test_packaging_takes_the_same_from_a_pylock(project: str, tool: str, lock: str) -> None:
    pytest.importorskip("packaging", minversion="26.4")
    found = installed(project, tool, lock)
    assert {pin: each.locked.offered for pin, each in found.items() if each.locked} == dict(
        selected(LOCKS / project / tool / lock)
    )
