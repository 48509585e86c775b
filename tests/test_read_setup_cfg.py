"""setup.cfg: what setuptools takes from it, where it stands, and what configparser would refuse."""

import configparser
from collections.abc import Sequence

import pytest
from projects import found

from spark_lint.facts import Distribution, Include, Package, ParseProblem, Read
from spark_lint.read.setup_cfg import read, sections
from spark_lint.text import UNKNOWN, Source


def reads(text: str) -> list[Read]:
    return list(read(Source("setup.cfg", text)))


def said(text: str) -> list[tuple[int, str, str]]:
    """Each package, file or fault: its line, what it is, and the extra it belongs to."""
    found: list[tuple[int, str, str]] = []
    for each in reads(text):
        if isinstance(each, Package):
            marker = f"; {each.marker}" if each.marker else ""
            role = "" if each.role == "requirement" else f" ({each.role})"
            found.append((each.span.line, f"{each.name}{each.specifier}{marker}{role}", each.context.extra))
        elif isinstance(each, Include):
            what = f"{each.kind} {' '.join(sorted(each.extras)) or each.path.value}"
            found.append((each.path.span.line, what, each.context.extra))
        elif isinstance(each, ParseProblem):
            found.append((each.span.line, "problem", ""))
    return found


WHOLE = """\
[metadata]
name = My_Project
version = attr: my_project.__version__

[options]
python_requires = >=3.10
packages = find:
setup_requires = torch; setuptools>=64
install_requires =
    torch==2.6.0 ; sys_platform == 'linux'  # the one we test

    # a comment
    flash_attn>=2
    numpy <2,>=1.26

[options.extras_require]
GPU_all =
    xformers
dev = pytest; ruff
docs = file: docs/requirements.txt, more.txt
all = my-project[gpu_all,dev]
old =
    tomli; os_name == "posix"

[flake8]
max-line-length = 100
"""


def test_all_that_setuptools_takes() -> None:
    assert said(WHOLE) == [
        (8, "torch (build)", ""),
        (8, "setuptools>=64 (build)", ""),
        (10, "torch==2.6.0; sys_platform == 'linux'", ""),
        (13, "flash-attn>=2", ""),
        (14, "numpy<2,>=1.26", ""),
        (18, "xformers", "gpu-all"),
        (19, "pytest", "dev"),
        (19, "ruff", "dev"),
        (20, "requirement docs/requirements.txt", "docs"),
        (20, "requirement more.txt", "docs"),
        (21, "extra dev gpu-all", "all"),
        (23, 'tomli; os_name == "posix"', "old"),
    ]


def test_the_project_is_named_once() -> None:
    projects = [each for each in reads(WHOLE) if isinstance(each, Distribution)]
    assert [(each.name, each.python, each.span.line) for each in projects] == [("my-project", ">=3.10", 2)]


def test_a_span_holds_the_requirement_alone() -> None:
    source = Source("setup.cfg", WHOLE)
    packages = [each for each in read(source) if isinstance(each, Package)]
    assert [source.cut(each.span) for each in packages[:5]] == [
        "torch", "setuptools>=64", "torch==2.6.0", "flash_attn>=2", "numpy <2,>=1.26",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[options]\ninstall-requires = torch", [(2, "torch", "")]),
        ("[options]\ninstall_requires: torch", [(2, "torch", "")]),
        ("[options]\r\ninstall_requires =\r\n  torch\r\n  numpy\r\n", [(3, "torch", ""), (4, "numpy", "")]),
        ("[options]\ninstall_requires = file: requirements.txt", [(2, "requirement requirements.txt", "")]),
        ("[options]\ninstall_requires = file:\n  a.txt,\n  b.txt", [(3, "requirement a.txt", ""), (4, "requirement b.txt", "")]),
        ("[options]\ninstall_requires =\n  torch==%(version)s\n", [(3, f"torch=={UNKNOWN}", "")]),
        ("[options]\ninstall_requires =\n  %(all)s\n  numpy\n", [(4, "numpy", "")]),
        ("[options]\ninstall_requires =\n  torch=={{ cookiecutter.torch }}\n", [(3, f"torch=={UNKNOWN}", "")]),
        ("[options]\n{% if gpu %}\ninstall_requires =\n  torch\n{% endif %}\n", [(4, "torch", "")]),
        ("[options]\ninstall_requires =\n  ./local\n  numpy\n", [(4, "numpy", "")]),
        ("[options]\ninstall_requires =\n  a @ https://h/a.whl\n", [(3, "a", "")]),
        # Each line is read for itself: in one of several, a semicolon begins a marker.
        ("[options]\ninstall_requires =\n  a; os_name == 'nt'\n", [(3, "a; os_name == 'nt'", "")]),
        ("[options]\ninstall_requires = a; b\n", [(2, "a", ""), (2, "b", "")]),
        # pip has not followed these links since 19.0.
        ("[options]\ndependency_links = https://download.pytorch.org/whl/cu118\n", []),
        ("[options]\ntests_require = torch\n", []),
        ("[options.extras_require]\n: = torch\n", [(2, "problem", "")]),
    ],
)
def test_lists_of_packages(text: str, expected: list[tuple[int, str, str]]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n# nothing\n",
        "[flake8]\nmax-line-length = 100\n[tool:pytest]\naddopts = -q\n",
        "[metadata]\ndescription = torch\n",
        "[bdist_wheel]\nuniversal = 1",
    ],
)
def test_settings_of_tools_say_nothing(text: str) -> None:
    assert reads(text) == []


