"""Locks in blocks: where they are cut, what each holds, where it stands, and what is said of one that is no TOML."""

import pytest
import tomli

from spark_lint.facts import ParseProblem
from spark_lint.read import lock_blocks
from spark_lint.read.lock_blocks import ITEM, KEY, TABLE, Block, Blocks, basename, either
from spark_lint.text import Source

LOCK = """\
# made by a tool
version = 1
requires-python = ">=3.12"  # of the project

[metadata]
hash = "abc"

[[package]]
name = "torch"
version = "2.9.1"
dependencies = [
    { name = "numpy", marker = "a == 'b'" },
    { name = "sympy" },
    { name = "numpy", source = { registry = "https://example.invalid/simple" } },
]

[package.optional-dependencies]
gpu = [{ name = "triton" }, { name = "nvidia_nccl" }]

[[package]]
name = 'Flash_Attn'  # a fork
description = "one line between"
version = '2.8.3'

[package.dependencies]
einops = ">=0.7"
torch = {version = "^2.4", optional = true}

[metadata.files]
torch = []
"""


def blocks(text: str) -> tuple[Blocks, list[Block], list[ParseProblem]]:
    found = Blocks(Source("a.lock", text), "package")
    read = list(found.packages())
    problems = [*found.problems, *(each for each in read if isinstance(each, ParseProblem))]
    return found, [each for each in read if isinstance(each, Block)], problems


def test_of_a_merge_conflict_both_sides_are_read() -> None:
    ours, theirs = '[[package]]\nname = "a"\nversion = "1"\n', '[[package]]\nname = "a"\nversion = "2"\n'
    for text in (
        f"version = 1\n<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> other\n",
        f"version = 1\r\n<<<<<<< HEAD\r\n{ours}||||||| base\r\n=======\r\n{theirs}>>>>>>> other",
    ):
        _, packages, problems = blocks(text)
        assert [(each.name, each.version) for each in packages] == [("a", "1"), ("a", "2")]
        assert [(each.span.line, each.message) for each in problems] == [(2, "an unresolved merge conflict")]
        assert all(each.source.cut(each.stated).startswith('name = "a"') for each in packages)


def test_a_block_with_a_conflict_in_it_is_not_read() -> None:
    text = LOCK.replace('version = "2.9.1"', '<<<<<<< HEAD\nversion = "2.9.1"\n=======\nversion = "2.9.0"\n>>>>>>> other')
    _, packages, problems = blocks(text)
    assert [each.name for each in packages] == ["flash-attn"]
    assert {(each.span.line, each.message) for each in problems} == {(10, "an unresolved merge conflict")}


@pytest.mark.parametrize("text", [LOCK, LOCK.replace("\n", "\r\n"), "\n\n" + LOCK], ids=["lf", "crlf", "lines before"])
def test_a_lock_is_cut_at_its_packages_and_holds_what_it_holds_as_a_whole(text: str) -> None:
    found, packages, problems = blocks(text)
    whole = tomli.loads(text)
    assert not problems
    assert [each.values for each in packages] == whole.pop("package")
    assert found.values == whole


def test_the_parts_join_to_the_file() -> None:
    found, packages, _ = blocks(LOCK)
    assert sorted("".join(each.text for each in [*found.rest, *packages])) == sorted(LOCK)
    assert [each.text.partition("\n")[0] for each in packages] == ["[[package]]", "[[package]]"]


@pytest.mark.parametrize("text", [LOCK, LOCK.replace("\n", "\r\n")], ids=["lf", "crlf"])
def test_a_package_stands_from_its_name_to_the_end_of_its_version(text: str) -> None:
    _, (torch, flash), _ = blocks(text)
    assert (torch.name, torch.version, torch.written) == ("torch", "2.9.1", "torch==2.9.1")
    assert torch.source.cut(torch.stated).splitlines() == ['name = "torch"', 'version = "2.9.1"']
    assert (torch.stated.line, torch.stated.column, torch.stated.end_line) == (9, 1, 10)
    assert (flash.name, flash.version, flash.written) == ("flash-attn", "2.8.3", "Flash_Attn==2.8.3")
    assert flash.source.cut(flash.stated).splitlines()[-1] == "version = '2.8.3'"


@pytest.mark.parametrize(
    ("lines", "stated"),
    [
        ('version = "1"', "[[package]]"),
        ('name = "a"', 'name = "a"'),
        ('name = "a"\n[package.dependencies]\nversion = "1"', 'name = "a"'),
        ('version = "1"\nname = "a"', 'name = "a"'),
        ('name = "a"\nb = 1\nc = 1\nd = 1\nversion = "1"', 'name = "a"'),
    ],
)
def test_a_name_without_a_version_near_it_stands_alone(lines: str, stated: str) -> None:
    _, (block,), _ = blocks(f"[[package]]\n{lines}\n")
    assert block.source.cut(block.stated) == stated


