"""Jupyter notebooks: their code cells are one Python module, in which IPython's commands and magics stand among the code.

Saved outputs say nothing. Headings and labels of the Markdown cells above say which machine a cell is for (`Context.section`).
"""

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from spark_lint.facts import Call, Code, Command, Condition, Context, EnvVar, Fact, Import, Include, ParseProblem, Read
from spark_lint.kinds import kind_of
from spark_lint.read.funnel import Interests, nesting
from spark_lint.read.markdown_embedded import Embedded, placed
from spark_lint.read.markdown_wrong import remarks
from spark_lint.read.notebook_json import Cell, is_python, notebook
from spark_lint.read.notebook_markdown import Sections, examples
from spark_lint.read.notebook_syntax import SHELL_PROGRAMS, File, translated
from spark_lint.read.python import PYTHON_2
from spark_lint.text import Source, Span, Text

HOSTED: Final = Condition("inside google.colab or on Kaggle")
"""The condition of commands in a cell that works nowhere else."""

_LONGEST_CELL: Final = 200_000
_LONGEST_LABEL: Final = 14
"""Words of a comment that may name a machine."""
_HOSTS: Final = ("google.colab", "kaggle_secrets", "kaggle_datasets")
_FOLDERS: Final = re.compile(r"(?<![\w./~-])/(?:content|kaggle)(?=[/\s\"';]|$)")
_PLACEHOLDER: Final = re.compile(r"(?<![\w<])<[A-Za-z][\w .-]{0,60}>")
_FORM: Final = re.compile(r"[ \t]*#[ \t]*@(?:title|markdown)?[ \t]*")
_TRIED: Final = "try: ImportError"


class Cells(Embedded):
    """Code put together from the cells of a notebook. starts: where each begins in it; numbers: of the cells."""

    def __init__(self, text: Text, starts: Iterable[int], numbers: Iterable[int]) -> None:
        super().__init__(text)
        self._begins = list(starts)
        self._numbers = list(numbers)

    def span(self, start: int, stop: int) -> Span:
        """Where the characters from `start` to `stop` are written in the file, with the number of the cell."""
        at = max(0, bisect_right(self._begins, start) - 1)
        return replace(super().span(start, stop), cell=self._numbers[at])


def within(cell: Cell, text: Text | None = None) -> Cells:
    """The text of one cell, or a part of it, as a file of its own."""
    return Cells(cell.text if text is None else text, [0], [cell.number])


@dataclass(frozen=True, slots=True)
class Part:
    """The code of one cell. python: as Python; file: what the cell writes instead. titles: what stands above it."""

    cell: Cell
    python: Text
    file: File | None
    titles: tuple[str, ...]


def read(source: Source, interests: Interests | None = None) -> Iterator[Read]:
    """What a notebook says. interests: what its Python must hold to be read. A cell that is not valid costs itself alone."""
    yield from sorted(_read(source, interests), key=lambda each: _span(each).cell or 0)


def _read(source: Source, interests: Interests | None) -> Iterator[Read]:
    if not source.text.strip("\ufeff \t\r\n"):
        return
    found = notebook(source)
    if found.fault:
        start = source.starts[source.position(found.at)[0] - 1]
        yield ParseProblem(source.span(start, start + len(source.lines[source.position(found.at)[0] - 1])), found.fault)
    sections = Sections()
    parts: list[Part] = []
    for cell in found.cells:
        if len(cell.text.value) > _LONGEST_CELL:
            if cell.kind == "code":
                yield ParseProblem(
                    within(cell).span(0, 0), f"cell {cell.number} is longer than {_LONGEST_CELL:,} characters, not read"
                )
        elif cell.kind == "markdown":
            yield from examples(within(cell), cell.number, sections.titles, interests)
            sections.enter(cell.text)
        elif cell.kind == "code":
            if is_python(found.language):
                code = translated(cell.text)
                parts.append(Part(cell, code.python, code.file, sections.titles))
            elif found.language in SHELL_PROGRAMS:
                parts.append(Part(cell, cell.text, None, sections.titles))
            sections.leave()
    yield from _module(parts, interests) if is_python(found.language) else _script(parts)


def _module(parts: list[Part], interests: Interests | None) -> Iterator[Read]:
    from spark_lint.read.python import read as read_python

    whole: list[Part] = []
    for part in parts:
        fault = _fault(part.python.value)
        if fault is not None and "<" in part.python.value:
            filled = replace(part, python=_filled_in(part.python))
            part, fault = (filled, None) if _fault(filled.python.value) is None else (part, fault)
        if fault is None:
            whole.append(part)
            continue
        message, line = fault
        inside = within(part.cell, part.python)
        line = min(max(line, 1), len(inside.lines))
        start = inside.starts[line - 1]
        span = inside.span(start, start + len(inside.lines[line - 1]))
        if PYTHON_2.match(message):
            yield ParseProblem(span, f"Python 2 code: {message}")
            return
        yield ParseProblem(span, f"cell {part.cell.number} is not read: {message}")
    source = joined(whole)
    # What installs a file that a cell writes names nothing that is in it.
    wanted = None if any(part.file for part in whole) else interests
    reads = [] if source is None else list(read_python(source, wanted))
    yield from _placed(reads, {part.cell.number: part for part in whole})
    for part in whole:
        yield from _written(part)


