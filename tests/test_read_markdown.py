"""The Markdown reader: which code of a document is read, in which language, and where its facts are written."""

import random
from collections.abc import Iterator
from typing import TypeVar

import pytest

from spark_lint.config import Config
from spark_lint.facts import (
    Assign,
    Call,
    Command,
    Entry,
    EnvVar,
    Fact,
    Image,
    Import,
    Include,
    Package,
    ParseProblem,
    Read,
    Stage,
)
from spark_lint.interests import interests
from spark_lint.kinds import MARKDOWN
from spark_lint.names import named
from spark_lint.names.containers import Containers
from spark_lint.names.headings import for_another
from spark_lint.read.markdown import read
from spark_lint.read.markdown_fences import fences
from spark_lint.text import UNKNOWN, Source

F = TypeVar("F", bound=Fact)


def facts(document: str, path: str = "README.md") -> list[Read]:
    return list(read(Source(path, document), None, Containers))


def of(kind: type[F], document: str, path: str = "README.md") -> list[F]:
    return [fact for fact in facts(document, path) if isinstance(fact, kind)]


def words(document: str) -> list[str]:
    return [" ".join(word.value for word in command.words) for command in of(Command, document)]


def sh(*lines: str, info: str = "bash") -> str:
    return "\n".join([f"```{info}", *lines, "```", ""])


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


# ---- fences ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        case("backticks", "```bash\na\nb\n```\nc", ["a\nb\n"]),
        case("tildes", "~~~bash\na\n~~~", ["a\n"]),
        case("tildes hold backticks", "~~~\n```\n~~~", ["```\n"]),
        case("longer fence holds shorter ones", "````md\n```\na\n```\n````", ["```\na\n```\n"]),
        case("closed by a longer one", "```\na\n`````\nb", ["a\n"]),
        case("not closed by one with words", "```\na\n```bash\n```", ["a\n```bash\n"]),
        case("open to the end", "```\na\nb", ["a\nb"]),
        case("empty", "```\n```", [""]),
        case("at the end of the file", "a\n```", [""]),
        case("indented", "   ```\n   a\n     b\n   ```", ["a\n  b\n"]),
        case("code less indented than its fence", "   ```\n a\n   ```", ["a\n"]),
        case("in a list", "1. x\n\n   ```\n   a\n   ```\n2. y", ["a\n"]),
        case("behind a list mark", "- ```\n  a\n  ```", ["a\n"]),
        case("in a list in a list", "- x\n  - y\n\n    ```\n    a\n    ```", ["a\n"]),
        case("in a quote", "> ```\n> a\n>   b\n> ```", ["a\n  b\n"]),
        case("in a quote in a quote", "> > ```\n> > a\n> > ```", ["a\n"]),
        case("a quote that ends", "> ```\n> a\nb\n\n```\nc\n```", ["a\n", "c\n"]),
        case("in a list in a quote", "> - ```\n>   a\n>   ```", ["a\n"]),
        case("in a tab of MkDocs", '=== "A"\n\n    ```\n    a\n    ```', ["a\n"]),
        case("with a tab sign", "\t```\n\ta\n\t```", ["a\n"]),
        case("windows lines", "```\r\na\r\n```\r\n", ["a\r\n"]),
        case("blank lines in a list", "- ```\n  a\n\n  b\n  ```", ["a\n\nb\n"]),
        case("code in a sentence", "```a``` is\n\n```\nb\n```", ["b\n"]),
        case("in a comment", "<!--\n```\na\n```\n-->\n```\nb\n```", ["b\n"]),
        case("comment on one line", "<!-- x -->\n```\na\n```", ["a\n"]),
        case("comment of MDX", "{/*\n```\na\n```\n*/}", []),
        case("comment without end", "<!--\n```\na\n```", []),
        case("front matter", "---\na: |\n  ```\n---\n```\nb\n```", ["b\n"]),
        case("a rule at the top", "---\n\n```\nb\n```", ["b\n"]),
        case("nothing", "", []),
    ],
)
def test_fences_end_where_markdown_ends_them(document: str, expected: list[str]) -> None:
    assert [fence.text.value for fence in fences(Source("a.md", document))] == expected


