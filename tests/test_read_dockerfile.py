"""The Dockerfile reader: stages and images, the environment, what runs and where, what is copied, and where it is written."""

import random

import pytest

from spark_lint.facts import Command, EnvVar, Fact, Image, Include, ParseProblem, Read, Stage
from spark_lint.read.dockerfile import read
from spark_lint.text import UNKNOWN, Source

U = UNKNOWN


def facts(text: str) -> tuple[Source, list[Read]]:
    source = Source("Dockerfile", text)
    return source, list(read(source))


def ran(text: str) -> list[Command]:
    return [fact for fact in facts(text)[1] if isinstance(fact, Command)]


def words(text: str) -> list[list[str]]:
    return [[word.value for word in command.words] for command in ran(text)]


def images(text: str) -> list[Image]:
    return [fact for fact in facts(text)[1] if isinstance(fact, Image)]


def stages(text: str) -> list[tuple[int, str, str | None, int | None]]:
    found = (fact for fact in facts(text)[1] if isinstance(fact, Stage))
    return [(stage.number, stage.name, stage.image.reference if stage.image else None, stage.parent) for stage in found]


def variables(text: str) -> list[tuple[str, str]]:
    return [(fact.name, fact.value) for fact in facts(text)[1] if isinstance(fact, EnvVar)]


def problems(text: str) -> list[int]:
    return [fact.span.line for fact in facts(text)[1] if isinstance(fact, ParseProblem)]


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("plain", "FROM nvidia/cuda:12.8.1-devel-ubuntu22.04", ("nvidia/cuda", "12.8.1-devel-ubuntu22.04", "", "")),
        case("no tag", "FROM ubuntu", ("ubuntu", "", "", "")),
        case("digest", "FROM a/b@sha256:0f", ("a/b", "", "sha256:0f", "")),
        case("tag and digest", "FROM a:1@sha256:0f", ("a", "1", "sha256:0f", "")),
        case("docker hub", "FROM docker.io/library/python:3.12", ("python", "3.12", "", "")),
        case("docker hub's index", "FROM index.docker.io/vllm/vllm-openai:v0.12", ("vllm/vllm-openai", "v0.12", "", "")),
        case("registry with a port", "FROM host:5000/x/y:tag", ("host:5000/x/y", "tag", "", "")),
        case("registry with a port, no tag", "FROM host:5000/x", ("host:5000/x", "", "", "")),
        case("capitals", "FROM NVCR.io/NVIDIA/PyTorch:25.09-py3", ("nvcr.io/nvidia/pytorch", "25.09-py3", "", "")),
        case("quotes", 'FROM "a:1"', ("a", "1", "", "")),
        case("blanks", "FROM   a:1  \t", ("a", "1", "", "")),
        case("small letters", "from a:1 as b", ("a", "1", "", "")),
        case("platform", "FROM --platform=linux/amd64 a:1", ("a", "1", "", "linux/amd64")),
        case("platform of the build", "FROM --platform=$BUILDPLATFORM a:1", ("a", "1", "", "")),
        case("platform in a variable", "ARG P=linux/amd64\nFROM --platform=${P} a:1", ("a", "1", "", "linux/amd64")),
        case("argument", "ARG TAG=13.0\nFROM a:${TAG}-devel", ("a", "13.0-devel", "", "")),
        case("argument without braces", "ARG TAG=13.0\nFROM a:$TAG", ("a", "13.0", "", "")),
        case("whole image in an argument", "ARG IMAGE=a/b:1\nFROM ${IMAGE}", ("a/b", "1", "", "")),
        case("quoted argument", 'ARG IMAGE="a/b:1"\nFROM $IMAGE', ("a/b", "1", "", "")),
        case("argument of arguments", "ARG V=12\nARG TAG=cu${V}\nFROM a:$TAG", ("a", "cu12", "", "")),
        case("default", "FROM ${REGISTRY:-nvcr.io}/nvidia/cuda:1", ("nvcr.io/nvidia/cuda", "1", "", "")),
        case("default in an argument", "ARG R\nFROM ${R:-a}:1", ("a", "1", "", "")),
        case("other value where set", "ARG C=1\nFROM a:1${C:+-cudnn}", ("a", "1-cudnn", "", "")),
        case("unknown tag", "FROM a:$TAG", ("a", U, "", "")),
        case("tag unknown in part", "FROM a:${V}-devel", ("a", f"{U}-devel", "", "")),
        case("unknown registry", "FROM ${R}/nvidia/cuda:1", (f"{U}/nvidia/cuda", "1", "", "")),
        case("prefix cut by the builder", "ARG A=b1\nFROM a:${A#b}", ("a", U, "", "")),
        case("template in the tag", "FROM a:{{ tag }}", ("a", U, "", "")),
        case("windows lines", "ARG TAG=1\r\nFROM a:${TAG}\r\n", ("a", "1", "", "")),
        case("several arguments", "ARG A=1 B=2\nFROM a:$A-$B", ("a", "1-2", "", "")),
        case("continued", "FROM \\\n  a:1 \\\n  AS b", ("a", "1", "", "")),
    ],
)
def test_an_image_is_taken_apart(text: str, expected: tuple[str, str, str, str]) -> None:
    (image,) = images(text)
    assert (image.name, image.tag, image.digest, image.platform) == expected
    assert (image.role, image.context.stage) == ("base", 0)
    assert problems(text) == []


