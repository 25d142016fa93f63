"""The log of one chat on disk: read forward from where we stood, appended under the lock."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rolememory.errors import NotWrittenError
from rolememory.store.atomic import not_written, write_all
from rolememory.store.chats.rows import Head, Row, encoded, stretch
from rolememory.store.chats.transcript import Chat, Transcript
from rolememory.store.disk import Disk, Mark
from rolememory.store.lines import SEAL
from rolememory.store.problem import Problem

_TAIL = 64  # bytes remembered to notice that what we read was taken back


@dataclass(frozen=True, slots=True)
class Written:
    """A line that stands at these bytes of the file."""

    row: Row
    start: int
    end: int
    tail: bytes


class Log:
    """One chat's file. Not thread-safe: its owner sees to that; any number of processes may read."""

    def __init__(self, path: Path, disk: Disk) -> None:
        self.path = path
        self.transcript = Transcript(path)
        self.fault: OSError | None = None  # why it cannot be read
        self._disk = disk
        self._durable = False  # whether this process has made its name durable
        self._mark: Mark | None = None
        self._end, self._lines = 0, 0  # settled bytes, and lines of them
        self._tail, self._torn = b"", False  # the last of them; whether something follows
        self._bad: list[int] = []  # numbers of damaged lines, from 1

    @property
    def exists(self) -> bool:
        """Whether there was a file when it was last looked for."""
        return self._mark is not None or self.fault is not None

    @property
    def head(self) -> Head | None:
        """Who the chat is; None when there is none, or it never said so."""
        return self.transcript.head

    @property
    def chat(self) -> Chat | None:
        """The chat as it was last read; None when there is none, or it never said who it is."""
        return self.transcript.chat

    @property
    def problems(self) -> list[Problem]:
        """Damaged lines, with their places, and what keeps the file from being read."""
        file = f"{self.path.parent.name}/{self.path.name}"
        found = [Problem("bad_line", file, row) for row in self._bad]
        return [*found, Problem("unreadable", file, values=(("reason", str(self.fault)),))] if self.fault else found

    def refresh(self) -> bool:
        """Read what is new, if anything is: one stat when nothing is. True when the chat changed.

        What cannot be read stays as it was, with its `fault`.
        """
        try:
            changed = self._refresh()
        except OSError as error:
            self.fault = error
            return False
        self.fault = None
        return changed

    def append(self, row: Row) -> "Written":
        """Write a line and make it durable. Under the lock of the folder, right after `refresh`; then `take_in` what it gives.

        Raises: NotWrittenError; nothing of it stands, or only what no reader takes for a line.
        """
        if self.fault is not None:
            raise NotWrittenError(
                f"{self.path}: cannot be read: {self.fault}; nothing is written to it before it can",
                zh=f"{self.path}：读不出来：{self.fault}；能读之前不会写入",
            )
        try:
            descriptor = self._disk.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise not_written(self.path, error) from error
        try:
            return self._append(descriptor, row, (SEAL if self._torn else b"") + encoded(row))
        except OSError as error:
            raise not_written(self.path, error) from error
        finally:
            with suppress(OSError):
                self._disk.close(descriptor)

    def take_in(self, written: "Written") -> None:
        """Follow a line of our own without reading it again, if it stands right behind what was read."""
        mark = self._disk.mark(self.path)
        if self._mark is None or self._torn or written.start != self._end or mark is None or mark.size != written.end:
            self.refresh()
            return
        self.transcript.follow(written.row)
        self._lines += 1
        self._end, self._mark, self._tail = written.end, mark, written.tail

    def _append(self, descriptor: int, row: Row, data: bytes) -> "Written":
        size = self._disk.size(descriptor)
        try:
            write_all(descriptor, data, self._disk)
            self._disk.fsync(descriptor)
            if not self._durable:  # whoever made the file may have failed right there
                self._disk.fsync_folder(self.path.parent)
                self._disk.fsync_folder(self.path.parent.parent)
                self._durable = True
        except BaseException:
            self._take_back(descriptor, size)
            raise
        return Written(row, size, size + len(data), data[-_TAIL:])

    def _take_back(self, descriptor: int, size: int) -> None:
        """Cut off what was not acknowledged; where even that fails, at least end the line."""
        try:
            self._disk.truncate(descriptor, size)
            self._disk.fsync(descriptor)
        except OSError:
            with suppress(OSError):
                write_all(descriptor, SEAL, self._disk)

    def _refresh(self) -> bool:
        mark = self._disk.mark(self.path)
        if mark == self._mark:
            return False
        if mark is None:
            self._forget()
            return True
        start = max(self._end - len(self._tail), 0)
        data = self._disk.read(self.path, start) if self._grew(mark) else b""
        if not data or data[: self._end - start] != self._tail:  # read for the first time, or what we read was taken back
            self._forget()
            start, data = 0, self._disk.read(self.path)
        self._take_in(data, self._end - start, mark)
        return True

    def _take_in(self, data: bytes, known: int, mark: Mark) -> None:
        """Follow the new lines; `data` begins with so many bytes that were read before."""
        found = stretch(data[known:])
        for row in found.rows:
            self.transcript.follow(row)
        self._bad += [self._lines + number + 1 for number in found.bad]
        self._lines += found.lines
        self._end, self._torn, self._mark = self._end + found.end, found.torn, mark
        self._tail = data[max(known + found.end - _TAIL, 0) : known + found.end]

    def _grew(self, mark: Mark) -> bool:
        return self._mark is not None and self._mark.inode == mark.inode and self._mark.size < mark.size

    def _forget(self) -> None:
        self.transcript = Transcript(self.path)
        self._mark = None
        self._end, self._lines, self._tail, self._torn = 0, 0, b"", False
        self._bad = []