def joined(parts: list[Part]) -> Cells | None:
    """The code of cells as one module; None where there is none."""
    texts: list[Text] = []
    starts: list[int] = []
    length = 0
    for part in parts:
        text = part.python
        texts += [text, text[len(text.value) :].as_value("\n")]
        starts.append(length)
        length += len(text.value) + 1
    return Cells(Text.join(texts), starts, [part.cell.number for part in parts]) if texts else None


def _filled_in(text: Text) -> Text:
    """The code with what its user is to fill in as a value that nobody knows: `KEY = <your-key>`."""
    parts, at = [], 0
    for match in _PLACEHOLDER.finditer(text.value):
        parts += [text[at : match.start()], text[match.start() : match.end()].as_value("...")]
        at = match.end()
    return Text.join([*parts, text[at:]])


def _fault(code: str) -> tuple[str, int] | None:
    """What is wrong with a cell's code and on which line; None where it is valid Python, perhaps of a version that does not run here."""
    complaint: tuple[str, int] | None = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except SyntaxError as error:
        complaint = error.msg, error.lineno or 1
        if PYTHON_2.match(error.msg):
            return complaint
    except (ValueError, RecursionError, MemoryError) as error:
        complaint = str(error) or "nested too deeply", 1
    if (deep := nesting(code)) is not None:
        return "nested too deeply to be read", deep
    if complaint is None:
        return None
    import libcst

    try:
        libcst.parse_module(code)
    except Exception:  # whatever libcst finds wrong, Python has said it better
        return f"not valid Python: {complaint[0]}", complaint[1]
    return None


def _placed(reads: list[Read], parts: dict[int, Part]) -> Iterator[Read]:
    """The facts of all cells with what is known about the cell of each."""
    hosted = Hosted(reads)
    contexts = {number: Context(section=part.titles) for number, part in parts.items()}
    comments = {number: _Comments(part) for number, part in parts.items()}
    for each in reads:
        if not isinstance(each, (Fact, Include)):
            yield each
            continue
        number = _span(each).cell or 0
        context = contexts.get(number, Context())
        if _is_command(each) and number in comments:
            above = comments[number].about(_span(each).line)
            conditions = (HOSTED,) if hosted.has(each) else ()
            context = replace(context, conditions=conditions, section=(*context.section, *above))
        yield placed(each, context)


class _Comments:
    """The comments of a cell that say which machine a command is for: at its top, and right above the command."""

    def __init__(self, part: Part) -> None:
        text = part.cell.text
        self._by_line = remarks(text)
        top: list[str] = []
        for line in text.value.split("\n", 20)[:20]:
            bare = line.strip()
            if bare and not bare.startswith("#"):
                break
            if bare:
                top.append((_FORM.sub("", bare) if _FORM.match(bare) else bare).strip("# \t"))
        self._top = tuple(top)

    def about(self, line: int) -> tuple[str, ...]:
        """The comments about a line of the file."""
        found = dict.fromkeys((*self._top, *self._by_line.get(line, ())))
        return tuple(
            each for each in found if each and len(each.split()) <= _LONGEST_LABEL and not each.startswith("spark-lint:")
        )


class Hosted:
    """Knows which commands stand in cells that work on Google Colab or Kaggle only: what is imported or used there exists nowhere else."""

    def __init__(self, reads: Iterable[Read]) -> None:
        self._cells: set[int] = set()
        self._tried: dict[int, tuple[Span, int]] = {}
        for each in reads:
            if not isinstance(each, Fact) or each.span.cell is None:
                continue
            tests = each.context.conditions
            if isinstance(each, (Import, Call)) and each.name.startswith(_HOSTS):
                if not tests:
                    self._cells.add(each.span.cell)
                elif tests[-1].text == _TRIED:
                    self._tried.setdefault(each.span.cell, (each.span, len(tests)))
            elif isinstance(each, Command) and not tests and _FOLDERS.search(each.written):
                self._cells.add(each.span.cell)

    def has(self, read: Fact | Include) -> bool:
        """Whether a command works there only."""
        span, tests = _span(read), read.context.conditions
        if span.cell in self._cells:
            return True
        tried, depth = self._tried.get(span.cell or 0, (None, 0))
        return tried is not None and tried < span and len(tests) >= depth and tests[depth - 1].text == _TRIED


def _span(read: Read) -> Span:
    return read.path.span if isinstance(read, Include) else read.span


def _is_command(read: Fact | Include) -> bool:
    return isinstance(read, (Command, EnvVar, Include, Code))


def _written(part: Part) -> Iterator[Read]:
    """The file that a cell writes."""
    if part.file is None:
        return
    text = Text.of(within(part.cell, part.file.text))
    path = part.file.path.value
    if kind := kind_of(path, text.value[:200].encode("utf-8", "replace")):
        span = within(part.cell, part.file.path).span(0, len(path))
        yield Code(
            name=kind,
            text=text,
            path=path,
            span=span,
            origin=span,
            written=f"%%writefile {path}",
            context=Context(section=part.titles),
        )


def _script(parts: list[Part]) -> Iterator[Read]:
    """The cells of a notebook for a shell, which is one from the first to the last."""
    source = joined(parts)
    if source is not None:
        from spark_lint.read.shell import commands

        reads = list(commands(Text.of(source)))
        yield from _placed(reads, {part.cell.number: part for part in parts})
