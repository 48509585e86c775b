"""The shell reader: what a script runs and sets, with which values, under which tests, and where it is written."""

import random

import pytest

from spark_lint.facts import Command, Condition, Context, EnvVar, ParseProblem, Read
from spark_lint.read.shell import commands, read
from spark_lint.text import UNKNOWN, Source, Text

U = UNKNOWN


def facts(script: str) -> tuple[Source, list[Read]]:
    source = Source("run.sh", script)
    return source, list(read(source))


def ran(script: str) -> list[Command]:
    return [fact for fact in facts(script)[1] if isinstance(fact, Command)]


def words(script: str) -> list[list[str]]:
    return [[word.value for word in command.words] for command in ran(script)]


def problems(script: str) -> list[tuple[int, str]]:
    return [(fact.span.line, fact.message) for fact in facts(script)[1] if isinstance(fact, ParseProblem)]


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("plain", "pip install torch", ["pip", "install", "torch"]),
        case("single quotes", "pip install 'a b'", ["pip", "install", "a b"]),
        case("double quotes", 'pip install "a b"', ["pip", "install", "a b"]),
        case("empty quotes", "x \"\" ''", ["x", "", ""]),
        case("escaped blank", r"cd a\ b", ["cd", "a b"]),
        case("escapes in double quotes", r'echo "a\"b\$c\n"', ["echo", 'a"b$c\\n']),
        case("no escapes in single quotes", r"echo 'a\"b'", ["echo", r"a\"b"]),
        case("dollar quotes", r"printf $'a\tb\x41\u00e9\''", ["printf", "a\tbAé'"]),
        case("joined parts", "pip install torch=='2.9'\".1\"", ["pip", "install", "torch==2.9.1"]),
        case("number", "vllm serve -tp 2", ["vllm", "serve", "-tp", "2"]),
        case("continued line", "pip install \\\n  torch \\\n  --pre", ["pip", "install", "torch", "--pre"]),
        case(
            "line continued inside a word", "pip install --index-url=\\\nhttps://x", ["pip", "install", "--index-url=https://x"]
        ),
        case("line continued inside quotes", 'echo "a\\\nb"', ["echo", "ab"]),
        case("windows lines", "pip install \\\r\n  torch\r\n", ["pip", "install", "torch"]),
        case("glob as written", "pip install dist/*.whl", ["pip", "install", "dist/*.whl"]),
        case("braces as written", "pip install {a,b}", ["pip", "install", "{a,b}"]),
        case("home as written", "~/.local/bin/uv pip", ["~/.local/bin/uv", "pip"]),
        case("version range", 'pip install "torch>=2.2,<=2.5.1"', ["pip", "install", "torch>=2.2,<=2.5.1"]),
        case("redirections are no words", "pip install a >log 2>&1 </dev/null", ["pip", "install", "a"]),
        case("dash before a here-document", "python - <<EOF\nx\nEOF", ["python", "-"]),
        case("words before and behind a here-document's marker", "a -x <<EOF y z\nx\nEOF", ["a", "-x", "y", "z"]),
        case("redirection first", ">log pip install a", ["pip", "install", "a"]),
        case("unknown variable", "pip install $X", ["pip", "install", U]),
        case("unknown in part", 'pip install "torch==${V}"', ["pip", "install", f"torch=={U}"]),
        case("default", "serve -tp ${TP:-2}", ["serve", "-tp", "2"]),
        case("default without colon", "serve -tp ${TP-2}", ["serve", "-tp", "2"]),
        case("default in quotes", 'serve "${MODEL:-org/a b}"', ["serve", "org/a b"]),
        case("quoted default", 'serve ${MODEL:-"org/a b"}', ["serve", "org/a b"]),
        case("default within default", "serve ${A:-${B:-3}}", ["serve", "3"]),
        case("several words as default", "serve ${ARGS:---tp 2}", ["serve", "--tp", "2"]),
        case("other value where set", "A=1\nserve ${A:+--eager} ${B:+--x}", ["serve", "--eager", U]),
        case("length", "A=1\necho ${#A}", ["echo", U]),
        case("suffix cut", "A=1.2\necho ${A%.*}", ["echo", U]),
        case("replacement", "A=1.2\necho ${A/./}", ["echo", U]),
        case("substring", "A=1.2\necho ${A:0:1}", ["echo", U]),
        case("indirection", "A=B\necho ${!A}", ["echo", U]),
        case("arithmetic", "A=2\necho $((A * (1 + 2)))", ["echo", "6"]),
        case("arithmetic with a default", "echo $((${A:-2} * 8 / 3 % 4 - -1))", ["echo", "2"]),
        case(
            "arithmetic with something unknown",
            "A=$(x)\necho $((A * 2)) $((B + 1)) $((1 / 0)) $((A++)) $((2 ** 3))",
            ["echo", *[U] * 5],
        ),
        case("parameters", 'run $1 "$@" $* $#', ["run", U, U, U, U]),
        case("splits an unquoted variable", "A='--tp 2'\nserve $A", ["serve", "--tp", "2"]),
        case("keeps a quoted variable", "A='--tp 2'\nserve \"$A\"", ["serve", "--tp 2"]),
        case("joins around a split variable", "A='b c'\nx a${A}d", ["x", "ab", "cd"]),
        case("empty unquoted variable", "A=\n$A pip install $A x", ["pip", "install", "x"]),
        case("empty quoted variable", 'A=\npip "$A"', ["pip", ""]),
        case("array", 'A=(--tp 2 "a b")\nserve "${A[@]}"', ["serve", "--tp", "2", "a b"]),
        case("array in a word", 'A=(a b)\nserve x"${A[@]}"y', ["serve", "xa", "by"]),
        case("unquoted array", 'A=("a b")\nserve ${A[@]}', ["serve", "a", "b"]),
        case("array element", "A=(a b)\nserve ${A[1]}", ["serve", "b"]),
        case("array without index", "A=(a b)\nserve $A", ["serve", "a"]),
        case("empty array", 'A=()\nserve "${A[@]}" x', ["serve", "x"]),
        case("comment in an array", 'A=(\n  --tp # size\n  2\n)\nserve "${A[@]}"', ["serve", "--tp", "2"]),
        case("longer array", 'A=(--tp 2)\nA+=(--pp 2)\nserve "${A[@]}"', ["serve", "--tp", "2", "--pp", "2"]),
        case("array with unknown element", 'A=(--tp $N)\nserve "${A[@]}"', ["serve", "--tp", U]),
        case("unknown array", 'serve "${A[@]}"', ["serve", U]),
        case("array changed at an index", 'A=(a b)\nA[1]=c\nserve "${A[@]}"', ["serve", U]),
        case("longer text", 'A="--tp 2"\nA+=" --pp 2"\nserve $A', ["serve", "--tp", "2", "--pp", "2"]),
        case("longer text of unknown begin", 'A+=" --pp 2"\nserve $A', ["serve", U, "--pp", "2"]),
        case("assigned default", ': "${TP:=2}"\nserve $TP', ["serve", "2"]),
        case("assigned default where set", 'TP=4\n: "${TP:=2}"\nserve $TP', ["serve", "4"]),
        case("default of an empty variable", "A=\nserve ${A:-2} ${A-3}", ["serve", "2"]),
        case("variable of variables", "A=1\nB=${A}2\nserve $B", ["serve", "12"]),
        case("exported", "export TP=2\nserve $TP", ["serve", "2"]),
        case("local, declared, readonly", "declare A=1\nreadonly B=2\nserve $A $B", ["serve", "1", "2"]),
        case("set twice", "A=1\nA=2\nserve $A", ["serve", "2"]),
        case("unset", "A=1\nunset A\nserve $A", ["serve", U]),
        case("read from input", "A=1\nread -r A\nserve $A", ["serve", U]),
        case("set to a parameter", "A=$1\nserve $A", ["serve", U]),
        case("two on a line", "A=1 B=2\nserve $A $B", ["serve", "1", "2"]),
        case("a prefix sets nothing", "A=1 true\nserve $A", ["serve", U]),
        case("own prefix is not seen", "A=1\nA=2 serve $A", ["serve", "1"]),
    ],
)
def test_words_are_what_the_program_gets(script: str, expected: list[str]) -> None:
    assert words(script)[-1] == expected
    assert problems(script) == []


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("and", "a && b", ["a", "b"]),
        case("pipeline", "a | b |& c", ["a", "b", "c"]),
        case("semicolon and background", "a; b & c", ["a", "b", "c"]),
        case("subshell and group", "(a; b)\n{ c; d; }", ["a", "b", "c", "d"]),
        case("negated", "! a", ["a"]),
        case("if", "if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        case("while", "while a; do b; done < <(c)", ["a", "b", "c"]),
        case("case", "case x in a) b ;; *) c ;; esac", ["b", "c"]),
        case("function", "f() { a; }\nfunction g { b; }", ["a", "b"]),
        case("substitution before its command", 'echo "$(nproc)" `pwd`', ["nproc", "pwd", "echo"]),
        case("substitution in an assignment", "A=$(nproc)", ["nproc"]),
        case("substitution in a test", '[ "$(uname -m)" = x ]', ["uname"]),
        case("substitution in a default", "echo ${A:-$(nproc)}", ["nproc", "echo"]),
        case("process substitution", "diff <(a) b", ["a", "diff"]),
        case("line after a here-document", "cat <<EOF\nx\nEOF\na", ["cat", "a"]),
        case("behind a here-document's marker", "cat <<EOF | bash && a\nx\nEOF", ["cat", "bash", "a"]),
        case("substitution in a here-document", "cat <<EOF\n$(nproc)\nEOF", ["cat", "nproc"]),
        case("folder of the program", "/opt/venv/bin/pip3.12 install x", ["pip3.12"]),
        case("unknown folder of the program", "$VENV/bin/pip install x", ["pip"]),
        case("program in a variable", "PY=python3\n$PY -m pip", ["python3"]),
        case("unknown program", "$PY -m pip", [U]),
        case("program known in part", "python$V -m pip", [U]),
        case("wrappers stay", "sudo env A=1 bash -c 'pip install x'", ["sudo"]),
        case("timed", "time pip install x", ["time"]),
        case("c-style loop", "for ((i = 0; i < 3; i++)); do a; done", ["a"]),
        case("unicode name", "./übung.sh", ["übung.sh"]),
        case("inside an error", "a\nif then (\nb\n", ["a", "b"]),
    ],
)
def test_each_simple_command_is_found(script: str, expected: list[str]) -> None:
    assert [command.name for command in ran(script)] == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("nothing", "", []),
        case("blank lines", "\n \n\t\n", []),
        case("comment", "# pip install x", []),
        case("comment behind a command", "ls # pip install x", ["ls"]),
        case("shebang", "#!/bin/bash -e\n", []),
        case("here-document body", "cat <<EOF\npip install x\nEOF", ["cat"]),
        case("quoted here-document body", "cat <<'EOF'\npip install $(x)\nEOF", ["cat"]),
        case("indented here-document body", "cat <<-EOF\n\tpip install x\n\tEOF", ["cat"]),
        case("here-string", "cat <<< 'pip install x'", ["cat"]),
        case("quoted text", 'echo "pip install x"', ["echo"]),
        case("several lines in quotes", 'echo "\npip install x\n"', ["echo"]),
        case("assignment", 'A="pip install x"', []),
        case("array", "A=(pip install x)", []),
        case("test", "[ pip = x ]", []),
        case("case pattern", "case x in pip) ;; esac", []),
        case("loop words", "for x in pip install; do :; done", [":"]),
        case("arithmetic", "((pip = 1))", []),
        case("substitution in single quotes", "echo '$(pip install x)'", ["echo"]),
        case("escaped substitution", r'echo "\$(pip install x)"', ["echo"]),
        case("template", "{% if x %}\nls\n{% endif %}\n", ["ls"]),
    ],
)
def test_what_is_no_command_gives_none(script: str, expected: list[str]) -> None:
    assert [command.name for command in ran(script)] == expected
    assert problems(script) == []


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("word", "pip install torch", "torch"),
        case("inside quotes", "pip install 'torch==2.6'", "torch==2.6"),
        case("continued", "pip install \\\n  torch", "torch"),
        case("unicode before it", "echo 'é😀' && pip install torch", "torch"),
        case("windows lines", "ls\r\npip install \\\r\n torch\r\n", "torch"),
        case("variable", "V=2\npip install torch==$V", "torch==$V"),
        case("only a variable", "V=2\npip install ${V}", "${V}"),
        case("default", "pip install ${V:-torch}", "torch"),
        case("element of an array", 'A=(x torch)\npip install "${A[@]}"', "${A[@]}"),
        case("escape", r"pip install a\ b", r"a\ b"),
    ],
)
def test_a_word_is_where_it_is_written(script: str, expected: str) -> None:
    source, found = facts(script)
    command = found[-1]
    assert isinstance(command, Command)
    assert source.cut(command.words[-1].span) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("assignment", "V=2.6\npip install torch==$V", "2.6"),
        case("export", 'export V="2.6"\npip install torch==$V', "2.6"),
        case("through another variable", "A=2.6\nV=$A\npip install torch==$V", "2.6"),
        case("array", 'A=(pip install torch)\n"${A[@]}"', "torch"),
        case("loop", "for v in 2.6; do pip install $v; done", "2.6"),
        case("own place", "pip install torch", "torch"),
        case("default", "pip install ${V:-torch}", "torch"),
        case("unknown", "V=$1\npip install $V", "$V"),
    ],
)
def test_the_origin_is_where_the_value_is_written(script: str, expected: str) -> None:
    source, found = facts(script)
    command = found[-1]
    assert isinstance(command, Command)
    assert source.cut(command.words[-1].origin) == expected


