"""Words in lists of Python code that are flags for a program, though nothing in the file runs it."""

import pytest

from spark_lint.facts import Assign, Command
from spark_lint.interests import interests
from spark_lint.load import load
from spark_lint.read.python import read
from spark_lint.text import UNKNOWN, Source


def words(code: str) -> list[tuple[int, object]]:
    found = read(Source("setup.py", code))
    return [(fact.span.line, fact.value) for fact in found if isinstance(fact, Assign) and fact.kind == "word"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('flags = ["-O3", "arch=compute_90,code=sm_90"]', ["-O3", "arch=compute_90,code=sm_90"]),
        ('f(nvcc=["-arch=sm_90"])', ["-arch=sm_90"]),
        ('f({"nvcc": ["-O3", "--use_fast_math"] + more})', ["-O3", "--use_fast_math"]),
        ('flags += ["-arch=sm_90"]', ["-arch=sm_90"]),
        ('flags.extend(("-arch=sm_90",))', ["-arch=sm_90"]),
        ('def f():\n    return ["-DX=1"]', ["-DX=1"]),
        ('[f"-arch=sm_{cc}"]', [f"-arch=sm_{UNKNOWN}"]),
        ('["-a" "=b"]', ["-a=b"]),
        ('names = ["kernels.cu", "text"]', []),
        ("numbers = [-1, 2]", []),
        ('[flag, *more, b"-x"]', []),
    ],
)
def test_words_that_look_like_flags(code: str, expected: list[str]) -> None:
    assert [value for _, value in words(code)] == expected


def test_the_words_of_a_command_are_the_command_s() -> None:
    code = 'import subprocess\nbuild = ["nvcc", "-arch=sm_90"]\nsubprocess.run(build)\nsubprocess.run(["make", "-j=2"])\n'
    assert words(code) == []
    assert [fact.name for fact in read(Source("setup.py", code)) if isinstance(fact, Command)] == ["nvcc", "make"]


def test_words_are_given_where_they_stand_among_the_other_facts() -> None:
    found = list(read(Source("setup.py", 'import a\nx = ["-O1"]\nimport b\ny = ["-O2"]\nimport c\n')))
    assert [fact.name or fact.written for fact in found] == ["a", '"-O1"', "b", '"-O2"', "c"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "code",
    [
        'flags = ["-gencode", "arch=compute_90,code=sm_90"]',
        'args = ["-DCMAKE_CUDA_ARCHITECTURES=90"]',
        'x = ("-gencode=arch=compute_90,code=sm_90",)',
    ],
)
def test_a_file_that_holds_flags_for_a_compiler_is_read(code: str) -> None:
    source = Source("setup.py", code)
    assert list(read(source, interests(load().rules)))
