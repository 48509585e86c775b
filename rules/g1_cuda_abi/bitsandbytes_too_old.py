from collections.abc import Iterator

from packaging.version import Version

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries import obtained
from spark_lint.rule import ERROR, INFO, LIKELY, WARNING, Advice, rule


@rule(on=Package, named="bitsandbytes", reads={"torch"}, severity=ERROR)
def bitsandbytes_too_old(package: Package, project: Project) -> Iterator[Advice]:
    known = knowledge.package("bitsandbytes")
    admitted = obtained.releases(package, project)
    if known is None or not admitted:
        return
    # pip passes over the releases that have nothing for this machine.
    newest = next((version for version in reversed(admitted) if known.aarch64(version) != "none"), "")
    note = knowledge.note("bitsandbytes-first-sm121")
    first, asked, severity = note.text, obtained.shown(package), None
    behind = known.known(newest or admitted[-1])
    if not newest:
        message = f"{asked} has no wheel for aarch64, and no source to build: nothing is installed"
    elif known.aarch64(newest) == "foreign":
        found = "" if newest == package.version else f" leads to {newest}, which"
        message = f"{asked}{found} holds libraries for x86-64 alone: it installs on a Spark, and has no GPU support there"
    elif known.cuda(newest) == "cu12" and not obtained.cuda12_torch(package, project):
        if package.locked is not None and not any(True for _ in obtained.torches(package, project)):
            return  # every lock of it holds a torch: this one is read in part, or resolved anew, so that the torch is not known
        message = f"{asked} has no library for CUDA 13, which a Spark's torch is built for: nothing of it runs on the GPU"
        behind = known.known(newest, cuda=True)
    elif known.cuda(newest) == "cu13" and Version(newest) < Version(first):
        message = f"{asked} holds code for 12.0, which runs on the Spark's 12.1; {first} is the first that is built for it"
        severity, behind = INFO, weakest(known.known(newest, cuda=True), note.known)
    else:
        return
    unknown = obtained.unknown_image(package) and severity is None
    yield Advice(message, f"bitsandbytes>={first}", WARNING if unknown else severity, LIKELY if unknown else None, behind)
