"""Suppressions: which comments are ones, what each covers, and what is said about those that do nothing."""

import textwrap

import pytest

from spark_lint.findings import Finding
from spark_lint.rule import CERTAIN, ERROR, WARNING
from spark_lint.selectors import LINT_CODES
from spark_lint.suppress import Suppression, apply, suppressions
from spark_lint.text import Source, Span

KNOWN = ("G1/torch-index-cuda12", "G2/flash-attn-requirement", "G2/attn-flash-attention-2", "G10/tensor-parallel-training", "G7")


def marks(kind: str, text: str) -> tuple[Suppression, ...]:
    return suppressions(Source("a", textwrap.dedent(text)), kind)


def covered(kind: str, text: str) -> list[tuple[int, int]]:
    return [(mark.first_line, mark.last_line) for mark in marks(kind, text)]


PYTHON = [
    pytest.param("x = 1  # spark-lint: ignore[G1]\n", [(1, 1)], id="same line"),
    pytest.param("# spark-lint: ignore[G1]\nx = 1\n", [(2, 2)], id="line above"),
    pytest.param("# spark-lint: ignore[G1]\n# more\n# and more\nx = 1\n", [(4, 4)], id="other comments between"),
    pytest.param("# spark-lint: ignore[G1]\n# spark-lint: ignore[G2]\nx = 1\n", [(3, 3), (3, 3)], id="two above"),
    pytest.param("# spark-lint: ignore[G1]\n\nx = 1\n", [(0, 0)], id="empty line between"),
    pytest.param("x = 1\n# spark-lint: ignore[G1]\n", [(0, 0)], id="nothing below"),
    pytest.param("x = f(\n    1,\n)  # spark-lint: ignore[G1]\ny = 2\n", [(1, 3)], id="last line of a call"),
    pytest.param("x = f(\n    # spark-lint: ignore[G1]\n    1,\n)\n", [(1, 4)], id="inside a call"),
    pytest.param("# spark-lint: ignore[G1]\nx = f(\n    1,\n)\ny = 2\n", [(2, 4)], id="above a call of several lines"),
    pytest.param("x = 1 + \\\n    2  # spark-lint: ignore[G1]\n", [(1, 2)], id="backslash"),
    pytest.param("if a:  # spark-lint: ignore[G1]\n    x = 1\n    y = 2\n", [(1, 1)], id="header of a compound statement only"),
    pytest.param("# spark-lint: ignore[G1]\ndef f(\n    a=1,\n):\n    x = 1\n", [(2, 4)], id="header over several lines"),
    pytest.param("if a:\n    # spark-lint: ignore[G1]\n    x = 1\n", [(3, 3)], id="first in a block"),
    pytest.param("if a:\n    x = 1\n    # spark-lint: ignore[G1]\nelse:\n    y = 1\n", [(4, 4)], id="last in a block"),
    pytest.param("x = 1  # noqa: E501  # spark-lint: ignore[G1]\n", [(1, 1)], id="behind another tool's comment"),
    pytest.param("x = 1; y = 2  # spark-lint: ignore[G1]\n", [(1, 1)], id="two statements on a line"),
    pytest.param('x = "# spark-lint: ignore[G1]"\n', [], id="in a string"),
    pytest.param('"""\n# spark-lint: ignore[G1]\n"""\n', [], id="in a docstring"),
    pytest.param("# see spark-lint: ignore[G1]\nx = 1\n", [], id="in prose"),
    pytest.param("x = 1  # spark-lint: ignore[G1]\ny = (\n", [(1, 1)], id="before a syntax error"),
    pytest.param("x = 1  # spark-lint: ignore[G1]\n  y = 1\n z = 1\n", [(1, 1)], id="before a bad indent"),
    pytest.param("x = 1  # spark-lint: ignore[G1]\n'''", [(1, 1)], id="before an open string"),
    pytest.param("x = 1\r\n# spark-lint: ignore[G1]\r\ny = f(\r\n)\r\n", [(3, 4)], id="CRLF"),
    pytest.param("# spark-lint: ignore[G1]", [(0, 0)], id="no line end"),
]


@pytest.mark.parametrize(("text", "expected"), PYTHON)
def test_python_covers_the_statement(text: str, expected: list[tuple[int, int]]) -> None:
    assert covered("Python", text) == expected


REQUIREMENTS = [
    pytest.param("torch  # spark-lint: ignore[G1]\nnumpy\n", [(1, 1)], id="same line"),
    pytest.param("# spark-lint: ignore[G1]\ntorch\nnumpy\n", [(2, 2)], id="line above"),
    pytest.param("# spark-lint: ignore[G1]\n# more\ntorch\n", [(3, 3)], id="comment between"),
    pytest.param("# spark-lint: ignore[G1]\n\ntorch\n", [(0, 0)], id="empty line between"),
    pytest.param(
        "# spark-lint: ignore[G1]\ntorch \\\n  --hash=sha256:a \\\n  --hash=sha256:b\nnumpy\n", [(2, 4)], id="continuation"
    ),
    pytest.param("torch \\\n  --hash=sha256:a  # spark-lint: ignore[G1]\nnumpy\n", [(1, 2)], id="end of a continuation"),
    pytest.param("torch \\\n# spark-lint: ignore[G1]\nnumpy\n", [(1, 2)], id="comment ends a continuation, as in pip"),
    pytest.param("git+https://x/y#spark-lint: ignore[G1]\n", [], id="fragment of an address"),
    pytest.param("torch \\\n", [], id="no mark"),
    pytest.param("# spark-lint: ignore[G1]\ntorch \\", [(2, 2)], id="continuation into the end"),
    pytest.param("# spark-lint: ignore[G1]\r\ntorch\r\n", [(2, 2)], id="CRLF"),
]


