"""What recipes of make and of just have in common: lines that a shell gets, when somebody asks for their target."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from spark_lint.facts import Condition, Context, ParseProblem, Read
from spark_lint.read import shell
from spark_lint.read.expansion import Budget
from spark_lint.read.shell_tests import MAY_FAIL, Conditions, together
from spark_lint.text import UNKNOWN, Text

_SHELL: Final = re.compile(r"(?:^|[/\s\"'!])(?:ba|z|da|k|a)?sh(?![\w-])")
# `@` keeps quiet, `-` passes over a failure, `+` is for `make -n`.
_PREFIX: Final = re.compile(r"[ \t@+-]*")
# `$(BIN)python`, `$(Q)pip`: what is not known is a folder, or the sign that keeps make quiet.
_GLUED: Final = re.compile(rf"{UNKNOWN}+(?=[a-z])")
_LONGEST_TARGETS: Final = 200
_MOST_PROBLEMS: Final = 20


def is_posix(program: str) -> bool:
    """Whether what runs the lines is a shell whose language is read here: `/bin/bash`, `["bash", "-uc"]`."""
    return _SHELL.search(program) is not None


def asked_for(targets: Sequence[Text]) -> Conditions:
    """The condition that one of these targets is asked for; none where they are not known."""
    text = " ".join(target.value for target in targets)
    return () if not text or UNKNOWN in text or len(text) > _LONGEST_TARGETS else (Condition(f"target {text}"),)


class Lines:
    """Gives the lines of one file's recipes to the shell. budget: the file's."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._problems = 0

    def line(self, text: Text, context: Context, environment: Mapping[str, Text]) -> Iterator[Read]:
        """What a line runs, without the signs before it."""
        prefix = _PREFIX.match(text.value)
        signs = prefix[0] if prefix else ""
        code = text[len(signs) :]
        if glued := _GLUED.match(code.value):
            code = code[glued.end() :]
        if "-" in signs:
            context = replace(context, conditions=together(context.conditions, (MAY_FAIL,)))
        yield from self.script(code, context, environment)

    def script(self, code: Text, context: Context, environment: Mapping[str, Text]) -> Iterator[Read]:
        """What shell code does. Of code that is known in part, what is missing may be what its grammar lacks."""
        if not code.value.strip():
            return
        for each in shell.commands(code, context, environment, self._budget):
            if not isinstance(each, ParseProblem):
                yield each
            elif code.known and self._problems < _MOST_PROBLEMS:
                self._problems += 1
                yield each
