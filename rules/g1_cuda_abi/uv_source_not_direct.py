from collections.abc import Iterator
from itertools import islice
from posixpath import basename, dirname

from spark_lint.facts import Binding, Entry, Index, Package
from spark_lint.names.machines import marker_holds
from spark_lint.project import Project
from spark_lint.rule import INFO, WARNING, Advice, rule

# What PyTorch's indexes hold, and others bind to a build of theirs.
BUILT = ("torch", "torchvision", "torchaudio", "triton", "vllm", "xformers")
MOST = 50
"""Indexes of one file that are looked at; nobody has more than a few."""


@rule(on=Binding, named=BUILT, severity=WARNING)
def uv_source_not_direct(binding: Binding, project: Project) -> Iterator[Advice]:
    indexes = islice(project.near(binding, Index), MOST)
    index = next((each for each in indexes if each.label == binding.index != ""), None)
    # From an index that is not explicit uv takes everything that it holds, asked for or brought.
    if index is None or not index.explicit or not index.name.startswith("cu") or asked_for(binding, project):
        return
    if binding.marker and marker_holds(binding.marker, project.assumed.python) is False:
        return
    # Today's torch from PyPI is for CUDA 13 as well; what was meant as an index for CUDA 12 loses nothing on a Spark.
    yield Advice(
        f"{binding.written} does nothing: {binding.name} is no dependency of this project itself, and uv takes the one that others "
        f"bring from PyPI, not from {binding.index}",
        f'"{binding.name}" among the dependencies',
        WARNING if index.name.startswith("cu13") else INFO,
    )


def asked_for(binding: Binding, project: Project) -> bool:
    """Whether the project names the package: as a dependency, an extra, in a group, or as a constraint or override, which uv binds too.

    The sources of a workspace are those of its members; what is dynamic may stand in any file of the project.
    """
    if any(project.near(binding, Package, binding.name)):
        return True
    dynamic = any("dependencies" in str(each.value) for each in project.near(binding, Entry, "project.dynamic"))
    if not dynamic and not any(project.near(binding, Entry, "tool.uv.workspace.members")):
        return False
    folder = dirname(binding.span.path)
    below = (each.span.path for each in project.every(Package, binding.name) if not each.context.fenced)
    return any(is_below(path, folder) for path in below)


def is_below(path: str, folder: str) -> bool:
    named = basename(path).startswith(("pyproject", "setup")) or path.endswith((".txt", ".in"))
    return named and (not folder or path.startswith(f"{folder}/"))
