"""CMake files: their syntax, what their variables and properties hold, under which tests, and what it means."""

import pytest
from projects import facts, found

from spark_lint.facts import Assign, Call, Command, EnvVar, Fact, Package, ParseProblem, Read, Setting
from spark_lint.names import named
from spark_lint.read.cmake import read
from spark_lint.read.cmake_syntax import Invocation, comments, invocations
from spark_lint.text import UNKNOWN, Source


def reads(text: str) -> list[Read]:
    return list(read(Source("CMakeLists.txt", text)))


def arguments(text: str) -> list[tuple[str, str]]:
    """The arguments of the only command, with how they are quoted."""
    (command,) = invocations(Source("CMakeLists.txt", text))
    assert isinstance(command, Invocation)
    return [(each.kind, each.text.value) for each in command.arguments]


def problems(text: str) -> list[tuple[int, str]]:
    return [(each.span.line, each.message) for each in reads(text) if isinstance(each, ParseProblem)]


def assigned(text: str) -> list[tuple[str, str, str]]:
    """Each variable or property that is set: its kind, name and value."""
    return [(each.kind, each.name, str(each.value)) for each in reads(text) if isinstance(each, Assign)]


def value(text: str, name: str = "X") -> str:
    """The value of the last thing of this name."""
    return [given for _, each, given in assigned(text) if each == name][-1]


def settings(text: str) -> list[tuple[str, str, str]]:
    return [(each.name, str(each.value), each.tool) for fact in reads(text) for each in named(fact) if isinstance(each, Setting)]


def around(text: str, line: int) -> list[tuple[str, bool]]:
    """The tests around what is set on a line."""
    (fact,) = (each for each in reads(text) if isinstance(each, Fact) and each.span.line == line)
    return [(test.text, test.negated) for test in fact.context.conditions]


# ---- syntax


def test_arguments_of_every_kind() -> None:
    assert arguments('a( b\t"c d"\n [[e "f]] [=[g ]] h]=] # no\n ( i ) "" j\\ k #[[ l\n ]] -D"m n"=$(O) )') == [
        ("unquoted", "b"),
        ("quoted", "c d"),
        ("bracket", 'e "f'),
        ("bracket", "g ]] h"),
        ("parenthesis", "("),
        ("unquoted", "i"),
        ("parenthesis", ")"),
        ("quoted", ""),
        ("unquoted", "j\\ k"),
        ("unquoted", '-D"m n"=$(O)'),
    ]


def test_names_of_commands_are_the_same_in_either_case() -> None:
    assert assigned("SET(X 1)\nSet (Y 2)") == [("variable", "X", "1"), ("variable", "Y", "2")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("set(X 1\nset(Y 2)\n", [(1, "not valid CMake: the end of set(… is missing")]),
        ('set(X "a)\n', [(1, "not valid CMake: the end of set(… is missing")]),
        ("set(X [[a)\n", [(1, "not valid CMake: the end of set(… is missing")]),
        ("set(X 1)\n{{ y }}\n)\nset(Z 1)\n", [(2, "not valid CMake: here a command should begin")]),
        ("set(X 1) # {{ y }}\n#[[ {{ z\n]]\n", []),
        ("@PACKAGE_INIT@\r\nset(X 1)\n  @Y@", []),
        ("@X@Y\n", [(1, "not valid CMake: here a command should begin")]),
    ],
)
def test_what_cmake_refuses_is_a_problem(text: str, expected: list[tuple[int, str]]) -> None:
    assert problems(text) == expected


def test_what_stands_around_a_fault_is_read() -> None:
    assert assigned("set(X 1)\n@Y@\nset(Z 2)\nset(W\n") == [("variable", "X", "1"), ("variable", "Z", "2")]


def test_tests_within_tests_are_followed_so_far() -> None:
    text = "if(A)\n" * 200 + "set(X 1)\n" + "endif()\n" * 200 + "set(Y 2)\n"
    assert problems(text) == [(81, "nested too deeply: what lies further inside is not read")]
    assert assigned(text) == [("variable", "Y", "2")]


