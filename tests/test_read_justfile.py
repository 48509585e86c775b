"""justfiles: what the shell gets from recipes, under which conditions, and what expressions stand for."""

import pytest
from projects import facts, found

from spark_lint.facts import Code, Command, EnvVar, Import, Include, Package, ParseProblem, Read
from spark_lint.kinds import JUSTFILE, PYTHON, kind_of
from spark_lint.read.justfile import read
from spark_lint.suppress import suppressions
from spark_lint.text import UNKNOWN, Source


def reads(text: str) -> list[Read]:
    return list(read(Source("justfile", text)))


def commands(text: str) -> list[str]:
    """The words of each command."""
    return [" ".join(word.value for word in each.words) for each in reads(text) if isinstance(each, Command)]


def under(text: str) -> list[tuple[str, list[str]]]:
    """Each command with the conditions around it."""
    return [
        (
            " ".join(word.value for word in each.words),
            [f"{'not ' if test.negated else ''}{test.text}" for test in each.context.conditions],
        )
        for each in reads(text)
        if isinstance(each, Command)
    ]


def problems(text: str) -> list[tuple[int, str]]:
    return [(each.span.line, each.message) for each in reads(text) if isinstance(each, ParseProblem)]


@pytest.mark.parametrize("name", ["justfile", "Justfile", ".justfile", "JUSTFILE", "tools/gpu.just"])
def test_these_names_are_justfiles(name: str) -> None:
    assert kind_of(name) == JUSTFILE


WHOLE = """\
#!/usr/bin/env just --justfile
set shell := ["bash", "-uc"]
set dotenv-load
cuda := env_var_or_default('CUDA', "cu124")
index := "https://download.pytorch.org/whl/" + cuda
venv := justfile_directory() / ".venv"

# Set up
install pkg='torch==2.6.0' *args: default
    {{venv}}/bin/pip install {{ pkg }} \\
        --index-url {{index}} {{args}}
    @-pip install flash-attn

[private]
default:
    @just --list
"""


def test_a_whole_file() -> None:
    assert under(WHOLE) == [
        (
            f"./.venv/bin/pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cu124 {UNKNOWN}",
            ["target install"],
        ),
        ("pip install flash-attn", ["target install", "what fails here is passed over"]),
        ("just --list", ["target default"]),
    ]
    assert problems(WHOLE) == []


def test_places_are_where_it_is_used_and_origins_where_it_is_written() -> None:
    source = Source("justfile", WHOLE)
    command = next(each for each in read(source) if isinstance(each, Command))
    package, index = command.words[2], command.words[4]
    assert (source.cut(package.span), source.cut(package.origin)) == ("{{ pkg }}", "torch==2.6.0")
    assert (source.cut(index.span), source.cut(index.origin)) == ("{{index}}", "cu124")


def test_a_finding_stands_at_the_definition() -> None:
    assert ("justfile", 4, "G1/torch-index-cuda12", "error") in found({"justfile": WHOLE})


@pytest.mark.parametrize(
    ("variables", "expression", "value"),
    [
        ("x := 'a'", "x", "a"),
        ('x := "a"', "x", "a"),
        ('x := "a\\tb\\u{41}"', "x", f"a b{UNKNOWN}"),
        ("x := '''\n  a\n'''", "x", "a"),
        ('x := """a"""', "x", "a"),
        ("x := ''", "x", ""),
        ("x := 'a' # why", "x", "a"),
        ("x := 'a#b'", "x", "a#b"),
        ("x := y\ny := 'a'", "x", "a"),
        ("x := 'a' + 'b' / 'c'", "x", "ab/c"),
        ("x := ('a' + 'b')", "x", "ab"),
        ("x := 'a'", "x + 'b'", "ab"),
        ("x := env('A', 'b')", "x", "b"),
        ("x := env_var('A')", "x", UNKNOWN),
        ("x := env('A')", "x", UNKNOWN),
        ("x := `date`", "x", UNKNOWN),
        ("x := arch()", "x", UNKNOWN),
        ("x := if a == '' { 'b' } else { 'c' }", "x", UNKNOWN),
        ("x := f'{{y}}'", "x", UNKNOWN),
        ("x := x'a'", "x", "a"),
        ("x := x'$A'", "x", UNKNOWN),
        ("x := x", "x", UNKNOWN),
        ("x := y\ny := x", "x", UNKNOWN),
        ("", "x", UNKNOWN),
        ("", "'a'", "a"),
        ("x := 'a' + `b`", "x", f"a{UNKNOWN}"),
    ],
)
def test_expressions(variables: str, expression: str, value: str) -> None:
    assert commands(f"{variables}\nall:\n    echo {{{{{expression}}}}}\n") == [f"echo {value}".rstrip()]


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("all x:", UNKNOWN),
        ("all x='a':", "a"),
        ('all x = "a b" y=x: other', "a b"),
        ("all y='b' x=(y + 'c'):", "bc"),
        ("all *x='a':", "a"),
        ("@all +x: (other 'a' x)", UNKNOWN),
        ("all x=v:", "w"),
    ],
)
def test_parameters(header: str, value: str) -> None:
    assert commands(f"v := 'w'\n{header}\n  echo {{{{x}}}}\n") == [f"echo {value}"]


