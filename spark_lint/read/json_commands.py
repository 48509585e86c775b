"""JSON that holds commands: the launch configurations of VS Code, and what these share with development containers.

https://code.visualstudio.com/docs/python/debugging (2026-11)
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Command, Context, EnvVar, Read
from spark_lint.read.json_tree import Array, Node, Object, Scalar
from spark_lint.text import UNKNOWN, Text

_VARIABLE: Final = re.compile(r"\$\{(?:(?:localEnv|containerEnv|env):[A-Za-z_]\w*:(?P<default>[^{}]+)|[^{}]*)\}")
_PYTHON: Final = ("python", "debugpy")


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
    yield from environment(each.get("env"), context)
    words = [kind.string.as_value("python")]
    if isinstance(module, Scalar):
        words += [module.string.as_value("-m"), module.string]
    elif isinstance(program, Scalar):
        words.append(filled(program))
    else:
        return
    words += [filled(item) for item in (args.items if isinstance(args, Array) else ()) if isinstance(item, Scalar)]
    yield command(words, context)


def command(words: list[Text], context: Context) -> Command:
    """The program that these words run without a shell."""
    first = words[0]
    whole = Text.of(first.source, first.bounds()[0], max(word.bounds()[1] for word in words))
    name = UNKNOWN if UNKNOWN in first.value else first.value.rsplit("/", 1)[-1]
    written = " ".join(word.value for word in words)
    return Command(
        name=name, span=whole.span, origin=whole.span, written=written, context=context, words=tuple(words), exec_form=True
    )


def environment(node: Node | None, context: Context) -> Iterator[Read]:
    """The variables that an object sets; null takes one away."""
    for key, value in node.pairs if isinstance(node, Object) else ():
        if isinstance(value, Scalar) and value.text.value != "null":
            text = filled(value)
            span = text.span
            yield EnvVar(
                name=key.string.value, value=text.value, span=span, origin=span, written=f"{key.string.value}={text.written}", context=context
            )  # fmt: skip


def filled(value: Scalar) -> Text:
    """A string with what VS Code fills in (`${workspaceFolder}`) unknown; `${localEnv:TAG:25.11}` has a default."""
    text = value.string
    parts, at = [], 0
    for match in _VARIABLE.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(match["default"] or UNKNOWN)]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text
