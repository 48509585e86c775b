"""What is fetched from an address: by `wget`, `curl` and their like, by `ADD` in a Dockerfile, by a Python function."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from spark_lint.facts import Argument, Call, Command, Include, Setting
from spark_lint.names.tables import table
from spark_lint.text import UNKNOWN, Span, Text

_SETTING: Final = "download"
_ADDRESS: Final = re.compile(r"""(?:https?|ftp)://[^\s"'<>|;\\)]{1,2000}""", re.IGNORECASE)
# $BASE/tool-linux-x86_64.tar.gz: where it is from is not known, but what it is.
_TAIL: Final = re.compile(rf"{UNKNOWN}[\w.{UNKNOWN}-]*/[^\s\"'<>|;\\)]{{1,2000}}")
X86_64: Final = re.compile(r"(?<![a-z0-9])(?:x86[_-]64|amd64|x64|linux[-_]?64|linux32|i[36]86)(?![a-z0-9])", re.IGNORECASE)
"""What x86-64 is called in addresses."""
_SAYS: Final = frozenset({"echo", "printf"})
# A line of sources.list (manpages.debian.org/bookworm/apt/sources.list.5.en.html).
_SOURCE: Final = re.compile(r"\s{0,20}deb\s{1,20}(?:\[[^\]]{0,200}\]\s{0,20})?https?://", re.IGNORECASE)
_LETTERS: Final = re.compile(r"-[A-Za-z]{2,}")
_MOST: Final = 50
"""Addresses in one command that are looked at."""


class _Program(NamedTuple):
    value: frozenset[str]
    probe: frozenset[str]


@cache
def _programs() -> dict[str, _Program]:
    rows = ((key, row) for key, row in table("downloads").items() if key != "calls")
    found: dict[str, _Program] = {}
    for key, row in rows:
        program = _Program(frozenset(row.get("value", ())), frozenset(row.get("probe", ())))
        found |= dict.fromkeys(row.get("programs", (key,)), program)
    return found


@cache
def _calls() -> frozenset[str]:
    return frozenset(name for names in table("downloads")["calls"].values() for name in names)


def of_command(command: Command) -> Iterator[Setting]:
    """The addresses that a command fetches: `curl -fsSLo tool https://…/tool-linux-x86_64`."""
    if command.name in _SAYS:
        yield from _listed(command)
        return
    program = _programs().get(command.name)
    if program is None or any(word.value.partition("=")[0] in program.probe for word in command.words):
        return
    addresses = (word[at] for word in _given(command, program) for at in _place(word.value, program))
    for address in islice(addresses, _MOST):
        yield _download(command, address)


def _listed(command: Command) -> Iterator[Setting]:
    """The repository in a line for apt's list of sources: `echo "deb https://… /" > /etc/apt/sources.list.d/cuda.list`."""
    for word in command.words[1:]:
        found = _ADDRESS.search(word.value) if _SOURCE.match(word.value) else None
        if found is not None:
            yield _download(command, word[found.start() : found.end()])


def _given(command: Command, program: _Program) -> Iterator[Text]:
    """The words that may be an address: not where the file goes, and not what is sent along."""
    before = ""
    for word in command.words[1:]:
        option, before = before, word.value
        last = f"-{option[-1]}" if _LETTERS.fullmatch(option) else option  # -fsSLo FILE: the last letter takes the next word
        if last not in program.value and word.value.partition("=")[0] not in program.value:
            yield word


def _place(word: str, program: _Program) -> Iterator[slice]:
    found = _ADDRESS.search(word)
    if found is None and program.value:
        found = _TAIL.match(word)
    if found is not None:
        yield slice(found.start(), found.end())


def of_include(include: Include) -> Iterator[Setting]:
    """The address that `ADD https://… /opt/` fetches."""
    if include.kind == "copy" and not include.from_stage and _ADDRESS.match(include.path.value):
        path = include.path
        yield Setting(
            name=_SETTING, value=path.value, tool="ADD", launched=True, span=path.span, origin=_origin(path), written=path.written,
            context=include.context,
        )  # fmt: skip


def of_call(call: Call) -> Iterator[Setting]:
    """The address that a Python function fetches: `urlretrieve("https://…")`."""
    given = call.argument("url", 0) if call.name in _calls() else None
    if given is not None:
        yield from of_argument(call, given)


def of_argument(call: Call, given: Argument) -> Iterator[Setting]:
    """The address that a call is given to fetch; nothing where it is none."""
    if isinstance(given.value, str) and _ADDRESS.match(given.value):
        yield Setting(
            name=_SETTING, value=given.value, tool=call.name, launched=True, span=given.span, origin=given.origin, written=given.written,
            context=call.context,
        )  # fmt: skip


def _download(command: Command, address: Text) -> Setting:
    return Setting(
        name=_SETTING, value=address.value, tool=command.name, launched=True, span=address.span, origin=_origin(address),
        written=address.written, context=command.context,
    )  # fmt: skip


def _origin(address: Text) -> Span:
    """Where the machine is written that an address is for: in `$BASE/tool-$VERSION-linux-x86_64.sh` no variable decides it."""
    found = X86_64.search(address.value)
    if found is None:
        return address.origin
    pieces = address[found.start() : found.end()].pieces
    return next((piece.origin for piece in pieces if piece.origin), address.span)
