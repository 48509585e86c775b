"""What holds for every reader whatever the bytes: facts or a problem, never an exception; places inside the file; twice the same."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from spark_lint import kinds
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
    "requirements.txt": kinds.REQUIREMENTS, "Dockerfile": kinds.DOCKERFILE, "run.py": kinds.PYTHON, "setup.py": kinds.PYTHON,
    "run.sh": kinds.SHELL, "compose.yaml": kinds.YAML, "config.json": kinds.JSON, "README.md": kinds.MARKDOWN,
    "pyproject.toml": kinds.TOML, "pixi.toml": kinds.TOML, "setup.cfg": kinds.SETUP_CFG, "train.ipynb": kinds.NOTEBOOK,
    "a.service": kinds.SYSTEMD, "a.container": kinds.SYSTEMD, ".env": kinds.DOTENV, "devcontainer.json": kinds.JSON,
    "Makefile": kinds.MAKEFILE, "justfile": kinds.JUSTFILE, "CMakeLists.txt": kinds.CMAKE, "Jenkinsfile": kinds.JENKINSFILE,
    "uv.lock": kinds.LOCK, "pylock.toml": kinds.LOCK,
    "poetry.lock": kinds.LOCK, "pdm.lock": kinds.LOCK, "Pipfile.lock": kinds.LOCK, "pixi.lock": kinds.LOCK, "Pipfile": kinds.TOML,
}  # fmt: skip

# What the syntaxes are made of, for the changes that random characters hit too seldom.
PIECES = (
    '"', "'", "`", "```", "\\", "\\\n", "\n", "\r\n", "\r", "\t", "  ", "#", "# ", "!", "%", "%%bash\n", "!pip install torch\n", "{", "}",
    "[", "]", "(", ")", "{{ x }}", "{% if x %}", "${X}", "${X:-", "$(", "<<EOF\n", "EOF\n", "&&", "||", ";", "|", ">", "@", "==", "=", "- ", ": ",
    "&a ", "*a", "|-\n", "---\n", ",", "\\u0041", "\\ud800", "\ufeff", "\x00", "\x85", "\u2028", "é", "🔥", '"""', "'''", "# /// script\n", "[[a]]\n", "[a.b]\n",
    "-r x.txt\n", "--index-url ", "flash-attn", "torch==2.9.1", "RUN ", "FROM ", "if x:\n", "else:\n", "case x in\n", "esac\n", "fi\n", "[project]\n", "[options]\n",
    "[Service]\n", "[Container]\n", "Environment=", "ExecStart=", "%i", "$$", "export ",
    "node('spark') {\n", "sh '", "agent { docker { image '", "/*", "//", "$/",
    "set(X ", "if(NOT X)\n", "endif()\n", "$<", "$<$<CONFIG:a>:", "[[", "]]", "#[=[",
)  # fmt: skip


def seeds(name: str) -> list[str]:
    """Files of this kind that mean something: the examples on the rules' pages."""
    found = dict.fromkeys(text for file, text in _examples() if _alike(file, name) and len(text) < 4000)
    own = [text for path, text in OWN.items() if path == name]
    return [*own, *found]


def _alike(file: str, name: str) -> bool:
    """Whether a file is of the same kind; a lock is of its own format alone."""
    kind = kinds.kind_of(file)
    return kind == KINDS[name] and (kind != kinds.LOCK or file.rpartition("/")[2] == name)


def _examples() -> Iterator[tuple[str, str]]:
    for path in sorted((Path(__file__).parent.parent / "rules").glob("g*/*.md")):
        if path.name == "README.md":
            continue
        for each in page(path).examples:
            yield from ((fence.file, fence.text) for fence in each.fences)


