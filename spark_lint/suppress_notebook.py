"""The comments of notebooks, which are those of the code in their cells."""

from collections.abc import Iterator
from typing import Final

from spark_lint.kinds import PYTHON, SHELL, kind_of
from spark_lint.read.notebook import within
from spark_lint.read.notebook_json import is_python, notebook
from spark_lint.read.notebook_syntax import SHELL_MAGICS, SHELL_PROGRAMS, translated
from spark_lint.suppress_layouts import Layout, layouts
from spark_lint.text import Source

_MARK: Final = "spark-lint:"


def layout(source: Source) -> Iterator[Layout]:
    """Each cell of code by itself: as Python, behind commands and magics too; what is for a shell or a file in its own language."""
    found = notebook(source)
    for cell in found.cells:
        if cell.kind != "code" or _MARK not in cell.text.value:
            continue
        if not is_python(found.language):
            yield from layouts(within(cell), SHELL) if found.language in SHELL_PROGRAMS else ()
            continue
        code = translated(cell.text)
        yield from layouts(within(cell, code.python), PYTHON)
        for line in code.lines:
            if line.body is not None and line.name in SHELL_MAGICS:
                yield from layouts(within(cell, line.body), SHELL)
        if code.file is not None:
            yield from layouts(within(cell, code.file.text), kind_of(code.file.path.value))
