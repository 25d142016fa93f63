"""A log as a file: one JSON object per line with a crc; read incrementally, appended under a lock.

`crc` is the CRC-32 of the line without it; lines without a valid one are ignored. The lines of an append of several have
its `txn` (those of the journal always do), and the last one has `commit`, the number of lines: without it all of them
are ignored.
"""

import os
import re
import secrets
import threading
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from rolememory.storage.files.atomic import refusals, write, write_all
from rolememory.storage.files.disk import DISK, Disk
from rolememory.storage.port import START, Append, LogPosition, LogSlice, Revision

ENDING = ".jsonl"
SEAL = b"~\n"  # written after a torn tail, so that the next line starts cleanly
_TAIL = 64  # bytes compared to check that what was read is unchanged
_TXN = re.compile(rb'\{(?:"seq":\d+,)?"txn":"([^"]*)"')
_OURS = re.compile(rb'\{"txn":"[^"]*",')
_COMMIT = re.compile(rb',"commit":(\d+)\}$')
_CRC = len(b',"crc":"01234567"}')


MakeFolder = Callable[[Path], None]
"""Makes a missing folder, or raises NotWrittenError."""


class FileLog:
    """One file. Thread-safe; any number of processes may read and, under a lock of the caller's, append."""

    def __init__(
        self, path: Path, name: str, disk: Disk = DISK, make: MakeFolder | None = None
    ) -> None:
        self.name, self.place = name, str(path)
        self._path, self._disk, self._make = path, disk, make or disk.mkdir
        self._lock = threading.Lock()  # guards the last result
        self._durable = False  # whether this process has synced the folder
        self._mark: Revision | None = None  # the last mark and result
        self._read = START

    def mark(self) -> Revision | None:
        """One stat."""
        return self._disk.mark(self._path)

    def read(self, since: LogPosition = START) -> LogSlice:
        """The appends since; one stat when nothing changed."""
        with self._lock:
            return self._behind(since)

    def _behind(self, since: LogPosition) -> LogSlice:
        mark = self.mark()
        if mark is None:
            self._mark, self._read = None, START
            return LogSlice((), START, since != START)
        if mark == self._mark and since == self._read:
            return LogSlice((), since)
        if since.end and self._goes_on(mark, since):
            begin = max(since.end - _TAIL, 0)
            data, known = self._disk.read(self._path, begin), since.end - begin
            if len(data) >= known and zlib.crc32(data[:known]) == since.check:
                return self._part(data, known, since, mark)
        data = self._disk.read(self._path)
        return self._part(data, 0, START, mark, anew=since != START)

    def append(self, *lines: bytes) -> None:
        """Write, fsync, and the first time fsync the folder."""
        data = framed(lines)
        with refusals(self._path):
            descriptor = self._opened()
            try:
                size = self._disk.size(descriptor)
                torn = self._ends_torn(size)
                self._write(descriptor, size, (SEAL if torn else b"") + data)
            finally:
                with suppress(OSError):
                    self._disk.close(descriptor)

    def rewrite(self, appends: Iterable[Sequence[bytes]]) -> None:
        """Replace the file."""
        write(self._path, b"".join(map(framed, appends)), self._disk)
        self._mark = None

    def delete(self) -> None:
        """Unlink, and fsync of the folder."""
        with refusals(self._path):
            with suppress(FileNotFoundError):
                self._disk.unlink(self._path)
            self._disk.fsync_folder(self._path.parent)

    def _goes_on(self, mark: Revision, since: LogPosition) -> bool:
        """Whether the file is the one read before, possibly grown."""
        if self._mark is not None and since == self._read:
            return self._mark.inode == mark.inode and self._mark.size < mark.size
        return since.end <= mark.size

    def _part(
        self, data: bytes, known: int, since: LogPosition, mark: Revision, anew: bool = False
    ) -> LogSlice:
        """Parse the bytes after the first `known`, which were read before."""
        appends, bad, lines, end = parsed(data[known:], since.lines)
        tail = data[max(known + end - _TAIL, 0) : known + end]
        place = LogPosition(lines, since.end + end, zlib.crc32(tail))
        self._mark, self._read = mark, place
        return LogSlice(tuple(appends), place, anew, tuple(bad))

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            return self._disk.open(self._path, flags)
        except FileNotFoundError:
            self._make(self._path.parent)
            return self._disk.open(self._path, flags)

    def _ends_torn(self, size: int) -> bool:
        """Whether the last line is incomplete."""
        return size > 0 and self._disk.read(self._path, size - 1) != b"\n"

    def _write(self, descriptor: int, size: int, data: bytes) -> None:
        try:
            write_all(descriptor, data, self._disk)
            self._disk.fsync(descriptor)
            if not self._durable:  # the process that made the file may have died before syncing
                self._disk.fsync_folder(self._path.parent)
                self._disk.fsync_folder(self._path.parent.parent)
                self._durable = True
        except BaseException:
            self._take_back(descriptor, size)
            raise

    def _take_back(self, descriptor: int, size: int) -> None:
        """Truncate what was not acknowledged; if that fails, end the line."""
        try:
            self._disk.truncate(descriptor, size)
            self._disk.fsync(descriptor)
        except OSError:
            with suppress(OSError):
                write_all(descriptor, SEAL, self._disk)


