"""Which machine is something for? Markers, tests around code, and names of files, folders and build stages."""

import operator
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from spark_lint.facts import Condition
from spark_lint.names.tables import table

_WORDS: Final = re.compile(r"x86[_-]64|[a-z0-9]+")
# 8xh100, a100x4, and 8gpu: a machine with so many.
_MANY: Final = re.compile(r"\d+x(?=[a-z])|(?<=\d\d)x\d+$")
_GPUS: Final = re.compile(r"(?:[2-9]|\d{2,})x?gpus?|\d+n(?:[2-9]|\d{2,})g")  # 4n8g: NeMo RL's nodes and GPUs
# Without a container; metal alone is Apple's.
_BARE: Final = re.compile(r"bare[\s_-]*metal")
_AND: Final = re.compile(r"&&|\band\b|\s-a\s")
# What is not a row of tests that all have to hold.
_NOT_A_ROW: Final = re.compile(r"\|\||\bor\b|\s-o\s|(?:\bnot|!)\s*\(")
_OR: Final = re.compile(r"\|\||\bor\b|\s-o\s")
_INSIDE: Final = re.compile(r"\([^()]*\)")
_GROUP: Final = re.compile(r"(?:\bnot|!)\s*\(")
# ${TARGETARCH:-amd64} is what the build is for; the default is for builds that do not say.
_DEFAULT: Final = re.compile(r"(\$\{\w+):?[-=][^{}]*\}")
_FLIPPED: Final = re.compile(r"!=|\bnot\s+in\b|^\s*(?:not\b|!)|\[\[?\s+!|(?:==|\bis)\s*False\b")
# Where other people's notebooks run: COLAB_GPU, isColab, os.path.exists("/content").
_HOSTS: Final = frozenset(("colab", "kaggle"))
_HOSTED: Final = re.compile(r"colab|kaggle|[\"']/content\b", re.IGNORECASE)
# Code that asks whether something is there before it uses it, which GPU it runs on, or which attention was chosen, decides by itself.
_ASKS: Final = re.compile(
    r"available|find_spec|capability|is_installed|flash|attn|attention|supports?_|get_device_name|version\.cuda|importlib|shutil\.which"
    r"|command -v|\bwhich\b|nvidia-smi|compute_cap|sm_?\d\d|is_cuda|cuda_version|torch\.version",
    re.IGNORECASE,
)
# Code that asks which GPU or which CUDA there is.
_ASKS_GPU: Final = re.compile(
    r"cuda\.is_available|capability|compute_?cap|get_device_name|nvidia-smi|sm_?\d\d|\bsm_?(?:ver|arch)|(?:\b|(?:cc|sm|gpu|arch|device|compute)_?)major\b|\bcc\b|is_cuda|cuda_?(?:toolkit_|compiler_)?ver|version\.cuda|torch\.version|gpu_?(?:name|arch|type|model)"
    r"|hopper|ampere|blackwell|\bada\b|(?<![a-z0-9])(?:[abhlv]|gb|gh|rtx ?)\d{2,4}[a-z]?(?![a-z0-9])",
    re.IGNORECASE,
)
# Code that asks how many GPUs there are.
_COUNTS: Final = re.compile(
    r"device_count|world_size|n(?:um)?_?gpus?\b|gpu_?count|nvidia-smi"
    r"|(?<![a-z])gpus[\"'})]*\s*(?:-(?:gt|ge|eq|ne|lt|le)\b|[<>]=?|[!=]=)"
    # A loop over counts to be tried, one of which a Spark has.
    r"|^\w+ in (?:[2-9]\d* |1\d+ )*1(?: [2-9]\d*| 1\d+)+$",
    re.IGNORECASE,
)
# Whether there is any GPU of NVIDIA's.
_ANY_GPU: Final = re.compile(
    r"(?<!not )torch\.cuda\.is_available\(\)|(?:command -v|which|type|hash)(?: -\w+)? [\"']?nvidia-smi\b|shutil\.which\([\"']nvidia-smi[\"']\)"
    r"|-x \S*/nvidia-smi\b|^nvidia-smi(?: -L)?(?=\s*(?:$|[>&]))"
)
# get_device_capability()[0] >= 8, torch.cuda.get_device_capability() >= (8, 0)
_CAPABILITY_TEST: Final = re.compile(
    r"capability(?:\([^()]*\))?(?:\[0\])?\s*(>=|<=|==|!=|>|<)\s*\(?\s*(\d{1,3})(?:\s*,\s*\d+\s*\))?", re.IGNORECASE
)
_COMPARISONS: Final = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_SHELL: Final = {"-gt": ">", "-ge": ">=", "-eq": "==", "-ne": "!=", "-lt": "<", "-le": "<="}
_CAPABILITY: Final = 12  # major; the GPU of a Spark is 12.1

