"""A role's index that follows its files: every turn sees the newest snapshot, and only what differs is read again."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from rolememory.recall.gates import Asker, eligible, unchanged_between
from rolememory.recall.index import Clock, MemoryIndex
from rolememory.schema.memory import Memory
from rolememory.schema.settings import RecallSettings, Settings
from rolememory.text.feel_words import Lexicon
from rolememory.text.vectors import VectorTable

_KEPT_AUDIENCES = 16


class LiveIndex:
    """Holds the newest index of one role. Not thread-safe by itself: its owner lets one turn in at a time."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self.index = MemoryIndex.empty(settings, clock)
        self._audiences: dict[str | None, _Audience] = {}
        self._generation: tuple[Mapping[str, Memory], RecallSettings] | None = None

    def follow(
        self, memories: Mapping[str, Memory], settings: Settings, vectors: VectorTable | None, lexicon: Lexicon | None = None
    ) -> MemoryIndex:
        """The index of these memories under these settings; the same object while nothing changed."""
        index = self.index
        if lexicon is not index.lexicon:
            index = index.with_lexicon(lexicon)
        if settings != index.settings:
            index = index.under(settings)
        if memories is not index.memories:
            index = index.updated(memories)
        if vectors is not index.vectors:
            index = index.with_vectors(vectors)
        self.index = index
        return index

    def audience(self, asker: Asker) -> frozenset[str]:
        """The ids this asker may hear, the same object while nothing changes. Cost: O(1), O(n) after a change or an expiry."""
        memories = self.index.memories
        if self._generation is None or self._generation[0] is not memories or self._generation[1] is not asker.rules:
            self._generation = (memories, asker.rules)
            self._audiences.clear()
        known = self._audiences.get(asker.user)
        if known is None or not known.holds_at(asker.now):
            if len(self._audiences) >= _KEPT_AUDIENCES:
                self._audiences.clear()
            since, until = unchanged_between(memories.values(), asker.now)
            known = self._audiences[asker.user] = _Audience(eligible(memories.values(), asker), since, until)
        return known.ids


@dataclass(frozen=True, slots=True)
class _Audience:
    ids: frozenset[str]
    since: datetime | None
    until: datetime | None

    def holds_at(self, now: datetime) -> bool:
        return (self.since is None or now >= self.since) and (self.until is None or now < self.until)
