"""What a Jenkinsfile gives its steps: their arguments, and the variables, parameters and axes that stand in these."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from spark_lint.read.expansion import Budget
from spark_lint.read.groovy import END, STRING, WORD, Groovy
from spark_lint.text import UNKNOWN, Text

Lookup: TypeAlias = Callable[[str], Text | None]
"""The value of a name (`TAG`, `env.TAG`), None where the file does not say it."""
Range: TypeAlias = tuple[int, int]
"""The numbers of the first token and of the one behind the last."""

_GOES_ON: Final = frozenset({",", "+", "=", ":", "(", "[", "?", "?:", "&&", "||"})
"""Signs behind which a statement goes on in the next line."""
_STOPS: Final = frozenset({"}", ")", "]"})
_UNCHANGED: Final = frozenset({"stripIndent", "stripMargin", "trim", "toString", "strip"})
"""Methods after which a string is, to a shell, what it was."""
_DOTTED: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,9}")
_ASSIGNS: Final = frozenset({"=", "+=", "-="})
_LONGEST: Final = 200
"""Tokens of one statement that are looked at for a value."""
_MOST: Final = 64


class Arguments(NamedTuple):
    """What a step is given: values by place and by name, and the number of the token behind them."""

    given: list[Range]
    named: dict[str, Range]
    stop: int

    def find(self, name: str) -> Range | None:
        """What is given by this name, or first."""
        return self.named.get(name) or (self.given[0] if self.given else None)


def arguments(code: Groovy, at: int) -> Arguments:
    """The arguments that begin with a token: `(script: 'x', label: 'y')`, `'x', label: 'y'`, `([script: 'x'])`."""
    start, stop, behind = at, end_of(code, at), 0
    if code.kind(at) == "(":
        start, stop = at + 1, code.closing(at)
        behind = stop + 1
        inner = code.next(start)
        if code.kind(inner) == "[" and code.next(code.closing(inner) + 1) == stop and code.kind(code.next(inner + 1) + 1) == ":":
            start, stop = inner + 1, code.closing(inner)
    given: list[Range] = []
    named: dict[str, Range] = {}
    for first, last in islice(parts(code, start, stop), _MOST):
        if code.kind(first + 1) == ":" and code.kind(first) in (WORD, STRING) and first + 2 < last:
            named[code.word(first).strip("'\"")] = (first + 2, last)
        else:
            given.append((first, last))
    return Arguments(given, named, behind or stop)


def end_of(code: Groovy, at: int) -> int:
    """The number of the token behind a statement without brackets around it. A block ends it too."""
    for _ in range(_LONGEST):
        kind = code.kind(at)
        if at >= len(code.tokens) or kind in _STOPS or kind == "{" or (kind == END and code.kind(at - 1) not in _GOES_ON):
            break
        at = code.behind(at)
    return min(at, len(code.tokens))


def parts(code: Groovy, start: int, stop: int) -> Iterator[Range]:
    """What stands between commas, without the line ends around it."""
    at = first = code.next(start)
    while at < stop:
        if code.kind(at) == ",":
            yield from _part(code, first, at)
            first = at = code.next(at + 1)
        else:
            at = code.behind(at)
    yield from _part(code, first, min(stop, len(code.tokens)))


def _part(code: Groovy, start: int, stop: int) -> Iterator[Range]:
    while stop > start and code.kind(stop - 1) == END:
        stop -= 1
    if start < stop:
        yield start, stop


def value(code: Groovy, span: Range, lookup: Lookup, budget: Budget) -> Text:
    """The value of an expression: a string, a name, or several of these with `+` between them; unknown where it is anything else."""
    start, stop = span
    if stop - start > _LONGEST:
        return code.cut(start, start + 1).as_value(UNKNOWN)
    while code.kind(start) == "(" and code.closing(start) == stop - 1 and start + 1 < stop - 1:
        start, stop = start + 1, stop - 1
    terms: list[Text] = []
    at = first = start
    while at <= stop:
        if at < stop and code.kind(at) in ("?", "?:"):
            return code.cut(start, stop).as_value(UNKNOWN)
        if at >= stop or code.kind(at) == "+":
            if first < min(at, stop):
                terms.append(_term(code, code.next(first), min(at, stop), lookup, budget))
            first = at + 1
        at = code.behind(at)
    return Text.join(terms) if terms else code.cut(*span).as_value(UNKNOWN)


def _term(code: Groovy, start: int, stop: int, lookup: Lookup, budget: Budget) -> Text:
    while stop > start + 1 and code.kind(stop - 1) == END:
        stop -= 1
    if start >= stop:
        return code.cut(stop - 1, stop).as_value(UNKNOWN)
    whole = code.cut(start, stop)

    def fill(expression: Text) -> Text | None:
        return known(expression.value, lookup, budget)

    methods = [code.word(at) for at in range(start + 1, stop) if code.kind(at) == WORD]
    if (
        code.kind(start) == STRING
        and _UNCHANGED.issuperset(methods)
        and not any(code.kind(at) == STRING for at in range(start + 1, stop))
    ):
        return code.string(start, fill)
    found = fill(whole) if code.kind(start) == WORD else None
    return whole.as_value(UNKNOWN) if found is None else whole.as_value(found.value, found.origin)


def known(expression: str, lookup: Lookup, budget: Budget) -> Text | None:
    """The value of a name in a string or beside one, as far as the file may stand for so much."""
    name = expression.strip()
    found = lookup(name) if _DOTTED.fullmatch(name) else None
    return found if found is not None and budget.allows(found.value) else None


class Function(NamedTuple):
    """A function of the file: its parameters and the brace of its body."""

    name: str
    parameters: list[str]
    brace: int


class Said:
    """What the whole of a Jenkinsfile says about names.

    constants: variables that get one value. scoped: those that several places define, each for itself. parameters: what the pipeline is
    started with. axes: what a matrix chooses from. functions: by name; bodies: the same by the number of the token of their name.
    """

    def __init__(self, code: Groovy, budget: Budget) -> None:
        self.code = code
        self.budget = budget
        self.parameters: dict[str, Text] = {}
        self.constants: dict[str, Text] = {}
        self.axes: dict[str, list[Text]] = {}
        self.functions: dict[str, Function] = {}
        self.bodies: dict[int, Function] = {}
        counted: Counter[str] = Counter()
        declared: Counter[str] = Counter()
        found: dict[str, int] = {}
        for at in range(len(code.tokens)):
            if code.kind(at) != WORD or code.kind(at - 1) in (".", "?."):
                continue
            name, sign = code.word(at), code.kind(at + 1)
            if sign in _ASSIGNS:
                counted[name] += 1 if sign == "=" else 2
                declared[name] += code.kind(at - 1) == WORD
                found[name] = at + 2
            elif sign == "(" and name in ("string", "choice", "text"):
                self._parameter(at + 1)
            elif sign == "{" and name == "axis":
                self._axis(at + 1)
            elif sign == "(" and code.kind(at - 1) == WORD and code.kind(code.next(code.closing(at + 1) + 1)) == "{":
                self._function(at)
        self.scoped = {name for name, count in counted.items() if count > 1 and declared[name] == count}
        for name, at in found.items():
            if counted[name] == 1 and (stop := end_of(code, at)) > at:
                self._constant(name, value(code, (at, stop), self.lookup, budget))

    def lookup(self, name: str) -> Text | None:
        """What a name stands for everywhere in the file."""
        return self.constants.get(name)

    def _constant(self, name: str, text: Text) -> None:
        if text.value.strip(UNKNOWN):
            self.constants[name] = text

    def _first(self, span: Range) -> list[Text]:
        """The strings of a value or of a list of values."""
        start, stop = span
        if self.code.kind(start) == "[":
            start, stop = start + 1, self.code.closing(start)
        found = islice(parts(self.code, start, stop), _MOST)
        return [value(self.code, each, self.lookup, self.budget) for each in found]

    def _parameter(self, at: int) -> None:
        """`string(name: 'TAG', defaultValue: 'x')`: what is set where nobody says otherwise; of a choice the first."""
        given = arguments(self.code, at).named
        default = given.get("defaultValue") or given.get("choices")
        if "name" not in given or default is None:
            return
        name, values = self._first(given["name"]), self._first(default)
        if name and values:
            text = values[0]
            line = text.value.find("\n") if "choices" in given else -1
            self.parameters.setdefault(name[0].value, text if line < 0 else text[:line])

    def _axis(self, brace: int) -> None:
        settings: dict[str, list[Range]] = defaultdict(list)
        at, stop = brace + 1, self.code.closing(brace)
        while at < stop:
            given = arguments(self.code, at + 1) if self.code.kind(at) == WORD else None
            if given is not None:
                settings[self.code.word(at)] += given.given
            at = max(at + 1, given.stop if given is not None else 0)
        names = [text for span in settings["name"] for text in self._first(span)]
        values = [text for span in settings["values"] for text in self._first(span)]
        if len(names) == 1 and values:
            self.axes[names[0].value] = self.axes.get(names[0].value, []) + values[:_MOST]

    def _function(self, at: int) -> None:
        closing = self.code.closing(at + 1)
        names = [
            next((self.code.word(each) for each in reversed(range(*span)) if self.code.kind(each) == WORD), "")
            for span in (_before_default(self.code, each) for each in islice(parts(self.code, at + 2, closing), _MOST))
        ]
        found = Function(self.code.word(at), names, self.code.next(closing + 1))
        self.functions[found.name] = self.bodies[at] = found


def _before_default(code: Groovy, span: Range) -> Range:
    """A parameter without its default."""
    start, stop = span
    return start, next((at for at in range(start, stop) if code.kind(at) == "="), stop)
