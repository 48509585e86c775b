"""What shell variables hold when a script is started with nothing said: defaults, options that nobody gives, switches that are off."""

import pytest

from spark_lint.facts import Command, Condition, Context
from spark_lint.names import machines
from spark_lint.read.shell import commands, read
from spark_lint.text import UNKNOWN, Source, Text

U = UNKNOWN
LOOP = "while [[ $# -gt 0 ]]; do case $1 in {}; esac; done\n"


def ran(script: str) -> list[Command]:
    return [fact for fact in read(Source("run.sh", script)) if isinstance(fact, Command)]


def it(script: str) -> list[str]:
    """The words behind the last `it`."""
    return [word.value for word in [each for each in ran(script) if each.name == "it"][-1].words[1:]]


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("never set", "it ${TP:-2}", ["2"]),
        case("a parameter", "TP=${1:-2}\nit $TP", ["2"]),
        case("set to a parameter", "TP=$1\nit ${TP:-2}", ["2"]),
        case("set to something from outside", "TP=$MY_TP\nit ${TP:-2}", ["2"]),
        case("set to an option's value", "while getopts t: o; do TP=$OPTARG; done\nit ${TP:-2}", ["2"]),
        case("asked for", "read -p 'size [2]: ' TP\nit ${TP:-2}", ["2"]),
        case("set by a command", "TP=$(nvidia-smi -L | wc -l)\nit ${TP:-2}", [U]),
        case("set by a command, assigned default", 'TP=$(nproc)\n: "${TP:=2}"\nit $TP', [U]),
        case("set by a command, default by test", 'TP=$(nproc)\n[ -z "$TP" ] && TP=2\nit $TP', [U]),
        case("read from a file", "read -r TP < sizes\nit ${TP:-2}", [U]),
        case("element set by a command", "A=($(x))\nit ${A[0]:-2}", [U]),
        case("set in a branch", "if x; then TP=4; fi\nit ${TP:-2}", [U]),
        case("without colon", 'export TP="${TP-2}"\nit $TP', ["2"]),
        case("local", "f() { local tp=${2:-4}; it $tp; }\nf x", ["4"]),
        case("local without a value", "tp=2\nf() { local tp; it ${tp:-4}; }\nf", ["4"]),
        case("readonly", "readonly TP=2\nit $TP", ["2"]),
        case("declared array", 'declare -a ARGS=(--tp 2)\nARGS+=(--pp 3)\nit "${ARGS[@]}"', ["--tp", "2", "--pp", "3"]),
        case("through several", 'A=${A:-2}\nB=${B:-$A}\nARGS="--tp $B"\nARGS="$ARGS --x"\nit $ARGS', ["--tp", "2", "--x"]),
    ],
)
def test_a_default_is_a_value_unless_a_command_may_give_another_one(script: str, expected: list[str]) -> None:
    assert it(script) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        case("value of an option", "TP=2\n" + LOOP.format('--tp) TP="$2"; shift 2 ;; *) exit 1') + "it $TP", "2"),
        case("value behind an equals sign", "TP=2\n" + LOOP.format('--tp=*) TP="${1#*=}"; shift') + "it $TP", "2"),
        case("constant of an option", "FAST=false\n" + LOOP.format("--fast) FAST=true; shift") + "it $FAST", "false"),
        case("over all parameters", 'TP=2\nfor a in "$@"; do case $a in --tp=*) TP=${a#*=} ;; esac; done\nit $TP', "2"),
        case("getopts", "TP=2\nwhile getopts 't:f' o; do case $o in t) TP=$OPTARG ;; f) TP=8 ;; esac; done\nit $TP", "2"),
        case("parameter where there is one", 'TP=2\nif [ -n "$1" ]; then TP=$1; fi\nit $TP', "2"),
        case("the other way round", 'if [ -n "$1" ]; then TP=$1; else TP=2; fi\nit $TP', "2"),
        case("never set before", LOOP.format("--tp) TP=$2; shift 2") + "it ${TP:-3}", "3"),
        case("everything else", "case $1 in big) TP=8 ;; *) TP=2 ;; esac\nit $TP", "2"),
        case("menu with a default", "M=${1:-a}\ncase $M in a) TP=2 ;; b) TP=4 ;; esac\nit $TP", "2"),
        case(
            "given to a function",
            'f() { TP=1; while [ "$1" ]; do case $1 in --tp) TP=$2; shift 2 ;; esac; done; it $TP; }\nf --tp 2',
            U,
        ),
        case("chosen by a command", "TP=2\ncase $(hostname) in a) TP=4 ;; esac\nit $TP", U),
        case("set by a command", "TP=2\nif x; then TP=$(nproc); fi\nit $TP", U),
        case("counted in a loop", "N=0\nwhile x; do N=$((N + 1)); done\nit $N", U),
        case("changed by arithmetic", "N=1\n((N *= 2))\nit $N", U),
        case("changed by let", "N=1\nlet N=N+1\nit $N", U),
        case("counter of a loop", "N=1\nfor ((i = 0; i < 3; i++)); do N=$i; done\nit $N", U),
    ],
)
def test_what_only_the_caller_can_ask_for_leaves_the_default(script: str, expected: str) -> None:
    assert it(script) == [expected]