def test_a_command_spans_its_words_and_is_written_on_one_line() -> None:
    source, found = facts("cd /x\nA=1 pip install \\\n  --index-url=\\\nhttps://x 'torch' > log && ls\n")
    command = found[1]
    assert isinstance(command, Command)
    assert source.cut(command.span) == "pip install \\\n  --index-url=\\\nhttps://x 'torch'"
    assert command.origin == command.span
    assert command.written == "pip install --index-url=https://x 'torch'"
    assert [(name, value.value) for name, value in command.environment] == [("A", "1")]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("here-document", "python - <<'PY'\nimport x\n\nprint($Y)\nPY\n", "import x\n\nprint($Y)\n"),
        case("variables as they are", "cat <<EOF\n$X\nEOF\n", "$X\n"),
        case("indented", "cat <<-EOF\n\ta\n\t\tb\n\tEOF\n", "a\nb\n"),
        case("indentation of its own", "python - <<EOF\n  x = 1\nEOF\n", "  x = 1\n"),
        case("in a pipeline", "a | cat <<EOF\nx\nEOF\n", "x\n"),
        case("words behind the marker", "cat <<EOF - > out\nx\nEOF\n", "x\n"),
        case("here-string", "bash <<< 'ls -l'", "ls -l"),
        case("windows lines", "cat <<EOF\r\nx\r\nEOF\r\n", "x\n"),
        case("none", "cat", None),
        case("file", "cat < x", None),
    ],
)
def test_standard_input_is_the_here_document(script: str, expected: str | None) -> None:
    stdin = ran(script)[-1].stdin
    assert (stdin and stdin.value) == expected


