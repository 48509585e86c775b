"""setup.py: what its call of `setup(…)` declares, in which extra, under which tests. It is never run."""

import pytest
from projects import found

from spark_lint.facts import Distribution, Include, Package, ParseProblem, Read
from spark_lint.interests import interests
from spark_lint.load import load
from spark_lint.read.funnel import Interests, of_file, worth_parsing
from spark_lint.read.python import read
from spark_lint.text import UNKNOWN, Source

WANTED = interests(load().rules)
SETUP = "from setuptools import setup\n"


def reads(code: str, path: str = "setup.py") -> list[Read]:
    return list(read(Source(path, code)))


def said(code: str, path: str = "setup.py") -> list[str]:
    """Each package, file or extra that the file declares: `gpu: torch==2.6.0`."""
    lines = []
    for each in reads(code, path):
        if isinstance(each, Package):
            marker = f"; {each.marker}" if each.marker else ""
            what = f"{each.name}{each.specifier}{marker}" + (" (build)" if each.role == "build" else "")
        elif isinstance(each, Include) and each.kind == "requirement":
            what = f"-r {each.path.value}"
        elif isinstance(each, Include) and each.kind == "extra":
            what = f"with {' '.join(sorted(each.extras))}"
        else:
            continue
        tests = [f"{'not ' if test.negated else ''}{test.text}" for test in each.context.conditions]
        lines.append(
            (f"{each.context.extra}: " if each.context.extra else "") + what + (f" if {' and '.join(tests)}" if tests else "")
        )
    return lines


def requires(expression: str, before: str = "") -> list[str]:
    return said(f"{SETUP}{before}\nsetup(install_requires={expression})\n")


@pytest.mark.parametrize(
    "call",
    [
        "from setuptools import setup\nsetup(install_requires=['torch'])",
        "import setuptools\nsetuptools.setup(install_requires=['torch'])",
        "from distutils.core import setup\nsetup(install_requires=['torch'])",
        "from skbuild import setup as build\nbuild(install_requires=['torch'])",
        "from numpy.distutils.core import *\nsetup(install_requires=['torch'])",
        "import setuptools as s\ndef main():\n    s.setup(install_requires=['torch'])\nif __name__ == '__main__':\n    main()",
        "from setuptools import setup\ndef setup_package():\n    setup(install_requires=['torch'])",
        "from setuptools import setup\nsetup(**{'install_requires': ['torch']})",
        "from setuptools import setup\nkwargs = dict(install_requires=['torch'])\nsetup(name='x', **kwargs)",
        "from setuptools import setup\nk = {}\nk['install_requires'] = ['torch']\nsetup(**k)",
        "from setuptools import setup\nk = {'install_requires': []}\nk['install_requires'].append('torch')\nsetup(**k)",
    ],
)
def test_every_way_to_call_it(call: str) -> None:
    assert said(call) == ["torch"]


