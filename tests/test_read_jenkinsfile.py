"""What the steps of a Jenkinsfile run, on which agents and in which containers."""

import pytest
from projects import found

from spark_lint.facts import Command, Condition, EnvVar, Fact, Include, ParseProblem, Read
from spark_lint.kinds import JENKINSFILE, kind_of
from spark_lint.names.machines import elsewhere
from spark_lint.read.groovy import Groovy
from spark_lint.read.jenkins_agents import runner
from spark_lint.read.jenkinsfile import read
from spark_lint.text import UNKNOWN, Source, Text

U = UNKNOWN


def reads(text: str) -> list[Read]:
    return list(read(Source("Jenkinsfile", text)))


def facts(text: str) -> list[Fact]:
    source = Source("Jenkinsfile", text)
    found = list(read(source))
    assert not [each for each in found if isinstance(each, ParseProblem)]
    for each in found:
        assert not isinstance(each, Fact) or source.cut(each.span)
    return [each for each in found if isinstance(each, Fact)]


def words(text: str) -> list[list[str]]:
    return [[word.value for word in each.words] for each in facts(text) if isinstance(each, Command)]


def spark(steps: str) -> str:
    """A scripted pipeline that runs steps on a Spark."""
    return f"node('spark') {{\n{steps}\n}}\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Jenkinsfile", JENKINSFILE), ("ci/Jenkinsfile.gpu", JENKINSFILE), ("Jenkinsfile-x86", JENKINSFILE), ("gpu.jenkinsfile", JENKINSFILE),
        ("gpu_jenkinsfile.groovy", JENKINSFILE), ("Jenkinsfile.groovy.j2", JENKINSFILE), ("Jenkinsfile.md", ""), ("jenkins/common.groovy", ""),
        ("Jenkinsfile.py", "Python"), ("myjenkinsfile", ""),
    ],
)  # fmt: skip
def test_names(name: str, expected: str) -> None:
    assert kind_of(name).replace("Markdown", "") == expected


# ---- strings ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        (r"'a\'b\\c'", r"a'b\c"),
        ("'$X ${Y}'", "$X ${Y}"),
        ('"\\$X"', "$X"),
        ('"$X-${X}-$Y"', f"1-1-{U}"),
        ('"${X.trim()}b"', f"{U}b"),
        ('"${a ? "x}" : "y"}z"', f"{U}z"),
        ("'''a\nb \\\n c'''", "a\nb  c"),
        ('"""a "b" ${X}"""', 'a "b" 1'),
        ("= /a\\/b$/", "a/b$"),
        ("= $/a$/b/$", "a/b"),
        (r"'\u0041\101\t'", "AA\t"),
        ("'it // is /* no */ comment'", "it // is /* no */ comment"),
    ],
)
def test_strings(string: str, expected: str) -> None:
    code = Groovy(Text.of(Source("Jenkinsfile", string)))
    (at,) = [number for number, token in enumerate(code.tokens) if token.kind == "string"]
    one = Text.of(Source("x", "1"))
    assert code.string(at, lambda expression: one if expression.value == "X" else None).value == expected
    assert code.unclosed is None


def test_comments_hold_no_steps_and_a_slash_divides() -> None:
    steps = "// sh 'a'\n/* sh 'b' */\ndef x = 10 / 2 // it's\nsh 'c' // sh 'd'\nif (x =~ /it's/) { sh 'e' }"
    assert words("#!/usr/bin/env groovy\n" + spark(steps)) == [["c"], ["e"]]


def test_a_string_that_does_not_end_is_said() -> None:
    source = Source("Jenkinsfile", spark("sh 'a'\nsh '''b"))
    problems = [each for each in read(source) if isinstance(each, ParseProblem)]
    assert [(each.span.line, each.message) for each in problems] == [(3, "Groovy: a string or comment that does not end")]
    assert [each.message for each in reads(spark("sh 'a\nsh 'b'")) if isinstance(each, ParseProblem)] != []


def test_nesting_is_bounded() -> None:
    for text in (
        "{" * 5000,
        "if (a) " * 5000 + "sh 'x'",
        "when { allOf {" * 3000,
        "f(" * 5000,
        'sh "${' * 3000,
        "def f() { f() }\nf()\n" * 9,
    ):
        messages = [each.message for each in reads(spark(text)) if isinstance(each, ParseProblem)]
        assert all("too deep" in each or "does not end" in each for each in messages)


