"""The Python reader: what a file imports, calls, sets and runs, with which values, under which tests, and where it is written."""

import subprocess
import sys
import textwrap

import pytest

from spark_lint.facts import Argument, Assign, Call, Command, EnvVar, Fact, Import, ParseProblem, Read
from spark_lint.read.funnel import Interests
from spark_lint.read.python import read
from spark_lint.text import UNKNOWN, Source

U = UNKNOWN


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


def facts(code: str) -> tuple[Source, list[Read]]:
    source = Source("train.py", code)
    return source, list(read(source))


def of(kind: type[Fact], code: str) -> list[Fact]:
    return [fact for fact in facts(code)[1] if type(fact) is kind]


def problems(code: str) -> list[tuple[int, str]]:
    return [(fact.span.line, fact.message) for fact in facts(code)[1] if isinstance(fact, ParseProblem)]


def arguments(code: str) -> tuple[Source, dict[str, Argument]]:
    """The arguments of the last call of `f`; positional ones are numbered."""
    source, found = facts(code)
    call = [fact for fact in found if isinstance(fact, Call) and fact.name == "f"][-1]
    return source, {argument.name or str(at): argument for at, argument in enumerate(call.arguments)}


def ran(code: str) -> list[list[str]]:
    return [[word.value for word in fact.words] for fact in of(Command, code) if isinstance(fact, Command)]


def assigned(code: str) -> list[tuple[str, object, str]]:
    return [(fact.name, fact.value, fact.kind) for fact in of(Assign, code) if isinstance(fact, Assign)]


def variables(code: str) -> list[tuple[str, str]]:
    return [(fact.name, fact.value) for fact in of(EnvVar, code) if isinstance(fact, EnvVar)]


# Imports


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        case("module", "import torch", [("torch", "torch")]),
        case("submodule", "import a.b", [("a.b", "a.b")]),
        case("renamed", "import a.b as c", [("a.b", "a.b")]),
        case("several", "import a, b.c", [("a", "a"), ("b.c", "b.c")]),
        case("member", "from a.b import c", [("a.b.c", "a.b")]),
        case("renamed member", "from a.b import c as d", [("a.b.c", "a.b")]),
        case("several members", "from a import (\n    b,\n    c as d,\n)", [("a.b", "a"), ("a.c", "a")]),
        case("relative", "from .a import b", [(".a.b", ".a")]),
        case("relative without module", "from .. import b", [("..b", "..")]),
        case("star", "from a import *", [("a.*", "a")]),
        case("relative star", "from . import *", [(".*", ".")]),
        case("importlib", 'import importlib\nimportlib.import_module("a.b")', [("importlib", "importlib"), ("a.b", "a.b")]),
        case("dunder import", '__import__("a")', [("a", "a")]),
        case("importlib with a variable", "import importlib\nimportlib.import_module(x)", [("importlib", "importlib")]),
        case("text", '"import torch"  # import torch', []),
    ],
)
def test_imports(code: str, expected: list[tuple[str, str]]) -> None:
    assert [(fact.name, fact.module) for fact in of(Import, code) if isinstance(fact, Import)] == expected


@pytest.mark.parametrize(
    ("code", "top_level"),
    [
        case("in the file", "import a", True),
        case("under if", "if x:\n    import a", True),
        case("in a class body", "class A:\n    import a", True),
        case("in a function", "def f():\n    import a", False),
        case("in a method", "class A:\n    def f(self):\n        import a", False),
        case("in a class in a function", "def f():\n    class A:\n        import a", False),
    ],
)
def test_an_import_in_a_function_does_not_run_with_the_file(code: str, top_level: bool) -> None:
    (fact,) = of(Import, code)
    assert isinstance(fact, Import)
    assert fact.top_level is top_level


def test_an_import_is_where_its_statement_is() -> None:
    source, found = facts('"""🚀"""; from a import (b as c,\n  d)\nimport x, y.z as w')
    assert [source.cut(fact.span) for fact in found if isinstance(fact, Import)] == [
        "from a import (b as c,\n  d)",
        "from a import (b as c,\n  d)",
        "x",
        "y.z as w",
    ]
    assert next(fact.written for fact in found if isinstance(fact, Import)) == "from a import (b as c, d)"


# Names of calls


@pytest.mark.parametrize(
    ("code", "name"),
    [
        case("builtin", "print()", "print"),
        case("module", "import torch\ntorch.load()", "torch.load"),
        case("module of a package", "import torch.cuda\ntorch.cuda.init()", "torch.cuda.init"),
        case("renamed module", "import torch.cuda as c\nc.init()", "torch.cuda.init"),
        case("member", "from unsloth import A\nA.load()", "unsloth.A.load"),
        case("renamed member", "from unsloth import A as F\nF.load()", "unsloth.A.load"),
        case("relative member", "from .m import A\nA()", ".m.A"),
        case("alias", "import a\nF = a.B\nF.c()", "a.B.c"),
        case("alias of an alias", "import a\nF = a.B\nG = F\nG()", "a.B"),
        case("first of two imports", "try:\n    import a.j as j\nexcept E:\n    import j\nj.x()", "a.j.x"),
        case("method of an object", "from vllm import LLM\nm = LLM()\nm.generate()", "vllm.LLM.generate"),
        case("method of what a class method makes", "from d import P\np = P.load()\np.offload()", "d.P.offload"),
        case("method of what is awaited", "from d import P\nasync def f():\n    p = await P.load()\n    p.x()", "d.P.x"),
        case("method of a context manager", "from d import P\nwith P() as p:\n    p.x()", "d.P.x"),
        case("method of a call", "from d import P\nP.load().to()", "d.P.to"),
        case("method of a function's result", "p = load()\np.offload()", "p.offload"),
        case("method of an item", "pipes[0].offload()", f"{U}.offload"),
        case("method of an attribute", "self.pipe.offload()", "self.pipe.offload"),
        case("method of a variable set twice", "from d import P, Q\np = P()\np = Q()\np.x()", "p.x"),
        case("import in a function", "def f():\n    import a as b\n    b.c()", "a.c"),
        case("import in another function", "def f():\n    import a as b\ndef g():\n    b.c()", "b.c"),
        case("parameter hides an import", "import a\ndef f(a):\n    a.x()", "a.x"),
        case("class scope is not seen in methods", "class A:\n    import b as c\n    def f(self):\n        c.x()", "c.x"),
        case("names that stand for each other", "a = b\nb = a\na.x()", "a.x"),
        case("global import", "def f():\n    global np\n    import numpy as np\ndef g():\n    np.x()", "numpy.x"),
    ],
)
def test_names_of_calls(code: str, name: str) -> None:
    assert name in [fact.name for fact in of(Call, code)]