def test_a_parameter_in_the_environment_of_its_recipe() -> None:
    text = "all $TP='2':\n\ttorchrun --nproc_per_node=$TP a.py\nother:\n\techo $TP\n"
    assert commands(text) == ["torchrun --nproc_per_node=2 a.py", f"echo {UNKNOWN}"]


def test_four_braces_are_two() -> None:
    assert commands("all:\n  echo '{{{{a}}' {{{{ b\n") == ["echo {{a}} {{ b"]


@pytest.mark.parametrize(
    ("attributes", "tests"),
    [
        ("[linux]", []),
        ("[unix]", []),
        ("[macos]", ["os in macos"]),
        ("[macos, windows]", ["os in macos|windows"]),
        ("[macos]\n[linux]", []),
        ("[group('macos')]", []),
        ("[confirm('[windows]?')]", []),
    ],
)
def test_systems(attributes: str, tests: list[str]) -> None:
    assert under(f"{attributes}\nall:\n  pip install a\n") == [("pip install a", ["target all", *tests])]


def test_recipes_for_other_systems_and_machines_are_not_for_a_spark() -> None:
    text = "[macos]\na:\n  pip install torch\n[linux]\na:\n  pip install torch\nbuild-rocm:\n  pip install torch\n"
    assert [each.scope.elsewhere for each in facts({"justfile": text}, "justfile", Package)] == [True, False, True]


def test_each_line_is_a_shell_of_its_own() -> None:
    text = "all:\n  cd sub && \\\n    python a.py\n\n  python b.py\n"
    assert [(each.name, each.context.workdir) for each in reads(text) if isinstance(each, Command)] == [
        ("cd", ""),
        ("python", "sub"),
        ("python", ""),
    ]


@pytest.mark.parametrize("head", ["#!/usr/bin/env bash", "#!/bin/sh", ""])
def test_a_recipe_that_is_one_script(head: str) -> None:
    attribute = "" if head else "[script]\n"
    text = f"{attribute}all x='torch':\n    {head}\n    cd sub\n    if [ \"$(uname -m)\" = x86_64 ]; then\n        pip install {{{{x}}}}\n    fi\n"
    command = [each for each in reads(text) if isinstance(each, Command)][-1]
    assert ([word.value for word in command.words], command.context.workdir) == (["pip", "install", "torch"], "sub")
    assert [test.text for test in command.context.conditions] == ["target all", '"$(uname -m)" = x86_64']


@pytest.mark.parametrize(("attribute", "head"), [("", "#!/usr/bin/env python3"), ("[script('python3')]\n", "# a")])
def test_a_recipe_in_python(attribute: str, head: str) -> None:
    text = f"{attribute}all:\n    {head}\n    if True:\n        import flash_attn\n"
    code = next(each for each in reads(text) if isinstance(each, Code))
    assert (code.name, code.text.value) == (PYTHON, f"{head}\nif True:\n    import flash_attn\n")
    line = text[: text.index("import")].count("\n") + 1
    assert [each.span.line for each in facts({"justfile": text}, "justfile", Import)] == [line]


@pytest.mark.parametrize("shell", ['["powershell.exe", "-c"]', '["nu", "-c"]', "['python3', '-c']"])
def test_recipes_for_something_else_are_not_read(shell: str) -> None:
    assert commands(f"set shell := {shell}\nall:\n  pip install a\n") == []


