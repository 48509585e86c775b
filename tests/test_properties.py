"""What holds for every reader whatever the bytes: facts or a problem, never an exception; places inside the file; twice the same."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from spark_lint import files
from spark_lint.config import Config
from spark_lint.documents import Document
from spark_lint.files import Found
from spark_lint.interests import interests
from spark_lint.load import load
from spark_lint.pages import page
from spark_lint.reading import Reader
from spark_lint.text import Source, Span

RULES = load()
INTERESTS = interests(RULES.rules)

KINDS = {
    "requirements.txt": files.REQUIREMENTS, "Dockerfile": files.DOCKERFILE, "run.py": files.PYTHON, "setup.py": files.PYTHON,
    "run.sh": files.SHELL, "compose.yaml": files.YAML, "config.json": files.JSON, "README.md": files.MARKDOWN,
    "pyproject.toml": files.TOML, "pixi.toml": files.TOML, "setup.cfg": files.SETUP_CFG, "train.ipynb": files.NOTEBOOK,
}  # fmt: skip

# What the syntaxes are made of, for the changes that random characters hit too seldom.
PIECES = (
    '"', "'", "`", "```", "\\", "\\\n", "\n", "\r\n", "\r", "\t", "  ", "#", "# ", "!", "%", "%%bash\n", "!pip install torch\n", "{", "}",
    "[", "]", "(", ")", "{{ x }}", "{% if x %}", "${X}", "${X:-", "$(", "<<EOF\n", "EOF\n", "&&", "||", ";", "|", ">", "@", "==", "=", "- ", ": ",
    "&a ", "*a", "|-\n", "---\n", ",", "\\u0041", "\\ud800", "\ufeff", "\x00", "\x85", "\u2028", "é", "🔥", '"""', "'''", "# /// script\n", "[[a]]\n", "[a.b]\n",
    "-r x.txt\n", "--index-url ", "flash-attn", "torch==2.9.1", "RUN ", "FROM ", "if x:\n", "else:\n", "case x in\n", "esac\n", "fi\n", "[project]\n", "[options]\n",
)  # fmt: skip


def seeds(name: str) -> list[str]:
    """Files of this kind that mean something: the examples on the rules' pages."""
    found = dict.fromkeys(text for kind, text in _examples() if kind == KINDS[name] and len(text) < 4000)
    own = [text for path, text in OWN.items() if path == name]
    return [*own, *found]


def _examples() -> Iterator[tuple[str, str]]:
    for path in sorted((Path(__file__).parent.parent / "rules").glob("g*/*.md")):
        if path.name == "README.md":
            continue
        for each in page(path).examples:
            yield from ((files.kind_of(fence.file), fence.text) for fence in each.fences)


# Kinds of which the pages show too little.
OWN = {
    "pyproject.toml": '[project]\nname = "a"\nrequires-python = ">=3.10"\ndependencies = ["torch==2.9.1", "x; sys_platform == \'linux\'"]\n'
    "[project.optional-dependencies]\ngpu = [\n  'flash-attn',  # slow\n]\n[tool.uv.sources]\ntorch = { index = \"c\" }\n[[tool.uv.index]]\n"
    'name = "c"\nurl = "https://download.pytorch.org/whl/cu124"\nexplicit = true\n[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "^2.4"\n',
    "pixi.toml": '[workspace]\nname = "a"\nchannels = ["conda-forge"]\nplatforms = ["linux-64"]\n[dependencies]\npytorch-gpu = "*"\n'
    '[pypi-dependencies]\ntorch = { version = "==2.9.1", index = "https://download.pytorch.org/whl/cu124" }\n',
    "setup.cfg": "[metadata]\nname = a\n[options]\ninstall_requires =\n    torch==2.9.1\n    flash-attn; python_version > '3.8'\n"
    "[options.extras_require]\ngpu =\n  xformers\n",
    "setup.py": "from setuptools import setup\nextras = {'gpu': ['flash-attn']}\nextras['all'] = extras['gpu'] + ['torch==2.9.1']\n"
    "setup(name='a', install_requires=['torch==2.9.1'] + open('r.txt').read().split(), extras_require=extras)\n",
    "train.ipynb": '{"cells": [{"cell_type": "markdown", "source": "# A"}, {"cell_type": "code", "outputs": [], "source": ["!pip install flash-attn\\n", '
    '"from transformers import AutoModel\\n", "if x:\\n", "    %pip install torch==2.9.1\\n", "AutoModel.from_pretrained(\'a\', attn_implementation=\\"flash_attention_2\\")"]}, '
    '{"cell_type": "code", "source": "%%bash\\npip install torch==2.9.1\\n"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n',
}


