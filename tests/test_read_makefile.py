"""Makefiles: what the shell gets from recipes, under which conditions, and where each value is written."""

import pytest
from projects import facts, found

from spark_lint.facts import Assign, Command, EnvVar, Fact, Include, Index, Package, ParseProblem, Read, Setting
from spark_lint.kinds import MAKEFILE, kind_of
from spark_lint.read.makefile import read
from spark_lint.suppress import suppressions
from spark_lint.text import UNKNOWN, Source


def reads(text: str) -> list[Read]:
    return list(read(Source("Makefile", text)))


def commands(text: str) -> list[str]:
    """The words of each command."""
    return [" ".join(word.value for word in each.words) for each in reads(text) if isinstance(each, Command)]


def under(text: str) -> list[tuple[str, list[str]]]:
    """Each command, with the tests around it but the target."""
    return [
        (" ".join(word.value for word in each.words), [shown for shown in conditions(each) if not shown.startswith("target ")])
        for each in reads(text)
        if isinstance(each, Command)
    ]


def conditions(fact: Fact) -> list[str]:
    return [f"{'not ' if each.negated else ''}{each.text}" for each in fact.context.conditions]


def problems(text: str) -> list[tuple[int, str]]:
    return [(each.span.line, each.message) for each in reads(text) if isinstance(each, ParseProblem)]


@pytest.mark.parametrize(
    "name",
    ["Makefile", "makefile", "GNUmakefile", "Makefile.cuda", "docker/Makefile", "rules.mk", "nmake.mak", "Makefile-gpu"],
)
def test_these_names_are_makefiles(name: str) -> None:
    assert kind_of(name) == MAKEFILE


@pytest.mark.parametrize("name", ["Makefile.am", "Makefile.in", "makefile.py", "make", "Makefile.md", "CMakeLists.txt"])
def test_these_are_none(name: str) -> None:
    assert kind_of(name) != MAKEFILE


WHOLE = """\
# Training
VENV ?= .venv
PIP := $(VENV)/bin/pip
CUDA ?= cu124
INDEX = https://download.pytorch.org/whl/$(CUDA)

.PHONY: install train

install: requirements.txt ## Set up
\t$(PIP) install -r $<
\t@$(PIP) install torch==2.6.0 \\
\t    --index-url $(INDEX)

train: install ; python train.py
"""


def test_a_whole_file() -> None:
    found = [each for each in reads(WHOLE) if isinstance(each, Command)]
    assert commands(WHOLE) == [
        ".venv/bin/pip install -r requirements.txt",
        ".venv/bin/pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cu124",
        "python train.py",
    ]
    assert [conditions(each) for each in found] == [["target install"], ["target install"], ["target train"]]
    assert [each.context.workdir for each in found] == ["", "", ""]
    assert problems(WHOLE) == []


def test_places_are_where_it_is_used_and_origins_where_it_is_written() -> None:
    source = Source("Makefile", WHOLE)
    command = [each for each in read(source) if isinstance(each, Command)][1]
    assert source.cut(command.span) == "$(PIP) install torch==2.6.0 \\\n\t    --index-url $(INDEX)"
    index = command.words[-1]
    assert (source.cut(index.span), source.cut(index.origin)) == ("$(INDEX)", "cu124")
    assert source.cut(command.words[0].origin) == ".venv"


def test_a_finding_stands_at_the_definition() -> None:
    assert ("Makefile", 4, "G1/torch-index-cuda12", "error") in found({"Makefile": WHOLE})


def test_requirements_are_installed_from_a_recipe() -> None:
    files = {"Makefile": "install:\n\tpip install -r requirements.txt\n", "requirements.txt": "flash-attn\n"}
    package = facts(files, "requirements.txt", Package, "flash-attn")[0]
    assert package.scope.via is not None
    assert (package.scope.via.path, package.scope.via.line, package.scope.how) == ("Makefile", 2, "installed")


# Variables.


