"""systemd units and quadlets: what they run, in which environment and which image."""

import pytest
from projects import facts as placed
from projects import found

from spark_lint.documents import document
from spark_lint.facts import Command, EnvVar, Fact, Image, Include, ParseProblem, Setting
from spark_lint.kinds import SYSTEMD, kind_of
from spark_lint.read.systemd import read
from spark_lint.text import UNKNOWN, Source


def commands(text: str) -> list[list[str]]:
    """The words of each command of a unit."""
    return [[word.value for word in each.words] for each in read(Source("a.service", text)) if isinstance(each, Command)]


def said(text: str, name: str = "a.container") -> list[Fact]:
    """The facts with their meaning."""
    return list(document(name, SYSTEMD, read(Source(name, text)), False).facts)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ExecStart=/usr/bin/vllm serve m", [["/usr/bin/vllm", "serve", "m"]]),
        ("ExecStart = python3  a.py", [["python3", "a.py"]]),
        ("ExecStartPre=-/bin/a\nExecStartPre=+!/bin/b\nExecStart=:/bin/c $X\nExecStop=|/bin/d",
         [["/bin/a"], ["/bin/b"], ["/bin/c", "$X"], ["/bin/d"]]),
        ("ExecStart=@/bin/kill kill 1", [["/bin/kill", "1"]]),
        ("ExecStart=/bin/a ; /bin/b \\; c", [["/bin/a"], ["/bin/b", ";", "c"]]),
        ("ExecStart=/bin/a 'b c' \"d e\" x'y z' \"\"", [["/bin/a", "b c", "d e", "xy z", ""]]),
        ('ExecStart=/bin/a --c=\'{"k": 1}\' \\x41\\u0042\\103\\s\\t\\q', [["/bin/a", '--c={"k": 1}', "ABC \t\\q"]]),
        ("ExecStart=/bin/a \\\n  b \\\n# no\n  ; no\n  c\nExecStop=/bin/d", [["/bin/a", "b", "c"], ["/bin/d"]]),
        ("ExecStart=/bin/a \\\r\n  b\r\n", [["/bin/a", "b"]]),
        ("ExecStart=/bin/a b\\", [["/bin/a", "b"]]),
        ("ExecStart=/bin/a %i %h/x 50%% %%i", [["/bin/a", UNKNOWN, f"{UNKNOWN}/x", "50%", "%i"]]),
        ("ExecStart=/bin/a $NO ${NO}/b $$C a$D", [["/bin/a", UNKNOWN, f"{UNKNOWN}/b", "$C", "a$D"]]),
        ('Environment="X=1 2" Y=3\nExecStart=/bin/a $X ${X} ${Y}4', [["/bin/a", "1", "2", "1 2", "34"]]),
        ("Environment=X=\nExecStart=/bin/a $X ${X} b", [["/bin/a", "", "b"]]),
        # An empty one takes back all before it.
        ("ExecStart=/bin/a\nExecStart=\nExecStart=/bin/b", [["/bin/b"]]),
        ("ExecStart=/bin/sh -c 'a && exec b c'", [["a"], ["exec", "b", "c"]]),
        ("Environment=M=m\nExecStart=/bin/bash -lc \"vllm serve $M --x=${M}\"", [["vllm", "serve", "m", "--x=m"]]),
        ("ExecStart={{ venv }}/bin/vllm serve {{ model }}", [[f"{UNKNOWN}/bin/vllm", "serve", UNKNOWN]]),
        ("ExecStart=@bindir@/vllm serve", [[f"{UNKNOWN}/vllm", "serve"]]),
        ("Description=x\nRestart=always\nno key\n=x\nExecStart=", []),
    ],
)  # fmt: skip
def test_commands(line: str, expected: list[list[str]]) -> None:
    assert commands(f"[Service]\n{line}\n") == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ExecStart=/bin/a",
        "[Unit]\nExecStart=/bin/a\n",
        "[Timer]\nOnCalendar=daily\nUnit=a.service\n",
        "[X-Own]\nExecStart=/bin/a\nEnvironment=A=1\n",
        "[Service]\n# ExecStart=/bin/a\n;Environment=A=1\n",
        "[Container]\nExec=vllm serve m\nEnvironment=A=1\n",
        "[D-BUS Service]\nName=a\nExec=/bin/a\n",
    ],
)
def test_what_is_no_command_of_a_unit_says_nothing(text: str) -> None:
    assert list(read(Source("a.service", text))) == []


