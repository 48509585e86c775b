"""Puts the locks that the tools wrote into this folder, with every host replaced by example.invalid: `python hosts.py MADE`.

MADE holds `breaks/uv/uv.lock` and so on. A maintainer runs it, never a test. Addresses of a registry's host are no part of what is tested,
and a lock that was made behind a mirror must not name it. What still names a file of the machine it was made on is refused.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
KEPT = {
    "uv": ("pyproject.toml", "uv.lock"),
    "poetry": ("pyproject.toml", "poetry.lock"),
    "poetry1": ("pyproject.toml", "poetry.lock"),
    "pdm": ("pyproject.toml", "pdm.lock"),
    "pipenv": ("Pipfile", "Pipfile.lock"),
    "pip-compile": ("requirements.in", "requirements.txt"),
    "uv-export": ("pyproject.toml", "requirements.txt", "requirements-gpu.txt"),
    "pylock": ("pyproject.toml", "pylock.toml", "pylock.gpu.toml"),
    "pixi": ("pixi.toml", "pixi.lock"),
    "pylock-pdm": ("pyproject.toml", "pylock.toml"),
}
HOST = re.compile(r"\w+://(?:[^\s/@\"']*@)?[^\s/\"']+")
LOCAL = re.compile(r"file:/|/(?:opt|tmp|work|root|home|usr|var)/")


def main(made: Path) -> None:
    for project in ("breaks", "works"):
        for tool, names in KEPT.items():
            for name in names:
                text = HOST.sub("https://example.invalid", (made / project / tool / name).read_text(encoding="utf-8"))
                if found := LOCAL.search(text):
                    sys.exit(f"{project}/{tool}/{name} names a local file: {found[0]}")
                target = HERE / project / tool / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