def test_comments_that_reach_to_the_end_of_their_line() -> None:
    source = Source("a.cmake", 'set(X "# no" [[# no]]) # one\n#[[ two # ]] # three\n  # four\nset(Y a\\#b)')
    assert [source.text[start:stop] for start, stop in comments(source)] == ["# one", "# three", "# four"]


# ---- variables


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("set(X 80 90)", "80;90"),
        ('set(X "80;90" CACHE STRING "for them" FORCE)', "80;90"),
        ("set(X 80 PARENT_SCOPE)", "80"),
        ('option(X "whether" ON)', "ON"),
        ('set(X "a\\"b\\;c\\\n d" e\\ f)', 'a"b;c d;e f'),
        ("set(X [[${Y} \\n]])", "${Y} \\n"),
        ("set(Y 80 86)\nset(X ${Y} 90)", "80;86;90"),
        ("set(Y 80)\nlist(APPEND Y 86)\nset(X ${Y})", "80;86"),
        ('set(Y -O3)\nstring(APPEND Y " -g")\nset(X "${Y}")', "-O3 -g"),
        ("set(Y 80)\nlist(REMOVE_DUPLICATES Y)\nmessage(STATUS Y)\nset(X ${Y})", "80"),
        ("if(NOT DEFINED Y)\nset(Y 80)\nendif()\nset(X ${Y})", "80"),
        ("if(A)\nset(Y 80)\nset(X ${Y})\nendif()", "80"),
        ("set(X 1)\nset(X ${X} 2)", "2"),  # what it held is added to
        ("set(Y ${Z})\nset(Z 1 ${Y})\nset(X ${Z})", "1"),
    ],
)
def test_values_that_are_known(text: str, expected: str) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "set(X ${Y})",
        "set(X $ENV{Y})",
        "set(X ${${Y}_Z})",
        "set(X @Y@)",
        "set(X ${Y)",
        "list(APPEND Y 80)\nset(X ${Y})",  # who begins the list is not in the file
        "if(A)\nset(Y 80)\nendif()\nset(X ${Y})",
        "if(A)\nset(Y 80)\nelse()\nset(Y 90)\nendif()\nset(X ${Y})",
        'set(Y 80)\nstring(REPLACE "8" "9" Y "${Y}")\nset(X ${Y})',
        "set(Y 80)\nmine(Y)\nset(X ${Y})",
        "set(Y 80)\nforeach(Y 1 2)\nset(X ${Y})\nendforeach()",
        "set(Y 80)\nfunction(f Y)\nset(X ${Y})\nendfunction()",
        "set(Y 80)\nlist(TRANSFORM Y APPEND -real)\nset(X ${Y})",
    ],
)
def test_values_that_are_not_known(text: str) -> None:
    assert value(text) == UNKNOWN


def test_values_that_double_end_somewhere() -> None:
    text = "".join(f'set(V{at} "${{V{at + 1}}}${{V{at + 1}}}")\n' for at in range(40)) + "set(V40 ab)\nset(X ${V0})\n"
    assert set(value(text)) == {UNKNOWN}
    assert value(text, "V38") == "abababab"


def test_what_is_added_to_a_list_of_others_is_said_to_be() -> None:
    assert assigned("list(APPEND X 80)\nset(Y 1)\nlist(APPEND Y 2)\nstring(PREPEND Z a)\nset(W ${W} 1)") == [
        ("added", "X", "80"),
        ("variable", "Y", "1"),
        ("variable", "Y", "2"),
        ("added", "Z", "a"),
        ("added", "W", "1"),
    ]


def test_a_variable_that_something_else_sets_is_unknown_there() -> None:
    assert assigned("set(X 80)\nmine(X)") == [("variable", "X", "80"), ("variable", "X", UNKNOWN)]


# ---- places


def test_a_value_stands_where_it_is_written() -> None:
    text = 'set(X\n  80 90 CACHE STRING "a")\nset_property(TARGET t PROPERTY P "${X}")\n'
    source = Source("CMakeLists.txt", text)
    variable, prop = (each for each in read(source) if isinstance(each, Assign))
    assert (source.cut(variable.span), variable.written) == ("X\n  80 90", "X 80 90")
    assert variable.origin == variable.span
    assert (source.cut(prop.span), source.cut(prop.origin)) == ('P "${X}"', "80")


