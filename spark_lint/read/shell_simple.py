"""What shell code says: simple commands, assignments and declarations, each with the facts it gives."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tree_sitter import Node

from spark_lint.facts import Command, Context, EnvVar, Read
from spark_lint.read.expansion import Budget, joined_path
from spark_lint.read.shell_arithmetic import assigned
from spark_lint.read.shell_syntax import Code, outermost
from spark_lint.read.shell_tests import MAY_FAIL, Conditions
from spark_lint.read.shell_values import FOLDER, PARAMETERS, Variable, Variables, array, scalar
from spark_lint.read.shell_words import Words
from spark_lint.text import UNKNOWN, Text

REDIRECTS: Final = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_SCOPED: Final = frozenset({"local", "declare", "typeset"})
# `-d ''`: up to the end of the text, not of its first line.
_WHOLE: Final = re.compile(r"(?:^| )-\w*d  ")
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
        self.run = run
        self._around = context
        self._exported: set[str] = set()
        self._exports_all = False
        self._stops: bool | None = None  # whether a failure ends the script, as `set -e` and `set +e` say
        self._fed: dict[int, tuple[Text | None, Sequence[Node], int]] = {}

    @property
    def context(self) -> Context:
        """What is around the next command."""
        folder = self.variables.get(FOLDER)
        workdir = folder.text.value if folder is not None and folder.text is not None else self._around.workdir
        passed_over = (MAY_FAIL,) if self._stops is False else ()
        return replace(self._around, conditions=(*self._around.conditions, *self.conditions, *passed_over), workdir=workdir)

    # Assignments and the environment.

    def assignment(self, node: Node) -> None:
        """`A=1` on its own; it is in the environment where the variable is exported."""
        name, variable = self.words.assigned(node)
        self.variables.set(name, variable)
        if self._exports_all or name in self._exported:
            self._environment(name, variable, node)

    def unset(self, node: Node) -> None:
        """`unset A B`: for what runs after it they are as good as empty."""
        for child in node.named_children:
            self.variables.set(self.code.raw(child), None)
            if child.type == "variable_name":
                self._environment(self.code.raw(child), scalar(self.code.of(child).as_value("")), child)

    def declaration(self, node: Node) -> None:
        """`export A=1`, `declare -x A`, `local a b=2`, `readonly B=2`."""
        keyword = self.code.raw(node.children[0])
        flags = "".join(self.code.raw(child) for child in node.named_children if self.code.raw(child).startswith("-"))
        exports = not set(flags) & set("nf") if keyword == "export" else "x" in flags
        for child in node.named_children:
            name, variable = self._declared(child, keyword)
            if name and keyword in _SCOPED and self.locals:
                self.locals[-1].add(name)
            if name and exports:
                self._exported.add(name)
                if variable is not None:
                    self._environment(name, variable, child)

    def _declared(self, node: Node, keyword: str) -> tuple[str, Variable | None]:
        """The variable that one word of a declaration is about, and its value if it has one."""
        if node.type == "variable_name":
            name = self.code.raw(node)
            if keyword == "local" and self.locals:
                self.variables.set(name, None)
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
            fact = EnvVar(name=name, value=value.value, span=span, origin=value.origin, written=written, context=self.context)
            self.facts.append(fact)

    # Commands.

    def pipe(self, pipeline: Node, text: Text) -> None:
        """Give the first command of a pipeline, before it is read, this text as its standard input: `cat <<EOF | bash`."""
        first = next(iter(pipeline.named_children), None)
        if first is not None and first.type == "redirected_statement":
            first = first.child_by_field_name("body")
        if first is not None and first.type == "command":
            self._fed[first.id] = (text, (), -1)

    def feed(self, node: Node, redirects: Sequence[Node]) -> Text | None:
        """Give a command, before it is read, the standard input that redirections around it say; the text of it."""
        heredoc = next((each for each in redirects if each.type == "heredoc_redirect"), None)
        behind = heredoc.children_by_field_name("argument") if heredoc is not None else []
        # The grammar loses a dash before the marker: `python - <<EOF`.
        gap = self.code.value[self.code.stop(node) : self.code.start(redirects[0])]
        dash = self.code.stop(node) + gap.index("-") if gap.strip() == "-" else -1
        text = self._stdin(redirects) or self._fed.get(node.id, (None,))[0]
        self._fed[node.id] = (text, behind, dash)
        return text

    def _stdin(self, redirects: Iterable[Node]) -> Text | None:
        """The text of the last here-document or here-string."""
        found = None
        for redirect in redirects:
            if redirect.type == "herestring_redirect":
                found = self.words.value(redirect.children, self.code.start(redirect.children[-1]), self.code.stop(redirect))
            elif redirect.type == "heredoc_redirect":
                body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
                marker = next((child for child in redirect.children if child.type == "heredoc_start"), None)
                as_it_is = marker is None or bool(set(self.code.raw(marker)) & set("'\"\\"))
                found = None if body is None else self.code.of(body) if as_it_is else self.words.inserted(body)
                if found is not None and any(child.type == "<<-" for child in redirect.children):
                    found = found.without(_INDENT)
        return found

    def targets(self, redirects: Iterable[Node]) -> list[Text]:
        """The files that redirections write to."""
        files = [each for each in redirects if each.type == "file_redirect" and each.children[0].type in (">", ">>", ">|")]
        places = [each.child_by_field_name("destination") for each in files]
        return [word for place in places if place is not None for word in self.words.word([place])]

    def command(self, node: Node) -> tuple[Command, bool] | None:
        """One program with its words, its environment and its standard input; whether it surely gets these words and no others."""
        stdin, behind, dash = self._fed.pop(node.id, (None, (), -1))
        redirects = [child for child in node.children if child.type in REDIRECTS]
        assignments, arguments = self._sorted(node)
        environment = [self.words.assigned(each) for each in assignments]
        groups = self._groups(arguments)
        expanded = [self.words.word(group) for group in groups]
        words = [word for each in expanded for word in each]
        words += [self.code.text[dash : dash + 1]] if dash >= 0 else []
        words += [word for each in behind for word in self.words.word([each])]
        stdin = self._stdin(redirects) or stdin
        for substitution in outermost(each for each in redirects if each.type != "herestring_redirect"):
            self.run(substitution)
        if not words:
            return None
        start, stop = self.code.start(groups[0][0]), max(self.code.stop([*groups[-1], *behind][-1]), dash + 1)
        span = self.code.text[start:stop].span
        program = words[0].value.rsplit("/", 1)[-1] or words[0].value
        command = Command(
            name=UNKNOWN if UNKNOWN in program else program, span=span, origin=span, written=self.code.written(start, stop),
            context=self.context, words=tuple(words), stdin=stdin,
            environment=tuple((name, variable.text) for name, variable in environment if variable.text is not None),
        )  # fmt: skip
        self._effect(program, [word.value for word in words[1:]], words, stdin)
        return command, all(
            self._one_word(group) or all(word.known for word in each) for group, each in zip(groups, expanded, strict=True)
        )

    def _one_word(self, nodes: Sequence[Node]) -> bool:
        """Whether something unknown is surely one word: it stands in quotes, and for no list."""
        raw = self.code.raw(nodes[0])
        return len(nodes) == 1 and raw[:1] == '"' and "@" not in raw

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

    def _effect(self, program: str, arguments: Sequence[str], words: Sequence[Text], stdin: Text | None) -> None:
        """What the shell's own commands do to the script's variables and its working directory."""
        if program in ("cd", "pushd", "popd"):
            target = next((word for word in words[1:] if not word.value.startswith("-") or word.value == "-"), None)
            folder = UNKNOWN if program == "popd" else self._folder(target)
            self.variables.set(FOLDER, Variable((words[0].as_value(folder),)))
        elif program == "read" and stdin is not None and _WHOLE.search(" ".join(arguments)) and arguments[-1].isidentifier():
            self.variables.set(arguments[-1], scalar(stdin.without(_CONTINUED)))  # read -r -d '' OPTIONS <<EOF
        elif program in _READS or (program == "printf" and arguments[:1] == ["-v"]):
            names = arguments[1:2] if program == "printf" else arguments
            # Who is asked may answer nothing, and an option need not be given.
            given = program == "getopts" or (
                program == "read" and any(word.startswith("-") and "p" in word for word in arguments)
            )
            for name in names:
                if name.isidentifier():
                    self.variables.set(name, scalar(words[0].as_value(UNKNOWN), given))
        elif program == "set" and arguments:
            self._set(arguments, words)
        elif program == "shift" and (parameters := self.variables.get(PARAMETERS)) is not None:
            count = arguments[0] if arguments else "1"
            known = re.fullmatch("[0-9]{1,3}", count) is not None
            self.variables.set(PARAMETERS, array(list(parameters.words[int(count) :])) if known else None)
        elif program == "let":
            for name in (name for word in arguments for name in assigned(word)):
                self.variables.set(name, scalar(words[0].as_value(UNKNOWN)))

    def _set(self, arguments: Sequence[str], words: Sequence[Text]) -> None:
        """`set -a`, `set -o allexport`, `set +e`, `set -- a b`."""
        sign, letters = arguments[0][:1], arguments[0][1:]
        if arguments[0] == "--" or sign not in ("-", "+"):
            given = words[1 + (arguments[0] == "--") :]
            self.variables.set(PARAMETERS, array(list(given)) if all(word.known for word in given) else None)
            return
        if "a" in letters or arguments[1:2] == ["allexport"]:
            self._exports_all = sign == "-"
        if "e" in letters or arguments[1:2] == ["errexit"]:
            self._stops = True if sign == "-" else False if self._stops else None

    def _folder(self, target: Text | None) -> str:
        """The working directory after `cd target`."""
        if target is None or target.value in ("", "-") or target.value.startswith("~"):
            return UNKNOWN
        # `cd "$HERE/sub"` goes there from everywhere: what `HERE` says of the script's own folder begins with a dot.
        own = target.value.startswith(".") and not target.pieces[0].exact
        return joined_path("" if own or target.value.startswith(UNKNOWN) else self.context.workdir, target.value)
