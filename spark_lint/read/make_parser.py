"""A Makefile from top to bottom: its variables, its rules and the lines of their recipes, each under the tests around it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from spark_lint.facts import ParseProblem
from spark_lint.read.expansion import TOO_DEEP, Budget
from spark_lint.read.make_branches import Branches
from spark_lint.read.make_lines import Assignment, Header, assignment, header, joined, logical, stripped, words
from spark_lint.read.make_tests import TESTS, Test, test
from spark_lint.read.make_values import Expander
from spark_lint.read.shell_tests import Conditions
from spark_lint.read.shell_values import Variables, scalar
from spark_lint.text import UNKNOWN, Text

_DIRECTIVE: Final = re.compile(
    r"(ifn?eq|ifn?def|else|endif|endef|-?include|sinclude|export|unexport|(?:override[ \t]+)?undefine|vpath|-?load)(?![\w.:+?=-])\s*"
)
_KEYWORD: Final = re.compile(r"(ifn?eq|ifn?def)(?![\w.])\s*")
_DEFINE: Final = re.compile(r"(?:(?:export|override)\s+)*define\s+(\S+)")
_NESTED: Final = re.compile(r"[ \t]*(?:(?:export|override)\s+)*define\s")
_ENDEF: Final = re.compile(r"[ \t]*endef\b")
_INDENTED: Final = re.compile(
    r"[ \t]*(?:(?:ifn?eq|ifn?def|else|endif)\b|(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*(?:[:?+]=|=[ \t]))"
)
# What other programs of that name know: `.if`, `!include`.
_OTHERS: Final = (".", "!")
_MOST_PROBLEMS: Final = 20
EVERY: Final = ""
"""Stands for the name of a variable where all of them are exported."""


class Definition(NamedTuple):
    """A variable that is given a value.

    written: the whole assignment. value: what it says, as written. whole: the text that the variable has then. target: the only one for which it has it.
    """

    name: str
    written: Text
    value: Text
    whole: Text
    conditions: Conditions
    target: Text | None = None


@dataclass(slots=True)
class Rule:
    """A rule, its targets and prerequisites with values put in. depth: how many conditionals it stands in."""

    targets: list[Text]
    prerequisites: list[Text]
    depth: int


class Recipe(NamedTuple):
    """A line of a recipe, with those that continue it, as written but for what makes it one."""

    rule: Rule
    line: Text
    conditions: Conditions


class Parser:
    """Reads one file.

    found: what it says, in order. variables: their values at the end of the file. own: those of single targets. exported: names of
    variables that recipes find in their environment, `(target, name)` for those of single targets. one_shell: a recipe is one script.
    """

    def __init__(self, text: Text, budget: Budget) -> None:
        self.found: list[Definition | Recipe | ParseProblem] = []
        self.variables = Variables({})
        self.own: dict[str, dict[str, Text]] = {}
        self.exported: set[str | tuple[str, str]] = set()
        self.one_shell = False
        self.used: set[int] = set()
        self._text = text
        self._budget = budget
        self._branches = Branches(self.variables, lambda: Expander(self.value_of, budget))
        self._rule: Rule | None = None
        self._prefix = "\t"
        self._problems = 0
        self._read()

    def value_of(self, name: str) -> Text | None:
        """The text that a variable has, its own variables still in it; None for one that the file gives none."""
        variable = self.variables.get(name)
        return variable.text if variable is not None else None

    def _now(self) -> Expander:
        return Expander(self.value_of, self._budget, self.used)

    def _read(self) -> None:
        lines = logical(self._text.value)
        continued = re.compile(rf"(?<=\\\n){re.escape(self._prefix)}")
        for start, stop in lines:
            line = self._text[start:stop]
            if self._rule is not None and line.value.startswith(self._prefix) and not self._ends(self._rule, line):
                self._recipe(self._rule, line[1:].without(continued))
                continue
            prefix, line = self._prefix, joined(line)
            if defined := _DEFINE.match(line.value):
                self._define(line, defined[1], lines)
            elif line.value:
                self._statement(line)
            if prefix != self._prefix:
                continued = re.compile(rf"(?<=\\\n){re.escape(self._prefix)}")
        for place in self._branches.unclosed():
            self._problem(place, "this conditional has no endif")
        if self._branches.too_deep:
            self.found.append(ParseProblem(self._text[:0].span, TOO_DEEP))

    def _ends(self, rule: Rule, line: Text) -> bool:
        """Whether a line that looks like one of a recipe is none: where the test under which its rule stands has ended, it may be indented."""
        if self._branches.depth < rule.depth and _INDENTED.match(line.value, 1):
            self._rule = None
        return self._rule is None

    def _problem(self, place: Text, message: str) -> None:
        self._problems += 1
        if self._problems <= _MOST_PROBLEMS:
            self.found.append(ParseProblem(place.span, message))

    def _define(self, line: Text, name: str, lines: Iterator[tuple[int, int]]) -> None:
        """`define NAME`, up to its `endef`: a text of several lines."""
        self._rule = None
        depth, first, last = 1, -1, 0
        for start, stop in lines:
            value = self._text.value[start:stop]
            first = start if first < 0 else first
            depth += (_NESTED.match(value) is not None) - (_ENDEF.match(value) is not None)
            if not depth:
                break
            last = stop
        if depth:
            self._problem(line, "this definition has no endef")
        if UNKNOWN not in name and "$" not in name:
            self.variables.set(name, scalar(self._text[first : max(first, last)]))

    def _statement(self, line: Text) -> None:
        directive = _DIRECTIVE.match(line.value)
        keyword = directive[1] if directive else ""
        rest = stripped(line[directive.end() :]) if directive else line
        if keyword in TESTS:
            self._branches.begin(keyword, self._test(keyword, rest, line), line)
        elif keyword == "else":
            again = _KEYWORD.match(rest.value)
            asked = self._test(again[1], stripped(rest[again.end() :]), line) if again else None
            if not self._branches.otherwise(again[1] if again else "", asked):
                self._problem(line, "this else belongs to no conditional")
        elif keyword == "endif":
            if not self._branches.end():
                self._problem(line, "this endif belongs to no conditional")
        elif given := assignment(line):
            self._assign(given, line)
        elif keyword in ("export", "unexport"):
            names = {word.value for word in words(self._now().value(rest))}
            self.exported = self.exported - names if keyword == "unexport" else self.exported | (names or {EVERY})
        elif not keyword:
            self._begin(line)

    def _test(self, keyword: str, rest: Text, line: Text) -> Test | None:
        found = test(keyword, rest)
        if found is None:
            self._problem(line, f"{keyword} compares two texts" if keyword in ("ifeq", "ifneq") else f"{keyword} takes a name")
        return found

    # Variables.

    def _assign(self, given: Assignment, line: Text) -> None:
        self._rule = None
        name = self._now().value(given.name).value
        if UNKNOWN in name or len(name.split()) != 1:
            return
        before = self.value_of(name)
        if given.operator == "?=" and before is not None:
            return
        whole = self._whole(given, before)
        self.variables.set(name, scalar(whole))
        if "export" in given.modifiers:
            self.exported.add(name)
        if name == ".RECIPEPREFIX":
            self._prefix = given.value.value[:1] or "\t"
        value = whole if given.operator == "!=" else given.value
        self.found.append(Definition(name, line, value, whole, self._branches.conditions))

    def _whole(self, given: Assignment, before: Text | None) -> Text:
        value = given.value
        if given.operator == ":=":
            return self._now().value(value, "kept")
        if given.operator == "!=":
            return Text.join([value.as_value("$(shell "), value, value.as_value(")")])
        if given.operator != "+=" or before is None or not before.value:
            return value
        if before.value == UNKNOWN or not self._budget.allows(before.value):
            return value.as_value(UNKNOWN)
        return Text.join([before, value[:0].as_value(" "), value])

    def _assign_own(self, targets: list[Text], given: Assignment, line: Text) -> None:
        """`gpu: X = y`: a variable that has this value for one target."""
        name = self._now().value(given.name).value
        for each in targets:
            target = each.value
            own = self.own.setdefault(target, {})
            before = own.get(name) or self.value_of(name)
            if UNKNOWN in name or (given.operator == "?=" and before is not None):
                continue
            own[name] = scalar(self._whole(given, before)).words[0]
            if "export" in given.modifiers:
                self.exported.add((target, name))
            self.found.append(Definition(name, line, given.value, own[name], self._branches.conditions, each))

    # Rules.

    def _begin(self, line: Text) -> None:
        found: Header | None = header(line)
        if found is None:
            if line.value.startswith("$"):  # $(info …), $(eval …)
                self.found.append(Definition("", line, line, line, self._branches.conditions))
            elif not line.value.startswith(_OTHERS):
                self._problem(line, "neither a rule nor a variable: the lines of a recipe begin with a tab")
            return
        targets = words(self._now().value(found.targets))
        if found.variable is not None:
            self._rule = None
            self._assign_own(targets, found.variable, line)
            return
        self.one_shell |= any(target.value == ".ONESHELL" for target in targets)
        if any(target.value == ".EXPORT_ALL_VARIABLES" for target in targets):
            self.exported.add(EVERY)
        prerequisites = words(self._now().value(found.prerequisites))
        bar = next((at for at, each in enumerate(prerequisites) if each.value == "|"), len(prerequisites))
        self._rule = Rule(targets, prerequisites[:bar], self._branches.depth)
        if found.recipe is not None:
            self._recipe(self._rule, found.recipe)

    def _recipe(self, rule: Rule, line: Text) -> None:
        self.found.append(Recipe(rule, line, self._branches.conditions))
