"""Which extras and groups of a project are installed, where, and from which indexes: packaging files together with what installs them."""

import pytest
from projects import facts, found

from spark_lint.facts import Index, Package
from spark_lint.scope import Scope

NGC = "nvcr.io/nvidia/pytorch:25.11-py3"
PROJECT = """\
[project]
name = "Arm_Policy"
dependencies = ["numpy"]

[project.optional-dependencies]
gpu = ["flash-attn"]
all = ["arm-policy[gpu]"]
docs = ["mkdocs"]

[dependency-groups]
dev = ["pytest", {include-group = "bench"}]
bench = ["pyperf"]
"""
UV = "[tool.uv]\n"
RUNNER = "jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: "


def scopes(files: dict[str, str], name: str = "flash-attn", path: str = "pyproject.toml") -> list[Scope]:
    return [scope for fact in facts({"pyproject.toml": PROJECT, **files}, path, Package, name) for scope in fact.scopes]


def optional(files: dict[str, str], name: str = "flash-attn", path: str = "pyproject.toml") -> bool:
    return all(scope.optional for scope in scopes(files, name, path) if not scope.elsewhere)


def test_an_extra_is_optional_where_nothing_installs_it() -> None:
    assert optional({})
    assert not optional({}, "numpy")


@pytest.mark.parametrize(
    "install",
    [
        'pip install -e ".[gpu]"', "pip install .[gpu]", 'python -m pip install --editable ".[docs, gpu]"', "pip install -e .[all]",
        "uv pip install -e '.[gpu]'", "uv sync --extra gpu", "uv sync --all-extras", "uv run --extra gpu train.py", "uv sync --frozen --extra=all",
        "uv pip install -r pyproject.toml --extra gpu", "pip install 'arm-policy[gpu]'", "pip install 'arm.policy[gpu] @ git+https://example.com/arm_policy'",
        "git clone https://example.com/arm_policy && cd arm_policy && pip install -e .[gpu]", "cd src/.. && pip install -e .[GPU]",
        "pip install -e file:.[gpu]", "pip install -e '.#egg=arm_policy[gpu]'", "uv sync --package arm-policy --extra gpu",
        "poetry install --extras gpu", "poetry install -E docs -E gpu", "poetry install --all-extras", "pdm install -G gpu",
    ],
)  # fmt: skip
def test_an_extra_that_something_installs_is_not_optional(install: str) -> None:
    assert not optional({"install.sh": f"{install}\n"})


@pytest.mark.parametrize(
    ("run", "expected"), [("hatch run train", ["torch"]), ("hatch run gpu:train", ["flash-attn"]), ("hatch build", [])]
)
def test_an_environment_of_hatch_is_there_where_something_runs_in_it(run: str, expected: list[str]) -> None:
    files = {
        "pyproject.toml": "[tool.hatch.envs.default]\ndependencies = ['torch']\n[tool.hatch.envs.gpu]\ndependencies = ['flash-attn']\n",
        "a.sh": f"{run}\n",
    }
    found = facts(files, "pyproject.toml", Package)
    assert [each.name for each in found if not all(scope.optional for scope in each.scopes)] == expected


@pytest.mark.parametrize(
    "install",
    ["pip install -e .", "uv sync", 'pip install -e ".[docs]"', "uv sync --extra docs", "pip install -e ../other[gpu]", "pip install other[gpu]",
     "cd elsewhere && pip install -e .[gpu]", "uv sync --group gpu", "uv sync --package other --extra gpu", "uv sync --package $P --extra gpu", 'pip install -e ".[$EXTRA]"', "echo pip install -e .[gpu]"],
)  # fmt: skip
def test_what_installs_something_else_leaves_it_optional(install: str) -> None:
    assert optional({"install.sh": f"{install}\n"})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("README.md", "```bash\npip install -e .[gpu]\n```\n"),
        ("requirements.txt", "-e .[gpu]\n"),
        ("environment.yml", "name: a\ndependencies:\n- python=3.12\n- pip:\n  - -e .[gpu]\n"),
        (
            "compose.yaml",
            "services:\n  a:\n    image: python:3.12\n    working_dir: /src\n    command: uv run --extra gpu train.py\n",
        ),
    ],
)
def test_it_may_be_installed_from_any_kind_of_file(path: str, text: str) -> None:
    assert not optional({path: text})


