"""Requirements files: what is read, where it stands, and which lines pip refuses."""

import random

import pytest

from spark_lint.facts import Context, Include, Index, Package, ParseProblem, Read
from spark_lint.read.requirements import read, requirements
from spark_lint.text import UNKNOWN, Source, Text, decode

U = UNKNOWN


def written(source: Source, fact: Read) -> tuple[int, str, str]:
    """A fact as the line it is on, what it is, and what the file says there."""
    match fact:
        case Package():
            return fact.span.line, f"{fact.name}{fact.specifier}", source.cut(fact.span)
        case Index():
            return fact.span.line, f"{fact.role} {fact.name}".strip(), source.cut(fact.span)
        case Include():
            return fact.path.span.line, fact.kind, source.cut(fact.path.span)
        case ParseProblem():
            return fact.span.line, "problem", source.cut(fact.span)
        case _:
            raise AssertionError(fact)


def facts(text: str) -> list[tuple[int, str, str]]:
    source = Source("requirements.txt", text)
    return [written(source, fact) for fact in read(source)]


def packages(text: str) -> list[Package]:
    return [fact for fact in read(Source("requirements.txt", text)) if isinstance(fact, Package)]


def problems(text: str) -> list[tuple[int, str]]:
    return [(fact.span.line, fact.message) for fact in read(Source("r.txt", text)) if isinstance(fact, ParseProblem)]


LINES: dict[str, tuple[str, list[tuple[int, str, str]]]] = {
    "an empty file": ("", []),
    "blank lines": ("\n  \n\t\n", []),
    "comments": ("# torch==1.0\n  # -i https://h/cu124\n", []),
    "no newline at the end": ("torch", [(1, "torch", "torch")]),
    "a line each": ("torch\n\nnumpy>=1\n", [(1, "torch", "torch"), (3, "numpy>=1", "numpy>=1")]),
    "Windows line ends": ("torch\r\nnumpy\r\n", [(1, "torch", "torch"), (2, "numpy", "numpy")]),
    "old Macintosh line ends": ("torch\rnumpy", [(1, "torch", "torch"), (2, "numpy", "numpy")]),
    "a form feed, which pip takes for a line end": ("torch\fnumpy", [(1, "torch", "torch"), (1, "numpy", "numpy")]),
    "a comment behind it": ("torch==2.0  # numpy==1", [(1, "torch==2.0", "torch==2.0")]),
    "a comment behind a tab": ("torch\t# x", [(1, "torch", "torch")]),
    "a hash sign that starts no comment": ("git+https://h/o/r#egg=a", [(1, "a", "git+https://h/o/r#egg=a")]),
    "blanks around it": ("  torch >= 2 , < 3 ", [(1, "torch>=2,<3", "torch >= 2 , < 3")]),
    "characters of two units": ("# 模型 😀\n😀/a-1-py3-none-any.whl", [(2, "a==1", "😀/a-1-py3-none-any.whl")]),
    "a marker": ("torch==2.0; sys_platform != 'darwin'", [(1, "torch==2.0", "torch==2.0")]),
    "a continued line": ("torch \\\n  >=2\nnumpy", [(1, "torch>=2", "torch \\\n  >=2"), (3, "numpy", "numpy")]),
    "a continued line with Windows line ends": ("torch>=2, \\\r\n <3", [(1, "torch>=2,<3", "torch>=2, \\\r\n <3")]),
    "a requirement that begins on a later line": ("\\\n \\\n torch", [(3, "torch", "torch")]),
    "a file that ends in a continuation": ("torch \\", [(1, "torch", "torch")]),
    "a comment that ends a continuation": ("torch \\\n# x \\\nnumpy", [(1, "torch", "torch"), (3, "numpy", "numpy")]),
    "a comment that takes in the next line": ("torch # x \\\nnumpy\nscipy", [(1, "torch", "torch"), (3, "scipy", "scipy")]),
    "an address of a wheel": ("https://h/a-1-py3-none-any.whl", [(1, "a==1", "https://h/a-1-py3-none-any.whl")]),
    "a name with an address": ("a @ https://h/x ; os_name=='nt'", [(1, "a", "a @ https://h/x")]),
    "a page that names no package": ("https://h/whl/", []),
    "this project": (".\n./vllm[x] ; os_name=='nt'", [(1, "editable", "."), (2, "editable", "./vllm[x]")]),
    "a legacy version": ("pytz==2004d", [(1, "pytz==2004d", "pytz==2004d"), (1, "problem", "pytz==2004d")]),
}

