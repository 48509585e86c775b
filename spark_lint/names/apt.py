"""What apt is told to install: `apt-get install cuda-toolkit-12-4 libnccl2=2.27.3-1+cuda12.2`."""

import re
from collections.abc import Iterator
from typing import Final

from spark_lint.facts import Command, Package

_PROGRAMS: Final = frozenset({"apt", "apt-get", "aptitude", "apt-fast"})
_INSTALLS: Final = frozenset({"install", "reinstall", "satisfy"})
# A name, a pattern of names, perhaps a machine, a version or a release (manpages.debian.org/bookworm/apt/apt-get.8.en.html). One that
# ends in - is removed.
_WORD: Final = re.compile(r"([a-z0-9][a-z0-9.+*-]*)(?::([a-z0-9-]+))?(=[^\s=/]+)?(?:/[\w.-]+)?", re.IGNORECASE)
_OTHER: Final = frozenset({"amd64", "i386"})


def of_command(command: Command) -> Iterator[Package]:
    """The packages that apt is told to install; they have names of their own kind: `apt/cuda-toolkit-12-4`."""
    if command.name not in _PROGRAMS or command.subcommand not in _INSTALLS:
        return
    for text in command.arguments[1:]:
        match = _WORD.fullmatch(text.value)
        if match is None or match[1].endswith("-") or match[2] in _OTHER:
            continue
        yield Package(
            name=f"apt/{match[1].lower()}", specifier=match[3] or "", manager="apt", span=text.span, origin=text.origin,
            written=text.written, context=command.context, flags=frozenset(option.name for option in command.options),
        )  # fmt: skip
