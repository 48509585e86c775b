import re
from collections.abc import Iterator
from itertools import islice
from posixpath import basename

from spark_lint import knowledge
from spark_lint.facts import Package, Setting
from spark_lint.names.downloads import X86_64
from spark_lint.names.machines import may_fail
from spark_lint.project import Project
from spark_lint.rule import CERTAIN, ERROR, INFO, LIKELY, Advice, rule
from spark_lint.text import UNKNOWN

ARM = re.compile(r"(?<![a-z0-9])(?:aarch[_-]?64\w*|arm64\w*|arm|sbsa|universal2?|noarch)(?![a-z0-9])", re.IGNORECASE)
ARCH = re.compile(r"(?:^|&)(?:arch|architecture|platform)=(?:linux[-_/])?(?:x86_64|amd64|x64)(?:$|&)", re.IGNORECASE)
OTHER_SYSTEM = re.compile(
    r"(?<![a-z0-9])(?:windows|win(?:32|64)?|msvc|darwin|macosx?|osx|apple|mac|freebsd|android)(?![a-z0-9])"
    r"|\.(?:exe|dmg|msi|pkg)$",
    re.IGNORECASE,
)
# What is read rather than run: keys, checksums, lists, models, whole systems; and an emulator of x86-64 is for other machines.
DATA = re.compile(
    r"\.(?:json|ya?ml|txt|md|html?|xml|csv|tsv|pdf|png|pub|asc|gpg|key|sig|sha\d*\w*|md5\w*|pin|list|log|iso|img|qcow2|vmdk|ova|vhdx?"
    r"|onnx|safetensors|gguf|pth?|npz|h5|parquet|jsonl|patch|diff|spdx|sbom|c|h|cpp|cu|py)$|(?:^|[/_.-])qemu|sha\d*sums",
    re.IGNORECASE,
)
MOST = 200
"""Downloads, and packages, of one file that are looked at for another."""
# The builder says what these are, whatever their defaults.
CHOSEN = re.compile(r"\$\{?(?:TARGET|BUILD)(?:ARCH|PLATFORM)\b")
SOURCES = re.compile(r"/(?:archive|tarball|zipball)/|raw\.githubusercontent\.com|/datasets/", re.IGNORECASE)


@rule(on=Setting, named="download", severity=ERROR)
def x86_installer_download(download: Setting, project: Project) -> Iterator[Advice]:
    whole, _, query = str(download.value).partition("#")[0].partition("?")
    address = whole.rstrip("/")
    known = knowledge.download(address)
    # tool?os=linux&arch=amd64
    found = X86_64.search(address.partition("://")[2].partition("/")[2] or address) or ARCH.search(query)
    if (found is None and known is None) or harmless(address) or wanted(address, download, project):
        return
    name = basename(address)
    if found is not None and found.string is query:
        name = f"{name}?{found[0].strip('&')}"
    elif found is not None and not X86_64.search(name):
        name = "/".join(address.rsplit("/", 2)[1:])
    shown = f"…{name.rpartition(UNKNOWN)[2]}" if UNKNOWN in name else name
    message = f"{shown} is for x86-64 processors, and a Spark's is aarch64: it does not run there"
    instead = known.instead or replaced(download, known) if known else "its build for aarch64 (arm64), where there is one"
    severity = INFO if may_fail(download.context.conditions) else None
    behind = known.known if known and found is None else None  # most say it themselves
    yield Advice(message, instead, severity, CERTAIN if known else LIKELY, behind)


def harmless(address: str) -> bool:
    """Whether it is no program, or one that names the Spark's processor as well, or another system."""
    path = address.partition("://")[2].partition("/")[2] or address
    return any(pattern.search(path) for pattern in (ARM, OTHER_SYSTEM, DATA)) or bool(SOURCES.search(address))


def wanted(address: str, download: Setting, project: Project) -> bool:
    """Whether the file is fetched on purpose: for all machines, one after another, or in an image that is for x86-64 itself."""
    image = download.scope.image
    if image is not None and (knowledge.describe(image).other_machine or "amd64" in image.platform):
        return True  # said at the image
    if CHOSEN.search(download.written):
        return True
    packages = islice(project.near(download, Package), MOST) if address.endswith(".whl") else ()
    if any(basename(each.url) == basename(address) for each in packages):
        return True  # said where it is installed
    plain = X86_64.sub("*", address)
    others = (str(each.value) for each in islice(project.near(download, Setting, "download"), MOST))
    return any(ARM.search(other) and ARM.sub("*", other) == plain for other in others)


def replaced(download: Setting, known: knowledge.Download) -> str:
    """The address for a Spark, in the author's spelling: for both machines where a shell fills it in."""
    in_shell = known.asked and download.tool != "ADD" and "." not in download.tool
    to = "$(uname -m)" if in_shell else known.spark
    pattern = re.compile(re.escape(known.x86), re.IGNORECASE)
    for spelling in (download.written.strip("\"'"), str(download.value)):
        if pattern.search(spelling) and UNKNOWN not in spelling:
            return pattern.sub(lambda _: to, spelling)
    return f"{to} in place of {known.x86}"