def framed(lines: Sequence[bytes]) -> bytes:
    r"""An append as on disk.

    >>> framed([b'{"a":1}'])
    b'{"a":1,"crc":"561bacaf"}\n'
    """
    rows = list(lines)
    if len(rows) > 1 and not _TXN.match(rows[0]):
        txn = secrets.token_hex(4).encode()
        rows = [b'{"txn":"%s",%s' % (txn, line[1:]) for line in rows]
    if rows and _TXN.match(rows[0]):
        rows[-1] = b'%s,"commit":%d}' % (rows[-1][:-1], len(rows))
    return b"".join(b'%s,"crc":"%08x"}\n' % (line[:-1], zlib.crc32(line)) for line in rows)


def unframed(row: bytes) -> bytes | None:
    """The line of a row, or None if damaged: no crc, or a wrong one."""
    line, crc = row[:-_CRC] + b"}", row[-_CRC:]
    return line if crc == b',"crc":"%08x"}' % zlib.crc32(line) else None


def lines_of(data: bytes) -> list[bytes]:
    """The undamaged lines of a whole log."""
    return [line for append in parsed(data)[0] for line in append.lines]


def parsed(data: bytes, before: int = 0) -> tuple[list[Append], list[int], int, int]:
    """Parse a part of a log that begins after `before` lines: (appends, damaged lines, lines, end).

    `end`: bytes parsed for good, `lines`: number of lines up to there; what follows may still become an append. A sealed tail is
    ignored.
    """
    *rows, _ = data.split(b"\n")
    appends, bad = list[Append](), list[int]()
    pending, txn, settled, end, place = list[bytes](), b"", 0, 0, 0
    for number, row in enumerate(rows):
        here, place = place, place + len(row) + 1
        line = unframed(row)
        named = _TXN.match(line) if line is not None else None
        if named is not None and line is not None:
            if pending and txn != named[1]:
                pending, settled, end = [], number, here
            pending.append(line)
            txn, commit = named[1], _COMMIT.search(line)
            if commit is None:
                continue
            if int(commit[1]) == len(pending):
                first = before + number + 2 - len(pending)
                appends.append(Append(first, tuple(map(_own, pending))))
        elif line is not None:
            appends.append(Append(before + number + 1, (line,)))
        elif row and not row.endswith(b"~"):
            bad.append(before + number + 1)
        pending, settled, end = [], number + 1, place
    return appends, bad, before + settled, end


def _own(line: bytes) -> bytes:
    """The line without what `framed` added."""
    return _COMMIT.sub(b"}", _OURS.sub(b"{", line))