@pytest.mark.parametrize(
    ("expression", "before", "expected"),
    [
        ("['torch==2.6.0', 'flash_attn']", "", ["torch==2.6.0", "flash-attn"]),
        ("('torch', 'numpy')", "", ["torch", "numpy"]),
        ("'torch'", "", ["torch"]),
        ("'''\n  torch>=2  # why\n  # no\n\n  numpy\n'''", "", ["torch>=2", "numpy"]),
        ("REQ", "REQ = ['torch']", ["torch"]),
        ("REQ + ['b'] + MORE", "REQ = ['a']\nMORE = ['c']", ["a", "b", "c"]),
        ("[*REQ, 'b']", "REQ = ['a']", ["a", "b"]),
        ("REQ", "REQ = ['a']\nREQ += ['b']\nREQ.append('c')\nREQ.extend(['d', 'e'])\nREQ.insert(0, 'f')", list("abcdef")),
        ("REQ", "REQ = ['a', 'b']\nREQ.remove('a')", ["b"]),
        ("REQ", "REQ = ['a']\nREQ = ['b']", ["b"]),
        ("A", "A, B = ['a'], ['b']", ["a"]),
        ("list(set(REQ))", "REQ = ['a', 'a']", ["a", "a"]),
        ("'a b'.split()", "", ["a", "b"]),
        ("'a\\nb'.splitlines()", "", ["a", "b"]),
        ("['torch==' + V]", "V = '2.6.0'", ["torch==2.6.0"]),
        ("[f'torch=={V}']", "V = '2.6.0'", ["torch==2.6.0"]),
        ("['torch=={}'.format(V)]", "V = '2.6.0'", [f"torch=={UNKNOWN}"]),
        ("[f'torch=={V}']", "import os\nV = os.environ['V']", [f"torch=={UNKNOWN}"]),
        ("[f'torch=={V}']", "import os\nV = os.environ.get('V', '2.6.0')", ["torch==2.6.0"]),
        ("['torch==' + V]", "V = open('version.txt').read().strip()", [f"torch=={UNKNOWN}"]),
        ("[NAME + '==1']", "NAME = unknown()", []),
        ("[x for x in REQ]", "REQ = ['a', 'b']", ["a", "b"]),
        ("[x.strip() for x in REQ if x]", "REQ = ['a']", ["a if x"]),
        ("sum([A, B], [])", "A = ['a']\nB = ['b']", ["a", "b"]),
        ("get()", "def get():\n    return ['torch']", ["torch"]),
        ("get('torch')", "def get(name, *more):\n    return [name, 'numpy']", ["torch", "numpy"]),
        ("get()[0]", "def get():\n    return ['torch']", []),
        ("A", "A, _ = (lambda: 1)()", []),
        ("A", "def get():\n    return ['a'], ['b']\nA, B = get()", ["a"]),
        ("list(get())", "def get():\n    for x in ['a', 'b']:\n        yield x", ["a", "b"]),
        ("unknown()", "", []),
        ("REQ", "", []),
        ("['./local', 'a @ https://h/x.whl', 'not a requirement!']", "", ["a"]),
        ("REQ", "REQ = []\nfor x in ('a', 'b'):\n    REQ.append(x)", ["a", "b"]),
        ("REQ", "REQ = []\nfor x in ('a', 'b'): REQ.append(x)", ["a", "b"]),
        ("get()", "def get(): return ['torch']", ["torch"]),
        ("[f'{x}-lib' for x in ('a', 'b')]", "", ["a-lib", "b-lib"]),
        ("[k + v for k, v in PINS.items()]", "PINS = {'torch': '==2.6.0', 'numpy': ''}", ["torch==2.6.0", "numpy"]),
        (
            "[k + '==' + v for k, v in PINS.items()]",
            "PINS = {'torch': '2.6.0', 'numpy': unknown()}",
            ["torch==2.6.0", f"numpy=={UNKNOWN}"],
        ),
    ],
)
def test_lists_however_they_are_made(expression: str, before: str, expected: list[str]) -> None:
    assert requires(expression, before) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("if sys.platform == 'darwin':\n    R.append('mlx')", ["a", "mlx if sys.platform == 'darwin'"]),
        (
            "if os.environ.get('ROCM'):\n    R += ['r']\nelse:\n    R += ['n']",
            ["a", "r if os.environ.get('ROCM')", "n if not os.environ.get('ROCM')"],
        ),
        ("R = ['b'] if X else ['c']", ["b if X", "c if not X"]),
        ("R = R + (['b'] if X else [])", ["a", "b if X"]),
        ("if X:\n    R = ['b']", ["b if X", "a if not X"]),
        ("if X:\n    if Y:\n        R.append('b')", ["a", "b if X and Y"]),
        ("if X:\n    raise SystemExit\nR.append('b')", ["a if not X", "b if not X"]),
        ("def f():\n    if X:\n        return ['b']\n    return ['c']\nR = f()", ["b if X", "c if not X"]),
        (
            "try:\n    import torch\nexcept ImportError:\n    R.append('torch')",
            ["a", "torch if except ImportError"],
        ),
        ("match platform.machine():\n    case 'x86_64':\n        R.append('b')", ["a", "b if platform.machine() == 'x86_64'"]),
        ("while X:\n    R.append('b')", ["a", "b"]),
        ("if X: R.append('b')\nelse: R += ['c']", ["a", "b if X", "c if not X"]),
        ("try: R.append('b')\nexcept OSError: pass", ["a", "b"]),
    ],
)
def test_tests_around_a_requirement_are_its_conditions(before: str, expected: list[str]) -> None:
    assert requires("R", f"import os, sys, platform\nR = ['a']\n{before}") == expected


