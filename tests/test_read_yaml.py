"""The YAML reader: keys with their values, how scalars lead back to the file, templates, and files that are hostile or broken."""

import random

import pytest
import yaml

from spark_lint.facts import Command, Context, Entry, ParseProblem, Read
from spark_lint.read.yaml import facts, read
from spark_lint.read.yaml_tree import Mapping, Scalar, documents
from spark_lint.text import UNKNOWN, Source, Text

U = UNKNOWN


def reads(text: str, path: str = "config.yaml") -> tuple[Source, list[Read]]:
    source = Source(path, text)
    return source, list(read(source))


def entries(text: str, path: str = "config.yaml") -> list[Entry]:
    return [fact for fact in reads(text, path)[1] if isinstance(fact, Entry)]


def values(text: str, path: str = "config.yaml") -> list[tuple[str, object]]:
    return [(entry.name, entry.value) for entry in entries(text, path)]


def problems(text: str, path: str = "config.yaml") -> list[tuple[int, str]]:
    return [(fact.span.line, fact.message) for fact in reads(text, path)[1] if isinstance(fact, ParseProblem)]


def scalar(text: str) -> Text:
    """The text of the value under the only key."""
    (root,) = documents(Text.of(Source("x.yaml", text)))
    assert isinstance(root, Mapping)
    (pair,) = root.pairs.values()
    assert isinstance(pair.value, Scalar)
    return pair.value.text


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("string", "a: x", [("a", "x")]),
        case("number", "a: 2", [("a", 2)]),
        case("fraction", "a: 0.9", [("a", 0.9)]),
        case("quoted number", 'a: "2"', [("a", "2")]),
        case("boolean", "a: yes", [("a", True)]),
        case("nothing", "a:\nb: ~\nc: null", [("a", None), ("b", None), ("c", None)]),
        case("exponent without a point", "a: 1e-4", [("a", "1e-4")]),
        case("tagged number", "a: !!str 2", [("a", "2")]),
        case("tag of one's own", "a: !secret name", [("a", U)]),
        case("list with a tag of one's own", "a: !reference [b, c]\nd: !new {e: 1}", [("a", U), ("d.e", 1)]),
        case("date", "a: 2026-11-30", [("a", "2026-11-30")]),
        case("octal that is none", "a: 09", [("a", "09")]),
        case("nested", "a:\n  b:\n    c: 1", [("a.b.c", 1)]),
        case("list", "a: [1, x]\nb:\n- 2\n- 3", [("a", 1), ("a", "x"), ("b", 2), ("b", 3)]),
        case("list of mappings", "a:\n- b: 1\n- b: 2", [("a.b", 1), ("a.b", 2)]),
        case("list in a list", "a: [[1, 2], [3]]", [("a", 1), ("a", 2), ("a", 3)]),
        case("empty collections", "a: {}\nb: []", []),
        case("flow mapping", "a: {b: 1, 'c': x}", [("a.b", 1), ("a.c", "x")]),
        case("key with dots", "limits: {example.com/gpu: 2}", [("limits.example.com/gpu", 2)]),
        case("keys that are no strings", "on: 1\n2: b", [("on", 1), ("2", "b")]),
        case("key twice", "a: 1\na: 2", [("a", 2)]),
        case("collection as key", "? [a, b]\n: 1\nc: 2", [(U, 1), ("c", 2)]),
        case("alias", "a: &x 2\nb: *x", [("a", 2), ("b", 2)]),
        case("alias of a mapping", "a: &x {c: 1}\nb: *x", [("a.c", 1), ("b.c", 1)]),
        case("merge", "a: &x {c: 1, d: 2}\nb:\n  <<: *x\n  d: 3", [("a.c", 1), ("a.d", 2), ("b.c", 1), ("b.d", 3)]),
        case("merge behind the key", "a: &x {d: 2}\nb:\n  d: 3\n  <<: *x", [("a.d", 2), ("b.d", 3)]),
        case("merge of several", "a: &x {c: 1}\nb: &y {c: 2, d: 3}\nz: {<<: [*x, *y]}", [("a.c", 1), ("b.c", 2), ("b.d", 3), ("z.c", 1), ("z.d", 3)]),
        case("alias without an anchor", "a: *x", [("a", U)]),
        case("anchor that holds itself", "a: &x {b: *x, c: 1}", [("a.b", U), ("a.c", 1)]),
        case("several documents", "a: 1\n---\nb: 2\n---\n", [("a", 1), ("b", 2)]),
        case("windows lines", "a: 1\r\nb: |\r\n  x\r\n  y\r\n", [("a", 1), ("b", "x\ny\n")]),
        case("byte order mark", "\ufeffa: 1", [("a", 1)]),
        case("a list at the top is data", "- a: 1\n- a: 2\n---\nb: 1", [("b", 1)]),
        case("a text at the top", "hello\n", []),
        case("empty file", "", []),
        case("only comments", "# a: 1\n", []),
    ],
)  # fmt: skip
def test_keys_and_values(text: str, expected: list[tuple[str, object]]) -> None:
    assert values(text) == expected
    assert [type(value) for _, value in values(text)] == [type(value) for _, value in expected]
    assert problems(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("default of a variable", "a: ${TP:-2}", 2),
        case("default without a colon", "a: ${TP-2}", 2),
        case("default that is text", "a: ${M:-org/x}", "org/x"),
        case("default in quotes", 'a: "${TP:-2}"', "2"),
        case("default within a default", "a: ${A:-${B:-3}}", 3),
        case("empty default", "a: x${A:-}", "x"),
        case("no default", "a: ${TP}", U),
        case("no default, no braces", "a: $TP", U),
        case("variable of a container", "a: $(TP)", U),
        case("part of a value", "a: x/${V}/y", f"x/{U}/y"),
        case("a dollar is a dollar", "a: costs $5", "costs $5"),
        case("omegaconf environment", "a: ${oc.env:TP,2}", 2),
        case("omegaconf environment without default", "a: ${oc.env:TP}", U),
        case("omegaconf resolver", "a: ${now:%Y}", U),
        case("operator that is no default", "a: ${TP:?missing}", U),
        case("never closed", "a: ${TP", U),
    ],
)
def test_variables_in_values(text: str, expected: object) -> None:
    assert values(text) == [("a", expected)]