@pytest.mark.parametrize(
    ("variables", "use", "value"),
    [
        ("X = a", "$(X)", "a"),
        ("X = a", "${X}", "a"),
        ("X = a", "$X", "a"),
        ("X:=a", "$(X)", "a"),
        ("X ::= a", "$(X)", "a"),
        ("X ?= a", "$(X)", "a"),
        ("X = a\nX ?= b", "$(X)", "a"),
        ("X = a\nX += b", "$(X)", "a b"),
        ("X += b", "$(X)", "b"),
        ("X = a # why", "$(X)", "a"),
        ("X = a \\\n  b", "$(X)", "a b"),
        ("override X = a", "$(X)", "a"),
        ("X = $(Y)\nY = b", "$(X)", "b"),
        ("Y = a\nX := $(Y)\nY = b", "$(X)", "a"),
        ("Y = X\nX = a", "$($(Y))", "a"),
        ("A_gpu = a\nY = gpu", "$(A_$(Y))", "a"),
        ("define X\na\nendef", "$(X)", "a"),
        ("X = $(1)-$(2)", "$(call X,a, b)", "a- b"),
        ("X = a", "$(strip $(X))", "a"),
        ("X =", "a$(X)", "a"),
        ("ROOT := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))", "$(ROOT)a", "./a"),
        ("", "$(MAKE)", "make"),
        ("", "$(X)", UNKNOWN),
        ("X = $(shell date)", "$(X)", UNKNOWN),
        ("X != date", "$(X)", UNKNOWN),
        ("X = $(wildcard *)", "$(X)", UNKNOWN),
        ("X = a.c", "$(X:.c=.o)", UNKNOWN),
        ("X = $(X)", "$(X)", UNKNOWN),
        ("X = $(Y)\nY = $(X)", "$(X)", UNKNOWN),
        ("", "$*", UNKNOWN),
        ("", "$(@D)", UNKNOWN),
        ("include other.mk", "$(X)", UNKNOWN),
    ],
)
def test_values(variables: str, use: str, value: str) -> None:
    last = [each for each in commands(f"{variables}\nall:\n\techo {use}\n") if each.startswith("echo")][-1]
    assert last.removeprefix("echo ") == " ".join(value.split())


def test_automatic_variables_are_those_of_the_rule() -> None:
    assert commands("all: a.txt b.txt | dir\n\techo $@ $< $^\n%.o: %.c\n\techo $<\n") == [
        "echo all a.txt a.txt b.txt",
        f"echo {UNKNOWN}",
    ]


def test_two_dollars_are_one_for_the_shell() -> None:
    assert commands("all:\n\tfor i in a b; do echo $$i $${TP:-2}; done\n") == ["echo a 2", "echo b 2"]


def test_what_make_asks_the_shell_is_run() -> None:
    text = "N := $(shell nvidia-smi --query-gpu=memory.total --format=csv)\nall:\n\techo $(shell uname -m)\n"
    assert commands(text) == ["nvidia-smi --query-gpu=memory.total --format=csv", "uname -m", f"echo {UNKNOWN}"]


def test_a_variable_of_one_target() -> None:
    text = "CUDA = cu130\ngpu old: CUDA = cu124\ngpu:\n\techo $(CUDA)\nnew:\n\techo $(CUDA)\n"
    assert commands(text) == ["echo cu124", "echo cu130"]


def test_canned_lines_are_lines_of_the_recipe() -> None:
    text = "define setup\n@cd sub\n-pip install $(1)\nendef\nall:\n\t$(call setup,flash-attn)\n"
    assert under(text) == [("cd sub", []), ("pip install flash-attn", ["what fails here is passed over"])]
    package = facts({"Makefile": text}, "Makefile", Package, "flash-attn")[0]
    assert (package.span.line, package.origin.line) == (6, 6)


def test_values_that_double_stay_small() -> None:
    text = "A0 = aaaaaaaaaa\n" + "".join(f"A{n} = $(A{n - 1})$(A{n - 1})\n" for n in range(1, 60)) + "all:\n\techo $(A59)\n"
    found = commands(text)
    assert (len(found), set(found[0].removeprefix("echo "))) == (1, {UNKNOWN})


# Recipes.


def test_each_line_is_a_shell_of_its_own() -> None:
    text = "all:\n\tcd sub && python a.py\n\tpython b.py\n"
    folders = [(each.name, each.context.workdir) for each in reads(text) if isinstance(each, Command)]
    assert folders == [("cd", ""), ("python", "sub"), ("python", "")]


def test_one_shell_for_a_recipe() -> None:
    text = ".ONESHELL:\nall:\n\t@cd sub\n\tif true; then\n\t  python a.py\n\tfi\n"
    folders = [(each.name, each.context.workdir) for each in reads(text) if isinstance(each, Command)]
    assert folders == [("cd", ""), ("true", "sub"), ("python", "sub")]


def test_signs_before_a_command() -> None:
    assert under("all:\n\t@-pip install a\n\t+ @pip install b\n") == [
        ("pip install a", ["what fails here is passed over"]),
        ("pip install b", []),
    ]


def test_a_sign_that_is_not_known() -> None:
    assert commands("all:\n\t$(Q)pip install a\n\t$(BIN)python b.py\n") == ["pip install a", "python b.py"]


