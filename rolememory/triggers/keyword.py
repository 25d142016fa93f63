"""Entries whose keys are in the newest messages."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from math import log
from typing import ClassVar

from rolememory.schema.entry import Entry, SelectiveLogic
from rolememory.schema.evidence import Reason, Value
from rolememory.schema.scene import KeyReading, Scene, Span
from rolememory.schema.settings import KeywordSettings
from rolememory.schema.value_class import value_class
from rolememory.text.arrays import Mask, Rows, np
from rolememory.text.boundaries import Edges
from rolememory.text.fuzzy import FuzzyMatch, fuzzy, may_be_fuzzy
from rolememory.text.keys import KeySpec, is_pattern
from rolememory.text.selective import selective
from rolememory.triggers.base import ByRows, Parts, may_wake, register
from rolememory.triggers.table import ArrayColumn, TableEvidence

ONE_KEY = 0.6  # a key of one entry alone, in the newest user message
LEAST = 0.6  # ... and what stays of it for a common key in an old message: above the usual threshold, an author's key counts
FADE = 0.85  # per message back
MISTYPED = 0.8


@lru_cache(maxsize=4096)
def specificity(carriers: int, entries: int) -> float:
    """Specificity of a key, 0..1: 1 if one entry has it, low if all have it.

    Source: inverse document frequency, scaled so that one carrier gives 1.

    >>> round(specificity(1, 100), 2), round(specificity(10, 100), 2), round(specificity(100, 100), 2)
    (1.0, 0.52, 0.15)
    """
    return log(1 + entries / carriers) / log(1 + entries)


def freshness(messages_back: int) -> float:
    """Freshness of a key, 0..1: 1 in the newest user message or after it.

    >>> freshness(0), round(freshness(3), 2)
    (1.0, 0.61)
    """
    return float(FADE ** max(messages_back, 0))


def strength(keys: Iterable[tuple[float, float]]) -> float:
    """The strength of an entry, 0..1, from the (specificity, freshness) of its keys: independent reasons add up.

    Source: noisy-or. One key gives 0.36 to 0.6, two good ones 0.84.

    >>> [round(strength(keys), 2) for keys in ([(1, 1)], [(0.2, 0.5)], [(1, 1), (1, 1)], [])]
    [0.6, 0.38, 0.84, 0.0]
    """
    silence = reduce(
        lambda left, key: left * (1 - ONE_KEY * (LEAST + (1 - LEAST) * key[0] * key[1])), keys, 1.0
    )
    return 1 - silence


def spec_of(key: str, settings: KeywordSettings) -> KeySpec:
    """The search spec of a memory's key under these settings."""
    edges: Edges = "script" if settings.whole_words else "none"
    if settings.case_sensitive:
        return KeySpec(key.strip(), "raw", edges, settings.cjk_words)
    return KeySpec(key, "folded", edges, settings.cjk_words)


@value_class
class _KeywordEntry:
    """An entry's keys, prepared for search."""

    primary: tuple[KeySpec, ...]
    secondary: tuple[KeySpec, ...]
    logic: SelectiveLogic


@value_class
class _SeenKey:
    """A key found: its place, and its weight."""

    spec: KeySpec
    span: Span
    specificity: float
    freshness: float
    likeness: float = 100.0

    def inside(self, other: "_SeenKey") -> bool:
        """Whether it lies within the other match: 'dragon' in 'red dragon' is not a second reason."""
        mine, others = self.span, other.span
        return (
            mine.segment == others.segment and others.start <= mine.start and mine.end <= others.end
        )


