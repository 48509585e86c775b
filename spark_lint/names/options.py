"""What the words of a command set: flags, Hydra's overrides, lists such as `a=1,b=2`, and JSON."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from spark_lint.facts import Command
from spark_lint.names.tools import Tool, spelled, tool_of
from spark_lint.text import Text

# Hydra: `trainer.nnodes=2`, `++model.attn_implementation=sdpa`, `+x=1`. `~x=1` deletes. Keys that are capitals are variables.
_OVERRIDE: Final = re.compile(r"\+{0,2}(?=[\w.\[\]]*[a-z])[A-Za-z_][\w./@\[\]]*=(?!=)")
_PAIRS: Final = re.compile(r"[A-Za-z_][\w.\[\]-]*=[^,=]*(?:,[A-Za-z_][\w.\[\]-]*=[^,=]*)+")
_MEMBER: Final = re.compile(r""""([\w.-]{1,80})"\s*:\s*("[^"\\]{0,200}"|true|false|-?\d[\d.]{0,20})""")
_WRITES: Final = frozenset(
    {"echo", "printf", "grep", "egrep", "fgrep", "rg", "sed", "awk", "jq", "yq", "logger", "git", "cat", "man", "which", "type", "curl",
     "wget", "hf", "huggingface-cli", "gcloud", "aws", "az", "modal"}
)  # fmt: skip
"""Programs whose words are text to them, or start something on a machine of somebody else."""
_INSTALLS: Final = frozenset({"pip", "uv", "uvx", "conda", "poetry", "pdm", "pipenv", "pixi", "apt", "apt-get", "spack"})
"""Programs to which `a=1` is the version of a package."""


_MOST_WORDS: Final = 10_000
_MOST_PARTS: Final = 200
"""Words of one command, and parts of one word, that are looked at; only a hostile file has more."""


@dataclass(frozen=True, slots=True)
class Given:
    """One thing that words set: `name` as the tool's table spells it, the value if there is one, and the words, for the message.

    option: it is a flag. place: where name and value stand.
    """

    name: str
    value: Text | None
    place: Text
    words: tuple[Text, ...]
    option: bool = True


def shown(words: tuple[Text, ...]) -> str:
    """The words as a message shows them: as they are written, or as what they stand for where that says more."""
    # `${ENGINE_ARGS[@]}` holds the option itself. `-tp="2"` ends before its second quote, `-tp=${TP:-2}` before its brace.
    written = words[0].written
    cut = any(written.count(quote) % 2 for quote in "\"'") or written.count("{") != written.count("}")
    by_value = words[0].origin != words[0].span or cut
    return " ".join(word.value if by_value else word.written for word in words)


def given(command: Command) -> Iterator[Given]:
    """What a command's own words set."""
    if command.name in _WRITES:
        return
    tool = tool_of(command.words[0].value.rpartition("/")[2]) or tool_of(command.name)
    words = command.words
    for at, word in enumerate(words[:_MOST_WORDS]):
        if word.value.startswith("-"):
            yield _flag(word, words[at + 1] if at + 1 < len(words) else None, tool)
        elif command.name in _INSTALLS:
            continue
        elif _PAIRS.fullmatch(word.value):
            yield from _pairs(word)
        elif match := _OVERRIDE.match(word.value):
            name = match[0].lstrip("+")[:-1]
            yield Given(name, word[match.end() :], word, (word,), option=False)
        if word.value.lstrip("'").startswith("{"):
            yield from _members(word, words[at - 1].value if at and words[at - 1].value.startswith("--") else "")


def flags(text: str) -> Iterator[tuple[str, str | bool]]:
    """The flags in a text that somebody passes on, with their values: `--tensor-parallel-size 2 --enforce-eager`."""
    words = text.split(None, _MOST_PARTS)
    for word, following in zip(words, (*words[1:], "-"), strict=False):  # an empty text has no words
        name, equals, value = word.partition("=")
        if name.startswith("--"):
            yield name, value if equals else following if not following.startswith("-") else True


def _flag(word: Text, following: Text | None, tool: Tool | None) -> Given:
    """A flag with its value: `--tp=2`, `--tp 2`, `-N2`."""
    name, equals, _ = word.value.partition("=")
    value: Text | None = word[len(name) + 1 :] if equals else None
    if tool is not None and tool.short and not name.startswith("--") and len(name) > 2:
        letter = spelled(name[:2], tool)
        if tool.takes_value(letter):
            return Given(letter, word[2:], word, (word,))
    name = name if tool is None else spelled(name, tool)
    if value is not None:
        return Given(name, value, word, (word,))
    if following is None or (following.value.startswith("-") and not following.value[1:2].isdigit()):
        return Given(name, None, word, (word,))
    place = Text.join([word, following]) if word.source is following.source else word
    return Given(name, following, place, (word, following))


def _pairs(word: Text) -> Iterator[Given]:
    """`--model_args pretrained=m,tensor_parallel_size=2`."""
    at = 0
    for pair in word.value.split(",", _MOST_PARTS)[:_MOST_PARTS]:
        name, _, _ = pair.partition("=")
        text = word[at : at + len(pair)]
        yield Given(name, text[len(name) + 1 :], text, (text,), option=False)
        at += len(pair) + 1


def _members(word: Text, option: str) -> Iterator[Given]:
    """`--hf-overrides '{"attn_implementation": "sdpa"}'` sets what `--hf-overrides.attn_implementation sdpa` sets."""
    for match in islice(_MEMBER.finditer(word.value), _MOST_PARTS):
        start, stop = match.span(2)
        quoted = 1 if match[2].startswith('"') else 0
        text = word[match.start() : match.end()]
        yield Given(f"{option}.{match[1]}", word[start + quoted : stop - quoted], text, (text,), option=False)
