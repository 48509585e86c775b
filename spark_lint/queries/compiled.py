"""For which GPUs the lists and flags of one CMake file compile together: they are one build, and one of them may name the Spark's."""

from collections.abc import Iterator
from itertools import islice

from spark_lint import knowledge
from spark_lint.facts import Setting
from spark_lint.kinds import CMAKE
from spark_lint.knowledge import Architecture
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project

MOST = 100
"""Lists of one file that are looked at; where there are more, a machine wrote them."""


def together(setting: Setting, project: Project) -> list[Architecture]:
    """The architectures of a list, and in a CMake file those of all that is compiled for beside it.

    Nothing where that is not known, where another one says it (the last that no test of the GPU or of CUDA chooses), or where a build in
    the repository overrides it with a Spark's.
    """
    if project.documents[setting.span.path].kind != CMAKE:
        return list(knowledge.architectures(setting.text, setting.tool))
    lists = list(islice(_beside(setting, project), MOST + 1))
    certain = [each.span for each in lists if each.name == setting.name and not chosen_by_gpu(each.context.conditions)]
    known = len(lists) <= MOST and all(each.text for each in lists) and not _overridden(project)
    if not known or certain[-1:] != [setting.span]:
        return []
    return [found for each in lists for found in knowledge.architectures(each.text, each.tool)]


def named_beside(setting: Setting, project: Project) -> bool:
    """Whether a CMake file that sets flags also has a list that holds something for a Spark, or may."""
    if project.documents[setting.span.path].kind != CMAKE:
        return False
    lists = (each for each in _beside(setting, project) if each.name != setting.name)
    return _overridden(project) or any(not each.text or usable(each) for each in islice(lists, MOST))


def usable(setting: Setting) -> bool:
    """Whether a list of architectures holds something that a Spark runs."""
    return any(each.usable for each in knowledge.architectures(setting.text, setting.tool))


def _beside(setting: Setting, project: Project) -> Iterator[Setting]:
    found = project.near(setting, Setting, "cuda_archs", "gencode")
    return (each for each in found if each.span.path == setting.span.path and not each.scope.elsewhere)


def _overridden(project: Project) -> bool:
    """Whether a command of the repository tells CMake to compile for a Spark: `cmake -DCMAKE_CUDA_ARCHITECTURES=121`."""
    given = islice(project.every(Setting, "cuda_archs"), MOST)
    return any(each.launched and usable(each) for each in given)
