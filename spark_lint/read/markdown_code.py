"""Which language is a piece of code in a document? Its info string says it, a file name, or its first line."""

import re
from typing import Final, NamedTuple

from spark_lint.kinds import (
    CMAKE,
    DOCKERFILE,
    DOTENV,
    JSON,
    JUSTFILE,
    MAKEFILE,
    PYTHON,
    REQUIREMENTS,
    SHELL,
    SYSTEMD,
    TOML,
    YAML,
    kind_of,
)
from spark_lint.read.markdown_console import is_shell, known_program
from spark_lint.read.markdown_fences import Fence
from spark_lint.text import Text

_LANGUAGES: Final = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "ksh", "fish", "bash-session", "shellscript", "shell-script", "commandline", "cli"), SHELL),
    **dict.fromkeys(("console", "terminal", "shell-session", "shellsession", "sh-session", "session", "bash-console"), SHELL),
    **dict.fromkeys(("python", "py", "py3", "python3", "ipython", "ipython3", "pycon", "pyi", "python-repl", "jupyter", "testcode"), PYTHON),
    **dict.fromkeys(("yaml", "yml"), YAML),
    **dict.fromkeys(("json", "jsonc", "json5"), JSON),
    **dict.fromkeys(("dockerfile", "docker", "containerfile"), DOCKERFILE),
    **dict.fromkeys(("requirements", "pip-requirements", "requirements.txt"), REQUIREMENTS),
    **dict.fromkeys(("env", "dotenv"), DOTENV),
    **dict.fromkeys(("toml", "toml+jinja"), TOML),
    **dict.fromkeys(("make", "makefile", "gnumake"), MAKEFILE),
    **dict.fromkeys(("just", "justfile"), JUSTFILE),
    "cmake": CMAKE,
    **dict.fromkeys(("systemd", "quadlet"), SYSTEMD),
}  # fmt: skip
_CONSOLES: Final = frozenset(
    ("console", "terminal", "shell-session", "shellsession", "sh-session", "session", "bash-session", "bash-console")
)
_NO_LANGUAGE: Final = frozenset(("", "text", "txt", "plain", "plaintext", "none", "code"))
_SETTINGS: Final = frozenset(("ini", "properties", "conf", "cfg", "config", "dosini", "desktop"))
"""Languages of files with `name = value` lines, of which there are many kinds."""
_NAMED: Final = frozenset((REQUIREMENTS, DOCKERFILE, DOTENV, SYSTEMD))
"""Kinds of files that people give any language."""
_DIRECTIVES: Final = frozenset(("code-block", "code", "code-cell", "sourcecode", "prompt", "parsed-literal"))

_LONGEST_INFO: Final = 300
"""Characters of an info string that are looked at."""

_WORD: Final = re.compile(r"[A-Za-z][\w+-]*(?:\.\w+)?")
_TITLE: Final = re.compile(r"\b(?:title|filename|file|name|caption)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|`([^`]*)`|([^\s\"'`},]+))")
_NAME: Final = re.compile(
    r"(?<![\w=])([\w./@~-]*(?:\.(?:txt|in|py|sh|ya?ml|json|env|toml|service|container|conf|mk|cmake|just)"
    r"|\.env\.[\w.-]*\w|[Dd]ockerfile[\w.-]*|Makefile|[Jj]ustfile|CMakeLists\.txt|Pipfile))(?![\w=])"
)
_COMMENT: Final = re.compile(
    r"[ \t]*(?:#|//|;)[ \t]*(?:[Ff]ile(?:name)?:?[ \t]*)?`?([\w./@~-]*\w)`?:?[ \t]*(?:\([^()\n]*\))?[ \t]*\r?\n"
)
_REQUIREMENT: Final = re.compile(
    r"[ \t]*(?:#.*|-[-\w]+[ =].*|[A-Za-z0-9][\w.-]*[ \t]{0,9}(?:\[[\w, .-]*\])?[ \t]{0,9}(?:(?:[=<>~!]=|[<>@;]|[ \t]#).*)?)?"
)
_VARIABLE: Final = re.compile(r"[ \t]*(?:[#;].*|(?:export[ \t]+)?[A-Z_][A-Z0-9_]*[ \t]*=.*)?")
_SECTION: Final = re.compile(r"(?m)^[ \t]*\[(?:Service|Container)\][ \t]*\r?$")
_UNIT: Final = re.compile(r"(?m)^[ \t]*(?:Exec\w*|Environment(?:File)?|Image)[ \t]*=")
# Tables that only one file has: those of a pyproject.toml; a pixi.toml's, of which Cargo's have the other names too.
_TABLES: Final = (
    (re.compile(r"(?m)^[ \t]*\[(?:\[[ ]*tool\.|tool\.|dependency-groups\]|build-system\]|project\.(?:optional-dependencies|scripts)\])"), "pyproject.toml"),
    (re.compile(r"(?m)^[ \t]*(?:\[(?:pypi-dependencies|pypi-options|system-requirements|feature\.[^\]\n]*dependencies)\]|channels[ \t]*=)"), "pixi.toml"),
    (re.compile(r"(?m)^[ \t]*\[project\]"), "pyproject.toml"),
)  # fmt: skip
_OPTIONS: Final = re.compile(r"(?:[ \t]*:[\w-]+:[^\n]*\n)+\s*")