@pytest.mark.parametrize(("text", "expected"), REQUIREMENTS)
def test_requirements_cover_the_logical_line(text: str, expected: list[tuple[int, int]]) -> None:
    assert covered("requirements", text) == expected


DOCKERFILE = [
    pytest.param("FROM a\n# spark-lint: ignore[G1]\nRUN b \\\n && c\nRUN d\n", [(3, 4)], id="line above"),
    pytest.param("# spark-lint: ignore[G1]\n# more\n  # indented\nFROM a\n", [(4, 4)], id="comments between"),
    pytest.param("# spark-lint: ignore[G1]\n\nFROM a\n", [(0, 0)], id="empty line between"),
    pytest.param("FROM a\nRUN b \\\n  # spark-lint: ignore[G1]\n  c\n", [(2, 4)], id="inside a continuation"),
    pytest.param("FROM a\n# spark-lint: ignore[G1]\nRUN <<EOF\npip install b\nEOF\nRUN c\n", [(3, 5)], id="heredoc covered"),
    pytest.param("FROM a\nRUN <<EOF\n# spark-lint: ignore[G1]\npip install b\nEOF\n", [], id="in a heredoc"),
    pytest.param("FROM a\nCOPY <<X /x\n# spark-lint: ignore[G1]\nX\n", [], id="in a copied heredoc"),
    pytest.param("FROM a\nRUN b \\\n  && c  # spark-lint: ignore[G1] x\n", [(2, 3)], id="behind the last line of a RUN"),
    pytest.param('FROM a\nRUN echo "# spark-lint: ignore[G1]" > x\n', [], id="in a shell string"),
    pytest.param("# é spark\n# spark-lint: ignore[G1]\nFROM a\n", [(3, 3)], id="behind characters of two bytes"),
    pytest.param("# spark-lint: ignore[G1]\r\nFROM a\r\nRUN b\r\n", [(2, 2)], id="CRLF"),
    pytest.param("FROM a\n# spark-lint: ignore[G1]\nNONSENSE (\nRUN b\n", [(3, 3)], id="above what is no instruction"),
]


@pytest.mark.parametrize(("text", "expected"), DOCKERFILE)
def test_dockerfile_covers_the_instruction(text: str, expected: list[tuple[int, int]]) -> None:
    assert covered("Dockerfile", text) == expected


def test_kind_without_comments_has_none() -> None:
    assert suppressions(Source("a.json", '"# spark-lint: ignore[G1]"'), "JSON") == ()


@pytest.mark.parametrize(
    ("comment", "codes", "reason"),
    [
        pytest.param("# spark-lint: ignore[G1]", ["G1"], "", id="gotcha"),
        pytest.param("#spark-lint:ignore[G2/a,G1/b] two of them", ["G2/a", "G1/b"], "two of them", id="no blanks"),
        pytest.param("#  spark-lint:  ignore [ G2/a , b ]   why  not ", ["G2/a", "b"], "why  not", id="many blanks"),
        pytest.param("# spark-lint: ignore[G1] see [1]", ["G1"], "see [1]", id="brackets in the reason"),
        pytest.param("## spark-lint: ignore[G1]: 模型", ["G1"], ": 模型", id="reason in another script"),
        pytest.param("# spark-lint: ignore", [], "", id="no codes"),
        pytest.param("# spark-lint: ignore[]", [], "", id="empty codes"),
        pytest.param("# spark-lint: ignore[ , ]", [], "", id="commas only"),
        pytest.param("# spark-lint: ignore[ALL]", [], "", id="everything"),
        pytest.param("# spark-lint: ignore[G1/*]", [], "", id="glob"),
        pytest.param("# spark-lint: ignore[G1", [], "", id="no closing bracket"),
        pytest.param("# spark-lint: ignore G1", [], "", id="no brackets"),
        pytest.param("# spark-lint: ignore=G1", [], "", id="equals sign"),
        pytest.param("# spark-lint: ingore[G1]", [], "", id="misspelt"),
        pytest.param("# spark-lint: Ignore[G1]", [], "", id="capital"),
    ],
)
def test_comment_is_read(comment: str, codes: list[str], reason: str) -> None:
    source = Source("a.py", f"x = 'é'  {comment}\n")
    (mark,) = suppressions(source, "Python")
    assert [code for code, _ in mark.codes] == codes
    assert [source.cut(place) for _, place in mark.codes] == codes
    assert source.cut(mark.span) == comment[comment.rindex("#") :].rstrip()
    if codes:
        assert mark.reason == reason


