"""The package clients, pip and uv: the only place that starts them.

Their answers are about the default package index and about a Spark, whatever the machine that asks is set up for: no configuration file,
constraint or other index has a say, and the target is spelled out. Nothing is installed or built.
"""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from threading import Event, Lock
from typing import Any, Final

from packaging.version import InvalidVersion, Version

from spark_lint.refresh.answers import Answers
from spark_lint.refresh.output import (
    File,
    RegistryError,
    Resolution,
    are_files,
    are_versions,
    files,
    is_resolution,
    last_line,
    no_solution,
    pip_had_nothing,
    pip_network_error,
    pip_versions,
    resolution,
    without_address,
)
from spark_lint.refresh.ranges import in_order

# pip takes the tags it is given and no older ones: https://pip.pypa.io/en/stable/cli/pip_download/#cmdoption-platform
PLATFORMS: Final = {
    "aarch64": (*(f"manylinux_2_{minor}_aarch64" for minor in range(39, 16, -1)), "manylinux2014_aarch64", "linux_aarch64"),
    "x86_64": (
        *(f"manylinux_2_{minor}_x86_64" for minor in range(39, 4, -1)),
        *("manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64"),
    ),
}
PYTHON: Final = "3.12"
PYTHONS: Final = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
_UV_PLATFORM: Final = "aarch64-manylinux_2_39"
_OLDEST_PIP: Final = Version("25")  # the first whose `index versions` has --json: https://pip.pypa.io/en/stable/news/

# What a user has set of these is about the network, not about what there is.
_KEPT: Final = (
    *("PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY", "PIP_CACHE_DIR"),
    *("UV_CACHE_DIR", "UV_SYSTEM_CERTS", "UV_NATIVE_TLS", "SSL_CERT_FILE", "SSL_CERT_DIR"),
)
_SET: Final = {
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PIP_NO_COLOR": "1",
    "UV_PYTHON_DOWNLOADS": "never",
    "NO_COLOR": "1",
    "LC_ALL": "C.UTF-8",
}
_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?", re.IGNORECASE)


__all__ = ["ClientError", "Clients", "File", "RegistryError", "Resolution"]


class ClientError(Exception):
    """A client is missing or too old: nothing can be asked."""


