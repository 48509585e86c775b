"""The filters before libcst are honest: no Python file that a rule has something to say about is left out."""

import ast

import pytest

from spark_lint.interests import interests
from spark_lint.load import load
from spark_lint.pages import page
from spark_lint.read.funnel import Interests, fold, holds, of_file, worth_parsing

RULES = load()
WANTED = interests(RULES.rules)
MARKED = [
    pytest.param(fence.file, fence.text, id=f"{each.stem}:{fence.line}")
    for each in sorted({rule.path for rule in RULES.rules})
    for example in page(each.with_suffix(".md")).examples
    for fence in example.fences
    if fence.file.endswith(".py") and fence.marks
]


@pytest.mark.parametrize(("file", "code"), MARKED)
def test_code_with_a_finding_passes_both_filters(file: str, code: str) -> None:
    assert worth_parsing(code.encode(), of_file(file, WANTED))
    assert holds(ast.parse(code), of_file(file, WANTED))


def test_there_is_such_code() -> None:
    assert len(MARKED) > 20


@pytest.mark.parametrize(
    "code",
    [
        "import math\nprint(math.pi)\n",
        "import torch\nx = torch.zeros(1)\n",
        "import tensorflow as tf\nimport jax\n",
        "raise ImportError('pip install something')\n",
        "requests.get('http://example.invalid')\n",
    ],
)
def test_ordinary_code_is_filtered_by_its_bytes(code: str) -> None:
    assert not worth_parsing(code.encode(), WANTED)


@pytest.mark.parametrize(
    "code",
    [
        "'''set attn_implementation as you like'''\n",
        "# attn_implementation\n",
        "print('use attn_implementation')\n",
        "raise ImportError('pip install flash-attn')\n",
        "import subprocess\nprint('docker')\n",
        "import subprocess  # pip install\nsubprocess.run(['ls', 'datasets', 'torch'])\n",
        "import subprocess  # /etc/pip/constraint.txt\nsubprocess.run(['rm', '-rf', 'out'])\n",
        "import torch  # docker\ncuda = torch.device('cuda')\nplatforms = environments = None\n",
    ],
)
def test_code_that_only_talks_about_it_is_filtered_by_its_syntax(code: str) -> None:
    assert not holds(ast.parse(code), WANTED)


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess\nsubprocess.run(['uv', 'add', 'torch==2.6.0'])\n",
        "import subprocess\nsubprocess.run(['conda', 'create', '-n', 'a', 'pytorch-cuda=12.4'])\n",
        "import os\nTOOL = 'pip install'\nos.system(TOOL + ' torch==2.6.0')\n",
        "import os\nos.environ.update(PIP_INDEX_URL='https://download.pytorch.org/whl/cu121')\nos.system('pip download x')\n",
        "import os\nos.system('rm -f /etc/pip/constraint.txt')\n",
        'import os\nos.system("""kubectl apply -f - <<E\nspec: {nodeSelector: {kubernetes.io/arch: amd64}}\nE""")\n',
    ],
)
def test_the_words_of_a_command_may_stand_in_several_texts(code: str) -> None:
    assert worth_parsing(code.encode(), WANTED)
    assert holds(ast.parse(code), WANTED)


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("f(attn_implementation=x)", "attn-implementation"),
        ("d['attn_implementation'] = 1", "attn-implementation"),
        ("c._attn_implementation = 1", "attn-implementation"),
        ("x = {'attn_implementation': 1}", "attn-implementation"),
        ("def f(attn_implementation='a'): pass", "attn-implementation"),
        ("from unsloth import A", "unsloth"),
        ("import unsloth.models", "unsloth"),
        ("import os\nos.environ['TORCH_CUDA_ARCH_LIST'] = '8.0'", "torch-cuda-arch-list"),
        ("p.add_argument('--tp', default=2)", "tp"),
        ("setattr(c, 'attn_implementation', 1)", "attn-implementation"),
    ],
)
def test_every_place_of_a_name_is_seen(code: str, word: str) -> None:
    assert holds(ast.parse(code), Interests(((word.encode(),),), frozenset({word})))


def test_names_are_folded_before_they_are_compared() -> None:
    assert fold(b"Attn_Implementation.X") == b"attn-implementation-x"