def test_fences_agree_with_a_markdown_parser() -> None:
    """Where both read the same language: documents of fences, quotes, lists and prose, put together at random."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("zero").enable(["fence", "blockquote", "list", "heading"])
    parts = [
        "```bash",
        "```",
        "~~~",
        "````",
        "pip install a",
        "",
        "",
        "text",
        "# Title",
        "> ```",
        "> a",
        "> ```",
        "  b",
        "   ```sh",
    ]
    choice = random.Random(2)
    for _ in range(3000):
        document = "\n".join(choice.choice(parts) for _ in range(12)) + "\n"
        ours = [(fence.info, fence.text.value.strip()) for fence in fences(Source("a.md", document)) if fence.info is not None]
        theirs = [(token.info.strip(), token.content.strip()) for token in parser.parse(document) if token.type == "fence"]
        assert ours == theirs, document


def test_every_place_leads_home() -> None:
    """Cutting a fact's span out of the file gives what is written there, whatever contains the code."""
    lines = ["pip install 'torch==2.4'", "export A=1", "python -c x"]
    for before in ("", "  ", "> ", "    ", "> > ", "1. ", "\t", "é😀> ", ">"):
        inside = before.replace("1. ", "   ") if before != "é😀> " else ""
        document = "😀\n\n" + "\n".join(
            [f"{'' if before == 'é😀> ' else before}```bash", *(inside + line for line in lines), f"{inside}```", ""]
        )
        source = Source("a.md", document)
        found = [fact for fact in read(source, None) if isinstance(fact, Fact)]
        assert [fact.span.line for fact in found] == [4, 5, 6]
        assert source.cut(found[0].span) == lines[0]
        assert [source.cut(word.span) for fact in found if isinstance(fact, Command) for word in fact.words][2] == "torch==2.4"


# ---- languages ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "info",
    [
        "bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "sh-session", "Bash", "{.bash}", "{ .bash .copy }", "bash {1,3}",
        'bash title="run.sh"', "{code-block} bash", "language-bash", "bash linenums='1'", "",
    ],
)  # fmt: skip
def test_shell_by_its_name(info: str) -> None:
    assert words(sh("pip install torch", info=info)) == ["pip install torch"]


@pytest.mark.parametrize(
    "info", ["text", "output", "log", "diff", "powershell", "bat", "cmd", "rust", "mermaid", "http", "toml", "sql", "markdown"]
)
def test_other_languages_say_nothing(info: str) -> None:
    assert facts(sh("pip is what one runs", "torch: 1", info=info)) == []


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        case("commands", "```\npip install a\nvllm serve m \\\n  --tp 2\n```", ["pip install a", "vllm serve m --tp 2"]),
        case("with comments", "```\n# first\npip install a\n```", ["pip install a"]),
        case("behind an assignment", "```\nCUDA_VISIBLE_DEVICES=0 python a.py\n```", ["python a.py"]),
        case("prompt", "```text\n$ pip install a\nok\n```", ["pip install a"]),
        case("output", "```\nLoading weights\npip is missing\n```", []),
        case("a tree", "```\nsrc/\n├── a.py\n```", []),
        case("usage", "```\nvllm serve [options]\n\noptional arguments:\n  --tp N\n  --help\n```", []),
        case("a sentence", "```\npython code goes here\nand here\nand there\n```", []),
        case("indented code", "Run\n\n    pip install a\n    pip install b\n\nEnd", ["pip install a", "pip install b"]),
        case("indented code in a list", "- Run\n\n      pip install a\n", []),
        case("indented text", "Run\n\n    some text\n", []),
        case("pre", '<pre><code class="language-bash">pip install &quot;a&gt;1&quot;\n</code></pre>', ["pip install a>1"]),
        case("pre without a language", "<pre>\npip install a\n</pre>", ["pip install a"]),
        case("prose", "Run `pip install a`, then pip install b.", []),
        case("table", "| pip install a |\n|---|\n| pip install b |", []),
    ],
)
def test_code_without_a_language(document: str, expected: list[str]) -> None:
    assert words(document) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        case("dollar", ["$ pip install a", "Collecting a", "$ python b.py"], ["pip install a", "python b.py"]),
        case("user and host", ["me@spark:~/x$ pip install a", "Collecting"], ["pip install a"]),
        case("root and host", ["root@spark:/workspace# pip install a", "Collecting"], ["pip install a"]),
        case("root of a container", ["root@0a1b2c:/# pip install a"], ["pip install a"]),
        case("environment", ["(venv) $ pip install a", "(base) me@spark:~$ pip install b"], ["pip install a", "pip install b"]),
        case("percent", ["% pip install a", "Done"], ["pip install a"]),
        case("arrow", ["➜ pip install a", "➜  x git:(main) ✗ pip install b"], ["pip install a", "pip install b"]),
        case("continued", ["$ pip install \\", "    a \\", "    b", "Collecting a"], ["pip install a b"]),
        case("continued behind a prompt", ["$ pip install \\", "> a", "Collecting a"], ["pip install a"]),
        case("here-document", ["$ cat > x <<EOF", "pip install a", "EOF", "$ python b.py", "out"], ["cat", "python b.py"]),
        case("open quote", ["$ python -c 'import torch", "print(1)'", "1"], ["python -c import torch\nprint(1)"]),
        case("comment between", ["$ pip install a", "# pip install b"], ["pip install a"]),
        case("no prompt", ["pip install a", "# pip install b", "python c.py"], ["pip install a", "python c.py"]),
    ],
)
def test_prompts(lines: list[str], expected: list[str]) -> None:
    assert words(sh(*lines)) == expected