def test_values_use_each_other() -> None:
    text = "top: 4\nactor:\n  gpus: ${top}\nroot:\n  n: ${actor.gpus}\n  name: run-${actor.gpus}-${nowhere.x}\n  list: ${actor}\n"
    found = {entry.name: entry for entry in entries(text)}
    assert [found[name].value for name in ("actor.gpus", "root.n", "root.name", "root.list")] == [4, 4, f"run-4-{U}", U]
    assert (found["root.n"].span.line, found["root.n"].origin.line) == (5, 1)
    assert values("a: ${b}\nb: ${a}") == [("a", U), ("b", U)]


def test_an_entry_knows_its_place() -> None:
    text = "top: 1\nouter:\n    tp:   2  # two\n    names: [a, 'b']\n    text: |\n      x\n"
    source, _ = reads(text)
    found = entries(text)
    assert [source.cut(entry.span) for entry in found] == ["top: 1", "tp:   2", "a", "'b'", "text: |"]
    assert [entry.written for entry in found] == ["top: 1", "tp: 2", "a", "'b'", "text: |"]
    assert all(entry.beside == {"top", "outer"} for entry in found)
    assert (found[1].span.line, found[1].span.column, found[1].span.end_column) == (3, 5, 12)


def test_columns_count_characters() -> None:
    (entry,) = entries("{a: {'\N{GRINNING FACE}': {tp: 2}}}")
    assert (entry.span.column, entry.span.end_column) == (12, 17)


