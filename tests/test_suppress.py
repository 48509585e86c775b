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


MARK = "# spark-lint: ignore[G1]"
SHELL = [
    pytest.param(f"a {MARK}\nb\n", [(1, 1)], id="same line"),
    pytest.param(f"{MARK}\na\nb\n", [(2, 2)], id="line above"),
    pytest.param(f"{MARK}\n# more\na\n", [(3, 3)], id="comment between"),
    pytest.param(f"{MARK}\n\na\n", [(0, 0)], id="empty line between"),
    pytest.param(f"{MARK}\nvllm serve x \\\n  --tp 2\nb\n", [(2, 3)], id="continuation"),
    pytest.param(f"vllm serve x \\\n  --tp 2 {MARK}\nb\n", [(1, 2)], id="end of a continuation"),
    pytest.param(f"{MARK}\na &&\n  b |\n  c\nd\n", [(2, 4)], id="list and pipeline over lines"),
    pytest.param(f"{MARK}\nX=$(\n  a\n)\nb\n", [(2, 4)], id="substitution over lines"),
    pytest.param(f"{MARK}\ncat <<EOF\nx\nEOF\na\n", [(2, 4)], id="here-document covered"),
    pytest.param(f"cat <<EOF\n{MARK}\nEOF\n", [], id="in a here-document"),
    pytest.param(f"echo '{MARK}'\n", [], id="in a string"),
    pytest.param(f"{MARK}\nif a; then\n  b\nfi\n", [(2, 2)], id="header of an if only"),
    pytest.param(f"if a; then\n  {MARK}\n  b \\\n   c\nfi\n", [(3, 4)], id="first in a block"),
    pytest.param(f"{MARK}\nfor x in a b; do\n  c\ndone\n", [(2, 2)], id="header of a loop only"),
    pytest.param(f"a || {{\n  {MARK}\n  b\n  c\n}}\n", [(3, 3)], id="in a group of a list"),
    pytest.param(f"f() {{\n  a {MARK}\n}}\n", [(2, 2)], id="in a function"),
    pytest.param(f"{MARK}\n#SBATCH --gpus-per-node=8\na\n", [(2, 2)], id="above a directive of a scheduler"),
    pytest.param(f"{MARK}\na )) (( b\n", [(2, 2)], id="above what is no shell"),
    pytest.param(f"{MARK}\r\na \\\r\n  b\r\n", [(2, 3)], id="CRLF"),
    pytest.param(f"# é\n{MARK}\n{{% if x %}}\na\n{{% endif %}}\n", [(3, 3)], id="template tag between"),
]


@pytest.mark.parametrize(("text", "expected"), SHELL)
def test_shell_covers_the_command(text: str, expected: list[tuple[int, int]]) -> None:
    assert covered("shell", text) == expected