def test_root_prompt_in_a_console() -> None:
    lines = ["# pip install a", "Collecting a", "# apt-get install b"]
    assert words(sh(*lines, info="console")) == ["pip install a", "apt-get install b"]
    assert words(sh(*lines[:1], info="bash")) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        case("angle brackets", "vllm serve <your-model> --tp 2", f"vllm serve {UNKNOWN} --tp 2"),
        case("several words", "vllm serve --tp <number of GPUs>", f"vllm serve --tp {UNKNOWN}"),
        case("in a word", "pip install torch==<version>", f"pip install torch=={UNKNOWN}"),
        case("capitals", "docker login -p YOUR_TOKEN", f"docker login -p {UNKNOWN}"),
        case("braces", "vllm serve {model}", f"vllm serve {UNKNOWN}"),
        case("template", "vllm serve {{ model }}", f"vllm serve {UNKNOWN}"),
        case("options", "docker run [OPTIONS] image", f"docker run {UNKNOWN} image"),
        case("redirections stay", "python a.py <in.txt >out.txt", "python a.py"),
        case("brace expansion stays", "pip install {a,b}", "pip install {a,b}"),
        case("extras stay", "pip install 'unsloth[cu124]' trl[all]", "pip install unsloth[cu124] trl[all]"),
        case("dots", "vllm serve ... --tp 2", "vllm serve ... --tp 2"),
    ],
)
def test_placeholders_are_unknown(line: str, expected: str) -> None:
    assert words(sh(line)) == [expected]


def test_fragments_are_no_problems() -> None:
    broken = (
        sh("if x; then", "pip install 'a") + sh("def f(:", info="python") + sh("a: [", info="yaml") + sh('{"a": ', info="json")
    )
    broken += sh("FROM", "NONSENSE x", info="dockerfile") + sh("???", info="requirements")
    assert not [fact for fact in facts(broken) if isinstance(fact, ParseProblem)]


def test_what_one_fence_exports_is_set_in_the_next() -> None:
    document = sh("export TP=2 MODEL=org/m") + sh("vllm serve $MODEL -tp ${TP}") + sh("export TP=$X") + sh("vllm serve m -tp $TP")
    assert words(document) == ["vllm serve org/m -tp 2", f"vllm serve m -tp {UNKNOWN}"]
    command = of(Command, document)[0]
    assert (command.words[2].span.line, command.words[2].origin.line) == (5, 2)


def test_python() -> None:
    document = "Text\n\n- x\n\n" + "".join(
        f"  {line}\n" for line in ("```python", "from vllm import LLM", "LLM(model='é',", "    tp=2)", "```")
    )
    imported, call = facts(document)
    assert isinstance(imported, Import)
    assert isinstance(call, Call)
    assert (imported.name, call.name) == ("vllm.LLM", "vllm.LLM")
    assert (call.span.line, call.span.column, call.span.end_line, call.span.end_column) == (7, 3, 8, 12)
    argument = call.arguments[1]
    assert (argument.name, argument.value, argument.span.line, argument.span.column) == ("tp", 2, 8, 7)
    assert (call.context.fenced, call.context.block) == (True, 1)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        case("interpreter", [">>> import torch", ">>> f(", "...   a=1)", "import wrong", "<Tensor>"], ["torch", "f"]),
        case("notebook", ["In [1]: import torch", "Out[1]: import wrong"], ["torch"]),
        case(
            "install among code",
            ["!pip install a", "import torch", "%pip install b", "%matplotlib inline"],
            ["pip", "torch", "pip"],
        ),
        case("install and code", ["!pip install \\", "  a", "import torch"], ["pip", "torch"]),
        case("cell for a shell", ["%%bash", "pip install a"], ["pip"]),
        case("broken", ["import torch", "def f(<x>): ..."], []),
    ],
)
def test_python_in_sessions_and_notebooks(lines: list[str], expected: list[str]) -> None:
    assert [fact.name for fact in facts(sh(*lines, info="python")) if isinstance(fact, (Command, Import, Call))] == expected


def test_python_is_read_only_where_a_rule_looks() -> None:
    wanted = interests(())
    assert list(read(Source("a.md", sh("import torch", info="python")), wanted)) == []


def test_yaml_and_json() -> None:
    yaml, json = of(Entry, sh("a:", "  tp: 2", info="yaml") + sh('{"b": {"tp": 4}}', info="json"))
    assert (yaml.name, yaml.value, yaml.span.line, yaml.context.block, yaml.context.fenced) == ("a.tp", 2, 3, 1, True)
    assert (json.name, json.value, json.span.line, json.span.column, json.context.block) == ("b.tp", 4, 6, 8, 2)


def test_dockerfiles_are_numbered_through() -> None:
    document = sh("FROM a AS x", "FROM x", info="dockerfile") + sh("FROM b", "RUN pip install torch", info="docker")
    stages = [read for read in facts(document) if isinstance(read, Stage)]
    assert [(stage.number, stage.parent, stage.image.name if stage.image else "") for stage in stages] == [
        (0, None, "a"),
        (1, 0, ""),
        (2, None, "b"),
    ]
    command = of(Command, document)[0]
    assert (command.context.stage, command.context.block, command.context.fenced, command.span.line) == (2, 2, True, 7)


