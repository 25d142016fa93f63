"""The role's journal: segments (logs) named by their first seq, read incrementally, appended under the lock."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import dropwhile, groupby

from rolememory.errors import NotWrittenError
from rolememory.schema.problem import Problem
from rolememory.storage.journal_records import JournalRecord, decoded, encoded
from rolememory.storage.look import Watched, watching
from rolememory.storage.port import START, Append, Log, LogPosition, Revision, Space

JOURNAL = "journal/"
SEGMENT_BYTES = 1 << 20
RACY_NS = 50_000_000  # a file changed this recently may change again without a new mark

Rewriting = Callable[[Sequence[JournalRecord]], Sequence[Sequence[JournalRecord]]]
"""Maps the records of a segment to the ones to keep, by transaction."""


@dataclass(slots=True)
class _Segment:
    first: int
    log: Log
    mark: Revision | None = None
    place: LogPosition = START
    lines: list[JournalRecord] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)  # line numbers, from 1


class Journal:
    """The log of changes. Not thread-safe (its owner locks); any number of processes may read."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._segments: list[_Segment] = []
        self._listed: Revision | None = None
        self._settled = False  # whether the listing's mark can be trusted

    @property
    def last_seq(self) -> int:
        """The seq of the newest committed record, or as implied by the newest segment's name."""
        if not self._segments:
            return 0
        newest = self._segments[-1]
        return newest.lines[-1].seq if newest.lines else newest.first - 1

    @property
    def first_seq(self) -> int:
        """The oldest seq still kept; 0 without one."""
        return self._segments[0].first if self._segments else 0

    def marks(self) -> tuple[Revision | None, Revision | None]:
        """Marks to compare: equal marks mean no change."""
        newest = self._segments[-1].log.mark() if self._segments else None
        return self._space.listed(JOURNAL), newest

    @property
    def seen(self) -> tuple[Revision | None, Revision | None] | None:
        """The marks of what was read, or None if too recent to trust."""
        if not self._settled:
            return None
        return self._listed, self._segments[-1].mark if self._segments else None

    @property
    def watched(self) -> Watched:
        """The marks to watch for changes."""
        newest = watching(*[segment.log for segment in self._segments[-1:]])
        return {**newest, f"{self._space.place}/{JOURNAL}": partial(self._space.listed, JOURNAL)}

    def refresh(self, after: int, now_ns: int) -> None:
        """Read new records; keep at least those with a seq above `after`."""
        mark = self._space.listed(JOURNAL)
        listed = mark != self._listed or not self._settled
        if listed:
            self._list()
            self._listed = mark
            self._settled = mark is None or now_ns - mark.changed_ns > RACY_NS
        for segment, following in zip(self._segments, self._segments[1:], strict=False):
            if following.first <= after + 1:
                if segment.mark is not None:
                    self._forget(segment)
            elif listed or segment.mark is None:
                self._read(segment)
        if self._segments:
            self._read(self._segments[-1])

    def lines(self, after: int) -> list[JournalRecord]:
        """The committed records with a seq above `after`, in order; call `refresh` first."""
        return [
            line for segment in self._segments for line in self._own(segment) if line.seq > after
        ]

    def newest_first(self) -> Iterator[JournalRecord]:
        """All committed records, newest first; reads one segment at a time."""
        self._list()
        for segment in reversed(self._segments):
            self._read(segment)
            yield from reversed(self._own(segment))
            self._forget(segment)

    def problems(self) -> list[Problem]:
        """Damaged lines, as problems with file and line."""
        return [
            Problem("bad_line", f"{segment.log.name}.jsonl", row)
            for segment in self._segments
            for row in sorted(segment.bad)
        ]

    def append(self, lines: Sequence[JournalRecord]) -> None:
        """Write a transaction and make it durable. Under the lock, right after `refresh`.

        A long segment is then followed by an empty one, so that processes started later need not read it.
        Raises: NotWrittenError; no reader sees any of it.
        """
        segment, data = self._open_segment(lines[0].seq), list(map(encoded, lines))
        segment.log.append(*data)
        size = sum(map(len, data)) + (segment.mark.size if segment.mark else 0)
        if size >= SEGMENT_BYTES:
            with suppress(NotWrittenError):  # then the next writer starts it
                self._segment(lines[-1].seq + 1).log.append()

    def prune(self, through: int, before: str) -> int:
        """Remove checkpointed records (seq at most `through`) older than `before` (ISO); how many.

        Under the lock. Newer records of a segment are copied to a new one before it is removed: after a crash in between they
        are there twice and count once.
        """
        self._list()
        removed = 0
        for segment in list(self._segments):
            self._read(segment)
            lines = self._own(segment)
            kept = list(dropwhile(lambda line: line.at < before, lines))
            if not lines or len(kept) == len(lines) or lines[-1].seq > through:
                break
            self._follow(segment, kept)
            segment.log.delete()
            removed += len(lines) - len(kept)
        self._settled = False
        return removed

    def _follow(self, segment: _Segment, kept: Sequence[JournalRecord]) -> None:
        """Add a segment after this one, beginning with these records, or empty; its name keeps the seq."""
        following = self._segment(kept[0].seq if kept else segment.lines[-1].seq + 1)
        if following.first not in {one.first for one in self._segments}:
            following.log.rewrite(_transactions(kept))

    def _own(self, segment: _Segment) -> Sequence[JournalRecord]:
        """The records of a segment that are not in the next one."""
        if segment is self._segments[-1]:
            return segment.lines
        end = next(one.first for one in self._segments if one.first > segment.first)
        return [line for line in segment.lines if line.seq < end]

    def rewrite(self, kept: Rewriting) -> int:
        """Rewrite each segment with the records to keep, under the lock; how many were removed, not counting damaged ones."""
        self._list()
        removed = 0
        for segment in self._segments:
            self._read(segment)
            left = kept(segment.lines)
            segment.log.rewrite([list(map(encoded, lines)) for lines in left])
            removed += len(segment.lines) - sum(map(len, left))
        return removed

    def _open_segment(self, seq: int) -> _Segment:
        """The segment to append to: the newest, or a new one when that is long."""
        if self._segments:
            newest = self._segments[-1]
            if newest.mark is None or newest.mark.size < SEGMENT_BYTES:
                return newest
        return self._segment(seq)

    def _segment(self, first: int) -> _Segment:
        return _Segment(first, self._space.log(f"{JOURNAL}{first}"))

    def _list(self) -> None:
        known = {segment.first: segment for segment in self._segments}
        stems = (name.removeprefix(JOURNAL) for name in self._space.logs(JOURNAL))
        firsts = sorted(int(stem) for stem in stems if stem.isascii() and stem.isdigit())
        self._segments = [known.get(first) or self._segment(first) for first in firsts]

    def _read(self, segment: _Segment) -> None:
        mark = segment.log.mark()
        if mark is None or mark == segment.mark:
            return
        part = segment.log.read(segment.place)
        if part.anew:
            self._forget(segment)
        for append in part.appends:
            self._take_in(segment, append)
        segment.bad += part.bad
        segment.mark, segment.place = mark, part.place

    @staticmethod
    def _take_in(segment: _Segment, append: Append) -> None:
        """Add an append to the segment; a transaction with an invalid record is ignored as a whole."""
        lines = [decoded(line) for line in append.lines]
        good = [line for line in lines if line is not None]
        if len(good) == len(lines):
            segment.lines += good
        else:
            segment.bad += [n for n, line in enumerate(lines, append.number) if line is None]

    @staticmethod
    def _forget(segment: _Segment) -> None:
        segment.mark, segment.place, segment.lines, segment.bad = None, START, [], []


def _transactions(lines: Iterable[JournalRecord]) -> list[list[bytes]]:
    """Encoded records, grouped by transaction."""
    return [list(map(encoded, one)) for _, one in groupby(lines, key=lambda line: line.txn)]
