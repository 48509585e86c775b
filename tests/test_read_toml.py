"""The TOML reader: the values of configurations under their keys, where they stand, and what is no TOML."""

import random
from typing import Any

import pytest
import tomli

from spark_lint.facts import Entry, Include, ParseProblem, Read, Setting
from spark_lint.read.toml import read
from spark_lint.read.toml_scanner import tree
from spark_lint.read.toml_tree import Array, Node, Scalar
from spark_lint.suppress import suppressions
from spark_lint.text import UNKNOWN, Source, Span, Text
from tests.projects import facts as project_facts
from tests.projects import found

DEEP = 3000


def facts(text: str, path: str = "config.toml") -> list[Read]:
    return list(read(Source(path, text)))


def entries(text: str, path: str = "config.toml") -> list[tuple[str, object]]:
    return [(fact.name, fact.value) for fact in facts(text, path) if isinstance(fact, Entry)]


def problems(text: str, path: str = "config.toml") -> list[tuple[int, str]]:
    return [(fact.span.line, fact.message) for fact in facts(text, path) if isinstance(fact, ParseProblem)]


def plain(node: Node) -> Any:
    """A tree as tomli gives it."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Array):
        return [plain(item) for item in node.items]
    return {name: plain(pair.value) for name, pair in node.pairs.items()}


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


VALUES = [
    case("an empty file", "", []),
    case("comments", "# a = 1\n  # b = 2\n", []),
    case("values", "a = 1\nb = -2.5\nc = true\nd = \"x\"\ne = 'y'", [("a", 1), ("b", -2.5), ("c", True), ("d", "x"), ("e", "y")]),
    case(
        "numbers",
        "a = 1_000\nb = 0x1F\nc = 0o17\nd = 0b11\ne = 1e3\nf = +7\ng = 0\nh = 6.02_2e-1",
        [("a", 1000), ("b", 31), ("c", 15), ("d", 3), ("e", 1000.0), ("f", 7), ("g", 0), ("h", 0.6022)],
    ),
    case("infinity", "a = inf\nb = -inf", [("a", float("inf")), ("b", float("-inf"))]),
    case("a date is text", "a = 1979-05-27\nb = 07:32:00", [("a", "1979-05-27"), ("b", "07:32:00")]),
    case("a date with a time", "a = [1979-05-27 07:32:00, 1]", [("a", "1979-05-27 07:32:00"), ("a", 1)]),
    case("a table", "[a.b]\nc = 1\n[d]\ne = 2", [("a.b.c", 1), ("d.e", 2)]),
    case("a header with blanks and quotes", '[ a . "b.c" ]\nd = 1', [("a.b.c.d", 1)]),
    case("dotted keys", "a.b.c = 1\na.b.d = 2", [("a.b.c", 1), ("a.b.d", 2)]),
    case("an inline table", "a = {b = 1, c.d = 2, e = {}}", [("a.b", 1), ("a.c.d", 2)]),
    case("a list", "a = ['x', \"y\"]", [("a", "x"), ("a", "y")]),
    case("a list over lines", "a = [ # b\n  1,\n  2, # c\n]\nb = 3", [("a", 1), ("a", 2), ("b", 3)]),
    case("a list of lists", "a = [[1], [2, 3]]", [("a", 1), ("a", 2), ("a", 3)]),
    case("a list of tables", "a = [{b = 1}, {b = 2}]", [("a.b", 1), ("a.b", 2)]),
    case("an array of tables", "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3", [("a.b", 1), ("a.b", 2), ("a.c.d", 3)]),
    case("an array of tables in one", "[[a.b]]\nc = 1\n[[a.b]]\nc = 2", [("a.b.c", 1), ("a.b.c", 2)]),
    case("escapes", r'a = "x\"\\\n\u00e9\U0001F600"', [("a", 'x"\\\né😀')]),
    case("no escapes", r"a = 'x\n'", [("a", r"x\n")]),
    case("an escape in a key", r'"a\u0062" = 1', [("ab", 1)]),
    case("several lines", 'a = """\nx\n  y"""', [("a", "x\n  y")]),
    case("several lines with Windows line ends", 'a = """\r\nx\r\ny"""\r\nb = 1', [("a", "x\ny"), ("b", 1)]),
    case("folded lines", 'a = """x \\\n   \n  y"""', [("a", "x y")]),
    case("several lines without escapes", "a = '''\nx\\\n'y'\n'''", [("a", "x\\\n'y'\n")]),
    case("quotes before the closing ones", 'a = """x"""""\nb = 1', [("a", 'x""'), ("b", 1)]),
    case("an empty string of several lines", "a = \"\"\"\"\"\"\nb = ''''''", [("a", ""), ("b", "")]),
    case("a hash sign in a string", 'a = "x # y" # z', [("a", "x # y")]),
    case("brackets in a string", "a = '[x]'\n[b]\nc = '{'", [("a", "[x]"), ("b.c", "{")]),
    case("a flag and its value", 'a = ["--tp", "2"]', [("a", "--tp 2"), ("a", "--tp"), ("a", "2")]),
    case("characters of two units", 'a = "模型 😀"\nb = 1', [("a", "模型 😀"), ("b", 1)]),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_values_stand_under_the_path_of_their_keys(text: str, expected: list[tuple[str, object]]) -> None:
    assert entries(text) == expected
    assert problems(text) == []


@pytest.mark.parametrize(("text", "_"), [each for each in VALUES if "date" not in str(each)])
def test_values_are_those_of_tomli(text: str, _: object) -> None:
    assert plain(tree(Text.of(Source("a.toml", text))).root) == tomli.loads(text)


@pytest.mark.parametrize(
    ("text", "name", "span", "written"),
    [
        ("[a]\n  b = 1 # c", "a.b", Span("config.toml", 2, 3, 2, 8), "b = 1"),
        ("a.b = 1", "a.b", Span("config.toml", 1, 1, 1, 8), "a.b = 1"),
        ("a = [\n  'x',\n]", "a", Span("config.toml", 2, 3, 2, 6), "'x'"),
        ("a = {b = 'é', c = 2}", "a.c", Span("config.toml", 1, 15, 1, 20), "c = 2"),
        ('a = """x\ny"""', "a", Span("config.toml", 1, 1, 2, 5), 'a = """x y"""'),
    ],
)
def test_entry_stands_where_its_key_and_value_do(text: str, name: str, span: Span, written: str) -> None:
    (fact,) = (each for each in facts(text) if isinstance(each, Entry) and each.name == name)
    assert (fact.span, fact.origin, fact.written) == (span, span, written)


def test_keys_at_the_top_tell_whose_configuration_it_is() -> None:
    (fact, _) = facts("[job]\na = 1\n[model]\nb = 2")
    assert isinstance(fact, Entry)
    assert fact.beside == {"job", "model"}


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("[parallelism]\ntensor_parallel_degree = 8\n", "tensor_parallel_size", 8),
        ("[tool.mine]\ntensor-parallel-size = 2\n", "tensor_parallel_size", 2),
        ("[deployment]\ngpus_per_node = 8\n", "processes_per_node", 8),
        ("extra_args = '--tensor-parallel-size 2'\n", "tensor_parallel_size", "2"),
    ],
)
def test_configurations_of_training_are_understood(text: str, name: str, value: object) -> None:
    (setting,) = project_facts({"train.toml": text}, "train.toml", Setting)
    assert (setting.name, setting.value) == (name, value)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a = 1\nb = \n", 2, "not valid TOML: invalid value"),
        ("a = 1\na = 2\n", 2, "not valid TOML: cannot overwrite a value"),
        ("a = 'x\nb = 1\n", 1, "not valid TOML: "),
        ("[a\nb = 1", 1, "not valid TOML: expected ']' at the end of a table declaration"),
        ("a = [1,\n", 1, "not valid TOML: "),
        ("x", 1, "not valid TOML: "),
    ],
)
def test_what_is_no_toml_is_one_problem_on_its_line(text: str, line: int, message: str) -> None:
    ((at, said),) = problems(text)
    assert at == line
    assert said.startswith(message)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("a value is missing", "a = 1\nb =\nc = 3", [("a", 1), ("c", 3)]),
        case("a sign is missing", "a = 1\nb\nc = 3", [("a", 1), ("c", 3)]),
        case("a header has no end", "[a]\nb = 1\n[c\nd = 2\n[e]\nf = 3", [("a.b", 1), ("e.f", 3)]),
        case("a string has no end", 'a = "x\nb = 1', [("a", "x"), ("b", 1)]),
        case("two on a line", "a = 1 b = 2\nc = 3", [("a", 1), ("c", 3)]),
        case("a list has no end", "a = 1\nb = [1,\nc = 2\nd = 3", [("a", 1), ("d", 3)]),
        case("a key that is a table too", "a = 1\n[a.b]\nc = 2", [("a.b.c", 2)]),
        case("words that are no values", "a = yes\nb = 007\nc = 0x_", [("a", UNKNOWN), ("b", UNKNOWN), ("c", UNKNOWN)]),
    ],
)
def test_the_rest_of_a_broken_file_is_read(text: str, expected: list[tuple[str, object]]) -> None:
    assert entries(text) == expected
    assert len(problems(text)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("a name", 'a = "{{ cookiecutter.name }}"\nb = 1', [("a", UNKNOWN), ("b", 1)]),
        case("a value", "a = {{ tp }}\nb = 1", [("a", UNKNOWN), ("b", 1)]),
        case("a part of a value", 'a = "torch=={{ v }}"', [("a", f"torch=={UNKNOWN}")]),
        case("lines that choose", "{% if x %}\na = 1\n{% else %}\na = 2\n{% endif %}", [("a", 2)]),
        case("a key", "{{ x }} = 1\nb = 2", [(UNKNOWN, 1), ("b", 2)]),
        case("a table", "[tool.{{ x }}]\na = 1", [(f"tool.{UNKNOWN}.a", 1)]),
    ],
)
def test_a_template_is_read_where_it_is_literal(text: str, expected: list[tuple[str, object]]) -> None:
    assert entries(text) == expected
    assert problems(text) == []


@pytest.mark.parametrize(
    "text",
    [
        case("lists", "a = " + "[" * DEEP + "]" * DEEP),
        case("lists without an end", "a = " + "[" * DEEP),
        case("inline tables", "a = " + "{a=" * DEEP + "1" + "}" * DEEP),
        case("a key", ".".join(["a"] * DEEP) + " = 1"),
        case("a header", "[" + ".".join(["a"] * DEEP) + "]\nb = 1"),
    ],
)
def test_deep_nesting_is_one_problem(text: str) -> None:
    assert len(problems(text)) == 1
    assert len(facts(text)) <= 2


@pytest.mark.parametrize(
    "text",
    [
        case("quotes without an end", '"""' * 100_001 + "\\"),
        case("quotes of one line without an end", "a = '\n" * 50_000),
        case("backslashes", 'a = "' + "\\" * 200_001),
        case("brackets", "[" * 200_000),
        case("equals signs", "=" * 200_000),
        case("dots", "." * 200_000 + " = 1"),
        case("blanks", " " * 500_000),
        case("headers under one another", "".join(f"[{'a.' * 70}b{i}]\nx = 1\n" for i in range(1500))),
        case("tables in a list", "[[a]]\n" * 30_000),
        case("line ends", "\r\n" * 100_000),
    ],
)
def test_hostile_files_come_to_an_end(text: str) -> None:
    assert len(problems(text)) <= 1


