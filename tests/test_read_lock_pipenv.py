"""Pipfile.lock, as Pipenv writes it."""

import json

import pytest

from spark_lint.facts import Lock, Locked, ParseProblem, Read
from spark_lint.read import lock_pipenv
from spark_lint.read.lock import read
from spark_lint.text import Source

SOURCES = [{"name": "pypi", "url": "https://pypi.org/simple", "verify_ssl": True}, {"name": "pytorch", "url": "https://example.invalid/whl/cu124", "verify_ssl": True}]  # fmt: skip


def text(requires: object = None, **categories: object) -> str:
    meta = {"hash": {"sha256": "00"}, "pipfile-spec": 6, "requires": requires or {}, "sources": SOURCES}
    return json.dumps({"_meta": meta, "default": {}, "develop": {}, **categories}, indent=4) + "\n"


def facts(written: str) -> list[Read]:
    return list(read(Source("Pipfile.lock", written)))


def locked(written: str) -> list[Locked]:
    return [fact for fact in facts(written) if isinstance(fact, Locked) and not fact.root]


def root(written: str) -> Locked:
    (found,) = (fact for fact in facts(written) if isinstance(fact, Locked) and fact.root)
    return found


def only(**said: object) -> Locked:
    (found,) = locked(text(default={"torch": said}))
    return found


@pytest.mark.parametrize(
    ("requires", "python", "written"),
    [({"python_version": "3.12"}, "==3.12.*", '"3.12"'), ({"python_full_version": "3.12.1", "python_version": "3.12"}, "==3.12.1", '"3.12.1"'), ({}, "", "")],
)  # fmt: skip
def test_the_lock_comes_first_and_says_for_which_python_it_is(requires: object, python: str, written: str) -> None:
    source = Source("Pipfile.lock", text(requires))
    found = next(iter(read(source)))
    assert isinstance(found, Lock)
    assert (found.name, found.python, found.platforms, found.environments) == ("pipenv", python, (), ())
    assert source.cut(found.span) == written


def test_a_package() -> None:
    source = Source(
        "Pipfile.lock",
        text(default={"torch": {"hashes": ["sha256:00"], "markers": "python_version >= '3.10'", "version": "==2.9.1+cu124"}}),
    )
    (found,) = (fact for fact in read(source) if isinstance(fact, Locked))
    assert (found.name, found.version, found.written, found.marker) == (
        "torch",
        "2.9.1+cu124",
        "torch==2.9.1+cu124",
        "python_version >= '3.10'",
    )
    assert (found.wheels, found.sdist, found.index, found.url, found.root) == (None, False, "", "", False)
    cut = source.cut(found.span)
    assert cut.startswith('"torch": {\n')
    assert cut.endswith('"version": "==2.9.1+cu124"')
    assert found.origin == found.span


def test_of_a_long_entry_the_name_stands_alone() -> None:
    source = Source(
        "Pipfile.lock", text(default={"torch": {"hashes": [f"sha256:{number}" for number in range(20)], "version": "==2.9.1"}})
    )
    (found,) = (fact for fact in read(source) if isinstance(fact, Locked))
    assert source.cut(found.span) == '"torch"'


def test_a_lock_on_one_line() -> None:
    source = Source("Pipfile.lock", '{"default":{"Torch":{"version":"==2.9.1"}}}')
    (found,) = (fact for fact in read(source) if isinstance(fact, Locked))
    assert (found.name, found.written, source.cut(found.span)) == ("torch", "Torch==2.9.1", '"Torch":{"version":"==2.9.1"')


def test_for_whom_a_package_is_installed() -> None:
    one = {"version": "==1"}
    found = locked(text(default={"a": one, "b": one}, develop={"b": one, "c": one}, docs={"c": {"version": "==2"}, "D_d": one}))
    assert [(each.name, each.version, sorted(each.asked)) for each in found] == [
        ("a", "1", [""]),
        ("b", "1", ["", "group:dev"]),
        ("c", "1", ["group:dev"]),
        ("c", "2", ["group:docs"]),
        ("d-d", "1", ["group:docs"]),
    ]


def test_the_index_of_a_package_is_told_where_it_is_not_the_first() -> None:
    assert only(index="pytorch", version="==2.9.1").index == "https://example.invalid/whl/cu124"
    assert only(index="pypi", version="==2.9.1").index == ""
    assert only(index="other", version="==2.9.1").index == ""


