"""systemd units and Podman's quadlets: what a service or a container runs, in which environment.

Sections, continued lines and comments as systemd reads them, https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html;
a quadlet's [Container] is the `podman run` that its generator makes of it,
https://docs.podman.io/en/latest/markdown/podman-systemd.unit.5.html (2026-11).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from spark_lint.facts import Command, Context, EnvVar, Image, Include, ParseProblem, Read
from spark_lint.read import shell, template
from spark_lint.read.dockerfile_commands import program, shell_code
from spark_lint.read.dockerfile_words import json_words
from spark_lint.read.dotenv import Environments, nothing
from spark_lint.read.expansion import MOST, TOO_MUCH, Budget, joined_path
from spark_lint.read.reference import image as reference
from spark_lint.read.systemd_words import specified, substituted, unquoted
from spark_lint.text import UNKNOWN, Source, Text

_ANYWHERE: Final = Context()
_LINE: Final = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_SECTION: Final = re.compile(r"\[([^\[\]]*)\]")
_KEY: Final = re.compile(r"([A-Za-z][\w-]*)[ \t]*=[ \t]*")
_ODD: Final = re.compile(r"(?<!\\)(?:\\\\)*\\$")
"""A line that goes on: its last backslash is no escaped one."""
# What the build system fills in: @bindir@.
_CONFIGURED: Final = re.compile(r"@[A-Za-z_]\w*@")
_PREFIXES: Final = "-@:+!|"
_SERVICE: Final = "Service"
_CONTAINER: Final = "Container"
_COMMANDS: Final = frozenset(
    {"ExecCondition", "ExecStartPre", "ExecStart", "ExecStartPost", "ExecReload", "ExecStop", "ExecStopPost"}
)
_LISTS: Final = _COMMANDS | {"Environment", "EnvironmentFile", "AddDevice", "PodmanArgs"}
"""Keys that may stand several times, of which each adds to those before; an empty one takes all of them back."""
_OPTIONS: Final = {
    "ContainerName": "--name",
    "AddDevice": "--device",
    "ShmSize": "--shm-size",
    "WorkingDir": "--workdir",
    "Pod": "--pod",
}
"""Keys of a quadlet that stand for one option of `podman run`."""
_UNITS: Final = (".image", ".build")
"""Ends of the names of other quadlets, which an image may be made by."""


class Key(NamedTuple):
    """One `Key=value`: the section it stands in, where its name stands, and its value."""

    section: str
    name: Text
    value: Text


@dataclass(slots=True)
class Unit:
    """What stands in a unit. context: what is around it. budget: shared by all of it. variables: those of its service."""

    keys: list[Key]
    context: Context
    budget: Budget
    environments: Environments
    variables: dict[str, Text] = field(default_factory=dict)


def read(source: Source, environments: Environments = nothing) -> Iterator[Read]:
    """The variables, commands and images of a unit. environments: the variables of the environment files that it names."""
    yield from facts(Text.of(source), environments=environments)


def facts(text: Text, context: Context = _ANYWHERE, environments: Environments = nothing) -> Iterator[Read]:
    """The facts of a unit that may stand inside another file. context: what is around it."""
    unit = Unit(_left(keys(_filled(text))), context, Budget(MOST + 2 * len(text.value)), environments)
    yield from _service(unit)
    yield from _container(unit)
    if unit.budget.left < 0:
        yield ParseProblem(text[:0].span, TOO_MUCH)


def _filled(text: Text) -> Text:
    """The text with what is filled in before systemd reads it as UNKNOWN."""
    text = template.literal(text)
    parts, at = [], 0
    for match in _CONFIGURED.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(UNKNOWN)]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text


def keys(text: Text) -> Iterator[Key]:
    """The keys of a unit with their values, continued lines joined by a blank; comments may stand between these."""
    section = ""
    for line in _lines(text):
        stripped = line.value.strip()
        start = len(line.value) - len(line.value.lstrip())
        whole = line[start : start + len(stripped)]
        if header := _SECTION.fullmatch(stripped):
            section = header[1]
        elif key := _KEY.match(stripped):
            yield Key(section, whole[: key.end(1)], whole[key.end() :])


def _lines(text: Text) -> Iterator[Text]:
    parts: list[Text] = []
    at = 0
    while at < len(text.value):
        line = _LINE.match(text.value, at)
        if line is None:
            break
        start, stop = line.span(1)
        at = line.end()
        stripped = line[1].lstrip(" \t")
        if stripped.startswith(("#", ";")):
            continue
        first = stop - len(stripped) if parts else start  # as systemd does, without the blanks before it
        if _ODD.search(line[1]):
            parts += [text[first : stop - 1], text[stop - 1 : stop].as_value(" ")]
            continue
        yield Text.join([*parts, text[first:stop]]) if parts else text[start:stop]
        parts = []
    if parts:
        yield Text.join(parts)


def _left(found: Iterator[Key]) -> list[Key]:
    """The keys that count: of a list what follows its last empty key, of others the last one."""
    kept: dict[tuple[str, str], list[Key]] = {}
    for key in found:
        place = (key.section, key.name.value)
        if key.name.value in _LISTS and key.value.value:
            kept.setdefault(place, []).append(key)
        else:
            kept[place] = [key] if key.value.value else []
    return sorted((key for each in kept.values() for key in each), key=lambda key: key.name.bounds())


def _in(unit: Unit, section: str, name: str) -> Iterator[Text]:
    return (key.value for key in unit.keys if key.section == section and key.name.value == name)


def _words(text: Text) -> list[Text]:
    """The words of a value, its specifiers (`%i`) unknown."""
    return [specified(word) for word in unquoted(text)]


# ---- environment -----------------------------------------------------------------------------------------------------------


def _environment(unit: Unit, section: str, context: Context) -> Iterator[Read]:
    """The variables of `Environment=`, and the files of `EnvironmentFile=`, which win over them."""
    for value in _in(unit, section, "Environment"):
        for word in _words(value):
            name, equals, _ = word.value.partition("=")
            if equals and name.isidentifier():
                assigned = word[len(name) + 1 :]
                assigned = assigned if assigned.value else word.as_value("")
                unit.variables |= {name: assigned} if section == _SERVICE else {}
                yield EnvVar(
                    name=name, value=assigned.value, span=word.span, origin=word.span, written=word.written, context=context
                )
    for value in _in(unit, section, "EnvironmentFile"):
        path = specified(value[value.value.startswith("-") :])
        if path.value:
            yield Include("env", path, context)
            if section == _SERVICE:
                known = unit.environments(path.value)
                unit.variables |= {name: path.as_value(each.value, each.origin) for name, each in known.items()}


def _given(unit: Unit, text: Text) -> list[Text]:
    """The words of a command line, with `$NAME` and `${NAME}` put in."""
    return [found for word in _words(text) for found in substituted(word, unit.variables, unit.budget)]


# ---- [Service] -------------------------------------------------------------------------------------------------------------


def _service(unit: Unit) -> Iterator[Read]:
    folder = next(_in(unit, _SERVICE, "WorkingDirectory"), None)
    context = unit.context
    if folder is not None:
        path = specified(folder[folder.value.startswith("-") :]).value
        context = replace(context, workdir=joined_path(context.workdir, UNKNOWN if path.startswith("~") else path))
    yield from _environment(unit, _SERVICE, context)
    for key in unit.keys:
        if key.section == _SERVICE and key.name.value in _COMMANDS:
            yield from _commands(unit, key.value, context)


def _commands(unit: Unit, text: Text, context: Context) -> Iterator[Read]:
    """`ExecStart=-/usr/bin/vllm serve … ; /bin/true`: a list of words for each command."""
    stripped = text.value.lstrip(_PREFIXES)
    length = len(text.value) - len(stripped)
    prefix, text = text.value[:length], text[length:]
    words = _words(text) if ":" in prefix else _given(unit, text)
    if "@" in prefix:  # the second word is the name that the program is told of itself
        words = words[:1] + words[2:]
    line: list[Text] = []
    for word in words:
        if word.value == ";" and word.written == ";":
            yield from _started(unit, line, context)
            line = []
        else:
            line.append(word)
    yield from _started(unit, line, context)


def _started(unit: Unit, words: list[Text], context: Context) -> Iterator[Read]:
    if not words:
        return
    code = shell_code(words)
    if code is not None:
        # systemd has put in what it knows; what is left (`$NAME` within a word) the shell takes from the same environment.
        yield from (
            each
            for each in shell.commands(code, context, unit.variables, unit.budget)
            if code.known or not isinstance(each, ParseProblem)
        )
        return
    yield _command(words, context)


def _command(words: list[Text], context: Context) -> Command:
    bounds = [word.bounds() for word in words]
    start, stop = min(first for first, _ in bounds), max(last for _, last in bounds)
    span = words[0].source.span(start, stop)
    return Command(
        name=program(words[0]), words=tuple(words), exec_form=True, span=span, origin=span,
        written=" ".join(word.written or word.value for word in words), context=context,
    )  # fmt: skip


# ---- [Container] -----------------------------------------------------------------------------------------------------------


def _container(unit: Unit) -> Iterator[Read]:
    """The `podman run` of a quadlet, and the variables of its container."""
    named = next(_in(unit, _CONTAINER, "Image"), None)
    if named is None:
        return
    text = specified(named)
    made = text.value.endswith(_UNITS)
    image = reference(text.as_value(UNKNOWN) if made else text, role="run", context=unit.context)
    yield from _environment(unit, _CONTAINER, replace(unit.context, image=image))
    yield from _run(unit, text.as_value(UNKNOWN) if made else text, image)


def _run(unit: Unit, named: Text, image: Image) -> Iterator[Read]:
    start = named[0:0]
    words = [start.as_value("podman"), start.as_value("run")]
    command: list[Text] = []
    for key in unit.keys:
        if key.section != _CONTAINER:
            continue
        name = key.name.value
        if name in _OPTIONS:
            words.append(Text.join([key.name.as_value(f"{_OPTIONS[name]}="), specified(key.value)]))
        elif name == "Entrypoint":
            # A list of words as JSON, or one word.
            entry = json_words(key.value) or [specified(key.value)]
            words.append(Text.join([key.name.as_value("--entrypoint="), entry[0]]))
            command = [*entry[1:], *command]
        elif name == "PodmanArgs":
            words += _given(unit, key.value)
        elif name == "Exec":
            command += _given(unit, key.value)
    # Where another quadlet makes the image, what runs in it runs in a container nevertheless.
    context = replace(unit.context, image=image) if named.value == UNKNOWN else unit.context
    yield _command([*words, named, *command], context)