def test_a_stage_that_is_shown_as_wrong_is_counted() -> None:
    document = sh("# Wrong:", "FROM a", "# Right:", "FROM b", info="dockerfile") + sh(
        "FROM c", "RUN pip install x", info="docker"
    )
    stages = [read for read in facts(document) if isinstance(read, Stage)]
    assert [stage.number for stage in stages] == [0, 1, 2]
    assert [image.name for image in of(Image, document)] == ["b", "c"]
    assert of(Command, document)[0].context.stage == 2


@pytest.mark.parametrize(
    "document",
    [
        case("language", sh("torch==2.4", info="requirements")),
        case("language and name", sh("torch==2.4", info="text requirements.txt")),
        case("title", sh("torch==2.4", info='text title="docker/requirements-gpu.txt"')),
        case("first line", sh("# requirements.txt", "torch==2.4", info="")),
        case("first line of text", sh("# File: requirements.txt", "torch==2.4", info="text")),
    ],
)  # fmt: skip
def test_requirements(document: str) -> None:
    assert [(package.name, package.specifier, package.context.fenced) for package in of(Package, document)] == [
        ("torch", "==2.4", True)
    ]


def test_a_comment_that_names_a_file_above_commands() -> None:
    assert words(sh("# requirements.txt", "pip install -r requirements.txt")) == ["pip install -r requirements.txt"]


@pytest.mark.parametrize("info", ["env", "dotenv", "ini", "text .env", "bash .env.local", 'sh title="gpu.env"', "properties"])
def test_variables(info: str) -> None:
    found = of(EnvVar, sh("# x", "A=1", 'B="two words"', "C = <your token>", info=info))
    assert [(each.name, each.value, each.span.line) for each in found] == [
        ("A", "1", 3),
        ("B", "two words", 4),
        ("C", UNKNOWN, 5),
    ]


def test_variables_of_other_files_say_nothing() -> None:
    assert of(EnvVar, sh("[spark0]", "A=1", info="ini") + sh("model = a", info="properties") + sh("A=1", "B=2", info="")) == []


def named_facts(document: str) -> list[Read]:
    return [each for read in facts(document) for each in named(read)]


UNIT = ("[Unit]", "Description=x", "[Service]", "Environment=A=1", "ExecStart=/usr/bin/vllm serve <model> -tp 2")


@pytest.mark.parametrize(
    "document",
    [
        case("ini", sh(*UNIT, info="ini")),
        case("systemd", sh(*UNIT, info="systemd")),
        case("no language", sh(*UNIT, info="")),
        case("a title", sh(*UNIT, info='conf title="/etc/systemd/system/vllm.service"')),
        case("its name in its first line", sh("# /etc/systemd/system/vllm@.service", *UNIT)),
    ],
)
def test_units(document: str) -> None:
    found = facts(document)
    source = Source("README.md", document)
    (variable,) = [each for each in found if isinstance(each, EnvVar)]
    (command,) = [each for each in found if isinstance(each, Command)]
    assert (source.cut(variable.span), variable.value, variable.context.fenced) == ("A=1", "1", True)
    assert [word.value for word in command.words] == ["/usr/bin/vllm", "serve", UNKNOWN, "-tp", "2"]
    assert source.cut(command.span) == "/usr/bin/vllm serve <model> -tp 2"


@pytest.mark.parametrize("lines", [("[Unit]", "Description=x"), ("[Service]", "MemoryMin=1"), ("Image=a",)])
def test_other_settings_are_no_units(lines: tuple[str, ...]) -> None:
    assert facts(sh(*lines, info="ini")) == []


@pytest.mark.parametrize(
    ("lead", "lines", "expected"),
    [
        case("an environment file", "Put this into `.env`:", ["A=1", "# x", "B=2"], ["A=1", "B=2"]),
        case("an environment file and what is no part of one", "Put this into `.env`:", ["A=1", "echo x"], []),
        case("no file", "Put this into it:", ["A=1"], []),
    ],
)
def test_prose_names_the_file(lead: str, lines: list[str], expected: list[str]) -> None:
    assert [each.written for each in of(EnvVar, f"{lead}\n\n" + sh(*lines, info=""))] == expected


