"""Older memories score lower: a weighing strategy that only subtracts (S1.24, P19)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import e, isfinite
from typing import ClassVar, Literal

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Reason
from rolememory.schema.memory import in_utc
from rolememory.schema.scene import Scene
from rolememory.text.arrays import Doubles, Mask, np
from rolememory.text.words import context_dependence
from rolememory.triggers.base import ByRows, Parts, register
from rolememory.triggers.table import ArrayColumn, TableEvidence, seconds

A_DAY = 86_400.0  # seconds
Curve = Literal["half_life", "exponential"]


def freshness(age: float, half_life: float, curve: Curve = "half_life") -> float:
    """Exponential decay from 1 (new) to 0; `age` and `half_life` in the same unit, the future counts as now.

    `half_life` = 2^(-age / half_life): after one half-life a half is left. `exponential` = e^(-age / half_life), as the
    local-chat design writes it: after one `half_life` 0.37 is left. Always finite, whatever the clock says.

    >>> freshness(14, half_life=14), freshness(-3, half_life=14), freshness(float("inf"), half_life=14)
    (0.5, 1.0, 0.0)
    >>> round(freshness(14, half_life=14, curve="exponential"), 2)
    0.37
    """
    lives = (
        max(age, 0.0) / half_life
        if isfinite(age)
        else (0.0 if age != float("inf") else float("inf"))
    )
    base = 2.0 if curve == "half_life" else e
    return float(base**-lives)


def days_between(then: datetime, now: datetime) -> float:
    """Age in days, never negative; times without a zone are taken as UTC.

    >>> days_between(datetime(2026, 1, 1), datetime(2026, 1, 2, 12))
    1.5
    """
    return float(max((in_utc(now) - in_utc(then)) / timedelta(days=1), 0.0))


def _counts(query: str, questions: float) -> float:
    """How much age counts for a message, 0..1: fully in talk, by the share `questions` for a question that needs no context.

    >>> _counts("The brass key is cold.", 0.25), _counts("Where is the brass key?", 0.25)
    (1.0, 0.25)
    """
    return questions + (1.0 - questions) * context_dependence(query)


@register("recency")
class RecencyTrigger(ByRows):
    """Subtracts up to its share of relevance as a memory ages; memories without decay are neutral. Cost: O(among)."""

    name: ClassVar[str] = "recency"
    activates: ClassVar[bool] = False

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        super().__init__(entries, parts)
        self._settings = parts.settings.recency
        self._told_at_turns = parts.told_at_turns
        self._decay = ArrayColumn("f8")  # 0 = does not fade
        self._listen()

    def add(self, rows: Sequence[int]) -> None:
        """Note the decay of these rows."""
        self._decay.grow(self.table.n_rows)
        fades = self.table.fades[rows] | (not self._settings.spares_lasting)
        aged = fades & (self.table.since[rows] == self.table.since[rows])  # nan: nobody knows
        self._decay[rows] = self.table.decay[rows] * aged

    def find(self, scene: Scene, among: Mask) -> TableEvidence:
        """Freshness - 1 for each memory that has aged: from 0 (new, none) toward -1 (very old)."""
        rows = among.nonzero()[0]
        rows = rows[self._decay[rows] > 0.0]
        unit, ages, half_life = self._ages(self.table.since[rows], scene)
        base = 2.0 if self._settings.curve == "half_life" else e
        left = base ** -(ages * self._decay[rows] / half_life)
        aged = (left < 1.0).nonzero()[0]
        taken = _counts(scene.query, self._settings.questions) * (left[aged] - 1.0)

        def because(place: int) -> Reason:
            at = aged[place]
            values = (unit, int(ages[at])), ("freshness", round(float(left[at]), 4))
            return Reason("age", values)

        return TableEvidence(rows[aged], taken, because)

    def _ages(self, since: Doubles, scene: Scene) -> tuple[str, Doubles, float]:
        """The unit, the age of each in it, and the half-life: turns of the story if counted, else days."""
        rules, told_at_turns = self._settings, self._told_at_turns
        if rules.clock == "turns" and told_at_turns is not None:
            turns = np.maximum(scene.turn - told_at_turns(since), 0.0)
            return "turns", turns, rules.half_life_turns
        days = np.maximum(seconds(in_utc(scene.now)) - since, 0.0) / A_DAY
        return "days", days, rules.half_life_days
