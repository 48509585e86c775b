"""Wheels that are downloaded to look into them: as few as tell, none that is very big, and each file once and for all."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Final

from spark_lint.refresh.clients import PYTHON, Clients, File, RegistryError
from spark_lint.refresh.elf import Library, WheelError, foreign, libraries
from spark_lint.wheel_tags import best

MB: Final = 1_000_000
BIGGEST: Final = 450 * MB


class Opening:
    """Looks into the wheels that a Spark takes.

    max_download: what may be downloaded in all, in MB. biggest: a bigger wheel is left alone, in bytes. downloaded: what was, in bytes.
    left_out: of which wheels nothing was learned, and why, for people.
    """

    def __init__(
        self,
        clients: Clients,
        max_download: int = 3000,
        *,
        biggest: int = BIGGEST,
        read: Callable[[Path], tuple[Library, ...]] = libraries,
    ) -> None:
        self.downloaded = 0
        self.left_out: list[str] = []
        self._clients = clients
        self._limit = max_download * MB
        self._biggest = biggest
        self._read = read
        self._lock = Lock()

    def libraries(self, name: str, version: str) -> tuple[Library, ...] | None:
        """The libraries in the wheel of a release; None where it was not looked into, which `left_out` says.

        Raises RegistryError where the index cannot be asked.
        """
        wheels = {file.name: file for file in self._clients.files(name, version) if not file.is_source}
        file = wheels.get(best(wheels, PYTHON))
        if file is None:
            self._left_out(name, version, "no wheel for a Spark")
            return None
        try:
            rows = self._clients.answers.get(
                ("elf", file.name), lambda: self._rows(name, version, file), _are_rows, for_ever=True
            )
        except WheelError as error:
            self._left_out(name, version, str(error))
            return None
        return tuple(Library(path, machine, tuple(needed), gpu) for path, machine, needed, gpu in rows)

    def foreign(self, name: str, version: str) -> bool:
        """Whether the libraries in the wheel of a release are for x86-64. Raises RegistryError where that cannot be learned."""
        found = self.libraries(name, version)
        if found is None:
            raise RegistryError(self.left_out[-1])
        return foreign(found)

    def _rows(self, name: str, version: str, file: File) -> list[Any]:
        self._reserve(file)
        with TemporaryDirectory(prefix="spark-lint-") as folder:
            wheel = self._clients.fetched(name, version, Path(folder))
            if wheel is None or wheel.name != file.name:
                raise WheelError(f"pip takes {wheel.name if wheel else 'nothing'} instead of {file.name}")
            return [[each.path, each.machine, list(each.needed), each.gpu] for each in self._read(wheel)]

    def _reserve(self, file: File) -> None:
        with self._lock:
            if not 0 < file.size <= self._biggest:
                raise WheelError(f"{file.size / MB:.0f} MB are too many" if file.size else "the index does not say how big it is")
            if self.downloaded + file.size > self._limit:
                raise WheelError(f"{file.size / MB:.0f} MB are more than is left of --max-download")
            self.downloaded += file.size

    def _left_out(self, name: str, version: str, why: str) -> None:
        with self._lock:
            self.left_out.append(f"{name} {version} was not looked into: {why}")


def _are_rows(answer: object) -> bool:
    """Whether what was kept can be what `_rows` gives."""
    return isinstance(answer, list) and all(
        isinstance(each, list) and tuple(map(type, each)) == (str, str, list, bool) for each in answer
    )
