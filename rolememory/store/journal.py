"""The role's journal on disk: segments named by their first seq, read forward from where we stood, appended under the lock."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from rolememory.store.atomic import not_written, write_all
from rolememory.store.disk import Disk, Mark
from rolememory.store.lines import SEAL, Line, committed, encoded
from rolememory.store.problem import Problem

SEGMENT_BYTES = 1 << 20
RACY_NS = 50_000_000  # a file or folder changed this shortly before we looked may change again without a new time stamp
_TAIL = 64  # bytes remembered to notice that what we read was taken back


@dataclass(slots=True)
class _Segment:
    first: int
    mark: Mark | None = None
    end: int = 0  # settled bytes
    tail: bytes = b""  # the last of them
    torn: bool = False
    rows: int = 0  # settled rows, for line numbers in messages
    lines: list[Line] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)  # line numbers, from 1


class Journal:
    """What was changed. Not thread-safe: its owner sees to that; any number of processes may read."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self.folder = folder
        self._disk = disk
        self._segments: list[_Segment] = []
        self._folder_mark: Mark | None = None
        self._settled = False  # whether the listing is old enough to trust its time stamp
        self._durable: set[int] = set()  # segments whose name this process has made durable

    @property
    def last_seq(self) -> int:
        """The seq of the newest committed line, or what the name of the newest segment implies."""
        if not self._segments:
            return 0
        newest = self._segments[-1]
        return newest.lines[-1].seq if newest.lines else newest.first - 1

    @property
    def first_seq(self) -> int:
        """The oldest seq that is still kept; 0 when there is none."""
        return self._segments[0].first if self._segments else 0

    def marks(self) -> tuple[Mark | None, Mark | None]:
        """What to compare to know that nothing changed: two stat calls."""
        newest = self._disk.mark(self._path(self._segments[-1].first)) if self._segments else None
        return self._disk.mark(self.folder), newest

    @property
    def seen(self) -> tuple[Mark | None, Mark | None] | None:
        """The marks of what was read, or None when the listing is too fresh to trust."""
        if not self._settled:
            return None
        return self._folder_mark, self._segments[-1].mark if self._segments else None

    def refresh(self, after: int, now_ns: int) -> None:
        """Read what is new; hold at least the lines with a seq above `after`."""
        mark = self._disk.mark(self.folder)
        listed = mark != self._folder_mark or not self._settled
        if listed:
            self._list()
            self._folder_mark = mark
            self._settled = mark is None or now_ns - mark.changed_ns > RACY_NS
        for segment, following in zip(self._segments, self._segments[1:], strict=False):
            if following.first <= after + 1:
                if segment.mark is not None:
                    self._forget(segment)
            elif listed or segment.mark is None:
                self._read(segment)
        if self._segments:
            self._read(self._segments[-1])

    def lines(self, after: int) -> list[Line]:
        """The committed lines with a seq above `after`, in order; `refresh` must have been asked for them."""
        return [line for segment in self._segments for line in segment.lines if line.seq > after]

    def newest_first(self) -> Iterator[Line]:
        """Every committed line that is kept, the newest first; one segment at a time."""
        self._list()
        for segment in reversed(self._segments):
            self._read(segment)
            yield from reversed(segment.lines)
            self._forget(segment)

    def problems(self) -> list[Problem]:
        """Damaged lines, with their places."""
        return [Problem("bad_line", f"{self.folder.name}/{segment.first}.jsonl", row) for segment in self._segments for row in segment.bad]

    def append(self, lines: Sequence[Line]) -> None:
        """Write a transaction and make it durable. Under the lock, right after `refresh`.

        Raises: NotWrittenError; nothing of it stands, or only what no reader takes for a line.
        """
        segment = self._open_segment(lines[0].seq)
        path = self._path(segment.first)
        try:
            self._disk.mkdir(self.folder)
            descriptor = self._disk.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise not_written(path, error) from error
        try:
            self._append(descriptor, segment, lines)
        except OSError as error:
            raise not_written(path, error) from error
        finally:
            with suppress(OSError):
                self._disk.close(descriptor)

    def prune(self, through: int, before: str) -> int:
        """Remove segments whose lines are all folded (seq at most `through`) and older than `before` (ISO); how many lines went."""
        self._list()
        removed = 0
        for segment, following in list(zip(self._segments, self._segments[1:], strict=False)):
            self._read(segment)
            if following.first > through + 1 or (segment.lines and segment.lines[-1].at >= before):
                break
            self._disk.unlink(self._path(segment.first))
            removed += len(segment.lines)
        self._settled = False
        return removed

    def _append(self, descriptor: int, segment: _Segment, lines: Sequence[Line]) -> None:
        size = self._disk.size(descriptor)
        data = (SEAL if segment.torn else b"") + b"".join(map(encoded, lines))
        try:
            write_all(descriptor, data, self._disk)
            self._disk.fsync(descriptor)
            self._keep_name(segment)
        except BaseException:
            self._take_back(descriptor, size)
            raise

    def _keep_name(self, segment: _Segment) -> None:
        """Make the names durable once per process: whoever made the file may have failed right there."""
        if segment.first not in self._durable:
            self._disk.fsync_folder(self.folder)
            self._disk.fsync_folder(self.folder.parent)
            self._durable.add(segment.first)

    def _take_back(self, descriptor: int, size: int) -> None:
        """Cut off what was not acknowledged; where even that fails, at least end the line."""
        try:
            self._disk.truncate(descriptor, size)
            self._disk.fsync(descriptor)
        except OSError:
            with suppress(OSError):
                write_all(descriptor, SEAL, self._disk)

    def _open_segment(self, seq: int) -> _Segment:
        """The segment to append to: the newest, or a new one when that is long."""
        if self._segments and (self._segments[-1].end < SEGMENT_BYTES or self._segments[-1].torn):
            return self._segments[-1]
        return _Segment(seq)

    def _path(self, first: int) -> Path:
        return self.folder / f"{first}.jsonl"

    def _list(self) -> None:
        known = {segment.first: segment for segment in self._segments}
        stems = (name.removesuffix(".jsonl") for name in self._disk.names(self.folder) if name.endswith(".jsonl"))
        firsts = sorted(int(stem) for stem in stems if stem.isascii() and stem.isdigit())
        self._segments = [known.get(first) or _Segment(first) for first in firsts]

    def _read(self, segment: _Segment) -> None:
        path = self._path(segment.first)
        mark = self._disk.mark(path)
        if mark is None or mark == segment.mark:
            return
        start = max(segment.end - len(segment.tail), 0)
        data = self._disk.read(path, start) if self._grew(segment, mark) else b""
        if not data or data[: segment.end - start] != segment.tail:  # read for the first time, or what we read was taken back
            self._forget(segment)
            start, data = 0, self._disk.read(path)
        fresh = data[segment.end - start :]
        found = committed(fresh)
        segment.lines += found.lines
        segment.bad += [segment.rows + row + 1 for row in found.bad]
        segment.rows += fresh.count(b"\n", 0, found.end)
        segment.end, segment.torn, segment.mark = segment.end + found.end, found.torn, mark
        segment.tail = data[max(segment.end - start - _TAIL, 0) : segment.end - start]

    @staticmethod
    def _grew(segment: _Segment, mark: Mark) -> bool:
        return segment.mark is not None and segment.mark.inode == mark.inode and segment.mark.size < mark.size

    @staticmethod
    def _forget(segment: _Segment) -> None:
        segment.mark, segment.end, segment.tail, segment.torn, segment.rows = None, 0, b"", False, 0
        segment.lines, segment.bad = [], []