PYPROJECT = (
    "[project]",
    'name = "app"',
    "dependencies = [",
    '    "torch==2.6.0",',
    "    ...",
    "]",
    "[project.optional-dependencies]",
    'gpu = ["flash-attn"]',
)
CONDA = ("[dependencies]", 'pytorch = "2.4.*"')


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        case("a title", sh(*PYPROJECT, info='toml title="pyproject.toml" hl_lines="4"'), [("torch", "", 5), ("flash-attn", "gpu", 9)]),
        case("tables of its own", sh(*PYPROJECT, info="toml"), [("torch", "", 5), ("flash-attn", "gpu", 9)]),
        case("its name as its language", sh(*PYPROJECT, info="pyproject.toml"), [("torch", "", 5), ("flash-attn", "gpu", 9)]),
        case("its name in its first line", sh("# pyproject.toml", *PYPROJECT, info="toml"), [("torch", "", 6), ("flash-attn", "gpu", 10)]),
        case("pixi's by a title", sh(*CONDA, info='toml title="ros/pixi.toml"'), [("conda/pytorch", "", 3)]),
        case("pixi's by words in a title", sh(*CONDA, info='toml title="equivalent pixi.toml"'), [("conda/pytorch", "", 3)]),
        case("pixi's by prose", "In `pixi.toml`:\n\n" + sh(*CONDA, info="toml"), [("conda/pytorch", "", 5)]),
        case("pixi's by its tables", sh("[pypi-dependencies]", 'torch = "==2.4.0"', info="toml"), [("torch", "", 3)]),
        case("Cargo's by prose", "In `Cargo.toml`:\n\n" + sh(*CONDA, info="toml"), []),
        case("nobody's", sh(*CONDA, info="toml"), []),
        case("before it was changed", sh(*PYPROJECT, info='toml title="Before"'), []),
        case("a bad example", "Don't do this:\n\n" + sh(*PYPROJECT, info="toml"), []),
    ],
)  # fmt: skip
def test_packaging_files(document: str, expected: list[tuple[str, str, int]]) -> None:
    found = of(Package, document)
    assert [(each.name, each.context.extra, each.span.line) for each in found] == expected
    assert all(each.context.fenced and each.context.block == 1 for each in found)


def test_a_tab_names_the_file() -> None:
    document = '=== "pixi.toml"\n\n' + "".join(f"    {line}\n" for line in sh(*CONDA, info="toml").splitlines())
    assert [each.name for each in of(Package, document)] == ["conda/pytorch"]


def test_other_toml_is_configuration() -> None:
    document = sh("[trainer.model]", 'attn = "<your choice>"', "n = 2", info="toml")
    source = Source("README.md", document)
    found = [(each.name, each.value, source.cut(each.span)) for each in of(Entry, document)]
    assert found == [("trainer.model.attn", UNKNOWN, 'attn = "<your choice>"'), ("trainer.model.n", 2, "n = 2")]


@pytest.mark.parametrize("info", ["makefile", "make", "Makefile", 'text title="docker/Makefile.gpu"'])
def test_makefiles(info: str) -> None:
    document = sh("IMAGE ?= a/b:1", "up:", "\tdocker run $(IMAGE)", info=info)
    (command,) = of(Command, document)
    assert [word.value for word in command.words] == ["docker", "run", "a/b:1"]
    assert (command.span.line, command.context.fenced) == (4, True)
    assert [each.text for each in command.context.conditions] == ["target up"]
    assert Source("README.md", document).cut(command.words[2].origin) == "a/b:1"


def test_justfiles() -> None:
    (command,) = of(Command, sh('serve tp="2":', "    vllm serve m -tp {{tp}}", info="just"))
    assert [word.value for word in command.words] == ["vllm", "serve", "m", "-tp", "2"]


def test_cmake() -> None:
    (assign,) = of(Assign, sh("set(CMAKE_CUDA_ARCHITECTURES 80)", info="cmake") + sh("cmake --build x", info="cmake"))
    assert (assign.name, assign.value, assign.span.line, assign.context.fenced) == ("CMAKE_CUDA_ARCHITECTURES", "80", 2, True)


def test_the_header_of_a_script() -> None:
    document = sh("# /// script", '# dependencies = ["flash-attn"]', "# ///", "import torch", info="python")
    (package,) = [each for each in named_facts(document) if isinstance(each, Package)]
    assert (package.name, package.manager, package.span.line, package.context.fenced) == ("flash-attn", "uv", 3, True)


def test_a_title_is_a_label() -> None:
    assert of(Command, sh("pip install a", info='bash title="ROCm"'))[0].context.section == ("ROCm",)
    assert for_another(("ROCm",))


# ---- what is above --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lead",
    [
        "Don't do this:", "Do **not** run this:", "❌ Bad", "Wrong:", "**Before:**", "Old way:", "This does not work:", "This won't work on arm:",
        "The following command fails:", "Never run", "Avoid:", "Instead of", "### Wrong", "## ❌ Broken", "Before\n------", "Not recommended:", "Known not to work on a Spark:", "DGX Spark では動きません:", "不支持 aarch64：",
        "Wrong (fails on arm):", "## Deprecated options", "## Old way", "Please don't run this:", "Run as root. This will fail:",
    ],
)  # fmt: skip
def test_negative_examples_are_silent(lead: str) -> None:
    assert facts(f"{lead}\n\n{sh('pip install flash-attn')}") == []


@pytest.mark.parametrize(
    "lead",
    [
        "If this fails, run:", "Before you begin, install torch:", "Don't forget to install torch:", "If pip does not work, use:", "Run:", "After:", "To see the output, run:",
        "This works:", "## Before you start", "Do not use pip; install the wheel:", "Never build it, use the wheel:", "Old hardware needs this:",
        "Never mind, run it again.", "## Install", "The old way failed, so now we use:",
    ],
)  # fmt: skip
def test_remedies_are_read(lead: str) -> None:
    assert words(f"{lead}\n\n{sh('pip install flash-attn')}") == ["pip install flash-attn"]