# ---- steps -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("sh 'pip install x && ls'", [["pip", "install", "x"], ["ls"]]),
        ("sh(script: 'ls -l', returnStdout: true)", [["ls", "-l"]]),
        ("sh label: 'list', script: '''\n  ls\n  pwd\n'''", [["ls"], ["pwd"]]),
        ("sh([script: 'ls'])", [["ls"]]),
        ('sh """pip install x==${V} \\\n  y \\$HOME"""', [["pip", "install", f"x=={U}", "y", U]]),
        ("def out = sh(returnStdout: true, script: 'ls').trim()", [["ls"]]),
        ("sh 'ls ' + '-l ' +\n  x", [["ls", "-l", U]]),
        ("sh('''\n  ls\n'''.stripIndent())", [["ls"]]),
        ("timeout(time: 1, unit: 'HOURS') { retry(2) { sh 'ls' } }", [["ls"]]),
        ("parallel(a: { sh 'ls' }, 'b': {\n sh 'pwd' })", [["ls"], ["pwd"]]),
        ("try { sh 'ls' } catch (e) { sh 'pwd' } finally { sh 'id' }", [["ls"], ["pwd"], ["id"]]),
        ("sh '#!/bin/bash -e\\nls'", [["ls"]]),
        ("sh '#!/usr/bin/env python\\nimport torch'", []),
        ("bat 'dir'\npowershell 'ls'\necho 'sh x'", []),
        ("steps.sh 'ls'\nsh(x)\nsh: 'ls'", []),
    ],
)
def test_steps(step: str, expected: list[list[str]]) -> None:
    assert words(spark(step)) == expected


def test_place_of_a_step() -> None:
    text = spark("dir('src') {\n  sh '''\n    pip install torch\n  '''\n}")
    source = Source("Jenkinsfile", text)
    (command,) = facts(text)
    assert source.cut(command.span) == "pip install torch"
    assert (command.span.line, command.written, command.context.workdir) == (4, "pip install torch", "src")


def test_tests_around_steps() -> None:
    steps = (
        "if (env.ARCH == 'x86_64') { sh 'a' } else if (b) sh 'b'\nelse { sh 'c' }\nsh 'd'\n"
        "catchError { sh 'e' }\nsh(script: 'f', returnStatus: true)"
    )
    found = [(each.written, each.context.conditions[1:]) for each in facts(spark(steps))]
    x86, other = Condition("env.ARCH == 'x86_64'"), Condition("env.ARCH == 'x86_64'", negated=True)
    fails = Condition("what fails here is passed over")
    assert found == [
        ("a", (x86,)), ("b", (other, Condition("b"))), ("c", (other, Condition("b", negated=True))), ("d", ()), ("e", (fails,)), ("f", (fails,)),
    ]  # fmt: skip
    assert [each.written for each in facts(spark(steps)) if elsewhere(each.context.conditions)] == ["a"]


def test_when() -> None:
    text = (
        "pipeline { agent { label 'spark' }\n stages { stage('a') {\n when { beforeAgent true\n branch 'main'\n not { expression { x } }\n"
        " allOf { expression { return params.ARCH == 'arm64' }\n anyOf { tag 'a'\n tag 'b' } } }\n steps { sh 'ls' } } } }"
    )
    (command,) = facts(text)
    assert [(each.text, each.negated) for each in command.context.conditions] == [
        ("runs-on spark", False),
        ("branch 'main'", False),
        ("expression { x }", True),
        ("params.ARCH == 'arm64'", False),
        ("tag 'a' || tag 'b'", False),
    ]


# ---- variables -------------------------------------------------------------------------------------------------------------


def test_values() -> None:
    text = (
        "CUDA = 'cu124'\ndef twice = 'a'\ntwice = 'b'\n"
        "pipeline { agent { label 'spark' }\n parameters { string(name: 'TP', defaultValue: '2')\n choice(name: 'M', choices: ['x', 'y']) }\n"
        " environment { A = 'b'\n B = \"${A}-${CUDA}\"\n C = credentials('c')\n D = '$A/d' }\n"
        ' stages { stage("s") { steps { sh "echo ${CUDA} ${twice} ${params.TP} ${env.B} ${M} $D \\$TP" } } } }'
    )
    found = facts(text)
    assert [(each.name, each.value) for each in found if isinstance(each, EnvVar)] == [
        ("A", "b"),
        ("B", "b-cu124"),
        ("C", U),
        ("D", "b/d"),
    ]
    assert words(text) == [["echo", "cu124", U, "2", "b-cu124", "x", "b/d", "2"]]
    (echo,) = [each for each in found if isinstance(each, Command)]
    assert echo.words[1].origin.line == 1