@pytest.mark.parametrize(
    "text",
    [
        case("scratch", "FROM scratch"),
        case("unknown", "FROM $IMAGE"),
        case("unknown name and tag", "FROM ${NAME}:${TAG}"),
        case("unknown registry and name", "FROM $A/$B"),
        case("template", "FROM {{ image }}"),
        case("comment", "# FROM a:1"),
        case("in a command", "RUN echo FROM a:1"),
        case("no instruction", ""),
    ],
)
def test_no_image_where_none_is_named(text: str) -> None:
    assert images(text) == []
    assert problems(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("one", "FROM a:1", [(0, "", "a:1", None)]),
        case("alias in small letters", "FROM a:1 AS Base", [(0, "base", "a:1", None)]),
        case("from a stage", "FROM a:1 AS b\nFROM B AS c", [(0, "b", "a:1", None), (1, "c", None, 0)]),
        case(
            "the latest of a name",
            "FROM a AS x\nFROM b AS x\nFROM x",
            [(0, "x", "a", None), (1, "x", "b", None), (2, "", None, 1)],
        ),
        case("no stage of that name yet", "FROM b\nFROM a AS b", [(0, "", "b", None), (1, "b", "a", None)]),
        case("stage by argument", "ARG N=12\nFROM a AS cuda12\nFROM cuda${N}", [(0, "cuda12", "a", None), (1, "", None, 0)]),
        case("stage by processor", "FROM a AS b-arm64\nFROM b-${TARGETARCH}", [(0, "b-arm64", "a", None), (1, "", None, 0)]),
        case(
            "processor given",
            "ARG TARGETARCH=amd64\nFROM a AS b-amd64\nFROM b-$TARGETARCH",
            [(0, "b-amd64", "a", None), (1, "", None, 0)],
        ),
        case("scratch", "FROM scratch AS x", [(0, "x", None, None)]),
        case("unknown", "FROM $X AS y", [(0, "y", None, None)]),
        case("none", "RUN a", []),
    ],
)
def test_stages_start_from_an_image_or_a_stage(text: str, expected: list[tuple[int, str, str | None, int | None]]) -> None:
    assert stages(text) == expected


def test_an_image_originates_where_its_argument_is_given() -> None:
    source, found = facts('ARG TAG="13.0.1"\nFROM --platform=linux/arm64 nvidia/cuda:${TAG}-devel AS base\n')
    image = next(fact for fact in found if isinstance(fact, Image))
    assert source.cut(image.span) == image.written == "nvidia/cuda:${TAG}-devel"
    assert source.cut(image.origin) == "13.0.1"
    assert image.stage == "base"


