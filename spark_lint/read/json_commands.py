"""JSON that holds commands: development containers and the launch configurations of VS Code.

https://containers.dev/implementors/json_reference/ and https://code.visualstudio.com/docs/python/debugging (2026-11)
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Command, Context, EnvVar, Include, Read
from spark_lint.read.json_tree import Array, Node, Object, Scalar
from spark_lint.text import UNKNOWN, Text

_LIFECYCLE: Final = ("onCreateCommand", "updateContentCommand", "postCreateCommand", "postStartCommand", "postAttachCommand")
_VARIABLE: Final = re.compile(r"\$\{[^{}]*\}")
_PYTHON: Final = ("python", "debugpy")


def devcontainer(root: Object, context: Context) -> Iterator[Read]:
    """The image of a development container, its environment and the commands that prepare it."""
    from spark_lint.read.reference import image

    inside = context
    named = root.get("image")
    if isinstance(named, Scalar) and named.quoted:
        found = image(_filled(named), role="run", context=context)
        yield found
        inside = replace(context, image=found)
    yield from _options(root, named if isinstance(named, Scalar) else None, context)
    yield from _build(root, context)
    for name in ("containerEnv", "remoteEnv"):
        yield from _environment(root.get(name), inside)
    for name in _LIFECYCLE:
        value = root.get(name)
        for each in [node for _, node in value.pairs] if isinstance(value, Object) else [value]:
            yield from _run(each, inside)


def _options(root: Object, image: Scalar | None, context: Context) -> Iterator[Read]:
    """`runArgs`: what is given to `docker run`."""
    listed = root.get("runArgs")
    words = [_filled(item) for item in (listed.items if isinstance(listed, Array) else ()) if isinstance(item, Scalar)]
    if words:
        start = words[0][0:0]
        # Where no image is named, a Dockerfile makes it.
        run = words[0].as_value(UNKNOWN) if image is None else _filled(image)
        yield _command([start.as_value("docker"), start.as_value("run"), *words, run], context)


def _build(root: Object, context: Context) -> Iterator[Read]:
    """The Dockerfile of a development container, and what its ARGs are given."""
    build = root.get("build")
    if not isinstance(build, Object):
        return
    yield from _environment(build.get("args"), context)
    file, target = build.get("dockerfile"), build.get("target")
    if isinstance(file, Scalar) and file.quoted:
        stage = target.string.value if isinstance(target, Scalar) else ""
        yield Include("build", _filled(file), context, from_stage=stage)


def launches(root: Object, context: Context) -> Iterator[Read]:
    """The Python programs that VS Code starts, each a block of its own."""
    listed = root.get("configurations")
    for number, each in enumerate(listed.items if isinstance(listed, Array) else (), 1):
        if isinstance(each, Object):
            kind = each.get("type")
            if isinstance(kind, Scalar) and kind.string.value in _PYTHON:
                yield from _launch(each, kind, replace(context, block=number))


def _launch(each: Object, kind: Scalar, context: Context) -> Iterator[Read]:
    module, program, args = each.get("module"), each.get("program"), each.get("args")
    yield from _environment(each.get("env"), context)
    words = [kind.string.as_value("python")]
    if isinstance(module, Scalar):
        words += [module.string.as_value("-m"), module.string]
    elif isinstance(program, Scalar):
        words.append(_filled(program))
    else:
        return
    words += [_filled(item) for item in (args.items if isinstance(args, Array) else ()) if isinstance(item, Scalar)]
    yield _command(words, context)


def _run(node: Node | None, context: Context) -> Iterator[Read]:
    """A command as a text for a shell, or as a list of words."""
    from spark_lint.read.shell import commands

    if isinstance(node, Scalar) and node.quoted:
        yield from commands(_filled(node), context)
    elif isinstance(node, Array):
        words = [_filled(item) for item in node.items if isinstance(item, Scalar)]
        if words and len(words) == len(node.items):
            yield _command(words, context)


def _command(words: list[Text], context: Context) -> Command:
    first, last = words[0], words[-1]
    whole = Text.of(first.source, first.bounds()[0], max(first.bounds()[1], last.bounds()[1]))
    name = UNKNOWN if UNKNOWN in first.value else first.value.rsplit("/", 1)[-1]
    written = " ".join(word.value for word in words)
    return Command(
        name=name, span=whole.span, origin=whole.span, written=written, context=context, words=tuple(words), exec_form=True
    )


def _environment(node: Node | None, context: Context) -> Iterator[Read]:
    for key, value in node.pairs if isinstance(node, Object) else ():
        if isinstance(value, Scalar) and value.text.value != "null":
            text = _filled(value)
            span = text.span
            yield EnvVar(
                name=key.string.value, value=text.value, span=span, origin=span, written=f"{key.string.value}={text.written}", context=context
            )  # fmt: skip


def _filled(value: Scalar) -> Text:
    """A string with what VS Code fills in (`${workspaceFolder}`) unknown."""
    text = value.string
    parts, at = [], 0
    for match in _VARIABLE.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(UNKNOWN)]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text
