"""Packaging files: which packages pyproject.toml, pixi.toml, uv.toml and the header of a script install, for whom, and from where."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import tomli
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from spark_lint.facts import Binding, Context, Distribution, Fact, Include, Index, Package, ParseProblem, Read
from spark_lint.names.machines import elsewhere
from spark_lint.read.toml import facts as toml
from spark_lint.read.toml import read
from spark_lint.text import UNKNOWN, Source, Text
from tests.projects import facts as project_facts
from tests.projects import found


def facts(text: str, path: str = "pyproject.toml") -> list[Read]:
    return list(read(Source(path, text)))


def of(kind: type[Fact], text: str, path: str = "pyproject.toml") -> Iterator[Fact]:
    return (fact for fact in facts(text, path) if type(fact) is kind)


def packages(text: str, path: str = "pyproject.toml") -> list[Package]:
    return [fact for fact in facts(text, path) if isinstance(fact, Package)]


def wanted(text: str, path: str = "pyproject.toml") -> list[tuple[str, str]]:
    """Each package with its specifier, and who asks for it."""
    return [(f"{each.name}{each.specifier}", each.context.extra) for each in packages(text, path)]


def included(text: str, path: str = "pyproject.toml") -> list[tuple[str, str, str, list[str]]]:
    """Each include: its kind, its path, who asks for it, and what for."""
    return [
        (each.kind, each.path.value, each.context.extra, sorted(each.extras))
        for each in facts(text, path)
        if isinstance(each, Include)
    ]


def indexes(text: str, path: str = "pyproject.toml") -> list[tuple[str, str, str, bool]]:
    return [(each.role, each.url, each.label, each.explicit) for each in facts(text, path) if isinstance(each, Index)]


def bound(text: str, path: str = "pyproject.toml") -> list[tuple[str, str, str, str, str]]:
    return [
        (each.name, each.index, each.url, each.marker, each.context.extra)
        for each in facts(text, path)
        if isinstance(each, Binding)
    ]


def distribution(text: str, path: str = "pyproject.toml") -> Distribution:
    (only,) = (each for each in facts(text, path) if isinstance(each, Distribution))
    return only


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


PROJECT = "[project]\nname = 'My_Pkg'\n"


# ---- the standards ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("dependencies", "[project]\ndependencies = ['torch>=2.4, <3', 'NumPy']", [("torch>=2.4,<3", ""), ("numpy", "")]),
        case("a dotted key", "project.dependencies = ['torch']", [("torch", "")]),
        case("an inline table", "project = {name = 'x', dependencies = ['torch']}", [("torch", "")]),
        case("an extra", "[project.optional-dependencies]\nGPU_x = ['flash-attn==2.8.3', 'ninja']",
             [("flash-attn==2.8.3", "gpu-x"), ("ninja", "gpu-x")]),
        case("a group", "[dependency-groups]\n'Dev.Tools' = ['pytest']", [("pytest", "group:dev-tools")]),
        case("escapes", r"""project.dependencies = ["torch==2.4 ; sys_platform == \"linux\""]""", [("torch==2.4", "")]),
        case("an unknown name", "project.dependencies = ['{{ x }}', 'torch=={{ v }}']", [(f"torch=={UNKNOWN}", "")]),
        case("what is no list", "project.dependencies = {torch = '1'}\n[dependency-groups]\na = 1\nb = [1, {x = 'torch'}]", []),
        case("what is no table", "project = 1\ntool = 'x'\ndependency-groups = ['torch']\nbuild-system = []", []),
        case("a table in a list", "[[project]]\ndependencies = ['torch']\n[[tool.uv]]\nindex = 1\n", []),
        case("Flit's own metadata", "[tool.flit.metadata]\nmodule = 'x'\nrequires = ['a']\n[tool.flit.metadata.requires-extra]\nb = ['c']",
             [("a", ""), ("c", "b")]),
        case("Rye", "[tool.rye]\ndev-dependencies = ['pytest']", [("pytest", "group:dev")]),
    ],
)  # fmt: skip
def test_packages_with_who_asks_for_them(text: str, expected: list[tuple[str, str]]) -> None:
    assert wanted(text) == expected


def test_requirement_stands_in_its_string_and_its_marker_is_kept() -> None:
    text = "[project]\ndependencies = [\n  'a',\n  \"torch[opt-einsum]==2.4 ; platform_machine == 'x86_64'\",  # why\n]\n"
    _, torch = packages(text)
    assert Source("pyproject.toml", text).cut(torch.span) == "torch[opt-einsum]==2.4"
    assert (torch.written, torch.extras, torch.version) == ("torch[opt-einsum]==2.4", {"opt-einsum"}, "2.4")
    assert (torch.marker, torch.manager, torch.role) == ("platform_machine == 'x86_64'", "pip", "requirement")


def test_what_a_build_requires_is_no_requirement() -> None:
    roles = {
        each.name: each.role for each in packages(PROJECT + "dependencies = ['torch']\n[build-system]\nrequires = ['ninja']")
    }
    assert roles == {"torch": "requirement", "ninja": "build"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("itself with extras", PROJECT + "[project.optional-dependencies]\nall = ['my.pkg[gpu, Dev]']",
             [("extra", "my.pkg[gpu, Dev]", "all", ["dev", "gpu"])]),
        case("a group of a group", "[dependency-groups]\na = [{include-group = 'B_b'}, 'x']", [("extra", "B_b", "group:a", ["group:b-b"])]),
        case("files that setuptools reads", "[tool.setuptools.dynamic]\ndependencies = {file = ['r.txt', 's.txt']}",
             [("requirement", "r.txt", "", []), ("requirement", "s.txt", "", [])]),
        case("one file", "[tool.setuptools.dynamic]\ndependencies.file = 'r.txt'", [("requirement", "r.txt", "", [])]),
        case("a file of an extra", "[tool.setuptools.dynamic.optional-dependencies]\nGPU = {file = ['g.txt']}", [("requirement", "g.txt", "gpu", [])]),
        case("files that Hatch reads", "[tool.hatch.metadata.hooks.requirements_txt]\nfiles = ['r.txt']\noptional-dependencies.gpu = ['g.txt']",
             [("requirement", "r.txt", "", []), ("requirement", "g.txt", "gpu", [])]),
        case("a folder", "project.dependencies = ['./vendor/x']", [("editable", "./vendor/x", "", [])]),
        case("a group of Poetry's", "[tool.poetry.group.a]\ninclude-groups = ['b']", [("extra", "b", "group:a", ["group:b"])]),
        case("an environment of Hatch's", "[tool.hatch.envs.gpu]\nfeatures = ['cuda']\ndependency-groups = ['t']",
             [("extra", "cuda", "group:hatch.gpu", ["cuda"]), ("extra", "t", "group:hatch.gpu", ["group:t"])]),
        case("PDM's group", "[tool.pdm.dev-dependencies]\ndev = ['-e file:///${PROJECT_ROOT}/sub#egg=sub', '-e ./other']",
             [("editable", "./other", "group:dev", [])]),
    ],
)  # fmt: skip
def test_what_brings_more(text: str, expected: list[tuple[str, str, str, list[str]]]) -> None:
    assert included(text) == expected


def test_project_with_an_address_is_a_package() -> None:
    assert [each.name for each in packages(PROJECT + "dependencies = ['my-pkg @ git+https://h/o/my-pkg']")] == ["my-pkg"]


@pytest.mark.parametrize(
    ("text", "name", "python", "groups"),
    [
        case("a name", PROJECT + "requires-python = '>=3.10'", "my-pkg", ">=3.10", {"dev"}),
        case("no name", "[project]\nversion = '1'", "", "", {"dev"}),
        case("uv's groups", PROJECT + "[tool.uv]\ndefault-groups = ['gpu', 'Dev_x']", "my-pkg", "", {"gpu", "dev-x"}),
        case("none of uv's groups", PROJECT + "[tool.uv]\ndefault-groups = []", "my-pkg", "", set()),
        case("all of uv's groups", PROJECT + "[tool.uv]\ndefault-groups = 'all'", "my-pkg", "", {"*"}),
        case("Poetry", "[tool.poetry]\nname = 'X.y'\n[tool.poetry.dependencies]\npython = '^3.10'", "x-y", ">=3.10,<4", set()),
        case("Poetry without a name", "[tool.poetry]\npackage-mode = false", "", "", set()),
        case("Poetry's groups",
             "[tool.poetry]\n[tool.poetry.dependencies]\na = '1'\n[tool.poetry.group.gpu.dependencies]\nb = '1'\n"
             "[tool.poetry.group.docs]\noptional = true\n[tool.poetry.dev-dependencies]\nc = '1'", "", "", {"gpu", "dev"}),
        case("PDM's groups", PROJECT + "[tool.pdm.dev-dependencies]\na = ['x']\n[dependency-groups]\nb = ['y']", "my-pkg", "", {"a", "b"}),
        case("a workspace of pixi's", "[tool.pixi.workspace]\nname = 'p'\nchannels = ['c']", "p", "", {"dev"}),
        case("Flit", "[tool.flit.metadata]\nname = 'f'\nrequires-python = '>=3'", "f", ">=3", {"dev"}),
    ],
)  # fmt: skip
def test_the_project_comes_first(text: str, name: str, python: str, groups: set[str]) -> None:
    own = distribution("[build-system]\nrequires = ['hatchling']\n" + text)
    assert (own.name, own.python, own.groups) == (name, python, groups)
    assert isinstance(facts("[build-system]\nrequires = ['hatchling']\n" + text)[0], Distribution)


@pytest.mark.parametrize("text", ["[tool.black]\nline-length = 100", "[build-system]\nrequires = []", ""])
def test_settings_of_tools_alone_are_no_project(text: str) -> None:
    assert not [each for each in facts(text) if type(each).__name__ != "Entry"]


def test_other_files_install_nothing() -> None:
    text = "[project]\nname = 'x'\ndependencies = ['torch']\n[dependencies]\nflash-attn = '*'\n"
    assert packages(text, "config.toml") == []
    assert [each.name for each in packages(text, "pyproject_cpu.toml")] == ["torch"]
    assert [each.name for each in packages(text, "pixi.toml")] == ["conda/flash-attn"]


@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        ("torch=2.4", "no installer takes this requirement: a version takes `==`, not `=`"),
        ("torch; python_version = '3'", "no installer takes this requirement: the marker is wrong"),
    ],
)
def test_wrong_requirement_is_a_problem(requirement: str, message: str) -> None:
    text = f'[project]\nname = "x"\ndependencies = [\n  "{requirement}",\n]\n'
    ((line, said),) = [(each.span.line, each.message) for each in facts(text) if isinstance(each, ParseProblem)]
    assert line == 4
    assert said.startswith(message)


# ---- uv -----------------------------------------------------------------------------------------------------------------------

CU130 = "https://download.pytorch.org/whl/cu130"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        case("an index", f"[[index]]\nname = 'pt'\nurl = '{CU130}'", [("extra-index", CU130, "pt", False)]),
        case("one for what is bound to it", f"[[index]]\nname = 'pt'\nurl = '{CU130}'\nexplicit = true", [("extra-index", CU130, "pt", True)]),
        case("the default one", f"[[index]]\nurl = '{CU130}'\ndefault = true", [("index", CU130, "", False)]),
        case("a page of links", f"[[index]]\nname = 'x'\nurl = '{CU130}'\nformat = 'flat'", [("find-links", CU130, "x", False)]),
        case("index-url", f"index-url = '{CU130}'", [("index", CU130, "", False)]),
        case("extra-index-url", "extra-index-url = ['https://a/b', 'https://c/d']", [("extra-index", "https://a/b", "", False), ("extra-index", "https://c/d", "", False)]),
        case("find-links", "find-links = ['./wheels']", [("find-links", "./wheels", "", False)]),
        case("that of its pip", f"[pip]\nindex-url = '{CU130}'\ntorch-backend = 'cu126'", [("index", CU130, "", False), ("torch-backend", "", "", False)]),
    ],
)  # fmt: skip
def test_indexes_of_uv(table: str, expected: list[tuple[str, str, str, bool]]) -> None:
    inside = table.replace("[[", "[[tool.uv.").replace("[pip", "[tool.uv.pip")
    assert indexes(f"[tool.uv]\n{inside}") == expected
    assert indexes(table, "uv.toml") == expected


def test_tag_of_an_index_is_its_name() -> None:
    text = f"[[tool.uv.index]]\nurl = '{CU130}'\n[tool.uv.pip]\ntorch-backend = 'cu126'\n"
    assert [(each.name, each.span.line) for each in of(Index, text)] == [("cu130", 2), ("cu126", 4)]
    assert [each.name for each in of(Index, "[tool.uv.pip]\ntorch-backend = 'auto'")] == [""]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        case("an index", "torch = {index = 'pt'}", [("torch", "pt", "", "", "")]),
        case("a marker", "torch = {index = 'pt', marker = \"sys_platform == 'linux'\"}", [("torch", "pt", "", "sys_platform == 'linux'", "")]),
        case("an extra, a group", "torch = [{index = 'a', extra = 'CPU'}, {index = 'b', group = 'gpu'}]",
             [("torch", "a", "", "", "cpu"), ("torch", "b", "", "", "group:gpu")]),
        case("git", "Flash_Attn = {git = 'https://h/o/r', rev = 'abc'}", [("flash-attn", "", "git+https://h/o/r@abc", "", "")]),
        case("a wheel", "x = {url = 'https://h/x.whl'}", [("x", "", "https://h/x.whl", "", "")]),
        case("a folder", "x = {path = '../x', editable = true}", [("x", "", "../x", "", "")]),
        case("a member of the workspace", "x = {workspace = true}", [("x", "", UNKNOWN, "", "")]),
        case("keys with dots", "x.index = 'pt'", [("x", "pt", "", "", "")]),
        case("what is no source", "x = 'pt'\ny = []\nz = {}\n'' = {index = 'a'}", []),
    ],
)  # fmt: skip
def test_sources_bind_packages(source: str, expected: list[tuple[str, str, str, str, str]]) -> None:
    assert bound(f"[tool.uv.sources]\n{source}") == expected


def test_binding_stands_at_its_own_source() -> None:
    text = "[tool.uv.sources]\ntorch = [\n  {index = 'a', extra = 'x'},\n  {index = 'b', extra = 'y'},\n]\nz = {index = 'c'}\n"
    assert [(each.span.line, each.written) for each in of(Binding, text)] == [
        (3, "{index = 'a', extra = 'x'}"), (4, "{index = 'b', extra = 'y'}"), (6, "z = {index = 'c'}"),
    ]  # fmt: skip


def test_limits_of_uv_request_nothing() -> None:
    text = (
        "[tool.uv]\nconstraint-dependencies = ['a<2']\noverride-dependencies = ['b==1']\nbuild-constraint-dependencies = ['c']\n"
        "dev-dependencies = ['d']\n"
    )
    assert [(each.name, each.role, sorted(each.flags), each.context.extra) for each in packages(text)] == [
        ("a", "constraint", [], ""), ("b", "constraint", ["--override"], ""), ("c", "constraint", ["--build-constraint"], ""),
        ("d", "requirement", [], "group:dev"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "open_builds"),
    [
        case("none", "", []),
        case("some", "no-build-isolation-package = ['Flash_Attn']", ["flash-attn"]),
        case("all", "no-build-isolation = true", ["flash-attn", "numpy"]),
        case("those of its pip", "[tool.uv.pip]\nno-build-isolation-package = ['numpy']", ["numpy"]),
        case("with more to be built with", "[tool.uv.extra-build-dependencies]\nflash-attn = [{requirement = 'torch', match-runtime = true}]", ["flash-attn"]),
    ],
)  # fmt: skip
def test_packages_that_are_not_built_apart(table: str, open_builds: list[str]) -> None:
    text = PROJECT + f"optional-dependencies.gpu = ['flash-attn']\ndependencies = ['numpy']\n[tool.uv]\n{table}\n"
    assert sorted(each.name for each in packages(text) if "--no-build-isolation" in each.flags) == open_builds
    assert [each.name for each in packages(text)] == ["flash-attn", "numpy"]


def test_variables_of_a_build_are_those_of_its_package() -> None:
    text = PROJECT + "dependencies = ['flash-attn', 'x']\n[tool.uv.extra-build-variables]\nflash-attn = {MAX_JOBS = '4'}\n"
    assert [each.environment for each in packages(text)] == [(("MAX_JOBS", "4"),), ()]


# ---- Poetry, PDM, Hatch -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("constraint", "specifier"),
    [
        ("^1.2.3", ">=1.2.3,<2"), ("^1.2", ">=1.2,<2"), ("^1", ">=1,<2"), ("^0.2.3", ">=0.2.3,<0.3"), ("^0.0.3", ">=0.0.3,<0.0.4"), ("^0.0", ">=0.0,<0.1"),
        ("^0", ">=0,<1"), ("~1.2.3", ">=1.2.3,<1.3"), ("~1.2", ">=1.2,<1.3"), ("~1", ">=1,<2"), ("~=1.2", "~=1.2"), ("*", ""), ("1.2.*", "==1.2.*"),
        ("2.9.1", "==2.9.1"), ("==2.9.1", "==2.9.1"), ("=2.9.1", "==2.9.1"), (">= 2.4, < 3", ">=2.4,<3"), (">=2.4 <3", ">=2.4,<3"), ("!=2.5", "!=2.5"),
        ("2.6.0+cu124", "==2.6.0+cu124"), ("^2.0 || ^3.0", UNKNOWN), ("^x", UNKNOWN), ("", ""), ("^2.0.0b1", ">=2.0.0b1,<3"),
    ],
)  # fmt: skip
def test_constraints_of_poetry_as_specifiers(constraint: str, specifier: str) -> None:
    (only,) = packages(f"[tool.poetry.dependencies]\ntorch = '{constraint}'")
    assert only.specifier == specifier


POETRY = """\
[tool.poetry]
name = "x"
[tool.poetry.dependencies]
python = "^3.10"
torch = {version = "^2.4", source = "pt"}
Flash_Attn = {version = "*", optional = true, extras = ["a"]}
lost = {version = "1", optional = true}
here = [{version = "1", python = "<3.12"}, {version = "2", markers = "os_name == 'nt' or a == 'b'", platform = "linux"}]
repo = {git = "https://h/o/repo", tag = "v1"}
file = {path = "../file"}
[tool.poetry.dependencies.table]
version = "3"
[tool.poetry.extras]
gpu = ["flash-attn"]
all = ["Flash-Attn", "torch"]
[tool.poetry.group.dev.dependencies]
pytest = "*"
[[tool.poetry.source]]
name = "pt"
url = "https://download.pytorch.org/whl/cu124"
priority = "explicit"
[[tool.poetry.source]]
name = "PyPI"
[[tool.poetry.source]]
name = "more"
url = "https://h/simple"
priority = "supplemental"
"""


def test_packages_of_poetry() -> None:
    assert [(each.name, each.specifier, each.context.extra, each.marker, each.url) for each in packages(POETRY)] == [
        ("torch", ">=2.4,<3", "", "", ""),
        ("flash-attn", "", "gpu", "", ""),
        ("flash-attn", "", "all", "", ""),
        ("here", "==1", "", 'python_version < "3.12"', ""),
        ("here", "==2", "", "(os_name == 'nt' or a == 'b') and sys_platform == \"linux\"", ""),
        ("repo", "", "", "", "git+https://h/o/repo@v1"),
        ("file", "", "", "", "../file"),
        ("table", "==3", "", "", ""),
        ("pytest", "", "group:dev", "", ""),
    ]
    assert {each.manager for each in packages(POETRY)} == {"poetry"}
    torch, flash = packages(POETRY)[:2]
    assert (torch.written, torch.span.line) == ('torch = {version = "^2.4", source = "pt"}', 5)
    assert flash.extras == {"a"}


@pytest.mark.parametrize(
    ("wanted", "specifier", "marker"),
    [
        ('"2.x"', "==2.*", ""),
        ('"2.4.*"', "==2.4.*", ""),
        ('"x"', "", ""),
        ('"^2.x"', UNKNOWN, ""),
        ('{version = "2", platform = "linux || darwin"}', "==2", '(sys_platform == "linux" or sys_platform == "darwin")'),
        ('{version = "2", platform = "!=win32"}', "==2", 'sys_platform != "win32"'),
        ("""{version = "2", platform = "'", python = '"'}""", "==2", ""),
    ],
)
def test_constraints_of_poetry(wanted: str, specifier: str, marker: str) -> None:
    (package,) = packages(f'[tool.poetry]\nname = "x"\n[tool.poetry.dependencies]\ntorch = {wanted}\n')
    assert (package.specifier, package.marker) == (specifier, marker)


def test_sources_of_poetry() -> None:
    assert indexes(POETRY) == [
        ("extra-index", "https://download.pytorch.org/whl/cu124", "pt", True),
        ("index", "https://pypi.org/simple", "PyPI", False),
        ("extra-index", "https://h/simple", "more", False),
    ]
    assert bound(POETRY) == [("torch", "pt", "", "", "")]


def test_package_of_a_group_does_not_stand_for_one_of_poetry() -> None:
    text = "[dependency-groups]\ntest = ['torch']\n[tool.poetry.dependencies]\ntorch = '^2'\n"
    assert wanted(text) == [("torch", "group:test"), ("torch>=2,<3", "")]


def test_poetry_beside_the_standard_says_only_where_from() -> None:
    text = "[project]\nname = 'x'\ndependencies = ['torch>=2.4']\n[tool.poetry.dependencies]\ntorch = {source = 'pt'}\n"
    assert wanted(text) == [("torch>=2.4", "")]
    assert bound(text) == [("torch", "pt", "", "", "")]


def test_keys_that_are_packages_are_no_settings() -> None:
    # `flash_attn` is a spelling of what attention is computed with
    text = "[tool.poetry.dependencies]\nflash-attn = '^2.5'\n[tool.pixi.pypi-dependencies]\nflash_attn = '*'\n[tool.uv.sources]\nflash_attn = {index = 'x'}\n"
    assert [type(each).__name__ for each in project_facts({"pyproject.toml": text}, "pyproject.toml", Fact)] == [
        "Distribution",
        "Package",
        "Package",
        "Binding",
    ]


def test_pdm() -> None:
    text = (
        PROJECT + "dependencies = ['torch', 'torchvision', 'numpy']\n[tool.pdm.dev-dependencies]\ntest = ['pytest']\n"
        "[tool.pdm.resolution.overrides]\na = '1.0'\nb = '>=2'\nc = 'https://h/c-1.0.zip'\n"
        f"[[tool.pdm.source]]\nname = 'pt'\nurl = '{CU130}'\ninclude_packages = ['torch*']\n"
        "[[tool.pdm.source]]\nname = 'pypi'\nurl = 'https://h/simple'\n[[tool.pdm.source]]\ntype = 'find_links'\nurl = './w'\nname = 'w'\n"
    )
    limits = [(each.name, each.specifier, each.url, sorted(each.flags)) for each in packages(text) if each.role == "constraint"]
    assert limits == [
        ("a", "==1.0", "", ["--override"]),
        ("b", ">=2", "", ["--override"]),
        ("c", "", "https://h/c-1.0.zip", ["--override"]),
    ]
    assert ("pytest", "group:test") in wanted(text)
    assert indexes(text) == [
        ("extra-index", CU130, "pt", False),
        ("index", "https://h/simple", "pypi", False),
        ("find-links", "./w", "w", False),
    ]
    assert bound(text) == [("torch", "pt", "", "", ""), ("torchvision", "pt", "", "", "")]


def test_environment_of_hatch_is_no_group_of_the_project() -> None:
    text = "[tool.hatch.envs.dev]\ndependencies = ['torch']\nextra-dependencies = ['flash-attn']\n[tool.hatch.build]\ndependencies = ['ninja']\n"
    assert [(each.name, each.context.extra, each.role) for each in packages(text)] == [
        ("torch", "group:hatch.dev", "requirement"), ("flash-attn", "group:hatch.dev", "requirement"), ("ninja", "", "build"),
    ]  # fmt: skip


# ---- pixi ---------------------------------------------------------------------------------------------------------------------

PIXI = """\
[workspace]
name = "w"
channels = ["conda-forge"]
platforms = ["linux-64", "linux-aarch64", {name = "old", platform = "osx-arm64"}]
[workspace.dependencies]
shared = "1.*"
[dependencies]
PyTorch-GPU = "2.7.*"
any = "*"
built = {version = "2.*", build = "*cuda12*", channel = "conda-forge"}
shared = {workspace = true}
[pypi-dependencies]
torch = {version = ">=2.4", index = "https://download.pytorch.org/whl/cu124", extras = ["x"]}
mine = {path = ".", editable = true}
[pypi-options]
index-url = "https://h/simple"
extra-index-urls = ["https://h/extra"]
find-links = [{path = "./links"}, {url = "https://h/links"}]
no-build-isolation = ["torch"]
[pypi-options.dependency-overrides]
numpy = ">=2"
[target.linux-64.dependencies]
far = "1"
[target.linux.dependencies]
near = "1"
[target.old.pypi-dependencies]
mac = "*"
[feature.gpu.dependencies]
cuda = "13.*"
[feature.gpu.target.linux-aarch64.dependencies]
here = "*"
[feature.x86]
platforms = ["linux-64"]
dependencies = {there = "*"}
[feature.test.dependencies]
pytest = "*"
[environments]
default = ["gpu"]
ci = {features = ["test", "gpu"]}
test = ["test"]
[environments.own.dependencies]
inline = "*"
[package.build-dependencies]
cmake = "*"
[constraints]
openssl = ">=3"
"""


def test_packages_of_pixi() -> None:
    assert [(each.name, each.specifier, each.manager, each.role, each.context.extra) for each in packages(PIXI, "pixi.toml")] == [
        ("conda/pytorch-gpu", "2.7.*", "conda", "requirement", ""),
        ("conda/any", "", "conda", "requirement", ""),
        ("conda/built", "2.* *cuda12*", "conda", "requirement", ""),
        ("conda/shared", "1.*", "conda", "requirement", ""),
        ("torch", ">=2.4", "pixi", "requirement", ""),
        ("mine", "", "pixi", "requirement", ""),
        ("numpy", ">=2", "pixi", "constraint", ""),
        ("conda/far", "1", "conda", "requirement", ""),
        ("conda/near", "1", "conda", "requirement", ""),
        ("mac", "", "pixi", "requirement", ""),
        ("conda/cuda", "13.*", "conda", "requirement", ""),
        ("conda/here", "", "conda", "requirement", ""),
        ("conda/there", "", "conda", "requirement", "group:x86"),
        ("conda/pytest", "", "conda", "requirement", "group:test"),
        ("conda/inline", "", "conda", "requirement", "group:own"),
        ("conda/cmake", "", "conda", "build", ""),
        ("conda/openssl", ">=3", "conda", "constraint", ""),
    ]
    by_name = {each.name: each for each in packages(PIXI, "pixi.toml")}
    assert (by_name["torch"].flags, by_name["mine"].flags) == ({"--no-build-isolation"}, frozenset())
    assert (by_name["torch"].extras, by_name["mine"].url) == ({"x"}, ".")


def test_packages_of_other_platforms_are_for_other_machines() -> None:
    others = {each.name for each in packages(PIXI, "pixi.toml") if elsewhere(each.context.conditions)}
    assert others == {"conda/far", "mac", "conda/there"}


def test_feature_of_a_workspace_without_a_spark_is_not_for_another_machine() -> None:
    text = "[workspace]\nplatforms = ['linux-64']\n[feature.a]\nplatforms = ['linux-64']\ndependencies = {torch = '*'}\n"
    (only,) = packages(text, "pixi.toml")
    assert not elsewhere(only.context.conditions)


def test_project_environments_and_indexes_of_pixi() -> None:
    own = distribution(PIXI, "pixi.toml")
    assert (own.name, own.groups, own.written) == ("w", {"gpu"}, "w")
    assert included(PIXI, "pixi.toml") == [
        ("extra", "test", "group:ci", ["group:test"]),
        ("extra", "gpu", "group:ci", ["group:gpu"]),
    ]
    assert indexes(PIXI, "pixi.toml") == [
        ("extra-index", "https://download.pytorch.org/whl/cu124", "https://download.pytorch.org/whl/cu124", True),
        ("index", "https://h/simple", "", False),
        ("extra-index", "https://h/extra", "", False),
        ("find-links", "./links", "", False),
        ("find-links", "https://h/links", "", False),
    ]
    assert bound(PIXI, "pixi.toml") == [("torch", "https://download.pytorch.org/whl/cu124", "", "", "")]


def test_pixi_in_pyproject() -> None:
    text = (
        PROJECT
        + "dependencies = ['numpy']\n[project.optional-dependencies]\ngpu = ['flash-attn']\n[dependency-groups]\ntest = ['pytest']\n"
        "[tool.pixi.workspace]\nchannels = []\n[tool.pixi.dependencies]\npytorch = '*'\n[tool.pixi.environments]\ndefault = {features = ['gpu', 'test']}\n"
    )
    assert wanted(text) == [("numpy", ""), ("flash-attn", "gpu"), ("pytest", "group:test"), ("conda/pytorch", "")]
    assert included(text) == [("extra", "gpu", "", ["gpu"]), ("extra", "test", "", ["group:test"])]
    assert distribution(text).name == "my-pkg"


# ---- the header of a script ---------------------------------------------------------------------------------------------------

SCRIPT = """\
#!/usr/bin/env -S uv run
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "torch==2.9.0",
#   "flash-attn",
# ]
#
# [tool.uv.sources]
# torch = { index = "pt" }
# [[tool.uv.index]]
# name = "pt"
# url = "https://download.pytorch.org/whl/cu130"
# [tool.uv.extra-build-dependencies]
# flash-attn = ["torch"]
# ///
print("x")
"""


def test_header_of_a_script() -> None:
    run = project_facts({"run.py": SCRIPT}, "run.py", Package)
    assert [(each.name, each.version, each.span.line, each.span.column, each.manager) for each in run] == [
        ("torch", "2.9.0", 5, 6, "uv"), ("flash-attn", "", 6, 6, "uv"),
    ]  # fmt: skip
    assert [sorted(each.flags) for each in run] == [[], ["--no-build-isolation"]]
    assert [(each.name, each.label, each.span.line) for each in project_facts({"run.py": SCRIPT}, "run.py", Index)] == [
        ("cu130", "pt", 13)
    ]
    assert [(each.name, each.index) for each in project_facts({"run.py": SCRIPT}, "run.py", Binding)] == [("torch", "pt")]
    assert [each.python for each in project_facts({"run.py": SCRIPT}, "run.py", Distribution)] == [">=3.11"]


def test_header_is_one_install_with_its_indexes() -> None:
    text = SCRIPT.replace('torch = { index = "pt" }', 'x = { index = "pt" }')
    torch = project_facts({"run.py": text}, "run.py", Package, "torch")[0]
    assert [each.name for each in torch.scope.indexes] == ["cu130"]


@pytest.mark.parametrize(
    "text",
    [
        case("inside a function", "def f():\n    # /// script\n    # dependencies = ['flash-attn']\n    # ///\n    pass\n"),
        case("without an end", "# /// script\n# dependencies = ['flash-attn']\nprint()\n# ///\n"),
        case("of another kind", "# /// other\n# dependencies = ['flash-attn']\n# ///\n"),
        case("empty", "# /// script\n# ///\n"),
        case("that is no TOML", "# /// script\n# dependencies = [[[\n# ///\n"),
        case("a word behind the mark", "# /// script x\n# dependencies = ['flash-attn']\n# ///\n"),
    ],
)
def test_what_is_no_header_installs_nothing(text: str) -> None:
    assert found({"run.py": text}) == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_header_with_any_line_ends(end: str) -> None:
    text = "# /// script\n# dependencies = ['flash-attn']\n#\n# ///\n# more\n# ///".replace("\n", end)
    assert [(line, code) for _, line, code, _ in found({"run.py": text})] == [(2, "G2/flash-attn-requirement")]


def test_context_is_that_of_the_text_around() -> None:
    around = Context(block=7, fenced=True)
    source = Source(
        "README.md",
        PROJECT + "dependencies = ['torch']\n[tool.poetry.dependencies]\nx = '1'\n[[tool.uv.index]]\nurl = 'https://h'\n",
    )
    read_there = [each for each in toml(Text.of(source), around, "pyproject.toml") if isinstance(each, Fact)]
    assert {(each.context.block, each.context.fenced) for each in read_there} == {(7, True)}
    assert len(read_there) > 5


def test_each_requirement_of_a_project_is_one_package() -> None:
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8")
    said = tomli.loads(text)
    project = said["project"]
    lists = {"": project["dependencies"], **project["optional-dependencies"]}
    expected = [(Requirement(each), extra) for extra, each_list in lists.items() for each in each_list]
    got = [each for each in packages(text) if each.role == "requirement"]
    own = [each for each in included(text) if each[0] == "extra"]
    assert sorted((each.name, frozenset(filter(None, each.specifier.split(","))), each.context.extra) for each in got) == sorted(
        (canonicalize_name(each.name), frozenset(str(clause) for clause in each.specifier), extra)
        for each, extra in expected
        if each.name != project["name"]
    )
    assert len(got) + len(own) == len(expected)
