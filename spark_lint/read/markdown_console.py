"""Shell code as documents show it: behind prompts and among output, with placeholders, or without a word about its language."""

import re
from typing import Final

from spark_lint.read import template
from spark_lint.text import UNKNOWN, Text

# $ pip …, (venv) $ pip …, user@host:~/x$ pip …, root@spark:/workspace# pip …, ➜ x git:(main) ✗ pip …
_PROMPT: Final = re.compile(
    r"[ \t]*(?:\([\w .+-]+\)[ \t]*)?(?:\[?[\w.+-]+@[\w.+-]+[^$#%>\n]{0,80}[$#%>]|➜(?:[ \t]+~\S*|[ \t]+[\w./-]+(?=[ \t]+git:))?(?:[ \t]+git:\([^()\n]*\))?(?:[ \t]+✗)?|[$%❯])(?:[ \t]+|$)"
)
_ROOT: Final = re.compile(r"[ \t]*#[ \t]+(?=[\w./~-]*)")
_CONTINUED: Final = re.compile(r"[ \t]*>[ \t]?")
_FIRST_WORD: Final = re.compile(r"[ \t]*(?:\w+=[^\s\"']*[ \t]+)*(?:sudo[ \t]+)?([^\s;|&()]+)")
_HEREDOC: Final = re.compile(r"<<-?[ \t]*[\"']?(\w+)")
_DOUBLE_QUOTED: Final = re.compile(r"\\.|\"(?:[^\"\\]|\\.)*\"|'[^']*'", re.DOTALL)

# <your-model>, {model}, YOUR_TOKEN, [OPTIONS]: not a redirection (`<in >out`, `<(…)`), not `${x}`, not an expansion (`{a,b}`).
_PLACEHOLDER: Final = re.compile(
    r"(?<![<\w])<(?!/)[^\W\d][^<>\n]{0,80}(?<![\s\d])>(?![>&])|(?<![\w$%{}])\{[A-Za-z][\w -]*\}(?!\})"
    r"|\bYOUR_[A-Z0-9_]+"
)
# `vllm serve [options]`; in data it is a list
_OPTIONAL: Final = re.compile(_PLACEHOLDER.pattern + r"|(?<=[ \t])\[[^\]\n\"'$=]{1,80}\](?=[ \t]|$)", re.MULTILINE)

# Programs that documents tell people to run: code of no named language is for a shell where its lines begin with them.
_PROGRAMS: Final = frozenset((
    "accelerate", "apptainer", "apt", "apt-get", "axolotl", "bash", "cd", "chmod", "cmake", "conda", "cp", "curl", "deepspeed",
    "docker", "echo", "enroot", "env", "export", "git", "helm", "hf", "huggingface-cli", "kubectl", "llamafactory-cli", "ls",
    "make", "mamba", "micromamba", "mkdir", "modelscope", "mpirun", "mv", "nerdctl", "ninja", "npm", "nvcc", "nvidia-smi", "pip",
    "pip3", "pipx", "pixi", "podman", "poetry", "python", "python3", "ray", "rm", "sbatch", "scp", "set", "sglang", "sh",
    "singularity", "source", "srun", "ssh", "sudo", "swift", "systemctl", "tar", "torchrun", "trl", "trtllm-serve", "tune", "uv",
    "uvx", "vllm", "wget",
))  # fmt: skip


def blanked(text: Text, *, data: bool = False) -> Text:
    """The text with what a reader of the document fills in as unknown. data: it is YAML or JSON, where `[a, b]` is a list."""
    text = template.literal(text)
    parts, at = [], 0
    for match in (_PLACEHOLDER if data else _OPTIONAL).finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value(UNKNOWN)]
        at = match.end()
    return Text.join([*parts, text[at:]]) if parts else text


def typed(text: Text, *, console: bool) -> Text:
    """What is typed in a session: behind the prompts, without the output. All of a text without prompts.

    console: the document says that it is a session, so that `# ` may be root's prompt.
    """
    lines = text.value.splitlines(keepends=True)
    prompt = _PROMPT
    if not any(prompt.match(line) for line in lines):
        if not console or not any(_roots(line) for line in lines):
            return text
        prompt = _ROOT
    return Text.join(_kept(text, lines, prompt))


def _roots(line: str) -> bool:
    """Whether a line is a command behind root's prompt, not a comment."""
    prompt = _ROOT.match(line)
    return prompt is not None and known_program(line[prompt.end() :])


def _kept(text: Text, lines: list[str], prompt: re.Pattern[str]) -> list[Text]:
    parts = [text[:0]]
    at = 0
    command = ""  # the lines of the command that has begun, as far as it may go on
    marker = ""  # what ends its here-document
    for line in lines:
        start, bare = at, line.strip()
        at += len(line)
        found = prompt.match(line) if prompt is _PROMPT or _roots(line) else None
        if marker:
            parts.append(text[start:at])
            marker = "" if bare == marker else marker
            continue
        if found is not None:
            command, start = line[found.end() :], start + found.end()
        elif _goes_on(command):
            if more := _CONTINUED.match(line):
                start += more.end()
            command += line
        else:
            command = ""
            continue
        parts.append(text[start:at])
        if len(command) > _LONGEST:
            command = ""
        heredoc = _HEREDOC.search(line)
        marker = heredoc[1] if heredoc else ""
    return parts


_LONGEST: Final = 4000


def _goes_on(command: str) -> bool:
    """Whether the shell would ask for more: a backslash at the end, or an open quote."""
    if command.rstrip("\r\n").endswith("\\"):
        return True
    rest = _DOUBLE_QUOTED.sub("", command)
    return '"' in rest or "'" in rest


def known_program(line: str) -> bool:
    """Whether a line begins with a program that documents tell people to run."""
    word = _FIRST_WORD.match(line)
    return word is not None and word[1].rpartition("/")[2] in _PROGRAMS


def is_shell(text: Text) -> bool:
    """Whether code of an unnamed language is for a shell: it has prompts, or most of its commands run known programs."""
    begins = known = 0
    fresh = True
    for line in text.value.splitlines():
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if prompt := _PROMPT.match(line):
            if known_program(line[prompt.end() :]):
                return True
            continue
        if fresh:
            begins += 1
            known += known_program(line)
            if not known:
                return False
        fresh = not bare.endswith("\\")
    return known * 2 > begins
