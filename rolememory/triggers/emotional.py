"""Emotional recall: a strong emotion activates memories of that emotion, and the mood weighs active ones (S1.25)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit, Reason, Value
from rolememory.schema.scene import Feeling, Scene
from rolememory.text.affect import (
    COLUMNS,
    affect_fit,
    affect_of_entry,
    affect_similarity,
    emotion_weights,
    in_numbers,
)
from rolememory.text.arrays import Doubles, Mask, Rows, np
from rolememory.triggers.base import (
    ByRows,
    Parts,
    content_digests,
    may_wake,
    register,
)
from rolememory.triggers.table import ArrayColumn, TableEvidence

__all__ = ["EmotionalTrigger", "affect_of_entry", "shared"]

STRONGEST = 0.5  # what feeling alone is worth as a reason to wake
ASKED_FOR = 0.3  # the least it is worth where the memory asks to be woken by feeling
MOST_WOKEN = 5  # so many memories of one feeling are a mood, more are a flood


def shared(one: Feeling, other: Feeling) -> str:
    """The emotion that both feel most; "" if they share none.

    >>> shared(Feeling((("sadness", 0.9), ("love", 0.2))), Feeling((("love", 0.8), ("sadness", 0.6))))
    'sadness'
    """
    theirs = dict(other.emotions)
    both = (
        (min(weight, theirs[label]), label) for label, weight in one.emotions if label in theirs
    )
    return max(both, default=(0.0, ""))[1]


_CALM = Feeling()


@register("emotional")
class EmotionalTrigger(ByRows):
    """Activates by strong emotion, weighs by mood; no effect if either side is neutral. Cost: O(n) numpy passes, and its hits.

    Texts are read on the first emotional turn, since most are neutral.
    """

    name: ClassVar[str] = "emotional"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        super().__init__(entries, parts)
        self._settings = parts.settings.emotional
        self._read, self._derive, self._terms = parts.feelings, parts.felt, parts.terms
        self._unread = ArrayColumn("?")
        self._feelings: dict[int, Feeling] = {}  # of those that feel anything
        self._alike: dict[Feeling, Feeling] = {}  # each is held once, however many feel it
        self._numbers = ArrayColumn("f8", width=COLUMNS)
        self._wakeful, self._declared, self._asking = (
            ArrayColumn("?"),
            ArrayColumn("?"),
            ArrayColumn("?"),
        )
        self._some = ArrayColumn("?")  # whether it feels anything
        self._listen()

    def add(self, rows: Sequence[int]) -> None:
        """Read these later."""
        columns = (
            self._numbers,
            self._wakeful,
            self._declared,
            self._asking,
            self._some,
            self._unread,
        )
        for column in columns:
            column.grow(self.table.n_rows)
        self._unread[rows] = True

    def remove(self, rows: Sequence[int]) -> None:
        """Read these no more."""
        self._unread[rows] = False
        for row in rows:
            if self._feelings.pop(row, None):
                self._numbers[row] = 0.0

    def read_ahead(self, most: int | None = None) -> None:
        """Read the feeling of each new row, unless that is more than so many. Cost: O(new texts)."""
        rows = self._unread.set_rows(most)
        special = self.table.special(rows)
        entries = dict(zip(special, self.table.entries(special), strict=True))
        declared = {row: getattr(one, "emotions", ()) for row, one in entries.items()}
        for row, feeling in zip(rows, self._derived(rows, declared), strict=True):
            self._some[row] = not feeling.neutral
            if not feeling.neutral:
                self._feelings[row] = self._alike.setdefault(feeling, feeling)
                self._numbers[row] = in_numbers(feeling)
        self._wakeful[rows] = True
        self._declared[rows] = self._asking[rows] = False
        for row, one in entries.items():
            self._wakeful[row] = may_wake(one, self.name)
            self._declared[row] = bool(declared[row])
            self._asking[row] = self.name in getattr(one, "triggers", ())
        self._unread[rows] = False

    def _derived(self, rows: Sequence[int], declared: Mapping[int, Sequence[str]]) -> list[Feeling]:
        """The feelings of these rows, from declared emotions and text."""
        entries = self.table.entries(rows)
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

    def _of(self, row: int) -> Feeling:
        """The feeling of the entry in a row."""
        return self._feelings.get(row, _CALM)

    def find(self, scene: Scene, among: Mask) -> TableEvidence:
        """Memories of the message's emotion: the strongest few, and all whose `triggers` name this strategy."""
        if not self._settings.wakes or not scene.feeling.emotions:
            return TableEvidence.of(())
        self.read_ahead()
        rows, strengths = self._strengths(scene.feeling, among)
        chosen = self._chosen(rows, strengths)
        felt = list(map(self._of, rows[chosen].tolist()))
        return TableEvidence(
            rows[chosen],
            strengths[chosen],
            lambda place: Reason("feeling", _emotion_values(scene.feeling, felt[place])),
        )

    def weigh(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield for each active memory how well its feeling fits the mood, times its salience, -1..1."""
        return self.lean(scene, self.table.among(among).mask).hits(self.table, self.name)

    def lean(self, scene: Scene, among: Mask) -> TableEvidence:
        """The same by rows."""
        if scene.mood.neutral:
            return TableEvidence.of(())
        self.read_ahead()
        rows = np.flatnonzero(among & self._some.values)
        fits = affect_fit(scene.mood, self._numbers[rows], self._settings.mood)
        fitting = fits * self.table.salience[rows]
        (some,) = fitting.nonzero()
        felt, fits = list(map(self._of, rows[some].tolist())), fitting[some]

        def because(place: int) -> Reason:
            fit = round(float(fits[place]), 4)
            return Reason("mood", (*_emotion_values(scene.mood, felt[place]), ("fit", fit)))

        return TableEvidence(rows[some], fits, because)

    def _strengths(self, now: Feeling, among: Mask) -> tuple[Rows, Doubles]:
        """The rows that share an emotion with the message, and their strengths.

        Memories that do not name this strategy need a strong emotion; undeclared ones count by their salience.
        """
        may = among & self._wakeful.values & self._some.values
        if now.intensity < self._settings.wake_intensity:
            may &= self._asking.values
        rows = np.flatnonzero(may)
        theirs, mine = emotion_weights(self._numbers[rows]), np.array(in_numbers(now)[:-3])
        both = np.minimum(theirs, mine).max(axis=1)
        meeting = both * affect_similarity(mine, theirs)
        salience = self.table.salience[rows]
        share = np.where(self._declared[rows], 0.6 + 0.6 * salience, salience)
        strengths = np.where(
            self._asking[rows],
            ASKED_FOR + (STRONGEST - ASKED_FOR) * meeting,
            np.minimum(STRONGEST * meeting * share, STRONGEST),
        ).round(9)
        some = (both > 0.0) & (strengths > 0.0)
        return rows[some], strengths[some]

    def _chosen(self, rows: Rows, strengths: Doubles) -> list[int]:
        """The places of all that name this strategy, and of the strongest few others; ties: by id."""
        asking = self._asking[rows]
        others = np.flatnonzero(~asking)
        if len(others) > MOST_WOKEN:
            least = np.partition(strengths[others], -MOST_WOKEN)[-MOST_WOKEN]
            others = others[strengths[others] >= least]
        best = nsmallest(
            MOST_WOKEN,
            others.tolist(),
            key=lambda place: (-strengths[place], self.table.entry(int(rows[place])).id),
        )
        return [*np.flatnonzero(asking).tolist(), *best]


def _emotion_values(now: Feeling, then: Feeling) -> tuple[tuple[str, Value], ...]:
    """The emotion that both share, else the memory's own, and the words that say what is felt now."""
    label = shared(now, then) or then.emotions[0][0]
    return ("emotion", label), ("words", ", ".join(now.words[:4]))