@register("keyword")
class KeywordTrigger(ByRows):
    """Activates entries by keys, secondary keys and selective logic. Cost: O(keys seen and their entries).

    Keys written as /pattern/flags, and entries with such a secondary key, are left to the strategy `pattern`.
    """

    name: ClassVar[str] = "keyword"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        super().__init__(entries, parts)
        self._settings = parts.settings.keyword
        self._listening: dict[int, _KeywordEntry] = {}
        self._listens = ArrayColumn("?")  # whether a row is in there
        self._selective = ArrayColumn("?")  # whether it has secondary keys
        self._carriers: dict[KeySpec, dict[int, None]] = {}  # a key -> rows in the order they came
        self._rows: dict[KeySpec, Rows] = {}  # the same as arrays, of keys that were asked for
        self._mistypable: dict[str, KeySpec] = {}
        self._near = lru_cache(maxsize=256)(self._nearest)
        self._listen()

    def add(self, rows: Sequence[int]) -> None:
        """Add the keys of these rows."""
        for column in (self._listens, self._selective):
            column.grow(self.table.n_rows)
            column[rows] = False
        for row in self.table.special(rows):
            if listening := _listening(self.table.entry(row), self._settings):
                self._listens[row] = True
                self._listening[row] = listening
                self._selective[row] = bool(listening.secondary)
                for spec in listening.primary:
                    self._rows.pop(spec, None)
                    self._carriers.setdefault(spec, {})[row] = None
                    self._listen_nearly(spec)

    def _listen_nearly(self, spec: KeySpec) -> None:
        fuzzy = self._settings.fuzzy and spec.text not in self._mistypable
        if fuzzy and may_be_fuzzy(spec.text):
            self._mistypable[spec.text] = spec
            self._near.cache_clear()

    def remove(self, rows: Sequence[int]) -> None:
        """Remove the keys of these rows."""
        for row in rows:
            listening = self._listening.pop(row, None)
            self._listens[row] = False
            for spec in listening.primary if listening else ():
                self._rows.pop(spec, None)
                self._carriers[spec].pop(row, None)
                if not self._carriers[spec]:
                    del self._carriers[spec]
                    if self._mistypable.pop(spec.text, None):
                        self._near.cache_clear()

    @staticmethod
    def specs(entries: Iterable[Entry], settings: KeywordSettings) -> frozenset[KeySpec]:
        """All keys of these entries, for the key index."""
        heard = filter(None, (_listening(entry, settings) for entry in entries))
        return frozenset(
            spec for listening in heard for spec in (*listening.primary, *listening.secondary)
        )

    def find(self, scene: Scene, among: Mask) -> TableEvidence:
        """Each entry with a key in the window whose secondary keys agree."""
        if scene.reading is None:
            return TableEvidence.of(())
        seen = scene.reading.keys_seen(scene.window)
        found = self._found(scene, scene.reading, seen, among)
        if not found:
            return TableEvidence.of(())
        keys, each = [one for one, _ in found], [rows for _, rows in found]
        told = [_weighed([one], scene) for one in keys]  # then what several say together
        rows, which = np.concatenate(each), np.arange(len(each)).repeat([len(one) for one in each])
        first, again = _apart(rows)
        apart = again | self._selective[rows]
        carried = dict[int, list[_SeenKey]]()
        for row, number in zip(rows[apart].tolist(), which[apart].tolist(), strict=True):
            carried.setdefault(row, []).append(keys[number])
        together: dict[tuple[int, ...], int] = {}  # by identity: many have the same
        rows, which, apart = rows[first], which[first], apart[first]  # in the order found
        for place, row in zip(apart.nonzero()[0].tolist(), rows[apart].tolist(), strict=True):
            which[place] = self._together(row, carried[row], seen, scene, told, together)
        rows, which = rows[which >= 0], which[which >= 0]
        strengths, spoken = np.array([force for force, _ in told])[which], which.tolist()
        return TableEvidence(rows, strengths, lambda place: told[spoken[place]][1])

    def _together(
        self,
        row: int,
        keys: list[_SeenKey],
        seen: Collection[KeySpec],
        scene: Scene,
        told: list[tuple[float, Reason]],
        together: dict[tuple[int, ...], int],
    ) -> int:
        """The index in `told` of the combined evidence of one row's keys; -1 if its secondary keys do not agree."""
        listening = self._listening[row]
        heard = [spec in seen for spec in listening.secondary]
        if heard and not selective(listening.logic, heard):
            return -1
        keys.sort(key=lambda one: listening.primary.index(one.spec))
        these = tuple(map(id, keys))
        if these not in together:
            together[these] = len(told)
            told.append(_weighed(keys, scene))
        return together[these]

    def _carrying(self, spec: KeySpec) -> Rows:
        """The rows that have this key, in the order they came."""
        if spec not in self._rows:
            self._rows[spec] = np.fromiter(self._carriers[spec], np.int64)
        return self._rows[spec]

    def _found(
        self, scene: Scene, reading: KeyReading, seen: Mapping[KeySpec, int], among: Mask
    ) -> list[tuple[_SeenKey, Rows]]:
        """Every primary key in the window, mistyped ones too where that is allowed, with those of the mask that carry it."""
        places = {
            spec: (span, 100.0)
            for spec in seen
            if spec in self._carriers and (span := reading.seen(spec, scene.window))
        }
        if self._mistypable:
            places = {**self._mistyped(scene, places), **places}
        if not places:
            return []
        listening = int(np.count_nonzero(among & self._listens.values[: len(among)]))
        newest, found = newest_user(scene), list[tuple[_SeenKey, Rows]]()
        for spec, (span, likeness) in places.items():
            rows = self._carrying(spec)
            rows = rows[among[rows]]
            if len(rows):
                tells = specificity(len(rows), listening) * (1.0 if likeness == 100.0 else MISTYPED)
                near = freshness(span.segment - newest)
                found.append((_SeenKey(spec, span, tells, near, likeness), rows))
        return found

    def _mistyped(
        self, scene: Scene, places: Collection[KeySpec]
    ) -> dict[KeySpec, tuple[Span, float]]:
        """Fuzzy matches of keys in the window, in the newest segment with one."""
        found: dict[KeySpec, tuple[Span, float]] = {}
        for number, segment in enumerate(scene.segments):
            if scene.window >> number & 1:
                for key, near in self._near(segment.text).items():
                    if (spec := self._mistypable[key]) not in places:
                        found.setdefault(spec, (Span(number, near.start, near.end), near.likeness))
        return found

    def _nearest(self, text: str) -> Mapping[str, FuzzyMatch]:
        return fuzzy(tuple(self._mistypable), text, self._settings.fuzzy_cutoff)