def test_environment_of_steps() -> None:
    text = spark("env.X = '1'\nwithEnv(['A=b', \"C=${A}\", 'PATH+X=/y']) {\n sh 'echo $A $C $X' \n}\nsh 'echo $A'")
    variables = [each for each in facts(text) if isinstance(each, EnvVar)]
    assert [(each.name, each.value, each.written) for each in variables] == [
        ("X", "1", "env.X = '1'".removeprefix("env.")), ("A", "b", "A=b"), ("C", U, "C=${A}"),
    ]  # fmt: skip
    assert words(text) == [["echo", "b", U, "1"], ["echo", U]]


def test_functions_are_read_where_they_are_called() -> None:
    text = (
        "def build(tag, more = 'x') { sh \"pip install torch==${tag}\" }\n"
        "def other(args) { node('x86') { sh \"ls ${args.path}\" } }\n"
        "node('spark') { build('2.9.1')\n other(path: 'p') }\ndef unused() { sh 'id' }"
    )
    found = [(each.written, elsewhere(each.context.conditions)) for each in facts(text)]
    assert words(text) == [["pip", "install", "torch==2.9.1"], ["ls", "p"], ["id"]]
    assert [away for _, away in found] == [False, True, True]


# ---- agents ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "here"),
    [
        ("spark", True), ("dgx-spark-1", True), ("gb10", True), ("gpu", True), ("linux && gpu", True), ("gpu-node", True), ("GPU Worker 1", True), ("arm64 && docker", True),
        ("x86 || (spark && !old)", True), ("any", False), ("none", False), ("linux", False), ("docker", False), ("linux-x86", False), ("gpu && a100", False),
        ("!spark", False), (f"{U}", False), ("windows", False), ("", False),
    ],
)  # fmt: skip
def test_labels(label: str, here: bool) -> None:
    assert elsewhere(runner(label)) is not here


@pytest.mark.parametrize(
    ("agent", "here"),
    [
        ("agent { label 'spark' }", True),
        ("agent {\n node {\n label 'spark' } }", True),
        ("agent\n{ label 'spark' }", True),
        ("agent any", False),
        ("agent { docker { image 'x'; label 'spark' } }", True),
        ("agent { docker { image 'x'\n args '--gpus all' } }", True),
        ("agent { docker { image 'x'; label 'x86'; args '--runtime=nvidia' } }", False),
        ("agent { docker 'x' }", False),
        ("agent { kubernetes { label 'spark'\n yaml '''a: b''' } }", False),
    ],
)
def test_agents(agent: str, here: bool) -> None:
    text = f"pipeline {{ {agent}\n stages {{ stage('a') {{ steps {{ sh 'ls' }} }} }} }}"
    (command,) = [each for each in facts(text) if each.written == "ls"]
    assert elsewhere(command.context.conditions) is not here


def test_stages_have_agents_of_their_own() -> None:
    text = (
        "pipeline { agent { label 'spark' }\n environment { A = '1' }\n stages {\n stage('a') { steps { sh 'a' } }\n"
        " stage('b') { environment { B = '2' }\n agent { label 'x86' }\n steps { sh 'b' } }\n"
        " stage('c') { agent { docker { image 'i:1'\n reuseNode true } }\n steps { sh 'c' } } }\n post { always { sh 'd' } } }"
    )
    found = {each.written: each for each in facts(text) if isinstance(each, Command)}
    assert [elsewhere(found[name].context.conditions) for name in "abcd"] == [False, True, False, False]
    assert found["a"].context.block == found["d"].context.block != found["c"].context.block
    seen = [(each.name, each.context.block) for each in facts(text) if isinstance(each, EnvVar)]
    blocks = [found[name].context.block for name in "abc"]
    assert seen == [("A", blocks[0]), ("A", blocks[1]), ("B", blocks[1]), ("A", blocks[2])]


def test_matrix() -> None:
    text = (
        "pipeline { agent none\n stages { stage('m') { matrix { axes { axis { name 'M'\n values 'x86', 'spark' }\n axis { name 'P'\n values '3.12' } }\n"
        ' agent { label "${M}" }\n stages { stage(\'a\') { steps { sh "python$P a.py" } } } } } } }'
    )
    (command,) = facts(text)
    assert ([each.text for each in command.context.conditions], command.name) == (["runs-on spark"], "python3.12")