def test_bytes_of_any_kind_give_facts_inside_the_file() -> None:
    pieces = ["a", ".", "=", " ", "\n", "\r\n", "[", "]", "[[", "]]", "{", "}", ",", '"', '"""', "'", "'''", "#", "\\", "\\u", "1", "-", "true", "é",
              "😀", "{{", "}}", "{%", "%}", "\x00", "\x7f", "dependencies", "project", "tool", "uv", "poetry", "torch", "^1", "\ufeff", "\x85"]  # fmt: skip
    for seed in range(1500):
        chosen = random.Random(seed)
        text = "".join(chosen.choice(pieces) for _ in range(chosen.randrange(60)))
        source = Source("pyproject.toml", text)
        last = len(source.lines)
        for fact in read(source):
            span = fact.path.span if isinstance(fact, Include) else fact.span
            assert (1, 1) <= (span.line, span.column) <= (span.end_line, span.end_column)
            assert span.end_line <= last
            assert span.end_column <= len(source.lines[span.end_line - 1]) + 1
        assert sum(isinstance(fact, ParseProblem) and "TOML" in fact.message for fact in read(source)) <= 1


FLASH = "[project]\nname = 'x'\ndependencies = [\n  'numpy',\n  'flash-attn',{behind}\n]\n"
HIDDEN = "# spark-lint: ignore[G2/flash-attn-requirement]"


