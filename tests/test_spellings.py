"""Every way in which people write an install, an attention, a CUDA release, a split over GPUs or an architecture is recognised.

One row a spelling: what it is, the file it stands in, an example, and the fact that has to be found: its type, name and value.
"""

import json
from functools import cache

import pytest
from projects import run

from spark_lint.facts import Call, Command, EnvVar, Fact, Image, Import, Index, Package, Setting

TORCH = "https://download.pytorch.org/whl"

WHEEL = "https://example.com/flash_attn-2.8.3-cp312-cp312-linux_x86_64.whl"


def notebook(source: str | list[str]) -> str:
    """A notebook with one cell."""
    return json.dumps({"cells": [{"cell_type": "code", "outputs": [], "metadata": {}, "source": source}], "nbformat": 4})


INSTALLS = [
    ("pip in a script", "a.sh", "pip install torch==2.9.1", (Package, "torch", "==2.9.1")),
    ("pip in a recipe of make", "Makefile", "V = 2.9.1\nall:\n\t@pip install torch==$(V)\n", (Package, "torch", "==2.9.1")),
    ("pip in a recipe of just", "justfile", "v := '2.9.1'\nall:\n  @pip install torch=={{v}}\n", (Package, "torch", "==2.9.1")),
    ("several in one line", "a.sh", "cd x && pip install a && pip3 install torch", (Package, "torch", "")),
    ("in a branch", "a.sh", "if [ -f x ]; then pip install torch; fi", (Package, "torch", "")),
    ("behind time and a variable", "a.sh", "time MAX_JOBS=4 pip install flash-attn", (Package, "flash-attn", "")),
    ("pip in an image", "Dockerfile", "FROM ubuntu:24.04\nRUN pip install torch==2.9.1", (Package, "torch", "==2.9.1")),
    ("pip in a document", "README.md", "Run\n\n```bash\npip install torch==2.9.1\n```\n", (Package, "torch", "==2.9.1")),
    (
        "pip in a workflow",
        ".github/workflows/a.yml",
        "on: push\njobs:\n  a:\n    runs-on: [self-hosted, arm64]\n    steps:\n      - run: pip install torch==2.9.1\n",
        (Package, "torch", "==2.9.1"),
    ),
    (
        "pip in a block of a workflow",
        ".github/workflows/a.yml",
        "on: push\njobs:\n  a:\n    runs-on: [self-hosted, arm64]\n    steps:\n      - run: |\n          cd x\n          pip install torch\n",
        (Package, "torch", ""),
    ),
    (
        "pip in the one text of a command",
        "compose.yaml",
        'services:\n  a:\n    image: ubuntu:24.04\n    command: ["/bin/sh", "-c", "cd x\\npip install torch"]\n',
        (Package, "torch", ""),
    ),
    ("python -m pip", "a.sh", "python3.12 -m pip install torch", (Package, "torch", "")),
    ("another interpreter -m pip", "Dockerfile", "FROM a\nRUN /opt/x/python.sh -m pip install torch", (Package, "torch", "")),
    ("uv pip", "a.sh", "uv pip install torch", (Package, "torch", "")),
    ("uv pip --system", "a.sh", "uv pip install --system --no-cache torch", (Package, "torch", "")),
    ("uv by its path", "a.sh", "~/.local/bin/uv pip install torch", (Package, "torch", "")),
    ("uv pip --torch-backend", "a.sh", "uv pip install torch --torch-backend=cu126", (Index, "cu126", "torch-backend")),
    ("UV_TORCH_BACKEND", "a.sh", "UV_TORCH_BACKEND=cu126 uv pip install torch", (EnvVar, "UV_TORCH_BACKEND", "cu126")),
    ("uv sync", "a.sh", "uv sync", (Command, "uv", "")),
    ("uv sync --extra", "a.sh", "uv sync --extra gpu", (Command, "uv", "")),
    ("uv add", "a.sh", "uv add flash_attn", (Package, "flash-attn", "")),
    ("uv run --with", "a.sh", "uv run --with 'torch<2.11' x.py", (Package, "torch", "<2.11")),
    ("uvx", "a.sh", "uvx --with flash-attn tool", (Package, "flash-attn", "")),
    ("conda", "a.sh", "conda install -y pytorch-cuda=12.1 -c nvidia", (Package, "conda/pytorch-cuda", "=12.1")),
    ("micromamba", "Dockerfile", "FROM a\nRUN micromamba install -y cudatoolkit=11.3", (Package, "conda/cudatoolkit", "=11.3")),
    ("poetry run pip", "a.sh", "poetry run pip install torch", (Package, "torch", "")),
    ("poetry add", "a.sh", "poetry add torch==2.6.0", (Package, "torch", "==2.6.0")),
    ("pipx install", "a.sh", "pipx install vllm==0.8.5", (Package, "vllm", "==0.8.5")),
    ("pixi add", "a.sh", "pixi add pytorch-cuda=12.1", (Package, "conda/pytorch-cuda", "=12.1")),
    ("pixi add --pypi", "a.sh", "pixi add --pypi 'torch==2.6.0'", (Package, "torch", "==2.6.0")),
    ("pixi run pip", "a.sh", "pixi run pip install torch", (Package, "torch", "")),
    ("the shell of an exported notebook", "a.py", "get_ipython().system('pip install torch')", (Package, "torch", "")),
    (
        "a cell of an exported notebook",
        "a.py",
        "get_ipython().run_cell_magic('capture', '', '!pip install torch\\n')",
        (Package, "torch", ""),
    ),
    (
        "a function that installs",
        "a.py",
        "import subprocess\ndef install(p):\n    subprocess.run(['pip', 'install', p])\ninstall('torch==2.9.1')",
        (Package, "torch", "==2.9.1"),
    ),
    (
        "a loop that installs",
        "a.py",
        "import subprocess\nfor p in ['a', 'torch==2.9.1']:\n    subprocess.run(['pip', 'install', p])",
        (Package, "torch", "==2.9.1"),
    ),
    (
        "a launcher's run_pip",
        "install.py",
        "import launch\nlaunch.run_pip('install torch==2.9.1', 'torch')",
        (Package, "torch", "==2.9.1"),
    ),
    (
        "a launcher's TORCH_COMMAND",
        "launch.py",
        "import os\nfrom modules.util import run, python\n"
        "c = os.environ.get('TORCH_COMMAND', 'pip install torch==2.9.1')\nrun(f'\"{python}\" -m {c}')",
        (Package, "torch", "==2.9.1"),
    ),
    ("pip as a library", "a.py", "import pip\npip.main(['install', 'torch==2.9.1'])", (Package, "torch", "==2.9.1")),
    ("pip's internals", "a.py", "from pip._internal import main\nmain(['install', 'torch'])", (Package, "torch", "")),
    (
        "sys.executable in a sum",
        "a.py",
        "import os, sys\nos.system(sys.executable + ' -m pip install torch==2.9.1')",
        (Package, "torch", "==2.9.1"),
    ),
    (
        "a task of invoke",
        "tasks.py",
        "from invoke import task\n@task\ndef f(c):\n    c.run('pip install torch==2.9.1')",
        (Package, "torch", "==2.9.1"),
    ),
    ("an interpreter in a variable", "a.sh", "\"$PYTHON\" -m pip install torch==2.9.1", (Package, "torch", "==2.9.1")),
    (
        "subprocess with a list",
        "a.py",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pip', 'install', 'torch'])",
        (Package, "torch", ""),
    ),
    ("check_call", "a.py", "import subprocess\nsubprocess.check_call(['pip', 'install', 'torch'])", (Package, "torch", "")),
    ("os.system", "a.py", "import os\nos.system('pip install torch')", (Package, "torch", "")),
    ("RUN with a here-document", "Dockerfile", "FROM a\nRUN <<EOF\npip install torch\nEOF", (Package, "torch", "")),
    ("RUN --mount", "Dockerfile", "FROM a\nRUN --mount=type=cache,target=/c \\\n  pip install torch", (Package, "torch", "")),
    ("RUN continued", "Dockerfile", "FROM a\nRUN pip install \\\n  # for training\n  torch \\\n  trl", (Package, "torch", "")),
    ("a variable before pip", "a.sh", "MAX_JOBS=4 pip install flash-attn", (EnvVar, "MAX_JOBS", "4")),
    ("export before pip", "a.sh", "export N=1 && pip3 install torch", (EnvVar, "N", "1")),
    ("editable", "a.sh", 'pip install -e ".[x]" torch', (Package, "torch", "")),
    (
        "setup.py's install_requires and extras",
        "setup.py",
        "from setuptools import setup\nsetup(name='x', extras_require={'gpu': ['torch==2.6.0']})",
        (Package, "torch", "==2.6.0"),
    ),
    ("the same in setup.cfg", "setup.cfg", "[options.extras_require]\ngpu =\n  torch==2.6.0\n", (Package, "torch", "==2.6.0")),
    ("pyproject", "pyproject.toml", '[project]\ndependencies = ["a", "torch==2.6.0"]', (Package, "torch", "==2.6.0")),
    (
        "pyproject marker",
        "pyproject.toml",
        "[project.optional-dependencies]\nx = [\"torch==2.6.0 ; sys_platform == 'linux'\"]",
        (Package, "torch", "==2.6.0"),
    ),
    ("tool.uv.index table", "pyproject.toml", f'[[tool.uv.index]]\nname = "a"\nurl = "{TORCH}/cu126"', (Index, "cu126", "extra-index")),
    (
        "tool.uv.sources table",
        "pyproject.toml",
        f'[project]\ndependencies = ["flash-attn"]\n[tool.uv.sources]\nflash-attn = {{ url = "{WHEEL}" }}',
        (Package, "flash-attn", WHEEL),
    ),
    ("poetry", "pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^2.6"', (Package, "torch", ">=2.6,<3")),
    ("pixi", "pixi.toml", '[dependencies]\npytorch-gpu = "2.10.*"', (Package, "conda/pytorch-gpu", "2.10.*")),
    ("a PEP 723 header", "a.py", '# /// script\n# dependencies = ["torch==2.6.0"]\n# ///\n', (Package, "torch", "==2.6.0")),
    ("!pip in a notebook", "a.ipynb", notebook(["!pip install torch==2.6.0\n"]), (Package, "torch", "==2.6.0")),
    ("%pip in a notebook", "a.ipynb", notebook(["%pip install -q torch==2.6.0"]), (Package, "torch", "==2.6.0")),
    ("!uv pip in a notebook", "a.ipynb", notebook(["!uv pip install -qqq \\\n", "    torch==2.6.0"]), (Package, "torch", "==2.6.0")),
    ("%%bash in a notebook", "a.ipynb", notebook(["%%bash\n", "pip install torch==2.6.0"]), (Package, "torch", "==2.6.0")),
    (
        "!{sys.executable} in a notebook",
        "a.ipynb",
        notebook(["import sys\n", "!{sys.executable} -m pip install torch==2.6.0"]),
        (Package, "torch", "==2.6.0"),
    ),
    ("a cell as one JSON string", "a.ipynb", notebook("import os\n!pip install torch==2.6.0\n"), (Package, "torch", "==2.6.0")),
    ("extras", "a.sh", "pip install 'vllm[audio,video]==0.12.0'", (Package, "vllm", "==0.12.0")),
    ("quoted, with a range", "a.sh", 'pip install "torch>=2.2, <=2.5.1"', (Package, "torch", ">=2.2,<=2.5.1")),
    ("a requirements file", "requirements.txt", "torch==2.9.1  # pinned", (Package, "torch", "==2.9.1")),
    ("an underscore in requirements", "requirements.txt", "flash_attn", (Package, "flash-attn", "")),
    ("an option line in requirements", "requirements.txt", f"--extra-index-url {TORCH}/cu126\ntorch", (Index, "cu126", "extra-index")),
    ("name @ address", "requirements.txt", "a @ https://example.com/a-1-py3-none-any.whl", (Package, "a", "https://example.com/a-1-py3-none-any.whl")),
    ("a marker", "requirements.txt", 'torch==2.9.1 ; platform_machine != "aarch64"', (Package, "torch", "==2.9.1")),
    ("--index-url", "a.sh", f"pip install torch --index-url {TORCH}/cu124", (Index, "cu124", "index")),
    ("--index-url=", "a.sh", f'pip install torch --index-url="{TORCH}/cu124"', (Index, "cu124", "index")),
    ("-i", "a.sh", f"pip install -i {TORCH}/cu124 torch", (Index, "cu124", "index")),
    ("--extra-index-url", "a.sh", f"pip install torch --extra-index-url {TORCH}/cu124", (Index, "cu124", "extra-index")),
    ("--find-links", "a.sh", f"pip install torch --find-links {TORCH}/cu124", (Index, "cu124", "find-links")),
    ("-f", "a.sh", f"pip install torch -f {TORCH}/cu118/torch_stable.html", (Index, "cu118", "find-links")),
    ("--default-index", "a.sh", f"uv pip install torch --default-index {TORCH}/cu124", (Index, "cu124", "index")),
    ("--index", "a.sh", f"uv pip install torch --index t={TORCH}/cu124", (Index, "cu124", "extra-index")),
    ("pip config set", "a.sh", f"pip config set global.index-url {TORCH}/cu124", (Index, "cu124", "index")),
    ("PIP_EXTRA_INDEX_URL", "Dockerfile", f"FROM a\nENV PIP_EXTRA_INDEX_URL={TORCH}/cu124", (Index, "cu124", "extra-index")),
    ("a wheel's address", "a.sh", "pip install https://example.com/a-1-py3-none-any.whl", (Package, "a", "https://example.com/a-1-py3-none-any.whl")),
    ("git+https", "a.sh", "pip install git+https://example.com/o/trl.git@v1#egg=trl", (Package, "trl", "git+https://example.com/o/trl.git@v1#egg=trl")),
    ("an address in a variable", "Dockerfile", f"ARG I={TORCH}/cu126\nFROM a\nARG I\nRUN pip install torch --index-url ${{I}}", (Index, "cu126", "index")),
]  # fmt: skip

ATTENTION = [
    ("flash-attn installed", "a.sh", "pip install flash-attn --no-build-isolation", (Package, "flash-attn", "")),
    ("flash_attn installed", "a.sh", "pip install flash_attn==2.8.3", (Package, "flash-attn", "==2.8.3")),
    ("in requirements", "requirements.txt", "flash-attn==2.8.3", (Package, "flash-attn", "==2.8.3")),
    (
        "a wheel of it",
        "a.sh",
        "pip install https://example.com/flash_attn-2.8.3+cu12torch2.7cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
        (Package, "flash-attn", "https://example.com/flash_attn-2.8.3+cu12torch2.7cxx11abiTRUE-cp312-cp312-linux_x86_64.whl"),
    ),
    ("MAX_JOBS before it", "README.md", "```sh\nMAX_JOBS=4 pip install flash-attn\n```", (EnvVar, "MAX_JOBS", "4")),
    ("its build variables", "Dockerfile", "FROM a\nENV FLASH_ATTENTION_FORCE_BUILD=TRUE", (EnvVar, "FLASH_ATTENTION_FORCE_BUILD", "TRUE")),
    ("import", "a.py", "import flash_attn\nfrom unsloth import x", (Import, "flash_attn", "")),
    ("from import", "a.py", "from flash_attn import flash_attn_func\nimport unsloth", (Import, "flash_attn.flash_attn_func", "")),
    ("keyword", "a.py", 'm.from_pretrained("x", attn_implementation="flash_attention_2")', (Setting, "attention", "flash_attention_2")),
    ("attribute", "a.py", 'config._attn_implementation = "flash_attention_2"', (Setting, "attention", "flash_attention_2")),
    ("item", "a.py", 'kwargs["attn_implementation"] = "flash_attention_2"', (Setting, "attention", "flash_attention_2")),
    ("dictionary", "a.py", 'kwargs = {"attn_implementation": "flash_attention_2"}', (Setting, "attention", "flash_attention_2")),
    ("dict()", "a.py", 'kwargs = dict(attn_implementation="flash_attention_2")', (Setting, "attention", "flash_attention_2")),
    ("default of a parameter", "a.py", 'def f(attn_implementation="flash_attention_2"): pass', (Setting, "attention", "flash_attention_2")),
    (
        "default of a field",
        "a.py",
        'from dataclasses import dataclass, field\n@dataclass\nclass A:\n    attn_implementation: str = field(default="flash_attention_2")',
        (Setting, "attention", "flash_attention_2"),
    ),
    ("JSON", "args.json", '{"attn_implementation": "flash_attention_2"}', (Setting, "attention", "flash_attention_2")),
    ("a model's own configuration", "config.json", '{"model_type": "x", "_attn_implementation": "flash_attention_2"}', (Setting, "attention", "flash_attention_2")),
    ("the old keyword", "a.py", "m.from_pretrained('x', use_flash_attention_2=True)", (Setting, "attention", "flash_attention_2")),
    ("use_flash_attn", "a.py", "train(use_flash_attn=True)", (Setting, "attention", "flash_attention_2")),
    ("YAML", "a.yaml", "attn_implementation: flash_attention_2\n", (Setting, "attention", "flash_attention_2")),
    ("YAML, nested", "a.yaml", "model:\n  attn_implementation: flash_attention_2\n", (Setting, "attention", "flash_attention_2")),
    ("YAML, another", "a.yaml", "attn_implementation: sdpa\n", (Setting, "attention", "sdpa")),
    ("axolotl's flash_attention", "a.yml", "base_model: org/m\ndatasets: []\nsequence_len: 512\nflash_attention: true\n", (Setting, "attention", "flash_attention_2")),
    ("LLaMA-Factory's fa2", "a.yaml", "stage: sft\ndo_train: true\nflash_attn: fa2\n", (Setting, "attention", "flash_attention_2")),
    ("LLaMA-Factory's others", "a.yaml", "stage: sft\ndo_train: true\nflash_attn: disabled\n", (Setting, "attention", "disabled")),
    ("prime-rl's attn", "a.toml", '[trainer.model]\nattn = "flash_attention_3"\n', (Setting, "attention", "flash_attention_3")),
    ("ms-swift's attn_impl", "a.yaml", "model: org/m\nattn_impl: flash_attn\n", (Setting, "attention", "flash_attention_2")),
    ("--attn_implementation", "a.sh", "python x.py --attn_implementation flash_attention_2", (Setting, "attention", "flash_attention_2")),
    ("--attn_implementation=", "a.sh", "python x.py --attn_implementation=flash_attention_2", (Setting, "attention", "flash_attention_2")),
    ("--attn_impl", "a.sh", "swift sft --model org/m --attn_impl flash_attn", (Setting, "attention", "flash_attention_2")),
    ("--x.attn_implementation", "a.sh", "python x.py --ds.attn_implementation flash_attention_2", (Setting, "attention", "flash_attention_2")),
    ("Hydra", "a.sh", "python x.py ++model.attn_implementation=flash_attention_2", (Setting, "attention", "flash_attention_2")),
    ("Hydra, quoted", "a.sh", "python x.py '+model.attn_implementation=flash_attention_2'", (Setting, "attention", "flash_attention_2")),
    ("--flash_attn", "a.sh", "llamafactory-cli train x.yaml --flash_attn fa2", (Setting, "attention", "flash_attention_2")),
    ("an argument of a trainer", "a.sh", "llamafactory-cli train x.yaml flash_attn=fa2", (Setting, "attention", "flash_attention_2")),
    ("--use_flash_attn", "a.sh", "python x.py --use_flash_attn --lr 1", (Setting, "attention", "flash_attention_2")),
    ("JSON on the command line", "a.sh", """python x.py --model_kwargs '{"attn_implementation": "flash_attention_2"}'""", (Setting, "attention", "flash_attention_2")),
    ("VLLM_ATTENTION_BACKEND", "a.sh", "export VLLM_ATTENTION_BACKEND=FLASHINFER", (Setting, "attention_backend", "FLASHINFER")),
    ("--attention-backend", "a.sh", "vllm serve m --attention-backend flashinfer", (Setting, "attention_backend", "flashinfer")),
    ("attention_backend in Python", "a.py", "import sglang\nsglang.Engine(attention_backend='trtllm_mha')", (Setting, "attention_backend", "trtllm_mha")),
    ("a kernel of the hub", "a.py", 'f(attn_implementation="kernels-community/flash-attn3")', (Setting, "attention", "kernels-community/flash-attn3")),
    ("flash_attention_3", "a.py", 'f(attn_implementation="flash_attention_3")', (Setting, "attention", "flash_attention_3")),
    ("xformers", "a.sh", "pip install xformers", (Package, "xformers", "")),
    ("import of xformers", "a.py", "import xformers.ops\nimport unsloth", (Import, "xformers.ops", "")),
]  # fmt: skip

CUDA = [
    *(
        (f"an index for {tag}", "a.sh", f"pip install torch --index-url {TORCH}/{tag}", (Index, tag, "index"))
        for tag in ("cu118", "cu121", "cu124", "cu126", "cu128", "cu129", "cu130", "cu132", "cpu")
    ),
    ("a nightly index", "a.sh", f"pip install --pre torch --index-url {TORCH}/nightly/cu126", (Index, "cu126", "index")),
    ("a test index", "a.sh", f"pip install torch --index-url '{TORCH}/test/cu128'", (Index, "cu128", "index")),
    ("an index in a variable", "a.sh", f"TAG=cu126\npip install torch --index-url {TORCH}/$TAG", (Index, "cu126", "index")),
    ("another host", "a.sh", "pip install a -f https://example.com/whl/cu124/torch2.6/", (Index, "cu124", "find-links")),
    ("a local version", "requirements.txt", "torch==2.10.0+cu128", (Package, "torch", "==2.10.0+cu128")),
    ("cu130", "requirements.txt", "torch==2.10.0+cu130", (Package, "torch", "==2.10.0+cu130")),
    ("a local version in an address", "a.sh", f"pip install {TORCH}/cu128/torch-2.8.0%2Bcu128-cp312-cp312-manylinux_2_28_x86_64.whl", (Package, "torch", f"{TORCH}/cu128/torch-2.8.0%2Bcu128-cp312-cp312-manylinux_2_28_x86_64.whl")),
    ("nvidia-…-cu12", "requirements.txt", "nvidia-cudnn-cu12==9.8.0.87", (Package, "nvidia-cudnn-cu12", "==9.8.0.87")),
    ("nvidia-…-cu13", "requirements.txt", "nvidia-nccl-cu13", (Package, "nvidia-nccl-cu13", "")),
    ("RAPIDS", "requirements.txt", "cuml-cu12~=25.8", (Package, "cuml-cu12", "~=25.8")),
    ("CuPy", "a.sh", "pip install cupy-cuda12x", (Package, "cupy-cuda12x", "")),
    ("pytorch-cuda", "a.sh", "conda install pytorch pytorch-cuda=12.1 -c pytorch -c nvidia", (Package, "conda/pytorch-cuda", "=12.1")),
    ("pytorch-cuda in an environment", "environment.yml", "channels: [nvidia]\ndependencies:\n  - pytorch-cuda=12.1\n", (Package, "conda/pytorch-cuda", "=12.1")),
    ("cudatoolkit", "a.sh", "conda install cudatoolkit=11.3", (Package, "conda/cudatoolkit", "=11.3")),
    ("nvidia/cuda", "Dockerfile", "FROM nvidia/cuda:12.8.1-devel-ubuntu22.04", (Image, "nvidia/cuda", "12.8.1-devel-ubuntu22.04")),
    ("nvidia/cuda 13", "Dockerfile", "FROM nvidia/cuda:13.0.1-devel-ubuntu24.04 AS b", (Image, "nvidia/cuda", "13.0.1-devel-ubuntu24.04")),
    ("nvcr.io/nvidia/cuda", "Dockerfile", "FROM nvcr.io/nvidia/cuda:12.6.2-base-ubuntu22.04", (Image, "nvcr.io/nvidia/cuda", "12.6.2-base-ubuntu22.04")),
    ("a version in an ARG", "Dockerfile", "ARG V=12.4.1\nFROM nvidia/cuda:${V}-devel", (Image, "nvidia/cuda", "12.4.1-devel")),
    ("an image in an ARG", "Dockerfile", "ARG BASE=nvidia/cuda:12.4.1-devel\nFROM ${BASE}", (Image, "nvidia/cuda", "12.4.1-devel")),
    ("pytorch/pytorch", "Dockerfile", "FROM pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel", (Image, "pytorch/pytorch", "2.8.0-cuda12.8-cudnn9-devel")),
    ("nvcr.io/nvidia/pytorch", "a.sh", "docker run --gpus all -it --rm nvcr.io/nvidia/pytorch:25.06-py3", (Image, "nvcr.io/nvidia/pytorch", "25.06-py3")),
    ("nvcr.io/nvidia/vllm", "compose.yaml", "services:\n  a:\n    image: nvcr.io/nvidia/vllm:26.02-py3\n", (Image, "nvcr.io/nvidia/vllm", "26.02-py3")),
    ("vllm/vllm-openai", "compose.yaml", "services:\n  a:\n    image: vllm/vllm-openai:v0.15.1\n", (Image, "vllm/vllm-openai", "v0.15.1")),
    ("lmsysorg/sglang", "README.md", "```\ndocker run lmsysorg/sglang:latest-cu130 python3 -m sglang.launch_server\n```", (Image, "lmsysorg/sglang", "latest-cu130")),
    ("a tag that holds cu12", "compose.yaml", "services:\n  a:\n    image: org/app:main-cu124-2.6.0\n", (Image, "org/app", "main-cu124-2.6.0")),
    ("a digest", "Dockerfile", f"FROM nvidia/cuda:12.8.1-devel@sha256:{'a' * 64}", (Image, "nvidia/cuda", "12.8.1-devel")),
    ("a platform", "a.sh", "docker run --platform linux/amd64 nvidia/cuda:12.8.1-devel nvcc", (Image, "nvidia/cuda", "12.8.1-devel")),
    ("a default in compose", "compose.yaml", "services:\n  a:\n    image: ${IMAGE:-nvidia/cuda:12.8.1-devel}\n", (Image, "nvidia/cuda", "12.8.1-devel")),
    ("the container of a job", ".github/workflows/a.yml", "on: push\njobs:\n  a:\n    runs-on: [self-hosted, arm64]\n    container:\n      image: nvidia/cuda:12.8.1-devel\n    steps:\n      - run: nvcc\n", (Image, "nvidia/cuda", "12.8.1-devel")),
    ("srun --container-image", "a.sh", "srun --container-image=nvcr.io#nvidia/pytorch:25.06-py3 python x.py", (Image, "nvcr.io/nvidia/pytorch", "25.06-py3")),
    ("apptainer", "a.sh", "apptainer exec --nv docker://nvidia/cuda:12.8.1-devel nvcc", (Image, "nvidia/cuda", "12.8.1-devel")),
]  # fmt: skip

SIZES = [
    ("--tensor-parallel-size", "a.sh", "vllm serve m --tensor-parallel-size 2", (Setting, "tensor_parallel_size", "2")),
    ("--tensor-parallel-size=", "a.sh", "vllm serve m --tensor-parallel-size=2", (Setting, "tensor_parallel_size", "2")),
    ("--tensor_parallel_size", "a.sh", "vllm serve m --tensor_parallel_size 2", (Setting, "tensor_parallel_size", "2")),
    ("a size in a variable", "a.sh", "TP=${TP:-2}\nvllm serve m --tensor-parallel-size $TP", (Setting, "tensor_parallel_size", "2")),
    ("vLLM's -tp", "README.md", "```bash\nvllm serve m -tp 2\n```", (Setting, "tensor_parallel_size", "2")),
    ("-tp behind an image", "a.sh", "docker run vllm/vllm-openai:v0.12.0 --model m -tp 2", (Setting, "tensor_parallel_size", "2")),
    ("-tp for an image's own program", "Dockerfile", 'FROM vllm/vllm-openai:v0.12.0 AS a\nFROM a\nCMD ["--model", "m", "-tp", "2"]', (Setting, "tensor_parallel_size", "2")),
    ("SGLang's --tp", "a.sh", "python -m sglang.launch_server --model-path m --tp 2", (Setting, "tensor_parallel_size", "2")),
    ("SGLang's --tp-size", "a.sh", "sglang serve --model-path m --tp-size 2", (Setting, "tensor_parallel_size", "2")),
    ("TensorRT-LLM's --tp_size", "a.sh", "trtllm-serve m --tp_size 2", (Setting, "tensor_parallel_size", "2")),
    ("TGI's --num-shard", "a.sh", "docker run ghcr.io/huggingface/text-generation-inference:3 --model-id m --num-shard 2", (Setting, "tensor_parallel_size", "2")),
    ("items of a list", "k.yaml", 'apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: a\n      command: [vllm, serve, m]\n      args:\n        - --tensor-parallel-size\n        - "2"\n', (Setting, "tensor_parallel_size", "2")),
    ("one item", "k.yaml", 'apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: a\n      command: [vllm, serve, m, "--tensor-parallel-size=2"]\n', (Setting, "tensor_parallel_size", "2")),
    ("a list in Python", "a.py", "import subprocess\nsubprocess.run(['vllm', 'serve', 'm', '-tp', '2'])", (Setting, "tensor_parallel_size", "2")),
    ("a trainer's vllm_tensor_parallel_size", "a.sh", "python x.py --vllm_tensor_parallel_size 2", (Setting, "tensor_parallel_size", "2")),
    ("vllm_tensor_parallel_size in YAML", "a.yaml", "vllm_tensor_parallel_size: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("--vllm.tensor_parallel_size", "a.sh", "python x.py --vllm.tensor_parallel_size 2", (Setting, "tensor_parallel_size", "2")),
    ("Python", "a.py", "from vllm import LLM\nLLM('m', tensor_parallel_size=2)", (Setting, "tensor_parallel_size", 2)),
    ("LMDeploy in Python", "a.py", "from lmdeploy import TurbomindEngineConfig\nTurbomindEngineConfig(tp=2)", (Setting, "tensor_parallel_size", 2)),
    ("SGLang in Python", "a.py", "import sglang as sgl\nsgl.Engine(model_path='m', tp_size=2)", (Setting, "tensor_parallel_size", 2)),
    ("a default of argparse", "a.py", "p.add_argument('--tensor-parallel-size', '-tp', type=int, default=2)", (Setting, "tensor_parallel_size", 2)),
    ("a default of click", "a.py", "import click\n@click.option('--tensor-parallel-size', default=2)\ndef f(tensor_parallel_size): pass", (Setting, "tensor_parallel_size", 2)),
    ("a default of a data class", "a.py", "class A:\n    tensor_parallel_size: int = 2", (Setting, "tensor_parallel_size", 2)),
    ("Hydra", "a.sh", "python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.tensor_model_parallel_size=2", (Setting, "tensor_parallel_size", "2")),
    ("Megatron", "a.sh", "torchrun pretrain_gpt.py --tensor-model-parallel-size 2", (Setting, "tensor_parallel_size", "2")),
    ("tensor_model_parallel_size in YAML", "a.yaml", "actor_rollout_ref:\n  rollout:\n    tensor_model_parallel_size: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("tensor_parallel_size in YAML", "a.yaml", "tensor_parallel_size: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("SGLang's own file", "a.yaml", "model-path: org/m\ntp-size: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("JSON", "a.json", '{"tensor_parallel_size": 2}', (Setting, "tensor_parallel_size", 2)),
    ("a list of arguments in one word", "a.sh", "lm_eval --model vllm --model_args pretrained=m,tensor_parallel_size=2", (Setting, "tensor_parallel_size", "2")),
    ("torchtune", "a.yaml", "tokenizer: {}\ncheckpointer: {}\ntensor_parallel_dim: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("torchtitan", "a.sh", "torchrun -m torchtitan.train --parallelism.tensor_parallel_degree 2", (Setting, "tensor_parallel_size", "2")),
    ("torchtitan in TOML", "a.toml", "[parallelism]\ntensor_parallel_degree = 2\n", (Setting, "tensor_parallel_size", 2)),
    ("torchtitan's classes", "a.py", "from torchtitan.config import ParallelismConfig\nParallelismConfig(tensor_parallel_degree=2)", (Setting, "tensor_parallel_size", 2)),
    ("NeMo RL", "a.yaml", "policy:\n  megatron_cfg:\n    tensor_model_parallel_size: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("NeMo RL's engine", "a.yaml", "policy:\n  generation:\n    vllm_cfg:\n      tensor_parallel_size: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("Megatron-Bridge", "a.py", "cfg.model.tensor_model_parallel_size = 2", (Setting, "tensor_parallel_size", 2)),
    ("NeMo Automodel", "a.yaml", "step_scheduler: {}\nmodel: {}\ndistributed:\n  tp_size: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("prime-rl", "a.toml", "[inference.vllm]\ntensor_parallel_size = 2\n", (Setting, "tensor_parallel_size", 2)),
    ("prime-rl's --inference.parallel.tp", "a.sh", "uv run rl @ a.toml --inference.parallel.tp 2", (Setting, "tensor_parallel_size", "2")),
    ("nanotron", "a.yaml", "parallelism:\n  dp: 1\n  pp: 1\n  tp: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("slime", "a.sh", "python3 train.py --rollout-num-gpus-per-engine 2", (Setting, "tensor_parallel_size", "2")),
    ("SkyRL", "a.sh", "python -m skyrl.train.entrypoints.main_base generator.inference_engine.tensor_parallel_size=2", (Setting, "tensor_parallel_size", "2")),
    ("OpenRLHF", "a.sh", "python -m openrlhf.cli.train_ppo_ray --ds.tensor_parallel_size 2", (Setting, "tensor_parallel_size", "2")),
    ("ROLL", "a.yaml", "actor_train:\n  strategy_args:\n    strategy_config:\n      tensor_model_parallel_size: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("AReaL", "a.yaml", 'rollout:\n  backend: "sglang:d4t2"\n', (Setting, "tensor_parallel_size", "2")),
    ("AReaL's experts", "a.yaml", 'actor:\n  backend: "megatron:(attn:d4p2t2c2|ffn:d2p2t4e2)"\n', (Setting, "tensor_parallel_size", "2")),
    ("AReaL's allocation_mode", "a.sh", "python3 x.py allocation_mode=sglang:d4p1t2+d4", (Setting, "tensor_parallel_size", "2")),
    ("DeepSpeed AutoTP", "ds.json", '{"zero_optimization": {"stage": 1}, "tensor_parallel": {"autotp_size": 2}}', (Setting, "tensor_parallel_size", 2)),
    ("Accelerate", "a.yaml", "distributed_type: FSDP\nnum_machines: 2\nnum_processes: 2\nparallelism_config:\n  parallelism_config_tp_size: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("a Helm chart's values", "values.yaml", "servingEngineSpec:\n  modelSpec:\n    - name: a\n      vllmConfig:\n        tensorParallelSize: 2\n", (Setting, "tensor_parallel_size", 2)),
    ("helm --set", "a.sh", "helm install a b --set spec.modelSpec[0].vllmConfig.tensorParallelSize=2", (Setting, "tensor_parallel_size", "2")),
    ("flags that are passed on", "a.yaml", "extra_args: --max-model-len 4096 --tensor-parallel-size 2\n", (Setting, "tensor_parallel_size", "2")),
    ("TENSOR_PARALLEL_SIZE", "compose.yaml", "services:\n  a:\n    image: b\n    environment:\n      TENSOR_PARALLEL_SIZE: 2\n", (Setting, "tensor_parallel_size", "2")),
    ("--nnodes", "a.sh", "torchrun --nnodes 2 x.py", (Setting, "nodes", "2")),
    ("--nnodes=$N", "a.sh", "N=2\ntorchrun --nnodes=$N x.py", (Setting, "nodes", "2")),
    ("num_machines", "a.yaml", "distributed_type: FSDP\nnum_machines: 2\nnum_processes: 2\n", (Setting, "nodes", 2)),
    ("--num_machines", "a.sh", "accelerate launch --num_machines 2 x.py", (Setting, "nodes", "2")),
    ("#SBATCH --nodes", "a.slurm", "#!/bin/bash\n#SBATCH --nodes=2\nsrun x\n", (Setting, "nodes", "2")),
    ("#SBATCH -N", "a.slurm", "#!/bin/bash\n#SBATCH -N 2\nsrun x\n", (Setting, "nodes", "2")),
    ("srun -N", "a.sh", "srun -N2 python x.py", (Setting, "nodes", "2")),
    ("--num_nodes", "a.sh", "python x.py --num_nodes 2", (Setting, "nodes", "2")),
    ("trainer.nnodes", "a.sh", "python3 -m verl.trainer.main_ppo trainer.nnodes=2", (Setting, "nodes", "2")),
    ("Lightning", "a.py", "import lightning as L\nL.Trainer(num_nodes=2, attn_implementation='sdpa')", (Setting, "nodes", 2)),
    ("--hostfile", "a.sh", "deepspeed --hostfile h x.py", (Setting, "node_rank", "h")),
    ("mpirun -H", "a.sh", "mpirun -np 2 -H one,two x", (Setting, "nodes", "2")),
    ("NNODES", "a.sh", "export NNODES=2", (Setting, "nodes", "2")),
    ("--pipeline-parallel-size", "a.sh", "vllm serve m --pipeline-parallel-size 2", (Setting, "pipeline_parallel_size", "2")),
    ("--distributed-executor-backend", "a.sh", "vllm serve m --distributed-executor-backend ray", (Setting, "executor_backend", "ray")),
    ("--node-rank", "a.sh", "vllm serve m --node-rank 1", (Setting, "node_rank", "1")),
    ("ray start", "a.sh", "ray start --address 10.0.0.1:6379", (Command, "ray", "")),
    ("DistributedDataParallel", "a.py", "import torch\nimport unsloth\nm = torch.nn.parallel.DistributedDataParallel(m)", (Call, "torch.nn.parallel.DistributedDataParallel", "")),
    ("FullyShardedDataParallel", "a.py", "from torch.distributed.fsdp import FullyShardedDataParallel as F\nimport unsloth\nF(m)", (Call, "torch.distributed.fsdp.FullyShardedDataParallel", "")),
    ("SkyRL's nodes", "a.sh", "python -m skyrl.train.entrypoints.main_base trainer.placement.policy_num_nodes=2", (Setting, "nodes", "2")),
    ("OpenRLHF's nodes", "a.sh", "python -m openrlhf.cli.train_ppo_ray --actor.num_nodes 2", (Setting, "nodes", "2")),
    ("prime-rl's nodes", "a.toml", "[deployment]\nnum_train_nodes = 2\n", (Setting, "nodes", 2)),
    ("SkyRL's processes", "a.sh", "python -m skyrl.train.entrypoints.main_base trainer.placement.policy_num_gpus_per_node=4", (Setting, "processes_per_node", "4")),
    ("OpenRLHF's processes", "a.sh", "python -m openrlhf.cli.train_ppo_ray --ref.num_gpus_per_node 4", (Setting, "processes_per_node", "4")),
    ("NeMo-Run", "a.py", "import nemo_run as run\nrun.LocalExecutor(ntasks_per_node=4)", (Setting, "processes_per_node", 4)),
    ("NeMo RL's cluster", "a.yaml", "cluster:\n  gpus_per_node: 4\n  num_nodes: 1\n", (Setting, "processes_per_node", 4)),
    ("prime-rl's GPUs", "a.toml", "[deployment]\nnum_train_gpus = 4\n", (Setting, "processes_per_node", 4)),
    ("--nproc_per_node", "a.sh", "torchrun --nproc_per_node=8 x.py", (Setting, "processes_per_node", "8")),
    ("NPROC_PER_NODE", "a.sh", "NPROC_PER_NODE=4 swift sft --model m", (Setting, "processes_per_node", "4")),
    ("DeepSpeed's --num_gpus", "a.sh", "deepspeed --num_gpus 4 x.py", (Setting, "processes_per_node", "4")),
    ("#SBATCH --gres", "a.slurm", "#!/bin/bash\n#SBATCH --gres=gpu:8\nsrun x\n", (Setting, "processes_per_node", "8")),
    ("#SBATCH --gpus-per-task", "a.slurm", "#!/bin/bash\n#SBATCH --gpus-per-task=8\nsrun x\n", (Setting, "processes_per_node", "8")),
    ("--gres with a type", "a.sh", "sbatch --gres=gpu:a100:4 x.sh", (Setting, "processes_per_node", "4")),
    ("--gpus-per-node", "a.sh", "srun --gpus-per-node=4 x", (Setting, "processes_per_node", "4")),
    ("n_gpus_per_node", "a.sh", "python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=8", (Setting, "processes_per_node", "8")),
    ("a launcher's word for as many as there are", "a.sh", "torchrun --nproc_per_node=gpu x.py", (Setting, "processes_per_node", "gpu")),
    ("--num_processes", "a.sh", "accelerate launch --num_processes 4 x.py", (Setting, "processes", "4")),
    ("num_processes", "a.yaml", "distributed_type: MULTI_GPU\nnum_machines: 1\nnum_processes: 4\n", (Setting, "processes", 4)),
    ("Horovod", "a.sh", "horovodrun -np 4 -H one:2,two:2 python x.py", (Setting, "processes", "4")),
    ("Composer", "a.sh", "composer -n 4 x.py", (Setting, "processes_per_node", "4")),
    ("docker --gpus", "a.sh", "docker run --gpus 2 a b", (Setting, "gpus", "2")),
    ("docker --gpus with a count", "a.sh", "docker run --gpus count=2 a b", (Setting, "gpus", "2")),
    ("LitGPT", "a.sh", "litgpt finetune m --devices 2", (Setting, "gpus", "2")),
    ("Ray", "a.sh", "ray start --head --num-gpus 2", (Setting, "gpus", "2")),
    ("count of compose", "compose.yaml", "services:\n  a:\n    image: b\n    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 2}]}}}\n", (Setting, "gpus", 2)),
    ("nvidia.com/gpu", "k.yaml", "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: a\n      resources:\n        limits:\n          nvidia.com/gpu: 2\n", (Setting, "gpus", 2)),
    ("Lightning's devices", "a.py", "from lightning import Trainer\nTrainer(devices=2)", (Setting, "gpus", 2)),
    ("trainer.devices", "a.sh", "python x.py trainer.devices=2", (Setting, "gpus", "2")),
    ("CUDA_VISIBLE_DEVICES", "a.sh", "CUDA_VISIBLE_DEVICES=0,1 python x.py", (Setting, "visible_devices", "0,1")),
    ("os.environ", "a.py", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'", (Setting, "visible_devices", "1")),
    ("docker --gpus device=", "a.sh", """docker run --gpus '"device=0,1"' a b""", (Setting, "visible_devices", "0,1")),
    ("docker --device", "a.sh", "podman run --device nvidia.com/gpu=1 a b", (Setting, "visible_devices", "1")),
    ("device_ids of compose", "compose.yaml", 'services:\n  a:\n    image: b\n    deploy: {resources: {reservations: {devices: [{driver: nvidia, device_ids: ["1"]}]}}}\n', (Setting, "visible_devices", "1")),
    ("--gpu_ids", "a.sh", "accelerate launch --gpu_ids 0,1 x.py", (Setting, "visible_devices", "0,1")),
    ("--include", "a.sh", "deepspeed --include localhost:0,1 x.py", (Setting, "visible_devices", "0,1")),
]  # fmt: skip

FORMATS = [
    ("NVFP4 in a model's name", "a.sh", "vllm serve org/m-NVFP4", (Setting, "model", "org/m-NVFP4")),
    ("FP4 at its end", "a.sh", "python -m sglang.launch_server --model-path org/m-FP4", (Setting, "model", "org/m-FP4")),
    ("FP8 in a model's name", "a.py", "from vllm import LLM\nLLM('org/m-FP8', kv_cache_dtype='fp8')", (Setting, "model", "org/m-FP8")),
    ("behind an image", "a.sh", "docker run vllm/vllm-openai:v0.12.0 org/m-nvfp4", (Setting, "model", "org/m-nvfp4")),
    ("--quantization modelopt", "a.sh", "vllm serve m --quantization modelopt", (Setting, "quantization", "modelopt")),
    ("--quantization modelopt_fp4", "k.yaml", "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: a\n      args: [--model, m, --quantization, modelopt_fp4]\n", (Setting, "quantization", "modelopt_fp4")),
    ("--quantization fp8", "a.sh", "vllm serve m -q fp8", (Setting, "quantization", "fp8")),
    ("--kv-cache-dtype fp8", "a.sh", "vllm serve m --kv-cache-dtype fp8", (Setting, "kv_cache_dtype", "fp8")),
    ("--kv-cache-dtype nvfp4", "README.md", "```bash\nvllm serve m --kv-cache-dtype nvfp4\n```", (Setting, "kv_cache_dtype", "nvfp4")),
    ("the file of trtllm-serve", "a.yaml", "kv_cache_config:\n  dtype: nvfp4\n", (Setting, "kv_cache_dtype", "nvfp4")),
    ("--attention-config", "a.sh", """vllm serve m --attention-config '{"backend": "FLASHINFER"}'""", (Setting, "attention_backend", "FLASHINFER")),
    ("-ac.backend", "a.sh", "vllm serve m -ac.backend FLASHINFER", (Setting, "attention_backend", "FLASHINFER")),
    ("--moe-backend", "a.sh", "vllm serve m --moe-backend flashinfer_trtllm", (Setting, "moe_backend", "flashinfer_trtllm")),
    ("--moe-runner-backend", "a.sh", "sglang serve --model-path m --moe-runner-backend flashinfer_trtllm", (Setting, "moe_backend", "flashinfer_trtllm")),
    ("vLLM's FP4 switches", "a.sh", "export VLLM_USE_FLASHINFER_MOE_FP4=1", (EnvVar, "VLLM_USE_FLASHINFER_MOE_FP4", "1")),
    ("TORCH_CUDA_ARCH_LIST", "Dockerfile", 'FROM a\nENV TORCH_CUDA_ARCH_LIST="8.0 8.6 9.0+PTX"', (Setting, "cuda_archs", "8.0 8.6 9.0+PTX")),
    ("export", "a.sh", 'export TORCH_CUDA_ARCH_LIST="12.1a"', (Setting, "cuda_archs", "12.1a")),
    ("before a command", "a.sh", "TORCH_CUDA_ARCH_LIST=12.1f pip install x", (Setting, "cuda_archs", "12.1f")),
    ("a default in compose", "compose.yaml", 'services:\n  a:\n    image: b\n    environment:\n      TORCH_CUDA_ARCH_LIST: "${X:-12.1a}"\n', (Setting, "cuda_archs", "12.1a")),
    ("os.environ", "a.py", "import os\nos.environ['TORCH_CUDA_ARCH_LIST'] = '8.0'", (Setting, "cuda_archs", "8.0")),
    ("FLASHINFER_CUDA_ARCH_LIST", "a.sh", "export FLASHINFER_CUDA_ARCH_LIST=12.1f", (Setting, "cuda_archs", "12.1f")),
    ("-DCMAKE_CUDA_ARCHITECTURES", "README.md", '```bash\ncmake -B build -DCMAKE_CUDA_ARCHITECTURES="80;90"\n```', (Setting, "cuda_archs", "80;90")),
    ("-D CMAKE_CUDA_ARCHITECTURES", "a.sh", "cmake -B build -D CMAKE_CUDA_ARCHITECTURES=121 .", (Setting, "cuda_archs", "121")),
    ("CMAKE_ARGS", "a.sh", 'CMAKE_ARGS="-DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=90" pip install x', (Setting, "cuda_archs", "90")),
    ("pip -C", "a.sh", "pip install x -C cmake.define.CMAKE_CUDA_ARCHITECTURES=90", (Setting, "cuda_archs", "90")),
    ("CUDA_DOCKER_ARCH", "Dockerfile", 'ARG A\nFROM a\nARG CUDA_DOCKER_ARCH="121"\nENV CUDA_DOCKER_ARCH=$CUDA_DOCKER_ARCH', (Setting, "cuda_archs", "121")),
    ("--build-arg", "a.sh", "docker build --build-arg TORCH_CUDA_ARCH_LIST=9.0 .", (Setting, "cuda_archs", "9.0")),
    ("-gencode", "a.sh", "nvcc -gencode arch=compute_121,code=sm_121a x.cu", (Setting, "gencode", "arch=compute_121,code=sm_121a")),
    ("-gencode=", "a.sh", "nvcc -gencode=arch=compute_90,code=[sm_90,compute_90] x.cu", (Setting, "gencode", "arch=compute_90,code=sm_90,compute_90")),
    ("-arch", "a.sh", "nvcc -arch=sm_90 x.cu", (Setting, "gencode", "sm_90")),
    ("flags for make", "a.sh", 'make NVCC_GENCODE="-gencode=arch=compute_90,code=sm_90"', (Setting, "gencode", "arch=compute_90,code=sm_90")),
    ("flags in a variable", "a.sh", 'export NVCC_APPEND_FLAGS="-gencode arch=compute_90,code=sm_90"', (Setting, "gencode", "arch=compute_90,code=sm_90")),
    ("flags in Python", "a.py", "flags.append('arch=compute_80,code=sm_80')", (Setting, "gencode", "arch=compute_80,code=sm_80")),
    ("CUTE_DSL_ARCH", "a.sh", "export CUTE_DSL_ARCH=sm_121a", (EnvVar, "CUTE_DSL_ARCH", "sm_121a")),
    ("TRITON_PTXAS_PATH", "Dockerfile", "FROM a\nENV TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas", (EnvVar, "TRITON_PTXAS_PATH", "/usr/local/cuda/bin/ptxas")),
]  # fmt: skip

INNER = [
    # Code of another language, and files that are written.
    ("ssh with a here-document", "a.sh", "ssh host <<'EOF'\npip install torch\nEOF", (Package, "torch", "")),
    ("a shell behind ssh", "a.sh", "ssh host 'sudo bash -s' <<EOF\npip install torch\nEOF", (Package, "torch", "")),
    ("a shell with arguments", "a.sh", "bash -s -- a b <<EOF\npip install torch\nEOF", (Package, "torch", "")),
    ("su with a here-document", "a.sh", "su - user <<EOF\npip install torch\nEOF", (Package, "torch", "")),
    ("a manifest for kubectl", "a.sh", "kubectl apply -f - <<EOF\napiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - image: a:1\nEOF", (Image, "a", "1")),
    ("a Dockerfile for docker build", "a.sh", "docker build -t x - <<EOF\nFROM a:1\nRUN pip install torch\nEOF", (Package, "torch", "")),
    ("services for docker compose", "a.sh", "docker compose -f - up <<EOF\nservices:\n  a:\n    image: a:1\nEOF", (Image, "a", "1")),
    ("JSON that is written", "a.sh", 'cat > x.json <<EOF\n{"num_gpus_per_node": 2}\nEOF', (Setting, "processes_per_node", 2)),
    ("YAML that is written by tee", "a.sh", "sudo tee /etc/x.yaml > /dev/null <<EOF\ntensor_parallel_size: 2\nEOF", (Setting, "tensor_parallel_size", 2)),
    ("requirements that are written", "a.sh", "cat > r/requirements.txt <<EOF\ntorch==2.9.1\nEOF\npip install -r r/requirements.txt", (Package, "torch", "==2.9.1")),
    ("Python in an image", "Dockerfile", "FROM a\nRUN python - <<EOF\nf(attn_implementation='sdpa')\nEOF", (Setting, "attention", "sdpa")),
    ("Python as an argument", "compose.yaml", "services:\n  a:\n    image: b\n    command: [python, -c, \"f(attn_implementation='sdpa')\"]\n", (Setting, "attention", "sdpa")),
    ("Python that Python runs", "a.py", "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'f(attn_implementation=\"sdpa\")'])", (Setting, "attention", "sdpa")),
    ("a script in a Dockerfile", "Dockerfile", "FROM a\nCOPY <<EOF /run.sh\npip install torch\nEOF", (Package, "torch", "")),
    ("a Dockerfile in compose", "compose.yaml", "services:\n  a:\n    build:\n      dockerfile_inline: |\n        FROM a:1\n", (Image, "a", "1")),
    ("an image in parts", "values.yaml", "image:\n  registry: r.io\n  repository: a/b\n  tag: 1\n", (Image, "r.io/a/b", "1")),
    ("docker pull", "a.sh", "docker pull -q a/b:1", (Image, "a/b", "1")),
    ("apptainer build", "a.sh", "apptainer build x.sif docker://a/b:1", (Image, "a/b", "1")),
    ("enroot import", "a.sh", "enroot import -o x.sqsh docker://r.io#a/b:1", (Image, "r.io/a/b", "1")),
    ("an image for a build", "a.sh", "docker build --build-arg BASE_IMAGE=a/b:1 .", (Image, "a/b", "1")),
    ("the interpreter in an f-string", "a.py", "import os, sys\nos.system(f'{sys.executable} -m pip install torch')", (Package, "torch", "")),
    ("a list in a document", "README.md", "```yaml\nservices:\n  a:\n    image: b\n    command: [vllm, serve, m, -tp, 2]\n```\n", (Setting, "tensor_parallel_size", "2")),
    ("a list under its name", "README.md", "In `requirements.txt`:\n\n```\ntorch==2.9.1\ntrl\n```\n", (Package, "torch", "==2.9.1")),
    ("an environment somewhere", "a.yaml", "job:\n  env:\n    - CUDA_VISIBLE_DEVICES=0,1\n", (Setting, "visible_devices", "0,1")),
    ("make", "a.sh", "make CUDA_DOCKER_ARCH=sm_90", (Setting, "cuda_archs", "sm_90")),
    ("flags in a container's variable", "a.sh", "docker run -e NIM_PASSTHROUGH_ARGS='--tensor-parallel-size 2' a", (Setting, "tensor_parallel_size", "2")),
]  # fmt: skip

ROWS = [*INSTALLS, *ATTENTION, *CUDA, *SIZES, *FORMATS, *INNER]

SILENT = [
    # What is no size of anything that is run, no attention, no package.
    ("a draft model's own size", "a.sh", "vllm serve m --speculative-draft-tensor-parallel-size 2", "tensor_parallel_size"),
    ("a draft model's own size in JSON", "a.sh", """vllm serve m --speculative-config '{"draft_tensor_parallel_size": 2}'""", "tensor_parallel_size"),
    ("--data-parallel-size", "a.sh", "vllm serve m --data-parallel-size 2", "tensor_parallel_size"),
    ("a commented flag", "a.sh", "vllm serve m  # --tensor-parallel-size 2", "tensor_parallel_size"),
    ("text that is printed", "a.sh", "echo --tensor-parallel-size 2; printf '%s' tensor_parallel_size=2", "tensor_parallel_size"),
    ("a request", "a.sh", """curl http://localhost/load -d '{"tensor_parallel_size": 2}'""", "tensor_parallel_size"),
    ("a table of parameters", "README.md", "| --tensor-parallel-size 2 | GPUs |\n|---|---|\n| tensor_parallel_size: 2 | |\n", "tensor_parallel_size"),
    ("another tool's -tp", "a.sh", "convert -tp 2", "tensor_parallel_size"),
    ("another document's tp", "a.yaml", "tp: 2\ntp_size: 2\n", "tensor_parallel_size"),
    ("values to be tried", "a.yaml", "tensor_parallel_size: [1, 2, 4]\n", "tensor_parallel_size"),
    ("values to be tried by Hydra, deleted", "a.sh", "python x.py ~trainer.tensor_parallel_size=2", "tensor_parallel_size"),
    ("a matrix", "a.yaml", "strategy:\n  matrix:\n    tensor_parallel_size: 2\n", "tensor_parallel_size"),
    ("a service called like an engine", "compose.yaml", "services:\n  vllm:\n    image: a\n    x-tp: 2\n    tp: 2\n", "tensor_parallel_size"),
    ("an engine's data type", "a.py", "from lmdeploy import TurbomindEngineConfig\nTurbomindEngineConfig('float16', tp=2)", "model"),
    ("a benchmark's subcommand", "a.sh", "trtllm-bench throughput", "model"),
    ("a report", "a.json", '{"request_throughput": 3.5, "tensor_parallel_size": 2}', "tensor_parallel_size"),
    ("results", "a.json", '{"model": "m", "results": [{"tensor_parallel_size": 2, "tokens": 3}]}', "tensor_parallel_size"),
    ("AReaL's size of one", "a.yaml", 'actor:\n  backend: "fsdp:d4"\nx:\n  backend: nccl\n', "tensor_parallel_size"),
    ("a size of something else", "a.yaml", "tp: 2\nmodel:\n  tp_size: 2\n", "tensor_parallel_size"),
    ("what a repository is tested with", "a.yaml", "step_scheduler: {}\nmodel: {}\nci:\n  distributed.tp_size: 2\n", "tensor_parallel_size"),
    ("a size that is missing", "a.yaml", "tensor_parallel_size: null\n", "tensor_parallel_size"),
    ("a schema", "a.json", '{"type": "object", "properties": {"tensor_parallel_size": 2}}', "tensor_parallel_size"),
    ("choices and help", "a.py", "p.add_argument('--tensor-parallel-size', choices=[1, 2], help='tensor_parallel_size=2')", "tensor_parallel_size"),
    ("a machine of somebody else", "a.sh", "hf jobs run img python x.py --tensor-parallel-size 2", "tensor_parallel_size"),
    ("nodes of a graph", "a.py", "from torch_geometric.data import Data\nData(num_nodes=2708, attn_implementation=None)", "nodes"),
    ("nodes of a graph in YAML", "a.yaml", "dataset:\n  num_nodes: 2708\n", "nodes"),
    ("processes of a loader", "a.sh", "python x.py --num_processes 4", "processes"),
    ("all GPUs", "a.sh", "docker run --gpus all a b", "gpus"),
    ("all GPUs in compose", "compose.yaml", "services:\n  a:\n    image: b\n    gpus: all\n", "gpus"),
    ("as many as there are", "a.py", "from lightning import Trainer\nTrainer(devices=-1)\nTrainer(devices='auto')", "gpus"),
    ("processors", "a.py", "from lightning import Trainer\nTrainer(accelerator='cpu', devices=4)", "gpus"),
    ("all devices of podman", "a.sh", "podman run --device nvidia.com/gpu=all --device /dev/fuse a b", "visible_devices"),
    ("all devices", "Dockerfile", "FROM a\nENV NVIDIA_VISIBLE_DEVICES=all", "visible_devices"),
    ("another resource", "a.slurm", "#!/bin/bash\n#SBATCH --gres=nvme:8\nsrun x\n", "processes_per_node"),
    ("a version", "a.sh", "pip install flash_attn==2.8.3; conda install flash-attn=2.8.3 attn_implementation=1", "attention"),
    ("a switch that is off", "a.sh", "python x.py --use_flash_attn false --lr 1", "attention"),
    ("a switch that is off, with =", "a.sh", "python x.py --use_flash_attn=false", "attention"),
    ("a switch turned off", "a.sh", "python x.py --no-use-flash-attn", "attention"),
    ("axolotl's switch, off", "a.yml", "base_model: org/m\ndatasets: []\nsequence_len: 512\nflash_attention: false\n", "attention"),
    ("nothing", "a.yaml", "attn_implementation: null\nflash_attn: ~\n", "attention"),
    ("flash_attention of something else", "a.yaml", "flash_attention: true\n", "attention"),
    ("Megatron's backends", "a.sh", "python pretrain_gpt.py --attention-backend flash", "attention_backend"),
    ("Megatron's backends in YAML", "a.yaml", "attention_backend: flash\n", "attention_backend"),
]  # fmt: skip

NAMES_OF_OTHERS = ["flash-linear-attention", "ring-flash-attn", "flash-attn-4", "flashinfer-python"]

# Spellings that give no such fact: what they are, the kind of file that is not read yet where that is why, and the reason.
UNREAD = [
    (
        "-r and -c, in a command and in requirements",
        "",
        "links to other files, tested with the names of commands and the projects",
    ),
    ("an option behind a package in requirements", "", "pip takes the line, and ignores the option"),
    ("setup.py install", "", "installs the repository itself"),
    ("wget, curl or aria2c of a wheel", "", "what is installed is the file, whose address the install does not say"),
    ("apt and dpkg packages for x86-64", "", "for a later rule about downloads"),
    ("git clone, then install", "", "what is installed lies in another repository"),
    ("xformers_attention, sdp_attention of axolotl", "", "neither needs flash-attn"),
    ("enable_flash_attention", "", "what it needs differs by library"),
    ("HAS_FLASH_ATTENTION", "", "an assignment, which rules about Unsloth name themselves"),
    ("module load cuda/12", "", "no CUDA of a Spark comes by modules"),
    ("replicas: 2", "", "copies of a service, each of which runs by itself"),
    ("strategy=, fsdp:, --fsdp, --deepspeed", "", "fine on one Spark and on two"),
    ("get_device_capability", "", "a test, which the conditions of facts carry"),
    ("NVFP4_DEFAULT_CFG, --qformat", "", "makes such weights, and runs none"),
]


TALK = [
    ("a.py", "raise ImportError('pip install flash-attn')\nimport unsloth\n"),
    ("a.py", "print('pip install flash-attn')\nimport unsloth\n"),
    ("a.py", "import subprocess, unsloth\np.add_argument('--x', help='pip install flash-attn')\n"),
    ("a.sh", "echo 'pip install flash-attn'  # pip install flash-attn\n"),
    ("requirements.txt", "# flash-attn==2.8.3\n"),
    ("README.md", "It needs `pip install flash-attn`.\n"),
]


@cache
def facts() -> dict[str, list[Fact]]:
    """The facts of all rows, each of which is a folder of its own."""
    texts = {f"{at}/{file}": text for at, (_, file, text, _) in enumerate([*ROWS, *SILENT])}
    return {path: list(found) for path, found in run(texts).projects[0].facts.items()}


def said(fact: Fact) -> object:
    """What a fact says beside its name."""
    match fact:
        case Package():
            return fact.url or fact.specifier
        case Index():
            return fact.role
        case Image():
            return fact.tag
        case EnvVar() | Setting():
            return fact.value
    return ""


@pytest.mark.parametrize("at", range(len(ROWS)), ids=[f"{row[1]}: {row[0]}" for row in ROWS])
def test_it_is_recognised(at: int) -> None:
    _, file, _, expected = ROWS[at]
    assert expected in [(type(fact), fact.name, said(fact)) for fact in facts()[f"{at}/{file}"]]


@pytest.mark.parametrize("at", range(len(SILENT)), ids=[f"{row[1]}: {row[0]}" for row in SILENT])
def test_it_is_something_else(at: int) -> None:
    _, file, _, setting = SILENT[at]
    found = facts().get(f"{len(ROWS) + at}/{file}", ())
    assert [fact.written for fact in found if isinstance(fact, Setting) and fact.name == setting] == []


@pytest.mark.parametrize(("file", "text"), TALK)
def test_talk_of_an_install_is_none(file: str, text: str) -> None:
    assert [fact for fact in run({file: text}).projects[0].facts[file] if isinstance(fact, Package)] == []


@pytest.mark.parametrize("option", ["--no-deps", "--no-build-isolation"])
@pytest.mark.parametrize("install", ["pip install {} torch", "uv pip install torch {}", "python -m pip install -q {} 'torch'"])
def test_options_that_change_an_install_are_its_flags(install: str, option: str) -> None:
    found = run({"a.sh": install.format(option)}).projects[0].facts["a.sh"]
    assert [option in fact.flags for fact in found if isinstance(fact, Package)] == [True]


@pytest.mark.parametrize("name", NAMES_OF_OTHERS)
def test_other_packages_keep_their_names(name: str) -> None:
    found = run({"requirements.txt": name, "a.sh": f"pip install {name}"}).projects[0].facts
    packages = [fact.name for path in found for fact in found[path] if isinstance(fact, Package)]
    assert packages == [name, name]
