"""Maintenance: cleaning, weights by use, associates, backups."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from rolememory.engine.context import RoleContext
from rolememory.engine.inputs import Time, time_of
from rolememory.engine.memories import RoleMemories
from rolememory.engine.stats import MemoryStats, stats_of
from rolememory.errors import InvalidValueError, RoleMemoryError
from rolememory.learn.maintenance import Retirement, Upkeep, archived_because, due, retire, revived
from rolememory.recall.active_set import counts
from rolememory.schema.memory import Memory, glimpsed
from rolememory.schema.role import Association, Role
from rolememory.storage.files.backup import Restored, backup, restore
from rolememory.storage.state import StateFile
from rolememory.usage.weights import adjusted, archived, core, weight

_LOOK_S = 3600.0  # between checks whether maintenance is due
_log = logging.getLogger(__name__)


class RoleMaintenance:
    """Maintenance of a role."""

    def __init__(self, context: RoleContext, memories: RoleMemories) -> None:
        self._context = context
        self._memories = memories
        self._tended = StateFile(context.space, "tended")
        self._looked = float("-inf")  # the last check whether maintenance is due, by time.monotonic

    def clean(self, now: Time | None = None, *, dry_run: bool = False) -> list[Retirement]:
        """Archive what expired, decayed, was merged, lost its messages or exceeds its limit; never deletes. Returns what and why.

        Restores what an earlier `clean` archived if the reason no longer holds. Source: S4.15, S4.30.
        """
        now = time_of(now) or datetime.now(UTC)
        settings = self._context.settings
        visibility = self._context.chats.visible_from(None)
        memories = self._context.stored()
        read = {name: glimpsed(one) for name, one in memories.items()}

        def counted(memory: Memory) -> bool:
            return counts(memory, visibility)

        seen = Upkeep.of(self._tended.load()).looked(read.values(), now, counted)
        gone = retire(
            read.values(),
            now,
            below_weight=settings.memory.archive_threshold,
            limits=settings.storage.max_memories,
            effects=self._context.usage.effects(visibility, memories),
            counts=counted,
            gone=seen.gone,
        )
        if not dry_run:
            self._memories.retire(gone)
            back = revived(read, archived_because(self._memories.history()), counted)
            self._memories.retire(back, archived=False)
            self._context.usage.uses.prune(self._context.stored())
            self._tended.save(seen.to_json())
        return gone

    def tend(self, now: Time | None = None) -> list[Retirement]:
        """`clean`, if the last one was at least a day ago."""
        at = time_of(now) or datetime.now(UTC)
        return self.clean(at) if due(Upkeep.of(self._tended.load()).last, at) else []

    def used(self, memory_id: str, query: str, *, chat: str = "", referenced: bool = True) -> float:
        """Record that a reply to this query used a memory, or did not; returns its new weight. Source: S4.13.

        Not needed for replies that `observe` sees.
        """
        one = self._memories.known(memory_id).id
        self._context.usage.uses.record(one, chat, query, referenced, datetime.now(UTC))
        return self.weight(memory_id)

    def weight(self, memory_id: str) -> float:
        """The weight of a memory including usage, 0..2. Raises: UnknownMemoryError."""
        one = self._memories.known(memory_id)
        return weight(one, self._effects(self._memories.current()))

    def reweigh(self, memory_id: str, delta: float) -> Memory:
        """Change the stored weight of a memory by `delta`, within 0..2. Source: S4.14."""
        edit = adjusted(self._memories.known(memory_id), delta)
        return self._context.commit([edit], actor="author").memories[memory_id]

    def core(self, min_weight: float = 1.2) -> list[Memory]:
        """The memories of at least this weight including usage, heaviest first. Source: S4.16."""
        memories = self._memories.current()
        return core(memories.values(), min_weight, self._effects(memories))

    def archived(self) -> list[Memory]:
        """Archived memories, newest first. Source: S4.17."""
        return archived(self._memories.current().values())

    def associate(self, other: str, factor: float = 0.5) -> Role:
        """Also recall memories of that role, scores multiplied by `factor`, once it names this role too; 0 ends it.

        Raises:
            UnknownRoleError, AmbiguousNameError: no role or several have the name.
            InvalidValueError: the factor is not within 0..1.
        """
        if not 0.0 <= factor <= 1.0:
            raise InvalidValueError("expected a factor from 0 to 1, got {factor}", factor=factor)
        named = self._context.home.folder.find(other)
        mine = self._context.role
        rest = [one for one in mine.associates if one.role not in (named.id, *named.names)]
        added = [Association(role=named.id, factor=factor)] if factor else []
        return self._context.home.folder.update(
            mine.model_copy(update={"associates": (*rest, *added)})
        )

    def backup(self) -> Path:
        """Back up the role's files now; the oldest backups are dropped."""
        self._context.store.checkpoint(force=True)
        return backup(self._folder(), self._context.settings.storage)

    def restore(self, which: str = "latest") -> Restored:
        """Restore a backup, after a backup of the current files."""
        return restore(self._folder(), which, self._context.settings.storage)

    def export(self, *, card: bool = True) -> dict[str, Any]:
        """The role, its memories, books and card as one JSON document; `Home.bring` reads it. Writes nothing."""
        from rolememory.storage.exchange import export_role

        return export_role(self._context.space, card=card)

    def stats(self) -> MemoryStats:
        """Statistics of the role's memories."""
        return stats_of(
            self._memories.current().values(),
            self._context.space.size(),
            self._context.home.people.follow().same,
        )

    def tend_when_due(self) -> None:
        """Run daily maintenance in the background if due."""
        if monotonic() - self._looked < _LOOK_S:
            return
        self._looked = monotonic()
        self._context.home.pool.submit(self._tended_quietly)

    def forget_upkeep(self) -> None:
        """Drop the maintenance's notes on memories."""
        self._tended.save({})

    def _effects(self, memories: Mapping[str, Memory]) -> Mapping[str, float]:
        """The effect of usage on weights, by id."""
        everywhere = self._context.chats.visible_from(None)
        return self._context.usage.effects(everywhere, memories)

    def _tended_quietly(self) -> None:
        try:
            self.tend()
        except (RoleMemoryError, OSError) as error:
            _log.warning("%s: upkeep has to wait: %s", self._context.space.name, error)

    def _folder(self) -> Path:
        return self._context.home.folder.folder(self._context.id)
