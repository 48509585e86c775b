"""The tools of tools.toml: which program is whose, how its options are spelled, and what is left for the program it runs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final

from spark_lint.facts import Option
from spark_lint.names.tables import table
from spark_lint.text import Span, Text

_SWITCHES: Final = 20
"""Single-letter options in one word."""

_DEEPEST: Final = 3
"""Subcommands within subcommands: `docker compose run`."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool's row in tools.toml."""

    key: str
    name: str
    programs: tuple[str, ...]
    value: frozenset[str]
    pairs: frozenset[str]
    flags: frozenset[str]
    alias: Mapping[str, str]
    stop: int
    runs: str
    script: str
    image: str
    short: bool
    keeps_name: bool
    greedy: bool

    def takes_value(self, option: str) -> bool:
        """Whether the next word is the option's value."""
        return (self.greedy or option in self.value) and option not in self.flags


@cache
def _tools() -> dict[str, Tool]:
    return {key: _tool(key, row) for key, row in table("tools").items()}


def _tool(key: str, row: Mapping[str, Any]) -> Tool:
    row = {**table("tools").get(row.get("same_as", ""), {}), **row}
    first = key.partition(" ")[0]
    return Tool(
        key=key,
        name=row.get("name", first),
        programs=tuple(row.get("programs", [first])),
        value=frozenset(row.get("value", ())),
        pairs=frozenset(row.get("pairs", ())),
        flags=frozenset(row.get("flags", ())),
        alias=row.get("alias", {}),
        stop=row.get("stop", -1),
        runs=row.get("runs", ""),
        script=row.get("script", "-c"),
        image=row.get("image", ""),
        short=row.get("short", False),
        keeps_name=row.get("keeps_name", False),
        greedy=row.get("every_option_takes_a_value", False),
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


@cache
def _families() -> frozenset[str]:
    """Tools with rows for subcommands."""
    return frozenset(key.partition(" ")[0] for key in _tools() if " " in key)


@cache
def running_images() -> frozenset[str]:
    """The names of commands that may run an image."""
    return frozenset(tool.name for tool in _tools().values() if tool.image)


def programs(tool: str) -> frozenset[str]:
    """The names by which a tool is started, but for those that are patterns."""
    return frozenset(
        program for each in _tools().values() if each.name == tool for program in each.programs if "*" not in program
    )


def tool_of(program: str) -> Tool | None:
    """The row of the tool that a program belongs to, None for a program no table knows."""
    exact, globs = _programs()
    return exact.get(program) or next((tool for pattern, tool in globs if fnmatchcase(program, pattern)), None)


def row_of(program: str, words: tuple[Text, ...]) -> Tool | None:
    """The row of what is run, by its subcommand where there is one of it: `docker run`, `docker compose exec`."""
    tool = tool_of(program)
    if tool is None:
        return None
    family = tool.key.partition(" ")[0]
    if family not in _families():
        return tool
    if family != tool.key:  # only its subcommand is known
        tool = replace(tool, key=family, runs="", stop=-1, image="")
    for depth in range(1, _DEEPEST + 1):
        _, arguments, _ = parsed(words, replace(tool, stop=depth, runs=""))
        if len(arguments) < depth:
            break
        key = " ".join((family, *(word.value for word in arguments)))
        if key in _tools():
            tool = _tools()[key]
        elif not any(row.startswith(f"{key} ") for row in _tools()):
            break
    return tool


def spelled(option: str, tool: Tool) -> str:
    """The spelling rules use: alias resolved, `_` as `-` in long options."""
    option = tool.alias.get(option, option)
    if option.startswith("--"):
        option = "--" + option[2:].replace("_", "-")
    return tool.alias.get(option, option)


def parsed(words: tuple[Text, ...], tool: Tool) -> tuple[tuple[Option, ...], tuple[Text, ...], tuple[Text, ...]]:
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
            found = list(_options(words, at, tool))
            options += (option for option, _ in found)
            at += found[-1][1]
            if tool.runs == "module" and options[-1].name in ("-m", "-c"):
                return tuple(options), tuple(arguments), words[at + 1 :]
        elif tool.key == "env" and "=" in value:
            options.append(Option("=", word, word.span))
        else:
            arguments.append(word)
            if tool.stop >= 0 and len(arguments) >= tool.stop:
                return tuple(options), tuple(arguments), words[at + 1 :]
        at += 1
    return tuple(options), tuple(arguments), ()


def _options(words: tuple[Text, ...], at: int, tool: Tool) -> Iterator[tuple[Option, int]]:
    """The options in the word at `at`, each with the number of further words it used."""
    word = words[at]
    name, equals, _ = word.value.partition("=")
    following = words[at + 1] if at + 1 < len(words) else None
    if name.startswith("--") and equals:
        yield Option(spelled(name, tool), word[len(name) + 1 :], word.span), 0
    elif tool.short and not name.startswith("--") and len(word.value) > 2 and word.value not in tool.alias:
        # -rfile, -ihttps://…, or several switches in one word, the last of which may take a value: -Uqq, -itp 80:80
        for place, letter in enumerate(word.value[1:_SWITCHES], 1):
            option = spelled("-" + letter, tool)
            if not tool.takes_value(option):
                yield Option(option, None, word.span), 0
                continue
            rest = word[place + 1 :]
            if rest.value:
                yield Option(option, rest[1:] if rest.value.startswith("=") else rest, word.span), 0
            else:
                yield _with_value(option, word, following)
            return
    elif equals:
        yield Option(spelled(name, tool), word[len(name) + 1 :], word.span), 0
    else:
        option = spelled(word.value, tool)
        if tool.runs == "text" and tool.script == "-c" and not name.startswith("--") and name.endswith("c"):
            option = "-c"  # bash -lc "…", sh -ec "…": the switches may be joined, the script follows
        own = (option == tool.script and tool.runs in ("text", "module")) or (option == "-m" and tool.runs == "module")
        if option in tool.pairs:
            yield Option(option, following, word.span), min(2, len(words) - at - 1)
        elif (own or tool.takes_value(option)) and not (tool.greedy and following and following.value.startswith("--")):
            yield _with_value(option, word, following)
        else:
            yield Option(option, None, word.span), 0


def _with_value(option: str, word: Text, following: Text | None) -> tuple[Option, int]:
    if following is None:
        return Option(option, None, word.span), 0
    return Option(option, following, reach(word, following)), 1


def reach(first: Text, last: Text) -> Span:
    """The span from the start of one word to the end of another; of the one alone where the other stands above it in the file."""
    start, end = first.span, last.span
    if (end.end_line, end.end_column) < (start.line, start.column):
        return start
    return replace(start, end_line=end.end_line, end_column=end.end_column)
