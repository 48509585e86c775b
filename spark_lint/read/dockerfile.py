"""Dockerfiles: build stages and their images, what runs in them, the environment it runs in, the files that are copied in."""

import posixpath
import re
from collections import ChainMap
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from spark_lint.facts import Code, Command, Context, EnvVar, Image, Include, ParseProblem, Read, Stage
from spark_lint.kinds import kind_of
from spark_lint.read import shell, template
from spark_lint.read.dockerfile_build import Build, Start
from spark_lint.read.dockerfile_commands import Setting, either_form, joined, shell_code
from spark_lint.read.dockerfile_lines import Instruction, escape_directive, inner, instructions
from spark_lint.read.dockerfile_words import Expander, flags_of, json_words, mounts, raw_words, references
from spark_lint.read.expansion import TOO_MUCH, Budget, joined_path
from spark_lint.read.reference import image
from spark_lint.text import UNKNOWN, Source, Text

_MOST_STAGES: Final = 500
_MOST_PROBLEMS: Final = 20
_MOST_WAITED_FOR: Final = 50
"""Names that are followed to find out whether an ARG refers to itself."""
_HEAD: Final = 128
"""Characters of a file in which its first line is looked for."""
_IGNORED: Final = frozenset({"EXPOSE", "LABEL", "MAINTAINER", "STOPSIGNAL", "USER", "VOLUME"})
_OTHER_SHELLS: Final = ("powershell", "pwsh", "cmd")
# The builder says it; on a Spark it is arm64. `FROM base-${TARGETARCH}` chooses a stage by it.
_ARCHITECTURE: Final = re.compile(r"\$(?:TARGETARCH\b|\{TARGETARCH\})")
_LEGACY_ENV: Final = re.compile(r"([^\s=]+)\s+(.+)", re.DOTALL)


def read(source: Source) -> Iterator[Read]:
    """The facts of a Dockerfile, in its order."""
    yield from _Dockerfile(template.literal(Text.of(source))).reads()


