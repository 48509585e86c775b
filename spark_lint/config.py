"""The settings of a run: `[tool.spark-lint]` in `pyproject.toml` or `spark-lint.toml`, then the command line."""

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from spark_lint.keys import KEYS, TYPES, Wrong, spec
from spark_lint.rule import Confidence, Severity
from spark_lint.selectors import meant, strength, strongest
from spark_lint.text import decode

MIB: Final = 1024 * 1024


class ConfigError(Exception):
    """A setting that is not accepted, in one line that names the place: `pyproject.toml:12: unknown setting …`."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force.

    select, ignore: selectors (see `selectors`). per_file_ignores: path pattern → selectors. severity: selector → severity.
    fail_on: the least severity that fails the run, None for never. min_confidence: findings below it are not shown.
    exclude: patterns of paths to leave out; force_exclude: also when such a path is given. strict: problems fail the run.
    image: the container image in which files run that name none. sparks: how many Sparks there are, None for not said.
    python: the Python on the Spark, `3.12`; empty for not said. max_file_size, max_line_length: in bytes; what is longer is not
    read and becomes a problem. root: the folder that patterns start from. file: the configuration that was read.
    sources: key → where it was set.
    """

    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    severity: Mapping[str, Severity] = field(default_factory=dict)
    fail_on: Severity | None = Severity.WARNING
    min_confidence: Confidence = Confidence.LIKELY
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    strict: bool = False
    image: str = ""
    sparks: int | None = None
    python: str = ""
    max_file_size: int = 10 * MIB
    max_line_length: int = MIB
    root: Path = field(default_factory=Path.cwd)
    file: Path | None = None
    sources: Mapping[str, str] = field(default_factory=dict)

    def wants(self, code: str, path: str = "") -> bool:
        """Whether a rule's findings are asked for, in a file or (without a path) at all.

        Of select and ignore the one that names the code more closely wins, ignore where both are equal. path: as in findings.
        """
        if not path or not _selected(self.select, self.ignore, code):
            return _selected(self.select, self.ignore, code)
        return not any(
            strongest(selectors, code) and self._matches((pattern,), path) for pattern, selectors in self.per_file_ignores.items()
        )

    def override(self, code: str) -> Severity | None:
        """The severity the user gives a rule, by the closest selector; None where the rule decides."""
        ranked = [(strength(selector, code), severity) for selector, severity in self.severity.items()]
        closest = max(ranked, key=lambda pair: pair[0], default=(0, None))
        return closest[1] if closest[0] else None

    def excluded(self, path: str) -> bool:
        """Whether a path is left out. path: as in findings; a folder ends with `/`."""
        return bool(self.exclude) and self._matches(self.exclude, path)

    def _matches(self, patterns: tuple[str, ...], path: str) -> bool:
        inside = os.path.relpath(path, self.root).replace(os.sep, "/")
        return spec(patterns).match_file(inside + "/" if path.endswith("/") else inside)


@cache
def _selected(select: tuple[str, ...], ignore: tuple[str, ...], code: str) -> bool:
    return strongest(select, code) > strongest(ignore, code)


def load_config(
    start: Path,
    explicit: Path | None = None,
    isolated: bool = False,
    overrides: Mapping[str, object] | None = None,
    *,
    codes: Collection[str],
) -> Config:
    """The settings for a run.

    start: the folder from which the nearest configuration is looked for, upward. explicit: the configuration to read instead.
    isolated: read none. overrides: key → value from the command line, written as in TOML; `ignore` and `exclude` add to the
    configuration, `select` starts afresh, every other one replaces. codes: every rule code there is, and every gotcha (`G7`).
    Raises ConfigError.
    """
    file = None if isolated else explicit or _nearest(start)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    if file is not None:
        values = _read(file, codes)
        sources = dict.fromkeys(values, _shown(file))
    for key, raw in sorted((overrides or {}).items(), key=lambda pair: pair[0] != "select"):
        try:
            value: Any = KEYS[key](raw, codes)
        except Wrong as wrong:
            raise ConfigError(f"--{key}: {wrong}") from None
        if key == "select":
            values.pop("ignore", None)
            sources.pop("ignore", None)
        adds = key in ("ignore", "exclude") and key in values
        values[key] = values[key] + value if adds else value
        sources[key] = f"{sources[key]} and command line" if adds else "command line"
    # What is given by hand may lie anywhere (/etc), so its patterns start from where one stands.
    root = file.parent if file is not None and file != explicit else Path.cwd()
    return Config(**{key.replace("-", "_"): value for key, value in values.items()}, root=root, file=file, sources=sources)


