"""The live index of a role: every turn sees the newest snapshot, updated incrementally."""

from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import compress

from rolememory.recall.active_set import Replacements, Supports, Visibility, is_later
from rolememory.recall.candidates import Candidates, differences
from rolememory.recall.gates import Asker, eligible_rows, first_closed, unchanged_between
from rolememory.recall.index import Clock, MemoryIndex, facts_in
from rolememory.schema.memory import MemoriesById, Memory, glimpsed, is_plain, is_unread
from rolememory.schema.settings import Settings
from rolememory.storage.gc_pause import gc_paused
from rolememory.storage.kept_memories import KeptMemories
from rolememory.text.affect_lexicon import Lexicon
from rolememory.text.cancellation import cancellable, check_cancelled
from rolememory.text.change_log import ChangeLog
from rolememory.text.vectors import VectorTable
from rolememory.triggers.base import Derive, anew
from rolememory.triggers.table import Among, ArrayColumn

PART = 500  # memories that are taken in between two looks whether anybody waits
_KEPT_VIEWS = (
    16,
    64,
)  # places whose view is kept up to date, of a large role and of a small one
_VIEWED = 400_000  # rows, beyond which a role is large: of all views together
_KEPT_AUDIENCES = 16  # of each


class LiveIndex:
    """Holds the newest index of one role. Not thread-safe: its owner admits one turn at a time."""

    def __init__(
        self, settings: Settings, clock: Clock | None = None, derive: Derive = anew
    ) -> None:
        self.index = MemoryIndex.empty(settings, clock, derive)
        self._known = _Known()
        self._views: OrderedDict[Hashable, _View] = OrderedDict()
        self.is_indexing = False  # many memories now

    def follow(
        self,
        memories: MemoriesById,
        settings: Settings,
        vectors: VectorTable | None,
        lexicon: Lexicon | None,
    ) -> MemoryIndex:
        """The index of these memories under these settings; the same object while nothing changed."""
        index = self.index
        if lexicon is not index.lexicon:
            index = index.with_lexicon(lexicon)
        if settings is not index.settings and settings != index.settings:
            index = index.under(settings)
        if memories is not index.memories:
            index = self._changed(index, memories)
        if vectors is not index.vectors:
            index = index.with_vectors(vectors)
        self.index = index
        return index

    def adopt(self, kept: KeptMemories, asked: MemoriesById) -> None:
        """Start from another process's cache, then update to the memories `asked`."""
        facts = facts_in(kept.facts, len(kept.memories))
        special = list(compress(kept.memories.values(), (~facts[0]["plain"]).tolist()))
        with gc_paused():
            self._known.change(self.index, special, ())
            index = self.index.adopting(kept.memories, facts, special)
        held = kept.memories
        if isinstance(asked, Candidates):
            held = Candidates(held, asked.passages, version=0)
        self.index = replace(index, memories=held)

    def _changed(self, index: MemoryIndex, memories: MemoriesById) -> MemoryIndex:
        """The index of these memories. Cancelled work stops between two parts, and the next turn continues there."""
        fresh, gone = differences(index.memories, memories, index.table)
        check_cancelled()
        self.is_indexing = len(fresh) > PART
        try:
            with gc_paused():
                while len(fresh) > PART:
                    part, fresh = fresh[:PART], fresh[PART:]
                    index, gone = self._taken_in(index, part, gone), []
                    self.index = index
                    check_cancelled()
                return self._taken_in(index, fresh, gone, memories)
        finally:
            self.is_indexing = False

    def _taken_in(
        self,
        index: MemoryIndex,
        fresh: Sequence[Memory],
        gone: Sequence[str],
        memories: MemoriesById | None = None,
    ) -> MemoryIndex:
        """The index with these; those that are not loaded stay so."""
        read = [glimpsed(one) for one in fresh]
        self._known.change(index, read, gone)
        changed = index.changed(read, gone, memories)
        index.table.hold(filter(is_unread, fresh))
        return changed

    @property
    def chapters(self) -> Collection[Memory]:
        """The chapters of the role's stories."""
        return self._known.chapters.values()

    def superseded(self, visibility: Visibility) -> Mapping[str, str]:
        """Visible replacements: id -> newer id; the same object while nothing changes. Cost: as `audience`."""
        return self._view(visibility).replacements.superseded

    def audience(self, asker: Asker) -> Among:
        """The ids eligible for this asker; the same object while nothing changes.

        Cost: O(changed and moved since the last time); O(n) for a new asker, or an uncached place.
        """
        return self._view(asker.visibility).audience(self.index, asker, self._known.expiring)

    def _view(self, visibility: Visibility) -> "_View":
        view = self._views.pop(visibility.place, None)  # one that is given up half way is made anew
        if view is None or not view.follow(self.index, self._known, visibility):
            view = _View(self.index, self._known, visibility)
        self._views[visibility.place] = view
        least, most = _KEPT_VIEWS
        while len(self._views) > max(least, min(most, _VIEWED // max(len(self.index.table), 1))):
            self._views.popitem(last=False)
        return view


class _Known:
    """Shared by all views of an index: the log of changes, and the evidence of memories."""

    def __init__(self) -> None:
        self.changes = ChangeLog[tuple[str, int]]()  # id, and the row it left; -1 = none
        self.supports = Supports()
        self.replacing: set[str] = set()  # ids of what supersedes something
        self.expiring: dict[str, Memory] = {}
        self.chapters: dict[str, Memory] = {}

    def change(self, index: MemoryIndex, fresh: Sequence[Memory], gone: Sequence[str]) -> None:
        """Record a change that is about to be applied to the index."""
        row_of = index.table.row_of
        leaving = [one for one in gone if one in row_of]
        for memory_id in (*leaving, *(one.id for one in fresh if one.id in row_of)):
            before = index.table.entry(row_of[memory_id])
            if isinstance(before, Memory) and not is_plain(before):
                self.supports.remove(before)
            self.replacing.discard(memory_id)
            self.expiring.pop(memory_id, None)
            self.chapters.pop(memory_id, None)
        for memory in fresh:
            if is_plain(memory):
                continue
            self.supports.add(memory)
            if memory.supersedes:
                self.replacing.add(memory.id)
            if memory.chapter:
                self.chapters[memory.id] = memory
            if memory.expires:
                self.expiring[memory.id] = memory
        self.changes.note(
            *((one, row_of[one]) for one in leaving), *((one.id, -1) for one in fresh)
        )


class _View:
    """The visible memories from one place, and their audiences, updated incrementally."""

    def __init__(self, index: MemoryIndex, known: _Known, visibility: Visibility) -> None:
        self.replacements = Replacements()
        self._visibility, self._mark = visibility, known.changes.version
        self._audiences: OrderedDict[Hashable, _Audience] = OrderedDict()
        self.replacements.follow(known.replacing, index.memories.get, visibility)

    def follow(self, index: MemoryIndex, known: _Known, visibility: Visibility) -> bool:
        """Apply what changed and moved; false if no longer known. Cost: O(changed and moved)."""
        if visibility is self._visibility and self._mark == known.changes.version:
            return True
        changed = known.changes.since(self._mark)
        moved = (
            ()
            if visibility.token == self._visibility.token
            else visibility.moved_since(self._visibility)
        )
        if changed is None or moved is None:
            return False
        self._visibility, self._mark = visibility, known.changes.version
        touched = {one for one, _ in changed} | known.supports.resting(moved)
        replacing = (touched & known.replacing) | (touched & self.replacements.replacing)
        touched |= self.replacements.follow(replacing, index.memories.get, visibility)
        freed = [row for _, row in changed if row >= 0]
        for audience in self._audiences.values():
            if touched or audience.later:
                audience.follow(index, touched, freed, visibility, self.replacements.superseded)
        return True

    def audience(self, index: MemoryIndex, asker: Asker, expiring: MemoriesById) -> Among:
        """The ids eligible for this asker."""
        rules = asker.rules
        gated = rules.passages.recall, rules.sources, rules.tags, rules.exclude_tags
        key = (asker.user, asker.visibility.readers, asker.aside, gated)
        known = self._audiences.get(key)
        if known is None:
            known = self._audiences[key] = _Audience(index, asker, expiring)
        self._audiences.move_to_end(key)
        while len(self._audiences) > _KEPT_AUDIENCES:
            self._audiences.popitem(last=False)
        return known.at(asker.now, index, expiring)


class _Audience:
    """The ids eligible for one asker, as a mask over the table's rows."""

    def __init__(self, index: MemoryIndex, asker: Asker, expiring: MemoriesById) -> None:
        self._heard, self._asker = ArrayColumn("?"), asker
        self._among = Among(index.table, self._heard)
        self._among.mask[:], special = eligible_rows(index.table, asker)
        here = self._look(index, special)
        self.later = _said_later(here, asker.visibility)  # to be looked at again
        self._since, self._until = unchanged_between(expiring.values(), asker.now)

    def at(self, now: datetime, index: MemoryIndex, expiring: MemoriesById) -> Among:
        """The eligible ids at this time; the same object while nothing changes."""
        past = self._since is not None and now < self._since
        if past or (self._until is not None and now >= self._until):
            self._asker = replace(self._asker, now=now)
            self._look(index, expiring)
            self._since, self._until = unchanged_between(expiring.values(), now)
        return self._among

    def follow(
        self,
        index: MemoryIndex,
        touched: Collection[str],
        freed: Sequence[int],
        visibility: Visibility,
        superseded: Mapping[str, str],
    ) -> None:
        """Check these again, and passages said after the last check; `freed` rows are empty."""
        self._asker = replace(self._asker, visibility=visibility, superseded=superseded)
        self._among.mask[list(freed)] = False
        here = self._look(index, self.later.union(touched))
        self.later = _said_later(here, visibility)
        since, until = unchanged_between(here, self._asker.now)
        self._since = max(filter(None, (self._since, since)), default=None)
        self._until = min(filter(None, (self._until, until)), default=None)

    def _look(self, index: MemoryIndex, ids: Iterable[str]) -> list[Memory]:
        """Set the bits of these ids; the existing memories of them."""
        self._among = Among(index.table, self._heard)
        mask, row_of, here = self._among.mask, index.table.row_of, list[Memory]()
        for one in cancellable(ids):
            memory = index.memories.get(one) if one in row_of else None
            if memory:
                mask[row_of[one]] = first_closed(memory, self._asker) is None
                here.append(memory)
        return here


def _said_later(memories: Iterable[Memory], visibility: Visibility) -> frozenset[str]:
    return frozenset(one.id for one in memories if is_later(one, visibility))
