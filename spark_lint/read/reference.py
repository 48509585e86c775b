"""A container image as one names it: `nvcr.io/nvidia/pytorch:25.09-py3`, `docker.io/library/python@sha256:…`."""

from typing import Final

from spark_lint.facts import Context, Image
from spark_lint.text import Text

_ANYWHERE: Final = Context()
# Docker Hub's own names for itself, which it adds to an image that names no registry.
_HUB: Final = ("docker.io/", "index.docker.io/", "registry-1.docker.io/")


def image(text: Text, *, platform: str = "", role: str = "base", stage: str = "", context: Context = _ANYWHERE) -> Image:
    """The image that a reference names. Its parts are those of `text.value`; what is unknown in them stays unknown."""
    rest, _, digest = text.value.partition("@")
    folder, slash, last = rest.rpartition("/")  # a colon before the last slash is a registry's port
    name, _, tag = last.partition(":")
    repository = f"{folder}{slash}{name}".lower()
    for host in _HUB:
        repository = repository.removeprefix(host)
    return Image(
        name=repository.removeprefix("library/"), tag=tag, digest=digest, platform=platform, role=role, stage=stage,
        span=text.span, origin=text.origin, written=text.written, context=context,
    )  # fmt: skip
