"""What an import of a package that is not there costs: the file it stands in, whether that is a program, and what to write."""

import re
from typing import Final

from spark_lint.facts import Call, Command, Condition, Import
from spark_lint.kinds import PYTHON
from spark_lint.names.machines import guarded
from spark_lint.project import Project

FAILED: Final = Condition("except ImportError")
"""The condition a reader gives to the handler of a failed import."""

_SDPA: Final = "torch.nn.functional.scaled_dot_product_attention"
_ATTENTION: Final = re.compile(r"flash_attn(?:_\w+)?_func\b|memory_efficient_attention\b")
_MAIN: Final = "__main__"
_ANY_GPU: Final = Condition("torch.cuda.is_available()")


def root(each: Import) -> str:
    """The module at the top: `flash_attn` of `flash_attn.layers.rotary`."""
    return each.name.partition(".")[0]


def open_tests(each: Import) -> list[Condition] | None:
    """The tests around an import of which it is not known whether a Spark passes them.

    None where they ask for the package, or where it does not run with its file.
    """
    if not each.top_level or guarded(each.context.conditions):
        return None
    return [test for test in each.context.conditions if _MAIN not in test.text and test != _ANY_GPU]


def is_check(each: Import, project: Project) -> bool:
    """Whether a command asks whether the package is there: `python -c "import flash_attn; print(flash_attn.__version__)"`."""
    commands = (command for command in project.around(each) if isinstance(command, Command))
    return any(word.value == "-c" for command in commands if command.name.startswith("python") for word in command.words)


def is_program(each: Import, project: Project) -> bool:
    """Whether the file of an import is started, or an example in a document, rather than a module that others import, or may not."""
    if each.context.fenced or each.scope.how == "run" or project.documents[each.span.path].kind != PYTHON:
        return True
    tests = (test for fact in (each, *project.near(each, Call)) for test in fact.context.conditions)
    return any(_MAIN in test.text for test in tests)


def last_names(each: Import) -> str:
    """The names of its folder and file, which say what a module is about."""
    return "/".join(each.span.path.split("/")[-2:])


def fails(each: Import, project: Project) -> str:
    """The beginning of a message: `train.py fails`, `importing model.py fails`."""
    file = "this example" if each.context.fenced else each.span.path.rpartition("/")[2]
    return f"{file} fails" if is_program(each, project) else f"importing {file} fails"


def another_way(each: Import) -> str:
    """The import with another way: PyTorch's own attention in place of a function for it, none for anything else."""
    written = re.sub(r",? \)", ")", " ".join(each.written.split()).replace("( ", "("))
    other = _SDPA if _ATTENTION.search(written) else "what needs it stays out"
    return f"try: {written}  # except ImportError: {other}"
