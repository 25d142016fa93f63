"""How a memory fades: what time has left of it since it was told, and what it will leave."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal

from pydantic import Field

from rolememory.engine import RoleMemory
from rolememory.schema.memory import Memory
from rolememory.serve.rest import inside
from rolememory.serve.rest.shapes import Out
from rolememory.triggers.recency import days_between, freshness

AHEAD = 3.0  # half-lives that are shown ahead of now
POINTS = 25


class FadingOut(Out):
    """A curve: freshness 0..1 over age; recency may take away at most `share` of relevance."""

    fades: bool
    unit: Literal["turns", "days"]
    half_life: float
    share: float
    age: float = Field(description="now, in `unit`")
    now: float = Field(description="freshness now")
    points: list[tuple[float, float]] = Field(description="(age, freshness), from its beginning to some half-lives ahead")


def fading(mind: RoleMemory, memory: Memory) -> FadingOut:
    """The curve of a memory under the settings as they are; flat for what does not fade."""
    rules = mind.settings.triggers.recency
    fades = memory.created is not None and rules.enabled and (memory.fades or (not rules.spares_lasting and memory.decay > 0))
    age, unit = _age(mind, memory.created, rules.clock == "turns")
    half_life = rules.half_life_turns if unit == "turns" else rules.half_life_days
    decay = memory.decay if fades else 0.0

    def left(at: float) -> float:
        return round(freshness(at * decay, half_life, rules.curve), 4)

    end = age + AHEAD * half_life / max(decay, 0.25)
    return FadingOut(
        fades=fades,
        unit=unit,
        half_life=half_life,
        share=rules.weight,
        age=age,
        now=left(age),
        points=[(at, left(at)) for at in _ages(age, end)],
    )


def _age(mind: RoleMemory, created: datetime | None, by_turns: bool) -> tuple[float, Literal["turns", "days"]]:
    told = inside.turn_of(mind, created) if created and by_turns else None
    if told is not None:
        return float(max(mind.turns - told, 0)), "turns"
    return (round(days_between(created, datetime.now(UTC)), 3) if created else 0.0), "turns" if by_turns and not created else "days"


def _ages(now: float, end: float) -> Iterator[float]:
    """Evenly spread, now among them."""
    steps = {round(end * step / (POINTS - 1), 3) for step in range(POINTS)}
    yield from sorted(steps | {now})
