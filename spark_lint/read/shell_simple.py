"""What shell code says: simple commands, assignments and declarations, each with the facts it gives."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tree_sitter import Node

from spark_lint.facts import Command, Context, EnvVar, Read
from spark_lint.read.expansion import Budget, joined_path
from spark_lint.read.shell_syntax import Code, outermost
from spark_lint.read.shell_tests import Conditions
from spark_lint.read.shell_values import FOLDER, Variable, Variables, scalar
from spark_lint.read.shell_words import Words
from spark_lint.text import UNKNOWN, Text

REDIRECTS: Final = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_SCOPED: Final = frozenset({"local", "declare", "typeset"})
_READS: Final = frozenset({"read", "mapfile", "readarray", "getopts"})
_CONTINUED: Final = re.compile(r"\\\n")
_INDENT: Final = re.compile(r"(?m)^\t+")


class Simple:
    """The simple commands of one script, read in order into `facts`. conditions: what holds where the next one stands."""

    def __init__(
        self, code: Code, context: Context, variables: Mapping[str, Text], budget: Budget, run: Callable[[Node], None]
    ) -> None:
        self.code = code
        self.facts: list[Read] = []
        self.conditions: Conditions = ()
        self.variables = Variables(variables)
        self.words = Words(code, self.variables, budget, run)
        self.locals: list[set[str]] = []
        self._around = context
        self._run = run
        self._exported: set[str] = set()
        self._exports_all = False
        self._fed: dict[int, tuple[Text | None, Sequence[Node], int]] = {}

    def _context(self) -> Context:
        folder = self.variables.get(FOLDER)
        workdir = folder.text.value if folder is not None and folder.text is not None else self._around.workdir
        return replace(self._around, conditions=self._around.conditions + self.conditions, workdir=workdir)

    # Assignments and the environment.

    def assignment(self, node: Node) -> None:
        """`A=1` on its own; it is in the environment where the variable is exported."""
        name, variable = self.words.assigned(node)
        self.variables.set(name, variable)
        if self._exports_all or name in self._exported:
            self._environment(name, variable, node)

    def unset(self, node: Node) -> None:
        """`unset A B`."""
        for child in node.named_children:
            self.variables.set(self.code.raw(child), None)

    def declaration(self, node: Node) -> None:
        """`export A=1`, `declare -x A`, `local a b=2`, `readonly B=2`."""
        keyword = self.code.raw(node.children[0])
        flags = "".join(self.code.raw(child) for child in node.named_children if self.code.raw(child).startswith("-"))
        exports = not set(flags) & set("nf") if keyword == "export" else "x" in flags
        for child in node.named_children:
            name, variable = self._declared(child)
            if name and keyword in _SCOPED and self.locals:
                self.locals[-1].add(name)
            if name and exports:
                self._exported.add(name)
                if variable is not None:
                    self._environment(name, variable, child)

    def _declared(self, node: Node) -> tuple[str, Variable | None]:
        """The variable that one word of a declaration is about, and its value if it has one."""
        if node.type == "variable_name":
            name = self.code.raw(node)
            return name, self.variables.get(name)
        if node.type == "variable_assignment":
            name, variable = self.words.assigned(node)
            self.variables.set(name, variable)
            return name, variable
        if node.type in REDIRECTS or node.type == "comment":
            return "", None
        for word in self.words.word([node]):  # export "A=b"
            name, equals, _ = word.value.partition("=")
            if equals and name.isidentifier():
                self.variables.set(name, scalar(word[len(name) + 1 :]))
                return name, self.variables.get(name)
        return "", None

    def _environment(self, name: str, variable: Variable, node: Node) -> None:
        value = variable.text
        if value is not None and not variable.array:
            span, written = self.code.of(node).span, self.code.line(node)
            fact = EnvVar(name=name, value=value.value, span=span, origin=value.origin, written=written, context=self._context())
            self.facts.append(fact)

    # Commands.

    def feed(self, node: Node, redirects: Sequence[Node]) -> None:
        """Give a command, before it is read, the standard input that redirections around it say."""
        heredoc = next((each for each in redirects if each.type == "heredoc_redirect"), None)
        behind = heredoc.children_by_field_name("argument") if heredoc is not None else []
        # The grammar loses a dash before the marker: `python - <<EOF`.
        gap = self.code.value[self.code.stop(node) : self.code.start(redirects[0])]
        dash = self.code.stop(node) + gap.index("-") if gap.strip() == "-" else -1
        self._fed[node.id] = (self._stdin(redirects), behind, dash)

    def _stdin(self, redirects: Iterable[Node]) -> Text | None:
        """The text of the last here-document or here-string."""
        found = None
        for redirect in redirects:
            if redirect.type == "herestring_redirect":
                found = self.words.value(redirect.children, self.code.start(redirect.children[-1]), self.code.stop(redirect))
            elif redirect.type == "heredoc_redirect":
                body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
                indented = any(child.type == "<<-" for child in redirect.children)
                found = None if body is None else self.code.of(body).without(_INDENT) if indented else self.code.of(body)
        return found

    def command(self, node: Node) -> None:
        """One program with its words, its environment and its standard input."""
        stdin, behind, dash = self._fed.pop(node.id, (None, (), -1))
        redirects = [child for child in node.children if child.type in REDIRECTS]
        assignments, arguments = self._sorted(node)
        environment = [self.words.assigned(each) for each in assignments]
        groups = self._groups(arguments)
        words = [word for group in groups for word in self.words.word(group)]
        words += [self.code.text[dash : dash + 1]] if dash >= 0 else []
        words += [word for each in behind for word in self.words.word([each])]
        stdin = self._stdin(redirects) or stdin
        for substitution in outermost(each for each in redirects if each.type != "herestring_redirect"):
            self._run(substitution)
        if not words:
            return
        start, stop = self.code.start(groups[0][0]), max(self.code.stop([*groups[-1], *behind][-1]), dash + 1)
        span = self.code.text[start:stop].span
        program = words[0].value.rsplit("/", 1)[-1] or words[0].value
        self.facts.append(
            Command(
                name=UNKNOWN if UNKNOWN in program else program, span=span, origin=span, written=self.code.written(start, stop),
                context=self._context(), words=tuple(words), stdin=stdin,
                environment=tuple((name, variable.text) for name, variable in environment if variable.text is not None),
            )
        )  # fmt: skip
        self._effect(program, [word.value for word in words[1:]], words)

    def _sorted(self, node: Node) -> tuple[list[Node], list[Node]]:
        """A command's assignments and its words."""
        assignments: list[Node] = []
        arguments: list[Node] = []
        children = [child for child in node.children if child.type not in REDIRECTS and child.type != "comment"]
        for child, following in zip(children, [*children[1:], None], strict=True):
            if child.type != "variable_assignment" or arguments:
                arguments.append(child)
                continue
            assignments.append(child)
            if following is not None and "\n" in self._gap(child, following):
                # The grammar takes lines of assignments and the command on the next line for one command in some places.
                for each in assignments:
                    self.assignment(each)
                assignments.clear()
        return assignments, arguments

    def _gap(self, node: Node, following: Node) -> str:
        return _CONTINUED.sub("", self.code.value[self.code.stop(node) : self.code.start(following)])

    def _groups(self, nodes: Iterable[Node]) -> list[list[Node]]:
        r"""The nodes of each word: a continued line (`--index-url=\` and the address on the next) is one word to the shell."""
        groups: list[list[Node]] = []
        for node in nodes:
            if groups and not self._gap(groups[-1][-1], node):
                groups[-1].append(node)
            else:
                groups.append([node])
        return groups

    def _effect(self, program: str, arguments: Sequence[str], words: Sequence[Text]) -> None:
        """What the shell's own commands do to the script's variables and its working directory."""
        if program in ("cd", "pushd", "popd"):
            target = next((word for word in arguments if not word.startswith("-") or word == "-"), "")
            folder = UNKNOWN if program == "popd" else self._folder(target)
            self.variables.set(FOLDER, Variable((words[0].as_value(folder),)))
        elif program in _READS or (program == "printf" and arguments[:1] == ["-v"]):
            names = arguments[1:2] if program == "printf" else arguments
            for name in names:
                if name.isidentifier():
                    self.variables.set(name, Variable((words[0].as_value(UNKNOWN),)))
        elif program == "set" and arguments:
            sign, letters = arguments[0][:1], arguments[0][1:]
            if (sign in ("-", "+") and "a" in letters and not letters.startswith("-")) or arguments[1:2] == ["allexport"]:
                self._exports_all = sign == "-"

    def _folder(self, target: str) -> str:
        """The working directory after `cd target`."""
        if target in ("", "-") or target.startswith("~"):
            return UNKNOWN
        return joined_path("" if target.startswith(UNKNOWN) else self._context().workdir, target)