def test_an_image_without_arguments_is_its_own_origin() -> None:
    source, found = facts("# é\nFROM a/b:1 # c\n")
    image = next(fact for fact in found if isinstance(fact, Image))
    assert source.cut(image.span) == source.cut(image.origin) == "a/b:1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("env", "FROM a\nENV A=1", [("A", "1")]),
        case("several", "FROM a\nENV A=1 B=2 \\\n  C=3", [("A", "1"), ("B", "2"), ("C", "3")]),
        case("quotes", "FROM a\nENV A=\"x y\" B='x $A' C=x\\ y D=", [("A", "x y"), ("B", "x $A"), ("C", "x y"), ("D", "")]),
        case("escapes", 'FROM a\nENV A="x\\"y" B=\\$A C="\\n"', [("A", 'x"y'), ("B", "$A"), ("C", "\\n")]),
        case("old form", "FROM a\nENV A the rest  of it", [("A", "the rest  of it")]),
        case("old form with a variable", "FROM a\nENV B=1\nENV A x $B", [("B", "1"), ("A", "x 1")]),
        case("from itself", "FROM a\nENV PATH=/x:$PATH", [("PATH", f"/x:{U}")]),
        case("one line sees what was before it", "FROM a\nENV A=1\nENV A=2 B=$A", [("A", "1"), ("A", "2"), ("B", "1")]),
        case("default", "FROM a\nENV A=${B:-c}", [("A", "c")]),
        case("default within default", "FROM a\nENV A=${B:-${C:-d}}", [("A", "d")]),
        case("argument", "FROM a\nARG A=1", [("A", "1")]),
        case("several arguments", "FROM a\nARG A=1 B C=3", [("A", "1"), ("C", "3")]),
        case("default from before the first stage", "ARG A=1\nFROM a\nARG A", [("A", "1")]),
        case("argument of a variable", "FROM a\nENV A=1\nARG B=$A", [("A", "1"), ("B", "1")]),
        case("variable of an argument", "FROM a\nARG A=1\nENV B=$A", [("A", "1"), ("B", "1")]),
        case("env beats arg", "FROM a\nENV A=1\nARG A=2\nENV B=$A", [("A", "1"), ("A", "2"), ("B", "1")]),
        case("inherited", "FROM a AS b\nENV A=1\nFROM b\nENV B=$A", [("A", "1"), ("B", "1")]),
        case("argument not inherited", "FROM a AS b\nARG A=1\nFROM b\nENV B=$A", [("A", "1"), ("B", U)]),
        case("not from another stage", "FROM a\nENV A=1\nFROM b\nENV B=$A", [("A", "1"), ("B", U)]),
        case("not from before the first stage", "ARG A=1\nFROM a\nENV B=$A", [("B", U)]),
        case("argument without value", "FROM a\nARG A", []),
        case("before the first stage", "ARG A=1\nFROM a", []),
        case("label", "FROM a\nLABEL A=1", []),
        case("comment", "FROM a\n# ENV A=1", []),
        case("copied into the image", "FROM a\nCOPY <<EOF /x\nENV A=1\nEOF", []),
        case("in a file without stages", "ENV A=1\nENV B=$A", [("A", "1"), ("B", "1")]),
        case("template value", "FROM a\nENV A={{ x }}", [("A", U)]),
        case("comment between", "FROM a\nENV A=1 \\\n# x\n\n  B=2", [("A", "1"), ("B", "2")]),
    ],
)
def test_variables_are_those_of_the_stage(text: str, expected: list[tuple[str, str]]) -> None:
    assert variables(text) == expected
    assert problems(text) == []