def test_places() -> None:
    text = '[Service]\nWorkingDirectory=-/opt/x\nEnvironment=TP=2 "B=c d"\nExecStart=-/usr/bin/vllm serve m \\\n  -tp ${TP}\n'
    source = Source("a.service", text)
    tp, b, command = (each for each in read(source) if isinstance(each, (EnvVar, Command)))
    assert [source.cut(each.span) for each in (tp, b)] == ["TP=2", "B=c d"]
    assert isinstance(command, Command)
    assert source.cut(command.span) == "/usr/bin/vllm serve m \\\n  -tp ${TP}"
    assert (command.name, command.exec_form, command.context.workdir) == ("vllm", True, "/opt/x")
    assert command.words[-1].origin == source.span(text.index('2 "B'), text.index('2 "B') + 1)
    assert [each.written for each in (tp, b)] == ["TP=2", "B=c d"]


def test_variables_of_an_environment_file_are_put_in() -> None:
    unit = "[Service]\nEnvironment=TP=1\nEnvironmentFile=-/etc/vllm/vllm.env\nExecStart=/usr/bin/vllm serve m $ARGS -tp ${TP}\n"
    files = {"deploy/vllm@.service": unit, "deploy/vllm.env": 'TP=2\nARGS="--max-model-len 8192 --dtype auto"\n'}
    (size,) = placed(files, "deploy/vllm@.service", Setting, "tensor_parallel_size")
    assert (size.value, size.origin.path, size.origin.line) == ("2", "deploy/vllm.env", 1)
    (command,) = placed(files, "deploy/vllm@.service", Command, "vllm")
    assert [word.value for word in command.words[3:7]] == ["--max-model-len", "8192", "--dtype", "auto"]
    (variable,) = placed(files, "deploy/vllm.env", EnvVar, "TP")
    assert [scope.described for scope in variable.scopes] == ["no container, loaded at deploy/vllm@.service:3"]
    assert ("deploy/vllm.env", 1, "G10/tensor-parallel-exceeds-gpus", "error") in found(files)


@pytest.mark.parametrize(
    ("path", "file", "known"),
    [
        ("/etc/vllm/vllm.env", "deploy/vllm.env", True),
        ("/etc/vllm/vllm.env", "deploy/vllm.env.example", True),
        ("/etc/vllm/vllm.env", "packaging/etc/vllm.env", True),  # the only one of that name
        ("/opt/app/.env", "deploy/.env.example", True),
        ("/opt/app/.env", "somewhere/.env", False),
        ("%h/vllm.env", "deploy/vllm.env", True),
        ("/etc/default/%p", "deploy/vllm.env", False),
        ("/etc/other.env", "deploy/vllm.env", False),
    ],
)
def test_an_environment_file_is_known_by_its_name(path: str, file: str, known: bool) -> None:
    unit = f"[Service]\nEnvironmentFile={path}\nExecStart=/usr/bin/vllm serve m -tp ${{TP}}\n"
    (size,) = placed({"deploy/a.service": unit, file: "TP=2\n"}, "deploy/a.service", Setting, "tensor_parallel_size")
    assert size.value == ("2" if known else UNKNOWN)


QUADLET = """\
[Unit]
Description=vLLM

[Container]
Image=docker.io/vllm/vllm-openai:v0.9.0
ContainerName=vllm-%i
AddDevice=nvidia.com/gpu=all
PodmanArgs=--platform linux/amd64 --ipc=host
Environment=CUDA_VISIBLE_DEVICES=1 "B=c d"
EnvironmentFile=./vllm.env
Exec=--model m \\
  --tensor-parallel-size 2

[Service]
Environment=TP=4
ExecStartPre=/usr/bin/podman pull docker.io/vllm/vllm-openai:v0.9.0
"""


def test_a_quadlet_is_the_run_of_its_container() -> None:
    (run,) = (each for each in said(QUADLET) if isinstance(each, Command) and each.subcommand == "run")
    assert [word.value for word in run.words] == [
        "podman", "run", f"--name=vllm-{UNKNOWN}", "--device=nvidia.com/gpu=all", "--platform", "linux/amd64", "--ipc=host",
        "docker.io/vllm/vllm-openai:v0.9.0",
    ]  # fmt: skip
    image = next(each for each in said(QUADLET) if isinstance(each, Image) and each.span.line == 5)
    assert (image.reference, image.platform, image.role) == ("vllm/vllm-openai:v0.9.0", "linux/amd64", "run")
    served = next(each for each in said(QUADLET) if isinstance(each, Command) and each.name == "vllm")
    assert [word.value for word in served.words] == ["vllm", "serve", "--model", "m", "--tensor-parallel-size", "2"]
    assert served.context.image is not None
    assert served.context.image.reference == "vllm/vllm-openai:v0.9.0"
    source = Source("a.container", QUADLET)
    assert source.cut(served.span) == "--model m \\\n  --tensor-parallel-size 2"


