"""pixi.lock in versions 4 to 7, as pixi and rattler's own test data write it."""

import pytest

from spark_lint.facts import Lock, Locked, ParseProblem, Read
from spark_lint.read.lock import read
from spark_lint.text import Source

CONDA = "https://conda.anaconda.org/conda-forge/linux-aarch64/python-3.12.2-h43d1f9e_0_cpython.conda"
NOARCH = "https://conda.anaconda.org/conda-forge/noarch/tzdata-2024a-h0c530f3_0.tar.bz2"
WHEEL = "https://example.invalid/packages/torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl"

V4 = f"""version: 4
environments:
  default:
    channels:
    - url: https://conda.anaconda.org/conda-forge/
    packages:
      linux-aarch64:
      - conda: {CONDA}
      - pypi: {WHEEL}
      linux-64:
      - conda: https://conda.anaconda.org/conda-forge/linux-64/python-3.12.2-hab00c5b_0_cpython.conda
packages:
- kind: conda
  name: python
  version: 3.12.2
  build: h43d1f9e_0_cpython
  subdir: linux-aarch64
  url: {CONDA}
  depends:
  - bzip2 >=1.0.8,<2.0a0
- kind: conda
  name: python
  version: 3.12.2
  build: hab00c5b_0_cpython
  subdir: linux-64
  url: https://conda.anaconda.org/conda-forge/linux-64/python-3.12.2-hab00c5b_0_cpython.conda
- kind: pypi
  name: torch
  version: '2.9.1'
  url: {WHEEL}
  sha256: 00
  requires_dist:
  - filelock
  - setuptools ; python_full_version >= '3.12'
  requires_python: '>=3.10'
"""
V6 = f"""version: 6
environments:
  default:
    channels:
    - url: https://conda.anaconda.org/conda-forge/
    indexes:
    - https://pypi.org/simple
    packages:
      linux-aarch64:
      - conda: {CONDA}
      - conda: {NOARCH}
  gpu:
    channels:
    - url: https://conda.anaconda.org/conda-forge/
    packages:
      linux-64:
      - pypi: https://example.invalid/packages/torch-2.9.1-cp312-cp312-manylinux_2_28_x86_64.whl
      linux-aarch64:
      - conda: {CONDA}
      - pypi: {WHEEL}
packages:
- conda: {CONDA}
  sha256: 00
  depends:
  - bzip2 >=1.0.8,<2.0a0
  license: Python-2.0
- conda: {NOARCH}
  license: LicenseRef-Public-Domain
- pypi: https://example.invalid/packages/torch-2.9.1-cp312-cp312-manylinux_2_28_x86_64.whl
  name: torch
  version: 2.9.1
- pypi: {WHEEL}
  name: torch
  version: 2.9.1
  sha256: 00
"""
V7 = f"""version: 7
platforms:
- name: linux-64
- name: spark
  subdir: linux-aarch64
  virtual-packages:
  - __cuda=13.0
environments:
  default:
    channels:
      - url: https://conda.anaconda.org/conda-forge/
    packages:
      spark:
        - conda: {CONDA}
        - conda_source: cpp_math[3a644c82] @ packages/cpp_math
        - pypi: ./
        - pypi: ./libs/a
        - pypi: {WHEEL}
packages:
  - conda: {CONDA}
  - conda_source: cpp_math[3a644c82] @ packages/cpp_math
    variants:
      target_platform: linux-aarch64
  - pypi: ./
    name: my-app
  - pypi: ./libs/a
    name: a
    requires_dist:
      - numpy
  - pypi: {WHEEL}
    name: torch
    version: 2.9.1
    index: https://example.invalid/whl/cu124
"""


def facts(text: str) -> list[Read]:
    return list(read(Source("pixi.lock", text)))


def lock(text: str) -> Lock:
    found = facts(text)[0]
    assert isinstance(found, Lock)
    return found


def locked(text: str) -> list[tuple[str, str, list[str]]]:
    return [(each.name, each.version, sorted(each.asked)) for each in facts(text) if isinstance(each, Locked)]


def torch(text: str) -> tuple[Source, Locked]:
    source = Source("pixi.lock", text)
    (found,) = (fact for fact in read(source) if isinstance(fact, Locked) and fact.name == "torch")
    return source, found


# ---- the lock -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "platforms"),
    [
        (V4, ("linux-aarch64", "linux-64")),
        (V6, ("linux-aarch64",)),
        (V7, ("linux-aarch64",)),
        (V6.replace("  default:", "  cpu:"), ("linux-aarch64", "linux-64")),
        ("version: 6\nenvironments:\n  default:\n    channels: []\n    packages: {}\npackages: []\n", ()),
        ("", ()),
    ],
)
def test_the_platforms_of_a_lock_are_those_of_its_default_environment(text: str, platforms: tuple[str, ...]) -> None:
    found = lock(text)
    assert (found.name, found.platforms, found.python, found.environments) == ("pixi", platforms, "", ())


