"""Shell code and its syntax tree, in characters.

The grammar (tree-sitter-bash) counts bytes and knows nothing of files: `Code` holds the tree of a `Text` and gives, for every
node, the part of the text it stands for.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import islice
from time import thread_time
from typing import Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Point

from spark_lint.facts import ParseProblem
from spark_lint.read.shell_mending import braced, mended, simplified
from spark_lint.text import UNKNOWN, Bytes, Text

_CHUNK: Final = 64
_PIECE: Final = 4096
_MOST_READS: Final = 40
_MOST_SECONDS: Final = 0.05
_MOST_SECONDS_A_BYTE: Final = 2.5e-6
_CONTINUED: Final = re.compile(r"\\\n")
_MOST_REPAIRS: Final = 3
_MOST_LOST: Final = 10_000
_BEHIND_ANOTHER: Final = re.compile(r"(?<=[\w./:=+,@%-])(\$(?:[A-Za-z_]\w*|[0-9]))(?=[./:=+,@%-])")
_EXPANSIONS: Final = frozenset({"simple_expansion", "expansion"})
_SUBSTITUTIONS: Final = frozenset({"command_substitution", "process_substitution"})


class Tangled(Exception):
    """The parser would need far more work than the length of the code accounts for."""


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def _work(data: bytes) -> float:
    """The seconds that the parser needs for a piece of code. Raises Tangled where that is far more than its length accounts for.

    How often it comes back for the same bytes is a measure that is the same on every machine: real scripts need up to five reads a
    chunk, the inputs meant here hundreds. Work that it does not read for shows in its processor time only: real scripts take a
    quarter of a microsecond a byte.
    """
    reads = 0

    def read(offset: int, _: Point) -> bytes:
        nonlocal reads
        reads += 1
        return data[offset : offset + _CHUNK]

    before = thread_time()
    _parser().parse(read)
    seconds = thread_time() - before
    if reads > _MOST_READS * (1 + len(data) // _CHUNK) or seconds > _MOST_SECONDS + _MOST_SECONDS_A_BYTE * len(data):
        raise Tangled
    return seconds


def _parse(data: bytes) -> Node:
    """The root of the syntax tree.

    Error recovery is quadratic on some inputs (thousands of `<<` or `a=(`, a long pipeline that ends in `|`), and a parse cannot
    be stopped: the parser crashes where its input ends early. So longer code is tried in pieces first, ever larger ones, and all of
    one size may need no more than one piece of their length.
    """
    size = _PIECE
    while size < len(data):
        left = _MOST_SECONDS + _MOST_SECONDS_A_BYTE * len(data)
        for start in range(0, len(data), size):
            left -= _work(data[start : start + size])
            if left < 0:
                raise Tangled
        size *= 2
    return _parser().parse(data).root_node


# The grammar's scanner asks C's `isalnum` and the like of any character; beyond Latin-1 that reads foreign memory, and crashes on some
# of them (tree-sitter-bash 0.25.1, seen with characters beyond U+FFFF). All of them are parts of words to a shell.
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_OUTPUT_OF: Final = re.compile(r"(?<![\w$])([A-Za-z_]\w{0,99})=\"?\$\(([^()\n]{1,300})\)")


class Code:
    """Shell code with its tree. Raises Tangled where it cannot be parsed in reasonable time."""

    def __init__(self, text: Text) -> None:
        self._read(mended(text))
        if self.root.has_error and (simpler := simplified(self.text)) is not self.text:
            self._read(simpler)
        for _ in range(_MOST_REPAIRS):
            if not (lost := list(self._lost())):
                break
            self._read(braced(self.text, lost))

    @cached_property
    def programs(self) -> dict[str, str]:
        """The programs whose output a variable holds, of those that are set once: `N=$(nvidia-smi -L | wc -l)`."""
        found: dict[str, str] = {}
        for match in _OUTPUT_OF.finditer(self.value):
            names = [part.split()[0] for part in match[2].split("|") if part.split()]
            found[match[1]] = "" if match[1] in found else " | ".join(names)
        return found

    def _lost(self) -> Iterator[tuple[int, int]]:
        """Variables that the grammar has taken for a dollar sign and text: `$B` of `$A-$B-x`."""
        for match in islice(_BEHIND_ANOTHER.finditer(self.value), _MOST_LOST):
            at = self._bytes.byte(match.start(1))
            node = self.root.descendant_for_byte_range(at, at + 1)
            if node is not None and node.type == "$" and (node.parent is None or node.parent.type != "simple_expansion"):
                yield match.span(1)

    def _read(self, text: Text) -> None:
        self.text = text
        self.value = text.value
        self._bytes = Bytes(_BEYOND_ASCII.sub("é", self.value))
        self.root = _parse(self._bytes.data)

    def start(self, node: Node) -> int:
        """The first character of a node.

        The grammar counts blanks before an expansion in a string to it, and not the indentation of a here-document's first line.
        """
        start = self._bytes.character(node.start_byte)
        if node.type in _EXPANSIONS:
            while start < len(self.value) and self.value[start].isspace():
                start += 1
        elif node.type == "heredoc_body":
            while start > 0 and self.value[start - 1] in " \t":
                start -= 1
        return start

    def stop(self, node: Node) -> int:
        """The character after a node's last one."""
        return self._bytes.character(node.end_byte)

    def of(self, node: Node) -> Text:
        """What a node stands for."""
        return self.text[self.start(node) : self.stop(node)]

    def raw(self, node: Node) -> str:
        """What a node says, to the letter."""
        return self.value[self.start(node) : self.stop(node)]

    def written(self, start: int, stop: int) -> str:
        """A stretch of the code on one line, as its author wrote it."""
        value = self.value[start:stop]
        if UNKNOWN in value:
            first, last = self.text.bounds(start, stop)
            value = self.text.source.text[first:last]
        return " ".join(_CONTINUED.sub("", value).split())

    def line(self, node: Node) -> str:
        """What a node says, on one line."""
        return self.written(self.start(node), self.stop(node))

    @property
    def problem(self) -> ParseProblem | None:
        """The first place that the grammar could not read; it goes on behind it."""
        if not self.root.has_error:
            return None
        nodes, found = [self.root], self.root
        while nodes:
            found = nodes.pop()
            broken = [child for child in found.children if child.has_error or child.is_missing]
            if found.is_missing or (found.is_error and not broken):
                break
            nodes += reversed(broken)
        start, stop = self.start(found), self.stop(found)
        if found.is_missing:
            end = len(self.value[:start].rstrip())
            return ParseProblem(self.text[end:end].span, f"shell syntax: {found.type} is missing here")
        line = self.value.find("\n", start, stop - 1)
        if line < 0:
            return ParseProblem(self.text[start:stop].span, "shell syntax: cannot read this line")
        return ParseProblem(self.text[start:line].span, "shell syntax: cannot read all of the code from here on")


def outermost(nodes: Iterable[Node], kinds: frozenset[str] = _SUBSTITUTIONS) -> Iterator[Node]:
    """The nodes of these kinds among these and below, in order, without those inside another one."""
    stack = [*nodes][::-1]
    while stack:
        node = stack.pop()
        if node.type in kinds:
            yield node
        else:
            stack += reversed(node.children)
