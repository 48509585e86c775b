"""What kind of file each is, by its name or its first line."""

import re
from typing import Final

REQUIREMENTS: Final = "requirements"
DOCKERFILE: Final = "Dockerfile"
PYTHON: Final = "Python"
SHELL: Final = "shell"
YAML: Final = "YAML"
JSON: Final = "JSON"
MARKDOWN: Final = "Markdown"
TOML: Final = "TOML"
SETUP_CFG: Final = "setup.cfg"
NOTEBOOK: Final = "notebook"
LOCK: Final = "lock"
MAKEFILE: Final = "Makefile"
JUSTFILE: Final = "justfile"
SYSTEMD: Final = "systemd unit"
DOTENV: Final = "environment"
CMAKE: Final = "CMake"
JENKINSFILE: Final = "Jenkinsfile"

PROJECT_FILES: Final = frozenset({"pyproject.toml", "pixi.toml", "uv.toml", "setup.cfg", "setup.py", "pipfile"})
"""Files that describe a project, in lower case."""
_COMPOSE: Final = re.compile(r"(?:.*[-_.])?compose(?:[-_.].*)?\.ya?ml")

_NAMES: Final = (
    (re.compile(r"(?:uv|poetry|pdm|pipfile|pixi)\.lock|pylock(?:\.[^/]*)?\.toml"), LOCK),
    (re.compile(r"(?:gnu)?makefile(?:[-_.](?!(?:.*\.)?(?:am|in|md|rst|txt|py|sh|ya?ml|json|toml|xml|html|go|rs|js|ts|rb|pl|el|vim|lua|c|cc|h|log|patch|diff)$).*)?|.*\.(?:mk|mak)"), MAKEFILE),
    (re.compile(r"\.?justfile|.*\.just"), JUSTFILE),
    (re.compile(r".*\.(?:service|container)(?:\.(?:j2|jinja2?|tmpl|tpl|in|template|example|sample))?"), SYSTEMD),
    # `.env.gpu`, `gpu.env`, `gpu.env.example`, `env.sample`; not the `.env.py` of a program, nor what is encrypted. `.envrc` is shell.
    (re.compile(r"\.env(?:[-_.](?!(?:.*[-_.])?(?:py|pyi|[cm]?[jt]sx?|go|rs|rb|php|java|kt|c|cc|cpp|h|hpp|cs|lua|sh|bash|zsh|fish|ps1|bat|cmd|md|mdx|rst|txt|html|xml|cfg|ini|jsonc?|json5|ya?ml|toml|ipynb|enc|gpg|asc|age|vault|keys|zip|gz)$).+)?"), DOTENV),
    (re.compile(r".+\.env(?:[-_.](?:example|sample|template|tmpl|tpl|dist|defaults?|local|j2|jinja2?|in))?"), DOTENV),
    (re.compile(r"env[-_.](?:.*[-_.])?(?:example|sample|template|tmpl|tpl|dist|defaults?|list|local|j2|jinja2?)"), DOTENV),
    (re.compile(r"\.envrc(?:[-_.](?:.*[-_.])?(?:example|sample|template|tmpl|tpl|dist|defaults?|local|private))?"), SHELL),
    # `config.h.cmake` and `…Config.in.cmake` are what CMake fills in.
    (re.compile(r"cmakelists\.txt|(?!.*\.(?:in|h|hh|hpp|hxx|c|cc|cpp|cxx|py|pc|txt)\.cmake$).*\.cmake"), CMAKE),
    (re.compile(r"(?:.*[-_.])?jenkinsfile(?:[-_.](?!(?:.*\.)?(?:md|rst|txt|py|sh|ya?ml|json|toml|xml|log|properties)$).*)?"), JENKINSFILE),
    (re.compile(r"(?:^|.*[-_.])(?:requirements?|constraints?|reqs?)(?:[-_.].*)?\.(?:txt|in|pip|lock)"), REQUIREMENTS),
    (re.compile(r"(?:dockerfile|containerfile)(?:[-_.](?!(?:.*\.)?(?:md|rst|txt|py|sh|ya?ml|json|toml|lock|cfg|ini|go|rs|js|ts|java|c|cc|h|html|xml|log|patch|diff|dockerignore)$).*)?|.*\.(?:dockerfile|containerfile)"), DOCKERFILE),
    (re.compile(r".*\.py"), PYTHON),
    # A template is read as far as it says something literally.
    (re.compile(r".*\.(?:sh|bash|zsh|ksh|slurm|sbatch|pbs|lsf)(?:\.(?:j2|jinja2?|tmpl|tpl|in|template|example|sample))?"), SHELL),
    (re.compile(r".*\.ya?ml(?:\.(?:j2|jinja2?|tmpl|tpl|in|template|example|sample))?"), YAML),
    (re.compile(r".*\.(?:json|jsonc|json5)"), JSON),
    (re.compile(r".*\.(?:md|mdx|markdown|mdown|mkd)"), MARKDOWN),
    # A Rust project says nothing about a Spark; a Pipfile is TOML without the ending.
    (re.compile(r"(?!cargo\.toml).*\.toml|pipfile"), TOML),
    (re.compile(r"setup\.cfg"), SETUP_CFG),
    (re.compile(r".*\.ipynb"), NOTEBOOK),
)  # fmt: skip
_REQUIREMENTS_FOLDER: Final = re.compile(r"(?:.*/)?requirements?/[^/]+\.(?:txt|in)")
_DROP_IN: Final = re.compile(r"(?:.*/)?[^/]+\.(?:service|container)\.d/[^/]+\.conf")
# Batch scripts of Slurm, LSF and PBS, if a shell is named in the first line: HTCondor describes its jobs in a `.sub` of its own kind.
SUBMITTED: Final = re.compile(r".*\.(?:sub|job|qsub|bsub|sge|submit|batch)")
_SHEBANGS: Final = (
    (re.compile(rb"#!.*\bpython[0-9.]*\b"), PYTHON),
    (re.compile(rb"#!.*\b(?:ba|da|z|k|a)?sh\b"), SHELL),
)


def kind_of(path: str, head: bytes = b"") -> str:
    """The kind of a file by its name, or by its first line where it has no ending; empty for one that is not read."""
    name = path.rpartition("/")[2].lower().replace("\n", " ")
    for pattern, kind in _NAMES:
        if pattern.fullmatch(name):
            return kind
    if _REQUIREMENTS_FOLDER.fullmatch(path.lower()):
        return REQUIREMENTS
    if _DROP_IN.fullmatch(path.lower()):
        return SYSTEMD
    if "." in name and not SUBMITTED.fullmatch(name):
        return ""
    return next((kind for shebang, kind in _SHEBANGS if shebang.match(head)), "")


def sets_scopes(path: str, kind: str) -> bool:
    """Whether a file says where other files run: it is read as a neighbour when only some paths are given."""
    name = path.rpartition("/")[2].lower()
    return (
        kind in (REQUIREMENTS, DOCKERFILE, LOCK)
        or name in PROJECT_FILES
        or (kind == YAML and _COMPOSE.fullmatch(name) is not None)
    )