def test_another_sign_before_recipes() -> None:
    assert commands(".RECIPEPREFIX = >\nall:\n>pip install a\n\nX = 1\n") == ["pip install a"]


@pytest.mark.parametrize("shell", ["/bin/bash", "/usr/bin/env bash", "bash -e"])
def test_recipes_for_a_shell(shell: str) -> None:
    assert commands(f"SHELL := {shell}\nall:\n\tpip install a\n") == ["pip install a"]


@pytest.mark.parametrize("program", ["/usr/bin/python3", "pwsh.exe", "cmd.exe"])
def test_recipes_for_something_else_are_not_read(program: str) -> None:
    assert commands(f"SHELL := {program}\nall:\n\tpip install a\n") == []


def test_comments_and_empty_lines_do_not_end_a_recipe() -> None:
    assert commands("all:\n\n# a\n\tpip install a # b\n\n\t# c\n\tpip install b\n") == ["pip install a", "pip install b"]


def test_lines_of_windows() -> None:
    source = Source("Makefile", "all: \\\r\n  a\r\n\tpip install \\\r\n\t  torch\r\n")
    command = next(each for each in read(source) if isinstance(each, Command))
    assert [word.value for word in command.words] == ["pip", "install", "torch"]
    assert (command.span.line, command.span.end_line, command.span.column) == (3, 4, 2)


def test_double_colons_patterns_and_groups() -> None:
    text = "a:: b\n\techo 1\nx.o: %.o: %.c\n\techo 2\np q &: r\n\techo 3\n"
    found = [(each.words[1].value, conditions(each)) for each in reads(text) if isinstance(each, Command)]
    assert found == [("1", ["target a"]), ("2", ["target x.o"]), ("3", ["target p q"])]


# Conditions.


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        ("ifeq ($(shell uname -m),x86_64)", '"$(uname -m)" = x86_64', 'not "$(uname -m)" = x86_64'),
        ("ifneq ($(shell uname -m), x86_64)", '"$(uname -m)" != x86_64', 'not "$(uname -m)" != x86_64'),
        ('ifeq "$(OS)" "Windows_NT"', '"$(OS)" = Windows_NT', 'not "$(OS)" = Windows_NT'),
        ("ifeq '$(OS)' 'Windows_NT'", '"$(OS)" = Windows_NT', 'not "$(OS)" = Windows_NT'),
        ("ifdef GPU", '-n "$(GPU)"', 'not -n "$(GPU)"'),
        ("ifndef GPU", 'not -n "$(GPU)"', '-n "$(GPU)"'),
        ("ifeq ($(GPU),)", 'not -n "$(GPU)"', '-n "$(GPU)"'),
        ("ifneq (,$(findstring x86,$(ARCH)))", "$(ARCH) in x86", "not $(ARCH) in x86"),
        ("ifeq ($(filter aarch64 arm64,$(ARCH)),)", "not $(ARCH) in aarch64 arm64", "$(ARCH) in aarch64 arm64"),
    ],
)
def test_tests(test: str, yes: str, no: str) -> None:
    text = f"{test}\nall:\n\techo 1\nelse\nall:\n\techo 2\nendif\nb:\n\techo 3\n"
    assert under(text) == [("echo 1", [yes]), ("echo 2", [no]), ("echo 3", [])]


def test_a_variable_that_holds_what_the_shell_said() -> None:
    text = "ARCH := $(shell uname -m)\nifeq ($(ARCH),x86_64)\nall:\n\techo 1\nendif\n"
    assert under(text)[-1] == ("echo 1", ['"$(uname -m)" = x86_64'])


def test_else_if_and_tests_in_a_recipe() -> None:
    text = "all:\nifeq ($(A),1)\n\techo 1\nelse ifeq ($(A),2)\n\techo 2\nelse\n\techo 3\nendif\n\techo 4\n"
    assert under(text) == [
        ("echo 1", ['"$(A)" = 1']),
        ("echo 2", ['not "$(A)" = 1', '"$(A)" = 2']),
        ("echo 3", ['not "$(A)" = 1', 'not "$(A)" = 2']),
        ("echo 4", []),
    ]


def test_a_switch_that_the_file_sets() -> None:
    text = "GPU ?= 0\nall:\nifeq ($(GPU),1)\n\tpip install a\nelse\n\tpip install b\nendif\n"
    assert under(text) == [
        ("pip install a", ['"$(GPU)" = 1', "switched off here"]),
        ("pip install b", ['not "$(GPU)" = 1']),
    ]


