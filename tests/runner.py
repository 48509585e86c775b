"""A runner of GitHub Actions, as far as it reads the log of a step.

After `ActionCommand`, `ActionCommandManager` and `IssueCommandExtension` of https://github.com/actions/runner (2.336.0).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

COMMANDS = {
    "error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "add-path", "set-env", "set-output", "save-state", "echo",
    "add-matcher", "remove-matcher", "stop-commands",
}  # fmt: skip


@dataclass
class Job:
    """What a step's log does. commands: all that were obeyed. annotations: what the page of the run shows, at most 10 a level."""

    commands: list[tuple[str, dict[str, str], str]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    stopped: str = ""

    @property
    def annotations(self) -> list[tuple[str, dict[str, str], str]]:
        """What GitHub shows."""
        issues = [each for each in self.commands if each[0] in ("error", "warning", "notice")]
        return [each for level in ("error", "warning", "notice") for each in [one for one in issues if one[0] == level][:10]]


def job(output: str) -> Job:
    """What a runner makes of the output of a step."""
    ran = Job()
    for line in re.split(r"\r\n|\r|\n", output):
        known = COMMANDS | {ran.stopped} if ran.stopped else COMMANDS
        command = _colons(line, known) or _brackets(line, known)
        if command is None:
            ran.log.append(line)
        elif ran.stopped:
            if command[0] == ran.stopped:
                ran.stopped = ""
            else:
                ran.log.append(line)
        else:
            ran.commands.append(command)
            if command[0] == "stop-commands":
                ran.stopped = command[2]
    return ran


def _colons(line: str, known: Iterable[str]) -> tuple[str, dict[str, str], str] | None:
    line = line.lstrip()
    if not line.startswith("::") or (end := line.find("::", 2)) < 0:
        return None
    name, _, properties = line[2:end].partition(" ")
    if name not in known:
        return None
    pairs = (each.split("=", 1) for each in properties.strip().split(",") if "=" in each)
    escapes = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}
    return name, {key: _unescaped(value, escapes) for key, value in pairs}, _unescaped(line[end + 2 :], escapes, "%3A%2C")


def _brackets(line: str, known: Iterable[str]) -> tuple[str, dict[str, str], str] | None:
    begin = line.find("##[")
    end = line.find("]", begin)
    if begin < 0 or end < 0:
        return None
    name = line[begin + 3 : end].partition(" ")[0]
    return (name, {}, line[end + 1 :]) if name in known else None


def _unescaped(text: str, escapes: dict[str, str], but: str = "") -> str:
    for written, meant in escapes.items():
        if written not in but:
            text = text.replace(written, meant)
    return text