def test_a_variable_is_where_its_pair_is_written_and_originates_at_its_value() -> None:
    source, found = facts("ARG V=é1\nFROM a\nARG V\nENV X=1 Y=cu$V\n")
    named = {fact.name: fact for fact in found if isinstance(fact, EnvVar)}
    assert (source.cut(named["V"].span), source.cut(named["V"].origin)) == ("V", "é1")
    assert (source.cut(named["Y"].span), source.cut(named["Y"].origin), named["Y"].value) == ("Y=cu$V", "é1", "cué1")
    assert named["Y"].context.stage == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("shell form", "RUN pip install torch && ls", [["pip", "install", "torch"], ["ls"]]),
        case("flags", "RUN --mount=type=cache,target=/x --network=none pip install a", [["pip", "install", "a"]]),
        case("continued", "RUN pip install \\\n    a \\\n    b", [["pip", "install", "a", "b"]]),
        case("comment between", "RUN pip install \\\n# x\n    a \\\n   # y \\\n  && ls", [["pip", "install", "a"], ["ls"]]),
        case("empty line between", "RUN pip install \\\n\n  a", [["pip", "install", "a"]]),
        case("blanks behind the backslash", "RUN pip install \\  \n  a", [["pip", "install", "a"]]),
        case("windows lines", "RUN pip install \\\r\n  a\r\nRUN ls\r\n", [["pip", "install", "a"], ["ls"]]),
        case(
            "continued inside a word", "RUN pip install --index-url=\\\nhttps://x", [["pip", "install", "--index-url=https://x"]]
        ),
        case("continued line that begins with a bracket", "RUN ls && \\\n [ -f a ] && b", [["ls"], ["b"]]),
        case("small letters", "run ls", [["ls"]]),
        case("indented", "  RUN ls\n\tRUN id", [["ls"], ["id"]]),
        case("here-string", "RUN cat <<< 'x'\nRUN ls", [["cat"], ["ls"]]),
        case("shift", "RUN echo $((1<<2))\nRUN ls", [["echo", U], ["ls"]]),
        case("list", 'RUN ["pip", "install", "a b"]', [["pip", "install", "a b"]]),
        case("list with escapes", r'RUN ["a", "\"\u00e9\ud83d\ude00\\"]', [["a", '"é😀\\']]),
        case("list that is none", "RUN [ -f a ] && b", [["b"]]),
        case("variables are not put into a list", 'ENV A=1\nRUN ["a", "$A"]', [["a", "$A"]]),
        case("here-document as script", "RUN <<EOF\npip install a\nls\nEOF", [["pip", "install", "a"], ["ls"]]),
        case("indented here-document", "RUN <<-EOF\n\tls\n\tEOF\nRUN id", [["ls"], ["id"]]),
        case("quoted here-document", "RUN <<'EOF'\nls $A\nEOF", [["ls", U]]),
        case("here-document with a shell", "RUN <<EOF\n#!/bin/bash -e\nls\nEOF", [["ls"]]),
        case(
            "here-document with another program",
            "RUN <<EOF\n#!/usr/bin/env python3\nimport a\nEOF",
            [["/usr/bin/env", "python3"]],
        ),
        case("here-document for a command", "RUN python - <<'PY' && ls\nimport a\nPY\nRUN id", [["python", "-"], ["ls"], ["id"]]),
        case("here-document first", "RUN <<EOF python - && ls\nimport a\nEOF\nRUN id", [["python", "-"], ["ls"], ["id"]]),
        case("two here-documents", "RUN <<A cat > a && <<B cat > b\nls\nA\nls\nB\nRUN id", [["cat"], ["cat"], ["id"]]),
        case("argument", "ARG V=1\nRUN pip install a==$V", [["pip", "install", "a==1"]]),
        case("argument split in words", 'ENV A="--pre a"\nRUN pip install $A', [["pip", "install", "--pre", "a"]]),
        case("each line starts afresh", "ENV A=1\nRUN A=2 && echo $A\nRUN echo $A", [["echo", "2"], ["echo", "1"]]),
        case(
            "template lines", "{% if x %}\nRUN ls\n{% endif %}\n{# a #}\nRUN pip install {{ y }}", [["ls"], ["pip", "install", U]]
        ),
        case("other shell", 'SHELL ["powershell", "-Command"]\nRUN Get-Item a', []),
        case("windows shell with its path", 'SHELL ["C:\\\\Windows\\\\cmd.exe", "/c"]\nRUN dir', []),
        case("a shell read here", 'SHELL ["/bin/bash", "-o", "pipefail", "-c"]\nRUN ls', [["ls"]]),
        case("another shell's list", 'SHELL ["powershell"]\nRUN ["a"]', [["a"]]),
        case("later", "ONBUILD RUN pip install a", [["pip", "install", "a"]]),
        case("health", "HEALTHCHECK --interval=5s CMD curl a", [["curl", "a"]]),
        case("health as list", 'HEALTHCHECK CMD ["curl", "a"]', [["curl", "a"]]),
        case("no health", "HEALTHCHECK NONE", []),
        case("comment", "# RUN ls", []),
        case("other instructions", "LABEL a=b\nEXPOSE 80\nUSER x\nVOLUME /x\nSTOPSIGNAL 9\nMAINTAINER me", []),
        case("copied text", "COPY <<EOF /x\nRUN ls\nEOF\nRUN id", [["id"]]),
        case("marker that is no word of its own", "RUN cat<<EOF\nRUN ls", [["cat"], ["ls"]]),
        case("marker in quotes", "RUN echo '<<EOF'\nRUN ls", [["echo", "<<EOF"], ["ls"]]),
        case("escape directive", "# escape=`\nFROM a\nRUN pip install `\n  a", [["pip", "install", "a"]]),
        case("backslash under another escape", "# escape=`\nFROM a\nRUN a b\\\nRUN c", [["a", "b"], ["c"]]),
        case("continued to the end", "RUN ls \\\n", [["ls"]]),
    ],
)
def test_commands_are_those_that_run(text: str, expected: list[list[str]]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("shell form", "CMD vllm serve -tp 2", [["vllm", "serve", "-tp", "2"]]),
        case("list", 'CMD ["vllm", "serve"]', [["vllm", "serve"]]),
        case("entrypoint", 'ENTRYPOINT ["vllm", "serve"]', [["vllm", "serve"]]),
        case("both", 'ENTRYPOINT ["vllm"]\nCMD ["serve", "-tp", "2"]', [["vllm", "serve", "-tp", "2"]]),
        case("the other way round", 'CMD ["serve"]\nRUN ls\nENTRYPOINT ["vllm"]', [["vllm", "serve"], ["ls"]]),
        case("the last counts", 'CMD ["a"]\nCMD b\nCMD ["c"]', [["c"]]),
        case("command for an inherited entrypoint", 'FROM a AS b\nENTRYPOINT ["x"]\nFROM b\nCMD ["y"]', [["x"], ["x", "y"]]),
        case("entrypoint taken back", 'FROM a AS b\nENTRYPOINT ["x"]\nFROM b\nENTRYPOINT []\nCMD ["y"]', [["x"], ["y"]]),
        case("not from another stage", 'FROM a\nENTRYPOINT ["x"]\nFROM b\nCMD ["y"]', [["x"], ["y"]]),
        case("entrypoint for a shell", 'ENTRYPOINT a b\nCMD ["c"]', [["a", "b"], ["c"]]),
        case("command for a shell", 'ENTRYPOINT ["a"]\nCMD b', [["a"], ["b"]]),
        case("environment, not arguments", "FROM x\nENV A=1\nARG B=2\nCMD a $A $B", [["a", "1", U]]),
        case("empty", "CMD []", []),
    ],
)
def test_what_starts_is_entrypoint_and_command(text: str, expected: list[list[str]]) -> None:
    assert words(text) == expected