@pytest.mark.parametrize(
    ("name", "expected"), [("attr: x.name", ""), ("file: NAME", ""), ("%(n)s", ""), ("{{ n }}", ""), ("A.b", "a-b")]
)
def test_a_name_that_is_not_known_is_empty(name: str, expected: str) -> None:
    projects = [each.name for each in reads(f"[metadata]\nname = {name}\n[options]\n") if isinstance(each, Distribution)]
    assert projects == [expected]


SAMPLES = [
    WHOLE,
    "",
    "x = 1\n",
    "[a]\nx\n",
    "[a]\nx = 1\nx = 2\n",
    "[a]\nx = 1\n[a]\ny = 2\n",
    "[DEFAULT]\nx = 1\n[DEFAULT]\ny = 2\n",
    "[a]\n= 1\n",
    "[a]\n  x = 1\n    y = 2\n  z = 3\n",
    "[a]\n  x = 1\n y = 2\n",
    "[a]\nx =\n\n\n  y\n\n  z\nw: v : u = t\n",
    "[a]\nx = 1\n  [b]\n[c]\n",
    "[a]\nx = 1\n# c\n  2\n; d\n  3\n",
    "[a]\nx = 1 # 2 ; 3\n",
    "[a] # b\nx=1",
    "[a]b]\nx=1",
    "[]\nx=1",
    "[a]\n  # c\n  x = 1\n\ty = 2\n",
    "[a]\r\nx = 1\r\n  2\r\n",
    "[a]\rx = 1\r  2\r",
    "  [a]\n  x = 1\n",
    "[a]\nX = 1\nx = 2\n",
    "[a]\nx = \u00e9\n \u6a21\u578b\n",
    "[a]\nx:=1\ny =: 2\n",
    "[a]\n\x0cx = 1\n",
    "[\n]\n",
    "[a]\n[b\nx",
]


def configparsed(text: str) -> dict[str, dict[str, list[str]]] | None:
    """What configparser makes of a text, blank lines left out; None where it refuses it."""
    parser = configparser.RawConfigParser(default_section="\0")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text.replace("\r\n", "\n").replace("\r", "\n"))
    except configparser.Error:
        return None
    return {name: {key: _said(value.split("\n")) for key, value in parser[name].items()} for name in parser.sections()}


def _said(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line]


@pytest.mark.parametrize("text", [each for each in SAMPLES if "DEFAULT" not in each])
def test_lines_are_split_as_configparser_does(text: str) -> None:
    ours, fault = sections(Source("setup.cfg", text))
    expected = configparsed(text)
    assert (fault is not None) == (expected is None)
    if expected is not None:
        assert {
            name: {key: _said([line.value for line in value]) for key, value in each.options.items()}
            for name, each in ours.items()
        } == expected


def test_defaults_may_stand_in_several_places() -> None:
    assert sections(Source("setup.cfg", "[DEFAULT]\nx = 1\n[DEFAULT]\ny = 2\n"))[1] is None


@pytest.mark.parametrize(
    "text",
    [
        "[options]\ninstall_requires = " + ";" * 200_000,
        "[options]\ninstall_requires = " + "%(" * 100_000,
        "[options]\ninstall_requires = " + "a;" * 100_000,
        "[options]\n" + "x\n" * 50_000,
        "[options]\n" + "x" * 500_000,
        "[" * 200_000,
        "[options.extras_require]\n" + "".join(f"e{n} = torch\n" for n in range(20_000)),
    ],
    ids=["semicolons", "insertions", "names", "no options", "a long line", "brackets", "extras"],
)
def test_hostile_files_are_read(text: str) -> None:
    source = Source("setup.cfg", text)
    faults = [each for each in read(source) if isinstance(each, ParseProblem)]
    assert len(faults) <= 1


def test_a_package_that_breaks_is_found_and_can_be_left_alone() -> None:
    text = "[metadata]\nname = x\n[options]\ninstall_requires =\n    torch==2.6.0\n    flash-attn\n"
    lines = [line for path, line, *_ in found({"setup.cfg": text})]
    assert {5, 6} <= set(lines)
    hidden = text.replace("flash-attn", "flash-attn  # spark-lint: ignore[G2] built by hand")
    assert 6 not in [line for _, line, *_ in found({"setup.cfg": hidden})]
    above = text.replace("    torch==", "    # spark-lint: ignore[G1] another machine\n    torch==")
    assert 6 not in [line for _, line, *_ in found({"setup.cfg": above})]
    whole = text.replace("install_requires", "# spark-lint: ignore[G1, G2] for an x86 machine\ninstall_requires")
    assert found({"setup.cfg": whole}) == []
