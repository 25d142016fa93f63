"""What only the holder of the role's lock does: take over the author's saves, and fold the journal into the file."""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime

import orjson

from rolememory.errors import NotWrittenError
from rolememory.storage.document import BrokenFileError, Document, changed, digest, empty, read
from rolememory.storage.lines import Conflict, Memories, applied, between
from rolememory.storage.moments import iso
from rolememory.storage.planning import recorded
from rolememory.storage.port import Mark, Space
from rolememory.storage.problem import Problem
from rolememory.storage.view import PREVIOUS, Truth, View
from rolememory.storage.writing import merged, newline_of, rendered

CONFLICTS = "journal/conflicts.jsonl"
_TRIES = 8  # an editor that saves faster than this is left alone until the next fold


class Folding:
    """Keeps memory.json and the journal in step. Every method is called under the role's lock."""

    def __init__(self, space: Space, view: View, clock: Callable[[], datetime]) -> None:
        self._space, self._view, self._clock = space, view, clock
        self._previous = space.document(PREVIOUS)
        self._previous_mark: Mark | None = (
            None  # after our last fold: an editor may still write into the old file
        )
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
            if (data is None) is (truth.missing or truth.document is None) and self._write(
                truth, data
            ):
                return True
        return False

    def sweep(self) -> None:
        """Look after what a killed process left; what an author may have saved just then is put back, or kept as a conflict copy."""
        self._put_back()
        for data in self._view.file.strays():
            if self._is_news(data):
                self._copy(data)
        for _ in self._view.good.strays():
            pass

    def _put_back(self) -> None:
        """Where two names cannot be exchanged, a fold may have died with an author's save moved aside."""
        if self._view.file.mark() is None and self._previous.mark() is not None:
            with suppress(OSError):
                data = self._previous.read()
                if self._is_news(data):
                    self._view.file.swap(data, None)

    def _is_news(self, data: bytes) -> bool:
        """Whether left-over bytes say something that the role does not know."""
        truth = self._view.truth()
        try:
            found = read(data, truth.document)
        except BrokenFileError:
            return False
        through = found.through or 0
        return applied(found.memories, self._view.lines(through), through)[0] != truth.memories

    def _rescue(self) -> None:
        """An editor that had the old file open may have written into it after our fold: put that back under the name."""
        mark, ours = self._previous.mark(), self._previous_mark
        if ours is None or mark is None or mark == ours:
            return
        try:
            now = self._view.file.read()
            if mark.inode != ours.inode or digest(now) != self._folded:
                self._previous_mark = None  # somebody folded or saved since: the previous file is another one, or an older word
                return
            late = self._previous.read()
            read(late)
            self._previous_mark = None
            self._view.file.swap(late, now)
        except (OSError, BrokenFileError):
            return  # still being written: look again next time

    def _bytes(self, truth: Truth) -> bytes | None:
        """The file's bytes, if they are still those that the truth was read from."""
        try:
            data = self._view.file.read()
        except OSError:
            return None
        return (
            data if truth.document is not None and digest(data) == truth.document.digest else None
        )

    def _take_over(self, truth: Truth, data: bytes) -> None:
        before = self._before()
        if before is not None:
            steps = list(between(before[1], truth.memories))
            if truth.whole and any(op != "add" for op, _, _ in steps):
                self._copy(rendered(merged(*before, truth.seq)))
            if steps:
                base = truth.seq + len(steps) if truth.whole else truth.through
                missed = self._withdrawn if self._withdrawn != base else None
                self._view.journal.append(
                    recorded(steps, truth.seq + 1, iso(self._clock()), base, missed)
                )
        self._log(truth.conflicts)
        if (
            truth.document is not None and not truth.whole
        ):  # a whole word is folded at once: until then it stays one
            self._view.file.settle()  # what we record rests on it
            self._keep(data, truth.document)

    def _before(self) -> tuple[Document, Memories] | None:
        """What stood before the author's save; None when nothing did."""
        try:
            document = read(self._view.good.read(), self._view.truth().document, ours=True)
        except (OSError, BrokenFileError):
            return None
        through = document.through or 0
        return document, applied(document.memories, self._view.lines(through), through)[0]

    def _keep(self, data: bytes, document: Document) -> None:
        """Write state/last-good.json. Raises: NotWrittenError."""
        self._view.good.put(data)
        self._view.kept(document)

    def _write(self, truth: Truth, data: bytes | None) -> bool:
        """Fold; false when the file is another one by now. Raises: NotWrittenError."""
        old = self._document(truth, data)
        if old.doubled and data is not None:
            self._copy(data)
        fresh = rendered(merged(old, truth.memories, truth.seq), newline_of(data or b""))
        written = read(fresh, truth.document, ours=True)
        if written.memories != truth.memories:
            place = self._view.file.place
            raise NotWrittenError(
                f"{place}: not written: what would be written reads differently",
                zh=f"{place}：没有写入：要写的内容读回来不一样",
            )
        self._log(truth.conflicts)
        outcome = self._view.file.swap(fresh, data)
        if not outcome.done:
            self._gave_way(truth.seq, outcome.instead)
            return False
        self._withdrawn = None
        written.raw, written.slots = {}, {}
        self._view.expect(written)
        self._previous_mark, self._folded = self._previous.mark(), written.digest
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
            return read(self._view.good.read(), truth.document, ours=True)
        return read(orjson.dumps(empty()), ours=True)

    def _log(self, conflicts: Iterable[Conflict]) -> None:
        """Add to `CONFLICTS` what is not there yet; a help for people, so its failure stops nothing."""
        kept = self._space.document(CONFLICTS)
        with suppress(OSError):
            known = kept.read() if kept.mark() else b""
            rows = [row for conflict in conflicts if (row := _conflict_row(conflict)) not in known]
            if rows:
                kept.put(known + b"".join(rows))

    def _copy(self, data: bytes) -> None:
        """Keep bytes as memory.conflict-TIME.json and say so. Raises: NotWrittenError."""
        stamp = self._clock().strftime("%Y%m%d-%H%M%S")
        names = [
            f"memory.conflict-{stamp}{suffix}.json"
            for suffix in ("", *(f"-{n}" for n in range(2, 100)))
        ]
        name = next(
            (name for name in names if self._space.document(name).mark() is None), names[-1]
        )
        self._space.document(name).put(data)
        self._view.note(
            f"copy {name}", Problem("conflict_copy", "memory.json", values=(("copy", name),))
        )


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
    row = {
        "seq": line.seq,
        "txn": line.txn,
        "id": line.id,
        "field": conflict.field,
        "before": pair[0],
        "after": pair[-1],
    }
    return json.dumps({**row, "file": conflict.found}, ensure_ascii=False).encode() + b"\n"
