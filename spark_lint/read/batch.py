"""What a job asks a batch system for: Slurm's options, PBS's resources and LSF's, and which nodes they name.

slurm.schedmd.com/sbatch.html; help.altair.com (PBS Professional User's Guide, "Submitting Jobs");
ibm.com/docs/en/spectrum-lsf (bsub -gpu).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from spark_lint.facts import Condition
from spark_lint.text import UNKNOWN, Text

# Options whose value names nodes: by their partition, queue or quality of service, by a feature, by their own names.
_NODES: Final = {
    "sbatch": frozenset({"-p", "--partition", "-C", "--constraint", "-w", "--nodelist", "-q", "--qos"}),
    "qsub": frozenset({"-q"}),
    "bsub": frozenset({"-q", "-m"}),
}
_GPUS: Final = re.compile(r"--(?:gres|gpus(?:-per-(?:node|task|socket))?)|-G")
# gpu:a100:4, gres/gpu:a100, gpu:3090:4, a100:4, a100
_TYPE: Final = re.compile(r"(?:(?:^|,)(?:gres[:/])?gpu[:/]|^(?!gpu\b|gres\b|shard\b))([A-Za-z][\w.-]*(?=[:,(=]|$)|\w+(?=:\d))")
# PBS: select=2:ncpus=8:gpu_type=v100; LSF: -gpu "num=4:gmodel=NVIDIAA100_SXM4_40GB"
_MODEL: Final = re.compile(
    r"(?:^|[:,+])(?:gpu_?(?:type|model)|gmodel|accelerator_?(?:type|model)?)=([A-Za-z][\w.-]*)", re.IGNORECASE
)
_RESOURCES: Final = {"qsub": "-l", "bsub": "-gpu"}
_RESOURCE: Final = re.compile(r"[^:,+]+")
_NAMED: Final = re.compile(r"[A-Za-z]\w*=[\w.-]+")
_MOST_CONDITIONS: Final = 20
_MOST: Final = 200
"""Options and resources of one job."""


def program(words: Sequence[Text]) -> str:
    """The batch system's own program: `sbatch` for all of Slurm's."""
    name = words[0].value.rpartition("/")[2]
    return "sbatch" if name in ("srun", "salloc") else name


def given(words: Sequence[Text]) -> Iterator[tuple[str, Text]]:
    """The options of a command with their values, in any of the ways in which they are written: `-p x`, `-px`, `--partition=x`."""
    at = 1
    for _ in range(_MOST):
        if at >= len(words):
            return
        word = words[at]
        at += 1
        name, equals, _ = word.value.partition("=")
        if not name.startswith("-"):
            continue
        if name.startswith("--") and equals:
            yield name, word[len(name) + 1 :]
        elif len(word.value) > 2 and not name.startswith("--") and word.value[1].isalpha() and name != "-gpu":
            yield word.value[:2], word[2:]
        elif at < len(words) and not words[at].value.startswith("-"):
            yield name, words[at]
            at += 1


def nodes(words: Sequence[Text]) -> tuple[Condition, ...]:
    """What the nodes have to be on which a job runs, as the words of the command that submits it say."""
    name = program(words)
    found: list[Condition] = []
    for option, value in given(words):
        if not value.known or not value.value:
            continue
        if option in _NODES.get(name, ()):
            found.append(Condition(f"runs-on {value.value}"))
        elif name == "sbatch" and _GPUS.fullmatch(option):
            found += (Condition(f"gpu {each}") for each in _TYPE.findall(value.value))
    if name in _RESOURCES:
        found += (Condition(f"gpu {each}") for word in words[1:_MOST] if word.known for each in _MODEL.findall(word.value))
    return tuple(dict.fromkeys(found))[:_MOST_CONDITIONS]


def resources(words: Sequence[Text]) -> Iterator[Text]:
    """The words with each resource as one of its own: `-l select=2:ngpus=4` as `-l select=2 ngpus=4`."""
    option = _RESOURCES.get(program(words))
    last = ""
    for word in words:
        if last != option or UNKNOWN in word.value:
            yield word
        else:
            parts = [word[each.start() : each.end()] for each in _RESOURCE.finditer(word.value)][:_MOST]
            yield from [each for each in parts if _NAMED.fullmatch(each.value)] or [word]
        last = word.value
