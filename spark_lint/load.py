"""Rules as files: found by folder, loaded by path, the same from a wheel, a checkout or a user's own folder."""

import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from spark_lint.facts import Setting
from spark_lint.names.tables import table
from spark_lint.rule import Rule
from spark_lint.selectors import meant

_GOTCHA: Final = re.compile(r"^(g(?:10|[1-9]))_[a-z0-9_]+$")
"""A gotcha's folder: `g1_cuda_abi`."""


class RuleError(Exception):
    """A rule file that cannot be loaded; the message names the file."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a run. Several functions of one file are several rules under one code."""

    rules: tuple[Rule[Any], ...]
    gotchas: dict[str, Path]

    @property
    def codes(self) -> frozenset[str]:
        """Every code there is."""
        return frozenset(each.code for each in self.rules)


def rules_folder() -> Path:
    """The folder of the shipped rules: inside the package in a wheel, beside it in a checkout or an editable install."""
    package = Path(__file__).parent
    shipped = package / "rules"
    return shipped if shipped.is_dir() else package.parent / "rules"


def load(extra: Sequence[Path] = (), builtin: bool = True) -> RuleSet:
    """The shipped rules and those of the user's folders. Raises RuleError where a file is broken or a code is taken."""
    rules: list[Rule[Any]] = []
    gotchas: dict[str, Path] = {}
    files: dict[str, Path] = {}
    for folder in [*([rules_folder()] if builtin else []), *extra]:
        found = list(_gotcha_folders(folder))
        if not found:
            raise RuleError(f"{folder}: no folder of rules in it; they are named g1_… to g10_…, such as g1_cuda_abi")
        for gotcha, path in found:
            gotchas.setdefault(gotcha, path)
            for file in sorted(path.glob("*.py")):
                code = f"{gotcha}/{file.stem.replace('_', '-')}"
                if code in files:
                    raise RuleError(f"{file}: {code} is already the code of {files[code]}")
                files[code] = file
                rules += _load(file, code)
    return RuleSet(tuple(rules), dict(sorted(gotchas.items(), key=lambda item: int(item[0][1:]))))


def _gotcha_folders(folder: Path) -> Iterator[tuple[str, Path]]:
    """The gotcha folders in a folder of rules, or the folder itself where it is one."""
    if not folder.is_dir():
        raise RuleError(f"{folder}: no such folder of rules")
    candidates: Iterable[Path] = [folder.resolve()] if _GOTCHA.match(folder.resolve().name) else sorted(folder.iterdir())
    for path in candidates:
        if path.is_dir() and (match := _GOTCHA.match(path.name)):
            yield match[1].upper(), path


def _load(file: Path, code: str) -> Iterator[Rule[Any]]:
    """The rules of one file. It is registered under a name of its own first: dataclasses look their module up by name."""
    name = "spark_lint_rules." + re.sub(r"\W", "_", str(file.resolve().with_suffix("")))
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise RuleError(f"{file}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise RuleError(f"{file}: {type(error).__name__}: {error}") from error
    found = [value for value in vars(module).values() if isinstance(value, Rule)]
    if not found:
        raise RuleError(f"{file}: no function in it is decorated with @rule")
    for name in (name for each in found if each.on is Setting for name in sorted(each.named) if not set(name) & set("*?[")):
        if name not in table("settings"):
            raise RuleError(f"{file}: `{name}` is no setting of names/settings.toml{meant(name, table('settings'))}")
    yield from (replace(each, code=code, path=file) for each in found)
