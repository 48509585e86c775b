"""Environment files: which variables they set, and where these end up."""

import pytest
from projects import facts as placed
from projects import found

from spark_lint.facts import EnvVar, Image, ParseProblem, Setting
from spark_lint.kinds import DOTENV, SHELL, kind_of
from spark_lint.read.dotenv import read, variables
from spark_lint.text import UNKNOWN, Source


def said(text: str) -> list[tuple[str, str]]:
    return [(each.name, each.value) for each in read(Source(".env", text)) if isinstance(each, EnvVar)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=b", [("A", "b")]),
        ("  A = b c  \n", [("A", "b c")]),
        ("export A=b\r\nB=c\rC=d", [("A", "b"), ("B", "c"), ("C", "d")]),
        ("# A=1\n  # B=1\n\nC=2", [("C", "2")]),
        ("lower_Case=1", [("lower_Case", "1")]),
        # https://docs.docker.com/compose/how-tos/environment-variables/env-file/
        ("V=VAL # comment", [("V", "VAL")]),
        ("V=VAL# not a comment", [("V", "VAL# not a comment")]),
        ("V=\"VAL # not a comment\"", [("V", "VAL # not a comment")]),
        ("V=\"VAL\" # comment\nW=1", [("V", "VAL"), ("W", "1")]),
        ("V='$OTHER ${OTHER}'", [("V", "$OTHER ${OTHER}")]),
        ('V="{\\"hello\\": \\"json\\"}"', [("V", '{"hello": "json"}')]),
        ('V="some\\tvalue"', [("V", "some\tvalue")]),
        ("V='some\\tvalue'", [("V", "some\\tvalue")]),
        ("KEY='SOME\nVALUE'\nB=1", [("KEY", "SOME\nVALUE"), ("B", "1")]),
        ("A=", [("A", "")]),
        ("A=''\nB=\"\"", [("A", ""), ("B", "")]),
        ("A= # what it is", [("A", "")]),
        ("A=1\nB=${A}0\nC=$A\nD=\"${A}\"", [("A", "1"), ("B", "10"), ("C", "1"), ("D", "1")]),
        ("A=${NOWHERE}\nB=${NOWHERE:-8}", [("A", UNKNOWN), ("B", "8")]),
        ('A="\\$HOME"\nB=$$HOME', [("A", "$HOME"), ("B", "$HOME")]),
        ("A=1\nA=2\nB=$A", [("A", "1"), ("A", "2"), ("B", "2")]),
        ("A={{ gpus }}\n{% if x %}\nB=1\n{% endif %}", [("A", UNKNOWN), ("B", "1")]),
        ("A=$(nproc)\nB=x`y`\nC='$(z)'", [("A", UNKNOWN), ("B", UNKNOWN), ("C", "$(z)")]),
        # A quote that never ends is none.
        ("A=\"b\nC=d", [("A", '"b'), ("C", "d")]),
        ("A=don't\nB=isn't", [("A", "don't"), ("B", "isn't")]),
        # What begins as a script is read as one.
        ("#!/bin/bash\nA=1\nif x; then export B=$A; fi\n", [("B", "1")]),
        ("no variable\n=1\n1A=2\nA-B=3\nA", []),
    ],
)  # fmt: skip
def test_values(text: str, expected: list[tuple[str, str]]) -> None:
    assert said(text) == expected


def test_a_span_holds_name_and_value() -> None:
    source = Source(".env", 'export A="b c"  # d\nB=$A # e\n')
    one, two = (each for each in read(source) if isinstance(each, EnvVar))
    assert [source.cut(each.span) for each in (one, two)] == ['A="b c"', "B=$A"]
    assert (one.written, two.written, two.value) == ('A="b c"', "B=$A", "b c")
    assert (one.origin, two.origin) == (one.span, Source(".env", source.text).span(10, 13))


def test_what_is_empty_is_still_to_be_said() -> None:
    known = variables(Source(".env.example", "TOKEN=\nTP=2\n"))
    assert {name: value.value for name, value in known.items()} == {"TP": "2"}


def test_a_long_value_is_not_shown() -> None:
    (only,) = read(Source(".env", f"A={'b' * 1000}\n"))
    assert isinstance(only, EnvVar)
    assert (len(only.value), only.written) == (1000, "A=")