@pytest.mark.parametrize(
    ("before", "extras", "expected"),
    [
        ("", "{'gpu': ['torch'], 'Dev_Tools': ['b']}", ["gpu: torch", "dev-tools: b"]),
        ("e = {}\ne['a'] = ['x']\ne['all'] = e['a'] + ['y']", "e", ["a: x", "all: x", "all: y"]),
        ("A = {'a': ['x']}\nB = {'b': ['y']}", "{**A, **B}", ["a: x", "b: y"]),
        ("A = {'a': ['x']}\nB = {'b': ['y']}", "A | B", ["a: x", "b: y"]),
        ("A = dict(a=['x'])\nA.update({'b': ['y']})", "A", ["a: x", "b: y"]),
        ("A = dict(a=['x'])\nA.update({'b': ['y']}, c=['z'])", "A", ["a: x", "b: y", "c: z"]),
        ("A = {}\nA.setdefault('a', []).append('x')", "A", ["a: x"]),
        ("from collections import defaultdict\nA = defaultdict(list)\nA['a'] += ['x']", "A", ["a: x"]),
        ("L = ['x']", "{'a': L, 'b': L}", ["a: x", "b: x"]),
        ("e = {'a': ['x'], 'b': ['y', 'x']}\ne['all'] = sum(e.values(), [])", "e", ["a: x", "b: y", "b: x", "all: x", "all: y", "all: x"]),
        ("e = {'a': ['x']}\ne['all'] = [d for ds in e.values() for d in ds]", "e", ["a: x", "all: x"]),
        ("import itertools\ne = {'a': ['x']}\ne['all'] = list(itertools.chain(*e.values()))", "e", ["a: x", "all: x"]),
        ("e = {'a': ['x']}", "{k + '-2': v for k, v in e.items()}", ["a-2: x"]),
        ("e = {}\nfor n in ('a', 'b'):\n    e[n] = [n + '-lib']", "e", ["a: a-lib", "b: b-lib"]),
        ("", "{'all': ['Mine[gpu,dev]', 'x']}", ["all: with dev gpu", "all: x"]),
        ("", "{':python_version<\"3.11\"': ['x']}", ['x; python_version<"3.11"']),
        ("", "{'gpu:platform_machine==\"x86_64\"': ['x; os_name==\"posix\"']}", ['gpu: x; (os_name=="posix") and (platform_machine=="x86_64")']),
        ("e = {}\nif X:\n    e['a'] = ['x']", "e", ["a: x if X"]),
        ("", "{'docs': open('docs/requirements.txt').read().splitlines()}", ["docs: -r docs/requirements.txt"]),
        ("", "get_extras()", []),
    ],
)  # fmt: skip
def test_extras(before: str, extras: str, expected: list[str]) -> None:
    assert said(f"{SETUP}{before}\nsetup(name='mine', extras_require={extras})") == expected


PINS = """\
_deps = ["Pillow>=10,<15", "torch==2.6.0", "scikit-learn", "importlib_metadata"]
deps = {b: a for a, b in (re.findall(r"^(([^!=<>~ ]+)(?:[!=<>~ ].*)?$)", x)[0] for x in _deps)}

def deps_list(*pkgs):
    return [deps[pkg] for pkg in pkgs]
"""


def test_pins_are_looked_up_by_name() -> None:
    code = f"""{SETUP}{PINS}
extras = {{}}
extras["torch"] = deps_list("torch", "scikit-learn", "missing")
extras["dev"] = extras["torch"] + deps_list("Pillow")
setup(extras_require=extras, install_requires=[deps["Pillow"], deps["importlib_metadata"] + ";python_version<'3.8'"])
"""
    assert said(code) == [
        "pillow>=10,<15", "importlib-metadata; python_version<'3.8'", "torch: torch==2.6.0", "torch: scikit-learn",
        "dev: torch==2.6.0", "dev: scikit-learn", "dev: pillow>=10,<15",
    ]  # fmt: skip
    source = Source("setup.py", code)
    pinned = next(each for each in read(source) if isinstance(each, Package) and each.name == "torch")
    assert (pinned.span.line, source.cut(pinned.span)) == (2, "torch==2.6.0")


