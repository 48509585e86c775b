"""One requirement as pip takes it, the same in a requirements file and on a command line, and the address of an index.

A requirement is a name with a version, a name with an address, an address, or the path of a wheel. Its parts are found here and
not by `packaging.requirements`, because a value may hold parts that are unknown, and versions that pip took until 2024.
"""

import re
from typing import Final, NamedTuple
from urllib.parse import unquote

from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
from packaging.version import Version

from spark_lint.facts import Context, Index, Package
from spark_lint.text import UNKNOWN, Text

_ANYWHERE: Final = Context()

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_EXTRAS = r"\[([^\[\]]*)\]"
# A clause without an operator can only be a variable that holds one, and only where it is set off from the name.
_CLAUSE = rf"(?:(?:===|[=~!<>]=|[<>])\s*[^\s,;()<>=~]+|(?<=[\s\],(]){UNKNOWN}[^\s,;()]*)"
_SPECIFIER = rf"{_CLAUSE}(?:\s*,\s*{_CLAUSE})*(?:\s*,)?"
_REQUIREMENT = re.compile(rf"({_NAME})(?:\s*{_EXTRAS})?\s*(?:@\s*(\S+)|({_SPECIFIER})|\(\s*({_SPECIFIER})\s*\))?")
_SINGLE = re.compile(r"[^=<>~!]=(?!=)")
_EGG = re.compile(r"(?:^|&)egg=([^&]*)")
_EGG_NAME = re.compile(rf"({_NAME})(?![\w.{UNKNOWN}-])(?:{_EXTRAS})?")

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:(?=[/.])", re.IGNORECASE)
_PLACE = re.compile(rf"{_ADDRESS.pattern}|[./~{{{UNKNOWN}]", re.IGNORECASE)
_PATH = re.compile(rf"[\w.~/\\{UNKNOWN}]\S*")
_REPOSITORY = re.compile(r"(?:git|hg|svn|bzr)\+[a-z+]+://[^/]*/([^@]+)", re.IGNORECASE)
_REPOSITORY_ARCHIVE = re.compile(r"/([^/]+)/(?:archive|tarball|zipball)/")
_ARCHIVES = (".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")

# As in pip: an address may hold a semicolon, so the marker behind it is set off by a blank.
_MARKER = re.compile(r";")
_MARKER_OF_ADDRESS = re.compile(r"\s;|;\s")

# A word of its own in a part of the path, so that neither `cudnn` nor a tag that goes on in a variable counts; `cpu` and `xpu`
# stand in other names too (`my-cpu-tools`) and count only alone or as a local version.
_TAG = re.compile(
    rf"(?<![a-z0-9{UNKNOWN}])(?:cu\d{{2,3}}|rocm\d+(?:\.\d+)*)(?![a-z0-9{UNKNOWN}])|(?:^|(?<=\+))[cx]pu(?=$|\.html$)"
)


class _Parts(NamedTuple):
    name: str
    extras: str
    specifier: str
    url: str


def requirement(
    text: Text,
    *,
    context: Context = _ANYWHERE,
    manager: str = "pip",
    role: str = "requirement",
    flags: frozenset[str] = frozenset(),
    environment: tuple[tuple[str, str], ...] = (),
) -> Package | None:
    """The package that one requirement asks for.

    None where it names no package (a local project), where the name is unknown, even in part, and where it is no requirement.
    The span ends before the marker. A wheel's version is its specifier: `x-1.0+cu124-….whl` gives `==1.0+cu124`.
    """
    start = len(text.value) - len(text.value.lstrip())
    body, marker = _split(text.value)
    parts = _parts(body)
    if parts is None:
        return None
    part = text[start : start + len(body)]
    extras = (extra.strip() for extra in parts.extras.split(","))
    # Where each character stands in the file as it is, the value is the author's spelling without the ends of continued lines.
    plain = all(piece.exact for piece in part.pieces)
    name = canonicalize_name(parts.name)
    # `pip install $p` in a loop names nothing to the reader of a message.
    nameless = part.known and name not in canonicalize_name(part.written)
    return Package(
        name=name,
        span=part.span,
        origin=part.origin,
        written=" ".join(body.split()) if plain or nameless else part.written,
        context=context,
        specifier="".join(parts.specifier.split()).rstrip(","),
        extras=frozenset(canonicalize_name(extra) for extra in extras if extra and UNKNOWN not in extra),
        marker=marker,
        url=parts.url,
        manager=manager,
        role=role,
        flags=flags,
        environment=environment,
    )


def project(text: Text) -> Text | None:
    """The path of the local project that a requirement stands for, with its extras: `.`, `./vllm[cuda]`; None for any other."""
    start = len(text.value) - len(text.value.lstrip())
    body, _ = _split(text.value)
    return text[start : start + len(body)] if _is_path(body) and not _is_archive(body) else None


def project_extras(text: Text) -> tuple[Text, frozenset[str]]:
    """The folder of a project and the extras that are asked for of it: `.` and `gpu` of `.[gpu]`."""
    path, bracket, extras = text.value.partition("[")
    if not bracket or not extras.endswith("]"):
        return text, frozenset()
    named = (extra.strip() for extra in extras[:-1].split(","))
    return text[: len(path.rstrip())], frozenset(canonicalize_name(extra) for extra in named if extra and UNKNOWN not in extra)


