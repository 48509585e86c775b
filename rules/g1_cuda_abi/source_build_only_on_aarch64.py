import shlex
from collections.abc import Iterator
from dataclasses import replace

from spark_lint import knowledge
from spark_lint.facts import Locked, Package
from spark_lint.knowledge import Source
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.queries import builds, obtained
from spark_lint.queries.supply import Supply, elsewhere_only, from_source, in_command, may_be_shipped, on_request, supply, taken
from spark_lint.rule import ERROR, INFO, LIKELY, WARNING, Advice, rule
from spark_lint.text import UNKNOWN
from spark_lint.wheel_tags import runs_elsewhere

# An extra that brings one of them: in the metadata of transformer-engine 2.20.2.
EXTRAS = {("transformer-engine", "pytorch"): "transformer-engine-torch"}
# What is written into a variable that names the GPU; the others are switches.
VALUES = {"TORCH_CUDA_ARCH_LIST": "12.1", "NATTEN_CUDA_ARCH": "12.1", "TCNN_CUDA_ARCHITECTURES": "121"}


@rule(on=Package, named=(*knowledge.source_names(), *(name for name, _ in EXTRAS)), severity=WARNING)
def source_build_only_on_aarch64(package: Package, project: Project) -> Iterator[Advice]:
    if project.ships(package, package.name) or on_request(package) or chosen_by_gpu(package.context.conditions):
        return
    built, written = package, obtained.shown(package)
    for (name, extra), brought in EXTRAS.items():
        if name == package.name and extra in package.extras:
            built, written = replace(package, name=brought), f"the {brought} of {name}[{extra}]"
    source = knowledge.source(built.name)
    nowhere = only_x86(built, source) if source else ""
    if nowhere and taken(built, project):
        message = (
            f"{written} has no aarch64 wheel on {nowhere}, and no source archive there: on a Spark nothing is found to install"
        )
        yield Advice(message, left_out(built, project), ERROR, None, knowledge.packages_known())
        return
    found = compiled(built, source, project) if source else None
    if source is None or found is None:
        return
    faults = list(faults_of(built, source, found.version, project))
    if source.note:
        message = f"{written} {source.note}"
    elif source.better:
        message = f"{written} has no wheel: pip compiles it on the Spark"
    elif faults:
        message = f"{written} has no aarch64 wheel: pip compiles it on the Spark, {'; '.join(faults)}"
    else:
        return  # built with care
    confidence = LIKELY if may_be_shipped(package) else None
    yield Advice(message, instead(package, source, found.version, project), None, confidence, found.known)


@rule(on=Locked, named="*", severity=INFO, confidence=LIKELY)
def locked_source_only(locked: Locked, project: Project) -> Iterator[Advice]:
    known = knowledge.source(locked.name) is not None or locked.name == "flash-attn"
    if locked.offered != "sdist" or locked.url or known or not runs_elsewhere(locked.wheels or ()):
        return  # what is source only for everybody compiles on a Spark as it does anywhere
    yield Advice(f"{locked.written} has a wheel in the lock for x86-64, and only its source for a Spark, which has to compile it")


def only_x86(package: Package, source: Source) -> str:
    """The host it comes from and no other, where that has it for x86-64 alone; uv asks no further index for what one of them lists.

    docs.astral.sh/uv/concepts/indexes/#searching-across-multiple-indexes
    """
    if package.url or (package.locked is not None and package.locked.offered):
        return ""  # a lock says itself what there is
    indexes = package.scope.indexes
    alone = package.manager == "uv" or any(each.explicit or each.role in ("index", "torch-backend") for each in indexes)
    return source.x86[0] if alone and indexes and all(source.only_x86(each) for each in indexes) else ""


def compiled(package: Package, source: Source, project: Project) -> Supply | None:
    """What is compiled because of this line, its version empty where it is not known which; None where nothing is."""
    if package.url:
        named = not source.git or source.git in package.url.lower()
        asked = named and from_source(package) and taken(package, project)
        return Supply("sdist", "", knowledge.packages_known()) if asked else None
    found = None if source.git else supply(package, project)  # the default index has another project under that name
    return found if found is not None and found.kind == "sdist" else None


def faults_of(package: Package, source: Source, version: str, project: Project) -> Iterator[str]:
    """What goes wrong with the build as the line asks for it; read in the source archives of the newest releases."""
    if source.torch and builds.isolated(package, project):
        yield "in an environment of its own, without the torch that it has to fit"
    elif source.torch and builds.lacks_torch(package, project):
        yield "and torch is not there yet"
    forced = source.forced(version)
    if forced and builds.variable(package, project, forced).upper() not in ("TRUE", UNKNOWN):
        yield f"or fetches a wheel for x86-64 instead unless {forced}=TRUE"
    built_blind = package.scope.stage is not None and source.unseen
    if built_blind and not any(builds.variable(package, project, name) for name in source.unseen):
        outcome = "which fails" if source.stops else "for the CPU alone"
        yield f"{outcome}, since docker build sees no GPU and {' or '.join(source.unseen)} is not set"
    arguments = builds.variable(package, project, "CMAKE_ARGS")
    if source.cmake and not any(name in arguments for name in (*source.cmake, UNKNOWN)):
        yield f"for the CPU alone, since CMAKE_ARGS does not hold -D{source.cmake[0]}=on"


def instead(package: Package, source: Source, version: str, project: Project) -> str:
    """Another way, a build with care for a command, the line for all other machines in a file."""
    if source.better:
        return source.better
    if source.cmake:
        return f'CMAKE_ARGS="-D{source.cmake[0]}=on" pip install {shlex.quote(obtained.shown(package))}'
    if not in_command(package, project):
        return left_out(package, project)
    forced = source.forced(version)
    values = [f"{forced}=TRUE"] if forced else []
    values += [f"{source.unseen[0]}={VALUES.get(source.unseen[0], '1')}"] if source.unseen else []
    words = [*values, "MAX_JOBS=4 pip install --no-build-isolation", shlex.quote(obtained.shown(package))]
    return f"{' '.join(words)}  # after torch"


def left_out(package: Package, project: Project) -> str:
    """The line for all other machines."""
    return f"leave {package.name} out on aarch64" if in_command(package, project) else elsewhere_only(package, project)
