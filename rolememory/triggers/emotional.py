"""Emotional recall: a strong emotion activates memories of that emotion, and the mood weighs active ones (S1.25)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.scene import Feeling, Scene
from rolememory.schema.value_class import value_class
from rolememory.text.affect import (
    COLUMNS,
    affect_fit,
    affect_of_entry,
    affect_similarity,
    in_numbers,
)
from rolememory.text.arrays import Doubles, Mask, np
from rolememory.text.terms import TermIndex
from rolememory.triggers.base import (
    ByRows,
    Derive,
    Parts,
    anew,
    content_digests,
    may_wake,
    register,
)
from rolememory.triggers.table import ArrayColumn, Table, TableEvidence

__all__ = ["EmotionalTrigger", "affect_of_entry", "shared"]

STRONGEST = 0.5  # what feeling alone is worth as a reason to wake
ASKED_FOR = 0.3  # the least it is worth where the memory asks to be woken by feeling
MOST_WOKEN = 5  # so many memories of one feeling are a mood, more are a flood
ROUNDING = 1e-9  # what columns may differ by from numbers that are worked out one by one


def shared(one: Feeling, other: Feeling) -> tuple[str, float]:
    """The emotion that both feel most, and how strongly both do, 0..1; ("", 0) if they share none.

    >>> shared(Feeling((("sadness", 0.9), ("love", 0.2))), Feeling((("love", 0.8), ("sadness", 0.6))))
    ('sadness', 0.6)
    """
    theirs = dict(other.emotions)
    both = (
        (min(weight, theirs[label]), label) for label, weight in one.emotions if label in theirs
    )
    weight, label = max(both, default=(0.0, ""), key=lambda pair: (pair[0], pair[1]))
    return label, weight


_CALM = Feeling()


class _Felt:
    """The feeling of each row, in columns; texts are read on the first emotional turn, since most are neutral."""

    def __init__(
        self,
        table: Table,
        read: Mapping[str, Feeling],
        derive: Derive = anew,
        terms: TermIndex | None = None,
    ) -> None:
        self._table, self._read, self._derive, self._terms = table, read, derive, terms
        self._unread = ArrayColumn("?")
        self._feelings: dict[int, Feeling] = {}  # of those that feel anything
        self._alike: dict[Feeling, Feeling] = {}  # each is held once, however many feel it
        self.numbers = ArrayColumn("f8", width=COLUMNS)
        self.wakeful, self.declared, self.asking = (
            ArrayColumn("?"),
            ArrayColumn("?"),
            ArrayColumn("?"),
        )
        self.some = ArrayColumn("?")  # whether it feels anything

    def add(self, rows: Sequence[int]) -> None:
        """Read these later."""
        columns = self.numbers, self.wakeful, self.declared, self.asking, self.some, self._unread
        for column in columns:
            column.grow(self._table.n_rows)
        self._unread[rows] = True

    def remove(self, rows: Sequence[int]) -> None:
        """Read these no more."""
        self._unread[rows] = False
        for row in rows:
            if self._feelings.pop(row, None):
                self.numbers[row] = 0.0

    def read(self, most: int | None = None) -> None:
        """Read the queued rows, unless more than `most`. Cost: O(new texts)."""
        rows = self._unread.values.nonzero()[0].tolist()
        if most is not None and len(rows) > most:
            return
        special = self._table.special(rows)
        entries = dict(zip(special, self._table.entries(special), strict=True))
        declared = {row: getattr(one, "emotions", ()) for row, one in entries.items()}
        for row, feeling in zip(rows, self._told(rows, declared), strict=True):
            self.some[row] = not feeling.neutral
            if not feeling.neutral:
                self._feelings[row] = self._alike.setdefault(feeling, feeling)
                self.numbers[row] = in_numbers(feeling)
        self.wakeful[rows] = True
        self.declared[rows] = self.asking[rows] = False
        for row, one in entries.items():
            self.wakeful[row] = may_wake(one, "emotional")
            self.declared[row] = bool(declared[row])
            self.asking[row] = "emotional" in getattr(one, "triggers", ())
        self._unread[rows] = False

    def _told(self, rows: Sequence[int], declared: Mapping[int, Sequence[str]]) -> list[Feeling]:
        """The feelings of these rows, from declared emotions and text."""
        entries = self._table.entries(rows)
        digests = content_digests(entries, self._terms)
        keys = [
            f"{declared.get(row, ())!r} {digest}" for row, digest in zip(rows, digests, strict=True)
        ]
        ids = dict(zip(keys, (entry.id for entry in entries), strict=True))

        def read(key: str) -> tuple[object, ...]:
            felt = self._read.get(ids[key], _CALM)
            return felt.emotions, felt.valence, felt.arousal

        return [
            Feeling(tuple((label, weight) for label, weight in emotions), valence, arousal)
            if emotions or valence or arousal
            else _CALM
            for emotions, valence, arousal in self._derive("felt", keys, read)
        ]

    def of(self, row: int) -> Feeling:
        """The feeling of the entry in a row."""
        return self._feelings.get(row, _CALM)


@register("emotional")
class EmotionalTrigger(ByRows):
    """Activates by strong emotion, weighs by mood; no effect if either side is neutral. Cost: O(n) numpy passes, and its hits."""

    name: ClassVar[str] = "emotional"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        super().__init__(entries, parts)
        self._settings = parts.settings.emotional
        self._felt = _Felt(self.table, parts.feelings, parts.felt, parts.terms)
        self._listen()

    def add(self, rows: Sequence[int]) -> None:
        """Read these later."""
        self._felt.add(rows)

    def remove(self, rows: Sequence[int]) -> None:
        """Read these no more."""
        self._felt.remove(rows)

    def read_ahead(self, most: int | None = None) -> None:
        """Read the feeling of each row."""
        self._felt.read(most)

    def find(self, scene: Scene, among: Mask) -> TableEvidence:
        """Memories of the message's emotion: the strongest few, and all whose `triggers` name this strategy."""
        if not self._settings.wakes or not scene.feeling.emotions:
            return TableEvidence.of(())
        self._felt.read()
        hits = [
            (row, *hit)
            for row in self._promising(scene.feeling, among)
            if (hit := self._meet(row, scene.feeling))
        ]
        asking = [hit for hit in hits if self._felt.asking[hit[0]]]
        others = [hit for hit in hits if not self._felt.asking[hit[0]]]
        return TableEvidence.of(
            [
                *asking,
                *nsmallest(
                    MOST_WOKEN, others, key=lambda hit: (-hit[1], self.table.entry(hit[0]).id)
                ),
            ]
        )

    def weigh(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield for each active memory how well its feeling fits the mood, times its salience, -1..1."""
        return self.lean(scene, self.table.among(among).mask).hits(self.table, self.name)

    def lean(self, scene: Scene, among: Mask) -> TableEvidence:
        """The same by rows."""
        if scene.mood.neutral:
            return TableEvidence.of(())
        self._felt.read()
        rows = np.flatnonzero(among & self._felt.some.values)
        fits = affect_fit(scene.mood, self._felt.numbers[rows], self._settings.mood)
        fitting = fits * self.table.salience[rows]
        (some,) = fitting.nonzero()
        felt = list(map(self._felt.of, rows[some].tolist()))
        because = _Mood(scene.mood, felt, fitting[some])
        return TableEvidence(rows[some], fitting[some], because)

    def _promising(self, told: Feeling, among: Mask) -> list[int]:
        """Rows that share an emotion with the message: all that name this strategy, of the others those that may be strongest."""
        felt = self._felt
        may = among & felt.wakeful.values & felt.some.values
        if told.intensity < self._settings.wake_intensity:
            may &= felt.asking.values
        rows = np.flatnonzero(may)
        if not len(rows):
            return []
        theirs, mine = felt.numbers[rows][:, :-3], np.array(in_numbers(told)[:-3])
        both = np.minimum(theirs, mine).max(axis=1)
        norms = np.sqrt(np.einsum("ij,ij->i", theirs, theirs)) * np.linalg.norm(mine)
        meeting = both * (theirs @ mine) / np.maximum(norms, 1e-9)
        salience = self.table.salience[rows]
        share = np.where(felt.declared[rows], 0.6 + 0.6 * salience, salience)
        strengths = np.minimum(STRONGEST * meeting * share, STRONGEST)
        asking = felt.asking[rows]
        strengths[asking] = 0.0
        least = np.partition(strengths, -MOST_WOKEN)[-MOST_WOKEN] if len(rows) > MOST_WOKEN else 0.0
        sure = (asking & (both > 0.0)) | (strengths > least + ROUNDING)
        equal = rows[~sure & (strengths > 0.0) & (strengths >= least - ROUNDING)].tolist()
        found: list[int] = rows[sure].tolist()
        return found + nsmallest(MOST_WOKEN, equal, key=lambda row: self.table.entry(row).id)

    def _meet(self, row: int, told: Feeling) -> tuple[float, Reason] | None:
        feeling = self._felt.of(row)
        label, both = shared(told, feeling)
        alike = affect_similarity(told, feeling)
        if not both:
            return None
        if self._felt.asking[row]:
            strength = ASKED_FOR + (STRONGEST - ASKED_FOR) * both * alike
        else:
            strength = self._unasked(row, told, both * alike)
        why = Reason("feeling", (("emotion", label), ("words", ", ".join(told.words[:4]))))
        return (strength, why) if strength > 0.0 else None

    def _unasked(self, row: int, told: Feeling, meeting: float) -> float:
        """Strength for a memory that does not name this strategy: only for strong emotions, and undeclared ones times salience."""
        if told.intensity < self._settings.wake_intensity:
            return 0.0
        salience = float(self.table.salience[row])
        share = 0.6 + 0.6 * salience if self._felt.declared[row] else salience
        return min(STRONGEST * meeting * share, STRONGEST)


@value_class
class _Mood:
    """The reasons: the emotion shared with the mood, else the memory's own."""

    mood: Feeling
    feelings: Sequence[Feeling]
    fitting: Doubles

    def __call__(self, place: int) -> Reason:
        feeling, words = self.feelings[place], ", ".join(self.mood.words[:4])
        label = shared(self.mood, feeling)[0] or feeling.emotions[0][0]
        fitting = round(float(self.fitting[place]), 4)
        return Reason("mood", (("emotion", label), ("words", words), ("fit", fitting)))