def test_an_alias_leads_to_its_anchor() -> None:
    _, alias = entries("size: &s 8\ntp: *s\n")
    assert (alias.span.line, alias.origin.line, alias.origin.column, alias.written) == (2, 1, 10, "tp: *s")


def test_documents_are_numbered_where_there_are_several() -> None:
    assert [entry.context.block for entry in entries("a: 1\n---\nb: 2")] == [1, 2]
    assert [entry.context.block for entry in entries("a: 1\n---\n")] == [0]
    assert entries("a: 1\n---\nb: 2")[1].beside == {"b"}


@pytest.mark.parametrize(
    ("text", "value", "places"),
    [
        case("plain", "k: some text", "some text", {"some": (1, 4), "text": (1, 9)}),
        case("plain on two lines", "k: some\n  more\n\n  end", "some more\nend", {"more": (2, 3), "end": (4, 3)}),
        case("plain with quotes in it", "k: it''s\n  'more'", "it''s 'more'", {"more": (2, 4)}),
        case("single quotes", "k: 'it''s so'", "it's so", {"it": (1, 5), "so": (1, 11)}),
        case("single quotes on two lines", "k: 'a  \n\n\n   b'", "a\n\nb", {"b": (4, 4)}),
        case("double quotes", r'k: "a\tb\x41\u00e9\"c"', 'a\tbA\xe9"c', {"b": (1, 8), "c": (1, 21)}),
        case("beyond the first plane", r'k: "\U0001F600 x"', "\N{GRINNING FACE} x", {"x": (1, 16)}),
        case("double quotes on two lines", 'k: "a \\\n  b\n  c"', "a b c", {"b": (2, 3), "c": (3, 3)}),
        case("literal block", "k: |\n  one\n    two\n\n  three\n", "one\n  two\n\nthree\n", {"two": (3, 5), "three": (5, 3)}),
        case("literal block, stripped", "k: |-\n  one\n  two\n\n", "one\ntwo", {"two": (3, 3)}),
        case("literal block, kept", "k: |+\n  one\n\n", "one\n\n", {"one": (2, 3)}),
        case("indentation given", "k: |2\n    one\n  two\n", "  one\ntwo\n", {"one": (2, 5), "two": (3, 3)}),
        case("folded block", "k: >\n  one\n  two\n\n  three\n    four\n  five\n", "one two\nthree\n  four\nfive\n", {"two": (3, 3), "four": (6, 5), "five": (7, 3)}),
        case("folded block, stripped", "k: >-\n    one\n    two\n", "one two", {"two": (3, 5)}),
        case("header with a comment", "k: | # why\n  one\n", "one\n", {"one": (2, 3)}),
        case("anchored", "k: &a text", "text", {"text": (1, 7)}),
        case("anchored and tagged block", "k: &a !!str |\n  one\n", "one\n", {"one": (2, 3)}),
        case("windows lines", "k: |\r\n  one\r\n  two\r\n", "one\ntwo\n", {"two": (3, 3)}),
    ],
)  # fmt: skip
def test_every_part_of_a_scalar_leads_home(text: str, value: str, places: dict[str, tuple[int, int]]) -> None:
    found = scalar(text)
    assert found.value == value
    for part, place in places.items():
        at = value.index(part)
        span = found[at : at + len(part)].span
        assert (span.line, span.column) == place
        assert found.source.cut(span) == part


