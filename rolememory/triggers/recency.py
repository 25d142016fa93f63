"""Older memories speak more softly: a weighing strategy that only ever takes away (S1.24, P19)."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from math import isfinite
from typing import ClassVar, Literal

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.memory import Memory, in_utc
from rolememory.schema.scene import Scene
from rolememory.triggers.base import Parts, register

Curve = Literal["half_life", "exponential"]


def freshness(age: float, half_life: float, curve: Curve = "half_life") -> float:
    """What time has left of a thing, 1 (new) .. 0; `age` and `half_life` in the same unit, the future counts as now.

    `half_life` = 2^(-age / half_life): after one half-life a half is left. `exponential` = e^(-age / half_life), as the
    local-chat design writes it: after one `half_life` 0.37 is left. Always finite, whatever the clock says.

    >>> freshness(14, half_life=14), freshness(-3, half_life=14), freshness(float("inf"), half_life=14)
    (0.5, 1.0, 0.0)
    >>> round(freshness(14, half_life=14, curve="exponential"), 2)
    0.37
    """
    lives = max(age, 0.0) / half_life if isfinite(age) else (0.0 if age != float("inf") else float("inf"))
    base = 2.0 if curve == "half_life" else 2.718281828459045
    return float(base**-lives)


def days_between(then: datetime, now: datetime) -> float:
    """Age in days, never negative; times without a zone are taken as UTC.

    >>> days_between(datetime(2026, 1, 1), datetime(2026, 1, 2, 12))
    1.5
    """
    return float(max((in_utc(now) - in_utc(then)) / timedelta(days=1), 0.0))


@register("recency")
class RecencyTrigger:
    """Takes away up to its share of relevance as a memory ages; what does not fade is neutral. Cost: O(among)."""

    name: ClassVar[str] = "recency"
    activates: ClassVar[bool] = False

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        self._settings = parts.settings.recency
        self._told_at_turn = parts.told_at_turn
        spares = self._settings.spares_lasting
        fading = (entry for entry in entries if isinstance(entry, Memory) and (entry.fades or (not spares and entry.decay > 0)))
        self._fading = {memory.id: (memory.created, memory.decay) for memory in fading if memory.created}

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield freshness - 1 for each memory that has aged: 0 (new, no hit) toward -1 (very old)."""
        for entry_id in among:
            if dated := self._fading.get(entry_id):
                created, decay = dated
                strength, why = self._faded(created, decay, scene)
                if strength < 0.0:
                    yield Hit(entry_id, self.name, strength, why)

    def _faded(self, created: datetime, decay: float, scene: Scene) -> tuple[float, Reason]:
        age, half_life, unit = self._age(created, scene)
        left = freshness(age * decay, half_life, self._settings.curve)
        return left - 1.0, Reason("age", ((unit, int(age)), ("freshness", round(left, 4))))

    def _age(self, created: datetime, scene: Scene) -> tuple[float, float, str]:
        """Age, half-life and their unit: turns of the story where the timeline knows when it was told, else days."""
        if self._settings.clock == "turns" and self._told_at_turn is not None:
            turn = self._told_at_turn(created)
            if turn is not None:
                return float(max(scene.turn - turn, 0)), self._settings.half_life_turns, "turns"
        return days_between(created, scene.now), self._settings.half_life_days, "days"
