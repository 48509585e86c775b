"""What a command runs: its program under a canonical name, its options by the tool's table, and the programs it wraps.

`sudo env A=1 python -m pip install torch` is four commands: sudo, env, python and pip, and rules ask about the last.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final

from spark_lint.facts import Command, Context, Option
from spark_lint.names.tables import table
from spark_lint.text import UNKNOWN, Text

DEEPEST: Final = 12
"""Wrappers around a command that are followed; nobody writes so many, only a hostile file does."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool's row in tools.toml."""

    name: str
    programs: tuple[str, ...]
    value: frozenset[str]
    flags: frozenset[str]
    alias: Mapping[str, str]
    stop: int
    skips: int
    runs: str
    short: bool
    script: bool
    greedy: bool

    def takes_value(self, option: str) -> bool:
        """Whether the next word is the option's value."""
        return option in self.value or (self.greedy and option not in self.flags)


@cache
def _tools() -> dict[str, Tool]:
    return {key: _tool(key, row) for key, row in table("tools").items()}


def _tool(key: str, row: Mapping[str, Any]) -> Tool:
    return Tool(
        key,
        tuple(row.get("programs", [key.partition(" ")[0]])),
        frozenset(row.get("value", ())),
        frozenset(row.get("flags", ())),
        row.get("alias", {}),
        row.get("stop", -1),
        row.get("skips", 0),
        row.get("runs", ""),
        row.get("short", False),
        row.get("script", False),
        row.get("every_option_takes_a_value", False),
    )


@cache
def _programs() -> tuple[dict[str, Tool], tuple[tuple[str, Tool], ...]]:
    """Tools by the exact name of a program, and by glob. Rows of subcommands are found through their tool."""
    exact: dict[str, Tool] = {}
    globs = []
    for key, tool in _tools().items():
        if " " in key and key.partition(" ")[0] in _tools():
            continue
        for program in tool.programs:
            if "*" in program:
                globs.append((program, tool))
            else:
                exact.setdefault(program, tool)
    return exact, tuple(globs)


def tool_of(program: str) -> Tool | None:
    """The row of the tool that a program belongs to, None for a program no table knows."""
    exact, globs = _programs()
    return exact.get(program) or next((tool for pattern, tool in globs if fnmatchcase(program, pattern)), None)


def _canonical(option: str, tool: Tool) -> str:
    """The spelling rules use: alias resolved, `_` as `-` in long options."""
    option = tool.alias.get(option, option)
    if option.startswith("--"):
        option = "--" + option[2:].replace("_", "-")
    return tool.alias.get(option, option)


def _parsed(words: tuple[Text, ...], tool: Tool) -> tuple[tuple[Option, ...], tuple[Text, ...], tuple[Text, ...]]:
    """Options, arguments, and the words left over after the tool's last own argument."""
    options: list[Option] = []
    arguments: list[Text] = []
    at = 1
    while at < len(words):
        word = words[at]
        value = word.value
        if value == "--":
            if tool.stop < 0:
                arguments += words[at + 1 :]
                return tuple(options), tuple(arguments), ()
        elif value.startswith("-") and len(value) > 1 and not value[1].isdigit():
            at += _option(words, at, tool, options)
            if tool.runs == "module" and options[-1].name in ("-m", "-c"):
                return tuple(options), tuple(arguments), words[at + 1 :]
        elif tool.name == "env" and "=" in value:
            options.append(Option("=", word, word.span))
        else:
            arguments.append(word)
            if tool.stop >= 0 and len(arguments) >= tool.stop:
                return tuple(options), tuple(arguments), words[at + 1 :]
        at += 1
    return tuple(options), tuple(arguments), ()


def _option(words: tuple[Text, ...], at: int, tool: Tool, options: list[Option]) -> int:
    """Read the option at `at`; how many further words it used."""
    word = words[at]
    name, equals, _ = word.value.partition("=")
    if name.startswith("--") and equals:
        options.append(Option(_canonical(name, tool), word[len(name) + 1 :], word.span))
        return 0
    if not name.startswith("--") and len(word.value) > 2 and tool.short:
        # -rfile, -ihttps://…, or several switches in one word: -Uqq
        first = _canonical(word.value[:2], tool)
        if tool.takes_value(first):
            options.append(Option(first, word[2:], word.span))
        else:
            options.extend(Option(_canonical("-" + letter, tool), None, word.span) for letter in word.value[1:])
        return 0
    canonical = _canonical(word.value if not equals else name, tool)
    if tool.runs == "text" and not name.startswith("--") and name.endswith("c"):
        canonical = "-c"  # bash -lc "…", sh -ec "…": the switches may be joined, the script follows
    following = words[at + 1] if at + 1 < len(words) else None
    wants = (
        tool.takes_value(canonical)
        or (canonical == "-c" and tool.runs in ("text", "module"))
        or (canonical == "-m" and tool.runs == "module")
    )
    if equals:
        options.append(Option(canonical, word[len(name) + 1 :], word.span))
        return 0
    if wants and following is not None and not (tool.greedy and following.value.startswith("--")):
        options.append(Option(canonical, following, replace_end(word, following)))
        return 1
    options.append(Option(canonical, None, word.span))
    return 0


