"""What is installed over the torch of NVIDIA's images: which torch a line asks for, and whether the image's own meets it."""

import pytest
from projects import facts, found, run

from spark_lint.facts import EnvVar, Image
from spark_lint.knowledge.images import describe
from spark_lint.queries.over_images import EXACT, admits_newer_peft, asked_of_torch, askers, met, pins_final
from spark_lint.text import UNKNOWN, Span

SPAN = Span("a", 1, 1, 1, 1)
NGC = "FROM nvcr.io/nvidia/pytorch:25.11-py3\n"


def codes(files: dict[str, str], **settings: object) -> list[tuple[str, int, str, str]]:
    """What the rules about installs over an image find."""
    ours = ("ngc-torch-reinstall", "pip-constraint-", "unsloth-with", "unsloth-zoo", "unsloth-stack", "peft-with")
    return [each for each in found(files, **settings) if each[2].partition("/")[2].startswith(ours)]


@pytest.mark.parametrize(
    ("name", "specifier", "asked"),
    [
        ("torchaudio", "", ">=2.11"),
        ("torchaudio", "==2.9.1", EXACT),
        ("torchaudio", "==2.11.0", ""),
        ("torchaudio", ">=2.4,<2.10", EXACT),
        ("torchaudio", f"=={UNKNOWN}", ""),
        ("vllm", "", EXACT),
        ("vllm", "==0.12.0", EXACT),
        ("vllm", "==0.5.0", ""),
        ("axolotl", "", ">=2.11.0,<=2.13.0"),
        ("axolotl", "==0.12.0", ""),
        ("llamafactory", "", ">=2.11"),
        ("speechbrain", "", ">=2.7.1,>=2.11"),
        ("requests", "", ""),
        ("vllm", "not a specifier", EXACT),
    ],
)
def test_what_a_package_asks_of_torch(name: str, specifier: str, asked: str) -> None:
    assert asked_of_torch(name, specifier) == asked


@pytest.mark.parametrize(
    ("asked", "shipped", "meets"),
    [
        (">=2.11", "2.10.0a0+b558c986e8", False),
        (">=2.11", "2.11.0a0+eb65b36914", False),
        (">=2.11", "2.12.0a0+0291f960b6", True),
        (">=2.11.0,<=2.13.0", "2.13.0a0+8145d630e8", True),
        (EXACT, "2.12.0a0+0291f960b6", False),
        (EXACT, "", False),
        (">=2.11", "", True),
        ("", "2.10.0a0+b558c986e8", True),
    ],
)
def test_whether_the_pre_release_of_an_image_meets_it(asked: str, shipped: str, meets: bool) -> None:
    assert met(asked, shipped) is meets


@pytest.mark.parametrize(
    ("specifier", "pins"),
    [
        ("==2.9.1", True),
        ("===2.9.1", True),
        ("==2.9.1+cu130", True),
        (">=2,==2.9.1", True),
        ("==2.9.*", False),
        ("==2.10.0a0+b558c986e8", False),
        (">=2.9.1", False),
        (f"=={UNKNOWN}", False),
        ("==" + "9" * 5000, False),
        ("==nonsense", False),
        ("", False),
    ],
)
def test_a_pin_of_a_final_release(specifier: str, pins: bool) -> None:
    assert pins_final(specifier) is pins


@pytest.mark.parametrize(
    ("specifier", "newer"),
    [
        ("", True),
        (">=0.15", True),
        ("==0.20.0", True),
        ("==0.19.0", True),
        ("<1", True),
        ("<0.19", False),
        ("==0.18.1", False),
        ("~=0.18.0", False),
        (">=0.15,<0.19", False),
        (f">={UNKNOWN}", False),
    ],
)
def test_whether_a_line_gives_a_peft_that_refuses_an_old_torchao(specifier: str, newer: bool) -> None:
    assert admits_newer_peft(specifier) is newer


@pytest.mark.parametrize(
    ("reference", "own"),
    [
        ("nvcr.io/nvidia/pytorch:25.11-py3", True),
        (f"nvcr.io/nvidia/pytorch:{UNKNOWN}", True),
        ("nvcr.io/nvidia/vllm:26.06-py3", True),
        ("nvcr.io/nvidia/nemo:25.11", True),
        ("nvcr.io/nvidia/cuda-dl-base:25.11-cuda13.0-devel-ubuntu24.04", False),
        ("nvcr.io/nvidia/isaac-lab:2.3.2", False),
        ("pytorch/pytorch:2.9.1-cuda13.0-cudnn9-devel", False),
        ("vllm/vllm-openai:v0.28.0", False),
        ("org/app:1.0", False),
    ],
)
def test_images_with_a_torch_of_nvidias_own(reference: str, own: bool) -> None:
    name, _, tag = reference.partition(":")
    assert describe(Image(name=name, tag=tag, span=SPAN, origin=SPAN, written=reference)).nvidia_torch is own


