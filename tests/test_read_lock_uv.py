"""uv.lock: the projects it is for, what they ask for, and each package with its files, its source and its place."""

from collections.abc import Mapping

import pytest

from spark_lint.facts import Lock, Locked, Need, ParseProblem, Read
from spark_lint.read import lock_uv
from spark_lint.read.lock import read
from spark_lint.text import Source

HEAD = """\
version = 1
revision = 3
requires-python = ">=3.12"
resolution-markers = [
    "platform_machine == 'aarch64'",
    "platform_machine != 'aarch64'",
]
supported-markers = [
    "sys_platform == 'linux'",
    "sys_platform == 'darwin'",
]

[options]
prerelease-mode = "allow"

"""
PROJECT = """\
[[package]]
name = "trainer"
version = "0.1.0"
source = { editable = "." }
dependencies = [
    { name = "torch", version = "2.9.1", source = { registry = "https://example.invalid/simple" }, marker = "platform_machine != 'aarch64'" },
    { name = "torch", version = "2.9.1+cu130", source = { registry = "https://example.invalid/whl/cu130" }, marker = "platform_machine == 'aarch64'" },
    { name = "accelerate", extra = ["deepspeed"] },
]

[package.optional-dependencies]
all = [
    { name = "flash-attn" },
]
Fast_Attention = [
    { name = "flash-attn" },
]

[package.dev-dependencies]
dev = [
    { name = "pytest" },
]

[package.metadata]
requires-dist = [
    { name = "accelerate", extras = ["deepspeed"], specifier = ">=1.2" },
    { name = "flash-attn", marker = "extra == 'fast-attention'", specifier = "==2.8.3" },
    { name = "torch", marker = "platform_machine != 'aarch64'", specifier = "==2.9.1" },
    { name = "torch", marker = "platform_machine == 'aarch64'", specifier = ">=2.9", index = "https://example.invalid/whl/cu130" },
    { name = "trainer", extras = ["fast-attention"], marker = "extra == 'all'" },
]
provides-extras = ["fast-attention", "all"]

[package.metadata.requires-dev]
dev = [{ name = "pytest", specifier = ">=8" }]

"""
TORCH = """\
[[package]]
name = "torch"
version = "2.9.1+cu130"
source = { registry = "https://example.invalid/whl/cu130" }
resolution-markers = [
    "platform_machine == 'aarch64'",
    "sys_platform == 'win32'",
]
dependencies = [
    { name = "sympy" },
]
wheels = [
    { url = "https://example.invalid/whl/cu130/torch-2.9.1%2Bcu130-cp312-cp312-manylinux_2_28_aarch64.whl", hash = "sha256:00", size = 1, upload-time = "2025-11-12T15:20:41.62Z" },
    { url = "https://example.invalid/whl/cu130/torch-2.9.1%2Bcu130-cp312-cp312-win_amd64.whl" },
]

"""
FLASH = """\
[[package]]
name = "flash-attn"
version = "2.8.3"
source = { registry = "https://example.invalid/simple" }
sdist = { url = "https://example.invalid/flash_attn-2.8.3.tar.gz", hash = "sha256:00", size = 1 }
"""


def package(source: str, more: str = "") -> str:
    return f'[[package]]\nname = "a"\nversion = "1.0"\nsource = {source}\n{more}\n'


def facts(text: str) -> list[Read]:
    return list(read(Source("sub/uv.lock", text)))


def entries(text: str) -> dict[str, Locked]:
    return {each.name: each for each in facts(text) if isinstance(each, Locked)}


def entry(text: str) -> Locked:
    (found,) = [each for each in facts(HEAD + text) if isinstance(each, Locked)]
    return found


def problems(text: str) -> list[tuple[int, str]]:
    return [(each.span.line, each.message) for each in facts(text) if isinstance(each, ParseProblem)]


def needs(found: Locked) -> list[tuple[str, str, str]]:
    return [(need.name, need.extra, need.specifier) for need in found.needs]