@pytest.mark.parametrize(
    "text",
    [
        "A=x\n" + "A=$A$A\n" * 10_000,
        "A=" + "${A:-" * 20_000,
        'A="' + "\\" * 200_001,
        "A='\n" * 50_000,
        "A=" + " " * 200_000 + "x",
        "A=" + " #" * 100_000,
        " " * 200_000,
        "export " * 50_000,
    ],
    ids=["doubling", "defaults", "escapes", "quotes", "blanks", "comments", "only blanks", "exports"],
)
def test_hostile_files_are_read(text: str) -> None:
    reads = list(read(Source(".env", text)))
    assert sum(len(each.value) for each in reads if isinstance(each, EnvVar)) < 20_000_000
    assert all(isinstance(each, (EnvVar, ParseProblem)) for each in reads)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (".env", DOTENV),
        (".env.example", DOTENV),
        (".env.gpu", DOTENV),
        ("deploy/.env-sample", DOTENV),
        ("gpu.env", DOTENV),
        ("gpu.env.example", DOTENV),
        ("env.template", DOTENV),
        ("env.list", DOTENV),
        (".envrc", SHELL),
        (".env.py", "Python"),
        (".env.ts", ""),
        ("env.d.ts", ""),
        (".env.enc", ""),
        ("env", ""),
        (".environment", ""),
        ("environment.yml", "YAML"),
    ],
)
def test_names_of_environment_files(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_a_folder_of_that_name_is_no_environment_file(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path

    from spark_lint.config import Config
    from spark_lint.files import discover

    folder = Path(str(tmp_path))
    (folder / ".env").mkdir()
    (folder / ".env" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (folder / ".env" / "gpu.env").write_text("A=1\n")
    monkeypatch.chdir(folder)
    assert discover(["."], Config()).problems == ()
    assert discover(["."], Config()).files == ()


COMPOSE = """\
services:
  one:
    image: ${IMAGE}
    env_file: gpu.env
    command: --model m --tensor-parallel-size ${TP:-1}
  two:
    build: .
    env_file:
      - path: ./other.env
        required: false
"""


def test_compose_gives_each_file_the_image_of_its_service() -> None:
    files = {
        "compose.yaml": COMPOSE,
        "gpu.env": "CUDA_VISIBLE_DEVICES=0\n",
        "other.env.example": "A=1\n",
        "Dockerfile": "FROM nvcr.io/nvidia/pytorch:25.11-py3\n",
        ".env": "IMAGE=vllm/vllm-openai:v0.11.0\n",
        "lone.env": "A=1\n",
    }
    described = {
        path: [scope.described for scope in placed(files, path, EnvVar)[0].scopes]
        for path in ("gpu.env", "other.env.example", "lone.env")
    }
    assert described == {
        "gpu.env": ["vllm/vllm-openai:v0.11.0, loaded at compose.yaml:4"],
        "other.env.example": ["nvcr.io/nvidia/pytorch:25.11-py3, stage 0 of Dockerfile, loaded at compose.yaml:9"],
        "lone.env": ["no container"],
    }


def test_compose_takes_its_variables_from_the_file_beside_it() -> None:
    files = {"compose.yaml": COMPOSE, ".env": "IMAGE=vllm/vllm-openai:v0.11.0\nTP=2\n"}
    (image,) = placed(files, "compose.yaml", Image)
    (size,) = placed(files, "compose.yaml", Setting, "tensor_parallel_size")
    assert (image.reference, image.origin.path, image.origin.line) == ("vllm/vllm-openai:v0.11.0", ".env", 1)
    assert (size.value, size.origin.path, size.origin.line, size.span.line) == ("2", ".env", 2, 5)
    assert (".env", 2, "G10/tensor-parallel-exceeds-gpus", "error") in found(files)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        (".env.example", "TP=4\n", "4"),
        (".env.sample", "TP=4\n", "4"),
        (".env.example", "TP=\n", "1"),
        ("other.env", "TP=4\n", "1"),
        (".env", "TP=${GPUS:-8}\n", "8"),
        (".env", "TP=\x00\n", "1"),
    ],
)
def test_an_example_is_copied(name: str, text: str, value: str) -> None:
    (size,) = placed({"compose.yaml": COMPOSE, name: text}, "compose.yaml", Setting, "tensor_parallel_size")
    assert size.value == value


def test_the_file_itself_wins_over_its_example() -> None:
    files = {"compose.yaml": COMPOSE, ".env": "TP=2\n", ".env.example": "TP=4\n"}
    (size,) = placed(files, "compose.yaml", Setting, "tensor_parallel_size")
    assert size.value == "2"


@pytest.mark.parametrize(
    ("command", "described"),
    [
        (
            "docker run --gpus all --env-file x.env nvcr.io/nvidia/pytorch:25.11-py3 python a.py",
            "nvcr.io/nvidia/pytorch:25.11-py3",
        ),
        ("podman run --env-file=x.env nvcr.io/nvidia/pytorch:25.11-py3", "nvcr.io/nvidia/pytorch:25.11-py3"),
        ("set -a; source ./x.env; set +a", "no container"),
        (". x.env", "no container"),
        ("dotenv -f x.env run -- python a.py", "no container"),
        ("uv run --env-file x.env python a.py", "no container"),
    ],
)
def test_commands_load_environment_files(command: str, described: str) -> None:
    (only,) = placed({"run.sh": f"{command}\n", "x.env": "A=1\n"}, "x.env", EnvVar)
    assert [scope.described for scope in only.scopes] == [f"{described}, loaded at run.sh:1"]


def test_compose_given_another_file_loads_nothing_into_a_container() -> None:
    (only,) = placed({"run.sh": "docker compose --env-file x.env up\n", "x.env": "A=1\n"}, "x.env", EnvVar)
    assert [scope.described for scope in only.scopes] == ["no container"]


def test_a_variable_that_breaks_is_found_and_can_be_left_alone() -> None:
    text = "TORCH_CUDA_ARCH_LIST=9.0\nCUDA_VISIBLE_DEVICES=1\n"
    assert found({".env": text}) == [
        (".env", 1, "G7/arch-list-without-12x", "error"),
        (".env", 2, "G6/cuda-visible-devices-nonzero", "error"),
    ]
    behind = text.replace("9.0\n", "9.0  # spark-lint: ignore[G7] not built here\n")
    assert [line for _, line, *_ in found({".env": behind})] == [2]
    above = text.replace("CUDA_V", "# spark-lint: ignore[G6] another machine\nCUDA_V")
    assert [line for _, line, *_ in found({".env": above})] == [1]


def test_a_script_writes_an_environment_file() -> None:
    text = "cat > .env <<EOF\nCUDA_VISIBLE_DEVICES=1\nEOF\n"
    assert [(path, line) for path, line, *_ in found({"setup.sh": text})] == [("setup.sh", 2)]
