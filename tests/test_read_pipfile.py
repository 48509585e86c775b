"""Pipfile: what Pipenv installs, for whom, and from where."""

import pytest

from spark_lint.facts import Binding, Distribution, Entry, Fact, Include, Index, Package, ParseProblem, Read
from spark_lint.read.toml import read
from spark_lint.text import UNKNOWN, Source
from tests.projects import facts as project_facts
from tests.projects import found

SOURCES = """[[source]]
url = "https://pypi.org/simple"
verify_ssl = true
name = "pypi"

[[source]]
url = "https://download.pytorch.org/whl/cu124"
name = "pytorch"

"""


def facts(text: str) -> list[Read]:
    return list(read(Source("sub/Pipfile", text)))


def of(kind: type[Fact], text: str) -> list[Fact]:
    return [fact for fact in facts(text) if type(fact) is kind]


def only(line: str) -> Package:
    (package,) = of(Package, f"[packages]\n{line}\n")
    assert isinstance(package, Package)
    return package


# ---- packages -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name", "specifier"),
    [
        ('torch = "*"', "torch", ""),
        ('Torch_Geometric = "==2.6.0"', "torch-geometric", "==2.6.0"),
        ('"ruamel.yaml" = ">=0.18, <1"', "ruamel-yaml", ">=0.18,<1"),
        ('torch = "~=2.4"', "torch", "~=2.4"),
        ('torch = {version = "==2.9.1"}', "torch", "==2.9.1"),
        ('torch = {version = "3.*"}', "torch", "==3.*"),
        ('torch = {extras = ["opt"]}', "torch", ""),
        ("torch = true", "torch", ""),
    ],
)
def test_a_package_and_its_version(line: str, name: str, specifier: str) -> None:
    package = only(line)
    assert (package.name, package.specifier, package.manager, package.role, package.written) == (
        name,
        specifier,
        "pipenv",
        "requirement",
        line,
    )


@pytest.mark.parametrize(
    ("line", "marker"),
    [
        ('a = {version = "*", markers = "python_version >= \'3.8\'"}', "python_version >= '3.8'"),
        ('a = {version = "*", sys_platform = "== \'win32\'"}', "sys_platform == 'win32'"),
        ('a = {version = "*", platform_machine = "== \'x86_64\'", markers = "os_name == \'nt\' or os_name == \'posix\'"}',
         "(os_name == 'nt' or os_name == 'posix') and platform_machine == 'x86_64'"),
        ('a = {version = "*", markers = ""}', ""),
    ],
)  # fmt: skip
def test_markers(line: str, marker: str) -> None:
    assert only(line).marker == marker


def test_extras_are_canonical() -> None:
    assert only('vllm = {version = "*", extras = ["Flash_Attn", "audio"]}').extras == frozenset({"flash-attn", "audio"})


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ('a = {git = "https://example.invalid/a.git", ref = "v1", editable = true}', "git+https://example.invalid/a.git@v1"),
        ('a = {git = "https://example.invalid/a.git"}', "git+https://example.invalid/a.git"),
        ('a = {git = "git+https://example.invalid/a.git"}', "git+https://example.invalid/a.git"),
        ('a = {file = "https://example.invalid/a-1-py3-none-any.whl"}', "https://example.invalid/a-1-py3-none-any.whl"),
        ('a = {path = "./dist/a-1-py3-none-any.whl"}', "./dist/a-1-py3-none-any.whl"),
    ],
)
def test_addresses(line: str, url: str) -> None:
    assert only(line).url == url


def test_where_a_package_stands_and_who_asks_for_it() -> None:
    source = Source(
        "Pipfile",
        '[packages]\ntorch = "*"\n[dev-packages]\npytest = {version = "*"}\n[My_Docs]\nsphinx = "*"\n[scripts]\nx = "y"\n',
    )
    found = [fact for fact in read(source) if isinstance(fact, Package)]
    assert [(each.name, each.context.extra, source.cut(each.span)) for each in found] == [
        ("torch", "", 'torch = "*"'),
        ("pytest", "group:dev", 'pytest = {version = "*"}'),
        ("sphinx", "group:my-docs", 'sphinx = "*"'),
    ]


def test_a_table_of_its_own() -> None:
    (package,) = of(Package, '[packages.torch]\nversion = "==2.9.1"\nindex = "pytorch"\n')
    assert isinstance(package, Package)
    assert (package.name, package.specifier) == ("torch", "==2.9.1")


@pytest.mark.parametrize("line", ['me = {path = ".", editable = true, extras = ["GPU"]}', 'me = {file = ".", extras = ["GPU"]}'])
def test_a_project_in_a_folder(line: str) -> None:
    (include,) = (each for each in facts(f"[dev-packages]\n{line}\n") if isinstance(each, Include))
    assert (include.kind, include.path.value, include.extras, include.context.extra) == (
        "editable",
        ".",
        frozenset({"gpu"}),
        "group:dev",
    )
    assert not of(Package, f"[dev-packages]\n{line}\n")