def test_a_joined_command_stands_at_cmd_and_its_words_where_they_are_written() -> None:
    source, found = facts('FROM a\nENTRYPOINT ["vllm", "serve"]\nCMD ["-tp", "2"]\n')
    command = found[-1]
    assert isinstance(command, Command)
    assert (command.name, command.exec_form, command.context.stage, command.written) == ("vllm", True, 0, "vllm serve -tp 2")
    assert source.cut(command.span) == '["-tp", "2"]'
    assert [source.cut(word.span) for word in command.words] == ["vllm", "serve", "-tp", "2"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("shell form", "RUN ls && pip install torch", "torch"),
        case("continued", "RUN pip install \\\n# c\n   a \\\n\n   torch", "torch"),
        case("unicode before it", "RUN echo 'é😀' && pip install torch", "torch"),
        case("windows lines", "RUN pip install \\\r\n   torch\r\n", "torch"),
        case("list", 'RUN ["pip", "é", "torch"]', "torch"),
        case("escape in a list", r'RUN ["pip", "é\u00e9\"x"]', r"é\u00e9\"x"),
        case("here-document", "RUN <<EOF\npip install é torch\nEOF", "torch"),
        case("variable", "ENV V=1\nRUN pip install torch==$V", "torch==$V"),
        case("template before it", "RUN {{ x }} pip install torch", "torch"),
        case("continued inside a word", "RUN pip install --index-url=\\\n# c\nhttps://x", "--index-url=\\\n# c\nhttps://x"),
    ],
)
def test_a_word_is_where_it_is_written(text: str, expected: str) -> None:
    source, found = facts(text)
    command = found[-1]
    assert isinstance(command, Command)
    assert source.cut(command.words[-1].span) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("env", "ENV V=2.6\nRUN pip install torch==$V", "2.6"),
        case("arg", "FROM a\nARG V=2.6\nRUN pip install torch==${V}", "2.6"),
        case("arg before the first stage", "ARG V=2.6\nFROM a\nARG V\nRUN pip install torch==${V}", "2.6"),
        case("through others", "FROM a\nARG A=2.6\nENV B=$A\nRUN C=$B && pip install torch==$C", "2.6"),
        case("default in the line", "RUN pip install ${V:-torch}", "torch"),
        case("own place", "RUN pip install torch", "torch"),
    ],
)
def test_the_origin_is_where_the_value_is_written(text: str, expected: str) -> None:
    source, found = facts(text)
    command = found[-1]
    assert isinstance(command, Command)
    assert source.cut(command.words[-1].origin) == expected