@pytest.mark.parametrize(
    ("path", "before", "run"), [("install.sh", "", ""), ("Dockerfile", "FROM python:3.12\nCOPY . /a\nWORKDIR /a\n", "RUN ")]
)
def test_each_of_many_extras_counts_as_installed(path: str, before: str, run: str) -> None:
    extras = "".join(f'e{number} = ["torch==2.9.1"]\n' for number in range(300))
    project = f'[project]\nname = "a"\n[project.optional-dependencies]\n{extras}never = ["torch==2.9.1"]\n'
    lines = "".join(f"{run}pip install -e .[e{number}]\n" for number in range(300))
    reported = found({"pyproject.toml": project, path: before + lines})
    assert [severity for where, _, _, severity in reported if where == "pyproject.toml"] == ["error"] * 300 + ["info"]


def test_extras_that_bring_each_other_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many of them, what is named itself is still installed."""
    extras = "".join(f'e{number} = ["a[e{(number + 1) % 50}]", "b{number}"]\n' for number in range(50))
    files = {"pyproject.toml": f'[project]\nname = "a"\n[project.optional-dependencies]\n{extras}'}
    assert not optional({**files, "a.sh": "pip install .[e0]\n"}, "b49")
    monkeypatch.setattr("spark_lint.distributions._MOST_ASKED", 20)
    assert optional({**files, "a.sh": "pip install .[e0]\n"}, "b49")
    assert not optional({**files, "a.sh": "pip install .[e0]\npip install .[e49]\n"}, "b49")


def test_what_only_a_hosted_runner_installs_is_optional_for_everybody_else() -> None:
    assert optional({".github/workflows/test.yml": f"{RUNNER}pip install -e .[gpu]\n"})


def test_an_install_without_dependencies_brings_none() -> None:
    assert optional({"install.sh": "pip install --no-deps -e .[gpu]\n"})


def test_a_group_that_its_manager_installs_unasked_is_not_optional() -> None:
    files = {"pyproject.toml": PROJECT + UV}
    assert optional(files, "pyperf")
    assert not optional({**files, "run.sh": "uv sync\n"}, "pyperf")
    assert not optional({**files, "run.sh": "uv run python train.py\n"}, "pyperf")
    assert optional({**files, "run.sh": "uv sync --no-dev\n"}, "pyperf")
    assert optional({**files, "run.sh": "pip install -e .\n"}, "pyperf")
    assert not optional({**files, "run.sh": "uv sync --no-dev --group bench\n"}, "pyperf")
    none = {"pyproject.toml": PROJECT + UV + "default-groups = []\n"}
    assert optional({**none, "run.sh": "uv sync\n"}, "pyperf")


def test_a_stage_that_installs_the_project_gives_it_its_image() -> None:
    docker = f"FROM {NGC}\nWORKDIR /app\nCOPY . .\nRUN pip install -e .[gpu]\n"
    assert [(scope.label, scope.optional) for scope in scopes({"Dockerfile": docker})] == [(NGC, False)]
    docker = f"FROM {NGC}\nWORKDIR /app\nCOPY pyproject.toml uv.lock ./\nRUN uv sync --frozen --extra gpu\n"
    assert [scope.label for scope in scopes({"Dockerfile": docker})] == [NGC]
    docker = f"FROM {NGC}\nRUN --mount=type=bind,source=pyproject.toml,target=pyproject.toml uv sync --extra gpu\n"
    assert [scope.label for scope in scopes({"Dockerfile": docker})] == [NGC]


def test_another_project_that_an_image_clones_is_not_this_one() -> None:
    docker = f"FROM {NGC}\nRUN git clone https://example.com/other && cd other && pip install -e .[gpu]\n"
    assert optional({"Dockerfile": docker})


def test_requirements_that_a_project_reads_are_installed_with_it() -> None:
    project = '[project]\nname = "a"\ndynamic = ["dependencies"]\n[tool.setuptools.dynamic]\ndependencies = {file = ["requirements.txt"]}\n'
    project += 'optional-dependencies.gpu = {file = ["gpu.txt"]}\n'
    files = {"pyproject.toml": project, "requirements.txt": "torch==2.9.1\n", "gpu.txt": "flash-attn\n"}
    assert optional(files, "flash-attn", "gpu.txt")
    files["Dockerfile"] = f"FROM {NGC}\nCOPY . /app\nRUN pip install /app[gpu]\n"
    assert [scope.label for scope in scopes(files, "torch", "requirements.txt")] == [NGC]
    assert [(scope.label, scope.optional) for scope in scopes(files, "flash-attn", "gpu.txt")] == [(NGC, False)]


def test_the_same_in_the_older_files() -> None:
    cfg = "[metadata]\nname = a\n[options]\ninstall_requires =\n  numpy\n[options.extras_require]\ngpu =\n  flash-attn\n"
    setup = "from setuptools import setup\nsetup(name='a', extras_require={'gpu': ['flash-attn']})\n"
    for path, text in (("setup.cfg", cfg), ("setup.py", setup)):
        files = {"pyproject.toml": "", path: text}
        assert optional(files, path=path)
        assert not optional({**files, "install.sh": "pip install -e .[gpu]\n"}, path=path)


SOURCES = """\
[project]
name = "a"
requires-python = "{python}"
dependencies = ["torch==2.9.1"{more}]

