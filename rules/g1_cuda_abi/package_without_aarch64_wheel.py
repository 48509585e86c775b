from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Lock, Locked, Package
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.names.managers import LOCKED_BY
from spark_lint.project import Project
from spark_lint.queries import obtained
from spark_lint.queries.supply import elsewhere_only, in_command, may_be_shipped, on_request, supply, without
from spark_lint.relock import relocked
from spark_lint.rule import ERROR, INFO, LIKELY, Advice, rule

# Those of which a rule of their own says more, as torch-local-version-cuda12 does of every build for CUDA 12.
OTHERS = {"torch", "torchvision", "torchaudio", "bitsandbytes", "sgl-kernel"}
# What goes with one release of another package, and changes with that.
PINNED = {"triton": "torch"}


@rule(on=Package, named=set(knowledge.lacking_names()) - OTHERS, severity=ERROR)
def package_without_aarch64_wheel(package: Package, project: Project) -> Iterator[Advice]:
    facts, found = knowledge.package(package.name), supply(package, project)
    if facts is None or found is None or found.kind not in ("none", "foreign") or chosen_by_gpu(package.context.conditions):
        return
    if package.locked is not None and package.locked.offered:
        return  # a lock says what there is of any package: see below
    later = facts.first_wheel(found.version)
    first = later and later == facts.first_wheel()  # some releases had one, and lost it
    missing = f"no aarch64 wheel before {later}" if first else "no aarch64 wheel"
    message = f"{obtained.shown(package)} has {missing} and no source archive: on a Spark pip finds no matching distribution"
    if found.kind == "foreign":
        message = f"{obtained.shown(package)} is a wheel for every machine with libraries for x86-64 alone: on a Spark it installs, and does not load"
    severity = INFO if on_request(package) else None
    yield Advice(message, instead(package, later, project), severity, LIKELY if may_be_shipped(package) else None, found.known)


@rule(on=Locked, named="*", severity=ERROR)
def locked_without_aarch64_wheel(locked: Locked, project: Project) -> Iterator[Advice]:
    local = locked.version.partition("+")[2]
    if locked.offered != "none" or locked.url or (locked.name in OTHERS and not local) or knowledge.grade(local) is not None:
        return
    facts, manager = knowledge.package(locked.name), manager_of(locked, project)
    later = facts.first_wheel(locked.version) if facts is not None else ""
    other = knowledge.replacement(locked.name)
    message = f"{locked.written} has no wheel in the lock that a Spark can install, and no source archive: {manager} stops before it installs anything"
    pinning = PINNED.get(locked.name, "")
    newer = knowledge.package(pinning)
    if newer is not None and any(True for _ in project.near(locked, Package, pinning)):
        yield Advice(message, relocked(pinning, manager, f"{pinning}>={newer.first('cu13')}"))
        return
    in_lock = locked.origin.path == locked.span.path
    newer_one = relocked(locked.name, manager if in_lock else "", f"{locked.name}>={later}") if later else ""
    yield Advice(message, other or newer_one or without(locked.name, manager))


def manager_of(locked: Locked, project: Project) -> str:
    """The program that reads the lock."""
    lock = next(project.near(locked, Lock), None)
    return LOCKED_BY.get(lock.name, "the installer") if lock is not None else "the installer"


def instead(package: Package, later: str, project: Project) -> str:
    """Another package, a newer version, or the line for all other machines."""
    other = knowledge.replacement(package.name) or knowledge.cuda13_name(package.name)
    if other:
        return other
    facts = knowledge.package(package.name)
    if later and facts is not None and facts.cuda(later) not in ("cu11", "cu12"):  # a newer library of an old CUDA helps nobody
        return f"{package.name}>={later}"
    return f"leave {package.name} out on aarch64" if in_command(package, project) else elsewhere_only(package, project)
