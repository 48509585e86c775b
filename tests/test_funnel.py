"""The questions that stand before libcst: they may say yes too often, but never no to a file that a rule has something to say about."""

import ast
import codecs

import pytest

from spark_lint.facts import Fact
from spark_lint.read.funnel import Interests, encoding, fold, holds, nesting, worth_parsing
from spark_lint.read.python import read
from spark_lint.text import UNKNOWN, Source, decode


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


def about(*words: str, commands: tuple[str, ...] = ()) -> Interests:
    return Interests(tuple((word.encode(),) for word in (*words, *commands)), frozenset(words), frozenset(commands))


# Bytes


def test_names_are_folded_as_they_are_compared() -> None:
    assert fold(b"Flash_Attn.X-y \xc3\x84") == b"flash-attn-x-y \xc3\x84"


@pytest.mark.parametrize(
    ("data", "clauses", "expected"),
    [
        case("one literal", b"import flash_attn", [(b"flash-attn",)], True),
        case("other case and signs", b"FLASH.ATTN", [(b"flash-attn",)], True),
        case("in a comment", b"# flash-attn", [(b"flash-attn",)], True),
        case("missing", b"import torch", [(b"flash-attn",)], False),
        case("all of a clause", b"vllm tp", [(b"vllm", b"tp")], True),
        case("part of a clause", b"tp", [(b"vllm", b"tp")], False),
        case("second clause", b"b", [(b"a", b"b"), (b"b",)], True),
        case("no clause", b"import torch", [], False),
        case("empty file", b"", [(b"a",)], False),
        case("whatever it holds", b"", [(b"",)], True),
        case("UTF-16", "import flash_attn".encode("utf-16"), [(b"flash-attn",)], True),
        case("UTF-8 with a mark", codecs.BOM_UTF8 + b"import flash_attn", [(b"flash-attn",)], True),
        case("the interpreter's name", b"sys.executable", [(b"python",)], True),
    ],
)
def test_what_the_bytes_must_hold(data: bytes, clauses: list[tuple[bytes, ...]], expected: bool) -> None:
    assert worth_parsing(data, Interests(tuple(clauses), frozenset())) is expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        case("none", b"import a", "utf-8"),
        case("empty", b"", "utf-8"),
        case("first line", b"# -*- coding: latin-1 -*-\n", "latin-1"),
        case("second line", b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n", "cp1252"),
        case("second line behind a blank one", b"\r\n# coding: latin-1\r\n", "latin-1"),
        case("second line behind code", b"import a\n# coding: latin-1\n", "utf-8"),
        case("third line", b"#\n#\n# coding: latin-1\n", "utf-8"),
        case("in code", b"coding = 'latin-1'\n", "utf-8"),
        case("behind a mark", codecs.BOM_UTF8 + b"# coding: latin-1\n", "utf-8"),
        case("unknown encoding", b"# coding: nonsense\n", "utf-8"),
        case("no text encoding", b"# coding: hex\n", "utf-8"),
        case("encoding that runs escapes", b"# coding: unicode_escape\n", "utf-8"),
        case("encoding that is slow on purpose", b"# coding: punycode\n", "utf-8"),
        case("encoding that is not like ASCII", b"# coding: utf-16\n", "utf-8"),
        case("encoding of several bytes", b"# coding: euc_jp\n", "euc_jp"),
        case("no ASCII", "# coding: lätin\n".encode(), "utf-8"),
    ],
)
def test_the_encoding_that_a_file_names(data: bytes, expected: str) -> None:
    assert encoding(data) == expected
    assert isinstance(decode(data, encoding(data)), str)


# Names


