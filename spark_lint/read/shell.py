"""Shell code: the commands it runs and the environment it sets, each under the tests around it.

The script is read from top to bottom as a shell would run it, with every branch: variables that the text gives a value are put
in, everything else is UNKNOWN. What a command's options mean is not asked here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from tree_sitter import Node

from spark_lint.facts import Condition, Context, ParseProblem, Read
from spark_lint.read import shell_tests as tests
from spark_lint.read import template
from spark_lint.read.expansion import DEEPEST, TOO_DEEP, TOO_MUCH, Budget
from spark_lint.read.shell_simple import REDIRECTS, Simple
from spark_lint.read.shell_syntax import Code, Tangled, outermost
from spark_lint.read.shell_tests import Conditions, together
from spark_lint.read.shell_values import Changes, scalar
from spark_lint.text import UNKNOWN, Source, Text

_ANYWHERE: Final = Context()
_ROUNDS: Final = 8
"""Words of a `for` loop up to which its body is read once for each."""


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


class _Branch(NamedTuple):
    """One way through an `if` or `case`.

    changes: what it does to the variables. taken, refused: what is known behind the whole where it was taken, and where neither
    it nor one before it was. leaves: nothing behind the whole runs after it.
    """

    changes: Changes
    taken: Conditions
    refused: Conditions
    leaves: bool


class _Script:
    """Reads one piece of shell code. A statement gives the conditions that hold for what follows it in its block."""

    def __init__(self, code: Code, context: Context, variables: Mapping[str, Text], budget: Budget) -> None:
        self.code = code
        self._simple = Simple(code, context, variables, budget, self._substitution)
        self._variables = self._simple.variables
        self._words = self._simple.words
        self._too_deep = False
        self._budget = budget
        self._compound: dict[str, Callable[[Node], Conditions]] = {
            "list": self._list,
            "if_statement": self._if,
            "case_statement": self._case,
            "redirected_statement": self._redirected,
        }
        self._plain: dict[str, Callable[[Node], None]] = {
            "command": self._simple.command,
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
            "function_definition": self._function,
        }
        self._statements(code.root.children)
        self.facts = self._simple.facts

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
        else:
            self._statements(node.children)

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
        if last is not None and last.type == "command":
            self._simple.feed(last, redirects)
        known = self._statement(body) if body is not None else ()
        for redirect in redirects:
            if redirect.type != "heredoc_redirect":
                self._substitutions([redirect])
                continue
            # The grammar puts what follows the marker on its line (`cat <<EOF | bash`, `… && next`) inside the redirection.
            arguments = {argument.id for argument in redirect.children_by_field_name("argument")}
            for child in redirect.named_children:
                if child.id not in arguments:
                    self._statement(child)
        return known

    def _list(self, node: Node) -> Conditions:
        """`a && b || c`. Behind a test it is known how it came out."""
        success: Conditions = ()
        failure: Conditions = ()
        leaves = False
        operator = ""
        for operator, each in tests.chain(node):
            yes, no = tests.outcomes(each, self.code) if tests.is_test(each, self.code) else ((), ())
            given = success if operator == "&&" else failure
            if operator == "||" or given:
                self._variables.merge([self._under(given, [each])], complete=False, unset=tests.unset(given))
            else:
                self._statement(each)
            leaves = tests.leaves([each], self.code)
            if operator == "||":
                success, failure = success if leaves else (), together(failure, no)
            else:
                success, failure = together(success, yes), failure if leaves else () if operator else no
        # Whoever gets past `test || exit` has passed the test, past `test && exit` has not.
        return () if not leaves else success if operator == "||" else failure

    def _if(self, node: Node) -> Conditions:
        branches: list[_Branch] = []
        so_far: Conditions = ()
        refused: Conditions = ()
        given: Conditions = ()
        condition: list[Node] = []
        for condition, body in tests.branches(node):
            self._statements(condition)
            test = tests.last(condition)
            holds, fails = tests.outcomes(test, self.code)
            given = together(so_far, holds)
            changes, leaves = self._under(given, body), tests.leaves(body, self.code)
            so_far = together(so_far, fails)
            # A script that gives up without some program (`if ! command -v uv; then exit`) says nothing about what follows.
            if test is not None and not tests.is_test(test, self.code):
                holds = fails = ()
            branches.append(_Branch(changes, together(refused, holds), fails, leaves))
            refused = together(refused, fails)
        unset = tests.unset(given) if len(branches) == 1 else frozenset[str]()
        return self._behind(branches, complete=not condition, unset=unset)

    def _case(self, node: Node) -> Conditions:
        value = node.child_by_field_name("value")
        word = self.code.line(value)[: tests.LONGEST] if value is not None else ""
        self._substitutions([value] if value is not None else [])
        branches: list[_Branch] = []
        so_far: Conditions = ()
        staying: list[str] = []
        complete = False
        for item in (child for child in node.named_children if child.type == "case_item"):
            patterns = item.children_by_field_name("value")
            own = {each.id for each in patterns}
            body = [child for child in item.named_children if child.id not in own]
            pattern = "|".join(self.code.line(each) for each in patterns)
            otherwise = any(self.code.raw(each) == "*" for each in patterns)
            fails = () if otherwise else (Condition(f"{word} in {pattern}", negated=True),)
            given = so_far if otherwise else (Condition(f"{word} in {pattern}"),)
            branches.append(_Branch(self._under(given, body), given, fails, tests.leaves(body, self.code)))
            so_far = together(so_far, fails)
            complete |= otherwise
            if not branches[-1].leaves:
                staying.append(pattern)
        known = self._behind(branches, complete=complete)
        everything_else_leaves = complete and branches[-1].leaves and bool(staying)
        return (Condition(f"{word} in {'|'.join(staying)}"),) if everything_else_leaves else known

    def _behind(self, branches: Sequence[_Branch], *, complete: bool, unset: frozenset[str] = frozenset()) -> Conditions:
        """Go on behind an `if` or `case`; what holds there because some branches leave."""
        staying = [branch for branch in branches if not branch.leaves]
        self._variables.merge([branch.changes for branch in staying], complete=complete, unset=unset)
        if complete and len(staying) == 1:
            return staying[0].taken
        known: Conditions = ()
        for branch in branches:
            if not branch.leaves:
                break
            known = together(known, branch.refused)
        return known

    def _for(self, node: Node) -> None:
        name = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        values = node.children_by_field_name("value")
        words = [word for value in values for word in self._words.word([value])]
        if name is None or body is None:
            self._statements(node.children)
            return
        # A glob or `{1..4}` stands for words that are not in the text.
        literal = node.children[0].type == "for" and not any(set(self.code.raw(value)) & set("*?[{") for value in values)
        known = literal and 0 < len(words) <= _ROUNDS and all(word.known for word in words)
        if not known or not self._budget.repeats((len(words) - 1) * (body.end_byte - body.start_byte)):
            words = [self.code.of(name).as_value(UNKNOWN)]
        first = len(self._simple.facts)
        self._variables.enter()
        for word in words:
            self._variables.set(self.code.raw(name), scalar(word))
            self._statement(body)
        self._variables.merge([self._variables.leave()], complete=False)
        self._simple.facts[first:] = dict.fromkeys(self._simple.facts[first:])

    def _loop(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        self._statements(child for child in node.children if child != body)
        if body is not None:
            self._variables.merge([self._under((), [body])], complete=False)

    def _function(self, node: Node) -> None:
        """A function is read once, where it is defined; its parameters are unknown. What it sets may be set from here on."""
        body = node.child_by_field_name("body")
        self._simple.locals.append(set())
        changes = self._under((), [body] if body is not None else [])
        own = self._simple.locals.pop()
        self._variables.merge([{name: value for name, value in changes.items() if name not in own}], complete=False)
