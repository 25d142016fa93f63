"""Statistics of a role."""

from collections import Counter
from collections.abc import Iterable, Mapping

from rolememory.schema.memory import Memory, MemoryType
from rolememory.schema.value_class import value_class
from rolememory.storage.people import Same, alone

SHOWN_TAGS = 10


@value_class
class MemoryStats:
    """Counts of a role's memories. Source: S1.36, S4.31."""

    total: int
    archived: int
    by_type: Mapping[str, int]
    by_source: Mapping[str, int]
    by_user: Mapping[str, int]  # "" = shared by all
    tags: Mapping[str, int]  # the most common ones
    core: int  # weight above 1
    characters: int
    bytes_on_disk: int


def stats_of(memories: Iterable[Memory], size: int, same: Same = alone) -> MemoryStats:
    """Count, users by the person they are. `size`: bytes of all that is kept. Cost: O(n)."""
    every = list(memories)
    live = [memory for memory in every if not memory.archived]
    types = Counter(memory.type for memory in live)
    return MemoryStats(
        total=len(every),
        archived=len(every) - len(live),
        by_type={kind.array: types[kind] for kind in MemoryType},
        by_source=dict(Counter(memory.source.value for memory in live).most_common()),
        by_user=dict(Counter(same(memory.user or "") for memory in live).most_common()),
        tags=dict(Counter(tag for memory in live for tag in memory.tags).most_common(SHOWN_TAGS)),
        core=sum(memory.weight > 1 for memory in live),
        characters=sum(len(memory.content) for memory in live),
        bytes_on_disk=size,
    )