def test_a_call_of_a_call_has_no_name() -> None:
    assert [fact.name for fact in of(Call, "f()()")] == ["f"]


# Arguments and values


@pytest.mark.parametrize(
    ("code", "value"),
    [
        case("string", 'f("a")', "a"),
        case("string in parts", "f('a' \"b\"\n  'c')", "abc"),
        case("raw string", r"f(r'\n')", r"\n"),
        case("escapes", r"f('\x41\t\u00e9\N{BULLET}\101\q\'')", "A\té•A\\q'"),
        case("string over lines", 'f("""a\nb\\\nc""")', "a\nbc"),
        case("string over lines of Windows", 'f("""a\r\nb""")', "a\nb"),
        case("unicode prefix", "f(u'a')", "a"),
        case("bytes", "f(b'a')", U),
        case("lone surrogate", r"f('a\ud800')", f"a{U}"),
        case("number", "f(2)", 2),
        case("number with underscores", "f(1_000)", 1000),
        case("hexadecimal", "f(0x1F)", 31),
        case("float", "f(0.85)", 0.85),
        case("negative", "f(-2)", -2),
        case("complex", "f(2j)", U),
        case("true", "f(True)", True),
        case("none", "f(None)", None),
        case("parentheses", "f((2))", 2),
        case("constant", "X = 2\nf(X)", 2),
        case("constant of a constant", "X = 2\nY = X\nf(Y)", 2),
        case("constant in the same function", "def g():\n    X = 2\n    f(X)", 2),
        case("constant with a type", "X: int = 2\nf(X)", 2),
        case("walrus", "f(X) if (X := 2) else 0", 2),
        case("constant of a class in it", "class A:\n    X = 2\n    f(X)", 2),
        case("constant from two names", "X, Y = 1, 2\nf(Y)", 2),
        case("constant set twice", "X = 1\nX = 2\nf(X)", U),
        case("constant set in two branches", "if a:\n    X = 1\nelse:\n    X = 2\nf(X)", U),
        case("constant that grows", "X = 1\nX += 1\nf(X)", U),
        case("constant that is deleted", "X = 1\ndel X\nf(X)", U),
        case("constant that a function sets", "X = 1\ndef g():\n    global X\n    X = 2\nf(X)", U),
        case("constant of another function", "def g():\n    X = 2\ndef h():\n    f(X)", U),
        case("variable", "f(x)", U),
        case("loop variable", "for x in (1, 2):\n    f(x)", U),
        case("loop variable in a comprehension", "x = 1\n[f(x) for x in y]", U),
        case("parameter hides a constant", "X = 2\ndef g(X):\n    f(X)", U),
        case("parameter with a default", "def g(x=2):\n    f(x)", U),
        case("unpacked", "a, b = g()\nf(a)", U),
        case("import or constant", "try:\n    from a import X\nexcept ImportError:\n    X = 1\nf(X)", U),
        case("pattern", "match y:\n    case X:\n        f(X)", U),
        case("caught exception", "try:\n    pass\nexcept E as x:\n    f(x)", U),
        case("or", "f(a or 2)", U),
        case("conditional", "f(1 if a else 2)", U),
        case("comparison", "f(a == 4)", U),
        case("sum of numbers", "f(1 + 2)", U),
        case("list", "f([1])", U),
        case("dictionary", "f({'a': 1})", U),
        case("sum of strings", "X = 'b'\nf('a' + X + 'c')", "abc"),
        case("sum with an unknown", "f('a' + b + 'c')", f"a{U}c"),
        case("f-string", "X = 2\nf(f'a{X}b{y}c')", f"a2b{U}c"),
        case("f-string with format", "X = 2\nf(f'{X:>3}{X!r}{X=}')", U * 3),
        case("f-string with braces", "f(f'{{a}}{b}\\n')", f"{{a}}{U}\n"),
        case("raw f-string", "f(rf'\\d{b}')", f"\\d{U}"),
        case("f-string in parts", "f('a' f'{b}' 'c')", f"a{U}c"),
        case("percent", "f('a==%s' % b)", f"a=={U}"),
        case("percent with a percent", "f('%d%%' % b)", f"{U}%"),
        case("format", "f('a=={}{x}{{}}'.format(b))", f"a=={U}{U}{{}}"),
        case("environment with default", 'import os\nf(os.environ.get("X", "2"))', "2"),
        case("getenv with default", 'from os import getenv\nf(getenv("X", "2"))', "2"),
        case("getenv with a default by name", 'import os\nf(os.getenv("X", default="2"))', "2"),
        case("environment without default", 'import os\nf(os.environ.get("X"))', U),
        case("environment by key", 'import os\nf(os.environ["X"])', U),
        case("int", 'f(int("2"))', 2),
        case("int of the environment", 'import os\nf(int(os.getenv("X", "2")))', 2),
        case("int of no number", 'f(int("x"))', U),
        case("int of an unknown", "f(int(x))", U),
        case("float of text", 'f(float("0.9"))', 0.9),
        case("str", "f(str(2))", "2"),
        case("item", 'C = {"x": 2}\nf(C["x"])', 2),
        case("item of dict()", 'C = dict(x=2)\nf(C["x"])', 2),
        case("item of an item", 'C = {"a": {"x": 2}}\nf(C["a"]["x"])', 2),
        case("last of two items", 'C = {"x": 1, "x": 2}\nf(C["x"])', 2),
        case("item of merged dictionaries", 'A = {"x": 2}\nC = {**A}\nf(C["x"])', 2),
        case("item that is set", 'C = {"x": 2}\nC["x"] = 3\nf(C["x"])', U),
        case("item of a dictionary that is updated", 'C = {"x": 2}\nC.update(y)\nf(C["x"])', U),
        case("item that is missing", 'C = {"x": 2}\nf(C["y"])', U),
        case("item with another item set", 'C = {"x": 2}\nC["y"] = 3\nf(C["x"])', 2),
        case("item with a variable key", 'C = {"x": 2}\nf(C[x])', U),
        case("item of a dictionary made twice", 'C = {"x": 2}\nC = {}\nf(C["x"])', U),
        case("argparse", 'p.add_argument("--x-y", default=2)\nargs = p.parse_args()\nf(args.x_y)', 2),
        case(
            "argparse in another function",
            'def g(args):\n    f(args.x)\ndef h(p):\n    p.add_argument("-a", "--x", default=2)',
            2,
        ),
        case("argparse with unknown options", 'p.add_argument("--x", default=2)\na, _ = p.parse_known_args()\nf(a.x)', 2),
        case("argparse with dest", 'p.add_argument("--y", dest="x", default=2)\nargs = p.parse_args()\nf(args.x)', 2),
        case("argparse without default", 'p.add_argument("--x")\nargs = p.parse_args()\nf(args.x)', U),
        case("argparse with two defaults", 'p.add_argument("--x", default=1)\nq.add_argument("--x", default=2)\nf(args.x)', U),
        case("attribute of something else", 'p.add_argument("--x", default=2)\nf(config.x)', U),
        case("click", '@click.option("--x", default=2)\ndef g(x):\n    f(x)', 2),
        case("click without default", '@click.option("--x")\ndef g(x):\n    f(x)', U),
        case("typer", 'def g(x: int = typer.Option(2, "--x")):\n    f(x)', 2),
        case("typer that requires it", "def g(x: int = typer.Option(...)):\n    f(x)", U),
    ],
)
def test_values(code: str, value: object) -> None:
    _, found = arguments(code)
    assert found["0"].value == value
    assert type(found["0"].value) is type(value)