OPTIONS: dict[str, tuple[str, list[tuple[int, str, str]]]] = {
    "--index-url": ("--index-url https://h/whl/cu124", [(1, "index cu124", "https://h/whl/cu124")]),
    "--index-url=": ("--index-url=https://h/whl/cu124", [(1, "index cu124", "https://h/whl/cu124")]),
    "-i": ("-i https://h/simple # x", [(1, "index", "https://h/simple")]),
    "-i without a blank": ("-ihttps://h/cu130", [(1, "index cu130", "https://h/cu130")]),
    "an abbreviation": ("--extra-index https://h/cu130", [(1, "extra-index cu130", "https://h/cu130")]),
    "--find-links": ("--find-links ./wheels", [(1, "find-links", "./wheels")]),
    "several on a line": (
        "-f 'a b' --extra-index-url https://h/cu130 -i\thttps://h/cpu",
        [(1, "find-links", "a b"), (1, "extra-index cu130", "https://h/cu130"), (1, "index cpu", "https://h/cpu")],
    ),
    "the last index counts": ("-i https://h/cu124 -i https://h/cu130", [(1, "index cu130", "https://h/cu130")]),
    "quotes": ('--index-url="https://h/cu124"', [(1, "index cu124", "https://h/cu124")]),
    "half quoted": ("-r 'my 'base.txt", [(1, "requirement", "my 'base.txt")]),
    "over two lines": ("-i \\\n  https://h/cu124", [(2, "index cu124", "https://h/cu124")]),
    "indented": ("  --pre -i https://h/cu124", [(1, "index cu124", "https://h/cu124")]),
    "-r and -c": ("-r base.txt\n-c ../c.txt", [(1, "requirement", "base.txt"), (2, "constraint", "../c.txt")]),
    "--requirement and --constraint": ("--requirement=a.in --constraint b", [(1, "requirement", "a.in"), (1, "constraint", "b")]),
    "-e": ("-e .[dev]", [(1, "editable", ".[dev]")]),
    "--editable with a folder called like a package": ("--editable vllm", [(1, "editable", "vllm")]),
    "-e with a file address": ("-e file:///src/vllm#egg=vllm", [(1, "editable", "file:///src/vllm#egg=vllm")]),
    "-e with a repository": ("-e git+https://h/o/r@1#egg=a&x=y", [(1, "a", "git+https://h/o/r@1#egg=a&x=y")]),
    "-e with a name and an address": ('-e "a @ git+https://h/o/r"', [(1, "a", "a @ git+https://h/o/r")]),
    "an option of the requirement": ("a==1 --config-settings x=y -C 'z=--q'", [(1, "a==1", "a==1")]),
    "an old option of the requirement": ("a --global-option='--no-user-cfg' --install-option x", [(1, "a", "a")]),
    # pip ignores it, as it says in `req_file.handle_line`, so it is no index that is in force.
    "an index behind a requirement": ("a --extra-index-url https://h/cu124", [(1, "a", "a")]),
    "an empty value": ("--index-url=\n-r ''", []),
}

SILENT = [
    "--no-binary :all:",
    "--only-binary=a,b",
    "--pre",
    "--prefer-binary",
    "--no-index",
    "--trusted-host h:80",
    "--require-hashes",
    "--use-feature fast-deps",
    "--no-require-hashes",
    "--all-releases :all:",
    "--only-final=a",
    "--hash=sha256:00",
]


