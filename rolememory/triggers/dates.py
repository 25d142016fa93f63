"""Memories of a time that the newest message names: a date, or the first or last meeting of those who talk."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import reduce
from typing import ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Reason
from rolememory.schema.memory import glimpsed, in_utc
from rolememory.schema.scene import Language, Scene, TimeSpan
from rolememory.text.arrays import Doubles, Mask, np
from rolememory.text.dates import Tell, teller
from rolememory.text.intent import meeting
from rolememory.text.postings import text_digest
from rolememory.triggers.base import ByRows, Parts, content_digests, register
from rolememory.triggers.meetings import met
from rolememory.triggers.table import ArrayColumn, TableEvidence

A_DAY = 0.6  # strength of a day named without doubt
SAME_TIME = 0.5  # strength of a memory whose own text names the very same time, however long
NOW = 0.45  # factor on a time that is not over: "today" is more often small talk than a question
FEW = 10  # memories that one time may wake at full strength
LEAST_CERTAINTY = 0.6  # of a time in a memory's text

A_DAY_S = 86_400.0


def narrowness(days: Doubles) -> Doubles:
    """Strength of a time by its length in days: a day and a week suffice, a year alone does not (threshold 0.30).

    >>> import numpy as np
    >>> narrowness(np.array([1, 7, 30, 92, 365, 3650])).round(2).tolist()
    [0.6, 0.45, 0.36, 0.3, 0.25, 0.18]
    """
    return A_DAY * days.clip(min=1.0) ** -0.15


def crowding(memories: int) -> float:
    """Factor for the number of memories of a time: the more, the less specific.

    >>> [round(crowding(count), 2) for count in (1, 10, 100, 1000)]
    [1.0, 1.0, 0.56, 0.32]
    """
    return float((FEW / max(memories, FEW)) ** 0.25)


def overlap(asked: Doubles, starts: Doubles, ends: Doubles) -> tuple[Doubles, Doubles]:
    """Jaccard overlap of times with the asked one (start, end), 0..1; and the union.

    >>> import numpy as np
    >>> overlap(np.array([0.0, 4.0]), np.array([0.0, 2.0, 4.0]), np.array([4.0, 6.0, 6.0]))[0].round(2).tolist()
    [1.0, 0.33, 0.0]
    """
    covered = ends.clip(min=asked[1]) - starts.clip(max=asked[0])
    shared = ends.clip(max=asked[1]) - starts.clip(min=asked[0])
    return (shared / covered).clip(min=0.0), covered


@register("dates")
class DatesTrigger(ByRows):
    """Activates memories of a named time, or whose text names it. Cost: O(n) numpy passes for each time.

    Texts are read on the first turn with a time, since most have none.
    """

    name: ClassVar[str] = "dates"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        super().__init__(entries, parts)
        settings = parts.settings.dates
        self._tell, self._derive, self._terms = teller(settings), parts.derive, parts.terms
        self._rules = text_digest(settings.model_dump_json()).hex()
        self._open = ArrayColumn("?")  # whether this strategy may wake it
        self._unread = ArrayColumn("?")
        self._places: dict[int, list[int]] = {}  # row -> its places in the columns of times
        self._free: list[int] = []
        self._rows = ArrayColumn("i8")
        self._starts, self._ends = ArrayColumn("f8"), ArrayColumn("f8", float("-inf"))  # seconds
        self._listen()

    def add(self, rows: Sequence[int]) -> None:
        """Read these later."""
        self._note_open(self._open, rows)
        self._unread.grow(self.table.n_rows)
        self._unread[rows] = self._open[rows]

    def remove(self, rows: Sequence[int]) -> None:
        """Remove the times of these rows."""
        self._unread[rows] = False
        for row in rows:
            places = self._places.pop(row, [])
            self._ends[places] = float("-inf")
            self._free += places

    def read_ahead(self, most: int | None = None) -> None:
        """Read which times each new row names, unless that is more than so many rows. Cost: O(new texts)."""
        rows = self._unread.set_rows(most)
        since, entries = self.table.since[rows].tolist(), self.table.entries(rows)
        digests = zip(since, content_digests(entries, self._terms), strict=True)
        keys = [f"{at} {self._rules} {one}" for at, one in digests]  # all that decides which times
        named = dict(zip(keys, entries, strict=True))

        def borders(key: str) -> list[tuple[float, float]]:
            return [_borders(span) for span in times_in(glimpsed(named[key]), self._tell)]

        for row, spans in zip(rows, self._derive("times", keys, borders), strict=True):
            for start, end in spans:
                place = self._free.pop() if self._free else len(self._rows.values)
                for column in (self._rows, self._starts, self._ends):
                    column.grow(place + 1)
                self._rows[place], self._starts[place], self._ends[place] = row, start, end
                self._places.setdefault(row, []).append(place)
        self._unread[rows] = False

    def find(self, scene: Scene, among: Mask) -> TableEvidence:
        """Memories of a time in `scene.times`, and passages of a meeting that is asked for."""
        named = meeting(scene.query)
        if not scene.times and not named:
            return TableEvidence.of(())
        if scene.times:
            self.read_ahead()
        mask = among & self._open.values
        each = [self._of(asked, scene.now, mask) for asked in scene.times]
        because = [_reason(asked) for asked in scene.times]
        if named:
            each.append(met(named[0], self.table, mask, scene))
            because.append(Reason("date", (("text", named[1]),)))
        best = reduce(np.maximum, each)
        rows = (best > 0.0).nonzero()[0]
        spoken = np.stack([one[rows] for one in each]).argmax(axis=0).tolist()
        return TableEvidence(rows, best[rows], lambda place: because[spoken[place]])

    def _of(self, asked: TimeSpan, now: datetime, mask: Mask) -> Doubles:
        """The strength of each row for one asked time, (n_rows,)."""
        span, made = np.array(_borders(asked)), self.table.created.values
        rows, starts, ends = self._rows.values, self._starts.values, self._ends.values
        strengths = np.zeros(len(mask))
        within = mask & (made >= span[0]) & (made < span[1])
        strengths[within] = narrowness((span[1] - span[0]) / A_DAY_S)
        some = ((ends > span[0]) & (starts < span[1])).nonzero()[0]
        same, covered = overlap(span, starts[some], ends[some])
        own = np.maximum(SAME_TIME * same, narrowness(covered / A_DAY_S))
        np.maximum.at(strengths, rows[some], own * mask[rows[some]])
        factor = (
            asked.certainty
            * crowding(int(np.count_nonzero(strengths)))
            * (NOW if asked.start <= in_utc(now) < asked.end else 1.0)
        )
        return strengths * factor


def _borders(span: TimeSpan) -> tuple[float, float]:
    return in_utc(span.start).timestamp(), in_utc(span.end).timestamp()


def times_in(entry: Entry, tell: Tell) -> Iterator[TimeSpan]:
    """The times that the entry's text names with some certainty."""
    language: Language = "en" if entry.content.isascii() else "zh"
    spans = tell(entry.content, getattr(entry, "since", None), language)
    return (span for span in spans if span.certainty >= LEAST_CERTAINTY)


def _reason(asked: TimeSpan) -> Reason:
    return Reason(
        "date",
        (("text", asked.text), ("from", asked.start.isoformat()), ("to", asked.end.isoformat())),
    )
