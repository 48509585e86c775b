"""Launch scripts as people write them: directives of batch systems, functions, scripts within scripts, paths, placeholders."""

import pytest

from spark_lint.facts import Assign, Command, EnvVar, Include, Package, ParseProblem, Read, Setting
from spark_lint.names import named
from spark_lint.read.shell import read
from spark_lint.text import UNKNOWN, Source

U = UNKNOWN


def meant(script: str) -> tuple[Source, list[Read]]:
    source = Source("scripts/run.sh", script)
    return source, [each for fact in read(source) for each in named(fact)]


def ran(script: str) -> list[Command]:
    return [fact for fact in read(Source("run.sh", script)) if isinstance(fact, Command)]


def it(script: str) -> list[list[str]]:
    """The words behind each `it`."""
    return [[word.value for word in each.words[1:]] for each in ran(script) if each.name == "it"]


def problems(script: str) -> list[str]:
    return [fact.message for fact in read(Source("run.sh", script)) if isinstance(fact, ParseProblem)]


def packages(script: str) -> list[str]:
    return [fact.name for fact in meant(script)[1] if isinstance(fact, Package)]


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("one option", "#!/bin/bash\n#SBATCH --nodes=2\n", [["sbatch", "--nodes=2"]]),
        case("several", "#SBATCH -N 2 --gres=gpu:8\n", [["sbatch", "-N", "2", "--gres=gpu:8"]]),
        case("comment behind it", "#SBATCH -N 2  # two boxes\n", [["sbatch", "-N", "2"]]),
        case("quotes", "#SBATCH --comment=\"a b\" -J 'c'\n", [["sbatch", "--comment=a b", "-J", "c"]]),
        case("lines of Windows", "#!/bin/bash\r\n#SBATCH -N 2\r\nls\r\n", [["sbatch", "-N", "2"], ["ls"]]),
        case("other comments between", "#!/bin/bash\n\n# two\n#SBATCH -N 2\n  # x\n", [["sbatch", "-N", "2"]]),
        case(
            "other systems",
            "#PBS -l select=2:ngpus=1\n#BSUB -n 2\n",
            [["qsub", "-l", "select=2", "ngpus=1"], ["bsub", "-n", "2"]],
        ),
        case("template", "#SBATCH --nodes={{ n }}\n", [["sbatch", f"--nodes={U}"]]),
        case("commented out", "##SBATCH -N 2\n# SBATCH -N 2\n", []),
        case("behind the first command", "ls\n#SBATCH -N 2\n", [["ls"]]),
        case("without options", "#SBATCH\n#SBATCH  \n", []),
    ],
)
def test_directives_of_batch_systems_are_commands(script: str, expected: list[list[str]]) -> None:
    assert [[word.value for word in command.words] for command in ran(script)] == expected


def test_a_directive_is_where_it_is_written() -> None:
    source, found = meant("#!/bin/bash\n#SBATCH --nodes=2 # two\nsrun python train.py\n")
    (nodes,) = (fact for fact in found if isinstance(fact, Setting) and fact.name == "nodes")
    assert source.cut(nodes.span) == "--nodes=2"
    assert nodes.number == 2


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("with known words", "f() { it $1 ${2:-1}; }\nf org/m 2\nf org/n\n", [["org/m", "2"], ["org/n", "1"]]),
        case("all of them", 'f() { it "$@" -x; }\nf a "b c"\n', [["a", "b c", "-x"]]),
        case("shifted", "f() { shift; it $1; }\nf a b\n", [["b"]]),
        case("run what they say", 'retry() { "$@" || exit 1; }\nretry it --tp 2\n', [["--tp", "2"]]),
        case("through another one", 'f() { it "$1"; }\ng() { f "$2"; }\ng a b\n', [["b"]]),
        case("what is set where it is called", "f() { it ${TP:-1}; }\nTP=2\nf\n", [["2"]]),
        case("set by the call", "f() { TP=$1; }\nf 2\nit $TP\n", [["2"]]),
        case("never called", "f() { it $1 ${2:-3}; }\n", [[U, "3"]]),
        case("called by a trap", "f() { it; }\ntrap f EXIT\n", [[]]),
        case("with unknown words", "f() { it $1 ${2:-3}; }\nf $ARGS 4\n", [[U, "3"]]),
        case("with all parameters", 'main() { it "${1:-2}"; }\nmain "$@"\n', [["2"]]),
        case("itself", "f() { it $1; f b; }\nf a\n", [["a"]]),
        case("before it is defined", "f a\nf() { it $1; }\n", [[U]]),
        case("defined twice", "f() { it a; }\nf() { it b; }\nf\n", [["b"], ["a"]]),
        case("defined in a branch", "if x; then f() { it a; }; else f() { it b; }; fi\nf\n", [["a"], ["b"]]),
        case("twice the same", "f() { it a; }\nf 1\nf 1\n", [["a"]]),
        case("set --", 'set -- a "b c"\nit "$@" $1\n', [["a", "b c", "a"]]),
        case("set -- with more", 'set -- "$@" a\nit "$@"\n', [[U]]),
    ],
)
def test_a_function_is_read_where_it_is_called(script: str, expected: list[list[str]]) -> None:
    assert it(script) == expected