[tool.uv.sources]
torch = {source}

[[tool.uv.index]]
name = "new"
url = "https://download.pytorch.org/whl/cu130"
explicit = true

[[tool.uv.index]]
name = "old"
url = "https://download.pytorch.org/whl/cu124"
explicit = true
"""


def sourced(source: str, python: str = ">=3.10", more: str = "", **files: str) -> dict[str, str]:
    return {"pyproject.toml": SOURCES.format(source=source, python=python, more=more), **files}


def indexes(files: dict[str, str]) -> set[str]:
    return {index.name for scope in scopes(files, "torch") if not scope.elsewhere for index in scope.indexes}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('{ index = "new" }', {"cu130"}),
        ('[{ index = "old", marker = "platform_machine == \'x86_64\'" }, { index = "new", marker = "platform_machine != \'x86_64\'" }]', {"cu130"}),
        ('[{ index = "old", marker = "sys_platform == \'win32\'" }]', set()),
        ('[{ index = "old", extra = "cu124" }, { index = "new", extra = "cu130" }]', set()),
        ('{ index = "old" }', {"cu124"}),
    ],
)  # fmt: skip
def test_a_package_comes_from_the_index_that_it_is_bound_to(source: str, expected: set[str]) -> None:
    assert indexes(sourced(source)) == expected


def test_an_index_from_which_nothing_comes_on_a_spark_is_not_asked_about() -> None:
    files = sourced(
        '[{ index = "old", marker = "platform_machine == \'x86_64\'" }, { index = "new", marker = "platform_machine == \'aarch64\'" }]'
    )
    assert found(files) == []
    assert {index.name: index.scope.elsewhere for index in facts(files, "pyproject.toml", Index)} == {
        "cu130": False,
        "cu124": True,
    }


def test_the_index_that_is_used_is_the_one_that_is_reported() -> None:
    assert found(sourced('{ index = "old" }')) == [("pyproject.toml", 16, "G1/torch-index-cuda12", "error")]


def test_pip_reads_nothing_of_what_another_manager_is_told() -> None:
    files = sourced('{ index = "new" }', **{"README.md": "```bash\npip install -e .\n```\n"})
    assert ("pyproject.toml", 4, "G1/torch-cpu-only-on-aarch64", "error") in found(files)
    files = sourced('{ index = "new" }', **{"README.md": "```bash\nuv pip install -e .\n```\n"})
    assert found(files) == []


def test_a_package_from_an_address_is_not_judged_by_its_version() -> None:
    assert found(sourced('{ url = "https://example.com/torch-2.9.1+cu130-cp312-cp312-linux_aarch64.whl" }')) == []
    assert found(sourced('{ git = "https://github.com/pytorch/pytorch" }')) == []


@pytest.mark.parametrize(
    ("python", "elsewhere"), [(">=3.10", True), (">=3.10,<3.12", False), ("==3.11.*", False), ("~=3.11.4", False), ("==3.11.9", False), ("==3.12.7", True), (">=3.12", True), ("", True), ("nonsense", True)]
)  # fmt: skip
def test_markers_are_judged_for_a_python_that_the_project_takes(python: str, elsewhere: bool) -> None:
    files = sourced('{ index = "new" }', python, ", \"flash-attn; python_version < '3.12'\"")
    assert [scope.elsewhere for scope in scopes(files)] == [elsewhere]


def test_extras_do_not_see_each_other() -> None:
    project = '[project]\nname = "a"\n[project.optional-dependencies]\nold = ["torch==2.4.1", "torchvision==0.19.1"]\nnew = ["torch==2.11.0", "torchvision==0.26.0"]\n'
    codes = {code for _, _, code, _ in found({"pyproject.toml": project, "a.sh": "pip install -e .[new]\n"})}
    assert "G1/torch-pair-mismatch" not in codes


def test_a_member_of_a_workspace_takes_its_packages_from_where_the_workspace_says() -> None:
    root = SOURCES.format(source='{ index = "old" }', python="", more="").replace('"torch==2.9.1"', "")
    files = {"pyproject.toml": f'{root}[tool.uv.workspace]\nmembers = ["packages/*"]\n'}
    files["packages/a/pyproject.toml"] = '[project]\nname = "b"\ndependencies = ["torch==2.6.0"]\n'
    files["pyproject.toml"] += 'exclude = ["packages/old-*", "packages/d"]\n'
    others = ("others/c", "packages/d", "packages/old-e")
    files |= {f"{path}/pyproject.toml": '[project]\nname = "c"\ndependencies = ["torch==2.6.0"]\n' for path in others}
    for path, expected in (("packages/a", ["cu124"]), *((path, []) for path in others)):
        (scope,) = scopes(files, "torch", f"{path}/pyproject.toml")
        assert [index.name for index in scope.indexes] == expected
    assert ("pyproject.toml", 16, "G1/torch-index-cuda12", "error") in found(files)


def test_a_package_that_each_extra_takes_from_elsewhere_is_installed_with_one_of_them() -> None:
    files = sourced('[{ index = "new", extra = "gpu" }, { index = "old", extra = "old" }]')
    files["pyproject.toml"] += "[project.optional-dependencies]\ngpu = []\nold = []\n"
    assert ("pyproject.toml", 4, "G1/torch-cpu-only-on-aarch64", "error") in found(files)
    files["run.sh"] = "uv sync --extra gpu\nuv run train.py\n"
    assert found(files) == []


def test_the_header_of_a_script_has_indexes_of_its_own() -> None:
    header = '# /// script\n# dependencies = ["torch==2.9.1", "datasets"]\n# [tool.uv.sources]\n# torch = { index = "a" }\n# [[tool.uv.index]]\n# name = "a"\n# url = "https://download.pytorch.org/whl/{cuda}"\n# explicit = true\n# ///\nprint(1)\n'
    assert found({"run.py": header.replace("{cuda}", "cu130")}) == []
    assert found({"run.py": header.replace("{cuda}", "cu124")}) == [("run.py", 7, "G1/torch-index-cuda12", "error")]
    assert found({"run.py": header.partition("# [tool")[0] + "# ///\n"}) == [
        ("run.py", 2, "G1/torch-cpu-only-on-aarch64", "error")
    ]


def test_what_setup_py_asks_for_counts_only_where_the_project_leaves_it_to_it() -> None:
    setup = "from setuptools import setup\nsetup(name='a', install_requires=['torch==2.9.1'], extras_require={'gpu': ['flash-attn']})\n"
    codes = {"G1/torch-cpu-only-on-aarch64", "G2/flash-attn-requirement"}
    for project, expected in (
        ('[build-system]\nrequires = ["setuptools"]\n', codes),
        ('[project]\nname = "a"\ndependencies = []\n', set()),
        ('[project]\nname = "a"\ndynamic = ["dependencies"]\n', codes - {"G2/flash-attn-requirement"}),
        ('[project]\nname = "a"\ndynamic = ["dependencies", "optional-dependencies"]\n', codes),
    ):
        assert {code for _, _, code, _ in found({"pyproject.toml": project, "setup.py": setup})} == expected


@pytest.mark.parametrize(
    "install",
    ["RUN python -m venv /v && /v/bin/pip install flash-attn", "RUN uv venv /v && VIRTUAL_ENV=/v uv pip install flash-attn", "RUN poetry add flash-attn"],
)  # fmt: skip
def test_what_an_image_ships_is_not_in_an_environment_of_its_own(install: str) -> None:
    assert [code for _, _, code, _ in found({"Dockerfile": f"FROM {NGC}\n{install}\n"})] == ["G2/flash-attn-requirement"]
    assert found({"Dockerfile": f"FROM {NGC}\nRUN pip install flash-attn\n"}) == []
    shared = "RUN python -m venv --system-site-packages /v && /v/bin/pip install flash-attn"
    assert found({"Dockerfile": f"FROM {NGC}\n{shared}\n"}) == []


def test_a_project_that_uv_installs_in_an_image_has_an_environment_of_its_own() -> None:
    files = {"pyproject.toml": '[project]\nname = "a"\ndependencies = ["flash-attn"]\n'}
    docker = f"FROM {NGC}\nWORKDIR /a\nCOPY pyproject.toml .\nRUN "
    assert [code for _, _, code, _ in found({**files, "Dockerfile": f"{docker}uv sync\n"})] == ["G2/flash-attn-requirement"]
    assert found({**files, "Dockerfile": f"{docker}pip install .\n"}) == []


def test_the_pip_part_of_a_conda_environment_is_not_over_the_image() -> None:
    environment = "name: a\ndependencies:\n- python=3.12\n- pip:\n  - torchvision==0.20.1\n"
    assert "G9/ngc-torch-reinstall" not in {code for _, _, code, _ in found({"environment.yml": environment}, image=NGC)}
    assert "G9/ngc-torch-reinstall" in {code for _, _, code, _ in found({"requirements.txt": "torchvision==0.20.1\n"}, image=NGC)}


def test_only_pixi_reads_what_is_pixis() -> None:
    pixi = '[workspace]\nchannels = []\nplatforms = ["linux-aarch64"]\n[pypi-dependencies]\nflash-attn = "*"\n'
    files = {
        "pyproject.toml": '[project]\nname = "a"\n',
        "pixi.toml": pixi,
        "Dockerfile": f"FROM {NGC}\nCOPY . /a\nRUN pip install /a\n",
    }
    assert [(path, code) for path, _, code, _ in found(files)] == [("pixi.toml", "G2/flash-attn-requirement")]


def test_scripts_that_run_something_in_the_project_are_not_a_place_each() -> None:
    scripts = {f"s{n}.sh": f"N={n} uv run --with wandb --env-file e{n} --python 3.1{n % 5} train{n}.py\n" for n in range(30)}
    assert len(scopes(scripts, "numpy")) == 1
    docker = f"FROM {NGC}\nCOPY . /a\nWORKDIR /a\n" + "".join(f"RUN bash s{n}.sh\n" for n in range(30))
    assert len(scopes({**scripts, "Dockerfile": docker}, "numpy")) < 5


def test_an_extra_that_is_there_only_under_a_test_is_worth_an_info_too() -> None:
    setup = "from setuptools import setup\nextras = {}\nif has_attention():\n    extras['gpu'] = ['NAME']\nsetup(name='a', extras_require=extras)\n"
    for package, code in (("flash-attn", "G2/flash-attn-requirement"), ("decord", "G1/package-without-aarch64-wheel")):
        assert found({"setup.py": setup.replace("NAME", package)}) == [("setup.py", 4, code, "info")]