def test_a_value_that_is_only_in_part_from_a_variable_stands_in_its_own_place() -> None:
    _, own = (each for each in reads("set(Y 1)\nset(X ${Y} 2)") if isinstance(each, Assign))
    assert (own.value, own.origin) == ("1;2", own.span)


# ---- properties and flags


def test_properties_of_targets_files_and_folders() -> None:
    text = (
        'set_target_properties(a b PROPERTIES CXX_STANDARD 17 CUDA_ARCHITECTURES "80;86" ODD)\n'
        "set_property(TARGET a APPEND PROPERTY CUDA_ARCHITECTURES 80 90)\n"
        "set_source_files_properties(k.cu PROPERTIES COMPILE_FLAGS -O3)\n"
        "add_compile_options(-g -O3)\n"
        "target_compile_options(a BEFORE PUBLIC -g PRIVATE -O3)\n"
        "set_property(GLOBAL PROPERTY USE_FOLDERS ON)\n"
    )
    assert assigned(text) == [
        ("property", "a.b.CXX_STANDARD", "17"),
        ("property", "a.b.CUDA_ARCHITECTURES", "80;86"),
        ("property", "a.CUDA_ARCHITECTURES", "80;90"),
        ("property", "k.cu.COMPILE_FLAGS", "-O3"),
        ("property", "COMPILE_OPTIONS", "-g;-O3"),
        ("property", "a.COMPILE_OPTIONS", "-g;-O3"),
        ("property", "USE_FOLDERS", "ON"),
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("$<$<COMPILE_LANGUAGE:CUDA>:-arch=sm_90>", "-arch=sm_90"),
        ("$<$<COMPILE_LANGUAGE:CUDA>:-O3 -arch=sm_90> -g", "-O3;-arch=sm_90;-g"),
        ('"$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-O3;-g>"', "-O3;-g"),
        ("$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CONFIG:Debug>>:-G>", "-G"),
        ("$<$<CONFIG:Release>:$<$<COMPILE_LANGUAGE:CXX>:-O3>>", "-O3"),
        ("$<BUILD_INTERFACE:-O3>", "-O3"),
        ("$<$<CXX_COMPILER_ID:MSVC>:/arch:AVX2>", UNKNOWN),
        ("$<IF:$<CONFIG:Debug>,-O0,-O3> -g", f"{UNKNOWN};-g"),
        ("$<$<BOOL:${X}>:-a -b> -c", f"{UNKNOWN};-c"),
        ("-a$<1:b>c>", "-abc>"),
    ],
)
def test_generator_expressions(given: str, expected: str) -> None:
    assert assigned(f"target_compile_options(t PRIVATE {given})") == [("property", "t.COMPILE_OPTIONS", expected)]


# ---- programs, variables of the environment


def test_programs_that_are_run() -> None:
    text = (
        "execute_process(COMMAND nvidia-smi --query-gpu=name COMMAND head -n 1 OUTPUT_VARIABLE X RESULT_VARIABLE Y)\n"
        "add_custom_command(OUTPUT a.o COMMAND ${CUDA_NVCC_EXECUTABLE} ARGS -arch=sm_90 a.cu DEPENDS a.cu VERBATIM)\n"
        "add_custom_target(b COMMAND ${TOOL} -x COMMENT done)\n"
    )
    source = Source("CMakeLists.txt", text)
    commands = [each for each in read(source) if isinstance(each, Command)]
    assert [(each.name, [word.value for word in each.words[1:]], source.cut(each.span)) for each in commands] == [
        ("nvidia-smi", ["--query-gpu=name"], "nvidia-smi --query-gpu=name"),
        ("head", ["-n", "1"], "head -n 1"),
        ("nvcc", ["-arch=sm_90", "a.cu"], "${CUDA_NVCC_EXECUTABLE} ARGS -arch=sm_90 a.cu"),
        (UNKNOWN, ["-x"], "${TOOL} -x"),
    ]


