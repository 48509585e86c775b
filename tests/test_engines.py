"""Which server a setting is for, and which release of it is in force."""

from dataclasses import replace

import pytest

from spark_lint.check import check_texts
from spark_lint.config import Config
from spark_lint.facts import Setting
from spark_lint.load import load
from spark_lint.queries import engines


def version(texts: dict[str, str], package: str = "vllm") -> tuple[str, str]:
    """The server of the last setting `model`, and the release of a package where it runs."""
    (project,) = check_texts(texts, Config(), rules=load()).projects
    setting = list(project.every(Setting, "model"))[-1]
    setting = replace(setting, scopes=setting.scopes[:1])
    found = engines.release(setting, project, package)
    return engines.engine(setting), found.version if found else ""


SERVE = "vllm serve --model example/x\n"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"run.sh": SERVE}, ("vllm", "")),
        ({"run.sh": "pip install vllm==0.12.0\n" + SERVE}, ("vllm", "0.12.0")),
        ({"run.sh": "pip install vllm==0.12.0 vllm==0.28.0\n" + SERVE}, ("vllm", "0.28.0")),
        ({"run.sh": "pip install vllm==0.12.0\npip install -U vllm\n" + SERVE}, ("vllm", "")),
        ({"run.sh": SERVE, "requirements.txt": "vllm==0.18.0\n"}, ("vllm", "0.18.0")),
        ({"run.sh": SERVE, "requirements.txt": "vllm>=0.18\n"}, ("vllm", "")),
        ({"run.sh": SERVE, "Dockerfile": "FROM vllm/vllm-openai:v0.12.0\n"}, ("vllm", "")),
        ({"run.sh": "docker run vllm/vllm-openai:v0.12.0 --model example/x\n"}, ("vllm", "0.12.0")),
        ({"run.sh": "docker run vllm/vllm-openai:latest --model example/x\n"}, ("vllm", "")),
        ({"Dockerfile": f"FROM vllm/vllm-openai:v0.12.0\nRUN pip install vllm==0.28.0\nCMD {SERVE}"}, ("vllm", "0.28.0")),
        ({"run.sh": "llama-server --model x.gguf\n"}, ("", "")),
    ],
)
def test_the_release_that_is_in_force(texts: dict[str, str], expected: tuple[str, str]) -> None:
    assert version(texts) == expected


def test_a_pin_in_another_service_is_not_this_one_s() -> None:
    compose = """\
services:
  old:
    image: python:3.12
    command: bash -c "pip install vllm==0.12.0 && vllm serve --model example/a"
  new:
    image: python:3.12
    command: bash -c "vllm serve --model example/b"
"""
    assert version({"compose.yaml": compose}) == ("vllm", "")
