"""What the files' facts mean: spellings of many tools become one vocabulary.

`named` is the only door: it takes what a reader yields and gives it back with everything it means.
"""

from collections.abc import Iterator
from dataclasses import replace

from spark_lint.facts import Assign, Call, Code, Command, Context, Entry, EnvVar, Fact, Include, Read
from spark_lint.names import cmake, commands, docker, downloads, inner, installs, scripts, settings
from spark_lint.read.funnel import Interests
from spark_lint.text import Span, Text


def named(read: Read, depth: int = 0, interests: Interests | None = None) -> Iterator[Read]:
    """What a reader yielded, and what it means.

    A command is given under its canonical name, with the commands it wraps, the packages and indexes it installs from, the
    images it runs and the settings among its options. Code of another language gives way to what is in it. `depth` counts code within
    code. interests: what Python code must hold to be read.
    """
    if isinstance(read, Code):
        yield from _code(read, depth, interests)
        return
    if isinstance(read, Command):
        seen: set[Span] = set()
        for each in commands.unwrapped(read):
            if isinstance(each, Command):
                yield from _command(each)
                yield from _environment(each, seen)
                for code in inner.of_command(each):
                    yield from _code(code, depth, interests)
            else:
                yield from _shell(*each, depth, interests)
        return
    yield read
    if isinstance(read, Call) and read.name.startswith(cmake.COMMAND):
        yield from cmake.of_call(read)
    elif isinstance(read, Assign) and read.kind in cmake.KINDS:
        yield from cmake.of_assign(read)
    elif isinstance(read, Call):
        yield from settings.of_call(read)
        yield from downloads.of_call(read)
    elif isinstance(read, Assign):
        yield from settings.of_assign(read)
    elif isinstance(read, Entry):
        yield from settings.of_entry(read)
    elif isinstance(read, EnvVar):
        yield from settings.of_environment(read)
        yield from installs.of_environment(read)
    elif isinstance(read, Include):
        yield from installs.of_copy(read)
        yield from downloads.of_include(read)


def _command(command: Command) -> Iterator[Read]:
    yield command
    yield from installs.of_command(command)
    yield from settings.of_command(command)
    yield from scripts.of_command(command)
    yield from downloads.of_command(command)
    for fact in (*docker.of_command(command), *_of_make(command)):
        yield from named(fact)


def _of_make(command: Command) -> Iterator[EnvVar]:
    """`make CUDA_DOCKER_ARCH=sm_90`: the variables that make is given are those of what it runs."""
    for word in command.arguments if command.name == "make" else ():
        name, equals, _ = word.value.partition("=")
        if equals and name.isidentifier():
            yield replace(_variable(command, name, word[len(name) + 1 :]), written=word.written)


def _environment(command: Command, seen: set[Span]) -> Iterator[Read]:
    """The variables that are set for a command, but not for the one around it already."""
    for name, value in command.environment:
        if value.span not in seen:
            seen.add(value.span)
            variable = _variable(command, name, value)
            yield variable
            yield from settings.of_environment(variable)


def _variable(fact: Fact, name: str, value: Text) -> EnvVar:
    """The environment variable that a word sets for one command: `MAX_JOBS=4 pip install …`."""
    return EnvVar(
        name=name,
        value=value.value,
        span=value.span,
        origin=value.origin,
        written=f"{name}={value.written}",
        context=fact.context,
    )


def _bearable(text: Text, depth: int) -> bool:
    """Whether code within code is read: the deeper the shorter, since each level reads all that is left once more."""
    return depth < commands.DEEPEST and len(text.value) <= commands.LONGEST_INSIDE >> depth


def _shell(text: Text, context: Context, depth: int, interests: Interests | None) -> Iterator[Read]:
    from spark_lint.read.shell import commands as shell_commands

    if _bearable(text, depth):
        for read in shell_commands(text, replace(context)):
            yield from named(read, depth + 1, interests)


def _code(code: Code, depth: int, interests: Interests | None) -> Iterator[Read]:
    from spark_lint.read.inner import facts

    if _bearable(code.text, depth):
        for read in facts(code, interests):
            yield from named(read, depth + 1, interests)