def test_a_continued_command_is_written_on_one_line_without_its_comments() -> None:
    source, found = facts("FROM a\nRUN pip install \\\n  # why\n  a \\\n  b\n")
    command = found[-1]
    assert isinstance(command, Command)
    assert command.written == "pip install a b"
    assert source.cut(command.span) == "pip install \\\n  # why\n  a \\\n  b"
    assert command.context.stage == 0


def test_the_text_of_a_here_document_is_the_command_s_input() -> None:
    (command,) = ran("RUN python - <<'PY'\n# RUN x\nimport a\nPY\n")
    assert command.stdin is not None
    assert command.stdin.value == "# RUN x\nimport a\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("one", "COPY a /x", [("a", "/x", "")]),
        case("several", "COPY a b*.txt /x/", [("a", "/x/", ""), ("b*.txt", "/x/", "")]),
        case("list", 'COPY ["a b", "/x y"]', [("a b", "/x y", "")]),
        case("quotes", 'COPY "a b" /x', [("a b", "/x", "")]),
        case("flags", "COPY --link --chown=1:1 --chmod=644 a /x", [("a", "/x", "")]),
        case("from a stage", "COPY --from=Builder /a /x", [("/a", "/x", "builder")]),
        case("added", "ADD a.tar.gz /x", [("a.tar.gz", "/x", "")]),
        case("variable", "ENV D=/x\nCOPY a ${D}/b", [("a", "/x/b", "")]),
        case("into the working directory", "WORKDIR /app\nCOPY a .", [("a", "/app/", "")]),
        case("below the working directory", "WORKDIR /app\nCOPY a b", [("a", "/app/b", "")]),
        case("a folder below it", "WORKDIR /app\nCOPY a ./b/", [("a", "/app/b/", "")]),
        case("working directories add up", "WORKDIR /app\nWORKDIR src\nCOPY a ..", [("a", "/app/", "")]),
        case("working directory in a variable", "ENV D=/app\nWORKDIR $D\nCOPY a b", [("a", "/app/b", "")]),
        case("inherited working directory", "FROM a AS b\nWORKDIR /app\nFROM b\nCOPY a b", [("a", "/app/b", "")]),
        case("unknown working directory", "COPY a .", [("a", ".", "")]),
        case("working directory known in part", "WORKDIR $D\nCOPY a .", [("a", ".", "")]),
        case("empty image", "FROM scratch\nCOPY a b", [("a", "/b", "")]),
        case("variable in a list", 'ENV D=/x\nCOPY ["a", "$D"]', [("a", "/x", "")]),
        case("unknown source", "COPY $A /x", [(U, "/x", "")]),
        case("here-document", "COPY <<EOF /x\na\nEOF", []),
        case("here-document and file", "COPY a <<EOF /x/\nb\nEOF", [("a", "/x/", "")]),
        case("later", "ONBUILD COPY a /x", []),
        case("comment", "# COPY a /x", []),
    ],
)
def test_copies_name_their_sources_and_target(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = [fact for fact in facts(text)[1] if isinstance(fact, Include)]
    assert [(each.path.value, each.target and each.target.value, each.from_stage) for each in found] == expected
    assert {each.kind for each in found} <= {"copy"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("bind", "RUN --mount=type=bind,source=a,target=/x it", [("a", "/x", "")]),
        case("short names", "RUN --mount=src=a,dst=/x it", [("a", "/x", "")]),
        case("whole context", "RUN --mount=type=bind,target=. it", [(".", ".", "")]),
        case("working directory", "WORKDIR /app\nRUN --mount=source=a,target=b it", [("a", "/app/b", "")]),
        case("stage", "RUN --mount=from=X,source=/a,target=/b it", [("/a", "/b", "x")]),
        case("several", "RUN --mount=source=a,target=/x --mount=source=b,target=/y it", [("a", "/x", ""), ("b", "/y", "")]),
        case("cache", "RUN --mount=type=cache,target=/x it", []),
        case("without a target", "RUN --mount=source=a it", []),
        case("broken", "RUN --mount --mount= --mount=,,= it", []),
    ],
)
def test_mounts_name_their_source_and_target(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = [fact for fact in facts("FROM a\n" + text)[1] if isinstance(fact, Include)]
    assert [(each.path.value, each.target and each.target.value, each.from_stage) for each in found] == expected
    assert {each.kind for each in found} <= {"mount"}


def test_a_copy_is_where_it_is_written() -> None:
    source, found = facts("FROM a\nWORKDIR /app\nCOPY --from=x \\\n  é.txt \\\n  ./\n")
    copy = found[-1]
    assert isinstance(copy, Include)
    assert copy.target is not None
    assert (source.cut(copy.path.span), source.cut(copy.target.span)) == ("é.txt", "./")
    assert copy.context.stage == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("nothing said", "FROM a\nRUN it", ""),
        case("absolute", "FROM a\nWORKDIR /app\nRUN it", "/app"),
        case("relative", "FROM a\nWORKDIR /app\nWORKDIR src\nRUN it", "/app/src"),
        case("relative to an unknown one", "FROM a\nWORKDIR src\nRUN it", f"{U}/src"),
        case("quoted", 'FROM a\nWORKDIR "/a b"\nRUN it', "/a b"),
        case("cd within", "FROM a\nWORKDIR /app\nRUN cd src && it", "/app/src"),
        case("cd of another line", "FROM a\nWORKDIR /app\nRUN cd src\nRUN it", "/app"),
        case("inherited", "FROM a AS b\nWORKDIR /app\nFROM b\nRUN it", "/app"),
        case("of another stage", "FROM a\nWORKDIR /app\nFROM b\nRUN it", ""),
    ],
)
def test_the_working_directory_is_known(text: str, expected: str) -> None:
    assert [command.context.workdir for command in ran(text) if command.name == "it"] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("unknown instruction", "FROM a\nBOGUS x \\\n  y\nRUN ls", [2]),
        case("comment behind an image", "FROM a # x\nRUN ls", [1]),
        case("no image", "FROM\nRUN ls", [1]),
        case("env without value", "FROM a\nENV A\nRUN ls", [2]),
        case("env with a word too many", "FROM a\nENV A=1 B\nRUN ls", [2]),
        case("copy without target", "FROM a\nCOPY a\nRUN ls", [2]),
        case("shell that is no list", "FROM a\nSHELL bash\nRUN ls", [2]),
        case("here-document without end", "FROM a\nRUN ls\nRUN cat <<EOF\nx\n", [3]),
        case("arguments in a circle", "ARG A=$B\nARG B=$A\nFROM a\nRUN ls", [2]),
        case("arguments in a longer circle", "ARG A=$B\nARG B=${C}\nARG C=x$A\nFROM a\nRUN ls", [3]),
        case("unknown escape character", "# escape=x\nFROM a\nRUN ls", [1]),
        case("shell syntax", "FROM a\nRUN ls\nRUN echo 'x\nRUN ls", [3]),
    ],
)
def test_what_cannot_be_read_is_a_problem_and_the_rest_is_read(text: str, expected: list[int]) -> None:
    assert problems(text) == expected
    assert ["ls"] in words(text)


