"""One YAML document on its way to facts: what all the formats written in YAML share."""

import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as Map
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from spark_lint.facts import Command, Context, EnvVar, Image, ParseProblem, Read
from spark_lint.read import shell
from spark_lint.read.dockerfile_commands import SHELLS, program, shell_code
from spark_lint.read.dotenv import Environments, nothing
from spark_lint.read.expansion import Budget
from spark_lint.read.reference import image as reference
from spark_lint.read.yaml_tree import Mapping, Node, Pair, Scalar, Sequence
from spark_lint.text import UNKNOWN, Span, Text

Fill = Callable[[Text], Text]
"""How a format puts variables into a value."""

_A_USE: Final = 20


class TooMuch(Exception):
    """The document stands for more than a file can say: aliases of aliases."""


class Variable(NamedTuple):
    """One variable of an environment: its value, and the place of name and value."""

    name: str
    value: Text
    span: Span
    written: str


@dataclass(slots=True)
class Document:
    """A document whose root is a mapping.

    numbers: those of its parts that run by themselves. values: by the identity of a scalar, its value once it is known. contexts: by
        the identity of a node, the context of everything below it. skipped: nodes below which nothing is said. environments: the
        variables of the environment files beside it.
    """

    root: Mapping
    text: Text
    context: Context
    numbers: Iterator[int]
    budget: Budget
    values: dict[int, Text] = field(default_factory=dict)
    contexts: dict[int, Context] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)
    environments: Environments = nothing

    @property
    def path(self) -> str:
        """The file's path."""
        return self.text.source.path

    def block(self, node: Node, image: Image | None = None) -> Context:
        """The context of a part that runs by itself."""
        context = replace(self.context, block=next(self.numbers), image=image)
        self.contexts[id(node)] = context
        return context

    def within(self, node: Node, image: Image | None) -> Context:
        """The context of a part that is no block of its own."""
        context = replace(self.context, image=image)
        self.contexts[id(node)] = context
        return context

    def of(self, scalar: Scalar) -> Text:
        """A scalar's text, and it counts: aliases can name one scalar any number of times."""
        self.spend()
        self.budget.left -= len(scalar.value)
        return scalar.text

    def said(self, node: Node | None) -> None:
        """What a node holds is given as more than keys with values (commands, variables): nothing says it once more."""
        self.skipped.add(id(node))

    def code(self, scalar: Scalar) -> Text:
        """The text of a scalar that is code."""
        self.said(scalar)
        return self.of(scalar)

    def spend(self, uses: int = 1) -> None:
        """Count work that aliases, or parts that share something, could multiply."""
        self.budget.left -= _A_USE * uses
        if self.budget.left < 0:
            raise TooMuch

    def texts(self, node: Node | None, fill: Fill) -> list[Text]:
        """The items of a list, or the one value that stands in place of a list."""
        self.said(node)
        items = node.scalars if isinstance(node, Sequence) else [node] if isinstance(node, Scalar) else []
        return [fill(self.of(item)) for item in items if item.typed is not None]

    def lines(self, node: Node | None) -> list[Text]:
        """The lines of shell code that stand as one text, or one by one in a list (`- pip install x`, `- cmd: pip install x`)."""
        self.said(node)
        found: list[Text] = []
        stack = [node]
        while stack:
            each = stack.pop()
            self.spend()
            if isinstance(each, Sequence):
                stack += reversed(each.items)
            elif isinstance(each, Mapping):
                stack.append(each.scalar("cmd") or each.scalar("command"))
            elif each is not None and each.value and each.typed is not None:
                found.append(self.of(each))
        return found

    def whole(self, pair: Pair) -> Text:
        """A key with its value, as written. Of a block only the header's line."""
        return self.first_line(pair.key.start, max(pair.value.stop, pair.key.stop))

    def first_line(self, start: int, stop: int) -> Text:
        """A part of the document up to the end of its first line."""
        line = self.text.value.find("\n", start, stop)
        return self.text[start : stop if line < 0 else line]

    def variables(self, node: Node | None, fill: Fill) -> list[Variable]:
        """The variables that `NAME: value`, `- NAME=value` or `- name: NAME` with `value: …` set."""
        self.said(node)
        if isinstance(node, Mapping):
            return [self._keyed(name, pair, fill) for name, pair in node.pairs.items() if _is_value(pair)]
        found: list[Variable] = []
        for item in node.items if isinstance(node, Sequence) else ():
            if isinstance(item, Scalar):
                text = fill(self.of(item))
                name, equals, _ = text.value.partition("=")
                if equals:
                    found.append(Variable(name.strip(), text[len(name) + 1 :], text.span, text.written))
            elif isinstance(item, Mapping) and (named := item.scalar("name")):
                found += self._named(self.of(named), item, fill)
        return found

    def _keyed(self, name: str, pair: Pair, fill: Fill) -> Variable:
        whole = self.whole(pair)
        value = self.of(pair.value) if isinstance(pair.value, Scalar) else whole.as_value(UNKNOWN)
        return Variable(name, fill(value), whole.span, whole.written)

    def _named(self, name: Text, item: Mapping, fill: Fill) -> Iterator[Variable]:
        """`- name: NAME` with a value, or with one that stands elsewhere (`valueFrom`)."""
        pair = item.pairs.get("value")
        if pair is not None and _is_value(pair):
            variable = self._keyed(name.value, pair, fill)
            yield variable._replace(written=f"{name.value}={variable.value.written}")
        elif "valueFrom" in item:
            yield Variable(name.value, name.as_value(UNKNOWN), name.span, name.written)

    def environment(self, variables: Iterable[Variable], context: Context) -> Iterator[EnvVar]:
        """The variables as facts."""
        for name, value, span, written in variables:
            self.spend()
            if name and UNKNOWN not in name:
                yield EnvVar(
                    name=name, value=value.value, span=span, origin=_origin(value, span), written=written, context=context
                )

    def image(self, scalar: Scalar | None, fill: Fill, context: Context, platform: str = "") -> Image | None:
        """The image that a scalar names; None where nothing of it is known."""
        raw = None if scalar is None else self.of(scalar)
        text = None if raw is None else fill(raw)
        if raw is None or text is None or not text.value.strip(UNKNOWN + ":/ "):
            return None
        found = reference(text, platform=platform, role="run", context=context)
        return replace(found, span=raw.span, origin=_origin(text, raw.span), written=raw.written)

    @staticmethod
    def joined(lines: list[Text]) -> Text:
        """Lines as one piece of code."""
        ends = [
            line if line.value.endswith("\n") else Text.join([line, line[len(line.value) :].as_value("\n")]) for line in lines
        ]
        return Text.join(ends)

    @staticmethod
    def run_image(image: Image, context: Context) -> Image:
        """The image as a fact of the part that it runs."""
        return replace(image, context=replace(context, image=None))

    def program(self, interpreter: list[Text], text: Text, context: Context, variables: Map[str, Text]) -> Iterator[Read]:
        """What a script does, if a shell reads it: the interpreter given, or the one that its first line names."""
        first = text.value.partition("\n")[0]
        named = (
            re.split(r"[/\s]+", first[2:].strip())[:4] if first.startswith("#!") else [program(word) for word in interpreter[:1]]
        )
        if not named or SHELLS.intersection(named):
            yield from self.script(text, context, variables)

    def script(self, text: Text, context: Context, variables: Map[str, Text]) -> Iterator[Read]:
        """What shell code does. What a template fills in is not there, so that its grammar cannot be judged."""
        for read in shell.commands(text, context, variables, self.budget):
            if text.known or not isinstance(read, ParseProblem):
                yield read

    def started(self, words: Iterable[Text], context: Context, variables: Map[str, Text], first: int = 0) -> Iterator[Read]:
        """What runs when these words are started without a shell; `sh -c "…"` runs the code. first: the word that gives the place."""
        words = [*words]
        if not words:
            return
        if (code := shell_code(words)) is not None:
            yield from self.script(code, context, variables)
            return
        placed = words[first:] or words
        span = replace(placed[0].span, end_line=placed[-1].span.end_line, end_column=placed[-1].span.end_column)
        yield Command(
            name=program(words[0]), words=tuple(words), exec_form=True, span=span, origin=span,
            written=" ".join(word.written for word in words), context=context,
        )  # fmt: skip


def _is_value(pair: Pair) -> bool:
    """Whether a key has a value: `NAME:` alone passes on what is set outside."""
    return isinstance(pair.value, Scalar) and pair.value.typed is not None


def _origin(value: Text, span: Span) -> Span:
    return next((piece.origin for piece in value.pieces if piece.origin), None) or span
