"""The notebook reader: which cells are read, what IPython's syntax means, and where the facts are written."""

import json
import random
from typing import TypeVar

import pytest
from notebooks import Cell, saved

from spark_lint.check import Run, check_texts
from spark_lint.config import Config
from spark_lint.facts import Assign, Call, Command, EnvVar, Fact, Import, Include, Package, ParseProblem, Read, Setting
from spark_lint.interests import interests
from spark_lint.load import load
from spark_lint.read.notebook import read
from spark_lint.read.notebook_filter import worth_reading
from spark_lint.suppress import suppressions
from spark_lint.text import UNKNOWN, Source

F = TypeVar("F", bound=Fact)
U = UNKNOWN
RULES = load()


def run(files: dict[str, str]) -> Run:
    return check_texts(files, Config(), rules=RULES)


def found(files: dict[str, str]) -> list[str]:
    return [each.code for each in run(files).report().findings]


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


def reads(*cells: Cell, joined: bool = False, **metadata: object) -> list[Read]:
    return list(read(Source("a.ipynb", saved(*cells, joined=joined, **metadata))))


def of(kind: type[F], *cells: Cell, joined: bool = False) -> list[F]:
    return [fact for fact in reads(*cells, joined=joined) if isinstance(fact, kind)]


def words(*cells: Cell, joined: bool = False) -> list[str]:
    return [" ".join(word.value for word in command.words) for command in of(Command, *cells, joined=joined)]


def problems(text: str) -> list[tuple[int, str]]:
    found = read(Source("a.ipynb", text))
    return [(each.span.line, each.message) for each in found if isinstance(each, ParseProblem)]


# ---- IPython's syntax -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        case("command", "!pip install a", ["pip install a"]),
        case("command twice escaped", "!!pip install a", ["pip install a"]),
        case("magic", "%pip install a", ["pip install a"]),
        case("other programs", "%conda install a\n%uv pip install b", ["conda install a", "uv pip install b"]),
        case("without a sign", "pip install -q a\nimport b", ["pip install -q a"]),
        case("its output kept", "x = !pip show a\ny, z = !ls", ["pip show a", "ls"]),
        case("continued", "!pip install \\\n    a \\\n    'b'\nimport c", ["pip install a b"]),
        case("in a branch", "if x:\n    !pip install a\nelse:\n    %pip install b", ["pip install a", "pip install b"]),
        case("in a function", "def f():\n    !pip install a\n", ["pip install a"]),
        case("timed", "%time !pip install a", ["pip install a"]),
        case("both quotes", """!pip install "a" 'b'""", ["pip install a b"]),
        case("both triple quotes", """!echo '''a''' \"\"\"b\"\"\" """, ["echo a b"]),
        case("a backslash at the end", "!pip install a \\", ["pip install a"]),
        case("chained", "!cd x && pip install a", ["cd x", "pip install a"]),
        case(
            "a shell's cell", "%%bash\nset -e\npip install a\npip install \\\n  b", ["set -e", "pip install a", "pip install b"]
        ),
        case("with options", "%%bash -s x --out y\npip install a", ["pip install a"]),
        case("by script", "%%script bash\npip install a", ["pip install a"]),
        case("by system", "%%system\npip install a", ["pip install a"]),
        case("captured", "%%capture out\n!pip install a\n!pip install b", ["pip install a", "pip install b"]),
        case("below comments", "#@title Install\n\n%%capture\n!pip install a", ["pip install a"]),
        case("magic in magic", "%%capture\n%%bash\npip install a", ["pip install a"]),
        case("Databricks", "%sh\npip install a", ["pip install a"]),
        case("a program by its name", "ls -l x", ["ls -l x"]),
        case("a name like a program's", "rm = 1", []),
        case("run", "%run -i train.py --tp 2", ["python train.py --tp 2"]),
        case("run of a module", "%run -m train", ["python -m train"]),
        case("run of a notebook", "%run ./other.ipynb", []),
        case("in a text", 's = """\n!pip install a\n%pip install b\n"""', []),
        case("in brackets", "x = (a\n% pip\n)", []),
        case("modulo", "x = a \\\n % b", []),
        case("unequal", "x = a != b", []),
        case("commented out", "# !pip install a\n#%pip install b", []),
        case("help", "pip?\n?pip install\nobj.x??", []),
        case("HTML", "%%html\n<b>pip install a</b>", []),
        case("JavaScript", "%%javascript\nalert('!pip install a')", []),
        case("SQL", "%%sql\nselect 1", []),
        case("SQL in Databricks", "%sql\nselect 1", []),
        case("a magic of somebody's", "%%unheard_of x\n!pip install a", []),
        case("switched off", "%%script false --no-raise-error\n!pip install a", []),
        case("a written file that is no code", "%%writefile a.txt\n!pip install a", []),
    ],
)
def test_commands_and_magics(cell: str, expected: list[str]) -> None:
    assert words(cell) == expected
    assert words(cell, joined=True) == expected
    assert not of_problems(cell)


