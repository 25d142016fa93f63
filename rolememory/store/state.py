"""Small state of a role, one concern per file: timers of chats, usage, cursors. Plain JSON; what is lost of it costs seconds."""

import logging
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from rolememory.errors import NotWrittenError
from rolememory.store import atomic
from rolememory.store.disk import DISK, Disk, Mark
from rolememory.store.idle import Idle
from rolememory.store.signature import signature

MAX_BYTES = 64 * 2**20
REST_S = 2.0  # a value that is written behind waits for so much quiet
_log = logging.getLogger(__name__)


class StateFile:
    """One JSON object on disk. Thread-safe; another process's newer value is seen at the next `load`.

    A damaged file counts as empty: `note` says so, and its bytes are kept beside it before anything is written in its place.
    """

    def __init__(self, path: Path, *, rest_s: float = REST_S, disk: Disk = DISK) -> None:
        self.path = path
        self.note = ""
        self._disk = disk
        self._lock = threading.RLock()
        self._value: dict[str, Any] = {}
        self._mark: Mark | None = None
        self._behind = False  # whether the value is newer than the file
        self._idle = Idle(rest_s, self._written, f"state {path.name}")

    def load(self) -> dict[str, Any]:
        """The value; empty when there is none yet, or when it cannot be read. One stat when nothing changed."""
        with self._lock:
            mark = signature(self.path)
            if not self._behind and mark != self._mark:
                self._value, self._mark = self._read(), mark
            return self._value

    def save(self, value: dict[str, Any]) -> None:
        """Write the value; on return it survives a power cut.

        Raises:
            NotWrittenError: the disk refused; the file is as it was.
        """
        with self._lock:
            self._value = value
            self._keep_damaged()
            try:
                self._disk.mkdir(self.path.parent)
            except OSError as error:
                raise atomic.not_written(self.path.parent, error) from error
            atomic.write(self.path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS), self._disk)
            self._mark, self._behind = signature(self.path), False

    def later(self, value: dict[str, Any]) -> None:
        """Take the value over at once and write it once it has been quiet: the turn does not wait for the disk."""
        with self._lock:
            self._value, self._behind = value, True
        self._idle.touch()

    def close(self) -> None:
        """Write what is still behind."""
        self._idle.close()
        self._written()

    def _written(self) -> bool:
        """Write behind; what the disk refuses is said once and tried again."""
        with self._lock:
            try:
                if self._behind:
                    self.save(self._value)
                self.note = ""
            except NotWrittenError as error:
                if not self.note:
                    _log.warning("%s", error)
                self.note = str(error)
            return not self._behind

    def _read(self) -> dict[str, Any]:
        self.note = ""
        try:
            if self.path.stat().st_size > MAX_BYTES:
                raise ValueError(f"larger than {MAX_BYTES // 2**20} MB")
            found = orjson.loads(self._disk.read(self.path))
            if not isinstance(found, dict):
                raise TypeError("not an object")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError) as error:
            self.note = f"{self.path}: cannot be read ({error}); it counts as empty, and is kept as {self._damaged.name}"
            _log.warning("%s", self.note)
            return {}
        return found

    @property
    def _damaged(self) -> Path:
        return self.path.with_name(self.path.name + ".damaged")

    def _keep_damaged(self) -> None:
        """Put a file that could not be read aside, if this is the first one: its bytes may be worth something to somebody."""
        if self.note and self.path.exists() and not self._damaged.exists():
            with suppress(OSError):
                self._disk.replace(self.path, self._damaged)
