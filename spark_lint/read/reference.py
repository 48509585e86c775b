"""A container image as one names it: `nvcr.io/nvidia/pytorch:25.09-py3`, `docker.io/library/python@sha256:…`."""

import re
from typing import Final

from spark_lint.facts import Context, Image
from spark_lint.text import Text

_ANYWHERE: Final = Context()
# Docker Hub's own names for itself, which it adds to an image that names no registry.
_HUB: Final = ("docker.io/", "index.docker.io/", "registry-1.docker.io/")

_BASE: Final = re.compile(r"(?:\w+_)?(?:BASE|IMAGE|FROM)(?:_\w+)?", re.IGNORECASE)
_TAGGED: Final = re.compile(r"[a-z0-9][\w.:-]*/[\w./-]+:\w[\w.-]*", re.IGNORECASE)


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


def enroot(text: Text, context: Context = _ANYWHERE) -> Image:
    """The image that enroot names with a # behind the registry: `nvcr.io#nvidia/pytorch:25.10-py3`, `docker://nvcr.io#nvidia/…`."""
    value = text.value.removeprefix("docker://")
    return image(text.as_value(value.replace("#", "/", 1)), role="run", context=context)


def base_image(name: str, value: Text, context: Context) -> Image | None:
    """The image that an argument of a build gives to `FROM ${BASE_IMAGE}`: its name says what it is for, its tag that it is one."""
    return image(value, context=context) if _BASE.fullmatch(name) and _TAGGED.fullmatch(value.value) else None