def of_problems(*cells: Cell) -> list[ParseProblem]:
    return [each for each in reads(*cells) if isinstance(each, ParseProblem)]


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline\n%load_ext autoreload\n%autoreload 2",
        "x = %time f()\n%timeit -n 10 -r 3 f()\n%time",
        "await f()\nasync with a as b:\n    pass",
        "  x = 1\n  y = 2",
        "for x in y:\n    %time f(x)\n    !ls\n",
        "if x:\n    ?y\n",
        "print('é😀')  # \N{LINE SEPARATOR}",
        "%cd\n%env\n%set_env\n%run",
        "cd folder",
        ">>> def f():\n...     x = 1\n...\n>>> f()",
        "KEY = <YOUR-KEY>",
        "!",
        "%",
        "%%",
        "",
        "\n\n",
    ],
)
def test_what_a_notebook_can_run_is_no_problem(cell: str) -> None:
    assert not of_problems(cell, "x = 1")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        case("a name", ["V = '1.2'", "!pip install a=={V}"], "pip install a==1.2"),
        case("with a dollar", ["V = '1.2'", "!pip install a==$V"], "pip install a==1.2"),
        case("one that changes", ["V = '1.2'\nV = '1.3'", "!pip install a=={V}"], f"pip install a=={U}"),
        case("one that nobody sets", ["!pip install a=={V}"], f"pip install a=={U}"),
        case("an expression", ["!pip install a=={f(1)}"], f"pip install a=={U}"),
        case("the interpreter", ["import sys\n!{sys.executable} -m pip install a"], "python -m pip install a"),
        case("the shell's", ["!pip install $HOME_OF_A/b"], f"pip install {U}/b"),
        case("JSON", ["""!vllm serve m --x '{"a": 1}'"""], 'vllm serve m --x {"a": 1}'),
        case("environment", ["%env V=1.2", "!pip install a==$V"], "pip install a==1.2"),
        case("environment, without a sign", ["%set_env V 1.2", "!pip install a==$V"], "pip install a==1.2"),
        case("exported for one line", ["!export V=1.2", "!pip install a==$V"], f"pip install a=={U}"),
    ],
)
def test_values_in_commands(cells: list[str], expected: str) -> None:
    assert words(*cells)[-1] == expected


def test_what_a_command_exports_is_gone_behind_it() -> None:
    assert of(EnvVar, "!export A=1") == []
    assert [(each.name, each.value) for each in of(EnvVar, "%env A=1", "%env B='x y'")] == [("A", "1"), ("B", "x y")]


def test_a_folder_holds_for_what_follows() -> None:
    commands = of(Command, "%cd a", "!cd b && pip install x", "%cd ../c", "!pip install y", "if z:\n    %cd d", "!pip install z")
    assert [each.context.workdir for each in commands if each.name == "pip"] == ["a/b", "c", U]


# ---- one module -----------------------------------------------------------------------------------------------------------------