def test_a_here_document_keeps_its_place() -> None:
    source, found = facts("bash <<-EOF\n\tpip install é torch\n\tEOF\n")
    command = found[0]
    assert isinstance(command, Command)
    assert command.stdin is not None
    inner = next(iter(commands(command.stdin)))
    assert isinstance(inner, Command)
    assert source.cut(inner.words[-1].span) == "torch"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("export", "export A=1 B='x y'", [("A", "1"), ("B", "x y")]),
        case("export later", "A=1\nexport A", [("A", "1")]),
        case("declare", "declare -x A=1", [("A", "1")]),
        case("typeset", "typeset -x A=1", [("A", "1")]),
        case("quoted", 'export "A=1"', [("A", "1")]),
        case("set -a", "set -a\nA=1\nset +a\nB=2", [("A", "1")]),
        case("set -o allexport", "set -o allexport\nA=1\nset +o allexport\nB=2", [("A", "1")]),
        case("set with other letters", "set -eau\nA=1", [("A", "1")]),
        case("changed after export", "export A=1\nA=2", [("A", "1"), ("A", "2")]),
        case("unknown value", "export A=$(x)", [("A", U)]),
        case("from itself", "export PATH=/x:$PATH", [("PATH", f"/x:{U}")]),
        case("empty", "export A=", [("A", "")]),
        case("plain", "A=1", []),
        case("declare without x", "declare A=1", []),
        case("local", "f() { local A=1; }", []),
        case("taken out of the environment", "export -n A=1", []),
        case("function", "export -f A", []),
        case("never set", "export A", []),
        case("set without a", "set -euo pipefail\nA=1", []),
        case("prefix", "A=1 true", []),
        case("in quotes", "echo 'export A=1'", []),
    ],
)
def test_environment_variables_are_those_exported(script: str, expected: list[tuple[str, str]]) -> None:
    source, found = facts(script)
    variables = [fact for fact in found if isinstance(fact, EnvVar)]
    assert [(fact.name, fact.value) for fact in variables] == expected
    assert all(fact.name in source.cut(fact.span) for fact in variables)