def _nearest(start: Path) -> Path | None:
    for folder in (start.absolute(), *start.absolute().parents):
        own, shared = folder / "spark-lint.toml", folder / "pyproject.toml"
        if own.is_file():
            return own
        # The bytes first: reading TOML costs an import, and most projects have no section for us.
        if shared.is_file() and b"spark-lint" in _bytes(shared) and _section(shared, _text(shared)) is not None:
            return shared
    return None


def _read(file: Path, codes: Collection[str]) -> dict[str, Any]:
    text = _text(file)
    section = _section(file, text)
    if section is None:
        raise ConfigError(f"{_shown(file)}: no section [tool.spark-lint]")
    if not isinstance(section, dict):
        raise ConfigError(f"{_shown(file)}:{_line(text, 'spark-lint')}: expected a table, found {TYPES[type(section)]}")
    values = {}
    for key, raw in section.items():
        trail: tuple[str, ...] = (key,)
        try:
            if key not in KEYS:
                raise Wrong(f"unknown setting `{key}`{meant(key, KEYS)}")
            values[key] = KEYS[key](raw, codes)
        except Wrong as wrong:
            message = str(wrong) if key not in KEYS else f"{key}: {wrong}"
            trail += wrong.trail
            raise ConfigError(f"{_shown(file)}:{_line(text, *trail)}: {message}") from None
    return values


def _section(file: Path, text: str) -> Any:
    import tomli

    try:
        whole: Any = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        at = re.search(r" \(at line (\d+), column \d+\)", str(error))
        place = f":{at[1]}" if at else ""
        raise ConfigError(f"{_shown(file)}{place}: not valid TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{_shown(file)}: nested too deeply") from None
    if file.name != "pyproject.toml":
        return whole
    tool = whole.get("tool", {})
    return tool.get("spark-lint") if isinstance(tool, dict) else None


def _bytes(file: Path) -> bytes:
    try:
        if file.stat().st_size > 10 * MIB:
            raise ConfigError(f"{_shown(file)}: larger than 10 MiB")
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{_shown(file)}: {error.strerror}") from None


def _text(file: Path) -> str:
    try:
        return decode(_bytes(file))
    except UnicodeDecodeError:
        raise ConfigError(f"{_shown(file)}: not UTF-8") from None


def _shown(file: Path) -> str:
    near = os.path.relpath(file)
    return str(file) if near.startswith("..") else near


def _line(text: str, *trail: str) -> int:
    """The line on which the last of these words stands, each looked for after the one before it, comments left out.

    tomli gives no positions. In a pyproject.toml the search starts at the section's header, since other tables may use the
    same words.
    """
    code = re.sub(r"(?m)^[ \t]*#.*$", lambda comment: " " * len(comment[0]), text)
    header = re.search(r"""(?m)^\s*\[+\s*tool\s*\.\s*["']?spark-lint\b""", code)
    at = header.start() if header else 0
    for word in trail:
        found = re.compile(rf"(?<![\w/-]){re.escape(word)}(?![\w/-])").search(code, at)
        at = found.start() if found else at
    return text.count("\n", 0, at) + 1


def shown_settings(config: Config) -> Iterator[str]:
    """The settings as one would write them in `spark-lint.toml`, each with where it comes from."""
    yield f"# configuration: {_shown(config.file) if config.file else 'none'}"
    for key in KEYS:
        value = getattr(config, key.replace("-", "_"))
        written = '"never"' if key == "fail-on" and value is None else _toml(value)
        # TOML has no word for nothing.
        line = f"{key} = {written}" if written else f"# {key} is not set"
        yield f"{line}  # {config.sources.get(key, 'default')}" if written else line


def _toml(value: object) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{json.dumps(key, ensure_ascii=False)} = {_toml(each)}" for key, each in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, (Severity, Confidence)):
        return f'"{value}"'
    return json.dumps(value, ensure_ascii=False)