def test_cells_are_one_module() -> None:
    calls = of(Call, "from vllm import LLM", ("markdown", "# Now"), "SIZE = 2", "LLM('m', tensor_parallel_size=SIZE)")
    assert [call.name for call in calls] == ["vllm.LLM"]
    argument = calls[0].argument("tensor_parallel_size")
    assert argument is not None
    assert argument.value == 2


def test_commands_keep_the_tests_around_them() -> None:
    commands = of(Command, "if x:\n    !pip install a\nelse:\n    !pip install b")
    assert [(each.context.conditions[0].text, each.context.conditions[0].negated) for each in commands] == [
        ("x", False),
        ("x", True),
    ]
    (command,) = of(Command, "try:\n    import a\nexcept ImportError:\n    !pip install a")
    assert command.context.conditions[0].text == "except ImportError"


def test_raw_cells_and_outputs_say_nothing() -> None:
    text = saved("x = 1", ("raw", "!pip install a"))
    text = text.replace('"outputs": []', '"outputs": [{"output_type": "stream", "text": ["!pip install a"]}]')
    assert [each for each in read(Source("a.ipynb", text)) if isinstance(each, Command)] == []


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        case("nothing", {}, 1),
        case("Python", {"kernelspec": {"language": "python", "name": "conda-env-x-py"}}, 1),
        case("Spark of another kind", {"language_info": {"name": "pyspark"}}, 1),
        case("R", {"kernelspec": {"name": "ir", "language": "R"}}, 0),
        case("R by its kernel", {"kernelspec": {"name": "ir"}}, 0),
        case("Julia", {"language_info": {"name": "julia"}}, 0),
        case("not what it should be", {"kernelspec": [1], "language_info": "python"}, 1),
    ],
)
def test_the_language_of_a_notebook(metadata: dict[str, object], expected: int) -> None:
    assert len([each for each in reads("!pip install a", **metadata) if isinstance(each, Command)]) == expected


def test_a_notebook_for_a_shell_is_one_script() -> None:
    found = reads("V=1.2", "pip install a==$V", kernelspec={"name": "bash", "language": "bash"})
    assert [" ".join(word.value for word in each.words) for each in found if isinstance(each, Command)] == ["pip install a==1.2"]


def test_files_before_version_4() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Kaggle"},
        {"cell_type": "code", "input": ["!pip install a\n", "import b"], "language": "python"},
    ]
    found = list(read(Source("a.ipynb", json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}))))
    assert [each.name for each in found if isinstance(each, Fact)] == ["pip", "b"]
    assert {each.context.section for each in found if isinstance(each, Fact)} == {("Kaggle",)}


# ---- where it is written --------------------------------------------------------------------------------------------------------


def test_a_place_is_the_line_of_the_file_and_the_cell() -> None:
    text = saved("import a", ("markdown", "x\ny"), "!echo \"é\" 😀\n%pip install 'torch==2.1' b")
    source = Source("a.ipynb", text)
    facts = [each for each in read(source) if isinstance(each, Command)]
    assert [word.span.cell for command in facts for word in command.words] == [3] * 7
    assert [source.cut(word.span) for word in facts[0].words] == ["echo", "é", "😀"]
    assert [source.cut(word.span) for word in facts[1].words] == ["%pip ", "install", "torch==2.1", "b"]
    assert [each.written for each in facts] == ['echo "é" 😀', "pip install 'torch==2.1' b"]


def test_a_value_from_another_cell_has_its_own_place() -> None:
    source = Source("a.ipynb", saved("V = '1.2'", "!pip install a=={V}"))
    (command,) = (each for each in read(source) if isinstance(each, Command))
    origin = command.words[-1].origin
    assert (source.cut(origin), origin.cell) == ("'1.2'", 1)


def test_a_cell_on_one_line_has_columns_in_it() -> None:
    source = Source("a.ipynb", saved('x = 1\n!pip install "a"\nimport b', joined=True, indent=None))
    (command,) = (each for each in read(source) if isinstance(each, Command))
    assert {word.span.line for word in command.words} == {1}
    assert source.cut(command.words[-1].span) == "a"
    assert source.text.index('\\"a\\"') + 2 == command.words[-1].span.column - 1