# ---- containers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "steps",
    [
        "docker.image('a/b:1').inside('--gpus all') {\n sh 'ls' }",
        "docker.image('a/b:1')\n  .inside('--gpus all') { sh 'ls' }",
        "def i = docker.image(\"a/b:1\")\ni.inside('--gpus all') { c -> sh 'ls' }",
        "withDockerContainer(image: 'a/b:1', args: '--gpus all') { sh 'ls' }",
        "docker.withRegistry('https://x', 'y') { docker.image('a/b:1').inside('--gpus all') { sh 'ls' } }",
    ],
)
def test_steps_inside_an_image(steps: str) -> None:
    text = spark(steps)
    run, ls = facts(text)
    assert isinstance(run, Command)
    assert [word.value for word in run.words] == ["docker", "run", "--gpus", "all", "a/b:1"]
    assert (Source("x", text).cut(run.span), run.context.image) == ("a/b:1", None)
    assert ls.context.image is not None
    assert (ls.context.image.reference, ls.context.block) == ("a/b:1", run.context.block)


def test_images_of_agents() -> None:
    text = (
        "pipeline { environment { TAG = '25.09-py3' }\n agent { docker { image \"nvcr.io/nvidia/pytorch:${TAG}\"\n args '--ipc=host -e A=b' } }\n"
        " stages { stage('a') { steps { sh 'ls' } }\n stage('b') { agent { docker 'x/$TAG' }\n steps { sh 'pwd' } } } }"
    )
    found = {each.written: each for each in facts(text) if isinstance(each, Command)}
    assert words(text)[0] == ["docker", "run", "--ipc=host", "-e", "A=b", "nvcr.io/nvidia/pytorch:25.09-py3"]
    inside = found["pwd"].context.image
    assert (inside is not None and inside.reference) == "x/25.09-py3"


def test_what_runs_beside_an_image_and_in_an_unknown_one() -> None:
    run, ls, pwd, build, tests = facts(
        spark(
            "docker.image('a:1').withRun('-d') { c -> sh 'ls' }\ncontainer('gpu') { sh 'pwd' }\ndocker.build('a', '-f D .').inside { sh 'id' }"
        )
    )
    assert (run.written, ls.context.image) == ("docker run -d a:1", None)
    assert [each.context.image and each.context.image.name for each in (pwd, tests)] == [U, U]
    assert isinstance(build, Command)
    assert [word.value for word in build.words] == ["docker", "build", "-t", "a", "-f", "D", "."]


def test_agents_of_a_dockerfile() -> None:
    text = (
        "pipeline { agent { dockerfile { filename 'D.gpu'\n dir 'ci'\n label 'spark'\n additionalBuildArgs '--build-arg A=b' } }\n"
        " stages { stage('a') { steps { sh 'ls' } }\n stage('b') { agent { dockerfile true }\n steps { sh 'ls' } } } }"
    )
    includes = [each for each in reads(text) if isinstance(each, Include)]
    assert [(each.kind, each.path.value, each.context.block) for each in includes] == [
        ("build", "ci/D.gpu", 1),
        ("build", "./Dockerfile", 2),
    ]
    assert words(text)[0] == ["docker", "build", "--build-arg", "A=b", "."]


# ---- in a repository -------------------------------------------------------------------------------------------------------


def test_what_runs_in_a_built_image_is_judged_there() -> None:
    pipeline = (
        "pipeline { agent { dockerfile { filename 'Dockerfile.gpu'; dir 'docker'; label 'spark' } }\n"
        " stages { stage('a') { steps { sh 'pip install flash-attn' } } } }\n"
    )
    ngc = {"docker/Dockerfile.gpu": "FROM nvcr.io/nvidia/pytorch:25.09-py3\n"}
    bare = {"docker/Dockerfile.gpu": "FROM ubuntu:24.04\n"}
    assert found({"Jenkinsfile": pipeline} | ngc) == []
    for path in ("Jenkinsfile", "ci/Jenkinsfile"):
        assert [(each[0], each[2]) for each in found({path: pipeline} | bare)] == [(path, "G2/flash-attn-requirement")]
    assert found({"ci/Jenkinsfile": pipeline} | ngc) == []


def test_a_comment_hides_what_it_stands_above_or_behind() -> None:
    code = "G10/tensor-parallel-exceeds-gpus"
    many = "sh '''\n  ls\n  vllm serve x --tensor-parallel-size 2\n'''"
    one = "sh 'vllm serve x --tensor-parallel-size 2'"
    comment = f"// spark-lint: ignore[{code}] another machine"
    assert found({"Jenkinsfile": spark(f"{comment}\n{many}\n{one} {comment}")}) == []
    assert found({"Jenkinsfile": spark(f"{one}\n{many}\n// else")}) == [
        ("Jenkinsfile", 2, code, "error"),
        ("Jenkinsfile", 5, code, "error"),
    ]
