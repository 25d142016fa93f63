"""The ledger of what was imported: one line per item, appended as soon as it is written, so that an interrupted import loses and doubles nothing.

Losing the whole file costs time, no more: roles are found by their cards, chats by their messages, summaries by their words.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from rolememory.authoring.importer.plan import Kind
from rolememory.cards.role_parts import file_name
from rolememory.errors import NotWrittenError
from rolememory.storage.files import atomic
from rolememory.storage.files.disk import DISK

FOLDER = ".import"
Row = Mapping[str, Any]

_WAIT_S = 0.2


class Ledger:
    """The ledger of one source in one home. Open it with `ledger_of`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows: dict[tuple[str, str], dict[str, Any]] = {}
        self._lines = 0
        self._read()

    def of(self, kind: Kind, key: str) -> Row:
        """What is noted of this item; empty when it was never imported."""
        return self._rows.get((kind, key), {})

    def all(self, kind: Kind) -> dict[str, Row]:
        """Everything noted of a kind, by key."""
        return {key: row for (found, key), row in self._rows.items() if found == kind}

    def note(self, kind: Kind, key: str, **fields: Any) -> None:
        """Note that an item was imported, or what changed.

        Raises:
            NotWrittenError: the disk refused.
        """
        row = {**self.of(kind, key), **fields}
        if row == self.of(kind, key):
            return
        self._append(orjson.dumps({"kind": kind, "key": key, **row}) + b"\n")
        self._rows[kind, key] = row

    def fold(self) -> None:
        """Write only the newest line of each thing, when most lines are older ones."""
        if self._lines > 2 * len(self._rows) + 100:
            lines = (
                orjson.dumps({"kind": kind, "key": key, **row})
                for (kind, key), row in self._rows.items()
            )
            atomic.write(self.path, b"".join(line + b"\n" for line in lines))
            self._lines = len(self._rows)

    def _read(self) -> None:
        with suppress(FileNotFoundError):
            for line in self.path.read_bytes().splitlines():
                self._take(line)

    def _take(self, line: bytes) -> None:
        """Read a line; a broken one is skipped."""
        self._lines += 1
        try:
            row = orjson.loads(line)
            self._rows[str(row.pop("kind")), str(row.pop("key"))] = row
        except (ValueError, KeyError, AttributeError, TypeError):
            return

    def _append(self, line: bytes) -> None:
        try:
            with open(self.path, "ab", opener=_private) as file:  # made as all files of a home are
                cut = file.tell() > 0 and not self._ends_whole()
                file.write(b"\n" + line if cut else line)
        except OSError as error:
            raise atomic.not_written(self.path, error) from error
        self._lines += 1

    def _ends_whole(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"


def _private(path: str, flags: int) -> int:
    return DISK.open(Path(path), flags)


def ledger_path(home: Path, source: Path) -> Path:
    """Where the ledger of a source lies in a home."""
    digest = blake2b(
        os.path.normcase(source.resolve()).encode("utf-8", "surrogatepass"), digest_size=4
    ).hexdigest()
    return home / FOLDER / f"sillytavern-{file_name(source.name, 'user')}-{digest}.jsonl"


@contextmanager
def ledger_of(home: Path, source: Path, *, write: bool = True) -> Iterator[Ledger]:
    """The ledger, locked against a second import into the same home; read-only where `write` is false.

    Raises:
        NotWrittenError: another import is under way, or the home takes no files.
    """
    path = ledger_path(home, source)
    if not write:
        yield Ledger(path)
        return
    try:
        DISK.mkdir(path.parent)
    except OSError as error:
        raise atomic.not_written(path.parent, error) from error
    with held(path.parent):
        ledger = Ledger(path)
        yield ledger
        ledger.fold()


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Holds the lock on imports into this home."""
    lock = atomic.locked(folder, _WAIT_S)
    try:
        lock.__enter__()
    except NotWrittenError as error:
        raise NotWrittenError(
            "{folder}: another import into this home is under way; wait for it, or stop it",
            folder=folder,
        ) from error
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


def digest(data: bytes) -> str:
    """A short name for these bytes."""
    return blake2b(data, digest_size=12).hexdigest()