@pytest.mark.parametrize(
    ("lines", "folder"),
    [
        ("set working-directory := 'a'\n", "a"),
        ("[working-directory: 'b']\n", "b"),
        ("[working-directory('b')]\n", "b"),
        ("set working-directory := 'a'\n[working-directory: 'b']\n", "a/b"),
    ],
)
def test_where_a_recipe_runs(lines: str, folder: str) -> None:
    command = next(each for each in reads(f"{lines}all:\n  python a.py\n") if isinstance(each, Command))
    assert command.context.workdir == folder


def test_exported_variables() -> None:
    text = "export A := '0,1'\nB := 'b'\nall:\n  echo $A $B\n"
    source = Source("justfile", text)
    variable = next(each for each in read(source) if isinstance(each, EnvVar))
    assert (variable.name, variable.value, source.cut(variable.span), source.cut(variable.origin)) == (
        "A",
        "0,1",
        "export A := '0,1'",
        "0,1",
    )
    assert commands(text) == [f"echo 0,1 {UNKNOWN}"]


@pytest.mark.parametrize(("line", "names"), [("set export", ["A"]), ("set export := true", ["A"]), ("set export := false", [])])
def test_all_variables_exported(line: str, names: list[str]) -> None:
    assert [each.name for each in reads(f"{line}\nA := 'a'\n") if isinstance(each, EnvVar)] == names


def test_lines_of_windows() -> None:
    text = "x := 'a'\r\nall:\r\n  pip install \\\r\n    {{x}}\r\n\r\n# b\r\n"
    command = next(each for each in reads(text) if isinstance(each, Command))
    assert (" ".join(word.value for word in command.words), command.span.line, command.span.end_line) == ("pip install a", 3, 4)


def test_what_says_nothing_here() -> None:
    assert reads("alias b := build\nimport 'a.just'\nimport? 'b.just'\nmod gpu\nmod? c 'd'\nunexport A\nset quiet\n# c\n") == []


def test_functions_of_its_own() -> None:
    """https://just.systems/man/en/user-defined-functions.html"""
    text = (
        "set unstable\nflag(s) := if s == '' {\n  '-q'\n} else {\n  s\n}\nnone() := ''\nall a:\n  pip install {{flag(a)}} torch\n"
    )
    assert problems(text) == []
    assert commands(text) == [f"pip install {UNKNOWN} torch"]


def test_a_list_over_several_lines() -> None:
    assert commands("x := (\n  'a' +\n  'b'\n)\nall:\n  echo a\n") == ["echo a"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("all:\n  echo a\nwhat is this\n", 3, "neither a recipe nor a variable nor a setting of just"),
        ("all:\n  echo a\n  if true; then echo b\n", 3, "shell syntax: cannot read this line"),
    ],
)
def test_problems(text: str, line: int, message: str) -> None:
    assert problems(text) == [(line, message)]


@pytest.mark.parametrize(
    "text",
    ["x := " + "(" * 5000, "x := " + "f(" * 5000 + "\nall:\n  {{x}}\n", "'''\n" * 4001, "x := '''\n" * 2001, "all:\n  " + "{{" * 5000, "[" * 5000,
     "all " + "x=(" * 3000 + ":\n a\n", "all:\n  #!\n" * 1000, "x := " + "'a' + " * 5000 + "'a'\nall:\n  {{x}}\n",
     "all:\n  echo " + "{{ i " * 15_000 + "\n", "x := \"" + '\\"' * 30_000],
)  # fmt: skip
def test_hostile_files_are_read(text: str) -> None:
    source = Source("justfile", text)
    for each in read(source):
        span = each.path.span if isinstance(each, Include) else each.span
        assert 1 <= span.line <= span.end_line <= len(source.lines)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a:\n  pip install b\n  # spark-lint: ignore[G1]\n  pip install c \\\n    d\n", (4, 5)),
        ("a:\n  pip install b  # spark-lint: ignore[G1]\n  pip install c\n", (2, 2)),
        ("# spark-lint: ignore[G1]\n[linux]\na: b\n  pip install b\n", (2, 2)),
        ("[linux]\n# spark-lint: ignore[G1]\na: b\n  pip install b\n\n  pip install c\nx := '1'\n", (3, 6)),
    ],
)
def test_what_a_suppression_covers(text: str, lines: tuple[int, int]) -> None:
    marks = suppressions(Source("justfile", text), JUSTFILE)
    assert [(mark.first_line, mark.last_line) for mark in marks] == [lines]
