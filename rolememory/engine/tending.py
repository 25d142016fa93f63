"""Tending: upgrades, housekeeping, weights by use, associates, copies for safety."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rolememory.engine.said import Time, time_of
from rolememory.errors import InvalidValueError
from rolememory.learn.tend import Retirement, Upkeep, archived_because, due, retire, revived
from rolememory.learn.upgrade import Upgraded, upgrade
from rolememory.learn.weights import adjusted, archived, core, weight
from rolememory.recall.standing import counts
from rolememory.recall.stats import MemoryStats, stats_of
from rolememory.schema.memory import Memory
from rolememory.schema.role import Association, Role

if TYPE_CHECKING:
    from rolememory.storage.files.backup import Restored

from rolememory.engine.writing import Writing


class Tending(Writing):
    """What keeps a memory in order."""

    def upgrade(self) -> Upgraded:
        """Put away what an older version wrote into memory.json by rules, once: the chats themselves are recalled now.

        One change that `undo` takes back; what is put away stays in the file, archived. Where chats are not recalled
        (`recall.passages.recall` is none), everything stays as it is.

        Raises:
            ReadOnlyRoleError, NotWrittenError: the files are broken or the disk refused; nothing changed.
        """
        if self._upgraded.load() or self.settings.recall.passages.recall == "none":
            return Upgraded()
        with self._lock:
            done = upgrade(self.store.snapshot().memories, self.history(), self._commit)
            self._upgraded.save({"to": "passages"})
        return done

    def clean(self, now: Time | None = None, *, dry_run: bool = False) -> list[Retirement]:
        """Archive what expired, wore out, was merged away, lost its messages or outgrew its limit; never deletes. Returns what and why.

        What an earlier `clean` archived and what counts again comes back. Source: S4.15, S4.30.
        """
        if not dry_run:
            self.upgrade()
        now, settings, sight = (
            time_of(now) or datetime.now(UTC),
            self.settings,
            self.chats.visible_from(None),
        )
        memories = self.store.snapshot().memories

        def counted(memory: Memory) -> bool:
            return counts(memory, sight)

        seen = Upkeep.of(self._tended.load()).looked(memories.values(), now, counted)
        gone = retire(
            memories.values(),
            now,
            below_weight=settings.memory.archive_threshold,
            limits=settings.storage.max_memories,
            effects=self._usage.effects(sight, memories),
            counts=counted,
            gone=seen.gone,
        )
        if not dry_run:
            self._retire(gone)
            self._revive(revived(memories, archived_because(self.history()), counted))
            self._usage.uses.prune(self.store.snapshot().memories)
            self._tended.save(seen.to_json())
        return gone

    def tend(self, now: Time | None = None) -> list[Retirement]:
        """`clean`, if the last one was a day ago or there was none."""
        at = time_of(now) or datetime.now(UTC)
        return self.clean(at) if due(Upkeep.of(self._tended.load()).last, at) else []

    def used(self, memory_id: str, query: str, *, chat: str = "", referenced: bool = True) -> float:
        """Tell by hand that a reply to this query used a memory, or passed it over; the weight it then has. Source: S4.13.

        Replies that `observe` sees need not be told.
        """
        self._usage.uses.record(self._known(memory_id), chat, query, referenced, datetime.now(UTC))
        return self.weight(memory_id)

    def weight(self, memory_id: str) -> float:
        """What a memory weighs with what use has added, 0..2. Raises: UnknownMemoryError."""
        memories = self.memories
        one = memories[self._known(memory_id)]
        return weight(one, self._usage.effects(self.chats.visible_from(None), memories))

    def reweigh(self, memory_id: str, delta: float) -> Memory:
        """Make a memory heavier or lighter for good, within 0..2. Source: S4.14."""
        return self._commit(
            [adjusted(self.memories[self._known(memory_id)], delta)], actor="author"
        ).memories[memory_id]

    def core(self, min_weight: float = 1.2) -> list[Memory]:
        """The memories that weigh at least so much with their use, heaviest first. Source: S4.16."""
        memories = self.memories
        return core(
            memories.values(),
            min_weight,
            self._usage.effects(self.chats.visible_from(None), memories),
        )

    def archived(self) -> list[Memory]:
        """What was put away, newest first. Source: S4.17."""
        return archived(self.memories.values())

    def associate(self, other: str, factor: float = 0.5) -> Role:
        """Let what that role remembers be heard here, each score multiplied by `factor`, once its own side names this role too; 0 ends it.

        Raises:
            UnknownRoleError, AmbiguousNameError: nobody or more than one answers to the name.
            InvalidValueError: the factor is not within 0..1.
        """
        if not 0.0 <= factor <= 1.0:
            raise InvalidValueError(
                f"expected a factor from 0 to 1, got {factor}",
                zh=f"系数应在 0 到 1 之间，却是 {factor}",
            )
        named, mine = self.home.folder.find(other), self.role
        rest = [
            one for one in mine.associates if one.role not in (named.id, named.name, *named.aliases)
        ]
        added = [Association(role=named.id, factor=factor)] if factor else []
        return self.home.folder.update(mine.model_copy(update={"associates": (*rest, *added)}))

    def backup(self) -> Path:
        """Make a backup of the role's files now; older ones rotate."""
        self.store.fold(force=True)
        from rolememory.storage.files.backup import backup

        return backup(self.folder, self.settings.storage)

    def restore(self, which: str = "latest") -> "Restored":
        """Put a backup back, after a backup of what stands there now."""
        from rolememory.storage.files.backup import restore

        return restore(self.folder, which, self.settings.storage)

    def export(self) -> dict[str, Any]:
        """The role, its memories and books as one JSON document; `Home.bring` reads it."""
        self.store.fold(force=True)
        from rolememory.storage.exchange import export_role

        return export_role(self.space)

    def stats(self) -> MemoryStats:
        """What the role remembers, in figures."""
        return stats_of(self.memories.values(), self.space.size(), self.home.people.follow().same)