def replace_end(first: Text, last: Text) -> Any:
    """The span from the start of one word to the end of another."""
    span = first.span
    return replace(span, end_line=last.span.end_line, end_column=last.span.end_column)


def unwrapped(command: Command, depth: int = 0) -> Iterator[Command | tuple[Text, Context]]:
    """The command under its canonical name and with its options, then each command inside it.

    A shell text (`bash -c "…"`) is yielded as the text with its context, for whoever can read shell.
    """
    tool = tool_of(command.name)
    if tool is None:
        yield replace(command, arguments=command.words[1:])
        return
    tool = _subtool(tool, command.words)
    options, arguments, rest = _parsed(command.words, tool)
    name = tool.programs[0] if " " not in tool.name else tool.name.partition(" ")[0]
    name = command.name if tool.name in ("prefix", "nice", "bash", "gosu") else name
    own = command.words[: len(command.words) - len(rest)]
    yield replace(command, name=tool.name if tool.greedy else name, words=own, options=options, arguments=arguments + rest)
    if depth >= DEEPEST or not tool.runs:
        return
    yield from _inside(command, tool, options, arguments, rest, depth)


def _subtool(tool: Tool, words: tuple[Text, ...]) -> Tool:
    """The row of the subcommand if there is one: `docker run`, `uv pip`."""
    _, arguments, _ = _parsed(words, replace(tool, stop=1, runs="") if tool.stop < 0 else tool)
    family = tool.name.partition(" ")[0]
    return _tools().get(f"{family} {arguments[0].value}", tool) if arguments else tool


def _inside(
    command: Command, tool: Tool, options: tuple[Option, ...], arguments: tuple[Text, ...], rest: tuple[Text, ...], depth: int
) -> Iterator[Command | tuple[Text, Context]]:
    environment = command.environment
    context = command.context
    words: tuple[Text, ...] = ()
    if tool.runs == "text":
        script = _value(options, "-c") or (command.stdin if not arguments else None)  # bash -c "…", bash <<EOF
        if script is not None:
            yield script, context
        return
    if tool.runs == "image":
        from spark_lint.names.docker import run_image

        words = rest
        outer = replace(command, name="docker", options=options, arguments=arguments + rest)
        command = replace(command, context=replace(context, image=run_image(outer)))
        environment = ()
    elif tool.runs == "module" and (module := _value(options, "-m")) is not None:
        words = (module, *rest)
    elif tool.runs == "module" and _value(options, "-c") is not None:
        return
    else:
        own = arguments[1:] if tool.skips or " " in tool.name else arguments
        words = (*own, *rest)
    if tool.name == "sudo" or tool.name == "env":
        environment, words = _assignments(environment, options, words)
    if not words:
        return
    inner = inner_command(command, words, environment)
    yield from unwrapped(inner, depth + 1)


def _value(options: tuple[Option, ...], name: str) -> Text | None:
    return next((option.value for option in options if option.name == name and option.value is not None), None)


def _assignments(
    environment: tuple[tuple[str, Text], ...], options: tuple[Option, ...], words: tuple[Text, ...]
) -> tuple[tuple[tuple[str, Text], ...], tuple[Text, ...]]:
    """`env A=1 cmd`, `sudo A=1 cmd`: what precedes the program is its environment."""
    given = [option.value for option in options if option.name == "=" and option.value is not None]
    while words and "=" in words[0].value.partition(" ")[0] and not words[0].value.startswith("-"):
        given.append(words[0])
        words = words[1:]
    found = [(word.value.partition("=")[0], word[word.value.index("=") + 1 :]) for word in given]
    return (*environment, *found), words


def inner_command(command: Command, words: tuple[Text, ...], environment: tuple[tuple[str, Text], ...]) -> Command:
    """The command that consists of some of another's words."""
    program = words[0].value.rsplit("/", 1)[-1] if UNKNOWN not in words[0].value else UNKNOWN
    span = replace_end(words[0], words[-1])
    return replace(
        command, name=program, span=span, origin=span, written=" ".join(word.written for word in words), words=words,
        environment=environment, options=(), arguments=(),
    )  # fmt: skip