def test_the_tests_around_a_call_are_those_of_its_code() -> None:
    script = 'f() { it; }\nif [ "$(uname -m)" = x86_64 ]; then f; fi\n'
    (command,) = (each for each in ran(script) if each.name == "it")
    assert [condition.text for condition in command.context.conditions] == ['"$(uname -m)" = x86_64']


def test_the_words_of_a_call_mean_nothing_by_themselves() -> None:
    settings = [
        fact
        for fact in meant('run() { echo "$@"; "$@"; }\nrun vllm serve m --tensor-parallel-size 2')[1]
        if isinstance(fact, Setting)
    ]
    assert [(fact.value, fact.tool) for fact in settings if fact.name == "tensor_parallel_size"] == [("2", "vllm")]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("eval of a text", 'C="it a"\nC="$C --tp 2"\neval "$C"', [["a", "--tp", "2"]]),
        case("eval of words", "eval it a '$B'", [["a", U]]),
        case("eval of several commands", "eval 'x; it a'", [["a"]]),
        case("eval of all parameters", 'f() { eval "$@"; }\nf it a', [["a"]]),
        case("a text that is run", 'C="it --tp 2"\n$C', [["--tp", "2"]]),
        case("a text that is not run", 'C="it --tp 2"\necho $C', []),
    ],
)
def test_code_in_a_variable_is_read_where_it_runs(script: str, expected: list[list[str]]) -> None:
    assert it(script) == expected


@pytest.mark.parametrize(
    "script",
    [
        case("written", "cat > run.sh <<EOF\npip install a\nEOF\n"),
        case("written, the other way round", "cat <<'EOF' > \"$D/run.sh\"\npip install a\nEOF\n"),
        case("added", "cat >> run.slurm <<EOF\n#!/bin/bash\npip install a\nEOF\n"),
        case("tee", "sudo tee /opt/run.sh > /dev/null <<'EOF'\npip install a\nEOF\n"),
        case("piped into tee", "cat <<EOF | sudo tee -a run.sh >/dev/null\npip install a\nEOF\n"),
        case("for a shell", "bash -s <<EOF\npip install a\nEOF\n"),
        case("piped into a shell", "cat <<EOF | bash\npip install a\nEOF\n"),
        case("quoted dollar", "cat > run.sh <<EOF\nP=a\npip install \\$P\nEOF\n"),
        case("outer variable", "P=a\ncat > run.sh <<EOF\npip install $P\nEOF\n"),
        case("default of the script", "cat > run.sh <<'EOF'\npip install ${P:-a}\nEOF\n"),
        case("in a function", "f() {\ncat > run.sh <<EOF\npip install a\nEOF\n}\nf\n"),
        case("in a script in a script", "cat > a.sh <<'A'\ncat > b.sh <<'B'\npip install a\nB\nA\n"),
    ],
)
def test_a_script_in_a_script_is_read(script: str) -> None:
    source, found = meant(script)
    (package,) = (fact for fact in found if isinstance(fact, Package))
    assert package.name == "a"
    assert package.span.line == 1 + source.text[: source.text.rindex("pip install")].count("\n")
    assert problems(script) == []