def test_an_exported_variable_originates_where_its_value_is_written() -> None:
    source, found = facts("V=expandable\nexport A=${V}_segments")
    variable = found[-1]
    assert isinstance(variable, EnvVar)
    assert source.cut(variable.span) == "A=${V}_segments"
    assert source.cut(variable.origin) == "expandable"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("inside an if", "A=1\nif x; then A=2; echo $A; fi", "2"),
        case("after an if", "A=1\nif x; then A=2; fi\necho $A", U),
        case("same in the if", "A=1\nif x; then A=1; fi\necho $A", "1"),
        case("same on both ways", "if x; then A=1; else A=1; fi\necho $A", "1"),
        case("another way", "if x; then A=1; else A=2; fi\necho $A", U),
        case("not on all ways", "if x; then A=1; elif y; then A=1; fi\necho $A", U),
        case("a way that leaves", "A=1\nif x; then A=2; exit; fi\necho $A", "1"),
        case("all ways of a case", "case x in a) A=1 ;; *) A=1 ;; esac\necho $A", "1"),
        case("some ways of a case", "case x in a) A=1 ;; b) A=1 ;; esac\necho $A", U),
        case("not touched", "A=1\nif x; then B=2; fi\necho $A", "1"),
        case("loop", "A=1\nwhile x; do A=2; done\necho $A", U),
        case("function that is called", "A=1\nf() { A=2; }\nf\necho $A", "2"),
        case("function that may be called", "A=1\nf() { A=2; }\nif x; then f; fi\necho $A", U),
        case("function that is not called", "A=1\nf() { A=2; }\necho $A", "1"),
        case("definition that may not be reached", "A=1\nif x; then f() { A=2; }; fi\nf\necho $A", U),
        case("local in a function", "A=1\nf() { local A=2; }\necho $A", "1"),
        case("local declared first", "A=1\nf() { local A; A=2; }\necho $A", "1"),
        case("subshell", "A=1\n(A=2)\necho $A", "1"),
        case("substitution", "A=1\nB=$(A=2)\necho $A", "1"),
        case("pipeline", "A=1\nx | A=2\necho $A", "1"),
        case("behind a test", "A=1\n[ x ] && A=2\necho $A", U),
        case("behind a command", "A=1\nx && A=2\necho $A", "2"),
        case("after a failure", "A=1\nx || A=2\necho $A", U),
        case("default by if", 'if [ -z "$A" ]; then A=2; fi\necho $A', "2"),
        case("default by and", '[ -z "${A:-}" ] && A=2\necho $A', "2"),
        case("default by or", '[ -n "$A" ] || A=2\necho $A', "2"),
        case("default of something set", 'A=1\nif [ -z "$A" ]; then A=2; fi\necho $A', "1"),
        case("the other way round", 'if [ -n "$A" ]; then A=2; fi\necho $A', U),
        case("loop variable after the loop", "for a in 1; do :; done\necho $a", U),
    ],
)
def test_a_value_is_known_where_every_way_gives_it(script: str, expected: str) -> None:
    assert words(script)[-1][-1] == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("once for each word", "for n in 1 2; do serve $n; done", ["1", "2"]),
        case("what does not depend on it only once", "for n in 1 2; do serve x; done", ["x"]),
        case("words of a variable", "A='1 2'\nfor n in $A; do serve $n; done", ["1", "2"]),
        case("within another", "for a in 1 2; do for b in 3 4; do serve $a$b; done; done", ["13", "14", "23", "24"]),
        case("too many words", f"for n in {' '.join('123456789')}; do serve $n; done", [U]),
        case("unknown word", "for n in 1 $X; do serve $n; done", [U]),
        case("files", "for n in *.txt; do serve $n; done", [U]),
        case("range", "for n in {1..4}; do serve $n; done", [U]),
        case("parameters", "for n; do serve $n; done", [U]),
        case("menu", "select n in 1 2; do serve $n; done", [U]),
    ],
)
def test_a_loop_over_words_is_read_for_each(script: str, expected: list[str]) -> None:
    assert [word[-1] for word in words(script)] == expected