@pytest.mark.parametrize(
    ("code", "name", "span", "origin"),
    [
        case("keyword", 'f(a, impl="x")', "impl", 'impl="x"', 'impl="x"'),
        case("keyword with spaces", 'f( impl = ( "x" ) , b=1)', "impl", 'impl = ( "x" )', 'impl = ( "x" )'),
        case("positional", 'f("🚀", ("x"))', "1", '"x"', '"x"'),
        case("constant", 'I = "x"\nf(impl=I)', "impl", "impl=I", '"x"'),
        case("constant of a constant", 'I = "x"\nJ = I\nf(impl=J)', "impl", "impl=J", '"x"'),
        case("item", 'C = {"🚀": 1, "impl": "x"}\nf(impl=C["impl"])', "impl", 'impl=C["impl"]', '"impl": "x"'),
        case("part of an f-string", "V = '2.9'\nf(v=f'torch=={V}')", "v", "v=f'torch=={V}'", "'2.9'"),
        case("argparse", 'p.add_argument("--x", default=2)\nf(v=args.x)', "v", "v=args.x", "default=2"),
        case("click", '@click.option("--x", default=2)\ndef g(x):\n    f(v=x)', "v", "v=x", "default=2"),
        case("unknown", "f(v=x)", "v", "v=x", "v=x"),
        case("item of a known dictionary", 'K = {"impl": "x"}\nf(**K)', "impl", '"impl": "x"', '"impl": "x"'),
        case("item of a dictionary with a constant", 'I = "x"\nf(**{"impl": I})', "impl", '"impl": I', '"x"'),
        case("keyword of dict()", "f(**dict(impl=1))", "impl", "impl=1", "impl=1"),
        case("over lines of Windows", 'f(\r\n  impl="x",\r\n)', "impl", 'impl="x"', 'impl="x"'),
    ],
)
def test_where_an_argument_is_written_and_decided(code: str, name: str, span: str, origin: str) -> None:
    source, found = arguments(code)
    assert source.cut(found[name].span) == span
    assert source.cut(found[name].origin) == origin
    assert found[name].written == span


@pytest.mark.parametrize(
    ("code", "dotted"),
    [
        case("member", "import torch\nf(torch.bfloat16)", "torch.bfloat16"),
        case("renamed member", "from torch import bfloat16 as b\nf(b)", "torch.bfloat16"),
        case("constant", "import torch\nD = torch.bfloat16\nf(D)", "torch.bfloat16"),
        case("class of the file", "class A: pass\nf(A)", "A"),
        case("builtin", "f(int)", "int"),
        case("variable", "x = g()\nf(x)", ""),
        case("parameter", "def g(x):\n    f(x.y)", ""),
        case("literal", "f(2)", ""),
        case("call", "import torch\nf(torch.device('cuda'))", ""),
    ],
)
def test_the_name_that_is_passed(code: str, dotted: str) -> None:
    assert arguments(code)[1]["0"].dotted == dotted


def test_positions_behind_a_starred_argument_are_unknown() -> None:
    _, found = arguments("f(1, *a, 2, x=3)")
    assert [(name, argument.value) for name, argument in found.items()] == [("0", 1), ("1", U), ("x", 3)]


def test_an_unknown_dictionary_passes_nothing_that_can_be_named() -> None:
    assert list(arguments("f(x=1, **kwargs)")[1]) == ["x"]


def test_what_is_written_is_one_line_of_bounded_length() -> None:
    (call,) = of(Call, "f(\n" + "  a,\n" * 500 + ")")
    assert call.written.startswith("f( a, a,")
    assert "\n" not in call.written
    assert len(call.written) <= 200