@pytest.mark.parametrize(
    "code",
    [
        case("import", "import flash_attn"),
        case("submodule", "import flash_attn.x"),
        case("longer name", "import ring_flash_attn"),
        case("member", "from flash_attn import x"),
        case("name of a member", "from x import flash_attn as y"),
        case("relative", "from .flash_attn import x"),
        case("importlib", "importlib.import_module('flash_attn')"),
        case("function", "flash_attn()"),
        case("method", "x.flash_attn.y()"),
        case("keyword", "f(flash_attn=1)"),
        case("target", "flash_attn = 1"),
        case("target with a type", "flash_attn: int = 1"),
        case("attribute", "x.flash_attn = 1"),
        case("one of several targets", "a, (b, x.flash_attn) = y"),
        case("walrus", "(flash_attn := 1)"),
        case("subscript", "x['flash-attn'] = 1"),
        case("subscript of a subscript", "x['flash_attn']['y'] = 1"),
        case("dictionary", "x = {'flash_attn': 1}"),
        case("parameter", "def f(flash_attn=1): pass"),
        case("parameter of a lambda", "lambda *, flash_attn=1: 0"),
        case("field", "class A:\n    flash_attn: int = 1"),
        case("setattr", "setattr(x, 'flash_attn', 1)"),
        case("option", "p.add_argument('--flash-attn')"),
        case("alias", "F = x.flash_attn\nF()"),
        case("loop over modules", "for m in (x.flash_attn, y): m.z = 1"),
        case("environment", "os.environ['FLASH_ATTN'] = '1'"),
        case("environment by method", "os.environ.setdefault('FLASH_ATTN', '1')"),
        case("decorator", "@flash_attn()\ndef f(): pass"),
        case("command", "subprocess.run(['pip', 'install', 'flash-attn'])"),
        case("shell command", "os.system('pip install flash-attn')"),
        case("command by name", "C = 'pip install flash-attn'\nos.system(C)"),
        case("command put together", "subprocess.run(['pip'] + ['flash-attn==2'])"),
        case("formatted command", "os.system(f'pip install flash-attn=={v}')"),
        case("renamed runner", "from subprocess import run as r\nr(['flash-attn'])"),
        case("runner by another name", "r = subprocess.run\nr(['flash-attn'])"),
        case("command inside print", "print(os.system('pip install flash-attn'))"),
        case("command inside an error", "raise E(subprocess.run(['flash-attn']))"),
        case("notebook", "get_ipython().system('pip install flash-attn')"),
    ],
)
def test_code_that_holds_a_name(code: str) -> None:
    assert holds(ast.parse(code), about("flash-attn"))


@pytest.mark.parametrize(
    "code",
    [
        case("nothing", ""),
        case("comment", "x = 1  # flash_attn"),
        case("docstring", '"""flash_attn"""'),
        case("docstring of a function", 'def f():\n    "flash_attn"\n    run()'),
        case("error", "run()\nraise ImportError('pip install flash-attn')"),
        case("error with a value", "run()\nraise ImportError('pip install flash-attn==%s' % v)"),
        case("formatted error", "run()\nraise ImportError(f'pip install flash-attn {v}'.format(1))"),
        case("print", "run()\nprint('pip install flash-attn')"),
        case("log", "run()\nlogger.warning('pip install flash-attn')"),
        case("help", "run()\np.add_argument('-x', help='needs flash-attn')"),
        case("text where no command runs", "x = 'pip install flash-attn'"),
        case("attribute that is read", "if config.flash_attn: pass"),
        case("comparison", "x == 'flash_attn'"),
    ],
)
def test_code_that_only_speaks_of_a_name(code: str) -> None:
    assert not holds(ast.parse(code), about("flash-attn"))


def test_a_word_for_commands_counts_in_commands_alone() -> None:
    assert holds(ast.parse("import os\nos.system('pip install torch')"), about(commands=("torch",)))
    assert not holds(ast.parse("import os, torch\nos.system('ls')"), about(commands=("torch",)))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        case("name", "f(tp=2)", True),
        case("beginning of a name", "f(tp_size=2)", True),
        case("flag", "subprocess.run(['-tp', '2'])", True),
        case("inside another word", "f(http=2, output=3)", False),
    ],
)
def test_a_short_word_begins_a_name(code: str, expected: bool) -> None:
    assert holds(ast.parse(code), about("tp")) is expected


# Every fact passes