X86 = Condition('"$(uname -m)" = x86_64')
NOT_X86 = Condition(X86.text, negated=True)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("if", 'if [ "$(uname -m)" = x86_64 ]; then it; fi', [X86]),
        case("double brackets", "if [[ $a == b* ]]; then it; fi", [Condition("$a == b*")]),
        case("test", "if test -f a; then it; fi", [Condition("-f a")]),
        case("negated", "if ! [ -f a ]; then it; fi", [Condition("-f a", negated=True)]),
        case("command", "if command -v x >/dev/null; then it; fi", [Condition("command -v x >/dev/null")]),
        case("no command", "if ! command -v x >/dev/null; then it; fi", [Condition("command -v x >/dev/null", negated=True)]),
        case("else", 'if [ "$(uname -m)" = x86_64 ]; then x; else it; fi', [NOT_X86]),
        case("elif", "if [ a ]; then x; elif [ b ]; then it; fi", [Condition("a", negated=True), Condition("b")]),
        case("last else", "if [ a ]; then x; elif [ b ]; then y; else it; fi", [Condition("a", True), Condition("b", True)]),
        case("both tests", "if [ a ] && [ b ]; then it; fi", [Condition("a"), Condition("b")]),
        case("neither test", "if [ a ] || [ b ]; then x; else it; fi", [Condition("a", True), Condition("b", True)]),
        case("one of two tests", "if [ a ] || [ b ]; then it; fi", [Condition("[ a ] || [ b ]")]),
        case("nested", "if [ a ]; then if [ b ]; then it; fi; fi", [Condition("a"), Condition("b")]),
        case("variables as written", "A=1\nif [ $A = 2 ]; then it; fi", [Condition("$A = 2")]),
        case("case", 'case "$(uname -m)" in x86_64|amd64) it ;; esac', [Condition('"$(uname -m)" in x86_64|amd64')]),
        case("other cases", "case $a in b) x ;; c) y ;; *) it ;; esac", [Condition("$a in b", True), Condition("$a in c", True)]),
        case("and", "[ a ] && it", [Condition("a")]),
        case("or", "[ a ] || it", [Condition("a", negated=True)]),
        case("several tests", "[ a ] && [[ b ]] && it", [Condition("a"), Condition("b")]),
        case("through a command", "[ a ] && x && it", [Condition("a")]),
        case("group", "[ a ] && { x; it; }", [Condition("a")]),
        case("substitution", "[ a ] && x $(it)", [Condition("a")]),
        case("exit", '[ "$(uname -m)" = x86_64 ] || exit 1\nit', [X86]),
        case("exit in a group", "[ a ] || { echo no; exit 1; }\nit", [Condition("a")]),
        case("exit where true", "[ a ] && exit 0\nit", [Condition("a", negated=True)]),
        case("exit in an if", "if [ a ]; then x; exit 0; fi\nit", [Condition("a", negated=True)]),
        case("return", "f() { [ a ] || return\nit; }", [Condition("a")]),
        case("next round", "while x; do [ a ] || continue; it; done", [Condition("a")]),
        case("exit in the else", "if [ a ]; then x; else exit 1; fi\nit", [Condition("a")]),
        case("exit in a case", "case $a in b) exit ;; esac\nit", [Condition("$a in b", negated=True)]),
        case("exit in every other case", "case $a in b) x ;; c|d) y ;; *) exit ;; esac\nit", [Condition("$a in b|c|d")]),
        case("behind a command", "a && it", []),
        case("after a failure", "a || it", []),
        case("either way of a list", "[ a ] && x || it", []),
        case("after an if", "if [ a ]; then x; fi\nit", []),
        case("after a test", "[ a ] && x\nit", []),
        case("in a test that is given up on", "if ! it; then exit 1; fi", []),
        case("while", "while [ a ]; do it; done", []),
        case("end of a function", "f() { [ a ] || return; }\nit", []),
        case("exit of a subshell", "[ a ] || (exit 1)\nit", []),
        case("without some program", "if ! command -v x; then exit; fi\nit", []),
        case("any case", "case $a in *) it ;; esac", []),
    ],
)
def test_conditions_are_the_tests_around_a_command(script: str, expected: list[Condition]) -> None:
    assert [list(command.context.conditions) for command in ran(script) if command.name == "it"] == [expected]