# Values with a name


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        case("name", "X = 1", [("X", 1, "name")]),
        case("several targets", "X = Y = 1", [("X", 1, "name"), ("Y", 1, "name")]),
        case("pairs", "X, Y = 1, 'a'", [("X", 1, "name"), ("Y", "a", "name")]),
        case("with a type", "X: int = 1", [("X", 1, "name")]),
        case("walrus", "if (x := 1): pass", [("x", 1, "name")]),
        case("unknown local", "x = g()", []),
        case("local known in part", "x = f'a{b}'", [("x", f"a{U}", "name")]),
        case("local variable for another", "y = g()\nx = y.z", []),
        case("type without value", "x: int", []),
        case("list", "X = ['a']", []),
        case("name of an imported thing", "import torch\nD = torch.bfloat16", [("D", U, "name")]),
        case("attribute", "cfg.x = 1", [("cfg.x", 1, "name")]),
        case("attribute of an import", "import a.b as m\nm.X = False", [("a.b.X", False, "name")]),
        case("attribute of a member", "from a import b\nb.X = False", [("a.b.X", False, "name")]),
        case("attribute that is unknown", "cfg.x = g()", [("cfg.x", U, "name")]),
        case("item", 'd["X"] = 1', [("X", 1, "item")]),
        case("item in an item", 'd["a"]["X"] = 1', [("X", 1, "item")]),
        case("item of an attribute", 'c.d["X"] = g()', [("X", U, "item")]),
        case("item with a variable key", "d[x] = 1", []),
        case("item with a number", "d[0] = 1", []),
        case("dictionary", '{"a": 1, "b": x, **c, d: 2}', [("a", 1, "item"), ("b", U, "item")]),
        case("nested dictionary", '{"a": {"b": 1}}', [("a", U, "item"), ("b", 1, "item")]),
        case("dict()", "dict(a=1, b=x)", [("a", 1, "item"), ("b", U, "item")]),
        case("set", '{"a", "b"}', []),
        case("dictionary in a comprehension", '{"a": x for x in y}', []),
        case("parameter", 'def f(a, b="x", *, c: int = 2): pass', [("b", "x", "default"), ("c", 2, "default")]),
        case("parameter of a method", "class A:\n    def f(self, a=1): pass", [("a", 1, "parameter")]),
        case("parameter of a lambda", "lambda a=1: a", [("a", 1, "default")]),
        case("positional only parameter", "def f(a=1, /): pass", [("a", 1, "default")]),
        case("field of a data class", '@dataclass\nclass A:\n    x: str = "a"', [("x", "a", "default")]),
        case("field()", "class A:\n    x: int = field(default=1)", [("x", 1, "default")]),
        case("Field()", "class A:\n    x: int = Field(1, gt=0)", [("x", 1, "default")]),
        case("typer", "def f(x: int = typer.Option(2)): pass", [("x", 2, "default")]),
        case("click", '@click.option("--x-y", default=2)\ndef f(x_y): pass', [("x_y", 2, "default")]),
        case("argparse", 'p.add_argument("--x-y", "-x", default=2)', [("x_y", 2, "default")]),
        case("argparse without default", 'p.add_argument("--x")', []),
        case("setattr", 'import m\nsetattr(m, "X", False)', [("m.X", False, "name")]),
        case(
            "loop over modules",
            "import a.b as m1\nfrom c import d as m2\nfor m in (m1, m2):\n    m.X = False",
            [("a.b.X", False, "name"), ("c.d.X", False, "name")],
        ),
        case(
            "setattr in a loop",
            'import a, b\nfor m in [a, b]:\n    setattr(m, "X", 1)',
            [("a.X", 1, "name"), ("b.X", 1, "name")],
        ),
        case("loop over something unknown", "for m in x:\n    m.X = False", [("m.X", False, "name")]),
        case("augmented", "x.y += 1", []),
        case("comparison", "x == 1", []),
    ],
)
def test_values_with_a_name(code: str, expected: list[tuple[str, object, str]]) -> None:
    assert assigned(code) == expected


@pytest.mark.parametrize(
    ("code", "span", "origin"),
    [
        case("name", "if a:\n  X = ( 1 )  # 🚀", "X = ( 1 )", "X = ( 1 )"),
        case("attribute", 'I = "x"\n"🚀"; c.x = I', "c.x = I", '"x"'),
        case("item", 'd["X"] = (1); y', 'd["X"] = (1)', 'd["X"] = (1)'),
        case("item of a dictionary", '{"a": (1), }', '"a": (1)', '"a": (1)'),
        case("parameter", "def f(a, b : int = (1), *c): pass", "b : int = (1)", "b : int = (1)"),
        case("option", 'p.add_argument("--x", default=2)', "default=2", "default=2"),
        case("default of a field", "class A:\n  x: int = field(default=1)", "x: int = field(default=1)", "default=1"),
        case("setattr", 'setattr(m, "X", 1)', 'setattr(m, "X", 1)', 'setattr(m, "X", 1)'),
    ],
)
def test_where_a_value_with_a_name_is_written_and_decided(code: str, span: str, origin: str) -> None:
    source, found = facts(code)
    last = [fact for fact in found if isinstance(fact, Assign)][-1]
    assert (source.cut(last.span), source.cut(last.origin)) == (span, origin)


def test_an_option_and_its_use_have_one_origin() -> None:
    code = 'p.add_argument("--tp", default=2)\nargs = p.parse_args()\nf(tp=args.tp)'
    (default,) = of(Assign, code)
    assert arguments(code)[1]["tp"].origin == default.origin


# Environment variables


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        case("set", 'import os\nos.environ["X"] = "1"', [("X", "1")]),
        case("set through a member", 'from os import environ\nenviron["X"] = "1"', [("X", "1")]),
        case("set to a constant", 'import os\nV = "1"\nos.environ["X"] = V', [("X", "1")]),
        case("set to a number as text", 'import os\nos.environ["X"] = str(1)', [("X", "1")]),
        case("set to an unknown", 'import os\nos.environ["X"] = v', [("X", U)]),
        case("default", 'import os\nos.environ.setdefault("X", "1")', [("X", "1")]),
        case("putenv", 'import os\nos.putenv("X", "1")', [("X", "1")]),
        case("update", 'import os\nos.environ.update({"X": "1"}, Y="2")', [("X", "1"), ("Y", "2")]),
        case("update with a constant", 'import os\nD = {"X": "1"}\nos.environ.update(D)', [("X", "1")]),
        case("environment of a command", 'import subprocess\nsubprocess.run(["a"], env={"X": "1"})', [("X", "1")]),
        case(
            "copied environment of a command",
            'import os, subprocess\nsubprocess.run(["a"], env={**os.environ, "X": "1"})',
            [("X", "1")],
        ),
        case("dict() of the environment", 'import os\ne = dict(os.environ, X="1")', [("X", "1")]),
        case("copy that is changed", 'import os\ne = os.environ.copy()\ne["X"] = "1"', [("X", "1")]),
        case("copy of a copy", 'import os\na = dict(os.environ)\nb = a\nb["X"] = "1"', [("X", "1")]),
        case("dictionary that is no environment", 'e = {"X": "1"}\ne["Y"] = "2"', []),
        case("asked for", 'import os\nos.environ.get("X", "1"); os.environ["X"]; "X" in os.environ', []),
        case("variable name", 'import os\nos.environ[x] = "1"', []),
        case("another environ", 'request.environ["X"] = "1"', []),
    ],
)
def test_environment_variables(code: str, expected: list[tuple[str, str]]) -> None:
    assert variables(code) == expected


