"""A role's index that follows its files: every turn sees the newest snapshot, and only what differs is read again."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rolememory.recall.gates import Asker, eligible, first_closed, unchanged_between
from rolememory.recall.index import Clock, MemoryIndex, differences
from rolememory.recall.standing import Readers, Sees, Standing, View
from rolememory.schema.memory import Memory
from rolememory.schema.settings import RecallSettings, Settings
from rolememory.text.feel_words import Lexicon
from rolememory.text.vectors import VectorTable
from rolememory.triggers.table import Among, Column

_KEPT_VIEWS = 8  # chats whose view is kept up to date
_KEPT_AUDIENCES = 16


class LiveIndex:
    """Holds the newest index of one role. Not thread-safe by itself: its owner lets one turn in at a time."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self.index = MemoryIndex.empty(settings, clock)
        self._views: dict[Hashable, View] = {}
        self._audiences: dict[tuple[str | None, int, Readers | None], _Audience] = {}
        self._rules: RecallSettings | None = None

    def follow(
        self,
        memories: Mapping[str, Memory],
        settings: Settings,
        vectors: VectorTable | None,
        lexicon: Lexicon | None,
        sight: Sees,
    ) -> MemoryIndex:
        """The index of these memories under these settings; the same object while nothing changed."""
        index = self.index
        if lexicon is not index.lexicon:
            index = index.with_lexicon(lexicon)
        if settings != index.settings:
            index = index.under(settings)
        if memories is not index.memories:
            fresh, gone = differences(index.memories, memories)
            freed = [index.table.row_of[one] for one in gone]
            index = index.changed(fresh, gone, memories)
            self._keep_up(index, fresh, gone, freed, sight)
        if vectors is not index.vectors:
            index = index.with_vectors(vectors)
        self.index = index
        return index

    def standing(self, sight: Sees) -> Standing:
        """What counts, seen from there; the same object while nothing changes. Cost: O(1), O(n) for a chat not seen lately."""
        view = self._views.get(sight.token)
        if view is None:
            self._make_room()
            view = self._views[sight.token] = View(self.index.memories, sight)
        return view.standing

    def audience(self, asker: Asker) -> Among:
        """The ids this asker may hear, the same object while nothing changes. Cost: O(1), O(n) after an expiry or for a new asker."""
        if self._rules is not asker.rules:
            self._rules = asker.rules
            self._audiences.clear()
        key = (asker.user, id(asker.withdrawn), asker.readers)
        known = self._audiences.get(key)
        if (
            known is None
            or known.asker.withdrawn is not asker.withdrawn
            or not known.holds_at(asker.now)
        ):
            if len(self._audiences) >= _KEPT_AUDIENCES:
                self._audiences.clear()
            known = self._audiences[key] = _Audience.of(self.index, asker)
        return known.among

    def _keep_up(
        self,
        index: MemoryIndex,
        fresh: Sequence[Memory],
        gone: Sequence[str],
        freed: Sequence[int],
        sight: Sees,
    ) -> None:
        """Bring the view of this turn up to date, and the audiences that see through it; others are made anew when they are asked for."""
        view = self._views.pop(sight.token, None)
        self._views.clear()
        before, self._audiences = self._audiences, {}
        if view is None:
            return
        self._views[sight.token] = view
        old = view.standing
        touched = view.follow(index.memories, fresh, gone, sight)
        for (user, _, readers), audience in before.items():
            if audience.asker.withdrawn is old.withdrawn:
                self._audiences[user, id(view.standing.withdrawn), readers] = audience.after(
                    index, touched, freed, view.standing
                )

    def _make_room(self) -> None:
        if len(self._views) >= _KEPT_VIEWS:
            self._views.clear()
            self._audiences.clear()


@dataclass(frozen=True, slots=True)
class _Audience:
    heard: Column  # by row
    among: Among
    asker: Asker
    since: datetime | None
    until: datetime | None

    @classmethod
    def of(cls, index: MemoryIndex, asker: Asker) -> "_Audience":
        """The audience of this asker. Cost: O(memories)."""
        heard = Column("?")
        among = Among(index.table, heard)
        rows = map(index.table.row_of.__getitem__, eligible(index.memories.values(), asker))
        among.mask[list(rows)] = True
        return cls(heard, among, asker, *unchanged_between(index.memories.values(), asker.now))

    def holds_at(self, now: datetime) -> bool:
        return (self.since is None or now >= self.since) and (
            self.until is None or now < self.until
        )

    def after(
        self, index: MemoryIndex, touched: set[str], freed: Sequence[int], standing: Standing
    ) -> "_Audience":
        """The same asker's audience once these memories changed and these rows became free; takes this one's place."""
        asker, among = self.asker.seeing(standing), Among(index.table, self.heard)
        among.mask[freed] = False
        here = [index.memories[one] for one in touched if one in index.memories]
        for memory in here:
            among.mask[index.table.row_of[memory.id]] = first_closed(memory, asker) is None
        since, until = unchanged_between(here, asker.now)
        return _Audience(
            self.heard, among, asker, _latest(self.since, since), _earliest(self.until, until)
        )


def _latest(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((at for at in (one, other) if at), default=None)


def _earliest(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((at for at in (one, other) if at), default=None)
