"""How a lock is made to hold another version of a package."""

import re
from typing import Final

_VERSIONS: Final = re.compile(r"([\w.-]+)(?:\[[\w,-]+\])?[<>=~!][^;#\s]*")
# docs.astral.sh/uv/concepts/projects/sync/#upgrading-locked-package-versions, python-poetry.org/docs/cli/#add, pdm-project.org/en/latest/usage/dependency,
# pipenv.pypa.io/en/latest/cli.html#pipenv-upgrade, pixi.sh/latest/reference/cli/pixi/add
_RELOCK: Final = {
    "uv": 'uv lock --upgrade-package "{}"',
    "poetry": 'poetry add "{}"',
    "pdm": 'pdm add "{}"',
    "pipenv": 'pipenv upgrade "{}"',
    "pixi": 'pixi add --pypi "{}"',
}


def relocked(name: str, manager: str, instead: str) -> str:
    """How a lock is made to hold another version of a package: the command of its manager, where `instead` is a requirement of it."""
    wanted = _VERSIONS.fullmatch(instead)
    command = _RELOCK.get(manager)
    return command.format(instead) if wanted is not None and wanted[1] == name and command else instead
