"""poetry.lock, as Poetry 2 and Poetry 1 write it."""

import pytest

from spark_lint.facts import Lock, Locked, Need, ParseProblem, Read
from spark_lint.read.lock import read
from spark_lint.text import UNKNOWN, Source

FILES = """files = [
    {file = "torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl", hash = "sha256:00"},
    {file = "torch-2.9.1.tar.gz", hash = "sha256:01"},
]
"""
PACKAGE = '[[package]]\nname = "torch"\nversion = "2.9.1"\ndescription = ""\n'
END = '\n[metadata]\nlock-version = "2.1"\npython-versions = ">=3.10,<3.13"\ncontent-hash = "00"\n'
OLD_END = '\n[metadata]\nlock-version = "1.1"\npython-versions = "^3.8"\ncontent-hash = "00"\n'


def facts(text: str) -> list[Read]:
    return list(read(Source("poetry.lock", text)))


def locked(text: str) -> list[Locked]:
    return [fact for fact in facts(text) if isinstance(fact, Locked)]


def only(text: str) -> Locked:
    (found,) = locked(text)
    return found


def needs(text: str) -> list[tuple[str, str, str, str, list[str]]]:
    return [(each.name, each.specifier, each.marker, each.extra, sorted(each.extras)) for each in only(text).needs]


def asked(rest: str) -> list[tuple[list[str], str]]:
    """For whom the package is installed, and where."""
    return [(sorted(each.asked), each.marker) for each in locked(PACKAGE + rest + END)]


# ---- the lock -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("python", "expected"), [(">=3.10,<3.13", ">=3.10,<3.13"), ("^3.8", ">=3.8,<4"), ("*", ""), ("^3.9 || ^4", UNKNOWN)]
)
def test_the_lock_comes_first_and_says_for_which_python_it_is(python: str, expected: str) -> None:
    source = Source("a/poetry.lock", f'{PACKAGE}\n[metadata]\nlock-version = "2.1"\npython-versions = "{python}"\n')
    lock = next(iter(read(source)))
    assert isinstance(lock, Lock)
    assert (lock.name, lock.python, lock.environments, lock.platforms) == ("poetry", expected, (), ())
    assert source.cut(lock.span) == lock.written == f'python-versions = "{python}"'


def test_a_lock_that_says_nothing_is_a_lock() -> None:
    (lock,) = facts("")
    assert isinstance(lock, Lock)
    assert lock.python == ""


# ---- packages -----------------------------------------------------------------------------------------------------------------


def test_a_package_with_its_files() -> None:
    source = Source("poetry.lock", f'{PACKAGE}optional = false\npython-versions = "*"\ngroups = ["main"]\n{FILES}{END}')
    (found,) = (fact for fact in read(source) if isinstance(fact, Locked))
    assert (found.name, found.version, found.written) == ("torch", "2.9.1", "torch==2.9.1")
    assert found.wheels == ("torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl",)
    assert (found.sdist, found.index, found.url, found.marker, found.asked) == (True, "", "", "", frozenset({""}))
    assert source.cut(found.span) == source.cut(found.origin) == 'name = "torch"\nversion = "2.9.1"'


def test_a_name_is_canonical_and_the_spelling_the_authors() -> None:
    found = only('[[package]]\nname = "PySocks"\nversion = "1.7.1"\n' + END)
    assert (found.name, found.written) == ("pysocks", "PySocks==1.7.1")


def test_files_at_the_end_of_an_old_lock() -> None:
    text = PACKAGE + OLD_END + "\n[metadata.files]\ntorch = [\n" + FILES.split("\n", 1)[1] + "x = []\n"
    assert only(text).wheels == ("torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl",)
    assert only(text).sdist


def test_a_lock_with_hashes_alone_lists_no_files() -> None:
    assert only(PACKAGE + OLD_END + '\n[metadata.hashes]\ntorch = ["00"]\n').wheels is None


def test_a_lock_with_empty_lists_lists_no_files() -> None:
    assert only(PACKAGE + OLD_END + "\n[metadata.files]\ntorch = []\n").wheels is None
    assert only(PACKAGE + "files = []\n" + END).wheels is None


def test_wheels_alone_are_no_source_archive() -> None:
    assert not only(PACKAGE + 'files = [{file = "torch-2.9.1-py3-none-any.whl", hash = "00"}]\n' + END).sdist


