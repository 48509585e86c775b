"""Which project an install command installs, with which extras and groups, and which packages."""

import pytest

from spark_lint.facts import Include, Package
from spark_lint.names import named
from spark_lint.read.shell import read
from spark_lint.text import UNKNOWN, Source


def installed(line: str) -> list[tuple[str, str]]:
    """The projects a line installs: the folder, and what is asked for of it."""
    reads = [each for fact in read(Source("install.sh", line)) for each in named(fact)]
    return [
        (each.path.value, " ".join(sorted(each.extras)))
        for each in reads
        if isinstance(each, Include) and each.kind == "editable"
    ]


def packages(line: str) -> list[str]:
    reads = [each for fact in read(Source("install.sh", line)) for each in named(fact)]
    return [each.name for each in reads if isinstance(each, Package)]


@pytest.mark.parametrize(
    ("line", "folder", "extras"),
    [
        ("pip install -e .", ".", ""),
        ("pip install .", ".", ""),
        ("pip install ./", "./", ""),
        ('pip install -e ".[gpu,dev]"', ".", "dev gpu"),
        ("pip install -e '.[GPU_Extra, dev]'", ".", "dev gpu-extra"),
        ("pip install --editable=path/to/pkg[x]", "path/to/pkg", "x"),
        ("pip install -e.[x]", ".", "x"),
        ("pip install -e vllm", "vllm", ""),
        ("pip install path/to/pkg[x]", "path/to/pkg", "x"),
        ("pip install /app[all]", "/app", "all"),
        ("pip install '.[x]' --no-build-isolation", ".", "x"),
        ('pip install -e ".[$EXTRAS,dev]"', ".", "dev"),
        ("pip install --group dev", ".", "group:dev"),
        ("pip install --group sub/pyproject.toml:test", "sub", "group:test"),
        ("pip install --group pyproject.toml:test", ".", "group:test"),
        ("uv pip install -e .[x]", ".", "x"),
        ("uv pip install -r pyproject.toml", ".", ""),
        ("uv pip install -r pyproject.toml --extra gpu --extra dev", ".", "dev gpu"),
        ("uv pip install -r sub/pyproject.toml --all-extras", "sub", "*"),
        ("uv pip install -r setup.py", ".", ""),
        ("uv pip install --group dev", ".", "group:dev"),
        ("uv pip compile pyproject.toml --extra gpu -o requirements.txt", ".", "gpu"),
        ("uv tool install -e .[x]", ".", "x"),
        ("uvx --from '.[x]' prog", ".", "x"),
        ("uv run --with-editable ./lib --no-project prog", "./lib", ""),
        ("uv sync", ".", "group:default"),
        ("uv sync --frozen --no-install-project", ".", "group:default"),
        ("uv sync --extra gpu --group docs", ".", "gpu group:default group:docs"),
        ("uv sync --all-extras --all-groups", ".", "* group:* group:default"),
        ("uv sync --no-dev", ".", ""),
        ("uv sync --no-default-groups --extra a", ".", "a"),
        ("uv sync --only-group docs", ".", "group:docs"),
        ("uv sync --only-dev", ".", "group:dev"),
        ("uv sync --all-extras --no-extra cuda11", ".", "group:default"),
        ("uv sync --all-groups --no-group rocm", ".", ""),
        ("uv sync --project sub", "sub", "group:default"),
        ("uv --directory sub sync", "sub", "group:default"),
        ("uv sync --package worker", UNKNOWN, "group:default"),
        ("uv run --extra X python train.py", ".", "group:default x"),
        ("uv run python train.py --extra gpu", ".", "group:default"),
        ("uv export --extra gpu --no-dev", ".", "gpu"),
        ("poetry install", ".", "group:default"),
        ('poetry install --extras "a b"', ".", "a b group:default"),
        ("poetry install -E gpu -E dev --with docs,test", ".", "dev gpu group:default group:docs group:test"),
        ("poetry install --without dev", ".", ""),
        ("poetry install --only main", ".", ""),
        ("poetry install --only main,docs", ".", "group:docs"),
        ("poetry install --all-extras --all-groups", ".", "* group:* group:default"),
        ("poetry -C sub install --no-root", "sub", "group:default"),
        ("poetry sync --no-dev", ".", ""),
        ("poetry export -f requirements.txt --with gpu --extras x", ".", "group:gpu x"),
        ("pdm install", ".", "group:default"),
        ("pdm install -G gpu --prod", ".", "gpu group:gpu"),
        ("pdm sync -G a,b --prod --no-default", ".", "a b group:a group:b"),
        ("pdm install -G:all", ".", "* group:default"),
        ("pdm install -p sub -dG test", "sub", "group:test test"),
        ("pipenv install", ".", ""),
        ("pipenv install --dev --system --deploy", ".", "group:dev"),
        ("pipenv sync -d", ".", "group:dev"),
        ('pipenv sync --categories="packages dev-packages, docs"', ".", "group:dev group:docs"),
        ("pipenv install --all", ".", "group:*"),
        ("PIPENV_PIPFILE=sub/Pipfile pipenv install", "sub", ""),
        ("pipenv requirements --dev-only", ".", "group:dev"),
        ("pixi install", ".", "group:default"),
        ("pixi install -e gpu", ".", "group:gpu"),
        ("pixi install --all", ".", "group:* group:default"),
        ("pixi run -e gpu python train.py -e x", ".", "group:gpu"),
        ("pixi run --manifest-path sub/pixi.toml train", "sub", "group:default"),
        ("hatch run train", ".", "group:hatch.default"),
        ("hatch run gpu:train", ".", "group:hatch.gpu"),
        ("hatch -e gpu run train", ".", "group:hatch.gpu"),
        ("hatch env create gpu", ".", "group:hatch.gpu"),
        ("python setup.py install", ".", ""),
        ("python csrc/setup.py develop", "csrc", ""),
        ("sudo -E python3 setup.py install --user", ".", ""),
    ],
)
def test_the_project_that_a_command_installs(line: str, folder: str, extras: str) -> None:
    assert installed(line) == [(folder, extras)]