@pytest.mark.parametrize(
    "script",
    [
        case("usage", "cat <<EOF\nusage: pip install a\nEOF\n"),
        case("usage on standard error", "cat >&2 <<EOF\npip install a\nEOF\n"),
        case("other file", "cat > notes.md <<EOF\npip install a\nEOF\n"),
        case("unknown file", "cat > $OUT <<EOF\npip install a\nEOF\n"),
        case("read from a script", "while read -r x; do y; done < run.sh <<EOF\npip install a\nEOF\n"),
        case("outer variable in a quoted one", "P=a\ncat > run.sh <<'EOF'\npip install $P\nEOF\n"),
        case("sed", "sed -i 's/pip install a/pip install b/' run.sh"),
        case("grep", "grep -r 'pip install a' . && echo 'pip install a'"),
        case("printf", "printf 'pip install a\\n' > x"),
        case("log", 'log "pip install a"\nlog() { echo "$@"; }'),
        case("alias text", 'HINT="pip install a"\necho "$HINT"'),
        case("a test's text", '[[ $x == "pip install a" ]] && y'),
    ],
)
def test_text_that_is_not_run_is_silent(script: str) -> None:
    assert packages(script) == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        case("make", "Makefile", "\tpip install a"),
        case("just", "justfile", "    pip install a"),
        case("a unit", "/etc/systemd/system/x.service", "[Service]\nExecStart=pip install a"),
    ],
)
def test_files_of_other_kinds_that_a_script_writes(name: str, line: str) -> None:
    source, found = meant(f"cat > {name} <<'EOF'\nup:\n{line}\nEOF\n")
    (package,) = [each for each in found if isinstance(each, Package)]
    assert (package.name, source.cut(package.span), package.span.line) == ("a", "a", 3 + line.count("\n"))


def test_cmake_that_a_script_writes() -> None:
    _, found = meant("sudo tee CMakeLists.txt <<'EOF'\nset(CMAKE_CUDA_ARCHITECTURES 80)\nEOF\n")
    assert [(each.value, each.span.line) for each in found if isinstance(each, Assign)] == [("80", 2)]


def test_the_text_of_a_here_document_is_what_its_program_gets() -> None:
    (command,) = ran('A=1\npython - <<EOF\nx = "$A $B ${C:-2}"\ny = "\\$A \\n \\\\"\nEOF\n')
    assert command.stdin is not None
    assert command.stdin.value == 'x = "1 $B 2"\ny = "$A \\n \\"\n'


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("one line", 'O="--a $B --tp 2"\nB=1\nit $O', "2"),
        case("behind another variable", 'B=x\nO="--a $B --tp 2"\nit $O', "2"),
        case("several lines", "O='--a b \\\n  --tp 2\n'\nit $O", "2"),
        case("through two", 'A="--x y --tp 2"\nB="$A"\nit $B', "2"),
        case("value of another one", 'T=2\nO="--a b --tp $T"\nit $O', "2"),
        case("eval", 'C="it --a b --tp 2"\neval "$C"', "2"),
    ],
)
def test_a_word_of_a_longer_text_originates_where_it_is_written(script: str, expected: str) -> None:
    source = Source("run.sh", script)
    command = [fact for fact in read(source) if isinstance(fact, Command)][-1]
    assert command.words[-1].value == expected
    assert source.cut(command.words[-1].origin) == expected
    assert source.offset(command.words[-1].origin.line, command.words[-1].origin.column) == script.index(expected)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("dirname", 'cd "$(dirname "$0")"\nit', "."),
        case("bash", 'cd "$(dirname "${BASH_SOURCE[0]}")" && it', "."),
        case("resolved", 'D="$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")" && pwd)"\ncd "$D/.."\nit', ".."),
        case("with pwd", 'D=$(cd -- "$(dirname -- "$0")" &>/dev/null && pwd -P)\ncd $D/sub\nit', "sub"),
        case("readlink", 'D=$(dirname "$(readlink -f "$0")")\ncd "$D"\nit', "."),
        case("folder above", 'D="$(cd "$(dirname "$0")/.." && pwd)"\ncd "$D"\nit', ".."),
        case("folder of the folder", 'D=$(dirname "$(dirname "$(realpath "$0")")")\ncd "$D"\nit', ".."),
        case("cut off", 'cd "${0%/*}"\nit', "."),
        case("from elsewhere", 'D="$(dirname "$0")"\ncd /x\ncd "$D"\nit', "."),
        case("below it", 'D="$(dirname "$0")"\ncd "$D"\ncd sub\nit', "sub"),
        case("of something else", 'cd "$(dirname "$1")"\nit', U),
        case("above something unknown", 'cd "$D/.."\nit', U),
        case("repository", 'cd "$(git rev-parse --show-toplevel)"\nit', U),
    ],
)
def test_the_folder_of_the_script_is_known(script: str, expected: str) -> None:
    command = [each for each in ran(script) if each.name == "it"][-1]
    assert command.context.workdir == expected