IMPORT_GUARD: Final = "try: ImportError"
"""The condition a reader gives to code under a `try` whose handler for ImportError has another way."""
MAY_FAIL: Final = "what fails here is passed over"
"""The condition a reader gives to a command whose failure stops nothing: `pip install x || true`, `if ! pip install x; then …`."""
SWITCHED_OFF: Final = "switched off here"
"""The condition a reader gives to code under a switch that the file itself turns off: `WITH_X=false`, `if [ "$WITH_X" = true ]`."""


# Kinds of virtual machines of AWS, Google Cloud and Azure.
CLOUD: Final = re.compile(
    r"\b[pg]\d[a-z]{0,3}\.\d*x?large\b|\ba[23]-(?:high|mega|ultra)gpu-\d+g\b|\bstandard_n[cdv]\w+", re.IGNORECASE
)
# GPUs of which a label, or the name of a partition or a host, says that it has one: a100, l40s, rtx4090, t4.
_GPU_MODEL: Final = re.compile(
    r"(?<![a-z0-9])(?:[abhlpv]\d{2,4}[a-z]{0,2}|[lt]4|g[bh]\d{3}|(?:rtx|gtx)[ _-]?(?:pro[ _-]?)?[a-z]?\d{3,4}(?:ti|d)?|quadro|titan)(?![a-z0-9])",
    re.IGNORECASE,
)
# 8, 24gb, 40g, 2x; 3090 is a model
_SIZE: Final = re.compile(r"\d{1,3}(?:[gmt]i?b?|x)?")
_ANY_NAME: Final = frozenset({"gpu", "gpus", "nvidia", "cuda", "any", "all", "auto", "none", "null", "true"})
_HOSTED_RUNNER: Final = "runs on the hosted runner "
"""How the condition begins that a reader gives to the jobs of a runner that cannot be a Spark."""
_MACS: Final = frozenset({"mac", "apple"})
_PIPELINES: Final = re.compile(r"azure[-_]?pipelines?")
_RUNNERS: Final = ("runs-on ", "tags ")
"""How the conditions begin that a reader gives to the jobs of a runner with some label."""
_GPU: Final = "gpu "
"""How those begin that name the GPU that a job asks for: `gpu A100:8`."""
_NODE: Final = "node "
"""How those begin that say what a node of Kubernetes has to be: its labels with their values."""
_PRODUCTS: Final = ("gpu.product ", "gke-accelerator ")
"""Labels that name the GPU. All but one are no Spark's."""
_PLATFORM: Final = "platform "
"""How those begin that name the platforms of conda that something is for."""
_KEY: Final = "key "
"""How those begin that name the one of several settings that is chosen: `{"h100": {…}, "spark": {…}}`."""
_TARGET: Final = "target "
"""How those begin that name the targets of make or just, or the preset of CMake, of which one is asked for."""
# A count of GPUs against a number: "$GPUS" -gt 1, device_count() >= 8
_COUNTED: Final = re.compile(r"(?<![<>=!])(-(?:gt|ge|eq|ne|lt|le)|[<>]=?|[!=]=)\s*[\"']?(\d{1,4})\b")