def test_an_environment_variable_is_no_item_too() -> None:
    code = 'import os, subprocess\nos.environ.update({"X": "1"})\nos.environ["Y"] = "1"\nsubprocess.run(["a"], env={"Z": "1"})'
    assert assigned(code) == []


def test_where_an_environment_variable_is_written() -> None:
    source, found = facts('import os\nV = "1"\nos.environ["X"] = V  # 🚀')
    (variable,) = [fact for fact in found if isinstance(fact, EnvVar)]
    assert (source.cut(variable.span), source.cut(variable.origin)) == ('os.environ["X"] = V', '"1"')
    assert variable.written == 'os.environ["X"] = V'


# Commands

RUN = "import subprocess, os, sys, shlex, asyncio\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        case("list", 'subprocess.run(["pip", "install", "a"])', [["pip", "install", "a"]]),
        case("tuple", 'subprocess.check_call(("pip", "install"))', [["pip", "install"]]),
        case("by keyword", 'subprocess.Popen(args=["pip"])', [["pip"]]),
        case("this Python", 'subprocess.run([sys.executable, "-m", "pip"])', [["python", "-m", "pip"]]),
        case("renamed", 'from subprocess import run as r\nr(["pip"])', [["pip"]]),
        case("escapes", r'subprocess.run(["a\tb", r"\d"])', [["a\tb", r"\d"]]),
        case("unknown word", 'subprocess.run(["serve", m])', [["serve", U]]),
        case("unknown program", 'subprocess.run([pip, "install", "a"])', [[U, "install", "a"]]),
        case("numbers as text", 'subprocess.run(["a", str(2), f"--n={3}"])', [["a", "2", "--n=3"]]),
        case("constant word", 'V = "2.9"\nsubprocess.run(["pip", "torch==" + V])', [["pip", "torch==2.9"]]),
        case("starred constant", 'P = ["a", "b"]\nsubprocess.run(["pip", *P])', [["pip", "a", "b"]]),
        case("starred unknown", 'subprocess.run(["pip", *p])', [["pip", U]]),
        case("sum of lists", 'subprocess.run(["pip"] + p + ["-q"])', [["pip", U, "-q"]]),
        case("list by name", 'c = ["pip", "x"]\nsubprocess.run(c)', [["pip", "x"]]),
        case(
            "list that grows",
            'c = ["a"]\nc += ["-tp", "2"]\nc.append("b")\nc.extend(["d"])\nsubprocess.run(c)',
            [["a", "-tp", "2", "b", "d"]],
        ),
        case("list that may grow", 'c = ["a"]\nif x:\n    c += ["-tp", "2"]\nsubprocess.run(c)', [["a", U]]),
        case("list made twice", 'c = ["a"]\nc = ["b"]\nsubprocess.run(c)', []),
        case("unknown list", "subprocess.run(cmd)", []),
        case("list of unknowns", "subprocess.run([a, b])", []),
        case("string without shell", 'subprocess.run("nvidia-smi")', [["nvidia-smi"]]),
        case("string with shell", 'subprocess.run("pip install a && b", shell=True)', [["pip", "install", "a"], ["b"]]),
        case("list with shell", 'subprocess.run(["pip install a"], shell=True)', [["pip", "install", "a"]]),
        case("f-string with shell", 'subprocess.run(f"serve {m} -tp {2}", shell=True)', [["serve", U, "-tp", "2"]]),
        case("percent with shell", 'os.system("pip install torch==%s" % v)', [["pip", "install", f"torch=={U}"]]),
        case("words with shell", 'os.system(" ".join(["pip", "install", x]))', [["pip", "install", U]]),
        case("system", 'os.system("pip install a")', [["pip", "install", "a"]]),
        case("popen", 'os.popen("nvidia-smi -q")', [["nvidia-smi", "-q"]]),
        case("getoutput", 'subprocess.getoutput("nvidia-smi -q")', [["nvidia-smi", "-q"]]),
        case("script by name", 'S = """\nset -e\npip install a\n"""\nos.system(S)', [["set", "-e"], ["pip", "install", "a"]]),
        case("exec", 'os.execvp("vllm", ["vllm", "serve"])', [["vllm", "serve"]]),
        case("exec with words", 'os.execlp("vllm", "vllm", "serve")', [["vllm", "serve"]]),
        case("spawn", 'os.spawnvp(os.P_WAIT, "a", ["a", "b"])', [["a", "b"]]),
        case("asyncio with words", 'asyncio.create_subprocess_exec("a", "b", *c)', [["a", "b", U]]),
        case("asyncio with shell", 'asyncio.create_subprocess_shell("a b")', [["a", "b"]]),
        case("shlex", 'subprocess.run(shlex.split("a \'b c\' \\"d e\\"f"))', [["a", "b c", "d ef"]]),
        case("split", 'subprocess.run("a b  c".split())', [["a", "b", "c"]]),
        case("split and more", 'subprocess.run("a b".split() + ["c"])', [["a", "b", "c"]]),
        case("notebook", "get_ipython().system('pip install a=={v}')", [["pip", "install", f"a=={U}"]]),
        case("line magic", "get_ipython().run_line_magic('pip', 'install a')", [["pip", "install", "a"]]),
        case(
            "cell magic",
            "get_ipython().run_cell_magic('capture', '', '!pip install a \\\\\\n b\\n%pip install c\\nprint(1)')",
            [["pip", "install", "a", "b"], ["pip", "install", "c"]],
        ),
        case("shell cell", "get_ipython().run_cell_magic('bash', '', 'pip install a\\n')", [["pip", "install", "a"]]),
        case("another line magic", "get_ipython().run_line_magic('matplotlib', 'inline')", []),
        case("error text", 'raise ImportError("pip install a")', []),
        case("printed text", 'print("pip install a")', []),
        case("help text", 'p.add_argument("--x", help="pip install a")', []),
        case("docstring", '"""pip install a"""', []),
        case("list that nothing runs", 'x = ["pip", "install", "a"]', []),
        case("another run", 'app.run(["pip", "install"])', []),
    ],
)
def test_commands(code: str, expected: list[list[str]]) -> None:
    assert ran(RUN + code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        case("list", "subprocess.run([\n  'pip',  # 🚀\n  r'install', 'torch']\n)", ["pip", "install", "torch"]),
        case("escapes", r"subprocess.run(['a\tb', '''c'''])", [r"a\tb", "c"]),
        case("parts", "subprocess.run(['a' \"b\"])", ["a' \"b"]),
        case("constant", "V = '1'\nsubprocess.run(['a', V, f'v={V}'])", ["a", "V", "v={V}"]),
        case("list by name", "c = ['🚀', 'b']\nsubprocess.run(c)", ["🚀", "b"]),
        case("shell", 'os.system("🚀 && pip install \\"a b\\"")', ["🚀", "pip", "install", "a b"]),
        case("script by name", 'S = """\npip\r\n"""\nos.system(S)', ["pip"]),
        case("shlex", "subprocess.run(shlex.split('a \"b c\"'))", ["a", "b c"]),
        case("notebook", "get_ipython().run_line_magic('pip', 'install a')", ["pip", "install", "a"]),
    ],
)
def test_words_are_where_they_are_written(code: str, expected: list[str]) -> None:
    source, found = facts(RUN + code)
    commands = [fact for fact in found if isinstance(fact, Command)]
    assert [source.cut(word.span) for command in commands for word in command.words] == expected