@pytest.mark.parametrize(
    "test",
    [
        '[ "$ON" = true ]',
        '[[ $ON == "true" ]]',
        "[[ $ON != false ]]",
        '! [ "$ON" = false ]',
        '[ ! "$ON" = false ]',
        'test "$ON" = true',
        "$ON",
        '"$ON"',
        '[ "$N" -eq 1 ]',
        "((N > 1 - 1))",
        '[ -n "$EMPTY" ]',
        '[ "$EMPTY" ]',
        "[[ $ON == true && -f x ]]",
        '[ "$ON" = true ] && [ -n "$1" ]',
        '[ "$ON" = true ] || [ "$N" -eq 1 ]',
        '[ "${LATER:-0}" = 1 ]',
        "false",
    ],
)
def test_a_switch_that_is_off(test: str) -> None:
    script = f"ON=false N=0 EMPTY=\nA=0\nif {test}; then pip install a; A=1; else pip install b; A=2; fi\nit $A"
    first, second, last = (each for each in ran(script) if each.name in ("pip", "it"))
    assert machines.switched_off(first.context.conditions)
    assert not machines.switched_off(second.context.conditions)
    assert last.words[1].value == "2"


@pytest.mark.parametrize(
    "code",
    [
        '[ "$ON" = true ] && pip install a',
        "$ON && pip install a",
        '[ "$ON" != true ] || pip install a',
        'if [ "$ON" = false ]; then x; else pip install a; fi',
        'if [ "$ON" = false ]; then x; elif y; then pip install a; fi',
    ],
)
def test_a_switch_that_is_off_in_other_words(code: str) -> None:
    (command,) = (each for each in ran(f"ON=false\n{code}") if each.name == "pip")
    assert machines.switched_off(command.context.conditions)


@pytest.mark.parametrize(
    "code",
    [
        case("on", 'ON=true\nif [ "$ON" = true ]; then it; fi'),
        case("asked from outside", 'if [ "$ON" = true ]; then it; fi'),
        case("parameter", 'if [ "$1" = true ]; then it; fi'),
        case("one of several ways", 'M=${1:-serve}\nif [ "$M" = train ]; then it; fi'),
        case("case", "M=serve\ncase $M in train) it ;; esac"),
        case("set by a command", 'ON=$(x)\nif [ "$ON" = true ]; then it; fi'),
        case("command in the test", 'if [ "$(x)" = true ]; then it; fi'),
        case("changed in a loop", "N=0\nwhile x; do if [ $N -eq 1 ]; then it; fi; N=$((N + 1)); done"),
        case("variable of a loop", "for N in 0 1; do if [ $N -eq 1 ]; then it; fi; done"),
        case("read in a loop", 'N=0\nwhile read -r N; do if [ "$N" = 1 ]; then it; fi; done < f'),
        case("may have been changed", "ON=false\nif x; then ON=true; fi\nif $ON; then it; fi"),
        case("constant", "if [ x ]; then it; else y; fi"),
        case("file", "if [ -f x ]; then it; fi"),
        case("not a number", "N=a\nif [ $N -eq 1 ]; then it; fi"),
        case("or something unknown", 'ON=false\nif [ "$ON" = true ] || [ "$1" ]; then it; fi'),
    ],
)
def test_what_is_not_known_to_be_off(code: str) -> None:
    command = next(each for each in ran(code) if each.name == "it")
    assert not machines.switched_off(command.context.conditions)


def test_a_build_argument_is_a_switch_too() -> None:
    source = Source("Dockerfile", 'ARG ON=false\nRUN if [ "$ON" = true ]; then pip install a; fi')
    run = Text.of(source, source.text.index("if"), len(source.text))
    found = commands(run, Context(), {"ON": Text.of(source, 7, 12)})
    (command,) = (fact for fact in found if isinstance(fact, Command))
    assert machines.switched_off(command.context.conditions)


@pytest.mark.parametrize(
    "code",
    [
        case("true", "it || true"),
        case("colon", "it || :"),
        case("message", "it || echo 'goes on without it'"),
        case("another way", "it || x --without"),
        case("of several", "it && y || echo no"),
        case("second of several", "y && it || echo no"),
        case("group", "{ it; y; } || true"),
        case("subshell", "(it) || true"),
        case("next round", "for a in b c; do it $a || continue; done"),
        case("tested", "if it; then y; fi"),
        case("tested for failure", "if ! it; then echo no; fi"),
        case("tested with another way", "if it; then y; else x; fi"),
        case("redirected", "if ! it > log 2>&1; then echo no; fi"),
        case("let go on", "set -e\nset +e\nit\nset -e"),
    ],
)
def test_what_may_fail_is_optional(code: str) -> None:
    command = next(each for each in ran(code) if each.name == "it")
    assert machines.may_fail(command.context.conditions)


@pytest.mark.parametrize(
    "code",
    [
        case("alone", "it"),
        case("and", "it && y"),
        case("last way", "y || it"),
        case("exit", "it || exit 1"),
        case("message and exit", "it || { echo no; exit 1; }"),
        case("message and exit of a subshell", "it || (echo no; exit 1)"),
        case("return", "f() { it || return 1; }\nf"),
        case("false", "it || false"),
        case("function that exits", 'die() { echo "$@"; exit 1; }\nit || die no'),
        case("function that exits through another", "a() { exit 1; }\ndie() { echo; a; }\nit || die"),
        case("tested, then exit", "if ! it; then echo no; exit 1; fi"),
        case("tested, exit otherwise", "if it; then y; else exit 1; fi"),
        case("tried until it works", "until it; do sleep 1; done"),
        case("behind what may fail", "y || true\nit"),
        case("stopping again", "set -e\nset +e\ny\nset -e\nit"),
        case("never stopping", "set +e\nit"),
    ],
)
def test_what_must_work_is_not_optional(code: str) -> None:
    command = next(each for each in ran(code) if each.name == "it")
    assert not machines.may_fail(command.context.conditions)


def test_who_gets_past_a_function_that_exits_has_passed_the_test() -> None:
    (command,) = (each for each in ran("die() { exit 1; }\n[ -f a ] || die no\nit") if each.name == "it")
    assert command.context.conditions == (Condition("-f a"),)