@pytest.mark.parametrize(
    ("source", "index", "url", "wheels", "sdist"),
    [
        ('type = "legacy"\nurl = "https://example.invalid/whl/cu124"\nreference = "pytorch"', "https://example.invalid/whl/cu124", "", None, False),
        ('type = "git"\nurl = "https://example.invalid/a.git"\nreference = "main"\nresolved_reference = "0123"', "", "git+https://example.invalid/a.git@0123", (), True),
        ('type = "directory"\nurl = "libs/a"', "", "libs/a", (), True),
        ('type = "url"\nurl = "https://example.invalid/a-1-py3-none-any.whl#sha256=0"', "", "https://example.invalid/a-1-py3-none-any.whl#sha256=0", ("a-1-py3-none-any.whl",), False),
        ('type = "file"\nurl = "dist/a-1.tar.gz"', "", "dist/a-1.tar.gz", (), True),
    ],
)  # fmt: skip
def test_where_a_package_comes_from(source: str, index: str, url: str, wheels: tuple[str, ...] | None, sdist: bool) -> None:
    found = only(f"{PACKAGE}\n[package.source]\n{source}\n{END}")
    assert (found.index, found.url, found.wheels, found.sdist) == (index, url, wheels, sdist)


# ---- for whom -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ('optional = false\ngroups = ["main"]', [([""], "")]),
        ('optional = false\ngroups = ["dev"]', [(["group:dev"], "")]),
        ('optional = false\ngroups = ["main", "My_Docs"]', [(["", "group:my-docs"], "")]),
        ('optional = false\ngroups = ["main"]\nmarkers = "sys_platform == \\"linux\\""', [([""], 'sys_platform == "linux"')]),
        ('optional = true\ngroups = ["main"]\nmarkers = "extra == \\"gpu\\""', [(["gpu"], "")]),
        ('optional = true\ngroups = ["main"]\nmarkers = "extra == \\"gpu\\" or extra == \\"all\\""', [(["all", "gpu"], "")]),
        ('optional = true\ngroups = ["main"]\nmarkers = "sys_platform == \\"linux\\" and extra == \\"gpu\\""', [(["gpu"], 'sys_platform == "linux"')]),
        ('optional = true\ngroups = ["main"]\nmarkers = "extra == \\"a\\" and os_name == \\"nt\\" or extra == \\"b\\""', [(["a"], 'os_name == "nt"'), (["b"], "")]),
        ('optional = false\ngroups = ["main", "dev"]\nmarkers = {main = "os_name == \\"nt\\""}', [([""], 'os_name == "nt"'), (["group:dev"], "")]),
        ('optional = true\ngroups = ["main", "dev"]\nmarkers = {main = "extra == \\"gpu\\"", dev = "os_name == \\"nt\\""}', [(["gpu"], ""), (["group:dev"], 'os_name == "nt"')]),
    ],
)  # fmt: skip
def test_for_whom_a_package_is_installed(rest: str, expected: list[tuple[list[str], str]]) -> None:
    assert asked(rest + "\n") == expected


@pytest.mark.parametrize(
    ("marker", "expected"),
    [
        ('extra != \\"cuda\\"', ["cuda"]),
        ('sys_platform == \\"linux\\" and extra != \\"cuda\\"', ["cuda"]),
        ('extra != \\"cuda\\" or extra == \\"all\\"', ["cuda"]),
        ('sys_platform == \\"linux\\" or extra != \\"cuda\\"', []),
        ('extra == \\"cpu\\" and extra != \\"cuda\\"', []),
        ('extra != \\"cuda', []),
    ],
)
def test_an_extra_that_keeps_a_package_out(marker: str, expected: list[str]) -> None:
    # python-poetry.org/docs/dependency-specification/#exclusive-extras
    found = locked(f'{PACKAGE}groups = ["main"]\nmarkers = "{marker}"\n{END}')
    assert sorted(label for each in found for label in each.barred) == expected


def test_an_old_lock_does_not_say_for_whom() -> None:
    found = only(PACKAGE + 'category = "main"\noptional = false\n' + OLD_END)
    assert (found.asked, found.marker) == (frozenset(), "")


