"""Activation of lorebook entries by meaning: marked ones (or all, by setting) that are similar to the message."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from rolememory.recall.lore.index import LoreIndex
from rolememory.recall.role_vectors import RoleVectors
from rolememory.schema.entry import Entry
from rolememory.schema.scene import Scene
from rolememory.schema.settings import EmbeddingSettings, Settings
from rolememory.storage.port import Space
from rolememory.text.embed.loader import Loader
from rolememory.text.terms import TermIndex
from rolememory.triggers.base import Parts
from rolememory.triggers.semantic import SemanticTrigger

if TYPE_CHECKING:
    from rolememory.schema.scene import Vector

MOST = 10  # entries that meaning may hand in on one turn
NOBODY: frozenset[str] = frozenset()


class LoreMeaning:
    """Indexes a role's books with BM25 and vectors. Not thread-safe."""

    def __init__(self, space: Space, loader: Loader, settings: EmbeddingSettings) -> None:
        self.meanings = RoleVectors(space, loader, settings, "worldbooks/")
        self._seen: tuple[LoreIndex, str] | None = None
        self._entries: Mapping[str, Entry] = {}

    @cached_property
    def _terms(self) -> TermIndex:
        return TermIndex()

    def outside(
        self,
        index: LoreIndex,
        scene: Scene,
        settings: Settings,
        vector: Callable[[], "Vector | None"],
    ) -> frozenset[str]:
        """The ids to hand to a scan as activated from outside; all its other gates still apply.

        `vector` gives the vector of the whole message, with names: entries about people begin with the name.
        """
        self._follow(index, settings.lore.by_meaning)
        if not self._entries or not scene.query or not settings.triggers.semantic.enabled:
            return NOBODY
        parts = Parts(
            settings.triggers, MOST, terms=self._terms, vectors=self.meanings.follow(self._entries)
        )
        hits = SemanticTrigger(tuple(self._entries.values()), parts).fire(
            replace(scene, wanted=MOST, vector=vector()), self._entries.keys()
        )
        return frozenset(
            hit.entry_id for hit in hits if hit.strength >= settings.recall.relevance_threshold
        )

    def _follow(self, index: LoreIndex, which: str) -> None:
        if self._seen is not None and self._seen[0] is index and self._seen[1] == which:
            return
        self._seen = (index, which)
        wanted = [
            lore
            for lore in index.entries
            if lore.entry.enabled
            and (which == "all" or (which == "marked" and lore.entry.by_meaning))
        ]
        fresh = {
            lore.id: Entry(id=lore.id, content=lore.entry.content)
            for lore in wanted
            if lore.entry.content
        }
        for gone in self._entries.keys() - fresh.keys():
            self._terms.remove(gone)
        for entry_id, entry in fresh.items():
            self._terms.add(entry_id, entry.content)
        self._entries = fresh
