"""Files that say what a job runs: one table row for each format, and conda's environments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from spark_lint.facts import Command, Condition, Context, Read
from spark_lint.read.yaml_document import Document
from spark_lint.read.yaml_tree import Mapping, Node, Scalar, Sequence
from spark_lint.read.yaml_values import Lookup, filled, split
from spark_lint.text import UNKNOWN, Text

_PLACEHOLDER: Final = re.compile(r"(?<![${])\{([A-Za-z_]\w*)\}")
_LAUNCHER: Final = frozenset({"tensor_parallel", "pipeline_parallel", "data_parallel", "nodes"})
_PYTHON: Final = re.compile(r"(?:[\w-]+::)?(?:python|pip)(?![\w-])")
_COMMENT: Final = re.compile(r"(?m)^[ \t]*#.*$")
_MOST: Final = 1000
"""Jobs of one file."""
_MOST_NAMES: Final = 20
_RUNTIME: Final = ("pip", "pip.packages", "uv", "uv.packages")
"""Where the environment of a Ray job lists requirements."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format. marks: keys that its files have at the top, a bar between those of which one is enough.

    jobs: path of the part that runs by itself, `*` for every key or item there, empty for the document. image, variables: paths in it.
    scripts: paths of shell code, as one text or a list of lines, run one after the other.
    commands: paths of words that no shell reads, as a list or one text, put together to one command. A path that is under both is
        code as a text and words as a list.
    packages: paths of lists of requirements that pip installs, or of the name of a file with them. conda: path of an environment of conda.
    defaults: path of the values of `{name}` in code. gpu: paths of the name of the GPU that is asked for, as a value or as a key with
        how many. machine: paths of the name of the cloud or machine.
    """

    marks: tuple[str, ...]
    jobs: str = ""
    image: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    conda: str = ""
    defaults: str = ""
    gpu: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()


# Each read in its tool's documentation or examples, 2026-11.
FORMATS: Final = (
    # SkyPilot: docs.skypilot.co/en/latest/reference/yaml-spec.html
    Format(
        ("run|setup", "resources|num_nodes|envs|file_mounts|workdir"), image=("resources.image_id",), variables=("envs", "secrets"), scripts=("setup", "run"),
        gpu=("resources.accelerators", "resources.any_of.*.accelerators", "resources.ordered.*.accelerators"),
        machine=("resources.cloud", "resources.infra", "resources.instance_type"),
    ),
    # dstack: github.com/dstackai/dstack/tree/master/examples
    Format(("type", "commands|image|resources"), image=("image",), variables=("env",), scripts=("commands",), gpu=("resources.gpu", "resources.gpu.name")),
    # Ray cluster launcher: docs.ray.io/en/latest/cluster/vms/references/ray-cluster-configuration.html
    Format(
        ("cluster_name", "provider"), image=("docker.image", "docker.head_image"),
        scripts=("initialization_commands", "setup_commands", "head_setup_commands", "worker_setup_commands", "head_start_ray_commands", "worker_start_ray_commands"),
        machine=("provider.type",),
    ),
    # Ray Serve, and the environment of a Ray job: docs.ray.io/en/latest/ray-core/handling-dependencies.html
    Format(
        ("applications",), jobs="applications.*", image=("runtime_env.image_uri", "runtime_env.container.image"), variables=("runtime_env.env_vars",),
        packages=tuple(f"runtime_env.{each}" for each in _RUNTIME), conda="runtime_env.conda", gpu=("args.llm_configs.*.accelerator_type", "deployments.*.ray_actor_options.accelerator_type"),
    ),
    Format(
        ("env_vars|pip|uv|conda", "working_dir|excludes|py_modules|pip|uv|config|container|image_uri"), image=("image_uri", "container.image"),
        variables=("env_vars",), packages=_RUNTIME, conda="conda",
    ),
    # Beaker: github.com/allenai/open-instruct/tree/main/configs/beaker_configs
    Format(("tasks", "version"), jobs="tasks.*", image=("image.docker",), variables=("envVars",), commands=("command", "arguments")),
    # Task: taskfile.dev/docs/reference/schema
    Format(("tasks", "version"), jobs="tasks.*", variables=("env",), scripts=("cmds", "cmd")),
    # Determined: docs.determined.ai/latest/reference/training/experiment-config-reference.html
    Format(("entrypoint", "searcher|resources|environment"), image=("environment.image", "environment.image.cuda", "environment.image.gpu"), variables=("environment.environment_variables",), commands=("entrypoint",)),
    # MosaicML: docs.mosaicml.com/projects/mcli/en/latest/training/yaml_schema.html
    # Azure ML: learn.microsoft.com/azure/machine-learning/reference-yaml-job-command
    # Databricks: learn.microsoft.com/azure/databricks/machine-learning/ai-runtime/cli/yaml-config
    Format(("command", "image|environment", "compute|name|experiment_name"), image=("image", "environment.image"), variables=("env_variables", "environment_variables"), scripts=("command",), commands=("command",)),
    # Recipes that serve a model on one Spark or several: github.com/eugr/spark-vllm-docker/tree/main/recipes, sparkrun.dev/recipes/format
    Format(("container", "model", "recipe_version|runtime|defaults"), image=("container",), variables=("env",), scripts=("command",), defaults="defaults"),
    # DVC: github.com/treeverse/dvc/blob/main/dvc/schema.py
    Format(("stages",), jobs="stages.*", scripts=("cmd",)),
    # llama-swap: github.com/mostlygeek/llama-swap
    Format(("models",), jobs="models.*", variables=("env",), commands=("cmd",)),
    # Cog: github.com/replicate/cog/blob/main/docs/yaml.md
    Format(("build", "predict|train|image|concurrency"), jobs="build", packages=("python_packages",), scripts=("run", "pre_install")),
    # Truss: docs.baseten.co/reference/truss-configuration
    Format(("model_name|base_image", "resources|requirements|docker_server|build_commands"), image=("base_image.image",), variables=("environment_variables",), scripts=("docker_server.start_command", "build_commands"), packages=("requirements",)),
)  # fmt: skip


def is_conda(root: Mapping) -> bool:
    """Whether a document is an environment of conda."""
    listed = root.sequence("dependencies")
    pip = any("pip" in each for each in listed.mappings)
    python = any(_PYTHON.match(each.value) for each in listed.scalars)
    return pip or ("channels" in root and bool(listed.scalars)) or ("name" in root and python)


def conda(document: Document) -> Iterator[Read]:
    """What `conda env create` does with the file."""
    return _environment(document, document.root, document.context)


def _environment(document: Document, root: Mapping, context: Context) -> Iterator[Read]:
    """It installs the packages, then those of `pip:`."""
    listed = root.sequence("dependencies")
    key = root.pairs["dependencies"].key
    place = document.of(key)
    channels = [word for text in document.texts(root.get("channels"), filled) for word in (place.as_value("--channel"), text)]
    packages = document.texts(listed, filled)
    yield from _install(context, [place.as_value("conda"), place.as_value("install")], channels, packages)
    for each in listed.mappings:
        yield from _pip(document, each, "pip", context)


def _pip(document: Document, node: Mapping, key: str, context: Context, installer: str = "pip") -> Iterator[Read]:
    """A list of requirements, as pip takes them from a requirements file, or the name of such a file."""
    pair = node.pairs.get(key)
    if pair is None or isinstance(pair.value, Mapping):
        return
    place = document.of(pair.key)
    items = document.texts(pair.value, filled)
    # `-r base.txt` is two words, `torch >= 2.4` is one.
    words = [word for item in items for word in (split(item) if item.value.startswith("-") else [item])]
    options = [place.as_value("--requirement")] if isinstance(pair.value, Scalar) else []
    program = ("uv", "pip", "install") if installer == "uv" else ("pip", "install")
    yield from _install(context, [place.as_value(each) for each in program], options, words)


def _install(context: Context, command: list[Text], options: list[Text], words: list[Text]) -> Iterator[Read]:
    if words:
        span = words[0].span
        yield Command(
            name=command[0].value, words=(*command, *options, *words), exec_form=True, span=span, origin=span,
            written=" ".join(word.value for word in (*command, *words[:1])), context=context,
        )  # fmt: skip


def format_of(root: Mapping) -> Format | None:
    """The format of a document by its keys, None for any other document."""
    keys = root.pairs.keys()
    for each in FORMATS:
        if all(keys & set(mark.split("|")) for mark in each.marks) and any(_says(each, job) for job in _at(root, each.jobs)):
            return each
    return None


def _says(each: Format, job: Node) -> bool:
    """Whether a part holds something that runs, is installed or is set, or asks for a GPU."""
    return any(_at(job, path) for path in (*each.scripts, *each.commands, *each.packages, *each.variables, *each.gpu))


def _at(node: Node, path: str) -> list[Node]:
    """The nodes at the end of a path."""
    found = [node]
    for key in path.split(".") if path else ():
        below: list[Node] = []
        for each in found:
            if isinstance(each, Mapping):
                pairs = each.pairs.values() if key == "*" else [each.pairs[key]] if key in each else []
                below += [pair.value for pair in pairs][:_MOST]
            elif isinstance(each, Sequence) and key == "*":
                below += each.items[:_MOST]
        found = below[:_MOST]
    return found


def facts(document: Document, kind: Format) -> Iterator[Read]:
    """What the jobs of a file of this format run."""
    for job in _at(document.root, kind.jobs):
        if isinstance(job, Mapping) and _says(kind, job):
            yield from _job(document, job, kind)


def _job(document: Document, job: Mapping, kind: Format) -> Iterator[Read]:
    named = next((node for path in kind.image for node in _at(job, path) if isinstance(node, Scalar)), None)
    image = document.image(named, lambda text: _without_scheme(filled(text)), document.context)
    context = document.block(job, image) if kind.jobs else document.within(job, image)
    if asked := tuple(_machines(document, job, kind)):
        context = replace(context, conditions=(*context.conditions, *asked))
        document.contexts[id(job)] = context
    if image is not None:
        yield document.run_image(image, context)
    variables = [variable for path in kind.variables for node in _at(job, path) for variable in document.variables(node, filled)]
    yield from document.environment(variables, context)
    values = {variable.name: variable.value for variable in variables}
    for path in kind.packages:
        owner, _, key = path.rpartition(".")
        for node in _at(job, owner):
            if isinstance(node, Mapping):
                yield from _pip(document, node, key, context, "uv" if "uv" in path.split(".") else "pip")
    for node in _at(job, kind.conda) if kind.conda else ():
        if isinstance(node, Mapping) and "dependencies" in node:
            yield from _environment(document, node, context)
    for path in kind.scripts:
        nodes = [node for node in _at(job, path) if isinstance(node, Scalar) or path not in kind.commands]
        lines = [line for node in nodes for line in document.lines(node)]
        if lines:
            yield from document.script(_with_defaults(document, document.joined(lines), job, kind), context, values)
    macros = document.root.mapping("macros")  # llama-swap

    def macro(name: str) -> Text | None:
        found = macros.scalar(name)
        return filled(document.of(found)) if found else None

    nodes = [node for path in kind.commands for node in _at(job, path) if isinstance(node, Sequence) or path not in kind.scripts]
    words = [word for node in nodes for word in _words(document, node, macro)]
    yield from document.started(words, context, values)


def _machines(document: Document, job: Mapping, kind: Format) -> Iterator[Condition]:
    """The machine that is asked for, and the GPU; of several GPUs one suffices."""
    for path in kind.machine:
        for node in _at(job, path):
            name = document.of(node).value if isinstance(node, Scalar) else ""
            if name and UNKNOWN not in name:
                yield Condition(f"runs-on {name}")
    names: list[str] = []
    for path in kind.gpu:
        for node in _at(job, path):
            if isinstance(node, Mapping):
                names += [] if "name" in node or "count" in node or "memory" in node else node.pairs
            else:
                names += [text.value for text in document.texts(node, filled)]
    if names and not any(UNKNOWN in name for name in names):
        yield Condition(f"gpu {' '.join(names[:_MOST_NAMES])}")


def _words(document: Document, node: Node, lookup: Lookup) -> list[Text]:
    """A command as a list of words, or as one text, in which a line may be a comment."""
    texts = document.texts(node, lambda text: filled(text, lookup))
    return [word for text in texts for word in split(text.without(_COMMENT))] if isinstance(node, Scalar) else texts


def _with_defaults(document: Document, code: Text, job: Mapping, kind: Format) -> Text:
    """Code with `{name}` put in. What says how many machines there are is for the launcher, which adds options of its own to it."""
    if not kind.defaults:
        return code
    defaults = job.mapping(kind.defaults)
    parts, at = [], 0
    for match in _PLACEHOLDER.finditer(code.value):
        site = code[match.start() : match.end()]
        found = None if match[1] in _LAUNCHER else defaults.scalar(match[1])
        value = None if found is None else document.of(found)
        parts += [code[at : match.start()], site.as_value(UNKNOWN) if value is None else site.as_value(value.value, value.span)]
        at = match.end()
    return Text.join([*parts, code[at:]])


def _without_scheme(text: Text) -> Text:
    """The image of `docker:nvcr.io/…` and `docker://…`."""
    for scheme in ("docker://", "docker:"):
        if text.value.startswith(scheme):
            return text[len(scheme) :]
    return text