def test_a_file_beside_the_script_is_named_from_there() -> None:
    _, found = meant('HERE="$(cd "$(dirname "$0")" && pwd)"\npip install -r "$HERE/../requirements.txt"')
    (include,) = (fact for fact in found if isinstance(fact, Include))
    assert include.path.value == "./../requirements.txt"


def test_scripts_that_are_run_are_named() -> None:
    _, found = meant("sbatch --nodes=2 train.slurm a.sh\nbash a.bash\nsource ./env.sh\n./b.sh\nbash -c c.sh\nls d.sh")
    runs = [fact.path.value for fact in found if isinstance(fact, Include) and fact.kind == "run"]
    assert runs == ["train.slurm", "a.bash", "./env.sh", "./b.sh", "c.sh"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("placeholder", "it <your model> --tp 2", [[U, "--tp", "2"]]),
        case("placeholder in a word", "it https://<host>:8000 --a=<path/to/a>", [[f"https://{U}:8000", f"--a={U}"]]),
        case("placeholder in another language", "it <模型> x", [[U, "x"]]),
        case("redirections", "it a < in > out", [["a"]]),
        case("redirections without blanks", "it a <in >out", [["a"]]),
        case("open end", "it a \\\n  --tp 2 \\", [["a", "--tp", "2"]]),
        case("open end and a line", "it a \\\n  --tp 2 \\\n", [["a", "--tp", "2"]]),
        case("arithmetic in a default", "A=${B:-$(((1 + 2) * 3))}\nit x", [["x"]]),
        case("list in a default", "A=${B:-['x','y']}\nit x", [["x"]]),
        case("variables in a row", "A=a B=b\nC=x/$A/$B/y-$A\nit $C $A-$B-x $1/$2/y", [["x/a/b/y-a", "a-b-x", f"{U}/{U}/y"]]),
        case("variables in a row in quotes", "A=a\nit \"$A/$A/x\" '$A/$A/x'", [["a/a/x", "$A/$A/x"]]),
        case(
            "blocks that end together",
            "for A in b; do if it x; then it y; fi done\nif { it z; } then\n  it w\nfi",
            [["x"], ["y"], ["z"], ["w"]],
        ),
        case(
            "a block that ends on the next line",
            "for A in b; do \\\n\tif it x; then \\\n\t\tit y; \\\n\tfi \\\ndone",
            [["x"], ["y"]],
        ),
        case("a class with a variable", "case $A in\n  *[!${B}]*) it x ;;\nesac", [["x"]]),
        case("flags of zsh", "A=(${(s:,:)B})\nit x", [["x"]]),
        case("line that begins like a marker", "y <<'KEY'\nKEY='{\"a\": 1}'\nz\nKEY\nit x", [["x"]]),
        case("two of them", 'y <<A\nAB=(1\nA\nit x\ny <<A\nA="1\nA\nit z', [["x"], ["z"]]),
        case("substring", 'A="${B:$C+1}"\nit x', [["x"]]),
        case("part of an array", 'A=( "${B[@]:$C:3}" )\nit x', [["x"]]),
        case("semicolon in a default", 'A="${B:+$B; }$C"\nit x', [["x"]]),
        case("parentheses around a variable in a default", 'it "y${a:+ (not there: ${a})}."\nit x', [[f"y{U}."], ["x"]]),
        case("brackets around a default", "it y <<E\n${A:-<of a or ${B}>}\nE\nit x", [["y"], ["x"]]),
        case("quoted blank in a pattern", "case $A in\n*[!$' \\t']*) it x ;;\nesac\nit y", [["x"], ["y"]]),
        case("dashes in a pattern", 'case $A in\n*"/a--"*--*) ;;\n*) it x ;;\nesac\nit y', [["x"], ["y"]]),
        case("braces in an expression", '[[ "$A" =~ ^\\$\\{[^:}]+:-([^}]+)\\}$ ]] && it x\nit y', [["x"], ["y"]]),
        case("number in a base", "if (( 10#$A < 1 )); then it x; fi\nA=$((8#$B & 8#022))\nit y", [["x"], ["y"]]),
        case("open both ways", "exec 3<>/dev/tcp/a/80\nit x 3<> $A\nexec {B}<>/c\nit y", [["x"], ["y"]]),
        case("words that a program fills in", "{before}\nit {a} x\n{run}\nit y", [["{a}", "x"], ["y"]]),
        case("words filled in one by one", "it a; {run}\nit y", [["a"], ["y"]]),
        case("block behind a marker", "it a - \\\n  $B <<'PY' || {\nx = '\nPY\n  it x\n}\nit y", [["a", "-", U], ["x"], ["y"]]),
        case("condition before a marker", "if ! it a <<'PY'; then\nx = '(\nPY\n  it x\nfi\nit y", [["a"], ["x"], ["y"]]),
        case("loop behind a marker", "it $(a) <<E | while read x; do\n(\nE\n  it x\ndone\nit y", [[U], ["x"], ["y"]]),
        case("operator behind a marker", "it a <<E &&\n(\nE\n  it x\nit y", [["a"], ["x"], ["y"]]),
    ],
)
def test_what_people_leave_to_fill_in_and_what_the_grammar_lacks_is_no_problem(script: str, expected: list[list[str]]) -> None:
    assert it(script) == expected
    assert problems(script) == []