def test_conditions_go_on_from_those_around_the_code() -> None:
    around = Context(stage=1, conditions=(Condition("a"),), workdir="/app")
    source = Source("Dockerfile", "[ b ] && it")
    (command,) = (fact for fact in commands(Text.of(source), around) if isinstance(fact, Command))
    assert command.context == Context(stage=1, conditions=(Condition("a"), Condition("b")), workdir="/app")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("nothing said", "it", ""),
        case("absolute", "cd /x && it", "/x"),
        case("relative", "cd app\nit", "app"),
        case("one in another", "cd /x\ncd y\ncd ..\nit", "/x"),
        case("pushed", "pushd /x\nit", "/x"),
        case("variable", "D=/x\ncd $D\nit", "/x"),
        case("known in part", "cd $D/x\nit", f"{U}/x"),
        case("in a branch only", "if [ a ]; then cd /x; it; fi", "/x"),
        case("after a branch", "if [ a ]; then cd /x; fi\nit", U),
        case("after a subshell", "(cd /x)\nit", ""),
        case("back", "cd /x\ncd -\nit", U),
        case("home", "cd\nit", U),
        case("below home", "cd ~/x\nit", U),
        case("popped", "pushd /x\npopd\nit", U),
    ],
)
def test_the_working_directory_follows_cd(script: str, expected: str) -> None:
    assert [command.context.workdir for command in ran(script) if command.name == "it"] == [expected]