def test_variables_of_a_quadlet_are_in_the_container_and_those_of_its_service_are_not() -> None:
    inside = [(each.name, each.value, each.context.image is not None) for each in said(QUADLET) if isinstance(each, EnvVar)]
    assert sorted(inside) == [("B", "c d", True), ("CUDA_VISIBLE_DEVICES", "1", True), ("TP", "4", False)]
    (file,) = (each for each in read(Source("a.container", QUADLET)) if isinstance(each, Include))
    assert (file.kind, file.path.value, file.context.image is not None) == ("env", "./vllm.env", True)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("Image=a/b:1\nEntrypoint=/bin/python\nExec=c.py", ["/bin/python", "c.py"]),
        ('Image=a/b:1\nEntrypoint=["python", "-u"]\nExec=c.py', ["python", "-u", "c.py"]),
        ("Exec=python c.py\nImage=a/b:1", ["python", "c.py"]),
        ("Image=mine.build\nExec=python c.py", ["python", "c.py"]),
    ],
)
def test_what_a_container_starts(lines: str, expected: list[str]) -> None:
    started = [each for each in said(f"[Container]\n{lines}\n") if isinstance(each, Command) and each.name == "python"]
    # python's own words, and those of the script
    assert [word.value for word in started[0].words] == expected
    assert started[0].context.image is not None


def test_units_are_found_by_their_names() -> None:
    names = ["a.service", "b/vllm@.service", "a.service.in", "a.container", "x/ollama.service.d/override.conf"]
    assert {kind_of(name) for name in names} == {SYSTEMD}
    assert {kind_of(name) for name in ["a.timer", "a.service.ts", "override.conf", "a.socket"]} == {""}


@pytest.mark.parametrize(
    "text",
    [
        "[Service]\nEnvironment=A=xxxxxxxx\n" + "".join(f'Environment="A{n}=${{A}}"\n' for n in range(5000)),
        "[Service]\nEnvironment=A=" + "x" * 8000 + "\nExecStart=/bin/a" + " $A ${A}" * 5_000,
        "[Service]\nExecStart=" + "\\\n" * 20_000,
        "[Service]\nExecStart=/bin/a " + '"' * 100_001,
        "[Service]\nExecStart=" + "\\" * 20_001,
        "[Service]\nExecStart=" + "a ; " * 10_000,
        "[Service]\n" + "ExecStart=/bin/sh -c 'a'\n" * 2000,
        "[" * 100_000,
        "[Container]\nImage=a\nExec=" + "%" * 20_000,
        "[Container]\nImage=%i\nEntrypoint=[" + '"a",' * 10_000,
    ],
    ids=["variables", "uses", "continued", "quotes", "escapes", "semicolons", "shells", "brackets", "specifiers", "list"],
)
def test_hostile_units_are_read(text: str) -> None:
    reads = list(read(Source("a.service", text)))
    assert sum(len(word.value) for each in reads if isinstance(each, Command) for word in each.words) < 10_000_000
    assert sum(isinstance(each, ParseProblem) for each in reads) <= 1


def test_a_unit_that_breaks_is_found_and_can_be_left_alone() -> None:
    text = "[Service]\nEnvironment=CUDA_VISIBLE_DEVICES=1\nExecStart=/usr/bin/vllm serve m \\\n  --tensor-parallel-size 2\n"
    assert [(line, code) for _, line, code, _ in found({"a.service": text})] == [
        (2, "G6/cuda-visible-devices-nonzero"),
        (4, "G10/tensor-parallel-exceeds-gpus"),
    ]
    above = text.replace("ExecStart", "# spark-lint: ignore[G10] two of them\nExecStart")
    assert [line for _, line, *_ in found({"a.service": above})] == [2]


def test_a_script_writes_a_unit() -> None:
    text = "cat > /etc/systemd/system/a.service <<EOF\n[Service]\nExecStart=/usr/bin/vllm serve m -tp 2\nEOF\n"
    assert [(line, code) for _, line, code, _ in found({"setup.sh": text})] == [(3, "G10/tensor-parallel-exceeds-gpus")]


def test_a_drop_in_is_read() -> None:
    files = {"etc/ollama.service.d/override.conf": '[Service]\nEnvironment="CUDA_VISIBLE_DEVICES=1"\n'}
    assert [code for _, _, code, _ in found(files)] == ["G6/cuda-visible-devices-nonzero"]
