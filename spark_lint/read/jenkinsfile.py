"""Jenkinsfiles: what the steps of a pipeline run, on which agent and in which container.

Both ways to write one are read, https://www.jenkins.io/doc/book/pipeline/syntax/, and how they take containers,
https://www.jenkins.io/doc/book/pipeline/docker/ (2026-11). Steps of plugins and libraries that nobody here knows say nothing.
"""

import re
from collections import ChainMap
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from spark_lint.facts import Condition, EnvVar, ParseProblem, Read
from spark_lint.read import jenkins_agents as agents
from spark_lint.read import shell, template
from spark_lint.read.dockerfile_commands import SHELLS
from spark_lint.read.expansion import DEEPEST, TOO_DEEP, TOO_MUCH, joined_path
from spark_lint.read.groovy import WORD, Groovy
from spark_lint.read.jenkins_directives import as_written, directives
from spark_lint.read.jenkins_place import Pipeline, Place
from spark_lint.read.jenkins_values import arguments, end_of, parts
from spark_lint.read.shell_tests import MAY_FAIL
from spark_lint.read.yaml_values import split
from spark_lint.text import UNKNOWN, Source, Text

_DOT: Final = (".", "?.")
_SETTINGS: Final = frozenset({"agent", "parameters", "options", "triggers", "tools", "libraries", "axes", "excludes"})
"""Blocks without steps."""
_PASSED_OVER: Final = frozenset({"catchError", "warnError"})
_MOST_ITEMS: Final = 1000
_MOST_FOUND: Final = 15_000
"""Facts of one file; what comes behind so many is not read by anybody."""


def read(source: Source) -> Iterator[Read]:
    """The commands, images and variables of a pipeline."""
    text = template.literal(Text.of(source))
    yield from _Steps(Groovy(text)).facts()


