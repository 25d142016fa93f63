"""Feeling calls to feeling: strong feeling wakes memories of that feeling, and the mood weighs those awake (S1.25)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING, ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.scene import Feeling, Scene
from rolememory.text.feel import EMOTIONS, feeling_of, fit, likeness
from rolememory.triggers.base import ByRows, Parts, may_wake, register
from rolememory.triggers.table import Column, Found, Table

if TYPE_CHECKING:
    from rolememory.triggers.table import Doubles, Mask

__all__ = ["EmotionalTrigger", "feeling_of", "shared"]

STRONGEST = 0.5  # what feeling alone is worth as a reason to wake
ASKED_FOR = 0.3  # the least it is worth where the memory asks to be woken by feeling
MOST_WOKEN = 5  # so many memories of one feeling are a mood, more are a flood
ROUNDING = 1e-5  # what columns in single precision may differ by


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


class _Felt:
    """What each row feels, in columns; a text is read when something is first felt, most turns are calm."""

    def __init__(self, table: Table, read: Mapping[str, Feeling]) -> None:
        self._table, self._read = table, read
        self._unread: set[int] = set()
        self.weights = Column("f4", width=len(EMOTIONS))
        self.wakeful, self.declared, self.asking = Column("?"), Column("?"), Column("?")
        self.some = Column("?")  # whether it feels anything

    def add(self, rows: Sequence[int]) -> None:
        """Read these later."""
        for column in (self.weights, self.wakeful, self.declared, self.asking, self.some):
            column.grow(self._table.n_rows)
        self._unread.update(rows)

    def remove(self, rows: Sequence[int]) -> None:
        """Read these no more."""
        self._unread.difference_update(rows)

    def read(self) -> None:
        """Read what is new. Cost: O(new texts)."""
        for row in self._unread:
            entry = self._table.entry(row)
            feeling = self.of(row)
            triggers = getattr(entry, "triggers", ())
            self.weights[row] = _weights(feeling)
            self.some[row] = not feeling.neutral
            self.wakeful[row] = may_wake(entry, "emotional")
            self.declared[row] = bool(getattr(entry, "emotions", ()))
            self.asking[row] = "emotional" in triggers
        self._unread.clear()

    def of(self, row: int) -> Feeling:
        """What the entry in a row feels."""
        return self._read.get(self._table.entry(row).id, Feeling())


def _weights(feeling: Feeling) -> "Doubles":
    import numpy as np

    weights = np.zeros(len(EMOTIONS))
    for label, weight in feeling.emotions:
        weights[EMOTIONS.index(label)] = weight
    return weights


@register("emotional")
class EmotionalTrigger(ByRows):
    """Wakes by strong feeling, weighs by mood; neutral on either side is nothing. Cost: O(n) numpy passes, and the few that it wakes."""

    name: ClassVar[str] = "emotional"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        super().__init__(entries, parts)
        self._settings = parts.settings.emotional
        self._felt = _Felt(self.table, parts.feelings)
        self._listen()

    def add(self, rows: Sequence[int]) -> None:
        """Read these later."""
        self._felt.add(rows)

    def remove(self, rows: Sequence[int]) -> None:
        """Read these no more."""
        self._felt.remove(rows)

    def find(self, scene: Scene, among: "Mask") -> Found:
        """What the message's feeling calls up: at most the strongest few, and all that ask for it."""
        if not self._settings.wakes or not scene.feeling.emotions:
            return Found.of(())
        self._felt.read()
        hits = [
            (row, *hit)
            for row in self._promising(scene.feeling, among)
            if (hit := self._meet(row, scene.feeling))
        ]
        asking = [hit for hit in hits if self._felt.asking[hit[0]]]
        others = [hit for hit in hits if not self._felt.asking[hit[0]]]
        return Found.of(
            [
                *asking,
                *nsmallest(
                    MOST_WOKEN, others, key=lambda hit: (-hit[1], self.table.entry(hit[0]).id)
                ),
            ]
        )

    def weigh(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield for each awake memory how well its feeling fits the mood, times its salience, -1..1."""
        return self.lean(scene, self.table.among(among).mask).hits(self.table, self.name)

    def lean(self, scene: Scene, among: "Mask") -> Found:
        """The same by rows."""
        import numpy as np

        if scene.mood.neutral:
            return Found.of(())
        self._felt.read()
        hits = []
        for row in np.flatnonzero(among & self._felt.some.values).tolist():
            feeling = self._felt.of(row)
            fitting = fit(scene.mood, feeling, self._settings.mood) * float(
                self.table.salience[row]
            )
            if fitting:
                label = shared(scene.mood, feeling)[0] or feeling.emotions[0][0]
                why = Reason(
                    "mood",
                    (
                        ("emotion", label),
                        ("words", ", ".join(scene.mood.words[:4])),
                        ("fit", round(fitting, 4)),
                    ),
                )
                hits.append((row, fitting, why))
        return Found.of(hits)

    def _promising(self, told: Feeling, among: "Mask") -> list[int]:
        """Rows that share a feeling with what was told: all that ask for it, of the others those that may be among the strongest."""
        import numpy as np

        felt = self._felt
        rows = np.flatnonzero(among & felt.wakeful.values & felt.some.values)
        theirs, mine = felt.weights[rows], _weights(told).astype(np.float32)
        both = np.minimum(theirs, mine).max(axis=1)
        norms = np.linalg.norm(theirs, axis=1) * np.linalg.norm(mine)
        meeting = both * (theirs @ mine) / np.maximum(norms, 1e-9)
        salience = self.table.salience[rows]
        share = np.where(felt.declared[rows], 0.6 + 0.6 * salience, salience)
        strengths = np.minimum(STRONGEST * meeting * share, STRONGEST)
        asking = felt.asking[rows]
        strengths[asking | (told.intensity < self._settings.wake_intensity)] = 0.0
        least = np.partition(strengths, -MOST_WOKEN)[-MOST_WOKEN] if len(rows) > MOST_WOKEN else 0.0
        chosen = (asking & (both > 0.0)) | ((strengths > 0.0) & (strengths >= least - ROUNDING))
        found: list[int] = rows[chosen].tolist()
        return found

    def _meet(self, row: int, told: Feeling) -> tuple[float, Reason] | None:
        feeling = self._felt.of(row)
        label, both = shared(told, feeling)
        alike = likeness(told, feeling)
        if not both:
            return None
        if self._felt.asking[row]:
            strength = ASKED_FOR + (STRONGEST - ASKED_FOR) * both * alike
        else:
            strength = self._unasked(row, told, both * alike)
        why = Reason("feeling", (("emotion", label), ("words", ", ".join(told.words[:4]))))
        return (strength, why) if strength > 0.0 else None

    def _unasked(self, row: int, told: Feeling, meeting: float) -> float:
        """The author did not ask for it: only strong feeling wakes, and a feeling merely read counts by salience."""
        if told.intensity < self._settings.wake_intensity:
            return 0.0
        salience = float(self.table.salience[row])
        share = 0.6 + 0.6 * salience if self._felt.declared[row] else salience
        return min(STRONGEST * meeting * share, STRONGEST)
