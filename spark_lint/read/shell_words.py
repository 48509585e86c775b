r"""From words as written to words as a program gets them: quotes removed, escapes decoded, variables put in.

A variable stands for its value where the script says it, for its default (`${TP:-2}`) where only the caller can say more, and for
UNKNOWN otherwise (`$(…)` may give anything). Braces and globs stay as written; no file system is asked.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from tree_sitter import Node

from spark_lint.read.expansion import DEEPEST, Budget
from spark_lint.read.shell_arithmetic import assigned, result
from spark_lint.read.shell_escapes import decoded
from spark_lint.read.shell_folders import own_folder
from spark_lint.read.shell_syntax import Code, outermost
from spark_lint.read.shell_values import Variable, Variables, array, scalar
from spark_lint.text import UNKNOWN, Span, Text

_MEANT: Final = frozenset(
    {"raw_string", "ansi_c_string", "string", "simple_expansion", "expansion", "command_substitution", "arithmetic_expansion",
     "process_substitution"}
)  # fmt: skip
_ESCAPE: Final = re.compile(r"\\(\n|.)", re.DOTALL)
_QUOTED_ESCAPE: Final = re.compile(r'\\([\n"\\$`])')
_EXPANSION: Final = re.compile(r"\$\{(?P<form>[!#]?)(?P<name>\w+|[@*?$!-])(?P<index>\[[^\]]*\])?(?P<operator>:?[-=+?])?")
_BLANK: Final = re.compile(r"\s+")
_WITH_BLANKS: Final = re.compile(r"\s*\S+")
_MOST_WORDS: Final = 200
_INSERTED: Final = frozenset({"simple_expansion", "expansion", "command_substitution"})
_HEREDOC_ESCAPE: Final = re.compile(r"\\([\\$`])")
# The shell itself says what these hold.
_NOT_GIVEN: Final = frozenset("?$!-#0_")


class Part(NamedTuple):
    """A part of a word.

    splits: blanks in it separate words, as in an unquoted variable. ends: the word ends before it. given: only the caller says it.
    """

    text: Text
    splits: bool = False
    ends: bool = False
    given: bool = False


class Words:
    """Expands words of one script. run: reads the code of a substitution. depth: how deep the code being read lies."""

    def __init__(self, code: Code, variables: Variables, budget: Budget, run: Callable[[Node], None]) -> None:
        self.code = code
        self.variables = variables
        self.budget = budget
        self.run = run
        self.depth = 0
        self.too_deep = False
        self._origin_of: dict[int, tuple[Text, list[tuple[str, Span]]]] = {}

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
        return self._value(list(self._parts(nodes, start, stop)), start, stop)

    def _value(self, parts: Iterable[Part], start: int, stop: int) -> Text:
        texts: list[Text] = []
        for part in parts:
            texts += [part.text.as_value(" "), part.text] if part.ends and texts else [part.text]
        return _joined(texts) if texts else self.code.text[start:stop].as_value("")

    def given(self, nodes: Sequence[Node]) -> bool:
        """Whether only the caller says what a word is: `$1`, `"$@"`, `${1#--}`."""
        parts = list(self._parts(nodes, self.code.start(nodes[0]), self.code.stop(nodes[-1])))
        return bool(parts) and all(part.given for part in parts)

    def number(self, name: str) -> str | None:
        """The text of a variable in arithmetic; None where it is not known."""
        variable = self.variables.get(name)
        return None if variable is None or variable.given or variable.text is None else variable.text.value

    def inserted(self, node: Node) -> Text:
        r"""The text of a here-document as its program gets it: known variables put in, `\$` as `$`; all else as it stands."""
        parts: list[Text] = []
        at = self.code.start(node)
        for each in outermost(node.children, _INSERTED):
            first, last = self.code.start(each), self.code.stop(each)
            if first < at or each.type == "command_substitution":
                continue
            found = [part.text for part in self._meaning(each, True)]
            if found and all(text.known for text in found):
                parts += [*self._plain(at, first), *found]
                at = last
        return _joined([*parts, *self._plain(at, self.code.stop(node))] or [self.code.of(node)])

    def _plain(self, start: int, stop: int) -> Iterator[Text]:
        at = start
        for escape in _HEREDOC_ESCAPE.finditer(self.code.value, start, stop):
            yield self.code.text[at : escape.start()]
            at = escape.end()
            yield self.code.text[escape.start() : at].as_value(escape[1])
        if at < stop:
            yield self.code.text[at:stop]

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
            parts = list(self._parts([] if value is None else [value], start, stop))
            found = scalar(self._value(parts, start, stop), bool(parts) and all(part.given for part in parts))
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
            yield Part(decoded(self.code.text[start + 2 : stop - 1]) if start + 2 < stop - 1 else self.code.of(node).as_value(""))
        elif node.type == "string":
            closed = not node.children[-1].is_missing
            inside = list(self._parts(node.children, start + 1, stop - closed, quoted=True))
            if not inside and "[@]" not in self.code.value[start:stop]:  # an empty array is no word, quoted or not
                inside = [Part(self.code.of(node).as_value(""))]
            yield from inside
        elif node.type == "simple_expansion":
            name = self.code.value[start + 1 : stop]
            if name in ("@", "*") and (variable := self.variables.get("@")) is not None:
                yield from self._elements(node, variable, quoted)
            else:
                yield from self._use(node, self.variables.get(name), quoted, name)
        elif node.type in ("expansion", "arithmetic_expansion"):
            self.depth += 1
            if self.depth > DEEPEST:
                self.too_deep = True
                yield Part(self.code.of(node).as_value(UNKNOWN))
            else:
                yield from self._expansion(node, quoted) if node.type == "expansion" else self._arithmetic(node)
            self.depth -= 1
        else:
            folder = own_folder(self.code.value[start:stop]) if node.type == "command_substitution" else None
            yield from self._meant_elsewhere(node, folder)

    def _arithmetic(self, node: Node) -> Iterator[Part]:
        """`$(( TP * PP ))`."""
        if any(outermost(node.children)):
            yield from self._meant_elsewhere(node)
            return
        inside = self.value(node.children, self.code.start(node) + 3, self.code.stop(node) - 2)
        for name in assigned(inside.value):
            self.variables.set(name, scalar(self.code.of(node).as_value(UNKNOWN)))
        number = result(inside.value, self.number)
        yield Part(self.code.of(node).as_value(UNKNOWN if number is None else str(number)))

    def _between(self, start: int, stop: int, node: Node) -> Part:
        return Part(self.code.text[start:stop] if start < stop else self.code.of(node).as_value(""))

    def _use(self, node: Node, variable: Variable | None, quoted: bool, name: str) -> Iterator[Part]:
        """A variable's text where it is used; nothing is known of one that the script has not set."""
        if variable is not None and variable.text is None:
            return
        given = name not in _NOT_GIVEN if variable is None else variable.given
        yield self._put(node, variable.text if variable else None, quoted)._replace(given=given)

    def _put(self, node: Node, value: Text | None, quoted: bool, ends: bool = False) -> Part:
        site = self.code.of(node)
        if value is None or value.value == UNKNOWN or not self.budget.allows(value.value):
            return Part(site.as_value(UNKNOWN), ends=ends)
        return Part(_joined([site.as_value(word, origin) for word, origin in self._origins(value)]), not quoted, ends)

    def _origins(self, value: Text) -> list[tuple[str, Span]]:
        """The words of a value, with the blanks before them, and where each is written: not all of `A="--x $B --tp 2"` is `B`."""
        if id(value) not in self._origin_of:
            cuts = [match.end() for match in _WITH_BLANKS.finditer(value.value)]
            cuts = [*cuts[:-1], len(value.value)] if len(cuts) <= _MOST_WORDS else [len(value.value)]
            parts = [value[start:stop] for start, stop in zip([0, *cuts], cuts, strict=False)]
            found = [(part.value, _stripped(part).origin) for part in parts]
            self._origin_of[id(value)] = (value, found)
        return self._origin_of[id(value)][1]

    def _expansion(self, node: Node, quoted: bool) -> Iterator[Part]:
        """`${V}`, `${A[@]}`, `${V:-default}` and its kin; every other operator gives something unknown."""
        start, stop = self.code.start(node), self.code.stop(node)
        match = _EXPANSION.match(self.code.value, start, stop)
        operator = match["operator"] or "" if match else ""
        if not match or match["form"] or (not operator and match.end() != stop - 1):
            name = match["name"] if match and not match["form"] else "#"
            variable = self.variables.get(name)
            given = name not in _NOT_GIVEN if variable is None else variable.given
            yield from self._meant_elsewhere(node, own_folder(self.code.value[start:stop]), given)
            return
        variable = self.variables.get(match["name"])
        index = match["index"]
        if index in ("[@]", "[*]") and not operator:
            yield from self._elements(node, variable, quoted)
            return
        if index and variable is not None:
            variable = variable.element(index[1:-1])
        empty = variable is not None and operator.startswith(":") and variable.empty
        if operator[-1:] in ("-", "=") and (variable is None or variable.given or empty):
            default = list(self._parts(node.children, match.end(), stop - 1, quoted, not quoted))
            if operator[-1:] == "=":
                empty_text = self.code.text[match.end() : match.end()]
                given = bool(default) and all(part.given for part in default)
                self.variables.set(match["name"], scalar(_joined([part.text for part in default] or [empty_text]), given))
            yield from default
        elif operator[-1:] == "+":
            if variable is None or (variable.text is not None and variable.text.value == UNKNOWN):
                yield Part(self.code.of(node).as_value(UNKNOWN))
            elif not empty:
                yield from self._parts(node.children, match.end(), stop - 1, quoted, not quoted)
        else:
            yield from self._use(node, variable, quoted, match["name"])

    def _elements(self, node: Node, variable: Variable | None, quoted: bool) -> Iterator[Part]:
        words: Sequence[Text | None] = variable.words if variable and self.budget.left > 0 else [None]
        for number, word in enumerate(words):
            yield self._put(node, word, quoted, ends=number > 0)

    def _meant_elsewhere(self, node: Node, value: str | None = None, given: bool = False) -> Iterator[Part]:
        """What only running the script would tell, unless its value is given here; the code in it is read."""
        for each in outermost([node]):
            self.run(each)
        yield Part(self.code.of(node).as_value(UNKNOWN if value is None else value), given=given and value is None)


def _stripped(text: Text) -> Text:
    """A text without the blanks around it."""
    start = len(text.value) - len(text.value.lstrip())
    return text[start : max(start, len(text.value.rstrip()))]


def _joined(texts: list[Text]) -> Text:
    return texts[0] if len(texts) == 1 else Text.join(texts)