def test_a_command_given_as_a_list_is_named_by_its_program() -> None:
    (command,) = of(Command, RUN + 'subprocess.run(["/usr/bin/pip", "install", m])')
    assert isinstance(command, Command)
    assert (command.name, command.exec_form, command.written) == ("pip", True, "/usr/bin/pip install m")


def test_a_command_given_to_a_shell_is_no_list() -> None:
    (command,) = of(Command, RUN + 'os.system("pip install a")')
    assert isinstance(command, Command)
    assert (command.name, command.exec_form) == ("pip", False)


@pytest.mark.parametrize(
    "code",
    [
        case("list", 'subprocess.run(["pip"], env={"MAX_JOBS": "4"})'),
        case("shell", 'subprocess.run("pip", shell=True, env={**os.environ, "MAX_JOBS": "4"})'),
        case("by name", 'e = dict(os.environ, MAX_JOBS="4")\nsubprocess.run(["pip"], env=e)'),
    ],
)
def test_a_command_has_the_environment_it_is_given(code: str) -> None:
    (command,) = of(Command, RUN + code)
    assert isinstance(command, Command)
    assert [(name, value.value) for name, value in command.environment] == [("MAX_JOBS", "4")]


def test_shell_code_with_unknown_parts_is_no_problem() -> None:
    assert problems(RUN + 'os.system("if [ " + x + "")') == []


def test_a_word_decided_elsewhere_says_where() -> None:
    source, found = facts(RUN + "V = '2.9'\nsubprocess.run(['pip', f'torch=={V}'])")
    (command,) = [fact for fact in found if isinstance(fact, Command)]
    assert source.cut(command.words[1].origin) == "'2.9'"


# Tests under which code runs


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        case("none", "x()", []),
        case("if", "if a  and b:\n    x()", ["a and b"]),
        case("else", "if a:\n    pass\nelse:\n    x()", ["not: a"]),
        case("elif", "if a:\n    pass\nelif b:\n    x()", ["not: a", "b"]),
        case("behind elif", "if a:\n    pass\nelif b:\n    pass\nelse:\n    x()", ["not: a", "not: b"]),
        case("nested", "if a:\n    if b:\n        x()", ["a", "b"]),
        case("behind if", "if a:\n    pass\nx()", []),
        case("type checking", "if TYPE_CHECKING:\n    x()", ["TYPE_CHECKING"]),
        case("in a function under if", "if a:\n    def g():\n        x()", ["a"]),
        case("conditional expression", "y = x() if a else z", ["a"]),
        case("conditional expression, other arm", "y = z if a else x()", ["not: a"]),
        case("in the test itself", "if x():\n    pass", []),
        case("early return", "def g():\n    if not a:\n        return\n    x()", ["not: not a"]),
        case("early raise", "if a:\n    raise E\nx()", ["not: a"]),
        case("early exit", "import sys\nif a:\n    print(1)\n    sys.exit(1)\nx()", ["not: a"]),
        case("early continue", "for i in y:\n    if a:\n        continue\n    x()", ["not: a"]),
        case(
            "early return of every branch",
            "def g():\n    if a:\n        return\n    elif b:\n        return\n    x()",
            ["not: a", "not: b"],
        ),
        case("early return of the second branch", "def g():\n    if a:\n        pass\n    elif b:\n        return\n    x()", []),
        case("early return of else", "def g():\n    if a:\n        pass\n    else:\n        return\n    x()", ["a"]),
        case("early return in a nested block", "def g():\n    if a:\n        if b:\n            return\n    x()", []),
        case(
            "early return in both nested branches",
            "def g():\n    if a:\n        if b:\n            return\n        else:\n            raise E\n    x()",
            ["not: a"],
        ),
        case("early return ends with its block", "def g():\n    for i in y:\n        if a:\n            break\n    x()", []),
        case("match", 'match p.machine():\n    case "x86":\n        x()', ['p.machine() == "x86"']),
        case("match with a class", "match a:\n    case B(c=1):\n        x()", ["match a: case B(c=1)"]),
        case("try", "try:\n    x()\nexcept ImportError:\n    y = None", ["try: ImportError"]),
        case("try with another error", "try:\n    x()\nexcept ValueError:\n    pass", []),
        case("try with ModuleNotFoundError", "try:\n    x()\nexcept ModuleNotFoundError:\n    pass", ["try: ImportError"]),
        case("try with several errors", "try:\n    x()\nexcept (OSError, ImportError) as e:\n    pass", ["try: ImportError"]),
        case("try with Exception", "try:\n    x()\nexcept Exception:\n    pass", ["try: ImportError"]),
        case("bare except", "try:\n    x()\nexcept:\n    pass", ["try: ImportError"]),
        case("except group", "try:\n    x()\nexcept* ImportError:\n    pass", ["try: ImportError"]),
        case("behind a failed import", "try:\n    import a\nexcept ImportError:\n    x()", ["except ImportError"]),
        case("in the handler of another error", "try:\n    import a\nexcept ValueError:\n    x()", []),
        case("else of try", "try:\n    import a\nexcept ImportError:\n    pass\nelse:\n    x()", ["try: ImportError"]),
        case("finally", "try:\n    import a\nexcept ImportError:\n    pass\nfinally:\n    x()", []),
        case("behind try", "try:\n    import a\nexcept ImportError:\n    pass\nx()", []),
        case("handler that raises again", "try:\n    x()\nexcept ImportError:\n    raise", []),
        case(
            "handler that says so and exits", "import sys\ntry:\n    x()\nexcept ImportError:\n    print(1)\n    sys.exit(1)", []
        ),
        case("handler that may raise", "try:\n    x()\nexcept ImportError:\n    if a:\n        raise", ["try: ImportError"]),
        case(
            "handler that returns",
            "def g():\n    try:\n        x()\n    except ImportError:\n        return None",
            ["try: ImportError"],
        ),
        case("suppress", "import contextlib\nwith contextlib.suppress(ImportError):\n    x()", ["try: ImportError"]),
        case("suppress another error", "from contextlib import suppress\nwith suppress(OSError):\n    x()", []),
        case("with", "with a:\n    x()", []),
    ],
)
def test_conditions(code: str, expected: list[str]) -> None:
    (call,) = [fact for fact in of(Call, code) if fact.name == "x"]
    assert [("not: " if each.negated else "") + each.text for each in call.context.conditions] == expected