# ---- which machine --------------------------------------------------------------------------------------------------------------


def installed(*cells: Cell, path: str = "a.ipynb") -> dict[str, bool]:
    """The packages that are installed, and whether on another machine."""
    facts = run({path: saved(*cells)}).projects[0].facts[path]
    return {each.name: all(scope.elsewhere for scope in each.scopes) for each in facts if isinstance(each, Package)}


@pytest.mark.parametrize(
    ("test", "here"),
    [
        ("'COLAB_' in ''.join(os.environ.keys())", False),
        ("'COLAB_' not in ''.join(os.environ.keys())", True),
        ("'google.colab' in sys.modules", False),
        ("'google.colab' in str(get_ipython())", False),
        ("IN_COLAB", False),
        ("not IN_COLAB", True),
        ("isColab", False),
        ("IN_COLAB == False", True),
        ("os.environ.get('COLAB_GPU')", False),
        ("'KAGGLE_KERNEL_RUN_TYPE' in os.environ", False),
        ("os.path.exists('/kaggle')", False),
        ("os.path.exists('/content')", False),
        ("not os.path.isdir('/content')", True),
        ("torch.cuda.is_available()", True),
        ("find_spec('torch') is None or 'COLAB_' in os.environ", True),
    ],
)
def test_a_test_for_a_hosted_notebook_chooses(test: str, here: bool) -> None:
    cell = f"if {test}:\n    !pip install flash-attn\nelse:\n    !pip install xformers"
    expected = {"flash-attn": not here, "xformers": False}
    if test.startswith(("not ", "IN_COLAB =")) or " not in " in test:
        expected["xformers"] = True
    assert installed(cell) == expected


@pytest.mark.parametrize(
    ("cells", "elsewhere"),
    [
        case("its module", ["from google.colab import drive\n!pip install flash-attn"], True),
        case("its module in another cell", ["from google.colab import drive", "!pip install flash-attn"], False),
        case("its module, tried", ["try:\n    import google.colab\n    !pip install flash-attn\nexcept ImportError:\n    pass"], True),
        case("without it", ["try:\n    import google.colab\nexcept ImportError:\n    !pip install flash-attn"], False),
        case("behind the try", ["try:\n    import google.colab\n    X = True\nexcept:\n    X = False\n!pip install flash-attn"], False),
        case("its folder", ["!git clone x /content/x\n!pip install flash-attn"], True),
        case("its folder to move to", ["%cd /content\n!pip install flash-attn"], True),
        case("Kaggle's folder", ["!cp -r /kaggle/input/x .\n!pip install flash-attn"], True),
        case("a folder of the same name", ["!cp -r site/content/x .\n!pip install flash-attn"], False),
        case("a comment on top", ["# Colab only\n!pip install flash-attn"], True),
        case("a form's title", ["#@title Install (Colab)\n%%capture\n!pip install flash-attn"], True),
        case("another title", ["#@title Install\n!pip install flash-attn"], False),
        case("a heading", [("markdown", "# Setup\n## Google Colab"), "!pip install flash-attn"], True),
        case("a heading over two cells", [("markdown", "## Kaggle"), "x = 1", "!pip install flash-attn"], True),
        case("the next heading", [("markdown", "## Kaggle"), "x = 1", ("markdown", "## Locally"), "!pip install flash-attn"], False),
        case("a label", [("markdown", "**On Colab**"), "!pip install flash-attn"], True),
        case("a label for the cell before", [("markdown", "On Colab:"), "x = 1", "!pip install flash-attn"], False),
        case("prose", [("markdown", "This notebook was made on Google Colab, and runs anywhere else too."), "!pip install flash-attn"], False),
        case("a badge", [("markdown", '<a href="https://colab.research.google.com/x"><img src="colab-badge.svg"/></a>'), "!pip install flash-attn"], False),
        case("another machine's heading", [("markdown", "## AMD ROCm"), "!pip install flash-attn"], True),
        case("an open fence above", [("markdown", "## Kaggle\n```"), ("markdown", "## Locally"), "!pip install flash-attn"], False),
    ],
)  # fmt: skip
def test_cells_for_another_machine(cells: list[Cell], elsewhere: bool) -> None:
    assert installed(*cells) == {"flash-attn": elsewhere}