@pytest.mark.parametrize("lead", ["Output:", "Example output:", "**The expected output is:**", "You should see:"])
def test_what_was_printed_is_silent(lead: str) -> None:
    assert words(f"{lead}\n\n{sh('pip install flash-attn')}") == []


def test_a_negative_heading_ends_with_its_section() -> None:
    assert words("## Wrong\n" + sh("a") + "### More\n" + sh("b") + "## Right\n" + sh("c")) == ["b", "c"]


def test_comments_that_call_the_code_wrong() -> None:
    lines = [
        "# wrong:",
        "pip install a",
        "pip install b",
        "",
        "pip install c",
        "# ❌",
        "pip install d",
        "# right",
        "pip install e",
        "# don't",
        "pip install f",
    ]
    assert words(sh(*lines)) == ["pip install c", "pip install e"]


def test_comments_are_labels() -> None:
    lines = [
        "# CUDA",
        "pip install a",
        "# AMD ROCm",
        "# the newest",
        "pip install b",
        "pip install c",
        "",
        "pip install d",
        "pip install e  # on Windows",
    ]
    found = {command.words[2].value: for_another(command.context.section) for command in of(Command, sh(*lines))}
    assert found == {"a": False, "b": True, "c": True, "d": False, "e": True}


@pytest.mark.parametrize(
    "path", ["CHANGELOG.md", "docs/changelog.md", "HISTORY.md", "RELEASE_NOTES.md", "release-notes.md", "NEWS.md", "dev/LOG.md"]
)
def test_history_is_silent(path: str) -> None:
    assert facts(sh("pip install torch"), path) == []
    assert facts("## Changelog\n" + sh("pip install torch")) == []
    assert facts("## Release process\n" + sh("pip install torch")) != []


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        case("headings", "# A\n## B\n### C\n## D\n", ("A", "D")),
        case("underlined", "A\n===\nB\n---\n", ("A", "B")),
        case("of HTML", "<h2>A</h2>\n", ("A",)),
        case("without markup", "# [A](x) **b** `c` #\n", ("A b c",)),
        case("underscores", "# _A_ x86_64 __b__\n", ("A x86_64 b",)),
        case("tab of MkDocs", '# A\n\n=== "ROCm"\n\n    ', ("A", "ROCm")),
        case("next tab of MkDocs", '=== "CUDA"\n\n    x\n\n=== "ROCm"\n\n    ', ("ROCm",)),
        case("behind the tabs of MkDocs", '=== "ROCm"\n\n    x\n\nText.\n\n', ()),
        case("tab of Docusaurus", '<TabItem value="rocm" label="AMD">\n\n', ("rocm AMD",)),
        case("behind a tab of Docusaurus", '<TabItem value="rocm">\n\n</TabItem>\n\n', ()),
        case("tab of MyST", "::::{tab-set}\n:::{tab-item} ROCm\n\n", ("ROCm",)),
        case("behind a tab of MyST", "::::{tab-set}\n:::{tab-item} ROCm\n:::\n::::\n", ()),
        case("details", "<details>\n<summary>On Windows</summary>\n\n", ("On Windows",)),
        case("details on one line", "<details><summary><b>On Windows</b></summary>\n\n", ("On Windows",)),
        case("behind details", "<details>\n<summary>On Windows</summary>\n\n</details>\n", ()),
        case("label", "# A\n\n**On Windows:**\n", ("A", "On Windows:")),
        case("sentence", "# A\n\nThis is what one does on Windows, or on any other system that has it.\n", ("A",)),
        case("comment in a fence is no heading", "# A\n" + sh("# B"), ("A",)),
    ],
)
def test_headings_tabs_and_labels(before: str, expected: tuple[str, ...]) -> None:
    indent = "    " if before.endswith("    ") else ""
    document = before + sh("pip install a").replace("\n", f"\n{indent}")
    assert of(Command, document)[-1].context.section == expected


@pytest.mark.parametrize(
    "section",
    [
        ("Install", "Windows"), ("AMD ROCm",), ("macOS",), ("Google Colab",), ("CPU only",), ("CPU",), ("Apple silicon",), ("8xH100",), ("On an A100:",),
        ("NVIDIA H100",), ("Intel Gaudi",), ("Intel GPU",), ("TPU", "Install"), ("NVIDIA", "AMD"),
        ("vLLM on DGX Station",), ("DGX H100",),
        ("Linux x86_64",), ("macOS (arm64)",), ("ROCm on Linux",), ("Windows (WSL2)",), ("NVIDIA Jetson (aarch64)",),
        ("8xMI300x/MI325x",), ("MI355X Deployment",), ("8xH200 / 8xMI300X (FP8)", "Tensor Parallel — CUDA"), ("Intel Xeon 6 (CPU)",), ("Windows", "NVIDIA"),
        ("RTX 4090",), ("Linux", "RTX 30XX only"), ("Install PyTorch 2.6.0 for GTX 10XX - 16XX",), ("RTX Quadro - 20XX",), ("RTX 3080 Ti",), ("On Hetzner",), ("On an RTX A6000:",), ("On other machines:",), ("AWS p5.48xlarge",),
    ],
)  # fmt: skip
def test_headings_that_name_another_machine(section: tuple[str, ...]) -> None:
    assert for_another(section)