def test_given_variables_are_known_and_lead_to_their_definition() -> None:
    source = Source("Dockerfile", "ARG V=2.6\nRUN pip install torch==$V\n")
    value = Text.of(source, 6, 9)
    run = Text.of(source, source.text.index("pip"), len(source.text))
    (command,) = (fact for fact in commands(run, variables={"V": value}) if isinstance(fact, Command))
    assert command.words[-1].value == "torch==2.6"
    assert source.cut(command.words[-1].origin) == "2.6"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("open quote", "ls\necho 'a", [2]),
        case("open double quote", 'ls\n\necho "a', [3]),
        case("stray parenthesis", "ls\na ) b\n", [2]),
        case("perl", "use strict;\nmy ($a) = @_;\n", [2]),
        case("only the first", "a )\nb )\n", [1]),
    ],
)
def test_a_line_that_cannot_be_read_is_a_problem(script: str, expected: list[int]) -> None:
    assert [line for line, _ in problems(script)] == expected


def test_a_problem_names_what_is_missing() -> None:
    assert problems("ls\necho $(a\n") == [(2, "shell syntax: ) is missing here")]


@pytest.mark.parametrize(
    "script",
    [
        case("here-document at the end", "cat <<EOF\nEOF"),
        case("here-document in a group", "{\ncat <<EOF\nx\nEOF\n}"),
        case("quoted delimiter with a blank", 'cat <<"E F"\nx\nE F\n'),
        case("arithmetic", "((a += 1)); b=$((a << 2))"),
        case("extended test", "[[ $a =~ ^x[0-9]+$ && ! -f b ]]"),
        case("old test", "[ a -a b -o ! c ]"),
        case("nested case", "case a in (b) case c in d) e;; esac;; esac"),
        case("fall through", "case a in b) c ;& d) e ;;& *) f ;; esac"),
        case("redirected group", "{ a; b; } > c 2>&1"),
        case("several redirections", "exec 3>&1 4<x; a >&3 2>/dev/null"),
        case("coprocess", "coproc a { b; }"),
        case("prefix assignments", "A=1 B=$(c) D='e' f"),
        case("select", "select a in b c; do d; done"),
        case("until", "until a; do b; done"),
        case("substitution in a substitution", 'a "$(b "$(c "d")")"'),
        case("backticks in backticks", r"a `b \`c\``"),
        case("associative array", 'declare -A a=([b]=c ["d e"]=f); g "${a[b]}"'),
        case("trap", "trap 'a; b' EXIT INT"),
        case("here-string", 'a <<< "$b"'),
        case("byte order mark gone, dashes", "a -- -b --c=d"),
        case("no newline at the end", "a"),
        case("function with parentheses", "function a() ( b )"),
        case("background and wait", "a & b=$!\nwait $b"),
        case("windows lines", "if a; then\r\n  b\r\nfi\r\n"),
    ],
)
def test_valid_code_is_no_problem(script: str) -> None:
    assert problems(script) == []