@pytest.mark.parametrize(
    ("branches", "value"),
    [
        ("ifeq ($(A),1)\nX = a\nelse\nX = b\nendif", UNKNOWN),
        ("ifeq ($(A),1)\nX = a\nelse\nX = a\nendif", "a"),
        ("X = a\nifdef A\nX = b\nendif", UNKNOWN),
        ("A = 1\nifeq ($(A),1)\nX = a\nelse\nX = b\nendif", "a"),
        ("A = 2\nX = b\nifeq ($(A),1)\nX = a\nendif", "b"),
        ("A =\nifdef A\nX = a\nelse\nX = b\nendif", "b"),
    ],
)
def test_what_is_known_behind_branches(branches: str, value: str) -> None:
    assert commands(f"{branches}\nall:\n\techo $(X)\n") == [f"echo {value}"]


def test_indented_lines_behind_the_test_of_a_rule() -> None:
    text = "ifdef A\nall:\n\techo 1\nendif\n\tifdef B\n\tX = 1\n\tendif\nb:\n\techo $(X)\n"
    assert under(text) == [("echo 1", ['-n "$(A)"']), (f"echo {UNKNOWN}", [])]
    assert problems(text) == []


@pytest.mark.parametrize("target", ["build-x86", "docker-amd64", "install-rocm", "install-cpu", "run-8xh100", "mac"])
def test_targets_for_other_machines(target: str) -> None:
    files = {"Makefile": f"{target}:\n\tpip install flash-attn\nhere:\n\tpip install torch\n"}
    assert [each.scope.elsewhere for each in facts(files, "Makefile", Package)] == [True, False]


@pytest.mark.parametrize("target", ["install-flash-attn", "test-gpus", "build-arch", "all install-rocm", "spark-amd64"])
def test_a_target_is_no_test_of_the_machine(target: str) -> None:
    assert found({"Makefile": f"{target}:\n\tpip install flash-attn decord\n"}) == [
        ("Makefile", 2, code, severity) for _, _, code, severity in found({"Makefile": "all:\n\tpip install flash-attn decord\n"})
    ]


def test_a_test_of_the_machine_is_one() -> None:
    files = {
        "Makefile": "ifeq ($(shell uname -m),x86_64)\nall:\n\tpip install decord\nelse\nall:\n\tpip install decord2\nendif\n"
    }
    assert [each.scope.elsewhere for each in facts(files, "Makefile", Package)] == [True, False]


# The environment.


def variables(text: str) -> list[tuple[int, str, str]]:
    return [(each.span.line, each.name, each.value) for each in reads(text) if isinstance(each, EnvVar)]


def test_exported_variables() -> None:
    text = "export A := 1\nB = 2\nC = $(B)3\nexport B C D\nE = 5\nexport F\nF = 6\nunexport F\nall:\n\techo $$A $$C $$E\n"
    assert variables(text) == [(1, "A", "1"), (2, "B", "2"), (3, "C", "23")]
    assert commands(text) == [f"echo 1 23 {UNKNOWN}"]


@pytest.mark.parametrize("line", ["export", ".EXPORT_ALL_VARIABLES:"])
def test_all_variables_exported(line: str) -> None:
    assert variables(f"A = 1\n{line}\nB = 2\n") == [(1, "A", "1"), (3, "B", "2")]


def test_a_variable_for_one_target_and_one_command() -> None:
    text = "gpu: export CUDA_VISIBLE_DEVICES = 0,1\ngpu:\n\tMAX_JOBS=4 pip install a\n"
    source = Source("Makefile", text)
    variable, command = read(source)
    assert isinstance(variable, EnvVar)
    assert isinstance(command, Command)
    assert (variable.value, source.cut(variable.span), source.cut(variable.origin)) == (
        "0,1",
        "gpu: export CUDA_VISIBLE_DEVICES = 0,1",
        "0,1",
    )
    assert conditions(variable) == ["target gpu"]
    assert [(name, value.value) for name, value in command.environment] == [("MAX_JOBS", "4")]


# Flags.


def test_flags_that_a_recipe_uses_are_those_of_the_command() -> None:
    text = "ARCH ?= -arch=sm_90\nNVCC_FLAGS := -O3\nNVCC_FLAGS += $(ARCH)\na.o: a.cu\n\tnvcc $(NVCC_FLAGS) -c $<\n"
    assert commands(text) == ["nvcc -O3 -arch=sm_90 -c a.cu"]
    assert [each for each in reads(text) if isinstance(each, Assign)] == []
    setting = facts({"Makefile": text}, "Makefile", Setting, "gencode")[0]
    assert (setting.value, setting.span.line, setting.origin.line, setting.origin.column) == ("sm_90", 5, 1, 9)


