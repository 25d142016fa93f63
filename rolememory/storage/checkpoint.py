"""Maintenance under the role's lock: take over external edits, and checkpoint the journal into the file."""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime

import orjson

from rolememory.errors import NotWrittenError
from rolememory.schema.problem import Problem
from rolememory.storage.committed_state import PREVIOUS, CommittedState, CommittedStateReader
from rolememory.storage.edits import recorded
from rolememory.storage.journal_records import Conflict, Memories, applied, between
from rolememory.storage.memory_file import BrokenFileError, MemoryFile, changed, digest, empty, read
from rolememory.storage.memory_file_writer import merged, newline_of, rendered
from rolememory.storage.port import Revision, Space
from rolememory.text.timestamps import iso

CONFLICTS = "journal/conflicts.jsonl"
_TRIES = 8  # after so many saves meanwhile, wait for the next checkpoint


class Checkpointer:
    """Syncs memory.json with the journal. Call every method under the role's lock."""

    def __init__(
        self, space: Space, view: CommittedStateReader, clock: Callable[[], datetime]
    ) -> None:
        self._space, self._view, self._clock = space, view, clock
        self._previous = space.document(PREVIOUS)
        self._previous_mark: Revision | None = (
            None  # after our last checkpoint: an editor may still write into the old file
        )
        self._written_digest = b""
        self._withdrawn: int | None = None  # the seq of a checkpoint undone by an editor's save

    def adopt(self) -> CommittedState:
        """Take over an author's save: record it in the journal, and keep it as the last good state.

        Raises: NotWrittenError.
        """
        self._rescue_late_save()
        for _ in range(_TRIES):
            committed = self._view.committed()
            if not committed.foreign:
                return committed
            data = self._bytes(committed)
            if data is None:
                continue  # saved again meanwhile
            self._take_over(committed, data)
            if committed.whole:
                self._write(self._view.committed(), data)
        return self._view.committed()

    def checkpoint(self, force: bool = False) -> bool:
        """Write what the file lacks into it; false when that has to wait (broken file, an editor at work).

        `force` also gives ids to entries that have none. Raises: NotWrittenError.
        """
        for _ in range(_TRIES):
            committed = self.adopt()
            if committed.broken or committed.foreign:
                return False
            if not _lacks(committed, force):
                return True
            absent = committed.missing or committed.document is None
            data = None if absent else self._bytes(committed)
            if (absent or data is not None) and self._write(committed, data):
                return True
        return False

    def sweep(self) -> None:
        """Clean up after a killed process; an author's save found then is put back, or kept as a conflict copy."""
        self._put_back()
        for data in self._view.file.strays():
            if self._is_news(data):
                self._copy(data)
        for _ in self._view.good.strays():
            pass

    def _put_back(self) -> None:
        """Restore an author's save that a killed checkpoint had moved aside (on systems without an atomic exchange)."""
        if self._view.file.mark() is None and self._previous.mark() is not None:
            with suppress(OSError):
                data = self._previous.read()
                if self._is_news(data):
                    self._view.file.swap(data, None)

    def _is_news(self, data: bytes) -> bool:
        """Whether left-over bytes contain changes that the role lacks."""
        committed = self._view.committed()
        try:
            found = read(data, committed.document)
        except BrokenFileError:
            return False
        through = found.through or 0
        return applied(found.memories, self._view.lines(through), through)[0] != committed.memories

    def _rescue_late_save(self) -> None:
        """Put back what an editor wrote into the old file, still open, after our checkpoint replaced it."""
        mark, ours = self._previous.mark(), self._previous_mark
        if ours is None or mark is None or mark == ours:
            return
        try:
            now = self._view.file.read()
            if mark.inode != ours.inode or digest(now) != self._written_digest:
                self._previous_mark = (
                    None  # a newer checkpoint or save: the previous file is another or outdated
                )
                return
            late = self._previous.read()
            read(late)
            self._previous_mark = None
            self._view.file.swap(late, now)
        except (OSError, BrokenFileError):
            return  # still being written: check again next time

    def _bytes(self, committed: CommittedState) -> bytes | None:
        """The file's bytes, if still those that the committed state was read from."""
        try:
            data = self._view.file.read()
        except OSError:
            return None
        return (
            data
            if committed.document is not None and digest(data) == committed.document.digest
            else None
        )

    def _take_over(self, committed: CommittedState, data: bytes) -> None:
        before = self._state_before()
        if before is not None:
            steps = list(between(before[1], committed.memories))
            if committed.whole and any(op != "add" for op, _, _ in steps):
                self._copy(rendered(merged(*before, committed.seq)))
            if steps:
                base = committed.seq + len(steps) if committed.whole else committed.through
                missed = self._withdrawn if self._withdrawn != base else None
                self._view.journal.append(
                    recorded(steps, committed.seq + 1, iso(self._clock()), base, missed)
                )
        self._log(committed.conflicts)
        if (
            committed.document is not None and not committed.whole
        ):  # a file without seq is checkpointed at once, and keeps counting as whole until then
            self._view.file.settle()  # the recorded base must be durable
            self._keep(data, committed.document)

    def _state_before(self) -> tuple[MemoryFile, Memories] | None:
        """The state before the author's save; None if there was none."""
        try:
            document = read(self._view.good.read(), self._view.committed().document, ours=True)
        except (OSError, BrokenFileError):
            return None
        through = document.through or 0
        return document, applied(document.memories, self._view.lines(through), through)[0]

    def _keep(self, data: bytes, document: MemoryFile) -> None:
        """Write state/last-good.json. Raises: NotWrittenError."""
        self._view.good.put(data)
        self._view.kept(document)

    def _write(self, committed: CommittedState, data: bytes | None) -> bool:
        """Write a checkpoint; false when the file has changed meanwhile. Raises: NotWrittenError."""
        old = self._document(committed, data)
        if old.doubled and data is not None:
            self._copy(data)
        fresh = rendered(merged(old, committed.memories, committed.seq), newline_of(data or b""))
        written = read(fresh, committed.document, ours=True)
        if written.memories != committed.memories:
            place = self._view.file.place
            raise NotWrittenError(
                "{place}: not written: what would be written reads differently", place=place
            )
        self._log(committed.conflicts)
        outcome = self._view.file.swap(fresh, data)
        if not outcome.done:
            self._take_over_early(committed.seq, outcome.instead)
            return False
        self._withdrawn = None
        written.raw, written.slots = {}, {}
        self._view.expect(written)
        self._previous_mark, self._written_digest = self._previous.mark(), written.digest
        self._keep(fresh, written)  # last: what it has seen, the file has durably seen
        return True

    def _take_over_early(self, seq: int, saved: bytes) -> None:
        """Take over a save made during our checkpoint now: an editor that opened our file meanwhile may save it later."""
        self._withdrawn = seq
        with suppress(BrokenFileError):
            committed = self._view.state_in(saved)
            if committed.foreign and not committed.whole:
                self._take_over(committed, saved)

    def _document(self, committed: CommittedState, data: bytes | None) -> MemoryFile:
        """The document to write into, with the author's raw structure: the file, else the last one read, else an empty one."""
        if data is not None:
            return read(data, committed.document)
        with suppress(OSError, BrokenFileError):
            return read(self._view.good.read(), committed.document, ours=True)
        return read(orjson.dumps(empty()), ours=True)

    def _log(self, conflicts: Iterable[Conflict]) -> None:
        """Append new rows to `CONFLICTS`; only informative, so failures are ignored."""
        kept = self._space.document(CONFLICTS)
        with suppress(OSError):
            known = kept.read() if kept.mark() else b""
            rows = [row for conflict in conflicts if (row := _conflict_row(conflict)) not in known]
            if rows:
                kept.put(known + b"".join(rows))

    def _copy(self, data: bytes) -> None:
        """Save bytes as memory.conflict-TIME.json and report it. Raises: NotWrittenError."""
        stamp = self._clock().strftime("%Y%m%d-%H%M%S")
        names = [
            f"memory.conflict-{stamp}{suffix}.json"
            for suffix in ("", *(f"-{n}" for n in range(2, 100)))
        ]
        name = next(
            (name for name in names if self._space.document(name).mark() is None), names[-1]
        )
        self._space.document(name).put(data)
        self._view.note(f"copy {name}", Problem.of("conflict_copy", "memory.json", copy=name))


def _lacks(committed: CommittedState, force: bool) -> bool:
    """Whether the file lacks something."""
    document = committed.document
    if document is None:
        return bool(committed.memories) or force
    if committed.missing or changed(document, committed.memories):
        return True
    return force and (document.unnamed or document.through is None)


def _conflict_row(conflict: Conflict) -> bytes:
    line = conflict.line
    pair = list(line.fields.get(conflict.field, [None, None]))
    row = {
        "seq": line.seq,
        "txn": line.txn,
        "id": line.id,
        "field": conflict.field,
        "before": pair[0],
        "after": pair[-1],
    }
    return json.dumps({**row, "file": conflict.found}, ensure_ascii=False).encode() + b"\n"