@pytest.mark.parametrize(("text", "expected"), (LINES | OPTIONS).values(), ids=(LINES | OPTIONS).keys())
def test_what_is_read_and_where(text: str, expected: list[tuple[int, str, str]]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize("line", SILENT)
def test_option_that_names_nothing_is_accepted(line: str) -> None:
    assert facts(f"{line}\ntorch") == [(2, "torch", "torch")]


PIP_COMPILE = """\
#
# This file is autogenerated by pip-compile with Python 3.12
#
--extra-index-url https://h/whl/cu130
--trusted-host h

absl-py==2.1.0 ; python_full_version >= "3.10" \\
    --hash=sha256:526a04eadab8b4ee719ce68f204172ead1027549089702d99b9059f129ff1308 \\
    --hash=sha256:7820790efbb316739cde8b4e19357243fc3608a152024288513dd968d7d959ff
    # via
    #   -r requirements.in
    #   tensorboard
-e file:.
    # via -r requirements.in
torch[opt]==2.9.1 \\
    # via accelerate
"""


def test_output_of_pip_compile_and_uv_export() -> None:
    assert facts(PIP_COMPILE) == [
        (4, "extra-index cu130", "https://h/whl/cu130"),
        (7, "absl-py==2.1.0", "absl-py==2.1.0"),
        (13, "editable", "file:."),
        (15, "torch==2.9.1", "torch[opt]==2.9.1"),
    ]
    assert packages(PIP_COMPILE)[0].marker == 'python_full_version >= "3.10"'


def test_output_of_pip_freeze() -> None:
    text = (
        "certifi @ file:///croot/certifi_1/work/certifi\n# Editable install with no version control (x==1)\n-e /src/x\n"
        "-e git+ssh://git@github.com/o/r.git@0a1b#egg=a_b&subdirectory=p\ntorch==2.6.0+cu124\n"
    )
    expected = [(1, "certifi"), (3, "editable"), (4, "a-b"), (5, "torch==2.6.0+cu124")]
    assert [(line, what) for line, what, _ in facts(text)] == expected


VARIABLES: dict[str, tuple[str, list[tuple[int, str, str]]]] = {
    "a version": ("torch==${TORCH}", [(1, f"torch=={U}", "torch==${TORCH}")]),
    "a part of a version": ("torch==2.${MINOR}.0 # x", [(1, f"torch==2.{U}.0", "torch==2.${MINOR}.0")]),
    "a whole requirement": ("${TORCH}\n$TORCH", []),
    "a name": ("${PREFIX}-torch\ntorch${SUFFIX}", []),
    "a secret": ("-i https://${USER}:${TOKEN}@h/whl/cu124", [(1, "index cu124", "https://${USER}:${TOKEN}@h/whl/cu124")]),
    "a tag": ("-i https://h/whl/${CUDA}", [(1, "index", "https://h/whl/${CUDA}")]),
    "a file": ("-r ${BASE}.txt", [(1, "requirement", "${BASE}.txt")]),
    "a folder of wheels": ("${W}/a-1-py3-none-any.whl", [(1, "a==1", "${W}/a-1-py3-none-any.whl")]),
    "a default for envsubst": ("torch==${V:-2.0}", [(1, f"torch=={U}", "torch==${V:-2.0}")]),
    "a shell variable": ("torch==$V", [(1, f"torch=={U}", "torch==$V")]),
    "a root folder for hatch": ("a @ {root:uri}/a", [(1, "a", "a @ {root:uri}/a")]),
    "a Jinja expression": ("torch=={{ torch_version }}", [(1, f"torch=={U}", "torch=={{ torch_version }}")]),
    "a line of Jinja": ("{% if gpu -%}\ntorch\n{%- endif %}\n{{ more }}", [(2, "torch", "torch")]),
    "a Jinja statement around a name": ("{% if gpu %}torch{% endif %}", [(1, "torch", "torch")]),
    "a Jinja comment": ("{# torch #}\nnumpy", [(2, "numpy", "numpy")]),
    "Jinja that holds braces": ("{% set x = {'a': 1} %}\n{{ {1: 2}[1] }}", []),
    "Jinja in words": ("{{ a }} and {{ b }}", []),
}


@pytest.mark.parametrize(("text", "expected"), VARIABLES.values(), ids=VARIABLES.keys())
def test_what_is_filled_in_later_is_unknown(text: str, expected: list[tuple[int, str, str]]) -> None:
    assert facts(text) == expected


def test_variable_in_an_include_is_unknown() -> None:
    (include,) = read(Source("r.txt", "-r req-${X}.txt"))
    assert isinstance(include, Include)
    assert include.path.value == f"req-{U}.txt"


def test_spelling_of_a_continued_requirement_is_one_line() -> None:
    assert [package.written for package in packages("torch>=2, \\\n   <3\nnumpy == \t1")] == ["torch>=2, <3", "numpy == 1"]


def test_file_says_nothing_of_role_flags_and_place() -> None:
    (package,) = packages("torch==2 ; os_name=='nt' --hash=sha256:00")
    assert (package.manager, package.role, package.flags, package.context) == ("pip", "requirement", frozenset(), Context())
    assert (package.origin, package.marker) == (package.span, "os_name=='nt'")


def test_lock_of_a_chart_is_no_file_of_requirements() -> None:
    assert [*read(Source("requirements.lock", "dependencies:\n- name: redis\n  version: 1.0.0\ngenerated: now\n"))] == []


def test_byte_order_mark_does_not_shift_columns() -> None:
    (package,) = packages(decode(b"\xef\xbb\xbftorch\n"))
    assert (package.name, package.span.column, package.span.end_column) == ("torch", 1, 6)


REFUSED = {
    "prose": ("torch\nInstall these first:\nnumpy", 2, "pip refuses this requirement"),
    "a single equals sign": ("torch=2.0", 1, "`==`, not `=`"),
    "a broken marker": ("a\nb ; python_version", 2, "the marker is wrong"),
    "quotes": ("'torch'", 1, "pip refuses this requirement"),
    "a backslash before blanks": ("torch \\ \nnumpy", 1, "a backslash continues"),
    "an unknown option": ("\n--no-deps\n", 2, "no such option: --no-deps"),
    "an option of the command line": ("flash-attn --no-build-isolation", 1, "no such option: --no-build-isolation"),
    "an option that pip has dropped": ("--no-use-wheel", 1, "no such option: --no-use-wheel"),
    "an option without its value": ("-r", 1, "requires 1 argument"),
    "a value too many": ("--pre=yes", 1, "does not take a value"),
    "an ambiguous abbreviation": ("--no x", 1, "ambiguous option: --no"),
    "an open quotation mark": ("-r 'a.txt", 1, "left open"),
    "a requirement behind an option": ("numpy\n--pre torch==2.0", 2, "pip ignores `torch==2.0` behind an option"),
}


@pytest.mark.parametrize(("text", "line", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_line_that_pip_refuses_is_a_problem(text: str, line: int, message: str) -> None:
    ((found_line, found_message),) = problems(text)
    assert found_line == line
    assert message in found_message
    assert "\n" not in found_message


def test_the_rest_of_a_refused_line_and_file_is_read() -> None:
    text = "one two\nflash-attn --no-build-isolation\nnumpy"
    assert [package.name for package in packages(text)] == ["flash-attn", "numpy"]


def test_file_inside_a_file() -> None:
    source = Source("Dockerfile", "RUN pip install -r /dev/stdin <<EOF\ntorch==2.0\n-i https://h/cu124\nEOF\n")
    start = source.text.index("torch")
    found = requirements(Text.of(source, start, source.text.rindex("EOF")), Context(stage=0))
    assert [written(source, fact) for fact in found] == [(2, "torch==2.0", "torch==2.0"), (3, "index cu124", "https://h/cu124")]


def test_context_of_the_file_around_it_is_kept() -> None:
    text = "torch\n-i https://h/cu124\n-r a.txt\n-e git+https://h/o/r\n."
    found = requirements(Text.of(Source("Dockerfile", text)), Context(stage=1))
    assert [fact.context.stage for fact in found if isinstance(fact, Package | Index | Include)] == [1, 1, 1, 1, 1]


LONG = {
    "lines": ("torch==2.9.1 ; os_name == 'posix'\n" * 10_000, 10_000),
    "hashes of one package": ("torch==2 \\\n" + "  --hash=sha256:00 \\\n" * 20_000, 1),
    "options on one line": ("-f https://h/cu124 \\\n" * 10_000, 10_000),
    "a continued version": ("torch>=2" + ",\\\n!=3" * 10_000, 1),
    "blanks": ("torch" + " " * 200_000 + "x", 1),
    "braces": ("{" * 200_000, 0),
    "statements": ("{%" * 100_000, 0),
    "brackets": ("a" + "[" * 200_000, 1),
    "quotation marks": ("-i " + "\\\"'" * 40_000, 1),
    "hyphens": (" -" * 40_000, 0),
    "dots": ("a" + "." * 200_000, 1),
    "semicolons": ("https://h/" + ";" * 200_000, 0),
    "tags": ("https://h/a-1-" + ".".join(["x"] * 100_000) + "-" + ".".join(["y"] * 100_000) + "-any.whl", 1),
    "parentheses": ("a ; " + "(" * 200_000, 2),
}


@pytest.mark.parametrize(("text", "count"), LONG.values(), ids=LONG.keys())
def test_long_input_comes_to_an_end(text: str, count: int) -> None:
    assert len(facts(text)) == count


def test_random_text_raises_nothing_and_spans_lie_inside() -> None:
    signs = "\\\n\r\t #;,@=<>!~[](){}%$'\"-/.*?\0\x0b\x1c\x85\u2028\ufeff\ufffc😀é"
    words = ["\\\n", "torch", "==2.0", "[x]", "https://h/", "git+", ".whl", "#egg=", "cu124", "1-py3-none-any.whl", "9" * 5000]
    words += [
        "-i ",
        "--index-url=",
        "-r ",
        "-e ",
        "--hash=",
        "--foo ",
        "-C",
        "{{",
        "}}",
        "{%",
        "${A}",
        "$b",
        " @ ",
        "%2B",
        "\ud800",
    ]
    words += [*signs, " ; os_name == 'nt'"]
    chance = random.Random(12)
    for _ in range(3_000):
        text = "".join(chance.choice(words) for _ in range(chance.randint(1, 14)))
        source = Source("r.txt", text)
        for fact in read(source):
            span = fact.path.span if isinstance(fact, Include) else fact.span
            assert (1, 1) <= (span.line, span.column) <= (span.end_line, span.end_column)
            assert source.cut(span) in text
            assert len(source.lines) >= span.end_line
            assert len(source.lines[span.end_line - 1]) >= span.end_column - 1