def test_flags_that_no_recipe_uses_stand_where_they_are_written() -> None:
    text = "SM = 90\nNVCC_FLAGS += -O3 -gencode arch=compute_$(SM),code=sm_$(SM) -lineinfo\nSRC = a.cu - b\n"
    source = Source("Makefile", text)
    flags = [(each.name, each.kind, each.value, source.cut(each.span)) for each in read(source) if isinstance(each, Assign)]
    assert flags[:2] == [
        ("NVCC_FLAGS", "word", "-O3", "-O3"),
        ("NVCC_FLAGS", "word", "-gencode arch=compute_90,code=sm_90", "-gencode arch=compute_$(SM),code=sm_$(SM)"),
    ]
    assert len(flags) == 3


def test_flags_under_a_test_that_may_fail() -> None:
    text = "ifdef CUDA\nFLAGS += -gencode=arch=compute_90,code=sm_90\nendif\na:\n\tnvcc $(FLAGS) a.cu\n"
    assign = next(each for each in reads(text) if isinstance(each, Assign))
    assert (assign.value, conditions(assign)) == ("-gencode=arch=compute_90,code=sm_90", ['-n "$(CUDA)"'])


# What is broken.


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("ifdef A\nX = 1\n", 1, "this conditional has no endif"),
        ("X = 1\nendif\n", 2, "this endif belongs to no conditional"),
        ("else\n", 1, "this else belongs to no conditional"),
        ("ifeq $(A)\nendif\n", 1, "ifeq compares two texts"),
        ("define X\na\n", 1, "this definition has no endef"),
        ("all:\n    pip install a\n", 2, "neither a rule nor a variable: the lines of a recipe begin with a tab"),
        ("all:\n\techo a\n\tif true; then echo b\n", 3, "shell syntax: cannot read this line"),
    ],
)
def test_problems(text: str, line: int, message: str) -> None:
    assert problems(text) == [(line, message)]


def test_what_is_known_in_part_is_no_problem() -> None:
    assert problems("all:\n\t$(foreach x,a b,if $(x); then )\n\t$(if $(A),if) true; then echo; fi\n") == []


def test_what_make_writes_and_other_directives_are_no_problem() -> None:
    text = "$(info hello)\n$(eval $(call X,a))\n-include a.mk\nvpath %.c src\nundefine X\noverride undefine Y\nload a.so\n.include <bsd.mk>\n!include a\n"
    assert reads(text) == []


@pytest.mark.parametrize(
    "text",
    ["$(" * 5000, "X = " + "$(" * 3000 + ")" * 3000 + "\nall:\n\t$(X)\n", "ifdef A\n" * 5000, "define X\n" * 5000, "a" * 100 + "\\\n" * 5000,
     "X = $(call X,$(X))\n" * 500 + "all:\n\t$(X)\n", "all:\n" + "\tif true; then\n" * 300, "$(X" * 3000 + ":=" * 3000,
     "X = a" + "\t" * 100_000 + "b\n"],
)  # fmt: skip
def test_hostile_files_are_read(text: str) -> None:
    source = Source("Makefile", text)
    for each in read(source):
        span = each.path.span if isinstance(each, Include) else each.span
        assert 1 <= span.line <= span.end_line <= len(source.lines)


def test_one_index_for_one_recipe() -> None:
    text = "a:\n\tpip install torch --index-url https://download.pytorch.org/whl/cu124\nb:\n\tpip install numpy\n"
    assert [each.name for each in facts({"Makefile": text}, "Makefile", Index)] == ["cu124"]


# Suppressions.


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a:\n\tpip install b\n\t# spark-lint: ignore[G1]\n\tpip install c \\\n\t  d\n", (4, 5)),
        ("a:\n\tpip install b  # spark-lint: ignore[G1]\n\tpip install c\n", (2, 2)),
        ("# spark-lint: ignore[G1]\na: b\n\tpip install b\n\n\tpip install c\nX = 1\n", (2, 5)),
        ("# spark-lint: ignore[G1]\nX = 1 \\\n  2\nY = 1\n", (2, 3)),
        ("X = 1  # spark-lint: ignore[G1]\r\nY = \\\r\n 1\r\n", (1, 1)),
    ],
)
def test_what_a_suppression_covers(text: str, lines: tuple[int, int]) -> None:
    marks = suppressions(Source("Makefile", text), MAKEFILE)
    assert [(mark.first_line, mark.last_line) for mark in marks] == [lines]