@pytest.mark.parametrize(
    "section",
    [
        (), ("Install",), ("Linux and Windows",), ("NVIDIA and AMD",), ("DGX Spark",), ("H100 and DGX Spark",), ("ROCm", "NVIDIA CUDA"), ("CPU offloading",),
        ("x86_64 and aarch64",), ("Windows", "Linux"), ("Training",),
        ("Ubuntu / Windows",), ("Linux (aarch64)",), ("NVIDIA GPU on Linux",), ("Linux, macOS",), ("NVIDIA CUDA, AMD ROCm",), ("NVIDIA and AMD MI300X",), ("RTX 5090",), ("RTX 4090 / 5090",), ("RTX 40XX, 50XX only",), ("GTX 10XX - RTX 50XX",), ("RTX PRO 6000",), ("AWS, or a DGX Spark",),
    ],
)  # fmt: skip
def test_headings_that_do_not(section: tuple[str, ...]) -> None:
    assert not for_another(section)


# ---- inside containers ----------------------------------------------------------------------------------------------------------

_RUN = "docker run --gpus all -it --rm nvcr.io/nvidia/pytorch:25.11-py3"


@pytest.mark.parametrize(
    ("document", "inside"),
    [
        case("same fence", sh(_RUN, "pip install a"), True),
        case("next fence", sh(_RUN) + sh("pip install a"), True),
        case("with sudo and a shell", sh(f"sudo {_RUN} bash") + sh("pip install a"), True),
        case("login shell", sh(f"{_RUN} /bin/bash -l") + sh("pip install a"), True),
        case("deeper heading", "## A\n" + sh(_RUN) + "### B\n" + sh("pip install a"), True),
        case("next heading", "## A\n" + sh(_RUN) + "## B\n" + sh("pip install a"), False),
        case("next step", "## Step 3. Run\n" + sh(_RUN) + "## Step 4. Install\n" + sh("pip install a"), True),
        case("behind the steps", "## 1. Run\n" + sh(_RUN) + "## Two boxes\n" + sh("pip install a"), False),
        case("higher heading", "# A\n## 1. Run\n" + sh(_RUN) + "# B\n## 1. Install\n" + sh("pip install a"), False),
        case("exit", sh(_RUN, "exit", "pip install a"), False),
        case("docker again", sh(_RUN) + sh("docker ps", "pip install a"), False),
        case("another terminal", sh(_RUN) + "\nIn another terminal:\n\n" + sh("pip install a"), False),
        case("with a command", sh(f"{_RUN} python a.py") + sh("pip install a"), False),
        case("a shell with a command", sh(f"{_RUN} bash -c 'ls'") + sh("pip install a"), False),
        case("detached", sh(_RUN.replace("-it", "-d")) + sh("pip install a"), False),
        case("not interactive", sh(_RUN.replace("-it ", "")) + sh("pip install a"), False),
        case("entered", sh(_RUN.replace("-it", "-d --name box")) + sh("docker exec -it box bash", "pip install a"), True),
        case("an image that starts a server", sh("docker run -it vllm/vllm-openai:v0.11.0") + sh("pip install a"), False),
        case("Dockerfile", sh(_RUN) + sh("FROM python:3.12", "RUN pip install a", info="dockerfile"), False),
        case("Python", sh(_RUN) + sh("!pip install a", info="python"), True),
    ],
)
def test_what_follows_an_interactive_container_runs_in_it(document: str, inside: bool) -> None:
    command = of(Command, document)[-1]
    assert command.name == "pip"
    image = command.context.image
    assert (image.reference if image else "") == ("nvcr.io/nvidia/pytorch:25.11-py3" if inside else "")


@pytest.mark.parametrize("lines", [["docker run -it $IMAGE"], ["docker run -it <image> bash"], ["docker exec -it box bash"]])
def test_a_container_of_an_unknown_image_is_a_container(lines: list[str]) -> None:
    image = of(Command, sh(*lines, "pip install a"))[-1].context.image
    assert image is not None
    assert image.name == UNKNOWN


def test_another_entry_program_is_a_shell_too() -> None:
    command = of(Command, sh("docker run -it --entrypoint bash vllm/vllm-openai:v0.11.0", "pip install a"))[-1]
    assert command.context.image is not None
    assert command.context.image.name == "vllm/vllm-openai"


def test_the_container_itself_is_started_outside() -> None:
    assert [command.context.image for command in of(Command, sh(_RUN) + sh("docker ps"))] == [None, None]