@pytest.mark.parametrize(
    ("expression", "before"),
    [
        ("open('requirements.txt').read().splitlines()", ""),
        ("open('requirements.txt').readlines()", ""),
        ("[line.strip() for line in open('requirements.txt')]", ""),
        ("Path('requirements.txt').read_text().split('\\n')", "from pathlib import Path"),
        ("(HERE / 'requirements.txt').read_text().splitlines()", "from pathlib import Path\nHERE = Path(__file__).parent"),
        ("list(open(os.path.join(here, 'requirements.txt')))", "import os\nhere = os.path.dirname(__file__)"),
        ("open(f'{here}/requirements.txt').read().split()", "import os\nhere = os.path.dirname(__file__)"),
        ("required", "with open('requirements.txt') as f:\n    required = f.read().splitlines()"),
        ("required", "required = []\nwith open('requirements.txt') as f:\n    for line in f:\n        required.append(line)"),
        (
            "required",
            "required = []\nfor line in open('requirements.txt'):\n    if line.startswith('#'):\n        continue\n    required += [line]",
        ),
        ("read('requirements.txt')", "def read(name):\n    with open(name) as f:\n        return [l for l in f if l]"),
        ("read()", "def read(name='requirements.txt'):\n    return open(name).read().split('\\n')"),
        ("[str(r.req) for r in parse_requirements('requirements.txt', session=0)]", "from pip.req import parse_requirements"),
        ("fetch_requirements('requirements.txt')", "from tools import fetch_requirements"),
        ("get_requirements()", "def get_requirements():\n    import tools\n    return tools.lines(ROOT, 'requirements.txt')"),
        ("read_reqs('.')", "def read_reqs(folder):\n    return list(open(os.path.join(folder, 'requirements.txt')))\nimport os"),
        (
            "open('requirements.txt').read().split() if os.path.exists('requirements.txt') else []",
            "import os",
        ),
        ("A", "def parse():\n    return [l for l in open('requirements.txt')], []\nA, B = parse()"),
    ],
)
def test_requirements_read_from_a_file(expression: str, before: str) -> None:
    assert requires(expression, before) == ["-r requirements.txt"]


def test_requirements_chosen_by_the_device() -> None:
    code = f"""{SETUP}
def get_requirements():
    folder = ROOT / "requirements"

    def read_one(name):
        with open(folder / name) as f:
            lines = f.read().strip().split("\\n")
        resolved = []
        for line in lines:
            if line.startswith("-r "):
                resolved += read_one(line.split()[1])
            elif not line.startswith("#"):
                resolved.append(line)
        return resolved

    if is_cuda():
        requirements = read_one("cuda.txt")
    elif is_rocm():
        requirements = read_one("rocm.txt")
    else:
        raise ValueError("unknown device")
    return requirements

setup(install_requires=get_requirements())
"""
    assert said(code) == ["-r requirements/cuda.txt if is_cuda()", "-r requirements/rocm.txt if not is_cuda() and is_rocm()"]


def test_the_project_itself() -> None:
    code = f"{SETUP}NAME = 'My_Pkg'\nsetup(name=NAME, python_requires='>=3.10,<3.13', setup_requires=['torch', 'ninja'])"
    projects = [(each.name, each.python) for each in reads(code) if isinstance(each, Distribution)]
    assert projects == [("my-pkg", ">=3.10,<3.13")]
    assert said(code) == ["torch (build)", "ninja (build)"]


@pytest.mark.parametrize(
    "code",
    [
        "print('torch')\n",
        "def setup(name, install_requires):\n    pass\nsetup(name='x', install_requires=['torch'])\n",
        f"{SETUP}setup()\n",
        "from tools import setup\nsetup('torch')\n",
        "install_requires = ['torch']\n",
    ],
)
def test_no_project(code: str) -> None:
    assert said(code) == []
    assert not [each for each in reads(code) if isinstance(each, Distribution)]