def test_every_package_that_asks_for_a_torch_asks_for_one_that_some_image_lacks() -> None:
    shipped = "2.9.0a0+145a3a7bda"
    assert [name for name in askers() if met(asked_of_torch(name, ""), shipped)] == []


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("pip install torch==2.9.1", "error"),
        ("pip install torch==2.9.1+cu130 --index-url https://download.pytorch.org/whl/cu130", "error"),
        ("python3 -m pip install 'torch>=2.10'", "error"),
        ("uv pip install --system torch==2.9.1", "error"),
        ("UV_SYSTEM_PYTHON=1 uv pip install torch==2.9.1", "error"),
        ("UV_SYSTEM_PYTHON=1 uv add torch==2.9.1", None),
        ("pip install --pre -U torch --index-url https://download.pytorch.org/whl/nightly/cu130", "error"),
        ("pip install torchvision==0.24.1", "error"),
        ("pip install torchaudio", "error"),
        ("pip install --no-deps torchaudio", "warning"),
        ("pip install triton", "warning"),
        ("pip install vllm", "warning"),
        ("pip install --no-deps vllm", None),
        ("pip install torch", None),
        ("pip install 'torch<2.11'", None),
        ("uv pip install torch==2.9.1", None),
        ("/opt/venv/bin/pip install torch==2.9.1", None),
        ("/opt/venv/bin/python -m pip install torch==2.9.1", None),
        ("conda run -n train pip install torch==2.9.1", None),
        ("pip install --prefix /opt/x torch==2.9.1", None),
        ("pip wheel torch==2.9.1", None),
        ("pip uninstall -y torch && pip install torch==2.9.1", None),
        ("source /opt/venv/bin/activate && pip install torch==2.9.1", None),
        ("pip install torch==$(cat version)", None),
        ("if [ $(uname -m) = x86_64 ]; then pip install torch==2.9.1; fi", None),
    ],
)
def test_an_install_over_an_image(line: str, severity: str | None) -> None:
    expected = [] if severity is None else [("Dockerfile", 2, "G9/ngc-torch-reinstall", severity)]
    assert codes({"Dockerfile": f"{NGC}RUN {line}\n"}) == expected


def test_one_install_is_one_finding_at_its_worst_line() -> None:
    files = {
        "Dockerfile": f"{NGC}RUN pip install -r requirements.txt\n",
        "requirements.txt": "vllm\ntorchvision==0.24.1\ntorch==2.9.1\n",
    }
    assert codes(files) == [("requirements.txt", 2, "G9/ngc-torch-reinstall", "error")]


def test_an_image_that_does_not_run_on_a_spark_is_not_worth_a_word_about_its_torch() -> None:
    assert codes({"Dockerfile": "FROM nvcr.io/nvidia/pytorch:24.10-py3\nRUN pip install torch==2.9.1 peft unsloth\n"}) == []


def test_a_requirements_file_that_uv_installs_into_the_system() -> None:
    files = {"requirements.txt": "torch==2.9.1\n"}
    system = {"Dockerfile": f"{NGC}RUN uv pip install --system -r requirements.txt\n", **files}
    assert codes(system) == [("requirements.txt", 1, "G9/ngc-torch-reinstall", "error")]
    variable = {"Dockerfile": f"{NGC}ENV UV_SYSTEM_PYTHON=1\nRUN uv pip install -r requirements.txt\n", **files}
    assert codes(variable) == [("requirements.txt", 1, "G9/ngc-torch-reinstall", "error")]
    apart = {"Dockerfile": f"{NGC}RUN uv venv && uv pip install -r requirements.txt\n", **files}
    assert codes(apart) == []


@pytest.mark.parametrize(
    "edit",
    [
        "sed -i '/^torch/d' requirements.txt",
        "grep -v torch requirements.txt > r.txt && mv r.txt requirements.txt",
        'for p in torch torchvision; do sed -i "/$p/d" requirements.txt; done',
        "python use_existing_torch.py",
    ],
)
def test_a_requirements_file_from_which_torch_is_taken_out_before(edit: str) -> None:
    files = {"Dockerfile": f"{NGC}RUN {edit} && pip install -r requirements.txt\n", "requirements.txt": "torch==2.9.1\n"}
    assert codes(files) == []


def test_another_edit_of_a_requirements_file_leaves_torch_in_it() -> None:
    files = {
        "Dockerfile": f"{NGC}RUN sed -i '/numpy/d' requirements.txt && pip install -r requirements.txt\n",
        "requirements.txt": "torch==2.9.1\n",
    }
    assert [each[:2] for each in codes(files)] == [("requirements.txt", 1)]


