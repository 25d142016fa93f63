"""How use changes weight: used memories gain, memories passed over again and again lose a little. Source: S1.27, S4.13 to S4.17.

    weight in a turn = weight in the file + effect(existing turns)         both bounded, the effect is not stored

Only turns whose messages still exist are counted (`storage.usage_log`), so a swipe or an edit withdraws its part of the weight.
"""

from collections.abc import Iterable, Mapping
from math import exp2

from rolememory.schema.memory import MemoriesById, Memory, MemoryType
from rolememory.schema.usage import UsageTally, with_use
from rolememory.storage.edits import Edit

GAIN, HALF_USED = 0.5, 4.0  # maximum gain; turns that give half of it
LOSS, HALF_VAIN = (
    0.3,
    40.0,
)  # maximum loss; unused turns beyond PATIENCE that give half of it
PATIENCE = 8.0  # unused turns that cost nothing, plus as many for each turn that used it

_LASTING = (MemoryType.TRAIT, MemoryType.GOAL)


def effect(tally: UsageTally) -> float:
    """What use adds to a weight, -0.3 to 0.5; it saturates, so the hundredth turn hardly counts.

    >>> [effect(UsageTally(turns)) for turns in (0, 1, 4, 100)]
    [0.0, 0.0796, 0.25, 0.5]
    >>> [effect(UsageTally(0, vain)) for vain in (8, 9, 48, 1000)]
    [0.0, -0.0052, -0.15, -0.3]
    >>> effect(UsageTally(100, 900))
    0.2609
    """
    gained = GAIN * (1.0 - exp2(-tally.referenced / HALF_USED))
    tried = max(tally.vain - PATIENCE * (tally.referenced + 1.0), 0.0)
    lost = LOSS * (1.0 - exp2(-tried / HALF_VAIN))
    return round(gained - lost, 4)


def sinks(memory: Memory) -> bool:
    """Whether it may lose weight when unused: not if authored, locked, constant, a trait or a goal."""
    return not (memory.locked or memory.constant or memory.authored or memory.type in _LASTING)


def effects(tallies: Mapping[str, UsageTally], memories: MemoriesById) -> dict[str, float]:
    """The non-zero weight changes of existing memories, by id. Cost: O(tallies)."""
    added: dict[str, float] = {}
    for memory_id, tally in tallies.items():
        memory = memories.get(memory_id)
        change = effect(tally) if memory else 0.0
        if memory and (change > 0.0 or (change < 0.0 and sinks(memory))):
            added[memory_id] = change
    return added


def weight(memory: Memory, effects: Mapping[str, float]) -> float:
    """A memory's weight including the effect of use, 0..2."""
    return with_use(memory.weight, effects.get(memory.id, 0.0))


def adjusted(memory: Memory, delta: float) -> Edit:
    """The edit that changes a memory's stored weight by `delta`, clamped to 0..2. Source: S4.14.

    >>> adjusted(Memory(id="a", content="", weight=1.9), 0.5).fields
    {'weight': 2.0}
    """
    return Edit(
        "set", memory.id, {"weight": round(with_use(memory.weight, delta), 4)}, reason="weight"
    )


def core(
    memories: Iterable[Memory], min_weight: float, effects: Mapping[str, float] | None = None
) -> list[Memory]:
    """Unarchived memories of at least `min_weight`, heaviest first; ties: newest, then id. Source: S4.16."""
    added = effects or {}
    heavy = [
        memory for memory in memories if not memory.archived and weight(memory, added) >= min_weight
    ]
    return sorted(heavy, key=lambda memory: (-weight(memory, added), *_newest(memory)))


def archived(memories: Iterable[Memory]) -> list[Memory]:
    """Archived memories, newest first. Source: S4.17."""
    return sorted((memory for memory in memories if memory.archived), key=_newest)


def _newest(memory: Memory) -> tuple[float, str]:
    return (-memory.since.timestamp() if memory.since else 0.0, memory.id)
