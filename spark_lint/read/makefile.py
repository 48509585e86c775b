"""Makefiles: the commands of the recipes, as the shell gets them, and the environment that make gives to them.

Which target is asked for is not in the file: each recipe counts, under the condition `target NAME`. A variable stands for what the
file gives it, `?=` too; of the command line and of included files nothing is known. Recipes see the variables as they are at the end of
the file. How make reads a file: https://www.gnu.org/software/make/manual/make.html
"""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from spark_lint.facts import Assign, Context, EnvVar, ParseProblem, Read
from spark_lint.read import template
from spark_lint.read.expansion import TOO_MUCH, Budget
from spark_lint.read.make_parser import EVERY, Definition, Parser, Recipe, Rule
from spark_lint.read.make_values import Expander, shells
from spark_lint.read.recipes import Lines, asked_for, is_posix
from spark_lint.read.shell_tests import together
from spark_lint.text import Source, Text

_CARRIAGE_RETURN: Final = re.compile("\r(?=\n)")
_PREFIXES: Final = re.compile(r"(?m)(?<=\n)[ \t]*[@+-][ \t@+-]*")
_LINE_END: Final = re.compile(r"(?<!\\)\n")
_FLAG: Final = re.compile(r"(?<!\S)-\S+(?:[ \t]+[^\s-]\S*)?")


def read(source: Source) -> Iterator[Read]:
    """The facts of a Makefile, in its order."""
    yield from _Makefile(template.literal(Text.of(source)).without(_CARRIAGE_RETURN)).reads()


class _Makefile:
    """Works out what the recipes of one file say."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._budget = Budget()
        self._file = Parser(text, self._budget)
        self._values = Expander(self._file.value_of, self._budget, self._file.used)
        every = EVERY in self._file.exported
        names = self._file.variables.names() if every else sorted(each for each in self._file.exported if isinstance(each, str))
        self._environment = {name: found for name in names if (found := self._exported(name)) is not None}
        self._lines = Lines(self._budget)

    def _exported(self, name: str) -> Text | None:
        found = self._file.value_of(name)
        return None if found is None else self._values.value(found)

    def reads(self) -> Iterator[Read]:
        """Everything the file says."""
        found = list(self._whole_recipes() if self._file.one_shell else self._file.found)
        program = self._exported("SHELL")
        posix = program is None or not program.known or is_posix(program.value)
        recipes: dict[int, list[Read]] = {}
        for rule, each in groupby(enumerate(found), key=lambda part: id(part[1].rule) if isinstance(part[1], Recipe) else 0):
            lines = [(at, part) for at, part in each if isinstance(part, Recipe)] if rule and posix else []
            values, environment = self._of_rule(lines[0][1].rule) if lines else (self._values, self._environment)
            for at, part in lines:
                recipes[at] = list(self._run(part, values, environment))
        for at, said in enumerate(found):
            if isinstance(said, Definition):
                yield from self._defined(said)
            elif isinstance(said, ParseProblem):
                yield said
            else:
                yield from recipes.get(at, ())
        if self._budget.left < 0:
            yield ParseProblem(self._text[:0].span, TOO_MUCH)

    def _whole_recipes(self) -> Iterator[Definition | Recipe | ParseProblem]:
        """The file with each recipe as one script (`.ONESHELL`), as far as all of it stands under the same tests."""
        alike = groupby(
            self._file.found, key=lambda each: (id(each.rule), each.conditions) if isinstance(each, Recipe) else id(each)
        )
        for _, group in alike:
            parts = list(group)
            lines = [each for each in parts if isinstance(each, Recipe)]
            if not lines:
                yield from parts
                continue
            texts = [text for each in lines for text in (each.line, each.line[len(each.line.value) :].as_value("\n"))]
            yield lines[0]._replace(line=Text.join(texts).without(_PREFIXES))

    # Variables.

    def _defined(self, given: Definition) -> Iterator[Read]:
        conditions = together(asked_for([given.target] if given.target else []), given.conditions)
        context = Context(conditions=conditions)
        for code in shells(given.value):
            yield from self._lines.script(self._values.value(code, "code"), context, self._environment)
        own = (given.target.value, given.name) if given.target else given.name
        span = given.written.span
        if given.name and (own in self._file.exported or (EVERY in self._file.exported and not given.target)):
            value = self._values.value(given.whole)
            origin = value.origin if value.value else span
            yield EnvVar(
                name=given.name, value=value.value, span=span, origin=origin, written=given.written.written, context=context
            )
        elif given.value.bounds()[0] not in self._file.used:
            # Flags that no recipe of this file has: rules that make knows, and the files that include this one, use them.
            value = self._values.value(given.value)
            for flag in _FLAG.finditer(value.value):
                word = value[flag.start() : flag.end()]
                yield Assign(
                    name=given.name, value=word.value, kind="word", span=word.span, origin=word.origin, written=word.written,
                    context=context,
                )  # fmt: skip

    # Recipes.

    def _of_rule(self, rule: Rule) -> tuple[Expander, Mapping[str, Text]]:
        """What puts in the values of the variables for the targets of a rule, and their environment."""
        names = [each.value for each in rule.targets]
        own: dict[str, Text] = {}
        for name in names:
            own.update(self._file.own.get(name, {}))
        if "%" not in "".join(names):
            own.update({"@": rule.targets[0]} if len(names) == 1 else {})
            if rule.prerequisites:
                listed = [part for each in rule.prerequisites for part in (each[:0].as_value(" "), each)][1:]
                own.update({"<": rule.prerequisites[0], "^": Text.join(listed)})
        values = Expander(lambda name: own[name] if name in own else self._file.value_of(name), self._budget, self._file.used)
        exported = {name: values.value(own[name]) for each in names for name in own if (each, name) in self._file.exported}
        return values, ChainMap(exported, self._environment) if exported else self._environment

    def _run(self, recipe: Recipe, values: Expander, environment: Mapping[str, Text]) -> Iterator[Read]:
        """What a line runs: each of its lines (a variable may have several) is a script of its own."""
        text = values.value(recipe.line, "code")
        ends = [] if self._file.one_shell else [match.start() for match in _LINE_END.finditer(text.value)]
        conditions = together(asked_for(recipe.rule.targets), recipe.conditions)
        for start, stop in zip([0, *(end + 1 for end in ends)], [*ends, len(text.value)], strict=True):
            yield from self._lines.line(text[start:stop], Context(conditions=conditions), environment)