def test_the_lock_comes_first_and_says_for_which_machines_it_is() -> None:
    lock, *others = facts(HEAD + TORCH)
    assert isinstance(lock, Lock)
    assert (lock.name, lock.python, lock.platforms) == ("uv", ">=3.12", ())
    assert lock.environments == ("sys_platform == 'linux'", "sys_platform == 'darwin'")
    assert (lock.written, lock.span.line, lock.origin) == ('requires-python = ">=3.12"', 3, lock.span)
    assert not any(isinstance(each, Lock) for each in others)


def test_forks_are_no_limit_of_the_lock() -> None:
    (lock,) = facts("version = 1\nresolution-markers = [\n    \"sys_platform == 'linux'\",\n]\n")
    assert isinstance(lock, Lock)
    assert (lock.environments, lock.python, lock.written, lock.span.line) == ((), "", "version = 1", 1)


def test_a_package_says_its_version_index_fork_and_files() -> None:
    source = Source("uv.lock", HEAD + TORCH)
    (torch,) = [each for each in read(source) if isinstance(each, Locked)]
    assert (torch.name, torch.version, torch.written) == ("torch", "2.9.1+cu130", "torch==2.9.1+cu130")
    assert source.cut(torch.span) == 'name = "torch"\nversion = "2.9.1+cu130"'
    assert torch.origin == torch.span
    assert (torch.index, torch.url, torch.root) == ("https://example.invalid/whl/cu130", "", False)
    assert torch.marker == "(platform_machine == 'aarch64') or (sys_platform == 'win32')"
    assert (torch.asked, torch.context.extra) == (frozenset(), "")
    assert torch.wheels == (
        "torch-2.9.1+cu130-cp312-cp312-manylinux_2_28_aarch64.whl",
        "torch-2.9.1+cu130-cp312-cp312-win_amd64.whl",
    )
    assert torch.sdist is False
    assert [(need.name, source.cut(need.span)) for need in torch.needs] == [("sympy", '{ name = "sympy" }')]


def test_a_package_with_a_source_archive_alone_has_no_wheels() -> None:
    flash = entry(FLASH)
    assert (flash.wheels, flash.sdist, flash.marker, flash.needs) == ((), True, "", ())


def test_a_project_asks_for_packages_extras_and_groups_with_its_own_specifiers() -> None:
    source = Source("uv.lock", HEAD + PROJECT + TORCH + FLASH)
    project = next(each for each in read(source) if isinstance(each, Locked) and each.name == "trainer")
    assert (project.root, project.url, project.index, project.sdist) == (True, ".", "", True)
    first, second, accelerate, *rest = project.needs
    assert first == Need(
        "torch", first.span, version="2.9.1", marker="platform_machine != 'aarch64'", specifier="==2.9.1"
    )  # fmt: skip
    assert source.cut(first.span).startswith('{ name = "torch", version = "2.9.1", source')
    assert (second.version, second.marker, second.specifier) == ("2.9.1+cu130", "platform_machine == 'aarch64'", ">=2.9")
    assert second.span.line == first.span.line + 1
    assert (accelerate.extras, accelerate.specifier) == ({"deepspeed"}, ">=1.2")
    assert [(need.name, need.extra, need.specifier) for need in rest] == [
        ("flash-attn", "all", "==2.8.3"),
        ("flash-attn", "fast-attention", "==2.8.3"),
        ("pytest", "group:dev", ">=8"),
    ]
    assert [source.lines[need.span.line - 2] for need in rest] == ["all = [", "Fast_Attention = [", "dev = ["]


def test_a_specifier_that_could_be_one_of_several_is_not_told() -> None:
    project = entry(
        package(
            '{ virtual = "." }',
            'dependencies = [{ name = "torch", marker = "sys_platform == \'linux\'" }]\n[package.metadata]\nrequires-dist = [\n'
            '    { name = "torch", marker = "python_full_version >= \'3.12\'", specifier = "==2.9.1" },\n'
            '    { name = "torch", marker = "python_full_version < \'3.12\'", specifier = "==2.6.0" },\n]\n',
        )
    )
    assert needs(project) == [("torch", "", "")]