# ---- needs --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('numpy = ">=1.17"', [("numpy", ">=1.17", "", "", [])]),
        ('numpy = "*"', [("numpy", "", "", "", [])]),
        ('numpy = "^1.17"', [("numpy", ">=1.17,<2", "", "", [])]),
        ('Jinja2 = {version = "~3.1", extras = ["I18N"]}', [("jinja2", ">=3.1,<3.2", "", "", ["i18n"])]),
        ('a = {version = ">=1", markers = "sys_platform == \\"win32\\""}', [("a", ">=1", 'sys_platform == "win32"', "", [])]),
        ('a = {version = ">=1", python = "<3.12"}', [("a", ">=1", 'python_version < "3.12"', "", [])]),
        ('a = [\n    {version = ">=1", markers = "os_name == \\"nt\\""},\n    {version = ">=2", markers = "os_name != \\"nt\\""},\n]',
         [("a", ">=1", 'os_name == "nt"', "", []), ("a", ">=2", 'os_name != "nt"', "", [])]),
        ('a = {version = ">=1", optional = true, markers = "extra == \\"socks\\""}', [("a", ">=1", "", "socks", [])]),
        ('a = {version = ">=1", optional = true, markers = "extra == \\"x\\" and os_name == \\"nt\\""}', [("a", ">=1", 'os_name == "nt"', "x", [])]),
        ('a = {version = ">=1", optional = true}\n\n[package.extras]\nGPU = ["a (>=1)", "b"]\nall = ["A[x] (>=1) ; os_name == \\"nt\\""]',
         [("a", ">=1", "", "gpu", []), ("a", ">=1", "", "all", [])]),
        ('a = {version = ">=1", optional = true}', []),
        ('a = {git = "https://example.invalid/a.git", rev = "main"}', [("a", "", "", "", [])]),
    ],
)  # fmt: skip
def test_what_a_package_needs(line: str, expected: list[tuple[str, str, str, str, list[str]]]) -> None:
    assert needs(f"{PACKAGE}\n[package.dependencies]\n{line}\n{OLD_END}") == expected


def test_a_need_stands_where_its_line_is() -> None:
    source = Source(
        "poetry.lock",
        PACKAGE + '\n[package.dependencies]\nx = "*"\nnumpy = {version = ">=1", markers = "os_name == \\"nt\\""}\n' + END,
    )
    (found,) = (fact for fact in read(source) if isinstance(fact, Locked))
    assert [source.cut(need.span) for need in found.needs] == [
        'x = "*"',
        'numpy = {version = ">=1", markers = "os_name == \\"nt\\""}',
    ]
    assert all(isinstance(need, Need) and need.version == "" for need in found.needs)


# ---- what is broken -----------------------------------------------------------------------------------------------------------


def test_a_package_that_is_no_toml_costs_no_other() -> None:
    source = Source(
        "poetry.lock", PACKAGE + 'groups = ["main"\n\n[[package]]\nname = "b"\nversion = "1"\ngroups = ["main"]\n' + END
    )
    found = list(read(source))
    assert [fact.name for fact in found if isinstance(fact, Locked)] == ["b"]
    (problem,) = (fact for fact in found if isinstance(fact, ParseProblem))
    assert problem.message.startswith("not valid TOML")
    assert 5 <= problem.span.line <= 7


def test_windows_line_ends() -> None:
    text = (PACKAGE + 'groups = ["main"]\n' + FILES + END).replace("\n", "\r\n")
    source = Source("poetry.lock", text)
    (found,) = (fact for fact in read(source) if isinstance(fact, Locked))
    assert (found.version, len(found.wheels or ()), source.cut(found.span)) == ("2.9.1", 1, 'name = "torch"\r\nversion = "2.9.1"')


@pytest.mark.parametrize(
    "rest",
    ["groups = 1", 'groups = ["main"]\nmarkers = 3', "files = 3", "files = [3]", "dependencies = 3", "source = 3", "extras = [1]",
     "[package.dependencies]\na = 3", "[package.dependencies]\na = [3, {version = 3}]", "[package.extras]\na = 3"],
)  # fmt: skip
def test_values_of_other_types_are_passed_over(rest: str) -> None:
    assert [each.name for each in locked(PACKAGE + rest + "\n" + END)] == ["torch"]
