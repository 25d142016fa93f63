"""Which memories are active (visible from one chat), and which of those are superseded by other active ones.

A learned memory has evidence, messages of chats; it is active while one of them exists. What it replaced is superseded only
while it is active itself, so that a swipe, an edit or a deletion needs no undo.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import field
from typing import Any, Protocol

from rolememory.chats.presence import Audience
from rolememory.schema.memory import Evidence, MemoriesById, Memory
from rolememory.schema.passage import Passage
from rolememory.schema.value_class import value_class

Support = tuple[str, str]
"""A chat and a version of one of its messages."""


class Visibility(Protocol):
    """What is visible from one chat (`chats.BranchVisibility`)."""

    @property
    def token(self) -> Hashable:
        """Equal for objects that hide the same evidence."""
        ...

    @property
    def place(self) -> Hashable:
        """Equal for objects that differ only by `moved_since`."""
        ...

    @property
    def off(self) -> bool:
        """Whether somebody said that nothing is recalled in this chat."""
        ...

    @property
    def readers(self) -> Audience | None:
        """Everybody who reads the reply, and must have been present; None = the user alone, not checked."""
        ...

    def sees(self, evidence: Evidence) -> bool:
        """Whether this evidence exists, and all readers were present when it was said."""
        ...

    def knows(self, evidence: Evidence) -> bool:
        """Whether it is in a chat of this role."""
        ...

    def is_later(self, passage: Passage) -> bool:
        """Whether it was said after this view was made: another turn may have indexed it meanwhile."""
        ...

    def moved_since(self, before: Any) -> Collection[Support] | None:
        """Evidence whose visibility may differ from an earlier view of this place; None if any may."""
        ...


class _Everything:
    """Hides nothing: a role without chats."""

    token: Hashable = None
    place: Hashable = None
    off = False
    readers: Audience | None = None

    def sees(self, evidence: Evidence) -> bool:
        return True

    def knows(self, evidence: Evidence) -> bool:
        return False

    def is_later(self, passage: Passage) -> bool:
        return False

    def moved_since(self, before: Any) -> Collection[Support]:
        return ()


EVERYTHING: Visibility = _Everything()


@value_class
class ActiveSet:
    """The inactive ids, and replaced ids with their active replacement."""

    withdrawn: frozenset[str] = frozenset()
    superseded: Mapping[str, str] = field(default_factory=dict)

    def holds(self, memory_id: str) -> bool:
        """Whether this memory is active and not superseded."""
        return memory_id not in self.withdrawn and memory_id not in self.superseded


def counts(memory: Memory, visibility: Visibility) -> bool:
    """Whether a memory is active: without evidence, or with visible evidence."""
    return not memory.evidence or any(visibility.sees(one) for one in memory.evidence)


def is_later(memory: Memory, visibility: Visibility) -> bool:
    """Whether a memory is a passage said after this view was made: its audience is not known there."""
    return isinstance(memory, Passage) and visibility.is_later(memory)


def standing(memories: MemoriesById, visibility: Visibility = EVERYTHING) -> ActiveSet:
    """The active set of these memories. Cost: O(memories)."""
    hidden = (one.id for one in memories.values() if not counts(one, visibility))
    return ActiveSet(frozenset(hidden), superseded(memories, visibility))


def superseded(memories: MemoriesById, visibility: Visibility = EVERYTHING) -> Mapping[str, str]:
    """Replaced id -> active replacement. Cost: O(memories)."""
    found = Replacements()
    found.follow([one.id for one in memories.values() if one.supersedes], memories.get, visibility)
    return found.superseded


def last(memory_id: str, superseded: Mapping[str, str]) -> str:
    """The final replacement of a memory: itself if not replaced, or if all replace each other.

    >>> last("a", {"a": "b", "b": "c"}), last("c", {"a": "b"}), last("a", {"a": "b", "b": "a"})
    ('c', 'c', 'a')
    """
    seen, now = {memory_id}, memory_id
    while (by := superseded.get(now)) is not None:
        if by in seen:
            return memory_id
        seen.add(by)
        now = by
    return now


class Replacements:
    """Incremental `superseded` for one place. Not thread-safe."""

    def __init__(self) -> None:
        self.superseded: Mapping[str, str] = {}
        self._replaces: dict[str, tuple[str, ...]] = {}  # what counts -> what it replaces
        self._replacing: dict[str, dict[str, tuple[float, str]]] = {}  # the other way, and when

    @property
    def replacing(self) -> Set[str]:
        """The ids of what counts and replaces something."""
        return self._replaces.keys()

    def follow(
        self, ids: Iterable[str], known: Callable[[str], Memory | None], visibility: Visibility
    ) -> set[str]:
        """Check these again; the ids they replaced before or now. Cost: O(ids)."""
        touched = {
            one for memory_id in ids for one in self._look(memory_id, known(memory_id), visibility)
        }
        if touched:
            self.superseded = {
                old: max(by, key=by.__getitem__) for old, by in self._replacing.items()
            }
        return touched

    def _look(self, memory_id: str, memory: Memory | None, visibility: Visibility) -> Iterator[str]:
        before = self._replaces.pop(memory_id, ())
        for old in before:
            self._replacing[old].pop(memory_id)
            if not self._replacing[old]:
                del self._replacing[old]
        replaces = tuple(old for old in memory.supersedes if old != memory_id) if memory else ()
        if memory and replaces and not memory.archived and counts(memory, visibility):
            self._replaces[memory_id] = replaces
            at = memory.since.timestamp() if memory.since else 0.0
            for old in replaces:
                self._replacing.setdefault(old, {})[memory_id] = (at, memory_id)
        else:
            replaces = ()
        yield from before
        yield from replaces


class Supports:
    """Index of memories by evidence. Not thread-safe."""

    def __init__(self) -> None:
        self._resting: dict[str, dict[str, tuple[str, ...]]] = {}  # chat -> version -> ids

    def add(self, memory: Memory) -> None:
        """Add a memory."""
        for chat, version in _supports(memory.evidence):
            there = self._resting.setdefault(chat, {})
            known = there.get(version, ())
            if memory.id not in known:
                there[version] = (*known, memory.id)

    def remove(self, memory: Memory) -> None:
        """Remove a memory."""
        for chat, version in _supports(memory.evidence):
            there = self._resting.get(chat, {})
            left = tuple(one for one in there.pop(version, ()) if one != memory.id)
            if left:
                there[version] = left

    def resting(self, moved: Iterable[Support]) -> set[str]:
        """The ids of memories with any of this evidence."""
        return {
            one for chat, version in moved for one in self._resting.get(chat, {}).get(version, ())
        }


def _supports(evidence: Iterable[Evidence]) -> Iterator[Support]:
    for one in evidence:
        for version in one.versions if one.version else ():
            yield one.chat, version
        yield from _supports(one.also)