class _Steps(Pipeline):
    """Reads a Jenkinsfile from top to bottom; a function where it is called."""

    def __init__(self, code: Groovy) -> None:
        super().__init__(code)
        self.images: dict[str, Text | None] = {}
        self.called: set[str] = set()
        self.too_deep = False
        self._steps: dict[str, Callable[[int, Place], int]] = {
            "sh": self._sh, "node": self._node, "withEnv": self._with_env, "dir": self._dir, "if": self._if, "docker": self._docker,
            "container": self._container, "withDockerContainer": self._with_container,
        }  # fmt: skip

    def facts(self) -> Iterator[Read]:
        """All of them, each once."""
        single = {name: values[0] for name, values in self.said.axes.items() if len(values) == 1}
        start = Place(agents.runner("any"), environment=ChainMap(dict(self.said.parameters) | single))
        self._block(0, len(self.code.tokens), start)
        for name, function in self.said.functions.items():
            if name not in self.called:
                self._block(function.brace + 1, self.code.closing(function.brace), replace(start, depth=1))
        yield from dict.fromkeys(self.found)
        here = self.code.text[:0].span
        if self.code.unclosed is not None:
            yield ParseProblem(
                self.code.text[self.code.unclosed : self.code.unclosed + 1].span, "Groovy: a string or comment that does not end"
            )
        if self.too_deep:
            yield ParseProblem(here, TOO_DEEP)
        if self.budget.left < 0:
            yield ParseProblem(here, TOO_MUCH)

    def _block(self, start: int, stop: int, place: Place) -> None:
        if place.depth > DEEPEST:
            self.too_deep = True
            return
        place = replace(place, depth=place.depth + 1, variables=place.variables.new_child())
        place = directives(self, start, stop, place)
        at = start
        while at < stop and len(self.found) < _MOST_FOUND:
            at = max(at + 1, self._statement(at, place))

    def _inside(self, brace: int, place: Place) -> int:
        """Read the block that a brace opens; the number of what follows it."""
        self._block(brace + 1, self.code.closing(brace), place)
        return self.code.closing(brace) + 1

    def _statement(self, at: int, place: Place) -> int:
        kind, ahead = self.code.kind(at), self.code.kind(at + 1)
        if kind == "{":
            return self._inside(at, place)
        if kind != WORD or self.code.kind(at - 1) in _DOT or ahead == ":":
            return at + 1
        name = self.code.word(at)
        if at in self.said.bodies:
            return self.code.closing(self.said.bodies[at].brace) + 1
        if name in _SETTINGS and ahead == "{":
            return self.code.behind(at + 1)
        if ahead == "=":
            self._assigned(name, at, place)
            return at + 2
        if name == "env" and ahead == "." and self.code.kind(at + 2) == WORD and self.code.kind(at + 3) == "=":
            self._environment_set(at + 2, place)
            return at + 4
        if name in _PASSED_OVER and (brace := self._brace(at)):
            return self._inside(brace, place.under(MAY_FAIL))
        if name in self.images and ahead in _DOT:
            return self._method(at + 1, self.images[name], place)
        if name in self._steps:
            return self._steps[name](at, place)
        if name in self.said.functions and ahead == "(":
            self._call(name, at + 1, place)
        return at + 1

    def _brace(self, at: int) -> int:
        """The number of the brace behind a step and its arguments; 0 where there is none."""
        stop = arguments(self.code, at + 1).stop
        return stop if self.code.kind(stop) == "{" else 0

    def _assigned(self, name: str, at: int, place: Place) -> None:
        if self.code.word(at + 2) == "docker" and self.code.word(at + 4) in ("image", "build"):
            text = self.value(arguments(self.code, at + 5).find("image"), place)
            built = self.code.word(at + 4) == "build"
            again = name in self.images
            self.images[name] = None if built or again else text
        elif name in self.said.scoped:
            place.variables[name] = self.value((at + 2, max(end_of(self.code, at + 2), at + 3)), place) or self.code.cut(
                at, at + 1
            )

    def _environment_set(self, at: int, place: Place) -> None:
        """`env.NAME = …`, which holds for all that follows."""
        name, stop = self.code.word(at), end_of(self.code, at + 2)
        text = self.value((at + 2, stop), place) if stop > at + 2 else None
        if text is not None:
            whole = self.code.cut(at, stop)
            again = name in place.environment.maps[0]
            place.environment.maps[-1][name] = text.as_value(UNKNOWN) if again else text
            self.found.append(
                EnvVar(
                    name=name, value=text.value, span=whole.span, origin=text.origin, written=whole.written,
                    context=self.context(place),
                )
            )  # fmt: skip

    def _call(self, name: str, at: int, place: Place) -> None:
        """Read a function of the file where it is called, with what it is given."""
        function = self.said.functions[name]
        closing = self.code.closing(function.brace)
        length = self.code.cut(function.brace, min(closing + 1, len(self.code.tokens))).value
        if name in place.calls or (name in self.called and not self.budget.repeats(len(length))):
            return
        self.called.add(name)
        given = arguments(self.code, at)
        known = {}
        for parameter, span in zip(function.parameters, given.given, strict=False):
            known[parameter] = self.value(span, place)
        for key, span in given.named.items():  # they are one map
            known[f"{function.parameters[0]}.{key}" if function.parameters else key] = self.value(span, place)
        variables: ChainMap[str, Text] = ChainMap({key: text for key, text in known.items() if text is not None})
        self._block(function.brace + 1, closing, replace(place, variables=variables, calls=place.calls | {name}))

    def _sh(self, at: int, place: Place) -> int:
        """`sh 'code'`, `sh(script: 'code', returnStatus: true)`: a shell of its own reads it."""
        given = arguments(self.code, at + 1)
        span = given.find("script")
        text = self.value(span, place)
        if text is None or not text.value.strip(UNKNOWN + " \n"):
            return max(given.stop, at + 1)
        status = given.named.get("returnStatus")
        if status is not None and self.code.word(status[0]) == "true":
            place = place.under(MAY_FAIL)
        first = text.value.partition("\n")[0]
        if first.startswith("#!") and SHELLS.isdisjoint(re.split(r"[/\s]+", first[2:].strip())[:4]):
            return max(given.stop, at + 1)
        quiet = agents.is_other(place.runner) or not text.known
        if self.budget.left >= 0 and self.spend(1 + len(place.environment)):
            found = shell.commands(text, self.context(place), dict(place.environment), self.budget)
            self.found += (each for each in found if not (quiet and isinstance(each, ParseProblem)))
        return max(given.stop, at + 1)

    def _node(self, at: int, place: Place) -> int:
        """`node('gpu') { … }`."""
        brace = self._brace(at)
        if not brace:
            return at + 1
        inner = replace(place, runner=self.runner(arguments(self.code, at + 1).find("label"), None, place), image=None)
        return self._inside(brace, self.set(replace(inner, block=next(self.numbers)), (), fresh=True))

    def _with_env(self, at: int, place: Place) -> int:
        """`withEnv(['NAME=value']) { … }`."""
        brace = self._brace(at)
        span = arguments(self.code, at + 1).find("overrides")
        if not brace or span is None:
            return at + 1
        start, stop = span
        if self.code.kind(start) == "[":
            start, stop = start + 1, self.code.closing(start)
        variables = []
        for each in islice(parts(self.code, start, stop), _MOST_ITEMS):
            text = self.value(each, place)
            name, equals, _ = ("", "", "") if text is None else text.value.partition("=")
            if text is not None and equals and name.isidentifier():
                variables.append(
                    (name, text[len(name) + 1 :] if text.value != f"{name}=" else text.as_value(""), text.span, text.written)
                )
        return self._inside(brace, self.set(place, variables, fresh=False))

    def _dir(self, at: int, place: Place) -> int:
        """`dir('folder') { … }`."""
        brace = self._brace(at)
        if not brace:
            return at + 1
        path = self.value(arguments(self.code, at + 1).find("path"), place)
        return self._inside(brace, replace(place, workdir=joined_path(place.workdir, UNKNOWN if path is None else path.value)))

    def _if(self, at: int, place: Place) -> int:
        """`if (test) … else if (test) … else …`."""
        while self.code.kind(at + 1) == "(":
            closing = self.code.closing(at + 1)
            test = as_written(self, at + 2, closing)
            self._block(at + 2, closing, place)  # it may run something
            at = self._branch(closing + 1, place.under(Condition(test)))
            place = place.under(Condition(test, negated=True))
            ahead = self.code.next(at)
            if self.code.word(ahead) != "else":
                return at
            at = self.code.next(ahead + 1)
            if self.code.word(at) != "if":
                return self._branch(at, place)
        return at + 1

    def _branch(self, at: int, place: Place) -> int:
        at = self.code.next(at)
        if self.code.kind(at) == "{":
            return self._inside(at, place)
        if self.code.word(at) == "if" and place.depth < DEEPEST:
            return self._if(at, replace(place, depth=place.depth + 1))
        stop = end_of(self.code, at)
        while self.code.kind(stop) == "{":
            stop = self.code.closing(stop) + 1
        self._block(at, stop, place)
        return max(stop, at)

    def _docker(self, at: int, place: Place) -> int:
        """`docker.image('x').inside('options') { … }`, `docker.build('name', 'options')`."""
        kind = self.code.word(at + 2)
        if self.code.kind(at + 1) != "." or kind not in ("image", "build") or self.code.kind(at + 3) != "(":
            return at + 1
        given = arguments(self.code, at + 3)
        named = self.value(given.find("image"), place)
        if kind == "build" and named is not None:
            options = self.value(given.given[1], place) if len(given.given) > 1 else None
            start = named[:0]
            words = [start.as_value(word) for word in ("docker", "build", "-t")]
            rest = [start.as_value(".")] if options is None else split(options) if options.value != UNKNOWN else []
            self.command([*words, named, *rest], named, place)
            named = None
        ahead = self.code.next(given.stop)
        return self._method(ahead, named, place) if self.code.kind(ahead) in _DOT else max(given.stop, at + 4)

    def _method(self, at: int, named: Text | None, place: Place) -> int:
        """What is done with an image, behind its dot."""
        name = self.code.word(at + 1)
        given = arguments(self.code, at + 2)
        asked = self.value(given.given[0], place) if given.given else None
        if name != "inside" and (named is None or name not in ("withRun", "run")):
            return at + 2
        runner = place.runner
        if asked is not None and agents.asked_for(asked.value) and runner == agents.runner("any"):
            runner = agents.runner("gpu")
        inner = replace(place, block=next(self.numbers), runner=runner, image=None)
        entered = self.in_unknown(at + 1, inner) if named is None else self.in_image(named, asked, inner)
        if self.code.kind(given.stop) != "{":
            return max(given.stop, at + 2)
        inside = self.set(entered, (), fresh=True) if name == "inside" else place
        return self._inside(given.stop, inside)

    def _container(self, at: int, place: Place) -> int:
        """`container('name') { … }` of a pod that is described elsewhere."""
        brace = self._brace(at)
        return self._inside(brace, self.in_unknown(at, place)) if brace else at + 1

    def _with_container(self, at: int, place: Place) -> int:
        """`withDockerContainer(image: 'x', args: 'options') { … }`."""
        brace = self._brace(at)
        given = arguments(self.code, at + 1)
        named = self.value(given.find("image"), place)
        if not brace or named is None:
            return at + 1
        asked = self.value(given.named.get("args"), place)
        entered = self.in_image(named, asked, replace(place, block=next(self.numbers), image=None))
        return self._inside(brace, self.set(entered, (), fresh=True))