def test_an_install_that_cmake_runs_is_an_install() -> None:
    text = "execute_process(COMMAND ${Python3_EXECUTABLE} -m pip install torch==2.6.0)\n"
    (package,) = facts({"CMakeLists.txt": text}, "CMakeLists.txt", Package)
    assert (package.name, package.specifier) == ("torch", "==2.6.0")


def test_variables_of_the_environment() -> None:
    (variable,) = (each for each in reads('set(ENV{TORCH_CUDA_ARCH_LIST} "8.0;9.0")') if isinstance(each, EnvVar))
    assert (variable.name, variable.value, variable.written) == (
        "TORCH_CUDA_ARCH_LIST", "8.0;9.0", 'ENV{TORCH_CUDA_ARCH_LIST} "8.0;9.0"',
    )  # fmt: skip


def test_other_commands_are_calls() -> None:
    (call,) = (each for each in reads("find_package(CUDAToolkit 12.4 EXACT REQUIRED)") if isinstance(each, Call))
    assert (call.name, [each.value for each in call.arguments]) == (
        "cmake.find_package",
        ["CUDAToolkit", "12.4", "EXACT", "REQUIRED"],
    )


# ---- tests


def test_the_tests_around_a_command() -> None:
    text = (
        'if(NOT A AND (B MATCHES "x|y" OR DEFINED C))\n'
        "set(X 1)\n"
        "elseif(D)\n"
        "set(X 2)\n"
        "else()\n"
        "if(E)\nset(X 3)\nendif()\n"
        "set(X 4)\n"
        "endif()\n"
        "set(X 5)\n"
    )
    first = 'not A and ( B MATCHES "x|y" or DEFINED C )'
    assert around(text, 2) == [(first, False)]
    assert around(text, 4) == [(first, True), ("D", False)]
    assert around(text, 7) == [(first, True), ("D", True), ("E", False)]
    assert around(text, 9) == [(first, True), ("D", True)]
    assert around(text, 11) == []


@pytest.mark.parametrize(
    ("test", "elsewhere"),
    [
        ('CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"', True),
        ("CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 AND NOT APPLE", True),
        ('NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)"', True),
        ("WIN32", True),
        ('CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64"', False),
        ("NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64", False),
        ('CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|aarch64"', False),
        ("UNIX", False),
    ],
)
def test_tests_of_the_machine(test: str, elsewhere: bool) -> None:
    text = f"if({test})\nset(CMAKE_CUDA_ARCHITECTURES 80-real)\nelse()\nset(OTHER 1)\nendif()\n"
    (setting,) = facts({"CMakeLists.txt": text}, "CMakeLists.txt", Setting, "cuda_archs")
    assert setting.scope.elsewhere is elsewhere
    assert bool(found({"CMakeLists.txt": text})) is not elsewhere


def test_where_one_of_two_tests_failed_it_may_still_be_this_machine() -> None:
    text = (
        'if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64" AND (NOT A EQUAL 1 OR NOT B EQUAL 1))\nset(CMAKE_CUDA_ARCHITECTURES 87)\n'
        "else()\nset(CMAKE_CUDA_ARCHITECTURES 90 120)\nendif()\n"
    )
    assert found({"CMakeLists.txt": text}) == []


