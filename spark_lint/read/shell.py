"""Shell code: the commands it runs and the environment it sets, each under the tests around it.

The script is read from top to bottom as a shell would run it, with every branch: variables that the text gives a value are put
in, everything else is UNKNOWN. A default is a value: what the script does when it is started without options and with nothing in
its environment is what it says. What a command's options mean is not asked here.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tree_sitter import Node

from spark_lint.facts import Code as Inner
from spark_lint.facts import Command, Condition, Context, ParseProblem, Read
from spark_lint.kinds import SHELL
from spark_lint.read import shell_tests as tests
from spark_lint.read import template
from spark_lint.read.expansion import DEEPEST, MOST_INSIDE, TOO_DEEP, TOO_MUCH, Budget
from spark_lint.read.shell_arithmetic import assigned
from spark_lint.read.shell_branches import Branches
from spark_lint.read.shell_functions import Functions
from spark_lint.read.shell_scripts import submitted, written
from spark_lint.read.shell_simple import REDIRECTS, Simple
from spark_lint.read.shell_syntax import Code, Tangled, outermost
from spark_lint.read.shell_tests import MAY_FAIL, SWITCHED_OFF, Conditions, together
from spark_lint.read.shell_values import PARAMETERS, Changes, Texts, array, scalar
from spark_lint.read.shell_verdicts import combined, opposite
from spark_lint.text import UNKNOWN, Source, Text

_ANYWHERE: Final = Context()
_COUNTED: Final = re.compile(r"\d+(?: \d+)+")
_ROUNDS: Final = 8
"""Words of a `for` loop up to which its body is read once for each."""
_PARAMETERS: Final = 9
_SHIFTS: Final = re.compile(r"\bshift\b")


def read(source: Source) -> Iterator[Read]:
    """The facts of a shell script."""
    yield from commands(template.literal(Text.of(source)))


def commands(
    text: Text, context: Context = _ANYWHERE, variables: Mapping[str, Text] | None = None, budget: Budget | None = None
) -> Iterator[Read]:
    """The commands and environment variables of shell code, in the order in which they run.

    context: what is around the code. variables: what is set before it. budget: shared by the pieces of code of one file.
    """
    own = Budget() if budget is None else budget
    asked, context = submitted(text, context)
    yield from asked
    try:
        script = _Script(Code(text), context, variables or {}, own)
    except Tangled:
        yield ParseProblem(text[:0].span, "shell syntax: too tangled to read")
        return
    yield from script.facts
    if problem := script.code.problem:
        yield problem
    if script.too_deep:
        yield ParseProblem(text[:0].span, TOO_DEEP)
    if budget is None and own.left < 0:
        yield ParseProblem(text[:0].span, TOO_MUCH)


class _Script:
    """Reads one piece of shell code. A statement gives the conditions that hold for what follows it in its block."""

    def __init__(self, code: Code, context: Context, variables: Mapping[str, Text], budget: Budget) -> None:
        self.code = code
        self._simple = Simple(code, context, variables, budget, self._substitution)
        self._functions = Functions(self._simple, self._under, budget)
        self._branches = Branches(self._simple, self._statements, self._under, self._functions.quits)
        self._variables = self._simple.variables
        self._words = self._simple.words
        self._too_deep = False
        self._budget = budget
        self._targets: dict[int, list[Node]] = {}
        self._compound: dict[str, Callable[[Node], Conditions]] = {
            "list": self._list,
            "if_statement": self._branches.if_statement,
            "case_statement": self._branches.case_statement,
            "redirected_statement": self._redirected,
        }
        self._plain: dict[str, Callable[[Node], None]] = {
            "command": self._command,
            "declaration_command": self._simple.declaration,
            "variable_assignment": self._simple.assignment,
            "unset_command": self._simple.unset,
            "variable_assignments": self._block,
            "compound_statement": self._block,
            "do_group": self._block,
            "negated_command": self._block,
            "ERROR": self._block,
            "subshell": self._apart,
            "pipeline": self._pipeline,
            "for_statement": self._for,
            "c_style_for_statement": self._loop,
            "while_statement": self._loop,
            "function_definition": self._functions.define,
        }
        self._statements(code.root.children)
        self._functions.uncalled()
        self.facts = list(dict.fromkeys(self._simple.facts)) if self._functions.repeated else self._simple.facts

    @property
    def too_deep(self) -> bool:
        """Whether something lies too deep to be read."""
        return self._too_deep or self._words.too_deep

    def _statements(self, nodes: Iterable[Node]) -> None:
        before = self._simple.conditions
        for node in nodes:
            if node.is_named and node.type != "comment" and (known := self._statement(node)):
                self._simple.conditions = together(self._simple.conditions, known)
        self._simple.conditions = before

    def _statement(self, node: Node) -> Conditions:
        self._words.depth += 1
        known: Conditions = ()
        if self._words.depth > DEEPEST:
            self._too_deep = True
        elif node.type in self._compound:
            known = self._compound[node.type](node)
        elif node.type in self._plain:
            self._plain[node.type](node)
        else:
            self._substitutions([node])
        self._words.depth -= 1
        return known

    def _under(self, conditions: Conditions, nodes: Iterable[Node]) -> Changes:
        """Read statements that run only under these conditions; what they change."""
        before = self._simple.conditions
        self._simple.conditions = together(before, conditions)
        self._variables.enter()
        self._statements(nodes)
        self._simple.conditions = before
        return self._variables.leave()

    def _block(self, node: Node) -> None:
        if node.children and node.children[0].type == "((":
            self._substitutions(node.children)
            for name in assigned(self.code.raw(node)):
                self._variables.set(name, scalar(self.code.of(node).as_value(UNKNOWN)))
        else:
            self._statements(node.children)

    def _command(self, node: Node) -> None:
        """A program, or code that is somewhere else: in a function, in the words of `eval`, in a script that is written here."""
        redirects = self._targets.pop(node.id, []) + [child for child in node.children if child.type in REDIRECTS]
        found = self._simple.command(node)
        if found is None:
            return
        command, exact = found
        words = command.words
        # The words behind it are those of what it runs, which says itself what they mean.
        alone = replace(command, words=words[:1])
        if words[0].value == "eval" and len(words) > 1:
            self._simple.facts.append(alone)
            joined = [part for word in words[1:] for part in (word.as_value(" "), word)][1:]
            self._inside(Text.join(joined), Texts(self._variables))
        elif words[0].value in self._functions:
            self._simple.facts.append(alone)
            self._functions.call(words[0].value, list(words[1:]) if exact else None)
        else:
            self._simple.facts.append(command)
            if command.stdin is not None:
                self._writes(command, command.stdin, redirects)

    def _writes(self, command: Command, text: Text, redirects: Sequence[Node]) -> None:
        """A file that is written here: a script is read at once, what is in another language by its own reader."""
        path, kind = written(command, self._simple.targets(redirects))
        if kind == SHELL:
            self._inside(text)
        elif kind:
            span, context = text.span, self._simple.context
            self._simple.facts.append(
                Inner(name=kind, text=text, path=path, span=span, origin=span, written=command.written, context=context)
            )

    def _inside(self, text: Text, variables: Mapping[str, Text] | None = None) -> None:
        """Read code within the code. variables: those of this script, where it is the one that runs it. Whether it is whole says nothing about this file."""
        # What stands in the file as it is read has been paid for once, by its length.
        again = self._budget.inside > 0 or variables is not None
        self._budget.inside += 1
        if self._budget.inside < MOST_INSIDE and (not again or self._budget.repeats(len(text.value))):
            found = commands(text, self._simple.context, variables, self._budget)
            self._simple.facts += (each for each in found if not isinstance(each, ParseProblem))
        self._budget.inside -= 1

    def _apart(self, node: Node) -> None:
        """Read code whose effects end with it: `( … )`, a part of a pipeline, `$( … )`."""
        self._under((), node.children)

    def _pipeline(self, node: Node) -> None:
        for child in node.named_children:
            self._under((), [child])

    def _substitution(self, node: Node) -> None:
        self._words.depth += 1
        if self._words.depth > DEEPEST:
            self._too_deep = True
        else:
            self._apart(node)
        self._words.depth -= 1

    def _substitutions(self, nodes: Iterable[Node]) -> None:
        for node in outermost(nodes):
            self._substitution(node)

    def _redirected(self, node: Node) -> Conditions:
        redirects = [child for child in node.named_children if child.type in REDIRECTS]
        body = node.child_by_field_name("body")
        last = body
        while last is not None and last.type in ("list", "pipeline") and last.named_children:
            last = last.named_children[-1]
        text: Text | None = None
        if last is not None and last.type == "command":
            text = self._simple.feed(last, redirects)
            behind = [child for each in redirects for child in each.named_children if child.type == "file_redirect"]
            self._targets[last.id] = [*redirects, *behind]
        known = self._statement(body) if body is not None else ()
        for redirect in redirects:
            if redirect.type != "heredoc_redirect":
                self._substitutions([redirect])
                continue
            # The grammar puts what follows the marker on its line (`cat <<EOF | bash`, `… && next`) inside the redirection.
            arguments = {argument.id for argument in redirect.children_by_field_name("argument")}
            for child in redirect.named_children:
                if child.type == "pipeline" and text is not None and last is not None and self.code.raw(last).split()[0] == "cat":
                    self._simple.pipe(child, text)
                if child.id not in arguments:
                    self._statement(child)
        return known

    def _list(self, node: Node) -> Conditions:
        """`a && b || c`. Behind a test it is known how it came out."""
        members = tests.chain(node)
        success: Conditions = ()
        failure: Conditions = ()
        leaves = False
        operator = ""
        outcome: bool | None = True
        switched: bool | None = True
        for (operator, each), caught in zip(members, self._caught(members), strict=True):
            is_test = tests.is_test(each, self.code)
            yes, no = tests.outcomes(each, self.code) if is_test else ((), ())
            given = success if operator == "&&" else failure
            runs, on = (opposite(outcome), opposite(switched)) if operator == "||" else (outcome, switched)
            with self._branches.also_under(*(MAY_FAIL,) if caught and not is_test else ()):
                if operator == "||" or given or runs is False or on is False:
                    changes = self._under(together(given, (SWITCHED_OFF,) if on is False else ()), [each])
                    if runs is not False:
                        self._variables.merge([changes], complete=runs is True, unset=tests.unset(given))
                else:
                    self._statement(each)
            leaves = self._branches.leaves([each])
            outcome = combined(operator, outcome, self._branches.verdicts.of(each))
            switched = combined(operator, switched, self._branches.verdicts.of(each, switch=True))
            if operator == "||":
                success, failure = success if leaves else (), together(failure, no)
            else:
                success, failure = together(success, yes), failure if leaves else () if operator else no
        # Whoever gets past `test || exit` has passed the test, past `test && exit` has not.
        return () if not leaves else success if operator == "||" else failure

    def _caught(self, members: Sequence[tuple[str, Node]]) -> list[bool]:
        """For each member of a chain, whether its failure only leads to another one (`a || b`) that does not give up."""
        found: list[bool] = []
        fallback: Node | None = None
        for operator, each in reversed(members):
            found.append(fallback is not None and not self._branches.gives_up([fallback]))
            fallback = each if operator == "||" else fallback
        return found[::-1]

    def _for(self, node: Node) -> None:
        name = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        values = node.children_by_field_name("value")
        words = [word for value in values for word in self._words.word([value])]
        if name is None or body is None:
            self._statements(node.children)
            return
        # A glob or `{1..4}` stands for words that are not in the text.
        menu = node.children[0].type != "for"
        literal = not menu and not any(set(self.code.raw(value)) & set("*?[{") for value in values)
        known = literal and 0 < len(words) <= _ROUNDS and all(word.known for word in words)
        by_caller = not known and not menu and all(self.code.raw(value).strip('"') in ("$@", "$*") for value in values)
        if not known or not self._budget.repeats((len(words) - 1) * (body.end_byte - body.start_byte)):
            words = [self.code.of(name).as_value(UNKNOWN)]
        first = len(self._simple.facts)
        self._variables.enter()
        tried = " ".join(word.value for word in words)
        swept = [Condition(f"{self.code.raw(name)} in {tried}")] if _COUNTED.fullmatch(tried) else []
        with self._branches.changing(self.code.raw(node)), self._branches.also_under(*swept):
            for word in words:
                self._variables.set(self.code.raw(name), scalar(word, by_caller))
                self._statement(body)
        self._variables.merge([self._variables.leave()], complete=False)
        self._simple.facts[first:] = dict.fromkeys(self._simple.facts[first:])

    def _loop(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        raw = self.code.raw(node)
        unknown = self.code.of(node).as_value(UNKNOWN)
        if node.type == "c_style_for_statement" and body is not None:
            for name in assigned(self.code.value[self.code.start(node) : self.code.start(body)]):
                self._variables.set(name, scalar(unknown))
        if _SHIFTS.search(raw) and self._variables.get(PARAMETERS) is not None:
            self._variables.set(PARAMETERS, array([unknown] * _PARAMETERS))
        with self._branches.changing(raw):
            self._statements(child for child in node.children if child != body)
            if body is not None:
                self._variables.merge([self._under((), [body])], complete=False)
