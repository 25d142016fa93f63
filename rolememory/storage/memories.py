"""A role's memories: read without locks, changed durably, kept in a file that belongs to its author.

Truth = memory.json + the committed lines of the journal that it has not seen. A change is one transaction in the
journal, on disk before it is acknowledged; `checkpoint` writes the lines into the file once it has been quiet for a while.
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
from rolememory.storage.journal import Journal
from rolememory.storage.journal_records import JournalRecord
from rolememory.storage.kept_memories import Facts, KeptMemories
from rolememory.storage.look import Watched
from rolememory.storage.port import Space
from rolememory.storage.problem import Problem
from rolememory.text.timestamps import iso, moment

__all__ = ["Edit", "HistoryLine", "Problem", "RoleStore", "Snapshot", "new_id"]

_SAVING_S = 1.0  # a broken file that changed so lately is one that an editor is about to finish
_EMPTIED_S = 3.0  # an empty one even more so: editors empty a file before they fill it
_PATIENCE_S = 5.0  # how long a commit waits for an editor that saves again and again
_LOOK_S = 0.02
_SHARE = (
    10  # folding may take at most a tenth of the time: a very large role waits longer for quiet
)
_log = logging.getLogger(__name__)


@value_class
class HistoryLine:
    """One recorded change."""

    seq: int
    txn: str  # what `undo` takes back
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
    ) -> None:
        self.space = space
        self.settings = settings or StorageSettings()
        self._clock = clock
        self._view = CommittedStateReader(space, self.settings.max_file_mb * 1e6, time.time_ns)
        self._checkpointer = Checkpointer(space, self._view, clock)
        self._writing = threading.RLock()
        self._idle = Debouncer(
            self.settings.fold_idle_s, lambda: self._quietly(self.checkpoint), f"fold {space.name}"
        )
        self._swept = False
        self._told: Problem | None = None  # what keeps it from being written, as it was last said

    def snapshot(self) -> Snapshot:
        """The newest state, by whatever process it was made. Never locks; three stat calls when nothing changed."""
        before = self._view.latest
        found = self._view.snapshot()
        if found is not before:
            self._warn(found)
            if self._view.foreign:
                self._idle.touch()
        return found

    @property
    def latest(self) -> Snapshot:
        """The state that was seen last, without looking."""
        return self._view.latest

    @property
    def watched(self) -> Watched:
        """What tells whether `latest` is still the newest state."""
        return self._view.watched

    @property
    def settled(self) -> bool:
        """Whether that was read so late that what changes since has another mark."""
        return self._view.settled

    def commit(self, edits: Iterable[Edit], actor: str = "user") -> Snapshot:
        """Do all edits or none; on return they survive a power cut. Give the state they led to.

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
            if pending >= 8 * self.settings.fold_lines:
                self._quietly(self._checkpointer.checkpoint)
            found = self._view.snapshot()
        self._idle.touch(soon=pending >= self.settings.fold_lines)
        return found

    def checkpoint(self, force: bool = False) -> bool:
        """Write what the journal holds into memory.json; true when the file then says it all.

        `force` also writes ids for entries that have none. Raises: NotWrittenError; the journal keeps everything.
        """
        if not self.space.exists():
            return True  # the role was removed: nothing brings it back by itself
        with self._locked():
            return self._checkpointer.checkpoint(force)

    def undo(self, txn: str | None = None) -> Snapshot:
        """Take a transaction back (None: the newest that can be), as far as nobody changed the same since.

        The undoing is a transaction of its own, so it can be undone as well. Raises: InvalidValueError when there is
        nothing to take back, and what `commit` raises.
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
        """The recorded changes, newest first; of one memory if `id` is given."""
        lines = (line for line in self._newest_first() if id is None or line.id == id)
        return [_shown(line) for line in islice(lines, limit)]

    def prune(self, before: datetime) -> int:
        """Forget history that is older and folded, and the file before the last save if that is; how many lines went."""
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
        """Keep for other processes where memories lie in the file, and what an index holds of each; false: not yet."""
        with suppress(OSError):  # next time, then
            return self._view.keep(facts)
        return False

    def kept(self) -> KeptMemories | None:
        """What another process kept of the file as it was first read here; given once."""
        found, self._view.unread = self._view.unread, None
        return found

    def close(self) -> None:
        """Fold what is left and stop. What cannot be folded now stays in the journal and is folded next time."""
        self.abandon()
        committed = self._view.committed()
        if committed.pending or committed.foreign:
            self._quietly(self.checkpoint)

    def abandon(self) -> None:
        """Stop without folding: nothing is lost, the journal has it; the next process folds."""
        self._idle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _warn(self, found: Snapshot) -> None:
        """Say once what keeps anything from being written."""
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
        """The truth, if it can be written on. Raises: ReadOnlyRoleError, NotWrittenError."""
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
        """The lock and the truth, once an editor that is in the middle of a save has finished. Raises: as `_writable`."""
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
        """Whether an editor may be in the middle of a save."""
        return self._view.fresh(_EMPTIED_S if self._view.empty else _SAVING_S)

    def _quietly(self, fold: Callable[[], bool]) -> bool:
        """Fold; what goes wrong is said once and tried again later, for the journal holds everything."""
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

    def _newest_first(self) -> Iterator[JournalRecord]:
        return Journal(self.space).newest_first()

    def _transactions(self) -> Iterator[tuple[str, list[JournalRecord]]]:
        """Every transaction with its lines in order, the newest first."""
        for name, lines in groupby(self._newest_first(), key=lambda line: line.txn):
            yield name, list(lines)[::-1]


def _shown(line: JournalRecord) -> HistoryLine:
    fields = {name: (pair[0], pair[1]) for name, pair in line.fields.items()}
    return HistoryLine(
        line.seq, line.txn, moment(line.at), line.actor, line.op, line.id, fields, line.reason
    )


def _reasons(error: OSError) -> tuple[tuple[str, LocalizedText], ...]:
    told = error.message if isinstance(error, NotWrittenError) else LocalizedText(str(error))
    return (("reason", told),)