def test_exact_pieces_stand_in_the_file_as_they_are() -> None:
    generator = random.Random(20261130)
    parts = ["a", "b", " ", "  ", "\n", "\n\n", "'", '"', "\\", "\xe9", "\N{GRINNING FACE}", "\t", ":", "#", "- ", "word "]
    for _ in range(3000):
        value = "".join(generator.choice(parts) for _ in range(generator.randint(1, 14)))
        style = generator.choice(["'", '"', "|", ">", None])
        text = yaml.dump({"key": value}, default_style=style, width=generator.choice([5, 20, 80]), allow_unicode=True)
        value = yaml.safe_load(text)["key"]  # what is dumped does not always come back
        found = scalar(text)
        assert found.value == value
        ends = [piece.at for piece in found.pieces[1:]] + [len(value)]
        for piece, end in zip(found.pieces, ends, strict=True):
            assert not piece.exact or value[piece.at : end] == text[piece.start : piece.start + end - piece.at]
        words = [value[piece.at : end] for piece, end in zip(found.pieces, ends, strict=True) if piece.exact]
        letters = [letter for letter in "".join(words) if letter in "ab"]
        assert len(letters) == sum(letter in "ab" for letter in value), text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        case("open bracket", "a: 1\nb: [1, 2\n", 3),
        case("colon in a value", "a: b: c", 1),
        case("tab", "a:\n\tb: 1", 2),
        case("open quote", "a: 'x", 1),
        case("control character", "a: 1\nb: \x1b", 2),
        case("half of a character", 'a: "\ud800"', 1),
        case("conflict markers", "a: 1\n<<<<<<< x\nb: 2\n", 3),
    ],
)
def test_what_is_no_yaml_is_one_problem(text: str, line: int) -> None:
    ((found, message),) = problems(text)
    assert found == line
    assert message.startswith("YAML syntax: ")


def test_documents_before_a_broken_one_count() -> None:
    _, found = reads("a: 1\n---\nb: [\n")
    assert [type(each) for each in found] == [Entry, ParseProblem]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("value", "a: {{ x }}\nb: 2", [("a", U), ("b", 2)]),
        case("part of a value", "a: x-{{ x }}:1", [("a", f"x-{U}:1")]),
        case("jinja lines", "{% if x %}\na: 1\n{% endif %}\nb: 2", [("a", 1), ("b", 2)]),
        case("helm lines", "{{- if .Values.x }}\na: 1\n{{- end }}\nb:\n  {{- toYaml .Values.b | nindent 2 }}\n  c: 3", [("a", 1), ("b.c", 3)]),
        case("helm lines from windows", "{{- if .Values.x }}\r\na: 1\r\n{{- end }}\r\n", [("a", 1)]),
        case("helm comment on several lines", "{{- /*\nsays nothing: [\n*/ -}}\na: 1", [("a", 1)]),
        case("workflow expression", "a: ${{ x.y }}", [("a", U)]),
        case("to be filled in", "ip: < fill in: the address >\nn: 2", [("ip", U), ("n", 2)]),
    ],
)  # fmt: skip
def test_a_template_is_read_where_it_is_literal(text: str, expected: list[tuple[str, object]]) -> None:
    assert values(text) == expected
    assert problems(text) == []


def test_a_template_that_is_no_yaml_is_no_problem() -> None:
    assert reads("a: {{ x }}\n  b: [\n")[1] == []
    assert reads("a: [\n", "values.yaml.j2")[1] == []
    assert problems("a: [\n", "values.yaml") != []


@pytest.mark.parametrize("path", ["pnpm-lock.yaml", "conda-lock.yml", "sub/env.lock.yml", "Lock.yaml"])
def test_lock_files_are_not_read(path: str) -> None:
    assert reads("a: 1", path)[1] == []


def test_in_a_fence_the_context_is_kept() -> None:
    source = Source("README.md", "before\n  a: 1\n  b:\n    c: 2\n")
    text = Text.join([Text.of(source, 9, 14), Text.of(source, 16, 19), Text.of(source, 21, 28)])
    found = [fact for fact in facts(text, Context(fenced=True, block=7)) if isinstance(fact, Entry)]
    assert [(entry.name, entry.span.line, entry.span.column) for entry in found] == [("a", 2, 3), ("b.c", 4, 5)]
    assert all(entry.context == Context(fenced=True, block=7) for entry in found)