# ---- what it means


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("set(CMAKE_CUDA_ARCHITECTURES 80 90)", [("cuda_archs", "80;90", "CMAKE_CUDA_ARCHITECTURES")]),
        ('set(CMAKE_CUDA_ARCHITECTURES "80" CACHE STRING "")', [("cuda_archs", "80", "CMAKE_CUDA_ARCHITECTURES")]),
        ("set_property(TARGET t PROPERTY CUDA_ARCHITECTURES 80)", [("cuda_archs", "80", "CUDA_ARCHITECTURES")]),
        ("set(TORCH_CUDA_ARCH_LIST 8.0 9.0)", [("cuda_archs", "8.0;9.0", "TORCH_CUDA_ARCH_LIST")]),
        ('set(ENV{CUDAARCHS} "80")', [("cuda_archs", "80", "CUDAARCHS")]),
        ("list(APPEND CMAKE_CUDA_ARCHITECTURES 90)", [("cuda_archs", f"{UNKNOWN};90", "CMAKE_CUDA_ARCHITECTURES")]),
        ("cuda_select_nvcc_arch_flags(X 8.0 9.0)", [("cuda_archs", "8.0;9.0", "cuda_select_nvcc_arch_flags")]),
        ("set(CMAKE_CUDA_FLAGS -arch=sm_90)", [("gencode", "sm_90", "nvcc")]),
        ("list(APPEND F -gencode arch=compute_90,code=sm_90)", [("gencode", "arch=compute_90,code=sm_90", "nvcc")]),
        ("cuda_add_library(a a.cu OPTIONS -arch=sm_90)", [("gencode", "sm_90", "nvcc")]),
        ("ExternalProject_Add(a CMAKE_ARGS -DCMAKE_CUDA_ARCHITECTURES=80)", [("cuda_archs", "80", "cmake")]),
        ("add_compile_options(-O3 -mavx2 -mfma)", [("x86_flag", "-mavx2 -mfma", "")]),
        ('set(CMAKE_C_FLAGS_RELEASE "-march=haswell")', [("x86_flag", "-march=haswell", "")]),
        ("file(DOWNLOAD https://a.org/x y)", [("download", "https://a.org/x", "cmake.file")]),
        ("FetchContent_Declare(a URL https://a.org/x)", [("download", "https://a.org/x", "cmake.fetchcontent_declare")]),
        ("FetchContent_Declare(a GIT_REPOSITORY git@a.org:b GIT_TAG v1)", []),
        ('message(STATUS "-gencode arch=compute_90,code=sm_90")', []),
        ("check_cxx_compiler_flag(-mavx2 HAS)", []),
        ("set(AVX2_FLAGS -mavx2)", []),
        ("target_compile_options(dot_avx2 PRIVATE -mavx2)", []),
        ("set(CMAKE_CXX_FLAGS -march=native)", []),
        ("set(MODEL a/b)\nset(DEVICES 8)", []),
        ("file(WRITE https://a.org/x y)", []),
    ],
)
def test_what_commands_mean(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert settings(text) == expected


def test_a_comment_hides_what_it_stands_above_or_behind() -> None:
    files = {
        "CMakeLists.txt": "# spark-lint: ignore[G7/arch-list-without-12x] ours\nset(CMAKE_CUDA_ARCHITECTURES\n  80-real)\n",
        "cmake/a.cmake": "set(CMAKE_CUDA_ARCHITECTURES 80-real) # spark-lint: ignore[G7/arch-list-without-12x]\n",
        "cmake/b.cmake": "set(CMAKE_CUDA_ARCHITECTURES\n  80-real)\n",
    }
    assert found(files) == [("cmake/b.cmake", 1, "G7/arch-list-without-12x", "error")]


def test_the_lists_of_a_file_are_one_build() -> None:
    def codes(text: str) -> list[tuple[int, str]]:
        return [(line, severity) for _, line, _, severity in found({"CMakeLists.txt": text})]

    assert codes("set(CMAKE_CUDA_ARCHITECTURES 80-real)\nlist(APPEND CMAKE_CUDA_ARCHITECTURES 90)") == [(2, "warning")]
    assert codes("set(CMAKE_CUDA_ARCHITECTURES 90)\nset_property(TARGET a PROPERTY CUDA_ARCHITECTURES 120)") == []
    assert codes("set(CMAKE_CUDA_ARCHITECTURES 90)\nset_property(TARGET a PROPERTY CUDA_ARCHITECTURES ${X})") == []
    assert codes("set(CMAKE_CUDA_ARCHITECTURES 90)\nmine(CMAKE_CUDA_ARCHITECTURES)") == []
    assert codes("set(CMAKE_CUDA_ARCHITECTURES 90a 100a)\nlist(APPEND CMAKE_CUDA_ARCHITECTURES 120f)") == []
    assert codes("if(CUDA_VERSION VERSION_LESS 12)\nset(CMAKE_CUDA_ARCHITECTURES 70)\nendif()") == []
