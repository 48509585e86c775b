"""Development containers: the image or the Dockerfile of one, its environment, what is given to `docker run`, what runs in it and before it.

https://containers.dev/implementors/json_reference/ (2026-11)
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Context, Include, Read
from spark_lint.read.json_commands import command, environment, filled
from spark_lint.read.json_tree import Array, Node, Object, Scalar
from spark_lint.read.reference import base_image, image
from spark_lint.text import UNKNOWN, Text

_LIFECYCLE: Final = ("onCreateCommand", "updateContentCommand", "postCreateCommand", "postStartCommand", "postAttachCommand")
_WORKSPACE: Final = "${localWorkspaceFolder}/"
_INNER: Final = 1000


def devcontainer(root: Object, context: Context) -> Iterator[Read]:
    """The facts of a devcontainer.json. What runs in the container is a block of its own; `initializeCommand` runs on the machine around it."""
    yield from _run(root.get("initializeCommand"), context)
    inside = replace(context, block=context.block * _INNER + 1)
    named, composed = _string(root.get("image")), root.get("dockerComposeFile")
    if named is not None:
        found = image(filled(named), role="run", context=context)
        yield found
        inside = replace(inside, image=found)
    elif composed is not None:  # the service's, which its own file says
        place = _string(root.get("service")) or (composed if isinstance(composed, Scalar) else None)
        inside = inside if place is None else replace(inside, image=image(place.string.as_value(UNKNOWN), role="run"))
    yield from _options(root, named, context)
    yield from _build(root, inside)
    for name in ("containerEnv", "remoteEnv"):
        yield from environment(root.get(name), inside)
    for name in _LIFECYCLE:
        yield from _run(root.get(name), inside)


def _string(node: Node | None) -> Scalar | None:
    return node if isinstance(node, Scalar) and node.quoted and node.string.value else None


def _options(root: Object, named: Scalar | None, context: Context) -> Iterator[Read]:
    """`runArgs`: what is given to `docker run`."""
    listed = root.get("runArgs")
    words = [filled(item) for item in (listed.items if isinstance(listed, Array) else ()) if isinstance(item, Scalar)]
    if words:
        start = words[0][0:0]
        # Where no image is named, a Dockerfile makes it.
        run = words[0].as_value(UNKNOWN) if named is None else filled(named)
        yield command([start.as_value("docker"), start.as_value("run"), *words, run], context)


def _build(root: Object, context: Context) -> Iterator[Read]:
    """The Dockerfile of a development container, in its two spellings, and what its ARGs are given."""
    build = root.get("build")
    build = build if isinstance(build, Object) else root
    arguments = build.get("args")
    yield from environment(arguments, context)
    for key, value in arguments.pairs if isinstance(arguments, Object) else ():
        if isinstance(value, Scalar) and (base := base_image(key.string.value, filled(value), context)) is not None:
            yield base
    file, target = _string(build.get("dockerfile")) or _string(root.get("dockerFile")), _string(build.get("target"))
    if file is not None:
        yield Include("build", _from_workspace(file), context, from_stage="" if target is None else target.string.value)


def _from_workspace(file: Scalar) -> Text:
    """A path as seen from the file's own folder, which is `.devcontainer` in the workspace, or one below."""
    text = file.string
    if not text.value.startswith(_WORKSPACE):
        return filled(file)
    folders = text.source.path.split("/")[:-1]
    up = len(folders) - folders.index(".devcontainer") if ".devcontainer" in folders else 0
    return text.as_value("../" * up + text.value[len(_WORKSPACE) :])


def _run(node: Node | None, context: Context) -> Iterator[Read]:
    """A command as a text for a shell, or as a list of words; or several by name."""
    from spark_lint.read.shell import commands

    for each in [value for _, value in node.pairs] if isinstance(node, Object) else [node]:
        if isinstance(each, Scalar) and each.quoted:
            yield from commands(filled(each), context)
        elif isinstance(each, Array):
            words = [filled(item) for item in each.items if isinstance(item, Scalar)]
            if words and len(words) == len(each.items):
                yield command(words, context)
