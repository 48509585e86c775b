"""What a file's own functions run with the words they are given, its loops for each of several, and functions of other files."""

import pytest

from spark_lint.facts import Command, Fact, ParseProblem, Read
from spark_lint.read.python import read
from spark_lint.text import UNKNOWN, Source

U = UNKNOWN
RUN = "import subprocess, os, sys\n"
INSTALL = 'def install(package):\n    subprocess.check_call([sys.executable, "-m", "pip", "install", package])\n'
PIP = ["python", "-m", "pip", "install"]


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


def facts(code: str) -> tuple[Source, list[Read]]:
    source = Source("setup_env.py", code)
    return source, list(read(source))


def ran(code: str) -> list[list[str]]:
    """The commands that are known in full."""
    found = [[word.value for word in fact.words] for fact in facts(code)[1] if isinstance(fact, Command)]
    return [words for words in found if U not in "".join(words)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        case("a function", f'{INSTALL}install("a")', [[*PIP, "a"]]),
        case("called twice", f'{INSTALL}install("a")\ninstall("b")', [[*PIP, "a"], [*PIP, "b"]]),
        case("called before it stands there", f'def main():\n    install("a")\n{INSTALL}', [[*PIP, "a"]]),
        case("by keyword", f'{INSTALL}install(package="a")', [[*PIP, "a"]]),
        case("with a constant", f'{INSTALL}A = "a==1"\ninstall(A)', [[*PIP, "a==1"]]),
        case("with nothing known", f"{INSTALL}install(a)", []),
        case("a shell text", 'def run(c):\n    subprocess.run(c, shell=True)\nrun("pip install a")', [["pip", "install", "a"]]),
        case(
            "words around what is given",
            'def pip(args):\n    os.system(f\'"{sys.executable}" -m pip {args} --prefer-binary\')\npip("install a -U")',
            [["python", "-m", "pip", "install", "a", "-U", "--prefer-binary"]],
        ),
        case(
            "through another function",
            'def run(c, live=False):\n    subprocess.run(c, shell=True)\ndef pip(p):\n    run("pip install " + p)\npip("a")',
            [["pip", "install", "a"]],
        ),
        case(
            "through a variable of the function",
            'def install(p):\n    c = ["pip", "install", p]\n    subprocess.run(c)\ninstall("a")',
            [["pip", "install", "a"]],
        ),
        case(
            "any number of words",
            'def pip(*words):\n    subprocess.run(["pip", *words])\npip("install", "a")',
            [["pip", "install", "a"]],
        ),
        case(
            "a default",
            'def install(p, flag="-q"):\n    subprocess.run(["pip", "install", flag, p])\ninstall("a")\ninstall("b", "-U")',
            [["pip", "install", "-q", "a"], ["pip", "install", "-U", "b"]],
        ),
        case(
            "a parameter that is set again",
            'def run(c):\n    c = c.strip()\n    subprocess.run(c, shell=True)\nrun("pip install a")',
            [],
        ),
        case("what is given a function that runs nothing", 'def say(c):\n    print(c)\nsay("pip install a")', []),
        case("a function that calls itself", "def f(c):\n    f(c)\n    os.system(c)\nf('a b')", [["a", "b"]] * 4),
        case("what needs nothing is read once", 'def f(c):\n    os.system("a b")\nf(1)\nf(2)', [["a", "b"]]),
        case("a loop", 'for p in ["a", "b"]:\n    subprocess.run(["pip", "install", p])', [["pip", "install", "a"], ["pip", "install", "b"]]),
        case("a loop over a name", f'{INSTALL}P = ("a", "b")\nfor p in P:\n    install(p)', [[*PIP, "a"], [*PIP, "b"]]),
        case("two loops with one variable", 'for p in ["a"]:\n    os.system(f"x {p}")\nfor p in ["b"]:\n    os.system(f"y {p}")', [["x", "a"], ["y", "b"]]),
        case(
            "a loop in a function",
            'def install(*packages):\n    for p in packages:\n        subprocess.run(["pip", "install", p])\ninstall("a", "b")',
            [["pip", "install", "a"], ["pip", "install", "b"]],
        ),
        case("a loop whose variable is set", 'for p in ["a"]:\n    p = f(p)\n    os.system(f"x {p}")', []),
        case("a loop over a list that may grow", 'P = ["a"]\nP.append(b)\nfor p in P:\n    os.system(f"x {p}")', []),
        case("a loop over nothing known", 'for p in open("r.txt"):\n    os.system(f"x {p}")', []),
    ],
)  # fmt: skip
def test_what_functions_and_loops_are_given_is_run(code: str, expected: list[list[str]]) -> None:
    assert ran(RUN + code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        case("run_pip of a launcher", 'import launch\nlaunch.run_pip("install a==1", "a")', [["pip", "install", "a==1"]]),
        case("run of another module", 'from modules.x import run\nrun("pip install a", live=True)', [["pip", "install", "a"]]),
        case(
            "with its interpreter",
            'from .util import run, python\nrun(f\'"{python}" -m pip install a\')',
            [],  # the program is unknown here, and told from -m later
        ),
        case("invoke", 'from invoke import task\n@task\ndef f(c):\n    c.run("pip install a")', [["pip", "install", "a"]]),
        case("another program with invoke", 'from invoke import task\n@task\ndef f(c):\n    c.run("serve --size 2")', [["serve", "--size", "2"]]),
        case("pip as a library", 'import pip\npip.main(["install", "a"])', [["pip", "install", "a"]]),
        case("pip's internals", 'from pip._internal import main\nmain(["install", "a"])', [["pip", "install", "a"]]),
        case("conda as a library", 'import conda.cli\nconda.cli.main("conda", "install", "-y", "a")', [["conda", "install", "-y", "a"]]),
        case("a program that installs nothing", 'from x import run\nrun("train", "pip install a")', []),
        case("a context of something else", 'def f(c):\n    c.run("pip install a")', []),
        case("a method of an object", 'import x\na = x.y()\na.run("pip install a")', []),
        case("somebody's machines", 'import modal\nmodal.Image.debian_slim().pip_install("a").run_commands("pip install b")', []),
        case("nox", 'import nox\n@nox.session\ndef t(session):\n    session.install("a")\n    session.run("pip", "install", "a")', []),
        case("a message", 'import logging\nlogging.error("pip install a")\nprint("pip install a")', []),
    ],
)  # fmt: skip
def test_functions_of_other_files_that_install(code: str, expected: list[list[str]]) -> None:
    assert ran(code) == expected


