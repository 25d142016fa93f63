"""Which memories were told by which message, so that a draft is compared with a handful and not with thousands."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from rolememory.schema.memory import Evidence, Memory

Place = tuple[str, str]
"""(chat, version)."""


class Told:
    """Memories by the messages they rest on. Not thread-safe. Cost: building O(memories); `follow` one look at each; asking O(1)."""

    def __init__(self, memories: Iterable[Memory] = ()) -> None:
        self._memories: dict[str, Memory] = {}
        self._by_place: dict[Place, dict[str, Memory]] = defaultdict(dict)
        for memory in memories:
            self.add(memory)

    def add(self, memory: Memory) -> None:
        """Know a memory; an older one of its id is forgotten."""
        self.discard(memory.id)
        self._memories[memory.id] = memory
        for place in places(memory.evidence):
            self._by_place[place][memory.id] = memory

    def discard(self, memory_id: str) -> None:
        """Forget a memory; one that is not here is no mistake."""
        memory = self._memories.pop(memory_id, None)
        for place in places(memory.evidence) if memory else ():
            self._by_place[place].pop(memory_id, None)

    def follow(self, memories: Mapping[str, Memory]) -> None:
        """Know exactly these memories: only what changed is read anew."""
        for gone in self._memories.keys() - memories.keys():
            self.discard(gone)
        for memory_id, memory in memories.items():
            if self._memories.get(memory_id) is not memory:
                self.add(memory)

    def by(self, evidence: Iterable[Evidence]) -> Iterator[Memory]:
        """The memories that rest on one of the same messages, each once."""
        seen: dict[str, Memory] = {}
        for place in places(evidence):
            seen.update(self._by_place.get(place, {}))
        return iter(seen.values())


def places(evidence: Iterable[Evidence]) -> Iterator[Place]:
    """Every message that supports, those joined by "+" one by one."""
    return (
        (one.chat, version) for one in evidence for version in one.version.split("+") if version
    )