@pytest.mark.parametrize(
    ("code", "guarded"),
    [
        case("another way", "try:\n    import fa\nexcept ImportError:\n    fa = None", True),
        case("same import again", "try:\n    from fa import x\nexcept ImportError:\n    from fa.y import x", False),
        case("same module again", "try:\n    import fa\nexcept ImportError:\n    install()\n    import fa", False),
        case("another module instead", "try:\n    import fa\nexcept ImportError:\n    import other as fa", True),
        case(
            "beside another import that is made again",
            "try:\n    from t import a\n    import fa\nexcept ImportError:\n    from t.b import a",
            True,
        ),
    ],
)
def test_an_import_is_guarded_where_its_failure_has_another_way(code: str, guarded: bool) -> None:
    first = next(fact for fact in of(Import, code) if fact.name.partition(".")[0] == "fa")
    assert (["try: ImportError"] if guarded else []) == [each.text for each in first.context.conditions]


def test_every_kind_of_fact_knows_its_conditions() -> None:
    code = 'import os, subprocess\nif a:\n    import b\n    X = 1\n    os.environ["Y"] = "1"\n    os.system("pip")\n    subprocess.run(["pip"])'
    found = [fact for fact in facts(code)[1] if isinstance(fact, Fact) and fact.span.line > 2]
    assert {type(fact) for fact in found} == {Import, Assign, EnvVar, Call, Command}
    assert all([each.text for each in fact.context.conditions] == ["a"] for fact in found)


# Whole files


@pytest.mark.parametrize(
    "code",
    [
        case("empty", ""),
        case("blank", "\n\n  \n"),
        case("comment", "# import torch"),
        case("comment without line end", "x: int\n# é"),
        case("docstring", '"""import torch"""'),
    ],
)
def test_files_that_say_nothing(code: str) -> None:
    assert facts(code)[1] == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old mac"])
def test_line_ends(newline: str) -> None:
    source, found = facts(newline.join(['"🚀"', "def g():", "    # é", '    f("x",', "      y=1)", ""]))
    (call,) = [fact for fact in found if isinstance(fact, Call)]
    assert call.span.line == 4
    assert source.cut(call.span).endswith("y=1)")


@pytest.mark.parametrize(
    "code",
    [
        case(
            "match",
            'match x:\n    case {"a": 1, **r} | [1, *_] if y:\n        f()\n    case A(b=1) as c:\n        f()\n    case _:\n        f()',
        ),
        case("type parameters", "class A[T: int](B):\n    def g[**P](self, x: T = f()) -> P: ...\ntype X[T] = list[T]"),
        case("walrus", "while (x := f()): pass"),
        case(
            "async",
            "async def g():\n    async with f() as a, b:\n        async for i in c:\n            await f()\n    return [x async for x in y if await f()]",
        ),
        case("decorators", "@f()\n@a.b\nclass A:\n    @property\n    @f(1)\n    def g(self): ..."),
        case("starred", "f(*a, *b, **c, **d)\n[*x, *f()]\na, *b = c"),
        case("lambda", "lambda *a, k=f(), **b: (yield f())"),
        case("lambda in an annotation", "def g(x: (lambda y=f(): y), *a: int) -> (lambda: 0): pass"),
        case("except group", "try: f()\nexcept* ValueError as e: raise X from e"),
        case("parenthesised with", "with (f() as a, b as c):\n    pass"),
        case("f-string", "f'{f()!r:>{w}} {y=} {{}}'"),
        case("global and del", "def g():\n    global x\n    nonlocal_ = 1\n    del x, y\n    f()"),
        case("one line", "if a: f(); f()\nelse: f()"),
        case("subscripts", "x[1:2, ..., f()] = y[::2][f()]"),
        case("numbers", "f(1_0, 0o17, 0b1, 1e5, 1j, .5)"),
        case("semicolons", "f();f() ; x = 1 ;"),
        case("line continued", "x = f(1) + \\\n  f(2)"),
        case("tabs", "if a:\n\tf()\n\tif b:\n\t\tf()"),
        case("form feed", "x = 1\n\x0c\nf()"),
    ],
)
def test_syntax_that_is_read(code: str) -> None:
    source, found = facts(code)
    calls = [fact for fact in found if isinstance(fact, Call) and fact.name == "f"]
    assert len(calls) == code.count("f()") + code.count("f(1") + code.count("f(2)") + code.count("f(*a")
    assert all(source.cut(call.span).startswith("f(") for call in calls)
    assert problems(code) == []


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        case("broken", "x = 1\ny = = 2\n", 2, "not valid Python: invalid syntax"),
        case("unclosed string", "x = 1\ny = 'a\n", 2, "not valid Python: unterminated string literal"),
        case("missing block", "def f():\nx = 1\n", 2, "not valid Python: expected an indented block"),
        case("template", "x = {{ name }}y\n", 1, "not valid Python"),
        case("Python 2", "x = 1\nprint 'a'\n", 2, "Python 2 code: Missing parentheses in call to 'print'"),
        case("exec of Python 2", "exec 'a'\n", 1, "Python 2 code: Missing parentheses in call to 'exec'"),
        case("string and bytes", "x = 1\ny = 'a' b'b'\n", 2, "not valid Python"),
        case("conflict", "<<<<<<< HEAD\nx = 1\n", 1, "not valid Python: invalid syntax"),
        case("NUL", "x = 1\0\n", 1, "not valid Python"),
    ],
)
def test_files_that_are_no_python(code: str, line: int, message: str) -> None:
    ((found_line, found),) = problems(code)
    assert found_line == line
    assert found.startswith(message)
    assert "\n" not in found
    assert len(facts(code)[1]) == 1


