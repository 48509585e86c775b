from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.kinds import REQUIREMENTS
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries.over_images import (
    EXACT,
    Over,
    along,
    asked_known,
    asked_of_torch,
    askers,
    flags_of,
    met,
    over_nvidia_torch,
    replaces_torch,
)
from spark_lint.rule import ERROR, WARNING, Advice, Severity, rule
from spark_lint.text import UNKNOWN

BUILT = ("transformer-engine", "flash-attn")  # what the images ship that is built for their torch
BUILT_FOR = ">=2.11"  # what a torchaudio is built for that asks for nothing: 2.11.0
FAMILY = ("torch", "torchvision", "torchaudio", "triton")
NAMED = tuple(dict.fromkeys((*FAMILY, *askers())))


@rule(on=Package, named=NAMED, severity=ERROR)
def ngc_torch_reinstall(package: Package, project: Project) -> Iterator[Advice]:
    over = over_nvidia_torch(package, project)
    found = fault(package, over) if over else None
    if over is None or found is None:
        return
    severity, message = found
    # One install is one finding: at the worst of its lines, or the first of those.
    others = ((other, fault(other, over)) for other in along(package, project, *NAMED))
    if any(each and (-each[0], other.span) < (-severity, package.span) for other, each in others):
        return
    if package.name not in FAMILY and replaced_before(package, over, project):
        return
    if not poor(package) and cleared(package, over, project):
        return
    asked = None if package.name in ("torch", "torchvision", "triton") else asked_known()
    yield Advice(message, instead(package, project), severity, known=weakest(over.facts.known, asked))


def fault(package: Package, over: Over) -> tuple[Severity, str] | None:
    """How bad an install over NVIDIA's torch is, and why; None where pip leaves that torch alone, or nothing is known."""
    if package.name == "triton":
        return None if package.url else of_triton(package, over)
    if package.name == "torchaudio":
        return of_torchaudio(package, over)
    if not replaces_torch(package, over):
        return None
    if package.name not in FAMILY:
        return brought(package, over)
    shipped = over.version(package.name)
    if shipped and shipped in knowledge.specifiers(package.specifier):
        return ERROR, f"{package.written} with {upgrade(package)} replaces the {package.name} of {over.image}{and_then(package)}"
    what = f"{shipped}, a pre-release, does" if shipped else "its own, a pre-release, does"
    return ERROR, f"{package.written} replaces the {package.name} of {over.image} ({what} not meet it){and_then(package)}"


def of_torchaudio(package: Package, over: Over) -> tuple[Severity, str] | None:
    """The images bring none, and the one from the index is built for a torch from there."""
    if package.url or over.facts.ships("torchaudio") or not knowledge.package("torchaudio"):
        return None  # from source it is built for the torch that is there
    asked, torch = asked_of_torch("torchaudio", package.specifier), over.version("torch")
    if UNKNOWN in package.specifier or met(asked or BUILT_FOR, torch):
        return None
    if "--no-deps" in flags_of(package) or not asked:
        return (
            WARNING,
            f"{package.written} is built for another torch than the one of {over.image}: its library does not load there",
        )
    wants = f"torch{asked}" if asked != EXACT else "exactly the torch it is built for"
    has = f"({torch})" if torch else "(a pre-release)"
    return ERROR, f"{package.written} asks for {wants}, which the torch of {over.image} {has} is not: pip replaces that one"


def of_triton(package: Package, over: Over) -> tuple[Severity, str] | None:
    """Pip does not know NVIDIA's in the images of 2025, where it is called pytorch-triton: what it installs lands in the same folder."""
    shipped = over.version("triton")
    if shipped and shipped not in knowledge.specifiers(package.specifier):
        return ERROR, f"{package.written} puts another Triton over the {shipped} that the torch of {over.image} is built with"
    if over.facts.month.startswith("25.") and package.version != shipped:
        return (
            WARNING,
            f"{package.written}: pip does not see the Triton of {over.image}, called pytorch-triton, and puts its own over it",
        )
    return None


def brought(package: Package, over: Over) -> tuple[Severity, str]:
    """What comes with a package that asks for another torch than the image's."""
    asked, torch = asked_of_torch(package.name, package.specifier), over.version("torch")
    wants = f"torch{asked}" if asked != EXACT else "one exact release of torch"
    has = f" ({torch})" if torch else ""
    return WARNING, f"{package.written} asks for {wants}, which NVIDIA's own torch in {over.image}{has} is not: pip replaces it"


def and_then(package: Package) -> str:
    """What the build that takes its place lacks."""
    if poor(package):
        return f", and {poor(package)}"
    return ": what was built for that one no longer fits"


def poor(package: Package) -> str:
    """What is wrong with a build wherever it is installed on a Spark; empty where nothing is."""
    if knowledge.grade(package.local) is not None:
        return f"{package.local} builds {knowledge.drawback(package.local)}"
    known = knowledge.package(package.name) if package.name in FAMILY else None
    newest = next(reversed(known.matching(package.specifier)), "") if known else ""
    on_cpu = (
        known is not None and known.cuda(newest) == "cpu" and not package.local and knowledge.only_pypi(package.scope.indexes)
    )
    return "PyPI's is a CPU-only build on aarch64" if on_cpu else ""


def upgrade(package: Package) -> str:
    return next(
        iter(sorted(flags_of(package) & {"--upgrade", "--force-reinstall", "--ignore-installed", "--reinstall"})), "--upgrade"
    )


def cleared(package: Package, over: Over, project: Project) -> bool:
    """Whether what is built for NVIDIA's torch is uninstalled before: whoever does that means to have another one."""
    return any(over.facts.ships(name) and not project.ships(package, name) for name in BUILT)


def replaced_before(package: Package, over: Over, project: Project) -> bool:
    """Whether an earlier install has replaced the torch already."""
    return any(fault(other, over) for other in project.installed_before(package, *FAMILY))


def instead(package: Package, project: Project) -> str:
    """To leave it out; for a torchaudio, or what asks for another torch, an environment of its own."""
    if package.name in ("torch", "torchvision", "triton"):
        document = project.documents[package.span.path]
        if document.kind != REQUIREMENTS:
            return f"leave {package.name} out: the image brings it"
        file = document.path.rpartition("/")[2]
        return f"grep -vE '^(torch|torchvision|torchaudio|triton)\\b' {file} > r.txt && pip install -r r.txt"
    named = "torch torchaudio" if package.name == "torchaudio" else package.name
    return f"python3 -m venv .venv && .venv/bin/pip install {named} --extra-index-url {knowledge.note('torch-index').text}"