def finding(code: str, line: int, path: str = "a") -> Finding:
    return Finding(code, ERROR, CERTAIN, Span(path, line, 5, line, 9), "m")


def outcome(
    text: str, *findings: Finding, active: tuple[str, ...] = KNOWN, partial: tuple[str, ...] = ()
) -> tuple[list[str], int]:
    """What is left as `line code: message`, and the number of hidden findings."""
    kept, hidden = apply(findings, {"a": marks("requirements", text)}, KNOWN, active, partial)
    return [f"{each.span.line} {each.code}" for each in kept], hidden


FLASH = "G2/flash-attn-requirement"


@pytest.mark.parametrize(
    ("codes", "left", "hidden"),
    [
        pytest.param("G2/flash-attn-requirement", [], 1, id="code"),
        pytest.param("flash-attn-requirement", [], 1, id="name alone"),
        pytest.param("G2", [], 1, id="gotcha"),
        pytest.param("G1/torch-index-cuda12", [f"1 {FLASH}", "1 lint/unused-suppression"], 0, id="another rule"),
        pytest.param("G2, torch-index-cuda12", ["1 lint/unused-suppression"], 1, id="one of two is unused"),
        pytest.param("G2, flash-attn-requirement", [], 1, id="both hide it"),
        pytest.param("G22", [f"1 {FLASH}", "1 lint/unknown-suppression"], 0, id="unknown"),
        pytest.param("ALL", [f"1 {FLASH}", "1 lint/malformed-suppression"], 0, id="everything is refused"),
        pytest.param("G2, lint/unused-suppression", [], 1, id="lint code is never unused"),
    ],
)
def test_codes_hide_findings(codes: str, left: list[str], hidden: int) -> None:
    assert outcome(f"flash-attn  # spark-lint: ignore[{codes}]\n", finding(FLASH, 1)) == (left, hidden)


def test_finding_on_another_line_or_in_another_file_stays() -> None:
    left, hidden = outcome("flash-attn  # spark-lint: ignore[G2]\n", finding(FLASH, 2), finding(FLASH, 1, "b"))
    assert (left, hidden) == ([f"2 {FLASH}", f"1 {FLASH}", "1 lint/unused-suppression"], 0)


def test_gotcha_does_not_hide_another_that_starts_alike() -> None:
    left, _ = outcome("x  # spark-lint: ignore[G1]\n", finding("G10/tensor-parallel-training", 1))
    assert left == ["1 G10/tensor-parallel-training", "1 lint/unused-suppression"]


def test_unused_is_not_said_of_rules_that_did_not_run() -> None:
    text = "x  # spark-lint: ignore[G2]\ny  # spark-lint: ignore[G1]\n"
    assert outcome(text, active=("G1/torch-index-cuda12", FLASH))[0] == ["2 lint/unused-suppression"]


def test_unused_is_not_said_in_a_file_that_was_not_read_in_full() -> None:
    assert outcome("x  # spark-lint: ignore[G2]\n", partial=("a",))[0] == []
    assert outcome("x  # spark-lint: ignore[G22]\n", partial=("a",))[0] == ["1 lint/unknown-suppression"]


def test_unused_is_not_said_of_a_gotcha_without_rules_as_it_hides_what_will_come() -> None:
    assert outcome("x  # spark-lint: ignore[G7]\n")[0] == []


@pytest.mark.parametrize(
    "code", ["lint/unused-suppression", "unused-suppression", "lint"], ids=["code", "name alone", "all of the tool's own"]
)
def test_suppression_can_be_kept_although_it_hides_nothing(code: str) -> None:
    assert outcome(f"x  # spark-lint: ignore[G2, {code}] until 2027\n", active=(*KNOWN, *LINT_CODES))[0] == []


def test_what_is_said_about_suppressions() -> None:
    text = """\
        x  # spark-lint: ignore[G2/flash-atn-requirement]
        y  # spark-lint: ignore
        # spark-lint: ignore[G1]

        z  # spark-lint: ignore[G1, qq]
    """
    kept, _ = apply([], {"a": marks("requirements", text)}, KNOWN, KNOWN)
    assert [(each.severity, each.message, each.instead) for each in kept] == [
        (
            WARNING,
            "`G2/flash-atn-requirement` names no rule; did you mean `G2/flash-attn-requirement`?",
            "G2/flash-attn-requirement",
        ),
        (
            WARNING,
            "this hides nothing: a suppression names its rules, `ignore[CODE]` or `ignore[CODE, CODE]`",
            "# spark-lint: ignore[CODE] reason",
        ),
        (WARNING, "this suppression hides nothing: no statement stands directly below it", ""),
        (WARNING, "this suppression hides nothing: `G1` has nothing to say here", ""),
        (WARNING, "`qq` names no rule, so this hides nothing", ""),
    ]


def test_thousands_above_each_other_all_cover_the_statement_below() -> None:
    text = "# spark-lint: ignore[G1]\n" * 20_000 + "torch\n"
    assert set(covered("requirements", text)) == {(20_001, 20_001)}