SNIPPETS = [
    case(
        "training",
        "import torch\nfrom transformers import AutoModelForCausalLM as A, BitsAndBytesConfig\nimport trl.trainer as t\n"
        "bnb = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)\n"
        "model = A.from_pretrained('org/base', attn_implementation='flash_attention_2', quantization_config=bnb)\n"
        "model.enable_input_require_grads()\nt.SFTTrainer(model=model, **{'max_steps': 1}).train()\n",
    ),
    case(
        "patches",
        "import unsloth.models._utils as u, importlib\nfrom unsloth.utils import attention_dispatch\n"
        "for mod in (u, attention_dispatch):\n    mod.HAS_FLASH_ATTENTION = False\n    setattr(mod, 'HAS_X', 1)\n"
        "importlib.import_module('flash_attn')\n__import__('a.b')\nF = u.Fast\nF.load()\n",
    ),
    case(
        "serving script",
        "import os, subprocess, argparse, sys, shlex\nfrom vllm import LLM\n"
        "p = argparse.ArgumentParser()\np.add_argument('--tensor-parallel-size', '-tp', type=int, default=2)\nargs = p.parse_args()\n"
        "os.environ['VLLM_USE_V1'] = '1'\nos.environ.setdefault('A_B', '1')\nos.environ.update({'C_D': '2'}, E_F='3')\nos.putenv('G', '1')\n"
        "cmd = ['vllm', 'serve', '-tp', str(args.tensor_parallel_size)]\ncmd += ['--gpu-memory-utilization', '0.9']\n"
        "subprocess.Popen(cmd, env={**os.environ, 'MAX_JOBS': '4'})\nos.system('ray start --head && nvidia-smi')\n"
        "subprocess.run([sys.executable, '-m', 'pip', 'install', f'torch=={V}'], env={'H': '1'})\n"
        "subprocess.run(shlex.split('docker run x'))\nos.execvp('uv', ['uv', 'run'])\nLLM(tensor_parallel_size=args.tensor_parallel_size).generate()\n",
    ),
    case(
        "settings",
        "from dataclasses import dataclass, field\nimport click, typer\n"
        "@dataclass\nclass Config:\n    attn_impl: str = 'sdpa'\n    tp: int = field(default=2)\n"
        "CFG = dict(a_b=1, c={'d_e': 2})\nCFG['f_g'] = 1\nCFG['h']['i'] = 2\nconfig._attn_implementation = x\n"
        "@click.option('--num-gpus', default=2)\ndef main(num_gpus, load_in_4bit=True, *, k=lambda q=1: q):\n    return (n := 1), Config(tp=num_gpus)\n"
        "def cli(x: int = typer.Option(2, '--tp')): ...\n",
    ),
    case(
        "guards",
        "try:\n    import flash_attn\n    from flash_attn import bert_padding as bp\nexcept ImportError:\n    flash_attn = None\n"
        "match x():\n    case 'a': y.z()\nwith open(f) as g, a.b() as c:\n    c.d()\nasync def f():\n    await P.make().run()\n"
        "[h.i(j=1) for h in k]\nl = m() if n() else {'o': p()}\nq, r.s = 1, 2\n'a b'.split()\nt()().u()\nv[0].w()\n",
    ),
    case(
        "notebook",
        "get_ipython().system('pip install torch')\nget_ipython().run_cell_magic('bash', '', 'export MAX_JOBS=4\\npip install flash-attn')\n"
        "get_ipython().run_line_magic('pip', 'install vllm')\nget_ipython().run_line_magic('env', 'A_B=1')\n"
        "get_ipython().run_line_magic('run', 'train.py --tp 2')\nget_ipython().run_cell_magic('sh', '', 'vllm serve m\\nuv sync')\n",
    ),
    case(
        "aliases",
        "import subprocess\nfrom os import system as s, environ as e\nr = subprocess.run\nr(['uv', 'pip'])\ns('conda install x')\ne['A'] = '1'\n",
    ),
]


@pytest.mark.parametrize("code", SNIPPETS)
def test_whatever_the_reader_finds_passes_both_questions(code: str) -> None:
    data, tree = code.encode(), ast.parse(code)
    facts = [fact for fact in read(Source("x.py", code)) if isinstance(fact, Fact)]
    words = {fold(part.encode()).decode() for fact in facts for part in fact.name.split(".") if part and UNKNOWN not in part}
    words -= {"*"}  # of `from x import *`: no rule names it
    assert len(words) > 5
    assert [word for word in sorted(words) if not worth_parsing(data, about(word))] == []
    assert [word for word in sorted(words) if not holds(tree, about(word))] == []


# Nesting


