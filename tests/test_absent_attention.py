"""What needs flash-attn or xformers on a machine that has neither: how bad it is, and where nobody is told."""

import pytest
from projects import found, run

FLASH = "G2/unguarded-flash-attn-import"
XFORMERS = "G2/xformers-attention"
IMPORT = "from flash_attn import flash_attn_func\n"
MAIN = 'if __name__ == "__main__":\n    main()\n'
BUILD = {"setup.sh": "pip install torch\nMAX_JOBS=4 pip install --no-build-isolation flash-attn==2.8.3.post1\n"}
ISOLATED = {"setup.sh": "pip install flash-attn\n"}


def severities(files: dict[str, str], code: str) -> dict[str, str]:
    """The worst that is said of each file."""
    return {path: severity for path, _, rule, severity in found(files) if rule == code}


@pytest.mark.parametrize(
    ("what", "files", "expected"),
    [
        ("a program", {"train.py": IMPORT + MAIN}, {"train.py": "error"}),
        ("what a script starts", {"train.py": IMPORT, "run.sh": "python train.py\n"}, {"train.py": "error"}),
        ("a module", {"model.py": IMPORT}, {"model.py": "warning"}),
        ("a module called after it", {"flash_attention.py": IMPORT}, {"flash_attention.py": "info"}),
        ("a module in a folder called after it", {"flash/model.py": IMPORT}, {"flash/model.py": "info"}),
        ("an example", {"README.md": f"```python\n{IMPORT}```\n"}, {"README.md": "warning"}),
        ("a program, where flash-attn is built", {"train.py": IMPORT + MAIN, **BUILD}, {"train.py": "warning"}),
        ("a module, where flash-attn is built", {"model.py": IMPORT, **BUILD}, {"model.py": "info"}),
        ("an install that fails", {"train.py": IMPORT + MAIN, **ISOLATED}, {"train.py": "error"}),
        ("FlashAttention 3, where 2 is built", {"a.py": "import flash_attn_interface\n" + MAIN, **BUILD}, {"a.py": "error"}),
        ("a test", {"tests/test_a.py": IMPORT}, {}),
        ("behind a test that nobody knows", {"a.py": f"if FAST:\n    {IMPORT}"}, {}),
        ("where another package has its own", {"a.py": f"try:\n    import own\nexcept ImportError:\n    {IMPORT}"}, {}),
    ],
)
def test_an_import_of_flash_attn(what: str, files: dict[str, str], expected: dict[str, str]) -> None:
    assert severities(files, FLASH) == expected, what


def test_a_file_is_reported_once_at_the_first_import_that_stops_it() -> None:
    text = f"try:\n    {IMPORT}except ImportError:\n    pass\nimport flash_attn.losses\nimport flash_attn.ops\n{IMPORT}"
    assert [line for _, line, code, _ in found({"model.py": text}) if code == FLASH] == [5]


def test_an_image_from_which_it_was_uninstalled_has_none() -> None:
    docker = 'FROM nvcr.io/nvidia/pytorch:25.11-py3\nRUN pip uninstall -y flash-attn\nCOPY a.py .\nCMD ["python", "a.py"]\n'
    assert severities({"Dockerfile": docker, "a.py": IMPORT}, FLASH) == {"a.py": "error"}


@pytest.mark.parametrize(
    ("path", "text", "severity"),
    [
        ("a.sh", "accelerate launch train.py --enable_xformers_memory_efficient_attention\n", "error"),
        ("a.sh", "python launch.py --xformers --api\n", "error"),
        ("a.sh", 'export COMMANDLINE_ARGS="--medvram --xformers"\n', "error"),
        ("a.sh", "export VLLM_ATTENTION_BACKEND=XFORMERS\n", "info"),
        ("a.sh", "vllm serve m --attention-backend XFORMERS\n", "error"),
        ("a.yaml", "enable_xformers_memory_efficient_attention: True\n", "error"),
        ("a.yaml", "attn_implementation: xformers\n", "error"),
        ("a.json", '{"model_name_or_path": "m", "xformers": true}', "warning"),
        ("a.py", "pipe.enable_xformers_memory_efficient_attention()\n", "error"),
        ("a.py", 'config = {"enable_xformers_memory_efficient_attention": True}\n', "error"),
        ("a.py", "import xformers.ops\n", "warning"),
        ("a.py", f"import xformers.ops\n{MAIN}", "error"),
        ("attention/xformers.py", "import xformers.ops\n", "info"),
        ("README.md", "```python\nimport xformers.ops\n```\n", "warning"),
    ],
)
def test_what_asks_for_xformers(path: str, text: str, severity: str) -> None:
    assert severities({path: text}, XFORMERS) == {path: severity}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.sh", "python launch.py --disable-xformers --xformers-flash-attention\n"),
        ("a.sh", 'export COMMANDLINE_ARGS="--opt-sdp-attention"\n'),
        ("a.sh", "python train.py --xformers=$XFORMERS\n"),
        ("a.yaml", "xformers: false\n"),
        ("a.py", "model = make(use_xformers=True, xformers=True)\n"),
        ("a.py", "if opt.use_xformers:\n    pipe.enable_xformers_memory_efficient_attention()\n"),
        ("a.py", "def f(op):\n    pipe.enable_xformers_memory_efficient_attention(op)\n"),
        ("a.py", "unet.set_use_memory_efficient_attention_xformers(False)\n"),
        ("a.py", "def f():\n    import xformers.ops\n"),
        ("pyproject.toml", '[tool.uv.sources]\nxformers = { index = "own" }\n'),
    ],
)
def test_what_does_not_ask_for_xformers(path: str, text: str) -> None:
    assert severities({path: text}, XFORMERS) == {}


def test_a_wheel_from_another_index_may_exist() -> None:
    text = "FROM nvcr.io/nvidia/pytorch:25.11-py3\n{}CMD python launch.py --xformers\n"
    own = "RUN pip install xformers --index-url https://pypi.example.com/simple\n"
    assert severities({"Dockerfile": text.format(own)}, XFORMERS) == {}
    assert severities({"Dockerfile": text.format("RUN pip install xformers\n")}, XFORMERS) == {"Dockerfile": "error"}


@pytest.mark.parametrize(
    ("path", "text", "advice"),
    [
        ("a.yaml", "xformers_attention: true\n", "xformers_attention: false"),
        ("a.py", "def f(enable_xformers_memory_efficient_attention: bool = True): ...\n", "bool = False"),
        ("a.sh", "python launch.py --xformers\n", "no --xformers"),
        ("a.sh", 'export COMMANDLINE_ARGS="--medvram --xformers"\n', "no --xformers"),
        ("a.py", "from xformers.ops import (\n    fmha,\n    unbind,\n)\n", "from xformers.ops import (fmha, unbind)"),
    ],
)
def test_the_advice_is_the_line_without_it(path: str, text: str, advice: str) -> None:
    (finding,) = (each for each in run({path: text}).report().findings if each.code == XFORMERS)
    assert advice in finding.instead