def test_a_notebook_for_another_machine_by_its_name() -> None:
    assert installed("!pip install flash-attn", path="Kaggle-Llama.ipynb") == {"flash-attn": True}
    assert installed("!pip install flash-attn", path="llama_colab.ipynb") == {"flash-attn": True}
    assert installed("!pip install flash-attn", path="Kaggle-Spark_TTS.ipynb") == {"flash-attn": True}
    assert installed("!pip install flash-attn", path="llama_dgx_spark.ipynb") == {"flash-attn": False}


def test_what_runs_on_colab_is_not_what_is_written_for_it() -> None:
    text = saved("from google.colab import drive\nfrom vllm import LLM\nLLM('m', tensor_parallel_size=2)")
    assert found({"a.ipynb": text}) == ["G10/tensor-parallel-exceeds-gpus"]


# ---- other languages in it ------------------------------------------------------------------------------------------------------


def test_a_file_that_a_cell_writes_is_read_as_what_it_is() -> None:
    cells = [
        "%%writefile train.py\nfrom vllm import LLM\nLLM('m', tensor_parallel_size=2)\n",
        "%%writefile -a run.sh\nvllm serve m -tp 4\n",
    ]
    facts = run({"a.ipynb": saved(*cells)}).projects[0].facts["a.ipynb"]
    sizes = [each for each in facts if isinstance(each, Setting) and each.name == "tensor_parallel_size"]
    assert [(each.number, each.span.cell) for each in sizes] == [(2, 1), (4, 2)]


def test_requirements_that_a_cell_writes_are_installed_by_another() -> None:
    write, install = "%%writefile requirements.txt\nflash-attn\n", "!pip install -r requirements.txt"
    assert installed(write, install) == {"flash-attn": False}
    assert installed(write, "x = 1") == {}


def test_examples_in_markdown_cells_are_examples() -> None:
    facts = run({"a.ipynb": saved(("markdown", "# Linux\n```bash\npip install flash-attn\n```"), "import x")}).projects[0].facts
    (package,) = (each for each in facts["a.ipynb"] if isinstance(each, Package))
    assert (package.context.fenced, package.context.section, package.span.cell) == (True, ("Linux",), 1)


def test_a_dockerfile_in_a_markdown_cell_runs_in_its_image() -> None:
    example = "```dockerfile\nFROM a AS x\nRUN pip install torch\nFROM x\nRUN pip install vllm --break-system-packages\n```\n"
    cells = ("markdown", example), ("markdown", example.replace("FROM a", "FROM b"))
    images = [command.context.image.name if command.context.image else "" for command in of(Command, *cells)]
    assert images == ["a", "a", "b", "b"]
    assert run({"a.ipynb": saved(*cells)}).report().problems == ()


def test_variables_of_examples_hold_in_the_same_cell() -> None:
    cell = ("markdown", "x\n```bash\nexport V=1.2\n```\n```bash\npip install a==$V\n```")
    (command,) = of(Command, "import x", cell)
    assert (command.words[-1].value, command.words[-1].origin.line) == ("a==1.2", command.span.line - 3)


def test_code_cells_are_no_examples() -> None:
    assert all(not each.context.fenced for each in of(Fact, "!pip install a\nimport b"))


# ---- what cannot be read --------------------------------------------------------------------------------------------------------


def test_a_cell_that_is_not_valid_costs_itself() -> None:
    text = saved("import a", "x = 1\ndef f(:\n", "!pip install b")
    found = list(read(Source("a.ipynb", text)))
    assert [each.name for each in found if isinstance(each, Fact) and not isinstance(each, Assign)] == ["a", "pip"]
    (problem,) = (each for each in found if isinstance(each, ParseProblem))
    assert text.splitlines()[problem.span.line - 1].strip().startswith('"def f(:')
    assert (problem.span.cell, "cell 2" in problem.message) == (2, True)