@pytest.mark.parametrize(
    "script",
    [
        case("parentheses", "(" * 20_000),
        case("closed parentheses", "( " * 900 + "a" + " )" * 900),
        case("substitutions", "echo $(" * 3_000),
        case("closed substitutions", "echo $(" * 500 + "a" + ")" * 500),
        case("defaults", "echo " + "${a:-" * 3_000 + "x" + "}" * 3_000),
        case("ifs", "if a; then " * 2_000 + "b; " + "fi; " * 2_000),
        case("here-document markers", "<<" * 20_000),
        case("array openings", "a=(" * 20_000),
    ],
)
def test_code_nested_without_end_is_a_problem(script: str) -> None:
    assert problems(script)


@pytest.mark.parametrize(
    "script",
    [
        case("doubling text", "A=xx\n" + "A=$A$A\n" * 60 + "echo $A\n" * 100),
        case("doubling array", "A=(x y)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 60 + 'echo "${A[@]}"\n' * 100),
        case("loops in loops", "".join(f"for a{n} in 1 2 3 4 5 6 7 8; do " for n in range(12)) + "echo $a1; " + "done; " * 12),
        case("long list", "a && " * 5_000 + "b"),
        case("many exits", "".join(f"[ -f a{n} ] || exit 1\n" for n in range(2_000))),
        case("open pipeline", "a | " * 20_000),
        case("one folder in another", "cd abcdefgh\n" * 5_000),
    ],
)
def test_text_that_stands_for_far_more_text_is_bounded(script: str) -> None:
    found = facts(script)[1]
    assert sum(len(word.value) for fact in found if isinstance(fact, Command) for word in fact.words) < 5_000_000


def test_garbage_never_raises() -> None:
    pieces = ["if ", "then ", "fi\n", "$(", ")", "${", "}", '"', "'", "`", "\\", "\n", "\r\n", "<<E\n", "E\n", "|", "&&", "a", "=", "é", U, "\0", "[ ", " ]", "case ",
              " in ", "esac", "for x in ", "do ", "done\n", "A=(", "+=", "{{", "}}", "{%", "%}", "\u2028", "😀", "((", "#", "export ", "cd "]  # fmt: skip
    choose = random.Random(7)
    for _ in range(300):
        script = "".join(choose.choice(pieces) for _ in range(choose.randrange(60)))
        source, found = facts(script)
        for fact in found:
            assert isinstance(fact, (Command, EnvVar, ParseProblem))
            source.cut(fact.span)


def test_characters_of_every_plane_are_parts_of_words() -> None:
    # The grammar's scanner crashed on some of them.
    for code in (*range(0x80, 0x10FFFF, 0x3F1), 0x10FFFF):
        if not 0xD800 <= code <= 0xDFFF:
            list(read(Source("run.sh", f'x{chr(code)}\t"{chr(code)}" (${chr(code)}\x14R\x1d <<{chr(code)}\n')))
    (command,) = [each for each in read(Source("run.sh", "🔥=1 pip install 模型 torch==2.9.1\n")) if isinstance(each, Command)][
        -1:
    ]
    assert [word.value for word in command.words][-2:] == ["模型", "torch==2.9.1"]
    assert (command.words[-1].span.column, command.words[-1].span.end_column) == (20, 32)