@pytest.mark.parametrize(
    "text",
    [
        case("argument of itself", "FROM a\nARG A=${A:-1}\nARG P=/x:$P"),
        case("argument given again", "ARG A=1\nFROM a\nARG A=$A"),
        case("arguments in a row", "ARG A=1\nARG B=$A\nARG C=$B\nFROM a"),
        case("syntax directive", "# syntax=docker/dockerfile:1\n# escape=\\\nFROM a"),
        case("escape in a later comment", "FROM a\n# escape=x\nRUN ls"),
        case("escape behind a comment", "# hello\n# escape=x\nFROM a"),
        case("prefix of a variable", "FROM a\nARG A=${B#x}\nENV C=${A%%y} D=${A/x/y} E=${A:?no}"),
        case("every instruction", "FROM a\nADD a b\nARG A\nCMD a\nCOPY a b\nENTRYPOINT a\nENV A b\nEXPOSE 1\nHEALTHCHECK NONE\nLABEL a=b\n"
             "MAINTAINER a\nONBUILD RUN a\nRUN a\nSHELL [\"a\"]\nSTOPSIGNAL 9\nUSER a\nVOLUME a\nWORKDIR /a"),
        case("nothing", ""),
        case("blank", "\n \n\r\n"),
        case("only comments", "# a\n#b\n"),
        case("unicode", "FROM a\nLABEL übung=\"é😀\"\nRUN echo 'é'"),
    ],
)  # fmt: skip
def test_a_valid_file_has_no_problem(text: str) -> None:
    assert problems(text) == []