def test_a_lock_stands_where_its_version_is() -> None:
    source = Source("pixi.lock", V6)
    found = next(iter(read(source)))
    assert isinstance(found, Lock)
    assert source.cut(found.span) == found.written == "version: 6"


# ---- packages -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (V4, [("conda/python", "3.12.2", [""]), ("torch", "2.9.1", [""])]),
        (V4.replace("version: 4", "version: 5"), [("conda/python", "3.12.2", [""]), ("torch", "2.9.1", [""])]),
        (V6, [("conda/python", "3.12.2", ["", "group:gpu"]), ("conda/tzdata", "2024a", [""]), ("torch", "2.9.1", ["group:gpu"])]),
        (V7, [("conda/python", "3.12.2", [""]), ("conda/cpp_math", "", [""]), ("a", "", [""]), ("torch", "2.9.1", [""])]),
    ],
)
def test_the_packages_of_a_spark(text: str, expected: list[tuple[str, str, list[str]]]) -> None:
    assert locked(text) == expected
    assert locked(text.replace("\n", "\r\n")) == expected


def test_a_lock_without_its_platform_has_no_packages() -> None:
    assert locked(V4.replace("linux-aarch64", "osx-arm64")) == []


@pytest.mark.parametrize(
    ("text", "stated"),
    [(V4, "name: torch\n  version: '2.9.1'"), (V6, "name: torch\n  version: 2.9.1"), (V7, "name: torch\n    version: 2.9.1")],
)
def test_a_package_of_pypi(text: str, stated: str) -> None:
    source, found = torch(text)
    assert (found.written, found.url, found.sdist, found.root, found.marker) == ("torch==2.9.1", "", False, False, "")
    assert found.wheels == ("torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl",)
    assert source.cut(found.span) == source.cut(found.origin) == stated


def test_the_index_that_version_7_names() -> None:
    assert torch(V7)[1].index == "https://example.invalid/whl/cu124"
    assert torch(V6)[1].index == ""


def test_a_package_of_conda_is_named_by_its_address() -> None:
    source = Source("pixi.lock", V6)
    (found,) = (fact for fact in read(source) if isinstance(fact, Locked) and fact.name == "conda/python")
    assert (found.written, found.url, found.wheels, found.sdist) == ("python==3.12.2", "", None, False)
    assert source.cut(found.span) == CONDA
    assert found.span.line == V6[: V6.index("packages:\n- conda")].count("\n") + 2


@pytest.mark.parametrize(
    ("address", "url", "wheels", "sdist"),
    [
        ("https://example.invalid/a-1.tar.gz", "", (), True),
        ("git+https://example.invalid/a.git?branch=main#0123", "git+https://example.invalid/a.git?branch=main#0123", (), True),
        ("direct+https://example.invalid/a-1-py3-none-any.whl", "https://example.invalid/a-1-py3-none-any.whl", ("a-1-py3-none-any.whl",), False),
        ("./dist/a-1-py3-none-any.whl", "./dist/a-1-py3-none-any.whl", ("a-1-py3-none-any.whl",), False),
        ("https://example.invalid/a-1%2Bcu130-py3-none-any.whl", "", ("a-1+cu130-py3-none-any.whl",), False),
    ],
)  # fmt: skip
def test_where_a_package_comes_from(address: str, url: str, wheels: tuple[str, ...], sdist: bool) -> None:
    _, found = torch(V6.replace(WHEEL, address))
    assert (found.url, found.wheels, found.sdist) == (url, wheels, sdist)


def test_quotes_and_comments() -> None:
    text = V6.replace(f"pypi: {WHEEL}", f'pypi: "{WHEEL}"  # as in the index').replace(
        "version: 2.9.1\n  sha", "version: 2.9.1 # x\n  sha"
    )
    source, found = torch(text)
    assert (found.version, source.cut(found.span)) == ("2.9.1", "name: torch\n  version: 2.9.1")


def test_what_is_commented_out_is_not_there() -> None:
    assert locked(V6.replace(f"      - conda: {NOARCH}", f"      # - conda: {NOARCH}"))[1][0] == "torch"


def test_a_conflict_that_is_left_is_said() -> None:
    found = facts(V6.replace("packages:\n- conda", "<<<<<<< HEAD\npackages:\n- conda"))
    (problem,) = (fact for fact in found if isinstance(fact, ParseProblem))
    assert (problem.message, problem.span.line) == (
        "this line is not YAML as pixi writes it",
        V6[: V6.index("packages:\n- conda")].count("\n") + 1,
    )
    assert len([fact for fact in found if isinstance(fact, Locked)]) == 3


@pytest.mark.parametrize("text", ["---\n" + V6, "%YAML 1.2\n---\n" + V6 + "...\n", "\n# made by pixi\n" + V6])
def test_marks_of_a_document_are_no_problem(text: str) -> None:
    assert locked(text) == locked(V6)
    assert not [fact for fact in facts(text) if isinstance(fact, ParseProblem)]
