"""What happened under a full moon comes back under a full moon: a strategy for rolememory in one small module."""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from math import cos, pi
from typing import ClassVar

from rolememory import Hit, Parts, Reason, Scene
from rolememory.schema.entry import Entry
from rolememory.triggers.base import may_wake

SYNODIC_MONTH = timedelta(days=29.530588)
A_NEW_MOON = datetime(2000, 1, 6, 18, 14, tzinfo=UTC)
STRONGEST = 0.5  # a reason to wake, weaker than a key
TAGS = frozenset({"moon", "月"})


def illumination(moment: datetime) -> float:
    """How much of the moon is lit, 0 (new) .. 1 (full), by its mean period: half a day off at most.

    >>> round(illumination(A_NEW_MOON + SYNODIC_MONTH / 2), 2), round(illumination(A_NEW_MOON), 2)
    (1.0, 0.0)
    """
    phase = (moment - A_NEW_MOON) / SYNODIC_MONTH % 1.0
    return (1.0 - cos(2.0 * pi * phase)) / 2.0


def strength(lit: float) -> float:
    """How strongly a moon so full wakes, 0..1: nothing below nine tenths, then rising.

    >>> strength(0.5), strength(0.95), strength(1.0)
    (0.0, 0.25, 0.5)
    """
    return round(STRONGEST * max(lit - 0.9, 0.0) / 0.1, 3)


class MoonTrigger:
    """Wakes memories tagged `moon` while the moon is nearly full. Cost: O(entries so tagged)."""

    name: ClassVar[str] = "moon"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        self._tagged = [
            one.id
            for one in entries
            if TAGS & set(getattr(one, "tags", ())) and may_wake(one, self.name)
        ]

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield one hit per tagged memory; the scene's `now` is the only clock it looks at."""
        lit = illumination(scene.now)
        force = strength(lit)
        if force > 0.0:
            yield from (
                Hit(one, self.name, force, Reason("phase", (("lit", lit),)))
                for one in self._tagged
                if one in among
            )