# Kinds of which the pages show too little.
OWN = {
    "pyproject.toml": '[project]\nname = "a"\nrequires-python = ">=3.10"\ndependencies = ["torch==2.9.1", "x; sys_platform == \'linux\'"]\n'
    "[project.optional-dependencies]\ngpu = [\n  'flash-attn',  # slow\n]\n[tool.uv.sources]\ntorch = { index = \"c\" }\n[[tool.uv.index]]\n"
    'name = "c"\nurl = "https://download.pytorch.org/whl/cu124"\nexplicit = true\n[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "^2.4"\n',
    "pixi.toml": '[workspace]\nname = "a"\nchannels = ["conda-forge"]\nplatforms = ["linux-64"]\n[dependencies]\npytorch-gpu = "*"\n'
    '[pypi-dependencies]\ntorch = { version = "==2.9.1", index = "https://download.pytorch.org/whl/cu124" }\n',
    "Makefile": "CUDA ?= cu124\nFLAGS := -O3 $(X)\nFLAGS += -gencode arch=compute_90,code=sm_90 \\\n  -g # b\nifeq ($(shell uname -m),x86_64)\nX = 1\nelse ifdef Y\nX = 2\n"
    "endif\ndefine canned\n@cd $(1)\n-pip install a\nendef\n.PHONY: all\ngpu: export TP = 2\nall gpu: a.txt | b ; echo\n\t$(call canned,x)\n\t@pip install -r $< \\\n\t  --index-url "
    "https://download.pytorch.org/whl/$(CUDA)\n\tfor i in 1 2; do torchrun --nproc_per_node=$${TP:-2} a.py; done\n%.o: %.cu\n\tnvcc $(FLAGS) -c $< -o $@\n",
    "justfile": "set shell := [\"bash\", \"-uc\"]\ncuda := env('CUDA', 'cu124')\nexport TP := '2' + \"x\"\n# a\n[linux]\ninstall pkg='torch' *args: other\n    @pip install {{ pkg }} \\\n"
    "      --index-url https://download.pytorch.org/whl/{{cuda}} {{args}}\n    -echo {{{{ a\n\n[macos, windows]\nother $a=(cuda + 'b'):\n    #!/usr/bin/env python3\n    import flash_attn\n"
    "sh:\n  #!/bin/sh\n  if [ -f x ]; then\n    pip install a\n  fi\nx := '''\n  a\n  '''\n",
    "Jenkinsfile": "def tag = '2.9.1' // a\ndef f(x, y = 'a') { sh \"pip install torch==${tag} ${x ? \"a\" : 'b'} \\$HOME\" }\npipeline {\n  agent { docker { image \"nvidia/cuda:${T}\"\n"
    "    label 'gpu && !a'; args '--gpus all' } }\n  parameters { string(name: 'T', defaultValue: '12.4.1') }\n  environment { A = 'b' /* c */ }\n  stages { stage('a') {\n"
    "    when { not { branch 'x' } }\n    steps { sh '''\n      pip install flash-attn \\\\\n        x\n    '''\n      withEnv([\"C=${A}\"]) { sh label: 'a', script: 'ls' } } } }\n}\n"
    "node('spark') { if (a =~ /b'/) { f('x') } else { dir('d') {\n  docker.image('a/b:1').inside('--ipc=host') { sh 'vllm serve x --tensor-parallel-size 2' } } } }\n",
    "setup.cfg": "[metadata]\nname = a\n[options]\ninstall_requires =\n    torch==2.9.1\n    flash-attn; python_version > '3.8'\n"
    "[options.extras_require]\ngpu =\n  xformers\n",
    "a.service": "[Service]\nEnvironment=\"TP=2\" ARGS='--max-model-len 8'\nEnvironmentFile=-/etc/%p.env\nWorkingDirectory=~\nExecStart=-/usr/bin/vllm serve m \\\n"
    "  # two\n  --tensor-parallel-size ${TP} $ARGS \\x41 ; /bin/true\nExecStop=/bin/bash -c 'pip install torch==2.9.1 && echo $$TP'\n",
    "a.container": '[Container]\nImage=docker.io/vllm/vllm-openai:v0.9.0\nContainerName=a-%i\nEntrypoint=["vllm", "serve"]\nAddDevice=nvidia.com/gpu=all\n'
    "PodmanArgs=--platform linux/amd64\nEnvironment=CUDA_VISIBLE_DEVICES=1\nExec=m \\\n  --tensor-parallel-size 2\n[Service]\nRestart=always\n",
    ".env": "# a\nexport TP=2 # two\nB=\"x ${TP:-1}\\n\"\nC='y\nz'\nCUDA_VISIBLE_DEVICES=$B\n",
    "devcontainer.json": '{"image": "nvidia/cuda:12.4.1-devel-ubuntu22.04", /* a */ "build": {"dockerfile": "D", "args": {"BASE_IMAGE": "a/b:1"}}, "runArgs": ["--gpus", "all"],'
    ' "containerEnv": {"A": "${localEnv:A:1}"}, "initializeCommand": "ls", "postCreateCommand": {"a": "pip install torch", "b": ["pip", "install", "x"]}}',
    "setup.py": "from setuptools import setup\nextras = {'gpu': ['flash-attn']}\nextras['all'] = extras['gpu'] + ['torch==2.9.1']\n"
    "setup(name='a', install_requires=['torch==2.9.1'] + open('r.txt').read().split(), extras_require=extras)\n",
    "uv.lock": 'version = 1\nrevision = 3\nrequires-python = ">=3.12"\nsupported-markers = [\n    "sys_platform == \'linux\'",\n]\n\n[manifest]\nmembers = [\n    "a",\n]\n\n'
    '[manifest.dependency-groups]\ndev = [{ name = "torch", specifier = ">=2.9" }]\n\n[[package]]\nname = "a"\nversion = "0.1.0"\nsource = { editable = "." }\ndependencies = [\n'
    '    { name = "torch", version = "2.9.1", marker = "sys_platform == \'linux\'" },\n]\n\n[package.optional-dependencies]\ngpu = [\n    { name = "torch", extra = ["opt"] },\n]\n\n'
    '[package.metadata]\nrequires-dist = [{ name = "torch", marker = "extra == \'gpu\'", specifier = "==2.9.1" }]\n\n[[package]]\nname = "torch"\nversion = "2.9.1"\n'
    'source = { git = "https://example.invalid/torch?rev=main&subdirectory=a#00" }\nresolution-markers = [\n    "os_name == \'nt\'",\n    "os_name != \'nt\'",\n]\n'
    'wheels = [\n    { url = "https://example.invalid/torch-2.9.1%2Bcu130-cp312-cp312-manylinux_2_28_aarch64.whl", hash = "sha256:00" },\n]\n',
    "pylock.toml": 'lock-version = "1.0"\nenvironments = ["sys_platform == \'linux\'"]\ndefault-groups = ["default"]\n\n[[packages]]\nname = "torch"\nversion = "2.9.1"\n'
    "marker = \"('default' in dependency_groups and os_name == 'nt') or ('gpu' not in extras and (sys_platform == 'linux' or 'dev' in dependency_groups))\"\n"
    'dependencies = [{ name = "x" }]\nwheels = [{ name = "torch-2.9.1-cp312-cp312-win_amd64.whl", url = "https://example.invalid/1" }]\n\n[[packages]]\nname = "x"\n'
    '[packages.vcs]\ntype = "git"\nurl = "https://example.invalid/x.git"\ncommit-id = "00"\n\n[[packages]]\nname = "me"\ndirectory = { path = "." }\n',
    "poetry.lock": '[[package]]\nname = "torch"\nversion = "2.9.1"\noptional = true\npython-versions = ">=3.10"\ngroups = ["main", "dev"]\n'
    'markers = {main = "extra == \\"gpu\\" and (sys_platform == \\"linux\\" or extra == \\"all\\")"}\nfiles = [\n    {file = "torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl", '
    'hash = "sha256:00"},\n]\n\n[package.dependencies]\nfilelock = "^3.1"\nnumpy = [\n    {version = ">=1.26", markers = "python_version < \\"3.12\\"", optional = true},\n]\n\n'
    '[package.extras]\nopt = ["numpy (>=1.26)"]\n\n[package.source]\ntype = "legacy"\nurl = "https://download.pytorch.org/whl/cu124"\n\n[extras]\ngpu = ["torch"]\n\n'
    '[metadata]\nlock-version = "2.1"\npython-versions = "^3.10"\ncontent-hash = "00"\n',
    "pdm.lock": '[metadata]\ngroups = ["default", "dev"]\nlock_version = "4.5.0"\n\n[[metadata.targets]]\nrequires_python = "==3.12.*"\nplatform = "manylinux_2_17_aarch64"\n\n'
    '[[package]]\nname = "torch"\nversion = "2.9.1"\ngroups = ["default", "dev"]\nmarker = "sys_platform == \\"linux\\""\ndependencies = [\n    "filelock>=3.1; python_version < \\"3.13\\"",\n'
    '    "x[a,b] @ git+https://example.invalid/x.git ; os_name == \\"posix\\"",\n]\nfiles = [\n    {file = "torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl", hash = "sha256:00"},\n]\n\n'
    '[[package]]\nname = "torch"\nversion = "2.9.1"\nextras = ["opt"]\ngroups = ["dev"]\ndependencies = [\n    "torch==2.9.1",\n    "opt",\n]\n',
    "Pipfile.lock": '{\n    "_meta": {"requires": {"python_version": "3.12"}, "sources": [{"name": "pypi", "url": "https://pypi.org/simple"}, {"name": "c", "url": "https://example.invalid/cu124"}]},\n'
    '    "default": {\n        "torch": {"hashes": ["sha256:00"], "index": "c", "markers": "python_version >= \'3.10\'", "version": "==2.9.1"},\n'
    '        "me": {"editable": true, "path": "."},\n        "x": {"git": "https://example.invalid/x.git", "ref": "00"}\n    },\n    "develop": {}\n}\n',
    "pixi.lock": "version: 6\nenvironments:\n  default:\n    channels:\n    - url: https://conda.anaconda.org/conda-forge/\n    packages:\n      linux-aarch64:\n"
    "      - conda: https://conda.anaconda.org/conda-forge/linux-aarch64/python-3.12.1-h1_0.conda\n      - pypi: https://example.invalid/torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl\n"
    "packages:\n- conda: https://conda.anaconda.org/conda-forge/linux-aarch64/python-3.12.1-h1_0.conda\n  depends:\n  - bzip2 >=1.0\n"
    "- pypi: https://example.invalid/torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl\n  name: torch\n  version: '2.9.1'\n",
    "Pipfile": '[[source]]\nurl = "https://${T}@pypi.org/simple"\nname = "pypi"\n[packages]\ntorch = {version = "==2.9.1", index = "c", platform_machine = "== \'x86_64\'"}\n'
    'me = {path = ".", editable = true}\nx = {git = "https://example.invalid/x.git", ref = "v1"}\n[dev-packages]\npytest = "*"\n[docs]\nsphinx = "~=7.1"\n[requires]\npython_version = "3.12"\n',
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