@pytest.mark.parametrize(
    ("said", "url", "wheels", "sdist"),
    [
        ({"git": "https://example.invalid/a.git", "ref": "0123"}, "git+https://example.invalid/a.git@0123", (), True),
        ({"git": "git+https://example.invalid/a.git"}, "git+https://example.invalid/a.git", (), True),
        ({"path": "./libs/a", "editable": True}, "./libs/a", (), True),
        ({"file": "https://example.invalid/a-1-py3-none-any.whl"}, "https://example.invalid/a-1-py3-none-any.whl", ("a-1-py3-none-any.whl",), False),
        ({"file": "https://example.invalid/a-1.tar.gz"}, "https://example.invalid/a-1.tar.gz", (), True),
    ],
)  # fmt: skip
def test_a_package_that_comes_from_no_index(said: dict[str, object], url: str, wheels: tuple[str, ...], sdist: bool) -> None:
    found = only(**said)
    assert (found.version, found.url, found.wheels, found.sdist) == ("", url, wheels, sdist)


def test_what_the_pipfile_asks_for_itself() -> None:
    written = text(
        default={"torch": {"index": "pypi", "version": "==2.9.1", "extras": ["Opt"], "markers": "os_name == 'posix'"}, "numpy": {"version": "==2.1"}},
        develop={"x": {"git": "https://example.invalid/x.git", "ref": "0"}},
        docs={"sphinx": {"index": "pypi", "version": "==7.1"}},
    )  # fmt: skip
    source = Source("Pipfile.lock", written)
    found = root(written)
    assert (found.name, found.url, found.asked) == ("", ".", frozenset())
    assert [(each.name, each.specifier, each.extra, each.marker, sorted(each.extras)) for each in found.needs] == [
        ("torch", "==2.9.1", "", "os_name == 'posix'", ["opt"]),
        ("x", "", "group:dev", "", []),
        ("sphinx", "==7.1", "group:docs", "", []),
    ]
    assert [source.cut(each.span) for each in found.needs] == ['"torch"', '"x"', '"sphinx"']


def test_the_project_itself_is_no_package() -> None:
    written = text(default={"my-app": {"editable": True, "path": "."}, "numpy": {"version": "==2.1"}})
    assert [each.name for each in locked(written)] == ["numpy"]
    assert (root(written).name, root(written).url, root(written).needs) == ("my-app", ".", ())


def test_without_an_index_nobody_knows_what_the_pipfile_asks_for() -> None:
    assert not [fact for fact in facts(text(default={"numpy": {"version": "==2.1"}})) if isinstance(fact, Locked) and fact.root]


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ('{"default": {"a": {"version": "==1"}, "b": {"version"', ["a", "b"]),
        ('<<<<<<< HEAD\n{"default": {"a": {"version": "==1"}}}', []),
        ('{"default": {"a": {"version": "==1"}\n=======\n, "b": {"version": "==2"}}}', ["a", "b"]),
    ],
)
def test_of_a_broken_lock_the_rest_is_read(written: str, names: list[str]) -> None:
    found = facts(written)
    assert isinstance(found[0], Lock)
    assert [fact.name for fact in found if isinstance(fact, Locked)] == names
    (problem,) = (fact for fact in found if isinstance(fact, ParseProblem))
    assert problem.message.startswith("not valid JSON: ")


@pytest.mark.parametrize(
    "written",
    ["", "[]", "1", '{"_meta": 3, "default": 3}', '{"_meta": {"requires": [], "sources": {}}, "default": {"a": "==1"}}', '{"default": {"": {}}}'],
)  # fmt: skip
def test_values_of_other_types_are_passed_over(written: str) -> None:
    (found,) = facts(written)
    assert isinstance(found, Lock)


def test_a_package_with_odd_values_is_a_package_still() -> None:
    found = only(version=3, markers=[], index={}, extras="x", hashes=1)
    assert (found.name, found.version, found.written, found.marker) == ("torch", "", "torch", "")


def test_that_a_lock_is_cut_off_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_pipenv, "MOST_VALUES", 10)
    found = facts(text(default={f"p{number}": {"version": "==1"} for number in range(20)}))
    assert [fact.message for fact in found if isinstance(fact, ParseProblem)] == ["more than 10 values: the rest is not read"]
    assert 0 < len([fact for fact in found if isinstance(fact, Locked)]) < 10