def test_a_program_that_sets_something_else_up_is_no_problem() -> None:
    program = "def setup(name): pass\n" + "e = {}\n" + "".join(f"e['k{n}'] = 'x{n}'\n" for n in range(1000)) + "setup(name=e)\n"
    assert not any(isinstance(each, ParseProblem) for each in reads(f"import subprocess\n{program}"))
    assert any(isinstance(each, ParseProblem) for each in reads(SETUP + program))


def test_only_a_file_called_setup_declares_anything() -> None:
    assert said(f"{SETUP}setup(install_requires=['torch'])", "build.py") == []
    assert said(f"{SETUP}setup(install_requires=['torch'])", "pkg/setup.py") == ["torch"]


HOSTILE = {
    "lists that double": "a = ['x']\n" + "a = a + a\n" * 1000,
    "dictionaries that grow": "e = {}\n" + "".join(f"e['k{n}'] = ['x{n}']\n" for n in range(1000)),
    "tests in a row": "r = []\n" + "".join(f"if X{n}:\n    r.append('x{n}')\n" for n in range(1000)),
    "tests and else": "r = []\n" + "".join(f"if X{n}:\n    r = r + ['x{n}']\nelse:\n    r = r + ['y{n}']\n" for n in range(700)),
    "functions that call each other": "".join(f"def f{n}():\n    return f{n + 1}() + f{n + 1}()\n" for n in range(500))
    + "r = f0()\n",
    "a function that calls itself": "def f():\n    return f() + f()\nr = f()\n",
    "loops in loops": "r = []\n"
    + "".join("    " * n + f"for x{n} in {['a'] * 50}:\n" for n in range(15))
    + "    " * 15
    + "r.append('x')\n",
    "comprehensions": "r = ['a', 'b', 'c']\n" + "r = [x for x in r for y in r for z in r for w in r for v in r]\n" * 200,
    "else if": "if X:\n    r = ['a']\n" + "".join(f"elif X{n}:\n    r = ['a{n}']\n" for n in range(900)),
    "a long sum": "r = " + " + ".join(["['x']"] * 5000) + "\n",
    "itself": "r = r\ne = {'a': e}\ne['a'] = e\n",
    "stars": "setup(*a, **b, **{**c, **d}, *e)\nr = [*r, *r]\n",
}


@pytest.mark.parametrize("code", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_files_come_to_an_end(code: str) -> None:
    source = Source("setup.py", f"{SETUP}{code}\nsetup(name='x', install_requires=r, extras_require=e)\n".replace("\r", ""))
    found = list(read(source))
    assert len([each for each in found if isinstance(each, ParseProblem)]) <= 1
    lines = len(source.lines)
    assert all(each.span.end_line <= lines for each in found if isinstance(each, (Package, Distribution)))


@pytest.mark.parametrize(
    "code",
    [
        f"{SETUP}setup(extras_require={{'gpu': ['flash_attn']}})",
        f"{SETUP}setup(install_requires=open('deps.txt').read().split())",
        f"{SETUP}X = 'flash-attn'\nsetup(install_requires=[X])",
        f"{SETUP}setup(install_requires=read_all('requirements/x'))",
    ],
)
def test_a_setup_that_names_a_package_is_read(code: str) -> None:
    wanted = of_file("pkg/setup.py", WANTED)
    assert worth_parsing(code.encode(), wanted)
    assert list(read(Source("setup.py", code), wanted))


def test_other_files_are_passed_over_as_before() -> None:
    code = f"{SETUP}setup(extras_require={{'gpu': ['flash_attn']}})".encode()
    wanted = Interests((), frozenset(), packages=((b"flash-attn",),))
    assert not worth_parsing(code, of_file("build.py", wanted))
    assert worth_parsing(code, of_file("setup.py", wanted))
    assert not worth_parsing(code.replace(b"flash", b"trash"), of_file("setup.py", wanted))


def test_a_package_of_a_setup_is_found() -> None:
    code = f"{SETUP}setup(name='x', install_requires=['numpy', 'torch==2.6.0'])\n"
    assert [(path, line) for path, line, *_ in found({"setup.py": code})] == [("setup.py", 2)]


def test_a_package_for_another_system_is_not() -> None:
    code = f"{SETUP}import sys\nR = []\nif sys.platform == 'win32':\n    R.append('torch==2.6.0')\nsetup(name='x', install_requires=R)\n"
    assert found({"setup.py": code}) == []