def test_the_same_specifier_under_several_markers_is_told() -> None:
    project = entry(
        package(
            '{ virtual = "." }',
            'dependencies = [{ name = "torch" }]\n[package.metadata]\nrequires-dist = [\n'
            '    { name = "torch", marker = "sys_platform == \'linux\'", specifier = "==2.9.1" },\n'
            '    { name = "torch", marker = "sys_platform == \'win32\'", specifier = "==2.9.1" },\n]\n',
        )
    )
    assert needs(project) == [("torch", "", "==2.9.1")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('{ git = "https://example.invalid/a.git?rev=main#0123abc" }', {"url": "git+https://example.invalid/a.git@0123abc", "sdist": True}),
        (
            '{ git = "https://example.invalid/a?subdirectory=python%2Fa&tag=v1#0123abc" }',
            {"url": "git+https://example.invalid/a@0123abc#subdirectory=python/a", "sdist": True},
        ),
        ('{ url = "https://example.invalid/a-1.0.tar.gz" }', {"url": "https://example.invalid/a-1.0.tar.gz", "sdist": True}),
        (
            '{ url = "https://example.invalid/a-1.0%2Bcu13-cp312-cp312-linux_aarch64.whl" }',
            {"url": "https://example.invalid/a-1.0%2Bcu13-cp312-cp312-linux_aarch64.whl", "wheels": ("a-1.0+cu13-cp312-cp312-linux_aarch64.whl",)},
        ),
        ('{ path = "dist/a-1.0-py3-none-any.whl" }', {"url": "dist/a-1.0-py3-none-any.whl", "wheels": ("a-1.0-py3-none-any.whl",)}),
        ('{ directory = "3rdparty/a" }', {"url": "3rdparty/a", "sdist": True}),
        ('{ editable = "packages/a" }', {"url": "packages/a", "sdist": True}),
        ('{ registry = "../wheels" }', {}),
        ("{ }", {}),
    ],
)  # fmt: skip
def test_where_a_package_comes_from(source: str, expected: Mapping[str, object]) -> None:
    found = entry(package(source))
    assert {"url": found.url, "wheels": found.wheels, "sdist": found.sdist} == {
        "url": "",
        "wheels": (),
        "sdist": False,
        **expected,
    }
    assert (found.root, found.index) == (False, "")


def test_a_folder_of_files_has_their_names() -> None:
    more = (
        'wheels = [\n    { path = "sub/a-1.0-py3-none-any.whl" },\n    { filename = "a-1.0-cp312-cp312-linux_aarch64.whl" },\n]'
    )
    assert entry(package('{ registry = "../wheels" }', more)).wheels == (
        "a-1.0-py3-none-any.whl",
        "a-1.0-cp312-cp312-linux_aarch64.whl",
    )


def test_a_wheel_of_an_address_is_told_once() -> None:
    url = "https://example.invalid/a-1.0-py3-none-any.whl"
    found = entry(package(f'{{ url = "{url}" }}', f'wheels = [\n    {{ url = "{url}", hash = "sha256:00" }},\n]'))
    assert found.wheels == ("a-1.0-py3-none-any.whl",)


@pytest.mark.parametrize(
    ("source", "root"),
    [
        ('{ editable = "." }', True),
        ('{ virtual = "." }', True),
        ('{ editable = "packages/a" }', False),
        ('{ directory = "." }', False),
    ],
)
def test_a_lock_without_members_is_for_the_project_beside_it(source: str, root: bool) -> None:
    assert entry(package(source)).root is root


@pytest.mark.parametrize("source", ['{ editable = "packages/a" }', '{ virtual = "packages/a" }', '{ directory = "packages/a" }'])
def test_a_workspace_names_its_members(source: str) -> None:
    manifest = '[manifest]\nmembers = [\n    "a",\n    "b",\n]\n\n'
    found = entries(HEAD + manifest + package(source) + FLASH + package('{ editable = "3rdparty/c" }').replace('"a"', '"c"'))
    assert {name: each.root for name, each in found.items()} == {"a": True, "flash-attn": False, "c": False}
    assert found["a"].url == "packages/a"


