"""Agents of Jenkins: which can be a Spark by their labels, and what `agent { … }` says.

There is no agent that somebody else hosts. One that is asked for by no label, or only by `linux`, is nevertheless taken for another
machine, as the runner of a job without tags is: what a pipeline does anywhere says nothing about a Spark.
"""

import re
from typing import Final

from spark_lint.facts import Condition
from spark_lint.read.groovy import END, WORD, Groovy
from spark_lint.read.jenkins_values import Range, arguments
from spark_lint.read.yaml_runners import HOSTED, own
from spark_lint.text import UNKNOWN

_BETWEEN: Final = re.compile(r"&&|[\s()'\"]+")
# Every agent is somebody's own, so that an Arm may be a Spark.
_ARM: Final = re.compile(r"(?<![a-z0-9])(?:arm64|aarch64|sbsa)(?![a-z0-9])", re.IGNORECASE)
_WORDS_FOR_IT: Final = re.compile(
    r"(?<![a-z0-9])(?:node|agent|worker|host|slave|machine|runner|\d{1,3})s?(?![a-z0-9])", re.IGNORECASE
)
"""What says only that it is one, or which: `gpu-node`, `gpu worker 2`."""
_ASKS_GPU: Final = re.compile(r"(?:^|\s)(?:--gpus[= ]|--runtime[= ]nvidia\b|--device[= ](?:/dev/nvidia|nvidia\.com/gpu))")


def runner(labels: str, more: str = "") -> tuple[Condition, ...]:
    """What an agent has to be whose label is an expression (`linux && (gpu || spark)`), a condition for each of its labels.

    more: a label for what is asked of it in another way.
    """
    for way in labels.split("||") if UNKNOWN not in labels else ():
        words = [word for word in _BETWEEN.split(f"{way} {more}") if word and not word.startswith("!")]
        mine = ["self-hosted"] if _ARM.search(way) else []
        if own(_WORDS_FOR_IT.sub(" ", " ".join(mine + words))):
            return tuple(Condition(f"runs-on {word}") for word in words)
    return (Condition(HOSTED + labels.replace(UNKNOWN, "?")),)


def is_other(conditions: tuple[Condition, ...]) -> bool:
    """Whether what an agent has to be is no Spark."""
    return any(each.text.startswith(HOSTED) for each in conditions)


def asked_for(options: str) -> str:
    """The label that options of `docker run` amount to: `gpu` where they ask for one."""
    return "gpu" if _ASKS_GPU.search(options) else ""


def settings(code: Groovy, brace: int) -> dict[str, Range]:
    """What stands in `agent { … }` by name, also one level further in, with the first value of each; of a block its own name."""
    found: dict[str, Range] = {}
    at, stop = brace + 1, code.closing(brace)
    while at < stop:
        behind = at + 1
        if code.kind(at) == WORD and code.kind(at - 1) in (END, "{", "}"):
            inner = code.next(behind)
            given = arguments(code, behind)
            if code.kind(inner) == "{":
                found.setdefault(code.word(at), (at, at + 1))
                behind = inner + 1
            elif given.given:
                found.setdefault(code.word(at), given.given[0])
                behind = max(behind, given.stop)
        at = behind
    return found
