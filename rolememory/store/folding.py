"""What only the holder of the role's lock does: take over the author's saves, and fold the journal into the file."""

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import orjson

from rolememory.store import atomic
from rolememory.store.disk import Disk, Mark
from rolememory.store.document import BrokenFileError, Document, changed, digest, empty, read
from rolememory.store.lines import Conflict, Memories, applied, between
from rolememory.store.moments import iso
from rolememory.store.planning import recorded
from rolememory.store.problem import Problem
from rolememory.store.view import PREVIOUS, Truth, View
from rolememory.store.writing import merged, newline_of, rendered

CONFLICTS = "conflicts.jsonl"
_TRIES = 8  # an editor that saves faster than this is left alone until the next fold


class Folding:
    """Keeps memory.json and the journal in step. Every method is called under the role's lock."""

    def __init__(self, folder: Path, view: View, disk: Disk, clock: Callable[[], datetime]) -> None:
        self._folder, self._view, self._disk, self._clock = folder, view, disk, clock
        self._previous = folder / PREVIOUS
        self._previous_mark: Mark | None = None  # after our last fold: an editor may still write into the old file
        self._folded = b""
        self._withdrawn: int | None = None  # the seq of a fold that gave way to an editor's save

    def adopt(self) -> Truth:
        """Take over what an author saved: record it, and keep it as the last good state.

        Raises: NotWrittenError.
        """
        self._rescue()
        for _ in range(_TRIES):
            truth = self._view.truth()
            data = self._bytes(truth) if truth.foreign else None
            if data is None:
                if not truth.foreign:
                    return truth
                continue  # saved again meanwhile
            self._take_over(truth, data)
            if truth.whole:
                self._write(self._view.truth(), data)
        return self._view.truth()

    def fold(self, force: bool = False) -> bool:
        """Write what the file lacks into it; false when that has to wait (broken file, an editor at work).

        `force` also gives ids to entries that have none. Raises: NotWrittenError.
        """
        for _ in range(_TRIES):
            truth = self.adopt()
            if truth.broken or truth.foreign:
                return False
            if not _lacks(truth, force):
                return True
            data = None if truth.missing or truth.document is None else self._bytes(truth)
            if (data is None) is (truth.missing or truth.document is None) and self._write(truth, data):
                return True
        return False

    def sweep(self) -> None:
        """Look after what a killed process left; what an author may have saved just then is put back, or kept as a conflict copy."""
        self._put_back()
        for name in self._disk.names(self._folder):
            if name.startswith(".memory.json.") and name.endswith(".tmp"):
                self._sweep(self._folder / name)
        for name in self._disk.names(self._view.good_path.parent):
            if name.startswith(".last-good.json.") and name.endswith(".tmp"):
                atomic.drop(self._view.good_path.parent / name, self._disk)

    def _sweep(self, path: Path) -> None:
        data = self._news_in(path)
        if data is not None and atomic.is_news(path, data):
            self._copy(data)
        atomic.drop(path, self._disk)

    def _put_back(self) -> None:
        """Where two names cannot be exchanged, a fold may have died with an author's save moved aside."""
        if self._disk.mark(self._view.path) is None and self._news_in(self._previous) is not None:
            with suppress(OSError):
                self._disk.create(self._previous, self._view.path)

    def _news_in(self, path: Path) -> bytes | None:
        """The bytes of a left-over file if they say something that the role does not know."""
        truth = self._view.truth()
        try:
            data = self._disk.read(path)
            found = read(data, truth.document)
        except (OSError, BrokenFileError):
            return None
        through = found.through or 0
        memories, _ = applied(found.memories, self._view.lines(through), through)
        return data if memories != truth.memories else None

    def _rescue(self) -> None:
        """An editor that had the old file open may have written into it after our fold: put that back under the name."""
        mark, ours = self._disk.mark(self._previous), self._previous_mark
        if ours is None or mark is None or mark == ours:
            return
        try:
            now = self._disk.read(self._view.path)
            if mark.inode != ours.inode or digest(now) != self._folded:
                self._previous_mark = None  # somebody folded or saved since: the previous file is another one, or an older word
                return
            late = self._disk.read(self._previous)
            read(late)
            self._previous_mark = None
            atomic.install(late, self._view.path, now, self._disk)
        except (OSError, BrokenFileError):
            return  # still being written: look again next time

    def _bytes(self, truth: Truth) -> bytes | None:
        """The file's bytes, if they are still those that the truth was read from."""
        try:
            data = self._disk.read(self._view.path)
        except OSError:
            return None
        return data if truth.document is not None and digest(data) == truth.document.digest else None

    def _take_over(self, truth: Truth, data: bytes) -> None:
        before = self._before()
        if before is not None:
            steps = list(between(before[1], truth.memories))
            if truth.whole and any(op != "add" for op, _, _ in steps):
                self._copy(rendered(merged(*before, truth.seq)))
            if steps:
                base = truth.seq + len(steps) if truth.whole else truth.through
                missed = self._withdrawn if self._withdrawn != base else None
                self._view.journal.append(recorded(steps, truth.seq + 1, iso(self._clock()), base, missed))
        self._log(truth.conflicts)
        if truth.document is not None and not truth.whole:  # a whole word is folded at once: until then it stays one
            self._settle_file()
            self._keep(data, truth.document)

    def _before(self) -> tuple[Document, Memories] | None:
        """What stood before the author's save; None when nothing did."""
        try:
            document = read(self._disk.read(self._view.good_path), self._view.truth().document, ours=True)
        except (OSError, BrokenFileError):
            return None
        through = document.through or 0
        return document, applied(document.memories, self._view.lines(through), through)[0]

    def _settle_file(self) -> None:
        """Make the author's save durable: editors do not, and what we record rests on it."""
        with suppress(OSError):
            descriptor = self._disk.open(self._view.path, os.O_RDWR)
            try:
                self._disk.fsync(descriptor)
            finally:
                self._disk.close(descriptor)
            self._disk.fsync_folder(self._folder)

    def _keep(self, data: bytes, document: Document) -> None:
        """Write state/last-good.json. Raises: NotWrittenError."""
        folder = self._view.good_path.parent
        try:
            if self._disk.mark(folder) is None:
                self._disk.mkdir(folder)
                self._disk.fsync_folder(folder.parent)
        except OSError as error:
            raise atomic.not_written(folder, error) from error
        atomic.write(self._view.good_path, data, self._disk)
        self._view.kept(document)

    def _write(self, truth: Truth, data: bytes | None) -> bool:
        """Fold; false when the file is another one by now. Raises: NotWrittenError."""
        old = self._document(truth, data)
        if old.doubled and data is not None:
            self._copy(data)
        fresh = rendered(merged(old, truth.memories, truth.seq), newline_of(data or b""))
        written = read(fresh, truth.document, ours=True)
        if written.memories != truth.memories:
            raise atomic.not_written(self._view.path, OSError("what would be written reads differently"))
        self._log(truth.conflicts)
        try:
            outcome = atomic.install(fresh, self._view.path, data, self._disk)
        except OSError as error:
            raise atomic.not_written(self._view.path, error) from error
        if not outcome.done:
            self._gave_way(truth.seq, outcome.instead)
            return False
        self._withdrawn = None
        written.raw, written.slots = {}, {}
        self._view.expect(written)
        self._previous_mark, self._folded = self._disk.mark(self._previous), written.digest
        self._keep(fresh, written)  # last: what it has seen, the file has durably seen
        return True

    def _gave_way(self, seq: int, saved: bytes) -> None:
        """An editor saved while we folded. Another may have opened our fold meanwhile and save at once, so take it over from here."""
        self._withdrawn = seq
        with suppress(BrokenFileError):
            truth = self._view.truth_in(saved)
            if truth.foreign and not truth.whole:
                self._take_over(truth, saved)

    def _document(self, truth: Truth, data: bytes | None) -> Document:
        """The document to write into, with the author's raw structure: the file, else what stood there last, else an empty one."""
        if data is not None:
            return read(data, truth.document)
        with suppress(OSError, BrokenFileError):
            return read(self._disk.read(self._view.good_path), truth.document, ours=True)
        return read(orjson.dumps(empty()), ours=True)

    def _log(self, conflicts: Iterable[Conflict]) -> None:
        """Add to journal/conflicts.jsonl what is not there yet; a help for people, so its failure stops nothing."""
        path = self._view.journal.folder / CONFLICTS
        with suppress(OSError):
            known = self._disk.read(path) if self._disk.mark(path) else b""
            rows = [row for conflict in conflicts if (row := _conflict_row(conflict)) not in known]
            if rows:
                atomic.write(path, known + b"".join(rows), self._disk)

    def _copy(self, data: bytes) -> None:
        """Keep bytes as memory.conflict-TIME.json and say so. Raises: NotWrittenError."""
        stamp = self._clock().strftime("%Y%m%d-%H%M%S")
        names = [f"memory.conflict-{stamp}{suffix}.json" for suffix in ("", *(f"-{n}" for n in range(2, 100)))]
        name = next((name for name in names if self._disk.mark(self._folder / name) is None), names[-1])
        atomic.write(self._folder / name, data, self._disk)
        self._view.note(f"copy {name}", Problem("conflict_copy", "memory.json", values=(("copy", name),)))


def _lacks(truth: Truth, force: bool) -> bool:
    """Whether the file has to be written."""
    document = truth.document
    if document is None:
        return bool(truth.memories) or force
    if truth.missing or changed(document, truth.memories):
        return True
    return force and (document.unnamed or document.through is None)


def _conflict_row(conflict: Conflict) -> bytes:
    line = conflict.line
    pair = list(line.fields.get(conflict.field, [None, None]))
    row = {"seq": line.seq, "txn": line.txn, "id": line.id, "field": conflict.field, "before": pair[0], "after": pair[-1]}
    return json.dumps({**row, "file": conflict.found}, ensure_ascii=False).encode() + b"\n"