def test_a_file_of_another_kind_has_few_problems() -> None:
    assert 0 < len(problems("lorem ipsum\n" * 10_000)) < 50


@pytest.mark.parametrize(
    "text",
    [
        case("doubling", "FROM a\nENV A=xx\n" + "ENV A=$A$A\n" * 60 + "RUN echo $A\n" * 100),
        case(
            "loops in every line",
            "FROM a\n" + ("RUN " + "for a in 1 2 3 4 5 6 7 8; do " * 6 + "c $a; " + "done; " * 6 + "\n") * 50,
        ),
        case("defaults", "FROM a\nENV A=" + "${a:-" * 5_000 + "x" + "}" * 5_000),
        case("parentheses", "FROM a\nRUN " + "( " * 5_000),
        case("here-documents", "FROM a\nRUN " + "<<E " * 5_000 + "\n"),
        case("stages", "".join(f"FROM b{n - 1} AS b{n}\nENV V{n}=1\n" for n in range(2_000))),
        case("arguments", "FROM a\n" + "".join(f"ARG A{n}=$A{n + 1}\n" for n in range(2_000))),
        case("folders", "FROM a\n" + "WORKDIR abcdefgh\n" * 3_000),
        case("list without end", "FROM a\nCMD [" + '"a", ' * 5_000),
        case("template", "{{ " * 5_000 + "\n" + "{% " * 5_000 + "\nFROM a"),
    ],
)
def test_hostile_files_are_bounded(text: str) -> None:
    found = facts(text)[1]
    assert sum(len(word.value) for fact in found if isinstance(fact, Command) for word in fact.words) < 5_000_000


def test_garbage_never_raises() -> None:
    pieces = ["FROM ", "ARG ", "ENV ", "RUN ", "CMD ", "COPY ", "ENTRYPOINT ", "WORKDIR ", "ONBUILD ", "HEALTHCHECK ", "SHELL ", " AS ", "\\\n", "\n", "\r\n", " ",
              "$", "${", "}", "(", "[", "]", '"', "'", "`", "<<EOF\n", "EOF\n", "<<-", "<<<", "&&", "a", "=", "é", U, "{{", "}}", "{%", "%}", "#", "# escape=",
              "--from=", "\0", "\u2028", "😀", ":-", '["a", "b"]', '"\\ud83d"', "scratch"]  # fmt: skip
    choose = random.Random(7)
    for _ in range(400):
        source, found = facts("".join(choose.choice(pieces) for _ in range(choose.randrange(60))))
        for fact in found:
            if isinstance(fact, (Fact, ParseProblem, Stage)):
                source.cut(fact.span)
