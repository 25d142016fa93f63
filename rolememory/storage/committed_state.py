"""The committed state of a role, read without locks: memory.json and the journal records it lacks."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import RLock
from types import MappingProxyType

from rolememory.schema.memory import MemoriesById
from rolememory.schema.problem import Problem
from rolememory.schema.value_class import value_class
from rolememory.storage.copy_on_write import CopyOnWriteDict
from rolememory.storage.gc_pause import gc_paused
from rolememory.storage.journal import RACY_NS, Journal
from rolememory.storage.journal_records import Conflict, JournalRecord, Memories, applied
from rolememory.storage.kept_memories import Facts, KeptMemories, KeptMemoriesFile, unread
from rolememory.storage.look import Watched, watching
from rolememory.storage.memory_file import BrokenFileError, MemoryFile, digest, read
from rolememory.storage.port import Revision, Space
from rolememory.text.change_log import ChangeLog

NAME = "memory.json"
PREVIOUS = "memory.json.prev"
GOOD = "state/last-good.json"


@value_class
class Snapshot:
    """A role's memories at one moment. Unchanged memories are the same objects in the next snapshot."""

    memories: MemoriesById  # in file order by arrays, then as they were added
    seq: int  # of the newest committed change
    version: int  # differs whenever the content differs
    problems: tuple[Problem, ...] = ()
    writable: bool = True  # false while the file is broken: commits are refused
    changes: ChangeLog[str] = field(default_factory=ChangeLog)  # ids, of this state and later ones
    mark: int = 0  # how many of them this state includes


@value_class
class CommittedState:
    """A snapshot with what writers need."""

    memories: Memories
    seq: int
    document: MemoryFile | None = (
        None  # what the memories are built on: the file, or its last good state
    )
    through: int = 0  # the seq that document includes
    pending: tuple[JournalRecord, ...] = ()  # records it lacks
    conflicts: tuple[Conflict, ...] = ()
    foreign: bool = False  # an external edit that is not taken over yet
    whole: bool = False  # and without a valid seq: it replaces the whole state
    missing: bool = False
    broken: tuple[Problem, ...] = ()


@dataclass(slots=True)
class _LastGoodFile:
    """state/last-good.json: the last file content that we wrote or took over."""

    mark: Revision | None = None
    digest: bytes = b""
    through: int | None = None
    known: bool = True  # whether `through` was read
    racy: bool = True