@pytest.mark.parametrize(
    ("code", "line"),
    [
        case("parentheses", "x = 1\ny = " + "(" * 3000 + ")" * 3000, 2),
        case("mixed brackets", "([{" * 300 + "}])" * 300, 1),
        case("brackets that are never closed", "a\n\nb(" + "[" * 5000, 3),
        case("brackets over lines", "\n(" * 500 + "\n)" * 500, 2),
        case("indentation", "".join(" " * at + "if a:\n" for at in range(300)), 200),
        case("added strings", "# c\nx = " + " + ".join(["'a'"] * 20_000), 2),
        case("strings behind each other", "x = (\n" + "'a'\n" * 20_000 + ")", 1),
        case("attributes", "a" + ".a" * 3000, 1),
        case("signs", "x = " + "-" * 3000 + "1", 1),
        case("not", "not " * 3000 + "a", 1),
        case("lambdas with defaults", "(lambda x=" * 150 + "1" + ":1)" * 150, 1),
        case("f-string", "f'{" + "(" * 3000 + ")" * 3000 + "}'", 1),
        case("f-string with fields in formats", "f'" + "{a:" * 3000 + "}" * 3000 + "'", 1),
        case("chain in brackets in a chain", "((a" + "+a" * 600 + ")" + "+a" * 600 + ")", 1),
        case("behind a string with a bracket", "x = ')'\n" + "(" * 300, 2),
        case("lines of Windows", "x = 1\r\n\r\n" + "(" * 300, 3),
        case("lines of an old Mac", "x = 1\r\r" + "(" * 300, 3),
    ],
)
def test_deep_nesting_is_found_where_it_begins(code: str, line: int) -> None:
    assert nesting(code) == line


def test_a_chain_of_elif_is_found_where_it_gets_too_long() -> None:
    line = nesting("if a: b\n" + "elif a: b\n" * 3000)
    assert line is not None
    assert 900 < line < 1100


@pytest.mark.parametrize(
    "code",
    [
        case("empty", ""),
        case("brackets in a string", "x = '" + "(" * 5000 + "'"),
        case("brackets in a long string", 'x = """' + "(\n" * 5000 + '"""'),
        case("brackets in a raw string", "x = r'" + "[" * 5000 + "\\'" + "[" * 500 + "'"),
        case("brackets in a comment", "# " + "(" * 5000 + "\nx = 1  # " + "{" * 5000),
        case("quotes in a comment", "# it's\n" * 2000),
        case("quotes in a string", 'x = "it\'s"\n' * 2000),
        case("braces in an f-string", "x = f'" + "{{" * 5000 + "'"),
        case("fields of an f-string", "x = f'" + "{a.b} and (c) " * 2000 + "'"),
        case("long list", "x = [" + "-1, " * 20_000 + "]"),
        case("long dictionary", "x = {\n" + "'a': b.c(1) + 2,\n" * 20_000 + "}"),
        case("long list of calls", "x = [" + "f(g(h(1))), " * 20_000 + "]"),
        case("many statements", "x = (a.b + c)\n" * 20_000),
        case("many statements in a line", "a.b();" * 20_000),
        case("many statements in a block", "def f():\n" + "    x = a.b[0]\n" * 20_000),
        case("many if", "if a: b\n" * 20_000),
        case("many if with elif", "if a: b\nelif c: d\nelse: e\n" * 20_000),
        case("many functions", "def f():\n    if a:\n        return (1)\n" * 5000),
        case("blank lines in a block", "def f():\n    x = 1\n\n# c\n    y = 2\n" * 2000),
        case("continued lines", "x = 1 + \\\n    2\n" * 5000),
        case("unclosed quote on a line", "x = 'a\ny = 1\n" * 2000),
    ],
)
def test_ordinary_files_are_not_deep(code: str) -> None:
    assert nesting(code) is None


@pytest.mark.parametrize(
    "code",
    [
        case("quotes", "'''\\" * 50_000),
        case("escaped quotes", '"' + '\\"' * 100_000),
        case("backslashes", "'" + "\\" * 200_000),
        case("prefixes", "rb" * 100_000),
        case("line ends", "\n" * 200_000),
        case("closing brackets", ")" * 200_000),
        case("fields", "f'" + "{'" * 50_000),
    ],
)
def test_hostile_source_is_answered(code: str) -> None:
    # Quadratic work on so much text would take minutes.
    assert nesting(code) in (None, 1)
