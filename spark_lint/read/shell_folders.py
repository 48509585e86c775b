"""The folder that a script lies in, however it asks for it: `$(dirname "$0")`, `$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)`.

It is given as `.`, and a folder above it as `..`: where the file lies is where it is looked for.
"""

import posixpath
import re
from typing import Final

_LONGEST: Final = 200
_WORD: Final = re.compile(r"[\w./\[\]%*@:-]+")
# What such an expression is made of, besides the script's own path.
_PLUMBING: Final = frozenset(
    {"cd", "pwd", "readlink", "realpath", "-f", "-e", "-m", "-P", "-L", "--", "/dev/null", "1", "2", "CDPATH", "."}
)
_OWN: Final = frozenset({"0", "BASH_SOURCE", "BASH_SOURCE[0]"})
_CUT: Final = frozenset({"0%/*", "BASH_SOURCE%/*", "BASH_SOURCE[0]%/*", "0:A:h", "0:a:h"})
_ABOVE: Final = re.compile(r"/?\.\.(?:/\.\.)*/?")


def own_folder(expression: str) -> str | None:
    """The folder that an expansion or substitution stands for, seen from that of the script; None where it is something else."""
    if len(expression) > _LONGEST or ("0" not in expression and "BASH_SOURCE" not in expression):
        return None
    cuts, owns, above = 0, 0, []
    for word in _WORD.findall(expression.replace(":-", " ")):
        if word == "dirname":
            cuts += 1
        elif word in _OWN or word in _CUT:
            owns += 1
            cuts += word in _CUT
        elif _ABOVE.fullmatch(word):
            above.append(word.strip("/"))
        elif word not in _PLUMBING:
            return None
    if owns == 0 or cuts == 0:
        return None
    return posixpath.normpath(posixpath.join(".", *[".."] * (cuts - 1), *above))
