"""Poetry's version constraints as PEP 440 specifiers: `^2.1` is `>=2.1,<3`.

https://python-poetry.org/docs/dependency-specification/#version-constraints
"""

import re
from typing import Final

from spark_lint.text import UNKNOWN

_CLAUSE: Final = re.compile(r"\s*(\^|~=|~|===|==|!=|<=|>=|<|>|=)?\s*([^\s,<>=!~^|]+)\s*,?")
_RELEASE: Final = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,5})(?![\d.]*[*xX])")
_WILD: Final = re.compile(r"(?:\.[xX*])+$")
# `linux`, `linux || darwin`, `!=win32`: poetry-core reads it as a constraint, too.
_PLATFORM: Final = re.compile(r"\s*(==|!=|=)?\s*([\w-]+)\s*")
_LONGEST: Final = 200


def specifier(constraint: str) -> str:
    """The specifier that a constraint stands for; empty for any version, UNKNOWN where none can say the same (`^1 || ^2`)."""
    constraint = constraint.strip()
    if "|" in constraint or UNKNOWN in constraint or len(constraint) > _LONGEST:
        return UNKNOWN
    clauses, at = [], 0
    while at < len(constraint):
        found = _CLAUSE.match(constraint, at)
        if found is None:
            return UNKNOWN
        clauses.append(_clause(found[1] or "", found[2]))
        at = found.end()
    return ",".join(clause for clause in clauses if clause)


def _clause(sign: str, version: str) -> str:
    if version == "*" or (version in ("x", "X") and not sign):
        return ""
    if sign not in ("^", "~"):
        return ("==" if sign in ("", "=") else sign) + _WILD.sub(".*", version)
    release = _RELEASE.match(version)
    if release is None:
        return UNKNOWN
    parts = [int(part) for part in release[1].split(".")]
    # A caret lets all change behind the first part that is not 0, a tilde all behind the second.
    raised = next((place for place, part in enumerate(parts) if part), len(parts) - 1) if sign == "^" else min(1, len(parts) - 1)
    upper = [*parts[:raised], parts[raised] + 1]
    return f">={version},<{'.'.join(map(str, upper))}"


def markers(marker: str, python: str, platform: str) -> str:
    """One marker for those that a package is limited by: `python = "^3.10"` and `platform = "linux"` are markers too."""
    parts = [marker] if marker else []
    if python and '"' not in python and (said := specifier(python)) and UNKNOWN not in said:
        clauses = (re.match(r"([=!<>~]+)(.*)", clause) for clause in said.split(","))
        parts += [f'python_version {clause[1]} "{clause[2]}"' for clause in clauses if clause]
    if said := _of_platform(platform):
        parts.append(said)
    if len(parts) > 1 and marker and " or " in marker:
        parts[0] = f"({marker})"
    return " and ".join(parts)


def _of_platform(constraint: str) -> str:
    """The marker for Poetry's `platform`; empty where it limits nothing, or cannot be read."""
    found = [_PLATFORM.fullmatch(each) for each in re.split(r"\|\|?", constraint[:_LONGEST])]
    said = [f'sys_platform {"!=" if each[1] == "!=" else "=="} "{each[2]}"' for each in found if each]
    if len(said) < len(found):
        return ""
    return said[0] if len(said) == 1 else f"({' or '.join(said)})"
