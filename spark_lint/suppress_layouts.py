"""Where the comments and the statements of a file are, for suppressions: one function a kind of file."""

import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Final, NamedTuple, TypeAlias

from spark_lint.kinds import (
    CMAKE,
    DOCKERFILE,
    DOTENV,
    JENKINSFILE,
    JSON,
    JUSTFILE,
    MAKEFILE,
    MARKDOWN,
    NOTEBOOK,
    PYTHON,
    REQUIREMENTS,
    SETUP_CFG,
    SHELL,
    SYSTEMD,
    TOML,
    YAML,
)
from spark_lint.read.python_script import header
from spark_lint.text import Source, Text

Lines: TypeAlias = tuple[int, int]
"""The first and last line of a statement."""


class Comment(NamedTuple):
    """A comment: where its mark stands in the text, and what it says to the end of the line."""

    start: int
    text: str


@dataclass
class Layout:
    """The comments and statements of a text. source: the text; of a piece of a file (a fence) one with offsets of its own."""

    source: Source
    comments: list[Comment]
    statements: list[Lines]

    @cached_property
    def alone(self) -> set[int]:
        """The lines that hold nothing but a comment."""
        places = ((each.start, *self.source.position(each.start)) for each in self.comments)
        return {line for start, line, column in places if not self.source.text[start - column + 1 : start].strip()}


def layouts(source: Source, kind: str) -> Iterator[Layout]:
    """The layout of a text of a kind, and those of the texts of other languages in it."""
    if kind in _LAYOUTS:
        yield from _LAYOUTS[kind](source)
    elif kind in _MODULES:
        yield from import_module(f"spark_lint.{_MODULES[kind]}").layout(source)


def _python(source: Source) -> Iterator[Layout]:
    """Comments, and logical lines: simple statements and the headers of compound ones. Up to the first error, if there is one."""
    comments: list[Comment] = []
    statements: list[Lines] = []
    begun = 0
    lines = iter([f"{line}\n" for line in source.lines])
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                comments.append(Comment(source.offset(token.start[0], token.start[1] + 1), token.string))
            elif token.type == tokenize.NEWLINE:
                statements.append((begun, token.start[0]))
                begun = 0
            elif token.type not in _BLANK:
                begun = begun or token.start[0]
    except (tokenize.TokenError, SyntaxError, ValueError):  # the reader reports it
        pass
    if (script := header(source)) is not None:
        from spark_lint.read.markdown_embedded import Embedded

        # The header of a script is TOML, with comments of its own.
        first, last = _lines(script)
        comments = [each for each in comments if not first <= source.position(each.start)[0] <= last]
        yield from layouts(Embedded(script), TOML)
    yield Layout(source, comments, statements)


_BLANK: Final = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})
_REQUIREMENT_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#.*$")


def _requirements(source: Source) -> Iterator[Layout]:
    """Comments, and lines with their continuations. As pip reads them, a line that is a comment ends a continuation."""
    comments: list[Comment] = []
    statements: list[Lines] = []
    begun = 0
    for number, line in enumerate(source.lines, 1):
        comment = _REQUIREMENT_COMMENT.search(line)
        whole = comment is not None and not line[: comment.start()].strip()
        if comment:
            comments.append(Comment(source.offset(number, comment.start() + 1), comment[0]))
        if line.endswith("\\") and not whole:
            begun = begun or number
        elif begun or (line.strip() and not whole):
            statements.append((begun or number, number))
            begun = 0
    yield Layout(source, comments, statements + ([(begun, len(source.lines))] if begun else []))


def _dockerfile(source: Source) -> Iterator[Layout]:
    """Comments, those between the lines of an instruction too, and instructions with their here-documents."""
    from spark_lint.read.dockerfile_lines import escape_directive, instructions

    text = Text.of(source)
    directive = escape_directive(text)
    statements: list[Lines] = []
    documents: set[int] = set()
    trailing: list[Comment] = []
    for instruction in instructions(text, directive.value if directive else "\\"):
        own = _lines(instruction.place)
        heredocs = [_lines(heredoc.whole) for heredoc in instruction.heredocs if heredoc.whole.value]
        statements.append((own[0], max(last for _, last in [own, *heredocs])))
        documents.update(number for first, last in heredocs for number in range(first, last + 1))
        # What follows the command of a RUN on its last line is a comment of the shell.
        last = own[1]
        if instruction.keyword == "RUN" and (behind := _BEHIND.search(source.lines[last - 1])):
            trailing.append(Comment(source.starts[last - 1] + behind.start(1), behind[1]))
    comments = [
        Comment(source.starts[number - 1] + line.index("#"), line[line.index("#") :])
        for number, line in enumerate(source.lines, 1)
        if line.lstrip().startswith("#") and number not in documents
    ]
    yield Layout(source, comments + trailing, statements)