# ---- hostile input --------------------------------------------------------------------------------------------------------------


def _hostile() -> Iterator[tuple[str, str]]:
    yield "open fences", "```bash\n" * 50_000
    yield "quotes", ">" * 100_000 + "```bash\na"
    yield "list marks", "- " * 50_000 + "```bash\na"
    yield "backticks", "`" * 200_000
    yield "headings", "# a\n## b\n" * 50_000
    yield "tabs", "<TabItem value='a'>\n" * 50_000 + sh("a")
    yield "indented tabs", "".join(f'{" " * at}=== "a"\n' for at in range(300)) + sh("a")
    yield "comments", "<!-- \n" * 50_000
    yield "angle brackets", sh("<" * 100_000)
    yield "braces", sh("{" * 100_000)
    yield "prompts", sh(*["$ a '"] * 5_000)
    yield "markup", "*" * 100_000 + "\n" + "[" * 100_000 + "\n" + sh("a")
    yield "entities", "<pre>" + "&lt;<b" * 50_000
    yield "labels", "does not " * 20_000 + "\n" + sh("a")
    yield "requirements", sh("(" * 10_000, info="requirements")
    yield "comments in code", sh(*["# a"] * 50_000, "a")
    yield "tables", sh("[" * 90_000, info="toml") + sh("[[tool.a." * 10_000, info="toml")
    yield (
        "blanks",
        sh(" " * 90_000 + "x", info="toml") + sh("#" + " " * 90_000 + "x", info="ini") + sh(" " * 90_000 + "A", info="ini"),
    )
    yield "a unit", sh("[Service]", "ExecStart=" + "a;b " * 20_000, info="ini")
    yield "titles", sh("a", info="toml title=" + "a." * 50_000)
    yield "a recipe", sh("a:", "\t$(" + "$(a" * 20_000, info="make") + sh("a:", "    {{" + "{{a" * 20_000, info="just")
    yield "a long fence", sh("pip install a\n" * 20_000)
    yield "many fences", sh("pip install a") * 20_000


@pytest.mark.parametrize(("name", "document"), [case(name, name, document) for name, document in _hostile()])
def test_hostile_documents_are_read_without_a_problem(name: str, document: str) -> None:
    source = Source("a.md", document)
    for each in read(source, None, Containers):
        assert not isinstance(each, ParseProblem), name
        span = each.path.span if isinstance(each, Include) else each.span
        assert 1 <= span.line <= len(source.lines)


def test_random_documents_have_all_their_facts_inside() -> None:
    parts = ["```bash", "```python", "```yaml", "```json", "```dockerfile", "```", "~~~", "> ", "- ", "    ", "\t", "$ ", ">>> ", "\\", "<<EOF", "EOF", "'", "é😀",
             "pip install torch==2.4 ", "import a", "a: 1", '{"a": 1}', "FROM x", "\r\n", "\n", "\n", "\n", "<x>", "<!--", "-->", "# t", '=== "a"', "!pip x",
             "```toml\n", "```ini\n", "```make\n", "```just\n", "```cmake\n", "```env\n", "[Service]\n", "ExecStart=a -b\n", "[tool.uv.sources]\n", 'a = {index = "b"}\n',
             "x:\n\ty\n", "set(A 1)\n", "# /// script\n", "# ///\n"]  # fmt: skip
    choice = random.Random(5)
    for _ in range(600):
        source = Source("a.md", "".join(choice.choice(parts) for _ in range(40)))
        for each in read(source, None, Containers):
            if isinstance(each, Fact):
                assert source.text[source.offset(each.span.line, each.span.column) :] or each.span.line == len(source.lines)
                assert each.span.end_line <= len(source.lines)
                assert each.context.fenced


# ---- in a run -------------------------------------------------------------------------------------------------------------------


def test_a_document_is_read_in_a_run() -> None:
    from spark_lint.check import check_texts
    from spark_lint.load import RuleSet

    run = check_texts(
        {"README.md": "## Windows\n" + sh("pip install a") + "## Linux\n" + sh("pip install b")}, Config(), rules=RuleSet((), {})
    )
    assert run.documents["README.md"].kind == MARKDOWN
    scopes = {
        fact.name: [scope.elsewhere for scope in fact.scopes]
        for fact in run.projects[0].facts["README.md"]
        if isinstance(fact, Package)
    }
    assert scopes == {"a": [True], "b": [False]}


def test_a_heading_below_the_container_leads_out_of_it() -> None:
    text = "# A\n\n```bash\ndocker run -it img\n```\n\n```bash\npip install a\n```\n\n## {}\n\n```bash\npip install b\n```\n"
    for title, inside in (("Install", True), ("Without Docker", False), ("Bare metal", False), ("Native install", False)):
        commands = [each for each in read(Source("README.md", text.format(title)), None, Containers) if isinstance(each, Command)]
        assert [each.context.image is not None for each in commands if each.name == "pip"] == [True, inside]
