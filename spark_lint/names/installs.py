"""What an install command asks for: packages, indexes and the files it pulls in."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Command, EnvVar, Fact, Include, Index, Package
from spark_lint.names import apt, managers
from spark_lint.text import UNKNOWN, Text

INDEX_OPTIONS: Final = {
    "--index-url": "index", "--default-index": "index", "--extra-index-url": "extra-index", "--index": "extra-index",
    "--find-links": "find-links", "--torch-backend": "torch-backend",
}  # fmt: skip
INDEX_VARIABLES: Final = {
    "PIP_INDEX_URL": "index", "PIP_EXTRA_INDEX_URL": "extra-index", "PIP_FIND_LINKS": "find-links", "UV_INDEX_URL": "index",
    "UV_DEFAULT_INDEX": "index", "UV_EXTRA_INDEX_URL": "extra-index", "UV_INDEX": "extra-index", "UV_FIND_LINKS": "find-links",
    "UV_TORCH_BACKEND": "torch-backend",
}  # fmt: skip
FILES: Final = {
    "--requirement": "requirement",
    "--constraint": "constraint",
    "--with-requirements": "requirement",
    "--override": "constraint",
}
_ADDS: Final = {("poetry", "add"), ("pdm", "add"), ("pipenv", "install"), ("rye", "add")}
CONFIGURATIONS: Final = {"pip.conf", "uv.toml"}

_PIP_CONFIG: Final = re.compile(r"^(?:global|install|user|site)\.(index-url|extra-index-url|find-links)$")
# conda: name, then a version after =, ==, >=, < … or a blank ("numpy 1.26"), then perhaps a build string.
_CONDA: Final = re.compile(r"^(?:[\w./-]+::)?([A-Za-z0-9_][\w.-]*)\s*(\[[^\]]*\]|[=<>!~ ].*)?$")


def of_command(command: Command) -> Iterator[Fact | Include]:
    """The facts of `pip install …`, `uv pip install …`, `uv sync`, `uv run --with …`, `poetry install`, `pixi add …`, `conda install …`, `apt install …`."""
    yield from managers.of_command(command)
    yield from apt.of_command(command)
    arguments = [argument.value for argument in command.arguments]
    if command.name == "pip" and arguments[:1] == ["config"]:
        yield from _configured(command)
    elif command.name == "pip" and arguments[:1] in (["install"], ["download"], ["wheel"]):
        yield from _pip(command, command.arguments[1:])
    elif command.name == "uv" and arguments[:2] in (["pip", "install"], ["pip", "sync"], ["pip", "compile"]):
        # sync and compile take files where install takes packages
        files = arguments[1] != "install"
        yield from (_files(command, command.arguments[2:]) if files else _pip(command, command.arguments[2:]))
    elif command.name == "uv" and arguments[:1] == ["add"]:
        yield from _pip(command, command.arguments[1:])
    elif command.name == "uv" and arguments[:1] in (["run"], ["sync"], ["export"]):
        yield from _pip(command, ())
    elif command.name == "uv" and arguments[:2] in (["tool", "run"], ["tool", "install"]):
        yield from _tool(command, command.arguments[2:3])
    elif command.name == "pipx" and arguments[:1] == ["install"]:
        yield from _pip(command, command.arguments[1:])
    elif command.name == "pixi" and arguments[:1] == ["add"]:
        yield from _pip(command, command.arguments[1:]) if command.has("--pypi") else _conda(command)
    elif command.name == "uvx":
        yield from _tool(command, command.arguments[:1])
    elif (command.name, *arguments[:1]) in _ADDS:
        yield from _pip(command, tuple(each for each in command.arguments[1:] if "@" not in each.value))
    elif command.name == "conda" and arguments[:1] in (["install"], ["create"]):
        yield from _conda(command)


def _pip(command: Command, requested: tuple[Text, ...]) -> Iterator[Fact | Include]:
    from spark_lint.read.requirement import index, project, requirement

    flags = frozenset(option.name for option in command.options)
    environment = tuple((name, value.value) for name, value in command.environment)
    for name, value in command.environment:
        if role := INDEX_VARIABLES.get(name):
            yield index(value, role, command.context)
    for option in command.options:
        if option.value is None:
            continue
        if role := INDEX_OPTIONS.get(option.name):
            yield (
                backend(option.value, command)
                if role == "torch-backend"
                else index(_unnamed(option.value), role, command.context)
            )
        elif kind := FILES.get(option.name):
            yield _file(kind, option.value, command)
        elif option.name == "--group" and "pip" in (command.name, command.subcommand):
            yield _group(option.value, command)
        elif option.name in ("--editable", "--with-editable"):
            yield from _editable(option.value, command)
    added = [option.value for option in command.options if option.name == "--with" and option.value is not None]
    for text in (*requested, *added):
        package = requirement(
            text, context=command.context, manager=command.name, flags=flags, environment=environment
        )  # fmt: skip
        folder = None if package else project(text)
        if package is not None:
            yield package
        elif folder is not None:
            yield _project(folder, command)


def _editable(text: Text, command: Command) -> Iterator[Fact | Include]:
    """`-e .[gpu]` and `-e vllm` are projects in folders, `-e git+https://…` is a package."""
    from spark_lint.read.requirement import requirement

    if "://" not in text.value or text.value.startswith("file:"):
        yield _project(text, command)
        return
    flags = frozenset(option.name for option in command.options)
    environment = tuple((name, value.value) for name, value in command.environment)
    package = requirement(text, context=command.context, manager=command.name, flags=flags, environment=environment)
    if package is not None:
        yield package


def _project(text: Text, command: Command) -> Include:
    """The project in a folder: `path/to/it[gpu,dev]`."""
    from spark_lint.read.requirement import project_extras

    path, extras = project_extras(text)
    return Include("editable", path, command.context, command=command, extras=extras)


def _file(kind: str, text: Text, command: Command) -> Include:
    """`-r requirements.txt`; of uv, which takes the file of a project too, what is asked for of that: `-r pyproject.toml --extra gpu`."""
    if kind == "constraint" or managers.folder(text) is text:
        return Include(kind, text, command.context, command=command)
    extras = frozenset((*managers.asked(command, "--extra"), *(["*"] if command.has("--all-extras") else [])))
    return Include("editable", managers.folder(text), command.context, command=command, extras=extras)


def _group(text: Text, command: Command) -> Include:
    """`--group dev`, `--group sub/pyproject.toml:dev`: dependency groups, without the project itself."""
    path, colon, name = text.value.rpartition(":")
    place = managers.folder(text[: len(path)]) if colon else command.words[0].as_value(".")
    groups = frozenset(f"group:{each}" for each in managers.names(name))
    return Include("editable", place, command.context, command=command, extras=groups)


def _tool(command: Command, named: tuple[Text, ...]) -> Iterator[Fact | Include]:
    """`uvx --from vllm==0.12.0 vllm serve m`: the package that `--from` names, or the one called like the program."""
    given = command.option("--from")
    yield from _pip(command, named if given is None else (given,))


def _unnamed(text: Text) -> Text:
    """Uv's `--index pytorch=https://…` without the name."""
    name, equals, rest = text.value.partition("=")
    return text[len(name) + 1 :] if equals and "/" not in name and "//" in rest else text