def read(name: str, data: bytes) -> tuple[Document, Source, list[str]]:
    """A file as the run reads it: its document, what its places are in, and what was said to be wrong with it."""
    reader = Reader(Config(), INTERESTS, {name: data})
    document = reader.read(Found(name, KINDS[name], given=True))
    return document, reader.sources[name], [problem.message for problem in reader.failed]


def places(document: Document) -> Iterator[Span]:
    for fact in document.facts:
        yield from (fact.span, fact.origin)
    for include in document.includes:
        yield include.path.span
    for problem in document.problems:
        yield problem.span
    for stage in document.stages:
        yield stage.span


def inside(span: Span, source: Source) -> bool:
    """Whether a place is in a file: lines and columns that exist, the end not before the start."""
    if not 1 <= span.line <= span.end_line <= len(source.lines):
        return False
    # A place may end behind the line's end, which is one character or two.
    first, last = (len(source.lines[line - 1]) + 2 for line in (span.line, span.end_line))
    in_order = (span.line, span.column) <= (span.end_line, span.end_column)
    return in_order and 1 <= span.column <= first and 1 <= span.end_column <= last


def holds_for(name: str, data: bytes) -> None:
    document, source, wrong = read(name, data)
    assert not [each for each in wrong if each.startswith("could not be read:")]
    outside = [span for span in places(document) if not inside(span, source)]
    assert not outside
    again, _, _ = read(name, data)
    assert repr(again) == repr(document)


def changed(text: str, seed: int) -> str:
    """A file with a few changes: something cut out, something put in, a piece doubled, two pieces swapped."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 6)):
        at, to = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
        to = min(to, at + chance.choice((1, 3, 20, 200)))
        match chance.randint(0, 4):
            case 0:
                text = text[:at] + text[to:]
            case 1 | 2:
                text = text[:at] + chance.choice(PIECES) + text[at:]
            case 3:
                text = text[:at] + text[at:to] * chance.choice((2, 3, 50)) + text[to:]
            case _:
                text = text[:at] + chance.choice(PIECES) * chance.choice((1, 2, 40)) + text[to:]
    return text


THOROUGH = int(os.environ.get("SPARK_LINT_THOROUGH", "1"))
"""How many times as many files are tried as in an ordinary run, which takes the same ones every time."""
ALWAYS = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)


@pytest.mark.parametrize("name", KINDS)
@settings(ALWAYS, max_examples=60 * THOROUGH)
@example(b"")
@example(b"\xef\xbb\xbf")
@example(b"\xff\xfe\x00")
@given(data=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace"))))
def test_any_bytes_give_facts_or_a_problem(name: str, data: bytes) -> None:
    holds_for(name, data)


@pytest.mark.parametrize("name", KINDS)
@settings(ALWAYS, max_examples=120 * THOROUGH)
@given(chosen=st.integers(0, 10_000), seed=st.integers(0, 2**32))
def test_a_file_with_changes_gives_facts_or_a_problem(name: str, chosen: int, seed: int) -> None:
    found = seeds(name)
    holds_for(name, changed(found[chosen % len(found)], seed).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", KINDS)
def test_an_unchanged_file_is_read_without_a_problem(name: str) -> None:
    read_well = [text for text in seeds(name) if not (lambda each: each[2] or each[0].problems)(read(name, text.encode()))]
    assert len(read_well) > len(seeds(name)) * 0.9
