from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Index, Package
from spark_lint.kinds import TOML
from spark_lint.known import weakest
from spark_lint.project import Project
from spark_lint.queries import obtained
from spark_lint.rule import ERROR, WARNING, Advice, Related, rule

# What fails: torchvision's operators for the GPU; torchaudio is mostly Python, and only its few operators are missed.
LOST = {
    "torchvision": "nms, roi_align and its other operators are missing on the GPU",
    "torchaudio": "its operators are missing on the GPU",
}


@rule(on=Package, named=tuple(LOST), reads={"torch"}, severity=ERROR)
def torch_index_split(package: Package, project: Project) -> Iterator[Advice]:
    known = knowledge.package(package.name)
    if known is None or not knowledge.only_pypi(package.scope.indexes):
        return
    torches = obtained.torches_along(package, project)
    from_cuda = [torch for torch in torches if cuda_of(torch, package)]
    if not from_cuda or len(from_cuda) < len(torches):
        return
    torch = from_cuda[0]
    together = project.documents[package.span.path].kind == TOML and torch.span.path == package.span.path
    # One resolution takes what goes with the torch that the project admits; a second install takes the newest.
    pins = obtained.admitted(torch) if together else obtained.pinned(torch)
    found = [version for version in obtained.releases(package, project) if known.cuda(version)]
    pairing = [version for version in found if any(knowledge.goes_with(package.name, version, pin) for pin in pins)]
    newest = next(reversed(pairing if together else found), "")
    if known.cuda(newest) != "cpu" or (pins and newest not in pairing):
        return
    tag, asked = cuda_of(torch, package), obtained.shown(package)
    related, behind = [Related(torch.span, f"torch from {tag}")], known.known(newest, cuda=True)
    if not pins:
        message = f"{asked} from PyPI asks for torch{knowledge.torch_for(package.name, newest)}: the torch of {tag} is replaced by PyPI's, a build for the CPU"
        behind = weakest(behind, knowledge.pair_known())
        yield Advice(message, instead(package, torch, newest), known=behind, related=related)
        return
    message = f"{asked} comes from PyPI, whose {newest} is a CPU build on aarch64, and torch from {tag}: {LOST[package.name]}"
    severity = None if package.name == "torchvision" else WARNING
    yield Advice(message, instead(package, torch, newest), severity, known=behind, related=related)


def cuda_of(torch: Package, package: Package) -> str:
    """The CUDA that a torch is built for, where an index, its local version or its address says so: `cu130`; empty for none."""
    if torch.local:
        return torch.local if torch.local.startswith("cu") else ""
    index = index_of(torch, package)
    return index.name if index else ""


def index_of(torch: Package, package: Package) -> Index | None:
    """The index with CUDA that a torch comes from, in the place where a package is judged."""
    scope = package.scope
    for each in torch.scopes:
        if not each.elsewhere and (each.stage, each.installer) == (scope.stage, scope.installer):
            return next((index for index in each.indexes if index.name.startswith("cu")), None)
    return None


def instead(package: Package, torch: Package, version: str) -> str:
    """The text that takes a package from where torch comes from."""
    index = index_of(torch, package)
    if package.manager == "pixi":
        tag = index.name if index else torch.local
        return f'{package.name} = {{ version = "=={version}", index = "https://download.pytorch.org/whl/{tag}" }}'
    if index is None:
        return f"{package.name}=={version}+{torch.local}"
    if index.label:
        return f'{package.name} = {{ index = "{index.label}" }}'
    if package.locked is not None and package.manager == "uv":
        return f'{package.name} = {{ index = "{index.name}" }}  # in [tool.uv.sources], with a [[tool.uv.index]] of that name for {index.url}'
    if index.role == "torch-backend":
        return f"{package.written} --torch-backend {index.name}"
    return f"{package.written} --index-url {index.url}"
