"""Images that are another one tomorrow, and installs into the Python of the system."""

import pytest
from projects import found

MOVES = "G9/moving-image-tag"
BREAKS = "G9/break-system-packages"
TRAINS = "docker run --gpus all axolotlai/axolotl:main-latest axolotl train a.yaml\n"


def lines(files: dict[str, str], code: str) -> list[tuple[str, int, str]]:
    """Where something is said, and how loudly."""
    return [(path, line, severity) for path, line, rule, severity in found(files) if rule == code]


def test_it_is_a_warning_where_something_is_trained_and_info_where_it_is_served_or_shown() -> None:
    serves = "docker run --gpus all vllm/vllm-openai:latest --model m\n"
    assert lines({"a.sh": TRAINS, "b.sh": serves, "README.md": f"```bash\n{TRAINS}```\n"}, MOVES) == [
        ("README.md", 2, "info"), ("a.sh", 1, "warning"), ("b.sh", 1, "info"),
    ]  # fmt: skip


def test_one_line_is_enough_for_a_file_but_not_for_two_images() -> None:
    text = "docker run vllm/vllm-openai a\ndocker run vllm/vllm-openai b\ndocker run vllm/vllm-openai:nightly c\n"
    assert [line for _, line, _ in lines({"a.sh": text}, MOVES)] == [1, 3]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Dockerfile", "FROM vllm/vllm-openai@sha256:" + "0" * 64 + "\n"),
        ("Dockerfile", "FROM vllm/vllm-openai:v0.28.0 AS latest\nFROM latest\n"),
        ("Dockerfile", "FROM python\nFROM node:latest\nFROM postgres:latest\n"),
        ("Dockerfile", "ARG BASE\nFROM ${BASE}:latest\n"),
        ("Dockerfile", "FROM pytorch/pytorch:latest\n"),
        ("Dockerfile", "FROM --platform=linux/amd64 vllm/vllm-openai:latest\n"),
        ("a.sh", "docker buildx build --tag vllm/vllm-openai:mine .\ndocker run vllm/vllm-openai:latest\n"),
        ("compose.yaml", "services:\n  a:\n    build: .\n    image: vllm/vllm-openai:latest\n"),
    ],
)
def test_what_does_not_move_or_is_judged_otherwise(path: str, text: str) -> None:
    assert lines({path: text}, MOVES) == []


@pytest.mark.parametrize(
    "line",
    [
        "pip install --break-system-packages torch",
        "pip3 install --user --break-system-packages numpy torch --index-url https://download.pytorch.org/whl/cu130",
        "sudo -H pip install vllm",
        "sudo python3 -m pip install torch",
        "PIP_BREAK_SYSTEM_PACKAGES=1 pip install torch",
        "export PIP_BREAK_SYSTEM_PACKAGES=1; pip install torch",
        "uv pip install --system --break-system-packages torch",
        "/usr/bin/pip3 install --break-system-packages torch",
    ],
)
def test_an_install_past_the_guard_of_the_systems_python(line: str) -> None:
    assert lines({"a.sh": f"{line}\n"}, BREAKS) == [("a.sh", 1, "warning")]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.sh", "pip install torch\n"),
        ("a.sh", "pip install --break-system-packages requests\n"),
        ("a.sh", "export PIP_BREAK_SYSTEM_PACKAGES=0\npip install torch\n"),
        ("a.sh", ". venv/bin/activate\npip install --break-system-packages torch\n"),
        ("a.sh", "sudo /opt/venv/bin/pip install torch\n"),
        ("a.sh", "sudo apt-get install -y python3-pip && pip download --break-system-packages torch\n"),
        ("Dockerfile", "ARG BASE\nFROM ${BASE}\nRUN pip install --break-system-packages torch\n"),
        ("README.md", "```bash\ndocker run -it ubuntu:24.04 bash\npip install --break-system-packages torch\n```\n"),
    ],
)
def test_installs_that_break_nothing(path: str, text: str) -> None:
    assert lines({path: text}, BREAKS) == []