class _Dockerfile:
    """Reads the instructions of one file in order."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._budget = Budget()
        self._out: list[list[Read]] = []
        self._problems = 0
        self._escape = "\\"
        self._global = Build()
        self._build = self._global
        self._builds: list[Build] = []
        self._aliases: dict[str, int] = {}
        self._readers: dict[str, Callable[[Instruction], Iterator[Read]]] = {
            "FROM": self._from,
            "ARG": self._arg,
            "ENV": self._env,
            "RUN": self._run,
            "CMD": self._start,
            "ENTRYPOINT": self._start,
            "COPY": self._copy,
            "ADD": self._copy,
            "WORKDIR": self._workdir,
            "SHELL": self._shell,
            "HEALTHCHECK": self._healthcheck,
            "ONBUILD": self._onbuild,
        }

    def reads(self) -> Iterator[Read]:
        """Everything the file says."""
        directive = escape_directive(self._text)
        if directive is not None and directive.value in ("\\", "`"):
            self._escape = directive.value
        elif directive is not None:
            self._out.append(
                [ParseProblem(directive.span, f"escape={directive.written}: only \\ and ` can be the escape character")]
            )
        for instruction in instructions(self._text, self._escape):
            if instruction.keyword not in ("FROM", "ARG") and self._build is self._global:
                self._build = Build(args=dict(self._global.args))  # no FROM: a part of a Dockerfile
            reads: list[Read] = []
            self._out.append(reads)
            if instruction.keyword == "FROM" and len(self._builds) == _MOST_STAGES:
                reads += self._problem(instruction.place, f"more than {_MOST_STAGES} build stages: the rest is not read")
                break
            reader = self._readers.get(instruction.keyword)
            if reader is not None:
                reads += reader(instruction)
                reads += self._open_ended(instruction)
            elif instruction.keyword not in _IGNORED:
                reads += self._problem(instruction.place, f"{instruction.keyword[:40]} is no instruction of a Dockerfile")
        self._finish()
        if self._budget.left < 0:
            self._out.append([ParseProblem(self._text[:0].span, TOO_MUCH)])
        for reads in self._out:
            yield from reads

    def _problem(self, place: Text, message: str) -> Iterator[Read]:
        """A problem on the first line of a place. A file of another kind has one on every line: only the first ones are said."""
        self._problems += 1
        if self._problems <= _MOST_PROBLEMS:
            yield ParseProblem(place[: len(place.value.partition("\n")[0].rstrip())].span, message)

    def _open_ended(self, instruction: Instruction) -> Iterator[Read]:
        for heredoc in instruction.heredocs:
            if not heredoc.closed:
                yield from self._problem(heredoc.marker, f"the text of {heredoc.marker.written} has no end")

    def _expander(self, build: Build) -> Expander:
        return Expander(ChainMap(build.env, build.args), self._escape, self._budget)

    # Stages.

    def _from(self, instruction: Instruction) -> Iterator[Read]:
        flags, text = flags_of(instruction.text)
        words = raw_words(text, self._escape)
        if len(words) not in (1, 3) or (len(words) == 3 and words[1].value.lower() != "as"):
            yield from self._problem(instruction.place, "FROM takes an image, and AS with a name")
        if not words:
            return
        self._finish()
        number = len(self._builds)
        name = words[2].value.lower() if len(words) > 2 and words[1].value.lower() == "as" else ""
        expander = self._expander(self._global)
        reference = expander.value(self._for_spark(words[0]))
        parent = self._aliases.get(reference.value.lower())
        before = self._builds[parent] if parent is not None else Build(workdir="/" if reference.value == "scratch" else "")
        self._build = replace(before, number=number, env=dict(before.env), args={}, waits={}, starts={})
        self._builds.append(self._build)
        found: Image | None = None
        if parent is None and reference.value != "scratch" and reference.value:
            platform = expander.value(flags["platform"]) if "platform" in flags else None
            asked = platform.value if platform is not None and platform.known else ""
            found = image(reference, platform=asked, stage=name, context=Context(stage=number))
            found = replace(found, span=words[0].span, written=words[0].written)
            found = found if found.name.strip(UNKNOWN + "/") else None
        if found is not None:
            yield found
        self._build.image = found or before.image
        if name:
            self._aliases[name] = number
        yield Stage(number, name, instruction.place.span, found, parent)

    def _for_spark(self, word: Text) -> Text:
        parts, at = [], 0
        for match in _ARCHITECTURE.finditer(word.value) if "TARGETARCH" not in self._global.args else ():
            parts += [word[at : match.start()], word[match.start() : match.end()].as_value("arm64")]
            at = match.end()
        return Text.join([*parts, word[at:]]) if parts else word

    def _finish(self) -> None:
        """The end of a stage: ENTRYPOINT and CMD as lists are one command."""
        command, entrypoint = self._build.starts.get("CMD"), self._build.starts.get("ENTRYPOINT")
        words = self._build.entrypoint if entrypoint is None else entrypoint.words
        self._build.entrypoint = words
        if command is not None and command.words and words and isinstance(first := command.reads[0], Command):
            command.reads[:] = [joined(words, first)]
            if entrypoint is not None:
                entrypoint.reads.clear()
        elif command is not None and command.words and entrypoint is None and command.words[0].value.startswith("-"):
            # Words for the program that the image starts by itself.
            command.reads[:] = [
                replace(each, context=replace(each.context, image=self._build.image)) if isinstance(each, Command) else each
                for each in command.reads
            ]
        for start in self._build.starts.values():
            self._with_environment(start)

    def _with_environment(self, start: Start) -> None:
        """`CMD ["sh", "-c", "serve --tp $TP"]`: the code sees the environment of the stage."""
        given = [each for each in start.reads if isinstance(each, Command)]
        code = shell_code(given[0].words) if len(given) == 1 and given[0].exec_form else None
        if code is not None:
            start.reads[:] = shell.commands(code, given[0].context, self._build.env, self._budget)

    # Variables and folders.

    def _arg(self, instruction: Instruction) -> Iterator[Read]:
        build = self._build
        expander = self._expander(build)
        for word in raw_words(instruction.text, self._escape):
            name, equals, _ = word.value.partition("=")
            if equals:
                raw = word[len(name) + 1 :]
                yield from self._cycle(build, name, raw, word)
                build.args[name] = expander.value(raw)
            elif build is not self._global and name in self._global.args:
                default = self._global.args[name]
                build.args[name] = word.as_value(default.value, default.origin)
            else:
                build.args.pop(name, None)
            if build is not self._global and name in build.args:
                yield self._variable(name, build.args[name], word)

    def _cycle(self, build: Build, name: str, raw: Text, word: Text) -> Iterator[Read]:
        """`ARG A=$B` and later `ARG B=$A`: each waits for the other, and the builder leaves both empty."""
        used = references(raw) - {name}
        found: set[str] = set()
        queue = [*used]
        while queue and len(found) < _MOST_WAITED_FOR:
            other = queue.pop()
            if other not in found:
                found.add(other)
                queue += build.waits.get(other, ())
        if name in found:
            yield from self._problem(word, f"ARG {name} refers to itself through others")
        build.waits[name] = frozenset(other for other in used if other not in build.args or build.waits.get(other))

    def _env(self, instruction: Instruction) -> Iterator[Read]:
        text = instruction.text
        words = raw_words(text, self._escape)
        if legacy := _LEGACY_ENV.fullmatch(text.value):
            pairs = [(text[: legacy.end(1)], text[legacy.start(2) :], text)]
        else:
            pairs = [
                (word[: word.value.index("=")], word[word.value.index("=") + 1 :], word) for word in words if "=" in word.value
            ]
            if not pairs or len(pairs) < len(words):
                yield from self._problem(instruction.place, "ENV takes names with values")
        # As the builder does: every value of one instruction sees what was set before it.
        expander = self._expander(self._build)
        found = [(expander.value(name).value, expander.value(raw), word) for name, raw, word in pairs]
        for name, value, word in found:
            if name and UNKNOWN not in name:
                self._build.env[name] = value
                yield self._variable(name, value, word)

    def _variable(self, name: str, value: Text, word: Text) -> EnvVar:
        context = self._build.context
        return EnvVar(name=name, value=value.value, span=word.span, origin=value.origin, written=word.written, context=context)

    def _workdir(self, instruction: Instruction) -> Iterator[Read]:
        value = self._expander(self._build).value(instruction.text).value
        if value:
            before = "" if value.startswith(UNKNOWN) else self._build.workdir or UNKNOWN
            self._build.workdir = joined_path(before, value)
        yield from ()

    def _shell(self, instruction: Instruction) -> Iterator[Read]:
        words = json_words(instruction.text)
        if not words:
            yield from self._problem(instruction.place, "SHELL takes a list in JSON")
            return
        program = re.split(r"[/\\]", words[0].value.lower())[-1].removesuffix(".exe")
        self._build.posix = program not in _OTHER_SHELLS

    def _copy(self, instruction: Instruction) -> Iterator[Read]:
        flags, text = flags_of(instruction.text)
        expander = self._expander(self._build)
        listed = json_words(text)
        words = raw_words(text, self._escape) if listed is None else listed
        found = [expander.value(word) for word in words]
        if len(found) < 2:
            yield from self._problem(instruction.place, f"{instruction.keyword} takes sources and a target")
            return
        markers = {heredoc.marker.value for heredoc in instruction.heredocs}
        target = self._absolute(found[-1])
        stage = expander.value(flags["from"]).value.lower() if "from" in flags else ""
        for word, source in zip(words, found[:-1], strict=False):
            if listed is not None or word.value not in markers:
                yield Include("copy", source, self._build.context, target, stage)
        if len(instruction.heredocs) == 1 and (
            kind := kind_of(target.value, instruction.heredocs[0].body.value[:_HEAD].encode())
        ):
            yield from self._written(kind, target.value, instruction.heredocs[0].body)

    def _written(self, kind: str, path: str, text: Text) -> Iterator[Read]:
        """`COPY <<EOF /app/run.sh`: a file that stands here. It runs later, where ARG is no longer set."""
        span = text.span
        yield Code(name=kind, text=text, path=path, span=span, origin=span, written=path, context=self._build.context)

    def _absolute(self, target: Text) -> Text:
        """Where a copy goes, seen from the root where the working directory is known. A folder keeps its last slash."""
        if target.value.startswith(("/", UNKNOWN)) or not self._build.workdir or UNKNOWN in self._build.workdir:
            return target
        path = posixpath.normpath(posixpath.join(self._build.workdir, target.value))
        is_folder = target.value.endswith("/") or posixpath.basename(target.value) in (".", "..")
        return target.as_value(path.rstrip("/") + "/" if is_folder else path, target.origin)

    # Commands.

    def _setting(self, *variables: dict[str, Text]) -> Setting:
        return Setting(self._build.context, ChainMap(*variables), self._budget, self._build.posix)

    def _run(self, instruction: Instruction) -> Iterator[Read]:
        expander = self._expander(self._build)
        for mount in mounts(instruction.text):
            target = next((mount[name] for name in ("target", "dst", "destination") if name in mount), None)
            if target is not None and ("type" not in mount or mount["type"].value == "bind"):
                source = next((mount[name] for name in ("source", "src") if name in mount), target.as_value("."))
                stage = expander.value(mount["from"]).value.lower() if "from" in mount else ""
                target = self._absolute(expander.value(target))
                yield Include("mount", expander.value(source), self._build.context, target, stage)
        around = self._setting(self._build.env, self._build.args)
        yield from either_form(flags_of(instruction.text)[1], instruction.heredocs, around)

    def _start(self, instruction: Instruction) -> Iterator[Read]:
        """CMD and ENTRYPOINT, of which the last of a stage counts. They run later, where ARG is no longer set."""
        yield from either_form(instruction.text, (), self._setting(self._build.env))
        if earlier := self._build.starts.get(instruction.keyword):
            earlier.reads.clear()
        self._build.starts[instruction.keyword] = Start(tuple(json_words(instruction.text) or ()), self._out[-1])

    def _healthcheck(self, instruction: Instruction) -> Iterator[Read]:
        command = inner(replace(instruction, text=flags_of(instruction.text)[1]))
        if command.keyword == "CMD":
            yield from either_form(command.text, (), self._setting(self._build.env))

    def _onbuild(self, instruction: Instruction) -> Iterator[Read]:
        later = inner(instruction)
        if later.keyword == "RUN":
            yield from self._run(later)
