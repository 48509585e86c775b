"""pdm.lock, as PDM writes it since lock version 4.0."""

import pytest

from spark_lint.facts import Lock, Locked, Read
from spark_lint.read.lock import read
from spark_lint.text import Source

META = '[metadata]\ngroups = ["default", "dev"]\nstrategy = ["inherit_metadata"]\nlock_version = "4.5.0"\ncontent_hash = "sha256:00"\n\n'
PACKAGE = '[[package]]\nname = "torch"\nversion = "2.9.1"\nrequires_python = ">=3.10"\nsummary = ""\n'
WHEEL = "torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl"


def facts(text: str) -> list[Read]:
    return list(read(Source("pdm.lock", text)))


def lock(text: str) -> Lock:
    found = facts(text)[0]
    assert isinstance(found, Lock)
    return found


def locked(text: str) -> list[Locked]:
    return [fact for fact in facts(text) if isinstance(fact, Locked)]


def only(rest: str) -> Locked:
    (found,) = locked(META + PACKAGE + rest)
    return found


def target(**said: str) -> str:
    return "[[metadata.targets]]\n" + "".join(f'{key} = "{value}"\n' for key, value in said.items()) + "\n"


# ---- the lock -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("targets", "python", "platforms"),
    [
        (target(requires_python=">=3.10"), ">=3.10", ()),
        (target(requires_python="==3.12.*", platform="manylinux_2_17_aarch64"), "==3.12.*", ("manylinux_2_17_aarch64",)),
        (target(requires_python=">=3.10", platform="manylinux_2_17_x86_64") + target(requires_python=">=3.10", platform="macos_arm64"),
         ">=3.10", ("manylinux_2_17_x86_64", "macos_arm64")),
        # The documentation: "`pdm lock --platform=linux` will generate a lock file for Linux x86_64 platform".
        (target(requires_python=">=3.10", platform="linux"), ">=3.10", ("manylinux_2_17_x86_64",)),
        (target(requires_python=">=3.10", platform="windows_amd64") + target(requires_python=">=3.10"), ">=3.10", ()),
        (target(requires_python=">=3.11") + target(requires_python="<3.11"), "", ()),
        ("", "", ()),
    ],
)  # fmt: skip
def test_which_machines_a_lock_is_for(targets: str, python: str, platforms: tuple[str, ...]) -> None:
    found = lock(META + targets + PACKAGE)
    assert (found.name, found.python, found.platforms, found.environments) == ("pdm", python, platforms, ())


def test_where_the_lock_says_it() -> None:
    source = Source("pdm.lock", META + target(requires_python=">=3.10") + PACKAGE)
    found = next(iter(read(source)))
    assert isinstance(found, Lock)
    assert source.cut(found.span) == found.written == 'requires_python = ">=3.10"'
    old = Source("pdm.lock", META + PACKAGE)
    found = next(iter(read(old)))
    assert isinstance(found, Lock)
    assert old.cut(found.span) == 'lock_version = "4.5.0"'


# ---- packages -----------------------------------------------------------------------------------------------------------------


def test_a_package_with_its_files() -> None:
    source = Source("pdm.lock", f'{META}{PACKAGE}groups = ["default"]\nmarker = "os_name == \\"posix\\""\nfiles = [\n    {{file = "{WHEEL}", hash = "00"}},\n    {{file = "torch-2.9.1.tar.gz", hash = "00"}},\n]\n')  # fmt: skip
    (found,) = (fact for fact in read(source) if isinstance(fact, Locked))
    assert (found.name, found.version, found.written) == ("torch", "2.9.1", "torch==2.9.1")
    assert (found.wheels, found.sdist, found.url, found.index) == ((WHEEL,), True, "", "")
    assert (found.marker, found.asked) == ('os_name == "posix"', frozenset({""}))
    assert source.cut(found.span) == 'name = "torch"\nversion = "2.9.1"'


def test_files_with_addresses() -> None:
    found = only('files = [\n    {url = "https://example.invalid/a/torch-2.9.1%2Bcu130-py3-none-any.whl", hash = "00"},\n]\n')
    assert (found.wheels, found.sdist) == (("torch-2.9.1+cu130-py3-none-any.whl",), False)


def test_files_at_the_end_of_an_old_lock() -> None:
    # As lock version 4.0 to 4.2 is remembered, none of which was at hand: the key is the name and the version.
    text = (
        META
        + PACKAGE
        + f'\n[metadata.files]\n"torch 2.9.1" = [\n    {{url = "https://example.invalid/{WHEEL}", hash = "00"}},\n]\n'
    )
    (found,) = locked(text)
    assert found.wheels == (WHEEL,)