def backend(text: Text, fact: Fact) -> Index:
    """`--torch-backend cu126` picks the index of that name; `auto` looks at the machine, so nothing is known."""
    name = "" if text.value == "auto" or UNKNOWN in text.value else text.value.lower()
    return Index(
        name=name, url="", role="torch-backend", span=text.span, origin=text.origin, written=text.written, context=fact.context
    )


def _files(command: Command, requested: tuple[Text, ...]) -> Iterator[Fact | Include]:
    yield from _pip(command, ())
    for text in requested:
        yield _file("requirement", text, command)


def _configured(command: Command) -> Iterator[Fact]:
    """`pip config set global.index-url X`."""
    from spark_lint.read.requirement import index

    words = command.arguments[1:]
    if len(words) == 3 and words[0].value == "set" and (match := _PIP_CONFIG.match(words[1].value)):
        yield replace(index(words[2], INDEX_OPTIONS["--" + match[1]], command.context), lasting=True)


def _conda(command: Command) -> Iterator[Fact]:
    """Conda packages have names of their own kind: `conda/pytorch-cuda`."""
    for text in command.arguments[1:]:
        match = _CONDA.match(text.value)
        if match is None or "/" in match[1] or UNKNOWN in match[1]:
            continue
        yield Package(
            name=f"conda/{match[1].lower()}", specifier=(match[2] or "").strip(), manager="conda", span=text.span, origin=text.origin,
            written=text.written, context=command.context, flags=frozenset(option.name for option in command.options),
        )  # fmt: skip


def of_environment(variable: EnvVar) -> Iterator[Index]:
    """`PIP_EXTRA_INDEX_URL=…`: an index, or several with blanks between them, for every install after it."""
    if role := INDEX_VARIABLES.get(variable.name):
        from spark_lint.read.requirement import accelerator_tag

        for url in variable.value.split():
            name = url.lower() if role == "torch-backend" else accelerator_tag(url)
            yield Index(
                name="" if name == "auto" or UNKNOWN in name else name, url=url, role=role, span=variable.span, origin=variable.origin,
                written=variable.written, context=variable.context, lasting=True,
            )  # fmt: skip


def of_copy(include: Include) -> Iterator[Index]:
    """`COPY pip.conf /etc/`: it may name any index, for every install after it."""
    names = [text.value.rpartition("/")[2] for text in (include.path, include.target) if text is not None]
    if include.kind == "copy" and CONFIGURATIONS & set(names):
        yield Index(
            name="", url=UNKNOWN, span=include.path.span, origin=include.path.origin, written=include.path.written,
            context=include.context, lasting=True,
        )  # fmt: skip
