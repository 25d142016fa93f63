"""Finds known memories related to a batch: shown to the model, so that it does not repeat them and can mark them outdated."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from heapq import nlargest
from itertools import islice

from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Evidence, MemoriesById, Memory, Source
from rolememory.text.words import tokens

MOST_SHOWN = 12
MOST_COMPARED = 5_000  # number of memories, the newest

Sees = Callable[[Evidence], bool]
"""Whether a support stands now."""


class KnownMemories:
    """Memories, some of which may be used and shown; evaluated lazily, since few are needed."""

    def __init__(
        self,
        memories: MemoriesById,
        sees: Sees,
        tells: Callable[[Memory], bool] = lambda _: True,
    ) -> None:
        """`tells`: whether every reader may hear it."""
        self.memories, self._sees, self._tells = memories, sees, tells
        self._newer: dict[str, list[Memory]] = {}  # by id: what replaces it
        for one in memories.values():
            for old in one.supersedes:
                self._newer.setdefault(old, []).append(one)

    def stands(self, memory: Memory) -> bool:
        """Whether it may be used: it counts, is not replaced by one that counts, and is no conclusion or chapter."""
        if memory.source is Source.INFERENCE or memory.chapter or not self._tells(memory):
            return False
        newer = (one for one in self._newer.get(memory.id, ()) if one.id != memory.id)
        return self._counts(memory) and not any(map(self._counts, newer))

    def _counts(self, memory: Memory) -> bool:
        rests = not memory.evidence or any(map(self._sees, memory.evidence))
        return rests and not memory.archived


Heard = Callable[[str, str | None], KnownMemories]
"""Chat and its user -> what stands there and everybody who reads it may hear."""

Near = Callable[[Sequence[str], Sequence[str]], Mapping[str, float]]
"""Texts and ids of memories -> how near in meaning the nearest text is to each, -1..1; those without a vector are left out."""


def touching(heard: KnownMemories, said: Sequence[ChatMessage], near: Near) -> tuple[Memory, ...]:
    """Memories related to the messages: half by semantic similarity, the rest by common words.

    "I handed in my apron" shares no word with "works at the bakery". Cost: O(memories) and a vector for each message.
    """
    newest = nlargest(MOST_COMPARED, heard.memories.values(), key=told_at)
    spoken = {token for one in said for token in tokens(one.text)}
    shares = {one.id: _share(one, spoken) for one in newest}
    meant = near([one.text for one in said], [one.id for one in newest])
    by_meaning = sorted(meant, key=lambda one: (meant[one], one), reverse=True)
    by_words = sorted(filter(shares.get, shares), key=lambda one: (shares[one], one), reverse=True)
    known = heard.memories
    stand = cache(lambda one: heard.stands(known[one]))
    chosen = (
        *islice(filter(stand, by_meaning), MOST_SHOWN // 2),
        *islice(filter(stand, by_words), MOST_SHOWN),
    )
    return tuple(known[one] for one in dict.fromkeys(chosen))[:MOST_SHOWN]


def _share(memory: Memory, spoken: set[str]) -> float:
    """The share of the memory's words that occur, longer matches first."""
    own = set(tokens(memory.content))
    shared = len(own & spoken)
    return shared / (len(own) + 4) if shared else 0.0


def told_at(memory: Memory) -> float:
    """The timestamp of the memory; earliest for those without a day."""
    return memory.created.timestamp() if memory.created else float("-inf")
