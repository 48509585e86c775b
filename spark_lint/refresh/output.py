"""What the package clients print, as data."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from subprocess import CompletedProcess
from typing import Final

import tomli
from packaging.version import Version

_UV_NETWORK: Final = re.compile(
    r"Request failed|Failed to (fetch|download)|error sending request|timed out|"
    r"\b(401|403|407|429|5\d\d) (Unauthorized|Forbidden|Proxy|Too Many|Internal|Bad|Service|Gateway)"
)
_PIP_NETWORK: Final = re.compile(r"Could not fetch URL \S+: (?!404 )(.{0,200})")
_PIP_NONE: Final = "No matching distribution found"
_RESOLVED: Final = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;]+)")


class RegistryError(Exception):
    """The index could not be asked: no network, no answer in time, or an answer that is none. Says nothing about the package."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a release: its name, its size in bytes (0 where the index does not say), the day it was uploaded, `2026-11-30`."""

    name: str
    size: int
    day: str
    is_source: bool


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a client would install for some requirements.

    packages: version by name. via: which of them asks for a package, by its name. error: why it cannot be installed; empty where it can.
    """

    packages: Mapping[str, str]
    via: Mapping[str, tuple[str, ...]]
    error: str = ""


def pip_versions(done: CompletedProcess[str]) -> list[str]:
    """What `pip index versions --json` found. Raises RegistryError where it neither found versions nor says that there are none."""
    for line in reversed(done.stdout.splitlines()):
        if line.startswith('{"name"'):
            found: list[str] = json.loads(line)["versions"]
            return found
    if pip_had_nothing(done):
        return []
    raise RegistryError(without_address(last_line(done.stderr)))


def files(locked: str) -> list[tuple[str, int, str, bool]]:
    """The files in a pylock.toml of one package: https://packaging.python.org/en/latest/specifications/pylock-toml/"""
    found = []
    for package in tomli.loads(locked).get("packages", []):
        for row, is_source in [*((wheel, False) for wheel in package.get("wheels", [])), (package.get("sdist"), True)]:
            if row is not None:
                name = row.get("name") or row["url"].rpartition("/")[2]
                found.append((name, row.get("size", 0), str(row.get("upload-time", ""))[:10], is_source))
    return sorted(found)


def resolution(compiled: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The packages in a compiled list of requirements, and who asks for each, which stands in the comments below it."""
    packages: dict[str, str] = {}
    via: dict[str, list[str]] = {}
    for name, asked in _lines(compiled):
        if match := _RESOLVED.match(name):
            packages[match[1]] = match[2]
            via[match[1]] = asked
    return packages, via


def _lines(compiled: str) -> Iterator[tuple[str, list[str]]]:
    line, asked = "", list[str]()
    for each in compiled.splitlines():
        if not each.startswith(" "):
            yield line, asked
            line, asked = each, []
        elif by := each.strip(" #").removeprefix("via").split():
            asked += by if "-r" not in by else []  # `-r -`: who asked is the one who started this
    yield line, asked


def are_versions(answer: object) -> bool:
    """Whether what was kept can be what `pip_versions` gives."""
    return isinstance(answer, list) and all(isinstance(each, str) and _is_version(each) for each in answer)


def are_files(answer: object) -> bool:
    """Whether what was kept can be what `files` gives."""
    return isinstance(answer, list) and all(
        isinstance(each, list) and tuple(map(type, each)) == (str, int, str, bool) for each in answer
    )


def is_resolution(answer: object) -> bool:
    """Whether what was kept can be a resolution, with its error."""
    return isinstance(answer, dict) and [type(answer.get(key)) for key in ("packages", "via", "error")] == [dict, dict, str]


def _is_version(text: str) -> bool:
    try:
        return bool(Version(text).release)
    except ValueError:  # InvalidVersion is one
        return False


def pip_had_nothing(done: CompletedProcess[str]) -> bool:
    """Whether pip ended because there is nothing that fits, as far as it could see."""
    return _PIP_NONE in done.stderr or _PIP_NONE in done.stdout


def pip_network_error(done: CompletedProcess[str]) -> str:
    """Why pip could not read the index, from its debug output; empty where it could, or where the index says that there is no such package."""
    found = _PIP_NETWORK.search(done.stdout + done.stderr)
    return without_address(found[1]) if found else ""


def no_solution(done: CompletedProcess[str]) -> str:
    """Why uv found nothing that fits, as one line. Raises RegistryError where it ended for another reason."""
    if "No solution found" not in done.stderr or _UV_NETWORK.search(done.stderr):
        raise RegistryError(without_address(last_line(done.stderr)))
    found = re.search(r"cause: (.*?)(?:\n\s*\n|\n\s*(?:cause|hint):|$)", done.stderr, re.DOTALL)
    return without_address(" ".join(found[1].split()) if found else last_line(done.stderr))


def last_line(said: str) -> str:
    """The last line that says something."""
    return next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "it ended without a word")


def without_address(text: str) -> str:
    """A text without the addresses in it, which may name the host that a mirror stands on: what is kept is published."""
    return re.sub(r"https?://\S+", "the index", text)