def test_a_placeholder_is_shown_as_its_author_wrote_it() -> None:
    (command,) = ran("vllm serve <model> --tensor-parallel-size 2")
    assert command.written == "vllm serve <model> --tensor-parallel-size 2"


def test_broken_code_costs_one_problem_and_the_rest_is_read() -> None:
    script = "pip install a\nif then (\npip install b\n) ) fi\nexport X=1\npip install c\n"
    assert len(problems(script)) == 1
    assert {"a", "c"} <= set(packages(script))
    assert [fact.name for fact in meant(script)[1] if isinstance(fact, EnvVar)] == ["X"]


@pytest.mark.parametrize(
    "script",
    [
        case("functions that call each other twice", "".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }}\n" for n in range(500)) + "f0\n"),
        case("functions that call themselves", "f() { f; f; g; }\ng() { f; g; }\nf\n" * 200),
        case("definitions under tests", "if [ $x ]; then f() { it $1; }; fi\n" * 500 + "f a\n" * 500),
        case("evals of evals", "A='eval x'\n" + 'A="eval $A"\n' * 300 + 'eval "$A"\n' * 200),
        case("doubling code", "A='it a;'\n" + 'A="$A $A"\n' * 60 + 'eval "$A"\n' * 100),
        case(
            "scripts in scripts",
            "".join(f"cat > a.sh <<E{n}\n" for n in range(100)) + "it\n" + "".join(f"E{n}\n" for n in reversed(range(100))),
        ),
        case("parameters that grow", "set -- a b\n" + 'set -- "$@" "$@"\n' * 60 + 'it "$@"\n' * 50),
        case("nested arithmetic", "it " + "$((1 + " * 500 + "1" + "))" * 500),
        case("large numbers", "A=9\n" + "A=$((A * A * A))\n" * 50 + "it $A\n"),
        case("nested tests", "if [[ " + "( " * 500 + "a" + " )" * 500 + " ]]; then it; fi"),
        case("placeholders without end", "it " + "<a " * 5_000),
        case("defaults without end", "it " + "${a:-$((" * 3_000),
        case("defaults with semicolons without end", "it " + "${a:-;" * 3_000),
        case("markers that open blocks", "a <<E || {\n" * 3_000 + "E\n"),
        case("continued lines before a marker", "a \\\n" * 3_000 + "a <<E || {\n" * 100),
        case("filled in without end", "{a" * 5_000 + "\n " * 3_000),
    ],
)
def test_scripts_that_stand_for_far_more_code_are_bounded(script: str) -> None:
    found = list(read(Source("run.sh", script)))
    assert len(found) < 100_000
    assert sum(len(word.value) for fact in found if isinstance(fact, Command) for word in fact.words) < 5_000_000


def test_a_here_document_read_into_a_variable_is_its_value() -> None:
    script = "read -r -d '' options <<EOF\ntrain.py --tp 2 \\\n   --lr 1\nEOF\ntorchrun $options\n"
    (command,) = [each for each in ran(script) if each.name == "torchrun"]
    assert [word.value for word in command.words] == ["torchrun", "train.py", "--tp", "2", "--lr", "1"]
    assert [word.origin.line for word in command.words] == [5, 2, 2, 2, 3, 3]