class CommittedStateReader:
    """Reads a role's file and journal; thread-safe. `now_ns` is only compared with file time stamps."""

    def __init__(self, space: Space, max_bytes: float, now_ns: Callable[[], int]) -> None:
        self.file, self.good = space.document(NAME), space.document(GOOD)
        self.journal = Journal(space)
        self.unread: KeptMemories | None = None  # the cache of the file, if used
        self._kept_file = KeptMemoriesFile(space)
        self.notes: dict[str, Problem] = {}  # problems of writing
        self._previous = space.document(PREVIOUS)
        self._max_bytes, self._now_ns = max_bytes, now_ns
        self._lock = RLock()
        self._document: MemoryFile | None = None
        self._current = False  # whether the document is the file's current content
        self._file_mark: Revision | None = None
        self._racy = True
        self._broken: tuple[Problem, ...] = ()
        self._good = _LastGoodFile()
        self._good_digest = b""  # the last good state when the document was read
        self._state: CommittedState | None = None
        self._snapshot = Snapshot(MappingProxyType({}), 0, 0)
        self._changes = ChangeLog[str]()
        self._seen: object = None

    def snapshot(self) -> Snapshot:
        """The newest state. Three stat calls when nothing changed; never waits for a writer."""
        if self._seen is not None and self._marks() == self._seen:
            return self._snapshot
        self.committed()
        return self._snapshot

    def committed(self) -> CommittedState:
        """The newest state with what writers need."""
        with self._lock:
            before = self._state
            if before is not None and self._seen is not None and self._marks() == self._seen:
                return before
            with gc_paused():
                self._read_file()
                self._state = self._compute()
            if before is None or self._state is not before:
                self._publish(self._state, before)
            self._seen = (
                None
                if self._racy or self.journal.seen is None
                else (self._file_mark, *self.journal.seen)
            )
            return self._state

    @property
    def latest(self) -> Snapshot:
        """The last snapshot read, without checking for changes."""
        return self._snapshot

    @property
    def watched(self) -> Watched:
        """The marks that change when `latest` is outdated."""
        return {**watching(self.file), **self.journal.watched}

    @property
    def settled(self) -> bool:
        """Whether any later change is certain to change a mark."""
        return self._seen is not None

    @property
    def foreign(self) -> bool:
        """Whether the last state read contains an external edit not yet taken over."""
        return self._state is not None and self._state.foreign

    def fresh(self, within_s: float) -> bool:
        """Whether the file changed within the last `within_s` seconds, so that a save may be in progress."""
        mark = self.file.mark()
        return mark is not None and self._now_ns() - mark.changed_ns < within_s * 1e9

    @property
    def empty(self) -> bool:
        """Whether the file is empty."""
        mark = self.file.mark()
        return mark is not None and mark.size == 0

    def lines(self, after: int) -> list[JournalRecord]:
        """The committed records with a seq above `after`, however old."""
        with self._lock:
            self.journal.refresh(after, self._now_ns())
            return self.journal.lines(after)

    def prune(self, through: int, before: str) -> int:
        """Delete older records that memory.json includes; how many."""
        with self._lock:
            return self.journal.prune(through, before)

    def state_in(self, data: bytes) -> CommittedState:
        """The state if the file held these bytes. Raises: BrokenFileError."""
        with self._lock:
            return self._state_of(_without_raw(read(data, self._document)), stands=True)

    def note(self, code: str, problem: Problem | None) -> None:
        """Show or clear a problem of writing."""
        if problem is None:
            self.notes.pop(code, None)
        else:
            self.notes[code] = problem
        with self._lock:
            if self._state is not None:
                self._publish(self._state, self._state)

    def kept(self, document: MemoryFile) -> None:
        """Note that `document` was just written to state/last-good.json."""
        with self._lock:
            self._good = _LastGoodFile(self.good.mark(), document.digest, document.through)
            self._seen = None

    def expect(self, document: MemoryFile) -> None:
        """Take over a document just written to the file, to save reading it again."""
        with self._lock:
            self._document, self._current, self._file_mark, self._racy = document, True, None, True
            self._good_digest = self._good.digest
            if self._state is not None:
                self._state = CommittedState(
                    self._state.memories, self._state.seq, document, self._state.seq
                )
                self._publish(self._state, self._state)

    def _marks(self) -> object:
        return (self.file.mark(), *self.journal.marks())

    def _read_file(self) -> None:
        mark = self.file.mark()
        if mark != self._file_mark or self._racy:
            self._file_mark = mark
            self._racy = mark is not None and self._is_racy(mark)
            self._current, self._broken = False, ()
            self._try_reading(mark)
        if not self._current:
            self._fall_back()

    def _try_reading(self, mark: Revision | None) -> None:
        if mark is None:
            return
        try:
            self._document, self._current = self._read(mark), True
            self._good_digest = self._good.digest
        except BrokenFileError as error:
            self._broken = tuple(replace(one, blocks=True) for one in error.problems)
        except FileNotFoundError:
            self._file_mark = None
        except OSError as error:
            self._racy = True
            self._broken = (
                Problem.of("unreadable", NAME, blocks=True, reason=error.strerror or str(error)),
            )

    def _fall_back(self) -> None:
        """While the file is missing or broken: keep the last document read, or read a newer last good state, else the previous file."""
        self._look_at_good()
        if self._document is not None and self._good.digest == self._good_digest:
            return
        for kept in (self.good, self._previous):
            with suppress(OSError, BrokenFileError):
                self._document = _without_raw(read(kept.read(), self._document, ours=True))
                break
        self._good_digest = self._good.digest

    def _is_racy(self, mark: Revision) -> bool:
        """Whether the file changed so recently that it may change again without a new time stamp."""
        return -RACY_NS < self._now_ns() - mark.changed_ns < RACY_NS

    def _read(self, mark: Revision) -> MemoryFile:
        if mark.size > self._max_bytes:
            raise BrokenFileError(
                [
                    Problem.of(
                        "too_large",
                        NAME,
                        size=f"{mark.size / 1e6:.3g}",
                        limit=f"{self._max_bytes / 1e6:.3g}",
                    )
                ]
            )
        data = self.file.read()
        found = digest(data)
        self._look_at_good()
        if self._document is not None and found == self._document.digest:
            return self._document
        known = None if self._document else self._kept_file.read(data, found)
        if known:
            document, self.unread = known
            return document
        document = _without_raw(read(data, self._document, ours=found == self._good.digest))
        return document if self._document else unread(data, document)

    def keep(self, facts: Facts) -> bool:
        """Cache the file's memories and index facts for other processes; false if not possible yet."""
        with self._lock:
            committed = self.committed()
            settled = self._current and not (committed.pending or committed.foreign)
        document = committed.document
        if document is None or not settled:
            return document is None
        if not self._kept_file.lacks(document):
            return True
        told = facts([committed.memories[one] for one in document.memories])
        data = self.file.read() if told else b""
        if not told or digest(data) != document.digest:
            return False
        self._kept_file.keep(data, document, told)
        return True

    def _look_at_good(self) -> None:
        """Refresh what is known of the last good state; read only if changed."""
        mark = self.good.mark()
        if mark is None:
            self._good = _LastGoodFile()
        elif mark != self._good.mark or self._good.racy:
            found = digest(self.good.read())
            if found != self._good.digest:
                self._good = _LastGoodFile(digest=found, known=False)
            self._good.mark, self._good.racy = mark, self._is_racy(mark)

    def _good_through(self) -> int | None:
        """The seq of the last good state; parsed only if it is not the current document."""
        good, document = self._good, self._document
        if not good.known:
            same = document is not None and document.digest == good.digest
            good.through = (
                document.through if same and document is not None else self._parsed_through()
            )
            good.known = True
        return good.through

    def _parsed_through(self) -> int | None:
        try:
            return read(self.good.read(), self._document, ours=True).through
        except (OSError, BrokenFileError):
            return None

    def _compute(self) -> CommittedState:
        before = self._state
        missing = not self._current and not self._broken and self._document is not None
        committed = replace(
            self._state_of(self._document, self._current), missing=missing, broken=self._broken
        )
        return before if before is not None and committed == before else committed

    def _state_of(self, document: MemoryFile | None, stands: bool) -> CommittedState:
        self._look_at_good()
        needed = (document.through or 0) if document else 0
        self.journal.refresh(needed, self._now_ns())
        seq = max(self.journal.last_seq, self._good_through() or 0)
        fresh = document is not None and document.digest != self._good.digest
        seen = 0 if document is None else self._seen_by(document, fresh, seq)
        through = seq if seen is None else seen
        pending = [line for line in self.journal.lines(through) if line.applies_to(through)]
        memories, conflicts = self._apply(document, pending, through, self._state)
        return CommittedState(
            memories,
            seq,
            document,
            through,
            tuple(pending),
            conflicts,
            fresh and stands,
            seen is None,
        )

    def _seen_by(self, document: MemoryFile, fresh: bool, seq: int) -> int | None:
        """The seq that the document includes; None if missing or impossible."""
        through, good = document.through, self._good_through()
        if not fresh:
            return through or 0
        if through is None:
            return None if good is not None else 0
        oldest = (self.journal.first_seq or seq + 1) - 1
        return through if oldest <= through <= seq else None

    def _apply(
        self,
        document: MemoryFile | None,
        pending: Sequence[JournalRecord],
        through: int,
        before: CommittedState | None,
    ) -> tuple[Memories, tuple[Conflict, ...]]:
        """The document's memories after the records it lacks; applies only new records where possible."""
        start = CopyOnWriteDict({} if document is None else document.memories)
        fresh = _new_records(before, document, through, pending)
        if before is not None and fresh is not None:
            if not fresh:
                return before.memories, before.conflicts
            memories, conflicts = applied(before.memories, fresh, through)
            return memories, (*before.conflicts, *conflicts)
        memories, conflicts = applied(start, pending, through)
        return _same_objects(memories, before.memories if before else {}), tuple(conflicts)

    def _publish(self, committed: CommittedState, before: CommittedState | None) -> None:
        same = before is not None and committed.memories.alike(before.memories)
        if not same:
            self._note_changes(committed, before)
        self._snapshot = Snapshot(
            memories=self._snapshot.memories if same else MappingProxyType(committed.memories),
            seq=committed.seq,
            version=self._snapshot.version + (not same),
            problems=tuple(self._problems(committed)),
            writable=not committed.broken,
            changes=self._changes,
            mark=self._changes.version,
        )

    def _note_changes(self, committed: CommittedState, before: CommittedState | None) -> None:
        """Log the changed ids, or "all" if more than new records changed."""
        fresh = _new_records(before, committed.document, committed.through, committed.pending)
        if fresh is None:
            self._changes.all()
        else:
            self._changes.note(*dict.fromkeys(line.id for line in fresh))

    def _problems(self, committed: CommittedState) -> Iterable[Problem]:
        yield from committed.broken
        if committed.missing:
            yield Problem("missing_file", NAME)
        if committed.document is not None and self._current:
            yield from committed.document.problems
        for conflict in committed.conflicts:
            yield Problem("conflict", NAME, field=f"{conflict.line.id}.{conflict.field}")
        yield from self.journal.problems()
        yield from self.notes.values()


def _without_raw(document: MemoryFile) -> MemoryFile:
    """The document without the author's raw structure, which is read again for writing."""
    document.raw, document.slots = {}, {}
    return document


def _new_records(
    before: CommittedState | None,
    document: MemoryFile | None,
    through: int,
    pending: Sequence[JournalRecord],
) -> Sequence[JournalRecord] | None:
    """The records added since a state; None if the states differ in more than that."""
    if before is None or before.document is not document or before.through != through:
        return None
    known, size = before.pending, len(before.pending)
    extends = len(pending) >= size and (not known or pending[size - 1] == known[-1])
    return pending[size:] if extends else None


def _same_objects(memories: Memories, before: MemoriesById) -> Memories:
    """The memories, with known objects reused for equal ones."""
    for name, memory in memories.items():
        old = before.get(name)
        if old is not None and old is not memory and old == memory:
            memories[name] = old
    return memories