def test_parts_of_two_fences_have_numbers_of_their_own() -> None:
    compose = "services: {a: {image: x, command: run}, b: {image: y, command: run}}"
    numbers = [
        fact.context.block
        for fence in (1, 2)
        for fact in facts(Text.of(Source("README.md", compose)), Context(fenced=True, block=fence))
        if isinstance(fact, Command)
    ]
    assert len(set(numbers)) == 4


def _bomb(levels: int, leaf: str) -> str:
    lines = [f"a0: &a0 {leaf}"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, levels)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        case("aliases of aliases", _bomb(40, "[x]")),
        case("aliases of nothing in scripts", _bomb(40, "[]") + "run: *a39\nresources: {}\n"),
        case("aliases of commands in scripts", _bomb(40, "[pip install x]") + "run: *a39\nresources: {}\n"),
        case("one long command for many services", "x: &x [" + "a, " * 20000 + "b]\nservices:\n" + "".join(f"  s{n}: {{image: i, command: *x}}\n" for n in range(2000))),
        case("merges of merges", "a: &a {" + ", ".join(f"k{n}: 1" for n in range(1000)) + "}\n" + "".join(f"b{n}: {{<<: *a}}\n" for n in range(1000))),
        case("variables of every job", "env: {" + ", ".join(f"k{n}: 1" for n in range(5000)) + "}\njobs:\n" + "".join(f"  j{n}: {{runs-on: self-hosted, steps: []}}\n" for n in range(5000))),
    ],
)  # fmt: skip
def test_what_stands_for_too_much_is_not_read_to_its_end(text: str) -> None:
    _, found = reads(text)
    assert len(found) < 300_000
    assert len([each for each in found if isinstance(each, ParseProblem)]) <= 1


@pytest.mark.parametrize(
    "text",
    [
        case("open lists", "[" * 100_000),
        case("nested lists", "- " * 900 + "x"),
        case("nested mappings", "".join(" " * depth + "a:\n" for depth in range(300))),
        case("nested lists under a key", "a: " + "[" * 500 + "]" * 500),
        case("values that use each other many times", "\n".join(f"k{n}: " + f"${{k{n - 1}}}" * 1000 for n in range(1, 9))),
        case("a long value used many times", f"k: {'x' * 500_000}\na: " + "${k}" * 2000),
        case("a long variable in a container", "apiVersion: v1\nkind: Pod\nspec: {containers: [{env: [{name: K, value: " + "x" * 500_000 + "}], args: ['" + "$(K)" * 2000 + "']}]}"),
        case("a long variable in a workflow", "env: {K: " + "x" * 500_000 + "}\njobs: {j: {runs-on: self-hosted, steps: [{run: '" + "${{ env.K }}" * 20_000 + "'}]}}"),
        case("a long default in a recipe", "container: c\nmodel: m\nruntime: r\ndefaults: {k: " + "x" * 500_000 + "}\ncommand: '" + "{k}" * 20_000 + "'"),
        case("openings without an end", "a: " + "${" * 4000),
        case("action without an end", "a: [" + "{{" * 100_000),
        case("placeholders", "a: b: " + "<a" * 100_000),
        case("long key", f"{'k' * 900}:\n  {'l' * 900}:\n    m: 1"),
        case("long number", "a: " + "9" * 100_000),
        case("blanks in quotes", 'a: "' + " " * 200_000 + '"'),
        case("escaped line ends", 'a: "' + "\\\n " * 50_000 + '"'),
    ],
)  # fmt: skip
def test_hostile_files_cost_little(text: str) -> None:
    _, found = reads(text)
    assert len(found) < 100


def test_a_file_of_data_is_read_in_part() -> None:
    assert 0 < len(entries("\n".join(f"k{n}: {n}" for n in range(50_000)))) < 50_000


@pytest.mark.parametrize("top", ["openapi: 3.0.0", "apiVersion: x/v1\nkind: CustomResourceDefinition"])
def test_a_description_of_keys_sets_none(top: str) -> None:
    assert entries(f"{top}\nproperties: {{nodes: {{default: 2}}}}") == []