def _weighed(seen: Sequence[_SeenKey], scene: Scene) -> tuple[float, Reason]:
    """The combined strength and reason of keys; the key shown is chosen by weight, then length, then text."""
    reasons = _independent(seen)
    best = max(
        seen,
        key=lambda one: (
            one.specificity * one.freshness,
            one.span.end - one.span.start,
            one.spec.text,
        ),
    )
    values: list[tuple[str, Value]] = [
        ("key", best.spec.text),
        ("message", scene.segments[best.span.segment].index),
    ]
    if len(reasons) > 1:
        values.append(("keys", len(reasons)))
    if best.likeness < 100.0:
        values.append(("likeness", round(best.likeness, 1)))
    force = strength((one.specificity, one.freshness) for one in reasons)
    return force, Reason("key", tuple(values), best.span)


def _apart(rows: Rows) -> tuple[Rows, Mask]:
    """The first index of each distinct row, ascending, and a mask of indexes whose row is repeated.

    >>> import numpy as np
    >>> first, again = _apart(np.array([7, 5, 7, 9]))
    >>> first.tolist(), again.tolist()
    ([0, 1, 3], [True, False, True, False])
    """
    order = rows.argsort(kind="stable")
    same = rows[order[1:]] == rows[order[:-1]]
    later, again = np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
    later[order[1:]] = again[order[1:]] = same
    again[order[:-1]] |= same
    return (~later).nonzero()[0], again


def _listening(entry: Entry, settings: KeywordSettings) -> _KeywordEntry | None:
    """The prepared keys of an entry, or None if this strategy may not activate it."""
    if not entry.keys or not may_wake(entry, KeywordTrigger.name):
        return None
    if any(map(is_pattern, entry.secondary_keys)):
        return None
    primary = dict.fromkeys(spec_of(key, settings) for key in entry.keys if not is_pattern(key))
    secondary = tuple(spec_of(key, settings) for key in entry.secondary_keys)
    return _KeywordEntry(tuple(primary), secondary, entry.selective_logic) if primary else None


def newest_user(scene: Scene) -> int:
    """The number of the newest user message's segment; 0 where there is none."""
    return next(
        (number for number, segment in enumerate(scene.segments) if segment.role == "user"), 0
    )


def _independent(seen: Sequence[_SeenKey]) -> list[_SeenKey]:
    """The independent matches: longest first, without those inside another."""
    if len(seen) == 1:
        return list(seen)
    kept: list[_SeenKey] = []
    for one in sorted(seen, key=lambda one: (one.span.start - one.span.end, one.spec.text)):
        if not any(one.inside(other) for other in kept):
            kept.append(one)
    return kept
