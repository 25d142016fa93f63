"""Decay of memories: their freshness now, at a moment, and in the future."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query

from rolememory.engine import RoleMemory
from rolememory.engine.ageing import Ageing, Unit
from rolememory.schema.memory import Memory
from rolememory.serve.rest.dependencies import RoleCall, router
from rolememory.serve.rest.schemas import Out

AHEAD = 3.0  # half-lives shown after now
POINTS = 25
routes = router("memories")


class FadingOut(Out):
    """The decay curve of a memory: freshness 0..1 by age. Recency takes away at most `share` of its relevance."""

    fades: bool
    unit: Unit
    half_life: float
    share: float
    age: float
    """now, in `unit`"""
    now: float
    """freshness now"""
    points: list[tuple[float, float]]
    """(age, freshness), from creation to some half-lives ahead"""


class FreshnessOut(Out):
    """The freshness of each memory at a moment."""

    at: datetime
    unit: Unit
    half_life: float
    share: float
    values: dict[str, float]
    """freshness 0..1 by id; memories that do not decay are left out"""


@routes.get("/roles/{role}/fading")
def freshness_of_all(
    call: RoleCall,
    at: Annotated[
        datetime | None, Query(description="a moment in the past; by default now")
    ] = None,
    ahead: Annotated[
        float, Query(ge=0.0, le=100.0, description="half-lives after that moment")
    ] = 0.0,
) -> FreshnessOut:
    """The freshness of every memory now, at a moment, or in the future."""
    ageing = Ageing.of(call.role)
    moment = at or datetime.now(UTC)
    later = ahead * ageing.half_life
    values = {
        memory.id: ageing.left(memory, ageing.age(memory.since, moment) + later)
        for memory in call.role.memories.values()
        if ageing.fades(memory)
    }
    return FreshnessOut.from_value(ageing, at=moment, share=ageing.rules.weight, values=values)


def fading(role_memory: RoleMemory, memory: Memory) -> FadingOut:
    """The decay curve of a memory under the current settings; flat if it does not decay."""
    ageing = Ageing.of(role_memory)
    age = ageing.age(memory.since, datetime.now(UTC))
    fades = ageing.fades(memory)
    end = age + AHEAD * ageing.half_life / max(memory.decay if fades else 0.0, 0.25)
    return FadingOut.from_value(
        ageing,
        fades=fades,
        share=ageing.rules.weight,
        age=age,
        now=ageing.left(memory, age),
        points=[(at, ageing.left(memory, at)) for at in _ages(age, end)],
    )


def _ages(now: float, end: float) -> Iterator[float]:
    """Evenly spaced ages, including the current one."""
    steps = {round(end * step / (POINTS - 1), 3) for step in range(POINTS)}
    yield from sorted(steps | {now})