def test_a_project_of_ones_own_that_is_installed_over_an_image() -> None:
    project = {"pyproject.toml": '[project]\nname = "a"\nversion = "1"\ndependencies = ["torch==2.9.1"]\n'}
    assert [each[:3] for each in codes({"Dockerfile": f"{NGC}COPY . .\nRUN pip install -e .\n", **project})] == [
        ("pyproject.toml", 4, "G9/ngc-torch-reinstall")
    ]
    assert codes({"Dockerfile": f"{NGC}COPY . .\nRUN pip install --no-deps -e .\n", **project}) == []
    assert (
        codes({"Dockerfile": f"{NGC}COPY . /app/\nRUN pip install --no-deps -e . && pip install -r /deps.txt\n", **project}) == []
    )
    assert codes({"Dockerfile": f"{NGC}COPY . .\nENV UV_SYSTEM_PYTHON=1\nRUN uv sync\n", **project}) == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "ENV PIP_CONSTRAINT=\nRUN pip install vllm\n",
            [(2, "pip-constraint-disabled", "warning"), (3, "ngc-torch-reinstall", "warning")],
        ),
        ("ENV PIP_CONSTRAINT=\nRUN pip install -r /other/r.txt\n", [(2, "pip-constraint-disabled", "info")]),
        ("RUN unset PIP_CONSTRAINT && pip install -r /other/r.txt\n", []),
        ("RUN PIP_CONSTRAINT= pip install vllm\n", [(2, "ngc-torch-reinstall", "warning")]),
        ("ENV PIP_CONSTRAINT=\nRUN pip uninstall -y torch\nRUN pip install -r /other/r.txt\n", []),
        ("ENV PIP_CONSTRAINT=\nENV PIP_CONSTRAINT=\nRUN pip install -r /r.txt\n", [(2, "pip-constraint-disabled", "info")]),
        (
            "RUN rm /etc/pip/constraint.txt\nRUN pip install vllm\n",
            [(2, "pip-constraint-disabled", "warning"), (3, "ngc-torch-reinstall", "warning")],
        ),
        ("RUN rm /etc/pip/constraint.txt\nRUN pip install requests\n", []),
        ("RUN rm /etc/other.txt\nRUN pip install -r /r.txt\n", []),
        ("RUN pip install vllm\nENV PIP_CONSTRAINT=\n", [(2, "ngc-torch-reinstall", "warning")]),
    ],
)
def test_the_constraints_of_an_image_are_switched_off(lines: str, expected: list[tuple[int, str, str]]) -> None:
    assert [
        (line, code.partition("/")[2], severity) for _, line, code, severity in codes({"Dockerfile": NGC + lines})
    ] == expected


def test_unset_is_a_variable_without_a_value() -> None:
    variables = facts({"a.sh": "export A=1\nunset A B\n"}, "a.sh", EnvVar)
    assert [(each.name, each.value, each.span.line) for each in variables] == [("A", "1", 1), ("A", "", 2), ("B", "", 2)]


@pytest.mark.parametrize(
    ("month", "severity"),
    [
        ("25.08", "warning"),
        ("25.09", "error"),
        ("25.10", "warning"),
        ("25.11", "error"),
        ("25.12", "error"),
        ("26.01", None),
        ("26.04", None),
    ],
)
def test_peft_by_month(month: str, severity: str | None) -> None:
    text = f"FROM nvcr.io/nvidia/pytorch:{month}-py3\nRUN pip install peft\n"
    assert [each[3] for each in codes({"Dockerfile": text})] == ([] if severity is None else [severity])


@pytest.mark.parametrize(
    ("torchao", "helps"),
    [
        ("torchao", False),
        ("torchao==0.13.0", False),
        ("'torchao>=0.10'", False),
        ("-U torchao", True),
        ("'torchao>=0.16'", True),
        ("torchao==0.17.0", True),
        ("git+https://github.com/pytorch/ao", True),
    ],
)
def test_a_torchao_for_peft_is_one_that_pip_does_not_pass_over(torchao: str, helps: bool) -> None:
    lines = f"RUN pip install {torchao}\nRUN pip install peft\n"
    assert [each[2] for each in codes({"Dockerfile": NGC + lines})] == ([] if helps else ["G9/peft-with-old-torchao"])


def test_hostile_requirements_are_read_in_an_image_without_a_failure() -> None:
    lines = "torch==" + "9" * 100_000 + "\ntorch>=2,,,\ntorchaudio===x\nvllm==!\npeft~=1\ntorch @ \nunsloth[" + "[" * 3000 + "\n"
    report = run({"Dockerfile": f"{NGC}RUN pip install -r requirements.txt\n", "requirements.txt": lines}).report()
    assert all(1 <= each.span.line <= 7 for each in report.findings if each.span.path == "requirements.txt")