@cache
def _set(name: str) -> frozenset[str]:
    return frozenset(table("machines")[name])


def elsewhere(conditions: Iterable[Condition]) -> bool:
    """Whether code under these tests never runs on a Spark: another processor, system or accelerator is asked for."""
    return any(_elsewhere(condition) for condition in conditions)


def _elsewhere(condition: Condition) -> bool:
    if condition.text.startswith(_HOSTED_RUNNER):
        return True
    if condition.text.startswith(_RUNNERS):
        return _is_for_another(condition.text.partition(" ")[2])
    if condition.text.startswith(_GPU):
        return _names_gpu(condition.text.removeprefix(_GPU))
    if condition.text.startswith(_TARGET):
        return all(map(named_elsewhere, condition.text.split()[1:]))
    if condition.text.startswith(_PLATFORM):
        return _set("this_platform").isdisjoint(condition.text.split())
    if condition.text.startswith(_KEY):
        return names_model(condition.text) or _for_another(condition.text.removeprefix(_KEY), condition.negated)
    if condition.text.startswith(_NODE):
        spark = machine_words(condition.text.lower()) & (_set("spark") - _set("this_processor"))
        named = (
            any(label in condition.text for label in _PRODUCTS)
            or CLOUD.search(condition.text)
            or named_elsewhere(condition.text.replace("/", " "))
        )
        return not spark and bool(named)
    text = _DEFAULT.sub(r"\1}", condition.text)
    if not condition.negated and not _GROUP.search(text) and len(ways := _OR.split(text)) > 1:
        # Whoever passes one of them gets in.
        return all(_elsewhere(Condition(way)) for way in ways)
    parts = [text] if _NOT_A_ROW.search(text) else _AND.split(text)
    if condition.negated and (len(parts) > 1 or _AND.search(_INSIDE.sub("", text))):
        return False  # which of them failed is not known
    return any(_for_another(part, condition.negated) for part in parts)


def _is_for_another(label: str) -> bool:
    """Whether a runner, a partition or a host that is called so is another machine."""
    named = named_elsewhere(label) or CLOUD.search(label) or _GPU_MODEL.search(label)
    return bool(named) and not machine_words(label.lower()) & _set("spark")


def _names_gpu(asked: str) -> bool:
    """Whether a GPU is asked for by a name that is no Spark's, not only how many there have to be, or of which size."""
    words = {each for each in _WORDS.findall(asked.lower()) if not _SIZE.fullmatch(each)} - _ANY_NAME
    return bool(words) and not words & _set("spark")


def _for_another(test: str, negated: bool) -> bool:
    words = set(_WORDS.findall(test.lower()))
    flipped = bool(_FLIPPED.search(test)) != negated
    for other, here in (("other_processor", "this_processor"), ("other_system", "this_system")):
        asks_other, asks_here = bool(words & _set(other)), bool(words & _set(here))
        if asks_other != asks_here:
            return asks_other != flipped
    named = words & (_set("other_accelerator") | _set("other_model"))
    return bool(named or _HOSTED.search(test)) and not words & _set("spark") and not flipped


def tests(conditions: Iterable[Condition]) -> Iterator[Condition]:
    """Those that code asks itself; that somebody asks for its target is no test."""
    return (condition for condition in conditions if not condition.text.startswith(_TARGET))


def guarded(conditions: Iterable[Condition]) -> bool:
    """Whether code under these tests first asks if it can run, so that it has another way where it cannot."""
    return any(condition.text in (IMPORT_GUARD, SWITCHED_OFF) or _asks(condition) for condition in conditions)


def switched_off(conditions: Iterable[Condition]) -> bool:
    """Whether code under these tests runs only where somebody switches it on."""
    return any(condition.text == SWITCHED_OFF for condition in conditions)


def may_fail(conditions: Iterable[Condition]) -> bool:
    """Whether what fails under these tests stops nothing. It says nothing for what works and does harm: a wrong build that installs."""
    return any(condition.text in (IMPORT_GUARD, MAY_FAIL) for condition in conditions)


