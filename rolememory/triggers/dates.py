"""Memories of a time that the newest message names."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import accumulate
from typing import ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.memory import in_utc
from rolememory.schema.scene import Language, Scene, TimeSpan
from rolememory.schema.settings import DatesSettings
from rolememory.text.dates import teller
from rolememory.triggers.base import Parts, may_wake, register

A_DAY = 0.6  # strength of a day named without doubt
SAME_TIME = 0.5  # strength of a memory whose own text names the very same time, however long
NOW = 0.45  # factor on a time that is not over: "today" is more often small talk than a question
FEW = 10  # memories that one time may wake at full strength
LEAST_CERTAINTY = 0.6  # of a time in a memory's text

DAY = timedelta(days=1)


def narrowness(days: float) -> float:
    """Strength of a time by its length in days: a day and a week wake, a year alone does not (threshold 0.30).

    >>> [round(narrowness(days), 2) for days in (1, 7, 30, 92, 365, 3650)]
    [0.6, 0.45, 0.36, 0.3, 0.25, 0.18]
    """
    return float(A_DAY * max(days, 1.0) ** -0.15)


def crowding(memories: int) -> float:
    """Factor for the number of memories a time would wake: a crowd says little about each.

    >>> [round(crowding(count), 2) for count in (1, 10, 100, 1000)]
    [1.0, 1.0, 0.56, 0.32]
    """
    return float((FEW / max(memories, FEW)) ** 0.25)


def overlap(asked: TimeSpan, told: TimeSpan) -> float:
    """How much two times are the same, 0..1: what they share, as a part of what they cover together."""
    shared = min(asked.end, told.end) - max(asked.start, told.start)
    return max(shared / (max(asked.end, told.end) - min(asked.start, told.start)), 0.0)


@dataclass(frozen=True, slots=True)
class _Awake:
    """A memory of an asked time: how strongly that speaks, and which time it was."""

    strength: float
    asked: TimeSpan


@dataclass(frozen=True, slots=True)
class _Calendar:
    """When memories were made, and the times their texts name, both in order."""

    made: list[tuple[datetime, str]]
    told: list[tuple[TimeSpan, str]]
    starts: list[datetime]
    latest_ends: list[datetime]

    @classmethod
    def of(cls, entries: Sequence[Entry], settings: DatesSettings) -> "_Calendar":
        made = ((entry, getattr(entry, "created", None)) for entry in entries)
        tell = teller(settings)
        named = ((span, entry.id) for entry in entries for span in _told(entry, tell))
        told = sorted(named, key=lambda one: (in_utc(one[0].start), one[1]))
        starts = [in_utc(span.start) for span, _ in told]
        ends = list(accumulate((in_utc(span.end) for span, _ in told), max))
        return cls(sorted((in_utc(created), entry.id) for entry, created in made if created), told, starts, ends)

    def made_in(self, asked: TimeSpan) -> Iterator[str]:
        first = bisect_left(self.made, (in_utc(asked.start), ""))
        behind = bisect_left(self.made, (in_utc(asked.end), ""))
        return (entry_id for _, entry_id in self.made[first:behind])

    def telling_of(self, asked: TimeSpan) -> Iterator[tuple[TimeSpan, str]]:
        """Times in memories' texts that share something with the asked one."""
        first = bisect_left(self.latest_ends, in_utc(asked.start))
        behind = bisect_left(self.starts, in_utc(asked.end))
        return (one for one in self.told[first:behind] if one[0].end > asked.start)


@register("dates")
class DatesTrigger:
    """Wakes memories that were made in a named time, or whose text names it. Cost: O(log(entries) + hits) for each time."""

    name: ClassVar[str] = "dates"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        self._mine = [entry for entry in entries if may_wake(entry, self.name)]
        self._settings = parts.settings.dates

    @cached_property
    def _calendar(self) -> _Calendar:
        """Read when a time is first named: most turns name none."""
        return _Calendar.of(self._mine, self._settings)

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield one hit per memory of a time in `scene.times`."""
        awake: dict[str, _Awake] = {}
        for asked in scene.times:
            for entry_id, strength in self._of(asked, scene.now, among):
                if entry_id not in awake or strength > awake[entry_id].strength:
                    awake[entry_id] = _Awake(strength, asked)
        for entry_id, found in awake.items():
            yield Hit(entry_id, self.name, found.strength, _reason(found.asked))

    def _of(self, asked: TimeSpan, now: datetime, among: Collection[str]) -> list[tuple[str, float]]:
        """The memories of one asked time, each with its strength."""
        length = narrowness((asked.end - asked.start) / DAY)
        found = {entry_id: length for entry_id in self._calendar.made_in(asked) if entry_id in among}
        for told, entry_id in self._calendar.telling_of(asked):
            if entry_id in among:
                own = max(SAME_TIME * overlap(asked, told), narrowness((max(asked.end, told.end) - min(asked.start, told.start)) / DAY))
                found[entry_id] = max(found.get(entry_id, 0.0), own)
        factor = asked.certainty * crowding(len(found)) * (NOW if asked.start <= in_utc(now) < asked.end else 1.0)
        return [(entry_id, strength * factor) for entry_id, strength in found.items()]


def _told(entry: Entry, tell: Callable[[str, datetime | None, Language], tuple[TimeSpan, ...]]) -> Iterator[TimeSpan]:
    """The times that the entry's text names with some certainty."""
    spans = tell(entry.content, getattr(entry, "created", None), "en" if entry.content.isascii() else "zh")
    return (span for span in spans if span.certainty >= LEAST_CERTAINTY)


def _reason(asked: TimeSpan) -> Reason:
    return Reason("date", (("text", asked.text), ("from", asked.start.isoformat()), ("to", asked.end.isoformat())))