@pytest.mark.parametrize(
    ("text", "hides"),
    [
        case("none", FLASH.format(behind=""), False),
        case("behind the item", FLASH.format(behind=f"  {HIDDEN} built by hand"), True),
        case("behind another item", FLASH.format(behind="").replace("'numpy',", f"'numpy', {HIDDEN}"), False),
        case("above the item", FLASH.format(behind="").replace("  'flash", f"  {HIDDEN}\n  'flash"), True),
        case("above the key", FLASH.format(behind="").replace("dependencies", f"{HIDDEN}\ndependencies"), True),
        case("above the table", f"{HIDDEN}\n{FLASH.format(behind='')}", False),
        case("in a string", FLASH.format(behind="").replace("'x'", f'"{HIDDEN}"'), False),
        case("on one line", f"[project]\ndependencies = ['flash-attn']  {HIDDEN}\nname = 'x'\n", True),
        case("with Windows line ends", FLASH.format(behind=f"  {HIDDEN}").replace("\n", "\r\n"), True),
        case("in a file with a fault below", FLASH.format(behind=f"  {HIDDEN}") + "broken", True),
    ],
)
def test_comments_hide_what_they_stand_at(text: str, hides: bool) -> None:
    codes = [code for _, _, code, _ in found({"pyproject.toml": text})]
    assert ("G2/flash-attn-requirement" in codes) is not hides


def test_comment_in_the_header_of_a_script_is_toml() -> None:
    text = f"# /// script\n# dependencies = [\n#   'numpy',\n#   'flash-attn',  {HIDDEN}\n# ]\n# ///\nprint()  {HIDDEN}\n"
    marks = suppressions(Source("run.py", text), "Python")
    assert [(mark.span.line, mark.span.column, mark.first_line, mark.last_line) for mark in marks] == [
        (4, 20, 4, 4),
        (7, 10, 7, 7),
    ]