def chosen_by_gpu(conditions: Iterable[Condition]) -> bool:
    """Whether code under these tests first asks which GPU or which CUDA there is, so that a Spark may go another way."""
    return any(condition.text == SWITCHED_OFF or _asks(condition, _ASKS_GPU) for condition in conditions)


def counted(conditions: Iterable[Condition]) -> bool:
    """Whether code under these tests first asks how many GPUs there are, so that it has another way where there is one."""
    return any(_COUNTS.search(each.text) and not _has_one(each) for each in tests(conditions))


def _has_one(condition: Condition) -> bool:
    """Whether a test of the number of GPUs is passed where there is one: `-gt 0`, `>= 1`."""
    compared = _COUNTED.findall(condition.text)
    if len(compared) != 1 or _NOT_A_ROW.search(condition.text) or len(_AND.split(condition.text)) > 1:
        return False
    operator_, number = compared[0]
    return bool(_COMPARISONS[_SHELL.get(operator_, operator_)](1, int(number))) != condition.negated


def _asks(condition: Condition, asks: re.Pattern[str] = _ASKS) -> bool:
    """A test that a Spark passes turns nothing away: for some GPU, or for a compute capability of 8 or more."""

    def failed(test: re.Match[str]) -> str:
        passed = _COMPARISONS[test[1]](_CAPABILITY, int(test[2]))
        return "" if passed != condition.negated else test[0]

    if condition.text.startswith((*_RUNNERS, _GPU, _NODE, _KEY, _TARGET)):
        return False
    text = condition.text if condition.negated else _ANY_GPU.sub("", condition.text)
    return asks.search(_CAPABILITY_TEST.sub(failed, text)) is not None


def named_elsewhere(path: str) -> bool:
    """Whether the name of a file or build stage says that it is for another machine: `Dockerfile.rocm`, `requirements-x86.txt`."""
    # A service whose pipelines have runners of anybody's: its files themselves say where they run.
    folders, _, file = _PIPELINES.sub("pipelines", path.lower()).rpartition("/")
    own = machine_words(file)
    words = own | machine_words(folders)
    other = (
        words & (_set("path") | _set("other_model") | _set("cloud"))
        or "x86_64" in words
        or own & _set("file")
        or any(map(_GPUS.fullmatch, words))
    )
    back = words & _set("spark")
    if own & (_set("other_system") | _MACS) and "linux" not in own:
        back -= _set("this_processor")  # `requirements_macos_arm64.txt`: theirs are of the same kind
    # What is for Colab and has a Spark in its name is about a model, or about Apache's.
    return bool(other) and (bool(words & _HOSTS) or not back)


def names_model(name: str) -> bool:
    """Whether a name has that of another machine or accelerator in it: `h100`, `tp8_h200`, `amd`, `rtx_5090_2x`."""
    words = machine_words(name.lower())
    return bool(words & (_set("other_model") | _set("other_accelerator") | {"amd", "rtx"})) and not words & _set("spark")


def machine_words(name: str) -> set[str]:
    """The words of a name in lower case, without how many there are: `h100` for `8xh100` and `h100x8`."""
    found = _WORDS.findall(_BARE.sub("", name))
    return {*found, *(_MANY.sub("", word) for word in found)}


@cache
def marker_holds(marker: str, python: str) -> bool | None:
    """Whether a PEP 508 marker holds on a Spark with this Python (`3.12`). None where the marker cannot be read."""
    from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName

    environment = {
        "platform_machine": "aarch64", "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "python_version": python,
        "python_full_version": f"{python}.3", "implementation_name": "cpython", "platform_python_implementation": "CPython",
        "implementation_version": f"{python}.3", "platform_release": "6.17.0-nvidia", "platform_version": "", "extra": "",
    }  # fmt: skip
    try:
        return Marker(marker).evaluate(environment)
    except (InvalidMarker, UndefinedEnvironmentName, ValueError):
        return None