YAML = [
    pytest.param(f"a: 1 {MARK}\nb: 2\n", [(1, 1)], id="same line"),
    pytest.param(f"{MARK}\na: 1\nb: 2\n", [(2, 2)], id="line above"),
    pytest.param(f"a:\n  {MARK}\n  b: 1\n  c: 2\n", [(3, 3)], id="nested key"),
    pytest.param(f"{MARK}\na:\n  b: 1\n", [(2, 2)], id="key above a mapping only"),
    pytest.param(f"{MARK}\na: |\n  x\n  y\nb: 1\n", [(2, 4)], id="above a literal block"),
    pytest.param(f"{MARK}\na: >-\n  x\n  y\n", [(2, 4)], id="above a folded block"),
    pytest.param(f"a: | {MARK}\n  x\n  y\n", [(1, 3)], id="behind the sign of a block"),
    pytest.param(f"{MARK}\na: 'x\n  y'\n", [(2, 3)], id="above a string over lines"),
    pytest.param(f"{MARK}\na: [x,\n  y]\nb: 1\n", [(2, 3)], id="above a list in brackets"),
    pytest.param(f"a: [x, {MARK}\n  y]\n", [(1, 2)], id="in a list in brackets"),
    pytest.param(f"{MARK}\na:\n  - x\n  - y\n\n# z\nb: 1\n", [(2, 4)], id="above a list of values"),
    pytest.param(f"a:\n  - x\n  {MARK}\n  - y\n  - z\n", [(4, 4)], id="above an item"),
    pytest.param(f"a:\n  - x {MARK}\n  - y\n", [(2, 2)], id="behind an item"),
    pytest.param(f"a:\n  {MARK}\n  - b: 1\n    c: 2\n", [(3, 3)], id="above an item with keys"),
    pytest.param(f"{MARK}\na:\n  - b: 1\n  - c: 2\n", [(2, 2)], id="above a list of mappings"),
    pytest.param(f"a: '{MARK}'\nb: \"{MARK}\"\n", [], id="in strings"),
    pytest.param(f"a: >\n  {MARK}\n  x\n", [], id="in a folded block, where it would be a part of the value"),
    pytest.param(f"a: |\n  {MARK}\n  x \\\n    y\n  z\n", [(3, 4)], id="in a literal block as in shell"),
    pytest.param(f"train.py: |\n  {MARK}\n  x = f(\n    1)\n  z = 1\n", [(3, 4)], id="in a literal block as in the file it is"),
    pytest.param(f"a: |\n  cat <<EOF\n  {MARK}\n  EOF\n", [], id="in a here-document of a literal block"),
    pytest.param(f"{MARK}\na: [\n{MARK}\nb: {{\n", [(2, 2), (4, 4)], id="in what cannot be read"),
    pytest.param(f"{{{{- if x }}}}\n{MARK}\na: {{{{ x }}}}\n{{{{- end }}}}\n", [(3, 3)], id="in a template"),
    pytest.param(f"a: 1\n---\n{MARK}\nb: 1\n", [(4, 4)], id="in another document"),
    pytest.param(f"{MARK}\r\na: |\r\n  x\r\n  y\r\nb: 1\r\n", [(2, 4)], id="CRLF"),
]


@pytest.mark.parametrize(("text", "expected"), YAML)
def test_yaml_covers_the_value(text: str, expected: list[tuple[int, int]]) -> None:
    assert covered("YAML", text) == expected


ABOVE = "<!-- spark-lint: ignore[G1] why -->"
MARKDOWN = [
    pytest.param(f"{ABOVE}\n```bash\na\nb\n```\nc\n", [(2, 4)], id="above a fence"),
    pytest.param(f"{ABOVE}\n\n```bash\na\n```\n", [(3, 4)], id="blank line between, as formatters put it"),
    pytest.param(f"{ABOVE}\n<!-- more -->\n```bash\na\n```\n", [(0, 0)], id="something else between"),
    pytest.param(f"{ABOVE}\nprose\n\n```bash\na\n```\n", [(0, 0)], id="prose between"),
    pytest.param(f"- x\n\n  {ABOVE}\n  ```bash\n  a\n  ```\n", [(4, 5)], id="in a list item"),
    pytest.param(f"> {ABOVE}\n> ```bash\n> a\n> ```\n", [(2, 3)], id="in a quotation"),
    pytest.param("{/* spark-lint: ignore[G1] why */}\n```bash\na\n```\n", [(2, 3)], id="as MDX writes it"),
    pytest.param(f"x\n\n{ABOVE}\n\n    pip install a\n    pip install b\n", [(5, 6)], id="above indented code"),
    pytest.param(f"```bash\n{MARK}\na \\\n  b\nc\n```\n", [(3, 4)], id="in shell"),
    pytest.param(f"```python\nx = f(\n  1)  {MARK}\n```\n", [(2, 3)], id="in Python"),
    pytest.param(f"```yaml\na: |\n  {MARK}\n  b\n  c\n```\n", [(4, 4)], id="in shell in YAML"),
    pytest.param(f"```dockerfile\nFROM a\n{MARK}\nRUN b \\\n  c\n```\n", [(4, 5)], id="in a Dockerfile"),
    pytest.param(f"```console\n$ a\n{MARK}\n$ b \\\n> c\nout\n```\n", [(4, 5)], id="in a session"),
    pytest.param(f"```html\n{ABOVE}\n```\n", [], id="in code of another language"),
    pytest.param(f"Write {ABOVE} above it, or `{MARK}`.\n", [], id="in prose"),
    pytest.param(f"{MARK}\n", [], id="heading"),
    pytest.param(f"{ABOVE}\r\n\r\n```bash\r\na\r\n```\r\n", [(3, 4)], id="CRLF"),
]


