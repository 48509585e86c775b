"""Which language is a piece of code in a document? Its info string says it, a file name, or its first line."""

import re
from typing import Final, NamedTuple

from spark_lint.files import DOCKERFILE, JSON, PYTHON, REQUIREMENTS, SHELL, YAML, kind_of
from spark_lint.read.markdown_console import is_shell, known_program
from spark_lint.read.markdown_fences import Fence
from spark_lint.text import Text

VARIABLES: Final = "variables"
"""A file of `NAME=value` lines."""

_LANGUAGES: Final = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "ksh", "fish", "bash-session", "shellscript", "shell-script", "commandline", "cli"), SHELL),
    **dict.fromkeys(("console", "terminal", "shell-session", "shellsession", "sh-session", "session", "bash-console"), SHELL),
    **dict.fromkeys(("python", "py", "py3", "python3", "ipython", "ipython3", "pycon", "pyi", "python-repl", "jupyter", "testcode"), PYTHON),
    **dict.fromkeys(("yaml", "yml"), YAML),
    **dict.fromkeys(("json", "jsonc", "json5"), JSON),
    **dict.fromkeys(("dockerfile", "docker", "containerfile"), DOCKERFILE),
    **dict.fromkeys(("requirements", "pip-requirements", "requirements.txt"), REQUIREMENTS),
    **dict.fromkeys(("env", "dotenv", "ini", "properties"), VARIABLES),
}  # fmt: skip
_CONSOLES: Final = frozenset(
    ("console", "terminal", "shell-session", "shellsession", "sh-session", "session", "bash-session", "bash-console")
)
_NO_LANGUAGE: Final = frozenset(("", "text", "txt", "plain", "plaintext", "none", "code"))
_DIRECTIVES: Final = frozenset(("code-block", "code", "code-cell", "sourcecode", "prompt", "parsed-literal"))

_LONGEST_INFO: Final = 300
"""Characters of an info string that are looked at."""

_WORD: Final = re.compile(r"[A-Za-z][\w+-]*(?:\.\w+)?")
_TITLE: Final = re.compile(r"\b(?:title|filename|file|name|caption)\s*=\s*[\"'`]?([\w./-]*[\w-])")
_NAME: Final = re.compile(r"(?<![\w=])([\w./-]*(?:\.(?:txt|in|py|sh|ya?ml|json|env)|[Dd]ockerfile[\w.-]*))(?![\w=])")
_COMMENT: Final = re.compile(
    r"[ \t]*(?:#|//)[ \t]*(?:[Ff]ile(?:name)?:?[ \t]*)?`?([\w./-]*\w)`?:?[ \t]*(?:\([^()\n]*\))?[ \t]*\r?\n"
)
_REQUIREMENT: Final = re.compile(
    r"[ \t]*(?:#.*|-[-\w]+[ =].*|[A-Za-z0-9][\w.-]*[ \t]{0,9}(?:\[[\w, .-]*\])?[ \t]{0,9}(?:(?:[=<>~!]=|[<>@;]|[ \t]#).*)?)?"
)
_OPTIONS: Final = re.compile(r"(?:[ \t]*:[\w-]+:[^\n]*\n)+\s*")


class Code(NamedTuple):
    """The kind of a piece of code and its text. console: it shows a session."""

    kind: str
    text: Text
    console: bool = False


def code_of(fence: Fence) -> Code:
    """The kind of a fence's code; empty for what is not read."""
    text = fence.text
    if fence.info is None:
        first = text.value.partition("\n")[0]
        return Code(SHELL if is_shell(text) and (known_program(first) or "$" in first) else "", text)
    info = fence.info[:_LONGEST_INFO]
    words = [word.lower() for word in _WORD.findall(info)]
    if words and words[0] in _DIRECTIVES:
        words = words[1:]
        options = _OPTIONS.match(text.value)
        text = text[options.end() :] if options else text
    language = words[0].removeprefix("language-") if words else ""
    if kind := _named(info, text, language):
        return Code(kind, text)
    if language in _NO_LANGUAGE:
        if any(kind_of(name) == REQUIREMENTS for name in _NAME.findall(fence.lead[:_LONGEST_INFO])) and _lists(text):
            return Code(REQUIREMENTS, text)
        return Code(SHELL if is_shell(text) else "", text)
    return Code(_LANGUAGES.get(language, ""), text, language in _CONSOLES)


def _named(info: str, text: Text, language: str) -> str:
    """The kind of the file that the code is said to stand in, where that says more than its language."""
    found = _TITLE.search(info) or _NAME.search(info) or _COMMENT.match(text.value)
    if found is None:
        return ""
    name = found[1].rpartition("/")[2].lower()
    if name == ".env" or name.endswith(".env"):
        return VARIABLES
    kind = kind_of(name)
    if kind in (REQUIREMENTS, DOCKERFILE):
        # `# requirements.txt` above commands tells what they install.
        return "" if language in _LANGUAGES and _LANGUAGES[language] == SHELL and _runs(text) else kind
    return kind if kind and language in _NO_LANGUAGE and kind in _LANGUAGES.values() else ""


def _lists(text: Text) -> bool:
    """Whether each line is one that a requirements file may have."""
    return all(_REQUIREMENT.fullmatch(line) for line in text.value.splitlines())


def _runs(text: Text) -> bool:
    """Whether the code has a command that is known to be one."""
    return any(known_program(line) or line.startswith("$ ") for line in text.value.splitlines())