def test_an_interpreter_by_another_files_name_is_unknown() -> None:
    code = "from .util import run, python\nrun(f'\"{python}\" -m pip install a')"
    [command] = [fact for fact in facts(code)[1] if isinstance(fact, Command)]
    assert [word.value for word in command.words] == [U, "-m", "pip", "install", "a"]


def test_words_stand_where_they_are_written() -> None:
    code = f'{RUN}{INSTALL}install("a==1")\nC = os.environ.get("C", "pip install b==2 c")\nos.system(f"{{sys.executable}} -m {{C}}")\n'
    source, found = facts(code)
    commands = [fact for fact in found if isinstance(fact, Command)]
    assert [source.cut(word.span) for word in commands[-1].words][2:] == ["pip", "install", "b==2", "c"]
    given = next(fact for fact in commands if fact.words[-1].value == "a==1")
    assert source.cut(given.words[-1].span) == "package"
    assert source.cut(given.words[-1].origin) == '"a==1"'


def test_tests_around_the_call_and_in_the_function_count() -> None:
    code = f"{RUN}def install(p):\n    if a:\n        os.system(f'pip install {{p}}')\nif b:\n    install('x')\n"
    [command] = [fact for fact in facts(code)[1] if isinstance(fact, Command) and fact.words[-1].value == "x"]
    assert [test.text for test in command.context.conditions] == ["b", "a"]


def test_a_test_of_what_the_file_sets_to_false_is_switched_off() -> None:
    code = f"{RUN}TRY = False\nif TRY:\n    os.system('pip install a')\nelse:\n    os.system('pip install b')\n"
    found = [fact for fact in facts(code)[1] if isinstance(fact, Command)]
    assert [[test.text for test in fact.context.conditions] for fact in found] == [["TRY", "switched off here"], ["TRY"]]


@pytest.mark.parametrize(
    "code",
    [
        case("calls of calls", "\n".join(f"def f{n}(c):\n" + f"    f{n + 1}(c)\n" * 30 for n in range(6)) + "\ndef f6(c):\n    os.system(c)\nf0('a')\n"),
        case("long texts", "def f(c):\n    os.system(c)\nS = '" + "a b;" * 2000 + "'\n" + "f(S)\n" * 500),
        case("long loops", "for p in [" + "'a'," * 5000 + "]:\n    os.system(f'x {p}')\n" * 3),
        case("names of names", "def f(c):\n    os.system(c)\n" + "".join(f"a{n} = a{n - 1}\n" for n in range(1, 2000)) + "f(a1999)\n"),
    ],
)  # fmt: skip
def test_what_stands_for_too_much_is_cut_off(code: str) -> None:
    found = facts(RUN + code)[1]
    assert len(found) < 100_000
    assert all(isinstance(each, (Fact, ParseProblem)) for each in found)
