"""`explain --why PATH:LINE`: the facts at a line, their scopes, and what each rule decided."""

from pathlib import Path

import pytest

from spark_lint.config import Config
from spark_lint.load import load
from spark_lint.why import why

NGC = "nvcr.io/nvidia/pytorch:25.11-py3"


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements.txt").write_text("flash-attn\ntorch==2.9.1; platform_machine == 'x86_64'\n")
    (tmp_path / "Dockerfile").write_text(f"FROM {NGC}\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n")
    return tmp_path


def lines(path: str, line: int, config: Config = Config()) -> str:  # noqa: B008
    return "\n".join(why(path, line, config, rules=load()))


def test_it_names_the_fact_its_scope_and_the_verdict(told: Path) -> None:
    text = lines("requirements.txt", 1)
    assert "Package flash-attn: flash-attn" in text
    assert f"scope: {NGC}, stage 0 of Dockerfile, installed at Dockerfile:3" in text
    assert "G2/flash-attn-requirement: nothing to say" in text


def test_without_the_image_the_same_line_is_an_error(told: Path) -> None:
    (told / "Dockerfile").unlink()
    assert "G2/flash-attn-requirement: error (certain) in no container" in lines("requirements.txt", 1)


def test_it_says_that_a_line_is_for_another_machine(told: Path) -> None:
    assert "another machine, or only a test: no rule is asked" in lines("requirements.txt", 2)


def test_it_says_what_the_user_decided(told: Path) -> None:
    (told / "Dockerfile").unlink()
    (told / "requirements.txt").write_text("flash-attn  # spark-lint: ignore[G2/flash-attn-requirement] ours\n")
    assert "(hidden by the comment at line 1)" in lines("requirements.txt", 1)
    assert "G2/flash-attn-requirement: ignored by the settings" in lines("requirements.txt", 1, Config(ignore=("G2",)))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nope.py", "nope.py was not read: no such file"),
        ("notes.txt", "notes.txt was not read: a kind of file that is not read"),
        ("requirements.txt", "Nothing that a rule could look at stands at requirements.txt:99."),
    ],
)
def test_it_says_why_there_is_nothing(path: str, message: str, told: Path) -> None:
    (told / "notes.txt").write_text("x\n")
    assert lines(path, 99) == message