def test_python_2_is_said_once() -> None:
    assert [message for _, message in problems(saved("print 'a'", "print 'b'"))] == ["Python 2 code: Missing parentheses in call to 'print'. Did you mean print(...)?"]  # fmt: skip


DEEP = "(" * 3000 + ")" * 3000


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        case("text", "hello\n", 1, "not valid JSON"),
        case("cut off", saved("import a")[:-40], 0, "not valid JSON"),
        case("a conflict", saved("import a", "import b").replace('"cell_type"', "<<<<<<< HEAD\n", 1), 4, "not valid JSON"),
        case("no cells", '{"nbformat": 4}', 1, "holds no cells"),
        case("a list", "[1]", 1, "holds no cells"),
        case("more behind it", saved("import a") + "{}", 0, "something follows its end"),
        case("an open string", '{"cells": [{"source": ["a\n', 1, "a string has no end"),
        case("lists in lists", "[" * 100_000, 1, "nested too deeply"),
        case("outputs in outputs", '{"cells": [{"outputs": ' + "[" * 100_000, 1, "nested too deeply"),
        case("a deep cell", saved(f"x = {DEEP}"), 0, "nested too deeply"),
        case("a long cell", saved("# comment\n" * 20_001), 0, "longer than"),
    ],
)
def test_what_cannot_be_read_is_one_problem(text: str, line: int, message: str) -> None:
    ((found, said),) = problems(text)
    assert message in said
    assert found == line or not line


@pytest.mark.parametrize(
    "text", ["", "\n", "\ufeff \n", '{"cells": []}', '{"cells": null, "worksheets": []}', '{"cells": [1, null, {}, []]}']
)
def test_what_is_empty_says_nothing(text: str) -> None:
    assert list(read(Source("a.ipynb", text))) == []


def test_what_stands_before_the_end_is_read() -> None:
    text = saved("!pip install a", "!pip install b")
    cut = text[: text.index("install b")]
    assert [each.words[-1].value for each in read(Source("a.ipynb", cut)) if isinstance(each, Command)] == ["a"]


def test_odd_notebooks_have_all_their_facts_inside() -> None:
    parts = ["!pip install a", "%%bash", "%%writefile x.sh", "%cd /content", "'''", '"', "\\", "\n", "\n", "\n", "    ", "if x:", "else:", "\r\n", "\r", "\x00", "\ud800", "é😀",
             "{x}", "$y", "x = !ls", "import a", "# c", "%time ", "?", "(", ")", "pip install b", "```bash\n", "# T\n", "\u2028", "\x0c"]  # fmt: skip
    choice = random.Random(7)
    for number in range(200):
        cells = [
            (choice.choice(("code", "code", "markdown")), "".join(choice.choice(parts) for _ in range(20))) for _ in range(3)
        ]
        text = json.dumps(json.loads(saved(*cells, joined=bool(number % 2)))) if number % 3 else saved(*cells)
        source = Source("a.ipynb", text)
        for each in read(source):
            span = each.path.span if isinstance(each, Include) else each.span
            assert 1 <= span.line <= span.end_line <= len(source.lines)
            assert span.column - 1 <= len(source.lines[span.line - 1])
            assert span.end_column - 1 <= len(source.lines[span.end_line - 1])


@pytest.mark.parametrize(
    "cell",
    [
        case("commands", "!pip install a\n" * 500),
        case("quotes", "'" * 100_000),
        case("percents", "%" * 100_000),
        case("assignments", "a = " * 20_000),
        case("questions", "x?" * 50_000),
        case("backslashes", "!a \\\n" * 5000),
        case("braces", "!echo " + "{a" * 50_000),
        case("magics", "%%capture\n" * 10_000),
        case("times", "%time " * 20_000),
        case("indented", "\n".join(" " * (number % 50) + "!ls" for number in range(500))),
    ],
)  # fmt: skip
def test_long_cells_end(cell: str) -> None:
    assert len(problems(saved(cell))) <= 1