class Code(NamedTuple):
    """The kind of a piece of code and its text. console: it shows a session. path: the file that it is said to stand in."""

    kind: str
    text: Text
    console: bool = False
    path: str = ""


def title_of(info: str | None) -> str:
    """The title in an info string: `toml title="pyproject.toml"`; empty where there is none."""
    found = _TITLE.search((info or "")[:_LONGEST_INFO])
    return "" if found is None else next(filter(None, found.groups()), "")


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
    if found := _named(info, text, language):
        return found
    if language in _NO_LANGUAGE or language in _SETTINGS:
        return _unnamed(fence, text, language)
    kind = _LANGUAGES.get(language, "")
    return _toml(fence, text) if kind == TOML else Code(kind, text, language in _CONSOLES)


def _named(info: str, text: Text, language: str) -> Code | None:
    """Code that is said to stand in a file, where that says more than its language."""
    comment = _COMMENT.match(text.value[:_LONGEST_INFO])
    names = [*_NAME.findall(info), title_of(info), *([comment[1]] if comment else ())]
    path, kind = next(((name, kind) for name in names if (kind := kind_of(name))), ("", ""))
    if kind in _NAMED:
        # `# requirements.txt` above commands tells what they install.
        runs = _LANGUAGES.get(language) == SHELL and _runs(text)
        return None if runs else Code(kind, text, path=path)
    says_little = language in _NO_LANGUAGE or language in _SETTINGS or language == path.lower()
    open_to_it = says_little or _LANGUAGES.get(language) == kind == TOML
    return Code(kind, text, path=path) if open_to_it and kind in _LANGUAGES.values() else None


def _unnamed(fence: Fence, text: Text, language: str) -> Code:
    """Code that neither its language nor a name of its own tells: what the prose above it names, where it looks like that."""
    if _UNIT.search(text.value) and _SECTION.search(text.value):
        return Code(SYSTEMD, text)
    kinds = {kind_of(name) for name in _NAME.findall(fence.lead[:_LONGEST_INFO])}
    if REQUIREMENTS in kinds and _lists(text):
        return Code(REQUIREMENTS, text)
    if (DOTENV in kinds or language in _SETTINGS) and _sets(text):
        return Code(DOTENV, text)
    return Code(SHELL if language in _NO_LANGUAGE and is_shell(text) else "", text)


def _toml(fence: Fence, text: Text) -> Code:
    """TOML, as the file that the tab around it or the prose above it names, or that its tables are those of."""
    for tables, path in _TABLES:
        if tables.search(text.value):
            return Code(TOML, text, path=path)
    names = _NAME.findall(" ".join((*fence.tabs[-1:], fence.lead))[:_LONGEST_INFO])
    path = next((name for name in names if name.lower().endswith((".toml", "pipfile"))), "")
    return Code(TOML if not path or kind_of(path) == TOML else "", text, path=path)


def _lists(text: Text) -> bool:
    """Whether each line is one that a requirements file may have."""
    return all(_REQUIREMENT.fullmatch(line) for line in text.value.splitlines())


def _sets(text: Text) -> bool:
    """Whether each line is a comment, or sets a variable as those of an environment are called."""
    return all(_VARIABLE.fullmatch(line) for line in text.value.splitlines())


def _runs(text: Text) -> bool:
    """Whether the code has a command that is known to be one."""
    return any(known_program(line) or line.startswith("$ ") for line in text.value.splitlines())