class Clients:
    """Questions to the default package index, each asked once.

    pip, uv: how they are started; None takes pip of this Python and the uv that is installed beside it, or else on the path.
    time_out: seconds for a question. calls: how often a client was started.
    Raises ClientError where one is missing.
    """

    def __init__(
        self, answers: Answers, *, pip: Sequence[str] | None = None, uv: Sequence[str] | None = None, time_out: float = 120
    ) -> None:
        self.answers = answers
        self.calls = 0
        self._pip = _program(pip or (sys.executable, "-m", "pip"))
        self._uv = _program(uv or _find_uv())
        self._time_out = time_out
        self._lock = Lock()
        self._stopped = Event()
        self._running: set[subprocess.Popen[str]] = set()
        self._check()

    def wheel_versions(self, name: str, python: str = PYTHON) -> tuple[str, ...]:
        """The stable versions of which a CPython finds a wheel on a Spark, oldest first."""
        return self._versions(name, "--only-binary=:all:", *_target(python, "aarch64"))

    def source_versions(self, name: str, python: str = PYTHON) -> tuple[str, ...]:
        """The stable versions with a source archive that a CPython may build, oldest first."""
        return self._versions(name, "--no-binary=:all:", *_target(python))

    def versions(self, name: str, python: str = PYTHON) -> tuple[str, ...]:
        """The stable versions of which a CPython finds something on a Spark, a wheel or source, oldest first."""
        return self._versions(name, *_target(python, "aarch64"))

    def all_versions(self, name: str) -> tuple[str, ...]:
        """Every stable version there is for Linux, x86-64 or aarch64, and any Python from 3.8 on, oldest first."""

        def on(python: str) -> set[str]:
            return set(self._versions(name, "--ignore-requires-python", *_target(python, "aarch64", "x86_64")))

        oldest, *between, newest = PYTHONS
        found = on(oldest) | on(newest)
        # Where both ends see the same, its files are for every Python, and those between see nothing else.
        return tuple(in_order(found if on(oldest) == on(newest) else found.union(*map(on, between))))

    def files(self, name: str, version: str, python: str = PYTHON) -> tuple[File, ...]:
        """The files of one release for a Python, on every platform; none where that Python finds nothing to install."""
        options = ("--no-deps", "--universal", "--format", "pylock.toml", "--python-version", python)

        def ask() -> list[Any]:
            locked, _ = self._compile([f"{_checked(name)}=={version}"], *options)
            return files(locked)

        return tuple(File(*each) for each in self.answers.get(("uv", "files", *options, name, version), ask, are_files))

    def resolved(self, requirements: Sequence[str], *, deps: bool = True) -> Resolution:
        """What a Spark installs for some requirements, from wheels alone. deps: with what they ask for."""
        # No build: to learn what a source archive asks for, uv would have to run it.
        options = [
            "--python-platform",
            _UV_PLATFORM,
            "--python-version",
            PYTHON,
            "--no-build",
            *(["--no-deps"] if not deps else []),
        ]

        def ask() -> dict[str, Any]:
            compiled, error = self._compile(requirements, *options)
            packages, via = resolution(compiled)
            return {"packages": packages, "via": via, "error": error}

        kept = self.answers.get(("uv", "resolved", *options, *requirements), ask, is_resolution)
        return Resolution(kept["packages"], {name: tuple(by) for name, by in kept["via"].items()}, kept["error"])

    def fetched(self, name: str, version: str, folder: Path) -> Path | None:
        """The wheel that a Spark takes of a release, downloaded into an empty folder; None where there is none.

        Its size is the caller's matter: `files` tells it before.
        """
        options = ("--no-deps", "--no-cache-dir", "--only-binary=:all:", *_target(PYTHON, "aarch64"), "--dest", str(folder))
        done = self._run([*self._pip, "download", "-vv", *options, f"{_checked(name)}=={version}"], time_out=1800)
        if done.returncode:
            if (why := pip_network_error(done)) or not pip_had_nothing(done):
                raise RegistryError(why or without_address(last_line(done.stderr)))
            return None
        return next(folder.glob("*.whl"), None)

    def stop(self) -> None:
        """Ends the clients that run, and starts none any more."""
        with self._lock:
            self._stopped.set()
            for process in self._running:
                process.kill()

    def _check(self) -> None:
        for client in (self._pip, self._uv):
            try:
                said = self._run([*client, "--version"]).stdout.split()
                version = Version(said[1])
                if client is self._pip and version < _OLDEST_PIP:
                    raise ClientError(f"pip {said[1]} is too old: install spark-lint[refresh], or name another with --pip")
            except (OSError, RegistryError, IndexError, InvalidVersion) as error:
                raise ClientError(f"{' '.join(client)} does not run: install spark-lint[refresh]") from error
        self.calls = 0

    def _versions(self, name: str, *options: str) -> tuple[str, ...]:
        def ask() -> list[str]:
            # pip says the same where there is nothing and where the index was out of reach; only its debug output tells them apart.
            done = self._run([*self._pip, "index", "versions", "--json", "-vv", *options, _checked(name)])
            if why := pip_network_error(done):
                raise RegistryError(why)
            return in_order(pip_versions(done))

        return tuple(self.answers.get(("pip", "versions", *options, name), ask, are_versions))

    def _compile(self, requirements: Sequence[str], *options: str) -> tuple[str, str]:
        """What `uv pip compile` prints, and why it found no solution."""
        # Which Python builds does not matter, since nothing is built; named, so that uv does not look through all there are.
        command = [*self._uv, "--no-config", "pip", "compile", "--no-header", "--python", sys.executable, *options, "-"]
        done = self._run(command, "".join(f"{requirement}\n" for requirement in requirements))
        return (done.stdout, "") if not done.returncode else ("", no_solution(done))

    def _run(self, command: Sequence[str], given: str = "", *, time_out: float | None = None) -> subprocess.CompletedProcess[str]:
        """Runs a client; a question that was not answered in time is asked twice more."""
        for _ in range(3):
            with self._lock:
                if self._stopped.is_set():
                    raise RegistryError("stopped")
                self.calls += 1
                process = subprocess.Popen(  # noqa: S603 - a list of arguments, none of them from outside but names that were looked at
                    command, stdin=-1, stdout=-1, stderr=-1, encoding="utf-8", errors="replace", env=_environment(), cwd=os.sep
                )
                self._running.add(process)
            try:
                out, said = process.communicate(given, timeout=time_out or self._time_out)
                return subprocess.CompletedProcess(list(command), process.returncode, out, said)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            finally:
                with self._lock:
                    self._running.discard(process)
        raise RegistryError(f"no answer in {time_out or self._time_out:.0f} s, three times")


def _environment() -> dict[str, str]:
    own = {
        key: value for key, value in os.environ.items() if key in _KEPT or not key.upper().startswith(("PIP_", "UV_", "PYTHON"))
    }
    return own | _SET


def _program(command: Sequence[str]) -> tuple[str, ...]:
    """How a client is started from any folder."""
    first, *others = command
    return (str(Path(first).absolute()) if os.sep in first else first, *others)


def _find_uv() -> tuple[str, ...]:
    beside = Path(sys.executable).with_name("uv")
    return (str(beside) if beside.exists() else which("uv") or "uv",)


def _target(python: str, *machines: str) -> tuple[str, ...]:
    platforms = (f"--platform={tag}" for machine in machines for tag in PLATFORMS[machine])
    return (f"--python-version={python}", "--implementation=cp", *platforms)


def _checked(name: str) -> str:
    """A name that a client cannot take for an option or a path."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"not the name of a package: {name}")
    return name