# ---- the funnel -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("an install", saved("!pip install flash-attn"), True),
        case("nothing", saved("x = 1", "!ls"), False),
        case("an escaped word", saved("!pip install flash-attn").replace("-attn", r"\u002dattn"), True),
        case("words of a command", saved('run(["uv", "add", "flash-attn"])'), True),
        case("a written file", saved("%%writefile Dockerfile\nFROM nvidia/cuda:12.4.0-base-ubuntu22.04"), True),
    ],
)
def test_only_what_a_rule_may_speak_of_is_read(text: str, expected: bool) -> None:
    assert worth_reading(text.encode(), interests(RULES.rules)) == expected


def test_a_given_notebook_that_is_broken_is_said_to_be() -> None:
    report = run({"a.ipynb": "{", "b.ipynb": ""}).report()
    assert [(each.path, each.line) for each in report.problems] == [("a.ipynb", 1)]


def test_a_saved_image_is_no_long_line() -> None:
    image = '"outputs": [{"data": {"image/png": "' + "A" * (2 << 20) + '"}}]'
    text = saved("!pip install flash-attn").replace('"outputs": []', image)
    report = run({"a.ipynb": text}).report()
    assert [each.code for each in report.findings] == ["G2/flash-attn-requirement"]
    assert not report.problems


# ---- suppressions and reports ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "covers"),
    [
        case("behind a command", "x = 1\n!pip install a  # spark-lint: ignore[G2] why", "!pip install a"),
        case("behind a magic", "%pip install a # spark-lint: ignore[G2]", "%pip install a"),
        case("above", "# spark-lint: ignore[G2]\n!pip install a", "!pip install a"),
        case("behind code", "x = 1  # spark-lint: ignore[G2]", "x = 1"),
        case("behind a continued one", "!pip install \\\n  a  # spark-lint: ignore[G2]", "!pip install"),
        case("in a shell's cell", "%%bash\nls\npip install a  # spark-lint: ignore[G2]", "pip install a"),
        case("in a written file", "%%writefile requirements.txt\na  # spark-lint: ignore[G2]", "a  #"),
    ],
)
def test_a_comment_in_a_cell_covers_its_statement(cell: str, covers: str) -> None:
    source = Source("a.ipynb", saved("import x", cell))
    (mark,) = suppressions(source, "notebook")
    assert source.lines[mark.first_line - 1].strip().startswith(f'"{covers}')
    assert mark.span.cell == 2


def test_what_is_suppressed_is_not_found() -> None:
    text = saved(
        "!pip install flash-attn  # spark-lint: ignore[G2/flash-attn-requirement] built before", "x = '# spark-lint: ignore[G2]'"
    )
    assert found({"a.ipynb": text}) == []


def test_reports_name_the_cell() -> None:
    from io import StringIO

    from spark_lint.report import github
    from spark_lint.report import json as as_json
    from spark_lint.report import text as as_text

    notebook = saved("import x", "!pip install flash-attn")
    line = 1 + next(number for number, each in enumerate(notebook.splitlines()) if "flash-attn" in each)
    report = run({"a.ipynb": notebook}).report()
    printed = {}
    for name, module in (("text", as_text), ("json", as_json), ("github", github)):
        out = StringIO()
        module.write(report, out)
        printed[name] = out.getvalue()
    assert printed["text"].startswith(f"a.ipynb:{line}:19: cell 2: error G2/flash-attn-requirement: ")
    assert f'  {line} |     "!pip install flash-attn"\n' in printed["text"]
    finding = json.loads(printed["json"])["findings"][0]
    assert (finding["cell"], finding["line"], finding["column"]) == (2, line, 19)
    assert f"file=a.ipynb,line={line},col=19" in printed["github"]


def test_imports_of_all_cells_are_there() -> None:
    assert [each.name for each in of(Import, "import a", "%%time\nimport b", "%matplotlib inline\nimport c")] == ["a", "b", "c"]
