"""Turns edits into journal records, validated against the current memories."""

import json
import secrets
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import field
from typing import Any

from rolememory.errors import InvalidValueError, UnknownMemoryError
from rolememory.locales import Listed
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.memory import MemoriesById, Memory, MemoryType
from rolememory.schema.value_class import value_class
from rolememory.storage.codec import EntryError, decode, difference, patched, value_of
from rolememory.storage.copy_on_write import CopyOnWriteDict
from rolememory.storage.exact_json import dumps
from rolememory.storage.journal_records import JournalRecord, Op, added, removed


@value_class
class Edit:
    """A requested change: `add` with all fields (an id is made if empty), `set` with the changed ones, `remove` with none."""

    op: Op
    id: str
    fields: JsonMapping = field(default_factory=dict)
    type: MemoryType | None = None
    reason: str = ""


def new_id() -> str:
    """A new unique id.

    >>> len(new_id())
    13
    """
    return "m" + secrets.token_hex(6)


def planned(
    memories: MemoriesById, edits: Iterable[Edit], seq: int, at: str, actor: str
) -> list[JournalRecord]:
    """The records of one transaction, the first with `seq`; none for edits that change nothing.

    Raises: UnknownMemoryError, InvalidValueError; then the whole transaction is refused.
    """
    now = CopyOnWriteDict.of(memories)
    txn, lines = secrets.token_hex(6), list[JournalRecord]()
    for edit in edits:
        memory_id = edit.id.strip() or new_id()
        fields = _step(now, edit, memory_id)
        if fields:
            lines.append(
                JournalRecord(
                    seq + len(lines), txn, at, actor, edit.op, memory_id, fields, edit.reason
                )
            )
    return lines


def recorded(
    steps: Sequence[tuple[Op, str, Mapping[str, Sequence[Any]]]],
    seq: int,
    at: str,
    base: int,
    missed: int | None = None,
) -> list[JournalRecord]:
    """An external edit as records; `base`: the seq of the file, `missed`: the seq of a checkpoint without them."""
    txn = secrets.token_hex(6)
    rows = enumerate(steps, seq)
    return [
        JournalRecord(n, txn, at, "author", op, name, fields, base=base, missed=missed)
        for n, (op, name, fields) in rows
    ]


def reverted(lines: Sequence[JournalRecord], memories: MemoriesById) -> list[Edit]:
    """The edits that undo the records, except where the same was changed since. Cost: O(records)."""
    now = {line.id: memories[line.id] for line in lines if line.id in memories}
    edits = list[Edit]()
    for line in reversed(lines):
        edit = _revert(line, now.get(line.id))
        if edit is not None:
            _step(now, edit, edit.id)
            edits.append(edit)
    return edits


def _revert(line: JournalRecord, here: Memory | None) -> Edit | None:
    """The edit that undoes a record; None if the same was changed, removed or added since."""
    if (here is None) != (line.op == "remove"):
        return None
    if here is None:
        before = {name: pair[0] for name, pair in line.fields.items() if pair[0] is not None}
        return Edit("add", line.id, before)
    standing = {
        name: pair[0] for name, pair in line.fields.items() if value_of(here, name) == pair[1]
    }
    if line.op == "add":
        return Edit("remove", line.id) if len(standing) == len(line.fields) else None
    return Edit("set", line.id, standing) if standing else None


def _step(now: MutableMapping[str, Memory], edit: Edit, memory_id: str) -> dict[str, list[Any]]:
    """Apply one edit to the working set; its fields, empty if nothing changes."""
    here = now.get(memory_id)
    if edit.op == "add":
        if here is not None:
            raise InvalidValueError(
                "a memory with the id {memory_id!r} is there already; set its fields, or leave the id empty",
                memory_id=memory_id,
            )
        now[memory_id] = _checked(memory_id, edit, None)
        return added(now[memory_id])
    if here is None:
        raise UnknownMemoryError(memory_id, now)
    if edit.op == "remove":
        return removed(now.pop(memory_id))
    now[memory_id] = _checked(memory_id, edit, here)
    return difference(here, now[memory_id])


def _checked(memory_id: str, edit: Edit, here: Memory | None) -> Memory:
    fields = {name: value for name, value in edit.fields.items() if name not in ("id", "type")}
    kind = edit.type or edit.fields.get("type")
    if kind is not None:
        fields["type"] = str(kind)
    try:
        memory = patched(here, fields) if here is not None else decode(fields, None, memory_id)
        _storable(memory)
    except EntryError as error:
        problems = Listed(error.problems, "; ")
        raise InvalidValueError(
            "memory {memory_id}: {problems}", memory_id=memory_id, problems=problems
        ) from error
    except (TypeError, ValueError, RecursionError) as error:
        told = str(error).lower()
        raise InvalidValueError(
            "memory {memory_id}: {told}; write plain JSON values and whole characters",
            memory_id=memory_id,
            told=told,
        ) from error
    return memory


def _storable(memory: Memory) -> None:
    """Raise if the memory does not survive a JSON round trip."""
    dumps([memory.id, added(memory)])
    if memory.model_extra:
        json.dumps(memory.model_extra, allow_nan=False)
