"""Which memories have a text, without comparing it with all of them."""

from collections.abc import Callable, Sequence

from rolememory.schema.memory import MemoriesById, Memory, glimpsed
from rolememory.storage.committed_state import Snapshot
from rolememory.text.postings import text_digest

KnownDigests = Callable[[MemoriesById], Sequence[bytes]]
"""Digests of the contents of memories, b"" where they have to be read."""
_SPARE = 1000


class Contents:
    """Ids by content, following the snapshots of a store. Not thread-safe."""

    def __init__(self, digests: KnownDigests) -> None:
        self._digests = digests
        self._ids: dict[bytes, str | tuple[str, ...]] = {}  # also of what was there once
        self._mark = -1

    def of(self, content: str, snapshot: Snapshot) -> list[Memory]:
        """The memories with this content. Cost: O(changed since the last time), O(memories) the first time."""
        self._follow(snapshot)
        digest, found = text_digest(content), dict[str, Memory]()
        for one in _several(self._ids.get(digest, ())):
            memory = snapshot.memories.get(one)
            if memory is not None and memory.content == content:
                found[one] = memory
        self._ids[digest] = tuple(found)
        return list(found.values())

    def _follow(self, snapshot: Snapshot) -> None:
        here = snapshot.memories
        changed = snapshot.changes.since(self._mark)
        if changed is None or len(self._ids) > 2 * len(here) + _SPARE:
            self._ids = {}
            self._note(here)
        else:
            self._note({one: here[one] for one in changed if one in here})
        self._mark = snapshot.mark

    def _note(self, memories: MemoriesById) -> None:
        known = self._digests(memories)
        for (one, memory), digest in zip(memories.items(), known, strict=True):
            name = digest or text_digest(glimpsed(memory).content)
            ids = _several(self._ids.get(name, ()))
            self._ids[name] = (*ids, one) if ids and one not in ids else ids or one


def _several(ids: str | tuple[str, ...]) -> tuple[str, ...]:
    return (ids,) if isinstance(ids, str) else ids