def test_places_come_in_the_order_of_the_file_by_name() -> None:
    _, (torch, flash), _ = blocks(LOCK)
    places, cut = torch.places(TABLE), torch.source.cut
    assert cut(places.next("sympy")) == '{ name = "sympy" }'
    assert cut(places.next("numpy")) == """{ name = "numpy", marker = "a == 'b'" }"""
    assert cut(places.next("numpy")) == '{ name = "numpy", source = { registry = "https://example.invalid/simple" } }'
    assert [cut(places.next(name)) for name in ("nvidia_nccl", "triton")] == ['{ name = "nvidia_nccl" }', '{ name = "triton" }']
    assert places.next("numpy") == places.next("nowhere") == torch.stated
    assert cut(flash.places(KEY).next("torch")) == 'torch = {version = "^2.4", optional = true}'
    assert cut(flash.places(KEY).next("einops")) == 'einops = ">=0.7"'
    assert cut(flash.places(ITEM).next("^2.4")) == '"^2.4"'


def test_a_key_of_the_lock_is_found_and_one_that_is_not_there_is_the_beginning() -> None:
    found, _, _ = blocks(LOCK)
    source = Source("a.lock", LOCK)
    assert source.cut(found.key("version")) == "version = 1"
    assert source.cut(found.key("torch")) == "torch = []"
    assert (found.key("name").line, source.cut(found.key("name"))) == (1, "")


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_block_that_is_no_toml_costs_no_other(end: str) -> None:
    text = LOCK.replace('    { name = "sympy" },', '    { name = "sympy },').replace("\n", end)
    found, packages, problems = blocks(text)
    assert [(each.span.line, each.message) for each in problems] == [(13, "not valid TOML: illegal character '\\n'")]
    assert [each.name for each in packages] == ["flash-attn"]
    assert found.values["requires-python"] == ">=3.12"


def test_a_head_that_is_no_toml_costs_no_package() -> None:
    found, packages, problems = blocks(LOCK.replace("version = 1\n", "version 1\n", 1))
    assert [(each.span.line, each.span.column) for each in problems] == [(2, 9)]
    assert [each.name for each in packages] == ["torch", "flash-attn"]
    assert found.values == {"metadata": {"files": {"torch": []}}}


def test_a_fault_at_the_end_of_a_block_is_told_inside_of_it() -> None:
    text = '[[package]]\nname = "a"\ndependencies = [\n[[package]]\nname = "b"\n'
    _, packages, problems = blocks(text)
    assert [each.name for each in packages] == ["b"]
    assert [each.span.line for each in problems] == [4]


def test_what_is_nested_too_deeply_is_said() -> None:
    _, packages, problems = blocks(f'[[package]]\na = {"[" * 5000}{"]" * 5000}\n\n[[package]]\nname = "b"\n')
    assert [each.name for each in packages] == ["b"]
    assert [(each.span.line, "nested too deeply" in each.message) for each in problems] == [(1, True)]


def test_packages_that_are_no_tables_of_their_own_are_said_not_to_be_read() -> None:
    _, packages, problems = blocks('version = 1\npackage = [{ name = "a" }]\n')
    assert not packages
    assert [(each.span.line, each.message) for each in problems] == [(2, "package is not written as [[package]], not read")]


def test_more_packages_than_anybody_has_are_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_blocks, "MOST_PACKAGES", 2)
    _, packages, problems = blocks('[[package]]\nname = "a"\n' * 4)
    assert len(packages) == 2
    assert [(each.span.line, each.message) for each in problems] == [(5, "more than 2 packages: the rest is not read")]


def test_values_of_other_types_than_expected_are_passed_over() -> None:
    _, (block,), _ = blocks('[[package]]\nname = 1\nversion = ["2"]\n')
    assert (block.name, block.version, block.written) == ("", "", "")
    for read in (lock_blocks.strings, lock_blocks.tables, lock_blocks.listed):
        assert read(block.values, "name") == []
    assert lock_blocks.table(block.values, "version") == {}
    assert lock_blocks.string(None, "name") == ""
    assert lock_blocks.names({"a": ["X_y", 2]}, "a") == {"x-y"}


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://example.invalid/a/torch-2.9.1%2Bcu130-cp312-cp312-linux_aarch64.whl?x=/y#sha256=0", "torch-2.9.1+cu130-cp312-cp312-linux_aarch64.whl"),
        ("../wheels/a#1-1-py3-none-any.whl", "a#1-1-py3-none-any.whl"),
        ("..\\wheels\\a-1.whl", "a-1.whl"),
        ("a-1.tar.gz", "a-1.tar.gz"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_name_of_a_file_is_the_end_of_its_address(address: str, name: str) -> None:
    assert basename(address) == name


def test_markers_of_which_one_has_to_hold() -> None:
    assert either([]) == ""
    assert either(["a == 'b' or c == 'd'"]) == "a == 'b' or c == 'd'"
    assert either(["a == 'b' and c == 'd'", "e == 'f'"]) == "(a == 'b' and c == 'd') or (e == 'f')"
