"""Files that set up machines: the user data of cloud-init, and Ansible's playbooks and tasks, with what they install and run.

https://docs.cloud-init.io/en/latest/reference/modules.html,
https://docs.ansible.com/ansible/latest/collections/ansible/builtin/ (2026-11)
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Command, Condition, Context, Read
from spark_lint.read.yaml_document import Document
from spark_lint.read.yaml_tree import Mapping, Node, Scalar, Sequence
from spark_lint.read.yaml_values import filled, split
from spark_lint.text import UNKNOWN, Text

_CLOUD: Final = "#cloud-config"
_RUN: Final = ("bootcmd", "runcmd")
_FILES: Final = "write_files"
_PLAIN: Final = ("", "text/plain")
_PLACES: Final = re.compile(r"(?:.*/)?(?:tasks|handlers|playbooks)/[^/]+\.ya?ml(?:\.j2)?", re.IGNORECASE)
_SIGN: Final = re.compile(r"(?m)^(?:- |[ ]{1,8})(?:hosts|ansible\.(?:builtin|legacy)\.\w+):")
_TASKS: Final = ("pre_tasks", "tasks", "post_tasks", "handlers")
_BLOCKS: Final = ("block", "rescue", "always")
_PREFIX: Final = re.compile(r"ansible\.(?:builtin|legacy)\.")
_APT: Final = frozenset({"apt", "package"})
_SHELL: Final = frozenset({"shell", "raw"})
_MODULES: Final = _APT | _SHELL | {"pip", "command"}
_LOOPS: Final = ("loop", "with_items")
# `apt: name=cuda-toolkit-12-4 state=present`
_NAMED: Final = re.compile(r"(?:^|(?<=\s))(?:name|pkg|package)=(\"[^\"]*\"|'[^']*'|\S+)")
_REMOVED: Final = re.compile(r"(?:^|\s)state=absent\b")
_MOST: Final = 1000
"""Tasks of one list."""
_DEEPEST: Final = 10


def is_cloud_init(root: Mapping, text: Text) -> bool:
    """Whether a document is user data for cloud-init."""
    return any(isinstance(root.get(key), Sequence) for key in (*_RUN, _FILES)) or text.value.lstrip().startswith(_CLOUD)


def cloud_init(document: Document) -> Iterator[Read]:
    """The packages that are installed, then what is run, in which each line of text goes to one shell and each list is a command."""
    root, context = document.root, document.context
    packages = root.get("packages")
    listed = packages.items[:_MOST] if isinstance(packages, Sequence) else []
    # `- apt: [a, b]`, and `- [name, version]`
    own = [item.get("apt") if isinstance(item, Mapping) else item for item in listed]
    document.said(packages)
    yield from _install(["apt-get", "install"], [text for item in own for text in _names(document, item)], context)
    for key in _RUN:
        items = root.sequence(key).items[:_MOST]
        lines = [document.code(item) for item in items if isinstance(item, Scalar) and item.value]
        if lines:
            yield from document.script(document.joined(lines), context, {})
        for item in items:
            if isinstance(item, Sequence):
                yield from document.started(document.texts(item, filled), context, {})


def files(document: Document) -> Iterator[tuple[str, Text]]:
    """The path and the content of each file that cloud-init writes, where it stands there as text."""
    for each in document.root.sequence(_FILES).mappings[:_MOST]:
        path, content = each.string("path"), each.scalar("content")
        if path and content is not None and content.value and each.string("encoding") in _PLAIN:
            yield path, document.code(content)


def _names(document: Document, node: Node | None) -> list[Text]:
    """The packages in an item of a list: `name`, `[name, version]`, or what one manager is to install."""
    texts = document.texts(node, filled)
    if isinstance(node, Sequence) and len(texts) == 2 and texts[1].value[:1].isdigit():
        return [texts[0].as_value(f"{texts[0].value}={texts[1].value}")]
    return texts


def may_be_ansible(text: Text) -> bool:
    """Whether a file whose documents are lists is worth being read; most of them are data."""
    return _PLACES.fullmatch(text.source.path) is not None or _SIGN.search(text.value) is not None


def is_ansible(root: Sequence, path: str) -> bool:
    """Whether a list is a playbook, or the tasks of a role."""
    items = root.mappings[:_MOST]
    if any("hosts" in each and any(key in each for key in (*_TASKS, "roles", "vars")) for each in items):
        return True
    return any(_PREFIX.match(key) for each in items for key in each.pairs) or (
        _PLACES.fullmatch(path) is not None and any(_module(each) for each in items)
    )


def ansible(document: Document, root: Sequence) -> Iterator[Read]:
    """What the tasks install and run, each under its `when`, those of a play under the machines that it is for."""
    for play in root.mappings[:_MOST]:
        if "hosts" not in play:
            continue
        context = document.block(play)
        hosts = [text.value for text in document.texts(play.get("hosts"), filled)]
        named = tuple(Condition(f"runs-on {each}") for each in hosts if each and UNKNOWN not in each)
        around = replace(context, conditions=(*context.conditions, *named, *_when(document, play)))
        for key in _TASKS:
            yield from _tasks(document, play.sequence(key), around)
    yield from _tasks(document, root, document.context)


def _tasks(document: Document, tasks: Sequence, around: Context, depth: int = 0) -> Iterator[Read]:
    for task in tasks.mappings[:_MOST]:
        document.spend()
        if "hosts" in task:
            continue
        context = replace(around, conditions=(*around.conditions, *_when(document, task)))
        for key in _BLOCKS:
            if key in task and depth < _DEEPEST:
                yield from _tasks(document, task.sequence(key), context, depth + 1)
        if key := _module(task):
            yield from _task(document, task, key, context)


def _module(task: Mapping) -> str:
    """The key that says what a task does; empty for none that is known."""
    return next((key for key in task.pairs if _PREFIX.sub("", key) in _MODULES), "")


def _when(document: Document, task: Mapping) -> list[Condition]:
    """All that has to hold for a task."""
    texts = document.texts(task.get("when"), filled)
    return [Condition(text.value) for text in texts if text.value and UNKNOWN not in text.value]


def _task(document: Document, task: Mapping, key: str, context: Context) -> Iterator[Read]:
    name, given = _PREFIX.sub("", key), task.get(key)
    variables = document.variables(task.get("environment"), filled)
    yield from document.environment(variables, context)
    values = {variable.name: variable.value for variable in variables}
    if name in _SHELL or name == "command":
        code = given.scalar("cmd") if isinstance(given, Mapping) else given
        words = document.texts(given.get("argv"), filled) if isinstance(given, Mapping) and "argv" in given else []
        if isinstance(code, Scalar) and code.value:
            text = document.code(code)
            yield from (
                document.script(text, context, values) if name in _SHELL else document.started(split(text), context, values)
            )
        elif words:
            yield from document.started(words, context, values)
        return
    names, more = _asked(document, task, given)
    if name == "pip":
        yield from _install(["pip", "install"], [*more, *names], context)
    else:
        yield from _install(["apt-get", "install"], names, context)


def _asked(document: Document, task: Mapping, given: Node | None) -> tuple[list[Text], list[Text]]:
    """The packages that a task is to install, and the options for it."""
    more: list[Text] = []
    if isinstance(given, Mapping):
        if given.string("state") == "absent":
            return [], []
        names = [text for key in ("name", "pkg", "package") for text in document.texts(given.get(key), filled)]
        version = given.scalar("version")
        if version is not None and len(names) == 1:
            text = filled(document.of(version))
            names = [names[0].as_value(f"{names[0].value}=={text.value}")]
        for key, option in (("requirements", "--requirement"), ("extra_args", "")):
            for text in document.texts(given.get(key), filled):
                more += [text[0:0].as_value(option), text] if option else split(text)
    elif isinstance(given, Scalar) and not _REMOVED.search(given.value):
        text = document.code(given)
        names = [text[match.start(1) : match.end(1)] for match in _NAMED.finditer(text.value)]
    else:
        return [], []
    if any(each.value == UNKNOWN for each in names):
        looped = [text for key in _LOOPS for text in document.texts(task.get(key), filled)]
        names = [each for each in names if each.value != UNKNOWN] + looped
    return names, more


def _install(command: list[str], words: list[Text], context: Context) -> Iterator[Read]:
    """A command that installs what these words say. The words of the command itself are nowhere written."""
    if words:
        span = words[0].span
        program = [words[0][0:0].as_value(each) for each in command]
        yield Command(
            name=command[0], words=(*program, *words), exec_form=True, span=span, origin=span,
            written=" ".join([*command, words[0].value]), context=context,
        )  # fmt: skip
