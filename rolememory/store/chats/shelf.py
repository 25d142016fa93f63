"""The logs of a role's chats on disk: which there are, and whether any of them changed.

Who wrote a line adds a byte to `.pulse`, so that two stat calls tell everybody else whether anything is new, however
many chats there are. Losing the pulse loses nothing: it only sends readers to look.
"""

import os
import re
import unicodedata
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from rolememory.store.chats.log import Log, Written
from rolememory.store.disk import Disk, Mark

PULSE = ".pulse"
_FILE = re.compile(r"(?:.+-)?([0-9a-f]{16})\.jsonl")
_NO_WORD = re.compile(r"[\W_]+")
_SLUG = 40  # characters

Marks = tuple[Mark | None, Mark | None]


def file_name(chat: str) -> str:
    """The file of a chat: the readable part of its id, and a digest of the whole.

    >>> file_name("Harbour / Chat #5"), file_name("灯塔").startswith("灯塔-")
    ('harbour-chat-5-461be2fbd65af5a7.jsonl', True)
    """
    slug = _NO_WORD.sub("-", unicodedata.normalize("NFKC", chat).casefold())[:_SLUG].strip("-") or "chat"
    return f"{slug}-{_key(chat)}.jsonl"


def _key(chat: str) -> str:
    return blake2b(chat.encode("utf-8", "replace"), digest_size=8).hexdigest()


class Shelf:
    """Finds and reads logs. Not thread-safe: its owner sees to that; any number of processes may share the folder."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self.folder = folder
        self.generation = 0  # another one whenever any chat changed
        self.disk = disk
        self._pulse = folder / PULSE
        self._logs: dict[str, Log] = {}
        self._seen: Marks | None = None  # None: look at every file next time

    def log(self, chat: str) -> Log:
        """The chat's log as it stands on disk; an empty one where there is none yet."""
        key = _key(chat)
        if key not in self._logs:
            self._list()
        if key not in self._logs:
            self._logs[key] = Log(self.folder / file_name(chat), self.disk)
        self._refresh(self._logs[key])
        return self._logs[key]

    def logs(self) -> list[Log]:
        """Every log as it was last read."""
        return list(self._logs.values())

    def refresh(self) -> None:
        """Read what is new in any chat: two stat calls when nothing is."""
        marks = self._marks()
        if marks == self._seen and self._seen is not None:
            return
        self._list()
        for log in self.logs():
            self._refresh(log)
        self._logs = {key: log for key, log in self._logs.items() if log.exists}  # chats that were only asked for leave nothing
        self._seen = None if any(log.fault for log in self.logs()) else marks

    def written(self, log: Log, what: Written | None) -> None:
        """Take in a line that was just written to this log (None: it was removed), and let the others know."""
        before = self._seen
        if match := _FILE.fullmatch(log.path.name):
            self._logs[match[1]] = log
        try:
            log.take_in(what) if what else log.refresh()
        except OSError:
            log.refresh()
        self.generation += 1
        self._beat()
        after = self._marks()
        alone = before is not None and before[1] is not None and after[1] is not None and after[1].size == before[1].size + 1
        self._seen = after if alone and before is not None and before[0] == after[0] else None

    def drop(self, log: Log) -> None:
        """Remove the log's file; on return it stays away.

        Raises: OSError.
        """
        with suppress(FileNotFoundError):
            self.disk.unlink(log.path)
        self.disk.fsync_folder(self.folder)
        self.written(log, None)

    def _refresh(self, log: Log) -> None:
        if log.refresh():
            self.generation += 1

    def _marks(self) -> Marks:
        try:
            return self.disk.mark(self.folder), self.disk.mark(self._pulse)
        except OSError:
            return None, None

    def _list(self) -> None:
        for name in self.disk.names(self.folder):
            match = _FILE.fullmatch(name)
            if match and match[1] not in self._logs:
                self._logs[match[1]] = Log(self.folder / name, self.disk)

    def _beat(self) -> None:
        """Add a byte to the pulse; where that is not to be had, take it away, which is seen as well."""
        try:
            descriptor = self.disk.open(self._pulse, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                self.disk.write(descriptor, memoryview(b"."))
            finally:
                self.disk.close(descriptor)
        except OSError:
            with suppress(OSError):
                self.disk.unlink(self._pulse)
