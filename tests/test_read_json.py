"""The JSON reader: the values of configurations under their keys, the commands some files hold, and how little of data is read."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from spark_lint.config import Config
from spark_lint.facts import Command, Context, Entry, EnvVar, Fact, Image, ParseProblem, Read, Setting
from spark_lint.interests import interests
from spark_lint.read.json import facts as facts_of
from spark_lint.read.json import read, worth_reading
from spark_lint.read.json_tree import MOST_ITEMS, MOST_VALUES
from spark_lint.rule import ERROR, rule
from spark_lint.text import UNKNOWN, Source, Text


def facts(text: str, path: str = "config.json") -> list[Read]:
    return list(read(Source(path, text)))


def entries(text: str, path: str = "config.json") -> list[tuple[str, object]]:
    return [(fact.name, fact.value) for fact in facts(text, path) if isinstance(fact, Entry)]


def problems(text: str, path: str = "config.json") -> list[tuple[int, str]]:
    return [(fact.span.line, fact.message) for fact in facts(text, path) if isinstance(fact, ParseProblem)]


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case(
            "values",
            '{"a": 1, "b": -2.5, "c": true, "d": null, "e": "x"}',
            [("a", 1), ("b", -2.5), ("c", True), ("d", None), ("e", "x")],
        ),
        case("exponent", '{"a": 1e-5, "b": 2E3}', [("a", 1e-5), ("b", 2000.0)]),
        case("nested", '{"a": {"b": {"c": 1}}, "d": 2}', [("a.b.c", 1), ("d", 2)]),
        case("list", '{"a": ["x", "y"]}', [("a", "x"), ("a", "y")]),
        case("list of objects", '{"a": [{"b": 1}, {"b": 2}]}', [("a.b", 1), ("a.b", 2)]),
        case("list of lists", '{"a": [[1], [2]]}', [("a", 1), ("a", 2)]),
        case("empty", '{"a": {}, "b": [], "c": ""}', [("c", "")]),
        case("escapes", r'{"a": "x\"\\\/\n\u00e9"}', [("a", 'x"\\/\né')]),
        case("escape in a key", r'{"a\u0062": 1}', [("ab", 1)]),
        case("dot in a key", '{"nvidia.com/gpu": 1}', [("nvidia.com/gpu", 1)]),
        case("key twice", '{"a": 1, "a": 2}', [("a", 1), ("a", 2)]),
        case("comments", '// x\n{"a": 1, /* "b": 2, */ "c": "//", // "d": 3\n "e": "/*"}', [("a", 1), ("c", "//"), ("e", "/*")]),
        case("trailing commas", '{"a": [1, 2,], "b": 3,}', [("a", 1), ("a", 2), ("b", 3)]),
        case("JSON5", "{a: 'x', $b: +1, c: .5}", [("a", "x"), ("$b", 1), ("c", 0.5)]),
        case("byte order mark", '\ufeff{"a": 1}', [("a", 1)]),
        case("huge number", f'{{"a": {"9" * 5000}}}', [("a", UNKNOWN)]),
        case("word", '{"a": undefined}', [("a", UNKNOWN)]),
        case("template", '{"a": {{ tp }}, "b": "{{ x }}", "c": 1}', [("a", UNKNOWN), ("b", UNKNOWN), ("c", 1)]),
        case("template in part", '{"a": "org/{{ x }}"}', [("a", f"org/{UNKNOWN}")]),
        case("template lines", '{\n{% if x %}\n"a": 1,\n{% endif %}\n"b": 2\n}', [("a", 1), ("b", 2)]),
        case("JSON lines", '{"a": 1}\n{"a": 2}\n', [("a", 1)]),
        case("list at the top", '[{"a": 1}]', []),
        case("value at the top", '"a"', []),
        case("nothing", "", []),
        case("white space", " \n", []),
    ],
)
def test_values_and_their_keys(text: str, expected: list[tuple[str, object]]) -> None:
    assert entries(text) == expected
    assert problems(text) == []


def test_infinity_and_no_number() -> None:
    values = dict(entries('{"a": Infinity, "b": -Infinity, "c": NaN}'))
    assert (values["a"], values["b"], str(values["c"])) == (float("inf"), float("-inf"), "nan")


def test_an_entry_is_written_from_its_key_to_its_value() -> None:
    source = Source("ds.json", '{\n  "zero": {\n    "é😀": "c\\u0070u", "list": [1,\n  22]\n  }, "x": 1\n}')
    found = [fact for fact in read(source) if isinstance(fact, Entry)]
    assert [source.cut(entry.span) for entry in found] == ['"é😀": "c\\u0070u"', "1", "22", '"x": 1']
    assert [(entry.span.line, entry.span.column) for entry in found] == [(3, 5), (3, 32), (4, 3), (5, 6)]
    assert [entry.written for entry in found] == ['"é😀": "c\\u0070u"', "1", "22", '"x": 1']
    assert {entry.beside for entry in found} == {frozenset({"zero", "x"})}
    assert all(entry.origin == entry.span for entry in found)


def test_the_context_is_that_of_the_text() -> None:
    context = Context(fenced=True, block=3)
    source = Source("a.md", 'x\n{"a": 1}\n')
    assert [each.context for each in facts_of(Text.of(source, 2), context) if isinstance(each, Fact)] == [context]


@pytest.mark.parametrize(
    ("text", "line", "message", "expected"),
    [
        case("cut off", '{"a": 1,\n "b": ', 2, "it ends before it is complete", [("a", 1)]),
        case("missing comma", '{"a": 1\n "b": 2}', 2, "a comma or a colon is missing", [("a", 1), ("b", 2)]),
        case("missing comma in a list", '{"a": [1 2]}', 1, "a comma is missing", [("a", 1), ("a", 2)]),
        case("missing colon", '{"a" 1, "b": 2}', 1, "a comma or a colon is missing", [("b", 2)]),
        case("missing value", '{"a": , "b": 2}', 1, "a value is missing", [("b", 2)]),
        case("missing value at the end", '{"a": 1, "b":}', 1, "a key has no value", [("a", 1)]),
        case("open string", '{"a": "x\n, "b": 2}', 1, "a string has no end", [("a", "x"), ("b", 2)]),
        case("wrong bracket", '{"a": [1}\n', 1, "} closes nothing here", [("a", 1)]),
        case("too many brackets", '{"a": 1}}', 0, "", [("a", 1)]),
        case("conflict marks", '{\n<<<<<<< x\n"a": 1\n}', 2, "< does not belong here", [("a", 1)]),
        case("no JSON", "<html>", 1, "< does not belong here", []),
    ],
)
def test_broken_files_are_one_problem_and_read_as_far_as_they_go(
    text: str, line: int, message: str, expected: list[tuple[str, object]]
) -> None:
    assert entries(text) == expected
    found = problems(text)
    if not message:
        assert found == []
    else:
        assert len(found) == 1
        assert found[0][0] == line
        assert found[0][1].startswith(f"not valid JSON: {message}")


def test_every_value_that_python_reads() -> None:
    choice = random.Random(7)

    def value(depth: int) -> Any:
        kind = choice.randrange(8 if depth < 5 else 6)
        if kind == 6:
            return {
                str(choice.choice(["a", "b.c", "é", 'q"', "x\\"])) + str(at): value(depth + 1)
                for at in range(choice.randrange(4))
            }
        if kind == 7:
            return [value(depth + 1) for _ in range(choice.randrange(4))]
        return choice.choice(
            [0, -1, 2.5, True, False, None, "", "x", "two\nlines", "😀", "\\", '"', "/* no */", "// no", "{", "]", ","]
        )

    def leaves(node: Any, path: str) -> list[tuple[str, object]]:
        if isinstance(node, dict):
            return [leaf for key, each in node.items() for leaf in leaves(each, f"{path}.{key}" if path else key)]
        if isinstance(node, list):
            return [leaf for each in node for leaf in leaves(each, path)]
        return [(path, node)]

    for _ in range(300):
        tree = {f"k{at}": value(0) for at in range(3)}
        for text in (json.dumps(tree), json.dumps(tree, indent=2), json.dumps(tree, ensure_ascii=False, indent="\t")):
            assert [(name, repr(value)) for name, value in entries(text)] == [
                (name, repr(value)) for name, value in leaves(tree, "")
            ]
            assert problems(text) == []


def test_random_text_is_read_without_an_exception_and_in_place() -> None:
    parts = [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        '"',
        "'",
        "\\",
        "a",
        "1",
        "é😀",
        "//",
        "/*",
        "*/",
        "\n",
        "\r\n",
        "{{ x }}",
        "{% x %}",
        "null",
        " ",
        UNKNOWN,
    ]
    choice = random.Random(3)
    for _ in range(3000):
        source = Source("a.json", "{" + "".join(choice.choice(parts) for _ in range(25)))
        for each in read(source):
            assert isinstance(each, (Fact, ParseProblem))
            assert each.span.end_line <= len(source.lines)
            source.cut(each.span)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        case("deep lists", '{"a": ' + "[" * 100_000, True),
        case("deep objects", '{"a": ' * 50_000, True),
        case("long keys within keys", f'{{"{"a" * 5000}": ' * 60 + "1" + "}" * 60, False),
        case("open strings", '{"a": ' + '"\\' * 100_000, True),
        case("open comment", "{/*" + "*" * 200_000, True),
        case("quotes", "{" + '"' * 200_001, True),
        case("slashes", "{" + "/" * 200_000, True),
        case("braces", "{" * 200_000, True),
        case("colons", "{" + ":" * 200_000, True),
        case("templates", "{" + "{{" * 100_000, True),
        case("keys", "{" + ",".join(f'"k{at}": 1' for at in range(200_000)) + "}", False),
        case("one key many times", "{" + '"a": 1,' * 200_000 + "}", False),
    ],
)
def test_hostile_files_cost_little_and_one_problem_at_most(text: str, problem: bool) -> None:
    found = facts(text)
    assert len([each for each in found if isinstance(each, ParseProblem)]) == problem
    assert len(found) <= MOST_VALUES + 1


def test_data_is_read_up_to_a_bound() -> None:
    numbers = entries(json.dumps({"data": list(range(100_000)), "tp": 2}))
    assert len(numbers) == MOST_ITEMS
    few = entries(json.dumps({"data": list(range(1000)), "tp": 2}))
    assert few[-1] == ("tp", 2)
    assert len(few) == MOST_ITEMS + 1


@pytest.mark.parametrize(
    "path",
    [
        "package.json",
        "web/package-lock.json",
        "tsconfig.json",
        "tsconfig.app.json",
        "model.safetensors.index.json",
        "tokenizer.json",
    ],
)
def test_files_of_other_tools_say_nothing(path: str) -> None:
    assert facts('{"tp_size": 2', path) == []


def test_development_container() -> None:
    text = """{
  // for the GPU
  "image": "nvidia/cuda:12.4.1-devel-ubuntu22.04",
  "containerEnv": {"A": "1", "B": "${localEnv:B}"},
  "onCreateCommand": ["pip", "install", "torch"],
  "postCreateCommand": "cd x && pip install \\"flash-attn>=2\\"",
  "postStartCommand": {"one": "make", "two": ["python", "${containerWorkspaceFolder}/a.py"]},
}"""
    source = Source(".devcontainer/devcontainer.json", text)
    found = list(read(source))
    assert [fact for fact in found if isinstance(fact, ParseProblem)] == []
    image = next(fact for fact in found if isinstance(fact, Image))
    assert (image.reference, image.role, image.span.line) == ("nvidia/cuda:12.4.1-devel-ubuntu22.04", "run", 3)
    assert [(fact.name, fact.value) for fact in found if isinstance(fact, EnvVar)] == [("A", "1"), ("B", UNKNOWN)]
    commands = [fact for fact in found if isinstance(fact, Command)]
    assert [[word.value for word in command.words] for command in commands] == [
        ["pip", "install", "torch"], ["cd", "x"], ["pip", "install", "flash-attn>=2"], ["make"], ["python", f"{UNKNOWN}/a.py"],
    ]  # fmt: skip
    assert all(command.context.image == image for command in commands)
    assert source.cut(commands[2].words[2].span) == "flash-attn>=2"
    assert (commands[2].span.line, commands[2].span.column) == (6, 33)


def test_launch_configurations() -> None:
    text = """{"version": "0.2.0", "configurations": [
  {"type": "debugpy", "module": "torch.distributed.run", "args": ["--nproc_per_node", "2", "a.py"], "env": {"TP": "2"}},
  {"type": "python", "program": "${workspaceFolder}/train.py", "args": ["--tp", "4"]},
  {"type": "node", "program": "x.js"}, {"type": "debugpy", "request": "attach"}
]}"""
    found = facts(text, ".vscode/launch.json")
    commands = [fact for fact in found if isinstance(fact, Command)]
    assert [" ".join(word.value for word in command.words) for command in commands] == [
        "python -m torch.distributed.run --nproc_per_node 2 a.py", f"python {UNKNOWN}/train.py --tp 4",
    ]  # fmt: skip
    assert [command.context.block for command in commands] == [1, 2]
    assert [(command.span.line, command.exec_form) for command in commands] == [(2, True), (3, True)]
    assert [(fact.name, fact.value) for fact in found if isinstance(fact, EnvVar)] == [("TP", "2")]


def test_a_preset_of_cmake_is_asked_for_by_its_name() -> None:
    text = (
        '{"version": 3, "configurePresets": [{"name": "orin", "cacheVariables": {"A": "87"}}, {"cacheVariables": {"A": "90"}}]}'
    )
    found = [fact for fact in facts(text, "CMakePresets.json") if isinstance(fact, Entry) and fact.key == "A"]
    assert [(each.value, [test.text for test in each.context.conditions]) for each in found] == [
        ("87", ["target orin"]),
        ("90", []),
    ]
    assert not any(each.context.conditions for each in facts(text, "list.json") if isinstance(each, Entry))


def test_kubernetes_manifest() -> None:
    text = """{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"containers": [
  {"name": "a", "image": "vllm/vllm-openai:v0.11.0", "args": ["--model", "m"]}]}}"""
    found = facts(text, "pod.json")
    assert [(fact.reference, fact.span.line) for fact in found if isinstance(fact, Image)] == [("vllm/vllm-openai:v0.11.0", 2)]


@rule(on=Setting, named="tensor_parallel_size", severity=ERROR)
def looks_for_tensor_parallelism(setting: Setting, project: object) -> Any:
    """A rule that wants one setting."""
    yield from ()


@pytest.mark.parametrize(
    ("path", "text", "worth"),
    [
        case("spelling", "a.json", '{"tensor_parallel_size": 2}', True),
        case("other case", "a.json", '{"Tensor-Parallel-Size": 2}', True),
        case("keys within keys", "a.json", '{"parallelism_config": {"tp_size": 2}}', True),
        case("of one tool", "a.json", '{"tp": 2}', True),
        case("short word in a longer one", "a.json", '{"url": "http://x"}', False),
        case("something else", "a.json", '{"name": "x"}', False),
        case("development container", "x/devcontainer.json", '{"image": "x"}', True),
        case("manifest", "a.json", '{"apiVersion": "v1"}', True),
    ],
)
def test_only_files_that_hold_a_word_of_some_rule_are_read(path: str, text: str, worth: bool) -> None:
    assert worth_reading(path, text.encode(), interests([looks_for_tensor_parallelism])) is worth


def test_every_spelling_that_makes_a_setting_is_worth_reading() -> None:
    """Flat, as nested keys and with dashes: whatever the names understand, the byte test lets through."""
    from spark_lint.names import named
    from spark_lint.names.tables import table

    settings = table("settings")
    wanted = {name: interests([replace(looks_for_tensor_parallelism, named=frozenset([name]))]) for name in settings}
    understood = 0
    for name, row in settings.items():
        words = [word for kind in ("words", "options", "switches") for word in row.get(kind, ())]
        words += [word for each in row.get("tools", {}).values() for word in each]
        for word in words:
            for key in (word, word.replace("_", "-"), word.upper()):
                tree: Any = True if word in row.get("switches", {}) else 2
                for part in reversed(key.split(".")):
                    tree = {part: tree}
                text = json.dumps(tree)
                found = [each for read in facts(text) for each in named(read) if isinstance(each, Setting)]
                understood += bool(found)
                assert all(worth_reading("a.json", text.encode(), wanted[each.name]) for each in found), (name, text)
    assert understood > 100


def test_data_found_by_walking_is_passed_over(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from spark_lint.check import check
    from spark_lint.load import RuleSet

    monkeypatch.chdir(tmp_path)
    (tmp_path / "large.json").write_text('{"tensor_parallel_size": 2, "x": "' + "a" * 5000 + '"}')
    (tmp_path / "long.json").write_text('{"tensor_parallel_size": 2,\n"x": "' + "a" * 900 + '"}')
    (tmp_path / "broken.json").write_text('{"tensor_parallel_size": 2,\n"x": ')
    rules = RuleSet((looks_for_tensor_parallelism,), {})
    config = Config(max_file_size=2000, max_line_length=500)
    found = check(["."], config, rules=rules).problems
    assert [(problem.path, problem.line) for problem in found] == [("broken.json", 2)]
    given = check(["large.json", "long.json"], config, rules=rules).problems
    assert {problem.path for problem in given} == {"large.json", "long.json"}
