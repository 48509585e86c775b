"""What the Python reader says about small pieces of code: each kind of fact, and as many pieces that hold none."""

import pytest

from spark_lint.facts import Assign, Call, Command, EnvVar, Fact, Import, ParseProblem, Read
from spark_lint.read.python import read
from spark_lint.text import UNKNOWN, Source


def reads(code: str) -> tuple[Source, list[Read]]:
    source = Source("train.py", code)
    return source, list(read(source))


def of(kind: type[Fact], code: str) -> list[Fact]:
    return [fact for fact in reads(code)[1] if isinstance(fact, kind)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import a.b as c", [("a.b", "a.b", True)]),
        ("from a.b import c, d as e", [("a.b.c", "a.b", True), ("a.b.d", "a.b", True)]),
        ("from .llama import x", [(".llama.x", ".llama", True)]),
        ("from a import *", [("a.*", "a", True)]),
        ("def f():\n    import a", [("a", "a", False)]),
        (
            "import importlib\nm = importlib.import_module('flash_attn')",
            [("importlib", "importlib", True), ("flash_attn", "flash_attn", True)],
        ),
        ("x = 'import a'", []),
        ("# import a", []),
    ],
)
def test_imports(code: str, expected: list[tuple[str, str, bool]]) -> None:
    assert [(fact.name, fact.module, fact.top_level) for fact in of(Import, code) if isinstance(fact, Import)] == expected


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("from unsloth import FastLanguageModel as F\nF.from_pretrained('m')", "unsloth.FastLanguageModel.from_pretrained"),
        ("import unsloth.models._utils as u\nu.f()", "unsloth.models._utils.f"),
        ("import torch\ntorch.nn.functional.relu(x)", "torch.nn.functional.relu"),
        ("print(1)", "print"),
    ],
)
def test_call_names_are_resolved_through_the_imports(code: str, name: str) -> None:
    assert name in [fact.name for fact in of(Call, code)]


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("f(a='sdpa')", "sdpa"),
        ("f(a=2)", 2),
        ("f(a=-1)", -1),
        ("f(a=True)", True),
        ("f(a=None)", None),
        ("X = 'sdpa'\nf(a=X)", "sdpa"),
        ("C = {'x': 'sdpa'}\nf(a=C['x'])", "sdpa"),
        ("K = dict(a='sdpa')\nf(**K)", "sdpa"),
        ("f(**{'a': 'sdpa'})", "sdpa"),
        ("f(a='sd' 'pa')", "sdpa"),
        ("f(a='sd' + 'pa')", "sdpa"),
        ("import os\nf(a=os.environ.get('A', 'sdpa'))", "sdpa"),
        ("f(a='x' if y else 'sdpa')", UNKNOWN),
        ("f(a=g())", UNKNOWN),
        ("X = 'a'\nX = 'b'\nf(a=X)", UNKNOWN),
        ("def g(x):\n    f(a=x)", UNKNOWN),
        ("f(a=f'cu{v}')", f"cu{UNKNOWN}"),
    ],
)
def test_values_of_keywords(code: str, value: object) -> None:
    call = [fact for fact in of(Call, code) if fact.name == "f"][-1]
    assert isinstance(call, Call)
    argument = call.argument("a")
    assert argument is not None
    assert argument.value == value


def test_a_default_of_argparse_is_a_value() -> None:
    code = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--tp', type=int, default=2)\nargs = p.parse_args()\nf(a=args.tp)"
    call = next(fact for fact in of(Call, code) if fact.name == "f")
    assert isinstance(call, Call)
    argument = call.argument("a")
    assert argument is not None
    assert (argument.value, argument.origin.line) == (2, 3)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("kwargs['attn'] = 'x'", [("attn", "item", "x")]),
        ("d = {'attn': 'x'}", [("attn", "item", "x")]),
        ("def f(attn='x'): pass", [("attn", "default", "x")]),
        ("import a.b as m\nm.HAS = False", [("a.b.HAS", "name", False)]),
        ("import a, b\nfor m in (a, b):\n    m.HAS = False", [("a.HAS", "name", False), ("b.HAS", "name", False)]),
        ("import a\nsetattr(a, 'HAS', False)", [("a.HAS", "name", False)]),
        ("x = g()", []),
    ],
)
def test_values_with_a_name(code: str, expected: list[tuple[str, str, object]]) -> None:
    found = [(fact.name, fact.kind, fact.value) for fact in of(Assign, code) if isinstance(fact, Assign)]
    assert [each for each in found if each in expected or not expected] == expected


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import subprocess\nsubprocess.run(['pip', 'install', 'torch'])", ["pip", "install", "torch"]),
        (
            "import subprocess, sys\nsubprocess.check_call([sys.executable, '-m', 'pip', 'install', 'torch'])",
            ["python", "-m", "pip", "install", "torch"],
        ),
        ("import os\nos.system('pip install torch')", ["pip", "install", "torch"]),
        ("from subprocess import run\nrun('pip install torch', shell=True)", ["pip", "install", "torch"]),
        ("import subprocess\nsubprocess.run(['pip'] + ['install', 'torch'])", ["pip", "install", "torch"]),
        ("import subprocess, shlex\nsubprocess.run(shlex.split('pip install torch'))", ["pip", "install", "torch"]),
        ("import subprocess\nsubprocess.run('pip install torch'.split())", ["pip", "install", "torch"]),
    ],
)
def test_commands(code: str, words: list[str]) -> None:
    assert [[word.value for word in fact.words] for fact in of(Command, code) if isinstance(fact, Command)] == [words]


