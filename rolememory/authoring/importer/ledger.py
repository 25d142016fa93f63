"""The import ledger: one line per item, appended once it is written, so that an interrupted import neither loses nor duplicates.

Losing it costs only time: roles are found by their cards, chats by their messages, summaries by their text.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from rolememory.authoring.importer.plan import Kind, State
from rolememory.cards.role_parts import file_name
from rolememory.errors import BusyError
from rolememory.schema.json_types import JsonMapping
from rolememory.storage.port import Log, Space

FOLDER = ".import"

_WAIT_S = 0.2


class Ledger:
    """The ledger of one source in one home. Open it with `ledger_of`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._rows: dict[tuple[str, str], JsonMapping] = {}
        lines = [line for append in log.read().appends for line in append.lines]
        for line in lines:
            row = orjson.loads(line)
            self._rows[row.pop("kind"), row.pop("key")] = row
        self._lines = len(lines)

    def of(self, kind: Kind, key: str) -> JsonMapping:
        """The record of this item; empty if it was never imported."""
        return self._rows.get((kind, key), {})

    def all(self, kind: Kind) -> dict[str, JsonMapping]:
        """All records of a kind, by key."""
        return {key: row for (found, key), row in self._rows.items() if found == kind}

    def note(self, kind: Kind, key: str, **fields: Any) -> None:
        """Record an imported item, or its changes.

        Raises:
            NotWrittenError: the disk refused.
        """
        row = {**self.of(kind, key), **fields}
        if row != self.of(kind, key):
            self._log.append(_line(kind, key, row))
            self._rows[kind, key] = row
            self._lines += 1

    def fold(self) -> None:
        """Keep only the newest line of each item, if most lines are outdated."""
        if self._lines > 2 * len(self._rows) + 100:
            self._log.rewrite([_line(*place, row)] for place, row in self._rows.items())
            self._lines = len(self._rows)


def _line(kind: str, key: str, row: JsonMapping) -> bytes:
    return orjson.dumps({"kind": kind, "key": key, **row})


def ledger_name(source: Path) -> str:
    """The name of a source's ledger in a home."""
    path = os.path.normcase(source.resolve()).encode("utf-8", "surrogatepass")
    short = blake2b(path, digest_size=4).hexdigest()
    return f"{FOLDER}/sillytavern-{file_name(source.name, 'user')}-{short}"


@contextmanager
def ledger_of(home: Space, source: Path, *, write: bool = True) -> Iterator[Ledger]:
    """The ledger, locked against a second import into the same home; read-only where `write` is false.

    Raises:
        NotWrittenError: another import is running, or the home is not writable.
    """
    log = home.log(ledger_name(source))
    if not write:
        yield Ledger(log)
        return
    with ExitStack() as held:
        try:
            held.enter_context(home.lock(FOLDER, _WAIT_S))
        except BusyError as error:
            raise BusyError(
                "{folder}: another import into this home is under way; wait for it, or stop it",
                folder=f"{home.place}/{FOLDER}",
            ) from error
        ledger = Ledger(log)
        yield ledger
        ledger.fold()


def digest(data: bytes) -> str:
    """A short digest of these bytes."""
    return blake2b(data, digest_size=12).hexdigest()


def state_of(standing: str | None, wanted: str, before: str | None) -> State:
    """The import state by digests: the current content here, the source's, and the last imported (None = none).

    >>> state_of(None, "b", None), state_of("a", "b", "a"), state_of("b", "b", "a"), state_of("c", "b", "a")
    ('new', 'changed', 'same', 'kept')
    """
    if standing is None:
        return "new" if before is None else "kept"
    if standing == wanted:
        return "same"
    return "changed" if standing == before else "kept"