# ---- the project and its indexes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "python"),
    [('python_version = "3.12"', "==3.12.*"), ('python_full_version = "3.12.4"', "==3.12.4"), ('python_version = "3.12"\npython_full_version = "3.12.4"', "==3.12.4")],
)  # fmt: skip
def test_the_python_that_a_project_requires(line: str, python: str) -> None:
    (distribution,) = of(Distribution, f'[packages]\ntorch = "*"\n[requires]\n{line}\n')
    assert isinstance(distribution, Distribution)
    assert (distribution.name, distribution.python, distribution.groups) == ("", python, frozenset())


def test_a_file_that_requires_no_python_says_nothing_of_its_project() -> None:
    assert of(Distribution, '[packages]\ntorch = "*"\n') == []


def test_indexes_and_what_is_bound_to_them() -> None:
    text = SOURCES + '[packages]\ntorch = {version = "==2.6.0", index = "pytorch", sys_platform = "== \'linux\'"}\nnumpy = "*"\n'
    indexes = [(each.name, each.url, each.role, each.label, each.explicit) for each in of(Index, text) if isinstance(each, Index)]
    assert indexes == [
        ("", "https://pypi.org/simple", "index", "pypi", False),
        ("cu124", "https://download.pytorch.org/whl/cu124", "extra-index", "pytorch", True),
    ]
    bound = [(each.name, each.index, each.marker) for each in of(Binding, text) if isinstance(each, Binding)]
    assert bound == [("torch", "pytorch", "sys_platform == 'linux'")]


def test_a_setting_makes_every_index_everybodys() -> None:
    indexes = of(Index, SOURCES + "[pipenv]\ninstall_search_all_sources = true\n")
    assert [each.explicit for each in indexes if isinstance(each, Index)] == [False, False]


@pytest.mark.parametrize(
    ("url", "value", "name"),
    [
        ("https://${USER}:$PASS@example.invalid/whl/cu124", f"https://{UNKNOWN}:{UNKNOWN}@example.invalid/whl/cu124", "cu124"),
        ("https://example.invalid/whl/${CUDA}", f"https://example.invalid/whl/{UNKNOWN}", ""),
    ],
)
def test_what_a_variable_in_an_address_stands_for_is_not_known(url: str, value: str, name: str) -> None:
    source = Source("Pipfile", f'[[source]]\nurl = "{url}"\nname = "a"\n')
    (index,) = (fact for fact in read(source) if isinstance(fact, Index))
    assert (index.url, index.name, source.cut(index.span)) == (value, name, url)


def test_other_tables_are_told_as_entries() -> None:
    entries = [
        (each.name, each.value)
        for each in of(Entry, '[packages]\ntorch = "*"\n[scripts]\ntrain = "python train.py"\n')
        if isinstance(each, Entry)
    ]
    assert entries == [("scripts.train", "python train.py")]


def test_a_pipfile_that_is_no_toml_is_a_problem() -> None:
    text = '[packages]\ntorch = "==2.9.1\nnumpy = "*"\n'
    assert [each.message for each in facts(text) if isinstance(each, ParseProblem)]
    assert "numpy" in [each.name for each in of(Package, text)]


# ---- where it is installed ----------------------------------------------------------------------------------------------------

PIPFILE = '[packages]\nflash-attn = "*"\n[dev-packages]\ndecord = "*"\n'


@pytest.mark.parametrize(
    ("command", "how"),
    [
        ("pipenv install --system --deploy", {"flash-attn": "installed", "decord": ""}),
        ("pipenv sync --dev", {"flash-attn": "installed", "decord": "installed"}),
        ("pipenv install requests", {"flash-attn": "", "decord": ""}),
        ("pip install .", {"flash-attn": "", "decord": ""}),
        ("poetry install", {"flash-attn": "", "decord": ""}),
    ],
)
def test_what_of_it_a_command_installs(command: str, how: dict[str, str]) -> None:
    files = {"Pipfile": PIPFILE, "pyproject.toml": "[project]\nname = 'x'\n", "run.sh": f"{command}\n"}
    packages = project_facts(files, "Pipfile", Package)
    assert {each.name: each.scopes[0].how for each in packages} == how


def test_pipenv_does_not_install_what_stands_in_a_pyproject() -> None:
    files = {
        "Pipfile": "[packages]\nrequests = '*'\n",
        "pyproject.toml": "[project]\nname = 'x'\ndependencies = ['numpy']\n",
        "run.sh": "pipenv sync\n",
    }
    (numpy,) = project_facts(files, "pyproject.toml", Package)
    assert numpy.scopes[0].how == ""


def test_the_project_beside_it_is_installed_along_with_it() -> None:
    files = {
        "Pipfile": "[packages]\nx = {path = '.', editable = true, extras = ['gpu']}\n",
        "pyproject.toml": "[project]\nname = 'x'\n[project.optional-dependencies]\ngpu = ['decord']\n",
        "run.sh": "pipenv sync\n",
    }  # fmt: skip
    assert found(files) == [("pyproject.toml", 4, "G1/package-without-aarch64-wheel", "error")]


def test_findings_in_a_pipfile() -> None:
    text = (
        SOURCES
        + '[packages]\ntorch = {version = "==2.6.0", index = "pytorch"}\ndecord = {version = "*", platform_machine = "== \'x86_64\'"}\n'
    )
    assert [(path, line, code) for path, line, code, _ in found({"Pipfile": text})] == [("Pipfile", 7, "G1/torch-index-cuda12")]
