"""Which memories count, as seen from one chat, and which of those are outdated by others that count.

A memory that was learned rests on supports, messages of chats; it counts while one of them stands. What it replaced is
outdated only as long as it counts itself, so that a swipe, an edit or a deletion needs nothing to be undone.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rolememory.schema.memory import Evidence, Memory


class Readers(Protocol):
    """Everybody who will read a reply (`chats.presence.Readers`); hashable."""

    def are(self, user: str) -> bool:
        """Whether nobody but this user reads."""
        ...


class Sees(Protocol):
    """What stands, as seen from one chat (`chats.Sight`)."""

    @property
    def token(self) -> Hashable:
        """Equal for two of them that hide the same supports."""
        ...

    @property
    def readers(self) -> Readers | None:
        """Who must have been present; None = nobody is asked about."""
        ...

    def sees(self, evidence: Evidence) -> bool:
        """Whether this support stands, and everybody who reads was present when it was said."""
        ...

    def knows(self, evidence: Evidence) -> bool:
        """Whether its words are in a chat of ours."""
        ...


class _Everything:
    """Hides nothing: a role without chats."""

    token: Hashable = None
    readers: Readers | None = None

    def sees(self, evidence: Evidence) -> bool:
        return True

    def knows(self, evidence: Evidence) -> bool:
        return False


EVERYTHING: Sees = _Everything()


@dataclass(frozen=True, slots=True)
class Standing:
    """The ids that do not count, and what was replaced by which of those that do."""

    withdrawn: frozenset[str] = frozenset()
    superseded: Mapping[str, str] = field(default_factory=dict)
    witnessed: frozenset[str] = frozenset()  # ids that rest on words whose hearers are known


def counts(memory: Memory, sight: Sees) -> bool:
    """Whether a memory has no supports or one of them stands."""
    return not memory.evidence or any(sight.sees(one) for one in memory.evidence)


def standing(memories: Mapping[str, Memory], sight: Sees = EVERYTHING) -> Standing:
    """What counts of these memories. Cost: O(memories); `View` keeps it up to date by differences."""
    return View(memories, sight).standing


class View:
    """`standing` of memories that change, from one place. Not thread-safe."""

    def __init__(self, memories: Mapping[str, Memory], sight: Sees = EVERYTHING) -> None:
        self._memories: Mapping[str, Memory] = {}
        self._withdrawn: set[str] = set()
        self._witnessed: set[str] = set()
        self._replacing: dict[str, set[str]] = {}  # outdated id -> what replaced it and counts
        self._superseded: dict[str, str] = {}
        self.standing = Standing()
        self.follow(memories, memories.values(), (), sight)

    def follow(
        self,
        memories: Mapping[str, Memory],
        fresh: Iterable[Memory],
        gone: Iterable[str],
        sight: Sees,
    ) -> set[str]:
        """Take over what differs; the ids whose standing may have changed. Cost: O(differences)."""
        before, self._memories = self._memories, memories
        touched: set[str] = set()
        for memory_id in gone:
            touched |= self._forget(before.get(memory_id), memory_id)
        for memory in fresh:
            touched |= self._forget(before.get(memory.id), memory.id) | self._learn(memory, sight)
        for memory_id in touched:
            self._settle(memory_id)
        if touched:
            self.standing = Standing(
                frozenset(self._withdrawn), dict(self._superseded), frozenset(self._witnessed)
            )
        return touched

    def _forget(self, memory: Memory | None, memory_id: str) -> set[str]:
        self._withdrawn.discard(memory_id)
        self._witnessed.discard(memory_id)
        for old in memory.supersedes if memory else ():
            self._replacing.get(old, set()).discard(memory_id)
        return {memory_id, *(memory.supersedes if memory else ())}

    def _learn(self, memory: Memory, sight: Sees) -> set[str]:
        if any(sight.knows(one) for one in memory.evidence):
            self._witnessed.add(memory.id)
        if not counts(memory, sight):
            self._withdrawn.add(memory.id)
        elif not memory.archived:  # an archived memory replaces nothing
            for old in memory.supersedes:
                if old != memory.id:
                    self._replacing.setdefault(old, set()).add(memory.id)
        return {memory.id, *memory.supersedes}

    def _settle(self, memory_id: str) -> None:
        by = self._replacing.get(memory_id)
        if by:
            self._superseded[memory_id] = max(by, key=self._told)
        else:
            self._replacing.pop(memory_id, None)
            self._superseded.pop(memory_id, None)

    def _told(self, memory_id: str) -> tuple[float, str]:
        created = self._memories[memory_id].created
        return (created.timestamp() if created else 0.0, memory_id)
