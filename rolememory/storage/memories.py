"""A role's memories: lock-free reads, durable changes, in a file that people edit.

Committed state = memory.json + the committed journal records that it lacks. A change is one transaction in the
journal, on disk before it is acknowledged; `checkpoint` writes the records into the file after a quiet time.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import groupby, islice
from typing import Any, Self

from rolememory.errors import InvalidValueError, NotWrittenError, ReadOnlyRoleError
from rolememory.locales import LocalizedText
from rolememory.schema.problem import Problem
from rolememory.schema.settings import StorageSettings
from rolememory.schema.value_class import value_class
from rolememory.storage.checkpoint import Checkpointer
from rolememory.storage.committed_state import (
    PREVIOUS,
    CommittedState,
    CommittedStateReader,
    Snapshot,
)
from rolememory.storage.debouncer import Debouncer
from rolememory.storage.edits import Edit, new_id, planned, reverted
from rolememory.storage.gc_pause import give_back
from rolememory.storage.journal import Journal
from rolememory.storage.journal_records import JournalRecord
from rolememory.storage.kept_memories import Facts, KeptMemories
from rolememory.storage.look import Watched
from rolememory.storage.port import Space
from rolememory.text.timestamps import iso, moment

__all__ = ["Edit", "HistoryLine", "Problem", "RoleStore", "Snapshot", "new_id"]

_SAVING_S = 1.0  # a broken file that changed this recently may be a save in progress
_EMPTIED_S = 3.0  # an empty one too: editors truncate a file before they write it
_PATIENCE_S = 5.0  # how long a commit waits for an editor that keeps saving
_LOOK_S = 0.02
_MANY = 5000  # memories whose file is large
_TO_A_LINE = 32  # memories that a checkpoint may write for each line of the journal
_SHARE = 10  # checkpoints may take at most a tenth of the time: a very large role waits longer
_log = logging.getLogger(__name__)


@value_class
class HistoryLine:
    """One recorded change."""

    seq: int
    txn: str  # argument of `undo`
    at: datetime
    actor: str
    op: str  # add, set, remove
    id: str
    fields: dict[str, tuple[Any, Any]]  # name -> (before, after)
    reason: str = ""


class RoleStore:
    """One role's memory.json and journal. Thread-safe; any number of stores and processes may share a space."""

    def __init__(
        self,
        space: Space,
        settings: StorageSettings | None = None,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        busy: Callable[[], bool] = lambda: False,
    ) -> None:
        """While `busy`, no checkpoint is made in the background."""
        self.space = space
        self.settings = settings or StorageSettings()
        self._clock = clock
        self._view = CommittedStateReader(space, self.settings.max_file_mb * 1e6, time.time_ns)
        self._checkpointer = Checkpointer(space, self._view, clock)
        self._writing = threading.RLock()
        self._idle = Debouncer(
            self.settings.fold_idle_s,
            lambda: not busy() and self._quietly(self.checkpoint),
            f"fold {space.name}",
        )
        self._swept = False
        self._told: Problem | None = None  # the last reported reason why it cannot be written

    def snapshot(self) -> Snapshot:
        """The newest state of any process. Never locks; three stat calls when nothing changed."""
        before = self._view.latest
        found = self._view.snapshot()
        if found is not before:
            self._warn(found)
            if self._view.foreign:
                self._idle.touch()
        return found

    @property
    def latest(self) -> Snapshot:
        """The last snapshot read, without checking for changes."""
        return self._view.latest

    @property
    def watched(self) -> Watched:
        """The marks that change when `latest` is outdated."""
        return self._view.watched

    @property
    def settled(self) -> bool:
        """Whether any later change is certain to change a mark."""
        return self._view.settled

    def commit(self, edits: Iterable[Edit], actor: str = "user") -> Snapshot:
        """Apply all edits or none, durably; the state after them.

        Raises: ReadOnlyRoleError (the file is broken), NotWrittenError (the disk refused; nothing changed),
        UnknownMemoryError, InvalidValueError.
        """
        wanted = list(edits)
        if not wanted:
            return self.snapshot()
        with self._after_a_save() as committed:
            lines = planned(
                committed.memories, wanted, committed.seq + 1, iso(self._clock()), actor
            )
            if lines:
                self._view.journal.append(lines)
            pending = len(committed.pending) + len(lines)
            due = max(self.settings.fold_lines, len(committed.memories) // _TO_A_LINE)
            if pending >= 8 * due:
                self._quietly(self._checkpointer.checkpoint)
            found = self._view.snapshot()
        self._idle.touch(soon=pending >= due)
        return found

    def checkpoint(self, force: bool = False) -> bool:
        """Write the journal into memory.json; whether the file is complete then.

        `force` also writes ids for entries that have none. Raises: NotWrittenError; the journal keeps everything.
        """
        if not self.space.exists():
            return True  # the role was deleted
        with self._locked():
            done = self._checkpointer.checkpoint(force)
        self._give_back()
        return done

    def undo(self, txn: str | None = None) -> Snapshot:
        """Undo a transaction (None: the newest possible), except where the same was changed since.

        This is a transaction too, so it can be undone. Raises: InvalidValueError if there is nothing to undo, and what
        `commit` raises.
        """
        memories = self.snapshot().memories
        for name, lines in self._transactions():
            if name != txn if txn is not None else lines[0].actor == "undo":
                continue
            if edits := reverted(lines, memories):
                reason = f"undo {name}"
                return self.commit(
                    [Edit(e.op, e.id, e.fields, e.type, reason) for e in edits], actor="undo"
                )
            if txn is not None:
                break
        what = (
            LocalizedText("transaction {txn!r}", txn=txn) if txn else LocalizedText("the journal")
        )
        raise InvalidValueError(
            "nothing in {what} can be taken back; what it changed was changed again since, or it is not there",
            what=what,
        )

    def history(self, id: str | None = None, limit: int | None = None) -> list[HistoryLine]:  # noqa: A002 - the field's own name
        """The recorded changes, newest first; only of memory `id` if given."""
        return [_shown(line) for line in islice(self.records(id), limit)]

    def records(self, id: str | None = None) -> Iterator[JournalRecord]:  # noqa: A002
        """The journal's records, newest first, read as they are asked for; only of memory `id` if given."""
        return (line for line in Journal(self.space).newest_first() if id in (None, line.id))

    def prune(self, before: datetime) -> int:
        """Delete checkpointed history older than `before`, and the previous file if older; how many records."""
        with self._locked():
            self._checkpointer.checkpoint()
            committed = self._view.committed()
            through = committed.document.through if committed.document is not None else 0
            previous = self.space.document(PREVIOUS)
            mark = previous.mark()
            if mark is not None and mark.changed_ns < before.timestamp() * 1e9:
                previous.delete()
            return self._view.prune(through or 0, iso(before))

    def keep(self, facts: Facts) -> bool:
        """Cache the file's memories and index facts for other processes; false if not possible yet."""
        done = False
        with suppress(OSError):  # retried next time
            done = self._view.keep(facts)
        self._give_back()
        return done

    def kept(self) -> KeptMemories | None:
        """The cache that the first read of the file used; returned once."""
        found, self._view.unread = self._view.unread, None
        return found

    def close(self) -> None:
        """Checkpoint and stop. What cannot be written now stays in the journal for the next time."""
        self.abandon()
        committed = self._view.committed()
        if committed.pending or committed.foreign:
            self._quietly(self.checkpoint)

    def abandon(self) -> None:
        """Stop without a checkpoint: the journal has everything; the next process writes it."""
        self._idle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _give_back(self) -> None:
        """Return what was freed where all memories were read or written, if they are many."""
        if len(self.latest.memories) >= _MANY:
            give_back()

    def _warn(self, found: Snapshot) -> None:
        """Log once why nothing can be written."""
        blocking = next((one for one in found.problems if one.blocks), None)
        if blocking is not None and blocking != self._told:
            _log.warning(
                "%s: what was read last stands, and nothing is written until this is mended: %s",
                self.space.place,
                blocking,
            )
        self._told = blocking

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._writing, self.space.lock():
            if not self._swept:
                self._checkpointer.sweep()
                self._swept = True
            yield

    def _writable(self, committed: CommittedState) -> CommittedState:
        """The state, if it can be written. Raises: ReadOnlyRoleError, NotWrittenError."""
        if committed.broken:
            raise ReadOnlyRoleError(
                "{place}: nothing is written until memory.json is mended: {first}",
                place=self.space.place,
                first=committed.broken[0],
            )
        if committed.foreign and committed.whole:
            raise NotWrittenError(
                "{place}: memory.json is being saved again and again; try once it rests",
                place=self.space.place,
            )
        return committed

    @contextmanager
    def _after_a_save(self) -> Iterator[CommittedState]:
        """Lock and give the state, after waiting for an editor's save in progress. Raises: as `_writable`."""
        end = time.monotonic() + _PATIENCE_S
        while True:
            while self._view.committed().broken and self._is_saved() and time.monotonic() < end:
                time.sleep(_LOOK_S)
            with self._locked():
                committed = self._checkpointer.adopt()
                begun_again = committed.broken or (committed.foreign and committed.whole)
                if not (begun_again and self._is_saved() and time.monotonic() < end):
                    yield self._writable(committed)
                    return

    def _is_saved(self) -> bool:
        """Whether an editor's save may be in progress."""
        return self._view.fresh(_EMPTIED_S if self._view.empty else _SAVING_S)

    def _quietly(self, fold: Callable[[], bool]) -> bool:
        """Checkpoint; failures are logged once and retried later, since the journal has everything."""
        began = time.monotonic()
        try:
            done = fold()
        except OSError as error:
            if "not_folded" not in self._view.notes:
                _log.warning("%s: not folded: %s", self.space.place, error)
            self._view.note(
                "not_folded", Problem("not_folded", "memory.json", values=_reasons(error))
            )
            return False
        self._view.note("not_folded", None)
        self._idle.rest_s = max(self.settings.fold_idle_s, _SHARE * (time.monotonic() - began))
        return done

    def _transactions(self) -> Iterator[tuple[str, list[JournalRecord]]]:
        """All transactions with their records in order, newest first."""
        for name, lines in groupby(Journal(self.space).newest_first(), key=lambda line: line.txn):
            yield name, list(lines)[::-1]


def _shown(line: JournalRecord) -> HistoryLine:
    fields = {name: (pair[0], pair[1]) for name, pair in line.fields.items()}
    return HistoryLine(
        line.seq, line.txn, moment(line.at), line.actor, line.op, line.id, fields, line.reason
    )


def _reasons(error: OSError) -> tuple[tuple[str, LocalizedText], ...]:
    told = error.message if isinstance(error, NotWrittenError) else LocalizedText(str(error))
    return (("reason", told),)