@pytest.mark.parametrize(
    "line",
    [
        "pip install ./wheels/torch-2.9.0-cp312-cp312-linux_aarch64.whl",
        "pip install vllm[flashinfer]",
        "pip install vllm",
        "pip install -e git+https://github.com/vllm-project/vllm.git#egg=vllm",
        "pip install $PACKAGES",
        "pip uninstall -y .",
        "uv pip install -r requirements.txt --extra gpu",
        "uv run --no-project python train.py",
        "uv run --no-sync python train.py",
        "uv run --script train.py",
        "uv sync --script train.py",
        "uv lock",
        "uv pip list",
        "poetry run python train.py",
        "poetry install --only-root",
        "poetry install --help",
        "pdm run train",
        "pixi task list",
        "hatch build",
        "python setup.py bdist_wheel",
        "python setup.py build_ext --inplace",
        "apt-get install ./x.deb",
        "npm install .",
    ],
)
def test_no_project_is_installed(line: str) -> None:
    assert installed(line) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pip install vllm[flashinfer]", ["vllm"]),
        ("pip install ./wheels/torch-2.9.0-cp312-cp312-linux_aarch64.whl", ["torch"]),
        ("pip install -e git+https://github.com/vllm-project/vllm.git#egg=vllm", ["vllm"]),
        ("pip install -e . torch", ["torch"]),
        ("pip install -e vllm", []),
        ("pdm add -G gpu torch", ["torch"]),
        ("poetry install -E gpu", []),
        ("uv run --with torch python x.py", ["torch"]),
        ("uv sync --extra torch", []),
        ("conda env update -n base -f environment.yml", []),
        ("micro env update torch", []),
        ("conda install torch", ["conda/torch"]),
    ],
)
def test_the_packages_beside_it(line: str, expected: list[str]) -> None:
    assert packages(line) == expected