def test_invalid_escapes_are_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    assert arguments(r"f('\d')")[1]["0"].value == r"\d"
    assert not recwarn.list


@pytest.mark.parametrize(
    "code",
    [
        case("parentheses", "x = " + "(" * 3000 + "1" + ")" * 3000),
        case("calls", "f(" * 3000 + ")" * 3000),
        case("unclosed", "[" * 100_000),
        case("added strings", "x = " + " + ".join(["'a'"] * 20_000)),
        case("strings behind each other", "x = (" + "\n".join(["'a'"] * 20_000) + ")"),
        case("attributes", "a" + ".a" * 20_000),
        case("not", "not " * 20_000 + "a"),
        case("conditional expressions", "a if b else " * 20_000 + "c"),
        case("lambdas", "lambda: " * 20_000 + "a"),
        case("elif", "if a: pass\n" + "elif a: pass\n" * 20_000),
        case("comprehension", "[x " + "for x in y " * 20_000 + "]"),
        case("f-string", "f'{" + "(" * 3000 + "1" + ")" * 3000 + "}'"),
        case("sums in brackets", "(" * 50 + "a" + "+a" * 300 + ("+a" * 300 + ")") * 50),
    ],
)
def test_source_nested_without_end_is_a_problem(code: str) -> None:
    # A parser that overflows its stack ends the process, so this one must be another.
    script = "import sys; from spark_lint.read.python import read; from spark_lint.text import Source\n"
    script += "print([type(each).__name__ for each in read(Source('x.py', sys.stdin.read()))])"
    done = subprocess.run([sys.executable, "-c", script], input=code, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "['ParseProblem']"), done.stderr[-500:]


@pytest.mark.parametrize(
    "code",
    [
        case("brackets", "f(" + "[" * 60 + "1" + "]" * 60 + ")"),
        case("added strings", "f(" + " + ".join(["'a'"] * 900) + ")"),
        case("strings behind each other", "f(" + "\n".join(["'a'"] * 900) + ")"),
        case("elif", "if a: pass\n" + "elif a: pass\n" * 900 + "f(0)"),
        case("indentation", "".join(" " * at + "if a:\n" for at in range(90)) + " " * 90 + "f(0)"),
        case("chained calls", "x" + ".f()" * 400 + "\nf(0)"),
    ],
)
def test_source_nested_as_in_generated_files_is_read(code: str) -> None:
    limit = sys.getrecursionlimit()
    # Python 3.12 allows fewer calls of C within C than any other, and nothing raises their number: there some of it is a problem.
    if sys.version_info[:2] != (3, 12) or not problems(code):
        assert arguments(code)[1]
    else:
        assert problems(code) == [(1, "nested too deeply to be read")]
    assert sys.getrecursionlimit() == limit


def test_names_that_multiply_are_unknown_before_they_fill_the_memory() -> None:
    code = "A0 = 'abcdefgh'\n" + "".join(f"A{at + 1} = f'{f'{{A{at}}}' * 150}'\n" for at in range(8)) + "f(A8)\n"
    assert set(str(arguments(code)[1]["0"].value)) == {U}
    assert sum(len(str(value)) for _, value, _ in assigned(code)) < 1_000_000


def test_a_long_value_that_is_put_in_too_often_is_a_problem() -> None:
    code = f"V = '{'a' * 8000}'\n" + "f(f'{V}')\n" * 300
    assert problems(code) == [(1, "variables stand for too much text: some are taken as unknown")]


def test_a_name_that_is_used_often_is_no_problem() -> None:
    code = "K = {" + ", ".join(f"'k{at}': {at}" for at in range(30)) + "}\n" + "f(**K)\n" * 100
    assert problems(code) == []
    assert len(arguments(code)[1]) == 30


# The funnel in front

WORDS = Interests(((b"flash-attn",),), frozenset({"flash-attn"}))


@pytest.mark.parametrize(
    ("code", "is_read"),
    [
        case("import", "import flash_attn", True),
        case("comment", "import a  # flash_attn", False),
        case("message", 'raise ImportError("pip install flash-attn")', False),
        case("syntax error", "flash_attn = = 1", True),
    ],
)
def test_a_file_is_read_only_for_names_that_rules_know(code: str, is_read: bool) -> None:
    assert bool(list(read(Source("x.py", code), WORDS))) is is_read


def test_libcst_is_imported_only_for_a_file_that_is_read() -> None:
    script = textwrap.dedent("""
        import sys
        from spark_lint.read.funnel import Interests
        from spark_lint.read.python import read
        from spark_lint.text import Source
        words = Interests(((b"flash-attn",),), frozenset({"flash-attn"}))
        assert list(read(Source("x.py", "import a  # flash_attn"), words)) == []
        assert "libcst" not in sys.modules
        assert len(list(read(Source("x.py", "import flash_attn"), words))) == 1
        assert "libcst" in sys.modules
    """)
    subprocess.run([sys.executable, "-c", script], check=True)