def test_a_package_without_files_lists_none() -> None:
    assert only("").wheels is None
    assert only("files = []\n").wheels is None


@pytest.mark.parametrize(
    ("rest", "url", "wheels", "sdist"),
    [
        (
            'git = "https://example.invalid/a.git"\nref = "main"\nrevision = "0123"',
            "git+https://example.invalid/a.git@0123",
            (),
            True,
        ),
        ('editable = true\npath = "./libs/a"', "./libs/a", (), True),
        ('path = "./dist/a-1-py3-none-any.whl"', "./dist/a-1-py3-none-any.whl", ("a-1-py3-none-any.whl",), False),
        ('url = "https://example.invalid/a-1.tar.gz"', "https://example.invalid/a-1.tar.gz", (), True),
    ],
)
def test_a_package_that_comes_from_no_index(rest: str, url: str, wheels: tuple[str, ...], sdist: bool) -> None:
    found = only(rest + "\n")
    assert (found.url, found.wheels, found.sdist) == (url, wheels, sdist)


# ---- for whom -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ('groups = ["default"]', [""]),
        ('groups = ["dev"]', ["dev", "group:dev"]),
        ('groups = ["default", "My_Docs"]', ["", "group:my-docs", "my-docs"]),
        ("", []),
    ],
)
def test_for_whom_a_package_is_installed(groups: str, expected: list[str]) -> None:
    assert sorted(only(groups + "\n").asked) == expected


def test_a_package_with_extras_is_one_with_it() -> None:
    text = META + '\n'.join([
        '[[package]]\nname = "requests"\nversion = "2.31.0"\ngroups = ["default"]\ndependencies = [\n    "idna<4,>=2.5",\n]',
        'files = [\n    {file = "requests-2.31.0-py3-none-any.whl", hash = "00"},\n]\n',
        '[[package]]\nname = "requests-toolbelt"\nversion = "1.0.0"\ngroups = ["dev"]\n',
        '[[package]]\nname = "requests"\nversion = "2.31.0"\nextras = ["socks"]\ngroups = ["dev"]\ndependencies = [\n    "PySocks!=1.5.7,>=1.5.6",\n    "requests==2.31.0",\n]\n',
    ])  # fmt: skip
    found = locked(text)
    assert [each.name for each in found] == ["requests", "requests-toolbelt"]
    assert sorted(found[0].asked) == ["", "dev", "group:dev"]
    assert [(each.name, each.extra, each.specifier) for each in found[0].needs] == [
        ("idna", "", "<4,>=2.5"),
        ("pysocks", "socks", "!=1.5.7,>=1.5.6"),
    ]
    assert found[0].wheels == ("requests-2.31.0-py3-none-any.whl",)


def test_an_entry_with_extras_alone_is_a_package() -> None:
    assert [each.name for each in locked(META + PACKAGE + 'extras = ["opt"]\n')] == ["torch"]


def test_versions_of_one_name_are_apart() -> None:
    assert [each.version for each in locked(META + PACKAGE + PACKAGE.replace("2.9.1", "2.11.0"))] == ["2.9.1", "2.11.0"]


# ---- needs --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('"six"', ("six", "", "", [])),
        ('"MarkupSafe>=2.0"', ("markupsafe", ">=2.0", "", [])),
        ('"idna<4,>=2.5; python_version >= \\"3\\""', ("idna", "<4,>=2.5", 'python_version >= "3"', [])),
        ('"uvicorn[Standard,x]>=0.12; os_name == \\"nt\\""', ("uvicorn", ">=0.12", 'os_name == "nt"', ["standard", "x"])),
        ('"a @ git+https://example.invalid/a.git@main ; os_name == \\"nt\\""', ("a", "", 'os_name == "nt"', [])),
        ('"a[b] @ https://example.invalid/a.whl"', ("a", "", "", ["b"])),
    ],
)
def test_what_a_package_needs(line: str, expected: tuple[str, str, str, list[str]]) -> None:
    source = Source("pdm.lock", f"{META}{PACKAGE}dependencies = [\n    {line},\n]\n")
    (found,) = (fact for fact in read(source) if isinstance(fact, Locked))
    (need,) = found.needs
    assert (need.name, need.specifier, need.marker, sorted(need.extras)) == expected
    assert source.cut(need.span) == line


@pytest.mark.parametrize(
    "rest",
    [
        "groups = 1",
        "marker = 1",
        "files = 3",
        "files = [3, {}]",
        "dependencies = 3",
        "dependencies = [3]",
        'dependencies = ["-e ./a", ""]',
        "extras = 2",
    ],
)
def test_values_of_other_types_are_passed_over(rest: str) -> None:
    found = only(rest + "\n")
    assert (found.name, found.needs) == ("torch", ())
