import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from spark_lint import knowledge
from spark_lint.facts import Argument, Call, Fact, Import, Setting
from spark_lint.kinds import PYTHON
from spark_lint.known import Known
from spark_lint.names.machines import guarded, tests
from spark_lint.project import Project
from spark_lint.queries import imports
from spark_lint.rule import CERTAIN, ERROR, INFO, LIKELY, WARNING, Advice, rule
from spark_lint.text import UNKNOWN

SWITCH: Final = "enable_xformers_memory_efficient_attention"
SETS: Final = "set_use_memory_efficient_attention_xformers"
CHOOSES: Final = "set_attention_backend"
WHY: Final = "needs xformers, which has no aarch64 wheel; PyTorch's own SDPA is there without it"
# Flags of the web interfaces, for which this variable stands in their start-up script.
VARIABLE: Final = "COMMANDLINE_ARGS"
FLAG: Final = re.compile(r"--xformers\b(?!-)")
# Code that asks for xformers, or that somebody has to switch on.
ASKS: Final = re.compile(r"xformers|mem(?:ory)?_eff", re.IGNORECASE)
MOST: Final = 50
"""Imports of xformers in one repository that are looked at."""


@rule(on=Setting, named="xformers", severity=ERROR)
def switched_on(setting: Setting, project: Project) -> Iterator[Advice]:
    in_python = project.documents[setting.span.path].kind == PYTHON and not setting.launched
    # `use_xformers=True` in Python is a wish in most programs; diffusers' own word is an order.
    if setting.tool == VARIABLE and not FLAG.search(setting.text):
        return
    if (in_python and SWITCH not in setting.written) or asks(setting) or there(setting, project):
        return
    if said(setting, project.before(setting, Setting, "xformers")):
        return
    if flag := FLAG.search(setting.written) or re.match(r"--?[\w-]+", setting.written):
        instead = f"no {flag[0]}"
    else:
        instead = re.sub("[Tt]rue", lambda word: "False" if word[0] == "True" else "false", setting.written)
    alone = not setting.launched and not in_python and SWITCH not in setting.written and setting.tool != VARIABLE
    if alone and falls_back(project):
        return
    # Which program reads `xformers: true`, and what it does without, is not said in a file of settings.
    yield Advice(f"{setting.written} {WHY}", instead, WARNING if alone else None, LIKELY if alone else None, no_wheel())


@rule(on=Setting, named=("attention", "attention_backend"), severity=ERROR, holds="xformers")
def chosen(setting: Setting, project: Project) -> Iterator[Advice]:
    if setting.text.lower() != "xformers" or asks(setting) or there(setting, project):
        return
    if setting.tool == "VLLM_ATTENTION_BACKEND":
        message = (
            f"{setting.written} has no effect in the vllm releases for a Spark, which do not read it; older ones need xformers"
        )
        yield Advice(message, "no VLLM_ATTENTION_BACKEND", INFO)
    elif setting.tool == "vllm":
        yield Advice(
            f"{setting.written}: current releases of vllm know no such backend, and xformers has no aarch64 wheel",
            "no --attention-backend",
            known=no_wheel(),
        )
    else:
        yield Advice(f"{setting.written} {WHY}", setting.spelled("sdpa"), known=no_wheel())


@rule(on=Call, named=(f"*.{SWITCH}", f"*.{SETS}", f"*.{CHOOSES}"), severity=ERROR, holds="xformers")
def called(call: Call, project: Project) -> Iterator[Advice]:
    method = call.name.rpartition(".")[2]
    first = call.arguments[0] if call.arguments else None
    if method == CHOOSES:
        meant = first is not None and first.value == "xformers"
    else:
        # A method that hands its own argument on, or switches a part of its own object, is the library's: who calls it is not known.
        own = any(map(unknown, call.arguments)) or (method == SETS and call.written.startswith("self."))
        meant = not own and (method == SWITCH or (first is not None and first.value is True))
    if meant and not asks(call) and not there(call, project) and not said(call, project.before(call, Call, call.name)):
        instead = call.written.replace('"xformers"', '"native"') if method == CHOOSES else f"no {method}"
        yield Advice(f"{shortened(call)} {WHY}", instead, known=no_wheel())


@rule(on=Import, named=("xformers", "xformers.*"), severity=WARNING)
def imported(each: Import, project: Project) -> Iterator[Advice]:
    if imports.is_check(each, project) or not stops(each) or there(each, project):
        return
    if any(stops(other) for other in project.before(each, Import)):
        return
    started = imports.is_program(each, project)
    # A module that is called after it is one of several ways, which whoever imports it chooses.
    after_it = "xformers" in imports.last_names(each).lower()
    message = f"{imports.fails(each, project)} where xformers is not installed, and it has no aarch64 wheel"
    severity = ERROR if started else INFO if after_it else WARNING
    yield Advice(message, imports.another_way(each), severity, CERTAIN if started else LIKELY, no_wheel())


def no_wheel() -> Known | None:
    """What stands behind it that there is no wheel."""
    return knowledge.package_known("xformers")


def stops(each: Import) -> bool:
    """Whether a file stops at an import. What a test around it asks is not known."""
    return imports.root(each) == "xformers" and imports.open_tests(each) == []


def said(fact: Fact, before: Iterable[Fact]) -> bool:
    """Whether an earlier example of the same document has the same: a tutorial shows one line again and again."""
    return fact.context.fenced and any(True for _ in before)


def asks(fact: Fact) -> bool:
    """Whether code asks first whether xformers is there, or whether somebody wants it."""
    return guarded(fact.context.conditions) or any(ASKS.search(test.text) for test in tests(fact.context.conditions))


def there(fact: Fact, project: Project) -> bool:
    """Whether xformers may be there: in an image of one's own, or by a build that does not wait for a wheel."""
    image = fact.scope.image
    if image is None and fact.scope.stage is not None:
        return True  # FROM ${BASE}
    if image is not None and (not knowledge.describe(image).family or project.ships(fact, "xformers")):
        return True
    brought = project.installed_before(fact, "xformers")
    return any(
        each.url.startswith("git+")
        or "--no-build-isolation" in each.flags | each.scope.flags
        or not knowledge.only_pypi(each.scope.indexes)
        for each in brought
    )


def falls_back(project: Project) -> bool:
    """Whether the repository's own code asks whether xformers is there."""
    found = islice(project.every(Import, "xformers", "xformers.ops"), MOST)
    return any(guarded(each.context.conditions) for each in found)


def unknown(argument: Argument) -> bool:
    return isinstance(argument.value, str) and UNKNOWN in argument.value and not argument.dotted


def shortened(call: Call) -> str:
    """The call without what it is called on: `.enable_xformers_memory_efficient_attention()`."""
    method = call.name.rpartition(".")[2]
    return method + call.written.rpartition(method)[2] if "\n" not in call.written else f"{method}(…)"
