r"""From words as written to words as a program gets them: quotes removed, escapes decoded, variables put in.

A variable stands for its value where the script says it, for its default (`${TP:-2}`) where the script says nothing, and for
UNKNOWN otherwise. Braces and globs stay as written; no file system is asked.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from tree_sitter import Node

from spark_lint.read.expansion import DEEPEST, Budget
from spark_lint.read.shell_syntax import Code, outermost
from spark_lint.read.shell_values import Variable, Variables, array, scalar
from spark_lint.text import UNKNOWN, Text

_MEANT: Final = frozenset(
    {"raw_string", "ansi_c_string", "string", "simple_expansion", "expansion", "command_substitution", "arithmetic_expansion",
     "process_substitution"}
)  # fmt: skip
_ESCAPE: Final = re.compile(r"\\(\n|.)", re.DOTALL)
_QUOTED_ESCAPE: Final = re.compile(r'\\([\n"\\$`])')
_ANSI_ESCAPE: Final = re.compile(r"\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
_ANSI: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_EXPANSION: Final = re.compile(r"\$\{(?P<form>[!#]?)(?P<name>\w+|[@*?$!-])(?P<index>\[[^\]]*\])?(?P<operator>:?[-=+?])?")
_BLANK: Final = re.compile(r"\s+")


class Part(NamedTuple):
    """A part of a word. splits: blanks in it separate words, as in an unquoted variable. ends: the word ends before it."""

    text: Text
    splits: bool = False
    ends: bool = False


class Words:
    """Expands words of one script. run: reads the code of a substitution. depth: how deep the code being read lies."""

    def __init__(self, code: Code, variables: Variables, budget: Budget, run: Callable[[Node], None]) -> None:
        self.code = code
        self.variables = variables
        self.budget = budget
        self.run = run
        self.depth = 0
        self.too_deep = False

    def _fields(self, parts: Iterable[Part]) -> list[Text]:
        words: list[Text] = []
        current: list[Text] = []
        for part in parts:
            if part.ends and current:
                words.append(_joined(current))
                current = []
            if not part.splits:
                current.append(part.text)
                continue
            at = 0
            for blank in _BLANK.finditer(part.text.value):
                if blank.start() > at:
                    current.append(part.text[at : blank.start()])
                if current:
                    words.append(_joined(current))
                    current = []
                at = blank.end()
            if at < len(part.text.value):
                current.append(part.text[at:])
        return [*words, _joined(current)] if current else words

    def word(self, nodes: Sequence[Node]) -> list[Text]:
        """The words that one word as written becomes: none, one or several. nodes: its parts."""
        return self._fields(self._parts(nodes, self.code.start(nodes[0]), self.code.stop(nodes[-1])))

    def value(self, nodes: Iterable[Node], start: int, stop: int) -> Text:
        """The one text that a stretch becomes where it is not split into words, as in an assignment."""
        texts: list[Text] = []
        for part in self._parts(nodes, start, stop):
            texts += [part.text.as_value(" "), part.text] if part.ends and texts else [part.text]
        return _joined(texts) if texts else self.code.text[start:stop].as_value("")

    def assigned(self, node: Node) -> tuple[str, Variable]:
        """The name and the new value that an assignment (`A=1`, `A+=x`, `A=(--tp 2)`) gives."""
        target = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        operator = next((child for child in node.children if child.type in ("=", "+=")), None)
        start = self.code.stop(operator or node)
        stop = self.code.stop(node)
        if target is None or target.type == "subscript":
            name = self.code.raw(target).partition("[")[0] if target else ""
            self.value([node], start, stop)
            return name, Variable((self.code.of(node).as_value(UNKNOWN),), array=True)
        name = self.code.raw(target)
        if value is not None and value.type == "array":
            elements = [child for child in value.named_children if child.type != "comment"]
            found = array([word for child in elements for word in self.word([child])])
        else:
            found = scalar(self.value([] if value is None else [value], start, stop))
        if operator is not None and operator.type == "+=":
            found = self._appended(self.variables.get(name), found, self.code.of(node))
        return name, found

    def _appended(self, old: Variable | None, new: Variable, site: Text) -> Variable:
        kept = [site.as_value(UNKNOWN)]
        if old and self.budget.allows("".join(word.value for word in old.words)):
            kept = [site.as_value(word.value, word.origin) for word in old.words]
        if new.array or (old and old.array):
            return array([*kept, *new.words])
        return scalar(_joined([*kept, *new.words]))

    def _parts(self, nodes: Iterable[Node], start: int, stop: int, quoted: bool = False, splits: bool = False) -> Iterator[Part]:
        at = start
        for node in outermost(nodes, _MEANT):
            first, last = self.code.start(node), self.code.stop(node)
            if first < at or last > stop:
                continue
            yield from self._literal(at, first, quoted, splits)
            yield from self._meaning(node, quoted)
            at = last
        yield from self._literal(at, stop, quoted, splits)

    def _literal(self, start: int, stop: int, quoted: bool, splits: bool) -> Iterator[Part]:
        at = start
        for escape in (_QUOTED_ESCAPE if quoted else _ESCAPE).finditer(self.code.value, start, stop):
            if escape.start() > at:
                yield Part(self.code.text[at : escape.start()], splits)
            at = escape.end()
            if escape[1] != "\n":
                yield Part(self.code.text[escape.start() : at].as_value(escape[1]))
        if at < stop:
            yield Part(self.code.text[at:stop], splits)

    def _meaning(self, node: Node, quoted: bool) -> Iterator[Part]:
        start, stop = self.code.start(node), self.code.stop(node)
        if node.type == "raw_string":
            yield self._between(start + 1, stop - 1, node)
        elif node.type == "ansi_c_string":
            yield from self._ansi(start + 2, stop - 1, node)
        elif node.type == "string":
            closed = not node.children[-1].is_missing
            inside = list(self._parts(node.children, start + 1, stop - closed, quoted=True))
            if not inside and "[@]" not in self.code.value[start:stop]:  # an empty array is no word, quoted or not
                inside = [Part(self.code.of(node).as_value(""))]
            yield from inside
        elif node.type == "simple_expansion":
            yield from self._use(node, self.variables.get(self.code.value[start + 1 : stop]), quoted)
        elif node.type == "expansion":
            self.depth += 1
            if self.depth > DEEPEST:
                self.too_deep = True
                yield Part(self.code.of(node).as_value(UNKNOWN))
            else:
                yield from self._expansion(node, quoted)
            self.depth -= 1
        else:
            for each in outermost([node]):
                self.run(each)
            yield Part(self.code.of(node).as_value(UNKNOWN))

    def _between(self, start: int, stop: int, node: Node) -> Part:
        return Part(self.code.text[start:stop] if start < stop else self.code.of(node).as_value(""))

    def _ansi(self, start: int, stop: int, node: Node) -> Iterator[Part]:
        if start >= stop:
            yield self._between(start, stop, node)
        at = start
        for escape in _ANSI_ESCAPE.finditer(self.code.value, start, stop):
            if escape.start() > at:
                yield Part(self.code.text[at : escape.start()])
            at = escape.end()
            yield Part(self.code.text[escape.start() : at].as_value(_ansi(escape[0][1:])))
        if at < stop:
            yield Part(self.code.text[at:stop])

    def _use(self, node: Node, variable: Variable | None, quoted: bool) -> Iterator[Part]:
        """A variable's text where it is used; nothing is known of one that the script has not set."""
        if variable is not None and variable.text is None:
            return
        yield self._put(node, variable.text if variable else None, quoted)

    def _put(self, node: Node, value: Text | None, quoted: bool, ends: bool = False) -> Part:
        site = self.code.of(node)
        if value is None or not self.budget.allows(value.value):
            return Part(site.as_value(UNKNOWN), ends=ends)
        return Part(site.as_value(value.value, None if value.value == UNKNOWN else value.origin), not quoted, ends)

    def _expansion(self, node: Node, quoted: bool) -> Iterator[Part]:
        """`${V}`, `${A[@]}`, `${V:-default}` and its kin; every other operator gives something unknown."""
        start, stop = self.code.start(node), self.code.stop(node)
        match = _EXPANSION.match(self.code.value, start, stop)
        operator = match["operator"] or "" if match else ""
        if not match or match["form"] or (not operator and match.end() != stop - 1):
            yield from self._meant_elsewhere(node)
            return
        variable = self.variables.get(match["name"])
        index = match["index"]
        if index in ("[@]", "[*]") and not operator:
            yield from self._elements(node, variable, quoted)
            return
        if index:
            variable = _element(variable, index[1:-1])
        empty = variable is not None and operator.startswith(":") and not (variable.text and variable.text.value)
        if operator[-1:] in ("-", "=") and (variable is None or not variable.known or empty):
            default = list(self._parts(node.children, match.end(), stop - 1, quoted, not quoted))
            if operator[-1:] == "=":
                empty_text = self.code.text[match.end() : match.end()]
                self.variables.set(match["name"], scalar(_joined([part.text for part in default] or [empty_text])))
            yield from default
        elif operator[-1:] == "+":
            if variable is None or not variable.known:
                yield Part(self.code.of(node).as_value(UNKNOWN))
            elif not empty:
                yield from self._parts(node.children, match.end(), stop - 1, quoted, not quoted)
        else:
            yield from self._use(node, variable, quoted)

    def _elements(self, node: Node, variable: Variable | None, quoted: bool) -> Iterator[Part]:
        words: Sequence[Text | None] = variable.words if variable and self.budget.left > 0 else [None]
        for number, word in enumerate(words):
            yield self._put(node, word, quoted, ends=number > 0)

    def _meant_elsewhere(self, node: Node) -> Iterator[Part]:
        for each in outermost(node.children):
            self.run(each)
        yield Part(self.code.of(node).as_value(UNKNOWN))


def _element(variable: Variable | None, index: str) -> Variable | None:
    """One element of an array, where the array is known in full."""
    if variable is None or not re.fullmatch("[0-9]{1,6}", index) or not all(word.known for word in variable.words):
        return None
    at = int(index)
    return Variable((variable.words[at],)) if at < len(variable.words) else None


def _ansi(escape: str) -> str:
    r"""What stands behind the backslash in `$'\n'`, decoded."""
    if escape[0] in "xuU" and len(escape) > 1:
        number = int(escape[1:], 16)
    elif escape[0] in "01234567":
        number = int(escape, 8) & 0xFF
    elif escape[0] == "c" and len(escape) > 1:
        number = ord(escape[1]) & 0x1F
    else:
        return _ANSI.get(escape, escape)
    return chr(number) if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else UNKNOWN


def _joined(texts: list[Text]) -> Text:
    return texts[0] if len(texts) == 1 else Text.join(texts)
