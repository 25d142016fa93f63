"""Housekeeping: what has expired, faded from use or outgrown its limit is archived, never deleted. Source: S1.34, S4.15, S4.30."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from rolememory.schema.evidence import Reason
from rolememory.schema.memory import Memory, MemoryType
from rolememory.schema.settings import PerType


@dataclass(frozen=True, slots=True)
class Retirement:
    """A memory to be archived, and why."""

    id: str
    because: Reason


def retire(memories: Iterable[Memory], now: datetime, *, below_weight: float, limits: PerType) -> list[Retirement]:
    """What `clean` archives, in this order: expired, weight below the threshold, over the limit of its type.

    Locked, constant and already archived memories are left alone, and so is everything within its limit.
    """
    live = [memory for memory in memories if not memory.archived]
    gone = dict(_expired(live, now))
    gone |= {memory_id: why for memory_id, why in _worn(live, below_weight) if memory_id not in gone}
    rest = [memory for memory in live if memory.id not in gone]
    gone |= dict(_crowded(rest, limits))
    return [Retirement(memory_id, why) for memory_id, why in gone.items()]


def strength(memory: Memory) -> tuple[float, float, float, str]:
    """How dear a memory is when room is short: weight, then salience, then age, then id; larger stays."""
    created = memory.created.timestamp() if memory.created else 0.0
    return (memory.weight, memory.salience + memory.priority / 100, created, memory.id)


def _spared(memory: Memory) -> bool:
    return memory.locked or memory.constant


def _expired(memories: Iterable[Memory], now: datetime) -> Iterator[tuple[str, Reason]]:
    for memory in memories:
        if memory.expires and memory.expires <= now and not memory.locked:
            yield memory.id, Reason("expired", (("at", memory.expires.isoformat()),))


def _worn(memories: Iterable[Memory], below_weight: float) -> Iterator[tuple[str, Reason]]:
    for memory in memories:
        if memory.weight < below_weight and not _spared(memory):
            yield memory.id, Reason("low_weight", (("weight", memory.weight), ("below", below_weight)))


def _crowded(memories: list[Memory], limits: PerType) -> Iterator[tuple[str, Reason]]:
    for kind in MemoryType:
        limit: int | None = getattr(limits, kind.array)
        own = [memory for memory in memories if memory.type is kind]
        if limit is None or len(own) <= limit:
            continue
        weakest = sorted((memory for memory in own if not _spared(memory)), key=strength)
        for memory in weakest[: len(own) - limit]:
            yield memory.id, Reason("limit", (("type", kind.value), ("limit", limit)))