@pytest.mark.parametrize(
    "code",
    [
        "raise ImportError('pip install torch')",
        "print('pip install torch')",
        "HELP = 'pip install torch'",
        "run('pip install torch')",
        "'''pip install torch'''",
    ],
)
def test_text_about_a_command_is_none(code: str) -> None:
    assert of(Command, code) == []


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.environ['A'] = '1'",
        "import os\nos.environ.setdefault('A', '1')",
        "from os import environ\nenviron['A'] = '1'",
        "import os\nos.environ.update({'A': '1'})",
        "import os\nos.putenv('A', '1')",
    ],
)
def test_environment_variables(code: str) -> None:
    assert [(fact.name, fact.value) for fact in of(EnvVar, code) if isinstance(fact, EnvVar)] == [("A", "1")]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if a():\n    f()", [("a()", False)]),
        ("if a():\n    pass\nelse:\n    f()", [("a()", True)]),
        ("try:\n    f()\nexcept ImportError:\n    g = None", [("try: ImportError", False)]),
        ("try:\n    f()\nexcept ImportError:\n    raise", []),
        ("if not a():\n    raise SystemExit\nf()", [("not a()", True)]),
        ("f()", []),
    ],
)
def test_conditions(code: str, expected: list[tuple[str, bool]]) -> None:
    call = next(fact for fact in of(Call, code) if fact.name == "f")
    assert [(each.text, each.negated) for each in call.context.conditions] == expected


@pytest.mark.parametrize(
    "code",
    [
        "x = '🙂'; f(a='sdpa')",
        "\tif_ = 1" if False else "f(\n    1,\n    a='sdpa',\n)",
        "X = 'sdpa'\r\nf(a='sdpa')\r\n",
        "class A:\n    def g(self):\n        return f(a='sdpa')",
        "async def g():\n    await f(a='sdpa')",
        "match x:\n    case 1:\n        f(a='sdpa')",
        "if (y := 1):\n    f(a='sdpa')",
    ],
)
def test_spans_lead_home(code: str) -> None:
    source, found = reads(code)
    call = next(fact for fact in found if isinstance(fact, Call) and fact.name == "f")
    assert source.cut(call.span).startswith("f(")
    assert source.cut(call.span).endswith(")")
    argument = call.argument("a")
    assert argument is not None
    assert source.cut(argument.span) == "a='sdpa'"


def test_words_of_a_command_stand_where_they_are_written() -> None:
    source, found = reads("import subprocess\nsubprocess.run(['pip', 'install', 'flash-' 'attn', \"a\\x62c\"])\n")
    command = next(fact for fact in found if isinstance(fact, Command))
    assert [(word.value, source.cut(word.span)) for word in command.words[1:]] == [
        ("install", "install"),
        ("flash-attn", "flash-' 'attn"),
        ("abc", "a\\x62c"),
    ]


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("x = 1\ndef f(:\n", 2),
        ("x = 1\nprint 'a'\n", 2),
        ("x = 1\ny = " + "(" * 3000 + "1" + ")" * 3000 + "\n", 2),
        ("x = 1\ny = " + " + ".join(["'a'"] * 20_000) + "\n", 2),
        ("x = 1\ny = " + "not " * 5_000 + "1\n", 2),
    ],
    ids=["syntax", "python-2", "parentheses", "concatenation", "not"],
)
def test_what_cannot_be_read_is_one_problem_with_its_line(code: str, line: int) -> None:
    problems = [each for each in reads(code)[1] if isinstance(each, ParseProblem)]
    assert [problem.span.line for problem in problems] == [line]


@pytest.mark.parametrize("code", ["", "\n", "# only a comment", "'''only a docstring'''", "pass"])
def test_code_that_says_nothing(code: str) -> None:
    assert reads(code)[1] == []
