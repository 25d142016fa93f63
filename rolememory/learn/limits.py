"""Which memories are over the limit of their type, without comparing all of them at each write."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from heapq import heappop, heappush
from typing import Any

from rolememory.learn.maintenance import Retirement, retire, spared, strength
from rolememory.schema.evidence import Reason
from rolememory.schema.memory import MemoriesById, Memory, MemoryType, glimpsed
from rolememory.schema.settings import PerType
from rolememory.storage.memories import Snapshot

_SPARE = 1000


class MemoryLimits:
    """Memories by strength, following the snapshots of a store. Not thread-safe.

    All that expire, replace others or are replaced are compared; of the rest, only as many of the weakest as are over the limit.
    """

    def __init__(self) -> None:
        self._mark, self._most = -1, 0
        self._begin()

    def _begin(self) -> None:
        self._types: dict[str, MemoryType] = {}  # of those in use
        self._counts = Counter[MemoryType]()  # of those in use
        self._compared = dict[str, None]()  # also of what was there once
        self._heaps: dict[MemoryType, list[tuple[float, float, float, str]]] = {
            kind: [] for kind in MemoryType
        }  # strengths, also former ones

    def over(self, snapshot: Snapshot, now: datetime, limits: PerType) -> list[Retirement]:
        """What `retire` archives only because of a limit, whatever use adds to a weight.

        Cost: O(changed since the last time) if none is over its limit, else O(compared); O(memories) the first time.
        """
        self._follow(snapshot)
        more = dict(self._excess(limits))
        if not more:
            return []
        memories = snapshot.memories
        ids = {one: None for one in self._compared if one in self._types}
        for kind, count in more.items():
            ids |= dict.fromkeys(self._weakest(kind, count, memories))
        some = [memories[one] for one in ids]
        here = Counter(memory.type for memory in some)
        left: dict[str, Any] = {kind.array: here[kind] - count for kind, count in more.items()}
        found = retire(some, now, below_weight=0.0, limits=PerType.model_construct(**left))
        over = Reason("limit")
        return [Retirement(one.id, over) for one in found if one.because.code == over.code]

    def _excess(self, limits: PerType) -> Iterator[tuple[MemoryType, int]]:
        """The types over their limit, and by how many."""
        for kind in MemoryType:
            limit = getattr(limits, kind.array)
            if limit is not None and self._counts[kind] > limit:
                yield kind, self._counts[kind] - limit

    def _weakest(self, kind: MemoryType, count: int, memories: MemoriesById) -> Iterable[str]:
        """The weakest that may be archived, besides those compared anyway; at most so many."""
        heap, found = self._heaps[kind], dict[str, tuple[float, float, float, str]]()
        while heap and len(found) < count:
            key = heappop(heap)
            one = key[-1]
            if self._types.get(one) is kind and one not in self._compared:
                memory = memories[one]
                if not spared(memory) and strength(memory) == key:
                    found[one] = key
        for key in found.values():
            heappush(heap, key)
        return found

    def _follow(self, snapshot: Snapshot) -> None:
        here, changed = snapshot.memories, snapshot.changes.since(self._mark)
        if changed is None or self._size() > self._most:
            self._begin()
            self._note(here, here)
            self._most = 2 * self._size() + _SPARE
        else:
            self._note(dict.fromkeys(changed), here)
        self._mark = snapshot.mark

    def _size(self) -> int:
        return len(self._compared) + sum(map(len, self._heaps.values()))

    def _note(self, ids: Iterable[str], memories: MemoriesById) -> None:
        for one in ids:
            if (before := self._types.pop(one, None)) is not None:
                self._counts[before] -= 1
            memory = memories.get(one)
            if memory is not None and not (read := glimpsed(memory)).archived:
                self._add(read)

    def _add(self, memory: Memory) -> None:
        self._types[memory.id] = memory.type
        self._counts[memory.type] += 1
        if memory.expires or memory.supersedes:
            self._compared |= dict.fromkeys((memory.id, *memory.supersedes))
        elif not spared(memory):
            heappush(self._heaps[memory.type], strength(memory))