@pytest.mark.parametrize(("text", "expected"), MARKDOWN)
def test_markdown_covers_the_code(text: str, expected: list[tuple[int, int]]) -> None:
    assert covered("Markdown", text) == expected


JSON = [
    pytest.param('{\n  // spark-lint: ignore[G1]\n  "a": 1,\n  "b": 2\n}\n', [(3, 3)], id="line above"),
    pytest.param('{\n  "a": 1, // spark-lint: ignore[G1]\n  "b": 2\n}\n', [(2, 2)], id="same line"),
    pytest.param('{"a": "// spark-lint: ignore[G1]"}\n', [], id="in a string"),
    pytest.param('{"a": "\\"// spark-lint: ignore[G1]"}\n', [], id="in a string behind a quote"),
    pytest.param("/*\n// spark-lint: ignore[G1]\n*/ {}\n", [], id="in another comment"),
    pytest.param(f'{{"a": "{MARK}"}}\n', [], id="no sign of a comment"),
]


@pytest.mark.parametrize(("text", "expected"), JSON)
def test_json_with_comments_covers_the_line(text: str, expected: list[tuple[int, int]]) -> None:
    assert covered("JSON", text) == expected


@pytest.mark.parametrize(
    ("kind", "text", "comment"),
    [
        pytest.param("Markdown", f"é\n\n{ABOVE}\n```bash\na\n```\n", "<!-- spark-lint: ignore[G1] why", id="HTML"),
        pytest.param("Markdown", f"> ```bash\n> é\n> a {MARK} why\n> ```\n", f"{MARK} why", id="in a fence"),
        pytest.param("YAML", f"a:\n  - é: |\n      {MARK} why\n      b\n", f"{MARK} why", id="in a block"),
        pytest.param("YAML", f"é: {{{{ x }}}} {MARK} why\n", f"{MARK} why", id="behind a template"),
        pytest.param("shell", f"é {{{{ x }}}} {MARK} why\n", f"{MARK} why", id="behind a template in shell"),
    ],
)
def test_place_of_a_comment_is_that_in_the_file(kind: str, text: str, comment: str) -> None:
    source = Source("a", text)
    (mark,) = suppressions(source, kind)
    assert (source.cut(mark.span), mark.reason) == (comment, "why")
    assert [source.cut(place) for _, place in mark.codes] == ["G1"]


@pytest.mark.parametrize(
    ("kind", "text", "instead"),
    [
        ("Markdown", "<!-- spark-lint: ignore -->\n```bash\na\n```\n", "<!-- spark-lint: ignore[CODE] reason -->"),
        ("Markdown", "{/* spark-lint: ignore */}\n```bash\na\n```\n", "{/* spark-lint: ignore[CODE] reason */}"),
        ("JSON", "{} // spark-lint: ignore\n", "// spark-lint: ignore[CODE] reason"),
        ("YAML", "a: 1 # spark-lint: ignore\n", "# spark-lint: ignore[CODE] reason"),
    ],
)
def test_what_to_write_instead_is_a_comment_there(kind: str, text: str, instead: str) -> None:
    kept, _ = apply([], {"a": suppressions(Source("a", text), kind)}, KNOWN, KNOWN)
    assert [(each.code, each.instead) for each in kept] == [("lint/malformed-suppression", instead)]


def test_suppressions_inside_others_are_used_each_for_its_own() -> None:
    text = f"<!-- spark-lint: ignore[G2] -->\n```bash\n{MARK}\na\nb\n```\n"
    mark = suppressions(Source("a", text), "Markdown")
    (first, second), line = FLASH_AND_TORCH, 4
    kept, hidden = apply([finding(first, line), finding(second, line), finding(first, 5)], {"a": mark}, KNOWN, KNOWN)
    assert (kept, hidden) == ([], 3)
    kept, hidden = apply([finding(first, 5), finding(second, 5)], {"a": mark}, KNOWN, KNOWN)
    assert [(each.code, each.span.line) for each in kept] == [(second, 5), ("lint/unused-suppression", 3)]


FLASH_AND_TORCH = ("G2/flash-attn-requirement", "G1/torch-index-cuda12")


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
