"""Answers of the package clients on disk, so that a refresh that was interrupted goes on where it stopped."""

import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Final

DAY: Final = timedelta(days=1)


class Answers:
    """One JSON file for each question. An answer may be None, which is one too; what could not be asked leaves no file.

    folder: where they are; made when it is needed. max_age: an older answer is asked for again. found, asked: how many answers came from
    the disk, and how many did not.
    """

    def __init__(self, folder: Path, max_age: timedelta = DAY) -> None:
        self.folder = folder
        self.max_age = max_age
        self.found = 0
        self.asked = 0
        self._lock = Lock()

    def get(
        self, question: Sequence[str], ask: Callable[[], Any], valid: Callable[[Any], bool], *, for_ever: bool = False
    ) -> Any:
        """The answer to a question, from the disk or from `ask`, whose result is kept.

        question: what tells it from every other. ask: returns what JSON can hold; what it raises is passed on, and nothing is kept.
        valid: whether something on the disk may be an answer to it. for_ever: the answer never changes, as of a file whose name is never
        given again.
        """
        path = self.folder / f"{sha256(json.dumps(list(question)).encode()).hexdigest()[:32]}.json"
        kept = _read(path)
        asked = kept is not None and kept.get("question") == list(question) and (for_ever or self._fresh(kept.get("at")))
        if kept is not None and asked and valid(kept["answer"]):
            self._count(found=True)
            return kept["answer"]
        answer = ask()
        self._count(found=False)
        with suppress(OSError):  # something may stand in its place: then it is asked for again
            _write(path, {"question": list(question), "at": time.time(), "answer": answer})
        return answer

    def _fresh(self, at: object) -> bool:
        return isinstance(at, float) and 0 <= time.time() - at < self.max_age.total_seconds()

    def _count(self, *, found: bool) -> None:
        with self._lock:
            self.found += found
            self.asked += not found


def replace_file(path: Path, text: str) -> None:
    """Writes a file so that a reader sees the old text or the new one, whatever happens in between."""
    path = path.resolve()  # of a link, what it leads to
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
        mode = path.stat().st_mode if path.exists() else 0o644
        new.chmod(mode & 0o777)  # mkstemp makes a file that nobody else may read
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _read(path: Path) -> dict[str, Any] | None:
    try:
        kept = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):  # not there, or cut off by something that was not us
        return None
    return kept if isinstance(kept, dict) and "answer" in kept else None


def _write(path: Path, kept: dict[str, Any]) -> None:
    replace_file(path, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