def fault(value: str) -> str:
    """Why pip refuses a requirement; empty where it takes it, and where that cannot be known."""
    body, marker = _split(value)
    try:
        if UNKNOWN not in body and not _ADDRESS.match(body) and not _is_path(body):
            Requirement(body)
    except InvalidRequirement as error:
        found = _REQUIREMENT.fullmatch(body)
        if found and (specifier := found[4] or found[5]):
            return f"`{specifier}` holds no version that PEP 440 knows"
        if body.endswith("\\"):
            return "a backslash continues the line only as its very last character"
        return "a version takes `==`, not `=`" if _SINGLE.search(body) else _reason(error)
    try:
        if marker and UNKNOWN not in marker:
            Marker(marker)
    except (ValueError, SyntaxError, RecursionError) as error:  # a string in it is a Python string
        return f"the marker is wrong: {_reason(error)}"
    return ""


def _reason(error: Exception) -> str:
    reason = str(error).partition("\n")[0]
    return reason[:1].lower() + reason[1:]


def accelerator_tag(url: str) -> str:
    """The accelerator tag of an index or find-links address, lower case: `cu124`, `cu12`, `cpu`, `rocm6.3`, `xpu`.

    It stands in the last part of the path that holds one; empty where none does, and where the tag is unknown, even in part.
    """
    path = re.split(r"[?#]", re.sub(r"^[a-z0-9+.-]+://[^/]*", "", url.lower()), maxsplit=1)[0]
    for part in reversed(path.split("/")):
        if found := _TAG.search(unquote(part)):
            return found.group()
    return ""


def index(text: Text, role: str, context: Context = _ANYWHERE) -> Index:
    """The index at an address; `role` is that of `Index`."""
    url = text.value
    return Index(
        name=accelerator_tag(url), span=text.span, origin=text.origin, written=text.written, context=context, url=url, role=role
    )


def _split(value: str) -> tuple[str, str]:
    """A requirement without blanks around it, and its marker."""
    value = value.strip()
    found = (_MARKER_OF_ADDRESS if _ADDRESS.match(value) else _MARKER).search(value)
    return (value[: found.start()].rstrip(), value[found.end() :].strip()) if found else (value, "")


def _direct(body: str) -> re.Match[str] | None:
    """`name[extras] @ address`, where what follows the sign can be an address."""
    found = _REQUIREMENT.fullmatch(body)
    return found if found and found[3] and _PLACE.match(found[3]) else None


def _is_path(body: str) -> bool:
    """Whether pip looks for a requirement in the file system: it has a folder in it, or ends like an archive."""
    if _ADDRESS.match(body) or _direct(body) or body.endswith("\\"):
        return False
    has_folder = ("/" in body or "\\" in body) and _PATH.fullmatch(body) is not None
    return has_folder or body.startswith((".", "/", "~/")) or _is_archive(body)


def _is_archive(body: str) -> bool:
    path = body.rpartition("[")[0] if body.endswith("]") else body
    return path.lower().endswith(_ARCHIVES)


def _parts(body: str) -> _Parts | None:
    if found := _direct(body):
        place = _of_place(found[3])
        return _Parts(found[1], found[2] or "", place.specifier if place else "", found[3])
    if _ADDRESS.match(body) or _is_path(body):
        return _of_place(body)
    found = _REQUIREMENT.fullmatch(body)
    return _Parts(found[1], found[2] or "", found[4] or found[5] or "", "") if found and not found[3] else None


def _of_place(place: str) -> _Parts | None:
    """What an address or a path tells: by the name of a wheel, by `#egg=`, by the name of a source archive or a repository."""
    path, _, fragment = place.partition("#")
    extras = ""
    if path.endswith("]"):
        path, _, extras = path[:-1].rpartition("[")
    remote = _ADDRESS.match(path) is not None
    path = path.partition("?")[0] if remote else re.sub(r"[*?]", UNKNOWN, path)
    file = unquote(path.replace("\\", "/").rpartition("/")[2])
    name = specifier = ""
    if file.lower().endswith(".whl"):
        name, specifier = _of_wheel(file[: -len(".whl")])
    elif egg := _EGG.search(unquote(fragment)):
        found = _EGG_NAME.match(egg[1])
        name, extras = (found[1], found[2] or "") if found else ("", "")
    # The projects in a repository's folders have names of their own.
    elif remote and "subdirectory=" not in fragment:
        name, specifier = _of_source(path, file)
    return _Parts(name, extras, specifier, place) if re.fullmatch(_NAME, name) else None


def _of_wheel(stem: str) -> tuple[str, str]:
    """Name and specifier from a wheel's file name without its ending."""
    parts = stem.split("-")
    try:
        # Its tags are not asked for, and a hostile one multiplies out to millions.
        name, version, _, _ = parse_wheel_filename("-".join([*parts[:-3], "py3-none-any.whl"]))
    except ValueError:
        return parts[0], _pin(parts[1]) if len(parts) > 1 else ""
    return name, f"=={version}"


def _pin(version: str) -> str:
    try:
        return "==" + (version if UNKNOWN in version else str(Version(version)))
    except ValueError:
        return ""


def _of_source(path: str, file: str) -> tuple[str, str]:
    """Name and specifier from the address of a repository, of its archive, or of a source distribution."""
    if found := _REPOSITORY.match(path):
        return found[1].rstrip("/").rpartition("/")[2].removesuffix(".git"), ""
    if found := _REPOSITORY_ARCHIVE.search(path):
        return found[1], ""
    try:
        name, version = parse_sdist_filename(file)
    except ValueError:
        return "", ""
    return name, f"=={version}"
