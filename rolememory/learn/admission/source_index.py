"""An index of memories by message and by words, so that a draft is compared with few of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from rolememory.learn.admission.similarity import equal
from rolememory.schema.memory import Evidence, MemoriesById, Memory, glimpsed
from rolememory.text.words import weighty

Place = tuple[str, str]
"""(chat, version)."""


class SourceIndex:
    """Memories by the messages they are based on and by their words. Not thread-safe.

    Cost: building O(memories); `follow` a comparison each; queries O(1).
    """

    def __init__(self, memories: Iterable[Memory] = ()) -> None:
        self._memories: dict[str, Memory] = {}
        self._by_place: dict[Place, dict[str, Memory]] = defaultdict(dict)
        self._by_words: dict[int, tuple[Memory, ...]] = {}
        for memory in memories:
            self.add(memory)

    def add(self, memory: Memory) -> None:
        """Add a memory; replaces an older version of the same id."""
        self.discard(memory.id)
        self._memories[memory.id], read = memory, glimpsed(memory)
        for place in places(read.evidence):
            self._by_place[place][memory.id] = memory
        words = _words(read)
        self._by_words[words] = (*self._by_words.get(words, ()), memory)

    def discard(self, memory_id: str) -> None:
        """Remove a memory, if present."""
        if (memory := self._memories.pop(memory_id, None)) is None:
            return
        read = glimpsed(memory)
        for place in places(read.evidence):
            self._by_place[place].pop(memory_id, None)
        words = _words(read)
        left = tuple(one for one in self._by_words.pop(words) if one is not memory)
        if left:
            self._by_words[words] = left

    def follow(self, memories: MemoriesById) -> None:
        """Hold exactly these memories; only changes are indexed."""
        for gone in self._memories.keys() - memories.keys():
            self.discard(gone)
        for memory_id, memory in memories.items():
            if self._memories.get(memory_id) is not memory:
                self.add(memory)

    def by(self, evidence: Iterable[Evidence]) -> Iterator[Memory]:
        """The memories based on one of the same messages, each once."""
        seen: dict[str, Memory] = {}
        for place in places(evidence):
            seen.update(self._by_place.get(place, {}))
        return iter(seen.values())

    def alike(self, memory: Memory) -> list[Memory]:
        """The memories with the same words, subject and user, except the memory itself."""
        among = self._by_words.get(_words(memory), ())
        return [one for one in among if one.id != memory.id and equal(memory.content, one.content)]


def _words(memory: Memory) -> int:
    """A hash of subject, user and words of weight: the words of all memories would take more room than their texts."""
    return hash((memory.subject, memory.user, weighty(memory.content)))


def places(evidence: Iterable[Evidence]) -> Iterator[Place]:
    """Each (chat, version) of the evidence, "+" joins split up."""
    return ((one.chat, version) for one in evidence for version in one.versions if version)