def test_a_workspace_that_is_no_project_has_groups_of_its_own() -> None:
    manifest = (
        '[manifest]\nmembers = ["a"]\nconstraints = [{ name = "torch", specifier = "<3" }]\n\n[manifest.dependency-groups]\n'
        'dev = [\n    { name = "pytest" },\n    { name = "torch", extras = ["opt"], marker = "sys_platform == \'linux\'", specifier = ">=2.9" },\n]\n\n'
    )
    source = Source("uv.lock", HEAD + manifest + package('{ virtual = "a" }'))
    root = next(each for each in read(source) if isinstance(each, Locked))
    assert (root.name, root.root, root.url, root.written) == ("", True, ".", "[manifest.dependency-groups]")
    assert source.cut(root.span) == "[manifest.dependency-groups]"
    pytest_, torch = root.needs
    assert (pytest_.name, pytest_.extra, source.cut(pytest_.span)) == ("pytest", "group:dev", '{ name = "pytest" }')
    assert (torch.extras, torch.marker, torch.specifier) == ({"opt"}, "sys_platform == 'linux'", ">=2.9")
    assert source.lines[torch.span.line - 2] == source.lines[pytest_.span.line - 1]


def test_a_package_locked_twice_is_told_twice() -> None:
    text = HEAD + TORCH + TORCH.replace("2.9.1+cu130", "2.9.1")
    assert [each.version for each in facts(text) if isinstance(each, Locked)] == ["2.9.1+cu130", "2.9.1"]


def test_a_project_without_a_version_stands_by_its_name() -> None:
    source = Source("uv.lock", HEAD + '[[package]]\nname = "trainer"\nsource = { editable = "." }\n')
    (project,) = [each for each in read(source) if isinstance(each, Locked)]
    assert (project.version, project.written, source.cut(project.span)) == ("", "trainer", 'name = "trainer"')


def test_names_are_canonical() -> None:
    found = entry(
        '[[package]]\nname = "Flash_Attn"\nversion = "1"\nsource = { }\ndependencies = [{ name = "Some.Thing", extra = ["X_y"] }]\n'
    )
    assert (found.name, found.written) == ("flash-attn", "Flash_Attn==1")
    assert [(need.name, need.extras) for need in found.needs] == [("some-thing", {"x-y"})]


def test_line_ends_of_windows_change_nothing_but_the_ends() -> None:
    def told(text: str) -> list[tuple[object, ...]]:
        return [
            (each.name, each.version, each.marker, each.wheels, each.span, [(n.name, n.specifier, n.span) for n in each.needs])
            for each in facts(text)
            if isinstance(each, Locked)
        ]

    text = HEAD + PROJECT + TORCH + FLASH
    assert told(text.replace("\n", "\r\n")) == told(text)


def test_a_broken_package_is_told_and_the_others_are_read() -> None:
    text = HEAD + TORCH.replace('version = "2.9.1+cu130"', "version = 2.9.1+cu130") + FLASH
    assert list(entries(text)) == ["flash-attn"]
    ((line, message),) = problems(text)
    assert text.splitlines()[line - 1] == "version = 2.9.1+cu130"
    assert message.startswith("not valid TOML: ")


def test_a_package_without_a_name_is_told() -> None:
    assert problems(HEAD + '[[package]]\nversion = "1"\n') == [(HEAD.count("\n") + 1, "a package without a name")]


def test_a_later_format_is_not_read() -> None:
    text = HEAD.replace("version = 1", "version = 2") + FLASH
    assert problems(text) == [(1, "version 2 of uv.lock is not known, not read")]
    assert not entries(text)


def test_more_needs_than_any_package_has_are_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_uv, "MOST_NEEDS", 2)
    text = package("{ }", 'dependencies = [\n    { name = "b" },\n    { name = "c" },\n    { name = "d" },\n]')
    assert [need.name for need in entries(text)["a"].needs] == ["b", "c"]
    assert problems(text) == [(8, "more than 2 needs of one package: the rest is not read")]


def test_what_is_no_lock_gives_the_lock_alone() -> None:
    (lock,) = facts("")
    assert isinstance(lock, Lock)
    assert (lock.python, lock.written, lock.span.line) == ("", "", 1)