def _lines(text: Text) -> Lines:
    """The lines on which a text stands, in its own source."""
    start, stop = text.bounds()
    return text.source.position(start)[0], text.source.position(stop)[0]


_BEHIND: Final = re.compile(r"(?<=\S)[ \t]+(#[ \t]*spark-lint:.*)$")


def _setup_cfg(source: Source) -> Iterator[Layout]:
    """Comments, those behind a requirement too, and options with the lines that continue them, each of which is a statement itself."""
    comments = list(_requirement_comments(source))
    statements: list[Lines] = []
    for number, _ in by_line(source, comments):
        if source.lines[number - 1][0].isspace() and statements:
            statements[-1] = (statements[-1][0], number)
        else:
            statements.append((number, number))
    yield Layout(source, comments, [*statements, *by_line(source, comments)])


def _requirement_comments(source: Source) -> Iterator[Comment]:
    for number, line in enumerate(source.lines, 1):
        if comment := _REQUIREMENT_COMMENT.search(line):
            yield Comment(source.offset(number, comment.start() + 1), comment[0])


def _by_variable(source: Source) -> Iterator[Layout]:
    """Comments, those behind a value too; each line is a statement."""
    comments = list(_requirement_comments(source))
    yield Layout(source, comments, list(by_line(source, comments)))


def _systemd(source: Source) -> Iterator[Layout]:
    """Comments, which have a line of their own, also between the lines of a value; a key with these is a statement."""
    comments: list[Comment] = []
    statements: list[Lines] = []
    begun = 0
    for number, line in enumerate(source.lines, 1):
        if line.lstrip().startswith(("#", ";")):
            comments.append(Comment(source.starts[number - 1] + len(line) - len(line.lstrip()), line.strip()))
        elif line.endswith("\\"):
            begun = begun or number
        elif begun or line.strip():
            statements.append((begun or number, number))
            begun = 0
    yield Layout(source, comments, statements + ([(begun, len(source.lines))] if begun else []))


def _cmake(source: Source) -> Iterator[Layout]:
    """Comments that reach to the end of their line; a command is a statement, and each of its lines too."""
    from spark_lint.read.cmake_syntax import Invocation, invocations
    from spark_lint.read.cmake_syntax import comments as cmake_comments

    comments = [Comment(start, source.text[start:stop]) for start, stop in cmake_comments(source)]
    statements = [_lines(each.place) for each in invocations(source) if isinstance(each, Invocation)]
    yield Layout(source, comments, [*statements, *by_line(source, comments)])


def _jenkinsfile(source: Source) -> Iterator[Layout]:
    """Comments that reach to the end of their line; a string with its lines is a statement, and each other line."""
    from spark_lint.read.groovy import STRING, Groovy

    code = Groovy(Text.of(source))
    comments = [Comment(start, source.text[start:stop]) for start, stop in code.comments]
    strings = [(source.position(each.start)[0], source.position(each.stop)[0]) for each in code.tokens if each.kind == STRING]
    statements = [(first, last) for first, last in strings if first < last]
    yield Layout(source, comments, [*statements, *by_line(source, comments, statements)])


_JSON_COMMENT: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"?|(//[^\r\n]*)|/\*(?s:.*?)(?:\*/|\Z)")


def _json(source: Source) -> Iterator[Layout]:
    """`//` comments, which JSON has none of, but many a tool that reads it takes; each line is a statement."""
    comments = [Comment(found.start(1), found[1]) for found in _JSON_COMMENT.finditer(source.text) if found[1]]
    yield Layout(source, comments, list(by_line(source, comments)))


def by_line(source: Source, comments: Iterable[Comment], taken: Iterable[Lines] = ()) -> Iterator[Lines]:
    """Each line as a statement, but for those that hold only a comment, say nothing or belong to a statement already."""
    left = {number for number, line in enumerate(source.lines, 1) if line.strip()}
    left -= Layout(source, list(comments), []).alone
    for first, last in taken:
        left.difference_update(range(first, last + 1))
    return ((number, number) for number in sorted(left))


_LAYOUTS: Final[Mapping[str, Callable[[Source], Iterator[Layout]]]] = {
    PYTHON: _python,
    REQUIREMENTS: _requirements,
    DOCKERFILE: _dockerfile,
    JSON: _json,
    SETUP_CFG: _setup_cfg,
    SYSTEMD: _systemd,
    DOTENV: _by_variable,
    CMAKE: _cmake,
    JENKINSFILE: _jenkinsfile,
}
"""Kind of file → where its comments and its statements are."""
_MODULES: Final = {
    SHELL: "suppress_shell",
    YAML: "suppress_yaml",
    MARKDOWN: "suppress_markdown",
    TOML: "suppress_toml",
    NOTEBOOK: "suppress_notebook",
    MAKEFILE: "suppress_make",
    JUSTFILE: "suppress_make",
}
"""The same for kinds that need a parser: the module whose `layout` knows."""
